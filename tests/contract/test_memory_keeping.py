"""The contract of the part of ``MemoryPort`` that keeps conversations"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.guest import GuestMemory
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import CONVERSATIONS, Reflected, Selector, Terms, Turn
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


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[MemoryPort]:
    made = memory_of(clock=clock)
    yield made
    made.close()


def say(memory: MemoryPort, driver: str, assistant: str = "Okay.", talk: str = "t1-1") -> None:
    memory.note(Turn(speaker="driver", text=driver, at=START), talk)
    memory.note(Turn(speaker="assistant", text=assistant, at=START), talk)


def test_conversations_are_kept_only_when_asked_for(memory: MemoryPort) -> None:
    memory.begin_trip("t1")
    say(memory, "i met my sister at the harbour")
    memory.reflect()
    assert not memory.episodes() and not memory.trips()
    assert memory.opt_in(CONVERSATIONS).conversations
    memory.begin_trip("t2")
    say(memory, "i met my sister at the harbour", "How nice.", "t2-1")
    assert not memory.episodes()
    memory.reflect()
    [kept] = memory.episodes()
    assert (kept.driver, kept.assistant, kept.conversation) == ("i met my sister at the harbour", "How nice.", "t2-1")
    assert [trip.id for trip in memory.trips()] == ["t2"]
    assert not memory.opt_out(CONVERSATIONS).conversations


def test_what_the_driver_chose_to_keep_shorter_goes_with_the_next_reflection(memory: MemoryPort, clock: Clock) -> None:
    memory.opt_in(CONVERSATIONS)
    assert memory.terms() == Terms(conversation_days=90, thought_days=365, summary_days=365)
    say(memory, "i met my sister at the harbour")
    memory.reflect()
    clock.now += timedelta(days=31)
    memory.reflect()
    assert len(memory.episodes()) == 1
    short = Terms(conversation_days=30, thought_days=180, summary_days=365)
    assert memory.set_terms(short) == memory.terms() == short
    assert len(memory.episodes()) == 1  # can be taken back until then
    memory.reflect()
    assert memory.episodes() == ()


def test_a_private_trip_leaves_nothing_and_ends_with_the_trip(memory: MemoryPort) -> None:
    memory.opt_in(CONVERSATIONS)
    memory.begin_trip("t1")
    memory.set_private_trip(True)
    say(memory, "i met my sister at the harbour")
    memory.end_trip("t1")
    memory.reflect()
    assert not memory.consent().private_trip and not memory.episodes()
    assert memory.trips()[0].ended_at is not None


def test_a_pause_does_not_end_with_the_trip(memory: MemoryPort) -> None:
    memory.pause(START + timedelta(days=1))
    memory.end_trip("t1")
    assert memory.consent().paused_until == START + timedelta(days=1)


def test_the_profile_can_be_written(memory: MemoryPort) -> None:
    entry = memory.edit_profile("home", "in hamburg")
    assert memory.edit_profile("home", "in kiel").id == entry.id
    assert [(e.key, e.value, e.aspect, e.edited) for e in memory.profile()] == [("home", "in kiel", "fact", True)]
    with pytest.raises(UnknownEntryError):
        memory.edit_profile("", "x")
    memory.set_private_trip(True)
    with pytest.raises(ConsentError):
        memory.edit_profile("home", "nowhere")


def test_words_for_a_time_mean_a_period(memory: MemoryPort) -> None:
    yesterday = memory.period("what did i say yesterday")
    assert (
        yesterday is not None
        and yesterday.since == datetime(2026, 2, 28, tzinfo=UTC)
        and yesterday.words == "yesterday"
    )
    assert memory.period("play some jazz") is None and memory.period("on our first trip") is None
    memory.opt_in(CONVERSATIONS)
    memory.begin_trip("t1")
    first = memory.period("on our first trip")
    assert first is not None and first.since == memory.trips()[0].began_at


def test_everything_that_is_forgotten_waits_nowhere(memory: MemoryPort) -> None:
    memory.opt_in(CONVERSATIONS)
    say(memory, "i met my sister at the harbour")
    memory.reflect()
    say(memory, "i met my brother at the harbour")
    memory.edit_profile("home", "in kiel")
    memory.forget_where(Selector(everything=True))
    memory.reflect()
    assert not memory.episodes() and not memory.profile()


def test_a_guest_leaves_nothing() -> None:
    guest: MemoryPort = GuestMemory()
    guest.opt_in(CONVERSATIONS)
    guest.begin_trip("t1")
    say(guest, "i met my sister at the harbour")
    guest.end_trip("t1")
    assert guest.reflect() == Reflected()
    assert not guest.episodes() and not guest.trips() and not guest.profile()
    assert guest.search("harbour", period=guest.period("yesterday")) == ()
    with pytest.raises(ConsentError):
        guest.edit_profile("home", "in kiel")


def test_terms_outlive_the_program_and_a_guest_has_none(tmp_path: Path) -> None:
    chosen = Terms(conversation_days=7, thought_days=30, summary_days=30)
    for again in (False, True):
        vault = Vault.open(tmp_path, "ada", RawKey(b"k" * 32), clock=Clock())
        memory = DriverMemory("ada", vault, encoder=KeywordEncoder(), clock=Clock())
        assert memory.terms().conversation_days == (7 if again else 90)
        memory.set_terms(chosen)
        if again:  # what cannot be read counts as not chosen
            with vault.transaction():
                vault.write("UPDATE meta SET value = '{}' WHERE key = 'terms'")
            assert memory.terms().conversation_days == 90
        memory.close()
    with pytest.raises(ConsentError):
        GuestMemory().set_terms(chosen)
    assert GuestMemory().terms().conversation_days == 1
