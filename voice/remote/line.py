"""One connection to a Wyoming service: messages out and in, nobody waited for longer than said, no message larger than said.

Owns the wire and what counts as being away. The messages are those of the package wyoming. The protocol has no password and no
encryption: sound goes to private addresses alone (RFC 1918, 4193, loopback and link-local), never out of the vehicle.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, cast

from wyoming.event import Event, Eventable, write_event

from schemas.errors import EngineMissingError

CONNECT_S = 0.3
"""Longest wait for a connection: a wire within a vehicle answers in milliseconds. Our choice."""
SEND_S = 0.2
"""Longest wait for a message to go out: the microphone's next frames wait meanwhile. Our choice."""
AWAY_S = 5.0
"""A service that did not answer is not asked again for so long; what stands in for it works at once. Our choice."""
DATA_BYTES, PAYLOAD_BYTES = 65_536, 1_048_576
"""Most bytes of a message's line or data, and of its sound. Our choice: half a minute of sound."""


class AwayError(Exception):
    """The service is not there, or not any more. Internal: whoever has a line turns it into what the driver is told."""


def sizes(line: bytes) -> tuple[dict[str, Any], int, int]:
    """A message's head, and the bytes of data and of sound that follow it.

    Raises:
        ValueError: it is no message, or weighs more than is taken.
    """
    head: Any = json.loads(line)
    if (
        not isinstance(head, dict)
        or not isinstance(head.get("type"), str)
        or not isinstance(head.get("data", {}), dict)
    ):
        raise ValueError("no message")  # noqa: TRY004 - it is what was sent that is wrong
    data, payload = (int(head.get(name) or 0) for name in ("data_length", "payload_length"))
    if not (0 <= data <= DATA_BYTES and 0 <= payload <= PAYLOAD_BYTES):
        raise ValueError("too long")
    return cast(dict[str, Any], head), data, payload


def event_of(head: dict[str, Any], data: bytes, payload: bytes) -> Event:
    """The message of its three parts.

    Raises:
        ValueError: its data is no object.
    """
    told: Any = {**(head.get("data") or {}), **(json.loads(data) if data else {})}
    return Event(type=head["type"], data=told, payload=payload or None)


class Line:
    """A connection that is made when it is wanted, and may be gone at any time. Of one thread at a time, but for `close`."""

    def __init__(self, address: str, *, now: Callable[[], float] = time.monotonic) -> None:
        """Nothing is connected.

        Args:
            address: ``host:port``.
            now: Seconds.
        """
        self.address, self._now = address, now
        self._socket: socket.socket | None = None
        self._reader: BinaryIO | None = None
        self._away_until = float("-inf")

    @property
    def open(self) -> bool:
        """Whether there is a connection, as far as is known."""
        return self._socket is not None

    def connect(self) -> None:
        """Connect anew; what was open is closed.

        Raises:
            AwayError: the service is not there, or was not a moment ago.
        """
        self.close()
        if self._now() < self._away_until:
            raise AwayError(f"{self.address} did not answer a moment ago")
        host, _, port = self.address.rpartition(":")
        try:
            self._socket = socket.create_connection((_inside(host.strip("[]")), int(port)), CONNECT_S)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._reader = self._socket.makefile("rb")
        except OSError as error:
            raise self.lost(f"does not answer: {error}") from error

    def send(self, *messages: Eventable) -> None:
        """Send messages, in their order.

        Raises:
            AwayError: there is no connection any more.
        """
        stream = self._socket
        if stream is None:
            raise AwayError(f"{self.address} is not connected")
        try:
            stream.settimeout(SEND_S)
            with stream.makefile("wb") as writer:
                for message in messages:
                    write_event(message.event(), cast(BinaryIO, writer))
        except (OSError, ValueError) as error:
            raise self.lost(f"takes nothing more: {error}", stream) from error

    def receive(self, within_s: float | None) -> Event:
        """The next message.

        Args:
            within_s: how long each part of it is waited for; None: for ever.

        Raises:
            AwayError: none came in time, it was no message, or the connection is gone.
        """
        stream, reader = self._socket, self._reader
        if stream is None or reader is None:
            raise AwayError(f"{self.address} is not connected")
        try:
            stream.settimeout(within_s)
            line = reader.readline(DATA_BYTES)
            if not line.endswith(b"\n"):
                raise ValueError("it hung up")  # noqa: TRY301 - one way out for all that can be wrong
            head, data, payload = sizes(line)
            parts = [reader.read(data), reader.read(payload)]
            if [len(part) for part in parts] != [data, payload]:
                raise ValueError("it hung up in the middle of a message")  # noqa: TRY301
            return event_of(head, *parts)
        except (OSError, ValueError, TypeError) as error:
            raise self.lost(f"does not answer: {error}", stream) from error

    def lost(self, why: str, stream: socket.socket | None = None) -> AwayError:
        """Note that the service is away, unless it was of an earlier connection, and give the error that says so."""
        if stream is None or stream is self._socket:
            self.close()
            self._away_until = self._now() + AWAY_S
        return AwayError(f"{self.address} {why}")

    def close(self) -> None:
        """Hang up; whoever waits for a message is woken."""
        stream, self._socket, self._reader = self._socket, None, None
        if stream is not None:
            with suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()


def _inside(host: str) -> str:
    """The host's address, which lies within the vehicle.

    Raises:
        OSError: it has none.
        EngineMissingError: it lies outside.
    """
    found = str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    address = ipaddress.ip_address(found.partition("%")[0])
    if not (address.is_private or address.is_loopback or address.is_link_local):
        raise EngineMissingError(
            f"{host} is {found}, outside of the vehicle: what is heard goes to private addresses alone"
        )
    return found
