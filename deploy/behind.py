"""The vehicle behind its gate, opened from the configuration: here, or in a process of its own (docs/adr/0042).

Owns what the configuration says of it, how that process is started, and that process's ``main``. Imports no model, memory, voice or
screen, since that process imports this module: between what understands words and what moves there is a socket.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from models.numbers import mhz_of
from schemas.clock import WallClock
from schemas.memory import Waiting
from schemas.ports import Clock, VehiclePort
from vehicle.adapters import VehicleAdapter, open_adapter
from vehicle.apart.inside import attend
from vehicle.apart.messages import Fitting
from vehicle.apart.outside import VehicleApart
from vehicle.gate import Gate
from vehicle.media import MediaLibrary
from vehicle.organizer import Organizer
from vehicle.service import GatedVehicle

if TYPE_CHECKING:
    from deploy.config import Config

PATIENT_START_S = 2.0
"""How long the live assistant waits for its vehicle at start: it goes on trying beside everything else. Our choice."""

APART = sys.platform == "linux"
"""Whether a vehicle can have a process of its own here: other systems have no local sockets of packets."""

HANDED_ON = ("TZ", "TZDIR", "LANG", "LC_ALL")
"""The environment of that process: how the time of day is told, and nothing else. No credential, no address of anything."""

_ROOT = Path(__file__).parents[1]
_MAIN = "import sys; sys.path.insert(0, sys.argv[1]); from deploy.behind import main; main(int(sys.argv[2]))"


class Notices(Protocol):
    """The timers and reminders that wait, for whoever keeps them."""

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this when what waits has changed, on the thread that learnt of it."""
        ...

    def kept(self) -> tuple[Waiting, ...]:
        """What waits, with the times that it is due at, the next one first."""
        ...

    def restore(self, kept: Sequence[Waiting]) -> None:
        """Let this wait, and nothing else; what has become due meanwhile is due at once."""
        ...


class Vehicle(VehiclePort, Protocol):
    """The vehicle as a car needs it: here, or in a process of its own."""

    away: bool
    """Whether it could not be reached when it was last asked."""

    @property
    def organizer(self) -> Notices:
        """Its timers and reminders."""
        ...

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the driver's contacts and playlists are called, and where stations are; empty where none are known."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this whenever ``away`` changes; on the thread that learnt of it, and it must be quick."""
        ...


def utc_now() -> datetime:
    """The device's time."""
    return datetime.now(UTC)


def fitting_of(config: Config, *, patient: bool = False) -> Fitting:
    """What the configuration says of the vehicle.

    Args:
        config: the whole configuration.
        patient: whether a vehicle that is not there yet may come later.
    """
    settings, options = config.vehicle, config.vehicle.options()
    if patient and settings.adapter != "simulated":
        options["patient"] = True
        if "start_s" in options:
            options["start_s"] = min(options["start_s"], PATIENT_START_S)
    return Fitting(
        adapter=settings.adapter,
        options=options,
        confirmation_s=settings.confirmation_s,
        organizer=settings.organizer,
        outbox=settings.outbox,
    )


def reach_vehicle(
    fitting: Fitting, clock: Clock, *, initial: Mapping[str, Any] | None = None
) -> tuple[VehicleAdapter, Clock]:
    """The adapter, and the clock that it and its gate live by: a real vehicle does not wait for a stream.

    Args:
        fitting: which vehicle.
        clock: of the assistant.
        initial: signals that the simulated car starts with instead of its own; no other vehicle is told.

    Raises:
        schemas.errors.ConfigError: the adapter or a setting of it cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless it may come later.
    """
    if fitting.adapter == "simulated":
        return open_adapter("simulated", clock=clock, **fitting.options, initial=initial), clock
    own = WallClock()
    return open_adapter(fitting.adapter, clock=own, **fitting.options), own


def _unwrapped(adapter: VehicleAdapter) -> VehicleAdapter:
    return adapter


def fitted(
    fitting: Fitting,
    clock: Clock,
    *,
    initial: Mapping[str, Any] | None = None,
    now: Callable[[], datetime] = utc_now,
    wrap: Callable[[VehicleAdapter], VehicleAdapter] = _unwrapped,
) -> GatedVehicle:
    """A vehicle behind its gate in this process, with its contacts and calendar.

    Args:
        fitting: which vehicle.
        clock: of the assistant.
        initial: signals that the simulated car starts with instead of its own.
        now: the aware time that reminders and calendar go by.
        wrap: is put around the adapter.

    Raises:
        schemas.errors.ConfigError: a setting of the adapter, a mapping, or the file of contacts cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless it may come later.
    """
    adapter, own = reach_vehicle(fitting, clock, initial=initial)
    organizer = Organizer.load(fitting.organizer, own.now, lambda: now().astimezone(), outbox=fitting.outbox)
    gate = Gate(own, confirmation_s=fitting.confirmation_s)
    return GatedVehicle(wrap(adapter), own, gate=gate, organizer=organizer, media=MediaLibrary.load(mhz_of=mhz_of))


def open_vehicle(config: Config, clock: Clock) -> GatedVehicle:
    """The configured vehicle in this process, for a command that neither hears nor understands anything.

    Raises:
        schemas.errors.ConfigError: a setting of the adapter, a mapping, or the file of contacts cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached.
    """
    return fitted(fitting_of(config), clock)


def start_apart(config: Config, *, patient: bool = False) -> VehicleApart | None:
    """The configured vehicle in a process of its own, which is being started: ``ready`` waits for it.

    None where the configuration or the platform has it in this process.
    """
    if not (APART and config.vehicle.own_process):
        return None
    return VehicleApart(fitting_of(config, patient=patient), started)


# The process -------------------------------------------------------------------------------------------------------------


def started() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the vehicle's process; it ends when the socket is closed, by whatever end of this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # -I: nothing of the surroundings changes what is imported. A session of its own: Ctrl-C is the assistant's to hear
    command = [sys.executable, "-I", "-c", _MAIN, str(_ROOT), str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={name: os.environ[name] for name in HANDED_ON if name in os.environ},
            start_new_session=True,
        )
    return ours, process


def main(number: int) -> None:
    """The process: hold the vehicle for whoever is at the other end of this file descriptor, until nobody is.

    What ends the assistant ends it, too, but not before: a service manager's signal goes to both at once.
    """
    from deploy.machine import unseen

    unseen.hide()
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    line = socket.socket(fileno=number)
    os.set_inheritable(number, False)
    attend(line, lambda fitting, wrap: fitted(fitting, WallClock(), wrap=wrap))
    os._exit(0)  # whatever threads an adapter has left behind
