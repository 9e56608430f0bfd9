"""A turn of which only some may be remembered: sentence by sentence, and nothing that leans on what is forbidden."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.learn.extraction import Screening
from memory.learn.screening import sift, units
from memory.service import DriverMemory
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import CONVERSATIONS, Outcome, Turn
from tests.memories import vault_of
from tests.vaults import every_word

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[DriverMemory]:
    vault = vault_of("ada", lambda: NOW, tmp_path)
    made = DriverMemory("ada", vault, encoder=KeywordEncoder(), clock=lambda: NOW)
    yield made
    made.close()


def say(memory: DriverMemory, text: str) -> None:
    memory.note(Turn(speaker="driver", text=text, at=NOW), "c")


def waiting(memory: DriverMemory) -> list[str]:
    return [turn.text for conversation in memory.session.store.waiting() for turn in conversation.turns]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("I love jazz. My favourite food is Italian!", ("I love jazz.", "My favourite food is Italian!")),
        ("i love jazz and i always fill up at shell", ("i love jazz", "i always fill up at shell")),
        ("i love italian food and jazz music", ("i love italian food and jazz music",)),
        ("i love fish and chips", ("i love fish and chips",)),
        ("I like jazz and my wife is a Catholic", ("I like jazz", "my wife is a Catholic")),
        ("keep it at 21.5 degrees", ("keep it at 21.5 degrees",)),
        ("Yes. " * 9, ("Yes. " * 9,)),
        ("", ("",)),
    ],
)
def test_where_a_turn_is_cut(text: str, pieces: tuple[str, ...]) -> None:
    assert units(text) == pieces


def screened(text: str) -> Screening:
    """Forbids what is about music, and takes greetings for nothing."""
    if "jazz" in text.lower():
        return Screening(forbidden="favorite_genres", reason="off")
    return Screening(empty=text.lower().startswith("good morning"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("My favourite food is Italian.", ("My favourite food is Italian.",)),
        ("I love jazz.", ()),
        ("I love jazz. My favourite food is Italian.", ("My favourite food is Italian.",)),
        ("Good morning to you. I love jazz. I fill up at Shell.", ("I fill up at Shell.",)),
        ("I love jazz. That's why I go to Blue Note.", ()),
        ("I love jazz. So I listen to Radio Swing.", ()),
        ("I love jazz. And because of it I go to New Orleans.", ()),
        ("I love jazz. Only Shell.", ()),
        ("we fill up at Shell and my brother plays jazz", ("we fill up at Shell",)),
    ],
)
def test_what_may_be_kept_of_a_turn(text: str, kept: tuple[str, ...]) -> None:
    assert sift(text, screened).kept == kept


def test_where_it_cannot_be_told_which_sentence_is_forbidden_nothing_is_kept() -> None:
    def only_together(text: str) -> Screening:
        return Screening(forbidden="favorite_genres", reason="off") if text.count(".") > 1 else Screening()

    assert sift("I like it loud. I like it fast.", only_together).kept == ()


def test_what_is_allowed_is_learnt_and_what_is_not_is_told_and_never_written(memory: DriverMemory) -> None:
    memory.opt_out("music")
    say(memory, "I love jazz. I love italian food.")
    assert waiting(memory) == ["I love italian food."]
    outcomes = {(d.detail, d.outcome) for d in memory.learn_pending()}
    assert outcomes == {("favorite_genres", Outcome.REFUSED), ("favourite_cuisine", Outcome.APPEND)}
    (food,) = memory.preferences()
    assert food.sentences == ("I love italian food.",)
    assert not [text for text in every_word(memory.session.store) if "jazz" in text]


def test_a_sensitive_sentence_is_in_no_other_categorys_words(memory: DriverMemory) -> None:
    say(memory, "I eat vegan. I love jazz.")
    assert waiting(memory) == ["I love jazz."]
    memory.learn_pending()
    assert [p.sentences for p in memory.preferences()] == [("I love jazz.",)]
    assert not [text for text in every_word(memory.session.store) if "vegan" in text]


@pytest.mark.parametrize(
    "text",
    [
        "I'm coeliac. That's why I always eat at Risotto House.",
        "i love kosher food",
        "I have a nut allergy.",
        "i'm allergic to tree nuts",
    ],
)
def test_a_diet_is_known_by_its_words_while_it_may_not_be_remembered(memory: DriverMemory, text: str) -> None:
    say(memory, text)
    assert waiting(memory) == []
    assert [d.detail for d in memory.learn_pending()] == ["dietary_preference"]


def test_other_allergies_are_no_diet(memory: DriverMemory) -> None:
    memory.opt_out("restaurant")
    memory.opt_in("health")
    say(memory, "i love jazz but i am allergic to penicillin")
    assert waiting(memory) == ["i love jazz but i am allergic to penicillin"]


def test_an_exchange_with_something_forbidden_is_not_kept(memory: DriverMemory) -> None:
    memory.opt_in(CONVERSATIONS)
    memory.opt_out("music")
    say(memory, "I love jazz. I love italian food.")
    memory.note(Turn(speaker="assistant", text="Noted: jazz and italian food.", at=NOW), "c")
    memory.learn_pending()
    assert memory.episodes() == ()


def test_with_everything_allowed_a_turn_stays_whole(memory: DriverMemory) -> None:
    say(memory, "I love jazz. I love italian food.")
    assert waiting(memory) == ["I love jazz. I love italian food."]


def test_switching_off_takes_waiting_turns_with_a_sentence_of_it(memory: DriverMemory) -> None:
    say(memory, "I love jazz. I love italian food.")
    memory.opt_out("music")
    assert waiting(memory) == []
