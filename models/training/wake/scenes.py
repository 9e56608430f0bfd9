"""Training examples: the keyword, or speech like it, somewhere in a few seconds of a car, a kitchen or a party.

Owns: the pools of noise and how an example is put together, and its labels. Does not own features or the network.
Everything is a function of the random generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import soxr
from numpy.typing import NDArray

from models.runtime import keyword, mel
from models.training import acoustics
from models.training.wake.corpus import Clip, Spoken

Floats = NDArray[np.float32]
_T = TypeVar("_T")

LENGTH = 57_600
"""Samples of an example: 3.6 s."""
OUTPUTS = keyword.outputs_of(1 + (LENGTH - mel.WINDOW) // mel.HOP)
IGNORED = -1.0

_RATES = (0.86, 0.93, 1.0, 1.07, 1.15)
"""Playing a clip slower or faster also moves its formants: other speakers than were recorded."""


@dataclass
class Bank:
    """Sources of examples. `mined` is what the network under training wrongly fires at; it grows while training."""

    real: list[Spoken]
    synthetic: list[Spoken]
    speech: list[Clip]
    near: list[Clip]
    mined: list[Clip]


class Scenes:
    """Makes examples."""

    def __init__(self, bank: Bank, rng: np.random.Generator, noises: int = 80) -> None:
        """Prepare `noises` stretches of 10 s of road noise and fewer of the others."""
        self._bank = bank
        self._rng = rng
        self._real = [_resampled(item, rate) for item in bank.real for rate in _RATES]
        self._responses = [
            acoustics.enclosure_response(rng, float(rng.choice([0.05, 0.1, 0.2, 0.4]))) for _ in range(60)
        ]
        self._pools = {
            "road": np.concatenate([_road(rng) for _ in range(noises)]),
            "babble": np.concatenate([self._babble(10.0) for _ in range(1 + noises * 11 // 80)]),
            "clatter": np.concatenate([clatter(10.0, rng) for _ in range(1 + noises * 19 // 80)]),
            "music": np.concatenate([music(10.0, rng) for _ in range(1 + noises * 15 // 80)]),
            "plain": np.concatenate([_plain(10.0, rng) for _ in range(1 + noises * 7 // 80)]),
        }

    def batch(self, size: int, positives: float) -> tuple[Floats, Floats]:
        """Samples (size, LENGTH) and labels (size, OUTPUTS): 1 the keyword just ended, 0 not, -1 do not care."""
        samples = np.zeros((size, LENGTH), np.float32)
        labels = np.zeros((size, OUTPUTS), np.float32)
        for row in range(size):
            if self._rng.random() < positives:
                samples[row], end = self._positive()
                labels[row] = label(end)
            else:
                samples[row] = self._negative()
        return samples, labels

    def _positive(self) -> tuple[Floats, int]:
        rng = self._rng
        synthetic = rng.random() < 0.4
        item = self._pick(self._bank.synthetic if synthetic else self._real)
        margin_before, margin_after = int(rng.integers(0, 1600)), int(rng.integers(0, 2400))
        first = max(0, item.start - margin_before)
        sentence = synthetic and item.samples.size - item.end > 4000  # a command follows in the same breath
        piece = _levelled(item.samples[first : item.samples.size if sentence else item.end + margin_after])
        end = int(rng.integers(24_000, 54_000))
        onset = end - (item.end - first)
        canvas = np.zeros(LENGTH, np.float32)
        _put(canvas, piece, onset)
        if rng.random() < 0.5:
            self._speech_before(canvas, onset)
        if not sentence and rng.random() < 0.6:
            gap = 0 if rng.random() < 0.4 else int(rng.exponential(3000.0))
            _put(canvas, self._words() * self._gain(-5.0, 4.0), onset + piece.size + gap)
        return self._finish(canvas, piece), end

    def _negative(self) -> Floats:
        rng = self._rng
        canvas = np.zeros(LENGTH, np.float32)
        kind = rng.random()
        if kind < 0.08:
            return self._finish(canvas, None)
        if kind < 0.20:  # half of the keyword, then something else
            item = self._pick(self._real if rng.random() < 0.6 else self._bank.synthetic)
            cut = item.start + round((item.end - item.start) * rng.uniform(0.25, 0.62))
            half = item.samples[item.start : cut] if rng.random() < 0.6 else item.samples[cut : item.end]
            piece = _levelled(_faded(half))
        elif kind < 0.45:
            piece = _levelled(self._pick(self._bank.near))
        elif kind < 0.65 and self._bank.mined:
            piece = _levelled(self._pick(self._bank.mined))
        else:
            piece = self._words()
        place = int(rng.integers(-8_000, 40_000))
        _put(canvas, piece, place)
        after = place + piece.size + int(rng.exponential(3000.0))
        while after < LENGTH:
            words = self._words()
            _put(canvas, words * self._gain(-4.0, 4.0), after)
            after += words.size + int(rng.exponential(6000.0))
        if rng.random() < 0.6:
            self._speech_before(canvas, place)
        return self._finish(canvas, piece)

    def _speech_before(self, canvas: Floats, onset: int) -> None:
        words = self._words() * self._gain(-5.0, 4.0)
        gap = 0 if self._rng.random() < 0.3 else int(self._rng.exponential(4000.0))
        _put(canvas, words, onset - gap - words.size)

    def _words(self) -> Floats:
        """Up to 2.5 s of speech without the keyword."""
        clip = self._pick(self._bank.speech)
        length = int(self._rng.integers(8_000, 40_000))
        start = int(self._rng.integers(0, max(1, clip.size - length)))
        return _levelled(_faded(clip[start : start + length]))

    def _finish(self, canvas: Floats, piece: Floats | None) -> Floats:
        """Room, noise and microphone gain."""
        rng = self._rng
        if rng.random() < 0.35:
            canvas = acoustics.convolve(canvas, self._responses[int(rng.integers(len(self._responses)))])
        level = 0.1 if piece is not None else 0.05
        kind = str(
            rng.choice(["road", "babble", "clatter", "music", "plain", "none"], p=[0.52, 0.09, 0.15, 0.1, 0.08, 0.06])
        )
        if kind != "none":
            pool = self._pools[kind]
            start = int(rng.integers(0, pool.size - LENGTH))
            noise = pool[start : start + LENGTH]
            lowest = 6.0 if kind == "babble" else 0.0
            canvas += np.float32(acoustics.noise_gain(level, noise, rng.uniform(lowest, 25.0))) * noise
        hiss = np.float32(10.0 ** (rng.uniform(-75.0, -50.0) / 20.0))
        canvas += hiss * rng.standard_normal(LENGTH, np.float32)
        return np.clip(canvas * self._gain(-22.0, 12.0), -1.0, 1.0)

    def _babble(self, seconds: float) -> Floats:
        total = np.zeros(int(seconds * acoustics.SAMPLE_RATE), np.float32)
        for _ in range(int(self._rng.integers(3, 7))):
            place = -int(self._rng.integers(0, 16_000))
            while place < total.size:
                words = _levelled(self._pick(self._bank.speech))
                _put(total, words, place)
                place += words.size
        return total

    def _gain(self, low_db: float, high_db: float) -> np.float32:
        return np.float32(10.0 ** (self._rng.uniform(low_db, high_db) / 20.0))

    def _pick(self, items: list[_T]) -> _T:
        return items[int(self._rng.integers(len(items)))]


def label(end: int) -> Floats:
    """Labels of an example whose keyword ends at sample `end`: fire within 0.2 s after it; ignored just around that."""
    late = keyword.output_positions(0, OUTPUTS) - end
    labels = np.zeros(OUTPUTS, np.float32)
    labels[(late >= -3200) & (late <= 9600)] = IGNORED
    labels[(late >= 0) & (late <= 3200)] = 1.0
    return labels


def clatter(seconds: float, rng: np.random.Generator) -> Floats:
    """Knocks, clinks and rattles over a hum: made-up household and cabin noises."""
    count = int(seconds * acoustics.SAMPLE_RATE)
    noise = 0.02 * np.cumsum(rng.standard_normal(count))
    noise = (noise - np.convolve(noise, np.ones(800) / 800.0, "same")) * 0.3 + 0.05 * rng.standard_normal(count)
    for start in rng.integers(0, count, rng.poisson(seconds * rng.uniform(1.0, 6.0))):
        length = min(int(rng.uniform(0.02, 0.5) * acoustics.SAMPLE_RATE), count - int(start))
        times = np.arange(length) / acoustics.SAMPLE_RATE
        bang = rng.standard_normal(length) * np.exp(-times / rng.uniform(0.003, 0.03))
        for _ in range(int(rng.integers(1, 6))):
            hertz, decay = np.exp(rng.uniform(np.log(200.0), np.log(6500.0))), rng.uniform(0.01, 0.2)
            bang += rng.uniform(0.2, 1.0) * np.sin(2.0 * np.pi * hertz * times) * np.exp(-times / decay)
        noise[int(start) : int(start) + length] += rng.uniform(0.2, 2.0) * bang
    return np.asarray(noise, dtype=np.float32)


def music(seconds: float, rng: np.random.Generator) -> Floats:
    """Chords, a tune and a beat out of sine waves: something tonal that is no speech."""
    count = int(seconds * acoustics.SAMPLE_RATE)
    beat = int(rng.uniform(0.25, 0.6) * acoustics.SAMPLE_RATE)
    sound = np.zeros(count)
    root = rng.uniform(80.0, 200.0)
    for start in range(0, count, beat):
        length = min(beat, count - start)
        times = np.arange(length) / acoustics.SAMPLE_RATE
        steps = rng.choice([0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 19, 24], 4)
        for step in steps:
            hertz = root * 2.0 ** (step / 12.0)
            for overtone in range(1, 7):
                sound[start : start + length] += (
                    np.sin(2.0 * np.pi * hertz * overtone * times) * np.exp(-times * 3.0) / overtone**1.3
                )
        sound[start : start + length] += 1.5 * rng.standard_normal(length) * np.exp(-times * rng.uniform(20.0, 90.0))
    return np.asarray(sound, dtype=np.float32)


def _road(rng: np.random.Generator) -> Floats:
    speed = float(rng.choice([0.0, 30.0, 50.0, 80.0, 100.0, 130.0]) + rng.uniform(0.0, 20.0))
    return acoustics.road_noise(10.0, rng, speed, float(rng.choice([0.0, rng.uniform(700.0, 4500.0)], p=[0.2, 0.8])))


def _plain(seconds: float, rng: np.random.Generator) -> Floats:
    """Coloured noise, flat to -6 dB an octave."""
    size = int(seconds * acoustics.SAMPLE_RATE)
    slope = rng.uniform(0.0, 1.0)
    spectrum = np.fft.rfft(rng.standard_normal(size)) / np.maximum(np.arange(size // 2 + 1), 40.0) ** slope
    return np.asarray(np.fft.irfft(spectrum, size), dtype=np.float32)


def _resampled(item: Spoken, rate: float) -> Spoken:
    """The clip as if played at `rate` times its speed."""
    if rate == 1.0:
        return item
    samples = soxr.resample(item.samples, mel.SAMPLE_RATE * rate, mel.SAMPLE_RATE)
    return Spoken(np.asarray(samples, dtype=np.int16), round(item.start / rate), round(item.end / rate))


def _levelled(clip: Clip | Floats) -> Floats:
    """At an active level of -20 dBFS; a silent clip stays silent."""
    samples = clip.astype(np.float32)
    level = acoustics.active_level(samples)
    return samples * np.float32(0.1 / level) if level > 0.0 else samples


def _faded(clip: Clip) -> Floats:
    """10 ms in and out, so that a cut does not click."""
    samples = clip.astype(np.float32)
    ramp = np.linspace(0.0, 1.0, min(160, samples.size // 2), dtype=np.float32)
    if ramp.size:
        samples[: ramp.size] *= ramp
        samples[-ramp.size :] *= ramp[::-1]
    return samples


def _put(canvas: Floats, piece: Floats, place: int) -> None:
    """Add `piece` to `canvas` from sample `place` on, cut at both ends."""
    first, last = max(place, 0), min(place + piece.size, canvas.size)
    if last > first:
        canvas[first:last] += piece[first - place : last - place]
