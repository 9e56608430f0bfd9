"""What is said: every action has words for being done, every question for its answer, and they are short and speakable."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from models.commands.templates import Templates, load_templates
from schemas.actions import ACTIONS, BY_NAME, Domain, parse_action
from schemas.actions.said import place
from schemas.events import ActionResult, ActionStatus, CommandKind, Ruling, Verdict
from voice.dialogue.replies import responder, unknown
from voice.dialogue.replies.answers import minutes_words, reaches, seconds_words

ALLOWED = Ruling(verdict=Verdict.ALLOW, rule="test", reason="", source="test")
PLACE = {"name": "Thai Garden", "minutes": 6}
TOLD: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("navigate_to", "find_place", "find_on_route", "add_stop", "change_destination"), PLACE),
    "replace_stop": {**PLACE, "replaced": "Harbour"},
    "remove_stop": {"name": "Harbour"},
    "get_distance": {**PLACE, "km": 4.5},
    "list_places": {"kind": "cafe", "places": [PLACE, {"name": "Corner", "minutes": 61}]},
    "get_routes": {"routes": [{"number": 1, "name": "fastest", "km": 12.0, "minutes": 15, "toll": True}]},
    "choose_route": {"number": 2, "name": "shortest", "km": 11.0, "minutes": 20, "toll": False},
    "add_charging_stops": {"stops": ["Ionity North"], "charge_percent": 40},
    **{name: {"title": "Blue Lane"} for name in ("play_music", "play_radio", "play_podcast", "play_playlist", "play_favorites")},
    "get_playing": {"source": "music", "title": "Blue Lane", "artist": "The Copper Lanterns", "playing": True},
    "get_range": {"range_km": 320, "charge_percent": 80},
    "get_charging": {"charging": True, "plugged": True, "percent": 40, "to_percent": 80, "minutes": 95},
    "get_tire_pressure": {"low": ["front left"], "kpa": {}},
    "get_outside_temperature": {"celsius": 4.5},
    "get_cabin_temperature": {"celsius": 19.0, "target_celsius": 21.0},
    "get_navigation": {"destination": "Harbour", "minutes": 12, "stops": ["Thai Garden"]},
    "get_climate": {"celsius": 21.0, "passenger_celsius": 21.0, "fan": 2, "airflow": "face_and_feet",
                    "air_conditioning": True, "recirculation": True, "defrost": ["front"], "on": True, "auto": False},
    "get_seats": {"heating": {"driver": 2, "passenger": 0, "wheel": 1}, "occupied": ["driver", "rear_left"]},
    "get_openings": {"open": {"window.driver": 40.0, "trunk.position": 100.0}, "doors_open": ["rear_left"], "locked": False},
    "get_lights": {"on": ["ambient.on", "low_beam"], "color": "blue"},
    "get_car": {"km": 48210, "color": "red", "speed_kmh": 52},
    "get_warnings": {"warnings": ["the front left tyre is low", "the washer fluid is low"]},
    "get_time": {"time": "17:05", "date": "2026-11-21", "weekday": "saturday"},
    "get_weather": {"day": "today", "place": "Oakfield", "sky": "cloudy", "low": 3.0, "high": 9.5, "rain_percent": 40},
    "get_capabilities": {"about": None, "can": ["set_temperature", "set_window", "play_music"]},
    "set_timer": {"label": "tea", "seconds": 150, "at": "17:05"},
    "set_reminder": {"what": "buy milk", "label": "buy milk", "seconds": 600, "at": "17:15"},
    "get_timers": {"kind": "timer", "timers": [{"label": "", "seconds": 90, "at": "17:05"}]},
    "cancel_timer": {"kind": "timer", "cancelled": [""]},
    "get_calendar": {"day": "today", "entries": [{"title": "Dentist", "at": "15:00", "place": "Mill Lane"}]},
    "get_contact": {"name": "Anna", "part": "phone", "value": "0170 123"},
    "undo": {"undone": "set_fan_speed"},
}  # fmt: skip
"""What a vehicle answers, in the form of ``vehicle.planning``."""


@pytest.fixture(scope="module")
def templates() -> Templates:
    return load_templates()


def said(name: str, slots: dict[str, Any], told: dict[str, Any]) -> str:
    action = parse_action(name, slots)
    result = ActionResult(action=action, status=ActionStatus.DONE, ruling=ALLOWED, answer=told)
    return responder.report([result])


@pytest.mark.parametrize("name", [action.name for action in ACTIONS if action.domain is not Domain.MEMORY])
def test_every_action_is_answered_in_a_short_sentence(templates: Templates, name: str) -> None:
    drawn = templates.sample(np.random.default_rng(3), 40, intents=[name])
    for slots in (command.slots for _, command in drawn if command.kind is CommandKind.ACTION):
        text = said(name, slots, TOLD.get(name, {}))
        assert re.fullmatch(r"[A-Z0-9][^_{}\[\]]{2,}\.", text), text
        assert len(text) <= 170, text
        assert "None" not in text and "  " not in text, text
        assert BY_NAME[name].done or text != "Done.", f"{name} has no words of its own"


@pytest.mark.parametrize("name", [name for name in TOLD if not BY_NAME[name].done])
def test_an_answer_that_holds_nothing_is_still_a_sentence(templates: Templates, name: str) -> None:
    """A car that answers less than it could: nothing raises, and nothing is made up."""
    bare = {
        "list_places": {"places": []}, "get_car": {"km": 1, "color": "red", "speed_kmh": 0}, "get_time": TOLD["get_time"],
        "get_weather": {"sky": "clear", "low": 1.0, "high": 2.0}, "set_timer": TOLD["set_timer"],
        "set_reminder": TOLD["set_reminder"], "get_contact": {"name": "Anna", "value": ""},
        "get_climate": {"on": False},
    }.get(name, {})  # fmt: skip
    _, command = templates.sample(np.random.default_rng(5), 1, intents=[name])[0]
    text = said(name, command.slots, bare)
    assert text.endswith(".") and "None" not in text


@pytest.mark.parametrize(
    ("name", "slots", "told", "text"),
    [
        ("change_temperature", {"change": "up", "by": 2.0, "zone": "rear"}, {}, "Making it warmer by 2 degrees in the back."),
        ("change_window", {"change": "open"}, {}, "Opening your window a little."),
        ("set_window", {"window": "front", "percent": 35}, {}, "The front windows to 35 percent."),
        ("set_window", {"window": "all", "but": "driver", "percent": 100}, {}, "Opening all windows but yours."),
        ("change_window", {"window": "all", "but": "rear", "change": "close"}, {},
         "Closing all windows but those in the back a little."),
        ("set_reading_light", {"zone": "rear", "on": True}, {}, "Reading lights in the back on."),
        ("set_reading_light", {"zone": "all", "on": False}, {}, "All reading lights off."),
        ("change_sunroof", {"change": "close", "by": 20}, {}, "Closing the sunroof by 20 percent."),
        ("set_charge_timer", {"hour": 9, "minute": 30, "half": "pm"}, {},
         "I'll begin to charge at 9:30 in the evening."),
        ("set_charge_timer", {"on": False}, {}, "No charging timer."),
        ("find_place", {"kind": "gas_station"}, {}, "I know of no petrol station around here."),
        ("get_distance", {"destination": "thai garden"}, {**PLACE, "km": 4.5},
         "Thai Garden is 4.5 kilometres, 6 minutes away."),
        ("get_routes", {}, TOLD["get_routes"], "1: the fastest, 15 minutes, 12 kilometres, with tolls."),
        ("get_openings", {"part": "all"}, TOLD["get_openings"],
         "Your window is 40 percent open, the trunk and the rear left door are open; the doors are unlocked."),
        ("get_openings", {}, {"open": {"window.rear_left": 2.0}}, "The rear left window is 2 percent open."),
        ("get_openings", {}, {"open": {f"window.{side}": 3 for side in ("driver", "passenger", "rear_left", "rear_right")}},
         "All windows are 3 percent open."),
        ("get_openings", {}, {"open": {"trunk.position": None}}, "The trunk is partly open."),
        ("change_steering_wheel_heating", {"change": "down"}, {}, "Making the steering wheel cooler."),
        ("get_openings", {"part": "windows"}, {"open": {}}, "All closed."),
        ("get_seats", {"part": "occupancy"}, {"occupied": ["driver", "rear_left"]},
         "You, and somebody in the rear left seat."),
        ("get_lights", {}, TOLD["get_lights"], "On: the ambient light in blue, the headlights."),
        ("get_climate", {}, {"celsius": 25.0, "passenger_celsius": 21.5}, "25 degrees on your side, 21.5 on the passenger's."),
        ("get_climate", {}, {"celsius": 21.0, "passenger_celsius": 21.0}, "21 degrees on both sides."),
        ("get_climate", {}, {"celsius": 21.0}, "21 degrees."),
        ("get_climate", {}, {"passenger_celsius": 21.0}, "21 degrees on the passenger's side."),
        ("get_weather", {"day": "tomorrow", "hour": 3}, {"at": "15:00", "sky": "light rain", "celsius": 12, "rain_percent": 60},
         "Tomorrow at 3 o'clock in the afternoon: light rain, 12 degrees, 60 percent chance of rain."),
        ("get_weather", {"hour": 3}, {**TOLD["get_weather"], "hour_unknown": True},
         "I only know the whole day. Today in Oakfield: cloudy, 3 to 9.5 degrees, 40 percent chance of rain."),
        ("list_places", {"kind": "hotel", "near": "the airport"},
         {"places": [{"name": "Terminal Inn", "minutes": 9}], "near": "Marrowby Airport"},
         "Near Marrowby Airport there is Terminal Inn, 9 minutes away."),
        ("list_places", {"kind": "bakery", "near": "the airport"}, {"places": []}, "I know of no bakery near the airport."),
        ("find_place", {"kind": "bakery", "near": "the airport"}, {}, "I know of no bakery near the airport."),
        ("find_place", {"kind": "gas_station", "quality": "cheaper", "near": "station"}, {},
         "I know of no cheaper petrol station near the station."),
        ("find_place", {"kind": "gas_station", "quality": "nearest", "near": "there"}, {}, "I know of no petrol station there."),
        ("navigate_to", {"destination": "xyzzy"}, {}, "I don't know of xyzzy around here."),
        ("navigate_to", {"destination": "nearest servo"}, {}, "I know of no servo around here."),
        ("navigate_to", {"destination": "mum's"}, {},
         "I don't have an address for your mum. Tell me where it is, and I'll take you."),
        ("navigate_to", {"destination": "boyfriends"}, {},
         "I don't have an address for your boyfriend. Tell me where it is, and I'll take you."),
        ("add_stop", {"destination": "my brother jim's house"}, {},
         "I don't have an address for your brother jim. Tell me where it is, and I'll take you."),
        ("get_distance", {"destination": "my mum and dad's place"}, {}, "I don't have an address for your mum and dad."),
        ("navigate_to", {"destination": "the three brothers"}, {}, "I don't know of the three brothers around here."),
        ("navigate_to", {"destination": "them"}, {}, "I'm not sure which place you mean."),
        ("navigate_to", {"destination": "a cheaper one"}, {}, "I'm not sure which place you mean."),
        ("get_time", {"part": "date"}, TOLD["get_time"], "It is Saturday, 21 November."),
        ("set_timer", {"minutes": 2}, TOLD["set_timer"], "Timer for tea: 2 minutes 30 seconds."),
        ("get_charging", {"minutes": 30}, {"after_minutes": 30, "percent_then": 62},
         "In 30 minutes it will be at 62 percent."),
        ("get_capabilities", {}, TOLD["get_capabilities"],
         "You can ask for the climate, windows, roof and doors, music and radio."),
        ("get_warnings", {}, {"warnings": []}, "Everything is fine."),
    ],
)  # fmt: skip
def test_words(name: str, slots: dict[str, Any], told: dict[str, Any], text: str) -> None:
    assert said(name, slots, told) == text


def test_lengths_of_time() -> None:
    assert [minutes_words(m) for m in (1, 25, 60, 125)] == ["1 minute", "25 minutes", "1 hour", "2 hours 5"]
    assert [seconds_words(s) for s in (45, 60, 150, 3600)] == [
        "45 seconds",
        "1 minute",
        "2 minutes 30 seconds",
        "1 hour",
    ]


def test_what_the_car_lacks_is_named() -> None:
    assert responder.lacks(("set_seat_massage",)) == "This car has no seat massage."
    assert responder.lacks(("undo",)) == "This car can't do that."


def done(name: str, *, already: bool = False, **slots: Any) -> ActionResult:
    return ActionResult(action=parse_action(name, slots), status=ActionStatus.DONE, ruling=ALLOWED, already=already)


def test_what_was_taken_back_is_named() -> None:
    undo = done("undo").model_copy(update={"answer": {"undone": "change_volume"}})
    assert responder.told([undo]) == "Volume as it was before."
    assert responder.told([done("change_volume", change="down"), undo]) == "Turning it down. Volume as it was before."


@pytest.mark.parametrize(
    ("name", "thing"),
    [("navigate_to", "Route"), ("play_music", "Music"), ("change_volume", "Volume"), ("set_window", "Window")],
)
def test_what_is_put_back_is_called_by_a_thing(name: str, thing: str) -> None:
    assert responder.called(BY_NAME[name]) == thing


@pytest.mark.parametrize(
    ("km", "told", "reply"),
    [
        (100, {"range_km": 256}, "That is enough to get there and back."),
        (200, {"range_km": 256}, "That is enough to get there, but not back."),
        (100, {"range_km": 40, "fuel_km": 30}, "That is not enough to get there."),
        (None, {"range_km": 256}, ""),
        (100, {}, ""),
    ],
)
def test_whether_the_range_reaches(km: float | None, told: dict[str, Any], reply: str) -> None:
    assert reaches({"km": km}, told) == reply


def test_what_a_place_is_not_to_be_like_is_said_behind_it() -> None:
    slots = {"kind": "charging_station", "quality": "nothing too pricey"}
    assert unknown.place(slots) == "I know of no charger around here that is not too pricey"
    assert place(slots) == "a charger that is not too pricey"


def test_the_same_for_both_in_front_is_one_sentence() -> None:
    driver, passenger = (done("set_seat_heating", level=3, zone=zone) for zone in ("driver", "passenger"))
    assert responder.told([driver, passenger]) == "Seat heating high in front."
    assert responder.questions([driver.action, passenger.action]) == "Shall I set the seat heating to high in front?"
    colder = done("set_seat_heating", level=1, zone="passenger")
    assert responder.told([driver, colder]) == "Seat heating high. Seat heating low on the passenger's side."


@pytest.mark.parametrize(
    ("name", "slots", "text"),
    [
        ("set_window", {"window": "driver", "percent": 100}, "Your window is open already."),
        ("set_window", {"window": "all", "percent": 0}, "All windows are closed already."),
        ("set_window", {"window": "driver", "percent": 40}, "Your window is at 40 percent already."),
        ("set_sunroof", {"percent": 0}, "The sunroof is closed already."),
        ("set_trunk", {"open": False}, "The trunk is closed already."),
        ("change_volume", {"change": "up"}, "Volume: it goes no higher."),
        ("set_door_locks", {"locked": True}, "Doors locked already."),
        ("set_playback", {"command": "pause"}, "Paused already."),
    ],
)
def test_what_was_so_before_is_not_told_as_if_it_moved(name: str, slots: dict[str, Any], text: str) -> None:
    assert responder.told([done(name, already=True, **slots)]) == text


@pytest.mark.parametrize(
    ("said", "name", "spoken"),
    [("priya", "Priya Nair", "Calling Priya."), ("priya nair", "Priya Nair", "Calling Priya Nair."),
     ("my boss", "Priya Nair", "Calling your boss.")],
)  # fmt: skip
def test_who_is_called_is_told_in_their_own_spelling(said: str, name: str, spoken: str) -> None:
    result = done("call_contact", person=said).model_copy(update={"answer": {"name": name}})
    assert responder.report([result]) == spoken


@pytest.mark.parametrize(
    ("at", "spoken"),
    [("00:52", "12:52 at night"), ("12:52", "12:52 tomorrow afternoon"), ("09:00", "9 o'clock tomorrow morning")],
)
def test_the_hour_after_midnight_is_no_morning(at: str, spoken: str) -> None:
    told = {"what": "go home", "at": at, "tomorrow": True}
    result = done("set_reminder", what="go home", hour=9).model_copy(update={"answer": told})
    assert responder.report([result]) == f"I'll remind you at {spoken}: go home."


@pytest.mark.parametrize(
    ("at", "spoken"), [("00:52", "12:52 at night on Tuesday"), ("09:00", "9 o'clock on Tuesday morning")]
)
def test_another_day_of_the_week_is_named(at: str, spoken: str) -> None:
    told = {"what": "go home", "at": at, "tomorrow": False, "day": "tuesday"}
    result = done("set_reminder", what="go home", hour=9).model_copy(update={"answer": told})
    assert responder.report([result]) == f"I'll remind you at {spoken}: go home."
