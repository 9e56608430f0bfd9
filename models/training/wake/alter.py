"""One recording, many speakers: tempo, pitch with formants, and colour of a clip changed at random.

Owns: the changes. Does not own which clips are changed. Everything is a function of the random generator.
"""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

from models.training.wake.corpus import Clip, Spoken

_RATE = 16_000
_HOP = 160
_WINDOW = 2 * _HOP
_SEARCH = 100
"""Samples (6 ms) that a piece may be shifted by to continue the last one's wave: over half a period of a low voice."""
_MARGIN = 5_600
"""Samples (0.35 s) of the recording that are kept before and after the keyword."""
_HANN = np.asarray(np.hanning(_WINDOW + 1)[:-1], dtype=np.float32)


def tempo(samples: NDArray[np.float32], factor: float) -> NDArray[np.float32]:
    """`samples` spoken `factor` times as fast at the same pitch: overlap-add of the best-fitting pieces (WSOLA).

    Verhelst and Roelands, "An overlap-add technique based on waveform similarity", ICASSP 1993.
    """
    if abs(factor - 1.0) < 0.02 or samples.size < 4 * _WINDOW:
        return samples
    count = int((samples.size - _WINDOW - 2 * _SEARCH) / (_HOP * factor))
    padded = np.pad(samples, (_SEARCH, _WINDOW + 2 * _SEARCH + _HOP))
    out = np.zeros((count + 2) * _HOP, np.float32)
    wanted = padded[_SEARCH : _SEARCH + _WINDOW]
    for index in range(count):
        start = round(index * _HOP * factor)
        region = padded[start : start + _WINDOW + 2 * _SEARCH]
        shift = int(np.argmax(np.correlate(region, wanted, "valid"))) if index else _SEARCH
        piece = region[shift : shift + _WINDOW]
        out[index * _HOP : index * _HOP + _WINDOW] += piece * _HANN
        place = start + shift + _HOP
        wanted = padded[place : place + _WINDOW]
    return out


def coloured(samples: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Through a random smooth filter of +-6 dB, one time in four also without what lies above 3 to 6 kHz: a microphone."""
    spectrum = np.fft.rfft(samples)
    hertz = np.linspace(0.0, _RATE / 2, spectrum.size)
    knots = np.asarray([60.0, 200.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0])
    gain = np.interp(np.log(np.maximum(hertz, 60.0)), np.log(knots), rng.normal(0.0, 3.0, knots.size).clip(-6.0, 6.0))
    if rng.random() < 0.25:
        edge = rng.uniform(3000.0, 6000.0)
        gain = gain - 40.0 * np.clip(np.log2(np.maximum(hertz, 1.0) / edge) * 2.0, 0.0, 1.0)
    return np.asarray(np.fft.irfft(spectrum * 10.0 ** (gain / 20.0), samples.size), dtype=np.float32)


def another(item: Spoken, rng: np.random.Generator, spread: float = 1.0) -> Spoken:
    """`item` as another speaker might have said it, cut to 0.35 s around the word.

    Playing it at another rate moves pitch and formants together (up to 3 semitones at spread 1), then the tempo is set
    apart from that (0.78 to 1.28).
    """
    first = max(0, item.start - _MARGIN)
    return whole(Spoken(item.samples[first : item.end + _MARGIN], item.start - first, item.end - first), rng, spread)


def whole(item: Spoken, rng: np.random.Generator, spread: float = 1.0) -> Spoken:
    """The same of all of `item`, what is said before and after the word included."""
    samples, start, end = item.samples.astype(np.float32), item.start, item.end
    rate = 2.0 ** (spread * rng.uniform(-3.0, 3.0) / 12.0)
    speed = 2.0 ** (spread * rng.uniform(-0.36, 0.36))
    samples = np.asarray(soxr.resample(samples, _RATE * rate, _RATE), dtype=np.float32)
    samples = coloured(tempo(samples, speed / rate), rng)
    scale = np.float32(min(1.0, 32_000.0 / max(1.0, float(np.abs(samples).max()))))
    last = samples.size
    return Spoken(
        np.asarray(samples * scale, dtype=np.int16), min(last, round(start / speed)), min(last, round(end / speed))
    )


def altered(items: list[Spoken], copies: int, seed: int) -> list[Spoken]:
    """`copies` other speakers of each item, besides the item itself."""
    rng = np.random.default_rng(seed)
    return [other for item in items for other in (item, *(another(item, rng) for _ in range(copies)))]


def altered_clips(clips: list[Clip], copies: int, seed: int) -> list[Clip]:
    """The same for clips without a keyword."""
    rng = np.random.default_rng(seed)
    return [
        other
        for clip in clips
        for other in (clip, *(another(Spoken(clip, 0, clip.size), rng).samples for _ in range(copies)))
    ]
