"""Whether a sentence of a reply fits what the driver said: by the replies that were taught for words like the driver's.

A reply may be made of taught sentences and have the wrong tone all the same: "Well done!" to a sprained ankle. The sentence encoder
finds the taught exchanges whose words lie nearest to the driver's, and how near the sentence lies to what was replied there.

``exchanges.npz`` has their vectors, written by ``python -m models.training.talk.lines`` with the built-in encoder, and hold for
that one alone. Owns the file's format and the comparison; does not own the wording, nor what is said where a reply does not fit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.acts.sayings import WHEN
from schemas.ports import Encoder

FILE: Final = Path(__file__).with_name("exchanges.npz")
SIZE = 128
"""Numbers of a vector in the file, of the encoder's 384: with all of them the comparison was hardly better."""
NEAREST, FALL = 16, 6.0
"""Exchanges that are asked, and how much less a farther one counts: ``exp(FALL * (cosine - the nearest's))``."""
FITS_AT = 0.11
"""Cosine of a sentence to what was replied there, from which on it is said. Chosen on a part of 244 replies that were marked
by hand; of the others it leaves 2 of 15 wrong and 78 of 105 fitting ones whole, and shortens 11 fitting ones (docs/log.md,
2026-11-23)."""


@dataclass(frozen=True, slots=True)
class Exchanges:
    """What was taught, as vectors."""

    middles: NDArray[np.float32]
    """(2, encoder's dimension): the mean of all that was said, and of all sentences that were replied."""
    directions: NDArray[np.float32]
    """(encoder's dimension, `SIZE`): the directions in which both differ most."""
    said: NDArray[np.float32]
    """(exchanges, `SIZE`): unit vectors of the driver's words."""
    replied: NDArray[np.float32]
    """(sentences, `SIZE`): unit vectors of the replies' sentences, one exchange's after the other's."""
    begins: NDArray[np.int64]
    """(exchanges,): where those of an exchange begin."""
    needs: NDArray[np.bool_]
    """(exchanges, `WHEN`): what has to be given for it."""

    @classmethod
    def of(
        cls,
        said: NDArray[np.float32],
        replied: Sequence[NDArray[np.float32]],
        needs: Sequence[Collection[str]],
    ) -> Exchanges:
        """Of the encoder's vectors.

        Args:
            said: (exchanges, dimension).
            replied: for each exchange its sentences, (sentences, dimension).
            needs: for each exchange what has to be given.
        """
        sentences = np.concatenate(replied)
        middles = np.stack([said.mean(0), sentences.mean(0)])
        directions = np.linalg.svd(np.concatenate([said - middles[0], sentences - middles[1]]), full_matrices=False)[2]
        towards = directions[:SIZE].T.astype(np.float32)
        return cls(
            middles,
            towards,
            _unit((said - middles[0]) @ towards),
            _unit((sentences - middles[1]) @ towards),
            np.cumsum([0, *map(len, replied)])[:-1],
            np.array([[name in some for name in WHEN] for some in needs]),
        )

    def write(self, file: Path = FILE) -> None:
        """Vectors as whole numbers from -127 to 127, the longest number of each being that."""
        np.savez_compressed(
            file,
            middles=self.middles.astype(np.float16),
            directions=self.directions.astype(np.float16),
            said=_whole(self.said),
            replied=_whole(self.replied),
            begins=self.begins.astype(np.int16),
            needs=self.needs,
        )

    @classmethod
    def read(cls, file: Path = FILE) -> Exchanges:
        """As it was written."""
        with np.load(file) as held:
            return cls(
                held["middles"].astype(np.float32),
                held["directions"].astype(np.float32),
                _unit(held["said"].astype(np.float32)),
                _unit(held["replied"].astype(np.float32)),
                held["begins"].astype(np.int64),
                held["needs"],
            )


class Fitting:
    """Compares a reply's sentences with what was taught."""

    def __init__(self, encoder: Encoder) -> None:
        """With the encoder that is built in. The file is read when the first reply is asked for."""
        self._encoder = encoder

    def fits(self, sentence: str, said: str, when: Collection[str]) -> bool:
        """Whether a sentence fits.

        Args:
            sentence: of a reply.
            said: the driver's words.
            when: which of `WHEN` holds.
        """
        return self.score(sentence, said, when) >= FITS_AT

    def score(self, sentence: str, said: str, when: Collection[str]) -> float:
        """The cosine that `FITS_AT` is compared with; arguments as those of `fits`."""
        taught = exchanges()
        vectors = self._encoder.encode([said, sentence])
        if vectors.shape[1] != taught.middles.shape[1]:
            return -1.0
        words, reply = _unit((vectors - taught.middles) @ taught.directions)
        may = ~(taught.needs & [name not in when for name in WHEN]).any(axis=1)
        near = np.where(may, taught.said @ words, -1.0)
        best = np.argsort(-near)[:NEAREST]
        counts = np.exp(FALL * (near[best] - near[best[0]]))
        alike = np.maximum.reduceat(taught.replied @ reply, taught.begins)[best]
        return float(counts @ alike / counts.sum())


def _unit(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    return (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def _whole(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.round(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)


@lru_cache(maxsize=1)
def exchanges() -> Exchanges:
    """Those of the file."""
    return Exchanges.read()
