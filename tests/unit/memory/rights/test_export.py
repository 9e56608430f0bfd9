"""The export: its published schema, all tiers in it, and the way back into a new vault."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.rights.export import Export
from memory.rights.export_page import page
from memory.service import DriverMemory
from memory.store.preferences import LONGEST_SAID
from memory.store.summaries import Line
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import ExportError
from schemas.memory import (
    CONVERSATIONS,
    Episode,
    Kind,
    ProfileEntry,
    Terms,
    Thought,
    Turn,
    Waiting,
)
from tests.memories import vault_of

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
SCHEMA = Path(__file__).parents[4] / "docs" / "schemas" / "export.schema.json"
Open = Callable[[str], DriverMemory]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[DriverMemory] = []

    def opening(driver: str) -> DriverMemory:
        vault = vault_of(driver, lambda: NOW, tmp_path)
        made.append(DriverMemory(driver, vault, encoder=KeywordEncoder(), clock=lambda: NOW))
        return made[-1]

    yield opening
    for memory in made:
        memory.close()


def filled(memory: DriverMemory) -> dict[str, Any]:
    """The export of a memory with something of every kind in it."""
    memory.opt_in(CONVERSATIONS)
    memory.opt_in("dietary_preference")
    memory.opt_out("parking")
    memory.remember("i love jazz", "favorite_genres")
    memory.remember("i like it at twenty one degrees", "preferred_temperature")
    memory.remember("i like it at twenty two degrees", "preferred_temperature")
    memory.remember("i eat vegan", "dietary_preference")
    memory.used(memory.recall("jazz music"), "play_music")
    memory.note(Turn(speaker="driver", text="i love rock & <b>roll</b>", at=NOW), "next")
    memory.pause(NOW + timedelta(days=1))
    memory.pause(None)
    archive = memory.session.archive
    episode = Episode(id="e1", conversation="t-1", at=NOW, driver="i love jazz on the way to work", assistant="Okay.",
                      details=("favorite_genres",), tags=("music",), importance=0.5)  # fmt: skip
    archive.begin_trip("t", NOW - timedelta(hours=1), NOW)
    archive.keep(episode, NOW)
    thought = Thought(id="h1", kind=Kind.EVENT, text="jazz on the way to work", at=NOW, details=("favorite_genres",),
                      tags=("music",), sources=("e1",), importance=0.3)  # fmt: skip
    archive.think(thought, NOW)
    archive.summarise(
        "s1", date(2026, 3, 1), [Line("e1", "jazz on the way to work", ("favorite_genres",), ("music",))], NOW
    )
    entry = ProfileEntry(id="p1", aspect="habit", key="usual_music", value="jazz", details=("favorite_genres",),
                         sources=("e1",), confidence=0.8, since=NOW)  # fmt: skip
    archive.put_entry(entry, NOW)
    memory.set_terms(Terms(conversation_days=30, thought_days=182, summary_days=730))
    waiting = [
        Waiting(kind="timer", label="", at=NOW + timedelta(minutes=5)),
        Waiting(kind="reminder", label="buy <b>milk</b>", at=NOW + timedelta(hours=5)),
    ]
    memory.reminders.save(waiting, memory.reminders.load()[0])
    archive.put_entry(ProfileEntry(id="p2", aspect="fact", key="name", value="Ada", since=NOW, edited=True), NOW)
    return memory.export()


def schema() -> dict[str, Any]:
    """The JSON schema of an export, as it is published in docs/schemas."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Export of a Glovebox memory",
        **{key: part for key, part in Export.model_json_schema(mode="serialization").items() if key != "title"},
    }


def test_the_published_schema_is_the_programs() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == schema()


def test_an_export_fits_its_schema_and_holds_every_tier(opened: Open) -> None:
    exported = filled(opened("ada"))
    Export.model_validate(exported)
    described = schema()["properties"]
    assert set(exported) == set(described) == set(schema()["required"])
    assert all(
        exported[name] for name in ("preferences", "waiting", "trips", "episodes", "thoughts", "summaries", "profile")
    )
    assert [p["basis"] for p in exported["profile"]] == ["provided", "inferred"]
    assert exported["terms"] == {"basis": "provided", "conversation_days": 30, "thought_days": 182, "summary_days": 730}
    assert exported["notices"] == [
        {"basis": "provided", "kind": "timer", "label": "", "due_at": "2026-03-01T08:05:00Z"},
        {"basis": "provided", "kind": "reminder", "label": "buy <b>milk</b>", "due_at": "2026-03-01T13:00:00Z"},
    ]
    assert exported["thoughts"][0]["basis"] == "inferred" and exported["episodes"][0]["basis"] == "provided"
    (jazz,) = (p for p in exported["preferences"] if p["value"] == "jazz")
    assert jazz["sentences"] == [{"text": "i love jazz", "said_at": "2026-03-01T08:00:00Z",
                                  "conversation": jazz["conversation"]}]  # fmt: skip
    assert jazz["used_for"] == [{"at": "2026-03-01T08:00:00Z", "action": "play_music"}]


