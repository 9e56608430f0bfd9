"""Moments and stretches of time as they are said aloud, and as the driver names them; in the driver's zone.

"today at 9:15", "on Tuesday at 9:15", "on 3 March"; and "yesterday", "on this trip" as periods.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from models.text import MONTHS, WEEKDAYS
from schemas.memory import ENDLESS, Period

SAID = {
    "today": "today",
    "yesterday": "yesterday",
    "trip": "on this trip",
    "week": "this week",
    "last_week": "last week",
    "morning": "this morning",
    "hour": "in the last hour",
    "minutes": "in the last ten minutes",
}
"""Periods of the command grammar (models/commands/lists.yaml), as they are named in a reply."""


def spoken_moment(moment: datetime, now: datetime, zone: tzinfo) -> str:
    """A moment that has been, the vaguer the longer ago."""
    local, today = moment.astimezone(zone), now.astimezone(zone)
    days = (today.date() - local.date()).days
    clock = f"at {local.hour}:{local.minute:02d}"
    if days <= 0:
        return f"today {clock}"
    if days == 1:
        return f"yesterday {clock}"
    if days < 7:
        return f"on {WEEKDAYS[local.weekday()]} {clock}"
    day = f"on {local.day} {MONTHS[local.month - 1]}"
    return day if local.year == today.year else f"{day} {local.year}"


def period(name: str, now: datetime, zone: tzinfo, trip: datetime) -> Period:
    """A period of the command grammar.

    Args:
        name: a key of `SAID`.
        now: current time.
        zone: whose midnight begins a day.
        trip: when this trip began.

    Raises:
        KeyError: no such period.
    """
    local = now.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - timedelta(days=local.weekday())
    since, until = {
        "today": (midnight, None),
        "yesterday": (midnight - timedelta(days=1), midnight),
        "trip": (trip, None),
        "week": (monday, None),
        "last_week": (monday - timedelta(days=7), monday),
        "morning": (midnight + timedelta(hours=4), midnight + timedelta(hours=12)),
        "hour": (now - timedelta(hours=1), None),
        "minutes": (now - timedelta(minutes=10), None),
    }[name]
    return Period(since=since, until=until, words=SAID[name])


def pause_end(span: int | str, now: datetime, zone: tzinfo) -> datetime:
    """When a pause of so many minutes, until ``tomorrow`` or for ``always`` ends."""
    if span == "always":
        return ENDLESS
    if span == "tomorrow":
        local = now.astimezone(zone)
        return (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return now + timedelta(minutes=float(span))


def spoken_span(span: int | str) -> str:
    """How long, in words: ``for an hour``, ``until tomorrow``, ``until you say: learn again``."""
    if span == "always":
        return "until you say: learn again"
    if span == "tomorrow":
        return "until tomorrow"
    minutes = int(span)
    for length, one, many in ((10080, "a week", "weeks"), (1440, "a day", "days"), (60, "an hour", "hours")):
        if minutes % length == 0:
            return f"for {one}" if minutes == length else f"for {minutes // length} {many}"
    return "for half an hour" if minutes == 30 else f"for {minutes} minutes"
