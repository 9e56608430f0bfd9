"""A fake VAD for tests: it takes whatever is loud for speech. Owns no model."""

from __future__ import annotations

import numpy as np

from schemas.events import FRAME, Samples


class FakeVad:
    """Calls every loud frame speech; meets `schemas.ports.Vad`."""

    def __init__(self, rms: float = 300.0) -> None:
        """Call a frame speech when its RMS, in int16 units, is above `rms`."""
        self._rms = rms

    def process(self, frame: Samples) -> float:
        """1.0 for a loud frame, else 0.0."""
        if frame.shape != (FRAME,):
            raise ValueError(f"the fake VAD takes frames of {FRAME} samples, got shape {frame.shape}")
        return float(np.sqrt(np.mean(frame.astype(np.float64) ** 2)) > self._rms)

    def reset(self) -> None:
        """There is nothing to forget."""
