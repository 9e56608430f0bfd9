"""The process that holds the vehicle: opens it, and answers one assistant over one socket until that is cut.

Owns the life of that process's vehicle and the order of what is told: what waits and what the vehicle has are told before the
answer that they come with. The gate, its questions and limits, timers, contacts and the adapter with its secrets are here alone.

It lives as long as its assistant. When the socket is cut, by a kill too, nothing more is written to the vehicle: that is looked at
before each write, whatever hangs. Then the adapter is released, and after `LEAVE_S` the process ends in any case.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from schemas.errors import AdapterError, ConfigError, GloveboxError, VehicleError
from schemas.events import VehicleState
from vehicle.adapters import VehicleAdapter
from vehicle.adapters.findings import Finding
from vehicle.apart import messages as m
from vehicle.service import GatedVehicle

TICK_S = 0.1
"""How often is looked whether a timer is over or the vehicle has other signals. Our choice: nobody hears a tenth of a second."""

MOST_OPEN = 16
"""Questions at once; an assistant has three. The socket holds an answer to each (49 states, as Linux has it), however slow the
assistant is to listen."""

LEAVE_S = 2.0
"""How long the adapter may take to be released after the assistant has gone."""

_log = logging.getLogger("glovebox.vehicle")
_CUT = select.POLLHUP | select.POLLERR | select.POLLNVAL


def is_cut(line: socket.socket) -> bool:
    """Whether nobody is at the other end any more."""
    if line.fileno() < 0:
        return True
    looking = select.poll()
    looking.register(line, 0)
    return any(event & _CUT for _, event in looking.poll(0))


class WhileHeld:
    """An adapter that writes nothing once the assistant has gone; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(self, adapter: VehicleAdapter, line: socket.socket) -> None:
        """Of that adapter, while somebody is at the other end of the line."""
        self._adapter, self._line = adapter, line

    def offers(self) -> frozenset[str]:
        """See ``VehicleAdapter``."""
        return self._adapter.offers()

    async def read(self) -> VehicleState:
        """See ``VehicleAdapter``."""
        return await self._adapter.read()

    async def close(self) -> None:
        """See ``VehicleAdapter``."""
        await self._adapter.close()

    def check(self) -> tuple[Finding, ...]:
        """See ``VehicleAdapter``."""
        return self._adapter.check()

    async def write(self, changes: Mapping[str, Any]) -> None:
        """See ``VehicleAdapter``.

        Raises:
            schemas.errors.AdapterError: as the adapter's, and when the assistant has gone.
        """
        if is_cut(self._line):
            raise AdapterError("the assistant has gone: nothing is asked of the vehicle any more")
        await self._adapter.write(changes)


Opener = Callable[[m.Fitting, Callable[[VehicleAdapter], VehicleAdapter]], GatedVehicle]
"""Opens the vehicle of a fitting; the second argument wraps its adapter."""


def attend(line: socket.socket, opener: Opener, leave: Callable[[], None] = lambda: os._exit(1)) -> None:
    """Open the vehicle that is asked for and answer until the line is cut or closed; errors are told to the assistant.

    Args:
        line: blocking, of packets; closed at the end.
        opener: opens the vehicle.
        leave: ends the process at once, where an adapter will not be released.
    """
    with line:
        try:
            vehicle = opener(_begun(line).fitting, lambda adapter: WhileHeld(adapter, line))
        except GloveboxError as error:
            _tell(line, m.Failed.of(0, error))
            return
        except Exception as error:  # noqa: BLE001 - an adapter of somebody else's may raise anything
            _log.error("the vehicle could not be opened", exc_info=error)
            _tell(line, m.Failed.of(0, error))
            return
        asyncio.run(Attendant(vehicle, line, leave).serve())


def _begun(line: socket.socket) -> m.Begin:
    begin = m.asked(_received(line) or b"")
    if not isinstance(begin, m.Begin):
        raise VehicleError("the first message opens the vehicle")
    return begin


