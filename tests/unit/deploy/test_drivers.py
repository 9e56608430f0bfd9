"""A change of drivers: the turn does not wait, what was said is learnt by who said it, and nothing of it is seen by the other."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deploy.config import Config, load_config
from deploy.drivers.keys import key_source
from deploy.drivers.switching import ConfiguredDrivers
from memory.guest import GuestMemory
from memory.service import DriverMemory
from memory.vault.keys import KeySource
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import MemoryStoreError
from schemas.memory import CONVERSATIONS, Decision, Reflected, Turn
from schemas.seat import Seat
from tests.memories import memory_of

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def clock() -> datetime:
    return NOW


def config_of(home: Path) -> Config:
    return load_config(flags={"home": str(home), "driver.name": "ada", "driver.others": "grace"}, environment={})


class Told(DriverMemory):
    """Says what is done with it, and learns when it is let."""

    done: list[str]
    let: threading.Event
    fails = False

    def __init__(self, *given: Any, **parts: Any) -> None:
        super().__init__(*given, **parts)
        learn, reflect = self.learn_pending, self.reflect

        def learn_when_let(conversation: str | None = None, told: str = "") -> tuple[Decision, ...]:
            assert self.let.wait(10)
            self.done.append(f"learn {self.driver}")
            if self.fails:
                raise MemoryStoreError("the disk is gone")
            return learn(conversation, told)

        def tell_and_reflect() -> Reflected:
            self.done.append(f"reflect {self.driver}")
            return reflect()

        self.learn_pending, self.reflect = learn_when_let, tell_and_reflect

    def close(self) -> None:
        """Tells."""
        self.done.append(f"close {self.driver}")
        super().close()


@pytest.fixture
def let(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets memories learn; what they do is in ``Told.done``."""
    event = threading.Event()
    monkeypatch.setattr(Told, "let", event, raising=False)
    monkeypatch.setattr(Told, "done", [], raising=False)
    return event


def told(config: Config, keys: KeySource | None = None) -> Told:
    del keys
    return memory_of(config.driver.name, clock=clock, kind=Told)


@pytest.fixture
def drivers(tmp_path: Path, let: threading.Event) -> ConfiguredDrivers:
    config = config_of(tmp_path)
    return ConfiguredDrivers(config, Seat(told(config)), told)


def test_who_takes_the_wheel_does_not_wait(drivers: ConfiguredDrivers, let: threading.Event) -> None:
    assert drivers.switch("grace").driver == "grace" and not Told.done
    let.set()
    drivers.wait()
    assert Told.done == ["learn ada", "reflect ada", "close ada"] and drivers.seat.memory.driver == "grace"


def test_several_who_leave_are_learnt_from_one_after_the_other(
    drivers: ConfiguredDrivers, let: threading.Event
) -> None:
    drivers.switch("grace")
    drivers.switch(None)
    assert isinstance(drivers.seat.memory, GuestMemory)
    let.set()
    drivers.wait()
    assert Told.done == [f"{act} {who}" for who in ("ada", "grace") for act in ("learn", "reflect", "close")]


def test_who_comes_back_goes_on_with_the_same_memory(drivers: ConfiguredDrivers, let: threading.Event) -> None:
    ada = drivers.seat.memory
    drivers.switch("grace")
    assert drivers.switch("ada") is ada
    let.set()
    drivers.wait()
    assert "learn ada" in Told.done and "close ada" not in Told.done and "close grace" in Told.done


def test_what_cannot_be_learnt_keeps_no_vault_open(
    drivers: ConfiguredDrivers, let: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Told, "fails", True)
    drivers.switch("grace")
    let.set()
    drivers.wait()
    assert Told.done == ["learn ada", "close ada"]


def test_a_guest_has_nothing_to_be_learnt(drivers: ConfiguredDrivers, let: threading.Event) -> None:
    let.set()
    drivers.switch(None)
    drivers.switch("grace")
    drivers.wait()
    assert Told.done == ["learn ada", "reflect ada", "close ada"]


def test_where_a_vault_cannot_be_opened_everybody_goes_on_with_a_guest(tmp_path: Path, let: threading.Event) -> None:
    def fails(config: Config, keys: KeySource | None = None) -> Told:
        del keys
        raise MemoryStoreError(f"the vault of {config.driver.name} is damaged")

    config = config_of(tmp_path)
    seat, told_of = Seat(told(config)), list[str]()
    seat.follow(lambda: told_of.append(seat.memory.driver))
    drivers = ConfiguredDrivers(config, seat, fails)
    with pytest.raises(MemoryStoreError, match="grace"):
        drivers.switch("grace")
    assert seat.memory.driver == "guest" and told_of == ["guest"]
    let.set()
    drivers.wait()
    assert Told.done == ["learn ada", "reflect ada", "close ada"]


# With vaults


def opened(config: Config, keys: KeySource | None = None) -> DriverMemory:
    vault = Vault.open(config.data.folder, config.driver.name, keys or key_source(config), clock=clock)
    return DriverMemory(config.driver.name, vault, encoder=KeywordEncoder(), clock=clock)


def say(memory: DriverMemory, text: str) -> None:
    memory.note(Turn(speaker="driver", text=text, at=NOW), "one")
    memory.note(Turn(speaker="assistant", text="Nice.", at=NOW), "one")


def test_each_learns_in_their_own_vault(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    ada = opened(config)
    drivers = ConfiguredDrivers(config, Seat(ada), opened)
    ada.opt_in(CONVERSATIONS)
    say(ada, "i love greek food and my sister comes along")
    grace = drivers.switch("grace")
    grace.note(Turn(speaker="driver", text="i love jazz", at=NOW), "two")
    drivers.wait()
    grace.learn_pending()
    assert [p.value for p in grace.preferences()] == ["jazz"]
    assert "greek" not in json.dumps(grace.export()) and "sister" not in json.dumps(grace.export())
    again = drivers.switch("ada")
    assert again is not ada
    assert [p.value for p in again.preferences()] == ["greek"] and [e.conversation for e in again.episodes()] == ["one"]
    assert "jazz" not in json.dumps(again.export())
    drivers.wait()
    again.close()


CHILD = """
import sys, threading
from pathlib import Path
from typing import Any
from deploy.drivers.switching import ConfiguredDrivers
from schemas.seat import Seat
from tests.unit.deploy.test_drivers import config_of, opened, say

def stuck():
    print("learning", flush=True)
    threading.Event().wait(60)

config = config_of(Path(sys.argv[1]))
ada = opened(config)
ada.learn_pending = stuck
drivers = ConfiguredDrivers(config, Seat(ada), opened)
say(ada, "i love greek food")
drivers.switch("grace")
print("switched", flush=True)
threading.Event().wait(60)
"""


def test_killed_in_between_it_is_learnt_the_next_time(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    )
    assert child.stdout is not None
    assert {child.stdout.readline().strip() for _ in range(2)} == {"learning", "switched"}
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    config = config_of(tmp_path)
    drivers = ConfiguredDrivers(config, Seat(opened(config)), opened)
    assert not drivers.seat.memory.preferences()
    drivers.seat.memory.learn_pending()
    assert [p.value for p in drivers.seat.memory.preferences()] == ["greek"]
    assert not drivers.switch("grace").preferences()
    drivers.wait()
    drivers.seat.memory.close()
