"""Recall: which stored preferences matter for what was asked.

Owns the vectors and the held copies of active preferences, both in memory only and rebuilt from the vault when it is
opened. Two questions, two measures: *whether* a preference matters is told by how near it and its category are to the query,
below a threshold nothing is recalled, which is the usual case; *which* matter most is told by that and by what the query is
about. Both are multiplied by decay and importance.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory.index import VectorIndex, index_for
from schemas.memory import Preference, Recollection
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL, CATEGORIES, SUB_TITLES, Category

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
    about_weight: float = Field(default=0.7, ge=0.0)
    """Weight, in the order of what is recalled, of what the query is about: its share of the category,"""
    around_weight: float = Field(default=0.3, ge=0.0)
    """and of the sub category, each on a scale of logarithms."""
    importance_floor: float = Field(default=0.5, ge=0.0, le=1.0)
    """What the importance of a preference is made of that was learnt with no confidence at all."""
    reinforcement: float = Field(default=0.5, ge=0.0)
    """How much each doubling of uses stretches the half-life."""
    threshold: float = Field(default=0.27, ge=0.0, le=1.0)
    """Score below which nothing is recalled: keeps .77 of those 500 and lets one in nine of KVRET's drivers' turns recall
    something from a store of ten."""
    threshold_within: float = Field(default=0.1, ge=0.0, le=1.0)
    """The same when the caller has named the categories and so judged already that they matter: their part of the similarity
    is then 1, and only what has long decayed stays below."""


class Retriever:
    """The searchable copy of a driver's active preferences."""

    def __init__(self, encoder: Encoder, settings: RetrievalSettings | None = None) -> None:
        """An empty one; `load` fills it."""
        self.settings = settings or RetrievalSettings()
        self._encoder = encoder
        self._held: dict[str, Preference] = {}
        self._index: VectorIndex = index_for(0, encoder.dimension)
        self._categories: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """How many preferences are held."""
        return len(self._held)

    def load(self, preferences: Sequence[Preference]) -> None:
        """Hold exactly these preferences."""
        self._held = {p.id: p for p in preferences}
        self._index = index_for(len(preferences), self._encoder.dimension)
        if preferences:
            for preference, vector in zip(
                preferences, self._encoder.encode([enriched(p) for p in preferences]), strict=True
            ):
                self._index.add(preference.id, vector)

    def put(self, preferences: Iterable[Preference]) -> None:
        """Hold these as they are now."""
        fresh = list(preferences)
        changed = [p for p in fresh if p.id not in self._index or enriched(self._held[p.id]) != enriched(p)]
        self._held.update((p.id, p) for p in fresh)
        if changed:
            for preference, vector in zip(changed, self._encoder.encode([enriched(p) for p in changed]), strict=True):
                self._index.add(preference.id, vector)

    def drop(self, ids: Iterable[str]) -> None:
        """Hold these no more; unknown ids are ignored."""
        gone = [name for name in ids if name in self._held]
        if len(gone) > len(self._held) // 4:  # taking so many out of a graph costs more than building it anew
            dropped = set(gone)
            self.load([p for p in self._held.values() if p.id not in dropped])
            return
        for name in gone:
            del self._held[name]
            self._index.remove(name)

    def holds(self, ids: Iterable[str], texts: Collection[str] = ()) -> bool:
        """Whether anything is left of these ids, or of these texts in what is held: what an erasure is checked against."""
        if any(name in self._held or name in self._index for name in ids):
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
        allowed = {p.id for p in self._held.values() if p.detail not in hidden and (not details or p.detail in details)}
        if not allowed or not query.strip():
            return ()
        vector = self._encoder.encode([query])[0]
        topics = self._encoder.topics(query)
        among = None if len(allowed) == len(self._held) else allowed
        closeness = dict(zip((c.detail for c in CATEGORIES), self._category_vectors() @ vector, strict=True))
        about = _about(topics)
        found: list[Recollection] = []
        least = self.settings.threshold_within if details else self.settings.threshold
        for name, similarity in self._index.search(vector, max(POOL, limit), among):
            preference = self._held[name]
            detail = preference.detail
            near = self._near(
                similarity, *((1.0, 1.0) if details else (float(closeness[detail]), topics.get(detail, 0.0)))
            )
            kept = decay(preference, now, self.settings) * importance(preference, self.settings)
            if min(1.0, near * kept) >= least:
                fits = near if details else self._ordered(near, *about[detail])
                found.append(Recollection(preference=preference, score=min(1.0, fits * kept)))
        found.sort(key=lambda r: -r.score)
        return tuple(found[:limit])

    def _near(self, similarity: float, closeness: float, topic: float) -> float:
        """How near a preference is to the query, 0..1, by its own and its category's similarity and topic probability."""
        settings = self.settings
        near = max(similarity, 0.0) + settings.category_weight * max(closeness, 0.0) + settings.topic_weight * topic
        return near / (1.0 + settings.category_weight + settings.topic_weight)

    def _ordered(self, near: float, about: float, around: float) -> float:
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


def decay(preference: Preference, now: datetime, settings: RetrievalSettings) -> float:
    """Retention, 0..1: halves over the category's retention time without use; the more uses the slower.

    An exponential in time over strength, as in MemoryBank's paper (arXiv 2305.10250: exp(-t/S)), not as in its code, where a
    stronger memory fades faster. Sensitive preferences (allergies, an accessible space) do not decay; a clock that was set
    back does not either.
    """
    if preference.category.sensitive:
        return 1.0
    last = max(preference.last_used or preference.valid_from, preference.valid_from)
    idle = max((now - last).total_seconds(), 0.0) / 86_400.0
    half_life = BY_DETAIL[preference.detail].retention_days * (
        1.0 + settings.reinforcement * math.log2(1 + preference.uses)
    )
    return 0.5 ** (idle / half_life)


def importance(preference: Preference, settings: RetrievalSettings) -> float:
    """0..1: how surely it was learnt; every further time it was said halves the doubt."""
    doubt = (1.0 - settings.importance_floor) * (1.0 - preference.confidence)
    return 1.0 - doubt * 0.5 ** max(len(preference.sentences) - 1, 0)
