"""The acoustic front end of our own small networks: samples to mel energies with per-channel gain control, streaming.

Owns: framing, the mel filter bank, per-channel energy normalisation (PCEN) and their state from chunk to chunk. The same
functions run in training and on the device, so that a network never meets features it was not trained on. Does not own
any network. NumPy only.

PCEN (Wang et al., "Trainable frontend for robust and far-field keyword spotting", ICASSP 2017, equation 1) divides each
band by its own slow average: a steady road noise and the microphone's gain fall out, the onsets of speech stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

FRONT_END = "pcen40-16k-25ms-10ms-v1"
"""Name of this front end with its constants; a network file carries it, and a loader refuses another."""

SAMPLE_RATE = 16_000
WINDOW = 400
"""Samples of a frame: 25 ms."""
HOP = 160
"""Samples from frame to frame: 10 ms."""
BANDS = 40
_FFT = 512
_LOW_HZ, _HIGH_HZ = 80.0, 7600.0
# PCEN's constants as in the paper, section 2 (smoothing 0.025 a frame is a time constant of 0.4 s).
_SMOOTHING = np.float32(0.025)
_ALPHA = np.float32(0.98)
_DELTA = np.float32(2.0)
_ROOT = np.float32(0.5)
_FLOOR = np.float32(1e-5)
"""Energy added before dividing: about the band energy of white noise at -72 dBFS, so that digital silence stays silent."""


def _mel(hertz: float) -> float:
    return 2595.0 * float(np.log10(1.0 + hertz / 700.0))


def mel_bank(warp: float = 1.0) -> Floats:
    """Triangular mel filters, shape (257, 40). `warp` stretches the frequency axis: another length of vocal tract."""
    edges_mel = np.linspace(_mel(_LOW_HZ), _mel(_HIGH_HZ), BANDS + 2)
    edges = np.minimum(700.0 * (10.0 ** (edges_mel / 2595.0) - 1.0) * warp, SAMPLE_RATE / 2.0)
    bins = np.arange(_FFT // 2 + 1) * (SAMPLE_RATE / _FFT)
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    rise = (bins[:, None] - low) / np.maximum(centre - low, 1e-6)
    fall = (high - bins[:, None]) / np.maximum(high - centre, 1e-6)
    return np.asarray(np.maximum(0.0, np.minimum(rise, fall)), dtype=np.float32)


_BANK = mel_bank()
_HANN = np.asarray(np.hanning(WINDOW + 1)[:-1], dtype=np.float32)


def mel_energies(samples: Floats, bank: Floats = _BANK) -> Floats:
    """Mel energies of every whole frame.

    Args:
        samples: Shape (..., n) with n >= 400, full scale 1.0.
        bank: Filters of shape (257, 40).

    Returns:
        Shape (..., 1 + (n - 400) // 160, 40); frame i covers the samples [160 i, 160 i + 400).
    """
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW, axis=-1)[..., ::HOP, :]
    spectrum = np.fft.rfft(frames * _HANN, _FFT)
    power = spectrum.real**2 + spectrum.imag**2
    return np.asarray(power.astype(np.float32, copy=False) @ bank, dtype=np.float32)


def pcen(energies: Floats, average: Floats) -> Floats:
    """Normalise energies band by band, frame after frame.

    Args:
        energies: Shape (..., frames, 40).
        average: Shape (..., 40), the running average before the first frame; it is advanced in place.

    Returns:
        Features of the shape of `energies`.
    """
    averages = np.empty_like(energies)
    keep = np.float32(1.0) - _SMOOTHING
    for index in range(energies.shape[-2]):
        average *= keep
        average += _SMOOTHING * energies[..., index, :]
        averages[..., index, :] = average
    normal = energies * (averages + _FLOOR) ** -_ALPHA
    return np.asarray((normal + _DELTA) ** _ROOT - _DELTA**_ROOT, dtype=np.float32)


class MelStream:
    """Features of a stream that arrives in chunks of any length; equal to those of the whole stream at once."""

    def __init__(self) -> None:
        """Start a stream."""
        self._pending: Floats = np.zeros(0, np.float32)
        self._average: Floats | None = None

    def reset(self) -> None:
        """Forget the stream: the next chunk is the start of another one."""
        self._pending = np.zeros(0, np.float32)
        self._average = None

    def process(self, chunk: NDArray[np.int16]) -> Floats:
        """Take mono 16 kHz samples; return the frames they complete, shape (frames, 40), possibly none."""
        self._pending = np.concatenate([self._pending, chunk.astype(np.float32) * np.float32(1.0 / 32768.0)])
        if self._pending.size < WINDOW:
            return np.zeros((0, BANDS), np.float32)
        energies = mel_energies(self._pending)
        self._pending = self._pending[energies.shape[0] * HOP :]
        average = self._average if self._average is not None else energies[0].copy()
        self._average = average
        return pcen(energies, average)
