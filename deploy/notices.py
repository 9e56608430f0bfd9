"""Timers and reminders across restarts and drivers: those that wait lie in the vault of whoever set them.

Owns the way between the organizer and the open memory. On a private trip, and for a guest, they live as long as the program: that
was promised. Who takes the wheel hears their own and not those of the driver before, which wait in that driver's vault. A memory
that fails costs no timer that runs.
"""

from __future__ import annotations

import logging

from memory.service import DriverMemory
from schemas.errors import GloveboxError
from schemas.ports import MemoryPort
from vehicle.organizer import Organizer

_log = logging.getLogger("glovebox.notices")


class KeptNotices:
    """Keeps what the organizer has waiting in the memory that is open."""

    def __init__(self, organizer: Organizer, memory: MemoryPort) -> None:
        """Take up what the memory holds, and keep every change from now on."""
        self._organizer, self._memory = organizer, memory
        self.take_up(memory)
        organizer.changed = self.keep

    def take_up(self, memory: MemoryPort) -> None:
        """Go on with another memory: what waits is what it holds."""
        self._memory = memory
        try:
            held = memory.notices.load() if isinstance(memory, DriverMemory) else None
        except GloveboxError as error:
            _log.warning("timers and reminders could not be read: %s", error)
            held = None
        self._organizer.restore(held)

    def keep(self) -> None:
        """Keep what waits now."""
        memory = self._memory
        if not isinstance(memory, DriverMemory):
            return
        try:
            if not memory.consent().private_trip:
                memory.notices.save(self._organizer.kept())
        except GloveboxError as error:
            _log.warning("timers and reminders could not be kept: %s", error)
