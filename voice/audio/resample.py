"""Changing the rate of int16 sound, piece by piece.

Owns: soxr in the one way that gives the same output every time. Its int16 mode dithers (two runs differ in the last bit), so
it works in float32 and rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from schemas.events import Samples


class Resampler:
    """One stream of mono sound from one rate to another; how it is cut into pieces changes nothing."""

    def __init__(self, in_rate: float, out_rate: float) -> None:
        """A stream that begins; rates in Hz."""
        self._soxr: Any = soxr.ResampleStream(in_rate, out_rate, 1, dtype="float32") if in_rate != out_rate else None

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples; those that are ready at the new rate, possibly none."""
        return samples if self._soxr is None else _rounded(self._soxr.resample_chunk(samples.astype(np.float32)))

    def flush(self) -> Samples:
        """The rest of the stream; the next samples begin another."""
        if self._soxr is None:
            return np.zeros(0, np.int16)
        rest = self._soxr.resample_chunk(np.zeros(0, np.float32), last=True)
        self._soxr.clear()
        return _rounded(rest)

    def clear(self) -> None:
        """Forget the stream; the next samples begin another."""
        if self._soxr is not None:
            self._soxr.clear()

    def delay(self) -> float:
        """Samples at the new rate that are held back."""
        return 0.0 if self._soxr is None else float(self._soxr.delay())


def _rounded(sound: NDArray[np.float32]) -> Samples:
    return np.clip(np.rint(sound), -32768, 32767).astype(np.int16)
