"""Numbers in words: what is said can be read again, and what is read is no more than was said."""

from __future__ import annotations

import re

import pytest

from models.numbers import NUMBER, mhz_of, mhz_words, number_at, number_of, number_words, numbers
from models.text import normal, spoken, words


@pytest.mark.parametrize("number", range(1, 100))
def test_what_is_said_is_read_again(number: int) -> None:
    said = number_words(number)
    assert re.fullmatch(NUMBER, said)
    assert number_of(said) == number
    assert number_at(said.split(), 0) == number


@pytest.mark.parametrize(
    ("text", "at", "number"),
    [
        ("twenty one and a half degrees", 0, 21.5),
        ("twenty one and a half degrees", 1, 1.5),
        ("twenty and half", 0, 20.5),
        ("nineteen point five", 0, 19.5),
        ("22 point 5", 0, 22.5),
        ("one hundred", 1, 100),
        ("degrees", 0, None),
        ("2026", 0, None),
    ],
)
def test_a_number_goes_as_far_as_its_words(text: str, at: int, number: float | None) -> None:
    assert number_at(text.split(), at) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty one and a half degrees", {20.0, 1.0, 21.0, 21.5}),
        ("nineteen point five", {19.0, 5.0, 19.5}),
        ("to 21.5 please", {21.5}),
        ("one hundred percent", {1.0, 100.0}),
        ("no number at all", set[float]()),
    ],
)
def test_numbers_are_read_in_words_and_digits(text: str, expected: set[float]) -> None:
    assert expected <= numbers(text)
    assert bool(numbers(text)) == bool(expected)


def test_the_normal_form_is_that_of_the_vaults() -> None:
    assert normal("  I don\u2019t  LIKE `Jazz`, Stra\u00dfe! ") == "i don't like 'jazz', strasse!"
    assert words("AC/DC, rock'n'roll & 22.5") == ("ac", "dc", "rock'n'roll", "22", "5")
    assert spoken("Set it to 22.5\u00b0C!") == "set it to twenty two point five degrees celsius"


@pytest.mark.parametrize(
    ("said", "mhz"),
    [
        ("ninety eight point five", 98.5),
        ("98.5", 98.5),
        ("98.5 fm", 98.5),
        ("radio one oh two point two", 102.2),
        ("one hundred and six point two", 106.2),
        ("a hundred point nine f m", 100.9),
        ("one hundred", 100.0),
        ("eighty nine", 89.0),
        ("101.1 mhz", 101.1),
    ],
)
def test_frequencies(said: str, mhz: float) -> None:
    assert mhz_of(said) == pytest.approx(mhz)


@pytest.mark.parametrize(
    "said", ["radio one", "radio four", "fifty point five", "ninety eight point twelve", "jazz fm", "", "ninety one five",
             "one hundred and twelve", "ninety ninety", "heart", "ninety eight point"]
)  # fmt: skip
def test_names_that_are_no_frequency(said: str) -> None:
    assert mhz_of(said) is None


def test_a_frequency_is_read_as_it_is_said() -> None:
    for tenths in range(875, 1081):
        for way in mhz_words(tenths / 10):
            assert mhz_of(way) == pytest.approx(tenths / 10)
