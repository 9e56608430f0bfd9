"""What an action comes to in a state, and the few steps that every domain's planning needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from schemas import actions as a
from schemas.errors import AdapterError, NotReportedError
from schemas.events import VehicleState
from vehicle.planning.needs import settings
from vehicle.signals import SIGNALS

TEMPERATURE_STEP = 1.5
"""Degrees that "warmer" and "cooler" mean: smaller steps are hardly felt. Our choice."""

PERCENT_STEP = 10
"""What "louder" and "brighter" mean, in percent. Our choice."""

SEAT_STEP_MM, RECLINE_STEP_DEGREES, LUMBAR_STEP = 20, 4, 20
"""How far the seat moves at a time: little enough to notice and stop. Our choice."""


MIRROR_STEP = 10
"""How far a mirror turns at a time, in percent of half its way. Our choice."""

LISTS = frozenset({"entries", "timers", "warnings", "places", "stops", "on", "doors_open"})
"""Keys of answers that are read out one after the other."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action does beside the vehicle. ``undo`` takes it back; None where that cannot be done."""

    do: Callable[[], None]
    undo: Callable[[], None] | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an action comes to in a state."""

    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Signal -> target value, to be written together."""
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was read or chosen, for ``ActionResult.answer``."""
    unproven: frozenset[str] = frozenset()
    """Signals that change by themselves, so that their value proves nothing."""
    refusal: str = ""
    """Why it cannot be done though it is allowed; a sentence to speak. Empty when it can."""

    effect: Effect | None = None
    """What is to be done beside the vehicle, once the changes have been seen."""

    @property
    def proof(self) -> Mapping[str, Any]:
        """The changes that must be seen in the vehicle's current values before anyone says "done"."""
        return {name: value for name, value in self.changes.items() if name not in self.unproven}


def cut(plan: Plan, most: int) -> Plan:
    """The plan with no more than so many things in each list of its answer; how many were left out stands beside them."""
    long = {
        key: told
        for key, told in plan.answer.items()
        if key in LISTS and isinstance(told, list | tuple) and len(told) > most
    }
    if not long:
        return plan
    kept = {key: list(told)[:most] for key, told in long.items()}
    return replace(plan, answer={**plan.answer, **kept, "left_out": sum(len(told) - most for told in long.values())})


def direct(action: a.Action) -> dict[str, Any]:
    """What an action writes that has no plan of its own: what it ``sets``.

    Raises:
        schemas.errors.AdapterError: it sets nothing; a defect.
    """
    slots = action.model_dump()
    changes = {
        signal: slots[slot]
        for signal, slot, place in settings(type(action))
        if all(slots[name] in (value, "all") for name, value in place.items())
    }
    if not changes:
        raise unplanned(action)
    return changes


def unplanned(action: a.Action) -> AdapterError:
    """The defect that an action has no plan."""
    return AdapterError(f"the planner has no plan for {action.name}")


class NotThereError(AdapterError):
    """A plan reads what this vehicle does not have: it is refused, and no fault."""


def present(state: VehicleState, name: str) -> Any:
    """The present value of a signal that must be known.

    Raises:
        NotThereError: the vehicle does not have it.
        schemas.errors.NotReportedError: the vehicle does not report it.
    """
    value = state.values.get(name)
    if value is None and name in state.absent:
        raise NotThereError(f"the vehicle has no {name}")
    if value is None:
        raise NotReportedError(f"the vehicle does not report {name}")
    return value


def stepped(state: VehicleState, name: str, change: str, step: float) -> Any:
    """The value one step up or down, within the signal's range.

    Raises:
        schemas.errors.NotReportedError: the vehicle does not report it.
    """
    signal, value = SIGNALS[name], present(state, name)
    return min(signal.high, max(signal.low, value + (step if change == "up" else -step)))


def sides(
    zone: str, template: str, state: VehicleState, every: tuple[str, ...] = ("driver", "passenger")
) -> tuple[str, ...]:
    """Names of the signals of a zone, of those that the car has."""
    names = tuple(template.format(side) for side in (every if zone == "all" else (zone,)))
    return tuple(name for name in names if name not in state.absent) or names
