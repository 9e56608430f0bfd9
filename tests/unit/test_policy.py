"""The policy against an independent statement of its rules, over every action and a grid of states.

``GOLDEN`` says in plain Python, for a world in which everything is known, what the rules are; it was written from the
rules and not from the table. What is unknown is filled in with every value of the grid, and the strictest outcome
counts. ``test_every_change_of_the_table_is_noticed`` then breaks the table in every way it can and shows that the
comparison sees it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, get_args

import pytest

from schemas.actions import ACTIONS, BY_NAME, Action, Domain, SetAirflow, parse_action
from schemas.events import Motion, VehicleState, Verdict
from vehicle.gate import rule
from vehicle.policy import ASKING, POLICY, REFUSING, ROWS, Condition, Op, Row, by_action
from vehicle.signals import SIGNALS

PERCENTS = (0, 25, 30, 100)
POSITIONS = (None, 0, 50)
SWITCH = (None, False, True)


@dataclass(frozen=True)
class World:
    """An action in a state of which everything is known."""

    slots: Mapping[str, Any]
    speed: float
    ignition: bool
    values: Mapping[str, Any]

    def travels(self, names: tuple[str, ...], *, up: bool) -> bool:
        target = self.slots["percent"]
        return any(self.values[n] < target if up else self.values[n] > target for n in names)

    def steps(self, names: tuple[str, ...], *, up: bool) -> bool:
        if (self.slots["change"] == "open") is not up:
            return False
        return any(self.values[n] < 100 if up else self.values[n] > 0 for n in names)

    def stepped(self, names: tuple[str, ...], step: int) -> float:
        by = self.slots["by"] or step
        return max(min(100, max(0, self.values[n] + (by if self.slots["change"] == "open" else -by))) for n in names)


ALL_WINDOWS = ("window.driver", "window.passenger", "window.rear_left", "window.rear_right")
Holds = Callable[[World], bool]
Golden = list[tuple[str, str, Holds]]


def panes(w: World) -> tuple[str, ...]:
    return ALL_WINDOWS if w.slots["window"] == "all" else (f"window.{w.slots['window']}",)


def always(_: World) -> bool:
    return True


# Rule, letters when parked, idling and moving (A allow, C ask, D refuse), when it holds. The strictest that holds decides.
GOLDEN: dict[str, Golden] = {
    "set_fan_speed": [
        ("fan_for_defrost", "CCC", lambda w: w.slots["level"] in (0, 1) and w.values["climate.defrost_front"]),
        ("set_fan_speed", "AAA", always),
    ],
    "change_fan_speed": [
        ("fan_down_for_defrost", "CCC",
         lambda w: w.slots["change"] == "down" and w.values["climate.fan"] <= 2 and w.values["climate.defrost_front"]),
        ("change_fan_speed", "AAA", always),
    ],
    "set_air_conditioning": [
        ("cooling_the_street", "CCC", lambda w: w.slots["on"] and max(w.values[n] for n in ALL_WINDOWS) > 20),
        ("cooling_for_defrost", "CCC", lambda w: not w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_air_conditioning", "AAA", always),
    ],
    "set_airflow": [
        ("airflow_for_defrost", "CCC",
         lambda w: w.slots["direction"] in ("face", "feet", "face_and_feet") and w.values["climate.defrost_front"]),
        ("set_airflow", "AAA", always),
    ],
    "set_recirculation": [
        ("recirculation_fogs", "CCC", lambda w: w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_recirculation", "AAA", always),
    ],
    "move_seat": [("move_seat", "ADD", always)],
    "set_window": [
        ("window_very_fast", "AAD", lambda w: w.travels(panes(w), up=True) and w.speed > 120),
        ("window_ignition", "DDD", lambda w: w.travels(panes(w), up=False) and not w.ignition),
        ("window_fast", "AAC", lambda w: w.travels(panes(w), up=True) and w.speed > 80),
        ("window_rear_closing", "CCC",
         lambda w: w.travels(panes(w), up=False) and w.slots["window"] not in ("driver", "passenger")),
        ("window_and_cooling", "CCC",
         lambda w: w.travels(panes(w), up=True) and w.slots["percent"] > 25 and w.values["climate.air_conditioning"]),
        ("set_window", "AAA", always),
    ],
    "set_sunroof": [
        ("sunroof_very_fast", "AAD", lambda w: w.travels(("sunroof.position",), up=True) and w.speed > 120),
        ("sunroof_ignition", "DDD", lambda w: w.travels(("sunroof.position",), up=False) and not w.ignition),
        ("sunroof_fast", "AAC", lambda w: w.travels(("sunroof.position",), up=True) and w.speed > 80),
        ("sunroof_rain", "CCC", lambda w: w.travels(("sunroof.position",), up=True) and w.values["outside.rain"] > 0),
        ("sunroof_closing", "CCC", lambda w: w.travels(("sunroof.position",), up=False)),
        ("set_sunroof", "AAA", always),
    ],
    "change_window": [
        ("window_step_very_fast", "AAD", lambda w: w.steps(panes(w), up=True) and w.speed > 120),
        ("window_step_ignition", "DDD", lambda w: w.steps(panes(w), up=False) and not w.ignition),
        ("window_step_fast", "AAC", lambda w: w.steps(panes(w), up=True) and w.speed > 80),
        ("window_step_rear_closing", "CCC",
         lambda w: w.steps(panes(w), up=False) and w.slots["window"] not in ("driver", "passenger")),
        ("window_step_and_cooling", "CCC",
         lambda w: w.steps(panes(w), up=True) and w.stepped(panes(w), 15) > 25 and w.values["climate.air_conditioning"]),
        ("change_window", "AAA", always),
    ],
    "change_sunroof": [
        ("sunroof_step_very_fast", "AAD", lambda w: w.steps(("sunroof.position",), up=True) and w.speed > 120),
        ("sunroof_step_ignition", "DDD", lambda w: w.steps(("sunroof.position",), up=False) and not w.ignition),
        ("sunroof_step_fast", "AAC", lambda w: w.steps(("sunroof.position",), up=True) and w.speed > 80),
        ("sunroof_step_rain", "CCC",
         lambda w: w.steps(("sunroof.position",), up=True) and w.values["outside.rain"] > 0),
        ("sunroof_step_closing", "CCC", lambda w: w.steps(("sunroof.position",), up=False)),
        ("change_sunroof", "AAA", always),
    ],
    "set_climate": [
        ("climate_for_defrost", "CCC", lambda w: not w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_climate", "AAA", always),
    ],
    "set_auto_climate": [
        ("auto_for_defrost", "CCC", lambda w: w.slots["on"] and w.values["climate.defrost_front"]),
        ("set_auto_climate", "AAA", always),
    ],
    "recline_seat": [("recline_seat", "ADD", always)],
    "recall_seat_position": [("recall_seat_position", "CDD", always)],
    "set_child_lock": [("child_lock_off", "CDD", lambda w: not w.slots["on"]), ("set_child_lock", "AAA", always)],
    "set_display_brightness": [
        ("display_dark", "AAC", lambda w: w.slots["percent"] < 10),
        ("set_display_brightness", "AAA", always),
    ],
    "change_display_brightness": [
        ("display_darker", "AAC", lambda w: w.slots["change"] == "down" and w.values["display.brightness"] < 20),
        ("change_display_brightness", "AAA", always),
    ],
    "set_charging": [("charging_at_a_stand", "AAD", lambda w: w.slots["on"]), ("set_charging", "AAA", always)],
    "set_charge_port": [("set_charge_port", "ADD", always)],
    "call_contact": [("call_contact", "CCC", always)],
    "send_email": [("send_email", "CCC", always)],
    "set_sunshade": [
        ("shade_under_open_roof", "DDD",
         lambda w: w.travels(("sunroof.shade",), up=False) and w.values["sunroof.position"] > 0),
        ("set_sunshade", "AAA", always),
    ],
    "set_trunk": [("trunk_open", "CDD", lambda w: w.slots["open"]), ("set_trunk", "CCD", always)],
    "set_door_locks": [("unlock", "CDD", lambda w: not w.slots["locked"]), ("set_door_locks", "AAA", always)],
    "set_mirrors": [("fold_mirrors", "AAD", lambda w: w.slots["folded"]), ("set_mirrors", "AAA", always)],
    "set_dome_light": [("dome_light_glare", "AAC", lambda w: w.slots["on"]), ("set_dome_light", "AAA", always)],
    "set_low_beam": [
        ("low_beam_for_fog_lights", "DDD", lambda w: not w.slots["on"] and w.values["light.fog"]),
        ("low_beam_off", "ADD", lambda w: not w.slots["on"]),
        ("set_low_beam", "AAA", always),
    ],
    "set_high_beam": [
        ("high_beam_with_fog_lights", "DDD", lambda w: w.slots["on"] and w.values["light.fog"]),
        ("high_beam_dazzles", "CCC", lambda w: w.slots["on"]),
        ("set_high_beam", "AAA", always),
    ],
    "set_fog_lights": [
        ("fog_lights_without_low_beam", "DDD", lambda w: w.slots["on"] and not w.values["light.low_beam"]),
        ("fog_lights_with_high_beam", "DDD", lambda w: w.slots["on"] and w.values["light.high_beam"]),
        ("set_fog_lights", "AAA", always),
    ],
}  # fmt: skip

# Always allowed, whatever the state: comfort, media, navigation, questions.
FREE = """
set_temperature change_temperature set_defrost set_seat_heating set_seat_ventilation set_steering_wheel_heating
set_ambient_light set_ambient_color set_ambient_brightness change_ambient_brightness set_reading_light
play_music play_radio play_podcast set_volume change_volume set_playback set_mute
navigate_to find_place add_stop cancel_navigation set_route_preference
get_range get_tire_pressure get_outside_temperature get_cabin_temperature get_navigation
set_climate_sync change_seat_heating set_seat_massage change_lumbar change_steering_wheel_heating set_mirror_heating
stop_moving set_display_mode set_unit play_playlist play_favorites set_media_source set_shuffle set_repeat get_playing
find_on_route list_places remove_stop replace_stop change_destination get_routes choose_route add_charging_stops
set_guidance get_distance set_charge_limit set_charge_timer get_charging
get_climate get_seats get_openings get_lights get_car get_warnings
get_time get_weather get_capabilities set_timer set_reminder get_timers cancel_timer get_calendar get_contact undo
""".split()

# Values of the signals that matter to an action; None is unknown.
GRID: dict[str, dict[str, tuple[Any, ...]]] = {
    "set_fan_speed": {"climate.defrost_front": SWITCH},
    "change_fan_speed": {"climate.defrost_front": SWITCH, "climate.fan": (None, 1, 2, 3, 5)},
    "set_air_conditioning": {
        "climate.defrost_front": SWITCH,
        "window.driver": (None, 0, 20, 21),
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 100),
        "window.rear_right": (0,),
    },
    "set_airflow": {"climate.defrost_front": SWITCH},
    "set_recirculation": {"climate.defrost_front": SWITCH},
    "set_window": {
        "window.driver": POSITIONS,
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 100),
        "window.rear_right": (0, 50),
        "climate.air_conditioning": SWITCH,
    },
    "set_sunroof": {"sunroof.position": POSITIONS, "outside.rain": (None, 0, 1, 100)},
    "change_window": {
        "window.driver": (None, 0, 1, 50),
        "window.passenger": (0,),
        "window.rear_left": (None, 0, 50, 100),
        "window.rear_right": (50,),
        "climate.air_conditioning": SWITCH,
    },
    "change_sunroof": {"sunroof.position": (None, 0, 50, 100), "outside.rain": (None, 0, 1, 100)},
    "set_climate": {"climate.defrost_front": SWITCH},
    "set_auto_climate": {"climate.defrost_front": SWITCH},
    "change_display_brightness": {"display.brightness": (None, 0, 19, 20, 60)},
    "set_sunshade": {"sunroof.shade": POSITIONS, "sunroof.position": (None, 0, 1)},
    "set_low_beam": {"light.fog": SWITCH},
    "set_high_beam": {"light.fog": SWITCH},
    "set_fog_lights": {"light.low_beam": SWITCH, "light.high_beam": SWITCH},
}

# Slots of the actions whose rules look at them.
SLOTS: dict[str, list[dict[str, Any]]] = {
    "set_fan_speed": [{"level": level} for level in range(6)],
    "change_fan_speed": [{"change": "up"}, {"change": "down"}],
    "set_airflow": [{"direction": d} for d in get_args(SetAirflow.model_fields["direction"].annotation)],
    "change_window": [
        {"window": "driver", "change": "open", "by": 5},
        {"window": "driver", "change": "open", "by": 25},
        *({"window": w, "change": change} for w in ("driver", "rear_left", "all") for change in ("open", "close")),
        {"window": "passenger", "change": "close"},
        {"window": "rear_right", "change": "close", "by": 100},
    ],
    "change_sunroof": [{"change": "open"}, {"change": "close"}, {"change": "open", "by": 50}],
    "change_seat_heating": [{"change": "up"}],
    "set_seat_massage": [{"level": 3}],
    "change_lumbar": [{"change": "up"}],
    "change_steering_wheel_heating": [{"change": "up"}],
    "recline_seat": [{"direction": "back"}, {"direction": "forward"}],
    "recall_seat_position": [{"number": 1}],
    "set_display_brightness": [{"percent": percent} for percent in (0, 5, 10, 15, 100)],
    "change_display_brightness": [{"change": "up"}, {"change": "down"}],
    "set_display_mode": [{"mode": "night"}],
    "set_unit": [{"unit": "miles"}],
    "play_playlist": [{"playlist": "x"}],
    "set_media_source": [{"source": "usb"}],
    "set_repeat": [{"mode": "all"}],
    "find_on_route": [{"kind": "cafe"}],
    "list_places": [{"kind": "cafe"}],
    "replace_stop": [{"destination": "x"}],
    "change_destination": [{"destination": "x"}],
    "choose_route": [{"number": 3}],
    "get_distance": [{"destination": "x"}],
    "set_charge_limit": [{"percent": 100}],
    "set_charge_port": [{"open": True}, {"open": False}],
    "set_reminder": [{"what": "x"}],
    "get_contact": [{"person": "x"}],
    "call_contact": [{"person": "x"}],
    "send_email": [{"person": "x", "message": "y"}],
    "set_window": [
        *({"window": "driver", "percent": percent} for percent in PERCENTS),
        {"window": "passenger", "percent": 0},
        {"window": "rear_left", "percent": 0},
        {"window": "rear_left", "percent": 100},
        {"window": "rear_right", "percent": 0},
        {"window": "all", "percent": 0},
        {"window": "all", "percent": 30},
    ],
    "set_sunroof": [{"percent": percent} for percent in PERCENTS],
    "set_sunshade": [{"percent": percent} for percent in PERCENTS],
    "set_trunk": [{"open": True}, {"open": False}],
    "set_door_locks": [{"locked": True}, {"locked": False}],
    "set_mirrors": [{"folded": True}, {"folded": False}],
    "move_seat": [{"direction": d} for d in ("forward", "back", "up", "down")],
    "set_temperature": [{"celsius": 16}, {"celsius": 28, "zone": "driver"}],
    "change_temperature": [{"change": "up"}, {"change": "down"}],
    "set_defrost": [{"on": on, "window": window} for on in (True, False) for window in ("front", "rear", "all")],
    "set_seat_heating": [{"level": 3}],
    "set_seat_ventilation": [{"level": 3}],
    "set_steering_wheel_heating": [{"level": 3}],
    "set_ambient_color": [{"color": "red"}],
    "set_ambient_brightness": [{"percent": 0}, {"percent": 100}],
    "change_ambient_brightness": [{"change": "up"}],
    "set_volume": [{"percent": 100}],
    "change_volume": [{"change": "up"}],
    "set_playback": [{"command": "next"}],
    "navigate_to": [{"destination": "home"}],
    "find_place": [{"kind": "cafe"}],
    "add_stop": [{"destination": "home"}],
    "set_route_preference": [{"preference": "shortest"}],
}

# Ages, negative speeds and the like are in test_gate.py, exact thresholds in the boundary test below.
SPEEDS = (None, 0.0, 0.1, 80.0, 80.1, 120.1)
DRIVING: list[dict[str, Any]] = [
    {"speed_kmh": speed, "gear": gear, "ignition_on": ignition, "age_s": age}
    for speed, gear, ignition, age in itertools.product(SPEEDS, (None, "P", "D"), SWITCH, (0.0, 1.001))
]


def instances(name: str) -> list[Action]:
    fields = BY_NAME[name].model_fields
    slots = SLOTS.get(name) or ([{"on": True}, {"on": False}] if "on" in fields else [{}])
    return [parse_action(name, chosen) for chosen in slots]


def states(name: str, driving: list[dict[str, Any]]) -> Iterator[VehicleState]:
    grid = GRID.get(name, {})
    for combination in itertools.product(*grid.values()):
        values = {signal: value for signal, value in zip(grid, combination, strict=True) if value is not None}
        for drive in driving:
            yield VehicleState(**drive, values=values)


def golden_motion(state: VehicleState) -> Motion:
    """Written the other way round than the gate's: standing needs everything to be certain."""
    certain = (
        state.speed_kmh == 0
        and state.gear in ("P", "R", "N", "D")
        and state.ignition_on in (True, False)
        and 0 <= state.age_s <= 1
    )
    if not certain:
        return Motion.MOVING
    return Motion.PARKED if state.gear == "P" else Motion.IDLING


