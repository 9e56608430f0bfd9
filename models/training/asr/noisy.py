"""Speech in made-up noise, as pairs of what the recogniser hears and what it should hear; for `denoise`.

Owns: what is said and by whom, rooms, microphones, noises and ratios, and the features of both sides. The speech is synthetic and,
where a folder of recordings is given, real in half of the scenes; no noise is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import soundfile as sf
from numpy.typing import NDArray

from models import acoustics
from models.commands.templates import load_templates
from models.runtime import cepstra, denoiser
from models.training import conversations, voices
from models.training.asr import kitchen_noise
from models.training.wake import noises
from schemas.errors import AudioFileError

Floats = NDArray[np.float32]
Clip = NDArray[np.int16]

FLITE = 0.3
"""Share of the sentences that flite's voices say, which are made of real speakers' recordings."""
RATIOS = (-1.0, 8.0, 20.0)
"""Decibels, speech over noise: least, likeliest, most."""
QUIET = 0.1
"""Share of the scenes to which no noise is added, so that the network learns to leave quiet alone."""
REAL = 0.5
"""Share of the scenes in which recorded people speak, where there are recordings."""
ROOM = (25.0, 48.0)
"""Decibels of the speech over the noise that every recording has and that stays in what should be heard."""
ECHO, ECHO_OF_REAL = 0.6, 0.25
"""How often a room is put around synthetic and around recorded speech, which has one already."""
LEVELS = (-38.0, -14.0)
"""Active level of the speech, dBFS."""
LONGEST = 320
"""Frames of a scene; what is longer is cut."""
TALK = 0.08
"""Share of the noise that is other voices alone."""
KINDS: dict[str, tuple[Callable[[float, np.random.Generator], Floats] | None, float, int]] = {
    "busy": (None, 0.5, 10), "road": (noises.road, 0.1, 2), "kitchen": (noises.kitchen, 0.17, 2),
    "clatter": (noises.clatter, 0.1, 2), "music": (noises.music, 0.03, 2), "plain": (noises.plain, 0.1, 2),
}  # fmt: skip
"""Noises (None: ``kitchen_noise.kitchen``), how often each is drawn, and how many minutes of it are made at once."""
_PIECE_S = 20.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Sentences, padded to the same length."""

    shown: Floats
    """(n, frames, 50): what the network is shown."""
    plain: Floats
    """(n, frames, 13): cepstra of the noisy sound after the engine's noise removal."""
    wanted: Floats
    """(n, frames, 13): cepstra of the quiet sound after the same."""
    weight: Floats
    """(n, frames): 0 beyond the end, less than 1 in pauses."""


def sentences(count: int, seed: int) -> list[str]:
    """Commands and what drivers say freely (the part of the phrase bank that is trained on), half each."""
    commands = [text for text, _ in load_templates().sample(np.random.default_rng(seed), count)]
    chance = Random(seed)
    mixed = [text for text in (*commands, *conversations.spoken(chance, count)) if 3 <= len(text.split()) <= 14]
    chance.shuffle(mixed)
    return mixed[:count]


def speech(count: int, seed: int, threads: int = 1) -> list[Clip]:
    """Sentences, each by another synthetic voice."""
    rng = np.random.default_rng(seed)
    flite = voices.one_of("flite:", voices.FLITE_VOICES)
    draw = voices.mixed((1.0 - FLITE, voices.espeak(voices.TRAIN_VARIANTS)), (FLITE, flite))
    manners = [draw(rng) for _ in range(count)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(voices.speak, sentences(count, seed), manners))


def recorded(folder: Path) -> list[Clip]:
    """The speech of every FLAC or WAV under ``folder``, in order of name, with .2 s around it.

    Raises:
        schemas.errors.AudioFileError: there is none, or one is not mono 16 kHz.
    """
    found: list[Clip] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".flac", ".wav"} and path.stat().st_size):
        samples, rate = sf.read(path, dtype="int16")
        if samples.ndim != 1 or rate != cepstra.SAMPLE_RATE:
            raise AudioFileError(f"{path.name} is not mono 16 kHz; convert it or leave it out")
        found.append(_trimmed(np.asarray(samples, dtype=np.int16)))
    if not found:
        raise AudioFileError(f"no recordings in {folder}; point --speech at a folder of clean speech or leave it out")
    return found


