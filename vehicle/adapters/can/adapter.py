"""The CAN bus as an adapter: one thread listens and repeats, ``write`` sends at once. Owns the bus and its recovery."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

import can
from cantools.database import DecodeError

from schemas.errors import AdapterError, ConfigError
from schemas.events import VehicleState
from schemas.ports import Clock
from vehicle.adapters.can.frames import Incoming, Outgoing
from vehicle.adapters.can.network import load_network, raw_of
from vehicle.adapters.findings import Finding
from vehicle.adapters.readings import Readings
from vehicle.adapters.translation import DRIVING
from vehicle.signals import SIGNALS, check_changes

SEND_S = 0.005
"""How long a frame may wait for room in the bus's buffer. At 500 kbit/s a frame takes 0.25 ms: 20 fit."""

SILENT_S = 5.0
"""A bus on which nothing of the mapping came for so long is asleep or unplugged. Our choice."""

AWAKE_S = 1.5
"""Nothing is sent to a bus on which nothing of the mapping came for so long: a controller keeps a frame that nobody
acknowledges and sends it when the bus wakes up. Our choice: a speed comes at least once a second."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
"""Pauses between attempts to open the bus again begin short and double. Our choice."""

LISTEN_S = 0.01
"""How long the thread listens before it looks for what is due: half of the shortest usual cycle."""

MENDED_TOLD = 5
"""How many of the things that were mended in a DBC are named."""

BUS_OFF = 0x40
"""The bit of an error frame's id for "bus off" (Linux, ``linux/can/error.h``)."""

_log = logging.getLogger("glovebox.vehicle")


