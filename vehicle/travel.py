"""Where an action would move what travels: windows, sunroof, sunshade and the volume, for the gate and for the planner alike.

Owns how far "a bit" is. Judges nothing (``vehicle.gate``) and writes nothing (``vehicle.planning``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from schemas import actions as a
from schemas.events import VehicleState

WINDOW_STEP, ROOF_STEP = 15, 20
"""What "a bit" means for a window and for the roof, in percent: a hand's width. Our choice."""

VOLUME, VOLUME_STEP = "media.volume", 10
"""What "louder" means, in percent. Our choice."""

ROOFS: Mapping[str, str] = MappingProxyType(
    {"set_sunroof": "sunroof.position", "change_sunroof": "sunroof.position", "set_sunshade": "sunroof.shade"}
)
"""Action -> the one signal that it moves."""


class Movement(NamedTuple):
    """One position and where it would go, in percent (0 is closed). None: unknown."""

    present: float | None
    target: float | None
    opens: bool
    """Whether the target lies above the present position; where that is unknown, whether it may."""
    closes: bool


def number(value: Any) -> float | None:
    """The value as a finite number, or None: unknown."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else None


def movements(action: a.Action, state: VehicleState) -> Mapping[str, Movement]:
    """Signal -> its movement, for the actions that move a window, the sunroof, the sunshade or the volume; empty for others.

    A window that the car does not have, or does not let be moved, moves with none of the others.
    """
    match action:
        case a.SetWindow(window=window, but=but, percent=percent):
            return {name: _to(state, name, percent) for name in _panes(window, but, state)}
        case a.ChangeWindow(window=window, but=but, change=change, by=by):
            return {name: _by(state, name, change, by or WINDOW_STEP) for name in _panes(window, but, state)}
        case a.ChangeSunroof(change=change, by=by):
            return {ROOFS[action.name]: _by(state, ROOFS[action.name], change, by or ROOF_STEP)}
        case a.SetVolume(percent=percent):
            return {VOLUME: _to(state, VOLUME, percent)}
        case a.ChangeVolume(times=times) if times is not None:
            return {VOLUME: _times(state, 2.0 if times == "double" else 0.5)}
        case a.ChangeVolume(change=change, by=by):
            return {VOLUME: _by(state, VOLUME, "open" if change == "up" else "close", by or VOLUME_STEP)}
        case a.SetSunroof(percent=percent) | a.SetSunshade(percent=percent):
            return {ROOFS[action.name]: _to(state, ROOFS[action.name], percent)}
        case _:
            return {}


def _panes(window: str, but: str | None, state: VehicleState) -> tuple[str, ...]:
    names = (f"window.{corner}" for corner in a.corners(window, but))
    return tuple(name for name in names if name not in state.absent)


def _to(state: VehicleState, name: str, target: float) -> Movement:
    present = number(state.values.get(name))
    if present is None:
        return Movement(None, target, target > 0.0, target < 100.0)
    return Movement(present, target, target > present, target < present)


def _by(state: VehicleState, name: str, change: str, step: float) -> Movement:
    present = number(state.values.get(name))
    opens = change == "open"
    if present is None:
        return Movement(None, None, opens, not opens)
    target = min(100.0, present + step) if opens else max(0.0, present - step)
    return Movement(present, target, target > present, target < present)


def _times(state: VehicleState, factor: float) -> Movement:
    present = number(state.values.get(VOLUME))
    if present is None:
        return Movement(None, None, factor > 1.0, factor < 1.0)
    target = min(100.0, present * factor)
    return Movement(present, target, target > present, target < present)
