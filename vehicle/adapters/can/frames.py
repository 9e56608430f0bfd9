"""Frames with their counters and checksums, in and out. Owns repetition; knows no bus and no clock but what it is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from cantools.database import Message

from schemas.errors import AdapterError
from vehicle.adapters.can.checksums import Frame, family
from vehicle.adapters.can.dbc import bits, put, taken
from vehicle.adapters.can.network import Checksum, Received, Sent

RATE_WINDOW_S = 1.0

LASTS_S = 0.5
"""A request is not repeated after so long, even if some of its repetitions were never sent: whoever sends them was held up, and
the car may have been asked otherwise meanwhile. Our choice: repetitions take 60 to 100 ms."""


def proof(message: Message, checksum: Checksum, counter: str | None, data: bytes) -> int:
    """The raw value that a frame's checksum should have."""
    signal = message.get_signal_by_name(checksum.signal)
    blank = bytearray(data)
    put(signal, blank, 0)
    count = taken(message.get_signal_by_name(counter), data) if counter is not None else 0
    frame = Frame(message.frame_id, bytes(blank), min(bits(signal)) // 8, count, checksum.constants)
    return family(checksum.kind)(frame) & (1 << signal.length) - 1


def sealed(message: Message, checksum: Checksum | None, counter: str | None, data: bytes) -> bytes:
    """The frame with the checksum that it should have."""
    if checksum is None:
        return data
    whole = bytearray(data)
    put(message.get_signal_by_name(checksum.signal), whole, proof(message, checksum, counter, data))
    return bytes(whole)


class Incoming:
    """Whether frames of one message are whole and new."""

    def __init__(self, message: Message, rule: Received) -> None:
        """Nothing was seen yet."""
        self._message, self._rule = message, rule
        self._counter: int | None = None
        self.rejected = 0
        """Frames with a wrong checksum, or with the counter of the one before."""

    def accept(self, data: bytes) -> bool:
        """True if the frame is whole, and not the one before again."""
        rule = self._rule
        if len(data) < self._message.length:
            self.rejected += 1
            return False
        if rule.checksum is not None:
            signal = self._message.get_signal_by_name(rule.checksum.signal)
            if taken(signal, data) != proof(self._message, rule.checksum, rule.counter, data):
                self.rejected += 1
                return False
        if rule.counter is not None:
            counter = taken(self._message.get_signal_by_name(rule.counter), data)
            if counter == self._counter:
                self.rejected += 1
                return False
            self._counter = counter
        return True


@dataclass(slots=True)
class _Request:
    raw: int
    left: int
    until: float


class Outgoing:
    """One frame that may be sent: what it asks for now, and when it is due."""

    def __init__(self, message: Message, rule: Sent) -> None:
        """It asks for nothing."""
        self.message, self._rule = message, rule
        self._requests: dict[str, _Request] = {}
        self._asked: deque[float] = deque()
        self._counter = 0
        self._sent_at: float | None = None
        self._retract = False

    def check(self, now: float) -> None:
        """Refuse a request that comes too soon after others.

        Raises:
            schemas.errors.AdapterError: more than the list allows.
        """
        while self._asked and now - self._asked[0] >= RATE_WINDOW_S:
            self._asked.popleft()
        if len(self._asked) >= self._rule.per_second:
            raise AdapterError(
                f"{self.message.name}: more than {self._rule.per_second} requests a second are not allowed"
            )

    def ask(self, raw: Mapping[str, int], now: float) -> bytes:
        """The frame that asks for these raw values, to be sent now."""
        self._asked.append(now)
        for signal, value in raw.items():
            self._requests[signal] = _Request(value, self._rule.repeats, now + LASTS_S)
        return self.next(now)

    def due(self, now: float) -> bool:
        """Whether it is time to send it again."""
        if self._sent_at is None:
            return self._retract or self._rule.idle_cycle_ms is not None
        busy = bool(self._requests) or self._retract
        cycle_ms = self._rule.cycle_ms if busy else self._rule.idle_cycle_ms
        return cycle_ms is not None and now - self._sent_at >= cycle_ms / 1000.0 - 1e-9

    def next(self, now: float) -> bytes:
        """The frame as it is to be sent now; each call counts as one sending."""
        rule = self._rule
        for key in [key for key, request in self._requests.items() if now > request.until]:
            del self._requests[key]
        raw = {key: one.idle for key, one in rule.signals.items()} | dict(rule.fixed)
        raw |= {key: request.raw for key, request in self._requests.items()}
        self._retract = bool(self._requests)  # once nothing is asked for any more, one frame says so
        for key, request in list(self._requests.items()):
            request.left -= 1
            if request.left == 0:
                del self._requests[key]
        if rule.counter is not None:
            limit = 2 ** self.message.get_signal_by_name(rule.counter).length
            self._counter = (self._counter + 1) % limit
            raw[rule.counter] = self._counter
        if rule.checksum is not None:
            raw[rule.checksum.signal] = 0
        self._sent_at = now
        data = self.message.encode(raw, scaling=False, strict=False)
        return sealed(self.message, rule.checksum, rule.counter, data)

    def drop(self) -> None:
        """Ask for nothing from now on; if something was asked for, the next frame says so as soon as it can be sent."""
        if self._requests or self._retract:
            self._retract = True
        self._requests.clear()
        self._sent_at = None
