"""A small network over the encoder's states of a text: which kind of sentence it is, the last kind standing for all others.

Owns the form of its file: two layers, with the scaling of the states in the first, and the log odds from which on it is one of the
kinds. ``models.training.heads`` makes such files.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.text import spoken
from schemas.ports import Encoder

_WORD = re.compile(r"\S+")


def states(encoder: Encoder, text: str) -> NDArray[np.float32]:
    """The encoder's mean state of a text and, beside it, the highest of each number among its words, (2 * states,)."""
    said = spoken(text)
    whole, *those = encoder.states(said, [(0, len(said)), *(word.span() for word in _WORD.finditer(said))])
    return np.concatenate([whole, np.max(those, axis=0) if those else whole])


class Head:
    """Tells kinds of sentences."""

    def __init__(self, file: Path, encoder: Encoder) -> None:
        """From that file, over this encoder; with another one than it was taught on it tells nothing."""
        self._encoder = encoder
        with np.load(file) as held:
            self._held = {name: held[name].astype(np.float32) for name in held.files}

    @property
    def at(self) -> float:
        """The log odds from which on a text is one of the kinds."""
        return float(self._held["at"])

    def odds(self, text: str) -> float | None:
        """Log odds that a text is one of the kinds; None where the encoder is another one."""
        held, found = self._held, states(self._encoder, text)
        if found.shape[0] != held["inner"].shape[1]:
            return None
        hidden = np.maximum(held["inner"] @ found + held["inner_bias"], 0.0)
        return float(odds(held["outer"] @ hidden + held["outer_bias"]))


def odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log odds of any of the kinds but the last. (..., kinds) -> (...)."""
    return np.logaddexp.reduce(scores[..., :-1], axis=-1) - scores[..., -1]
