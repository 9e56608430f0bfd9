"""The planner: what every action writes, what it answers, and what is switched along."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.actions import ACTIONS, Action, Domain, parse_action
from schemas.errors import AdapterError
from schemas.events import VehicleState
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.planning import PARTS, SIGNALS_OF, WELCOME, Plan, Planner, actions_for
from vehicle.signals import SIGNALS, check_changes

PLANNER = Planner(Places.load(), MediaLibrary.load())
INITIAL = {name: signal.initial for name, signal in SIGNALS.items()}
JAZZ = {"media.source": "music", "media.title": "So What", "media.artist": "Miles Davis", "media.genre": "jazz"}


def plan(name: str, slots: dict[str, Any] | None = None, values: dict[str, Any] | None = None) -> Plan:
    return PLANNER.plan(parse_action(name, slots or {}), VehicleState(values=INITIAL | (values or {})))


def test_a_vehicle_with_all_signals_has_all_actions() -> None:
    assert actions_for(frozenset(SIGNALS)) == set(SIGNALS_OF)


def test_a_missing_signal_takes_its_actions_away() -> None:
    left = actions_for(frozenset(SIGNALS) - {"sunroof.position"})
    assert set(SIGNALS_OF) - left == {"set_sunroof", "change_sunroof"}
    left = actions_for(frozenset(SIGNALS) - {"sunroof.shade"})
    assert set(SIGNALS_OF) - left == {"set_sunshade"}, "a roof without a shade is a roof"


@pytest.mark.parametrize(
    ("name", "slots", "values", "changes"),
    [
        (
            "set_temperature",
            {"celsius": 22.5},
            {},
            dict.fromkeys((f"climate.{zone}.temperature" for zone in ("driver", "passenger", "rear")), 22.5),
        ),
        ("set_temperature", {"celsius": 18, "zone": "passenger"}, {}, {"climate.passenger.temperature": 18.0}),
        ("change_temperature", {"change": "up", "zone": "driver"}, {}, {"climate.driver.temperature": 22.5}),
        (
            "change_temperature",
            {"change": "up", "zone": "driver"},
            {"climate.driver.temperature": 27.0},
            {"climate.driver.temperature": 28},
        ),
        (
            "change_temperature",
            {"change": "down", "zone": "driver"},
            {"climate.driver.temperature": 16.0},
            {"climate.driver.temperature": 16},
        ),
        ("set_fan_speed", {"level": 4}, {}, {"climate.fan": 4}),
        ("change_fan_speed", {"change": "up"}, {}, {"climate.fan": 2}),
        ("change_fan_speed", {"change": "down"}, {"climate.fan": 0}, {"climate.fan": 0}),
        ("change_fan_speed", {"change": "up"}, {"climate.fan": 5}, {"climate.fan": 5}),
        ("set_air_conditioning", {"on": True}, {}, {"climate.air_conditioning": True}),
        (
            "set_air_conditioning",
            {"on": True},
            {"climate.fan": 0},
            {"climate.air_conditioning": True, "climate.fan": 1},
        ),
        ("set_air_conditioning", {"on": False}, {"climate.fan": 0}, {"climate.air_conditioning": False}),
        ("set_airflow", {"direction": "feet"}, {}, {"climate.airflow": "feet"}),
        ("set_recirculation", {"on": True}, {}, {"climate.recirculation": True}),
        (
            "set_defrost",
            {"on": True},
            {},
            {
                "climate.defrost_front": True,
                "climate.air_conditioning": True,
                "climate.airflow": "windshield",
                "climate.fan": 2,
            },
        ),
        ("set_defrost", {"on": True, "window": "rear"}, {}, {"climate.defrost_rear": True}),
        (
            "set_defrost",
            {"on": True, "window": "all"},
            {"climate.fan": 4},
            {
                "climate.defrost_front": True,
                "climate.defrost_rear": True,
                "climate.air_conditioning": True,
                "climate.airflow": "windshield",
            },
        ),
        (
            "set_defrost",
            {"on": False, "window": "all"},
            {},
            {"climate.defrost_front": False, "climate.defrost_rear": False},
        ),
        ("set_seat_heating", {"level": 2}, {}, {"seat.driver.heating": 2}),
        (
            "set_seat_heating",
            {"level": 2, "zone": "all"},
            {},
            {f"seat.{zone}.heating": 2 for zone in ("driver", "passenger", "rear")},
        ),
        ("set_seat_ventilation", {"level": 1, "zone": "passenger"}, {}, {"seat.passenger.ventilation": 1}),
        ("set_steering_wheel_heating", {"level": 3}, {}, {"steering_wheel.heating": 3}),
        ("move_seat", {"direction": "back"}, {}, {"seat.driver.position": 160}),
        ("move_seat", {"direction": "forward"}, {"seat.driver.position": 5}, {"seat.driver.position": 0}),
        ("move_seat", {"direction": "up"}, {}, {"seat.driver.height": 60}),
        ("move_seat", {"direction": "down"}, {}, {"seat.driver.height": 20}),
        ("set_window", {"percent": 50}, {}, {"window.driver": 50}),
        (
            "set_window",
            {"percent": 0, "window": "all"},
            {},
            {"window.driver": 0, "window.passenger": 0, "window.rear_left": 0, "window.rear_right": 0},
        ),
        ("set_window", {"percent": 35, "window": "front"}, {}, {"window.driver": 35, "window.passenger": 35}),
        ("set_window", {"percent": 35, "window": "left"}, {}, {"window.driver": 35, "window.rear_left": 35}),
        (
            "set_window",
            {"percent": 100, "window": "all", "but": "driver"},
            {},
            {"window.passenger": 100, "window.rear_left": 100, "window.rear_right": 100},
        ),
        ("set_window", {"percent": 0, "window": "right", "but": "rear"}, {}, {"window.passenger": 0}),
        (
            "change_window",
            {"change": "close", "window": "all", "but": "front"},
            {"window.rear_left": 50, "window.rear_right": 10},
            {"window.rear_left": 35, "window.rear_right": 0},
        ),
        ("set_sunroof", {"percent": 40}, {}, {"sunroof.position": 40, "sunroof.shade": 40}),
        ("set_sunroof", {"percent": 40}, {"sunroof.shade": 60}, {"sunroof.position": 40}),
        ("set_sunshade", {"percent": 100}, {}, {"sunroof.shade": 100}),
        ("set_trunk", {"open": True}, {}, {"trunk.position": 100}),
        ("set_trunk", {"open": False}, {}, {"trunk.position": 0}),
        ("set_door_locks", {"locked": False}, {}, {"doors.locked": False}),
        ("set_mirrors", {"folded": True}, {}, {"mirrors.folded": True}),
        ("set_ambient_light", {"on": True}, {}, {"light.ambient.on": True}),
        ("set_ambient_color", {"color": "blue"}, {}, {"light.ambient.on": True, "light.ambient.color": "blue"}),
        ("set_ambient_brightness", {"percent": 0}, {}, {"light.ambient.on": False, "light.ambient.brightness": 0}),
        ("change_ambient_brightness", {"change": "down"}, {"light.ambient.on": False}, {"light.ambient.on": False}),
        ("change_ambient_brightness", {"change": "up"}, {}, {"light.ambient.on": True, "light.ambient.brightness": 60}),
        (
            "change_ambient_brightness",
            {"change": "down"},
            {"light.ambient.on": True, "light.ambient.brightness": 10},
            {"light.ambient.on": False, "light.ambient.brightness": 0},
        ),
        (
            "set_reading_light",
            {"on": True, "zone": "all"},
            {},
            {f"light.reading.{side}": True for side in ("driver", "passenger", "rear_left", "rear_right")},
        ),
        (
            "set_reading_light",
            {"on": True, "zone": "rear"},
            {},
            {"light.reading.rear_left": True, "light.reading.rear_right": True},
        ),
        (
            "set_reading_light",
            {"on": True, "zone": "front"},
            {"light.reading.passenger": None},
            {"light.reading.driver": True},
        ),
        ("set_dome_light", {"on": True}, {}, {"light.dome": True}),
        ("set_low_beam", {"on": False}, {}, {"light.low_beam": False}),
        ("set_high_beam", {"on": True}, {}, {"light.high_beam": True}),
        ("set_fog_lights", {"on": True}, {}, {"light.fog": True}),
        ("set_volume", {"percent": 40}, {}, {"media.volume": 40, "media.muted": False}),
        ("change_volume", {"change": "up"}, {"media.volume": 95}, {"media.volume": 100, "media.muted": False}),
        ("change_volume", {"change": "down"}, {}, {"media.volume": 20}),
        (
            "change_volume",
            {"change": "up", "times": "double"},
            {"media.volume": 35},
            {"media.volume": 70, "media.muted": False},
        ),
        (
            "change_volume",
            {"change": "up", "times": "double"},
            {"media.volume": 60},
            {"media.volume": 100, "media.muted": False},
        ),
        ("change_volume", {"change": "down", "times": "half"}, {"media.volume": 25}, {"media.volume": 12}),
        ("seek", {"change": "forward"}, {**JAZZ, "media.position": 100}, {"media.position": 130}),
        ("seek", {"change": "back", "seconds": 60}, {**JAZZ, "media.position": 20}, {"media.position": 0}),
        (
            "set_playback",
            {"command": "restart"},
            {**JAZZ, "media.position": 80},
            {"media.position": 0, "media.playing": True},
        ),
        (
            "set_playback",
            {"command": "restart"},
            {**JAZZ, "media.position": None},
            {**JAZZ, "media.playing": True},
        ),
        ("set_mute", {"on": True}, {}, {"media.muted": True}),
        ("set_playback", {"command": "pause"}, JAZZ, {"media.playing": False}),
        ("set_playback", {"command": "play"}, JAZZ, {"media.playing": True}),
        (
            "cancel_navigation",
            {},
            {"navigation.destination": "Home"},
            {
                "navigation.destination": "",
                "navigation.stops": (),
                "navigation.minutes": 0,
                "navigation.kilometers": 0,
                "navigation.route": 1,
            },
        ),
        ("set_route_preference", {"preference": "avoid_tolls"}, {}, {"navigation.preference": "avoid_tolls"}),
    ],
)
def test_what_an_action_writes(
    name: str, slots: dict[str, Any], values: dict[str, Any], changes: dict[str, Any]
) -> None:
    made = plan(name, slots, values)
    assert dict(made.changes) == changes
    assert made.proof == {n: v for n, v in changes.items() if n not in ("navigation.minutes", "navigation.kilometers")}
    assert set(changes) <= {*SIGNALS_OF[name], *WELCOME.get(name, ()), *PARTS.get(name, ())}
    check_changes(changes)


@pytest.mark.parametrize(
    ("name", "slots", "values", "title"),
    [
        ("play_music", {"genre": "jazz"}, {}, "So What by Miles Davis"),
        ("play_music", {"song": "hey jude"}, {}, "Hey Jude by The Beatles"),
        ("play_music", {}, {}, "So What by Miles Davis"),
        ("play_radio", {"station": "jazz fm"}, {}, "Jazz FM"),
        ("play_radio", {"station": "98.5"}, {}, "Radio One"),
        ("play_podcast", {"genre": "history"}, {}, "Stuff You Should Know"),
        ("set_playback", {"command": "next"}, JAZZ, "Blue in Green by Miles Davis"),
        ("set_playback", {"command": "previous"}, {"media.source": "radio", "media.title": "Radio One"}, "Radio Marrowby"),
        ("set_playback", {"command": "play"}, {}, "So What by Miles Davis"),
        ("set_playback", {"command": "next"}, {"media.source": "music", "media.title": "gone"}, "So What by Miles Davis"),
    ],
)  # fmt: skip
def test_what_plays(name: str, slots: dict[str, Any], values: dict[str, Any], title: str) -> None:
    made = plan(name, slots, values)
    assert made.answer["title"] == title
    assert made.changes["media.playing"] is True
    assert made.changes["media.muted"] is False
    check_changes(made.changes)


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("play_music", {"genre": "klezmer"}),
        ("play_radio", {"station": "q"}),
        ("play_podcast", {"show": "nothing at all"}),
    ],
)
def test_what_is_not_in_the_library_is_said_so(name: str, slots: dict[str, Any]) -> None:
    made = plan(name, slots)
    assert not made.changes
    assert made.refusal.startswith("I can't find that")


def test_a_found_place_becomes_the_destination() -> None:
    made = plan("find_place", {"kind": "restaurant", "quality": "italian"})
    assert dict(made.answer) == {"name": "Trattoria Limoncella", "minutes": 2, "reason": "italian; nearest of 2"}
    assert made.changes["navigation.destination"] == "Trattoria Limoncella"
    assert made.proof == {
        "navigation.destination": "Trattoria Limoncella",
        "navigation.stops": (),
        "navigation.route": 1,
        "navigation.latitude": 54.503597,
        "navigation.longitude": 3.509292,
    }


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("find_place", {"kind": "restaurant", "quality": "klingon"}),
        ("navigate_to", {"destination": "atlantis"}),
        ("add_stop", {"destination": "atlantis"}),
    ],
)
def test_an_unknown_place_changes_nothing(name: str, slots: dict[str, Any]) -> None:
    assert plan(name, slots) == Plan()


def test_stops_come_in_the_order_in_which_they_were_added() -> None:
    values: dict[str, Any] = {"navigation.destination": "Marrowby Airport", "navigation.minutes": 13}
    first = plan("add_stop", {"destination": "the post office"}, values)
    assert first.changes["navigation.stops"] == ("Post Office",)
    assert first.answer["minutes"] == 2
    second = plan("add_stop", {"destination": "the zoo"}, values | dict(first.changes))
    assert second.changes["navigation.stops"] == ("Post Office", "Marrowby Zoo")
    assert second.changes["navigation.destination"] == "Marrowby Airport"
    places = Places.load()
    way = [places.destination(name) for name in ("post office", "zoo", "airport")]
    legs = [place.minutes(start) for place, start in zip(way, (None, *way), strict=False) if place]
    assert second.changes["navigation.minutes"] == sum(legs)
    assert second.answer == {"name": "Marrowby Zoo", "minutes": legs[1]}


def test_a_stop_without_a_route_is_the_destination() -> None:
    assert plan("add_stop", {"destination": "home"}).changes["navigation.destination"] == "Home"


NEEDED: dict[str, dict[str, Any]] = {
    "list_places": {"kind": "cafe"},
    "get_distance": {"destination": "home"},
    "get_contact": {"person": "anna"},
}


def test_answers_to_questions() -> None:
    assert plan("get_range").answer == {"range_km": 256, "charge_percent": 72, "fuel_km": 420, "fuel_percent": 60}
    assert plan("get_outside_temperature").answer == {"celsius": 12.0}
    assert plan("get_cabin_temperature").answer == {"celsius": 19.0, "target_celsius": 21.0}
    low = plan("get_tire_pressure", values={"tire.rear_left": 199, "tire.rear_right": 200}).answer
    assert low["low"] == ["rear left"]
    route = plan("get_navigation", values={"navigation.destination": "Home", "navigation.minutes": 4})
    assert route.answer == {"destination": "Home", "minutes": 4, "stops": []}
    for action in ACTIONS:
        if action.query and action.name in SIGNALS_OF:
            assert not plan(action.name, NEEDED.get(action.name)).changes


@pytest.mark.parametrize(
    ("name", "slots", "signal"),
    [
        ("change_volume", {"change": "up"}, "media.volume"),
        ("set_sunroof", {"percent": 5}, "sunroof.shade"),
        ("get_outside_temperature", {}, "outside.temperature"),
    ],
)
def test_what_must_be_known_and_is_not_is_an_error(name: str, slots: dict[str, Any], signal: str) -> None:
    with pytest.raises(AdapterError, match=f"does not report {signal}"):
        plan(name, slots, {signal: None})


@pytest.mark.parametrize("domain", list(Domain))
def test_an_action_without_a_plan_is_an_error(domain: Domain) -> None:
    unplanned = type("Unplanned", (Action,), {"name": "unplanned", "domain": domain, "description": ""})
    with pytest.raises(AdapterError, match="no plan for unplanned"):
        PLANNER.plan(unplanned(), VehicleState())


@pytest.mark.parametrize(("window", "but"), [("driver", "driver"), ("rear_left", "left"), ("front", "all")])
def test_no_window_at_all_is_refused(window: str, but: str) -> None:
    for name, how in (("set_window", {"percent": 0}), ("change_window", {"change": "open"})):
        made = plan(name, {"window": window, "but": but, **how})
        assert made.refusal.startswith("That leaves no window") and not made.changes


@pytest.mark.parametrize(
    ("name", "slots", "values", "words"),
    [
        ("seek", {"change": "back"}, {"media.source": "radio"}, "with music and podcasts"),
        ("seek", {"change": "forward"}, {}, "with music and podcasts"),
        ("set_playback", {"command": "restart"}, {"media.source": "radio"}, "with music and podcasts"),
        ("set_playback", {"command": "pause"}, {"media.source": "off"}, "Nothing is playing"),
        ("play_radio", {"station": "99.1"}, {}, "no station on that frequency"),
        ("play_radio", {"station": "marmalade"}, {}, "can't find that station"),
    ],
)
def test_what_cannot_be_played_is_refused(name: str, slots: dict[str, Any], values: dict[str, Any], words: str) -> None:
    assert words in plan(name, slots, values).refusal


def test_what_runs_on_proves_a_place_only_where_it_is_far() -> None:
    far = plan("seek", {"change": "back", "seconds": 60}, {**JAZZ, "media.position": 100})
    near = plan("seek", {"change": "forward", "seconds": 5}, {**JAZZ, "media.position": 100})
    assert set(far.proof) == {"media.position"} and not near.proof


def test_places_near_another_one_are_those_around_it_and_the_route_stays_when_they_are_only_told() -> None:
    airport = Places.load().destination("the airport")
    assert airport is not None
    told = plan("list_places", {"kind": "hotel", "near": "the airport"})
    assert told.answer["near"] == airport.name and not told.changes
    nearest = min((p for p in Places.load().places if p.kind == "hotel"), key=lambda place: place.road_km(airport))
    assert told.answer["places"][0] == {"name": nearest.name, "minutes": nearest.minutes()}
    went = plan("find_place", {"kind": "hotel", "near": "the airport"})
    assert went.changes["navigation.destination"] == nearest.name and went.answer["near"] == airport.name


@pytest.mark.parametrize("name", ["find_place", "list_places"])
def test_near_a_place_that_nobody_knows_nothing_is_looked_for(name: str) -> None:
    made = plan(name, {"kind": "cafe", "near": "the moon"})
    assert "near here" in made.refusal and not made.changes


@pytest.mark.parametrize(
    ("said", "celsius"),
    [({"fahrenheit": 68}, 20.0), ({"fahrenheit": 70, "zone": "driver"}, 21.0), ({"fahrenheit": 61}, 16.0)],
)
def test_fahrenheit_becomes_celsius_before_anybody_sees_it(said: dict[str, Any], celsius: float) -> None:
    action = parse_action("set_temperature", said)
    assert action.slots() == {"celsius": celsius, "zone": said.get("zone", "all")}


@pytest.mark.parametrize("said", [{"fahrenheit": 60}, {"fahrenheit": 90}, {"fahrenheit": 68, "celsius": 20}, {}])
def test_a_temperature_out_of_range_in_two_units_or_in_none_is_no_action(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        parse_action("set_temperature", said)
