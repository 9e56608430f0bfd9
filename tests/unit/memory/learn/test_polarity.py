"""What memory makes of sentences of both polarities with the encoder that ships, and that it was not trained on them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from deploy.lab.polarity.measure import Sentence, Verdict, figures, judge, parts, sentences
from models.text import normal

PHRASES = Path(__file__).parents[4] / "models" / "training" / "phrases"


own = cache(parts)


def told(value: str, text: str, detail: str = "favorite_genres") -> Verdict:
    return judge(own(), Sentence("praises", detail, value, text))


def test_no_worse_than_what_was_measured() -> None:
    """Counts of docs/log.md, a few worse than measured: arithmetic differs by processor."""
    found = figures([judge(own(), sentence) for sentence in sentences()])
    assert found.against[0] >= 105 and found.praising[0] >= 90
    assert found.false_ends <= 13 and found.false_stores <= 11


@pytest.mark.parametrize(
    "text",
    [
        "i don't go a day without jazz", "i'd never trade jazz for anything", "you can't beat jazz",
        "i don't think i could drive without jazz", "i can't stop listening to jazz", "i love jazz",
    ],
)  # fmt: skip
def test_praise_in_negative_words_ends_nothing_unasked(text: str) -> None:
    assert told("jazz", text).held != "ended"


@pytest.mark.parametrize(
    "text",
    [
        "i don't like jazz any more", "jazz isn't my favourite any longer",
        "i've gone off jazz completely", "leave jazz out from now on",
    ],
)  # fmt: skip
def test_what_is_over_ends(text: str) -> None:
    assert told("jazz", text).held == "ended"


@pytest.mark.parametrize("text", ["i don't like jazz", "no jazz please", "stop playing jazz all the time"])
def test_what_is_not_surely_refused_is_asked_about(text: str) -> None:
    assert told("jazz", text).held == "asked"


def test_a_plain_dislike_takes_the_place_of_the_liking() -> None:
    assert told("jazz", "i hate jazz").held == "ended"


@pytest.mark.parametrize("text", ["my sister loves jazz music", "tom likes jazz", "just this once some jazz music"])
def test_what_is_not_the_driver_s_or_does_not_last_is_not_stored(text: str) -> None:
    found = told("jazz", text)
    assert not found.unasked and found.held == "kept"


@pytest.mark.parametrize(
    ("detail", "text", "value"),
    [
        ("seat_heating_preferences", "i love a toasty seat", "high"),
        ("preference_for_covered_parking", "i don't need a roof over my car", "no"),
        ("tolerance_for_traffic", "i can't stand sitting in traffic", "low"),
        ("tolerance_for_traffic", "traffic doesn't bother me", "high"),
        ("willingness_to_take_longer_route_to_avoid_traffic", "i'd rather wait in traffic than take a detour", "no"),
        ("preference_for_parking_with_security", "i only park where there's a guard", "yes"),
    ],
)
def test_the_encoder_tells_the_values_that_have_no_patterns(detail: str, text: str, value: str) -> None:
    assert told(value, text, detail).empty == "stored"


def test_nothing_was_trained_on_the_sentences() -> None:
    """None stands in the phrase bank."""
    fresh = {normal(sentence.text).strip(" .!?") for sentence in sentences()}
    for path in sorted(PHRASES.rglob("*.yaml")):
        assert yaml.safe_load(path.read_text("utf-8")) is not None
        lines = {normal(line.strip(" -\"'\n")).strip(" .!?") for line in path.read_text("utf-8").splitlines()}
        assert not fresh & lines, path.name
