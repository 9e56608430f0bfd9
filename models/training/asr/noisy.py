"""Synthetic speech in made-up noise, as pairs of what the recogniser hears and what it should hear; for `denoise`.

Owns: what is said and by whom, rooms, microphones, noises and ratios, and the features of both sides. No recording is among it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.commands.templates import load_templates
from models.runtime import cepstra, denoiser
from models.training import acoustics, conversations
from models.training.wake import noises, voices

Floats = NDArray[np.float32]
Clip = NDArray[np.int16]

FLITE = 0.3
"""Share of the sentences that flite's voices say, which are made of real speakers' recordings."""
RATIOS = (-3.0, 24.0)
"""Decibels, speech over noise, drawn evenly."""
QUIET = 0.15
"""Share of the sentences to which no noise is added, so that the network learns to leave quiet alone."""
ROOM = (22.0, 45.0)
"""Decibels of the speech over the noise that every recording has and that stays in what should be heard."""
LEVELS = (-38.0, -14.0)
"""Active level of the speech, dBFS."""
LONGEST = 320
"""Frames of a sentence; what is longer is cut."""
BABBLE = 0.12
"""Share of the noise that is other synthetic voices."""
KINDS: dict[str, tuple[Callable[[float, np.random.Generator], Floats], float, int]] = {
    "road": (noises.road, 0.22, 6), "kitchen": (noises.kitchen, 0.36, 12), "clatter": (noises.clatter, 0.18, 6),
    "music": (noises.music, 0.04, 2), "plain": (noises.plain, 0.08, 2),
}  # fmt: skip
"""Noises, how often each is drawn, and how many minutes of it are made."""


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
    manners = [
        voices.random_flite(rng) if rng.random() < FLITE else voices.random_prosody(rng, voices.TRAIN_VARIANTS)
        for _ in range(count)
    ]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(voices.speak, sentences(count, seed), manners))


class Sounds:
    """Draws noises."""

    def __init__(self, clips: list[Clip], rng: np.random.Generator) -> None:
        """Make the noises; ``clips`` are the voices of the babble."""
        self._rng = rng
        self._pools = {
            name: np.concatenate([make(20.0, rng) for _ in range(3 * minutes)])
            for name, (make, _, minutes) in KINDS.items()
        }
        self._voices = np.concatenate(clips[::5]).astype(np.float32) / np.float32(32768.0)

    def draw(self, size: int) -> Floats:
        """Noise of RMS 1: one kind, or a second one under it three times in ten."""
        noise = self._one(size)
        return _unit(noise + self._rng.uniform(0.2, 1.0) * self._one(size)) if self._rng.random() < 0.3 else noise

    def _one(self, size: int) -> Floats:
        rng = self._rng
        if rng.random() < BABBLE:
            several = [rng.uniform(0.3, 1.0) * self._part(self._voices, size) for _ in range(rng.integers(2, 6))]
            return _unit(np.sum(several, axis=0))
        shares = np.asarray([share for _, share, _ in KINDS.values()])
        return _unit(self._part(self._pools[str(rng.choice(list(KINDS), p=shares / shares.sum()))], size))

    def _part(self, pool: Floats, size: int) -> Floats:
        start = int(self._rng.integers(0, pool.size - size))
        return pool[start : start + size]


def pairs(clips: list[Clip], sounds: Sounds, rng: np.random.Generator, batch: int = 64) -> Pairs:
    """Every clip once, in a room, by a microphone, at a level and in a noise of its own."""
    parts = [
        _features([_scene(clip, sounds, rng) for clip in clips[start : start + batch]])
        for start in range(0, len(clips), batch)
    ]
    return Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pairs.__slots__))


def _scene(clip: Clip, sounds: Sounds, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """What should be heard, what is heard, and the speech alone, at 16-bit scale."""
    said = clip.astype(np.float32) / np.float32(32768.0)
    pause = rng.uniform(0.25, 0.4), rng.uniform(0.1, 0.5)
    said = np.pad(said, (round(pause[0] * cepstra.SAMPLE_RATE), round(pause[1] * cepstra.SAMPLE_RATE)))
    said = said[: LONGEST * cepstra.HOP]
    if rng.random() < 0.5:
        said = acoustics.convolve(said, acoustics.enclosure_response(rng, float(rng.uniform(0.04, 0.35))))
    if rng.random() < 0.6:  # microphones: a tilt of the spectrum
        said = said - np.float32(rng.uniform(-0.4, 0.6)) * np.concatenate([said[:1], said[:-1]])
    said = said / np.float32(max(acoustics.active_level(said), 1e-6))
    room = np.float32(10.0 ** (-rng.uniform(*ROOM) / 20.0)) * _unit(
        rng.standard_normal(said.size).astype(np.float32) if rng.random() < 0.5 else sounds.draw(said.size)
    )
    quiet = said + room
    ratio = np.float32(10.0 ** (-rng.uniform(*RATIOS) / 20.0))
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
