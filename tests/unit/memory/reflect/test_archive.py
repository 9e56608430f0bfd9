"""The tiers' tables: what is kept comes back, nothing is written without consent, and what goes takes along what it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memory import consent as switches
from memory.rights import provenance as lineage
from memory.store.conversations import Archive
from memory.store.preferences import Store
from memory.store.summaries import Line
from memory.vault.lifecycle import Vault
from schemas.errors import ConsentError
from schemas.memory import CONVERSATIONS, Consent, Episode, Kind, Period, Preference, ProfileEntry, Thought
from tests.memories import vault_of

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEPT = Consent(opted_in=frozenset({CONVERSATIONS}))


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    opened = vault_of("ada", lambda: NOW, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def store(vault: Vault) -> Store:
    store = Store(vault)
    store.set_consent(KEPT)
    return store


@pytest.fixture
def archive(vault: Vault, store: Store) -> Archive:
    return Archive(vault, store)


def episode(name: str, said: str = "i met my sister", *, details: tuple[str, ...] = (), day: int = 0) -> Episode:
    return Episode(
        id=name,
        conversation="t1-1",
        at=NOW + timedelta(days=day),
        driver=said,
        assistant="How nice.",
        details=details,
        tags=("family",),
    )


def thought(name: str, text: str, *sources: str, kind: Kind = Kind.THOUGHT, details: tuple[str, ...] = ()) -> Thought:
    return Thought.model_validate(
        {"id": name, "kind": kind, "text": text, "at": NOW, "sources": sources, "details": details, "tags": ("family",)}
    )


def entry(name: str, key: str, value: str, *sources: str, edited: bool = False) -> ProfileEntry:
    return ProfileEntry(id=name, aspect="fact", key=key, value=value, sources=sources, since=NOW, edited=edited)


def test_everything_comes_back_as_it_was(archive: Archive) -> None:
    archive.begin_trip("t1", NOW, NOW)
    archive.end_trip("t1", NOW + timedelta(hours=1))
    kept = episode("e1", details=("favorite_genres",)).model_copy(update={"links": ("p1", "x")})
    archive.keep(kept, NOW)
    archive.think(thought("t", "often asks for jazz", "e1", "p1").model_copy(update={"links": ("e1",)}), NOW)
    archive.summarise("s1", date(2026, 3, 1), [Line("e1", "You met your sister.", (), ("family",))], NOW)
    archive.put_entry(entry("f", "sister", "ada", "e1"), NOW)
    archive.grow(["pottery"], NOW)
    [trip] = archive.trips()
    assert (trip.id, trip.began_at, trip.ended_at) == ("t1", NOW, NOW + timedelta(hours=1))
    assert archive.episodes() == (kept,)
    [thinking] = archive.thoughts()
    assert thinking.sources == ("e1", "p1") and thinking.links == ("e1",)
    [summary] = archive.summaries()
    assert summary.text == "Sunday 1 March 2026: family. You met your sister."
    assert summary.sources == ("e1",) and summary.tags == ("family",)
    assert archive.profile() == (entry("f", "sister", "ada", "e1"),)
    assert archive.tags() == ("pottery",)


def test_episodes_and_summaries_of_a_period(archive: Archive) -> None:
    for day in range(4):
        archive.keep(episode(f"e{day}", day=day), NOW)
        archive.summarise(f"s{day}", date(2026, 3, 1 + day), [Line(f"e{day}", "x")], NOW)
    period = Period(since=NOW + timedelta(days=1), until=NOW + timedelta(days=3))
    assert [e.id for e in archive.episodes(period)] == ["e1", "e2"]
    assert [s.id for s in archive.summaries(date(2026, 3, 2), date(2026, 3, 4))] == ["s1", "s2"]
    archive.reflected(["e0", "e2"])
    assert [e.id for e in archive.episodes(unreflected=True)] == ["e1", "e3"]


def test_one_entry_a_key(archive: Archive) -> None:
    archive.put_entry(entry("a", "sister", "ada", "e1"), NOW)
    archive.put_entry(entry("b", "sister", "grace", "e2"), NOW)
    assert [(e.id, e.value, e.sources) for e in archive.profile()] == [("b", "grace", ("e2",))]


WRITES: dict[str, Callable[[Archive, tuple[str, ...]], None]] = {
    "episode": lambda a, d: a.keep(episode("e", details=d), NOW),
    "event": lambda a, d: a.think(thought("t", "x", kind=Kind.EVENT, details=d), NOW),
    "thought": lambda a, d: a.think(thought("t", "x", details=d), NOW),
    "summary": lambda a, d: a.summarise("s", NOW.date(), [Line("e", "x", d)], NOW),
    "profile": lambda a, d: a.put_entry(entry("p", "k", "v").model_copy(update={"details": d}), NOW),
}
TALK = {"episode", "event", "summary"}
FORBIDDING: dict[str, Consent] = {
    "private trip": KEPT.model_copy(update={"private_trip": True}),
    "pause": KEPT.model_copy(update={"paused_until": NOW + timedelta(hours=1)}),
    "opted out": KEPT.model_copy(update={"opted_out": frozenset({"music"})}),
    "sensitive": KEPT,
}


@pytest.mark.parametrize("why", FORBIDDING)
@pytest.mark.parametrize("what", WRITES)
def test_no_write_without_consent(archive: Archive, store: Store, what: str, why: str) -> None:
    store.set_consent(FORBIDDING[why])
    details = ("dietary_preference",) if why == "sensitive" else ("favorite_genres",)
    with pytest.raises(ConsentError):
        WRITES[what](archive, details)
    archive._ask = lambda *_, **__: None  # type: ignore[method-assign]
    with pytest.raises(ConsentError):
        WRITES[what](archive, details)
    assert not archive.kinds(["e", "t", "s", "p"])


@pytest.mark.parametrize("what", WRITES)
def test_conversations_are_kept_only_when_asked_for(archive: Archive, store: Store, what: str) -> None:
    store.set_consent(Consent())
    if what in TALK:
        for _ in range(2):
            with pytest.raises(ConsentError):
                WRITES[what](archive, ())
            archive._ask = lambda *_, **__: None  # type: ignore[method-assign]
    else:
        WRITES[what](archive, ())
        assert archive.kinds(["t", "p"])


def test_trips_tags_and_queries_are_of_conversations(archive: Archive, store: Store) -> None:
    store.set_consent(Consent())
    for _ in range(2):
        with pytest.raises(ConsentError):
            archive.begin_trip("t", NOW, NOW)
        with pytest.raises(ConsentError):
            archive.grow(["pottery"], NOW)
        with pytest.raises(ConsentError):
            archive.put_queries([(NOW, np.ones(4, np.float32))], 8, NOW)
        archive._ask = lambda *_, **__: None  # type: ignore[method-assign]
    assert not archive.trips() and not archive.tags() and not archive.queries()


def test_words_cannot_be_changed_past_consent(archive: Archive, vault: Vault) -> None:
    archive.keep(episode("e"), NOW)
    archive.think(thought("t", "x"), NOW)
    archive.put_entry(entry("p", "k", "v"), NOW)
    archive.summarise("s", NOW.date(), [Line("e", "x")], NOW)
    for table, column in (("episodes", "driver"), ("episodes", "details"), ("thoughts", "text"), ("profile", "value"),
                          ("summary_lines", "text")):  # fmt: skip
        with pytest.raises(ConsentError), vault.transaction():
            vault.write(f"UPDATE {table} SET {column} = 'y'")  # noqa: S608


def test_the_ring_of_queries_is_bounded(archive: Archive) -> None:
    asked = [(NOW + timedelta(seconds=n), np.full(4, n, np.float32)) for n in range(10)]
    archive.put_queries(asked[:6], 4, NOW)
    archive.put_queries(asked[6:], 4, NOW)
    assert [int(vector[0]) for _, vector in archive.queries()] == [6, 7, 8, 9]


def test_vectors_and_links_go_with_their_memory(archive: Archive, store: Store, vault: Vault) -> None:
    archive.keep(episode("e1"), NOW)
    archive.keep(episode("e2").model_copy(update={"links": ("e1",)}), NOW)
    with archive.transaction():
        for name in ("e1", "e2"):
            raw = np.full(4, 0.5, np.float16).tobytes()
            vault.write("INSERT INTO vectors (memory, vector) VALUES (?, ?)", (name, raw))
    assert np.allclose(archive.vectors()["e1"], 0.5)
    lineage.forget(archive, store, ["e1"])
    assert set(archive.vectors()) == {"e2"} and archive.episodes()[0].links == ()


def test_what_is_withheld_is_not_shown(archive: Archive, vault: Vault) -> None:
    for name in ("e1", "e2"):
        archive.keep(episode(name), NOW)
        archive.think(thought(f"t{name}", "x", name), NOW)
        archive.put_entry(entry(f"p{name}", name, "v", name), NOW)
    archive.summarise("s", NOW.date(), [Line("e1", "One."), Line("e2", "Two.")], NOW)
    hidden = [("episodes", "e1"), ("thoughts", "te1"), ("profile+", "pe1"), ("summary_lines", "e1")]
    with archive.transaction():
        for kind, name in hidden:
            vault.write("INSERT INTO withheld VALUES ('token', ?, ?, '2026')", (kind, name))
    assert [e.id for e in archive.episodes()] == ["e2"] and [t.id for t in archive.thoughts()] == ["te2"]
    assert [p.id for p in archive.profile()] == ["pe2"] and archive.summaries()[0].sources == ("e2",)
    with archive.transaction():
        vault.write("INSERT INTO withheld VALUES ('token', 'summary_lines+', 'e2', '2026')")
    assert archive.summaries() == ()


# What was made of what


def test_a_thought_goes_with_the_last_source_that_bears_it_out(archive: Archive, store: Store) -> None:
    for name in ("e1", "e2"):
        archive.keep(episode(name, "play some jazz"), NOW)
    archive.keep(episode("e3", "play some soul"), NOW)
    archive.think(thought("t1", "often asks for jazz", "e1", "e2", "e3"), NOW)
    archive.think(thought("t2", "often asks for soul", "e1", "e3"), NOW)
    archive.put_entry(entry("p", "music", "jazz", "t1"), NOW)
    fallout = lineage.forget(archive, store, ["e1"])
    assert set(fallout.erased) == {"e1"} and set(fallout.changed) == {"t1", "t2"}
    fallout = lineage.forget(archive, store, ["e2"])
    assert fallout.erased == {"e2": Kind.EPISODE, "t1": Kind.THOUGHT, "p": Kind.PROFILE}
    assert [t.id for t in archive.thoughts()] == ["t2"] and not archive.profile()


def test_an_edited_entry_outlives_its_sources(archive: Archive, store: Store) -> None:
    archive.keep(episode("e1"), NOW)
    archive.put_entry(entry("p", "sister", "ada", "e1", edited=True), NOW)
    assert not lineage.forget(archive, store, ["e1"]).erased.keys() - {"e1"}
    assert [e.value for e in archive.profile()] == ["ada"]


def test_a_summary_loses_a_line_and_goes_with_the_last(archive: Archive, store: Store) -> None:
    for name in ("e1", "e2"):
        archive.keep(episode(name), NOW)
    lines = [Line("e1", "About jazz.", ("favorite_genres",), ("music",)), Line("e2", "About home.", (), ("home",))]
    archive.summarise("s", NOW.date(), lines, NOW)
    store.set_consent(Consent(private_trip=True))
    fallout = lineage.forget(archive, store, ["e1"])
    assert fallout.changed == ("s",)
    [left] = archive.summaries()
    assert left.text == "Sunday 1 March 2026: home. About home." and left.details == () and left.sources == ("e2",)
    assert lineage.forget(archive, store, ["e2"]).erased == {"e2": Kind.EPISODE, "s": Kind.SUMMARY}
    assert not archive.summaries()


def test_a_preference_counts_as_a_source(archive: Archive, store: Store) -> None:
    held = Preference(
        id="p1", detail="favorite_genres", value="jazz", sentences=("i love jazz",), conversation="c", confidence=1.0,
        valid_from=NOW,
    )  # fmt: skip
    store.add(held, NOW)
    archive.think(thought("t", "often asks for jazz", "p1", "e0"), NOW)
    assert not lineage.forget(archive, store, ["e0"]).erased
    assert lineage.forget(archive, store, ["p1"]).erased == {"t": Kind.THOUGHT}
    assert [p.id for p in store.preferences()] == ["p1"]


def test_grown_tags_go_when_nothing_has_them(archive: Archive, store: Store) -> None:
    archive.keep(episode("e1").model_copy(update={"tags": ("pottery",)}), NOW)
    archive.grow(["pottery"], NOW)
    lineage.forget(archive, store, ["e2"])
    assert archive.tags() == ("pottery",)
    lineage.forget(archive, store, ["e1"])
    assert archive.tags() == ()


def test_what_is_let_go_leaves_what_was_made_of_it(archive: Archive) -> None:
    archive.keep(episode("e1"), NOW)
    archive.think(thought("t", "met sister", "e1"), NOW)
    archive.summarise("s", NOW.date(), [Line("e1", "You met your sister.")], NOW)
    assert archive.delete(["e1"]) == {"e1": Kind.EPISODE}
    assert archive.thoughts() and archive.summaries()


def test_conversations_are_switched_by_their_own_key() -> None:
    on = switches.opt_in(Consent(), CONVERSATIONS)
    assert on.conversations and not Consent().conversations
    assert switches.opt_in(switches.opt_out(on, "music"), "music").conversations
    assert not switches.opt_out(on, CONVERSATIONS).conversations
