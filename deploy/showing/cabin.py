"""The car as the screen asks it: from a thread of the screen's, on the event loop that the vehicle lives on, behind its gate."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from deploy.behind import Vehicle
from schemas.actions import Action
from schemas.errors import ConfirmationError, GloveboxError
from schemas.events import ActionResult, VehicleState
from schemas.memory import Waiting

LOOK_S = 1.0
"""How long the vehicle may take to tell its state before a page is shown without it."""
ACT_S = 14.0
"""How long it may take to do something: longer than ``vehicle.apart.outside.ANSWER_S``, which ends with a result."""

_Answer = TypeVar("_Answer")


class SeenCabin:
    """Meets ``memory.screen.assistant.ports.Cabin``."""

    def __init__(self, vehicle: Vehicle, loop: Callable[[], asyncio.AbstractEventLoop | None]) -> None:
        """Of that vehicle; ``loop`` is the one that it lives on, None where none runs."""
        self._vehicle, self._loop = vehicle, loop

    def look(self) -> VehicleState | None:
        """See ``Cabin``."""
        return self._there(lambda: self._vehicle.state(), LOOK_S)  # noqa: PLW0108 - made only where a loop runs

    def offers(self) -> frozenset[str]:
        """See ``Cabin``."""
        return self._vehicle.offers()

    def waiting(self) -> Sequence[Waiting]:
        """See ``Cabin``."""
        return self._vehicle.organizer.kept()

    def act(self, action: Action) -> ActionResult | None:
        """See ``Cabin``."""
        return self._there(lambda: self._vehicle.act(action), ACT_S)

    def agree(self, token: str) -> ActionResult | None:
        """See ``Cabin``."""
        try:
            return self._there(lambda: self._vehicle.confirm(token), ACT_S)
        except ConfirmationError:
            return None

    def withdraw(self, token: str) -> None:
        """See ``Cabin``."""
        running = self._loop()
        if running is not None and running.is_running():
            running.call_soon_threadsafe(self._vehicle.withdraw, token)

    def _there(self, ask: Callable[[], Coroutine[Any, Any, _Answer]], within_s: float) -> _Answer | None:
        running = self._loop()
        if running is None or not running.is_running():
            return None
        asked = asyncio.run_coroutine_threadsafe(ask(), running)
        try:
            return asked.result(within_s)
        except ConfirmationError:
            raise
        except (GloveboxError, concurrent.futures.TimeoutError):
            asked.cancel()
            return None
