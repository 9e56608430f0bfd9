"""Day or night colours: what was chosen on the page, else what the vehicle says, else the time of day."""

from __future__ import annotations

from datetime import datetime

DAY_HOURS = range(7, 19)
"""Hours of local time that count as day where no vehicle tells: between the sunrises and sunsets of a year at 50 degrees north."""
LOOKS = ("auto", "light", "dark")
"""What may be chosen; the first is what holds before anything is."""


def chosen(cookie: str | None) -> str:
    """What a browser was told, by its cookie."""
    return cookie if cookie in LOOKS else LOOKS[0]


def look(told: str, bright: bool | None, now: datetime) -> str:
    """``light`` or ``dark``.

    Args:
        told: what the page was told, one of ``LOOKS``.
        bright: whether the vehicle finds it bright outside, or was told to show day colours; None: it does not say.
        now: local time.
    """
    if told != LOOKS[0]:
        return told
    if bright is None:
        bright = now.hour in DAY_HOURS
    return "light" if bright else "dark"
