"""The call: what may stand in it, and what of it is read."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from memory.learn.calling import call, called, mentions
from schemas.preferences import BY_DETAIL, Mention, preference_model

JAZZ, STATION = "favorite_genres", "preferred_radio_station"
MUSIC = [detail for detail, category in BY_DETAIL.items() if category.sub == "music"]
REST = [detail for detail in BY_DETAIL if detail not in MUSIC]


def said(value: str, turn: int = 0) -> Mention:
    return Mention(turn=turn, value=value)


def test_a_call_is_an_instance_of_the_tree_of_what_may_be_remembered() -> None:
    made = call(
        {STATION: [said("kiss fm", 1)], JAZZ: [said("jazz"), said("blues")]}, BY_DETAIL, ["jazz and blues", "kiss fm"]
    )
    assert isinstance(made, preference_model(tuple(sorted(BY_DETAIL))))
    found = [(category.detail, one.turn, one.value) for category, one in mentions(made)]
    assert found == [(JAZZ, 0, "jazz"), (JAZZ, 0, "blues"), (STATION, 1, "kiss fm")]
    assert made.model_dump(exclude_none=True)["entertainment_and_media"]["music"][JAZZ][0] == {
        "turn": 0,
        "value": "jazz",
    }


@pytest.mark.parametrize("allowed", [REST, [d for d in BY_DETAIL if d != JAZZ], [STATION], []])
def test_a_forbidden_category_cannot_be_in_a_call(allowed: list[str]) -> None:
    schema = str(preference_model(tuple(sorted(allowed))).model_json_schema())
    assert JAZZ not in schema, "the model has no field for it"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        call({JAZZ: [said("jazz")]}, allowed, ["i love jazz"])
    assert called(JAZZ, 0, ["jazz"], allowed, ["i love jazz"]) == []


@pytest.mark.parametrize(("value", "turn"), [("polka", 0), ("jazz love", 0), ("jaz", 0), ("jazz", 1), ("jazz", 2)])
def test_a_value_that_was_not_said_in_its_turn_is_refused(value: str, turn: int) -> None:
    turns = ["i love jazz", "what a day"]
    with pytest.raises(ValueError, match="no run of words of its turn") as raised:
        call({JAZZ: [said(value, turn)]}, BY_DETAIL, turns)
    assert value not in str(raised.value)
    assert called(JAZZ, turn, [value], BY_DETAIL, turns) == []


@pytest.mark.parametrize(("detail", "values", "valid"), [(JAZZ, ["jazz", "blues", "jazz blues", "and"], True),
                                                         (STATION, ["jazz"], True), (STATION, ["jazz", "blues"], False),
                                                         (JAZZ, [""], False), (JAZZ, [], True)])  # fmt: skip
def test_a_category_with_one_value_holds_one(detail: str, values: list[str], valid: bool) -> None:
    assert called(detail, 0, values, BY_DETAIL, ["jazz blues and jazz"]) == (values if valid else [])


def test_a_call_without_mentions_is_empty() -> None:
    assert (
        call({}, BY_DETAIL, []).model_dump(exclude_none=True)
        == {}
        == call({JAZZ: []}, REST, []).model_dump(exclude_none=True)
    )