def test_there_and_back_is_the_same(opened: Open) -> None:
    exported = filled(opened("ada"))
    other = opened("grace")
    taken = other.take_in(json.loads(json.dumps(exported)), allow=True)
    assert taken.refused == {} and taken.kinds == {
        Kind.PREFERENCE: 4, Kind.EPISODE: 1, Kind.EVENT: 1, Kind.SUMMARY: 1, Kind.PROFILE: 2,
    }  # fmt: skip
    assert (taken.timers, taken.reminders) == (1, 1)
    assert other.export() == {**exported, "driver": "grace"}
    assert [r.preference.value for r in other.recall("jazz music")] == ["jazz"]
    assert other.take_in(exported, allow=True).kinds == {}
    assert other.export() == {**exported, "driver": "grace"}


def test_what_was_not_allowed_here_stays_out(opened: Open) -> None:
    exported = filled(opened("ada"))
    other = opened("grace")
    other.opt_out("music")
    taken = other.take_in(exported)
    assert set(taken.refused) == {"favorite_genres", "dietary_preference", CONVERSATIONS}
    again = other.export()
    assert again["episodes"] == again["thoughts"] == again["summaries"] == again["trips"] == []
    assert {p["value"] for p in again["preferences"]} == {"21 degrees", "22 degrees"}
    assert other.consent().opted_out == {"music", "parking"} and other.consent().opted_in == frozenset()


def test_nothing_is_read_in_on_a_private_trip(opened: Open) -> None:
    exported = filled(opened("ada"))
    other = opened("grace")
    other.set_private_trip(True)
    taken = other.take_in(exported, allow=True)
    assert taken.kinds == {} and "private" in taken.refused["favorite_genres"]
    other.set_private_trip(False)
    assert other.preferences(history=True) == ()


def test_a_trip_that_is_private_there_is_private_here_afterwards(opened: Open) -> None:
    memory = opened("ada")
    filled(memory)
    memory.set_private_trip(True)
    other = opened("grace")
    assert other.take_in(memory.export(), allow=True).kinds[Kind.PREFERENCE] == 4
    assert other.consent().private_trip


def test_an_export_of_the_second_version_can_be_read(opened: Open) -> None:
    exported = filled(opened("ada"))
    old = {key: part for key, part in exported.items() if key not in ("terms", "notices", "facts")}
    for name in ("preferences", "proposals"):
        old[name] = [
            {key: cell for key, cell in part.items() if key not in ("sense", "conditions")} for part in old[name]
        ]
    other = opened("grace")
    taken = other.take_in({**old, "version": 2}, allow=True)
    assert taken.kinds[Kind.PREFERENCE] == 4 and (taken.timers, taken.reminders) == (0, 0)
    assert other.export()["terms"] is None and other.export()["notices"] == []


def test_own_terms_stay_and_what_is_over_does_not_ring(opened: Open) -> None:
    exported = filled(opened("ada"))
    other = opened("grace")
    other.set_terms(Terms(conversation_days=7, thought_days=7, summary_days=7))
    over = [{**exported["notices"][0], "due_at": "2026-02-28T08:00:00Z"}]
    rung: list[str] = []
    other.reminders.watch(lambda: rung.append("read anew"))
    assert other.take_in({**exported, "notices": over}, allow=True).timers == 0
    assert other.terms().conversation_days == 7
    assert other.reminders.load()[1] == () and rung == ["read anew"]


def test_an_export_of_the_first_version_can_be_read(opened: Open) -> None:
    old = {
        "format": "glovebox-memory", "version": 1, "driver": "ada", "exported_at": "2026-01-02T08:00:00Z",
        "consent": {"opted_out": [], "opted_in": [], "paused_until": None, "private_trip": False},
        "preferences": [{
            "id": "a", "category": "entertainment_and_media.music.favorite_genres", "value": "jazz",
            "sentences": ["i love jazz"], "status": "active", "confidence": 0.9, "uses": 2,
            "valid_from": "2026-01-01T08:00:00Z", "valid_to": None, "last_used": None, "conversation": "c",
            "kept_unused_days": 730,
        }],
        "waiting": [{"conversation": "c", "text": "i love rock", "at": "2026-01-02T08:00:00Z"}],
        "proposals": [], "declined_until": [], "decisions": [],
    }  # fmt: skip
    memory = opened("ada")
    assert memory.take_in(old).kinds == {Kind.PREFERENCE: 1}
    (jazz,) = memory.preferences()
    assert jazz.sentences == ("i love jazz",) and [d.value for d in memory.learn_pending()] == ["rock"]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "something else"},
        {"version": 5},
        {"notices": [{"kind": "bomb", "label": "", "due_at": "2026-03-01T08:05:00Z"}]},
        {"version": "two"},
        {"preferences": [{"id": "a"}]},
        {"preferences": None},
        {"facts": [{"id": "k"}]},
        {"profile": "all of it"},
        {"more": 1},
        {"consent": {"opted_out": ["weather"], "opted_in": [], "paused_until": None, "private_trip": False}},
    ],
)
def test_a_damaged_export_is_refused_whole(opened: Open, change: dict[str, Any]) -> None:
    exported = filled(opened("ada"))
    other = opened("grace")
    with pytest.raises(ExportError):
        other.take_in({**exported, **change}, allow=True)
    assert other.export()["preferences"] == [] and other.consent().opted_in == frozenset()


