"""The vehicle as the dialogue sees it: a part of ``schemas.ports``, which hands it on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from schemas.actions import Action
from schemas.events import ActionResult, VehicleState


class VehiclePort(Protocol):
    """The vehicle behind the gate."""

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has."""
        ...

    async def state(self) -> VehicleState:
        """Current signals.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached.
        """
        ...

    async def act(self, action: Action) -> ActionResult:
        """Ask the gate, then the vehicle. Denied and unconfirmed are results; DONE only when the value has moved."""
        ...

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        """What `act` would most likely come to now, if all moves as it should: nothing is asked for, moved or noted.

        Args:
            action: what is to be asked for.
            confirmed: whether a yes to it is foreseen, too.

        Returns:
            The result, without a token; None where it cannot be told.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached.
        """
        ...

    async def confirm(self, token: str) -> ActionResult:
        """Carry out the action that waits under this token, if the gate still agrees.

        Raises:
            schemas.errors.ConfirmationError: unknown or expired token.
        """
        ...

    def withdraw(self, token: str) -> None:
        """Drop an action that waits for confirmation; unknown tokens are ignored."""
        ...

    async def take_back(self, action: Action) -> ActionResult | None:
        """Undo this action if it is the last that was done, by the gate's rules for that; None: there is nothing to take back."""
        ...

    def due(self) -> Sequence[str]:
        """Sentences to speak unasked: timers and reminders that have become due since the last call."""
        ...

    async def close(self) -> None:
        """Release the adapter."""
        ...
