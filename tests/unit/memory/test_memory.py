"""The driver's memory as a whole: durable turns, all or nothing, threads, forgetting to the last byte."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from memory.rights.erasure import blotted, found_in_files
from memory.rights.export import Export
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from models.text import plain
from schemas.errors import ModelError, StorageFullError
from schemas.memory import Conversation, Outcome, Turn, Words
from tests.memories import memory_of
from tests.vaults import every_word

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[3]
Open = Callable[..., DriverMemory]


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    made: list[DriverMemory] = []

    def opening(encoder: KeywordEncoder | None = None) -> DriverMemory:
        for memory in made:
            memory.close()
        vault = Vault.open(tmp_path, "ada", RawKey(bytes(range(32))), clock=lambda: NOW)
        memory = DriverMemory(
            "ada",
            vault,
            encoder=encoder or KeywordEncoder(),
            clock=lambda: NOW,
        )
        made.append(memory)
        return memory

    yield opening
    for memory in made:
        memory.close()


def talk(*said: str, name: str = "trip") -> Conversation:
    turns = [Turn(speaker="driver", text=text, at=NOW + timedelta(minutes=n)) for n, text in enumerate(said)]
    return Conversation(id=name, turns=tuple(turns))


def values(memory: DriverMemory) -> set[str]:
    return {p.value for p in memory.preferences()}


def said(memory: DriverMemory) -> list[str]:
    return [text for _, text in memory.session.store.turns()]


# Durable turns

NOTER = """
import sys, pathlib, datetime
from memory.vault.lifecycle import Vault
from memory.vault.keys import RawKey
from models.runtime.fake_encoder import KeywordEncoder
from memory.service import DriverMemory
from schemas.memory import Turn
NOW = datetime.datetime(2026, 3, 1, 8, tzinfo=datetime.UTC)
vault = Vault.open(pathlib.Path(sys.argv[1]), "ada", RawKey(bytes(range(32))), clock=lambda: NOW)
memory = DriverMemory("ada", vault, encoder=KeywordEncoder(), clock=lambda: NOW)
memory.note(Turn(speaker="driver", text="i love jazz", at=NOW), "trip")
memory.note(Turn(speaker="driver", text="and i like it at twenty one degrees", at=NOW), "trip")
print("noted", flush=True)
sys.stdin.read()
"""


def test_what_was_said_before_the_process_was_killed_is_learnt_after(tmp_path: Path, open_memory: Open) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", NOTER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None and process.stdout.readline() == "noted\n"
    process.kill()
    process.communicate()
    memory = open_memory()
    assert {d.value for d in memory.learn_pending()} == {"jazz", "21 degrees"}
    assert said(memory) == [] and values(memory) == {"jazz", "21 degrees"}


def test_memory_is_there_in_the_next_process(open_memory: Open) -> None:
    open_memory().learn(talk("i love jazz"))
    memory = open_memory()
    assert values(memory) == {"jazz"}
    assert [r.preference.value for r in memory.recall("play jazz music")] == ["jazz"]


def test_only_what_may_tell_something_is_kept(open_memory: Open) -> None:
    memory = open_memory()
    for text in ("what a nice day", "how far is it", "  "):
        memory.note(Turn(speaker="driver", text=text, at=NOW), "trip")
    memory.note(Turn(speaker="assistant", text="shall i play jazz", at=NOW), "trip")
    assert said(memory) == []


def test_nothing_is_stored_when_nothing_was_told(open_memory: Open) -> None:
    memory = open_memory()
    decisions = memory.learn(talk("what a nice day", "", "how far is it"))
    assert {d.outcome for d in decisions} <= {Outcome.DROPPED} and not memory.preferences() and not memory.proposals()


# All or nothing


class Failing(KeywordEncoder):
    """A fake encoder that breaks down at the last of the seven."""

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        if text == SEVEN[-1]:
            raise ModelError("gone")
        return super().words(text, detail)


SEVEN = [f"i love {value}" for value in ("jazz", "rock", "blues", "italian food", "thai food", "greek food", "shell")]


def test_an_encoder_that_breaks_down_leaves_the_turns_for_later(open_memory: Open) -> None:
    memory = open_memory(Failing())
    for text in SEVEN:
        memory.note(Turn(speaker="driver", text=text, at=NOW), "trip")
    with pytest.raises(ModelError):
        memory.learn_pending()
    assert memory.preferences() == () and said(memory) == SEVEN
    again = open_memory()
    again.learn_pending()
    assert len(values(again)) == 7 and said(again) == []


def test_a_disk_that_fills_up_while_learning_leaves_all_as_it_was(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.learn(talk("i like it at twenty one degrees"))
    for text in ("i love jazz", "make it twenty two degrees"):
        memory.note(Turn(speaker="driver", text=text, at=NOW), "next")
    before, waiting = memory.preferences(history=True), said(memory)

    def full(*_: object) -> None:
        raise StorageFullError("full")

    monkeypatch.setattr(memory.session.store, "log", full)
    with pytest.raises(StorageFullError):
        memory.learn_pending()
    assert memory.preferences(history=True) == before and said(memory) == waiting
    assert [r.preference.value for r in memory.recall("degrees temperature")] == ["21 degrees"]
    monkeypatch.undo()
    memory.learn_pending()
    assert values(memory) == {"jazz", "22 degrees"}


def test_learning_the_same_conversation_twice_changes_nothing(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love jazz"))
    before = memory.preferences(history=True)
    assert [d.outcome for d in memory.learn(talk("i love jazz"))] == [Outcome.PASS]
    assert memory.preferences(history=True) == before


# Changes of mind


def test_the_last_word_of_a_conversation_counts(open_memory: Open) -> None:
    memory = open_memory()
    first, second = memory.learn(
        talk("twenty one degrees is what i like", "what a day", "no make it twenty two degrees always")
    )
    assert (first.outcome, second.outcome) == (Outcome.APPEND, Outcome.UPDATE)
    assert values(memory) == {"22 degrees"} and len(memory.preferences(history=True)) == 2


def test_giving_one_up_for_another_is_one_update(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love italian food", "i love greek food"))
    (decision,) = memory.learn(talk("i don't like italian food any more i prefer thai now", name="later"))
    assert decision.outcome is Outcome.UPDATE and decision.value == "thai" and decision.replaced == ("italian",)
    assert values(memory) == {"greek", "thai"}


def test_decisions_are_logged_without_content(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love italian food", "i am vegan"))
    log = memory.export()["decisions"]
    assert [(e["outcome"], e["detail"]) for e in log] == [("refused", None), ("append", "favourite_cuisine")]
    assert "italian" not in str(log) and "vegan" not in str(log)


# Threads


class Slow(KeywordEncoder):
    """A fake encoder that waits, in the middle of its work, until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.working, self.go_on = threading.Event(), threading.Event()

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        self.working.set()
        assert self.go_on.wait(30)
        return super().words(text, detail)


