"""Which stored preferences matter for what was asked: the order of `memory.recall.search.HybridSearch.preferences`.

Two questions, two measures: *whether* a preference matters is told by how near it and its category are to the query, below a
threshold nothing is recalled, which is the usual case; *which* matter most is told by that and by what the query is about. Both
are multiplied by decay and importance (`memory.recall.decay`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from memory.recall.cache import SearchCache, detail_bits
from memory.store.searchable import category_words
from schemas.memory import Kind
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES

POOL = 64
"""Nearest vectors that are scored: decay, importance and the category can change the order among the nearest only."""
CATEGORY_WEIGHT = 1.0
"""Weight of the category's own similarity to the query beside the preference's. hit@n of the 500 questions of CarMem's
development half with the first built-in encoder: .858 without it and without topics, .870 with .5, .874 with these."""
TOPIC_WEIGHT = 0.5
"""Weight of the encoder's topic probability of the category for the query."""
ABOUT_WEIGHT = 1.2
"""Weight, in the order of what is recalled, of what the query is about: its share of the category."""
AROUND_WEIGHT = 0.6
"""The same of its share of the sub category, each on a scale of logarithms. hit@n .926 with .7 and .3, .930 with these and
with most weights above (the same questions, present encoder)."""
RECALL_AT = 0.27
"""Score below which nothing is recalled: keeps .77 of those 500 and lets one in nine of KVRET's drivers' turns recall
something from a store of ten."""
WITHIN_AT = 0.1
"""The same when the caller has named the categories and so judged already that they matter: their part of the similarity
is then 1, and only what has long decayed stays below."""


class PreferenceRanker:
    """Orders the preferences of a searchable copy by how much they matter for a query."""

    def __init__(self, encoder: Encoder, recall_at: float = RECALL_AT) -> None:
        """With an encoder for the query and the categories, and the score below which nothing is recalled."""
        self._encoder, self._recall_at = encoder, recall_at
        self._categories: NDArray[np.float32] | None = None

    def ranked(
        self, cache: SearchCache, query: str, *, details: Collection[str], hidden: Collection[str], limit: int, now: float
    ) -> list[tuple[str, float]]:  # fmt: skip
        """Ids of preferences that matter for the query with their scores, 0..1, best first; usually none.

        Args:
            cache: where they are looked for, its lock held.
            query: what was asked.
            details: only these detail keys; empty for all.
            hidden: not these detail keys.
            limit: at most so many.
            now: seconds since 1970, for decay.
        """
        if (details and not detail_bits(details)) or not query.strip():
            return []
        among = cache.allowed((Kind.PREFERENCE,), details=detail_bits(details), hidden=detail_bits(hidden))
        if not among.any():
            return []
        vector = self._encoder.encode([query])[0]
        topics = self._encoder.topics(query)
        rows = cache.nearest(vector, max(POOL, limit), among, (Kind.PREFERENCE,))
        similarity = np.maximum(cache.cosines(vector, rows), 0.0)
        numbers_of = np.log2(cache.columns["details"][rows].astype(np.float64)).astype(np.int64)
        closeness, topic = np.ones(len(rows)), np.ones(len(rows))
        if not details:
            closeness = np.maximum(self._category_vectors() @ vector, 0.0)[numbers_of]
            topic = np.array([topics.get(c.detail, 0.0) for c in CATEGORIES])[numbers_of]
        near = (similarity + CATEGORY_WEIGHT * closeness + TOPIC_WEIGHT * topic) / (
            1.0 + CATEGORY_WEIGHT + TOPIC_WEIGHT
        )
        kept = cache.kept(rows, now)
        fits = near
        if not details:
            about = _about(topics)
            levels = np.array([about[c.detail] for c in CATEGORIES])[numbers_of]
            fits = self._ordered(near, levels[:, 0], levels[:, 1])
        passes = np.minimum(near * kept, 1.0) >= (WITHIN_AT if details else self._recall_at)
        scores = np.minimum(fits * kept, 1.0)
        found = [(cache.id(int(row)), float(score)) for row, score in zip(rows[passes], scores[passes], strict=True)]
        return sorted(found, key=lambda one: -one[1])[:limit]

    def _ordered(
        self, near: NDArray[np.float64], about: NDArray[np.float64], around: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What the order goes by, 0..1: nearness, and what the query is about."""
        weighed = near + ABOUT_WEIGHT * about + AROUND_WEIGHT * around
        return weighed / (1.0 + ABOUT_WEIGHT + AROUND_WEIGHT)

    def _category_vectors(self) -> NDArray[np.float32]:
        """Unit vectors of all categories, shape (categories, dimension)."""
        if self._categories is None:
            self._categories = self._encoder.encode([category_words(c) for c in CATEGORIES])
        return self._categories


def _about(topics: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Detail key -> share of the query that is about the category, and about its sub category, on a scale of logarithms.

    The shares are those of all categories but ``none``: a request that reveals nothing is still about something.
    """
    rest = sum(topics.get(c.detail, 0.0) for c in CATEGORIES) + 1e-12
    share = {c.detail: topics.get(c.detail, 0.0) / rest for c in CATEGORIES}
    subs: dict[str, float] = {}
    for category in CATEGORIES:
        subs[category.sub] = subs.get(category.sub, 0.0) + share[category.detail]
    return {c.detail: (_level(share[c.detail]), _level(subs[c.sub])) for c in CATEGORIES}


def _level(share: float) -> float:
    """0..1: 0 for nothing, 1 for all, a third for every factor of ten."""
    return max(0.0, 1.0 + math.log10(share + 1e-3) / 3.0)
