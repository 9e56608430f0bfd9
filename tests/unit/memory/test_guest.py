"""A guest leaves nothing: no file, no row, whatever is called, and nothing after closing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.guest import GuestMemory
from schemas.errors import ConsentError, MemoryStoreError, UnknownEntryError
from schemas.memory import CONVERSATIONS, Fact, Outcome, Proposal, Selector, Terms, Turn, Waiting
from schemas.memory_port import (
    BrowsingPort,
    ConsentPort,
    NotingPort,
    ProposalPort,
    RecallPort,
    RightsPort,
    TripPort,
)
from tests.memories import StoppedClock, memory_of, talk

SAID = "i love jazz"
CLOCK = StoppedClock()


def calls(memory: Any) -> dict[str, Callable[[], object]]:
    """Everything that a memory can be asked for, as a guest would."""
    turn = Turn(speaker="driver", text=SAID, at=CLOCK.now)
    other = memory_of("ada", clock=CLOCK)
    other.remember(SAID, "favorite_genres")
    exported = other.export()
    waits = Proposal(
        id="p", detail="favorite_genres", value="jazz", sentence=SAID, said_at=CLOCK.now, conversation="t", confidence=0.5,
        expires_at=CLOCK.now + timedelta(days=9),
    )  # fmt: skip
    kept = [Waiting(kind="reminder", label="call my sister", at=CLOCK.now + timedelta(hours=1))]
    return {
        "recall": lambda: memory.recall("jazz music"),
        "against": lambda: memory.against(["favorite_genres"]),
        "fitting": lambda: memory.fitting("the jazz thing can go from your memory"),
        "topics": lambda: memory.topics("which music do i like"),
        "search": lambda: memory.search("jazz music"),
        "used": lambda: memory.used(other.recall("jazz music"), "play_music"),
        "period": lambda: memory.period("yesterday"),
        "episodes": memory.episodes,
        "note": lambda: (memory.note(turn, "t"), memory.note(turn.model_copy(update={"speaker": "assistant"}), "t")),
        "remember": lambda: memory.remember(SAID, "favorite_genres"),
        "learn": lambda: memory.learn(talk(SAID, at=CLOCK.now)),
        "forget_pending": lambda: memory.forget_pending("t"),
        "learn_pending": memory.learn_pending,
        "proposals": memory.proposals,
        "asked": lambda: memory.asked("p"),
        "answer": lambda: memory.answer("p", True),
        "consent": memory.consent,
        "opt_out": lambda: memory.opt_out("music"),
        "opt_in": lambda: (memory.opt_in(CONVERSATIONS), memory.opt_in("dietary_preference")),
        "set_private_trip": lambda: memory.set_private_trip(False),
        "pause": lambda: memory.pause(None),
        "preferences": lambda: memory.preferences(history=True),
        "explain": lambda: memory.explain("p"),
        "correct": lambda: memory.correct("p", "rock"),
        "move": lambda: memory.move("p", "favorite_artists_or_bands"),
        "move_back": lambda: memory.move_back("p"),
        "facts": memory.facts,
        "fact": lambda: memory.fact("k"),
        "correct_fact": lambda: memory.correct_fact("k", "the key is in the boot"),
        "matching": lambda: memory.matching(Selector(text="jazz")),
        "forget": lambda: memory.forget("everything"),
        "forget_where": lambda: memory.forget_where(Selector(text="jazz")),
        "export": memory.export,
        "take_in": lambda: memory.take_in(exported, allow=True),
        "profile": memory.profile,
        "edit_profile": lambda: memory.edit_profile("home", "in kiel"),
        "browse": memory.browse,
        "browse_kept": memory.browse_kept,
        "browse_facts": memory.browse_facts,
        "tally": memory.tally,
        "trips": memory.trips,
        "terms": memory.terms,
        "set_terms": lambda: memory.set_terms(Terms(conversation_days=7, thought_days=30, summary_days=30)),
        "withhold": lambda: memory.withhold(Selector(everything=True)),
        "restore": lambda: memory.restore("p"),
        "carry_out": lambda: memory.carry_out("p"),
        "worth": lambda: memory.worth(waits),
        "keeps": lambda: memory.keeps("remember that i parked on level three"),
        "renewal": lambda: memory.renewal("the key is in the shed now"),
        "lasts": lambda: memory.lasts("when jess is in the car she likes it at 23", 0.5),
        "of_close": lambda: memory.of_close("my mum never goes near the ring road"),
        "keep": lambda: memory.keep(Fact(id="f", text="the bins go out", said_at=CLOCK(), conversation="c")),
        "special": lambda: memory.special("i am vegan"),
        "secret": lambda: memory.secret("the alarm is two nine nine seven"),
        "tells": lambda: memory.tells("i love jazz"),
        "sweeps": lambda: memory.sweeps(Selector(everything=True)),
        "discloses": lambda: memory.discloses("i am vegan"),
        "begin_trip": lambda: memory.begin_trip("t1"),
        "end_trip": lambda: memory.end_trip("t1"),
        "reflect": memory.reflect,
        "reminders": lambda: memory.reminders.save(kept, memory.reminders.load()[0]),
    }


def rows(memory: GuestMemory) -> dict[str, list[tuple[Any, ...]]]:
    """All that lies in the vault."""
    vault = memory.session.vault
    tables = [name for (name,) in vault.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: vault.rows(f"SELECT * FROM {name}") for name in tables}  # noqa: S608


def open_files() -> set[Path]:
    return {held for one in Path("/proc/self/fd").iterdir() if (held := one.resolve()).is_file()}


def test_the_list_of_calls_is_the_whole_port() -> None:
    ports = (RecallPort, NotingPort, ProposalPort, ConsentPort, RightsPort, BrowsingPort, TripPort)
    named = {name for port in ports for name, held in vars(port).items() if callable(held) and not name.startswith("_")}
    assert named - set(calls(GuestMemory(CLOCK))) == set()


def test_whatever_is_called_no_row_is_written_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory = GuestMemory(CLOCK)
    before, opened = rows(memory), open_files()
    everything = calls(memory)
    for name in (*everything, *reversed(everything)):  # in either order: what one lets in the other would keep
        with suppress(ConsentError, UnknownEntryError):
            everything[name]()
        assert rows(memory) == before, name
        assert memory.consent().private_trip, name
    assert memory.preferences(history=True) == () and memory.recall("jazz") == () and memory.trips() == ()
    assert open_files() <= opened and list(tmp_path.iterdir()) == []
    memory.close()
    with pytest.raises(MemoryStoreError, match="closed"):
        memory.preferences()
    assert list(tmp_path.iterdir()) == []


def test_a_guest_is_told_why() -> None:
    memory = GuestMemory(CLOCK)
    (decision,) = memory.remember(SAID)
    assert decision.outcome is Outcome.REFUSED and "guest" in decision.reason
    for refused in ("export", "take_in", "set_terms", "edit_profile"):
        with pytest.raises(ConsentError, match="guest"):
            calls(memory)[refused]()


def test_the_next_guest_finds_nothing_of_the_one_before() -> None:
    first = GuestMemory(CLOCK)
    calls(first)["reminders"]()
    assert [one.label for one in first.reminders.load()[1]] == ["call my sister"], "it rings while the guest drives"
    first.close()
    assert GuestMemory(CLOCK).reminders.load() == (0, ())
