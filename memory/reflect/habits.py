"""Habits: at which times of the week a preference is used again and again. Pure.

A habit is certain enough to be spoken of if there is enough of it: so many days, nearly every time that it might
have been, and hardly ever at another time. Its evidence are the uses that the vault keeps with a preference: when, for what
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from memory.reflect.induction import WEEKDAYS, daytime
from models.text import WEEKDAYS as NAMES
from schemas.manners import Habit
from schemas.memory import Preference

WEEKS = 3
"""Weeks in which it was so on that day of the week, where it is so on one day a week. This and the following: our choices, since a
wrong "you usually" costs more than a habit that is not spoken of."""
WORKDAYS = 5
"""Working days on which it was so, where it is so on each of them at one part of the day."""
SHARE = 0.75
"""Share of the days on which it might have been, from the first on, on which it was."""
ALONE = 0.75
"""Share of all days of use that lie in it."""


def habits(
    uses: Iterable[tuple[Preference, Sequence[tuple[datetime, str]]]],
    now: datetime,
    zone: tzinfo,
) -> tuple[Habit, ...]:
    """The habits that uses bear out and whose time is now, the most often seen first.

    Args:
        uses: preferences, each with when it was used for which action.
        now: today is left out: what was done today needs no suggestion.
        zone: the driver's.
    """
    found: list[Habit] = []
    for preference, used in uses:
        here = sorted((at.astimezone(zone), action) for at, action in used)
        today, part = now.astimezone(zone).date(), daytime(now, zone)
        if any(at.date() == today for at, _ in here):
            continue
        days = {at.date() for at, _ in here}
        weekly = [(at, action) for at, action in here if at.weekday() == today.weekday()]
        daily = [(at, action) for at, action in here if at.weekday() < 5 and daytime(at, zone) == part]
        times = [_Time(f"on {NAMES[today.weekday()]}s", weekly, _weekly(today), WEEKS)]
        if today.weekday() < 5:
            times.insert(0, _Time(f"{part} {WEEKDAYS}", daily, _workdays(today), WORKDAYS))
        for time in times:
            habit = _certain(preference, time, days)
            if habit is not None:
                found.append(habit)
                break
    return tuple(sorted(found, key=lambda one: (-one.times / one.of, -one.times, one.value)))


@dataclass(frozen=True, slots=True)
class _Time:
    """A time of the week, and what was done then."""

    when: str
    held: Sequence[tuple[datetime, str]]
    possible: Sequence[date]
    """Days on which it might have been, latest first."""
    least: int


def _certain(preference: Preference, time: _Time, days: Collection[date]) -> Habit | None:
    """The habit, if it is certain enough; ``days``: all on which the preference was used."""
    held, possible, least = time.held, time.possible, time.least
    seen = sorted({at.date() for at, _ in held})
    if len(seen) < least or not seen or seen[0] < possible[-1]:
        seen = [day for day in seen if day >= possible[-1]]
    if len(seen) < least or seen[-1] < possible[1]:  # it was not so the last two times
        return None
    might = [day for day in possible if day >= seen[0]]
    if len(seen) < SHARE * len(might) or len(seen) < ALONE * len([d for d in days if d >= seen[0]]):
        return None
    return Habit(
        preference=preference.id,
        detail=preference.detail,
        value=preference.value,
        action=held[-1][1],
        when=time.when,
        times=len(seen),
        of=len(might),
        days=tuple(at for at, _ in held if at.date() in seen),
    )


WEEKS_BACK = 8
"""Weeks that are looked at: what was usual before is no habit any more. Our choice."""


def _weekly(today: date) -> list[date]:
    return [today - timedelta(weeks=week) for week in range(1, WEEKS_BACK + 1)]


def _workdays(today: date) -> list[date]:
    """The working days before today, latest first; two weeks of them, as ``used_for`` keeps twenty uses."""
    return [day for day in (today - timedelta(days=n) for n in range(1, 15)) if day.weekday() < 5]
