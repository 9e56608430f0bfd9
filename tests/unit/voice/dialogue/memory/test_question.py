"""The question of memory at the end of a reply: when it is asked, what answers it, what becomes of the answer."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from memory.service import DriverMemory
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import StorageFullError
from schemas.events import (
    Reply,
    Route,
    Transcript,
)
from schemas.kinds import Marked
from schemas.memory import (
    Consent,
    Outcome,
    Proposal,
    Selector,
)
from schemas.seat import Seat
from tests.dialogues import NOW, FakeMatcher, FakeVehicle, StubParser, say
from tests.memories import memory_of, talk
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.dialogue.memory.question import answer

TWENTY_TWO = "set the temperature to twenty two degrees"
QUESTION = " By the way, shall I remember that you like jazz?"


TOLD = "jazz is what i wake up to"


class Unsure(KeywordEncoder):
    """Takes `TOLD` for a hint."""

    def strength(self, text: str) -> dict[str, float]:
        """No more than hinted."""
        hint = {"none": 0.1, "hinted": 0.9, "stated": 0.0, "ended": 0.0}
        return hint if text == TOLD else super().strength(text)

    def marks(self, text: str) -> Marked:
        """Nothing is marked."""
        return Marked(text) if text == TOLD else super().marks(text)


def _always(proposal: Proposal, *, told: bool = False) -> bool:
    return bool(proposal.id) or told


def _never(proposal: Proposal, *, told: bool = False) -> bool:
    return not (proposal.id or told)


def hinted(*said: str, questions: int = 1) -> tuple[Dialogue, FakeVehicle, DriverMemory]:
    """A dialogue after an earlier conversation of which memory is unsure."""
    memory = memory_of("test", clock=lambda: NOW, encoder=Unsure())
    memory.worth = _always  # what is worth a question is another test's matter
    for number, text in enumerate(said):
        memory.learn(talk(f"perhaps {text}", at=NOW - timedelta(days=1), name=f"before-{number}"))
    vehicle, parser = FakeVehicle(), StubParser({"it is cold": "change_temperature(change=up)"})
    parser.knows["could somebody open that window please"] = "set_window(window=driver,percent=100)", 0.5
    parser.knows[TOLD] = "tell()", 0.95
    dialogue = Dialogue(
        seat=Seat(memory),
        vehicle=vehicle,
        matcher=FakeMatcher(),
        parser=parser,
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
    assert "no open question" in say(dialogue, "yes").text


@pytest.mark.parametrize("words", ["no", "no thanks", "please don't", "forget that", "no i don't like jazz"])
def test_a_no_stores_nothing_and_is_not_asked_again(words: str) -> None:
    dialogue, _, memory = hinted("i love jazz", questions=5)
    say(dialogue, TWENTY_TWO)
    settled = heard(dialogue, words)
    assert settled.text == "Okay, I won't remember that."
    assert settled.decision is not None and settled.decision.outcome is Outcome.DECLINED
    assert memory.preferences(history=True) == () and memory.proposals() == ()
    memory.learn(talk("perhaps i love jazz", at=NOW, name="again"))
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."


def test_an_answer_is_not_noted() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    heard(dialogue, "no i don't like jazz")
    assert memory.matching(Selector(text="jazz")).turns == 0
    assert "favorite_genres" not in {d.detail for d in memory.learn_pending()}


@pytest.mark.parametrize("words", ["open the trunk", TWENTY_TWO, "it is cold", "what do you remember"])
def test_anything_else_is_handled_as_what_it_is_and_leaves_the_question_open(words: str) -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    plain, _, _ = hinted()
    reply = heard(dialogue, words)
    assert (reply.text, reply.route) == ((expected := heard(plain, words)).text, expected.route)
    assert [p.value for p in memory.proposals()] == ["jazz"]
    assert "no open question" in say(dialogue, "yes").text, "a later yes does not mean the question any more"
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
    assert "no open question" in say(dialogue, "yes").text
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
    asked = say(dialogue, TWENTY_TWO).text  # either: they are equally sure, but for the last bit
    assert asked.count("shall I remember") == 1 and asked.endswith(("you like italian food?", "you like jazz?"))
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
    memory.learn(talk("perhaps i love italian food", at=NOW, name="newer", confidence=0.7))
    assert [p.value for p in memory.proposals()] == ["italian", "jazz"]
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


def test_not_in_the_conversation_that_it_came_from() -> None:
    dialogue, _, memory = hinted()
    memory.learn(talk("perhaps i love jazz", at=NOW, name=dialogue.conversation))
    assert say(dialogue, TWENTY_TWO).text == "22 degrees."
    dialogue.end_conversation()
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


def test_what_is_told_outright_is_asked_about_at_once_and_beside_the_question_of_the_trip() -> None:
    dialogue, _, memory = hinted("i love italian food")
    reply = say(dialogue, TOLD)
    assert reply.text == "I see. Shall I remember that you like jazz?"
    assert reply.proposal is not None and reply.proposal.value == "jazz" and memory.preferences() == ()
    assert heard(dialogue, "yes").text == "Okay, I'll remember that."
    assert [p.value for p in memory.preferences()] == ["jazz"]
    assert say(dialogue, TWENTY_TWO).text.startswith("22 degrees. By the way, shall I remember that you like italian")


def test_what_is_told_and_not_worth_a_question_is_said_not_to_be_kept() -> None:
    for questions, worth in ((1, False), (0, True)):
        dialogue, _, memory = hinted(questions=questions)
        memory.worth = _always if worth else _never
        assert say(dialogue, TOLD).text == "I see, but I don't keep that yet. If I should, say: keep that."
        assert memory.proposals()[0].asked == 0


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
    assert say(dialogue, "could somebody open that window please").text.endswith("Shall I open your window?")
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


def test_what_is_forbidden_is_passed_over_for_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    dialogue, _, memory = hinted("i love jazz")
    memory.opt_in("dietary_preference")
    memory.learn(talk("perhaps i am vegan", at=NOW, name="v"))
    assert [p.value for p in memory.proposals()] == ["vegan", "jazz"]
    monkeypatch.setattr(memory, "consent", Consent)
    assert say(dialogue, TWENTY_TWO).text == "22 degrees." + QUESTION


def test_switched_off_between_question_and_answer() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    assert "nothing about music" in heard(dialogue, "stop remembering music").text
    assert "no open question" in heard(dialogue, "yes").text
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
    assert "no open question" in say(dialogue, "yes").text


def test_forget_that_after_a_yes_means_what_was_agreed_to() -> None:
    dialogue, _, memory = hinted("i love jazz")
    say(dialogue, TWENTY_TWO)
    heard(dialogue, "yes")
    assert say(dialogue, "forget that").text == "Forgotten."
    assert memory.preferences(history=True) == ()


def test_the_end_of_a_preference_is_asked_about_in_other_words() -> None:
    dialogue, _, memory = hinted()
    memory.learn(talk("i love jazz", at=NOW, name="a"))
    memory.learn(talk("perhaps i don't like jazz any more", at=NOW, name="b"))
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


def test_nothing_else_is_asked_while_forgetting_is_going_to_ask() -> None:
    """What is done beside a wish to have something forgotten ends with no question of memory's: a yes has to mean one thing."""
    dialogue, vehicle, memory = hinted("i love jazz")
    memory.remember("i love soul", "favorite_genres")
    reply = say(dialogue, f"forget that i like soul and {TWENTY_TWO}")
    assert [action.name for action in vehicle.done] == ["set_temperature"]
    assert "soul" in reply.text and reply.text.count("?") == 1 and QUESTION not in reply.text and reply.proposal is None
    assert [p.value for p in memory.preferences()] == ["soul"]
    say(dialogue, "yes")
    assert memory.preferences() == () and [p.value for p in memory.proposals()] == ["jazz"]
