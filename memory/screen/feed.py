"""What just happened, for the pages that are open: a short list in this process's memory, and whoever watches it.

Nothing of it is stored. It is emptied with every erasure and with every change of driver: it holds words that were said.
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
from typing import Any

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
    number: int = 0
    """Counts from 1; given by the feed."""


Inbox = asyncio.Queue[None]


class Feed:
    """The latest of what happened; safe for use by several threads."""

    def __init__(self) -> None:
        """Nothing has happened."""
        self._lock = threading.Lock()
        self._latest: deque[Happened] = deque(maxlen=LATEST)
        self._count = 0
        self._watching: dict[Inbox, asyncio.AbstractEventLoop] = {}

    def tell(self, happened: Happened) -> None:
        """Add what happened and wake whoever watches; from any thread."""
        with self._lock:
            self._count += 1
            self._latest.append(replace(happened, number=self._count))
        self.changed()

    def latest(self) -> tuple[Happened, ...]:
        """The newest first."""
        with self._lock:
            return tuple(reversed(self._latest))

    def clear(self) -> None:
        """Let go of everything, because something was erased or somebody else drives."""
        with self._lock:
            self._latest.clear()
        self.changed()

    def changed(self) -> None:
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


def _wake(inbox: Inbox) -> None:
    if not inbox.full():
        inbox.put_nowait(None)
