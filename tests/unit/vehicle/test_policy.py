"""The policy against an independent statement of its rules, over every action and a grid of states.

The statement is ``tests.golden_policy``. ``test_every_change_of_the_table_is_noticed`` then breaks the table in every way it
can and shows that the comparison sees it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from schemas.actions import ACTIONS, BY_NAME, Action, Domain, parse_action
from schemas.events import Motion, VehicleState, Verdict
from tests.golden_policy import ALL_WINDOWS, DRIVING, FREE, GOLDEN, SLOTS, expected, instances, states
from vehicle.gate import rule
from vehicle.policy import (
    ASKING,
    POLICY,
    REFUSING,
    ROWS,
    SPEAKER_ASKS,
    SPEAKER_REFUSED,
    SPEAKERS,
    WET_RIDE_KMH,
    Condition,
    Op,
    Row,
    by_action,
)
from vehicle.signals import SIGNALS


def test_golden_and_table_speak_of_the_same_actions() -> None:
    assert sorted([*GOLDEN, *FREE]) == sorted(POLICY)
    elsewhere = {action.name for action in ACTIONS if action.domain is Domain.MEMORY}
    assert set(POLICY) == {action.name for action in ACTIONS} - elsewhere
    assert len(POLICY) >= 101


@pytest.mark.parametrize("name", [action.name for action in ACTIONS if action.name in POLICY])
def test_every_action_in_every_state_of_the_grid(name: str) -> None:
    for action in instances(name):
        for state in states(name, DRIVING):
            ruling = rule(action, state)
            assert (ruling.verdict, ruling.rule) == expected(action, state), (action.describe(), state)
            assert (ruling.reason == "") == (ruling.verdict is Verdict.ALLOW)
            assert ruling.source


def test_every_action_has_one_base_row_and_it_comes_last() -> None:
    for name, rows in POLICY.items():
        bases = [row for row in rows if not row.when]
        assert bases == [rows[-1]] and bases[0].rule == name
    titles = [row.rule for row in ROWS]
    assert len(set(titles)) == len(titles)


def test_rows_get_stricter_with_motion_and_say_why() -> None:
    order = [Verdict.ALLOW, Verdict.CONFIRM, Verdict.DENY]
    for row in ROWS:
        severities = [order.index(row.verdicts[driving]) for driving in Motion]
        assert severities == sorted(severities), row.rule
        for verdict in set(row.verdicts.values()):
            assert row.reason(verdict) or verdict is Verdict.ALLOW
    asked = {row.rule for row in ROWS if Verdict.CONFIRM in row.verdicts.values()}
    refused = {row.rule for row in ROWS if Verdict.DENY in row.verdicts.values()}
    assert asked == set(ASKING)
    assert refused == set(REFUSING) - {"silent", "too_often", "nothing_to_undo", "not_fitted"}


def test_reasons_are_sentences_that_can_be_spoken() -> None:
    for sentence in (*ASKING.values(), *REFUSING.values(), SPEAKER_ASKS, SPEAKER_REFUSED):
        assert sentence.endswith(".") and sentence[0].isupper() and len(sentence) <= 120
    for sentence in REFUSING.values():
        assert any(word in sentence for word in ("can only", "ask me")), f"says nothing that would work: {sentence}"


def test_conditions_speak_of_known_subjects() -> None:
    for row in ROWS:
        for condition in row.when:
            subject = condition.subject
            if subject.startswith("slot."):
                assert subject.removeprefix("slot.") in BY_NAME[row.action].model_fields
            else:
                assert subject in {
                    "speed",
                    "ignition",
                    "opens",
                    "closes",
                    "target",
                    "rear_window",
                    "others_window",
                    "rear_locked",
                    "wet_ride",
                    "emergency",
                    "widest_window",
                    *SIGNALS,
                }


# Boundaries -----------------------------------------------------------------------------------------------------------

NUMERIC = [(row, condition) for row in ROWS for condition in row.when if condition.op in (Op.ABOVE, Op.BELOW)]


def around(condition: Condition) -> tuple[Any, Any, Any]:
    """The nearest possible values below, at and above a threshold."""
    limit = condition.value
    if condition.subject == "slot.percent":
        return limit - 5, limit, limit + 5
    if condition.subject == "target":
        return math.nextafter(limit, 0.0), limit, math.nextafter(limit, 100.0)
    if condition.subject in ("slot.level", "climate.fan"):
        return limit - 1, limit, limit + 1
    return math.nextafter(limit, -math.inf), limit, math.nextafter(limit, math.inf)


def meeting(row: Row, condition: Condition, value: Any) -> tuple[Action, VehicleState]:
    """An action and a state in which the other conditions of the row are met and this one's subject has a value."""
    slots: dict[str, Any] = dict(SLOTS.get(row.action, [{}])[0])
    values: dict[str, Any] = dict.fromkeys(ALL_WINDOWS, 0.0) | {"sunroof.position": 0.0, "sunroof.shade": 0.0}
    values["media.volume"] = 0.0
    speed = 0.0 if row.verdicts[Motion.PARKED] is not Verdict.ALLOW else 50.0
    for other in (*row.when, replace(condition, op=Op.IS, value=value)):
        if other.op not in (Op.IS, Op.IN):
            wanted = other.value + 1 if other.op is Op.ABOVE else other.value - 1
        else:
            wanted = other.value[0] if other.op is Op.IN else other.value
        if other.subject.startswith("slot."):
            slots[other.subject.removeprefix("slot.")] = wanted
        elif other.subject == "opens":
            if "volume" not in row.action:
                slots |= {"change": "open"} if "change" in slots else {"percent": 100}
        elif other.subject == "target" and row.action == "change_volume":
            slots |= {"change": "up", "by": 5}
            values["media.volume"] = wanted - 5  # exact: both lie between 64 and 128
        elif other.subject == "target":
            values["window.driver"] = wanted - 5  # exact: both lie between 16 and 32
        elif other.subject == "closes":
            slots["percent"] = 0
            values["sunroof.shade"] = 50.0
        elif other.subject == "speed":
            speed = wanted
        elif other.subject == "widest_window":
            values["window.driver"] = wanted
        else:
            values[other.subject] = wanted
    gear = "P" if speed == 0 else "D"
    return parse_action(row.action, slots), VehicleState(speed_kmh=speed, gear=gear, ignition_on=True, values=values)


