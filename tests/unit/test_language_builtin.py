"""The language model that ships: plain cases. What it can do beyond them stands in its model card."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.runtime.llamacpp import LlamaCppModel
from models.structured import Structured
from schemas.actions import action_model, actions_of
from schemas.memory import MaintenanceChoice
from schemas.preferences import preference_model

PATH = Path(__file__).parents[2] / "models/builtin/language/glovebox.gguf"


@pytest.fixture(scope="module")
def structured() -> Structured:
    return Structured(LlamaCppModel(PATH, threads=1))


def test_it_is_ours_and_small() -> None:
    assert PATH.stat().st_size < 8_000_000
    assert LlamaCppModel(PATH, threads=1).own


CLIMATE = ("set_temperature", "change_temperature", "set_fan_speed", "set_seat_heating")
MEDIA = ("play_music", "play_radio", "play_podcast")
PLACES = ("find_place", "navigate_to", "add_stop")
OPENINGS = ("set_window", "set_sunroof", "set_trunk")


PLAIN = [
    (CLIMATE, "make it twenty one degrees", [], "set_temperature(celsius=21.0, zone=all)"),
    (CLIMATE, "i'm freezing", [], "change_temperature(change=up, zone=all)"),
    (MEDIA, "play something", ["favorite_genres: jazz"], "play_music(genre=jazz)"),
    (MEDIA, "put on some music i like", ["favorite_genres: smooth jazz"], "play_music(genre=smooth jazz)"),
    (PLACES, "i'm hungry", ["favourite_cuisine: italian"], "find_place(kind=restaurant, quality=italian)"),
    (PLACES, "find me a restaurant", [], "find_place(kind=restaurant)"),
    (PLACES, "take me to the airport", [], "navigate_to(destination=the airport)"),
    (OPENINGS, "close the sunroof", [], "set_sunroof(percent=0)"),
    (OPENINGS, "tell me a joke", [], ""),
]
"""Actions offered, what is said, what is remembered, what should be done."""


def test_most_plain_requests_are_done_and_all_answers_are_valid(structured: Structured) -> None:
    right = 0
    for names, request_text, facts, expected in PLAIN:
        filled = structured.fill("act", action_model(names), turns=[request_text], facts=facts)
        right += ", ".join(action.describe() for action in actions_of(filled)) == expected
    assert structured.valid == structured.calls >= len(PLAIN)
    assert right >= 6, "the shipped model does six of these nine; which it fails is in its card"


@pytest.mark.parametrize(
    ("details", "turns", "expected"),
    [
        (("favorite_genres", "favorite_songs"), ["i'm a huge jazz fan"], [("favorite_genres", 0, "jazz")]),
        (("preferred_gas_station", "price_sensitivity_for_fuel"), ["i always fill up at shell"],
         [("preferred_gas_station", 0, "shell")]),
        (("preferred_charging_network", "charging_station_onsite_amenities"),
         ["take me home", "i always charge at grenvolt stations"], [("preferred_charging_network", 1, "grenvolt")]),
        (("favorite_genres", "favourite_cuisine"), ["what's the capital of france"], []),
    ],
)  # fmt: skip
def test_a_plain_preference(
    structured: Structured, details: tuple[str, ...], turns: list[str], expected: list[tuple[str, int, str]]
) -> None:
    data = structured.fill("extract", preference_model(details), turns=turns).model_dump(exclude_none=True)
    found = [
        (detail, mention["turn"], mention["value"])
        for main in data.values() for sub in main.values() for detail, said in sub.items() for mention in said
    ]  # fmt: skip
    assert found == expected


def test_plain_maintenance(structured: Structured) -> None:
    old = ["category: preferred_temperature", "0: twenty one degrees"]
    cases = [
        ([*old, "new: twenty four degrees"], {"decision": "update", "entry": 0}),
        (["category: favorite_genres", "0: jazz", "new: jazz"], {"decision": "pass", "entry": 0}),
    ]
    for facts, expected in cases:
        sentence = "i like " + facts[-1].removeprefix("new: ")
        filled = structured.fill("maintain", MaintenanceChoice, turns=[sentence], facts=facts)
        assert filled == MaintenanceChoice.model_validate(expected)


def test_everything_it_wrote_was_valid(structured: Structured) -> None:
    structured.fill("act", action_model(CLIMATE), turns=["it's a bit chilly"])
    assert structured.calls == structured.valid > 0