def _trimmed(samples: Clip) -> Clip:
    """Without the pauses at either end: from the first to the last 10 ms within 25 dB of the loudest and 8 over the quiet."""
    frames = samples[: samples.size // cepstra.HOP * cepstra.HOP].reshape(-1, cepstra.HOP).astype(np.float64)
    level = np.convolve(10.0 * np.log10(np.square(frames).mean(axis=1) + 1.0), np.ones(5) / 5.0, "same")
    active = np.flatnonzero(level > max(level.max() - 25.0, float(np.percentile(level, 10)) + 8.0))
    if not active.size:
        return samples
    return samples[max(0, int(active[0]) - 20) * cepstra.HOP : (int(active[-1]) + 20) * cepstra.HOP]


class Sounds:
    """Draws speech and noises. The noises are made anew by ``renew``, so that a long training does not learn them by heart."""

    def __init__(self, clips: list[Clip], real: list[Clip], rng: np.random.Generator) -> None:
        """Speak and talk in the background with synthetic ``clips`` and, if there are any, with ``real`` ones."""
        self._rng, self._clips, self._real = rng, clips, real
        self._talking = clips[::3] + real[::2]
        self.renew()

    def renew(self) -> None:
        """Make the noises."""
        self._pools = {name: self._pool(make, minutes) for name, (make, _, minutes) in KINDS.items()}

    def _pool(self, make: Callable[[float, np.random.Generator], Floats] | None, minutes: int) -> Floats:
        several = range(round(minutes * 60 / _PIECE_S))
        if make is None:
            return np.concatenate([kitchen_noise.kitchen(_PIECE_S, self._rng, self._talking) for _ in several])
        return np.concatenate([make(_PIECE_S, self._rng) for _ in several])

    def speech(self) -> tuple[Floats, bool]:
        """Somebody speaking, -1 to 1, and whether they were recorded."""
        if self._real and self._rng.random() < REAL:
            return self._recorded(), True
        return self._clips[int(self._rng.integers(len(self._clips)))].astype(np.float32) / np.float32(32768.0), False

    def draw(self, size: int) -> Floats:
        """Noise of RMS 1: one kind, or a second one under it three times in ten."""
        noise = self._one(size)
        return _unit(noise + self._rng.uniform(0.2, 1.0) * self._one(size)) if self._rng.random() < 0.3 else noise

    def _one(self, size: int) -> Floats:
        rng = self._rng
        if rng.random() < TALK:
            return _unit(kitchen_noise.talk(size, rng, self._talking))
        shares = np.asarray([share for _, share, _ in KINDS.values()])
        pool = self._pools[str(rng.choice(list(KINDS), p=shares / shares.sum()))]
        start = int(rng.integers(0, pool.size - size))
        return _unit(pool[start : start + size])

    def _recorded(self) -> Floats:
        """Recordings are of single words: several of about the same loudness one after the other."""
        parts: list[Floats] = []
        while sum(part.size for part in parts) < 0.75 * LONGEST * cepstra.HOP:
            clip = self._real[int(self._rng.integers(len(self._real)))].astype(np.float32) / np.float32(32768.0)
            clip = clip / np.float32(
                max(acoustics.active_level(clip), 1e-6) * 10.0 ** (self._rng.uniform(-3.0, 3.0) / 20.0)
            )
            clip[:80] *= np.linspace(0.0, 1.0, 80, dtype=np.float32)
            clip[-80:] *= np.linspace(1.0, 0.0, 80, dtype=np.float32)
            parts.append(clip)
            if self._rng.random() < 0.25:
                break
        return np.concatenate(parts)


def pairs(sounds: Sounds, count: int, rng: np.random.Generator, batch: int = 64) -> Pairs:
    """Scenes: somebody speaks in a room, into a microphone, at a level and in a noise of its own."""
    parts = [
        _features([_scene(sounds, rng) for _ in range(min(batch, count - start))]) for start in range(0, count, batch)
    ]
    return Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pairs.__slots__))


