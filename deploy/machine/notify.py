"""What the service manager is told: that the assistant runs, that it still does, that it ends (sd_notify(3)).

The beat is the voice loop's own, one for each frame of sound: a loop that hangs is not alive, whatever other threads do. Without a
service manager nothing is told. Silent about errors: an assistant must not fail because nobody listens.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Mapping

SHARE = 4
"""A beat is told so many times in the time after which the manager gives up; sd_watchdog_enabled(3) advises two at least."""


class ServiceManager:
    """systemd, or nobody."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """As the manager said in the environment: ``NOTIFY_SOCKET``, ``WATCHDOG_USEC`` (microseconds)."""
        self._monotonic = monotonic
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        given = environment.get("WATCHDOG_USEC", "")
        self._every_s = int(given) / 1e6 / SHARE if given.isdecimal() and int(given) else None
        self._told: float | None = None

    def beat(self) -> None:
        """The voice loop goes round. The first time that is what the manager waited for."""
        if not self._address:
            return
        now = self._monotonic()
        if self._told is None:
            self._tell("READY=1\nWATCHDOG=1")
        elif self._every_s is None or now - self._told < self._every_s:
            return
        else:
            self._tell("WATCHDOG=1")
        self._told = now

    def ending(self) -> None:
        """The loop is over; what is left to learn is learnt, which the watchdog need not see."""
        self._tell("STOPPING=1")

    def _tell(self, state: str) -> None:
        if self._address:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.sendto(state.encode(), self._address)
