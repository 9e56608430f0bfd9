"""What the driver has just told the screen to forget: for ten seconds it can be taken back, then it is erased.

Owns the waiting; what is withheld and erased is the memory's business. A program that ends meanwhile erases it when the vault is
next opened.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from memory.screen.parts import Later
from schemas.errors import GloveboxError, UnknownEntryError
from schemas.memory import Matches, Receipt, Selector
from schemas.ports import MemoryPort

KEPT = 8
"""Receipts that can be looked at again."""
GRACE_S = 0.3
"""Past the end of the time, so that what was pressed in the last moment still counts."""


@dataclass(slots=True)
class Leaving:
    """Something on its way out."""

    handle: str
    token: str
    until: datetime
    matches: Matches
    memory: MemoryPort
    everything: bool = False
    asked: int = 0
    """How many memories the driver saw and agreed to; 0: it was no number that was agreed to."""
    receipt: Receipt | None = None
    failed: bool = False
    """It could not be erased now; it stays hidden and is erased when the vault is next opened."""

    @property
    def more(self) -> int:
        """How many things go beside those."""
        return max(0, self.matches.things - self.asked)

    @property
    def over(self) -> bool:
        """Whether it is decided."""
        return self.receipt is not None or self.failed


class Departures:
    """What is on its way out, and the latest receipts."""

    def __init__(self, clock: Callable[[], datetime], later: Later) -> None:
        """Nothing yet.

        Args:
            clock: aware current time.
            later: does something after a while.
        """
        self._clock, self._later = clock, later
        self._held: dict[str, Leaving] = {}
        self._lock = threading.Lock()

    def withhold(self, memory: MemoryPort, what: Selector, asked: int = 0) -> Leaving:
        """Take it out of sight, to be erased in ten seconds; ``asked``: how many memories the driver agreed to.

        Raises:
            schemas.errors.UnknownEntryError: nothing meets the conditions.
        """
        held = memory.withhold(what)
        leaving = Leaving(
            secrets.token_urlsafe(9),
            held.token,
            held.until,
            held.matches,
            memory,
            everything=what.everything,
            asked=asked,
        )
        with self._lock:
            self._held[leaving.handle] = leaving
            for old in [one.handle for one in self._held.values() if one.over][:-KEPT]:
                del self._held[old]
        seconds = max(0.0, (held.until - self._clock()).total_seconds()) + GRACE_S
        self._later(seconds, partial(self.finish, leaving.handle))
        return leaving

    def find(self, handle: str, memory: MemoryPort) -> Leaving:
        """What has this handle, of what this memory was told to forget.

        Raises:
            UnknownEntryError: nothing has.
        """
        with self._lock:
            found = self._held.get(handle)
        if found is None or found.memory is not memory:
            raise UnknownEntryError("nothing is on its way out under that handle: it was taken back or is long gone")
        return found

    def open(self, memory: MemoryPort) -> Leaving | None:
        """What this memory can still be told to take back; the latest."""
        with self._lock:
            held = list(reversed(self._held.values()))
        return next((one for one in held if not one.over and one.memory is memory), None)

    def restore(self, handle: str, memory: MemoryPort) -> None:
        """Take it back.

        Raises:
            UnknownEntryError: nothing has that handle, or it is too late.
        """
        leaving = self.find(handle, memory)
        leaving.memory.restore(leaving.token)
        with self._lock:
            self._held.pop(handle, None)

    def finish(self, handle: str) -> Leaving | None:
        """Erase it now, if it was not taken back; what comes of it."""
        with self._lock:
            leaving = self._held.get(handle)
        if leaving is None or leaving.over:
            return leaving
        try:
            leaving.receipt = leaving.memory.carry_out(leaving.token)
        except GloveboxError:
            leaving.failed = not leaving.over  # two may come at once: the timer and the driver's impatience
        leaving.matches = Matches()
        return leaving

    def finish_all(self) -> None:
        """Erase whatever is on its way out: before the memory is closed."""
        for handle in list(self._held):
            self.finish(handle)
