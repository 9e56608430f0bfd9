"""Which memories go: those whose time is over, and, when there are more than fit, those that are worth least. Pure.

Preferences and cold memory are kept by use: each use begins their time anew and stretches it, and what does not fade stays
(`memory.recall.decay`, where the formulas stand). What was said word for word is kept for so many days and no longer, whatever it
is used for, unless the driver asked to have it remembered: that is what the driver was promised. The two rules for want of room
are compared by ``glovebox bench pruning``; what does not fade stays whatever the rule, as far as there is room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from memory.recall import decay
from memory.settings import Prune, RetentionSettings, RoomSettings
from schemas.memory import Episode, Preference, Status, Summary, Thought, Trip

OVER = 0.5
"""What is left of a memory (`memory.recall.decay.retention`) when it goes: one half-life, so that "kept for a year" means a year
without use."""

QUERIES = 64
"""Recent queries that relevance goes by; the ring's length. This and the following are what ``glovebox bench pruning`` goes by."""
NEAREST = 1
"""Memories nearest to a query that get credit for it."""
FRESH = 0.5
"""Weight of how recently it was touched beside relevance: what is new was not asked for yet."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the rules go by."""

    id: str
    touched: datetime
    """When it was said or used last."""
    importance: float = 0.0
    uses: int = 0


def faded_preferences(preferences: Sequence[Preference], now: datetime) -> tuple[str, ...]:
    """Unused for their category's retention (`schemas.preferences`), stretched by uses; sensitive ones stay.

    History goes when it has been history for as long.
    """
    gone: list[str] = []
    for preference in preferences:
        if preference.status is Status.SUPERSEDED:
            days = timedelta(days=preference.category.retention_days)
            over = preference.valid_to is not None and now - preference.valid_to >= days
        else:
            half_life = decay.preference_half_life(preference.category, preference.uses)
            over = decay.retention(decay.idle(now, preference.valid_from, preference.last_used), half_life) <= OVER
        if over:
            gone.append(preference.id)
    return tuple(gone)


def old_episodes(episodes: Sequence[Episode], now: datetime, settings: RetentionSettings) -> tuple[str, ...]:
    """Older than conversations are kept; what the driver asked to have remembered stays."""
    days = timedelta(days=settings.conversation_days)
    return tuple(e.id for e in episodes if now - e.at >= days and not decay.lasting(e.importance))


def faded_thoughts(thoughts: Sequence[Thought], now: datetime, settings: RetentionSettings) -> tuple[str, ...]:
    """Unused for as long as thoughts are kept, stretched by uses."""
    return tuple(
        t.id for t in thoughts
        if decay.retention(
            decay.idle(now, t.at, t.last_used), decay.half_life(settings.thought_days, t.uses, t.importance)
        ) <= OVER
    )  # fmt: skip


def old_summaries(summaries: Sequence[Summary], today: date, settings: RetentionSettings) -> tuple[str, ...]:
    """Of days longer ago than summaries are kept."""
    return tuple(s.id for s in summaries if (today - s.day).days >= settings.summary_days)


def old_trips(trips: Sequence[Trip], now: datetime, zone: tzinfo, settings: RetentionSettings) -> tuple[str, ...]:
    """As long ago; the very first stays, so that "on our first trip" keeps its meaning."""
    today = now.astimezone(zone).date()
    return tuple(
        t.id for t in trips[1:] if (today - t.began_at.astimezone(zone).date()).days >= settings.summary_days
    )  # fmt: skip


def kept(
    memories: Sequence[Held],
    vectors: Mapping[str, NDArray[np.float32]],
    queries: NDArray[np.float32],
    settings: RoomSettings,
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
    worth = decay.recency([m.touched for m in memories])
    if settings.prune is Prune.RELEVANCE and len(queries):
        relevance = decay.relevance([m.id for m in memories], vectors, queries, NEAREST)
        worth = (1.0 - FRESH) * relevance + FRESH * worth
    last = np.array([decay.lasting(m.importance, m.uses) for m in memories])
    order = sorted(range(len(memories)), key=lambda row: (not last[row], -float(worth[row]), memories[row].id))
    return frozenset(memories[row].id for row in order[: settings.capacity])
