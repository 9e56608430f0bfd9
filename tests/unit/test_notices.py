"""Timers and reminders survive a restart in the vault of their driver, and go with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.notices import KeptNotices
from memory.fake import KeywordEncoder, KeywordModel
from memory.guest import GuestMemory
from memory.keys import RawKey
from memory.service import DriverMemory
from memory.vault import Vault, destroy
from schemas.errors import MemoryStoreError
from vehicle.organizer import Organizer

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KEY = bytes(range(32))


class Car:
    """A car that can be started again: its organizer's clock begins anew, the time of day goes on."""

    def __init__(self, folder: Path, make: Callable[[Vault, str], DriverMemory]) -> None:
        self.folder, self.make, self.now = folder, make, NOON
        self.memory: DriverMemory | GuestMemory | None = None
        self.start()

    def open(self, driver: str) -> DriverMemory:
        return self.make(Vault.open(self.folder, driver, RawKey(KEY), clock=lambda: self.now), driver)

    def start(self, driver: str = "ada") -> None:
        if self.memory is not None:
            self.memory.close()
        self.memory, began = self.open(driver), self.now

        def running() -> float:
            return (self.now - began).total_seconds()

        self.organizer = Organizer(running, lambda: self.now)
        self.notices = KeptNotices(self.organizer, self.memory)

    def hand_to(self, memory: DriverMemory | GuestMemory) -> None:
        self.memory = memory
        self.notices.take_up(memory)

    def waiting(self) -> list[tuple[str, str, float]]:
        return [(one.kind, one.label, self.organizer.remaining(one)) for one in self.organizer.waiting()]


@pytest.fixture
def car(tmp_path: Path) -> Car:
    return Car(tmp_path, make_memory)


def make_memory(vault: Vault, driver: str) -> DriverMemory:
    return DriverMemory(driver, vault, encoder=KeywordEncoder(), model=KeywordModel(), clock=lambda: NOON)


def test_with_the_driver_they_are_deleted(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    assert car.memory is not None
    car.memory.close()
    car.hand_to(GuestMemory())
    assert car.waiting() == []
    assert destroy(car.folder, "ada", RawKey(KEY)).files
    car.memory = None
    car.start()
    assert car.waiting() == []


def test_what_waits_is_there_after_a_restart_and_due_when_it_was_to_be(car: Car) -> None:
    car.organizer.start(car.organizer.timer(600, "pasta"))
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    car.now += timedelta(minutes=3)
    car.start()
    assert car.waiting() == [("timer", "pasta", 420.0), ("reminder", "buy milk", 7020.0)]
    car.now += timedelta(minutes=7)
    assert [one.spoken() for one in car.organizer.due()] == ["Your pasta timer is over."]
    car.start()
    assert [label for _, label, _ in car.waiting()] == ["buy milk"], "what was told is not told again"


def test_what_became_due_while_the_car_was_off_is_told_at_once(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("call mum", seconds=60))
    car.now += timedelta(hours=5)
    car.start()
    assert [one.spoken() for one in car.organizer.due()] == ["Reminder: call mum."]
    assert car.organizer.due() == ()


def test_what_was_cancelled_stays_cancelled(car: Car) -> None:
    notice = car.organizer.timer(600)
    car.organizer.start(notice)
    car.organizer.stop(notice)
    car.start()
    assert car.waiting() == []


def test_nothing_of_it_can_be_read_in_the_data_folder(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("collect the engagement ring", seconds=7200))
    assert all(b"engagement" not in path.read_bytes() for path in car.folder.rglob("*") if path.is_file())


def test_another_driver_hears_their_own(car: Car) -> None:
    ada = car.memory
    assert isinstance(ada, DriverMemory)
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    car.hand_to(car.open("ben"))
    assert car.waiting() == []
    car.organizer.start(car.organizer.reminder("feed the cat", seconds=60))
    assert isinstance(car.memory, DriverMemory)
    car.memory.close()
    car.hand_to(ada)
    assert [label for _, label, _ in car.waiting()] == ["buy milk"]


def test_on_a_private_trip_and_for_a_guest_nothing_is_kept(car: Car) -> None:
    assert isinstance(car.memory, DriverMemory)
    car.memory.set_private_trip(True)
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    assert car.memory.notices.load() is None
    ada = car.memory
    car.hand_to(GuestMemory())
    car.organizer.start(car.organizer.timer(60))
    assert [kind for kind, _, _ in car.waiting()] == ["timer"]
    assert ada.notices.load() is None
    ada.close()


def test_a_memory_that_fails_costs_no_timer(car: Car, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryStoreError("the disk is full")

    assert isinstance(car.memory, DriverMemory)
    monkeypatch.setattr(car.memory.notices, "save", fails)
    car.organizer.start(car.organizer.timer(60))
    assert car.waiting() == [("timer", "", 60.0)]
    monkeypatch.setattr(car.memory.notices, "load", fails)
    car.notices.take_up(car.memory)
    assert car.waiting() == []


@pytest.mark.parametrize("damaged", ["", "[1]", '[{"kind": "bomb", "label": "", "at": "2026-01-01T00:00:00Z"}]'])
def test_a_text_that_is_none_is_left_out(car: Car, damaged: str) -> None:
    car.organizer.restore(damaged)
    assert car.waiting() == []
