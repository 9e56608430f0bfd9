"""What a question is about, said back where nothing of it is kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from schemas.memory import Turn
from schemas.seat import Seat
from tests.memories import memory_of
from voice.dialogue.forgetting.naming import called
from voice.dialogue.memory.remembering import Remembering

NOW = datetime(2026, 3, 4, 9, 15, tzinfo=UTC)


def test_what_was_said_and_not_kept_is_not_denied() -> None:
    memory = memory_of(clock=lambda: NOW)
    talk = Remembering(Seat(memory), lambda: NOW)
    asked = "what do you know about my sister Linda"
    assert talk.about("sister linda", moving=False, question=asked) == "I have kept nothing about your sister Linda."
    talk.chatted("my sister linda is a plumber")
    said = talk.about("sister linda", moving=False, question=asked)
    assert said.startswith("Your sister linda is a plumber. You told me just now, but I haven't kept it")


def test_all_that_was_said_of_somebody_is_told() -> None:
    talk = Remembering(Seat(memory_of(clock=lambda: NOW)), lambda: NOW)
    talk.chatted("my mum lives in Leeds")
    talk.chatted("my mum hates jazz")
    asked = "what do you know about my mum"
    assert talk.about("mum", moving=False, question=asked).startswith(
        "Your mum lives in Leeds. Your mum hates jazz. You told me"
    )


def test_what_was_forgotten_is_not_told_as_spoken_of() -> None:
    memory = memory_of(clock=lambda: NOW)
    talk = Remembering(Seat(memory), lambda: NOW)
    memory.remember("remember that i like jazz")
    talk.chatted("my sister linda is a plumber")
    memory.note(Turn(speaker="driver", text="my sister linda is a plumber", at=NOW, confidence=1.0), "c")
    memory.forget(memory.preferences()[0].id)
    assert talk.about("linda", moving=False) == "I have kept nothing about linda."


@pytest.mark.parametrize(
    ("words", "question", "said"),
    [
        ("allergic", "what am i allergic to", "that"),
        ("family", "what do you know about my family", "your family"),
        ("jess", "who is jess", "jess"),
        ("jess", "tell me what you know of Jess", "Jess"),
        ("mum lives", "where did i say my mum lives", "your mum"),
        ("boss drinks", "do you remember what my boss drinks", "your boss"),
        ("mother in law", "what do you know about my mother in law", "your mother in law"),
        ("wife's birthday", "what do you know about my wife's birthday", "your wife's birthday"),
        ("boats", "", "boats"),
        ("boats do i", "", "that"),
    ],
)
def test_only_a_name_or_a_noun_is_said_back(words: str, question: str, said: str) -> None:
    assert called(words, question) == said