@cache
def golden_rows(
    name: str, slots: tuple[tuple[str, Any], ...], known: tuple[tuple[str, Any], ...]
) -> list[tuple[str, str]]:
    """The rules that hold in at least one world that fits what is known."""
    facts = dict(known)
    speed, ignition = facts.pop("speed"), facts.pop("ignition")
    grid = GRID.get(name, {})
    options = [[facts[s]] if facts[s] is not None else [v for v in grid[s] if v is not None] for s in grid]
    worlds = [
        World(dict(slots), a_speed, an_ignition, dict(zip(grid, combination, strict=True)))
        for a_speed in ([speed] if speed is not None else [0.0, 200.0])
        for an_ignition in ([ignition] if ignition is not None else [True, False])
        for combination in itertools.product(*options)
    ]
    return [(title, letters) for title, letters, holds in golden(name) if any(holds(world) for world in worlds)]


def golden(name: str) -> Golden:
    return GOLDEN.get(name) or [(name, "AAA", always)]


def expected(action: Action, state: VehicleState) -> tuple[Verdict, str]:
    speed = state.speed_kmh
    sure = speed is not None and speed >= 0 and 0 <= state.age_s <= 1
    known: dict[str, Any] = {"speed": speed if sure else None, "ignition": state.ignition_on}
    known |= {signal: state.values.get(signal) for signal in GRID.get(action.name, {})}
    held = golden_rows(action.name, tuple(action.model_dump().items()), tuple(known.items()))
    column = {Motion.PARKED: 0, Motion.IDLING: 1, Motion.MOVING: 2}[golden_motion(state)]
    letter, title = max(((letters[column], title) for title, letters in held), key=lambda found: "ACD".index(found[0]))
    return {"A": Verdict.ALLOW, "C": Verdict.CONFIRM, "D": Verdict.DENY}[
        letter
    ], title if letter != "A" else action.name


def test_golden_and_table_speak_of_the_same_actions() -> None:
    assert sorted([*GOLDEN, *FREE]) == sorted(POLICY)
    elsewhere = {action.name for action in ACTIONS if action.domain is Domain.MEMORY}
    assert set(POLICY) == {action.name for action in ACTIONS} - elsewhere
    assert len(POLICY) == 101


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
    for sentence in (*ASKING.values(), *REFUSING.values()):
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
                assert subject in {"speed", "ignition", "opens", "closes", "target", "widest_window", *SIGNALS}


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
    speed = 0.0 if row.verdicts[Motion.PARKED] is not Verdict.ALLOW else 50.0
    for other in (*row.when, replace(condition, op=Op.IS, value=value)):
        if other.op not in (Op.IS, Op.IN):
            wanted = other.value + 1 if other.op is Op.ABOVE else other.value - 1
        else:
            wanted = other.value[0] if other.op is Op.IN else other.value
        if other.subject.startswith("slot."):
            slots[other.subject.removeprefix("slot.")] = wanted
        elif other.subject == "opens":
            slots |= {"change": "open"} if "change" in slots else {"percent": 100}
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
    }


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
