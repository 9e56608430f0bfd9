"""What just happened, for the pages that are open: a short list in this process's memory, and whoever watches it.

Nothing of it is stored. It is emptied with everything that is forgotten and with every change of driver, since it holds words that
were said; what comes late of an earlier era (`schemas.seat.Seat.era`) is not taken. `Mark` counts what a page may have missed.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

LATEST = 12
"""Entries that are kept."""


class What(StrEnum):
    """What kind of thing happened."""

    HEARD = "heard"
    SAID = "said"
    DONE = "done"
    REFUSED = "refused"
    REMEMBERED = "remembered"
    CHANGED = "changed"
    """A value took the place of another."""
    ASKED = "asked"
    """Memory is not sure and asks."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that happened."""

    what: What
    at: datetime
    text: str
    """What was heard, said or done; for what was remembered its value."""
    detail: str = ""
    """Detail key of what was remembered or asked about."""
    preference: str | None = None
    """Id of what was remembered; None where there is nothing to undo."""
    before: str | None = None
    """The one value that it took the place of."""
    action: str = ""
    """Name of the action that was done, refused or failed: it is told in the screen's language, and `text` is not shown."""
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    sense: str = ""
    """In what sense the value was meant (``schemas.memory.Sense``), where that is not how values of its category always are."""
    number: int = 0
    """Counts from 1; given by the feed."""


class Mark(NamedTuple):
    """How much has changed; a page that was made at one mark is out of date at another."""

    shift: int = 0
    """Changes of driver."""
    era: int = 0
    """Those, and everything that was forgotten."""
    stored: int = 0
    """Changes of what is remembered or may be."""

    def __str__(self) -> str:
        """As it stands in a page."""
        return ".".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> Mark | None:
        """The mark of a page; None where it is none."""
        parts = text.split(".")
        if len(parts) != len(cls._fields) or not all(p.isascii() and p.isdigit() and len(p) <= 12 for p in parts):
            return None
        return cls(*map(int, parts))


Inbox = asyncio.Queue[None]


class Watchers:
    """The pages that are open, to be woken from any thread."""

    def __init__(self) -> None:
        """Nobody watches."""
        self._lock = threading.Lock()
        self._watching: dict[Inbox, asyncio.AbstractEventLoop] = {}

    def __len__(self) -> int:
        """How many watch."""
        return len(self._watching)

    def wake(self) -> None:
        """Wake whoever watches: something that is shown is different now."""
        with self._lock:
            watching = list(self._watching.items())
        for inbox, loop in watching:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake, inbox)

    @contextmanager
    def watched(self) -> Generator[Inbox]:
        """A queue on the running event loop that gets an item whenever something changes."""
        inbox = Inbox(1)
        with self._lock:
            self._watching[inbox] = asyncio.get_running_loop()
        try:
            yield inbox
        finally:
            with self._lock:
                self._watching.pop(inbox, None)


class Feed:
    """The latest of what happened; safe for use by several threads."""

    def __init__(self) -> None:
        """Nothing has happened."""
        self._lock = threading.Lock()
        self._latest: deque[Happened] = deque(maxlen=LATEST)
        self._count = 0
        self._mark = Mark()
        self.watchers = Watchers()
        self.version = 0
        """Another number whenever something that is shown is different."""

    @property
    def mark(self) -> Mark:
        """How much has changed."""
        return self._mark

    def tell(self, happened: Happened, era: int | None = None) -> None:
        """Add what happened and wake whoever watches; from any thread. What is of an earlier era is let go."""
        with self._lock:
            if era is not None and era < self._mark.era:
                return
            self._count += 1
            self._latest.append(replace(happened, number=self._count))
        self.changed()

    def latest(self) -> tuple[Happened, ...]:
        """The newest first."""
        with self._lock:
            return tuple(reversed(self._latest))

    def clear(self, shift: int, era: int) -> None:
        """Let go of everything, because something was forgotten or somebody else drives."""
        with self._lock:
            self._latest.clear()
            self._mark = Mark(shift, era, self._mark.stored + 1)
        self.changed()

    def stored(self) -> None:
        """What is remembered, or may be, is another."""
        with self._lock:
            self._mark = self._mark._replace(stored=self._mark.stored + 1)
        self.changed()

    def changed(self) -> None:
        """Wake whoever watches: something that is shown is different now."""
        with self._lock:
            self.version += 1
        self.watchers.wake()


def _wake(inbox: Inbox) -> None:
    if not inbox.full():
        inbox.put_nowait(None)