@pytest.mark.parametrize(("row", "condition"), NUMERIC, ids=[f"{r.rule}:{c.subject}" for r, c in NUMERIC])
def test_boundary_of_every_numeric_rule(row: Row, condition: Condition) -> None:
    base = POLICY[row.action][-1]
    alone = MappingProxyType({row.action: (row, base)})
    met = [rule(*meeting(row, condition, value), alone).rule == row.rule for value in around(condition)]
    assert met == ([False, False, True] if condition.op is Op.ABOVE else [True, False, False])


def test_there_are_numeric_rules_for_speed_rain_windows_and_levels() -> None:
    subjects = {condition.subject for _, condition in NUMERIC}
    assert subjects == {
        "speed",
        "outside.rain",
        "widest_window",
        "slot.percent",
        "slot.level",
        "target",
        "display.brightness",
        "climate.fan",
        "sunroof.position",
        "outside.temperature",
    }


@pytest.mark.parametrize("name", ["set_sunroof", "change_sunroof"])
@pytest.mark.parametrize(
    ("speed", "rain", "asks"),
    [
        (math.nextafter(WET_RIDE_KMH, 0.0), 100, True),
        (WET_RIDE_KMH, 0, True),
        (WET_RIDE_KMH, math.nextafter(0.0, 1.0), False),
        (None, 100, True),
        (WET_RIDE_KMH, None, True),
        (0.0, 100, True),
    ],
)
def test_the_roof_closes_unasked_only_in_rain_at_speed(
    name: str, speed: float | None, rain: float | None, asks: bool
) -> None:
    action = parse_action(name, {"change": "close"} if name == "change_sunroof" else {"percent": 0})
    values = {"sunroof.position": 50} | ({} if rain is None else {"outside.rain": rain})
    state = VehicleState(speed_kmh=speed, gear="D", ignition_on=True, values=values)
    assert (rule(action, state).verdict is Verdict.CONFIRM) is asks


