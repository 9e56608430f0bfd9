"""The assistant's end of the line to the vehicle's process: that process, and what waits for its answers.

Owns the socket, and the thread that takes what comes in its order: what is told unasked before an answer is taken up before it.
"""

from __future__ import annotations

import logging
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol

from schemas.errors import AdapterError, GloveboxError
from vehicle.apart import messages as m

CLOSING_S = 3.0
"""How long the process may take to release the vehicle and end."""

GONE = "the vehicle's own process has ended; it is started again"

_log = logging.getLogger("glovebox.vehicle")


class Process(Protocol):
    """What is at the other end of the line (``subprocess.Popen``)."""

    def kill(self) -> None:
        """End it at once."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        ...


Start = Callable[[], tuple[socket.socket, Process]]
"""Starts the process; its socket is of packets and blocking."""


class Line:
    """One process, and what waits for its answers."""

    def __init__(self, start: Start, hear: Callable[[m.Told], None], ended: Callable[[Line], None]) -> None:
        """Start the process.

        Args:
            start: starts it.
            hear: is given what is told unasked, in its order.
            ended: is told when the process has ended.
        """
        self.socket, self.process = start()
        self.began = time.monotonic()
        self.ready: Future[None] = Future()
        self.names: dict[str, tuple[str, ...]] = {}
        self._hear, self._ended = hear, ended
        self._waiting: dict[int, Future[m.Told]] = {}
        self._number, self._guard, self.over = 0, threading.Lock(), False
        """Whether the process has ended."""
        self._reading, self._broken = threading.Lock(), False
        """Held by the thread that takes what comes: this line's own, or one that waits for an answer."""
        self._looking = select.epoll()
        self._looking.register(self.socket, select.EPOLLIN)
        """Wakes this line's own thread; not for what one takes that waits for it (`listen`), but always for the end."""
        threading.Thread(target=self._read, name="vehicle-line", daemon=True).start()

    def post(self, make: Callable[[int], m.Asked]) -> tuple[int, Future[m.Told]]:
        """Ask; the answer comes in the future, or an AdapterError when the process ends."""
        answer: Future[m.Told] = Future()
        answer.set_running_or_notify_cancel()
        with self._guard:
            self._number += 1
            number = self._number
            if self.over:
                raise AdapterError(GONE)
            self._waiting[number] = answer
        try:
            self.send(make(number))
        except GloveboxError:
            self._waiting.pop(number, None)
            raise
        return number, answer

    def send(self, message: m.Asked) -> None:
        """Say something that has no answer.

        Raises:
            schemas.errors.AdapterError: nobody listens; the process is ended then.
        """
        data = m.packed(message)
        try:
            self.socket.send(data, socket.MSG_DONTWAIT)
        except OSError as error:
            self.end()
            raise AdapterError(GONE) from error

    def listen(self, answer: Future[m.Told], within_s: float) -> None:
        """Take what comes on this thread, until the answer is there or the time is over: no other is woken for it."""
        if not self._reading.acquire(blocking=False):
            return
        try:
            self._looking.modify(self.socket, 0)
            ends = time.perf_counter() + within_s
            while not answer.done() and (left := ends - time.perf_counter()) > 0.0:
                if not select.select([self.socket], [], [], left)[0] or not self._next():
                    return
        except (OSError, ValueError):  # the socket is closed
            return
        finally:
            with suppress(OSError, ValueError):
                self._looking.modify(self.socket, select.EPOLLIN)
            self._reading.release()

    def forget(self, number: int) -> None:
        """Wait for that answer no longer."""
        if self._waiting.pop(number, None) is not None:
            with suppress(AdapterError):
                self.send(m.GiveUp(id=number))

    def end(self) -> None:
        """End the process at once: nothing moves any more. Whoever waits is told."""
        self.process.kill()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        goes_on = True
        while goes_on:
            self._looking.poll()
            with self._reading:
                goes_on = self._next()
        self.end()
        with self._guard:
            self.over = True
            lost, self._waiting = list(self._waiting.values()), {}
        if not self.ready.done():
            self.ready.set_exception(AdapterError("the vehicle's own process ended before the vehicle was open"))
        self._ended(self)
        for answer in lost:
            answer.set_exception(AdapterError(GONE))
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(CLOSING_S)
        self._looking.close()
        self.socket.close()

    def _next(self) -> bool:
        """Take the next message, if there is one; False where there will be none any more."""
        try:
            data = self.socket.recv(m.MOST_BYTES + 1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data or self._broken:
            return False
        try:
            self._take(m.told(data))
        except GloveboxError as error:
            _log.warning("the vehicle's process: %s", error)
            self._broken = True
        except Exception as error:  # noqa: BLE001 - whoever watches must not cost the line
            _log.error("what the vehicle's process told could not be taken up", exc_info=error)
        return not self._broken

    def _take(self, message: m.Told) -> None:
        match message:
            case m.Names(of=of, names=names):
                self.names[of] = (*self.names.get(of, ()), *names)
            case m.Ready():
                self.ready.set_result(None)
            case m.Failed(id=0) if not self.ready.done():
                self.ready.set_exception(message.error())
            case m.State() | m.Result() | m.Nothing() | m.Failed():
                answer = self._waiting.pop(message.id, None)
                if answer is not None:
                    answer.set_result(message)
            case _:
                self._hear(message)
