"""Sentences that state several things: what is taken apart, and what is left whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.learn.english.clauses import apart, own_words, statements
from memory.learn.english.kinds import split
from memory.learn.extraction import Extraction, Extractor
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Consent, Conversation, Turn

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MODEL = Path(__file__).parents[4] / "models" / "builtin" / "encoder"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I love Italian food and Thai food.", ["i love italian food", "i love thai food"]),
        ("i like jazz and i like italian food", ["i like jazz", "i like italian food"]),
        ("i love italian food. i also like jazz", ["i love italian food", "i also like jazz"]),
        ("i usually fill up at shell and shop at aldi", ["i usually fill up at shell", "i shop at aldi"]),
        (
            "remember that my favourite cuisine is thai and my favourite band is queen",
            ["my favourite cuisine is thai", "my favourite band is queen"],
        ),
        ("i'm a fan of jazz, soul and blues", ["i'm a fan of jazz", "i'm a fan of soul", "i'm a fan of blues"]),
        (
            "i only fill up at shell and i never take toll roads",
            ["i only fill up at shell", "i never take toll roads"],
        ),
        ("i always pay by card but i never pay cash", ["i always pay by card", "i never pay cash"]),
        ("i don't like tolls but i like ferries", ["i don't like tolls", "i like ferries"]),
    ],
)
def test_statements_are_taken_apart(text: str, told: list[str]) -> None:
    assert [one.text for one in statements(text)] == told


@pytest.mark.parametrize(
    "text",
    [
        "i love italian food",
        "i like italian food and my wife loves thai food",
        "i like pizza and could you find some",
        "i like pizza and find me some",
        "i love pizza but not sushi",
        "do you like jazz and soul?",
        "i like jazz because it is calm and slow",
        "i like fish and chips",
        "i like rock and roll",
        "play jazz and turn it up",
        "the food and the music were good",
        "i like ale and beer and cola and dew and egg and fizz and gin",
        "",
    ],
)
def test_what_is_anything_else_is_left_whole(text: str) -> None:
    assert statements(text) == ()


def test_names_are_not_taken_apart() -> None:
    one, other = statements("i like bob marley and the wailers")
    assert not apart(one, other, alike=True)
    one, other = statements("i like simon and garfunkel")
    assert not apart(one, other, alike=True) and not apart(one, other, alike=False)
    one, other = statements("i like thai food and jazz")
    assert apart(one, other, alike=False) and not apart(one, other, alike=True)
    one, other = statements("i like italian food and thai food")
    assert apart(one, other, alike=True)


def test_values_named_together_are_several_where_all_are_known() -> None:
    assert split("favourite_cuisine", "italian and thai") == ["italian", "thai"]
    assert split("favourite_cuisine", "meat and two veg") == ["meat and two veg"]
    assert split("favorite_artists_or_bands", "simon and garfunkel") == ["simon and garfunkel"]


# With the built-in encoder


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(OnnxEncoder(MODEL))


def read(extractor: Extractor, text: str, consent: Consent | None = None) -> Extraction:
    turn = Turn(speaker="driver", text=text, at=NOW)
    return extractor.extract(Conversation(id="c", turns=(turn,)), consent or Consent(), NOW)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("i love italian food and thai food", {("favourite_cuisine", "italian"), ("favourite_cuisine", "thai")}),
        ("i love italian food and jazz music", {("favourite_cuisine", "italian"), ("favorite_genres", "jazz")}),
        ("i like jazz and i like italian food", {("favorite_genres", "jazz"), ("favourite_cuisine", "italian")}),
    ],
)
def test_both_are_found_and_keep_the_whole_sentence(
    extractor: Extractor, text: str, values: set[tuple[str, str]]
) -> None:
    found = read(extractor, text)
    assert {(c.detail, c.value) for c in found.candidates} == values
    assert {c.sentence for c in found.candidates} == {text} and not found.unsure


def test_of_two_nothing_is_stored_that_is_switched_off(extractor: Extractor) -> None:
    off = Consent(opted_out=frozenset({"music"}))
    for text in ("i love italian food and jazz music", "i like jazz and i like italian food"):
        assert all(
            c.category.sub != "music"
            for c in (*read(extractor, text, off).candidates, *read(extractor, text, off).unsure)
        )


def test_what_somebody_else_likes_is_not_the_drivers(extractor: Extractor) -> None:
    for text in (
        "i like reading and swimming",
        "i love my job and my family",
    ):
        assert not read(extractor, text).candidates
    both = read(extractor, "i like italian food and my wife loves thai food")
    assert "thai" not in {candidate.value for candidate in (*both.candidates, *both.unsure)}


@pytest.mark.parametrize(("text", "own"), [
    ("and he goes, I can't abide motorways", "and he"),
    ("she was like I never shop at Tesco", ""),
    ("I love jazz, my wife says, “I hate it”", "I love jazz, my wife"),
    ("I told her, I listen to Radio Four", "I told her, I listen to Radio Four"),
    ("when she says, I take the motorway", "when she says, I take the motorway"),
    ("my doctor says I need to avoid salt", "my doctor says I need to avoid salt"),
    ("jazz is all I listen to", "jazz is all I listen to"),
    ("since the dog went, I park at home", "since the dog went, I park at home"),
])  # fmt: skip
def test_a_quotation_is_cut_off(text: str, own: str) -> None:
    assert own_words(text).strip() == own
