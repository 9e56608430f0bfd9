"""Which memories go when there are more than fit: those least used lately, or those furthest from what is asked lately.

Both rules are pure functions from what is stored to the ids that stay; the comparison is ``glovebox bench pruning``. What does
not fade (`memory.strength.lasting`) stays whatever the rule, as far as there is room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory.strength import lasting


class Prune(StrEnum):
    """The rule."""

    RELEVANCE = "relevance"
    LRU = "lru"


class PruningSettings(BaseModel):
    """When and by which rule."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Prune = Prune.LRU
    capacity: int = Field(default=5_000, ge=1)
    """Episodes that a vault holds at most."""
    queries: int = Field(default=64, ge=1)
    """Recent queries that relevance goes by; the ring's length."""
    nearest: int = Field(default=3, ge=1)
    """Of those the nearest so many count: a memory that serves one interest is not worse for not serving the others."""
    fresh: float = Field(default=0.1, ge=0.0, le=1.0)
    """Weight of how recently it was touched beside relevance: what is new was not asked for yet."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the rules go by."""

    id: str
    touched: datetime
    """When it was said or used last."""
    importance: float = 0.0
    uses: int = 0


def kept(
    memories: Sequence[Held],
    vectors: Mapping[str, NDArray[np.float32]],
    queries: NDArray[np.float32],
    settings: PruningSettings,
) -> frozenset[str]:
    """The ids that stay.

    Args:
        memories: all that are stored.
        vectors: unit vectors by id; one without is as far from everything as can be.
        queries: unit vectors of the last queries, shape (n, dimension); with none of them relevance is recency.
        settings: capacity and rule.
    """
    if len(memories) <= settings.capacity:
        return frozenset(m.id for m in memories)
    worth = recency(memories)
    if settings.rule is Prune.RELEVANCE and len(queries):
        worth = (1.0 - settings.fresh) * relevance(
            memories, vectors, queries, settings.nearest
        ) + settings.fresh * worth
    last = np.array([lasting(m.importance, m.uses) for m in memories])
    order = sorted(range(len(memories)), key=lambda row: (not last[row], -float(worth[row]), memories[row].id))
    return frozenset(memories[row].id for row in order[: settings.capacity])


def recency(memories: Sequence[Held]) -> NDArray[np.float64]:
    """0..1 by the order in which they were touched: 1 for the last; those touched at once are alike."""
    times = np.array([m.touched.timestamp() for m in memories])
    distinct = np.unique(times)
    return np.searchsorted(distinct, times) / max(len(distinct) - 1, 1)


def relevance(
    memories: Sequence[Held], vectors: Mapping[str, NDArray[np.float32]], queries: NDArray[np.float32], nearest: int
) -> NDArray[np.float64]:
    """Mean cosine to the nearest of the queries, at least 0; shape (len(memories),)."""
    nothing = np.zeros(queries.shape[1], np.float32)
    table = np.stack([vectors.get(m.id, nothing) for m in memories])
    near = np.sort(table @ queries.T, axis=1)[:, -nearest:]
    return np.maximum(near.mean(axis=1), 0.0).astype(np.float64)
