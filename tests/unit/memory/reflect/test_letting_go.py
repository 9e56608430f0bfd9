"""Conversations that were kept: how long, what becomes of private trips, and that no turn waits for thinking."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.driver import conversations
from memory.settings import Prune, TierSettings
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import CONVERSATIONS, Kind
from tests.unit.memory.reflect.bench import Bench

# Letting go


def test_words_go_when_their_days_are_over_and_what_was_made_of_them_stays(bench: Bench) -> None:
    memory = bench.again(TierSettings(conversation_days=30, thought_days=365))
    bench.say("i met my sister at the harbour")
    bench.say("remember that the spare key is under the pot")
    memory.reflect()
    bench.now += timedelta(days=30)
    memory.reflect()
    assert bench.spoken() == ["remember that the spare key is under the pot"]
    assert {t.text for t in bench.archive.thoughts()} >= {
        "i met my sister at the harbour"
    } and bench.archive.summaries()
    bench.now += timedelta(days=400)
    memory.reflect()
    assert bench.spoken() and {t.text for t in bench.archive.thoughts()} == {
        "remember that the spare key is under the pot"
    }
    assert not bench.archive.summaries()


def test_what_is_over_goes_during_a_pause_too(bench: Bench) -> None:
    bench.say("i met my sister at the harbour")
    bench.memory.reflect()
    bench.memory.set_private_trip(True)
    bench.now += timedelta(days=90)
    assert bench.memory.reflect().let_go == {Kind.EPISODE: 1} and not bench.memory.episodes()


def test_what_is_let_go_is_in_no_backup_either(bench: Bench) -> None:
    backup = bench.folder / "ada.v2.backup"
    bench.say("i met my sister at the harbour")
    bench.memory.reflect()
    backup.write_bytes(b"an older copy")
    assert not bench.memory.reflect().let_go and backup.exists()
    bench.now += timedelta(days=91)
    assert bench.memory.reflect().let_go and not backup.exists()


def test_a_preference_that_nobody_needs_goes_with_its_time(bench: Bench) -> None:
    bench.memory.opt_in("dietary_preference")
    bench.say("i love jazz")
    bench.say("i am vegan")
    bench.memory.learn_pending()
    assert {p.value for p in bench.memory.preferences()} == {"jazz", "vegan"}
    bench.now += timedelta(days=541)
    bench.memory.reflect()
    assert {p.value for p in bench.memory.preferences()} == {"vegan"} and not bench.memory.recall("jazz music")


@pytest.mark.parametrize("rule", Prune)
def test_there_are_no_more_episodes_than_there_is_room_for(bench: Bench, rule: Prune) -> None:
    memory = bench.again(TierSettings(prune=rule, capacity=3))
    for text in (
        "harbour harbour walk",
        "castle with my sister",
        "jazz with my brother",
        "rock with my boss",
        "blues at work",
    ):
        bench.say(text)
        memory.conversations.settle()
    memory.recall("the harbour walk")
    memory.search("the castle with my sister")
    memory.reflect()
    expected = {Prune.LRU: {"jazz with my brother", "rock with my boss", "blues at work"}}
    if rule is Prune.RELEVANCE:
        assert {"harbour harbour walk", "castle with my sister"} < set(bench.spoken()) and len(bench.spoken()) == 3
        assert len(bench.archive.queries()) == 2
    else:
        assert set(bench.spoken()) == expected[rule] and not bench.archive.queries()


# Trips


def test_a_private_trip_ends_with_the_trip(bench: Bench) -> None:
    memory = bench.memory
    memory.begin_trip("t1")
    memory.set_private_trip(True)
    bench.say("i met my sister")
    memory.end_trip("t1")
    assert not memory.consent().private_trip
    memory.reflect()
    assert not memory.episodes()
    memory.begin_trip("t2")
    bench.say("i met my brother", talk="t2-1")
    memory.end_trip("t2")
    memory.reflect()
    assert bench.spoken() == ["i met my brother"] and [t.id for t in memory.trips()] == ["t1", "t2"]


def test_a_trip_that_begins_in_private_leaves_no_time(bench: Bench) -> None:
    bench.memory.set_private_trip(True)
    bench.memory.begin_trip("t1")
    bench.memory.end_trip("t1")
    assert not bench.memory.trips()


# No turn waits


def test_recall_does_not_wait_for_post_thinking(bench: Bench) -> None:
    entered, release = threading.Event(), threading.Event()
    main = threading.current_thread()

    class Slow(KeywordEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if threading.current_thread() is not main and any("harbour" in text for text in texts):
                entered.set()
                assert release.wait(10)
            return super().encode(texts)

    bench.encoder = Slow()
    memory = bench.again()
    bench.say("i love jazz")
    memory.learn_pending()
    bench.say("i met my sister at the harbour")
    memory.conversations.settle()
    worker = threading.Thread(target=memory.reflect)
    worker.start()
    assert entered.wait(10)
    assert memory.recall("jazz music") and not bench.archive.thoughts()
    release.set()
    worker.join()
    assert bench.archive.thoughts()


def test_thinking_reads_no_more_than_its_window(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "WINDOW", 5)
    memory = bench.memory
    for number in range(12):
        bench.say(f"my cousin visits the harbour number {number}", talk=f"t{number}-1")
        memory.conversations.settle()
    read: list[int] = []
    rows = Vault.rows

    def counted(vault: Vault, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        found = rows(vault, sql, values)
        if "driver, assistant" in sql and "FROM episodes" in sql:
            read.append(len(found))
        return found

    memory.reflect()
    monkeypatch.setattr(Vault, "rows", counted)
    assert not memory.reflect().seen and sum(read) == 5
    read.clear()
    bench.say("my cousin visits the harbour again", talk="t99-1")
    assert memory.reflect().seen == 1 and sum(read) <= 5 + 1
    assert all(episode.links for episode in memory.episodes()[-5:])


def test_a_fact_from_before_the_window_is_not_taken_back_by_an_older_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "WINDOW", 2)
    memory = bench.memory
    memory.opt_in(CONVERSATIONS)
    for text in ("my sister is called anna", "my sister is called eva"):
        bench.say(text, talk=f"{text[-3:]}-1")
        memory.reflect()
        bench.now += timedelta(days=1)
    assert {e.key: e.value for e in memory.profile()}["sister"] == "eva"
    with (
        memory.session.vault.transaction()
    ):  # the one that said anna is used again, and the other is not looked at any more
        memory.session.vault.write("DELETE FROM episodes WHERE driver LIKE '%eva%'")
    memory.reflect()
    assert {e.key: e.value for e in memory.profile()}["sister"] == "eva"
