"""The contract of ``MemoryPort``, on the fake and on the real memory over a vault."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.fake import VALUES, FakeMemory, KeywordEncoder, KeywordModel
from memory.keys import RawKey
from memory.service import DriverMemory
from memory.values import plain_value, temperature
from memory.vault import Vault
from memory.wording import contains
from schemas.errors import UnknownEntryError
from schemas.memory import Candidate, Conversation, Outcome, Status, Turn
from schemas.ports import MemoryPort

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Clock:
    """A clock that moves a second each time it is asked."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def reads(conversation: Conversation) -> Sequence[Candidate]:
    """What the fake memory's reader finds: the same words as the fake language model's."""
    return [
        Candidate(
            detail=detail,
            value=temperature(value) or plain_value(detail, value),
            sentence=turn.text,
            said_at=turn.at,
            conversation=conversation.id,
            confidence=0.9,
            negated="any more" in turn.text,
        )
        for turn in conversation.driver_turns()
        for detail, values in VALUES.items()
        for value in values
        if contains(turn.text, value)
    ]


@pytest.fixture(params=["fake", "vault"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryPort]:
    clock = Clock()
    made: MemoryPort
    if request.param == "fake":
        made = FakeMemory("ada", clock=clock, reads=reads)
    else:
        vault = Vault.open(tmp_path, "ada", RawKey(b"k" * 32), clock=clock)
        made = DriverMemory("ada", vault, encoder=KeywordEncoder(), model=KeywordModel(), clock=clock)
    yield made
    made.close()


def talk(*said: str, name: str = "trip") -> Conversation:
    turns = [Turn(speaker="driver", text=text, at=START + timedelta(minutes=n)) for n, text in enumerate(said)]
    return Conversation(id=name, turns=tuple(turns))


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
