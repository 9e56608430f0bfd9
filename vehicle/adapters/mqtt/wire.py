"""The socket to the broker: sent at once, encrypted where asked, and forgotten with what it did not send.

Owns what is set on sockets and how certificates are believed. Knows no topic and no vehicle.
"""

from __future__ import annotations

import socket
import ssl
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client

from schemas.errors import ConfigError


def at_once(_client: Client, _data: Any, connection: Any) -> None:
    """Send small packets when they are made, not 40 ms later together with others (TCP_NODELAY)."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Closing(ssl.SSLSocket):
    """A connection that does not stay open when the other end is not who it should be."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT002 - the standard library's
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


def trusting(ca_file: Path) -> ssl.SSLContext:
    """Encryption with whoever this authority certified.

    Raises:
        schemas.errors.ConfigError: the certificate cannot be used.
    """
    try:
        context = ssl.create_default_context(cafile=str(ca_file))
    except OSError as error:
        raise ConfigError(f"the broker's certificate {ca_file} cannot be used: {error}") from None
    context.sslsocket_class = _Closing
    return context


def abrupt(client: Client, data: Any, connection: Any) -> None:
    """Send at once, and forget what was not sent when the connection is closed."""
    at_once(client, data, connection)
    linger(connection, abrupt=True)


def linger(connection: Any, *, abrupt: bool) -> None:
    """Whether what was not sent is forgotten when the connection is closed (``abrupt``), or still sent."""
    if connection is not None:
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", int(abrupt), 0))
