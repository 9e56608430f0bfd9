"""Frames with their counters and checksums, in and out. Owns bits and repetition; knows no bus and no clock but what it is told.

Sources: CRC-8 SAE J1850 (polynomial 0x1D, start and final exclusive-or 0xFF; check value 0x4B for "123456789").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from cantools.database import Message

from schemas.errors import AdapterError
from vehicle.adapters.can.network import Checksum, Received, Sent

RATE_WINDOW_S = 1.0

LASTS_S = 0.5
"""A request is not repeated after so long, even if some of its repetitions were never sent: whoever sends them was held up, and
the car may have been asked otherwise meanwhile. Our choice: repetitions take 60 to 100 ms."""


def crc8_j1850(data: bytes) -> int:
    """CRC-8 SAE J1850 of the bytes."""
    crc = 0xFF
    for byte in data:
        crc = _TABLE[crc ^ byte]
    return crc ^ 0xFF


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = (byte << 1) ^ 0x1D if byte & 0x80 else byte << 1
    return byte & 0xFF


_TABLE = bytes(_entry(byte) for byte in range(256))


def proof(checksum: Checksum, message: Message, data: bytes) -> tuple[int, int]:
    """Where the checksum's byte is in a frame, and what it should be."""
    at = message.get_signal_by_name(checksum.signal).start // 8
    prefix = b"" if checksum.data_id is None else checksum.data_id.to_bytes(2, "little")
    counted = prefix + data[:at] + data[at + 1 :]
    if checksum.kind == "crc8_j1850":
        return at, crc8_j1850(counted)
    xor = 0
    for byte in counted:
        xor ^= byte
    return at, xor


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
            at, wanted = proof(rule.checksum, self._message, data)
            if data[at] != wanted:
                self.rejected += 1
                return False
        if rule.counter is not None:
            raw = self._message.decode(data, decode_choices=False, scaling=False)
            counter = int(raw[rule.counter])  # type: ignore[call-overload, index]
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
        data = bytearray(self.message.encode(raw, scaling=False, strict=False))
        if rule.checksum is not None:
            at, value = proof(rule.checksum, self.message, bytes(data))
            data[at] = value
        self._sent_at = now
        return bytes(data)

    def drop(self) -> None:
        """Ask for nothing from now on; if something was asked for, the next frame says so as soon as it can be sent."""
        if self._requests or self._retract:
            self._retract = True
        self._requests.clear()
        self._sent_at = None
