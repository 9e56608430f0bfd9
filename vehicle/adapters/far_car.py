"""The car at the other end of the wire, for tests and measurements: the simulated plant, and a log of what reached it.

Owns nothing of a protocol: the stand-ins of this folder (``kuksa_car``, ``can_car``, ``mqtt_car``) put it behind one.
"""

from __future__ import annotations

import threading
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from schemas.errors import AdapterError
from schemas.ports import Clock
from vehicle.adapters.simulated import SimulatedVehicle

T = TypeVar("T")


class FarCar:
    """A simulated car whose commands arrive from a wire; may be used from any thread."""

    def __init__(self, clock: Clock, *, profile: str = "parked", initial: Mapping[str, Any] | None = None) -> None:
        """A car that begins its drive now."""
        self.plant = SimulatedVehicle(clock, profile=profile, initial=initial, without=frozenset())
        self.log: list[dict[str, Any]] = []
        """Commands in the order in which they arrived."""
        self.deaf = False
        """Commands arrive and nothing moves."""
        self._lock = threading.Lock()

    def command(self, changes: Mapping[str, Any]) -> None:
        """A command has arrived; one that the car cannot follow changes nothing."""
        with self._lock:
            self.log.append(dict(changes))
            if not self.deaf:
                try:
                    _at_once(self.plant.write(changes))
                except AdapterError:
                    self.log[-1] = {"refused": tuple(changes)}

    def values(self) -> dict[str, Any]:
        """Present values by signal and driving field; unknown ones are missing."""
        with self._lock:
            state = _at_once(self.plant.read())
        driving = {"speed_kmh": state.speed_kmh, "gear": state.gear, "ignition_on": state.ignition_on}
        return {name: value for name, value in {**state.values, **driving}.items() if value is not None}


def _at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("the simulated car does not wait")
