"""A car has what it has: one window, one heated seat, one zone; asked for the rest it says what is missing."""

from __future__ import annotations

import pytest

from schemas.actions import Action, Undo, parse_action
from schemas.events import ActionStatus, VehicleState, Verdict
from tests.gated_car import Car
from vehicle.gate import rule
from vehicle.planning import PARTS, SIGNALS_OF
from vehicle.policy import ROWS, Op, Row
from vehicle.signals import OF_THE_WORLD, SIGNALS
from voice.dialogue.replies.responder import report

DRIVERS_OWN = frozenset({
    "window.driver", "seat.driver.heating", "climate.driver.temperature", "light.reading.passenger", "climate.defrost_rear",
    "sunroof.position", "media.volume", "tire.front_left", "tire.front_right", "light.low_beam", "light.high_beam",
    "display.temperature_unit", "climate.air_conditioning", "seat.driver.lumbar", "light.ambient.brightness", "seat.driver.height",
})  # fmt: skip
"""A plain car."""


def plain(having: frozenset[str] = DRIVERS_OWN) -> Car:
    """A car with little."""
    return Car(without=frozenset(SIGNALS) - having)


def act(car: Car, name: str, **slots: object) -> tuple[ActionStatus, str, list[str]]:
    result = car.act(parse_action(name, slots))
    if result.status is ActionStatus.NEEDS_CONFIRMATION:
        result = car.confirm(result)
    return result.status, report([result]), [moved.signal for moved in result.moved]


def test_a_car_offers_what_it_has_a_part_of() -> None:
    offers = plain().vehicle.offers()
    assert {
        "set_window", "change_window", "set_seat_heating", "set_temperature", "change_temperature", "set_reading_light",
        "set_defrost", "set_sunroof", "change_sunroof", "get_tire_pressure", "get_lights", "set_unit", "get_climate",
        "get_openings", "set_air_conditioning", "change_lumbar", "set_ambient_brightness", "move_seat",
    } <= offers  # fmt: skip
    assert not offers & {"set_sunshade", "set_seat_massage", "set_trunk", "set_airflow", "get_seats"} - {"get_seats"}


@pytest.mark.parametrize(
    ("name", "slots", "said"),
    [
        (
            "set_window",
            {"window": "passenger", "percent": 100},
            "electric windows on the passenger's side, only on your side",
        ),
        ("change_window", {"window": "rear", "change": "close"}, "electric windows in the back, only on your side"),
        ("set_seat_heating", {"zone": "rear", "level": 2}, "seat heating in the back, only on your side"),
        ("set_temperature", {"zone": "rear", "celsius": 20}, "temperature control in the back, only on your side"),
        (
            "set_reading_light",
            {"zone": "driver", "on": True},
            "reading light on your side, only on the passenger's side",
        ),
        ("set_defrost", {"window": "front", "on": True}, "defroster in front, only in the back"),
        (
            "change_lumbar",
            {"zone": "passenger", "change": "up"},
            "lumbar support on the passenger's side, only on your side",
        ),
    ],
)
def test_what_is_missing_is_said(name: str, slots: dict[str, object], said: str) -> None:
    status, told, _ = act(plain(), name, **slots)
    assert (status, told) == (ActionStatus.DENIED, f"This car has no {said}.")


def test_it_is_not_asked_about_what_is_not_there() -> None:
    car = plain()
    result = car.act(parse_action("set_window", {"window": "rear_left", "percent": 0}))
    assert result.status is ActionStatus.DENIED and result.ruling.rule == "not_fitted"


