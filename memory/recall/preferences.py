"""Recall: which stored preferences matter for what was asked.

Owns the score of preferences over the searchable copy (`memory.recall.cache`). Two questions, two measures: *whether* a preference
matters is told by how near it and its category are to the query, below a threshold nothing is recalled, which is the usual
case; *which* matter most is told by that and by what the query is about. Both are multiplied by decay and importance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory.recall.cache import Entry, Shelf, detail_bits
from memory.recall.decay import preference_half_life, preference_weight
from memory.recall.lexical import numbers, stems
from schemas.memory import Kind, Preference, Recollection
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES, SUB_TITLES, Category

POOL = 64
"""Nearest vectors that are scored: decay, importance and the category can change the order among the nearest only."""


class RetrievalSettings(BaseModel):
    """Parameters of the score."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category_weight: float = Field(default=1.0, ge=0.0)
    """Weight of the category's own similarity to the query beside the preference's. hit@n of the 500 questions of CarMem's
    development half with the first built-in encoder: .858 without it and without topics, .870 with .5, .874 with these."""
    topic_weight: float = Field(default=0.5, ge=0.0)
    """Weight of the encoder's topic probability of the category for the query."""
    about_weight: float = Field(default=1.2, ge=0.0)
    """Weight, in the order of what is recalled, of what the query is about: its share of the category,"""
    around_weight: float = Field(default=0.6, ge=0.0)
    """and of the sub category, each on a scale of logarithms. hit@n .926 with .7 and .3, .930 with these and
    with most weights above (the same questions, present encoder)."""
    threshold: float = Field(default=0.27, ge=0.0, le=1.0)
    """Score below which nothing is recalled: keeps .77 of those 500 and lets one in nine of KVRET's drivers' turns recall
    something from a store of ten."""
    threshold_within: float = Field(default=0.1, ge=0.0, le=1.0)
    """The same when the caller has named the categories and so judged already that they matter: their part of the similarity
    is then 1, and only what has long decayed stays below."""


class Source(Protocol):
    """The searchable copy of a vault: `memory.recall.search.Searcher`."""

    shelf: Shelf

    def refresh(self) -> None:
        """Bring the shelf up to what is stored."""
        ...

    def close(self) -> None:
        """Hold nothing any more."""
        ...


