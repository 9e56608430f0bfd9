"""How memories fade, what does not fade, and what they weigh: every formula of forgetting, for search and for letting go. Pure.

The curve is MemoryBank's (arXiv 2305.10250): exponential in the time since a memory was last used, over its strength, exp(-t/S),
written here with half-lives. It follows the paper and not its released code, where a stronger memory fades faster (a test rules
that out). Uses strengthen: every doubling of them stretches the half-life. What is important enough, or used often, never fades.

`memory.recall.cache` multiplies the score of what is found by `retention` and weight; `memory.reflect.retention` lets go of what
`retention` leaves less than half of, and, when there is no room, of what was least used lately (LRU) or is worth least for recent
questions (`relevance`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from schemas.memory import Kind
from schemas.preferences import Category

NEVER = math.inf
"""The half-life of what does not fade."""
HALF_LIVES: dict[Kind, float] = {
    Kind.EPISODE: 730.0, Kind.THOUGHT: 730.0, Kind.EVENT: 1460.0, Kind.SUMMARY: 1460.0, Kind.PROFILE: NEVER,
    Kind.FACT: NEVER,
}  # fmt: skip
"""Days, in search; a preference has its category's retention time. Our choices, and long, since what is asked for may be old: on
LoCoMo's dialogues, half a year to a year long, a shorter half-life only costs (docs/log.md)."""
REINFORCEMENT = 0.5
"""How much each doubling of uses stretches a half-life. Our choice."""

LASTING_FROM = 0.8
"""Importance from which on a memory does not fade: only what the driver asked to have remembered and what can harm (allergies and
the like) reaches it. Our choice."""
MOST = 0.75
"""Importance that a memory reaches at most by anything else."""
LASTING_USES = 16
"""Uses from which on a memory does not fade: in about four months of weekly use. Our choice."""

TIER_FLOOR = 0.9
"""What a memory of no importance weighs in search; of full importance it is 1. Our choice."""
DOUBT_FLOOR = 0.5
"""What a preference weighs in search that was learnt with no confidence at all. Our choice."""

_DAY = 86_400.0


@overload
def retention(idle: float, half_life: float) -> float: ...
@overload
def retention(idle: NDArray[np.float64], half_life: NDArray[np.floating] | float) -> NDArray[np.float64]: ...
def retention(idle: Any, half_life: Any) -> Any:
    """What is left of a memory, 0..1.

    Args:
        idle: days since it was said or used last; a clock that was set back counts as no time.
        half_life: days after which half is left (`half_life`, `NEVER`), positive.
    """
    return 0.5 ** (np.maximum(idle, 0.0) / half_life)


def half_life(days: float, uses: int = 0, importance: float = 0.0) -> float:
    """Days after which half is left.

    Args:
        days: the same for a memory that was never used, positive.
        uses: how often it was used.
        importance: 0..1.
    """
    return NEVER if lasting(importance, uses) else days * (1.0 + REINFORCEMENT * math.log2(1 + uses))


def lasting(importance: float, uses: int = 0) -> bool:
    """Whether a memory does not fade."""
    return importance >= LASTING_FROM or uses >= LASTING_USES


def preference_half_life(category: Category, uses: int) -> float:
    """Days for a preference; sensitive ones (allergies, an accessible space) do not fade."""
    return half_life(category.retention_days, uses, 1.0 if category.sensitive else 0.0)


def idle(now: datetime, said: datetime, used: datetime | None) -> float:
    """Days for which a memory has not been touched."""
    return (now - max(said, used or said)).total_seconds() / _DAY


def tier_weight(importance: float) -> float:
    """What importance makes of the score of a memory of the tiers, `TIER_FLOOR` to 1."""
    return TIER_FLOOR + (1.0 - TIER_FLOOR) * importance


def preference_weight(confidence: float, sentences: int) -> float:
    """How surely a preference was learnt, `DOUBT_FLOOR` to 1; every further time it was said halves the doubt."""
    return 1.0 - (1.0 - DOUBT_FLOOR) * (1.0 - confidence) * 0.5 ** max(sentences - 1, 0)


def recency(touched: Sequence[datetime]) -> NDArray[np.float64]:
    """0..1 by the order in which memories were touched, for LRU: 1 for the last; those touched at once are alike."""
    times = np.array([one.timestamp() for one in touched])
    distinct = np.unique(times)
    return np.searchsorted(distinct, times) / max(len(distinct) - 1, 1)


def relevance(
    ids: Sequence[str], vectors: Mapping[str, NDArray[np.float32]], queries: NDArray[np.float32], nearest: int
) -> NDArray[np.float64]:
    """0..1: for how many recent questions a memory is the nearest, on a scale of logarithms; shape (len(ids),).

    The second nearest gets half the credit, the third a third, down to the ``nearest``-th. Being near is not enough: with the mean
    cosine to recent questions in its place, ten copies of one answer crowd out everything else, and forgetting at random is better
    (docs/log.md).

    Args:
        ids: at least one memory.
        vectors: unit vectors by id; a memory without one is as far from everything as can be.
        queries: unit vectors, shape (n, dimension), n at least 1.
        nearest: how many memories a question gives credit to.
    """
    nothing = np.zeros(queries.shape[1], np.float32)
    near = np.stack([vectors.get(name, nothing) for name in ids]) @ queries.T
    credit = np.zeros(len(ids))
    count = min(nearest, len(ids))
    best = np.argpartition(-near, count - 1, axis=0)[:count]
    for column in range(queries.shape[0]):
        rows = best[:, column]
        rows = rows[np.argsort(-near[rows, column], kind="stable")]
        credit[rows] += 1.0 / np.arange(1, count + 1)
    return np.log1p(9.0 * credit / max(float(credit.max()), 1e-9)) / np.log(10.0)
