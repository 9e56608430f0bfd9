"""Who drives: changing over, guests, and what is said where a PIN is asked for.

Owns the wording. Whose memory is open, and whether a PIN is right, is ``deploy.drivers``' matter.
"""

from __future__ import annotations

from schemas.errors import UnknownEntryError
from schemas.memory import Selector
from schemas.ports import Drivers
from schemas.seat import Seat
from voice.dialogue.forgetting.counted import number

UNNAMED = "driver"
"""The name that the configuration gives before anybody chose one."""
_AWAITED = "Hello {name}. Please enter your PIN on the screen; until then you are a guest, and I remember nothing."


class WhoDrives:
    """The driver who is served, and who else may be."""

    def __init__(self, seat: Seat, drivers: Drivers | None) -> None:
        """Nobody was told of a PIN yet; without ``drivers`` there is nobody else."""
        self._seat, self._drivers = seat, drivers
        self._announced: str | None = None
        """Who was told last that their PIN is asked for."""

    @property
    def guest(self) -> bool:
        """Whether a guest is served."""
        return self._drivers is not None and self._seat.memory.driver not in self._drivers.names

    def switch(self, driver: str | int | None) -> str:
        """Open another configured driver's memory, by name or by place; None: a guest's."""
        if self._drivers is None:
            return "There is only one driver here."
        if isinstance(driver, int):
            if driver > len(self._drivers.names):
                return f"There {_drivers_count(len(self._drivers.names))} here."
            driver = self._drivers.names[driver - 1]
        try:
            self._drivers.switch(driver)
        except UnknownEntryError:
            return "I don't know a driver of that name."
        if driver is None:
            return "Guest mode: I remember nothing and know nothing about you."
        return self.locked() or f"Hello {self._seat.manners.name or spoken_name(driver)}."

    def unguest(self) -> str:
        """End guest mode: the first configured driver's memory is opened."""
        if not self.guest or self._drivers is None:
            return "This is no guest mode."
        return self.switch(self._drivers.names[0])

    # PINs

    def locked(self) -> str:
        """What is said to somebody whose PIN was not entered yet; empty where nobody's is asked for."""
        self._announced = None if self._drivers is None else self._drivers.awaited
        return "" if self._announced is None else _AWAITED.format(name=spoken_name(self._announced))

    def announcement(self) -> str:
        """Said once, after whatever is said first, where somebody is served as a guest until their PIN is entered."""
        before = self._announced
        locked = self.locked()
        return "" if self._announced == before else locked

    def guarded(self, what: str) -> str:
        """What is said in place of doing something that a PIN stands before: it is not spoken aloud. Empty where there is none."""
        guarded = self._drivers is not None and self._drivers.guarded(self._seat.memory.driver)
        return f"That needs your PIN, so please {what} on the screen; I have changed nothing." if guarded else ""

    def kept_back(self, what: Selector) -> str:
        """What is said in place of forgetting so much at once that a PIN stands before it; empty where none does."""
        return (
            self.guarded("delete everything" if what.everything else "delete that")
            if self._seat.memory.sweeps(what)
            else ""
        )


def spoken_name(driver: str) -> str:
    """A driver's name as it is said."""
    return driver.replace("_", " ").title()


def _drivers_count(count: int) -> str:
    return "is only one driver" if count == 1 else f"are only {number(count)} drivers"
