"""Kinds of road that are turned down, allowed again, or only asked about."""

from __future__ import annotations

import pytest

from models.acts.spelling import read, write
from models.text import spoken
from schemas.manners import METRIC
from voice.dialogue.acts import roads
from voice.dialogue.acts.seen import seen

HIGHWAYS, TOLLS = "set_route_preference(preference=avoid_highways)", "set_route_preference(preference=avoid_tolls)"
FASTEST = "set_route_preference(preference=fastest)"


def put(text: str, acts: str, now: str = "avoid_highways") -> tuple[str, tuple[str, ...]]:
    found = seen(spoken(text), read(acts), {"navigation.preference": now, "window.driver": 15}, METRIC)
    return write(found.acts) if found.acts else "", found.says


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("include highways in my route", "add_stop(destination=highways)"),
        ("include freeways in my route", "add_charging_stops()"),
        ("you can use motorways again", HIGHWAYS),
        ("motorways are okay now", HIGHWAYS),
        ("stop avoiding the motorway", HIGHWAYS),
        ("i don't mind motorways", HIGHWAYS),
        ("no longer avoid motorways please", HIGHWAYS),
        ("take the motorway", HIGHWAYS),
    ],
)
def test_an_allowed_road_ends_its_avoiding(text: str, acts: str) -> None:
    assert put(text, acts) == (FASTEST, ())
    assert put(text, acts, "avoid_ferries") == ("", ("I am not avoiding motorways.",))


@pytest.mark.parametrize(
    "text",
    [
        "avoid motorways again",
        "i'd rather not take the motorway",
        "use no motorways please",
        "can you avoid the motorway",
        "find me a way without motorways",
        "take the back roads instead of the motorway",
        "motorways are not okay",
    ],
)
def test_a_road_that_is_turned_down_stays_so(text: str) -> None:
    assert put(text, HIGHWAYS, "fastest") == (HIGHWAYS, ())


def test_each_road_has_its_own_way() -> None:
    assert roads.allowed("avoid tolls but motorways are fine") == {"avoid_tolls": False, "avoid_highways": True}
    assert roads.allowed("motorways and tolls are fine") == {"avoid_tolls": True, "avoid_highways": True}
    assert roads.allowed("avoid tolls and ferries") == {"avoid_tolls": False, "avoid_ferries": False}


@pytest.mark.parametrize(
    ("text", "acts", "told"),
    [
        ("does that avoid motorways?", HIGHWAYS, "I am avoiding motorways."),
        ("are we avoiding tolls?", "get_routes()", "I am not avoiding toll roads."),
        ("will this take the motorway", HIGHWAYS, "I am avoiding motorways."),
        ("do we use any toll roads", TOLLS, "I am not avoiding toll roads."),
    ],
)
def test_a_question_about_the_way_is_answered_and_sets_nothing(text: str, acts: str, told: str) -> None:
    assert put(text, acts) == ("", (told,))


@pytest.mark.parametrize(
    ("text", "acts", "meant"),
    [
        ("is the window still open a bit?", "change_window(window=driver,change=open)", "get_openings()"),
        ("are the reading lights off now", "set_reading_light(zone=all,on=false)", "get_lights()"),
        ("is my seat still heated", "set_seat_heating(level=2)", "get_seats()"),
        ("is it possible to have the window open a bit", "change_window(window=driver,change=open)",
         "change_window(window=driver,change=open)"),
        ("is it too warm with the heating on", "change_temperature(change=down)", "change_temperature(change=down)"),
        ("can the window be opened a bit please", "change_window(window=driver,change=open)",
         "change_window(window=driver,change=open)"),
    ],
)  # fmt: skip
def test_a_question_how_something_stands_changes_nothing(text: str, acts: str, meant: str) -> None:
    assert put(text, acts)[0] == meant