class Retriever:
    """Recall of preferences over the searchable copy."""

    def __init__(
        self,
        encoder: Encoder,
        settings: RetrievalSettings | None = None,
        *,
        source: Source | None = None,
        fetch: Callable[[Collection[str]], Sequence[Preference]] | None = None,
    ) -> None:
        """Over a shelf that follows a vault, or with preferences of its own.

        Args:
            encoder: for the query, and for preferences of its own.
            settings: parameters of the score.
            source: the searchable copy of a vault; None: one of its own, filled by `load` and `put`.
            fetch: stored preferences by id; given together with a source.
        """
        self.settings = settings or RetrievalSettings()
        self._encoder = encoder
        self._shelf = Shelf(encoder.dimension) if source is None else source.shelf
        self._source, self._fetch = source, fetch
        self._held: dict[str, Preference] = {}
        self._categories: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """How many memories are held."""
        return len(self._shelf)

    def load(self, preferences: Sequence[Preference]) -> None:
        """Hold exactly these preferences; over a vault what is stored, and nothing any more where there are none."""
        if self._source is not None:
            if preferences:
                self._source.refresh()
            else:
                self._source.close()
            return
        self._held.clear()
        self._shelf.clear()
        self.put(preferences)

    def put(self, preferences: Iterable[Preference]) -> None:
        """Hold these as they are now."""
        fresh = list(preferences)
        if self._source is not None:
            self._source.refresh()
            return
        self._held.update((p.id, p) for p in fresh)
        vectors = self._encoder.encode([enriched(p) for p in fresh])
        self._shelf.put([self._entry(p, vector) for p, vector in zip(fresh, vectors, strict=True)])

    def _entry(self, preference: Preference, vector: NDArray[np.float32]) -> Entry:
        since = max(preference.last_used or preference.valid_from, preference.valid_from)
        return Entry(
            id=preference.id,
            kind=Kind.PREFERENCE,
            at=preference.valid_from.timestamp(),
            since=since.timestamp(),
            half_life=preference_half_life(preference.category, preference.uses),
            weight=preference_weight(preference.confidence, len(preference.sentences)),
            vector=vector,
            terms=numbers(stems(enriched(preference))),
            details=detail_bits([preference.detail]),
        )

    def drop(self, ids: Iterable[str]) -> None:
        """Hold these no more; unknown ids are ignored."""
        gone = list(ids)
        if self._source is not None:
            self._source.refresh()
        self._shelf.drop(gone)
        for name in gone:
            self._held.pop(name, None)

    def holds(self, ids: Iterable[str], texts: Collection[str] = ()) -> bool:
        """Whether anything is left of these ids, or of these texts in what is held: what an erasure is checked against."""
        if self._shelf.holds(ids):
            return True
        return any(text in p.sentences for p in self._held.values() for text in texts)

    def search(
        self, query: str, *, details: Collection[str], hidden: Collection[str], limit: int, now: datetime
    ) -> tuple[Recollection, ...]:
        """Preferences that matter for the query, best first.

        Args:
            query: what was asked.
            details: only these detail keys; empty for all.
            hidden: not these detail keys.
            limit: at most so many.
            now: for decay.
        """
        if self._source is not None:
            self._source.refresh()
        with self._shelf.lock:
            scored = self._scored(query, details, hidden, limit, now.timestamp())
        held = {p.id: p for p in self._fetch([name for name, _ in scored])} if self._fetch else self._held
        return tuple(Recollection(preference=held[name], score=score) for name, score in scored if name in held)

    def _scored(
        self, query: str, details: Collection[str], hidden: Collection[str], limit: int, now: float
    ) -> list[tuple[str, float]]:
        shelf, settings = self._shelf, self.settings
        if (details and not detail_bits(details)) or not query.strip():
            return []
        among = shelf.allowed((Kind.PREFERENCE,), details=detail_bits(details), hidden=detail_bits(hidden))
        if not among.any():
            return []
        vector = self._encoder.encode([query])[0]
        topics = self._encoder.topics(query)
        rows = shelf.nearest(vector, max(POOL, limit), among, (Kind.PREFERENCE,))
        similarity = np.maximum(shelf.cosines(vector, rows), 0.0)
        numbers_of = np.log2(shelf.columns["details"][rows].astype(np.float64)).astype(np.int64)
        closeness, topic = np.ones(len(rows)), np.ones(len(rows))
        if not details:
            closeness = np.maximum(self._category_vectors() @ vector, 0.0)[numbers_of]
            topic = np.array([topics.get(c.detail, 0.0) for c in CATEGORIES])[numbers_of]
        near = (similarity + settings.category_weight * closeness + settings.topic_weight * topic) / (
            1.0 + settings.category_weight + settings.topic_weight
        )
        kept = shelf.kept(rows, now)
        fits = near
        if not details:
            about = _about(topics)
            levels = np.array([about[c.detail] for c in CATEGORIES])[numbers_of]
            fits = self._ordered(near, levels[:, 0], levels[:, 1])
        passes = np.minimum(near * kept, 1.0) >= (settings.threshold_within if details else settings.threshold)
        scores = np.minimum(fits * kept, 1.0)
        found = [(shelf.id(int(row)), float(score)) for row, score in zip(rows[passes], scores[passes], strict=True)]
        return sorted(found, key=lambda one: -one[1])[:limit]

    def _ordered(
        self, near: NDArray[np.float64], about: NDArray[np.float64], around: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What the order goes by, 0..1: nearness, and what the query is about."""
        settings = self.settings
        weighed = near + settings.about_weight * about + settings.around_weight * around
        return weighed / (1.0 + settings.about_weight + settings.around_weight)

    def _category_vectors(self) -> NDArray[np.float32]:
        """Unit vectors of all categories, shape (41, dimension)."""
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


def category_words(category: Category) -> str:
    """A category in words, for search."""
    return f"{category.title}, {SUB_TITLES[category.sub].lower()}"


def enriched(preference: Preference) -> str:
    """A preference in words, for search: ``category words: value. sentence.`` (CarMem's enriched text, section 3.4)."""
    head = f"{category_words(preference.category)}: {preference.value}."
    return f"{head} {preference.sentences[-1]}." if preference.sentences else head
