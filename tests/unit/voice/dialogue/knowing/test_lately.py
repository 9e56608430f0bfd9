"""Short-term memory: what was told on this trip answers what is asked about it, is put right, and is gone when it must be."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

import pytest

from models.catalog.shelf import BUILTIN
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import Decision
from tests.dialogues import NOW, Rig
from voice.dialogue.knowing.lately import MOST, Lately, Told, asks, corrected
from voice.dialogue.memory.telling import NOT_PUT_RIGHT

SWIMS = "our Alfie goes swimming on Wednesdays"
TALK = (
    SWIMS,
    "the client Raj hates calls before ten",
    "Kayla is so into country but I'm more of a Beyonce girl",
    "the bins go out on Mondays",
)


@lru_cache(maxsize=1)
def encoder() -> OnnxEncoder:
    return OnnxEncoder(BUILTIN / "encoder")


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    return Rig(matcher, encoder=encoder())


@pytest.mark.parametrize(
    ("told", "said", "right"),
    [
        (SWIMS, "no love, I meant Thursdays", "our Alfie goes swimming on Thursdays"),
        ("i take my tea with two sugars", "make that one sugar, doctor's orders", "i take my tea with one sugar"),
        ("two sugars and three biscuits", "no, one sugar", "one sugar and three biscuits"),
        (SWIMS, "Thursdays, not Wednesdays", "our Alfie goes swimming on Thursdays"),
        (SWIMS, "not Alfie, Noah", "our Noah goes swimming on Wednesdays"),
        ("our flight is at 9:15", "make that 9:50", "our flight is at 9:50"),
        ("the dentist is on Tuesday at half three", "oops, half four", "the dentist is on Tuesday at half four"),
        ("I parked on level three", "no wait, level four", "I parked on level four"),
        ("I like it at 21 degrees", "no, I meant 22 degrees", "I like it at 22 degrees"),
        ("hers is on 3rd March, mine on 12th June", "wait, it's the 13th", "hers is on 3rd March, mine on 13th June"),
        ("the tyre pressure is 2.6 bar", "sorry, 2.4", "the tyre pressure is 2.4 bar"),
    ],
)  # fmt: skip
def test_what_was_told_is_put_right(told: str, said: str, right: str) -> None:
    assert corrected(told, said) == right


@pytest.mark.parametrize(
    "said",
    [
        "no", "no, turn the radio on", "actually can you open the window", "not now", "wait a minute", "sorry about that",
        "the bins go out on Fridays in summer", "I swim on Fridays, not Wednesdays",
        "not bad", "no, set it to twenty two please", "no, not really",
    ],
)  # fmt: skip
def test_what_puts_nothing_right_is_no_correction(said: str) -> None:
    assert corrected(SWIMS, said) is None


def test_an_order_puts_nothing_right() -> None:
    assert corrected("i like rock", "play jazz, not rock", orders=True) is None
    assert corrected("i like it at 21", "no, 22", orders=True) == "i like it at 22"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when does our Alfie go swimming?", TALK[0]),
        ("who hates early calls", TALK[1]),
        ("what does kayla like", TALK[2]),
        ("when do the bins go out", TALK[3]),
        ("when do we arrive", None),
        ("who is the president of france", None),
        ("what's the weather on wednesday", None),
        ("how full is the battery", None),
    ],
)
def test_a_question_is_answered_by_what_was_told(question: str, answer: str | None) -> None:
    lately = Lately(encoder())
    for text in TALK:
        lately.tell(Told(text, NOW))
    found = lately.answering(question)
    assert (None if found is None else found.text) == answer


def test_it_holds_no_more_than_so_many_and_nothing_that_was_dropped() -> None:
    lately = Lately(encoder())
    names = [f"{first}{second}ton" for first in ("Ash", "Bur", "Cam", "Dal", "Els", "Far") for second in "abcdef"]
    for name in names:
        lately.tell(Told(f"{name} opens early", NOW))
    held = names[-MOST:]
    assert [lately.naming(name) != () for name in names] == [name in held for name in names]
    lately.drop(held[0])
    assert lately.naming(held[0]) == () and len(lately.naming(held[1])) == 1
    assert Lately(None).answering("which gate opens early") is None


@pytest.mark.parametrize("text", ["and his?", "is rita's still the same?", "and his"])
def test_what_only_asks_or_names_nothing_tells_nothing(text: str) -> None:
    lately = Lately(encoder())
    lately.tell(Told(text, NOW))
    assert not lately


def test_a_question_has_its_form() -> None:
    assert asks("and who is Janet") and asks("Janet is who?") and not asks("Janet is my sister")


def test_in_the_dialogue_it_is_told_back_as_what_is_not_kept(rig: Rig) -> None:
    rig.say(SWIMS.lower(), "tell()")
    rig.now += timedelta(minutes=9)
    said = rig.say("when does our alfie go swimming", "cannot(topic=knowledge)").text
    assert (
        said.startswith("Your alfie goes swimming on wednesdays. You told me today at ") and "haven't kept it" in said
    )
    assert rig.memory.facts() == ()
    assert rig.say("when do the shops close", "cannot(topic=opening_hours)").text.find("alfie") < 0


def test_a_correction_goes_to_what_was_told_just_before(rig: Rig) -> None:
    rig.say("the bins go out on mondays", "tell()")
    assert "bins go out on tuesdays" in rig.say("no i meant tuesdays", "tell()").text
    assert "tuesdays" in rig.say("when do the bins go out", "chat()").text
    rig.say("open the window", "set_window(position=100)")
    assert "bins" not in rig.say("no i meant fridays", "tell()").text


def test_what_is_kept_is_put_right_where_it_is_kept(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = rig.memory.learner.keeping.remember("i parked on level three")

    def remember(sentence: str) -> tuple[Decision, ...]:
        del sentence
        return (kept,)

    monkeypatch.setattr(rig.memory, "remember", remember)
    rig.say("remember that i parked on level three", "remember(what=i parked on level three)")
    assert "level four" in rig.say("sorry level four", "none()").text
    assert [fact.text for fact in rig.memory.facts()] == ["i parked on level four"]


def test_what_is_forgotten_is_told_no_more(rig: Rig) -> None:
    rig.say(SWIMS.lower(), "tell()")
    rig.say("forget alfie", "forget(about=alfie)")
    assert "swimming" not in rig.say("when does our alfie go swimming", "cannot(topic=knowledge)").text
    rig.say("the bins go out on mondays", "tell()")
    rig.say("forget that", "forget()")
    assert "mondays" not in rig.say("when do the bins go out", "cannot(topic=knowledge)").text


def test_a_wish_to_forget_that_is_not_understood_empties_it_too(rig: Rig) -> None:
    rig.say("the bins go out on mondays", "tell()")
    rig.say("remind me to call mum", "set_reminder(what=call mum)")
    rig.say("forget the bins", "none()")
    assert "mondays" not in rig.say("when do the bins go out", "cannot(topic=knowledge)").text


def test_a_secret_is_not_held(rig: Rig) -> None:
    rig.say("my front door code is four two", "tell()")
    assert "four two" not in rig.say("what is my front door code", "recall(about=front door code)").text


def test_what_it_may_not_become_is_refused_in_a_sentence(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.say("the bins go out on mondays", "tell()")

    def discloses(text: str) -> bool:
        return "tuesdays" in text

    monkeypatch.setattr(rig.memory, "discloses", discloses)
    assert rig.say("no i meant tuesdays", "tell()").text == NOT_PUT_RIGHT
    assert "mondays" in rig.say("when do the bins go out", "cannot(topic=knowledge)").text


def test_whatever_is_to_be_forgotten_it_goes_too(rig: Rig) -> None:
    for wish in ("forget everything", "forget what i said about the hammock", "delete everything from today"):
        rig.say("my hammock is at jasper's", "tell()")
        rig.say(wish, "forget(about=hammock)")
        assert "jasper" not in rig.say("where is my hammock", "recall(about=hammock)").text, wish


@pytest.mark.parametrize("silent", ["trip", "pause"])
def test_on_a_private_trip_and_in_a_pause_nothing_is_held_and_nothing_told_afterwards(rig: Rig, silent: str) -> None:
    if silent == "trip":
        rig.memory.set_private_trip(True)
    else:
        rig.memory.pause(NOW + timedelta(days=1))
    rig.say("my hammock is at jasper's", "tell()")
    assert "jasper" not in rig.say("where is my hammock", "recall(about=hammock)").text
    if silent == "trip":
        rig.memory.set_private_trip(False)
    else:
        rig.memory.pause(None)
    assert "jasper" not in rig.say("where is my hammock", "recall(about=hammock)").text
