"""What memory does when a conversation and a trip are over, and where the driver is."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from deploy.drivers.trips import TripMemory
from deploy.drivers.zone import zone
from deploy.timeline import TimelineEntry, reflected_entry
from memory.service import DriverMemory
from schemas.errors import ConfigError, MemoryStoreError
from schemas.memory import CONVERSATIONS, Decision, Kind, ProfileEntry, Reflected, Selector, Thought, Turn
from schemas.seat import Seat
from tests.memories import memory_of

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def say(memory: DriverMemory, text: str, talk: str) -> None:
    memory.note(Turn(speaker="driver", text=text, at=NOW), talk)


def make(kind: type[DriverMemory] = DriverMemory) -> tuple[DriverMemory, TripMemory, list[TimelineEntry]]:
    memory = memory_of("ada", clock=lambda: NOW, kind=kind)
    memory.opt_in(CONVERSATIONS)
    ids = iter(("first", "second", "third"))
    return memory, TripMemory(Seat(memory), lambda: next(ids)), []


def test_conversations_are_called_after_their_trip() -> None:
    _, trip, told = make()
    assert [trip.new_conversation(), trip.new_conversation()] == ["first-1", "first-2"]
    trip.end(told.append)
    assert trip.new_conversation() == "second-1"


def test_a_trip_begins_ends_and_is_thought_about() -> None:
    memory, trip, told = make()
    trip.begin()
    memory.set_private_trip(True)
    trip.end(told.append)
    assert [t.id for t in memory.trips()] == ["first"] and memory.trips()[0].ended_at == NOW
    assert not memory.consent().private_trip
    trip.begin()
    say(memory, "i met my sister", trip.new_conversation())
    trip.end(told.append)
    assert [e.conversation for e in memory.episodes()] == ["second-1"] and [t.id for t in memory.trips()] == [
        "first",
        "second",
    ]


def test_what_is_typed_is_no_trip() -> None:
    memory, trip, told = make()
    trip.learn(told.append)
    assert not memory.trips()


def test_who_takes_the_wheel_begins_the_trip_with_the_next_conversation() -> None:
    ada, bob = (memory_of(name, clock=lambda: NOW) for name in ("ada", "bob"))
    bob.opt_in(CONVERSATIONS)
    seat = Seat(ada)
    trip = TripMemory(seat, lambda: "t")
    trip.begin()
    seat.take(bob)
    trip.learn(lambda _: None)
    assert not ada.trips() and [t.id for t in bob.trips()] == ["t"]


class Slow(DriverMemory):
    """Learns when it is let."""

    let = threading.Event()
    fails = False

    def __init__(self, *given: Any, **parts: Any) -> None:
        super().__init__(*given, **parts)
        learn = self.learn_pending

        def slowly() -> tuple[Decision, ...]:
            assert self.let.wait(10)
            if self.fails:
                raise MemoryStoreError("the disk is gone")
            return learn()

        self.learn_pending = slowly


def test_learning_beside_keeps_nobody_waiting_and_the_end_waits_for_it() -> None:
    Slow.let.clear()
    memory, trip, told = make(Slow)
    trip.begin()
    say(memory, "i love jazz", trip.new_conversation())
    trip.learn_beside(told.append)
    assert memory.matching(Selector(text="jazz")).turns == 1 and not memory.preferences()
    Slow.let.set()
    trip.end(told.append)
    assert [p.value for p in memory.preferences()] == ["jazz"] and memory.episodes()


def test_what_fails_beside_is_told() -> None:
    Slow.let.set()
    memory, trip, told = make(Slow)
    memory.fails = True  # type: ignore[attr-defined]
    trip.learn_beside(told.append)
    trip.wait()
    assert [(entry.kind, entry.data["code"]) for entry in told] == [("error", "memory")]


def test_the_entry_after_a_trip() -> None:
    assert reflected_entry(Reflected(seen=3)) is None
    thought = Thought(id="t", kind=Kind.THOUGHT, text="often asks for jazz", at=NOW)
    line = ProfileEntry(id="p", aspect="style", key="reply_length", value="brief", since=NOW)
    entry = reflected_entry(Reflected(thoughts=(thought,), entries=(line,), let_go={Kind.EPISODE: 2}))
    assert entry is not None and entry.kind == "thought"
    assert entry.text == "“often asks for jazz”; reply length: brief; let go of 2 episode: their time is over"


# The zone


def test_zones_by_name_and_the_devices_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert zone("Europe/Berlin") == ZoneInfo("Europe/Berlin")
    monkeypatch.setenv("TZ", "America/New_York")
    assert zone("local") == ZoneInfo("America/New_York")
    monkeypatch.delenv("TZ")
    assert zone("local", system=tmp_path / "none") is UTC
    kept = tmp_path / "localtime"
    kept.write_bytes(zone_file("Europe/Berlin"))
    own = zone("local", system=kept)
    offsets = {datetime(2026, month, 1, tzinfo=own).utcoffset() for month in (1, 7)}
    assert offsets == {timedelta(hours=1), timedelta(hours=2)}
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    assert zone("local", system=kept).utcoffset(NOW) == timedelta(hours=1)
    for wrong in ("Mars/Olympus", "../../etc/passwd", ""):
        with pytest.raises(ConfigError, match="Europe/Berlin"):
            zone(wrong)


def zone_file(name: str) -> bytes:
    import zoneinfo

    folder = next(Path(folder) for folder in zoneinfo.TZPATH if (Path(folder) / name).exists())
    return (folder / name).read_bytes()
