"""Forgetting everything by voice, on the screen and at the command line: timers and reminders go with it, and it is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import deploy.app
from deploy.cli import main
from deploy.config import Config
from deploy.drivers.keys import key_source
from deploy.drivers.reminders import KeptNotices
from memory.screen.app import Screen
from memory.service import DriverMemory
from memory.store import reminders as notices
from memory.vault.keys import KeySource, RawKey
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.events import Command, CommandKind
from schemas.memory import Waiting
from schemas.seat import Seat
from tests.screens import NOW, Browser, Car, FakeDrivers, parts_of
from vehicle.organizer import Organizer
from voice.dialogue.memory.remembering import Remembering

KEY = RawKey(bytes(range(32)))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[DriverMemory]:
    vault = Vault.open(tmp_path, "ada", KEY, clock=lambda: NOW)
    made = DriverMemory("ada", vault, encoder=KeywordEncoder(), clock=lambda: NOW)
    yield made
    made.close()


@pytest.fixture
def organizer(memory: DriverMemory) -> Organizer:
    """Has two timers and a reminder running."""
    made = Organizer(lambda: 0.0, lambda: NOW)
    KeptNotices(made, Seat(memory))
    made.start(made.timer(600, "pasta"))
    made.start(made.timer(900))
    made.start(made.reminder("collect the engagement ring", seconds=7200))
    return made


# By voice


class Talk:
    def __init__(self, memory: DriverMemory) -> None:
        self.talk = Remembering(Seat(memory), lambda: NOW)

    def all(self) -> str:
        told = self.talk.handle(Command(kind=CommandKind.MEMORY, name="forget_everything"), "c", moving=False)
        self.asked = self.talk.asks()
        return " ".join(filter(None, (told, *(one.again for one in self.asked))))

    def yes(self) -> str:
        """Twice, as it is asked."""
        yes = Command(kind=CommandKind.CONTROL, name="yes")
        assert self.talk.settle(self.asked[0], "yes", yes) == ""
        (again,) = self.talk.asks()
        return self.talk.settle(again, "yes", yes)


def test_the_question_and_the_answer_tell_of_them(memory: DriverMemory, organizer: Organizer) -> None:
    memory.remember("i love jazz", "favorite_genres")
    memory.remember("i love italian food", "favourite_cuisine")
    talk = Talk(memory)
    assert talk.all() == "That is two things about you, two timers and one reminder. Shall I forget it all?"
    assert len(organizer.waiting()) == 3, "not before a yes"
    assert talk.yes() == "Forgotten: two things, two timers and one reminder."
    assert organizer.waiting() == ()
    assert talk.all() == "I remember nothing about you."


def test_they_are_asked_about_where_nothing_else_is_there(memory: DriverMemory, organizer: Organizer) -> None:
    talk = Talk(memory)
    assert talk.all() == "That is two timers and one reminder. Shall I forget it all?"
    assert talk.yes() == "Forgotten: two timers and one reminder."
    assert organizer.waiting() == ()


def test_without_any_nothing_is_said_of_them(memory: DriverMemory) -> None:
    memory.remember("i love jazz", "favorite_genres")
    talk = Talk(memory)
    assert talk.all() == "That is one thing about you. Shall I forget it all?"
    assert talk.yes() == "Forgotten."


# On the screen


@pytest.fixture
def car() -> Car:
    return Car()


@pytest.fixture
def browser(memory: DriverMemory, car: Car, tmp_path: Path) -> Browser:
    drivers = FakeDrivers(lambda name: memory, names=("ada",))
    return Browser(Screen(parts_of(car, drivers, tmp_path)))


def delete_all(browser: Browser) -> str:
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", 200)
    return browser.post("/privacy/everything/really")


def test_the_screen_tells_of_them_and_the_undo_brings_them_back(
    browser: Browser, memory: DriverMemory, organizer: Organizer
) -> None:
    page = browser.get("/privacy/everything")
    assert "2 timers are cancelled." in page and "One reminder goes, too." in page
    where = delete_all(browser)
    assert organizer.waiting() == ()
    browser.get(where)
    browser.post(f"{where}/undo")
    assert [one.label for one in organizer.waiting()] == ["pasta", "", "collect the engagement ring"]
    memory.forget("everything")
    assert "timer" not in browser.get("/privacy/everything")


def test_the_receipt_counts_them(browser: Browser, memory: DriverMemory, organizer: Organizer, car: Car) -> None:
    where = delete_all(browser)
    car.wait()
    page = browser.get(where.replace("leaving", "receipt"))
    assert "Checked" in page and "2 timers, one reminder" in page
    assert "engagement" not in page
    assert organizer.waiting() == ()
    assert not memory.session.store.read("SELECT 1 FROM meta WHERE key LIKE 'notices%'")


# At the command line


def open_memory(config: Config, keys: KeySource | None = None) -> DriverMemory:
    now: Callable[[], datetime] = lambda: datetime.now(UTC)  # noqa: E731
    vault = Vault.open(config.data.folder, config.driver.name, keys or key_source(config), clock=now)
    return DriverMemory(config.driver.name, vault, encoder=KeywordEncoder(), clock=now)


def test_the_command_tells_of_them_and_an_export_holds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("GLOVEBOX_DRIVER__OTHERS", '["ada"]')

    def opened(config: Config, keys: KeySource | None = None) -> DriverMemory:
        made = open_memory(config, keys)
        if not notices.stored(made.session.store):
            at = datetime.now(UTC) + timedelta(hours=1)
            notices.keep(made.session.store, [Waiting(kind="reminder", label="collect the ring", at=at)])
        return made

    def run(*arguments: str) -> str:
        assert main([*arguments, "--driver", "ada", "--home", str(home)]) == 0
        return capsys.readouterr().out

    monkeypatch.setattr(deploy.app, "open_memory", opened)
    assert "Deleted 1 reminder. No byte of it is left" in run("memory", "forget", "everything", "--yes")
    assert json.loads(run("memory", "export"))["notices"][0]["label"] == "collect the ring"
    run("memory", "export", str(tmp_path / "out.json"), "--page", str(tmp_path / "out.html"))
    assert "collect the ring" in (tmp_path / "out.html").read_text(encoding="utf-8")
    monkeypatch.setattr(deploy.app, "open_memory", open_memory)
    run("memory", "forget", "everything", "--yes")
    assert "Read in 1 reminder." in run("memory", "import", str(tmp_path / "out.json"))
