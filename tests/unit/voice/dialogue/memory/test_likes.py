"""The wording of preferences: every category, every value that the project knows, as the end of a sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.english.phrasings import SAID_AS
from memory.learn.english.vocabulary import CLOSED
from schemas.kinds import CONDITIONS
from schemas.memory import Condition, ConditionKind, Preference, Sense, usual
from schemas.preferences import BY_DETAIL, CATEGORIES
from voice.dialogue.memory.likes import HELD, LIKES, THINGS, as_written, because

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def known(detail: str) -> list[str]:
    """Values that a preference of the category may have."""
    spoken = [value for _, value in SAID_AS.get(detail, ()) if "\\" not in value]
    closed = [value for _, value in CLOSED[detail].patterns] if detail in CLOSED else []
    return list(dict.fromkeys((*BY_DETAIL[detail].examples, *spoken, *closed)))


def worded(detail: str, value: str, sense: Sense | None = None, conditions: tuple[Condition, ...] = ()) -> str:
    return because(
        Preference(
            id="p", detail=detail, value=value, sentences=(), conversation="c", confidence=1.0, valid_from=NOW,
            sense=sense or usual(detail), conditions=conditions,
        )
    )  # fmt: skip


def test_every_category_has_its_wording() -> None:
    assert set(LIKES) == {category.detail for category in CATEGORIES}


@pytest.mark.parametrize(("detail", "value"), [(d, v) for d in BY_DETAIL for v in known(d)])
def test_every_known_value_is_worded_and_not_just_named(detail: str, value: str) -> None:
    words = worded(detail, value)
    assert words.startswith(("you ", "the price of ")) and "{" not in words
    assert BY_DETAIL[detail].title.lower() + " is" not in words
    if value in ("yes", "no"):
        assert f" {value}" not in words


@pytest.mark.parametrize("detail", CLOSED)
def test_values_of_a_closed_category_are_told_apart(detail: str) -> None:
    values = {value for _, value in CLOSED[detail].patterns}
    assert len({worded(detail, value) for value in values}) == len(values)


def test_a_value_that_nobody_foresaw_is_still_said() -> None:
    assert worded("tolerance_for_traffic", "odd") == "your tolerance for traffic is odd"


@pytest.mark.parametrize(
    ("detail", "value", "sense", "said"),
    [
        ("favorite_genres", "country", Sense.DISLIKES, "you dislike country music"),
        ("favorite_genres", "folk music", Sense.DISLIKES, "you dislike folk music"),
        ("favorite_artists_or_bands", "queen", Sense.DISLIKES, "you dislike queen"),
        ("preferred_gas_station", "shell", Sense.AVOIDS, "you avoid shell"),
        ("avoidance_of_specific_road_types", "toll roads", Sense.AVOIDS, "you avoid toll roads"),
        ("avoidance_of_specific_road_types", "toll roads", Sense.DISLIKES, "you dislike toll roads"),
        ("avoidance_of_specific_road_types", "toll roads", Sense.LIKES, "you don't mind toll roads"),
        ("dietary_preference", "gluten free", Sense.NEEDS, "you need gluten free food"),
        ("fan_speed_preferences", "high", Sense.DISLIKES, "you dislike the fan on high"),
        ("preferred_temperature", "18 degrees", Sense.NEEDS, "you need it at 18 degrees"),
        ("preferred_payment_method", "cash", Sense.DISLIKES, "you would rather not pay for meals in cash"),
        ("preferred_payment_method", "cash", Sense.NEEDS, "you need to pay for meals in cash"),
        ("need_for_handicapped_accessible_parking", "yes", Sense.NEEDS, "you need an accessible parking space"),
        ("tolerance_for_traffic", "low", Sense.DISLIKES, "your tolerance for traffic is not low"),
    ],
)
def test_what_is_not_liked_is_never_said_to_be(detail: str, value: str, sense: Sense, said: str) -> None:
    assert worded(detail, value, sense) == said


@pytest.mark.parametrize("detail", BY_DETAIL)
@pytest.mark.parametrize("sense", [Sense.DISLIKES, Sense.AVOIDS, Sense.NEEDS])
def test_every_sense_of_every_category_is_told_apart_from_liking(detail: str, sense: Sense) -> None:
    for value in known(detail):
        words = worded(detail, value, sense)
        if sense is not usual(detail) and sense is not Sense.NEEDS:
            assert words != worded(detail, value) and not words.startswith("you like"), value
    assert set(THINGS) <= set(BY_DETAIL)


def test_when_it_holds_is_said_in_the_drivers_words() -> None:
    morning = Condition(kind=ConditionKind.TIME_OF_DAY, value="morning", words="in the morning")
    wife = Condition(kind=ConditionKind.COMPANY, value="other", words="when my wife is with me")
    bare = Condition(kind=ConditionKind.SEASON, value="winter", words="")
    assert worded("preferred_radio_station", "radio two", None, (morning,)) == "you listen to radio two in the morning"
    assert worded("favorite_genres", "jazz", None, (wife,)) == "you like jazz when your wife is with you"
    assert worded("favorite_genres", "jazz", Sense.DISLIKES, (bare,)) == "you dislike jazz music in winter"
    assert set(HELD) == {value for values in CONDITIONS.values() for value in values}


@pytest.mark.parametrize(
    ("value", "said"),
    [("level 3", "parking on level 3"), ("the top floor", "parking on the top floor"), ("free", "free parking")],
)
def test_a_storey_is_no_kind_of_parking(value: str, said: str) -> None:
    assert worded("preferred_parking_type", value) == f"you like {said}"
    assert worded("preferred_parking_type", value, Sense.DISLIKES) == f"you dislike {said}"


def test_a_name_has_the_capitals_of_the_drivers_own_words() -> None:
    assert as_written("you like willie nelson", "willie nelson", ["I like Willie Nelson"]) == "you like Willie Nelson"
    assert as_written("you like it at 22 degrees", "22 degrees", ["Twenty two, please"]) == "you like it at 22 degrees"
    assert (
        as_written("you need an accessible parking space", "yes", ["Yes, I do"])
        == "you need an accessible parking space"
    )


@pytest.mark.parametrize(
    ("kind", "value", "words", "said"),
    [
        (ConditionKind.TIME_OF_DAY, "morning", "morning", "in the morning"),
        (ConditionKind.TIME_OF_DAY, "morning", "mornings", "in the mornings"),
        (ConditionKind.SEASON, "winter", "come december", "come december"),
        (ConditionKind.TIME_OF_DAY, "weekend", "Sunday mornings", "on Sunday mornings"),
        (ConditionKind.TIME_OF_DAY, "weekend", "weekends", "at weekends"),
        (ConditionKind.TIME_OF_DAY, "night", "nights", "at night"),
        (ConditionKind.TIME_OF_DAY, "midday", "lunchtime", "at lunchtime"),
        (ConditionKind.TIME_OF_DAY, "afternoon", "Round about teatime", "around teatime"),
        (ConditionKind.TIME_OF_DAY, "night", "late at night", "late at night"),
        (ConditionKind.TIME_OF_DAY, "morning", "First thing", "first thing"),
        (ConditionKind.SEASON, "summer", "summer", "in summer"),
        (ConditionKind.SEASON, "winter", "Christmas", "at Christmas"),
        (ConditionKind.WEATHER, "rain", "rain", "when it rains"),
        (ConditionKind.COMPANY, "passengers", "Jess", "with others in the car"),
        (ConditionKind.COMPANY, "other", "the dog", "with the dog"),
        (ConditionKind.COMPANY, "passengers", "When I'd taken Jess along", "when you'd taken Jess along"),
        (ConditionKind.TRIP_PURPOSE, "school", "the school run", "on the way to school"),
        (ConditionKind.TRIP_PURPOSE, "school", "On the school run", "on the school run"),
        (ConditionKind.ROAD, "motorway", "motorways", "on the motorway"),
    ],
)
def test_a_condition_reads_as_a_person_would_say_it(kind: ConditionKind, value: str, words: str, said: str) -> None:
    when = Condition(kind=kind, value=value, words=words)
    assert worded("favorite_genres", "soul", None, (when,)) == f"you like soul {said}"


def test_a_garage_is_not_called_parking_twice() -> None:
    assert worded("preferred_parking_type", "parking garage", Sense.AVOIDS) == "you avoid parking garages"
    assert worded("preferred_parking_type", "park and ride") == "you like park and ride"
    assert worded("preferred_parking_type", "valet", Sense.DISLIKES) == "you dislike valet parking"
