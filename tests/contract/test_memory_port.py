"""The contract of ``MemoryPort``, over a vault in a file and over one without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.errors import UnknownEntryError
from schemas.memory import Conversation, Kind, Outcome, Period, Status, Turn
from schemas.ports import MemoryPort
from tests.memories import memory_of

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Clock:
    """A clock that moves a second each time it is asked."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture(params=["file", "no file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryPort]:
    made = memory_of(clock=Clock(), folder=tmp_path if request.param == "file" else None)
    yield made
    made.close()


def talk(*said: str, name: str = "trip") -> Conversation:
    turns = [Turn(speaker="driver", text=text, at=START + timedelta(minutes=n)) for n, text in enumerate(said)]
    return Conversation(id=name, turns=tuple(turns))


def hint(*said: str, name: str = "hint") -> Conversation:
    """The same, said so that memory has to ask."""
    return talk(*(f"perhaps {text}" for text in said), name=name)


def values(memory: MemoryPort, key: str | None = None) -> set[str]:
    return {p.value for p in memory.preferences(key)}


def test_what_was_learnt_is_there_when_learn_returns(memory: MemoryPort) -> None:
    (decision,) = memory.learn(talk("i love jazz"))
    assert decision.outcome is Outcome.APPEND and decision.value == "jazz"
    (preference,) = memory.preferences()
    assert preference.id == decision.preference and preference.sentences == ("i love jazz",)
    assert preference.detail == "favorite_genres" and preference.status is Status.ACTIVE


def test_a_second_value_joins_in_a_multi_category(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    (decision,) = memory.learn(talk("i love rock", name="later"))
    assert decision.outcome is Outcome.APPEND and values(memory) == {"jazz", "rock"}


def test_a_second_value_replaces_in_a_single_category(memory: MemoryPort) -> None:
    memory.learn(talk("i like it at twenty one degrees"))
    (decision,) = memory.learn(talk("i like it at twenty two degrees", name="later"))
    assert decision.outcome is Outcome.UPDATE and decision.replaced == ("21 degrees",)
    assert values(memory) == {"22 degrees"}
    assert {p.value for p in memory.preferences(history=True)} == {"21 degrees", "22 degrees"}
    old = next(p for p in memory.preferences(history=True) if p.value == "21 degrees")
    assert old.status is Status.SUPERSEDED and old.valid_to is not None


def test_the_same_again_adds_its_sentence_only(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    (decision,) = memory.learn(talk("jazz is the best music", name="later"))
    assert decision.outcome is Outcome.PASS
    (preference,) = memory.preferences()
    assert preference.sentences == ("i love jazz", "jazz is the best music")


def test_what_ended_is_history(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    (decision,) = memory.learn(talk("i don't like jazz any more", name="later"))
    assert decision.outcome is Outcome.UPDATE and decision.replaced == ("jazz",)
    assert memory.preferences() == () and len(memory.preferences(history=True)) == 1


def test_the_end_of_what_was_never_known_is_dropped(memory: MemoryPort) -> None:
    (decision,) = memory.learn(talk("i don't like jazz any more"))
    assert decision.outcome is Outcome.DROPPED and memory.preferences(history=True) == ()


def test_noted_turns_are_learnt_once(memory: MemoryPort) -> None:
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "one")
    memory.note(Turn(speaker="assistant", text="i love rock", at=START), "one")
    memory.note(Turn(speaker="driver", text="i love greek food", at=START), "two")
    assert [d.value for d in memory.learn_pending()] == ["jazz", "greek"]
    assert memory.learn_pending() == ()
    assert values(memory) == {"jazz", "greek"}


@pytest.mark.parametrize("key", ["favourite_cuisine", "restaurant", "points_of_interest",
                                 "points_of_interest.restaurant", "points_of_interest.restaurant.favourite_cuisine"])  # fmt: skip
def test_nothing_is_learnt_of_what_is_switched_off(memory: MemoryPort, key: str) -> None:
    assert key.rsplit(".", 1)[-1] in memory.opt_out(key).opted_out
    (decision,) = memory.learn(talk("i love italian food"))
    assert decision.outcome is Outcome.REFUSED and decision.value is None and "italian" not in decision.reason
    assert memory.preferences(history=True) == ()
    memory.opt_in(key)
    memory.learn(talk("i love italian food", name="later"))
    assert values(memory) == {"italian"}


def test_a_sensitive_category_is_off_until_asked_for(memory: MemoryPort) -> None:
    (decision,) = memory.learn(talk("i am vegan"))
    assert decision.outcome is Outcome.REFUSED
    memory.opt_in("restaurant")
    memory.learn(talk("i am vegan", name="two"))
    assert memory.preferences() == ()
    memory.opt_in("dietary_preference")
    memory.learn(talk("i am vegan", name="three"))
    assert values(memory) == {"vegan"}


def test_a_private_trip_leaves_nothing(memory: MemoryPort) -> None:
    assert memory.set_private_trip(True).private_trip
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "one")
    memory.learn(talk("i love rock", name="two"))
    assert not memory.set_private_trip(False).private_trip
    assert memory.learn_pending() == () and memory.preferences(history=True) == ()


def test_a_pause_ends_by_itself(memory: MemoryPort) -> None:
    memory.pause(START + timedelta(seconds=30))
    memory.learn(talk("i love jazz"))
    assert memory.preferences() == ()
    memory.pause(START)
    memory.learn(talk("i love jazz", name="later"))
    assert values(memory) == {"jazz"}
    assert memory.pause(None).paused_until is None


def test_what_was_said_before_a_private_trip_waits(memory: MemoryPort) -> None:
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "one")
    memory.set_private_trip(True)
    assert memory.learn_pending() == ()
    memory.set_private_trip(False)
    assert [d.value for d in memory.learn_pending()] == ["jazz"]