@pytest.mark.parametrize("meanwhile", ["opt_out", "private_trip", "nothing"])
def test_recall_does_not_wait_for_learning_and_consent_counts_at_the_end(open_memory: Open, meanwhile: str) -> None:
    slow = Slow()
    memory = open_memory()
    memory.learn(talk("i love jazz"))
    memory = open_memory(slow)
    thread = threading.Thread(target=memory.learn, args=(talk("i love italian food", name="later"),))
    thread.start()
    assert slow.working.wait(30)
    assert [r.preference.value for r in memory.recall("play jazz music")] == ["jazz"]
    if meanwhile == "opt_out":
        memory.opt_out("restaurant")
    if meanwhile == "private_trip":
        memory.set_private_trip(True)
    slow.go_on.set()
    thread.join(30)
    assert values(memory) == ({"jazz", "italian"} if meanwhile == "nothing" else {"jazz"})


def test_what_is_forgotten_while_learning_stays_forgotten(open_memory: Open) -> None:
    slow = Slow()
    memory = open_memory()
    memory.learn(talk("i love jazz"))
    memory = open_memory(slow)
    thread = threading.Thread(target=memory.learn, args=(talk("i don't like jazz any more", name="later"),))
    thread.start()
    assert slow.working.wait(30)
    memory.forget("everything")
    slow.go_on.set()
    thread.join(30)
    assert memory.preferences(history=True) == ()


# Forgetting


def test_forgotten_to_the_last_byte(tmp_path: Path, open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("nothing but italian food for my birthday", "i love jazz on sundays"))
    memory.note(Turn(speaker="driver", text="another italian place please", at=NOW), "next")
    needles = ["italian", "birthday", "jazz", "sundays", "another"]
    assert found_in_files(tmp_path, needles) == ()
    receipt = memory.forget("favourite_cuisine")
    assert receipt.verified and receipt.turns_erased == 1 and len(receipt.erased) == 1
    assert receipt.categories == ("points_of_interest.restaurant.favourite_cuisine",)
    assert "italian" not in receipt.model_dump_json() and "birthday" not in receipt.model_dump_json()
    assert found_in_files(tmp_path, needles) == ()
    assert every_word(memory.session.store) == ["jazz", "i love jazz on sundays"]
    assert memory.recall("italian food", details=["favourite_cuisine"]) == ()
    assert "italian" not in str(memory.export()) and "italian" not in str(vars(memory.session.search.cache))


def test_forgetting_takes_its_history_with_it(open_memory: Open) -> None:
    memory = open_memory()
    for number, degrees in enumerate(["18 degrees", "twenty one degrees", "twenty two degrees"]):
        memory.learn(talk(f"i like it at {degrees}", name=str(number)))
    (now,) = memory.preferences()
    assert now.value == "22 degrees"
    assert len(memory.forget(now.id).erased) == 3 and memory.preferences(history=True) == ()


