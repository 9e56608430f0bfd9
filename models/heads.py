"""A small network over the encoder's states of a text: which kind of sentence it is, the last kind standing for all others.

Owns the form of its file: two layers, with the scaling of the states in the first, and the log odds from which on it is one of the
kinds. ``models.training.heads`` makes such files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.text import spoken
from schemas.ports import Encoder

_WORD = re.compile(r"\S+")

Features = Callable[[Encoder, str], NDArray[np.float32]]
"""What a network goes by: a text -> (numbers,)."""


def states(encoder: Encoder, text: str) -> NDArray[np.float32]:
    """The encoder's mean state of a text and, beside it, the highest of each number among its words, (2 * states,)."""
    said = spoken(text)
    whole, *those = encoder.states(said, [(0, len(said)), *(word.span() for word in _WORD.finditer(said))])
    return np.concatenate([whole, np.max(those, axis=0) if those else whole])


class Head:
    """Tells kinds of sentences."""

    def __init__(self, file: Path, encoder: Encoder, features: Features = states) -> None:
        """From that file, over this encoder; with another one than it was taught on it tells nothing."""
        self._encoder, self._features = encoder, features
        with np.load(file) as held:
            self._held = {name: held[name].astype(np.float32) for name in held.files}

    @property
    def at(self) -> float:
        """The log odds from which on a text is one of the kinds."""
        return float(self._held["at"])

    @property
    def at_word(self) -> float:
        """The same for a text that has a word of the kinds."""
        return float(self._held["at_word"])

    def scores(self, text: str) -> NDArray[np.float32] | None:
        """A number for each kind, (kinds,), the last for all others; None where the encoder is another one."""
        held, features = self._held, self._features(self._encoder, text)
        if features.shape[0] != held["inner"].shape[1]:
            return None
        hidden = np.maximum(held["inner"] @ features + held["inner_bias"], 0.0)
        return held["outer"] @ hidden + held["outer_bias"]

    def odds(self, text: str) -> float | None:
        """Log odds that a text is one of the kinds; None where the encoder is another one."""
        scores = self.scores(text)
        return None if scores is None else float(odds(scores))


def odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log odds of any of the kinds but the last. (..., kinds) -> (...)."""
    return np.logaddexp.reduce(scores[..., :-1], axis=-1) - scores[..., -1]
