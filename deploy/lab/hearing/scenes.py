"""A sentence in a car: its pieces at their places in a stream of noise, and where its sound truly ends.

Owns noise, levels and the place of every word. Deterministic in the generator it is given. The quiet car is not digital
silence but the noise floor of a microphone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.acoustics import active_level, noise_gain
from schemas.events import SAMPLE_RATE, Samples

Floats = NDArray[np.float32]

LEVEL_DBFS = -20.0
"""Active level of whoever speaks at the microphone: leaves 20 dB for peaks."""
FLOOR_DBFS = -70.0
"""White noise of the quiet car."""
LEAD_S, TAIL_S = 1.5, 3.0
"""Noise before and after: the wake network sees 1.5 s; an amendment may come within a second of the end."""
GRID = 640
"""Samples (40 ms) of the wake network's grid: a sentence begins anywhere in it."""
LOWEST_HZ, HIGHEST_HZ = 60.0, 8000.0
"""The band of `broadband`; a cabin microphone cuts off what lies below."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A stream to play."""

    samples: Samples
    begin_s: float
    """Where the first word begins."""
    end_s: float
    """Where the last word ends."""


def broadband(count: int, rng: np.random.Generator) -> Floats:
    """Steady noise of a car on a fast road: half its power pink, half brown (falling 3 and 6 dB an octave), 60 to 8000 Hz.

    More of it lies where speech is than in `models.acoustics.road_noise`, whose power is nearly all rumble.

    Args:
        count: samples at 16 kHz.
        rng: its randomness.

    Returns:
        float32, shape (count,), RMS 1.
    """
    size = max(2, 1 << (count - 1).bit_length()) if count > 1 else 2
    hertz = np.fft.rfftfreq(size, 1.0 / SAMPLE_RATE)
    inside = (hertz >= LOWEST_HZ) & (hertz <= HIGHEST_HZ)
    power = np.zeros(hertz.size)
    for slope in (1.0, 2.0):
        shape = np.where(inside, np.maximum(hertz, LOWEST_HZ) ** -slope, 0.0)
        power += shape / shape.sum()
    phases = rng.normal(size=hertz.size) + 1j * rng.normal(size=hertz.size)
    noise = np.fft.irfft(phases * np.sqrt(power), size)[:count]
    return np.asarray(noise / np.sqrt(np.mean(noise**2)), np.float32)


def trimmed(sound: Samples, under_db: float = 40.0) -> Samples:
    """Without what lies before the first and after the last 10 ms that are at most `under_db` below the loudest."""
    step = SAMPLE_RATE // 100
    padded = np.pad(sound.astype(np.float64), (0, -sound.size % step))
    power = (padded.reshape(-1, step) ** 2).mean(axis=1)
    loud = np.flatnonzero(power > power.max(initial=0.0) * 10.0 ** (-under_db / 10.0))
    return sound[loud[0] * step : (loud[-1] + 1) * step] if loud.size else sound[:0]


def levelled(sound: Samples) -> Floats:
    """As floats of full scale 1 at `LEVEL_DBFS`; silence stays silence."""
    samples = sound.astype(np.float32) / np.float32(32768.0)
    level = active_level(samples)
    return samples * np.float32(10.0 ** (LEVEL_DBFS / 20.0) / level) if level > 0.0 else samples


def joined(pieces: Sequence[Samples], gaps_s: Sequence[float]) -> Floats:
    """Trimmed pieces, each at the usual level, with silence of so many seconds between them (one fewer than pieces)."""
    parts: list[Floats] = []
    for number, piece in enumerate(pieces):
        if number:
            parts.append(np.zeros(round(gaps_s[number - 1] * SAMPLE_RATE), np.float32))
        parts.append(levelled(trimmed(piece)))
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def in_car(
    speech: Floats, snr_db: float | None, rng: np.random.Generator, *, lead_s: float = LEAD_S, tail_s: float = TAIL_S
) -> Scene:
    """Speech in the quiet car, or in broadband noise so many decibels under its active level.

    Args:
        speech: float32 of full scale 1.
        snr_db: active speech level over the noise's RMS in its whole band; None for the quiet car.
        rng: of the noise, and of the place on the wake network's grid.
        lead_s: seconds of noise before it; up to 40 ms more are drawn.
        tail_s: seconds of noise after it.
    """
    lead = round(lead_s * SAMPLE_RATE) + int(rng.integers(GRID))
    whole = np.pad(speech, (lead, round(tail_s * SAMPLE_RATE)))
    mixed = whole + background(whole.size, active_level(speech), snr_db, rng)
    return Scene(pcm(mixed), lead / SAMPLE_RATE, (lead + speech.size) / SAMPLE_RATE)


def background(count: int, level: float, snr_db: float | None, rng: np.random.Generator) -> Floats:
    """The quiet car, or broadband noise in it.

    Args:
        count: samples at 16 kHz.
        level: active level of who speaks in it, RMS of full scale 1; 0 for nobody, then it is quiet.
        snr_db: as for `in_car`.
        rng: its randomness.

    Returns:
        float32 of full scale 1, shape (count,).
    """
    found = rng.standard_normal(count).astype(np.float32) * np.float32(10.0 ** (FLOOR_DBFS / 20.0))
    if snr_db is not None and level > 0.0:
        noise = broadband(count, rng)
        found += noise * np.float32(noise_gain(level, noise, snr_db))
    return found


def pcm(sound: Floats) -> Samples:
    """As int16; what is beyond full scale is clipped."""
    return np.asarray(np.clip(sound, -1.0, 1.0) * 32767.0, dtype=np.int16)


def talk(lines: Sequence[Samples], rng: np.random.Generator, seconds: float) -> Floats:
    """People talking: lines one after the other with pauses of 0.2 to 2.5 s, mostly short, until `seconds` are full.

    The lines begin anew where they do not suffice; the last is cut.
    """
    parts: list[Floats] = []
    length, wanted, number = 0, round(seconds * SAMPLE_RATE), 0
    while length < wanted and lines:
        pause = np.zeros(round(min(2.5, 0.2 + rng.exponential(0.5)) * SAMPLE_RATE), np.float32)
        line = levelled(trimmed(lines[number % len(lines)]))
        if number >= len(lines) and not length:
            break
        parts += [line, pause]
        length += line.size + pause.size
        number += 1
    return np.concatenate(parts)[:wanted] if parts else np.zeros(0, np.float32)