def test_an_unknown_category_is_named(opened: Open) -> None:
    exported = filled(opened("ada"))
    exported["preferences"][0]["category"] = "weather.rain.umbrella"
    with pytest.raises(ExportError, match="unknown category"):
        opened("grace").take_in(exported)


def test_a_value_that_forges_nothing(opened: Open) -> None:
    """Times without a zone and confidences beyond 1 are no valid export."""
    exported = filled(opened("ada"))
    exported["preferences"][0]["confidence"] = 7
    with pytest.raises(ExportError, match="confidence"):
        opened("grace").take_in(exported)


FACT = {
    "id": "f1", "text": "the spare key is under the mat", "about": "", "said_at": "2026-03-01T08:00:00Z", "conversation": "t-1",
    "until": None, "until_words": "", "uses": 0, "last_used": None,
}  # fmt: skip


def test_a_text_that_nobody_says_is_not_read_and_the_rest_is(opened: Open) -> None:
    """Whatever part of an export holds one is left out at once, and told as what consent forbids is."""
    exported: dict[str, Any] = {**filled(opened("ada")), "facts": [{**FACT}]}
    whole = opened("grace").take_in(exported, allow=True)
    for part in (exported["preferences"][0], exported["facts"][0], exported["episodes"][0], exported["notices"][0]):
        part[next(name for name in ("value", "text", "driver", "label") if name in part)] = "x" * 5_000_000
    exported["profile"][0]["key"] = "y" * (LONGEST_SAID + 1)
    memory = opened("mary")
    began = time.process_time()
    taken = memory.take_in(exported, allow=True)
    assert time.process_time() - began < 5
    detail = exported["preferences"][0]["category"].rsplit(".", 1)[-1]
    assert {detail, "facts", "episodes", "notices", "profile"} <= set(taken.refused)
    assert all("more than 4,000 characters" in taken.refused[name] for name in (detail, "facts", "episodes"))
    assert taken.kinds[Kind.PREFERENCE] == whole.kinds[Kind.PREFERENCE] - 1
    assert "xxxx" not in json.dumps(memory.export()) and "yyyy" not in json.dumps(memory.export())


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("preferences", 0, "uses"), 10**400),
        (("preferences", 0, "uses"), 2**63 - 1),
        (("preferences", 0, "kept_unused_days"), -(10**400)),
        (("preferences", 0, "confidence"), float("nan")),
        (("preferences", 0, "confidence"), float("inf")),
        (("preferences", 0, "valid_from"), "0001-01-01T00:00:00+14:00"),
        (("preferences", 0, "valid_from"), "9999-12-31T23:59:59-12:00"),
        (("preferences", 0, "valid_from"), 10**400),
        (("facts", 0, "uses"), 10**400),
        (("facts", 0, "until"), "9999-12-30T00:00:00Z"),
        (("episodes", 0, "uses"), 10**400),
        (("thoughts", 0, "uses"), 10**400),
        (("summaries", 0, "day"), "0001-01-01"),
        (("terms", "conversation_days"), 10**400),
        (("terms", "thought_days"), 10**9),
        (("notices", 0, "due_at"), "9999-12-31T23:59:59Z"),
        (("consent", "paused_until"), "9999-12-31T23:59:59-12:00"),
        (("version",), 10**400),
        (("version",), -(10**400)),
        (("driver",), [[[[]]]]),
        (("notices", 1, "label"), "buy \ud800 milk"),
        (("preferences", 0, "sentences", 0, "text"), "\udfff"),
        (("\x1b[31m\ud800",), 1),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_number_or_a_time_that_nothing_has_is_refused(opened: Open, where: tuple[str | int, ...], value: Any) -> None:
    exported = {**filled(opened("ada")), "facts": [{**FACT}]}
    place: Any = exported
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = value
    other = opened("grace")
    with pytest.raises(ExportError) as raised:
        other.take_in(exported, allow=True)
    assert len(str(raised.value)) < 600 and other.export()["preferences"] == []


def test_an_export_that_is_nested_too_deeply_is_damaged(opened: Open) -> None:
    exported = filled(opened("ada"))
    deep: list[Any] = []
    for _ in range(3_000):
        deep = [deep]
    with pytest.raises(ExportError, match="damaged"):
        opened("grace").take_in({**exported, "facts": deep})


def test_the_page_shows_everything_and_runs_nothing(opened: Open) -> None:
    memory = opened("ada")
    html = page(filled(memory), tzinfo=UTC)
    for text in (
        "i love jazz",
        "21 degrees",
        "vegan",
        "jazz on the way to work",
        "usual music",
        "play music",
        "Parking",
    ):
        assert text in html
    assert "i love rock &amp; &lt;b&gt;roll&lt;/b&gt;" in html and "<b>roll" not in html
    assert "<script" not in html and "http" not in html.replace("http-equiv", "")
