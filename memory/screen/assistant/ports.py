"""What the assistant's view is given: the car behind its gate, and a map. It knows neither of their makers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.actions import Action
from schemas.events import ActionResult, VehicleState
from schemas.memory import Waiting


class Cabin(Protocol):
    """The car behind its gate, as the screen shows and asks it; from any thread."""

    def look(self) -> VehicleState | None:
        """The signals now; None where the car does not answer in time."""
        ...

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has."""
        ...

    def waiting(self) -> Sequence[Waiting]:
        """The timers and reminders that wait, the next one first."""
        ...

    def act(self, action: Action) -> ActionResult | None:
        """Ask the gate, then the car; None where the car does not answer in time."""
        ...

    def agree(self, token: str) -> ActionResult | None:
        """Carry out what waits for a yes under this token; None where the car does not answer, or nothing waits."""
        ...

    def withdraw(self, token: str) -> None:
        """Drop what waits for a yes."""
        ...


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a browser shows it."""

    data: bytes
    kind: str
    """Its media type."""


class Atlas(Protocol):
    """A map of square pictures, as the web's maps are cut (Web Mercator); from any thread."""

    @property
    def levels(self) -> tuple[int, int]:
        """The coarsest and the finest level that it has, both within 0 and 22; a level has 2 to that power tiles a side."""
        ...

    @property
    def credit(self) -> str:
        """Whose map it is, as its licence wants it shown; may be empty."""
        ...

    def tile(self, level: int, column: int, row: int) -> Picture | None:
        """The picture there, columns counted from the west, rows from the north; None where it has none that can be shown."""
        ...
