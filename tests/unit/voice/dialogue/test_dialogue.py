"""The dialogue on stated fakes: which way an utterance goes, what is done, said, noted and asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from schemas.actions import SetWindow
from schemas.actions.acts import Parsed
from schemas.events import ActionStatus, Reply, Route, Transcript
from schemas.memory import Recollection
from tests.dialogues import StubParser, holding, make, say
from tests.vaults import every_word
from voice.dialogue.replies.responder import DROPPED, NOT_UNDERSTOOD

HUNGRY = {"i'm hungry": "find_place(kind=restaurant)"}
WINDOW = {"could somebody open that window please": "set_window(window=driver,percent=100)"}


def test_a_complete_command_takes_the_fast_path_without_the_model() -> None:
    dialogue, vehicle, _, parser = make()
    reply = say(dialogue, "set the temperature to twenty two degrees")
    assert reply.route is Route.FAST
    assert reply.text == "22 degrees."
    assert [a.describe() for a in vehicle.done] == ["set_temperature(celsius=22.0, zone=all)"]
    assert parser.asked == []


def test_a_refusal_is_spoken_with_its_reason_and_nothing_moves() -> None:
    dialogue, vehicle, _, _ = make()
    reply = say(dialogue, "open the trunk")
    assert "parked" in reply.text
    assert vehicle.done == []


def test_a_request_is_filled_from_memory_and_the_reply_says_with_what() -> None:
    dialogue, vehicle, memory, _ = make(HUNGRY, held=[("favourite_cuisine", "italian")])
    reply = say(dialogue, "i'm hungry")
    assert reply.route is Route.MODEL
    assert reply.text == "Taking you to Trattoria, 6 minutes away, because you like italian food."
    assert [p.uses for p in memory.preferences()] == [1]
    assert [action.describe() for action in vehicle.done] == ["find_place(kind=restaurant, quality=italian)"]


def test_a_remembered_temperature_is_named_once() -> None:
    dialogue, _, _, _ = make(
        {"the temperature please": "set_temperature()"}, held=[("preferred_temperature", "22 degrees")]
    )
    assert say(dialogue, "the temperature please").text == "You like it at 22 degrees, so I've set that."


def test_an_open_command_is_filled_from_memory_but_works_without() -> None:
    dialogue, _, _, _ = make(held=[("favorite_genres", "jazz")])
    assert "you like jazz" in say(dialogue, "play some music").text
    dialogue, vehicle, _, _ = make()
    assert say(dialogue, "play some music").text == "Playing a jazz mix."
    assert vehicle.done[0].slots() == {}


def test_a_parser_that_fails_is_no_crash() -> None:
    dialogue, vehicle, _, _ = make()
    assert say(dialogue, "i'm hungry").route is Route.REJECT
    assert vehicle.done == []


def test_an_unsure_request_for_a_window_needs_two_agreements() -> None:
    dialogue, vehicle, _, parser = make()
    parser.knows["could somebody open that window please"] = "set_window(window=driver,percent=100)", 0.5
    reply = say(dialogue, "could somebody open that window please")
    assert reply.text == "Shall I open your window?"
    assert vehicle.done == []
    assert vehicle.waiting == {}
    second = say(dialogue, "yes")
    assert "We are fast" in second.text, "the gate's own reason is spoken before anything moves"
    assert vehicle.done == []
    assert say(dialogue, "yes").results[0].status is ActionStatus.DONE
    assert len(vehicle.done) == 1


@pytest.mark.parametrize("answer", ["no", "stop", "set the temperature to twenty two degrees"])
def test_anything_but_yes_withdraws_what_was_waiting(answer: str) -> None:
    dialogue, vehicle, _, _ = make(WINDOW)
    say(dialogue, "could somebody open that window please")
    say(dialogue, answer)
    assert "no open question" in say(dialogue, "yes").text
    assert not any(isinstance(action, SetWindow) for action in vehicle.done)


def test_what_is_no_answer_is_asked_for_once_more_and_then_dropped_with_a_word() -> None:
    dialogue, vehicle, _, _ = make(WINDOW)
    asked = say(dialogue, "could somebody open that window please").text
    question = asked[asked.index("Shall I") :]
    assert say(dialogue, "nonsense words").text == f"{NOT_UNDERSTOOD} {question}"
    assert say(dialogue, "more nonsense").text == DROPPED
    assert "no open question" in say(dialogue, "yes").text
    assert vehicle.done == []


def test_what_is_not_understood_is_answered_so_but_not_when_nobody_was_addressed() -> None:
    dialogue, _, memory, _ = make()
    memory.opt_in("conversations")
    assert say(dialogue, "purple elephants").text.startswith("Sorry")
    before = memory.conversations.hot.all()
    heard = Transcript(text="purple elephants", confidence=0.9, in_grammar=False)
    assert asyncio.run(dialogue.respond(heard, addressed=False)).text == ""
    assert before and memory.conversations.hot.all() == before


def test_words_heard_too_faintly_are_not_acted_on() -> None:
    dialogue, _, _, parser = make(HUNGRY)
    heard = Transcript(text="i'm hungry", confidence=0.05, in_grammar=False)
    assert asyncio.run(dialogue.respond(heard)).route is Route.REJECT
    assert parser.asked == []


def test_memory_can_be_asked_forgotten_and_switched_off() -> None:
    dialogue, _, memory, _ = make(held=[("favorite_genres", "jazz"), ("favourite_cuisine", "italian")])
    assert say(dialogue, "what do you remember").text == "I remember that you like italian food and you like jazz."
    assert say(dialogue, "forget that").text == "Forget that you like italian food and that you like jazz?"
    assert "Forgotten" in say(dialogue, "the jazz").text
    assert [p.value for p in memory.preferences()] == ["italian"]
    assert "nothing about music" in say(dialogue, "stop remembering music").text
    assert "music" in memory.consent().opted_out


@pytest.mark.parametrize(
    ("kept", "said"), [(True, "Forgotten: what you have just told me."), (False, "I did not keep that.")]
)
def test_forget_that_after_a_statement_means_the_statement_and_nothing_stored(kept: bool, said: str) -> None:
    dialogue, _, memory, _ = make({"perhaps some jazz": "tell()"}, held=[("favourite_cuisine", "italian")])
    if kept:
        memory.opt_in("conversations")
    say(dialogue, "perhaps some jazz")
    assert len(memory.conversations.hot) == kept
    assert say(dialogue, "forget that").text == said
    assert [p.value for p in memory.preferences()] == ["italian"]
    assert len(memory.conversations.hot) == 0 and "jazz" not in " ".join(every_word(memory.session.store))


def test_repeat_says_the_last_reply_and_does_nothing_again() -> None:
    dialogue, vehicle, _, _ = make()
    first = say(dialogue, "set the temperature to twenty two degrees")
    assert say(dialogue, "say that again").text == first.text
    assert len(vehicle.done) == 1


def test_a_new_conversation_has_a_new_id_and_no_pending_action() -> None:
    dialogue, _, _, _ = make(WINDOW)
    say(dialogue, "could somebody open that window please")
    first = dialogue.conversation
    dialogue.end_conversation()
    assert dialogue.conversation != first
    assert "no open question" in say(dialogue, "yes").text


class Slow(StubParser):
    """The stub, which answers when something else has happened on the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.done = threading.Event(), threading.Event()
        self.waited: list[bool] = []

    def parse(self, text: str, context: str = "") -> Parsed:
        self.begun.set()
        self.waited.append(self.done.wait(30.0))
        return super().parse(text, context)


