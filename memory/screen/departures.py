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
    receipt: Receipt | None = None
    failed: bool = False
    """It could not be erased now; it stays hidden and is erased when the vault is next opened."""

    @property
    def over(self) -> bool:
        """Whether it is decided."""
        return self.receipt is not None or self.failed


class Departures:
    """What is on its way out, and the latest receipts."""

    def __init__(self, clock: Callable[[], datetime], later: Later, changed: Callable[[bool], None]) -> None:
        """Nothing yet.

        Args:
            clock: aware current time.
            later: does something after a while.
            changed: called after every change; with True when something was erased.
        """
        self._clock, self._later, self._changed = clock, later, changed
        self._held: dict[str, Leaving] = {}
        self._lock = threading.Lock()

    def withhold(self, memory: MemoryPort, what: Selector) -> Leaving:
        """Take it out of sight, to be erased in ten seconds.

        Raises:
            schemas.errors.UnknownEntryError: nothing meets the conditions.
        """
        held = memory.withhold(what)
        leaving = Leaving(
            secrets.token_urlsafe(9), held.token, held.until, held.matches, memory, everything=what.everything
        )
        with self._lock:
            self._held[leaving.handle] = leaving
            for old in [one.handle for one in self._held.values() if one.over][:-KEPT]:
                del self._held[old]
        seconds = max(0.0, (held.until - self._clock()).total_seconds()) + GRACE_S
        self._later(seconds, partial(self.finish, leaving.handle))
        self._changed(False)
        return leaving

    def find(self, handle: str) -> Leaving:
        """What has this handle.

        Raises:
            UnknownEntryError: nothing has.
        """
        with self._lock:
            if handle not in self._held:
                raise UnknownEntryError(
                    "nothing is on its way out under that handle: it was taken back or is long gone"
                )
            return self._held[handle]

    def open(self) -> Leaving | None:
        """What can be taken back still; the latest."""
        with self._lock:
            return next((one for one in reversed(self._held.values()) if not one.over), None)

    def restore(self, handle: str) -> None:
        """Take it back.

        Raises:
            UnknownEntryError: nothing has that handle, or it is too late.
        """
        leaving = self.find(handle)
        leaving.memory.restore(leaving.token)
        with self._lock:
            self._held.pop(handle, None)
        self._changed(False)

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
        self._changed(True)
        return leaving

    def finish_all(self) -> None:
        """Erase whatever is on its way out: before the memory is closed."""
        for handle in list(self._held):
            self.finish(handle)
