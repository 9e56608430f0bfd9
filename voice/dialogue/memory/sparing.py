"""The car as a driver's dislikes leave it: where it may choose what to play or where to go, it does not choose what is disliked.

A `schemas.ports.VehiclePort` around another one. What the driver asks for by its name is done, disliked or not. Owns which actions
choose something by themselves; changes nothing else of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from models.text import contains
from schemas.actions import BY_NAME, Action
from schemas.errors import VehicleError
from schemas.events import ActionResult, VehicleState
from schemas.memory import Preference
from schemas.ports import VehiclePort
from schemas.seat import Seat
from voice.dialogue.memory.circumstances import Circumstances

_HEARD = tuple(detail for name in ("play_music", "play_radio", "play_podcast") for detail in BY_NAME[name].details)
ALSO: Mapping[str, tuple[str, ...]] = {
    "set_playback": _HEARD,
    "set_media_source": _HEARD,
    "play_radio": ("favorite_genres",),
}
"""Actions that choose what plays, too, and by which details that is judged."""


def chosen_by(action: Action) -> tuple[str, ...]:
    """The details by which it is judged what an action may choose; none where it chooses nothing."""
    own = tuple(detail for detail in action.details if action.takes(detail))
    media = (
        own if action.name.startswith("play_") or action.name in ("find_place", "find_on_route", "list_places") else ()
    )
    return (*media, *ALSO.get(action.name, ()))


def spared(action: Action, against: Iterable[Preference], seen: Circumstances) -> Action:
    """The action, with what of this it is not to choose: all that surely counts now and that the action does not name."""
    named = " ".join(str(value) for value in action.slots().values())
    values = (p.value for p in against if seen.apply(p) and not contains(named, p.value))
    return action.sparing(dict.fromkeys((*action.spares, *values)))


class Sparing:
    """A vehicle that spares what its driver dislikes."""

    def __init__(self, vehicle: VehiclePort, seat: Seat, clock: Callable[[], datetime]) -> None:
        """Around this vehicle, for whoever drives."""
        self._vehicle, self._seat, self._clock = vehicle, seat, clock

    async def _spared(self, action: Action) -> Action:
        details = chosen_by(action)
        against = await asyncio.to_thread(self._seat.memory.against, details) if details else ()
        if not against:
            return action
        return spared(action, against, await self.circumstances())

    async def circumstances(self) -> Circumstances:
        """What the car knows of the moment."""
        try:
            state = await self._vehicle.state()
        except VehicleError:
            state = VehicleState()
        return Circumstances(self._clock(), self._seat.zone, state.values)

    def offers(self) -> frozenset[str]:
        """See ``schemas.ports.VehiclePort``, here and below."""
        return self._vehicle.offers()

    async def state(self) -> VehicleState:
        """Current signals."""
        return await self._vehicle.state()

    async def act(self, action: Action) -> ActionResult:
        """Act, sparing what is disliked."""
        return await self._vehicle.act(await self._spared(action))

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        """What that would come to."""
        return await self._vehicle.foresee(await self._spared(action), confirmed=confirmed)

    async def confirm(self, token: str) -> ActionResult:
        """Carry out what waits."""
        return await self._vehicle.confirm(token)

    def withdraw(self, token: str) -> None:
        """Drop what waits."""
        self._vehicle.withdraw(token)

    async def take_back(self, action: Action) -> ActionResult | None:
        """Undo it."""
        return await self._vehicle.take_back(action)

    def due(self) -> Sequence[str]:
        """Sentences to speak unasked."""
        return self._vehicle.due()

    async def close(self) -> None:
        """Release the adapter."""
        await self._vehicle.close()
