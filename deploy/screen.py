"""The driver's screen in the running program: what it is given, and the small server on the loopback interface that shows it.

Owns the server's thread, the file with the address that opens the screen, and how entries of the timeline become what the screen
shows live. What the screen does is `memory.screen`'s.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import uvicorn

from deploy import __version__
from deploy.config import Config
from deploy.drivers.switching import ConfiguredDrivers
from deploy.engines import PARSER, ROLES, Choice, Role, standing
from deploy.picture import lines, svg
from deploy.serving import HEAD_BYTES, IDLE_S, connections
from deploy.showing.atlas import Atlas
from deploy.showing.choices import KeptChoices
from deploy.showing.handing import Handing
from deploy.timeline import TimelineEntry
from memory.rights.exports import FOLDER as EXPORTS
from memory.screen.app import COOKIE, Screen
from memory.screen.assistant.ports import Cabin
from memory.screen.feed import Happened, What
from memory.screen.parts import About, CarPicture, Model, Parts
from models.catalog import Catalog
from schemas.errors import ConfigError, GloveboxError
from schemas.events import Motion, VehicleState
from schemas.memory import Outcome, Sense, usual
from schemas.ports import MemoryPort, Touch
from schemas.seat import Seat
from vehicle.gate import fresh, motion

_log = logging.getLogger("glovebox.screen")
ADDRESS_FILE = "screen.url"
"""In the data folder, for its owner alone: the address that opens the screen next. A kiosk reads it when it starts."""
NIGHT_PERCENT, DAY_PERCENT = 15.0, 35.0
"""Light outside, by the car's sensor, below which it is night and from which it is day; what lies between changes nothing.
Our choice: VSS leaves to each sensor what a percent of ``Exterior.LightIntensity`` is."""
PATIENCE_S = 1.0
"""How long the vehicle may take to tell its state before the screen takes it for moving."""
START_S = 10.0
"""How long the server may take to listen."""

Loop = Callable[[], asyncio.AbstractEventLoop | None]
"""The loop that a vehicle lives on; None where none runs."""
_Answer = TypeVar("_Answer")
_KINDS = {"heard": What.HEARD, "moved": What.DONE, "refused": What.REFUSED, "fault": What.FAULT, "said": What.SAID}
_ACTED = frozenset({"moved", "refused", "fault"})
_QUERIES = ("get_", "list_")


class Vehicle(Protocol):
    """What the screen wants of the vehicle."""

    async def state(self) -> VehicleState:
        """Current signals."""
        ...


def told(entry: TimelineEntry, now: Callable[[], Any]) -> Happened | None:
    """An entry of the timeline as the screen shows it; None for what is of no use to a driver."""
    if entry.kind in _ACTED:
        action = str(entry.data["action"])
        if entry.kind == "moved" and action.startswith(_QUERIES):
            return None  # the answer is said
        return Happened(_KINDS[entry.kind], now(), entry.text, action=action, slots=entry.data["slots"])
    if entry.kind in _KINDS:
        text = str(entry.data.get("text", "")) if entry.kind == "heard" else entry.text.strip("“”")
        return Happened(_KINDS[entry.kind], now(), text) if text else None
    value, detail = entry.data.get("value"), entry.data.get("detail")
    if entry.kind != "learned" or value is None or detail is None:
        return None
    kept, replaced = entry.data.get("preference") or entry.data.get("fact"), entry.data.get("replaced") or []
    said = str(entry.data.get("sense", Sense.LIKES))
    sense = "" if said == usual(detail) else said
    outcome = entry.data.get("outcome")
    if outcome == Outcome.ASK.value:
        return Happened(What.ASKED, now(), value, detail, sense=sense)
    if outcome == Outcome.APPEND.value:
        return Happened(What.REMEMBERED, now(), value, detail, kept, sense=sense)
    if outcome == Outcome.UPDATE.value and kept is not None:
        before = replaced[0] if len(replaced) == 1 else None
        return Happened(What.CHANGED, now(), value, detail, kept if before is not None else None, before, sense=sense)
    return None


class OwnLoop:
    """An event loop on a thread of its own, for a vehicle that nothing else drives."""

    def __init__(self) -> None:
        """Started."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="screen-vehicle", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _Answer]) -> _Answer:
        """Do something on it and wait for that."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def close(self) -> None:
        """End it."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class LiveDrivers:
    """The drivers of a running assistant; meets ``schemas.ports.Drivers``.

    The dialogue follows who drives, and it lives on the assistant's loop: changes are made there. PINs are tried before, here.
    """

    def __init__(self, drivers: ConfiguredDrivers, loop: Loop) -> None:
        """Of these; ``loop`` is the one that runs, None where none does."""
        self._drivers, self._loop, self.pins = drivers, loop, drivers.pins
        self.guarded, self.save_export = drivers.guarded, drivers.save_export
        self.wiping, self.may_wipe = drivers.wiping, drivers.may_wipe

    @property
    def names(self) -> tuple[str, ...]:
        """See ``Drivers``."""
        return self._drivers.names

    @property
    def awaited(self) -> str | None:
        """See ``Drivers``."""
        return self._drivers.awaited

    def switch(self, driver: str | None, pin: str | None = None) -> MemoryPort:
        """See ``Drivers``."""
        proof = self._drivers.proof(driver, pin)
        return self._there(lambda: self._drivers.take(driver, proof))

    def delete(self, pin: str | None = None) -> None:
        """See ``Drivers``."""
        self._drivers.require(pin)
        self._there(self._drivers.delete_proven)

    def wipe(self, agreed: str) -> int:
        """See ``Drivers``."""
        return self._there(lambda: self._drivers.wipe(agreed))

    def _there(self, work: Callable[[], _Answer]) -> _Answer:
        running = self._loop()
        if running is None or not running.is_running():
            return work()

        async def on_the_loop() -> _Answer:
            return work()

        return asyncio.run_coroutine_threadsafe(on_the_loop(), running).result()


