"""What is disliked is never used as if it were liked, and what is liked at one time not at another: a real memory and car."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from schemas.actions import parse_action
from schemas.clock import StreamClock
from schemas.memory import Condition, ConditionKind, Preference, Sense
from schemas.seat import Seat
from tests.dialogues import FakeMatcher, FakeVehicle, Rig
from tests.memories import memory_of
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.service import GatedVehicle
from voice.dialogue.filling import fill
from voice.dialogue.memory.circumstances import Circumstances
from voice.dialogue.memory.sparing import Sparing

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def when(kind: ConditionKind, value: str) -> Condition:
    return Condition(kind=kind, value=value, words=f"when it is {value}")


MORNING, EVENING = when(ConditionKind.TIME_OF_DAY, "morning"), when(ConditionKind.TIME_OF_DAY, "evening")
MOTORWAY, RAIN = when(ConditionKind.ROAD, "motorway"), when(ConditionKind.WEATHER, "rain")
ALONE = when(ConditionKind.COMPANY, "alone")


class Drive:
    """A memory with these preferences, and a car."""

    def __init__(self, now: datetime = NOON, **values: Any) -> None:
        self.now = now
        self.memory = memory_of(clock=lambda: self.now)
        self.adapter = SimulatedVehicle(StreamClock())
        self.vehicle = Sparing(GatedVehicle(self.adapter, StreamClock()), Seat(self.memory), lambda: self.now)
        self.seen = Circumstances(now, UTC, values)

    def told(
        self, detail: str, value: str, sense: Sense = Sense.LIKES, conditions: tuple[Condition, ...] = ()
    ) -> Drive:
        number = len(self.memory.preferences(history=True))
        made = Preference(
            id=f"p{number}", detail=detail, value=value, sentences=(f"i told you about {value}",), conversation="c",
            confidence=1.0, valid_from=NOON - timedelta(days=1), sense=sense, conditions=conditions,
        )  # fmt: skip
        self.memory.session.store.add(made, NOON)
        self.memory.session.search.refresh()
        return self

    def filled(self, name: str, text: str, **slots: Any) -> dict[str, Any] | None:
        action = fill(self.memory, text, name, slots, self.seen).action
        return None if action is None else action.slots()

    def does(self, name: str, **slots: Any) -> dict[str, Any]:
        return asyncio.run(self.vehicle.act(parse_action(name, slots))).answer


@pytest.mark.parametrize("sense", [Sense.DISLIKES, Sense.AVOIDS])
@pytest.mark.parametrize(
    ("detail", "value", "name", "text", "slots"),
    [
        ("favorite_genres", "jazz", "play_music", "play some music", {}),
        ("favorite_artists_or_bands", "queen", "play_music", "play some music", {}),
        ("preferred_radio_station", "radio one", "play_radio", "turn on the radio", {}),
        ("favorite_podcast_shows", "hidden brain", "play_podcast", "play a podcast", {}),
        ("favourite_cuisine", "italian", "find_place", "find a restaurant", {"kind": "restaurant"}),
        ("preferred_gas_station", "shell", "find_place", "find a petrol station", {"kind": "gas_station"}),
        ("preferred_temperature", "24 degrees", "set_temperature", "set the temperature", {}),
        ("fan_speed_preferences", "high", "set_fan_speed", "set the fan", {}),
        ("seat_heating_preferences", "high", "set_seat_heating", "heat my seat", {}),
    ],
)
def test_what_is_disliked_fills_nothing(
    sense: Sense, detail: str, value: str, name: str, text: str, slots: dict[str, Any]
) -> None:
    liked = Drive().told(detail, value).filled(name, text, **slots)
    assert liked is not None
    assert Drive().told(detail, value, sense).filled(name, text, **slots) is None


def test_i_hate_jazz_is_not_followed_by_jazz() -> None:
    drive = Drive()
    assert drive.does("play_music")["genre"] == "jazz", "what this car plays by itself"
    drive.told("favorite_genres", "jazz", Sense.DISLIKES)
    assert drive.does("play_music")["genre"] != "jazz"
    asyncio.run(drive.adapter.write({"media.source": "off"}))
    for wish in (("set_playback", {"command": "play"}), ("set_media_source", {"source": "music"})):
        assert drive.does(wish[0], **wish[1])["genre"] != "jazz", wish
    assert drive.does("play_music", genre="jazz")["genre"] == "jazz", "asked for by its name it is played"


def test_of_what_is_liked_and_disliked_nothing_is_chosen() -> None:
    drive = Drive().told("favorite_genres", "jazz").told("favorite_genres", "jazz", Sense.DISLIKES)
    assert drive.filled("play_music", "play some music") is None
    assert drive.told("favorite_genres", "rock").filled("play_music", "play some music") == {"genre": "rock"}


def test_many_dislikes_do_not_hide_what_is_liked() -> None:
    drive = Drive()
    for genre in ("techno", "metal", "country", "rap", "gospel"):
        drive.told("favorite_genres", genre, Sense.DISLIKES)
    assert drive.told("favorite_genres", "soul").filled("play_music", "play some music") == {"genre": "soul"}


@pytest.mark.parametrize(
    ("detail", "value", "kind"),
    [("preferred_gas_station", "shell", "gas_station"), ("favourite_cuisine", "italian", "restaurant")],
)
def test_a_disliked_place_is_not_offered(detail: str, value: str, kind: str) -> None:
    drive = Drive()
    offered = [place["name"] for place in drive.does("list_places", kind=kind)["places"]]
    drive.told(detail, value, Sense.DISLIKES)
    left = [place["name"] for place in drive.does("list_places", kind=kind)["places"]]
    named = [place["name"] for place in drive.does("list_places", kind=kind, quality=value)["places"]]
    assert named and not set(named) & set(left) and left
    assert drive.does("find_place", kind=kind)["name"] not in named
    assert drive.does("find_place", kind=kind, quality=value)["name"] in named
    assert set(offered) & set(named), "it was offered before"


def test_a_road_type_is_avoided_as_before_and_one_that_is_liked_is_not() -> None:
    roads = "avoidance_of_specific_road_types"
    for sense in (Sense.AVOIDS, Sense.DISLIKES):
        filled = Drive().told(roads, "toll roads", sense).filled("set_route_preference", "change how you route me")
        assert filled == {"preference": "avoid_tolls"}, sense
    assert Drive().told(roads, "toll roads").filled("set_route_preference", "change how you route me") is None


# Conditions


@pytest.mark.parametrize(
    ("condition", "values", "used"),
    [
        (MORNING, {}, False),
        (when(ConditionKind.TIME_OF_DAY, "midday"), {}, True),
        (when(ConditionKind.TIME_OF_DAY, "other"), {}, False),
        (MOTORWAY, {}, False),
        (RAIN, {}, False),
        (RAIN, {"outside.rain": 0}, False),
        (RAIN, {"outside.rain": 40}, True),
    ],
)
def test_a_condition_has_to_hold(condition: Condition, values: dict[str, Any], used: bool) -> None:
    drive = Drive(**values).told("favorite_genres", "jazz", conditions=(condition,))
    assert (drive.filled("play_music", "play some music") is not None) == used


def test_what_counts_just_now_comes_before_what_always_does() -> None:
    drive = Drive(NOON.replace(hour=8)).told("preferred_radio_station", "radio four")
    drive.told("preferred_radio_station", "radio two", conditions=(MORNING,))
    assert drive.filled("play_radio", "turn on the radio") == {"station": "radio two"}
    drive.seen = Circumstances(NOON.replace(hour=18), UTC)
    assert drive.filled("play_radio", "turn on the radio") == {"station": "radio four"}


def test_a_dislike_at_another_time_counts_then_and_is_not_guessed_at() -> None:
    drive = Drive().told("favorite_genres", "jazz", Sense.DISLIKES, (EVENING,))
    assert drive.does("play_music")["genre"] == "jazz"
    drive.now = NOON.replace(hour=20)
    assert drive.does("play_music")["genre"] != "jazz"
    liked = Drive().told("favorite_genres", "jazz").told("favorite_genres", "jazz", Sense.DISLIKES, (MOTORWAY,))
    assert liked.filled("play_music", "play some music") is None, "it may be a motorway"


SYDNEY, LONDON = ZoneInfo("Australia/Sydney"), ZoneInfo("Europe/London")
FULL = {
    "seat.passenger.occupancy": "occupied",
    "seat.rear_left.occupancy": "empty",
    "seat.rear_right.occupancy": "empty",
}
EMPTY = dict.fromkeys(FULL, "empty")


@pytest.mark.parametrize(
    ("condition", "zone", "values", "holds"),
    [
        (when(ConditionKind.SEASON, "winter"), LONDON, {}, True),
        (when(ConditionKind.SEASON, "winter"), SYDNEY, {}, False),
        (when(ConditionKind.SEASON, "summer"), SYDNEY, {}, True),
        (when(ConditionKind.SEASON, "winter"), UTC, {}, None),
        (when(ConditionKind.TIME_OF_DAY, "weekday"), LONDON, {}, True),
        (when(ConditionKind.TIME_OF_DAY, "weekend"), LONDON, {}, False),
        (when(ConditionKind.TIME_OF_DAY, "night"), SYDNEY, {}, True),
        (when(ConditionKind.WEATHER, "hot"), LONDON, {"outside.temperature": 30.0}, True),
        (when(ConditionKind.WEATHER, "cold"), LONDON, {"outside.temperature": 30.0}, False),
        (when(ConditionKind.WEATHER, "cold"), LONDON, {}, None),
        (when(ConditionKind.WEATHER, "snow"), LONDON, {"outside.temperature": 30.0}, False),
        (when(ConditionKind.WEATHER, "fog"), LONDON, {"outside.temperature": 1.0}, None),
        (ALONE, LONDON, EMPTY, True),
        (ALONE, LONDON, FULL, False),
        (ALONE, LONDON, {}, None),
        (when(ConditionKind.COMPANY, "passengers"), LONDON, FULL, True),
        (when(ConditionKind.COMPANY, "children"), LONDON, FULL, None),
        (when(ConditionKind.COMPANY, "children"), LONDON, EMPTY, False),
        (when(ConditionKind.TRIP_PURPOSE, "commute"), LONDON, {"navigation.destination": "Work"}, True),
        (when(ConditionKind.TRIP_PURPOSE, "school"), LONDON, {"navigation.destination": "Work"}, False),
        (when(ConditionKind.TRIP_PURPOSE, "commute"), LONDON, {"navigation.destination": "home"}, None),
        (when(ConditionKind.TRIP_PURPOSE, "commute"), LONDON, {}, None),
        (when(ConditionKind.TRIP_PURPOSE, "long"), LONDON, {"navigation.destination": "x", "navigation.kilometers": 300}, True),
        (when(ConditionKind.TRIP_PURPOSE, "holiday"), LONDON, {"navigation.destination": "x"}, None),
        (MOTORWAY, LONDON, {}, None),
    ],
)  # fmt: skip
def test_what_the_car_knows_of_a_condition(
    condition: Condition, zone: ZoneInfo, values: dict[str, Any], holds: bool | None
) -> None:
    assert Circumstances(NOON, zone, values).holds(condition) is holds


# In a dialogue


def test_said_aloud_the_music_is_none_that_is_disliked() -> None:
    vehicle = FakeVehicle()
    rig = Rig(FakeMatcher(), vehicle)
    store = rig.memory.session.store
    for number, (value, sense) in enumerate((("jazz", Sense.DISLIKES), ("blues", Sense.LIKES))):
        made = Preference(
            id=f"p{number}", detail="favorite_genres", value=value, sentences=(), conversation="c", confidence=1.0,
            valid_from=rig.now, sense=sense,
        )  # fmt: skip
        store.add(made, rig.now)
    rig.say("play some music")
    assert rig.done == ["play_music(genre=blues)"] and vehicle.done[0].spares == ("jazz",)
