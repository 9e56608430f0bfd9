"""Search over all kinds: what is kept for it, that it stays true to the vault, and what the score is made of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.recall.cache import Entry, SearchCache
from memory.recall.exact import NONE
from memory.recall.lexical import Postings, asked, numbers, stem, stems
from memory.recall.search import ASKED, HybridSearch, SearchTuning, company
from memory.store.conversations import Archive
from memory.store.preferences import Store
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import CONVERSATIONS, Consent, Episode, Found, Kind, Period, Preference, ProfileEntry, Thought
from tests.memories import vault_of

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
OPEN = SearchTuning(answers_at=0.0, gate_at=0.0, gate_named_at=0.0, tag_weight=0.0)


class Counting(KeywordEncoder):
    """Counts what is encoded; ``turned`` makes it another encoder."""

    def __init__(self, *, turned: bool = False) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.turned = turned

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        made = super().encode(texts)
        return np.roll(made, 1, axis=1) if self.turned else made


class Judging(Counting):
    """Tells of every memory that it answers with these odds, and keeps what it was asked."""

    odds: float | None = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []

    def answers(self, question: str, memory: str) -> float | None:  # type: ignore[override]
        self.asked.append((question, memory))
        return self.odds


class Bench:
    """An open vault with its tables and a engine."""

    def __init__(self, folder: Path, settings: SearchTuning = OPEN, encoder: Counting | None = None) -> None:
        self.vault = vault_of("ada", lambda: NOW, folder / "home")
        self.store = Store(self.vault)
        self.store.set_consent(Consent(opted_in=frozenset({CONVERSATIONS})))
        self.archive = Archive(self.vault, self.store)
        self.encoder = encoder or Counting()
        self.engine = HybridSearch(self.vault, self.encoder, settings)

    def say(
        self, name: str, driver: str, assistant: str = "", *, conversation: str = "talk", minute: int = 0, **more: Any
    ) -> None:
        at = more.pop("at", NOW + timedelta(minutes=minute))
        episode = Episode(id=name, conversation=conversation, at=at, driver=driver, assistant=assistant, **more)
        with self.vault.transaction():
            self.archive.keep(episode, NOW)
            self.engine.keep()

    def prefer(self, name: str, value: str, detail: str = "favorite_genres") -> None:
        made = Preference(id=name, detail=detail, value=value, sentences=(f"i love {value}",), conversation="c",
                          confidence=0.9, valid_from=NOW)  # fmt: skip
        with self.vault.transaction():
            self.store.add(made, NOW)

    def found(self, query: str, **more: Any) -> list[str]:
        return [one.id for one in self.search(query, **more)]

    def search(self, query: str, **more: Any) -> tuple[Found, ...]:
        more.setdefault("now", NOW)
        return self.engine.search(query, **more)

    def close(self) -> None:
        self.engine.close()
        self.vault.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


@pytest.fixture
def again(bench: Bench, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    opened: list[Bench] = []

    def opening(**more: Any) -> Bench:
        bench.close()
        opened.append(Bench(tmp_path, **more))
        return opened[-1]

    yield opening
    for one in opened:
        one.close()


def test_what_is_forgotten_or_changed_while_it_is_encoded_leaves_no_vector(bench: Bench) -> None:
    for name, value in (("gone", "jazz"), ("changed", "rock"), ("kept", "salsa")):
        bench.prefer(name, value)
    encode, meanwhile = bench.encoder.encode, [True]

    def slow(texts: Sequence[str]) -> NDArray[np.float32]:
        made = encode(texts)
        if meanwhile.pop() if meanwhile else False:
            bench.store.erase("preferences", ["gone"])
            bench.store.replace_sentence("i love rock", "...")
        return made

    bench.encoder.encode = slow  # type: ignore[method-assign]
    bench.engine.vectors.keep(["gone", "changed", "kept"])
    assert [name for (name,) in bench.vault.rows("SELECT memory FROM vectors")] == ["kept"]


# Words


def test_stems_join_forms_of_a_word() -> None:
    assert stem("running") == stem("run") == stem("runs") and stem("parties") == stem("party")
    assert stem("liked") == stem("like") and stem("bus") == "bus"
    assert stems("The parks, the park's benches") == ("park", "bench")
    assert asked("Do you remember the park I told you about on June 4th?") == ("park", "jun")


def test_shares_weigh_rare_words_more_and_follow_what_is_removed() -> None:
    postings, texts = Postings(), ["park bench", "park", "park", "river"]
    postings.add(np.arange(4), [numbers(stems(text)) for text in texts])
    shares = postings.shares(numbers(stems("park bench")), 4, 4)
    assert shares[0] == pytest.approx(1.0) and 0 < shares[1] < 0.5 and shares[3] == 0
    postings.remove(np.array([0]))
    assert postings.shares(numbers(("bench",)), 4, 3).tolist() == [0, 0, 0, 0]


def test_many_postings_are_sorted_in() -> None:
    postings = Postings()
    words = [numbers([f"word {k}" for k in range(n, n + 30)]) for n in range(300)]
    for row, terms in enumerate(words):
        postings.add(np.array([row]), [terms])
    assert sorted(postings.said(int(numbers(["word 100"])[0])).tolist()) == list(range(71, 101))
    postings.remove(np.array([100, 299]))
    assert sorted(postings.said(int(numbers(["word 100"])[0])).tolist()) == list(range(71, 100))
    assert len(postings.said(int(numbers(["word 328"])[0]))) == 0


# The cache


def entry(name: str, vector: list[float] | None, **more: Any) -> Entry:
    made = None if vector is None else np.array(vector, np.float32) / np.linalg.norm(vector)
    told: dict[str, Any] = {"at": 0.0, "since": 0.0, "half_life": np.inf, "weight": 1.0, "terms": numbers(stems(name))}
    told |= {"id": name, "kind": Kind.EPISODE, "vector": made, **more}
    return Entry(**told)


def test_exchanges_of_a_conversation_stand_beside_each_other() -> None:
    cache = SearchCache(2)
    cache.put([entry(name, [1, 0], conversation="a") for name in ("one", "two", "three")])
    cache.put([entry("other", [1, 0], conversation="b"), entry("four", [1, 0], conversation="a")])
    rows = {name: cache.row(name) for name in ("one", "two", "three", "four")}
    assert cache.columns["before"][rows["four"]] == rows["three"] and cache.columns["after"][rows["four"]] == NONE
    cache.drop(["two"])
    assert (
        cache.columns["before"][rows["three"]] == rows["one"] and cache.columns["after"][rows["one"]] == rows["three"]
    )
    cache.put([entry("three", [0, 1], conversation="a")])  # changed: a new row in the old place
    row = cache.row("three")
    assert (
        row != rows["three"]
        and cache.columns["before"][row] == rows["one"]
        and cache.columns["after"][row] == rows["four"]
    )
    assert len(cache) == 4


def test_numbers_change_in_place() -> None:
    cache = SearchCache(2)
    cache.put([entry("one", [1, 0])])
    row = cache.row("one")
    cache.put([entry("one", [1, 0], weight=0.5)])
    assert cache.row("one") == row and cache.kept(np.array([row]), 0.0)[0] == 0.5


def test_a_kind_that_outgrows_comparing_gets_a_graph_and_loses_it_with_most_of_its_memories(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memory.recall.hnsw.EXACT_UP_TO", 50)
    vectors = np.random.default_rng(1).normal(size=(300, 8))
    cache = SearchCache(8)
    entries = [entry(f"{n}", list(vector)) for n, vector in enumerate(vectors)]
    cache.put(entries)
    cache.drop(["7"])
    assert cache.outgrown
    cache.grow(threading.Event())
    index = cache.indices[Kind.EPISODE]
    assert index.walks and len(index) == 299 and not cache.outgrown
    query = np.array(vectors[290] / np.linalg.norm(vectors[290]), np.float32)
    nearest = lambda: cache.nearest(query, 1, cache.allowed(), (Kind.EPISODE,)).tolist()  # noqa: E731
    assert nearest() == [cache.row("290")]
    cache.drop([f"{n}" for n in range(100)])
    assert index.walks  # a third: each was overwritten
    cache.drop([f"{n}" for n in range(100, 280)])
    assert not index.walks and len(index) == 20 == len(cache) and nearest() == [cache.row("290")]
    cache.put(entries[:280])  # taken back
    assert len(cache) == 300 and cache.outgrown
    cache.grow(threading.Event())
    cache.drop([f"{n}" for n in range(300)])
    assert len(cache) == 0 and not len(index) and index.search(query, 1)[0].size == 0


# Kept in the vault


def test_a_vector_is_written_with_its_memory_and_goes_with_it(bench: Bench) -> None:
    bench.say("one", "we saw a jazz concert")
    rows = bench.vault.rows("SELECT memory, length(vector), length(stems) FROM vectors")
    assert [row[0] for row in rows] == ["one"] and rows[0][1] == 2 * bench.encoder.dimension and rows[0][2] > 0
    with bench.vault.transaction():
        bench.archive.delete(["one"])
    assert bench.vault.rows("SELECT * FROM vectors") == [] and bench.found("jazz concert") == []
    assert "one" not in bench.engine.cache


def test_what_is_rolled_back_leaves_nothing(bench: Bench) -> None:
    def fail() -> None:
        with bench.vault.transaction():
            bench.archive.keep(Episode(id="one", conversation="c", at=NOW, driver="jazz"), NOW)
            bench.engine.keep()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert bench.vault.rows("SELECT * FROM vectors") == [] and bench.found("jazz") == []


def test_opening_encodes_nothing_anew(bench: Bench, again: Callable[..., Bench]) -> None:
    for n in range(5):
        bench.say(f"{n}", f"we saw concert number {n} with jazz")
    bench.prefer("p", "jazz")
    bench.found("jazz")
    second = again()
    assert len(second.encoder.texts) == 1  # the probe
    assert len(second.engine.cache) == 6 and "p" in second.found("jazz", limit=9)


def test_another_encoder_means_encoding_anew(
    bench: Bench, again: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(8):
        bench.say(f"{n}", f"we saw concert number {n} with jazz")
    monkeypatch.setattr("memory.recall.search.AT_ONCE", 2)
    second = again(encoder=Counting(turned=True))
    second.engine.settle()
    assert len(second.encoder.texts) == 9 and second.engine.cache.missing == ()
    assert second.vault.rows("SELECT count(*) FROM vectors WHERE vector = x''") == [(0,)]
    assert len(second.found("jazz concert", limit=9)) == 8


def test_changed_words_are_encoded_anew(bench: Bench) -> None:
    bench.prefer("p", "jazz")
    before = bench.search("jazz", kinds=[Kind.PREFERENCE])[0].text
    with bench.vault.transaction():
        bench.store.merge(bench.store.preferences()[0], "give me a saxophone", NOW, "c2", 0.9, NOW)
    after = bench.search("saxophone", kinds=[Kind.PREFERENCE])
    assert "saxophone" not in before and "saxophone" in after[0].text


def test_preferences_that_matter_are_those_of_the_vault_as_it_is(bench: Bench) -> None:
    def names(query: str) -> list[str]:
        return [name for name, _ in bench.engine.preferences(query, limit=5, now=NOW)]

    bench.prefer("j", "jazz")
    bench.prefer("r", "rock")
    bench.say("e", "some jazz")
    assert names("play jazz music")[0] == "j" and names("rock music please")[0] == "r" and names("where are we") == []
    bench.store.erase("preferences", ["j"])
    assert "j" not in names("play jazz music")
    with bench.vault.transaction():
        bench.store.merge(bench.store.preferences()[0], "give me a guitar", NOW, "c2", 0.9, NOW)
    assert names("music guitar please")[0] == "r" and not bench.engine.cache.holds(["j"])


def test_withheld_and_superseded_are_not_found(bench: Bench) -> None:
    bench.prefer("p", "jazz")
    bench.say("e", "some jazz")
    with bench.vault.transaction():
        bench.vault.write("INSERT INTO withheld VALUES ('token', 'episodes', 'e', '')")
    assert bench.found("jazz") == ["p"]
    with bench.vault.transaction():
        bench.vault.write("DELETE FROM withheld")
    assert sorted(bench.found("jazz")) == ["e", "p"]
    with bench.vault.transaction():
        bench.store.supersede("p", NOW, None)
    assert bench.found("jazz") == ["e"]
    assert bench.vault.rows("SELECT memory FROM vectors") == [("e",)]


def test_a_graph_is_built_anew_when_a_vault_is_opened(
    bench: Bench, again: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.hnsw.EXACT_UP_TO", 20)
    for n in range(40):
        bench.say(f"{n}", f"concert number {n} with jazz", conversation=str(n))
    bench.say("late", "some rock")
    with bench.vault.transaction():
        bench.vault.write("INSERT INTO graphs VALUES ('episode', x'00', x'00')")  # as vaults had them before
    second = again()
    assert "late" in second.found("rock", limit=3)  # whether the graph is there yet or not
    second.engine.settle()
    index = second.engine.cache.indices[Kind.EPISODE]
    assert index.walks and len(index) == 41 and "late" in second.found("rock", limit=3)
    with second.vault.transaction():
        second.archive.delete(["late"])
    assert "late" not in second.found("rock", limit=50)
    assert second.vault.rows("SELECT * FROM graphs") == []


# What is found


def test_every_kind_is_found_in_words(bench: Bench) -> None:
    bench.say("e", "we saw a jazz concert", "how nice")
    bench.prefer("p", "jazz")
    with bench.vault.transaction():
        bench.archive.think(
            Thought(id="t", kind=Kind.THOUGHT, text="often asks for jazz", at=NOW, tags=("music",)), NOW
        )
        bench.archive.think(Thought(id="v", kind=Kind.EVENT, text="the jazz festival", at=NOW), NOW)
        bench.archive.put_entry(ProfileEntry(id="f", aspect="fact", key="taste", value="jazz", since=NOW), NOW)
    found = {one.id: one for one in bench.search("jazz", limit=9)}
    assert {name: one.kind for name, one in found.items()} == {
        "e": Kind.EPISODE, "p": Kind.PREFERENCE, "t": Kind.THOUGHT, "v": Kind.EVENT, "f": Kind.PROFILE,
    }  # fmt: skip
    assert found["e"].text == "we saw a jazz concert how nice" and found["f"].text == "taste: jazz"
    assert all(0 <= one.score <= 1 for one in found.values())
    assert bench.found("jazz", kinds=[Kind.EVENT]) == ["v"] and bench.found("jazz", tags=["music"]) == ["t"]
    assert bench.found("jazz", tags=["unknown"]) == [] and len(bench.found("jazz", limit=2)) == 2
    assert bench.found("jazz", details=["favorite_genres"]) == ["p"]
    assert "p" not in bench.found("jazz", hidden=["favorite_genres"]) and bench.found("  ") == []


def test_a_period_is_a_filter(bench: Bench) -> None:
    bench.say("old", "a jazz concert", at=NOW - timedelta(days=3), conversation="a")
    bench.say("new", "a jazz concert", conversation="b")
    assert bench.found("jazz", period=Period(since=NOW - timedelta(days=1))) == ["new"]
    assert bench.found("jazz", period=Period(until=NOW - timedelta(days=1))) == ["old"]


def test_a_time_in_the_words_is_when_it_happened_unless_they_speak_of_the_talk(bench: Bench) -> None:
    bench.say("told later", "the jazz concert", at=NOW - timedelta(days=2), conversation="a")
    bench.say("that day", "the jazz concert", at=NOW - timedelta(days=40), conversation="b")
    then = Period(since=NOW - timedelta(days=41), until=NOW - timedelta(days=39), words="in october")
    assert bench.found("who played at the jazz concert in october", period=then) == ["that day", "told later"]
    assert bench.found("what did you say of the jazz concert in october", period=then) == ["that day"]


def test_one_common_word_says_less_than_a_question_of_rare_ones(bench: Bench) -> None:
    for n in range(9):
        bench.say(f"c{n}", "a concert" if n < 4 else "hm", conversation=f"{n}")
    bench.say("e", "zither and bassoon", conversation="z")
    common, rare = bench.search("concert"), bench.search("zither bassoon")
    assert max(one.score for one in common) < max(one.score for one in rare if one.id == "e")


def test_what_is_said_beside_it_bears_an_exchange_up(tmp_path: Path, bench: Bench) -> None:
    bench.say("q", "how was the jazz concert", conversation="a", minute=0)
    bench.say("a", "wonderful", conversation="a", minute=1)
    bench.say("b", "wonderful", conversation="b", minute=2)
    assert bench.found("jazz concert")[:2] == ["q", "a"]


def test_talk_is_found_if_enough_of_it_is_near_or_if_an_exchange_is_sure_by_itself(bench: Bench) -> None:
    bench.say("e", "we saw a jazz concert")
    bench.say("f", "concert", conversation="b")
    for n in range(4):
        bench.say(f"x{n}", "hm", conversation=f"{n}")
    bench.engine.settings = SearchTuning(gate_at=0.6, told_at=1.0)
    assert bench.found("is there a concert of the opera") == []
    assert bench.found("we saw a jazz concert", period=Period(since=NOW - timedelta(days=1))) != []
    bench.engine.settings = SearchTuning(gate_at=1.0, told_at=0.8)
    assert bench.found("we saw a jazz concert") == ["e"]


def test_of_the_nearest_that_stand_alone_the_encoder_has_a_say(
    again: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.search.ASKED_AT", 0.0)
    judge = Judging()
    bench = again(encoder=judge, settings=SearchTuning(answers_at=1e-3, gate_at=1.0, told_at=1.0))
    for n in range(ASKED + 2):
        bench.prefer(f"p{n}", f"jazz {'and more ' * n}".strip())
    bench.say("e", "we saw a jazz concert")
    judge.odds = None
    (plain, *_) = bench.search("what about jazz")
    judge.asked.clear()
    judge.odds = 9.0
    (surer, *_) = bench.search("what about jazz")
    assert surer.id == plain.id and surer.score > plain.score
    assert len(judge.asked) == ASKED and all(question == "what about jazz" for question, _ in judge.asked)
    assert not any("concert" in memory for _, memory in judge.asked)
    judge.odds = -30.0
    assert not {one.text for one in bench.search("what about jazz")} & {memory for _, memory in judge.asked}


def test_how_sure_it_is() -> None:
    scores = np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.0], np.float32)
    assert company(scores, 0.5, named=False) == pytest.approx((0.5 + 0.26) / 2)
    assert company(scores, 0.5, named=True) == pytest.approx(0.9)
    assert company(np.zeros(0, np.float32), 0.0, named=True) == 0.0


def test_links_bring_what_no_word_would(bench: Bench) -> None:
    bench.say("e", "we saw a jazz concert")
    for n in range(3):
        bench.say(f"x{n}", "hm", conversation=f"{n}")
    with bench.vault.transaction():
        bench.archive.link("e", ["x1"])
    scored = {one.id for one in bench.search("jazz concert", limit=9)}
    assert "x1" in scored


def test_use_reinforces_and_time_fades(bench: Bench) -> None:
    bench.say("one", "a jazz concert", conversation="a")
    bench.say("two", "a jazz concert", conversation="b")
    later = NOW + timedelta(days=800)
    bench.store.used(["two"], NOW + timedelta(days=30))
    bench.engine.refresh()
    first, second = bench.search("jazz", now=later)
    assert first.id == "two" and first.score > second.score
    bench.engine.settings = OPEN.model_copy(update={"decays": False})
    assert bench.search("jazz", now=later)[0].score == pytest.approx(bench.search("jazz", now=later)[1].score)
