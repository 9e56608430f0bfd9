"""Open proposals: how many, how long, which of two, what a no leaves behind, and that erasing one leaves no byte."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.learn.evidence import ReadingSettings
from memory.learn.extraction import ExtractionSettings
from memory.learn.maintenance import Maintainer, Ruling
from memory.learn.proposals import Proposals, ProposalSettings
from memory.rights.erasure import found_in_files
from memory.rights.export import Export
from memory.service import DriverMemory, MemorySettings
from memory.store.preferences import Store
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault, utc_text
from schemas.errors import StorageFullError, UnknownEntryError
from schemas.memory import Candidate, Conversation, Outcome, Preference, Proposal, Turn
from tests.memories import Desk, StoppedClock, talk
from tests.vaults import every_word

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEY = bytes(range(32))


class Days(StoppedClock):
    def pass_(self, days: float) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def days() -> Days:
    return Days(START)


EVERY_HINT = ExtractionSettings(reading=ReadingSettings(beside_at=0.0))
"""Each turn of a conversation is read, also where it only hints."""


class Open(Desk):
    """Memories with these settings of proposals."""

    def __call__(self, settings: ProposalSettings | None = None, **parts: Any) -> DriverMemory:
        everything = MemorySettings(extraction=EVERY_HINT, proposals=settings or ProposalSettings())
        return super().__call__(settings=everything, **parts)


@pytest.fixture
def open_memory(tmp_path: Path, days: Days) -> Iterator[Open]:
    made = Open(days, tmp_path)
    yield made
    made.close()


def said(*texts: str, at: datetime = START, sure: bool = False, name: str = "trip") -> Conversation:
    return talk(*(text if sure else f"perhaps {text}" for text in texts), at=at, name=name)


def values(memory: DriverMemory) -> list[str]:
    return [p.value for p in memory.proposals()]


def candidate(value: str, at: datetime = START, detail: str = "favorite_genres") -> Candidate:
    return Candidate(
        detail=detail, value=value, sentence=f"i love {value}", said_at=at, conversation="c", confidence=0.4
    )  # fmt: skip


NEW = Ruling(Outcome.APPEND, "new")


@pytest.fixture
def vault(days: Days) -> Iterator[Vault]:
    made = Vault.in_memory(clock=days)
    yield made
    made.close()


@pytest.fixture
def rules(vault: Vault) -> tuple[Proposals, Store]:
    store = Store(vault)
    names = iter(range(1000))
    return Proposals(store, ProposalSettings(), lambda: f"n{next(names)}"), store


# Which, how many, how long


def test_the_twenty_heard_last_stay(rules: tuple[Proposals, Store]) -> None:
    proposals, _ = rules
    for number in range(25):
        heard = candidate(f"style number {number}", START + timedelta(minutes=number))
        proposals.write(proposals.draft([(heard, NEW)], [], START), START)
    assert [p.value for p in proposals.open(START)] == [f"style number {number}" for number in range(24, 4, -1)]
    again = candidate("style number 5", START + timedelta(hours=1))
    proposals.write(proposals.draft([(again, NEW)], [], START), START)
    newest = candidate("jazz", START + timedelta(hours=2))
    proposals.write(proposals.draft([(newest, NEW)], [], START), START)
    held = [p.value for p in proposals.open(START)]
    assert held[:2] == ["jazz", "style number 5"] and len(held) == 20 and "style number 6" not in held


def test_of_a_single_category_only_the_latest_is_open(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i like it at twenty one degrees"))
    memory.learn(said("i like it at 18 degrees", "i like it at twenty two degrees", name="later"))
    assert values(memory) == ["22 degrees"]
    memory.learn(said("i like it at twenty one degrees", sure=True, name="sure"))
    assert values(memory) == [] and [p.value for p in memory.preferences()] == ["21 degrees"]


def test_hints_add_up_but_not_within_a_conversation_or_a_day(rules: tuple[Proposals, Store]) -> None:
    proposals, _ = rules
    told = (("a", 0, 0.4), ("a", 0, 0.4), ("b", 0, 0.4), ("c", 1, 0.64), ("d", 1, 0.64), ("e", 2, 0.784))
    for conversation, day, together in told:
        heard = candidate("jazz", START + timedelta(days=day)).model_copy(update={"conversation": conversation})
        proposals.write(proposals.draft([(heard, NEW)], [], START), START)
        assert proposals.open(START)[0].confidence == pytest.approx(together)


def test_what_is_told_for_sure_in_the_same_breath_leaves_no_question(open_memory: Open) -> None:
    memory = open_memory()
    turns = (*said("jazz is the best music").turns, *said("i love jazz", "i love rock", sure=True).turns)
    decisions = memory.learn(Conversation(id="c", turns=turns))
    assert [d.outcome for d in decisions] == [Outcome.APPEND, Outcome.APPEND, Outcome.PASS]
    assert values(memory) == []


def test_the_end_of_a_proposal_never_stored_withdraws_it_when_it_is_sure(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz", "i love rock"))
    memory.learn(said("i don't like jazz any more", sure=True, name="later"))
    assert values(memory) == ["rock"]


def test_a_proposal_expires_after_two_weeks_unheard(open_memory: Open, days: Days) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz", "i love rock"))
    days.pass_(10)
    memory.learn(said("i love rock", at=days.now, name="later"))
    days.pass_(4)
    assert values(memory) == ["rock"]
    assert "jazz" not in every_word(open_memory.store)
    days.pass_(10)
    assert values(open_memory()) == []


@pytest.mark.parametrize("when", ["opened", "listed", "learning"])
def test_what_expired_is_erased_whenever_memory_is_used(open_memory: Open, days: Days, when: str) -> None:
    memory = open_memory(ProposalSettings(days=3))
    memory.learn(said("i love jazz"))
    days.pass_(3)
    with pytest.raises(UnknownEntryError, match="expired"):
        memory.answer(open_memory.store.proposals()[0].id, True)
    if when == "opened":
        memory = open_memory()
    elif when == "listed":
        memory.proposals()
    else:
        memory.learn(said("what a nice day"))
    assert every_word(open_memory.store) == []


def test_a_full_disk_hides_what_expired_and_stops_nothing(
    open_memory: Open, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    days.pass_(14)

    def full(*_: object) -> int:
        raise StorageFullError("full")

    monkeypatch.setattr(Store, "erase", full)
    assert memory.proposals() == () and every_word(open_memory.store) != []
    monkeypatch.undo()
    assert memory.proposals() == () and every_word(open_memory.store) == []


def test_with_asking_switched_off_what_is_unsure_is_let_go(open_memory: Open) -> None:
    memory = open_memory(ProposalSettings(ask=False))
    assert memory.learn(said("i love jazz")) == () and memory.proposals() == ()
    memory.learn(said("i love jazz", sure=True, name="sure"))
    (again,) = memory.learn(said("jazz is the best music", name="later"))
    assert again.outcome is Outcome.PASS


def test_asking_stops_after_the_second_time(rules: tuple[Proposals, Store]) -> None:
    proposals, store = rules
    for hour, due in enumerate((True, True, False)):
        heard = START + timedelta(hours=hour)
        proposals.write(proposals.draft([(candidate("jazz", heard), NEW)], [], START), START)
        (proposal,) = proposals.open(START)
        assert proposal.due is due
        store.asked(proposal.id, heard + timedelta(minutes=1))


# Saying no


def test_a_no_leaves_a_keyed_hash_and_no_word(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.answer(memory.proposals()[0].id, False)
    assert every_word(open_memory.store) == []
    ((mark, until),) = open_memory.store.declined().items()
    assert len(mark) == 64 and until == START + timedelta(days=180)
    told = str(open_memory.vault.rows("SELECT * FROM declined")) + str(open_memory.vault.rows("SELECT * FROM meta"))
    assert "jazz" not in told and "genres" not in told
    exported = Export.model_validate(memory.export())
    assert exported.proposals == () and exported.declined_until == (until,)
    assert [(e.outcome, e.detail) for e in exported.decisions][-1] == ("declined", "favorite_genres")


def test_a_list_of_words_and_all_tables_do_not_find_what_was_declined(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.answer(memory.proposals()[0].id, False)
    (mark,) = open_memory.store.declined()
    cells = {str(cell) for row in open_memory.vault.rows("SELECT key, value FROM meta") for cell in row}
    keys = [cell.encode() for cell in cells] + [
        bytes.fromhex(cell) for cell in cells if re.fullmatch("(?:[0-9a-f]{2})+", cell)
    ]
    for value in ("rock", "jazz", "blues"):
        for key in keys:
            assert hmac.digest(key, f"favorite_genres\0{value}\0{0:d}".encode(), "sha256").hex() != mark


def test_the_hash_of_the_same_thing_differs_from_vault_to_vault(open_memory: Open, tmp_path: Path) -> None:
    marks: set[str] = set()
    for name in ("one", "two"):
        memory = open_memory(folder=tmp_path / name)
        memory.learn(said("i love jazz"))
        memory.answer(memory.proposals()[0].id, False)
        marks |= set(open_memory.store.declined())
    assert len(marks) == 2


def test_a_no_counts_for_half_a_year_also_after_opening_again(open_memory: Open, days: Days) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.answer(memory.proposals()[0].id, False)
    days.pass_(179)
    memory = open_memory()
    assert [d.outcome for d in memory.learn(said("i love jazz", at=days.now, name="a"))] == [Outcome.DROPPED]
    days.pass_(1)
    assert [d.outcome for d in memory.learn(said("i love jazz", at=days.now, name="b"))] == [Outcome.ASK]
    memory.learn(said("i love rock", at=days.now, name="c"))
    memory.answer(memory.proposals()[0].id, False)
    assert len(open_memory.store.declined()) == 1, "what has run out goes with the next no"


def test_a_no_counts_on_a_private_trip_but_is_not_logged(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.set_private_trip(True)
    before = open_memory.store.logged()
    assert memory.answer(memory.proposals()[0].id, False).outcome is Outcome.DECLINED
    assert every_word(open_memory.store) == [] and open_memory.store.logged() == before


# Answering while things change


def test_switched_off_while_a_yes_is_thought_about(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    decide = Maintainer.decide

    def meanwhile(self: Maintainer, told: Candidate, existing: tuple[Preference, ...]) -> Ruling:
        memory.opt_out("music")
        return decide(self, told, existing)

    monkeypatch.setattr(Maintainer, "decide", meanwhile)
    with pytest.raises(UnknownEntryError):
        memory.answer(memory.proposals()[0].id, True)
    assert memory.preferences(history=True) == () and every_word(open_memory.store) == []


def test_a_private_trip_that_begins_while_a_yes_is_thought_about(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    decide = Maintainer.decide

    def meanwhile(self: Maintainer, told: Candidate, existing: tuple[Preference, ...]) -> Ruling:
        memory.set_private_trip(True)
        return decide(self, told, existing)

    monkeypatch.setattr(Maintainer, "decide", meanwhile)
    assert memory.answer(memory.proposals()[0].id, True).outcome is Outcome.REFUSED
    assert memory.preferences(history=True) == () and values(memory) == ["jazz"]


def test_a_disk_that_fills_up_leaves_the_question_open(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))

    def full(*_: object) -> None:
        raise StorageFullError("full")

    monkeypatch.setattr(Store, "log", full)
    for yes in (True, False):
        with pytest.raises(StorageFullError):
            memory.answer(memory.proposals()[0].id, yes)
    monkeypatch.undo()
    assert memory.preferences(history=True) == () and values(memory) == ["jazz"] and open_memory.store.declined() == {}
    assert memory.answer(memory.proposals()[0].id, True).outcome is Outcome.APPEND


def test_a_yes_leaves_turns_that_wait_alone(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.note(Turn(speaker="driver", text="i love rock", at=START), "trip")
    memory.answer(memory.proposals()[0].id, True)
    assert [text for _, text in open_memory.store.turns()] == ["i love rock"]


# Erasing


def erased(memory: DriverMemory, days: Days, how: str) -> None:
    """Erase the only proposal in one of the ways."""
    name = memory.proposals()[0].id
    if how == "id":
        assert memory.forget(name).verified
    elif how == "declined":
        memory.answer(name, False)
    elif how == "conversation":
        memory.forget_pending("trip")
    elif how == "switched off":
        memory.opt_out("restaurant")
    elif how == "expired":
        days.pass_(14)
        memory.proposals()
    elif how == "pushed out":
        memory.learn(said("i love jazz", at=START + timedelta(hours=1), name="later"))
    else:
        receipt = memory.forget(how)
        assert receipt.verified and receipt.proposals_erased == 1
        assert "italian" not in receipt.model_dump_json() and "birthday" not in receipt.model_dump_json()


WAYS = ["id", "favourite_cuisine", "restaurant", "points_of_interest", "everything", "declined", "conversation",
        "switched off", "expired", "pushed out"]  # fmt: skip


@pytest.mark.parametrize("how", WAYS)
def test_erased_to_the_last_byte(tmp_path: Path, open_memory: Open, days: Days, how: str) -> None:
    memory = open_memory(ProposalSettings(most=1))
    memory.learn(said("nothing but italian food for my birthday"))
    assert len(every_word(open_memory.store)) == 2
    needles = ["italian", "birthday"]
    assert found_in_files(tmp_path, needles) == ()
    erased(memory, days, how)
    assert not {"italian", "perhaps nothing but italian food for my birthday"} & set(every_word(open_memory.store))
    assert found_in_files(tmp_path, needles) == ()
    assert "italian" not in str(memory.export()) and memory.recall("italian food") == ()


@pytest.mark.parametrize("how", WAYS)
def test_erased_beneath_the_encryption(
    tmp_path: Path, open_memory: Open, days: Days, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same settings on a file without a key: no page, free or not, and no WAL frame holds what was erased."""

    def no_key(connection: object, key: bytes) -> None:
        pass

    monkeypatch.setattr("memory.vault.cipher.unlock", no_key)
    memory = open_memory(ProposalSettings(most=1))
    memory.learn(said("nothing but italian food for my birthday"))
    assert found_in_files(tmp_path, ["birthday"]) != () and found_in_files(tmp_path, ["italian"]) != ()
    erased(memory, days, how)
    assert found_in_files(tmp_path, ["birthday", "italian"]) == ()