@pytest.mark.parametrize(
    ("name", "slots", "moved"),
    [
        ("set_window", {"window": "all", "percent": 50}, ["window.driver"]),
        ("set_window", {"window": "left", "percent": 50}, ["window.driver"]),
        ("change_window", {"window": "all", "change": "open"}, ["window.driver"]),
        ("set_seat_heating", {"zone": "all", "level": 2}, ["seat.driver.heating"]),
        ("set_temperature", {"celsius": 25}, ["climate.driver.temperature"]),
        ("change_temperature", {"change": "down"}, ["climate.driver.temperature"]),
        ("set_reading_light", {"zone": "all", "on": True}, ["light.reading.passenger"]),
        ("set_defrost", {"window": "all", "on": True}, ["climate.defrost_rear"]),
        ("set_sunroof", {"percent": 100}, ["sunroof.position"]),
        ("set_air_conditioning", {"on": True}, ["climate.air_conditioning"]),
        ("change_lumbar", {"zone": "all", "change": "up"}, ["seat.driver.lumbar"]),
        ("set_ambient_brightness", {"percent": 80}, ["light.ambient.brightness"]),
        ("set_unit", {"unit": "fahrenheit"}, ["display.temperature_unit"]),
        ("move_seat", {"direction": "up"}, ["seat.driver.height"]),
        ("set_high_beam", {"on": True}, ["light.high_beam"]),
    ],
)
def test_what_is_there_of_it_moves(name: str, slots: dict[str, object], moved: list[str]) -> None:
    car = plain()
    status, told, signals = act(car, name, **slots)
    assert (status, signals) == (ActionStatus.DONE, moved), told
    assert car.act(Undo()).ruling.rule not in ("not_fitted", "nothing_to_undo")


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("set_unit", {"unit": "miles"}),
        ("move_seat", {"direction": "back"}),
        ("get_car", {}),
        ("get_openings", {"part": "trunk"}),
    ],
)
def test_what_no_place_is_named_for_is_refused_too(name: str, slots: dict[str, object]) -> None:
    status, told, _ = act(plain(), name, **slots)
    assert (status, told) == (ActionStatus.DENIED, "This car doesn't have that; ask me what I can do.")


@pytest.mark.parametrize("name", ["get_tire_pressure", "get_lights", "get_climate", "get_openings", "get_warnings"])
def test_questions_tell_what_is_there(name: str) -> None:
    status, told, _ = act(plain(), name)
    assert status is ActionStatus.DONE and told


@pytest.mark.parametrize("name", sorted(PARTS))
def test_one_signal_is_enough_for_each_and_works(name: str) -> None:
    for signal in PARTS[name]:
        car = plain(frozenset({signal, *SIGNALS_OF[name]}))
        assert name in car.vehicle.offers()


# The gate -------------------------------------------------------------------------------------------------------------

FITTED = [
    (row, condition.subject)
    for row in ROWS
    for condition in row.when
    if condition.subject in SIGNALS and condition.subject not in OF_THE_WORLD
]


def slots_for(row: Row) -> Action:
    from tests.golden_policy import SLOTS

    slots = dict(SLOTS.get(row.action, [{}])[0])
    for condition in row.when:
        if condition.subject.startswith("slot."):
            value = condition.value[0] if condition.op is Op.IN else condition.value
            step = {Op.ABOVE: 5, Op.BELOW: -1}.get(condition.op)
            slots[condition.subject.removeprefix("slot.")] = value + step if step is not None else value
    if row.action == "set_display_brightness":
        slots["percent"] = 5
    return parse_action(row.action, slots)


@pytest.mark.parametrize(("row", "signal"), FITTED, ids=[f"{row.rule}:{name}" for row, name in FITTED])
def test_an_interlock_needs_both_of_its_things(row: Row, signal: str) -> None:
    """Unknown it holds; where the car has no such thing it does not."""
    action = slots_for(row)
    unknown = VehicleState(speed_kmh=50.0, gear="D", ignition_on=True)
    absent = unknown.model_copy(update={"absent": frozenset({signal})})
    alone = {row.action: (row, next(one for one in ROWS if one.action == row.action and not one.when))}
    assert rule(action, unknown, alone).rule == row.rule
    assert rule(action, absent, alone).rule == row.action


def test_rain_falls_without_a_sensor() -> None:
    state = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, values={"sunroof.position": 0})
    absent = state.model_copy(update={"absent": OF_THE_WORLD})
    assert rule(parse_action("set_sunroof", {"percent": 50}), absent).rule == "sunroof_rain"


def test_windows_that_are_not_there_neither_close_nor_cool_the_street() -> None:
    absent = frozenset({"window.passenger", "window.rear_left", "window.rear_right"})
    state = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, values={"window.driver": 50}, absent=absent)
    assert rule(parse_action("set_window", {"window": "all", "percent": 0}), state).verdict is Verdict.ALLOW
    closed = state.model_copy(update={"values": {"window.driver": 0, "climate.defrost_front": False}})
    assert rule(parse_action("set_air_conditioning", {"on": True}), closed).verdict is Verdict.ALLOW
    none = closed.model_copy(update={"absent": absent | {"window.driver"}, "values": {}})
    assert rule(parse_action("set_air_conditioning", {"on": True}), none).rule == "cooling_the_street"
