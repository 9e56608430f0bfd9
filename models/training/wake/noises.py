"""Made-up noises to train in: road, kitchen, clatter, music, coloured noise. No recording is among them.

Owns: how each sounds. Does not own levels or mixing. Everything is a function of the random generator.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models import acoustics

Floats = NDArray[np.float32]
_RATE = acoustics.SAMPLE_RATE


def road(seconds: float, rng: np.random.Generator) -> Floats:
    """A car at some speed, with its engine four times in five."""
    speed = float(rng.choice([0.0, 30.0, 50.0, 80.0, 100.0, 130.0]) + rng.uniform(0.0, 20.0))
    rpm = float(rng.choice([0.0, rng.uniform(700.0, 4500.0)], p=[0.2, 0.8]))
    return acoustics.road_noise(seconds, rng, speed, rpm)


def clatter(seconds: float, rng: np.random.Generator) -> Floats:
    """Knocks, clinks and rattles over a hum: made-up household and cabin noises."""
    count = int(seconds * _RATE)
    noise = 0.02 * np.cumsum(rng.standard_normal(count))
    noise = (noise - np.convolve(noise, np.ones(800) / 800.0, "same")) * 0.3 + 0.05 * rng.standard_normal(count)
    for start in rng.integers(0, count, rng.poisson(seconds * rng.uniform(1.0, 6.0))):
        _add_bang(noise, int(start), rng)
    return np.asarray(noise, dtype=np.float32)


def kitchen(seconds: float, rng: np.random.Generator) -> Floats:
    """A tap, a pan, a fan and dishes, each now and then, in a hard room."""
    count = int(seconds * _RATE)
    noise = 0.01 * rng.standard_normal(count)
    if rng.random() < 0.6:
        noise += rng.uniform(0.03, 0.3) * _water(count, rng)
    if rng.random() < 0.4:
        noise += rng.uniform(0.02, 0.2) * _sizzle(count, rng)
    if rng.random() < 0.5:
        noise += rng.uniform(0.03, 0.3) * _fan(count, rng)
    for _ in range(rng.poisson(seconds / 3.0)):  # bouts of dishes: several strikes on the same few objects
        start, strikes = int(rng.integers(0, count)), int(rng.integers(2, 14))
        things = [_thing(rng) for _ in range(int(rng.integers(1, 4)))]
        level = np.exp(rng.uniform(np.log(0.1), np.log(1.5)))
        for _ in range(strikes):
            start += int(rng.exponential(0.18) * _RATE) + 200
            thing = things[int(rng.integers(len(things)))]
            last = min(count, start + thing.size)
            if start < last:
                noise[start:last] += level * rng.uniform(0.3, 1.0) * thing[: last - start]
    room = acoustics.enclosure_response(rng, float(rng.uniform(0.2, 0.6)))
    return acoustics.convolve(np.asarray(noise, dtype=np.float32), room)


def music(seconds: float, rng: np.random.Generator) -> Floats:
    """Chords, a tune and a beat out of sine waves: something tonal that is no speech."""
    count = int(seconds * _RATE)
    beat = int(rng.uniform(0.25, 0.6) * _RATE)
    sound = np.zeros(count)
    root = rng.uniform(80.0, 200.0)
    for start in range(0, count, beat):
        length = min(beat, count - start)
        times = np.arange(length) / _RATE
        steps = rng.choice([0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 19, 24], 4)
        for step in steps:
            hertz = root * 2.0 ** (step / 12.0)
            for overtone in range(1, 7):
                sound[start : start + length] += (
                    np.sin(2.0 * np.pi * hertz * overtone * times) * np.exp(-times * 3.0) / overtone**1.3
                )
        sound[start : start + length] += 1.5 * rng.standard_normal(length) * np.exp(-times * rng.uniform(20.0, 90.0))
    return np.asarray(sound, dtype=np.float32)


def plain(seconds: float, rng: np.random.Generator) -> Floats:
    """Coloured noise, flat to -6 dB an octave."""
    size = int(seconds * _RATE)
    slope = rng.uniform(0.0, 1.0)
    spectrum = np.fft.rfft(rng.standard_normal(size)) / np.maximum(np.arange(size // 2 + 1), 40.0) ** slope
    return np.asarray(np.fft.irfft(spectrum, size), dtype=np.float32)


def _add_bang(noise: NDArray[np.float64], start: int, rng: np.random.Generator) -> None:
    length = min(int(rng.uniform(0.02, 0.5) * _RATE), noise.size - start)
    times = np.arange(length) / _RATE
    bang = rng.standard_normal(length) * np.exp(-times / rng.uniform(0.003, 0.03))
    for _ in range(int(rng.integers(1, 6))):
        hertz, decay = np.exp(rng.uniform(np.log(200.0), np.log(6500.0))), rng.uniform(0.01, 0.2)
        bang += rng.uniform(0.2, 1.0) * np.sin(2.0 * np.pi * hertz * times) * np.exp(-times / decay)
    noise[start : start + length] += rng.uniform(0.2, 2.0) * bang


def _thing(rng: np.random.Generator) -> NDArray[np.float64]:
    """One strike on a plate, a pot, a glass or cutlery: inharmonic partials after a click."""
    times = np.arange(int(0.35 * _RATE)) / _RATE
    base = np.exp(rng.uniform(np.log(300.0), np.log(4000.0)))
    sound = 0.5 * rng.standard_normal(times.size) * np.exp(-times / rng.uniform(0.002, 0.012))
    for _ in range(int(rng.integers(3, 9))):
        hertz = min(base * rng.uniform(1.0, 4.0), 7600.0)
        sound += rng.uniform(0.1, 1.0) * np.sin(2.0 * np.pi * hertz * times) * np.exp(-times / rng.uniform(0.01, 0.15))
    return sound


def _water(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A hiss between 0.5 and 7 kHz that comes and goes a little; RMS 1."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1.0 / _RATE)
    centre = rng.uniform(1000.0, 4000.0)
    noise = np.fft.irfft(spectrum * np.exp(-0.5 * (np.log2(np.maximum(hertz, 1.0) / centre) / 1.2) ** 2), count)
    return _unit(noise * _wander(count, rng, 4.0, 0.25))


def _sizzle(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Crackles, many a second, over a thin hiss; RMS 1."""
    clicks = np.zeros(count)
    places = rng.integers(0, count, int(count / _RATE * rng.uniform(20.0, 400.0)))
    clicks[places] = rng.exponential(1.0, places.size) * rng.choice([-1.0, 1.0], places.size)
    ring = np.exp(-np.arange(60) / rng.uniform(3.0, 15.0)) * np.cos(np.arange(60) * rng.uniform(0.8, 2.6))
    return _unit(np.convolve(clicks, ring, "same") + 0.05 * rng.standard_normal(count))


def _fan(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A hum with overtones in falling noise; RMS 1."""
    times = np.arange(count) / _RATE
    hum = sum(
        rng.uniform(0.0, 1.0) / order * np.sin(2.0 * np.pi * order * rng.uniform(48.0, 62.0) * times)
        for order in range(1, 8)
    )
    return _unit(hum + 3.0 * np.asarray(plain(count / _RATE + 0.01, rng)[:count], dtype=np.float64))


def _wander(count: int, rng: np.random.Generator, hertz: float, spread: float) -> NDArray[np.float64]:
    knots = max(2, int(count / _RATE * hertz) + 2)
    return np.exp(np.interp(np.linspace(0.0, knots - 1.0, count), np.arange(knots), rng.normal(0.0, spread, knots)))


def _unit(noise: NDArray[np.float64]) -> NDArray[np.float64]:
    return noise / max(float(np.sqrt(np.mean(noise**2))), 1e-9)
