"""A fake encoder: hashed bags of words. For tests only; it knows words, not meanings."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from schemas.actions import ACTIONS
from schemas.memory import Words
from schemas.preferences import BY_DETAIL, CATEGORIES

NONE = "none"
SHARPNESS = 20.0
"""Softmax factor of word overlap; our choice: one telling word in a short sentence gives about a half."""
COMMON = 4
"""A word of more labels than this tells nothing; our choice."""
BACKGROUND = 0.12
"""Overlap that ``none`` counts as having; our choice: a text without a telling word is none."""


class FakeEncoder:
    """`schemas.ports.Encoder` without a model: a text is as near to a label as they have words in common."""

    def __init__(self, dimension: int = 256, *, topics: Mapping[str, str] | None = None) -> None:
        """Labels described by the schemas' own words.

        Args:
            dimension: length of the vectors.
            topics: more words for detail keys, by detail key.
        """
        self.dimension = dimension
        more = topics or {}
        self._topics = _telling({
            c.detail: f"{c.detail} {c.title} {c.description} {' '.join(c.examples)} {more.get(c.detail, '')}"
            for c in CATEGORIES
        })  # fmt: skip
        self._requests = _telling({action.name: f"{action.name} {action.description}" for action in ACTIONS})

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension): hashed counts of words."""
        return np.array([_hashed(text, self.dimension) for text in texts], np.float32).reshape(-1, self.dimension)

    def topics(self, text: str) -> dict[str, float]:
        """Word overlap with every category, as probabilities that sum to 1 with ``none``."""
        return self._scores(text, self._topics)

    def strength(self, text: str) -> dict[str, float]:
        """What is not ``none`` is stated."""
        nothing = self.topics(text)[NONE]
        return {NONE: nothing, "hinted": 0.0, "stated": 1.0 - nothing, "ended": 0.0}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """The category's examples that stand in the text, the longest first."""
        plain = f" {' '.join(_words(text))} "
        found = (example for example in BY_DETAIL[detail].examples if f" {' '.join(_words(example))} " in plain)
        return tuple(Words(text=example, probability=1.0) for example in sorted(found, key=len, reverse=True))

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Cannot tell."""
        del text, detail
        return {}

    def requests(self, text: str) -> dict[str, float]:
        """Word overlap with every action, as probabilities that sum to 1 with ``none``."""
        return self._scores(text, self._requests)

    def _scores(self, text: str, labels: Mapping[str, frozenset[str]]) -> dict[str, float]:
        own = set(_words(text))
        overlap = [len(own & words) / math.sqrt(len(own) * len(words) or 1) for words in labels.values()]
        odds = np.exp(SHARPNESS * np.array([*overlap, BACKGROUND]))
        return dict(zip([*labels, NONE], (odds / odds.sum()).tolist(), strict=True))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+|\d+", text.lower().replace("_", " "))


def _telling(labels: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The labels' words without those that many labels have."""
    counts = Counter(word for text in labels.values() for word in set(_words(text)))
    return {label: frozenset(w for w in _words(text) if counts[w] <= COMMON) for label, text in labels.items()}


@lru_cache(maxsize=1024)
def _hashed(text: str, dimension: int) -> NDArray[np.float32]:
    vector = np.zeros(dimension, np.float32)
    for word in _words(text) or [""]:
        vector[zlib.crc32(word.encode()) % dimension] += 1.0
    return vector / np.float32(np.linalg.norm(vector))
