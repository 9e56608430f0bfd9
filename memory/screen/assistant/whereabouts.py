"""Where the car is, and where it goes, on a small map: which pictures lie where on the panel, and the two marks on them.

Owns the geometry (Web Mercator, as the web's maps are cut; north is up). It is for a car that is parked: how much is written on
somebody else's map nobody has counted. Where the car is goes into the page and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memory.screen.assistant.ports import Atlas
from schemas.events import VehicleState

WIDE, HIGH = 480, 320
"""Units of the drawing, one to a pixel of a tile; the panel shows its middle, in whatever form it has."""
SIDE = 256
"""Units of a tile."""
SAFE = 100
"""Units from the middle within which the destination must lie: what every panel shows."""
NEAR = 15
"""The level for a car without a destination: 480 units are two to three kilometres."""
POLE = 85.0511
"""Degrees of latitude at which the projection ends."""
EARTH_M = 6_371_000.0


class Place(NamedTuple):
    """Degrees north and east."""

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A picture and where its upper left corner lies."""

    level: int
    column: int
    row: int
    x: float
    y: float
    side: int = SIDE


@dataclass(frozen=True, slots=True)
class Panel:
    """The drawing."""

    pieces: tuple[Piece, ...]
    here: tuple[float, float]
    end: tuple[float, float] | None
    """The destination; None: there is none, or it is too far away for this map."""
    credit: str
    wide: int = WIDE
    high: int = HIGH


def place(see: Mapping[str, Any], what: str) -> Place | None:
    """A place of the car's signals (``position`` or ``navigation``); None where it is not told.

    A receiver without a fix says 0, 0; a destination counts only while there is one.
    """
    found = see.get(f"{what}.latitude"), see.get(f"{what}.longitude")
    if what == "navigation" and not see.get("navigation.destination"):
        return None
    north, east = (float(one) if isinstance(one, int | float) else math.nan for one in found)
    told = abs(north) <= POLE and abs(east) <= 180.0 and (north, east) != (0.0, 0.0)
    return Place(north, east) if told else None


def apart_m(one: Place, other: Place) -> float:
    """Metres between two places that are not far from each other."""
    north = math.radians(other.latitude - one.latitude)
    east = math.radians(other.longitude - one.longitude) * math.cos(math.radians(one.latitude))
    return EARTH_M * math.hypot(north, east)


def panel(atlas: Atlas | None, state: VehicleState | None) -> Panel | None:
    """The map around the car; None without a map, where the car does not say where it is, or the map has nothing of that place."""
    here = place(state.values, "position") if state is not None else None
    if atlas is None or state is None or here is None:
        return None
    end = place(state.values, "navigation")
    low, high = atlas.levels
    finest = min(high, NEAR)
    if end is not None:
        finest = next((level for level in range(finest, low - 1, -1) if _near(here, end, level)), finest)
    for level in range(finest, low - 1, -1):
        x, y = _at(here, level)
        if atlas.tile(level, int(x // SIDE), int(y // SIDE)) is None:
            continue
        left, top = x - WIDE / 2, y - HIGH / 2
        shown = _from(end, level, left, top) if end is not None and _near(here, end, level) else None
        return Panel(_pieces(level, left, top), (WIDE / 2, HIGH / 2), shown, atlas.credit)
    return None


def _pieces(level: int, left: float, top: float) -> tuple[Piece, ...]:
    most = 1 << level
    return tuple(
        Piece(level, column % most, row, round(column * SIDE - left, 1), round(row * SIDE - top, 1))
        for row in range(max(0, math.floor(top / SIDE)), min(most - 1, math.floor((top + HIGH) / SIDE)) + 1)
        for column in range(math.floor(left / SIDE), math.floor((left + WIDE) / SIDE) + 1)
    )


def _at(place_: Place, level: int) -> tuple[float, float]:
    """Units from the north-west corner of the world (Mercator on a sphere, as EPSG 3857)."""
    size, north = SIDE << level, math.radians(place_.latitude)
    y = 0.5 - math.asinh(math.tan(north)) / (2.0 * math.pi)
    return (place_.longitude + 180.0) / 360.0 % 1.0 * size, min(size - 1.0, max(0.0, y * size))


def _from(place_: Place, level: int, left: float, top: float) -> tuple[float, float]:
    x, y = _at(place_, level)
    return round(x - left, 1), round(y - top, 1)


def _near(here: Place, end: Place, level: int) -> bool:
    (x, y), (other_x, other_y) = _at(here, level), _at(end, level)
    return max(abs(x - other_x), abs(y - other_y)) <= SAFE
