"""Which memories go when there are more than fit: those least used lately, or those furthest from what is asked lately.

Both rules are pure functions from what is stored to the ids that stay; the comparison is ``glovebox bench pruning``. What does
not fade (`memory.recall.strength.lasting`) stays whatever the rule, as far as there is room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory.recall.strength import lasting


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
    nearest: int = Field(default=1, ge=1)
    """Memories nearest to a query that get credit for it. Being near is not enough: with the mean cosine to recent queries in its
    place, ten copies of one answer crowd out everything else, and forgetting at random is better (docs/log.md)."""
    fresh: float = Field(default=0.5, ge=0.0, le=1.0)
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
    """0..1: for how many of the queries a memory is the nearest, on a scale of logarithms; shape (len(memories),).

    The second nearest gets half the credit, the third a third, down to the ``nearest``-th.
    """
    nothing = np.zeros(queries.shape[1], np.float32)
    near = np.stack([vectors.get(m.id, nothing) for m in memories]) @ queries.T
    credit = np.zeros(len(memories))
    count = min(nearest, len(memories))
    best = np.argpartition(-near, count - 1, axis=0)[:count]
    for column in range(queries.shape[0]):
        rows = best[:, column]
        rows = rows[np.argsort(-near[rows, column], kind="stable")]
        credit[rows] += 1.0 / np.arange(1, count + 1)
    return np.log1p(9.0 * credit / max(float(credit.max()), 1e-9)) / np.log(10.0)
