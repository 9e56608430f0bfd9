"""Chimes: short sounds that say what words would take too long to say.

Owns: their shape. Does not own when they sound. Made from numbers, so there is no file and no licence to carry.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

from schemas.events import SAMPLE_RATE, Samples

Earcon = Literal["listening", "done", "error"]

_PEAK = 0.25
"""Full scale is 1: 12 dB under it, below a voice that peaks near 0 dB, so that a chime does not startle."""
_NOTES: dict[Earcon, tuple[tuple[float, float], ...]] = {
    # Hz, seconds. Rising: your turn; falling fifth: settled; a low repeated note: no.
    "listening": ((660.0, 0.07), (880.0, 0.11)),
    "done": ((880.0, 0.07), (587.0, 0.13)),
    "error": ((220.0, 0.12), (0.0, 0.05), (220.0, 0.16)),
}


@cache
def chime(name: Earcon) -> Samples:
    """The chime: mono int16 at 16 kHz, 0.18 to 0.33 s, read-only, silent at both ends.

    Raises:
        ValueError: No chime of that name.
    """
    if name not in _NOTES:
        raise ValueError(f"no chime {name!r}; there are {', '.join(_NOTES)}")
    sound = np.concatenate([_note(hertz, seconds) for hertz, seconds in _NOTES[name]])
    samples = np.rint(sound * _PEAK * 32767.0).astype(np.int16)
    samples.flags.writeable = False
    return samples


def _note(hertz: float, seconds: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A tone with a second harmonic; 5 ms in, dying away, 5 ms out, so that nothing clicks."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    tone = 0.8 * np.sin(2.0 * np.pi * hertz * time) + 0.2 * np.sin(4.0 * np.pi * hertz * time)
    edge = np.minimum(1.0, np.minimum(time, time[::-1]) / 0.005)
    return tone * edge * np.exp(-time / (0.6 * seconds))
