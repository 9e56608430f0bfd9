"""Random wishes to a car behind a real adapter, while its wire and the car misbehave; and what must hold whatever happens.

    python -m tests.adapter_sequences kuksa|can|mqtt COUNT [SEED [SECONDS]]

What must hold: nothing is written but what the rules allow by the state that was read last (or ask about, after a yes); nothing
reaches the car but what the present wish wrote, so nothing old is ever carried out; every wish has a result and no error gets
out; when the faults are gone the next wish is served, without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from deploy.lab.vehicle.wishes import believed, random_action
from schemas.actions import Action, SetDomeLight, Undo
from schemas.errors import AdapterError, ConfirmationError
from schemas.events import ActionStatus, VehicleState, Verdict
from tests.vehicle_rigs import PATIENCE_S, PLUGGED, RIGS, Rig
from vehicle.adapters import Finding, VehicleAdapter
from vehicle.adapters.simulated import DRIVES, SimulatedVehicle
from vehicle.gate import rule
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.service import GatedVehicle
from vehicle.undo import stands_for

TRIES = 3
"""How often the wish after the faults may be said: the rig's deadline is 0.3 s of real time, which a busy machine misses."""


@dataclass(slots=True)
class Tally:
    """What a run came to."""

    sequences: int = 0
    wishes: int = 0
    writes: int = 0
    refused: int = 0
    """Writes that ended in an error."""
    arrived: int = 0
    again: int = 0
    """Wishes after the faults that had to be said again, because the machine took longer than the rig's deadline."""
    faults: dict[str, int] = field(default_factory=dict[str, int])
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list[str])