def test_recall_finds_what_matters(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz", "i love italian food"))
    found = memory.recall("play some jazz music")
    assert found[0].preference.value == "jazz" and 0 < found[0].score <= 1
    assert memory.recall("how far is the moon") == ()
    assert [r.preference.value for r in memory.recall("hm", details=["favourite_cuisine"])] == ["italian"]
    assert len(memory.recall("music and food", details=["favourite_cuisine", "favorite_genres"], limit=1)) == 1


def test_recall_leaves_out_what_was_switched_off_and_what_ended(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    memory.opt_out("music")
    assert memory.recall("play some jazz music") == () and values(memory) == {"jazz"}
    memory.opt_in("music")
    memory.learn(talk("i don't like jazz any more", name="later"))
    assert memory.recall("play some jazz music") == ()


def test_uses_are_counted(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    memory.used(memory.recall("jazz music"))
    (preference,) = memory.preferences()
    assert preference.uses == 1 and preference.last_used is not None and preference.last_used > START


def test_forgetting_one(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz", "i love rock"))
    jazz = next(p for p in memory.preferences() if p.value == "jazz")
    receipt = memory.forget(jazz.id)
    assert receipt.erased == (jazz.id,) and receipt.verified
    assert receipt.categories == ("entertainment_and_media.music.favorite_genres",)
    assert values(memory) == {"rock"}
    with pytest.raises(UnknownEntryError):
        memory.forget(jazz.id)


@pytest.mark.parametrize(
    ("key", "left"), [("music", {"italian"}), ("points_of_interest", {"jazz"}), ("everything", set())]
)
def test_forgetting_more(memory: MemoryPort, key: str, left: set[str]) -> None:
    memory.learn(talk("i love jazz", "i love italian food"))
    assert memory.forget(key).verified and values(memory) == left


def test_forgetting_takes_waiting_turns_with_it(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    memory.note(Turn(speaker="driver", text="more jazz please", at=START), "next")
    assert memory.forget(memory.preferences()[0].id).turns_erased == 1
    assert memory.learn_pending() == ()


@pytest.mark.parametrize("call", ["preferences", "forget", "opt_out", "opt_in"])
def test_unknown_keys(memory: MemoryPort, call: str) -> None:
    with pytest.raises(UnknownEntryError, match="cheese"):
        getattr(memory, call)("cheese")


def test_the_export_is_json_and_complete(memory: MemoryPort) -> None:
    memory.learn(talk("i like it at twenty one degrees", "i love jazz"))
    memory.learn(talk("i like it at twenty two degrees", name="later"))
    memory.opt_out("parking")
    exported = json.loads(json.dumps(memory.export()))
    assert exported["format"] == "glovebox-memory" and exported["driver"] == "ada"
    assert {p["value"] for p in exported["preferences"]} == {"21 degrees", "22 degrees", "jazz"}
    assert exported["consent"]["opted_out"] == ["parking"]


def test_what_waits_can_be_forgotten_before_it_is_learnt(memory: MemoryPort) -> None:
    memory.note(Turn(speaker="driver", text="i love jazz", at=START), "first")
    memory.note(Turn(speaker="driver", text="i love rock", at=START), "second")
    assert memory.forget_pending("first") == 1
    assert memory.forget_pending("first") == 0
    memory.learn_pending()
    assert "jazz" not in values(memory)


# Asking before remembering


def proposed(memory: MemoryPort, *said: str) -> str:
    """Id of the only proposal after hints."""
    memory.learn(hint(*said))
    (proposal,) = memory.proposals()
    return proposal.id


def test_what_is_unsure_is_proposed_and_not_stored(memory: MemoryPort) -> None:
    (decision,) = memory.learn(hint("i love jazz"))
    assert decision.outcome is Outcome.ASK and decision.value == "jazz" and decision.preference is None
    assert memory.preferences(history=True) == () and memory.recall("play some jazz music") == ()
    (proposal,) = memory.proposals()
    assert proposal.id == decision.proposal and proposal.due and proposal.asked == 0
    assert (proposal.detail, proposal.value, proposal.sentence) == ("favorite_genres", "jazz", "perhaps i love jazz")
    assert timedelta(days=13, hours=23) < proposal.expires_at - START < timedelta(days=14, hours=1)


def test_a_yes_stores_it(memory: MemoryPort) -> None:
    decision = memory.answer(proposed(memory, "i love jazz"), True)
    assert decision.outcome is Outcome.APPEND and decision.value == "jazz"
    (preference,) = memory.preferences()
    assert preference.id == decision.preference and preference.sentences == ("perhaps i love jazz",)
    assert preference.confidence == 1.0 and memory.proposals() == ()
    assert memory.recall("play some jazz music")[0].preference == preference


def test_a_no_stores_nothing_and_is_not_asked_again(memory: MemoryPort) -> None:
    name = proposed(memory, "i love jazz")
    decision = memory.answer(name, False)
    assert decision.outcome is Outcome.DECLINED and decision.value is None and "jazz" not in decision.reason
    (again,) = memory.learn(hint("i love jazz", name="later"))
    assert again.outcome is Outcome.DROPPED and again.value is None
    assert memory.proposals() == () and memory.preferences(history=True) == ()
    memory.learn(hint("i love rock", name="still later"))
    assert [p.value for p in memory.proposals()] == ["rock"]


def test_what_was_declined_is_stored_when_it_is_told_for_sure(memory: MemoryPort) -> None:
    memory.answer(proposed(memory, "i love jazz"), False)
    memory.learn(talk("i love jazz", name="later"))
    assert values(memory) == {"jazz"}


@pytest.mark.parametrize("yes", [True, False])
def test_an_answer_counts_once(memory: MemoryPort, yes: bool) -> None:
    name = proposed(memory, "i love jazz")
    memory.answer(name, yes)
    for answer in (True, False):
        with pytest.raises(UnknownEntryError):
            memory.answer(name, answer)


def test_a_hint_at_what_is_stored_adds_its_sentence_only(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    (decision,) = memory.learn(hint("jazz is the best music"))
    assert decision.outcome is Outcome.PASS and memory.proposals() == ()
    assert memory.preferences()[0].sentences == ("i love jazz", "perhaps jazz is the best music")


def test_the_same_hint_again_is_the_same_proposal(memory: MemoryPort) -> None:
    name = proposed(memory, "i love jazz")
    memory.learn(hint("what a nice day", "jazz is the best music", name="later"))
    (proposal,) = memory.proposals()
    assert (proposal.id, proposal.sentence) == (name, "perhaps jazz is the best music")
    assert proposal.said_at == START + timedelta(minutes=1) and proposal.conversation == "later"


def test_telling_it_for_sure_answers_the_question(memory: MemoryPort) -> None:
    proposed(memory, "i love jazz")
    memory.learn(talk("i love jazz", name="later"))
    assert memory.proposals() == () and values(memory) == {"jazz"}


def test_telling_the_contrary_for_sure_answers_the_question(memory: MemoryPort) -> None:
    proposed(memory, "i love jazz")
    memory.learn(talk("i don't like jazz any more", name="later"))
    assert memory.proposals() == () and memory.preferences(history=True) == ()


def test_an_unsure_end_is_asked_about_and_a_yes_ends_it(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    name = proposed(memory, "i don't like jazz any more")
    assert memory.proposals()[0].negated and values(memory) == {"jazz"}
    assert memory.answer(name, True).outcome is Outcome.UPDATE
    assert memory.preferences() == () and len(memory.preferences(history=True)) == 1


def test_a_yes_goes_through_maintenance(memory: MemoryPort) -> None:
    memory.learn(talk("i like it at twenty one degrees"))
    decision = memory.answer(proposed(memory, "i like it at twenty two degrees"), True)
    assert decision.outcome is Outcome.UPDATE and decision.replaced == ("21 degrees",)
    assert values(memory) == {"22 degrees"}


def test_being_asked_is_counted_and_happens_again_only_after_another_hint(memory: MemoryPort) -> None:
    name = proposed(memory, "i love jazz")
    memory.asked(name)
    memory.asked("nothing of this name")
    (proposal,) = memory.proposals()
    assert proposal.asked == 1 and proposal.asked_at is not None and not proposal.due
    turn = Turn(speaker="driver", text="perhaps i love jazz", at=START + timedelta(hours=1))
    memory.learn(Conversation(id="later", turns=(turn,)))
    assert memory.proposals()[0].due and memory.proposals()[0].asked == 1


def test_a_hint_in_a_category_that_is_switched_off_is_not_proposed(memory: MemoryPort) -> None:
    memory.opt_out("music")
    memory.learn(hint("i love jazz"))
    memory.learn(hint("i am vegan", name="sensitive"))
    assert memory.proposals() == ()
    memory.opt_in("dietary_preference")
    memory.learn(hint("i am vegan", name="allowed"))
    assert [p.value for p in memory.proposals()] == ["vegan"]


@pytest.mark.parametrize("key", ["favorite_genres", "music", "entertainment_and_media"])
def test_switching_a_category_off_erases_its_proposals(memory: MemoryPort, key: str) -> None:
    name = proposed(memory, "i love jazz")
    memory.learn(hint("i love italian food", name="other"))
    memory.opt_out(key)
    assert [p.value for p in memory.proposals()] == ["italian"]
    with pytest.raises(UnknownEntryError):
        memory.answer(name, True)
    memory.opt_in(key)
    assert [p.value for p in memory.proposals()] == ["italian"] and memory.preferences() == ()


@pytest.mark.parametrize("how", ["private", "pause"])
def test_while_nothing_may_be_remembered_nothing_is_proposed_and_no_yes_counts(memory: MemoryPort, how: str) -> None:
    name = proposed(memory, "i love jazz")
    if how == "private":
        memory.set_private_trip(True)
    else:
        memory.pause(START + timedelta(days=1))
    memory.learn(hint("i love italian food", name="meanwhile"))
    decision = memory.answer(name, True)
    assert decision.outcome is Outcome.REFUSED and decision.value is None
    assert memory.preferences(history=True) == () and [p.id for p in memory.proposals()] == [name]
    memory.set_private_trip(False)
    memory.pause(None)
    assert memory.answer(name, True).outcome is Outcome.APPEND


@pytest.mark.parametrize("key", ["id", "favorite_genres", "music", "everything"])
def test_a_proposal_can_be_forgotten(memory: MemoryPort, key: str) -> None:
    name = proposed(memory, "i love jazz")
    memory.learn(hint("i love italian food", name="other"))
    receipt = memory.forget(name if key == "id" else key)
    assert receipt.verified and receipt.proposals_erased == (2 if key == "everything" else 1) and receipt.erased == ()
    assert "entertainment_and_media.music.favorite_genres" in receipt.categories
    assert [p.value for p in memory.proposals()] == ([] if key == "everything" else ["italian"])


def test_forgetting_a_preference_takes_a_proposal_that_names_it_along(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz"))
    memory.learn(hint("i don't like jazz any more"))
    assert memory.forget(memory.preferences()[0].id).proposals_erased == 1
    assert memory.proposals() == ()


def test_forgetting_a_conversation_takes_its_proposals_along(memory: MemoryPort) -> None:
    proposed(memory, "i love jazz")
    assert memory.forget_pending("hint") == 1
    assert memory.proposals() == ()


def test_forgetting_everything_forgets_what_was_declined(memory: MemoryPort) -> None:
    memory.answer(proposed(memory, "i love jazz"), False)
    memory.forget("everything")
    memory.learn(hint("i love jazz", name="later"))
    assert [p.value for p in memory.proposals()] == ["jazz"]


def test_the_export_holds_the_proposals(memory: MemoryPort) -> None:
    name = proposed(memory, "i love jazz")
    exported = json.loads(json.dumps(memory.export()))
    assert [(p["id"], p["value"]) for p in exported["proposals"]] == [(name, "jazz")]


def test_search_finds_preferences_within_what_is_asked_for(memory: MemoryPort) -> None:
    memory.learn(talk("i love jazz", "i like italian food"))
    (found,) = memory.search("play some jazz music", kinds=[Kind.PREFERENCE], period=Period(since=START))
    assert found.kind is Kind.PREFERENCE and "jazz" in found.text and found.details == ("favorite_genres",)
    assert found.id in {p.id for p in memory.preferences()} and 0 < found.score <= 1
    assert memory.search("play some jazz music", kinds=[Kind.EPISODE]) == ()
    assert memory.search("play some jazz music", period=Period(until=START)) == ()
    assert memory.search("play some jazz music", details=["parking_spot"]) == ()
    assert memory.search("play some jazz music", tags=["nothing has it"]) == ()
    memory.used([found])
    assert {p.id: p.uses for p in memory.preferences()}[found.id] == 1
    memory.opt_out("music")
    assert memory.search("play some jazz music", period=Period(since=START)) == ()