@pytest.mark.parametrize(
    ("told", "absent", "asks"),
    [
        ({"doors.child_lock": True}, set[str](), True),
        ({"windows.locked": True}, set[str](), True),
        ({"doors.child_lock": False, "windows.locked": True}, set[str](), True),
        ({"doors.child_lock": False, "windows.locked": False}, set[str](), False),
        ({"doors.child_lock": False}, set[str](), True),
        ({"doors.child_lock": False}, {"windows.locked"}, False),
        ({}, {"doors.child_lock", "windows.locked"}, False),
    ],
)
def test_a_rear_window_opens_unasked_only_without_a_child_lock(
    told: dict[str, Any], absent: set[str], asks: bool
) -> None:
    values = {"window.rear_left": 0, "climate.air_conditioning": False, **told}
    state = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, values=values, absent=frozenset(absent))
    for name, slots in (("set_window", {"percent": 50}), ("change_window", {"change": "open"})):
        ruling = rule(parse_action(name, {"window": "rear_left", **slots}), state)
        assert (ruling.verdict is Verdict.CONFIRM) is asks
        mine = rule(
            parse_action(name, {"window": "driver", **slots}),
            state.model_copy(update={"values": {**values, "window.driver": 0}}),
        )
        assert mine.verdict is Verdict.ALLOW, "the driver's own"


# Who speaks -----------------------------------------------------------------------------------------------------------

PARKED = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, values={"window.driver": 50, "doors.locked": True})
SPOKEN: list[tuple[str, dict[str, Any], str | None, Verdict]] = [
    # tier 0 and 1: anybody
    *(("get_range", {}, who, Verdict.ALLOW) for who in ("driver", "passenger", "rear", "child", None)),
    *(("stop_moving", {}, who, Verdict.ALLOW) for who in ("passenger", "child")),
    *(("set_dome_light", {"on": True}, who, Verdict.ALLOW) for who in ("rear", "child")),
    # tier 2: a child is asked about
    *(("navigate_to", {"destination": "x"}, who, Verdict.ALLOW) for who in ("driver", "passenger", "rear", None)),
    ("navigate_to", {"destination": "x"}, "child", Verdict.CONFIRM),
    ("call_contact", {"person": "x"}, "child", Verdict.CONFIRM),
    *(("call_number", {"digits": "112"}, who, Verdict.ALLOW) for who in ("passenger", "rear", "child")),
    ("call_number", {"digits": "0441234"}, "child", Verdict.CONFIRM),
    # tier 3: a child moves nothing that pinches
    *(("set_window", {"percent": 0}, who, Verdict.ALLOW) for who in ("driver", "passenger", "rear", None)),
    ("set_window", {"percent": 0}, "child", Verdict.DENY),
    ("set_mirrors", {"folded": True}, "child", Verdict.DENY),
    # tier 4: only the driver
    *(("move_seat", {"direction": "back"}, who, Verdict.ALLOW) for who in ("driver", None)),
    *(("move_seat", {"direction": "back"}, who, Verdict.CONFIRM) for who in ("passenger", "rear")),
    ("move_seat", {"direction": "back"}, "child", Verdict.DENY),
    ("set_door_locks", {"locked": True}, "child", Verdict.DENY),
]


@pytest.mark.parametrize(("name", "slots", "who", "verdict"), SPOKEN)
def test_who_speaks_makes_it_stricter(name: str, slots: dict[str, Any], who: str | None, verdict: Verdict) -> None:
    told = {"cabin.speaker": who} if who else {}
    ruling = rule(parse_action(name, slots), PARKED.model_copy(update={"values": {**PARKED.values, **told}}))
    assert ruling.verdict is verdict
    assert (ruling.reason == "") is (verdict is Verdict.ALLOW)