def _scene(sounds: Sounds, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """What should be heard, what is heard, and the speech alone, at 16-bit scale."""
    said, real = sounds.speech()
    pause = rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.5)
    said = np.pad(said, (round(pause[0] * cepstra.SAMPLE_RATE), round(pause[1] * cepstra.SAMPLE_RATE)))
    said = said[: LONGEST * cepstra.HOP]
    if rng.random() < (ECHO_OF_REAL if real else ECHO):
        said = acoustics.convolve(said, acoustics.enclosure_response(rng, float(rng.uniform(0.04, 0.45))))
    if rng.random() < 0.6:  # microphones: a tilt of the spectrum
        tilt = np.float32(rng.uniform(-0.4, 0.6))
        said = (said - tilt * np.concatenate([said[:1], said[:-1]])).astype(np.float32)
    said = said / np.float32(max(acoustics.active_level(said), 1e-6))
    room = np.float32(10.0 ** (-rng.uniform(*ROOM) / 20.0)) * _unit(
        rng.standard_normal(said.size).astype(np.float32) if rng.random() < 0.5 else sounds.draw(said.size)
    )
    quiet = said + room
    ratio = np.float32(10.0 ** (-rng.triangular(*RATIOS) / 20.0))
    heard = quiet if rng.random() < QUIET else quiet + ratio * sounds.draw(said.size)
    gain = np.float32(32768.0 * 10.0 ** (rng.uniform(*LEVELS) / 20.0))
    found = (np.asarray(gain * side, dtype=np.float32) for side in (quiet, heard, said))
    return next(found), next(found), next(found)


def _features(scenes: list[tuple[Floats, Floats, Floats]]) -> Pairs:
    sides = [[_powers(one[side]) for one in scenes] for side in range(2)]
    lengths = np.asarray([len(power) for power in sides[0]])
    quiet, heard = (_padded(side) for side in sides)
    quiet_clean, heard_clean = _cleaned(quiet), _cleaned(heard)
    active = np.stack([_active(one[2]) for one in scenes])
    inside = np.arange(LONGEST)[None, :] < lengths[:, None]
    return Pairs(
        shown=denoiser.shown(heard, heard_clean),
        plain=cepstra.cepstra(heard_clean).astype(np.float32),
        wanted=cepstra.cepstra(quiet_clean).astype(np.float32),
        weight=(np.where(active, 1.0, 0.3) * inside).astype(np.float32),
    )


def _active(said: Floats) -> NDArray[np.bool_]:
    """Frames within 30 dB of the loudest, (LONGEST,)."""
    size = LONGEST * cepstra.HOP
    level = np.square(np.pad(said, (0, size))[:size]).reshape(LONGEST, cepstra.HOP).mean(axis=1)
    return np.asarray(level > 0.001 * level.max(), dtype=np.bool_)


def _powers(sound: Floats) -> cepstra.Doubles:
    rounded = np.round(np.clip(sound, -32768.0, 32767.0)).astype(np.float64)
    return cepstra.mel_power(cepstra.emphasise(rounded))[:LONGEST]


def _padded(powers: list[cepstra.Doubles]) -> cepstra.Doubles:
    return np.stack([np.pad(power, ((0, LONGEST - len(power)), (0, 0)), mode="edge") for power in powers])


def _cleaned(power: cepstra.Doubles) -> cepstra.Doubles:
    removal = cepstra.NoiseRemoval()
    return np.stack([removal.step(power[:, frame]) for frame in range(power.shape[1])], axis=1)


def _unit(noise: NDArray[np.floating[Any]]) -> Floats:
    return (noise / np.float32(max(float(np.sqrt(np.mean(np.square(noise)))), 1e-9))).astype(np.float32)
