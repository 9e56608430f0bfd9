"""Busier made-up kitchens than the wake word trains in: dishes that ring long, running water, fans, and others who talk.

Owns: how they sound. Does not own levels or mixing. No recording of a kitchen is among it; the voices in the background are the
clips that it is given. Everything is a function of the random generator.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models import acoustics

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
_RATE = acoustics.SAMPLE_RATE


def kitchen(seconds: float, rng: np.random.Generator, clips: Sequence[NDArray[np.int16]]) -> Floats:
    """Half a minute of one: each source is there now and then, at a level of its own, in a hard room, by some microphone."""
    count = int(seconds * _RATE)
    sound = 0.01 * rng.standard_normal(count)
    if rng.random() < 0.5:  # a tap
        water = _band(count, rng, 500.0, 5000.0, float(rng.uniform(0.6, 2.0)))
        sound += _level(rng, 0.03, 0.6) * water * _wander(count, rng)
    if rng.random() < 0.35:
        sound += _level(rng, 0.02, 0.4) * _sizzle(count, rng)
    if rng.random() < 0.6:
        sound += _level(rng, 0.03, 0.6) * _fan(count, rng)
    if rng.random() < 0.4:  # a fridge, a hood
        sound += _level(rng, 0.03, 0.5) * _band(count, rng, 80.0, 400.0, float(rng.uniform(0.3, 1.0)))
    if rng.random() < 0.4:
        distant = acoustics.enclosure_response(rng, float(rng.uniform(0.3, 0.9)))
        sound += _level(rng, 0.03, 0.5) * _unit(acoustics.convolve(talk(count, rng, clips), distant))
    bouts = rng.poisson(seconds * _level(rng, 0.1, 1.5))
    for _ in range(bouts):
        _add_bout(sound, rng)
    room = acoustics.enclosure_response(rng, float(rng.uniform(0.2, 0.8)))
    heard = acoustics.convolve(np.asarray(sound, dtype=np.float32), room)
    if rng.random() < 0.5:  # a microphone: a tilt of the spectrum
        heard = heard - np.float32(rng.uniform(-0.4, 0.6)) * np.concatenate([heard[:1], heard[:-1]])
    return np.asarray(heard, dtype=np.float32)


def talk(count: int, rng: np.random.Generator, clips: Sequence[NDArray[np.int16]]) -> Floats:
    """One to six voices at once, each saying clip after clip with pauses."""
    total = np.zeros(count)
    for _ in range(int(rng.integers(1, 7))):
        row, place = np.zeros(count), 0
        while place < count:
            clip = clips[int(rng.integers(len(clips)))][: count - place]
            row[place : place + clip.size] += clip.astype(np.float64) / 32768.0
            place += clip.size + int(rng.exponential(0.4) * _RATE)
        total += rng.uniform(0.2, 1.0) * _unit(row)
    return np.asarray(total, dtype=np.float32)


def _add_bout(sound: Doubles, rng: np.random.Generator) -> None:
    """Several strikes on the same one to three things, now and then a scrape."""
    start, strikes = int(rng.integers(0, sound.size)), int(rng.integers(1, 14))
    things = [_strike(rng) for _ in range(int(rng.integers(1, 4)))]
    level, gap = _level(rng, 0.05, 2.5), rng.uniform(0.06, 0.5)
    for _ in range(strikes):
        thing = things[int(rng.integers(len(things)))] if rng.random() < 0.9 else _scrape(rng)
        last = min(sound.size, start + thing.size)
        if start < last:
            sound[start:last] += level * rng.uniform(0.2, 1.0) * thing[: last - start]
        start += int(rng.exponential(gap) * _RATE) + 300


def _strike(rng: np.random.Generator) -> Doubles:
    """A thump on wood one time in five, else a dish, a pot, a glass, cutlery: inharmonic partials after a click."""
    times = np.arange(int(rng.uniform(0.3, 1.0) * _RATE)) / _RATE
    if rng.random() < 0.2:
        base, decays, partials, spread = _level(rng, 70.0, 300.0), (0.02, 0.12), int(rng.integers(2, 6)), 6.0
    else:
        base, decays, partials, spread = _level(rng, 350.0, 5000.0), (0.02, 0.45), int(rng.integers(3, 11)), 4.0
    click = np.exp(-times / rng.uniform(0.001, 0.015))
    sound = rng.uniform(0.1, 1.0) * rng.standard_normal(times.size) * click
    for _ in range(partials):
        hertz, phase = min(base * rng.uniform(1.0, spread), 7700.0), rng.uniform(0.0, 2.0 * np.pi)
        sound += (
            rng.uniform(0.05, 1.0) * np.sin(2.0 * np.pi * hertz * times + phase) * np.exp(-times / rng.uniform(*decays))
        )
    return sound


def _scrape(rng: np.random.Generator) -> Doubles:
    count = int(rng.uniform(0.1, 0.8) * _RATE)
    return _band(count, rng, 800.0, 6000.0, float(rng.uniform(0.2, 1.0))) * np.hanning(count)


def _band(count: int, rng: np.random.Generator, low: float, high: float, octaves: float) -> Doubles:
    """Noise in a bell over log-frequency around somewhere between ``low`` and ``high``; RMS 1."""
    centre = _level(rng, low, high)
    hertz = np.maximum(np.fft.rfftfreq(count, 1.0 / _RATE), 1.0)
    bell = np.exp(-0.5 * (np.log2(hertz / centre) / octaves) ** 2)
    return _unit(np.fft.irfft(np.fft.rfft(rng.standard_normal(count)) * bell, count))


def _sizzle(count: int, rng: np.random.Generator) -> Doubles:
    """Crackles, many a second, over a thin hiss; RMS 1."""
    clicks = np.zeros(count)
    places = rng.integers(0, count, int(count / _RATE * rng.uniform(20.0, 400.0)))
    clicks[places] = rng.exponential(1.0, places.size) * rng.choice([-1.0, 1.0], places.size)
    ring = np.exp(-np.arange(60) / rng.uniform(3.0, 15.0)) * np.cos(np.arange(60) * rng.uniform(0.8, 2.6))
    return _unit(np.convolve(clicks, ring, "same") + 0.05 * rng.standard_normal(count))


def _fan(count: int, rng: np.random.Generator) -> Doubles:
    """A hum with overtones in falling noise; RMS 1."""
    times = np.arange(count) / _RATE
    hum = np.zeros(count)
    for order in range(1, 8):
        hum += rng.uniform(0.0, 1.0) / order * np.sin(2.0 * np.pi * order * rng.uniform(48.0, 62.0) * times)
    slope = np.maximum(np.arange(count // 2 + 1), 40.0) ** rng.uniform(0.0, 1.0)
    return _unit(hum + 3.0 * np.fft.irfft(np.fft.rfft(rng.standard_normal(count)) / slope, count))


def _wander(count: int, rng: np.random.Generator) -> Doubles:
    """A gain that comes and goes once to eight times a second."""
    knots = max(2, int(count / _RATE * rng.uniform(1.0, 8.0)) + 2)
    gains = rng.normal(0.0, rng.uniform(0.05, 0.5), knots)
    return np.exp(np.interp(np.linspace(0.0, knots - 1.0, count), np.arange(knots), gains))


def _level(rng: np.random.Generator, low: float, high: float) -> float:
    """Between the two, evenly by ratio."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _unit(sound: NDArray[np.floating]) -> Doubles:
    return np.asarray(sound, dtype=np.float64) / max(float(np.sqrt(np.mean(np.square(sound)))), 1e-9)