def _state(vehicle: Vehicle, loop: Loop) -> VehicleState | None:
    """What the vehicle tells on its loop; None where it does not answer in time."""
    running = loop()
    if running is None or not running.is_running():
        return None
    asked = asyncio.run_coroutine_threadsafe(vehicle.state(), running)
    try:
        return asked.result(PATIENCE_S)
    except (GloveboxError, concurrent.futures.TimeoutError):
        asked.cancel()
        return None


class Sight:
    """Asks the vehicle for its driving state on the loop that it lives on; None where it does not answer in time."""

    def __init__(self, vehicle: Vehicle, loop: Loop) -> None:
        """Of this vehicle, which has not been asked yet."""
        self._vehicle, self._loop = vehicle, loop
        self._mode: object = None
        self._day: bool | None = None

    def __call__(self) -> Motion | None:
        """The driving state now."""
        state = _state(self._vehicle, self._loop)
        if state is None:
            return None
        self._mode = state.values.get("display.mode")
        self._day = self._daylight(state)
        return motion(state)

    def bright(self) -> bool | None:
        """Whether day colours are wanted, as the vehicle said last: it was told so, else its light sensor finds it bright.

        None: it was told neither, and has no sensor, or one that has said neither yet.
        """
        return {"day": True, "night": False}.get(str(self._mode), self._day)

    def _daylight(self, state: VehicleState) -> bool | None:
        """By the light sensor; it stays what it was at dusk and dawn, so that no tunnel of trees makes the screen flicker."""
        light = state.values.get("outside.light")
        if light is None or not fresh(state):
            return None
        return True if light >= DAY_PERCENT else False if light < NIGHT_PERCENT else self._day


def motion_of(vehicle: Vehicle, loop: Loop) -> Sight:
    """What the screen sees of a vehicle's motion."""
    return Sight(vehicle, loop)


def ignition_of(vehicle: Vehicle, loop: Loop) -> bool | None:
    """Whether the ignition is on, as the vehicle says; None where it does not, or has not said anything new for a while."""
    state = _state(vehicle, loop)
    return None if state is None or not fresh(state) else state.ignition_on


def car_of(vehicle: Vehicle, loop: Loop) -> Callable[[], CarPicture | None]:
    """Draws the vehicle as it is now, for the development page; None where it does not answer in time."""

    def draw() -> CarPicture | None:
        state = _state(vehicle, loop)
        return None if state is None else CarPicture(svg(state), tuple(lines(state)))

    return draw


