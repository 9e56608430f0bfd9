"""Answers out of memory, by the encoder that is shipped: what was told is told again with its day, what is only near is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.service import DriverMemory
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.memory import CONVERSATIONS, FACTS, Fact, Turn
from schemas.seat import Seat
from tests.memories import vault_of
from voice.dialogue.memory.talks import UNASKED_AT, answered, talked
from voice.dialogue.replies.turned import sentence, turned

MONDAY = datetime(2026, 11, 23, 9, 15, tzinfo=UTC)
TOLD = (
    "i parked on level three",
    "the spare key is in the boot",
    "my locker is number forty",
    "the wifi code at the cabin is pelican",
)


class Clock:
    now = MONDAY

    def __call__(self) -> datetime:
        return self.now


CLOCK = Clock()


def reply(seat: Seat, question: str, at_least: float = 0.0) -> str:
    return answered(seat, question, CLOCK(), moving=True, at_least=at_least)[0]


@pytest.fixture(scope="module")
def seat() -> Seat:
    """Somebody who had five facts kept on Monday, one about another, and talked of one thing; it is Thursday."""
    CLOCK.now = MONDAY
    vault = vault_of("anna", CLOCK)
    memory = DriverMemory("anna", vault, encoder=OnnxEncoder(BUILTIN / "encoder"), clock=CLOCK)
    memory.opt_in(CONVERSATIONS)
    memory.opt_in("health")
    memory.opt_in("children")  # the guard takes a sister for a child
    told = [Fact(id=f"f{n}", text=text, said_at=MONDAY, conversation="c") for n, text in enumerate(TOLD)]
    told.append(
        Fact(id="wife", text="my wife is allergic to walnuts", about="my wife", said_at=MONDAY, conversation="c")
    )
    for fact in told:
        memory.session.store.facts.add(fact, CLOCK.now)
    for speaker, text in (
        ("driver", "my sister anna is moving to leeds in march"),
        ("assistant", "Leeds is a fine town."),
    ):
        memory.note(Turn(speaker=speaker, text=text, at=CLOCK.now), "t")
    memory.conversations.settle()
    memory.learn_pending()
    CLOCK.now = MONDAY + timedelta(days=3)
    return Seat(memory)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where did i park", "You parked on level three. You told me on Monday at 9:15."),
        ("where is the spare key", "The spare key is in the boot. You told me on Monday at 9:15."),
        ("what's my locker number", "Your locker is number forty. You told me on Monday at 9:15."),
        ("what is my wife allergic to", "Your wife is allergic to walnuts. You told me on Monday at 9:15."),
        (
            "do you know the wifi code at the cabin",
            "The wifi code at the cabin is pelican. You told me on Monday at 9:15.",
        ),
    ],
)
def test_a_fact_is_told_with_its_day(seat: Seat, question: str, answer: str) -> None:
    assert reply(seat, question) == answer


def test_what_was_talked_of_is_told_in_the_words_of_both(seat: Seat) -> None:
    told = "On Monday at 9:15 you said: My sister anna is moving to leeds in march. I answered: Leeds is a fine town."
    assert reply(seat, "when is my sister anna moving to leeds") == told
    assert talked(seat, "what did i say about anna", CLOCK(), moving=True, about="anna") == told
    assert (
        talked(seat, "what did i say about boats", CLOCK(), moving=True, about="boats")
        == "I have kept nothing of that."
    )


@pytest.mark.parametrize(
    "question",
    [
        "what is my blood type",
        "who won the match last night",
        "how old is the queen",
        "when does the museum open",
        "what did tom say about the boat",
    ],
)
def test_what_was_never_told_has_no_answer(seat: Seat, question: str) -> None:
    assert reply(seat, question) == ""


@pytest.mark.parametrize(
    "question", ["how far is it to the moon", "can you order a pizza", "what's the capital of peru"]
)
def test_what_is_not_asked_of_memory_is_left_alone(seat: Seat, question: str) -> None:
    assert reply(seat, question, UNASKED_AT) == ""


def test_a_fact_counts_as_used_and_one_that_is_switched_off_is_not_told(seat: Seat) -> None:
    before = seat.memory.fact("f0").uses
    assert reply(seat, "where did i park")
    assert seat.memory.fact("f0").uses == before + 1
    seat.memory.opt_out(FACTS)
    assert "level three" not in reply(seat, "where did i park")
    seat.memory.opt_in(FACTS)


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("my locker is number forty", "Your locker is number forty."),
        ("I was at Anna's and we're late", "You were at Anna's and you're late."),
        ("you are to remind me of it", "I am to remind you of it."),
        ("i am in row d!", "You are in row d!"),
    ],
)
def test_words_are_turned_to_the_other_person(said: str, back: str) -> None:
    assert sentence(turned(said)) == back