def test_a_sentence_that_a_newer_one_replaced_is_gone(
    tmp_path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_key(connection: object, key: bytes) -> None:
        pass

    monkeypatch.setattr("memory.vault.cipher.unlock", no_key)
    memory = open_memory()
    memory.learn(said("jazz music for my birthday"))
    memory.learn(said("jazz music for my wedding", at=START + timedelta(hours=1), name="later"))
    assert [p.sentence for p in memory.proposals()] == ["perhaps jazz music for my wedding"]
    assert found_in_files(tmp_path, ["birthday"]) == () and found_in_files(tmp_path, ["wedding"]) != ()


def test_a_sentence_shared_with_a_preference_is_blotted(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz and also rock", sure=True))
    rock = next(p for p in memory.preferences() if p.value == "rock")
    memory.forget(rock.id)
    proposal = Proposal(
        id="n", detail="favorite_genres", value="blues", sentence="i love ... and blues", said_at=START,
        conversation="trip", confidence=0.4, expires_at=START + timedelta(days=1),
    )  # fmt: skip
    open_memory.store.propose(proposal, START)
    open_memory.store.merge(memory.preferences()[0], proposal.sentence, START, "trip", 0.5, START)
    assert memory.forget("n").verified
    assert set(memory.preferences()[0].sentences) == {"i love jazz and also ...", "i love ... and ..."}


def test_proposals_of_one_sentence_go_together(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz and also rock"))
    jazz = next(p for p in memory.proposals() if p.value == "jazz")
    receipt = memory.forget(jazz.id)
    assert receipt.verified and receipt.proposals_erased == 2 and every_word(open_memory.store) == []


def test_forgetting_a_preference_takes_what_names_it(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love italian food", sure=True))
    memory.learn(said("rock music when i eat italian", name="later"))
    memory.learn(said("i love jazz", name="later still"))
    memory.learn(said("no more italian food", name="last"))
    italian = memory.preferences()[0].id
    assert memory.forget(italian).proposals_erased == 2
    assert values(memory) == ["jazz"] and "italian" not in str(every_word(open_memory.store))


def test_waiting_turns_go_with_a_proposal(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(said("i love jazz"))
    memory.note(Turn(speaker="driver", text="more jazz please", at=START), "next")
    assert memory.forget(memory.proposals()[0].id).turns_erased == 1
    assert every_word(open_memory.store) == []


# From before


def test_a_vault_of_the_first_version_gets_the_tables(
    tmp_path: Path, open_memory: Open, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.vault.lifecycle.VERSION", 1)
    vault = Vault.open(tmp_path, "ada", RawKey(KEY), clock=days)
    kept = Preference(
        id="p1", detail="favorite_genres", value="jazz", sentences=("i love jazz",), conversation="c", confidence=0.9,
        valid_from=START,
    )  # fmt: skip
    Store(vault)
    with vault.transaction():
        vault.write(
            "INSERT INTO preferences (id, detail, value, conversation, confidence, status, valid_from) "
            "VALUES ('p1', 'favorite_genres', 'jazz', 'c', 0.9, 'active', ?)",
            (utc_text(START),),
        )
        said_then = ("p1", "i love jazz", utc_text(START), "c")
        vault.write("INSERT INTO sentences (preference, text, said_at, conversation) VALUES (?, ?, ?, ?)", said_then)
    assert vault.rows("SELECT name FROM sqlite_master WHERE name = 'proposals'") == []
    vault.close()
    monkeypatch.undo()
    memory = open_memory()
    assert memory.preferences() == (kept,)
    memory.learn(said("i love rock"))
    assert values(memory) == ["rock"]
