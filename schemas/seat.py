"""The driver's seat: who drives, and who is told when that is somebody else.

Made before every part that asks whose memory is open, by which zone days are counted or in which units the driver is spoken to, and
handed to all of them. None of them keeps a copy. Knows no driver by name (``schemas.ports.Drivers`` does) and opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo

from schemas.ports import MemoryPort
from schemas.units import METRIC


class Seat:
    """Who drives.

    Attributes:
        zone: where the driver is: days and hours of the day are counted by it.
        units: what the driver is told temperatures and distances in; the dialogue reads them off the car.
    """

    def __init__(self, memory: MemoryPort, zone: tzinfo = UTC) -> None:
        """With the memory of the driver who begins; nobody follows yet."""
        self._memory, self.zone, self.units = memory, zone, METRIC
        self._followers: list[Callable[[], None]] = []
        self._observers: list[Callable[[bool], None]] = []
        self._shift = self._era = 0
        memory.watch(self._told)

    @property
    def shift(self) -> int:
        """Counts changes of driver."""
        return self._shift

    @property
    def era(self) -> int:
        """Counts changes of driver and what they forget: what was said in an earlier era is shown to nobody any more."""
        return self._era

    @property
    def memory(self) -> MemoryPort:
        """The memory of whoever drives."""
        return self._memory

    def take(self, memory: MemoryPort) -> None:
        """Let somebody else drive, and tell all that follow, on this thread. The memory that was open stays open."""
        if memory is self._memory:
            return
        self._memory.watch(None)
        memory.watch(self._told)
        self._shift += 1
        self._era += 1
        self._memory = memory
        for changed in self._followers:
            changed()

    def follow(self, changed: Callable[[], None]) -> None:
        """From now on call this when somebody else has taken the seat, after those who followed earlier."""
        self._followers.append(changed)

    def observe(self, changed: Callable[[bool], None]) -> None:
        """From now on call this when what the driver's memory holds or may hold is another; True: something was forgotten."""
        self._observers.append(changed)

    def _told(self, forgotten: bool) -> None:
        if forgotten:
            self._era += 1
        for changed in self._observers:
            changed(forgotten)

    def close(self) -> None:
        """Close the memory of whoever drives."""
        self._memory.close()
