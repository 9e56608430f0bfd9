"""What the vehicle last reported, and how old it is. Threads of a connection put, the adapter reads.

Owns ages and the rule that what is stale or makes no sense is unknown. A value that is marked cyclic must be reported again
and again; it is unknown once its age passes its limit. Others hold until the connection is lost.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any

from schemas.events import VehicleState
from schemas.ports import Clock
from vehicle.adapters.translation import DRIVING
from vehicle.signals import SIGNALS, fits

SPEED_LIMIT_S = 1.0
"""Age from which on a speed is unknown unless a mapping says otherwise: the gate's own limit (``vehicle.policy.STALE_S``)."""


OLDEST_S = 3600.0
"""Ages are told up to this: it is far beyond what anybody takes as fresh."""


class Readings:
    """Present values by signal name and driving field."""

    def __init__(self, clock: Clock, limits: Mapping[str, float], *, alive_s: float = math.inf) -> None:
        """Nothing is known yet.

        Args:
            clock: the time in which values age.
            limits: longest age in seconds of what is cyclic; the speed is, whatever this says.
            alive_s: age of the last speed from which on nothing else holds either: who told it is gone.
        """
        self._clock, self._alive_s = clock, alive_s
        self._limits = {"speed_kmh": SPEED_LIMIT_S, **limits}
        self._lock = threading.Lock()
        self._values: dict[str, tuple[Any, float]] = {}
        self._reported: dict[str, float] = {}
        self._since = clock.now()
        self.nonsense: dict[str, int] = {}
        """How often a signal was reported with a value that makes no sense."""

    def put(self, name: str, value: Any | None, age_s: float = 0.0) -> None:
        """A signal was reported; None, or a value that does not fit: what was known is no longer."""
        signal = SIGNALS.get(name) or DRIVING[name]
        with self._lock:
            if value is None or not fits(signal, value):
                self._values.pop(name, None)
                self.nonsense[name] = self.nonsense.get(name, 0) + 1
            else:
                self._values[name] = (value, self._clock.now() - max(0.0, age_s))
            self._reported[name] = self._clock.now() - max(0.0, age_s)

    def drop(self, name: str) -> None:
        """The vehicle says that it does not know."""
        with self._lock:
            self._values.pop(name, None)
            self._reported[name] = self._clock.now()

    def clear(self) -> None:
        """The connection was lost: nothing is known any more."""
        with self._lock:
            self._values.clear()
            self._reported.clear()
            self._since = self._clock.now()

    def value(self, name: str) -> Any | None:
        """The present value, or None."""
        with self._lock:
            return self._present(name, self._clock.now())

    def state(self, offers: frozenset[str]) -> VehicleState:
        """Everything known of these signals. ``age_s`` is how long ago the speed was reported, or another cyclic driving field."""
        with self._lock:
            now = self._clock.now()
            driving: dict[str, Any] = {name: self._present(name, now) for name in DRIVING}
            reported = min(self._reported.get(name, self._since) for name in DRIVING if name in self._limits)
            values = {name: self._present(name, now) for name in sorted(offers)}
        return VehicleState(
            speed_kmh=driving["speed_kmh"],
            gear=driving["gear"],
            ignition_on=driving["ignition_on"],
            age_s=min(OLDEST_S, max(0.0, now - reported)),
            values={name: value for name, value in values.items() if value is not None},
        )

    def _present(self, name: str, now: float) -> Any | None:
        value, at = self._values.get(name, (None, -math.inf))
        if now - max(self._reported.get("speed_kmh", now), self._since) > self._alive_s:
            return None
        return value if now - at <= self._limits.get(name, math.inf) else None