class CanVehicle:
    """A vehicle on a CAN bus; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(
        self,
        clock: Clock,
        *,
        interface: str = "socketcan",
        channel: str = "can0",
        dbc: str = "example",
        mapping: str = "example_can",
        transmit: bool = False,
        bitrate: int | None = None,
        options: Mapping[str, bool | int | float | str] | None = None,
        patient: bool = False,
        threaded: bool = True,
        open_bus: Callable[[], can.BusABC] | None = None,
    ) -> None:
        """Open the bus and listen.

        Args:
            clock: its time.
            interface: python-can's name of the kind of bus.
            channel: the bus.
            dbc: name or path of the DBC file.
            mapping: name or path of the mapping.
            transmit: whether anything may be sent.
            bitrate: bits a second, for an interface that the program sets up itself; None: the interface is up already.
            options: what else python-can's bus of that kind takes.
            patient: a bus that cannot be opened yet is tried again and again.
            threaded: False: the bus is only looked at when the adapter is read or written (for tests).
            open_bus: None for python-can's bus of that interface and channel.

        Raises:
            schemas.errors.ConfigError: mapping and DBC cannot be used, or there is no such interface.
            schemas.errors.AdapterError: the bus cannot be opened, unless ``patient``.
        """
        self._clock, self._transmit = clock, transmit
        self._where = f"{interface} {channel}"
        network = self._network = load_network(mapping, dbc)
        more = {**(options or {}), **({"bitrate": bitrate} if bitrate is not None else {})}
        self._open_bus = open_bus or (lambda: _opened(interface, channel, self._filters(), fd=self._fd(), options=more))
        self._readings = Readings(clock, network.limits)
        messages = {message.frame_id: message for message in network.database.messages}
        self._extended = {frame: message.is_extended_frame for frame, message in messages.items()}
        self._incoming = {frame: Incoming(messages[frame], rule) for frame, rule in network.received.items()}
        self._outgoing = {name: Outgoing(message, rule) for name, (message, rule) in network.sent.items()}
        names = {one.name for several in network.inputs.values() for one in several} & set(SIGNALS)
        self._offers = frozenset(
            name for name in names if not SIGNALS[name].writable or (transmit and name in network.outputs)
        )
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._trouble, self._pause, self._retry_at = "", FIRST_PAUSE_S, 0.0
        self._heard_at, self._awake_at = clock.now(), -math.inf
        self.frames = 0
        """Frames of the mapping so far."""
        self._bus: can.BusABC | None = None
        try:
            self._bus = self._open_bus()
        except AdapterError as error:
            if not patient:
                raise
            self._trouble = str(error)
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(target=self._keep, name="can", daemon=True)
            self._thread.start()

    def offers(self) -> frozenset[str]:
        """Signals of the mapping; those that can be written only if ``transmit`` is set."""
        return self._offers

    async def read(self) -> VehicleState:
        """The values that last came over the bus.

        Raises:
            schemas.errors.AdapterError: the bus is lost or silent, or closed.
        """
        self._reach()
        if self._clock.now() - self._heard_at > SILENT_S:
            raise AdapterError(
                f"nothing came over {self._where} for {SILENT_S:g} s; is the car awake and the bus connected?"
            )
        return self._readings.state(self._offers)

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Send the frames that ask for these targets; returns when the bus has taken them.

        Raises:
            schemas.errors.AdapterError: as the contract says; also more requests than the list allows.
        """
        bus = self._reach()
        missing = sorted(name for name in changes if name in SIGNALS and name not in self._offers)
        check_changes(changes)
        if missing:
            silent = "" if self._transmit else " while vehicle.can.transmit is false"
            raise AdapterError(f"this vehicle has no {', '.join(missing)}{silent}")
        wanted: dict[str, dict[str, int]] = {}
        for name, value in changes.items():
            output = self._network.outputs[name]
            theirs = output.write.encode(value)
            if isinstance(theirs, str) or not output.allowed.min <= theirs <= output.allowed.max:
                raise AdapterError(
                    f"{name}: {output.frame} may ask for {output.allowed.min:g} to {output.allowed.max:g}"
                )
            wanted.setdefault(output.frame, {})[output.signal.name] = raw_of(output.signal, theirs)
        with self._lock:
            now = self._clock.now()
            if now - self._awake_at > AWAKE_S:
                raise AdapterError(
                    f"nothing came over {self._where} for {AWAKE_S:g} s; nothing is sent until it is awake"
                )
            for frame in wanted:
                self._outgoing[frame].check(now)
            for frame, raw in wanted.items():
                try:
                    self._send(bus, self._outgoing[frame], self._outgoing[frame].ask(raw, now))
                except (can.CanError, OSError) as error:
                    self._withdraw(bus, error)
                    raise AdapterError(f"{frame} could not be sent: {error}") from error

    async def close(self) -> None:
        """Leave the bus; closing twice is fine."""
        self._closed.set()
        if self._thread is not None and threading.current_thread() is not self._thread:
            self._thread.join(2.0)
        with self._lock:
            bus, self._bus = self._bus, None
        if bus is not None:
            bus.shutdown()

    def check(self) -> tuple[Finding, ...]:
        """The bus, what may be sent, what came damaged."""
        if self._bus is None:
            return (Finding("fail", "connection", f"{self._where}: {self._trouble or 'closed'}"),)
        listed = ", ".join(sorted(self._outgoing)) if self._transmit else "nothing: vehicle.can.transmit is false"
        findings = [
            Finding("ok", "connection", f"{self._where}, mapping {self._network.name}, {self.frames} frames"),
            Finding("ok", "transmit", f"may send {listed}"),
        ]
        network = self._network
        mapped = {one.name for several in network.inputs.values() for one in several}
        unmapped = "is in no message of the mapping: the car always counts as moving"
        findings += [Finding("warn", name, unmapped) for name in sorted(DRIVING.keys() - mapped)]
        if network.mended:
            some = "; ".join(network.mended[:MENDED_TOLD])
            findings.append(Finding("warn", "dbc", f"{len(network.mended)} things were mended: {some}"))
        for frame, incoming in self._incoming.items():
            if incoming.rejected:
                name = self._network.database.get_message_by_frame_id(frame).name
                findings.append(Finding("warn", name, f"{incoming.rejected} frames with a wrong checksum or counter"))
        for name, count in self._readings.nonsense.items():
            findings.append(Finding("warn", name, f"was reported {count} times with a value that makes no sense"))
        return tuple(findings)

    def look(self, wait_s: float = 0.0) -> None:
        """Take what came, send what is due, and open a lost bus again when it is time; the thread does nothing else."""
        bus = self._bus
        if bus is None:
            self._reopen()
            return
        try:
            self._alive(bus)
            while (message := bus.recv(wait_s)) is not None:
                wait_s = 0.0
                self._take(message)
            with self._lock:
                now = self._clock.now()
                for outgoing in self._outgoing.values() if self._transmit else ():
                    if outgoing.due(now):
                        self._send(bus, outgoing, outgoing.next(now))
        except (can.CanError, OSError) as error:
            self._lose(str(error))

    @staticmethod
    def _alive(bus: can.BusABC) -> None:
        """Ask a controller that tells its state: one that is off the bus takes part in nothing.

        Raises:
            can.CanOperationError: it is off.
        """
        try:
            state = bus.state
        except RuntimeError:  # an interface that cannot tell sends error frames, or fails
            return
        if state is can.BusState.ERROR:
            raise can.CanOperationError("bus off")

    def _keep(self) -> None:
        while not self._closed.is_set():
            self.look(LISTEN_S)
            if self._bus is None:
                self._closed.wait(LISTEN_S)

    def _reach(self) -> can.BusABC:
        if self._closed.is_set():
            raise AdapterError("the CAN bus is closed; make a new one")
        if self._thread is None:
            self.look()
        bus = self._bus
        if bus is None:
            raise AdapterError(f"the CAN bus {self._where} is lost: {self._trouble}")
        return bus

    def _take(self, message: can.Message) -> None:
        if message.is_error_frame:
            if message.arbitration_id & BUS_OFF:
                raise can.CanOperationError("bus off")
            return
        inputs = self._network.inputs.get(message.arbitration_id)
        if (
            inputs is None
            or message.is_remote_frame
            or message.is_extended_id != self._extended[message.arbitration_id]
        ):
            return
        data = bytes(message.data)
        guard = self._incoming.get(message.arbitration_id)
        if guard is not None and not guard.accept(data):
            return
        try:
            values: Any = self._network.database.decode_message(message.arbitration_id, data, decode_choices=False)
        except (DecodeError, ValueError):
            return
        self._heard_at = self._awake_at = self._clock.now()
        self.frames += 1
        for one in inputs:
            if one.signal in values:  # of a multiplexed frame only what this one holds
                self._readings.put(one.name, one.read.decode(values[one.signal]))

    def _send(self, bus: can.BusABC, outgoing: Outgoing, data: bytes) -> None:
        message = outgoing.message
        bus.send(
            can.Message(
                arbitration_id=message.frame_id,
                is_extended_id=message.is_extended_frame,
                is_fd=message.is_fd,
                data=data,
            ),
            timeout=SEND_S,
        )

    def _withdraw(self, bus: can.BusABC, error: Exception) -> None:
        """Ask for nothing at once where something was asked for, as far as the bus lets us; then it counts as lost."""
        now = self._clock.now()
        for outgoing in self._outgoing.values():
            outgoing.drop()
            if outgoing.due(now):
                try:
                    self._send(bus, outgoing, outgoing.next(now))
                except (can.CanError, OSError):
                    outgoing.drop()
                    break
        self._lose(str(error))

    def _lose(self, trouble: str) -> None:
        with self._lock:
            bus, self._bus = self._bus, None
            if bus is None:
                return
            self._trouble, self._pause, self._awake_at = trouble, FIRST_PAUSE_S, -math.inf
            self._retry_at = self._clock.now() + self._pause
            for outgoing in self._outgoing.values():
                outgoing.drop()
        _log.warning("CAN bus %s: %s", self._where, trouble)
        self._readings.clear()
        bus.shutdown()

    def _reopen(self) -> None:
        if self._clock.now() < self._retry_at or self._closed.is_set():
            return
        try:
            bus = self._open_bus()
        except (AdapterError, ConfigError) as error:
            self._trouble, self._pause = str(error), min(2.0 * self._pause, LONGEST_PAUSE_S)
            self._retry_at = self._clock.now() + self._pause
            return
        self._heard_at = self._clock.now()
        with self._lock:
            self._bus = bus

    def _filters(self) -> list[dict[str, Any]]:
        """Only what the mapping reads."""
        filters: list[dict[str, Any]] = []
        for frame in self._network.inputs:
            extended = self._network.database.get_message_by_frame_id(frame).is_extended_frame
            filters.append({"can_id": frame, "can_mask": 0x1FFFFFFF if extended else 0x7FF, "extended": extended})
        return filters

    def _fd(self) -> bool:
        return any(message.is_fd for message, _ in self._network.sent.values())


def _opened(
    interface: str, channel: str, filters: list[dict[str, Any]], *, fd: bool, options: Mapping[str, Any]
) -> can.BusABC:
    """python-can's bus.

    Raises:
        schemas.errors.ConfigError: there is no such kind of bus.
        schemas.errors.AdapterError: it cannot be opened.
    """
    try:
        wanted: dict[str, Any] = {**({"fd": True} if fd else {}), **options}
        return can.Bus(interface=interface, channel=channel, can_filters=filters, **wanted)  # pyright: ignore[reportArgumentType]
    except can.CanInterfaceNotImplementedError as error:
        raise ConfigError(f"python-can has no bus {interface!r} here: {error}") from None
    except TypeError as error:
        raise ConfigError(f"python-can's bus {interface!r} does not take these options: {error}") from None
    except (can.CanError, OSError, ValueError) as error:
        raise AdapterError(f"the CAN bus {interface} {channel} cannot be opened: {error}") from None