def test_nobody_is_let_do_more_than_the_driver() -> None:
    order = [Verdict.ALLOW, Verdict.CONFIRM, Verdict.DENY]
    for name in POLICY:
        for action in instances(name)[:2]:
            drive = VehicleState(speed_kmh=60.0, gear="D", ignition_on=True)
            mine = order.index(rule(action, drive).verdict)
            for who in ("driver", *SPEAKERS):
                theirs = rule(action, drive.model_copy(update={"values": {"cabin.speaker": who}}))
                assert order.index(theirs.verdict) >= mine, (name, who)
    assert set(SIGNALS["cabin.speaker"].choices) == {"driver", *SPEAKERS}


# Mutation -------------------------------------------------------------------------------------------------------------

FEW_DRIVING = [
    {"speed_kmh": speed, "gear": gear, "ignition_on": ignition}
    for speed, gear in (
        (0.0, "P"),
        (0.0, "D"),
        *((speed, "D") for speed in (50.0, 79.5, 80.5, 81.5, 119.5, 120.5, 121.5)),
    )
    for ignition in (True, False)
]


def mutants(row: Row) -> Iterator[tuple[str, Row | None]]:
    """The row with one thing changed; None for the row left out."""
    at_speed = any(condition.subject == "speed" for condition in row.when)
    for driving, verdict in row.verdicts.items():
        if at_speed and driving is not Motion.MOVING:
            continue  # the speed is 0 there: the cell cannot be reached
        for other in Verdict:
            if other is not verdict:
                changed = replace(row, verdicts=MappingProxyType({**row.verdicts, driving: other}))
                yield f"{row.rule}: {driving} {verdict}->{other}", changed
    if row.when:
        yield f"{row.rule}: left out", None
    for index, condition in enumerate(row.when):
        for changed in changed_conditions(condition):
            when = (*row.when[:index], changed, *row.when[index + 1 :])
            yield f"{row.rule}: {condition} -> {changed}", replace(row, when=when)
        without = (*row.when[:index], *row.when[index + 1 :])
        yield f"{row.rule}: without {condition}", replace(row, when=without)


def changed_conditions(condition: Condition) -> Iterator[Condition]:
    if condition.op is Op.IS:
        flipped = {True: False, False: True, "down": "up"}[condition.value]
        yield replace(condition, value=flipped)
    elif condition.op is Op.IN:
        for member in condition.value:
            yield replace(condition, value=tuple(m for m in condition.value if m != member))
    else:
        step = {"slot.percent": 5}.get(condition.subject, 1)
        yield replace(condition, value=condition.value + step)
        yield replace(condition, value=condition.value - step)
        yield replace(condition, op=Op.BELOW if condition.op is Op.ABOVE else Op.ABOVE)


def noticed(
    policy: Mapping[str, tuple[Row, ...]], cases: list[tuple[Action, VehicleState, tuple[Verdict, str]]]
) -> bool:
    for action, state, wanted in cases:
        try:
            ruling = rule(action, state, policy)
        except KeyError:
            return True  # no row or no reason: as loud as a wrong verdict
        if (ruling.verdict, ruling.rule) != wanted:
            return True
    return False


def test_every_change_of_the_table_is_noticed() -> None:
    survivors: list[str] = []
    tried = 0
    for name, rows in POLICY.items():
        cases = [(a, s, expected(a, s)) for a in instances(name) for s in states(name, FEW_DRIVING)]
        assert not noticed(POLICY, cases)
        cases = [case for start in range(97) for case in cases[start::97]]  # so that a difference is found sooner
        for index, row in enumerate(rows):
            for title, mutant in mutants(row):
                changed = (*rows[:index], *([mutant] if mutant else []), *rows[index + 1 :])
                tried += 1
                if not noticed({name: changed}, cases):
                    survivors.append(title)
    assert survivors == []
    assert tried >= 500


def test_grouping_keeps_the_order_of_the_table() -> None:
    grouped = by_action(ROWS)
    assert [row for rows in grouped.values() for row in rows] == sorted(
        ROWS, key=lambda r: list(grouped).index(r.action)
    )
