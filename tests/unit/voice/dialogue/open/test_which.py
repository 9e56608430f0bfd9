"""Which of two commands was said: the question and its answer, alone and through the dialogue."""

from __future__ import annotations

import asyncio

import pytest

from schemas.events import Reply, Transcript
from tests.dialogues import make, say
from voice.dialogue.agent import Dialogue
from voice.dialogue.open.which import chosen, question

LOCK, UNLOCK = "lock the doors", "unlock the doors"


@pytest.mark.parametrize(
    ("one", "other", "asked"),
    [
        (LOCK, UNLOCK, "Lock or unlock the doors?"),
        ("set the volume to fifteen percent", "set the volume to fifty percent", "Set the volume to fifteen or fifty percent?"),
        ("turn on the heating", "turn on the seat heating", "Did you say turn on the heating, or turn on the seat heating?"),
        ("open the roof", "call anna at home now", "Did you say open the roof, or call anna at home now?"),
    ],
)  # fmt: skip
def test_the_question_names_what_differs(one: str, other: str, asked: str) -> None:
    assert question(one, other) == asked


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("unlock", UNLOCK), ("Lock, please.", LOCK), ("the first one", LOCK), ("the second", UNLOCK), ("the other one", UNLOCK),
        ("unlock the doors", UNLOCK), ("yes", None), ("lock or unlock", None), ("what did you say", None), ("", None),
        ("i lost the key to unlock my bicycle", None),
    ],
)  # fmt: skip
def test_the_answer_names_one_of_them(answer: str, meant: str | None) -> None:
    assert chosen(LOCK, UNLOCK, answer) == meant


def test_of_nested_words_the_longer_is_meant() -> None:
    one, other = "turn on the rear heating", "turn on the rear seat heating"
    assert chosen(one, other, "seat") == other
    assert chosen("set the heating", "set the seat heating", "the seat heating") == "set the seat heating"


WARM, ROOF = "set the temperature to twenty two degrees", "close the sunroof"


def doubted(dialogue: Dialogue) -> Reply:
    found = Transcript(text=WARM, alternative=ROOF, confidence=0.8, in_grammar=False)
    return asyncio.run(dialogue.respond(found))


def test_of_two_commands_none_is_done_before_the_driver_says_which() -> None:
    dialogue, vehicle, memory, _ = make()
    memory.opt_in("conversations")
    assert doubted(dialogue).text == f"Did you say {WARM}, or {ROOF}?"
    assert vehicle.done == [] and len(memory.conversations.hot) == 0
    say(dialogue, "the second one")
    assert [action.name for action in vehicle.done] == ["set_sunroof"]


def test_a_bare_yes_is_asked_again_and_a_no_ends_it() -> None:
    dialogue, vehicle, _, _ = make()
    asked = doubted(dialogue).text
    assert say(dialogue, "yes").text == asked
    assert say(dialogue, "no").text == "Okay, I won't."
    say(dialogue, "the second one")
    assert vehicle.done == []


def test_another_command_is_no_answer_and_ends_the_question() -> None:
    dialogue, vehicle, _, _ = make()
    doubted(dialogue)
    say(dialogue, "open the trunk")
    say(dialogue, "the second one")
    assert "set_sunroof" not in [action.name for action in vehicle.done]
