"""A screen over a memory that is the same before every function: what is remembered, a car that does things, a map, a stick."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from deploy.screen import OwnLoop, ScreenServer, car_of
from deploy.showing.atlas import Atlas
from deploy.showing.cabin import SeenCabin
from memory.screen.assistant.glance import Glance
from memory.screen.assistant.talk import Act, Came, Exchange
from memory.screen.feed import Happened, What
from memory.screen.parts import Offered, Parts
from memory.service import DriverMemory
from memory.vault.keys import RawKey
from schemas.actions import (
    CancelTimer,
    NavigateTo,
    PlayMusic,
    SetClimate,
    SetGuidance,
    SetPlayback,
    SetTemperature,
    SetTimer,
    SetWindow,
)
from schemas.clock import WallClock
from schemas.events import Asking, Choice, Motion, Phase, Wanted
from schemas.memory import Fact
from tests.memories import fill, memory_of
from tests.screen.map.making import around, mbtiles
from tests.screen.test_assistant import Finger
from tests.screens import NOW, Car, ask, drivers_of, parts_of, preference
from vehicle.adapters import open_adapter
from vehicle.service import GatedVehicle

YES_NO = Asking(
    number=7, question="Shall I close the windows?", yes_no=True,
    wanted=(Wanted(name="set_window", slots={"window": "all", "percent": 0}),),
)  # fmt: skip
WHICH = Asking(number=8, question="Lock or unlock the doors?", choices=(
    Choice(label="lock the doors", answer="lock the doors"), Choice(label="unlock the doors", answer="unlock the doors"),
))  # fmt: skip
PIN = "2468"
APART_S = 15.0
"""Between what is asked of the car for one function and the next: the gate lets so much happen in ten seconds."""


class Ahead(WallClock):
    """The wall's clock, ahead by as much as one likes: the gate wants time between things of one kind."""

    ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


class Hands:
    """A stick and a network; meets ``memory.screen.parts.Hands``."""

    def __init__(self) -> None:
        self.gave: list[str] = []
        self.withdrawn = 0

    def sticks(self) -> tuple[str, ...]:
        return ("STICK",)

    def networks(self) -> tuple[str, ...]:
        return ("wlan0",)

    def copy(self, name: str, stick: str) -> None:
        del name
        self.gave.append(stick)

    def offer(self, name: str, network: str) -> Offered:
        del name
        self.gave.append(network)
        return Offered("http://192.168.4.1:4711/word", "M0 0h1v1h-1z", 29, 180)

    def withdraw(self) -> None:
        self.withdrawn += 1


