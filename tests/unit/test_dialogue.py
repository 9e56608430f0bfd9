"""The dialogue on stated fakes: which way an utterance goes, what is done, said, noted and asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from memory.fake import FakeMemory as StoringMemory
from schemas.actions import ACTIONS, Action, SetTrunk, SetWindow
from schemas.errors import ConfirmationError, GenerationError, StorageFullError
from schemas.events import (
    ActionResult,
    ActionStatus,
    Command,
    CommandKind,
    Reply,
    Route,
    Ruling,
    Transcript,
    VehicleState,
    Verdict,
)
from schemas.memory import (
    Candidate,
    Consent,
    Conversation,
    Outcome,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Turn,
    Words,
)
from voice.dialogue.agent import Dialogue, DialogueSettings
from voice.dialogue.question import answer

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class FakeMatcher:
    """A fake: knows a handful of sentences."""

    commands = {
        "set the temperature to twenty two degrees": Command(
            kind=CommandKind.ACTION, name="set_temperature", slots={"celsius": 22.0}
        ),
        "open the trunk": Command(kind=CommandKind.ACTION, name="set_trunk", slots={"open": True}),
        "close the sunroof": Command(kind=CommandKind.ACTION, name="set_sunroof", slots={"percent": 0}),
        "play some music": Command(kind=CommandKind.ACTION, name="play_music"),
        "yes": Command(kind=CommandKind.CONTROL, name="yes"),
        "no": Command(kind=CommandKind.CONTROL, name="no"),
        "stop": Command(kind=CommandKind.CONTROL, name="stop"),
        "say that again": Command(kind=CommandKind.CONTROL, name="repeat"),
        "help": Command(kind=CommandKind.CONTROL, name="help"),
        "what do you remember": Command(kind=CommandKind.MEMORY, name="remember_what"),
        "forget that": Command(kind=CommandKind.MEMORY, name="forget_last"),
        "stop remembering music": Command(kind=CommandKind.MEMORY, name="opt_out", slots={"category": "music"}),
    }

    def match(self, text: str) -> Command | None:
        return self.commands.get(text)


class FakeEncoder:
    """A fake: scores by key words."""

    dimension = 4
    asks = {
        "hungry": "find_place",
        "music": "play_music",
        "window": "set_window",
        "rocket": "launch",
        "comfortable": "set_temperature",
    }
    tells = {"italian": "favourite_cuisine", "jazz": "favorite_genres", "vegan": "dietary_preference"}

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.ones((len(texts), 4), np.float32)

    def _scores(self, table: dict[str, str], text: str) -> dict[str, float]:
        found = [label for word, label in table.items() if word in text]
        return {found[0]: 0.9, "none": 0.1} if found else {next(iter(table.values())): 0.05, "none": 0.95}

    def topics(self, text: str) -> dict[str, float]:
        return self._scores(self.tells, text)

    def requests(self, text: str) -> dict[str, float]:
        return self._scores(self.asks, text)

    def strength(self, text: str) -> dict[str, float]:
        return {"none": 0.0, "hinted": 0.0, "stated": 1.0, "ended": 0.0}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        return ()

    def choices(self, text: str, detail: str) -> dict[str, float]:
        return {}


class FakeModel:
    """A fake: answers what the test says, and keeps what it was asked."""

    def __init__(self, *answers: dict[str, Any] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, list[str], list[str], set[str]]] = []

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        self.asked.append((task, list(turns), list(facts), set(model.model_fields)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        try:
            return model.model_validate(answer)
        except ValidationError as error:
            raise GenerationError("does not fit its slice") from error


class FakeVehicle:
    """A fake: refuses the trunk, asks before windows, does the rest."""

    def __init__(self) -> None:
        self.done: list[Action] = []
        self.waiting: dict[str, Action] = {}

    def offers(self) -> frozenset[str]:
        return frozenset(action.name for action in ACTIONS)

    async def state(self) -> VehicleState:
        return VehicleState()

    async def act(self, action: Action) -> ActionResult:
        if isinstance(action, SetTrunk):
            ruling = Ruling(verdict=Verdict.DENY, rule="trunk_parked", reason="I can only open the trunk when parked.")
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)
        if isinstance(action, SetWindow):
            self.waiting["token"] = action
            ruling = Ruling(verdict=Verdict.CONFIRM, rule="window_fast", reason="We are fast.")
            return ActionResult(action=action, status=ActionStatus.NEEDS_CONFIRMATION, ruling=ruling, token="token")
        return self._do(action)

    def _do(self, action: Action) -> ActionResult:
        self.done.append(action)
        ruling = Ruling(verdict=Verdict.ALLOW, rule="comfort", reason="")
        answer = {"name": "Trattoria", "minutes": 6, "title": "a jazz mix"}
        return ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling, answer=answer)

    async def confirm(self, token: str) -> ActionResult:
        if token not in self.waiting:
            raise ConfirmationError("unknown token")
        return self._do(self.waiting.pop(token))

    def withdraw(self, token: str) -> None:
        self.waiting.pop(token, None)

    async def close(self) -> None:
        return None


class FakeMemory:
    """A fake: holds what the test puts in."""

    driver = "test"

    def __init__(self, *held: tuple[str, str]) -> None:
        self.held = [
            Preference(id=f"p{n}", detail=detail, value=value, sentences=("said",), conversation="c", confidence=1.0,
                       valid_from=NOW)
            for n, (detail, value) in enumerate(held)
        ]  # fmt: skip
        self.noted: list[Turn] = []
        self.used_ids: list[str] = []
        self.agreed = Consent()

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        fitting = [p for p in self.held if not details or p.detail in details]
        return tuple(Recollection(preference=p, score=0.8) for p in fitting[:limit])

    def used(self, recalled: Sequence[Recollection]) -> None:
        self.used_ids += [r.preference.id for r in recalled]

    def note(self, turn: Turn, conversation: str) -> None:
        self.noted.append(turn)

    def forget_pending(self, conversation: str) -> int:
        erased, self.noted = len(self.noted), []
        return erased

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        return tuple(p for p in self.held if key is None or key in p.category.path)

    def forget(self, key: str) -> Receipt:
        gone = next(p for p in self.held if p.id == key)
        self.held.remove(gone)
        return Receipt(erased=(gone.id,), categories=(gone.category.key,), at=NOW, verified=True)

    def proposals(self) -> tuple[Proposal, ...]:
        return ()

    def consent(self) -> Consent:
        return self.agreed

    def opt_out(self, key: str) -> Consent:
        self.agreed = self.agreed.model_copy(update={"opted_out": self.agreed.opted_out | {key}})
        return self.agreed


def make(
    *answers: dict[str, Any] | Exception, held: Sequence[tuple[str, str]] = ()
) -> tuple[Dialogue, FakeVehicle, FakeMemory, FakeModel]:
    vehicle, memory, model = FakeVehicle(), FakeMemory(*held), FakeModel(*answers)
    dialogue = Dialogue(
        memory=memory,  # type: ignore[arg-type]
        vehicle=vehicle,
        matcher=FakeMatcher(),
        encoder=FakeEncoder(),
        model=model,
        clock=lambda: NOW,
    )
    return dialogue, vehicle, memory, model


def say(dialogue: Dialogue, text: str) -> Reply:
    return asyncio.run(dialogue.respond(dialogue.typed(text)))


def test_a_complete_command_takes_the_fast_path_without_the_model() -> None:
    dialogue, vehicle, _, model = make()
    reply = say(dialogue, "set the temperature to twenty two degrees")
    assert reply.route is Route.FAST
    assert reply.text == "22 degrees."
    assert [a.describe() for a in vehicle.done] == ["set_temperature(celsius=22.0, zone=all)"]
    assert model.asked == []


def test_a_refusal_is_spoken_with_its_reason_and_nothing_moves() -> None:
    dialogue, vehicle, _, _ = make()
    reply = say(dialogue, "open the trunk")
    assert "parked" in reply.text
    assert vehicle.done == []


def test_a_vague_request_is_filled_from_memory_and_the_reply_says_with_what() -> None:
    answer = {"navigation": {"find_place": {"kind": "restaurant", "quality": "italian"}}}
    dialogue, vehicle, memory, model = make(answer, held=[("favourite_cuisine", "italian")])
    reply = say(dialogue, "i'm hungry")
    assert reply.route is Route.MODEL
    assert model.asked[0][2] == ["favourite_cuisine: italian"]
    assert reply.text == "Taking you to Trattoria, 6 minutes away, because you like italian food."
    assert memory.used_ids == ["p0"]
    assert len(vehicle.done) == 1


def test_a_remembered_temperature_is_named_once() -> None:
    answer = {"climate": {"set_temperature": {"celsius": 22}}}
    dialogue, _, _, _ = make(answer, held=[("preferred_temperature", "22 degrees")])
    assert say(dialogue, "make it comfortable").text == "You like it at 22 degrees, so I've set that."


def test_an_open_command_is_filled_from_memory_but_works_without() -> None:
    dialogue, _, _, _ = make({"media": {"play_music": {"genre": "jazz"}}}, held=[("favorite_genres", "jazz")])
    assert "you like jazz" in say(dialogue, "play some music").text
    dialogue, vehicle, _, _ = make({})
    assert say(dialogue, "play some music").text == "Playing a jazz mix."
    assert vehicle.done[0].slots() == {}


def test_a_value_that_nobody_said_is_not_executed_even_after_refinement() -> None:
    wrong = {"navigation": {"find_place": {"kind": "restaurant", "quality": "thai"}}}
    dialogue, vehicle, _, model = make(wrong, held=[("favourite_cuisine", "italian")])
    reply = say(dialogue, "i'm hungry")
    assert reply.route is Route.REJECT
    assert vehicle.done == []
    assert "not said" in reply.reason
    assert len(model.asked) == 2, "one refinement and no more"


def test_the_refinement_binds_numbers_to_what_was_remembered() -> None:
    wrong = {"climate": {"set_temperature": {"celsius": 19}}}
    dialogue, vehicle, _, _ = make(
        wrong, {"climate": {"set_temperature": {"celsius": 22}}}, held=[("preferred_temperature", "22 degrees")]
    )
    assert say(dialogue, "make it comfortable").route is Route.MODEL
    assert vehicle.done[0].slots()["celsius"] == 22.0
    dialogue, vehicle, _, _ = make(wrong, held=[("preferred_temperature", "22 degrees")])
    assert say(dialogue, "make it comfortable").route is Route.REJECT, "19 does not even fit the second model"
    assert vehicle.done == []


def test_a_model_that_fails_is_no_crash() -> None:
    dialogue, vehicle, _, _ = make(GenerationError("too long"))
    assert say(dialogue, "i'm hungry").route is Route.REJECT
    assert vehicle.done == []


def test_a_free_request_for_a_window_needs_two_agreements() -> None:
    dialogue, vehicle, _, _ = make({"openings": {"set_window": {"window": "driver", "percent": 100}}})
    reply = say(dialogue, "could somebody open that window please")
    assert reply.text.endswith("Say yes or no.")
    assert vehicle.done == []
    assert vehicle.waiting == {}
    second = say(dialogue, "yes")
    assert "We are fast" in second.text, "the gate's own reason is spoken before anything moves"
    assert vehicle.done == []
    assert say(dialogue, "yes").results[0].status is ActionStatus.DONE
    assert len(vehicle.done) == 1


@pytest.mark.parametrize("answer", ["no", "stop", "set the temperature to twenty two degrees", "nonsense words"])
def test_anything_but_yes_withdraws_what_was_waiting(answer: str) -> None:
    dialogue, vehicle, _, _ = make({"openings": {"set_window": {"window": "driver", "percent": 100}}})
    say(dialogue, "could somebody open that window please")
    say(dialogue, answer)
    assert "nothing waiting" in say(dialogue, "yes").text
    assert not any(isinstance(action, SetWindow) for action in vehicle.done)


def test_a_preference_is_noted_and_answered_truthfully() -> None:
    dialogue, _, memory, _ = make()
    assert say(dialogue, "i love italian food").route is Route.STATEMENT
    assert [turn.speaker for turn in memory.noted] == ["driver", "assistant"]
    memory.agreed = Consent(opted_out=frozenset({"restaurant"}))
    assert "won't keep" in say(dialogue, "i love italian food").text
    dialogue, _, _, _ = make()
    assert "sensitive" in say(dialogue, "i am vegan").text


def test_what_is_not_understood_is_answered_so_but_not_when_nobody_was_addressed() -> None:
    dialogue, _, memory, _ = make()
    assert say(dialogue, "purple elephants").text.startswith("Sorry")
    before = len(memory.noted)
    heard = Transcript(text="purple elephants", confidence=0.9, in_grammar=False)
    assert asyncio.run(dialogue.respond(heard, addressed=False)).text == ""
    assert len(memory.noted) == before


def test_words_heard_too_faintly_are_not_acted_on() -> None:
    dialogue, _, _, model = make()
    heard = Transcript(text="i'm hungry", confidence=0.05, in_grammar=False)
    assert asyncio.run(dialogue.respond(heard)).route is Route.REJECT
    assert model.asked == []


def test_memory_can_be_asked_forgotten_and_switched_off() -> None:
    dialogue, _, memory, _ = make(held=[("favorite_genres", "jazz"), ("favourite_cuisine", "italian")])
    assert say(dialogue, "what do you remember").text == "I remember that you like jazz, you like italian food."
    assert "Forgotten" in say(dialogue, "forget that").text
    assert [p.value for p in memory.held] == ["italian"]
    assert "nothing about music" in say(dialogue, "stop remembering music").text
    assert "music" in memory.agreed.opted_out


def test_forget_that_after_a_statement_means_the_statement_and_nothing_stored() -> None:
    dialogue, _, memory, _ = make(held=[("favourite_cuisine", "italian")])
    say(dialogue, "my favourite is jazz")
    assert say(dialogue, "forget that").text == "Forgotten: what you have just told me."
    assert [p.value for p in memory.held] == ["italian"]
    assert "jazz" not in " ".join(turn.text for turn in memory.noted)


def test_repeat_says_the_last_reply_and_does_nothing_again() -> None:
    dialogue, vehicle, _, _ = make()
    first = say(dialogue, "set the temperature to twenty two degrees")
    assert say(dialogue, "say that again").text == first.text
    assert len(vehicle.done) == 1


def test_a_new_conversation_has_a_new_id_and_no_pending_action() -> None:
    dialogue, _, _, _ = make({"openings": {"set_window": {"window": "driver", "percent": 100}}})
    say(dialogue, "could somebody open that window please")
    first = dialogue.conversation
    dialogue.end_conversation()
    assert dialogue.conversation != first
    assert "nothing waiting" in say(dialogue, "yes").text


# The question of memory

TWENTY_TWO = "set the temperature to twenty two degrees"
DETAILS = {
    "jazz": "favorite_genres",
    "rock": "favorite_genres",
    "italian": "favourite_cuisine",
    "vegan": "dietary_preference",
}
QUESTION = " By the way, shall I remember that you like jazz?"


def reads(conversation: Conversation) -> list[Candidate]:
    """What the fake memory makes of a conversation; of what was heard badly it is unsure."""
    return [
        Candidate(
            detail=detail, value=value, sentence=turn.text, said_at=turn.at, conversation=conversation.id,
            confidence=turn.confidence, negated="any more" in turn.text,
        )
        for turn in conversation.driver_turns()
        for value, detail in DETAILS.items()
        if value in turn.text
    ]  # fmt: skip


def hinted(*said: str, questions: int = 1) -> tuple[Dialogue, FakeVehicle, StoringMemory]:
    """A dialogue after an earlier conversation of which memory is unsure."""
    memory = StoringMemory("test", clock=lambda: NOW, reads=reads)
    turns = [Turn(speaker="driver", text=text, at=NOW - timedelta(days=1), confidence=0.4) for text in said]
    for number, turn in enumerate(turns):
        memory.learn(Conversation(id=f"before-{number}", turns=(turn,)))
    vehicle = FakeVehicle()
    dialogue = Dialogue(
        memory=memory,
        vehicle=vehicle,
        matcher=FakeMatcher(),
        encoder=FakeEncoder(),
        model=FakeModel({"openings": {"set_window": {"window": "driver", "percent": 100}}}),
        clock=lambda: NOW,
        settings=DialogueSettings(questions=questions),
    )
    return dialogue, vehicle, memory


def heard(dialogue: Dialogue, text: str, *, confidence: float = 0.9) -> Reply:
    """Free speech in the follow-up window."""
    transcript = Transcript(text=text, confidence=confidence, in_grammar=FakeMatcher().match(text) is not None)
    return asyncio.run(dialogue.respond(transcript, addressed=False))


def test_a_finished_reply_ends_with_the_question_and_a_yes_stores_it() -> None:
    dialogue, vehicle, memory = hinted("i love jazz")
    reply = say(dialogue, TWENTY_TWO)
    assert reply.text == "22 degrees." + QUESTION and len(vehicle.done) == 1
    assert reply.proposal is not None and reply.proposal.value == "jazz"
    assert memory.proposals()[0].asked == 1 and memory.preferences() == ()
    settled = heard(dialogue, "yes")
    assert settled.text == "Okay, I'll remember that." and settled.route is Route.MEMORY
    assert settled.decision is not None and settled.decision.outcome is Outcome.APPEND
    assert [p.value for p in memory.preferences()] == ["jazz"] and memory.proposals() == ()
    assert "nothing waiting" in say(dialogue, "yes").text


@pytest.mark.parametrize("words", ["no", "no thanks", "please don't", "forget that", "no i don't like jazz"])
def test_a_no_stores_nothing_and_is_not_asked_again(words: str) -> None:
    dialogue, _, memory = hinted("i love jazz", questions=5)
    say(dialogue, TWENTY_TWO)
    settled = heard(dialogue, words)
    assert settled.text == "Okay, I won't remember that."
    assert settled.decision is not None and settled.decision.outcome is Outcome.DECLINED
    assert memory.preferences(history=True) == () and memory.proposals() == ()
    again = Turn(speaker="driver", text="i love jazz", at=NOW, confidence=0.4)
    memory.learn(Conversation(id="again", turns=(again,)))
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."


def test_an_answer_is_not_noted() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    heard(dialogue, "no i don't like jazz")
    assert memory.learn_pending() == ()


@pytest.mark.parametrize("words", ["open the trunk", TWENTY_TWO, "i love italian food", "what do you remember"])
def test_anything_else_is_handled_as_what_it_is_and_leaves_the_question_open(words: str) -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    plain, _, _ = hinted()
    reply = heard(dialogue, words)
    assert (reply.text, reply.route) == ((expected := heard(plain, words)).text, expected.route)
    assert [p.value for p in memory.proposals()] == ["jazz"]
    assert "nothing waiting" in say(dialogue, "yes").text, "a later yes does not mean the question any more"
    assert [p.value for p in memory.proposals()] == ["jazz"]


def test_talk_that_nobody_addressed_does_not_close_the_question() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    assert heard(dialogue, "purple elephants").text == ""
    assert heard(dialogue, "yes i like jazz", confidence=0.1).text == "", "heard too faintly for an answer"
    heard(dialogue, "yes i like jazz")
    assert [p.value for p in memory.preferences()] == ["jazz"]


@pytest.mark.parametrize("close", ["window", "wake word", "stop"])
def test_no_answer_leaves_the_question_open_in_memory(close: str) -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    if close == "window":
        dialogue.end_conversation()
    elif close == "wake word":
        dialogue.drop_pending()
    else:
        assert heard(dialogue, "stop").ends_conversation
    assert "nothing waiting" in say(dialogue, "yes").text
    assert [p.value for p in memory.proposals()] == ["jazz"] and memory.preferences() == ()


def test_help_and_repeating_keep_the_question() -> None:
    dialogue, _, memory = hinted("i love jazz")
    asked = say(dialogue, TWENTY_TWO)
    heard(dialogue, "help")
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    assert heard(dialogue, "say that again").text == asked.text
    heard(dialogue, "yes")
    assert [p.value for p in memory.preferences()] == ["jazz"]


def test_one_question_a_trip_and_none_twice() -> None:
    dialogue, _, memory = hinted("i love jazz", "i love italian food")
    assert "you like italian food?" in say(dialogue, TWENTY_TWO).text
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."
    dialogue, _, _ = hinted("i love jazz", questions=0)
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."
    dialogue, _, memory = hinted("i love jazz", questions=3)
    say(dialogue, TWENTY_TWO)
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees.", "not answered: asked again only after another hint"
    assert len(memory.proposals()) == 1


def test_the_surest_is_asked_about_first() -> None:
    dialogue, _, memory = hinted("i love jazz")
    turn = Turn(speaker="driver", text="i love italian food", at=NOW, confidence=0.3)
    memory.learn(Conversation(id="newer", turns=(turn,)))
    assert [p.value for p in memory.proposals()] == ["italian", "jazz"]
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


def test_not_in_the_conversation_that_it_came_from() -> None:
    dialogue, _, memory = hinted()
    turn = Turn(speaker="driver", text="i love jazz", at=NOW, confidence=0.4)
    memory.learn(Conversation(id=dialogue.conversation, turns=(turn,)))
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


@pytest.mark.parametrize(
    "words",
    ["open the trunk", "could somebody open that window please", "i love italian food", "purple elephants", "help",
     "stop", "no", "say that again", "stop remembering music", "forget that"],
)  # fmt: skip
def test_only_what_was_finished_is_followed_by_a_question(words: str) -> None:
    dialogue, _, memory = hinted("i love italian food")
    reply = say(dialogue, words)
    assert reply.proposal is None and "By the way" not in reply.text
    assert memory.proposals() == () or memory.proposals()[0].asked == 0


def test_what_is_remembered_may_be_followed_by_a_question() -> None:
    dialogue, _, _ = hinted("i love jazz")
    assert say(dialogue, "what do you remember").text == "I remember nothing about you yet." + QUESTION


def test_never_while_an_action_waits_for_a_yes() -> None:
    dialogue, vehicle, memory = hinted("i love jazz")
    assert say(dialogue, "could somebody open that window please").text.endswith("Say yes or no.")
    second = say(dialogue, "yes")
    assert second.pending == "token" and "By the way" not in second.text
    assert "By the way" not in say(dialogue, "yes").text, "a yes to an action is no place for a question either"
    assert len(vehicle.done) == 1 and memory.proposals()[0].asked == 0


@pytest.mark.parametrize("how", ["private", "pause", "opt out"])
def test_never_against_consent(how: str) -> None:
    dialogue, _, memory = hinted("i love jazz")
    if how == "private":
        memory.set_private_trip(True)
    elif how == "pause":
        memory.pause(NOW + timedelta(hours=1))
    else:
        memory.opt_out("music")
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."


def test_what_is_forbidden_is_passed_over_for_what_is_not() -> None:
    dialogue, _, memory = hinted("i love jazz")
    memory.opt_in("dietary_preference")
    memory.learn(Conversation(id="v", turns=(Turn(speaker="driver", text="i am vegan", at=NOW, confidence=0.4),)))
    assert [p.value for p in memory.proposals()] == ["vegan", "jazz"]
    memory._consent = Consent()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


def test_switched_off_between_question_and_answer() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    assert "nothing about music" in heard(dialogue, "stop remembering music").text
    assert "nothing waiting" in heard(dialogue, "yes").text
    assert memory.preferences(history=True) == () and memory.proposals() == ()


@pytest.mark.parametrize("how", ["opt out", "forgotten", "private"])
def test_changed_elsewhere_between_question_and_answer(how: str) -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    if how == "opt out":
        memory.opt_out("music")
    elif how == "forgotten":
        memory.forget("everything")
    else:
        memory.set_private_trip(True)
    text = heard(dialogue, "yes").text
    assert text == "That question is not open any more." or (how == "private" and "private trip" in text)
    assert memory.preferences(history=True) == ()


def test_a_memory_that_fails_does_not_lose_the_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    dialogue, vehicle, memory = hinted("i love jazz")

    def full(_: str) -> None:
        raise StorageFullError("full")

    monkeypatch.setattr(memory, "asked", full)
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." and len(vehicle.done) == 1
    assert "nothing waiting" in say(dialogue, "yes").text


def test_forget_that_after_a_yes_means_what_was_agreed_to() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    heard(dialogue, "yes")
    assert say(dialogue, "forget that").text == "Forgotten: one thing about music genres."
    assert memory.preferences(history=True) == ()


def test_the_end_of_a_preference_is_asked_about_in_other_words() -> None:
    dialogue, _, memory = hinted()
    memory.learn(Conversation(id="a", turns=(Turn(speaker="driver", text="i love jazz", at=NOW),)))
    unsure = Turn(speaker="driver", text="maybe not jazz any more", at=NOW, confidence=0.4)
    memory.learn(Conversation(id="b", turns=(unsure,)))
    assert say(dialogue, TWENTY_TWO).text.endswith("By the way, shall I no longer assume that you like jazz?")
    assert heard(dialogue, "yes").text == "Okay, I won't assume that any more."
    assert memory.preferences() == ()


ANSWERS: list[tuple[str, bool | None, bool | None]] = [
    # what is said, what it means after "shall I remember", what after "shall I no longer assume"
    ("yes please", True, True),
    ("sure", True, True),
    ("sure thing", True, True),
    ("of course you may", True, True),
    ("that would be nice", True, True),
    ("that would be silly", None, None),
    ("yes that's right", True, True),
    ("please remember that", True, None),
    ("Yes, I like jazz.", True, None),
    ("yes don't", None, None),
    ("no thank you", False, False),
    ("please don’t", False, False),
    ("i'd rather you didn't", False, False),
    ("you don't have to", False, False),
    ("not now", False, False),
    ("no don't remember that", False, None),
    ("no i don't like jazz", False, None),
    ("no i like jazz", None, False),
    ("no i like rock", None, None),
    ("no open the window", None, None),
    ("yes open the window", None, None),
    ("i like jazz", None, None),
    ("jazz", None, None),
    ("", None, None),
]


@pytest.mark.parametrize(("text", "remember", "assume"), ANSWERS)
def test_what_counts_as_an_answer(text: str, remember: bool | None, assume: bool | None) -> None:
    proposal = Proposal(
        id="n", detail="favorite_genres", value="jazz", sentence="s", said_at=NOW, conversation="c", confidence=0.4,
        expires_at=NOW,
    )  # fmt: skip
    assert answer(text, proposal) is remember
    assert answer(text, proposal.model_copy(update={"negated": True})) is assume
