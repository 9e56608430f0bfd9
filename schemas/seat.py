"""The driver's seat: who drives, and who is told when that is somebody else.

Made before every part that asks whose memory is open, by which zone days are counted or in which units the driver is spoken to, and
handed to all of them. None of them keeps a copy. Knows no driver by name (``schemas.ports.Drivers`` does) and opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, tzinfo

from schemas.manners import MANNERS, METRIC, Manners, Units, manners_of
from schemas.ports import MemoryPort


class Seat:
    """Who drives.

    Attributes:
        zone: where the driver is: days and hours of the day are counted by it.
    """

    def __init__(self, memory: MemoryPort, zone: tzinfo = UTC) -> None:
        """With the memory of the driver who begins; nobody follows yet."""
        self._memory, self.zone, self._car_units = memory, zone, METRIC
        self._manners: Manners | None = None
        self._for_now: dict[str, str] = {}
        self._followers: list[Callable[[], None]] = []
        self._observers: list[Callable[[bool], None]] = []
        self._shift = self._era = 0
        memory.watch(self._told)

    @property
    def manners(self) -> Manners:
        """How whoever drives wants to be spoken to: as it is remembered, and what was said only for now. A guest begins without."""
        if self._manners is None:
            off = MANNERS in self._memory.consent().opted_out
            self._manners = Manners() if off else manners_of(self._memory.profile())
        return replace(self._manners, **self._for_now) if self._for_now else self._manners

    def for_now(self, name: str, value: str | None) -> None:
        """Until somebody else drives, whatever is remembered: ``value`` for a field of `Manners`; None: as it is remembered."""
        self._for_now.pop(name, None)
        if value is not None:
            self._for_now[name] = value

    @property
    def units(self) -> Units:
        """What the driver is told temperatures and distances in: as the driver said, else as the car shows them."""
        return self.manners.units(self._car_units)

    @units.setter
    def units(self, shown: Units) -> None:
        """The dialogue reads off the car in what it shows them."""
        self._car_units = shown

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
        self._manners, self._for_now = None, {}
        for changed in self._followers:
            changed()

    def follow(self, changed: Callable[[], None]) -> None:
        """From now on call this when somebody else has taken the seat, after those who followed earlier."""
        self._followers.append(changed)

    def observe(self, changed: Callable[[bool], None]) -> None:
        """From now on call this when what the driver's memory holds or may hold is another; True: something was forgotten."""
        self._observers.append(changed)

    def _told(self, forgotten: bool) -> None:
        self._manners = None
        if forgotten:
            self._era += 1
        for changed in self._observers:
            changed(forgotten)

    def close(self) -> None:
        """Close the memory of whoever drives."""
        self._memory.close()
