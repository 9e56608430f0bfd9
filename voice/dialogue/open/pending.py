"""What is open in one dialogue: fed at the time of the clock, shown under a number, asked for at the end of the reply, withdrawn.

Owns the table's one object (``table.py``), and what ending it means for the car: an action that waited for a yes waits no longer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from schemas.events import Asking
from schemas.ports import VehiclePort
from voice.dialogue.open import tapping
from voice.dialogue.open.table import Do, Event, OpenTable
from voice.dialogue.open.things import Asked, Confirmation


class Pending:
    """Holds what is open."""

    def __init__(self, vehicle: VehiclePort, clock: Callable[[], datetime]) -> None:
        """Nothing is open; with ``vehicle`` wait the actions that are agreed to by a yes."""
        self._vehicle, self._clock = vehicle, clock
        self._table = OpenTable[Asked]()
        self.asks = False
        """The reply is to end with the question that is open."""
        self._shown: Asked | None = None
        self._asked = 0
        """What was shown last as open, and its number."""

    @property
    def thing(self) -> Asked | None:
        """What waits for an answer."""
        return self._table.thing

    def shown(self) -> Asking | None:
        """The same as it is shown, numbered anew with each question."""
        thing = self.thing
        if thing is not self._shown:
            self._shown, self._asked = thing, self._asked + 1
        return None if thing is None else tapping.shown(thing, self._asked)

    def feed(self, event: Event) -> tuple[Do, ...]:
        """Take what was said; the commands to perform, in order."""
        return self._table.feed(event, self._clock())

    def tick(self) -> None:
        """Withdraw what has been open for too long."""
        if Do.WITHDRAW in self._table.tick(self._clock()):
            self.withdraw()

    def end(self, event: Event) -> None:
        """Withdraw what an event ends of which nothing else is performed."""
        if Do.WITHDRAW in self.feed(event):
            self.withdraw()

    def withdraw(self) -> None:
        """The actions of what the last event ended wait for a yes no longer."""
        for thing in self._table.left:
            for token in thing.tokens if isinstance(thing, Confirmation) else ():
                self._vehicle.withdraw(token)

    def ask(self, thing: Asked) -> None:
        """Ask at the end of the reply, or later."""
        if Do.ASK in self._table.ask(thing, self._clock()):
            self.asks = True

    def go_on(self) -> None:
        """Ask what was kept for later, if nothing else is open."""
        if Do.ASK in self._table.go_on(self._clock()):
            self.asks = True
