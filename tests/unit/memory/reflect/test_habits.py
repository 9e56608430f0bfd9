"""When something is a habit, and when it is not certain enough to be spoken of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.reflect.habits import habits
from schemas.memory import Preference

THURSDAY = datetime(2026, 11, 26, 17, 30, tzinfo=UTC)
CHARGES = Preference(
    id="p", detail="preferred_charging_network", value="ionity", sentences=("i charge at ionity",), conversation="c",
    confidence=1.0, valid_from=THURSDAY - timedelta(days=90),
)  # fmt: skip


def found(*days_ago: int, now: datetime = THURSDAY, hour: int = 17) -> list[tuple[str, int, int]]:
    uses = [(now.replace(hour=hour) - timedelta(days=days), "find_place") for days in days_ago]
    return [(h.when, h.times, h.of) for h in habits([(CHARGES, uses)], now, UTC)]


def test_three_thursdays_are_a_habit_on_a_thursday_and_on_no_other_day() -> None:
    assert found(21, 14, 7) == [("on Thursdays", 3, 3)]
    friday = THURSDAY + timedelta(days=1)
    assert not found(22, 15, 8, now=friday)


def test_its_evidence_is_told() -> None:
    uses = [(THURSDAY - timedelta(days=days), "find_place") for days in (28, 21, 7)]
    (habit,) = habits([(CHARGES, uses)], THURSDAY, UTC)
    assert (habit.times, habit.of, habit.days, habit.action) == (
        3,
        4,
        tuple(sorted(at for at, _ in uses)),
        "find_place",
    )


@pytest.mark.parametrize(
    "days_ago",
    [
        (14, 7),  # twice is chance
        (35, 28, 21),  # it was so, and is no longer
        (49, 28, 7),  # seldom
        (21, 14, 7, 20, 19, 13, 12, 6, 5),  # every other day, too
        (21, 14, 7, 0),  # done today already
        (),
    ],
)
def test_what_is_not_certain_is_not_spoken_of(days_ago: tuple[int, ...]) -> None:
    assert not found(*days_ago)


def test_five_workdays_at_one_part_of_the_day_are_a_habit_then_and_not_later() -> None:
    monday = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
    assert found(7, 6, 5, 4, 3, now=monday, hour=8) == [("in the mornings on weekdays", 5, 5)]
    assert not found(7, 6, 5, 4, 3, now=monday.replace(hour=18), hour=8)
    assert not found(6, 5, 4, 3, now=monday, hour=8)
    saturday = monday + timedelta(days=5)
    assert not found(5, 4, 3, 2, 1, now=saturday, hour=8)