def about(config: Config, engines: Mapping[Role, Choice] | None = None) -> About:
    """What the page About tells: of the engines that run, or, where none do, of those that would be chosen."""
    catalog = Catalog.load(config.data)
    chosen = {config.wake.model, config.vad.model, config.encoder.model, PARSER}
    running = engines or {role: standing(config, catalog, role) for role in ROLES}
    chosen |= {choice.rung.model or "" for choice in running.values()}
    models = tuple(
        Model(m.id, m.role, m.licence, m.bytes / 1e6)
        for m in (catalog.model(name) for name in sorted(name for name in chosen if name and "/" not in name))
    )
    return About(__version__, models)


def atlas_of(config: Config) -> Atlas | None:
    """The map that is configured; None without one, and where it cannot be used, which the log says in a sentence."""
    if config.screen.map is None:
        return None
    try:
        return Atlas(config.screen.map)
    except ConfigError as error:
        _log.warning("%s; the screen goes on without it", error)
        return None


def parts(  # noqa: PLR0913 - what the screen is given, each by its name
    config: Config,
    seat: Seat,
    drivers: ConfiguredDrivers | LiveDrivers,
    moving: Callable[[], Motion | None],
    now: Callable[[], Any],
    *,
    microphone: Callable[[], bool] | None = None,
    stop: Callable[[], None] | None = None,
    car: Callable[[], CarPicture | None] | None = None,
    cabin: Cabin | None = None,
    touch: Touch | None = None,
    engines: Mapping[Role, Choice] | None = None,
) -> Parts:
    """What the screen is given."""
    return Parts(
        seat=seat,
        motion=moving,
        bright=moving.bright if isinstance(moving, Sight) else lambda: None,
        clock=now,
        pins=drivers.pins,
        drivers=drivers,
        about=about(config, engines),
        microphone=microphone,
        stop=stop,
        car=car,
        cabin=cabin,
        touch=touch,
        atlas=atlas_of(config),
        choices=KeptChoices(config.data.folder),
        hands=Handing(config.data.folder / EXPORTS, lambda: moving() is Motion.PARKED),
    )


class ScreenServer:
    """The screen on a port of the loopback interface. A context manager: leaving it ends it."""

    def __init__(self, parts_: Parts, folder: Path, port: int = 0) -> None:
        """A server that is not started yet; 0: a port that is free."""
        self._folder, self._port, self.address = folder, port, ""
        self.screen = Screen(parts_, told=lambda _: self._tell())
        settings = uvicorn.Config(
            self.screen.app,
            host="127.0.0.1",
            port=port,
            access_log=False,
            log_config=None,
            log_level="critical",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=IDLE_S,
            http=connections(self.screen.door.known, COOKIE),
            ws="none",
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._serve, name="screen", daemon=True)
        self._listening = threading.Event()

    def __enter__(self) -> Self:
        """Listen; `address` opens the screen once.

        Raises:
            ConfigError: the port cannot be had.
        """
        self._thread.start()
        for _ in range(int(START_S / 0.02)):
            if self._server.started or not self._thread.is_alive():
                break
            self._listening.wait(0.02)
        if not self._server.started:
            raise ConfigError(f"the screen cannot listen on port {self._port} of 127.0.0.1: choose another with --port")
        self._port = int(self._server.servers[0].sockets[0].getsockname()[1])
        self._tell()
        return self

    def __exit__(self, *_: object) -> None:
        """End; the pages that are open are told, and what is on its way out is erased first."""
        self.screen.end()
        self._server.should_exit = True
        self._thread.join()
        (self._folder / ADDRESS_FILE).unlink(missing_ok=True)

    def _serve(self) -> None:
        try:
            self._server.run()
        except SystemExit:  # how uvicorn says that it could not bind
            return

    def _tell(self) -> None:
        self.address = self.screen.bind(self._port)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._folder / f"{ADDRESS_FILE}.new"
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{self.address}\n")
        fresh.replace(self._folder / ADDRESS_FILE)
