"""The wording of preferences: every category, every value that the project knows, as the end of a sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.learn.english.phrasings import SAID_AS
from memory.learn.english.vocabulary import CLOSED
from schemas.memory import Preference
from schemas.preferences import BY_DETAIL, CATEGORIES
from voice.dialogue.memory.likes import LIKES, because

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def known(detail: str) -> list[str]:
    """Values that a preference of the category may have."""
    spoken = [value for _, value in SAID_AS.get(detail, ()) if "\\" not in value]
    closed = [value for _, value in CLOSED[detail].patterns] if detail in CLOSED else []
    return list(dict.fromkeys((*BY_DETAIL[detail].examples, *spoken, *closed)))


def worded(detail: str, value: str) -> str:
    return because(
        Preference(
            id="p", detail=detail, value=value, sentences=(), conversation="c", confidence=1.0, valid_from=NOW
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