class Attendant:
    """Answers one assistant for one vehicle, on one event loop."""

    def __init__(self, vehicle: GatedVehicle, line: socket.socket, leave: Callable[[], None]) -> None:
        """Of an open vehicle; ``leave`` ends the process at once."""
        self._vehicle, self._line, self._leave = vehicle, line, leave
        self._era = 0
        self._stood: tuple[frozenset[str], bool] | None = None
        self._open: dict[int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Until the line is cut or a message closes the vehicle."""
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        vehicle = self._vehicle
        vehicle.organizer.watch(self._keep)
        for of, names in vehicle.names().items():
            for start in range(0, max(1, len(names)), m.MOST_NAMES):
                self._tell(m.Names(of=of, names=names[start : start + m.MOST_NAMES]), wait=True)
        self._stand()
        self._tell(m.Ready(), wait=True)
        self._loop.add_reader(self._line, self._hear)
        threading.Thread(target=self._watch, name="line", daemon=True).start()
        try:
            while not self._over.is_set():
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._over.wait(), TICK_S)
                self._tick()
        finally:
            for task in self._open.values():
                task.cancel()
            await vehicle.close()
            self._loop.remove_reader(self._line)
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)  # wakes the thread that watches

    # The line ------------------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """On a thread of its own, whatever holds up the loop: wait for the cut, and see to it that something comes of it."""
        looking = select.poll()
        looking.register(self._line, 0)
        while not is_cut(self._line):
            looking.poll()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._over.set)
        time.sleep(LEAVE_S)
        if self._line.fileno() >= 0:
            self._leave()

    def _hear(self) -> None:
        """Take one message; who floods waits for its turn."""
        data = _received(self._line, socket.MSG_DONTWAIT)
        if data is None:
            return
        if not data and is_cut(self._line):
            self._loop.remove_reader(self._line)
            self._over.set()
            return
        self._take(data)

    # Messages, on the loop -----------------------------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        number = 0
        try:
            message = m.asked(data)
            number = getattr(message, "id", 0)
            self._do(message)
        except GloveboxError as error:
            self._tell(m.Failed.of(number, error))

    def _do(self, message: m.Asked) -> None:
        match message:
            case m.Withdraw(token=token):
                self._vehicle.withdraw(token)
            case m.Restore(era=era, waiting=waiting):
                self._era = era
                self._vehicle.organizer.restore(waiting)
            case m.GiveUp(id=number):
                if number in self._open:
                    self._open[number].cancel()
            case m.Begin():
                raise VehicleError("the vehicle is open already")
            case _:
                if message.id in self._open or len(self._open) >= MOST_OPEN:
                    raise VehicleError("that number is in use, or too much was asked for at once")
                self._open[message.id] = self._loop.create_task(self._answer(message))

    async def _answer(self, message: m.Look | m.Wish | m.Agree | m.Put | m.Close) -> None:
        number = message.id
        try:
            answer = await self._answered(message)
        except asyncio.CancelledError:
            answer = m.Failed.of(number, AdapterError("it was given up"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the assistant is told
            if not isinstance(error, GloveboxError):
                _log.error("the vehicle's process: a defect", exc_info=error)
            answer = m.Failed.of(number, error)
        finally:
            self._open.pop(number, None)
        self._stand()
        try:
            self._tell(answer)
        except ConfigError as error:
            self._tell(m.Failed.of(number, VehicleError(str(error))))
        if isinstance(message, m.Close):
            self._over.set()

    async def _answered(self, message: m.Look | m.Wish | m.Agree | m.Put | m.Close) -> m.Told:
        vehicle, number = self._vehicle, message.id
        match message:
            case m.Look():
                return m.State(id=number, state=await vehicle.state())
            case m.Agree(token=token):
                result = await vehicle.confirm(token)
            case m.Put(signal=signal, value=value):
                result = await vehicle.put(signal, value)
            case m.Close():
                await vehicle.close()
                return m.Nothing(id=number)
            case m.Wish(kind="act"):
                result = await vehicle.act(message.action())
            case m.Wish(kind="take_back"):
                result = await vehicle.take_back(message.action())
            case m.Wish(kind=kind):
                result = await vehicle.foresee(message.action(), confirmed=kind == "foresee_confirmed")
        return m.Nothing(id=number) if result is None else m.Result.of(number, result)

    # What is told unasked ------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        sentences = self._vehicle.due()
        if sentences:
            self._tell(m.Due(era=self._era, sentences=sentences))
        self._stand()

    def _stand(self) -> None:
        offers, away = now = self._vehicle.offers(), self._vehicle.away
        if now != self._stood:
            self._stood = now
            self._tell(m.Standing(offers=tuple(sorted(offers)), away=away))

    def _keep(self) -> None:
        self._tell(m.Kept(era=self._era, waiting=self._vehicle.organizer.kept()))

    def _tell(self, message: m.Told, *, wait: bool = False) -> None:
        _tell(self._line, message, wait=wait)


def _tell(line: socket.socket, message: m.Told, *, wait: bool = False) -> None:
    """Say it, if there is room; who does not listen misses an answer and cuts the line (``vehicle.apart.outside.ANSWER_S``).

    With ``wait`` until there is room: while the vehicle is opened nothing else is to be done.
    """
    data = m.packed(message)
    try:
        line.send(data, 0 if wait else socket.MSG_DONTWAIT)
    except BlockingIOError:
        _log.warning("the assistant does not listen; %s is not told", message.kind)
    except OSError:
        return


def _received(line: socket.socket, flags: int = 0) -> bytes | None:
    """The next message; None where there is none yet, empty where the line is cut. What is too long stays one byte too long."""
    try:
        return line.recv(m.MOST_BYTES + 1, flags)
    except BlockingIOError:
        return None
    except OSError:
        return b""
