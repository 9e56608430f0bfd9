"""From an action to what is written to the vehicle, and from the vehicle to an answer.

Owns which signals an action needs, how relative changes resolve against the present state, what is switched along with
what was asked, and which signals prove that it is done. Decides nothing about safety (``vehicle.gate``) and writes
nothing (``vehicle.service``).

Switched along (CAR-bench policies 005, 010, 011, which want these pairs): opening the sunroof opens the sunshade at least
as far; the front defroster brings fan 2, air at the windscreen and air conditioning; air conditioning brings fan 1.
Ours: a colour or brightness of the ambient light switches it on, brightness 0 off; setting or raising the volume ends
muting; a fan, airflow or recirculation chosen by hand ends automatic climate; a zone with a temperature of its own ends
keeping all zones alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schemas import actions as a
from schemas.errors import BetweenError
from schemas.events import VehicleState
from vehicle.organizer import Organizer
from vehicle.planning import cabin
from vehicle.planning.charge import charge
from vehicle.planning.desk import desk
from vehicle.planning.needs import INSTEAD, PARTS, SIGNALS_OF, WELCOME, actions_for, missing
from vehicle.planning.plan import PERCENT_STEP, SEAT_STEP_MM, TEMPERATURE_STEP, Effect, NotThereError, Plan, unplanned
from vehicle.planning.route import Routes
from vehicle.planning.sound import Sound
from vehicle.planning.status import status
from vehicle.signals import SIGNALS
from vehicle.sources import MediaSource, PlaceSource

__all__ = [
    "INSTEAD",
    "PARTS",
    "PERCENT_STEP",
    "SEAT_STEP_MM",
    "SIGNALS_OF",
    "TEMPERATURE_STEP",
    "WELCOME",
    "Effect",
    "Plan",
    "Planner",
    "actions_for",
]


NOT_THERE = "This car doesn't have that; ask me what I can do."


class Planner:
    """Plans actions with what is known of places, media and appointments."""

    def __init__(
        self,
        places: PlaceSource,
        media: MediaSource,
        *,
        organizer: Organizer | None = None,
        signals: frozenset[str] = frozenset(SIGNALS),
    ) -> None:
        """A planner over these.

        Args:
            places: where one can go.
            media: what can be played.
            organizer: timers, calendar and contacts; None for one that knows nobody and whose clock stands.
            signals: what the vehicle has; a plan never writes anything else.
        """
        self._organizer = organizer or Organizer(lambda: 0.0)
        self._routes, self._sound = Routes(places, self._organizer), Sound(media)
        self._signals = signals

    def fit(self, signals: frozenset[str]) -> None:
        """From now on the vehicle has these signals."""
        self._signals = signals

    def offers(self) -> frozenset[str]:
        """Names of the actions that can be planned for this vehicle."""
        having = actions_for(self._signals)
        return having if self._organizer.sends_mail else having - {"send_email"}

    def plan(self, action: a.Action, state: VehicleState, travelling: Mapping[str, Any] | None = None) -> Plan:
        """What to write and what to answer.

        Args:
            action: what was asked for.
            state: the vehicle now.
            travelling: where what was moved last is going, for ``stop_moving``.

        Raises:
            schemas.errors.AdapterError: a relative change or a question needs a signal that the vehicle does not report.
        """
        if isinstance(action, a.StopMoving):
            return cabin.stop(state, travelling or {})
        try:
            plan = self._fitted(self._planned(action, state))
        except NotThereError:
            return Plan(refusal=NOT_THERE)
        opened = {name for name, value in plan.changes.items() if name in state.ends and value == 100}
        plan = replace(plan, unproven=plan.unproven | {name for name in opened if state.values.get(name) == 100})
        between = any(name in state.ends and value not in (0, 100) for name, value in plan.changes.items())
        return Plan(refusal=BetweenError.spoken) if between else plan

    def missing(self, action: a.Action) -> str:
        """What this vehicle lacks of the places that the action is about, as a sentence; empty where it has one of them."""
        return missing(action, self._signals)

    def _planned(self, action: a.Action, state: VehicleState) -> Plan:
        match action.domain:
            case a.Domain.CLIMATE:
                return Plan(cabin.climate(action, state))
            case a.Domain.SEATS:
                return Plan(cabin.seats(action, state))
            case a.Domain.OPENINGS:
                changes = cabin.openings(action, state)
                return Plan(changes) if changes else Plan(refusal="That leaves no window; tell me which one to move.")
            case a.Domain.LIGHTS:
                return Plan(cabin.lights(action, state))
            case a.Domain.DISPLAY:
                return Plan(cabin.display(action, state))
            case a.Domain.MEDIA:
                return self._sound.plan(action, state)
            case a.Domain.NAVIGATION:
                return self._routes.plan(action, state)
            case a.Domain.CHARGING:
                return charge(action, state)
            case a.Domain.STATUS:
                return Plan(answer=status(action, state))
            case a.Domain.ASSISTANT:
                return desk(action, state, self._organizer, self.offers)
            case a.Domain.MEMORY:
                raise unplanned(action)

    def _fitted(self, plan: Plan) -> Plan:
        """Without what this vehicle does not have; refused if nothing is left of it."""
        if self._signals.issuperset(plan.changes):
            return plan
        left = {name: value for name, value in plan.changes.items() if name in self._signals}
        if not left:
            return Plan(refusal=NOT_THERE)
        return replace(plan, changes=left)
