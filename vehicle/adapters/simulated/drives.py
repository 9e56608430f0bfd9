"""Named drives: speed, gear and weather over time. Owns the profiles; knows no vehicle."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schemas.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Leg:
    """A stretch of a drive in which speed goes in a straight line to ``to_kmh``."""

    seconds: float
    to_kmh: float
    gear: str = "D"


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive from standing in P with the ignition on; after its last leg things stay as they are."""

    legs: tuple[Leg, ...] = ()
    outside_celsius: float = 12.0
    rain_percent: float = 0.0

    def at(self, seconds: float) -> tuple[float, str]:
        """Speed in km/h, to a tenth, and gear after that many seconds. Standing is exactly 0."""
        speed, gear = 0.0, "P"
        for leg in self.legs:
            if seconds < leg.seconds:
                share = max(0.0, seconds) / leg.seconds
                return round(speed + share * (leg.to_kmh - speed), 1), leg.gear
            speed, gear = leg.to_kmh, leg.gear
            seconds -= leg.seconds
        return speed, gear


_TOWN = (Leg(8, 50), Leg(40, 48), Leg(6, 30), Leg(25, 32), Leg(6, 50), Leg(60, 49))
_MOTORWAY = (Leg(12, 100), Leg(15, 130), Leg(120, 125), Leg(10, 110), Leg(90, 112))

DRIVES: Mapping[str, Drive] = MappingProxyType(
    {
        "parked": Drive(),
        "town": Drive((*_TOWN, Leg(1e6, 49)), outside_celsius=9.0, rain_percent=15.0),
        "motorway": Drive((*_MOTORWAY, Leg(1e6, 112))),
        "commute": Drive(
            (Leg(20, 0, "P"), Leg(5, 0), *_TOWN, *_MOTORWAY, Leg(15, 50), Leg(20, 48), Leg(8, 0), Leg(4, 0, "P"))
        ),
    }
)
"""``parked``; ``town`` in light rain, away at once; ``motorway``; ``commute``: parked, town, motorway, town, parked."""


def drive_named(name: str) -> Drive:
    """The drive of that name.

    Raises:
        schemas.errors.ConfigError: no drive has that name.
    """
    if name not in DRIVES:
        near = difflib.get_close_matches(name, DRIVES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(DRIVES)}"
        raise ConfigError(f"no drive is called {name!r}; {hint}")
    return DRIVES[name]
