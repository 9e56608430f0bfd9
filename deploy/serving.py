"""Who may hold a connection to the screen's server, and for how long.

Any program on this machine can open connections to the loopback interface, from any of its addresses, and leave them idle. Whoever
was let in (a request with the cookie of a session) is never put out. Everybody else has a few seconds for a request, takes turns,
and makes room for who comes later: so a driver's page is answered whatever the others hold.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

HEADER_S = 5.0
"""Seconds in which a connection must have brought the whole head of a request; a browser on this machine needs milliseconds."""
IDLE_S = 5
"""Seconds that a connection is kept for another request."""
MOST_OF_ONE = 64
"""Connections of one address that nobody was let in on; a browser opens six at once."""
MOST = 480
"""Of all addresses, those of a session among them; Linux gives a program 1,024 open files."""
SETTLED_S = 0.25
"""A connection younger than this makes no room for others of its address: its request may be on the way."""
HEAD_BYTES = 16_384
"""Of a request's head: a browser sends two thousand."""


SLICE_S = 0.05
"""The time of everybody who was not let in is dealt out in slices,"""
A_SLICE = 10
"""so many requests each: 200 a second, at half a millisecond. A browser that opens the screen sends four before it is let in."""


class Crowd:
    """The connections of one server, on its loop."""

    def __init__(self, known: Callable[[str | None], object], cookie: str) -> None:
        """Nobody yet.

        Args:
            known: the session of a cookie's value; None where it is none.
            cookie: its name.
        """
        self._known = known
        self._cookie = re.compile(re.escape(cookie).encode() + rb"=([A-Za-z0-9_-]{1,64})")
        self._all: set[Connection] = set()
        self._strangers: dict[Connection, float] = {}
        """Connection -> when it was made, the oldest first."""
        self._of: Counter[str] = Counter()
        self._waiting: deque[Connection] = deque()
        self._spent = 0
        """Requests of strangers in the running slice."""
        self._slice: asyncio.TimerHandle | None = None

    def enter(self, one: Connection) -> None:
        """A connection is made: where there are too many, the oldest that nobody was let in on is ended."""
        now = one.loop.time()
        self._all.add(one)
        self._strangers[one] = now
        self._of[one.address] += 1
        if self._of[one.address] > MOST_OF_ONE:
            oldest = next(other for other in self._strangers if other.address == one.address)
            if now - self._strangers[oldest] >= SETTLED_S:
                self._put_out(oldest)
        if len(self._all) > MOST:
            self._put_out(next(iter(self._strangers)))

    def may(self, one: Connection, brought: bytes) -> bool:
        """Whether what was brought is looked at now: whoever has a session stays and does not wait, the others take turns."""
        if one not in self._strangers:
            return True
        found = self._cookie.search(brought)
        if found is not None and self._known(found[1].decode()) is not None:
            self._forget(one)
            return True
        if self._slice is None:
            self._slice = one.loop.call_later(SLICE_S, self._next_slice, one.loop)
        self._spent += 1
        if self._spent <= A_SLICE:
            return True
        self._waiting.append(one)
        return False

    def leave(self, one: Connection) -> None:
        """It is over."""
        self._all.discard(one)
        self._forget(one)

    def _next_slice(self, loop: asyncio.AbstractEventLoop) -> None:
        turns = [self._waiting.popleft() for _ in range(min(A_SLICE, len(self._waiting)))]
        self._spent = len(turns)
        self._slice = loop.call_later(SLICE_S, self._next_slice, loop) if turns else None
        for one in turns:
            if one in self._all:
                one.take_turn()

    def _put_out(self, one: Connection) -> None:
        self.leave(one)
        one.end()

    def _forget(self, one: Connection) -> None:
        if self._strangers.pop(one, None) is not None:
            self._of[one.address] -= 1
            if not self._of[one.address]:
                del self._of[one.address]


class Connection(H11Protocol):
    """One connection; HTTP is uvicorn's."""

    crowd: Crowd

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """As uvicorn makes it."""
        super().__init__(config, server_state, app_state, _loop)
        self._deadline: asyncio.TimerHandle | None = None
        self._brought = b""
        """What waits for its turn."""
        self.address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It begins, and so does the time for its first request."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client is not None else ""
        self.crowd.enter(self)
        self._hurry()

    def data_received(self, data: bytes) -> None:
        """Something came: a whole head is answered, a part of one has to be whole in time."""
        waits = bool(self._brought)
        self._brought += data
        if not waits and self.crowd.may(self, self._brought):
            self.take_turn()
        elif len(self._brought) > HEAD_BYTES:
            self.end()

    def take_turn(self) -> None:
        """Look at what was brought."""
        brought, self._brought = self._brought, b""
        super().data_received(brought)
        if getattr(
            self.cycle, "response_complete", True
        ):  # there is none before the first request, whatever its type says
            self._hurry()
        else:
            self._calm()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._calm()
        self.crowd.leave(self)
        super().connection_lost(exc)

    def end(self) -> None:
        """End it at once."""
        self.transport.abort()

    def _hurry(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_S, self.end)

    def _calm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def connections(known: Callable[[str | None], object], cookie: str) -> type[Connection]:
    """Connections of one server for uvicorn; arguments as `Crowd`."""

    class Guarded(Connection):
        crowd = Crowd(known, cookie)

    return Guarded
