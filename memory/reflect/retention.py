"""Whose time is over: the ids that go because nobody has needed them for as long as their kind is kept. Pure.

Preferences and cold memory are kept by use: each use begins their time anew and stretches it, and what does not fade
(`memory.recall.strength`) stays. What was said word for word is kept for so many days and no longer, whatever it is
used for, unless the driver asked to have it remembered: that is what the driver was promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo

from pydantic import BaseModel, ConfigDict, Field

from memory.recall.strength import idle, lasting, retention
from schemas.memory import Episode, Preference, Status, Summary, Thought, Trip

OVER = 0.5
"""Retention below which a memory goes: one half-life, so that "kept for a year" means a year without use."""


class RetentionSettings(BaseModel):
    """Days that things are kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation_days: int = Field(default=90, ge=1)
    """What was said word for word (episodes): so long and no longer."""
    thought_days: int = Field(default=365, ge=1)
    """Thoughts and events, from their last use on."""
    summary_days: int = Field(default=365, ge=1)
    """Daily summaries and the times of trips."""


def faded_preferences(preferences: Sequence[Preference], now: datetime) -> tuple[str, ...]:
    """Unused for their category's retention (`schemas.preferences`), stretched by uses; sensitive ones stay.

    History goes when it has been history for as long.
    """
    gone: list[str] = []
    for preference in preferences:
        days = timedelta(days=preference.category.retention_days)
        if preference.status is Status.SUPERSEDED:
            over = preference.valid_to is not None and now - preference.valid_to >= days
        else:
            important = 1.0 if preference.category.sensitive else 0.0
            since = idle(now, preference.valid_from, preference.last_used)
            over = retention(since, days, uses=preference.uses, importance=important) <= OVER
        if over:
            gone.append(preference.id)
    return tuple(gone)


def old_episodes(episodes: Sequence[Episode], now: datetime, settings: RetentionSettings) -> tuple[str, ...]:
    """Older than conversations are kept; what the driver asked to have remembered stays."""
    days = timedelta(days=settings.conversation_days)
    return tuple(e.id for e in episodes if now - e.at >= days and not lasting(e.importance))


def faded_thoughts(thoughts: Sequence[Thought], now: datetime, settings: RetentionSettings) -> tuple[str, ...]:
    """Unused for as long as thoughts are kept, stretched by uses."""
    days = timedelta(days=settings.thought_days)
    return tuple(
        t.id for t in thoughts
        if retention(idle(now, t.at, t.last_used), days, uses=t.uses, importance=t.importance) <= OVER
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
