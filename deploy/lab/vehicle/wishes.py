"""Random wishes, drives and faults for a vehicle behind its gate, and what must hold whatever happens.

Owns the sequences and the checks; ``deploy.lab.vehicle.gate`` and the tests run them. A sequence is a few wishes to one car on
some drive while faults come and go. What must hold:

- nothing is written but while somebody waits for an answer, and only what the pure rules allow by the state that was read
  last (or ask about, after a yes);
- nothing that was asked for before a loss is written after it;
- every wish has a result within its limits, and no error gets out but a refused confirmation;
- when the faults are gone the next wish is served, without a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from schemas.actions import ACTIONS, Action, Domain, SetDomeLight, Undo
from schemas.clock import StreamClock
from schemas.errors import ConfirmationError
from schemas.events import ActionResult, ActionStatus, VehicleState, Verdict
from vehicle.adapters.simulated import DRIVES, SimulatedVehicle
from vehicle.gate import rule
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS, fits
from vehicle.undo import stands_for

PATIENCE_S = 0.02
"""How long a call may take here: a hanging car costs so much of the measurement's time."""

LIMIT_S = 6.0
"""Seconds of the car's clock within which every wish has its result: two calls that come late and the watch."""

WORDS = ("home", "the airport", "jazz", "anna berg", "nowhere at all", "road trip")
LIES: tuple[Any, ...] = (float("nan"), -1, 1e9, "broken", True, 0)


@dataclass(slots=True)
class Tally:
    """What a run came to."""

    sequences: int = 0
    wishes: int = 0
    writes: int = 0
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    longest_s: float = 0.0
    """Longest that a wish took by the car's clock."""
    violations: list[str] = field(default_factory=list[str])


