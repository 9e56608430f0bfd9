"""The simulated car as an adapter: the plant at the clock's time, and faults to inject. Owns no physics."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import AdapterError
from schemas.events import VehicleState
from schemas.ports import Clock
from vehicle.adapters.findings import Finding
from vehicle.adapters.simulated.drives import drive_named
from vehicle.adapters.simulated.plant import Plant
from vehicle.signals import SIGNALS, check_changes, fits

DEADLINE_S = 0.8
"""A write that the car could not take by then is an error and never happens: below the patience of ``vehicle.service``."""


@dataclass(slots=True)
class Faults:
    """What is broken; change it at any time."""

    stuck: set[str] = field(default_factory=set[str])
    """Signals that accept a new value and do not move."""
    stale: bool = False
    """Speed, gear and ignition stop being updated: their age grows from the last reading."""
    unknown: set[str] = field(default_factory=set[str])
    """Signals, or ``speed_kmh``, ``gear``, ``ignition_on``, that are no longer reported."""
    lost: bool = False
    """The vehicle cannot be reached."""
    hangs: bool = False
    """Calls never return."""
    late_s: float = 0.0
    """Seconds that every call takes."""
    drops: bool = False
    """Writes are accepted and lost."""
    reorders: bool = False
    """A reading is the one before the last."""
    lies: dict[str, Any] = field(default_factory=dict[str, Any])
    """Values that are reported instead of the true ones, by signal, ``speed_kmh``, ``gear`` or ``ignition_on``."""
    fails_after: int | None = None
    """So many calls are answered, then the vehicle is lost: a bus that breaks down in the middle of an action."""


class SimulatedVehicle:
    """A simulated car; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(
        self,
        clock: Clock,
        *,
        profile: str = "parked",
        initial: Mapping[str, Any] | None = None,
        ignition_on: bool = True,
        without: frozenset[str] = frozenset({"fuel.level", "fuel.range"}),
    ) -> None:
        """A car that begins its drive now.

        Args:
            clock: its time.
            profile: name of a drive in ``vehicle.adapters.simulated.drives``.
            initial: values to start with instead of the table's; signals that are only read may be set here.
            ignition_on: whether the ignition is on.
            without: signals that this car does not have; what it leaves out by itself makes it an electric car.

        Raises:
            schemas.errors.ConfigError: no drive has that name.
            schemas.errors.AdapterError: an initial value does not fit its signal.
        """
        for name, value in (initial or {}).items():
            if name not in SIGNALS or not fits(SIGNALS[name], value):
                raise AdapterError(
                    f"the simulated car cannot start with this {name}; see vehicle.signals for its range"
                )
        self.faults = Faults()
        self._clock = clock
        self._began = clock.now()
        no_shade = {"sunroof.shade": 100} if "sunroof.shade" in without else {}  # it holds no roof back
        self._plant = Plant(drive_named(profile), {**no_shade, **(initial or {})})
        self._ignition_on = ignition_on
        self._offers = frozenset(SIGNALS) - without
        self._updated = self._began
        self._closed = False
        self._last: VehicleState | None = None
        self._told_at = self._began

    def offers(self) -> frozenset[str]:
        """All signals of the table but those it was built without."""
        return self._offers

    async def read(self) -> VehicleState:
        """The car at the clock's time.

        Raises:
            schemas.errors.AdapterError: lost or closed.
        """
        await self._reach()
        now = self._clock.now()
        if not self.faults.stale:
            self._updated = now
        speed, gear = self._plant.driving(self._updated - self._began)
        values, unknown = self._plant.values(), self.faults.unknown
        driving = {"speed_kmh": speed, "gear": gear, "ignition_on": self._ignition_on}
        told: dict[str, Any] = {**values, **driving, **self.faults.lies, **dict.fromkeys(unknown & set(driving))}
        state = VehicleState(
            speed_kmh=told["speed_kmh"],
            gear=told["gear"],
            ignition_on=told["ignition_on"],
            age_s=now - self._updated,
            values={name: told[name] for name in sorted(self._offers - unknown)},
        )
        before, self._last = self._last, state
        self._told_at, told_before = now, self._told_at
        if self.faults.reorders and before is not None:
            return before.model_copy(update={"age_s": before.age_s + now - told_before})
        return state

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Set targets; what travels begins to move with the clock.

        Raises:
            schemas.errors.AdapterError: lost or closed, too late, or a change that the table does not allow.
        """
        asked = self._clock.now()
        await self._reach()
        if self._clock.now() - asked > DEADLINE_S:
            raise AdapterError("the simulated car took too long; nothing was changed")
        missing = sorted(set(changes) & (set(SIGNALS) - self._offers))
        if missing:
            raise AdapterError(f"this car has no {', '.join(missing)}")
        check_changes(changes)
        if self.faults.drops:
            return
        self._plant.set({name: value for name, value in changes.items() if name not in self.faults.stuck})

    async def close(self) -> None:
        """Nothing can be read or written any more."""
        self._closed = True

    def check(self) -> tuple[Finding, ...]:
        """What this car is."""
        return (Finding("ok", "connection", f"simulated car with {len(self._offers)} signals"),)

    async def _reach(self) -> None:
        """Let the plant catch up with the clock, or fail."""
        if self.faults.hangs:
            await asyncio.Event().wait()
        if self.faults.late_s > 0.0:
            await self._clock.sleep(self.faults.late_s)
        if self._closed:
            raise AdapterError("the simulated car is closed; make a new one")
        if self.faults.fails_after is not None:
            self.faults.fails_after -= 1
            self.faults.lost = self.faults.lost or self.faults.fails_after < 0
        if self.faults.lost:
            raise AdapterError("the connection to the simulated car is lost")
        self._plant.advance(self._clock.now() - self._began, frozenset(self.faults.stuck))