class Stage:
    """The screen, and all that it shows."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.car = folder, Car()
        self.drivers = drivers_of(self.car)
        self.touch, self.hands = Finger(), Hands()
        self._loop, self._clock = OwnLoop(), Ahead()
        self._vehicle = GatedVehicle(open_adapter("simulated", clock=self._clock, profile="parked"), self._clock)
        self._cabin = SeenCabin(self._vehicle, lambda: self._loop.loop)
        self._atlas = Atlas(mbtiles(folder / "town.mbtiles", around(54.5, 3.5, range(9, 16))))
        self.server = ScreenServer(self._parts(), folder)
        self.server.__enter__()
        self.renew()

    def _parts(self) -> Parts:
        parts = parts_of(self.car, self.drivers, self.folder)
        seen: dict[str, Any] = {
            "cabin": self._cabin, "glance": Glance(self._cabin, parts.clock, parts.feed.watchers.wake), "touch": self.touch,
            "hands": self.hands, "atlas": self._atlas, "car": car_of(self._vehicle, lambda: self._loop.loop),
        }  # fmt: skip
        for name, value in seen.items():
            object.__setattr__(parts, name, value)
        return parts

    def restart(self) -> None:
        """Another start of the assistant, over the same data, at the same port."""
        port = int(self.address.rpartition(":")[2])
        self.server.__exit__()
        self.server = ScreenServer(self._parts(), self.folder, port)
        self.server.__enter__()

    def close(self) -> None:
        self.server.__exit__()
        self._loop.run(self._vehicle.close())
        self._loop.close()

    @property
    def parts(self) -> Parts:
        return self.server.screen.parts

    @property
    def address(self) -> str:
        return self.server.address.partition("/enter")[0]

    @property
    def memory(self) -> DriverMemory:
        held = self.drivers.memories["ada"]
        assert isinstance(held, DriverMemory)
        return held

    def renew(self, *, touched: bool = True) -> None:
        """As before anything was done; ``touched``: whether anything but pages was."""
        self.car.motion, self.car.stopped = Motion.PARKED, 0
        self.server.screen.door.forget_views()
        if not touched:
            return
        self.server.screen.departures.finish_all()
        self.car.due.clear()
        for name in self.drivers.names:
            if self.parts.pins.has(name):
                self.parts.pins.take_away(name, self.parts.pins.try_(name, PIN, self.car.now).key)
            self.drivers.keys[name] = RawKey(bytes(32))
            self.drivers.memories[name] = memory_of(name, clock=lambda: self.car.now)
        self.drivers.deleted.clear()
        self.drivers.exports = 0
        memory = self.memory
        fill(
            memory, preference("p1"), preference("p2", "soul"), preference("c1", "high", "seat_heating_preferences"),
            *(preference(f"q{n}", value, days=2) for n, value in enumerate(("blues", "rock", "ska", "swing", "tango"))),
        )  # fmt: skip
        memory.session.store.facts.add(
            Fact(id="k1", text="the spare key is under the mat", about="my sister", said_at=NOW, conversation="c", until=None), NOW
        )  # fmt: skip
        ask(memory)
        memory.edit_profile("name", "Sam", aspect="fact")
        self.drivers.seat.take(memory)
        self.parts.talk.clear()
        self.parts.talk.stands(Phase.IDLE, None, self.drivers.seat.era)
        self.touch.did.clear()
        self.hands.gave.clear()
        self.hands.withdrawn = 0
        self._drive()

    def _drive(self) -> None:
        self._clock.ahead += APART_S
        for action in (
            SetTemperature(celsius=21),
            PlayMusic(genre="jazz"),
            SetPlayback(command="play"),
            NavigateTo(destination="the airport"),
            SetGuidance(on=True),
            SetClimate(on=True),
            SetWindow(window="all", percent=40),
            CancelTimer(kind="timer"),
            SetTimer(minutes=10, label="pasta"),
        ):
            self.does(action)
        self.parts.glance.again()

    def does(self, action: Any) -> Any:
        """Ask the car behind its gate."""
        return self._loop.run(self._vehicle.act(action))

    def signal(self, name: str) -> Any:
        """What the car tells."""
        return self._loop.run(self._vehicle.state()).values.get(name)

    def timers(self) -> int:
        return len(self._vehicle.organizer.kept())

    # What goes before a function

    def remembered(self) -> None:
        self.parts.feed.tell(Happened(What.REMEMBERED, NOW, "jazz", "favorite_genres", "p1"))

    def asked(self, asking: Asking = YES_NO) -> None:
        self.parts.talk.stands(Phase.LISTENING, asking, self.drivers.seat.era)

    def said(self, **told: Any) -> None:
        self.parts.talk.stands(Phase.SPEAKING, None, self.drivers.seat.era)
        self.parts.talk.replied(Exchange("open my window", "Done.", NOW, **told), self.drivers.seat.era)

    def wants_a_yes(self) -> None:
        """The gate asks about what a tile's button wants."""
        result = self.does(SetWindow(window="all", percent=0))
        assert result.token is not None, result
        self.parts.talk.noted(Act("set_window", result.action.slots(), Came.ASKED, "", result.token))

    def climate(self, *, on: bool) -> None:
        self.does(SetClimate(on=on))

    def music(self, command: Literal["play", "pause"]) -> None:
        self.does(SetPlayback(command=command))

    def guidance(self, *, on: bool) -> None:
        self.does(SetGuidance(on=on))

    def guarded(self) -> None:
        self.parts.pins.set("ada", PIN)

    def has(self, name: str) -> bool:
        """Whether a preference is remembered."""
        return any(one.id == name for one in self.memory.preferences())


@contextmanager
def staged(folder: Path) -> Generator[Stage]:
    """A stage that is taken down."""
    made = Stage(folder)
    try:
        yield made
    finally:
        made.close()
