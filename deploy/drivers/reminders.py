"""Timers and reminders across restarts and drivers: those that wait lie in the vault of whoever set them.

Owns the way between the organizer and the open memory. During a pause, on a private trip, and for a guest, they live as long as the
program: that was promised. Who takes the wheel hears their own and not those of the driver before, which wait in that driver's
vault. When all is forgotten, by voice or on the screen, nothing rings any more. A memory that fails costs no timer that runs.
"""

from __future__ import annotations

import logging
import threading

from deploy.behind import Notices
from schemas.errors import GloveboxError
from schemas.seat import Seat

_log = logging.getLogger("glovebox.notices")


class KeptNotices:
    """Keeps what the organizer has waiting in the memory that is open."""

    def __init__(self, organizer: Notices, seat: Seat) -> None:
        """Take up what the memory holds, and keep every change from now on."""
        self._organizer, self._seat, self._memory, self._state = organizer, seat, seat.memory, 0
        self._guard = threading.Lock()
        """Taken before the memory's and the organizer's own locks."""
        self.take_up()
        seat.follow(self.take_up)
        organizer.watch(self.keep)

    def take_up(self) -> None:
        """Go on with the memory of whoever drives now: what waits is what it holds."""
        with self._guard:
            before, self._memory = self._memory, self._seat.memory
            before.reminders.watch(None)
            self._memory.reminders.watch(self.read)
            self._read()

    def read(self) -> None:
        """What the memory holds has changed: let that wait, and nothing else."""
        with self._guard:
            self._read()

    def _read(self) -> None:
        try:
            self._state, held = self._memory.reminders.load()
        except GloveboxError as error:
            _log.warning("timers and reminders could not be read: %s", error)
            held = ()
        self._organizer.restore(held)

    def keep(self) -> None:
        """Keep what waits now."""
        with self._guard:
            try:
                self._memory.reminders.save(self._organizer.kept(), self._state)
            except GloveboxError as error:
                _log.warning("timers and reminders could not be kept: %s", error)
