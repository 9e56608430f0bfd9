"""PocketSphinx's acoustic front end in NumPy: samples to cepstra, with a place for a network between noise and cepstra.

Owns: pre-emphasis, frames, mel energies, the engine's own noise removal and the cepstra, in streams and for many streams at
once, with the constants of its en-us model (``feat.params``: 25 filters from 130 to 6800 Hz, lifter 22, noise removal on).
Meant to give what the engine's own front end gives (a test compares them), so that features may also come from here. Does not own
the mean normalisation, which the engine does on whatever cepstra it gets, nor the network (``models.runtime.denoiser``).

Sources: ``fe_sigproc.c`` and ``fe_noise.c`` of PocketSphinx 5 (BSD), whose constants the names below repeat.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

SAMPLE_RATE = 16_000
BANDS = 25
COEFFICIENTS = 13
WINDOW = 410
"""Samples of a frame: 25.6 ms."""
HOP = 160
"""Samples from frame to frame: 10 ms."""
_FFT = 512
_LOW_HZ, _HIGH_HZ = 130.0, 6800.0
_EMPHASIS = 0.97
_LIFTER = 22

# fe_noise.c, "Noise supression constants"
_LAMBDA_POWER = 0.7
_LAMBDA_A, _LAMBDA_B = 0.995, 0.5
_LAMBDA_T, _MU_T = 0.85, 0.2
_MAX_GAIN = 20.0
_SMOOTHED = 4
"""Bands to either side over which gains are averaged."""
_LOG_FLOOR = 1e-4


def _bank() -> Doubles:
    """Mel filters, shape (257, 25): triangles of unit area whose corners lie on FFT bins, as the engine rounds them."""
    mel_low, mel_high = (2595.0 * math.log10(1.0 + hertz / 700.0) for hertz in (_LOW_HZ, _HIGH_HZ))
    step, bin_hz = (mel_high - mel_low) / (BANDS + 1), SAMPLE_RATE / _FFT
    corners = [700.0 * (10.0 ** ((mel_low + index * step) / 2595.0) - 1.0) for index in range(BANDS + 2)]
    edges = [int(hertz / bin_hz + 0.5) * bin_hz for hertz in corners]
    hertz = np.arange(_FFT // 2 + 1) * bin_hz
    bank = np.zeros((hertz.size, BANDS))
    for band in range(BANDS):
        low, centre, high = edges[band : band + 3]
        rise, fall = (hertz - low) / (centre - low), (high - hertz) / (high - centre)
        bank[:, band] = np.clip(np.minimum(rise, fall), 0.0, None) * 2.0 / (high - low)
    return bank


_BANK = _bank()
_HAMMING = 0.54 - 0.46 * np.cos(2.0 * np.pi * np.arange(WINDOW) / (WINDOW - 1))
_ANGLES = np.pi / BANDS * np.arange(COEFFICIENTS)[:, None] * (np.arange(BANDS) + 0.5)
_COSINES = (
    np.cos(_ANGLES) * np.sqrt(2.0 / BANDS) * np.where(np.arange(COEFFICIENTS) == 0, math.sqrt(0.5), 1.0)[:, None]
).T
_LIFT = 1.0 + _LIFTER / 2.0 * np.sin(np.arange(COEFFICIENTS) * np.pi / _LIFTER)
_NEAR = (np.abs(np.arange(BANDS)[:, None] - np.arange(BANDS)) <= _SMOOTHED).astype(np.float64)
_NEIGHBOURS: Doubles = _NEAR / _NEAR.sum(axis=0, keepdims=True)


def mel_power(emphasised: Doubles) -> Doubles:
    """Mel energies of every whole frame of pre-emphasised samples (at 16-bit scale): (n,) -> (frames, 25)."""
    if emphasised.size < WINDOW:
        return np.empty((0, BANDS))
    frames = np.lib.stride_tricks.sliding_window_view(emphasised, WINDOW)[::HOP]
    spectrum = np.fft.rfft(frames * _HAMMING, _FFT)
    return (spectrum.real**2 + spectrum.imag**2) @ _BANK


def emphasise(samples: NDArray[np.float64], before: float = 0.0) -> Doubles:
    """The engine's pre-emphasis; ``before`` is the sample before the first."""
    return samples - _EMPHASIS * np.concatenate([[before], samples[:-1]])


def cepstra(power: Doubles) -> Doubles:
    """Liftered cepstra of mel energies: (..., 25) -> (..., 13)."""
    return from_logs(np.log(power + _LOG_FLOOR))


def from_logs(logs: Doubles) -> Doubles:
    """Liftered cepstra of the logarithms of mel energies: (..., 25) -> (..., 13)."""
    return (logs @ _COSINES) * _LIFT


class NoiseRemoval:
    """The engine's noise removal: a floor below each band's power, subtracted, with masking in time. One a stream or batch."""

    def __init__(self) -> None:
        """Start at the next frame."""
        self._begun = False

    def step(self, power: Doubles) -> Doubles:
        """One frame of mel energies of each stream, (..., 25); gives the cleaned energies."""
        if not self._begun:
            self._begun = True
            self._power, self._noise, self._floor = power.copy(), power / _MAX_GAIN, power / _MAX_GAIN
            self._peak = np.zeros_like(power)
        self._power = _LAMBDA_POWER * self._power + (1.0 - _LAMBDA_POWER) * power
        self._noise = _follow(self._power, self._noise)
        signal = np.maximum(self._power - self._noise, 1.0)
        self._floor = _follow(signal, self._floor)
        self._peak *= _LAMBDA_T
        masked = np.where(signal < _LAMBDA_T * self._peak, self._peak * _MU_T, signal)
        self._peak = np.maximum(self._peak, signal)
        kept = np.maximum(masked, self._floor)
        gain = np.clip(kept / np.maximum(self._power, 1e-20), 1.0 / _MAX_GAIN, _MAX_GAIN)
        return power * (gain @ _NEIGHBOURS)


def _follow(level: Doubles, envelope: Doubles) -> Doubles:
    """Up slowly, down quickly."""
    rate = np.where(level >= envelope, _LAMBDA_A, _LAMBDA_B)
    return rate * envelope + (1.0 - rate) * level


class MelPowerStream:
    """Samples in chunks of any size to mel energies, as ``mel_power`` would give them for the whole stream."""

    def __init__(self) -> None:
        """Start a stream."""
        self._kept = np.empty(0)
        self._last = 0.0

    def push(self, samples: NDArray[np.int16]) -> Doubles:
        """The next samples; gives the frames that are complete now, (frames, 25)."""
        if samples.size:
            fresh = samples.astype(np.float64)
            self._kept = np.concatenate([self._kept, emphasise(fresh, self._last)])
            self._last = float(fresh[-1])
        power = mel_power(self._kept)
        self._kept = self._kept[len(power) * HOP :]
        return power
