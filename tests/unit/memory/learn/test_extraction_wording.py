"""The rules over wording, each with its sentences: what ended, what is refused, whose it is, what is for once."""

from __future__ import annotations

import pytest

from memory.learn.english.negation import (
    Polarity,
    clause,
    displaced,
    lately,
    negated,
    switched,
)
from models.text import contains, normal, words

# (sentence, value): a thing that the driver likes

ENDED = [
    ("i don't like jazz any more", "jazz"),
    ("I don’t like Jazz anymore.", "jazz"),
    ("no more jazz for me please", "jazz"),
    ("i no longer listen to jazz", "jazz"),
    ("i can't listen to jazz any longer", "jazz"),
    ("i used to love jazz", "jazz"),
    ("i've stopped listening to jazz", "jazz"),
    ("i'm done with jazz", "jazz"),
    ("i'm tired of jazz", "jazz"),
    ("jazz again i'm sick of it", "jazz"),
    ("i've had enough of jazz", "jazz"),
    ("i cancelled spotify last week", "spotify"),
    ("jazz just doesn't cut it on long trips", "jazz"),
    ("the low setting isn't enough for these windows", "low"),
    ("forget about jazz", "jazz"),
    ("skip shell when i need petrol", "shell"),
    ("i don't need a playground at the charger any more", "a playground"),
    ("there's no need for a playground when i charge", "a playground"),
    ("i don't like italian food any more i prefer thai now", "italian"),
]
REFUSED = [
    ("i hate jazz", "jazz"),
    ("i can't stand jazz", "jazz"),
    ("i never listen to jazz", "jazz"),
    ("i don't like jazz", "jazz"),
    ("i'm not a fan of jazz", "jazz"),
    ("i'm not into jazz", "jazz"),
    ("jazz is awful", "jazz"),
    ("no jazz please", "jazz"),
    ("no podcasts about jazz ever", "jazz"),
    ("no more songs with jazz in them", "jazz"),
    ("i like rock but i don't like jazz", "jazz"),
]
HOLDS = [
    ("no more than an hour of jazz please", "jazz"),
    ("i love jazz", "jazz"),
    ("i can't stop listening to jazz", "jazz"),
    ("i can't get enough of jazz", "jazz"),
    ("i never get tired of jazz", "jazz"),
    ("nothing beats jazz", "jazz"),
    ("nothing is better than jazz", "jazz"),
    ("i can't drive without jazz", "jazz"),
    ("not just any music it has to be jazz", "jazz"),
    ("no matter what the weather is i play jazz", "jazz"),
    ("no no i want jazz", "jazz"),
    ("why don't you play some jazz i love it", "jazz"),
    ("i don't like rock but i love jazz", "jazz"),
    ("i'm used to jazz in the morning", "jazz"),
    ("i always stop at shell", "shell"),
    ("i used to like rock but now i listen to jazz", "jazz"),
    ("i'm tired of rock i prefer jazz", "jazz"),
    ("jazz instead of rock", "jazz"),
    ("get the songs from spotify", "spotify"),
]


@pytest.mark.parametrize(("sentence", "value"), ENDED + REFUSED)
def test_what_does_not_hold(sentence: str, value: str) -> None:
    assert negated(sentence, value, Polarity.PLAIN) is not None


@pytest.mark.parametrize(("sentence", "value"), HOLDS)
def test_what_holds(sentence: str, value: str) -> None:
    assert negated(sentence, value, Polarity.PLAIN) is None


@pytest.mark.parametrize(("sentence", "value", "ended"), [
    ("no more fan on high", "high", True),
    ("i'm not vegan any more", "vegan", True),
    ("i never want the fan on high", "high", False),
    ("the fuel price doesn't matter to me any more", "doesn't matter", False),
    ("i don't eat meat", "don't eat meat", False),
])  # fmt: skip
def test_a_stated_value_ends_only_when_said_so(sentence: str, value: str, ended: bool) -> None:
    assert (negated(sentence, value, Polarity.STATED) is not None) is ended


@pytest.mark.parametrize(("sentence", "ended"), [
    ("i don't want to take highways", False),
    ("no highways please", False),
    ("never take me over highways", False),
    ("i hate highways", False),
    ("i used to be fine with highways but now i stay away from them", False),
    ("i don't mind highways any more", True),
    ("you don't have to avoid highways any longer", True),
    ("highways are fine again for my routes", True),
    ("no need to keep me off highways from now on", True),
    ("stop avoiding highways", True),
])  # fmt: skip
def test_an_avoidance_is_refusal_and_ends_when_taken_back(sentence: str, ended: bool) -> None:
    assert (negated(sentence, "highways", Polarity.AVOIDED) is not None) is ended


def test_yes_and_no_say_it_themselves() -> None:
    assert negated("i don't need covered parking any more", "covered parking", Polarity.ANSWER) is None


@pytest.mark.parametrize(("sentence", "value", "other"), [
    ("i prefer thai to italian", "italian", "thai"),
    ("thai instead of italian please", "italian", "thai"),
    ("thai rather than the usual italian", "italian", "thai"),
    ("i like thai more than italian", "italian", "thai"),
    ("i switched from spotify to tidal", "spotify", "tidal"),
    ("in place of italian i eat thai", "italian", "thai"),
])  # fmt: skip
def test_what_another_thing_takes_the_place_of(sentence: str, value: str, other: str) -> None:
    assert displaced(sentence, value) and not displaced(sentence, other)


@pytest.mark.parametrize(
    "sentence", ["i prefer to listen to jazz", "from now on jazz", "news from jazz fm", "i like jazz"]
)
def test_what_only_sounds_like_it(sentence: str) -> None:
    assert not displaced(sentence, "jazz") and not displaced(sentence, "jazz fm")


@pytest.mark.parametrize(
    "sentence",
    ["i've switched to tidal", "i changed my mind", "my taste has changed to jazz", "i used to like it but now not"],
)
def test_a_changed_mind(sentence: str) -> None:
    assert switched(sentence)


def test_to_be_is_no_other_thing() -> None:
    assert not displaced("i prefer the lights to be low", "be low")
    assert displaced("i prefer thai food to italian", "italian")


def test_a_mere_liking_is_no_changed_mind() -> None:
    assert not switched("i love jazz") and not switched("thai instead of italian")
    assert lately("these days i love jazz") and not lately("i love jazz")
    assert lately("look for thai instead") and lately("my new favourite is jazz")


def test_statements_are_told_apart() -> None:
    sentence = "I don't like italian any more, but i love Thai because it's hot"
    assert clause(sentence, "italian") == "i don't like italian any more"
    assert clause(sentence, "thai") == "i love thai"
    assert clause("i love jazz", "polka") == "i love jazz"


def test_words() -> None:
    assert normal("  I don’t\n LIKE  it ") == "i don't like it"
    assert words("Café-crème, 22°!") == ("café", "crème", "22")
    assert contains("i like Miles Davis.", "miles davis") and not contains("smiles davis", "miles davis")
    assert not contains("i like it", "") and not contains("miles and davis", "miles davis")
