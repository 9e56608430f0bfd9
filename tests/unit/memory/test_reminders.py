"""Timers and reminders survive a restart in the vault of their driver, and go with it, and with everything that is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.drivers.reminders import KeptNotices
from memory.guest import GuestMemory
from memory.service import DriverMemory
from memory.store import reminders as notices
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault, destroy
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import AdapterError, MemoryStoreError, UnknownEntryError
from schemas.memory import ENDLESS, Period, Selector, Waiting
from schemas.seat import Seat
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

        self.organizer, self.seat = Organizer(running, lambda: self.now), Seat(self.memory)
        self.notices = KeptNotices(self.organizer, self.seat)

    def mine(self) -> DriverMemory:
        assert isinstance(self.memory, DriverMemory)
        return self.memory

    def hand_to(self, memory: DriverMemory | GuestMemory) -> None:
        self.memory = memory
        self.seat.take(memory)

    def waiting(self) -> list[tuple[str, str, float]]:
        return [(one.kind, one.label, self.organizer.remaining(one)) for one in self.organizer.waiting()]


@pytest.fixture
def car(tmp_path: Path) -> Car:
    return Car(tmp_path, make_memory)


def stored_in(memory: DriverMemory) -> tuple[Waiting, ...]:
    return notices.stored(memory.session.store)


def stored(car: Car) -> list[str]:
    return [one.label for one in stored_in(car.mine())]


def make_memory(vault: Vault, driver: str) -> DriverMemory:
    return DriverMemory(driver, vault, encoder=KeywordEncoder(), clock=lambda: NOON)


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
    assert stored(car) == []
    ada = car.memory
    car.hand_to(GuestMemory())
    car.organizer.start(car.organizer.timer(60))
    assert [kind for kind, _, _ in car.waiting()] == ["timer"]
    assert not stored_in(ada)
    ada.close()


def test_a_memory_that_fails_costs_no_timer(car: Car, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryStoreError("the disk is full")

    assert isinstance(car.memory, DriverMemory)
    monkeypatch.setattr(car.memory.reminders, "save", fails)
    car.organizer.start(car.organizer.timer(60))
    assert car.waiting() == [("timer", "", 60.0)]
    monkeypatch.setattr(car.memory.reminders, "load", fails)
    car.notices.take_up()
    assert car.waiting() == []


@pytest.mark.parametrize("damaged", ["", "[1]", '[{"kind": "bomb", "label": "", "at": "2026-01-01T00:00:00Z"}]'])
def test_a_text_that_is_none_is_left_out_and_forgotten_with_everything(car: Car, damaged: str) -> None:
    memory = car.mine()
    memory.session.store.set_meta(notices.KEY, damaged)
    car.notices.take_up()
    assert car.waiting() == []
    assert memory.forget("everything").verified
    assert not notices.left(memory.session.store, [notices.KEY])


# Forgetting


def test_forgetting_everything_cancels_them_and_leaves_no_byte(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("collect the engagement ring", seconds=7200))
    car.organizer.start(car.organizer.timer(600, "pasta"))
    matches = car.mine().matching(Selector(everything=True))
    assert (matches.timers, matches.reminders, matches.empty) == (1, 1, False)
    receipt = car.mine().forget("everything")
    assert (receipt.timers_erased, receipt.reminders_erased, receipt.verified) == (1, 1, True)
    assert car.waiting() == []
    assert "engagement" not in str(receipt)
    vault = car.mine().session.vault
    assert not [row for row in vault.rows("SELECT * FROM meta") if "engagement" in str(row) or "pasta" in str(row)]
    assert (car.folder / "ada.vault-wal").stat().st_size == 0, "nothing of before waits in the log"
    car.now += timedelta(hours=3)
    assert car.organizer.due() == ()
    car.start()
    assert car.waiting() == []


def test_backups_that_hold_them_go_too(car: Car) -> None:
    car.organizer.start(car.organizer.timer(600))
    (car.folder / "ada.v1.backup").write_bytes(b"an older copy")
    assert car.mine().forget("everything").backups_erased == 1


def test_forgetting_less_leaves_them(car: Car) -> None:
    memory = car.mine()
    memory.remember("i love jazz")
    car.organizer.start(car.organizer.reminder("buy jazz records", seconds=7200))
    for what in (Selector(text="jazz"), Selector(key="music"), Selector(period=Period(since=NOON))):
        assert memory.matching(what).reminders == 0
        assert memory.forget_where(what).reminders_erased == 0
    assert [label for _, label, _ in car.waiting()] == ["buy jazz records"]


def test_what_is_withheld_rings_for_nobody_and_can_be_taken_back(car: Car) -> None:
    memory = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    held = memory.withhold(Selector(everything=True))
    assert held.matches.reminders == 1
    assert car.waiting() == []
    assert memory.matching(Selector(everything=True)).empty
    car.organizer.start(car.organizer.timer(60, "tea"))
    memory.restore(held.token)
    assert [label for _, label, _ in car.waiting()] == ["tea", "buy milk"]
    car.start()
    assert [label for _, label, _ in car.waiting()] == ["tea", "buy milk"]


def test_what_is_withheld_is_erased_when_its_time_is_over_and_what_was_set_since_stays(car: Car) -> None:
    memory = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    held = memory.withhold(Selector(everything=True))
    car.organizer.start(car.organizer.timer(60, "tea"))
    receipt = memory.carry_out(held.token)
    assert (receipt.timers_erased, receipt.reminders_erased, receipt.verified) == (0, 1, True)
    assert [label for _, label, _ in car.waiting()] == ["tea"]
    assert not [row for row in memory.session.vault.rows("SELECT * FROM meta") if "milk" in str(row)]


def test_what_was_withheld_when_the_program_ended_is_gone(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    car.mine().withhold(Selector(everything=True))
    car.start()
    assert car.waiting() == []
    assert not [row for row in car.mine().session.vault.rows("SELECT * FROM meta") if "milk" in str(row)]


def test_what_was_withheld_before_everything_goes_with_everything(car: Car) -> None:
    memory = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    first = memory.withhold(Selector(everything=True))
    memory.remember("i love jazz")
    memory.forget("everything")
    with pytest.raises(UnknownEntryError):
        memory.restore(first.token)
    assert car.waiting() == []
    assert not [row for row in memory.session.vault.rows("SELECT * FROM meta") if "milk" in str(row)]


def test_a_change_that_crosses_with_forgetting_brings_nothing_back(car: Car) -> None:
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    memory = car.mine()
    told: list[str] = []
    memory.reminders.watch(lambda: told.append("later"))
    memory.forget("everything")
    car.notices.keep()  # the organizer does not know yet
    assert told == ["later"]
    assert not stored_in(memory)


def test_those_of_a_private_trip_are_never_written_and_go_with_everything(car: Car) -> None:
    memory = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    memory.set_private_trip(True)
    car.organizer.start(car.organizer.reminder("meet the surgeon", seconds=3600))
    held = memory.withhold(Selector(everything=True))
    assert car.waiting() == []
    memory.restore(held.token)
    assert [label for _, label, _ in car.waiting()] == ["meet the surgeon", "buy milk"]
    memory.set_private_trip(False)
    car.organizer.start(car.organizer.timer(60, "tea"))
    assert [one.label for one in stored_in(memory)] == ["tea", "buy milk"]
    memory.forget("everything")
    assert car.waiting() == []


@pytest.mark.parametrize("how", ["pause", "endless pause", "private trip"])
def test_what_is_set_while_nothing_may_be_written_is_not_written_later(car: Car, how: str) -> None:
    memory = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    memory.set_private_trip(how == "private trip")
    memory.pause({"pause": NOON + timedelta(hours=1), "endless pause": ENDLESS}.get(how))
    car.organizer.start(car.organizer.reminder("fetch the parrot", seconds=10_800))
    car.organizer.start(car.organizer.reminder("greet the surgeon", seconds=9000, arrival=True))
    memory.set_private_trip(False)
    memory.pause(None)
    car.organizer.start(car.organizer.timer(60, "tea"))
    car.organizer.arriving(8000)
    assert [label for _, label, _ in car.waiting()] == ["tea", "buy milk", "greet the surgeon", "fetch the parrot"]
    assert stored(car) == ["tea", "buy milk"]
    assert not [row for row in memory.session.vault.rows("SELECT * FROM meta") if "parrot" in str(row)]
    car.start()
    assert [label for _, label, _ in car.waiting()] == ["tea", "buy milk"], (
        "what was never written ends with the program"
    )


def test_a_pause_that_is_over_keeps_again(car: Car) -> None:
    car.mine().pause(NOON - timedelta(seconds=1))
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    assert stored(car) == ["buy milk"]


def test_one_whose_words_are_lost_is_told_as_one(car: Car) -> None:
    notices.keep(car.mine().session.store, [Waiting(kind="reminder", label="", at=NOON)])
    car.start()
    assert [one.spoken() for one in car.organizer.due()] == ["I was to remind you of something now."]


def test_one_that_is_cancelled_on_a_private_trip_is_gone_from_the_vault(car: Car) -> None:
    notice = car.organizer.reminder("buy milk", seconds=7200)
    car.organizer.start(notice)
    car.mine().set_private_trip(True)
    car.organizer.stop(notice)
    assert stored(car) == []


def test_what_was_cancelled_before_is_not_taken_back_after_everything_is_forgotten(car: Car) -> None:
    notice = car.organizer.reminder("buy milk", seconds=7200)
    car.organizer.start(notice)
    car.organizer.stop(notice)
    car.organizer.start(notice)
    car.organizer.stop(notice)
    car.mine().forget("everything")
    with pytest.raises(AdapterError, match="forgotten"):
        car.organizer.start(notice)
    assert car.waiting() == []
    assert stored(car) == []


def test_a_driver_who_has_left_cancels_nothing_of_the_next(car: Car) -> None:
    ada = car.mine()
    car.organizer.start(car.organizer.reminder("buy milk", seconds=7200))
    car.hand_to(car.open("ben"))
    car.organizer.start(car.organizer.timer(60, "tea"))
    ada.forget("everything")
    assert [label for _, label, _ in car.waiting()] == ["tea"]
    assert not stored_in(ada)
    ada.close()
