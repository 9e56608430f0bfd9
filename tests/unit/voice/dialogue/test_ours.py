"""Our own words, come back through the microphone, are never obeyed; what the driver says is."""

from __future__ import annotations

import asyncio

import pytest

from models.commands.matcher import TemplateMatcher
from schemas.events import CommandKind, Hypothesis, Reply, Transcript
from tests.dialogues import make
from voice.dialogue.agent import Dialogue
from voice.dialogue.amending import First
from voice.dialogue.open import which
from voice.dialogue.ours import LEAST_ANSWER, REPLY, echoed, overheard
from voice.dialogue.replies.fixed import fixed_sentences

WINDOW = "Opening your window."
ROOF = "It may be raining. Shall I open the sunroof a little?"
DOORS = "Lock or unlock the doors?"


@pytest.mark.parametrize(
    ("heard", "reply"),
    [
        ("opening your window", WINDOW), ("open your window", WINDOW), ("your window", WINDOW), ("Shall I open the sunroof", ROOF),
        ("open the sun roof a little", ROOF), ("maybe raining shall i open the sunroof a little", ROOF),
        ("seat heating high", "Seat heating high."), ("thirty percent", "Window to 30 percent."),
        ("lock or unlock the doors", DOORS),
    ],
)  # fmt: skip
def test_what_we_said_is_known_again(heard: str, reply: str) -> None:
    assert echoed(heard, ["Okay.", reply])


@pytest.mark.parametrize(
    ("heard", "reply"),
    [
        ("open the window", WINDOW), ("open the passenger window", WINDOW), ("close your window", WINDOW), ("stop", WINDOW),
        ("window", WINDOW), ("yes", ROOF), ("no", ROOF), ("yes please", ROOF), ("unlock the doors", "The doors are locked."),
        ("lock the doors", "Unlocking the doors."), ("okay open the trunk", "Okay."), ("play some jazz", "Playing jazz."),
        ("", WINDOW), ("open your window and play some jazz please", WINDOW), ("open the window", ""),
    ],
)  # fmt: skip
def test_what_a_driver_says_after_it_is_not(heard: str, reply: str) -> None:
    assert not echoed(heard, [reply])


def test_after_a_question_an_answer_of_two_words_may_repeat_it() -> None:
    asked = "By the way, shall I remember that you like jazz?"
    assert echoed("remember that", [asked])
    assert not echoed("remember that", [asked], LEAST_ANSWER)
    assert echoed("remember that you like jazz", [asked], LEAST_ANSWER)


@pytest.mark.parametrize(
    ("heard", "ours"), [("unlock the doors", False), ("lock", False), ("lock or unlock the doors", True)]
)
def test_an_offered_alternative_is_an_answer_and_the_question_is_none(heard: str, ours: bool) -> None:
    both = ("lock the doors", "unlock the doors")
    assert overheard(Transcript(text=heard, confidence=0.9, in_grammar=True), [DOORS], which.asked(*both)) is ours


def test_where_one_of_two_commands_may_have_been_heard_neither_is_asked_about() -> None:
    heard = Transcript(text="open the window", alternative="open your window", confidence=0.5, in_grammar=False)
    assert overheard(heard, [WINDOW], None)


def test_words_that_were_made_a_command_are_still_our_own() -> None:
    said = ["It is 66 degrees in the car, set to 72."]
    free = Hypothesis(text="in the car set to seventy two", log_score=0.0)
    heard = Transcript(text="set the temperature to seventy two", confidence=0.9, in_grammar=True, open=free)
    assert overheard(heard, said, None)
    assert not overheard(heard.model_copy(update={"open": None}), said, None)


def test_no_reply_to_an_order_is_a_command_of_one_word() -> None:
    matcher = TemplateMatcher()
    words = [sentence for sentence in fixed_sentences() if len(sentence.split()) == 1]
    assert [word for word in words if (found := matcher.match(word)) and found.kind is CommandKind.ACTION] == []


# Through the dialogue -------------------------------------------------------------------------------------------------

WARM = Transcript(text="set the temperature to twenty two degrees", confidence=0.9, in_grammar=True)
ECHO = Transcript(text="twenty two degrees", confidence=0.9, in_grammar=False)


def respond(dialogue: Dialogue, heard: Transcript, *said: str) -> Reply:
    return asyncio.run(dialogue.respond(heard, said=said))


def test_an_echo_is_neither_obeyed_nor_answered_nor_kept_and_what_waits_goes_on_waiting() -> None:
    dialogue, vehicle, memory, _ = make()
    memory.opt_in("conversations")
    asked = respond(dialogue, Transcript(text="close the sunroof", confidence=0.9, in_grammar=True))
    noted = memory.conversations.hot.all()
    assert respond(dialogue, WARM, "Shall I set the temperature to 22 degrees?") == REPLY
    assert memory.conversations.hot.all() == noted and not any(one.name == "set_temperature" for one in vehicle.done)
    assert respond(dialogue, WARM, asked.text).text == "22 degrees."


def test_an_utterance_that_our_own_words_go_on_with_ends_where_the_driver_did() -> None:
    dialogue, vehicle, _, _ = make()
    reply = respond(dialogue, WARM)
    whole = Transcript(text=f"{WARM.text} {ECHO.text}", confidence=0.9, in_grammar=False)
    for told, expected in ((True, REPLY), (False, reply)):
        first = First(WARM, reply, told)
        assert asyncio.run(dialogue.amend(whole, ECHO, first, said=[reply.text])) == expected
    assert len(vehicle.done) == 1
