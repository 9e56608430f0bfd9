"""The plans that came with the wider set of actions: relative changes, seats, display, media, charging, status."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.actions import parse_action
from schemas.errors import AdapterError
from schemas.events import VehicleState
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.planning import Plan, Planner
from vehicle.planning.charge import minutes_to, percent_after
from vehicle.signals import SIGNALS, check_changes
from vehicle.undo import RESTORES, action_for, stands_for

PLACES, MEDIA = Places.load(), MediaLibrary.load()
PLANNER = Planner(PLACES, MEDIA)
INITIAL = {name: signal.initial for name, signal in SIGNALS.items()}
PLUGGED = {"charging.plugged": True, "charging.active": True, "charging.power": 11.0}


def plan(name: str, values: dict[str, Any] | None = None, /, **slots: Any) -> Plan:
    return PLANNER.plan(parse_action(name, slots), VehicleState(values=INITIAL | (values or {})))


@pytest.mark.parametrize(
    ("name", "values", "slots", "changes"),
    [
        ("change_temperature", {}, {"change": "up", "zone": "driver", "by": 3}, {"climate.driver.temperature": 24.0}),
        ("change_temperature", {}, {"change": "down", "zone": "rear"}, {"climate.rear.temperature": 19.5}),
        (
            "set_temperature",
            {"climate.sync": True},
            {"celsius": 22, "zone": "driver"},
            {f"climate.{zone}.temperature": 22.0 for zone in ("driver", "passenger", "rear")},
        ),
        (
            "set_temperature",
            {"climate.sync": True},
            {"celsius": 22, "zone": "rear"},
            {"climate.rear.temperature": 22.0, "climate.sync": False},
        ),
        (
            "set_temperature",
            {"climate.on": False},
            {"celsius": 22, "zone": "driver"},
            {"climate.driver.temperature": 22.0, "climate.on": True},
        ),
        ("set_fan_speed", {"climate.auto": True}, {"level": 0}, {"climate.fan": 0, "climate.auto": False}),
        ("set_fan_speed", {"climate.on": False}, {"level": 2}, {"climate.fan": 2, "climate.on": True}),
        ("change_fan_speed", {"climate.on": False}, {"change": "down"}, {"climate.fan": 0}),
        ("set_airflow", {}, {"direction": "everywhere"}, {"climate.airflow": "everywhere"}),
        ("set_climate", {}, {"on": False}, {"climate.on": False}),
        ("set_auto_climate", {"climate.on": False}, {"on": True}, {"climate.auto": True, "climate.on": True}),
        ("set_auto_climate", {}, {"on": False}, {"climate.auto": False}),
        (
            "set_climate_sync",
            {"climate.driver.temperature": 20.0},
            {"on": True},
            {"climate.sync": True, "climate.passenger.temperature": 20.0, "climate.rear.temperature": 20.0},
        ),
        ("set_climate_sync", {}, {"on": False}, {"climate.sync": False}),
        ("change_seat_heating", {"seat.rear.heating": 3}, {"change": "up", "zone": "rear"}, {"seat.rear.heating": 3}),
        ("change_seat_heating", {}, {"change": "up"}, {"seat.driver.heating": 1}),
        ("set_seat_massage", {}, {"level": 2, "zone": "passenger"}, {"seat.passenger.massage": 2}),
        ("change_lumbar", {}, {"change": "down"}, {"seat.driver.lumbar": 30}),
        ("change_steering_wheel_heating", {}, {"change": "up"}, {"steering_wheel.heating": 1}),
        ("recline_seat", {}, {"direction": "forward"}, {"seat.driver.recline": 21}),
        ("recall_seat_position", {}, {"number": 3}, {"seat.driver.memory": 3}),
        ("change_window", {"window.driver": 95}, {"change": "open"}, {"window.driver": 100}),
        ("change_window", {"window.driver": 40}, {"change": "close", "by": 30}, {"window.driver": 10}),
        ("change_sunroof", {}, {"change": "open"}, {"sunroof.position": 20, "sunroof.shade": 20}),
        ("change_sunroof", {"sunroof.position": 10}, {"change": "close"}, {"sunroof.position": 0}),
        ("set_child_lock", {}, {"on": True}, {"doors.child_lock": True}),
        ("set_mirror_heating", {}, {"on": True}, {"mirrors.heating": True}),
        ("set_reading_light", {}, {"on": True, "zone": "rear_left"}, {"light.reading.rear_left": True}),
        ("set_display_brightness", {}, {"percent": 20}, {"display.brightness": 20}),
        ("change_display_brightness", {}, {"change": "up"}, {"display.brightness": 70}),
        ("set_display_mode", {}, {"mode": "night"}, {"display.mode": "night"}),
        ("set_unit", {}, {"unit": "fahrenheit"}, {"display.temperature_unit": "fahrenheit"}),
        ("set_unit", {}, {"unit": "miles"}, {"display.distance_unit": "miles"}),
        ("change_volume", {}, {"change": "down", "by": 25}, {"media.volume": 5}),
        ("set_shuffle", {}, {"on": True}, {"media.shuffle": True}),
        ("set_repeat", {}, {"mode": "track"}, {"media.repeat": "track"}),
        ("set_guidance", {}, {"on": False}, {"navigation.guidance": False}),
        ("set_charging", PLUGGED, {"on": True}, {"charging.active": True}),
        ("set_charging", {}, {"on": False}, {"charging.active": False}),
        ("set_charge_limit", {}, {"percent": 90}, {"charging.limit": 90}),
        ("set_charge_port", {}, {"open": True}, {"charging.port_open": True}),
        ("set_charge_timer", {}, {"hour": 11, "half": "pm"}, {"charging.timer": "23:00"}),
        ("set_charge_timer", {}, {"hour": 12, "minute": 30, "half": "am"}, {"charging.timer": "00:30"}),
        ("set_charge_timer", {"charging.timer": "23:00"}, {"on": False}, {"charging.timer": ""}),
    ],
)
def test_what_is_written(name: str, values: dict[str, Any], slots: dict[str, Any], changes: dict[str, Any]) -> None:
    made = plan(name, values, **slots)
    assert dict(made.changes) == changes
    assert not made.refusal
    check_changes(changes)


@pytest.mark.parametrize(
    ("name", "values", "slots", "words"),
    [
        ("set_charging", {}, {"on": True}, "not plugged in"),
        ("set_charge_port", PLUGGED, {"open": False}, "unplug it first"),
        ("set_charge_timer", {}, {}, "time of day"),
        ("play_playlist", {}, {"playlist": "no such list"}, "can't find that"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_way_out(
    name: str, values: dict[str, Any], slots: dict[str, Any], words: str
) -> None:
    made = plan(name, values, **slots)
    assert words in made.refusal and not made.changes
    assert "ask me" in made.refusal


def test_a_relative_change_from_nowhere_is_an_error() -> None:
    with pytest.raises(AdapterError, match=r"does not report window.driver"):
        plan("change_window", {"window.driver": None}, change="open")


# What a vehicle lacks ---------------------------------------------------------------------------------------------------


def test_a_car_without_a_rear_zone_sets_what_it_has() -> None:
    fewer = frozenset(SIGNALS) - {"climate.rear.temperature", "seat.rear.heating", "climate.on"}
    values = {name: value for name, value in INITIAL.items() if name in fewer}
    planner, state = Planner(PLACES, MEDIA, signals=fewer), VehicleState(values=values)
    both = planner.plan(parse_action("set_temperature", {"celsius": 22}), state)
    assert set(both.changes) == {"climate.driver.temperature", "climate.passenger.temperature"}
    heated = planner.plan(parse_action("set_seat_heating", {"level": 1, "zone": "all"}), state)
    assert set(heated.changes) == {"seat.driver.heating", "seat.passenger.heating"}
    for name, slots in (
        ("set_temperature", {"celsius": 22, "zone": "rear"}),
        ("set_seat_heating", {"level": 1, "zone": "rear"}),
    ):
        assert "doesn't have that" in planner.plan(parse_action(name, slots), state).refusal


def test_fuel_will_do_where_there_is_no_battery() -> None:
    fuel = frozenset(SIGNALS) - {"battery.range", "battery.charge"}
    assert "get_range" in Planner(PLACES, MEDIA, signals=fuel).offers()
    values = {name: value for name, value in INITIAL.items() if name in fuel}
    told = Planner(PLACES, MEDIA, signals=fuel).plan(parse_action("get_range", {}), VehicleState(values=values))
    assert told.answer == {"fuel_km": 420, "fuel_percent": 60}


def test_coordinates_will_do_where_a_vehicle_knows_no_names() -> None:
    plain = frozenset({"navigation.latitude", "navigation.longitude"})
    planner = Planner(PLACES, MEDIA, signals=plain)
    assert {"navigate_to", "find_place"} <= planner.offers() and "add_stop" not in planner.offers()
    made = planner.plan(parse_action("navigate_to", {"destination": "home"}), VehicleState())
    assert set(made.proof) == plain


# Media -----------------------------------------------------------------------------------------------------------------


def test_a_playlist_goes_on_in_its_order() -> None:
    first = plan("play_playlist", playlist="road trip")
    assert first.answer["title"] == "Hotel California by Eagles"
    second = plan("set_playback", dict(first.changes), command="next")
    assert second.answer["title"] == "Africa by Toto"
    assert plan("set_playback", dict(second.changes), command="previous").answer == first.answer


def test_favourites_and_shuffling() -> None:
    first = plan("play_favorites")
    assert first.answer["title"] == "Hey Jude by The Beatles"
    shuffled = plan("set_playback", {**first.changes, "media.shuffle": True}, command="next")
    assert shuffled.changes["media.genre"] == "favorites"
    back = plan("set_playback", {**shuffled.changes, "media.shuffle": True}, command="previous")
    assert back.answer == first.answer
    assert Planner(PLACES, MediaLibrary([], [], [])).plan(parse_action("play_favorites", {}), VehicleState()).refusal


def test_sources() -> None:
    assert plan("set_media_source", source="radio").answer["title"] == "Radio One"
    stick = plan("set_media_source", source="usb")
    assert stick.changes["media.source"] == "usb" and stick.changes["media.title"] == ""


def test_what_is_playing() -> None:
    told = plan("get_playing", {"media.source": "radio", "media.title": "Jazz FM", "media.playing": True})
    assert told.answer == {"source": "radio", "title": "Jazz FM", "artist": "", "playing": True, "position_s": 0}


# Charging --------------------------------------------------------------------------------------------------------------


def test_how_long_and_how_full() -> None:
    idle = plan("get_charging").answer
    assert (idle["charging"], idle["percent"], idle["limit"]) == (False, 72, 80) and "minutes" not in idle
    to_limit = plan("get_charging", PLUGGED).answer
    assert (to_limit["to_percent"], to_limit["minutes"]) == (80, 28)  # 8 % of 64 kWh at 11 kW
    assert plan("get_charging", PLUGGED, percent=75).answer["minutes"] == 11
    later = plan("get_charging", {**PLUGGED, "charging.limit": 100}, minutes=60).answer
    assert (later["after_minutes"], later["percent_then"]) == (60, 84)
    assert plan("get_charging", PLUGGED, minutes=60).answer["percent_then"] == 80  # not beyond the limit


@pytest.mark.parametrize(
    ("now", "goal", "minutes"), [(20.0, 80.0, 60.0), (80.0, 90.0, 20.0), (70.0, 90.0, 30.0), (90.0, 80.0, 0.0)]
)
def test_above_eighty_it_takes_twice_as_long_and_both_ways_agree(now: float, goal: float, minutes: float) -> None:
    assert minutes_to(now, goal, 60.0, 100.0) == pytest.approx(minutes)
    assert percent_after(now, minutes, 60.0, 100.0) == pytest.approx(max(now, goal))
    assert percent_after(now, 1e4, 60.0, 100.0) == 100.0


# Status ----------------------------------------------------------------------------------------------------------------


def test_range_until() -> None:
    told = plan("get_range", percent=35).answer
    assert (told["until_percent"], told["until_km"]) == (35, 132)
    assert plan("get_range", percent=90).answer["until_km"] == 0
    with pytest.raises(AdapterError, match=r"battery.range"):
        plan("get_range", dict.fromkeys(("battery.range", "battery.charge", "fuel.range", "fuel.level")))


def test_openings() -> None:
    told = plan("get_openings", {"window.driver": 40, "door.rear_left": True}).answer
    assert told == {"open": {"window.driver": 40}, "doors_open": ["rear_left"], "locked": True}
    assert plan("get_openings", {"trunk.position": 100}, part="trunk").answer == {"open": {"trunk.position": 100}}
    assert plan("get_openings", part="doors").answer == {"open": {}, "doors_open": [], "locked": True}
    assert plan("get_openings", {"sunroof.position": None}).answer["open"] == {}
    for part, name in (("sunroof", "sunroof.position"), ("windows", "window.driver"), ("all", "window.driver")):
        with pytest.raises(AdapterError):
            plan("get_openings", {name: None}, part=part)


def test_climate_seats_lights_and_the_car() -> None:
    climate = plan("get_climate", {"climate.defrost_rear": True}).answer
    assert (climate["celsius"], climate["fan"], climate["defrost"], climate["on"]) == (21.0, 1, ["rear"], True)
    assert plan("get_seats").answer == {"heating": {"driver": 0, "passenger": 0, "rear": 0, "wheel": 0}}
    seated = plan("get_seats", {"seat.passenger.occupancy": "occupied"}, part="occupancy").answer
    assert seated == {"occupied": ["driver", "passenger"]}
    assert plan("get_lights", {"light.ambient.on": True}).answer == {"on": ["ambient.on", "low_beam"], "color": "white"}
    assert plan("get_lights", {"light.ambient.on": True}, part="outside").answer == {"on": ["low_beam"]}
    assert plan("get_lights", {"light.dome": True}, part="inside").answer == {"on": ["dome"]}
    assert plan("get_car").answer == {"km": 18250}
    assert plan("get_car", part="color").answer == {"color": "blue"}


@pytest.mark.parametrize(("speed", "age"), [(None, 0.0), (50.0, 5.0), (50.0, float("nan"))])
def test_the_speed_is_told_only_while_it_is_known(speed: float | None, age: float) -> None:
    asked = parse_action("get_car", {"part": "speed"})
    assert PLANNER.plan(asked, VehicleState(speed_kmh=49.6, values=INITIAL)).answer == {"speed_kmh": 50}
    with pytest.raises(AdapterError):
        PLANNER.plan(asked, VehicleState(speed_kmh=speed, age_s=age, values=INITIAL))


def test_warnings_come_most_pressing_first() -> None:
    assert plan("get_warnings").answer == {"warnings": []}
    wrong = {"door.driver": True, "seat.driver.belted": False, "tire.rear_left": 150, "battery.charge": 9.6,
             "washer.low": True}  # fmt: skip
    assert plan("get_warnings", wrong).answer["warnings"] == [
        "the driver door is open",
        "your seat belt is open",
        "the rear left tyre is low",
        "the battery is at 10 percent",
        "the washer fluid is low",
    ]


# Stopping and taking back ----------------------------------------------------------------------------------------------


def test_stopping_holds_what_is_on_its_way() -> None:
    action, state = (
        parse_action("stop_moving", {}),
        VehicleState(values=INITIAL | {"window.driver": 30, "trunk.position": 100}),
    )
    made = PLANNER.plan(action, state, {"window.driver": 100, "trunk.position": 100, "sunroof.position": 50})
    assert dict(made.changes) == {"window.driver": 30, "sunroof.position": 0}
    assert made.answer == {"stopped": ["sunroof.position", "window.driver"]}
    assert PLANNER.plan(action, state) == Plan(answer={"stopped": []})


def test_every_signal_that_can_be_written_has_the_rules_of_an_action() -> None:
    assert set(RESTORES) == {name for name, signal in SIGNALS.items() if signal.writable}
    for name in RESTORES:
        value = SIGNALS[name].initial
        assert action_for(name, value).name in Planner(PLACES, MEDIA).offers() | {"send_email"}
    with pytest.raises(AdapterError, match=r"no action writes battery\.charge"):
        action_for("battery.charge", 5)


def test_what_several_values_amount_to() -> None:
    meant = stands_for({"media.title": "a", "media.artist": "b", "window.driver": 37, "seat.driver.height": 3})
    assert [action.name for action in meant] == ["play_music", "set_window", "move_seat"]
