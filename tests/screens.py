"""What the tests of the driver's screen share: a screen over memories in no file, a car that stands or drives, a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from starlette.testclient import TestClient

from deploy.drivers.owner import wiping
from memory.guest import GuestMemory
from memory.screen.app import Screen
from memory.screen.parts import About, Model, Parts
from memory.vault.keys import RawKey
from memory.vault.keys.pinned import Cost
from memory.vault.pins import Pins
from schemas.errors import PinError, UnknownEntryError
from schemas.events import Motion
from schemas.memory import Preference
from schemas.ports import MemoryPort, Wiping
from schemas.seat import Seat
from tests.memories import memory_of, talk

NOW = datetime(2026, 3, 1, 8, 5, tzinfo=UTC)
PORT = 8123
MODELS = (
    Model("wake-computer", "wake", "Apache-2.0", 1.2), Model("encoder", "encoder", "MIT", 9.4),
    *(Model(f"{role}-one", role, "Apache-2.0", 4.9) for role in ("parser", "talker", "adapter", "vad", "tts", "asr")),
)  # fmt: skip
"""As many as the default profile has, nearly."""
ORIGIN = f"http://127.0.0.1:{PORT}"


@dataclass
class Car:
    """What the screen sees of the car: driving state, time, what is due later."""

    motion: Motion | None = Motion.PARKED
    now: datetime = NOW
    due: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])
    stopped: int = 0

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        del seconds
        self.due.append(act)

    def wait(self) -> None:
        """Ten seconds and a bit pass."""
        self.now += timedelta(seconds=10.4)
        for act in self.due:
            act()
        self.due.clear()

    def stop(self) -> None:
        self.stopped += 1


class FakeDrivers:
    """Two drivers with a memory each, and their PINs; meets ``schemas.ports.Drivers``."""

    def __init__(
        self,
        make: Callable[[str], MemoryPort],
        names: tuple[str, ...] = ("ada", "bert"),
        now: Callable[[], datetime] = lambda: NOW,
    ) -> None:
        self.names = names
        self._make, self._now, self.memories = make, now, {name: make(name) for name in names}
        self.seat = Seat(self.memories[names[0]])
        self.awaited: str | None = None
        self.owner: str | None = None
        self.deleted: list[str] = []
        self.exports = 0
        self.keys = {name: RawKey(bytes(32)) for name in (*names, "guest")}
        self.pins: Pins | None = None

    @property
    def current(self) -> MemoryPort:
        return self.seat.memory

    def guarded(self, driver: str) -> bool:
        return self.pins is not None and self.pins.has(driver)

    def switch(self, driver: str | None, pin: str | None = None) -> MemoryPort:
        if driver is not None and driver not in self.names:
            raise UnknownEntryError("no such driver")
        self.awaited = driver if driver is not None and pin is None and self.guarded(driver) else None
        if driver is not None and self.awaited is None:
            self._require(driver, pin)
        self.seat.take(GuestMemory() if driver is None or self.awaited else self.memories[driver])
        return self.current

    def save_export(self, pin: str | None = None) -> str:
        self._require(self.current.driver, pin)
        self.exports += 1
        return "export.json"

    def delete(self, pin: str | None = None) -> None:
        self._require(self.current.driver, pin)
        self._delete(self.current.driver)

    def wiping(self) -> Wiping:
        driver = self.current.driver
        guarded = [name for name in self.names if self.guarded(name)]
        return wiping(driver if driver in self.names else None, self.owner, guarded, code=self.owner is not None)

    def may_wipe(self, pins: Mapping[str, str], code: str | None = None) -> str:
        needed = self.wiping()
        if code is not None or not needed.allowed:
            raise PinError("not so")
        for name in needed.pins:
            self._require(name, pins.get(name))
        return "agreed"

    def wipe(self, agreed: str) -> int:
        assert agreed == "agreed"
        for name in self.names:
            self._delete(name)
        return len(self.names)

    def _require(self, driver: str, pin: str | None) -> None:
        if self.pins is not None:
            self.pins.require(driver, pin, self._now())

    def _delete(self, driver: str) -> None:
        self.deleted.append(driver)
        self.memories[driver] = self._make(driver)
        self.seat.take(GuestMemory())
        if self.guarded(driver) and self.pins is not None:
            self.pins.source(driver).destroy()


def preference(name: str, value: str = "jazz", detail: str = "favorite_genres", days: int = 0) -> Preference:
    return Preference(
        id=name, detail=detail, value=value, sentences=(f"i really like {value}",), conversation="c", confidence=0.83, uses=2,
        valid_from=NOW - timedelta(days=days, minutes=5),
    )  # fmt: skip


def ask(memory: MemoryPort, value: str = "thai") -> None:
    """Let a memory be unsure of something."""
    memory.learn(talk(f"perhaps some {value} food tonight", at=NOW, name="c"))


def drivers_of(car: Car) -> FakeDrivers:
    """Two drivers by the car's clock, with memories in no file."""
    return FakeDrivers(lambda name: memory_of(name, clock=lambda: car.now), now=lambda: car.now)


def parts_of(car: Car, drivers: FakeDrivers, folder: Path, *, voice: bool = True) -> Parts:
    drivers.pins = Pins(folder, drivers.keys.__getitem__, cost=Cost(iterations=1, memory_kib=64))
    return Parts(
        seat=drivers.seat,
        motion=lambda: car.motion,
        clock=lambda: car.now,
        pins=drivers.pins,
        drivers=drivers,
        about=About("0.1.0", MODELS),
        microphone=(lambda: True) if voice else None,
        stop=car.stop if voice else None,
        later=car.later,
    )  # fmt: skip


class Browser:
    """A browser that was let in; follows no redirect by itself and takes tokens from the pages that it has seen."""

    def __init__(self, screen: Screen, *, enter: bool = True) -> None:
        self.screen = screen
        self.client = TestClient(screen.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
        address = screen.bind(PORT)
        if enter:
            assert self.client.get(address.removeprefix(ORIGIN)).status_code == 303
        self.page = ""

    def get(self, path: str, status: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == status, (path, answer.status_code, answer.text[-600:])
        self.page = answer.text
        return self.page

    def token(self, action: str) -> str:
        """The token of a form of the present page."""
        found = re.search(
            rf'action="{re.escape(action)}"[^>]*>\s*<input type="hidden" name="token" value="([^"]+)"', self.page
        )
        assert found is not None, f"no form for {action} on this page"
        return found[1]

    def post(self, action: str, status: int = 303, /, **fields: str) -> str:
        """Send a form of the present page; where it leads."""
        answer = self.client.post(action, data={"token": self.token(action), **fields}, headers={"Origin": ORIGIN})
        assert answer.status_code == status, (action, answer.status_code, answer.text[-900:])
        if status != 303:
            self.page = answer.text
            return answer.text
        return answer.headers["location"]

    def session(self) -> str:
        return self.client.cookies["glovebox_screen"]
