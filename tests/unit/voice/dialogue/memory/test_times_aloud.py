"""Times of memory aloud: moments, periods, and how long a pause lasts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from voice.dialogue.replies.moments import pause_end, period, spoken_moment, spoken_span

START = datetime(2026, 3, 4, 9, 15, tzinfo=UTC)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(minutes=10), "today at 9:05"),
        (timedelta(hours=10), "yesterday at 23:15"),
        (timedelta(days=2), "on Monday at 9:15"),
        (timedelta(days=6), "on Thursday at 9:15"),
        (timedelta(days=7), "on 25 February"),
        (timedelta(days=100), "on 24 November 2025"),
    ],
)
def test_moments_aloud(ago: timedelta, said: str) -> None:
    assert spoken_moment(START - ago, START, UTC) == said


def test_periods_and_pauses() -> None:
    trip = START - timedelta(minutes=20)
    assert period("trip", START, UTC, trip).since == trip
    yesterday = period("yesterday", START, UTC, trip)
    assert yesterday.since == datetime(2026, 3, 3, tzinfo=UTC) and yesterday.until == datetime(2026, 3, 4, tzinfo=UTC)
    week = period("last_week", START, UTC, trip)
    assert week.since == datetime(2026, 2, 23, tzinfo=UTC) and week.until == datetime(2026, 3, 2, tzinfo=UTC)
    assert pause_end(30, START, UTC) == START + timedelta(minutes=30)
    assert [spoken_span(s) for s in (30, 45, 60, 120, 1440, 2880, 10080, "tomorrow")] == [
        "for half an hour", "for 45 minutes", "for an hour", "for 2 hours", "for a day", "for 2 days", "for a week",
        "until tomorrow",
    ]  # fmt: skip