def test_the_microphone_is_heard_while_the_parser_thinks() -> None:
    """Without a thread it would wait in vain."""
    slow = Slow()
    dialogue, vehicle, _, _ = make(HUNGRY, parser=slow)

    async def both() -> Reply:
        asked = asyncio.create_task(dialogue.respond(dialogue.typed("i'm hungry")))
        await asyncio.to_thread(slow.begun.wait, 30.0)
        slow.done.set()
        return await asked

    reply = asyncio.run(both())
    assert slow.waited == [True]
    assert "Trattoria" in reply.text and len(vehicle.done) == 1


@pytest.mark.parametrize("text", ["i'm hungry", "play some music"])
def test_who_takes_over_while_memory_is_asked_hears_nothing_of_the_other_drivers(text: str) -> None:
    held = [("favourite_cuisine", "italian"), ("favorite_genres", "jazz")]
    dialogue, vehicle, memory, _ = make(HUNGRY, held=held)
    taken, recall = holding(), memory.recall

    def meanwhile(
        query: str, *, details: Sequence[str] = (), limit: int = 3, ahead: bool = False
    ) -> tuple[Recollection, ...]:
        del ahead
        dialogue.seat.take(taken)
        return recall(query, details=details, limit=limit)

    memory.recall = meanwhile  # type: ignore[method-assign]
    reply = say(dialogue, text)
    assert "you like" not in reply.text
    assert not any(p.uses for p in memory.preferences()) and "quality" not in vehicle.done[0].slots()


def test_what_was_hardly_heard_beside_forgetting_is_asked_about_before_the_gate_is() -> None:
    dialogue, vehicle, _, parser = make()
    parser.knows["open my window"] = "set_window(window=driver,percent=100)", 0.95
    heard = Transcript(text="forget that i like jazz and open my window", confidence=0.6, in_grammar=False)
    asyncio.run(dialogue.respond(heard))
    assert vehicle.done == [] and vehicle.waiting == {}
    say(dialogue, "no")
    say(dialogue, "forget that i like jazz and open my window")
    assert len(vehicle.waiting) == 1, "typed, it goes to the gate"