class Watched(SimulatedVehicle):
    """A simulated car that notes what it told and what was written to it, when it took effect."""

    def __init__(self, clock: StreamClock, profile: str) -> None:
        """A car that is plugged in and drives this profile."""
        super().__init__(clock, profile=profile, initial={"charging.plugged": True})
        self.told: VehicleState | None = None
        self.landed: list[tuple[Mapping[str, Any], VehicleState | None]] = []
        """What was written, and what had been told last by then."""

    async def read(self) -> VehicleState:
        """As the car tells it."""
        self.told = await super().read()
        return self.told

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Noted once it has taken effect."""
        told = self.told
        await super().write(changes)
        self.landed.append((dict(changes), told))


@cache
def _schema(kind: type[Action]) -> Mapping[str, Any]:
    return kind.model_json_schema()


def random_action(dice: Random) -> Action:
    """Any action that a vehicle may have, with any slots that it may have."""
    kind = dice.choice([action for action in ACTIONS if action.domain is not Domain.MEMORY])
    schema = _schema(kind)
    slots: dict[str, Any] = {}
    for name, info in kind.model_fields.items():
        if not info.is_required() and dice.random() < 0.5:
            continue
        slots[name] = _value(schema["properties"][name], dice)
    return kind.model_validate(slots)


def _value(schema: Mapping[str, Any], dice: Random) -> Any:
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if options:
        schema = options[0]
    if "pattern" in schema:
        return dice.choice(("112", "0441234567"))
    if "enum" in schema:
        return dice.choice(schema["enum"])
    if schema.get("format") == "date":
        return dice.choice(("2026-12-24", "2027-06-07", "2020-01-01"))
    if "const" in schema:
        return schema["const"]
    if schema.get("type") == "boolean":
        return dice.random() < 0.5
    if schema.get("type") in ("integer", "number"):
        step = schema.get("multipleOf", 1)
        first, last = -(-schema["minimum"] // step), schema["maximum"] // step
        return dice.randint(int(first), int(last)) * step
    return dice.choice(WORDS)


def _change_faults(car: Watched, dice: Random) -> None:
    faults = car.faults
    signals = sorted(SIGNALS)
    changes: tuple[Callable[[], None], ...] = (
        lambda: setattr(faults, "lost", not faults.lost),
        lambda: setattr(faults, "stale", not faults.stale),
        lambda: setattr(faults, "hangs", dice.random() < 0.3),
        lambda: setattr(faults, "late_s", dice.choice((0.0, 0.01, 3.0))),
        lambda: setattr(faults, "drops", not faults.drops),
        lambda: setattr(faults, "reorders", not faults.reorders),
        lambda: setattr(faults, "fails_after", dice.choice((None, 1, 2, 3))),
        lambda: faults.stuck.update(dice.sample(signals, 3)),
        lambda: faults.unknown.update(dice.sample(["speed_kmh", "gear", "ignition_on", *signals], 3)),
        lambda: faults.lies.update({dice.choice(signals): dice.choice(LIES)}),
        lambda: faults.lies.update({"speed_kmh": dice.choice((0.0, 200.0, float("nan"), -5.0))}),
        lambda: heal(car),
    )
    dice.choice(changes)()


def heal(car: Watched) -> None:
    """No faults any more."""
    car.faults = type(car.faults)()


class Sequences:
    """Runs sequences with one set of catalogues."""

    def __init__(self, seed: int) -> None:
        """Sequences that are the same for the same seed."""
        self._dice = Random(seed)
        self._places, self._media = Places.load(), MediaLibrary.load()
        self.tally = Tally()

    async def run(self, count: int, *, wishes: int = 4) -> Tally:
        """Run so many sequences of so many wishes and add them to the tally."""
        for _ in range(count):
            await self._one(wishes)
        return self.tally

    async def _one(self, wishes: int) -> None:
        dice, clock = self._dice, StreamClock()
        car = Watched(clock, dice.choice(sorted(DRIVES)))
        vehicle = GatedVehicle(car, clock, places=self._places, media=self._media, patience_s=PATIENCE_S)
        clock.advance_to(dice.random() * 60.0)
        self.tally.sequences += 1
        for _ in range(wishes):
            while dice.random() < 0.3:
                _change_faults(car, dice)
            clock.advance_to(clock.now() + dice.random() * 5.0)
            await self._wish(random_action(dice), car, vehicle, clock)
        heal(car)
        car.landed.clear()
        clock.advance_to(clock.now() + 20.0)
        result = await vehicle.act(SetDomeLight(on=False))
        if result.status is not ActionStatus.DONE:
            self._broken("not served after the faults were gone", SetDomeLight(on=False), car)
        if any(set(changes) != {"light.dome"} for changes, _ in car.landed):
            self._broken("something old was written", SetDomeLight(on=False), car)

    async def _wish(self, action: Action, car: Watched, vehicle: GatedVehicle, clock: StreamClock) -> None:
        if car.landed:
            self._broken("written while nobody waited", action, car)
        began = clock.now()
        try:
            result = await vehicle.act(action)
            self._judge(action, car, confirmed=False)
            if result.token is not None:
                self._took(clock.now() - began)
                clock.advance_to(clock.now() + self._dice.choice((0.5, 2.0, 20.0)))
                if self._dice.random() < 0.2:
                    _change_faults(car, self._dice)
                began = clock.now()
                result = await self._confirmed(action, result, car, vehicle)
        except Exception as error:  # noqa: BLE001 - that nothing gets out is what is checked
            self._broken(f"raised {type(error).__name__}: {error}", action, car)
            return
        self._took(clock.now() - began)
        self.tally.wishes += 1
        self.tally.statuses[result.status.value] = self.tally.statuses.get(result.status.value, 0) + 1

    async def _confirmed(
        self, action: Action, asked: ActionResult, car: Watched, vehicle: GatedVehicle
    ) -> ActionResult:
        try:
            result = await vehicle.confirm(str(asked.token))
        except ConfirmationError:
            result = asked
        self._judge(action, car, confirmed=True)
        return result

    def _judge(self, action: Action, car: Watched, *, confirmed: bool) -> None:
        """Whether what has been written was allowed by what the car had told."""
        for changes, told in tuple(car.landed):
            self.tally.writes += 1
            if told is None:
                self._broken("written unseen", action, car)
                continue
            state = believed(told)
            judged = (*stands_for(changes), action) if isinstance(action, Undo) else (action,)
            verdicts = {rule(one, state).verdict for one in judged}
            if Verdict.DENY in verdicts or (Verdict.CONFIRM in verdicts and not confirmed):
                self._broken(f"wrote {sorted(changes)} against the policy", action, car)
        car.landed.clear()

    def _took(self, seconds: float) -> None:
        self.tally.longest_s = max(self.tally.longest_s, seconds)
        if seconds > LIMIT_S:
            self.tally.violations.append(f"a wish took {seconds:.1f} s")

    def _broken(self, what: str, action: Action, car: Watched) -> None:
        self.tally.violations.append(f"{what}: {action.name}, {car.faults}")
        car.landed.clear()


def believed(state: VehicleState) -> VehicleState:
    """The state without values that cannot be: those are unknown."""
    kept = {name: value for name, value in state.values.items() if fits(SIGNALS[name], value)}
    return state.model_copy(update={"values": kept})


def run(count: int, *, seed: int = 1, wishes: int = 4) -> Tally:
    """Run sequences on the simulated car."""
    return asyncio.run(Sequences(seed).run(count, wishes=wishes))