def test_forgetting_what_was_superseded_leaves_what_took_its_place(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i like it at 18 degrees"))
    memory.learn(talk("i like it at twenty two degrees", name="later"))
    old = next(p for p in memory.preferences(history=True) if p.value == "18 degrees")
    memory.forget(old.id)
    assert [p.value for p in memory.preferences(history=True)] == ["22 degrees"]


def test_a_sentence_shared_with_another_preference_is_blotted(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love jazz and also rock"))
    jazz = next(p for p in memory.preferences() if p.value == "jazz")
    assert memory.forget(jazz.id).verified
    (rock,) = memory.preferences()
    assert rock.sentences == ("i love ... and also rock",) and "jazz" not in str(memory.export())
    assert memory.recall("rock music")[0].preference.sentences == rock.sentences


def test_a_sentence_that_revealed_it_in_other_words_goes_altogether(open_memory: Open) -> None:
    memory = open_memory()
    for key in ("preferred_temperature", "favorite_genres"):
        memory.remember("twenty one degrees and jazz for me always", key)
    temperature = next(p for p in memory.preferences() if p.value == "21 degrees")
    memory.forget(temperature.id)
    (jazz,) = memory.preferences()
    assert jazz.value == "jazz" and jazz.sentences == ()


def test_forgetting_everything_takes_waiting_turns_and_refusals(open_memory: Open) -> None:
    memory = open_memory()
    memory.note(Turn(speaker="driver", text="i love jazz", at=NOW), "a")
    memory.note(Turn(speaker="driver", text="i am vegan", at=NOW), "b")
    assert memory.forget("everything").turns_erased == 1
    assert memory.learn_pending() == () and every_word(memory.session.store) == []


def test_a_receipt_says_so_when_it_could_not_be_verified(tmp_path: Path, open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love italian food"))
    (tmp_path / "copy.txt").write_text("somebody wrote down: i love italian food")
    receipt = memory.forget("everything")
    assert len(receipt.erased) == 1 and not receipt.verified


def test_a_disk_too_full_to_wipe_is_no_failure_to_forget(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    memory.learn(talk("i love jazz"))

    def full() -> None:
        raise StorageFullError("full")

    monkeypatch.setattr(memory.session.vault, "wipe", full)
    receipt = memory.forget("everything")
    assert len(receipt.erased) == 1 and not receipt.verified and memory.preferences() == ()


@pytest.mark.parametrize(("sentence", "value", "left"), [
    ("i love Jazz, and jazz fm", "jazz", "i love ..., and ... fm"),
    ("hey Jude is the best", "hey jude", "... is the best"),
    ("smiles all round", "miles", "smiles all round"),
    ("anything", "", "anything"),
])  # fmt: skip
def test_blotting(sentence: str, value: str, left: str) -> None:
    assert blotted(sentence, value) == left


def test_the_export_has_its_published_shape(open_memory: Open) -> None:
    memory = open_memory()
    memory.learn(talk("i love jazz", "i like it at twenty one degrees"))
    memory.note(Turn(speaker="driver", text="i love rock", at=NOW), "next")
    memory.opt_out("parking")
    exported = Export.model_validate(memory.export())
    assert exported.version == 4 and [t.text for t in exported.waiting] == ["i love rock"]
    assert {p.category for p in exported.preferences} == {
        "entertainment_and_media.music.favorite_genres",
        "vehicle_settings_and_comfort.climate_control.preferred_temperature",
    }
    assert Export.model_json_schema()["properties"]["format"]["const"] == "glovebox-memory"


@pytest.mark.parametrize("text", ["x'; DROP TABLE preferences; -- jazz", "\0 jazz \x07", "\u202ejazz\u202c \u0639\u0631",
                                  "jazz " + "x" * 3_900, "jazz 🎷"])  # fmt: skip
def test_any_text_comes_back_as_it_was_without_what_nobody_says(open_memory: Open, text: str) -> None:
    memory = open_memory()
    memory.note(Turn(speaker="driver", text=text, at=NOW), "trip")
    memory.learn_pending()
    (preference,) = memory.preferences()
    assert preference.value == "jazz" and preference.sentences == (plain(text),)


def test_a_look_ahead_does_not_count_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = memory_of("ada", clock=lambda: NOW)
    memory.learn(talk("i love jazz"))
    counted = Mock()
    monkeypatch.setattr(memory.conversations, "asked", counted)
    assert memory.recall("some music", ahead=True) == memory.recall("some music", ahead=True) != ()
    counted.assert_not_called()
    assert memory.recall("some music") == memory.recall("some music", ahead=True)
    counted.assert_called_once()