class Watched:
    """An adapter that notes what it told and what was written to it; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(self, car: VehicleAdapter) -> None:
        self._car = car
        self.told: VehicleState | None = None
        self.written: list[tuple[dict[str, Any], VehicleState | None]] = []
        self.refused = 0
        self.reason = ""
        """Why the last write was refused."""

    def offers(self) -> frozenset[str]:
        return self._car.offers()

    async def read(self) -> VehicleState:
        self.told = await self._car.read()
        return self.told

    async def write(self, changes: Mapping[str, Any]) -> None:
        self.written.append((dict(changes), self.told))
        try:
            await self._car.write(changes)
        except AdapterError as error:
            self.refused += 1
            self.reason = str(error)
            raise

    def check(self) -> tuple[Finding, ...]:
        return self._car.check()

    async def close(self) -> None:
        """Left open: the next sequence uses the same connection."""


class Sequences:
    """Sequences on one rig, whose connection lives on from each to the next."""

    def __init__(self, rig: Rig, seed: int) -> None:
        self.tally = Tally()
        self._rig, self._dice = rig, Random(seed)  # noqa: S311 - drawn with a seed, to be drawn again
        self._places, self._media = Places.load(), MediaLibrary.load()
        self._hurt = False

    def run(self, count: int, wishes: int = 3, *, within_s: float = float("inf")) -> Tally:
        """Run so many sequences of so many wishes, or as many as the time allows."""
        began = time.monotonic()
        while self.tally.sequences < count and time.monotonic() - began < within_s:
            self._one(wishes)
            if len(self.tally.violations) > 20:
                break
        self.tally.seconds = round(time.monotonic() - began, 1)
        return self.tally

    def _one(self, wishes: int) -> None:
        rig, dice = self._rig, self._dice
        rig.far.plant = SimulatedVehicle(
            rig.clock,
            profile=dice.choice(sorted(DRIVES)),
            initial={**PLUGGED, **rig.initial},
            without=frozenset(),
        )
        rig.far.deaf = False
        rig.far.log.clear()
        rig.advance(dice.random() * 3.0)
        watched = Watched(rig.car)
        vehicle = GatedVehicle(watched, rig.clock, places=self._places, media=self._media, patience_s=PATIENCE_S)
        self.tally.sequences += 1
        for _ in range(wishes):
            if dice.random() < 0.4:
                self._fault()
            self._wish(random_action(dice), vehicle, watched)
        self._heal()
        self._stale(set(), "after the faults were gone")
        for tried in range(TRIES):
            rig.back()
            result = asyncio.run(vehicle.act(SetDomeLight(on=False)))
            if result.status is ActionStatus.DONE:
                break
            self.tally.again += 1
            if tried == TRIES - 1:
                self.tally.violations.append(
                    f"not served after the faults were gone: {result.status} {result.error} {watched.reason}"
                )
        rig.settle()
        self.tally.refused += watched.refused

    def _wish(self, action: Action, vehicle: GatedVehicle, watched: Watched) -> None:
        watched.written.clear()
        try:
            result = asyncio.run(vehicle.act(action))
            self._judge(action, watched, confirmed=False)
            if result.token is not None:
                if self._dice.random() < 0.2:
                    self._fault()
                with contextlib.suppress(ConfirmationError):
                    result = asyncio.run(vehicle.confirm(result.token))
                self._judge(action, watched, confirmed=True)
        except Exception as error:  # noqa: BLE001 - that nothing gets out is what is checked
            self.tally.violations.append(f"{action.name} raised {type(error).__name__}: {error}")
            return
        self.tally.wishes += 1
        self.tally.writes += len(watched.written)
        self.tally.statuses[result.status.value] = self.tally.statuses.get(result.status.value, 0) + 1
        self._rig.settle()
        self._stale({name for changes, _ in watched.written for name in changes}, action.name)

    def _stale(self, wanted: set[str], when: str) -> None:
        """Whether only what was wanted now has reached the car."""
        arrived = {name for command in self._rig.far.log for name in command}
        wanted = wanted | {other for name in wanted for other in self._rig.alike(name)}
        self.tally.arrived += len(self._rig.far.log)
        if arrived - wanted:
            self.tally.violations.append(f"{when}: {sorted(arrived - wanted)} reached the car")
        self._rig.far.log.clear()

    def _judge(self, action: Action, watched: Watched, *, confirmed: bool) -> None:
        for changes, told in watched.written:
            judged = (*stands_for(changes), action) if isinstance(action, Undo) else (action,)
            verdicts = {rule(one, believed(told)).verdict for one in judged} if told is not None else {Verdict.DENY}
            if Verdict.DENY in verdicts or (Verdict.CONFIRM in verdicts and not confirmed):
                self.tally.violations.append(f"{action.name} wrote {sorted(changes)} against the policy")

    def _fault(self) -> None:
        rig, dice = self._rig, self._dice
        faults: dict[str, Callable[[], Any]] = {
            "hang": rig.hang,
            "lose": rig.lose,
            "lie": rig.lie,
            "deaf": lambda: setattr(rig.far, "deaf", True),
            "speed unknown": lambda: rig.far.plant.faults.unknown.add("speed_kmh"),
            "gear unknown": lambda: rig.far.plant.faults.unknown.add("gear"),
            "stuck": lambda: rig.far.plant.faults.stuck.update(dice.sample(sorted(rig.car.offers()), 3)),
            "late": lambda: rig.clock.advance_to(rig.clock.now() + dice.random() * 4.0),
        }
        if self._hurt:
            self._heal()
            return
        name = dice.choices(list(faults), weights=(2, 1, 3, 3, 2, 2, 3, 3))[0]
        self.tally.faults[name] = self.tally.faults.get(name, 0) + 1
        self._hurt = name in ("hang", "lose")
        faults[name]()

    def _heal(self) -> None:
        rig = self._rig
        rig.far.deaf = False
        rig.far.plant.faults = type(rig.far.plant.faults)()
        if self._hurt:
            rig.restore()
            self._hurt = False
        rig.advance(1.0)


def main() -> None:
    """Run as many sequences as the command line says and print the tally as JSON."""
    name, count, *rest = sys.argv[1:]
    seed, within_s = (*rest, *("1", "inf")[len(rest) :])
    logging.getLogger("glovebox.vehicle").setLevel(logging.CRITICAL)  # the faults are wanted
    rig = RIGS[name]()
    try:
        tally = Sequences(rig, int(seed)).run(int(count), within_s=float(within_s))
    finally:
        rig.close()
    sys.stdout.write(json.dumps(asdict(tally), indent=1) + "\n")
    sys.exit(bool(tally.violations))


if __name__ == "__main__":
    main()
