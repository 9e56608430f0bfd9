"""Plans of the cabin: climate, seats, openings, lights, display.

Here stands only what is more than writing a slot to the signals that the action ``sets``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schemas import actions as a
from schemas.events import VehicleState
from vehicle.planning.plan import (
    LUMBAR_STEP,
    MIRROR_STEP,
    PERCENT_STEP,
    RECLINE_STEP_DEGREES,
    SEAT_STEP_MM,
    TEMPERATURE_STEP,
    Plan,
    direct,
    present,
    sides,
    stepped,
)
from vehicle.travel import movements

_ZONES = ("driver", "passenger", "rear")
_AMBIENT = "light.ambient"


def climate(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What a climate action writes; by hand ends automatic, and a zone of its own ends keeping all the same."""
    match action:
        case a.SetTemperature(celsius=celsius, zone=zone):
            return {**_temperatures(zone, state, lambda _: celsius), **_switched(state, "climate.on", True)}
        case a.ChangeTemperature(change=change, zone=zone, by=by):
            step = by or TEMPERATURE_STEP
            changed = _temperatures(zone, state, lambda name: stepped(state, name, change, step))
            return {**changed, **_switched(state, "climate.on", True)}
        case a.SetFanSpeed(level=level):
            return {"climate.fan": level, **_by_hand(state, wakes=level > 0)}
        case a.ChangeFanSpeed(change=change):
            level = stepped(state, "climate.fan", change, 1)
            return {"climate.fan": level, **_by_hand(state, wakes=change == "up")}
        case a.SetAirConditioning(on=True):
            return {
                "climate.air_conditioning": True,
                **_fan_at_least(state, 1),
                **_switched(state, "climate.on", True),
            }
        case a.SetAirConditioning():
            return {"climate.air_conditioning": False}
        case a.SetAirflow(direction=direction):
            return {"climate.airflow": direction, **_by_hand(state)}
        case a.SetRecirculation(on=on):
            return {"climate.recirculation": on, **_by_hand(state)}
        case a.SetDefrost(window=window, on=on):
            return _defrost(window, on, state)
        case a.SetAutoClimate(on=on):
            return {"climate.auto": on, **(_switched(state, "climate.on", True) if on else {})}
        case a.SetClimateSync(on=on):
            others = ("climate.passenger.temperature", "climate.rear.temperature") if on else ()
            celsius = present(state, "climate.driver.temperature")
            return {"climate.sync": on, **dict.fromkeys(others, celsius)}
        case _:
            return direct(action)


def _defrost(window: str, on: bool, state: VehicleState) -> dict[str, Any]:
    panes = [pane for pane in (("front", "rear") if window == "all" else (window,))
             if f"climate.defrost_{pane}" not in state.absent]  # fmt: skip
    changes: dict[str, Any] = {f"climate.defrost_{pane}": on for pane in panes}
    if on and "front" in panes:
        changes |= {"climate.air_conditioning": True, "climate.airflow": "windshield", **_fan_at_least(state, 2)}
        changes |= _by_hand(state, wakes=True)
    return changes


def _temperatures(zone: str, state: VehicleState, value: Callable[[str], float]) -> dict[str, Any]:
    if zone == "driver" and state.values.get("climate.sync") is True:
        zone = "all"
    names = sides(zone, "climate.{}.temperature", state, _ZONES)
    known = [name for name in names if zone != "all" or state.values.get(name) is not None] or list(names)
    apart = _switched(state, "climate.sync", False) if zone != "all" else {}
    return {**{name: value(name) for name in known}, **apart}


def _switched(state: VehicleState, name: str, wanted: bool) -> dict[str, Any]:
    """The change that brings a switch there, if it is known to be elsewhere."""
    return {name: wanted} if state.values.get(name) is not None and state.values[name] is not wanted else {}


def _by_hand(state: VehicleState, *, wakes: bool = False) -> dict[str, Any]:
    return {
        **_switched(state, "climate.auto", False),
        **(_switched(state, "climate.on", True) if wakes else {}),
    }


def _fan_at_least(state: VehicleState, level: int) -> dict[str, Any]:
    if "climate.fan" in state.absent:
        return {}
    return {"climate.fan": level} if present(state, "climate.fan") < level else {}


def seats(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What a seat action writes."""
    match action:
        case a.SetSeatHeating(level=level, zone=zone):
            return dict.fromkeys(_heated(zone, state), level)
        case a.ChangeSeatHeating(change=change, zone=zone):
            return {name: stepped(state, name, change, 1) for name in _heated(zone, state)}
        case a.ChangeLumbar(change=change, zone=zone):
            return {name: stepped(state, name, change, LUMBAR_STEP) for name in sides(zone, "seat.{}.lumbar", state)}
        case a.ChangeSteeringWheelHeating(change=change):
            return {"steering_wheel.heating": stepped(state, "steering_wheel.heating", change, 1)}
        case a.MoveSeat(direction=direction):
            name = "seat.driver.position" if direction in ("forward", "back") else "seat.driver.height"
            # Position counts backwards from the front stop, as in VSS.
            return {name: stepped(state, name, "up" if direction in ("back", "up") else "down", SEAT_STEP_MM)}
        case a.ReclineSeat(direction=direction):
            name, change = "seat.driver.recline", "up" if direction == "back" else "down"
            return {name: stepped(state, name, change, RECLINE_STEP_DEGREES)}
        case _:
            return direct(action)


def _heated(zone: str, state: VehicleState) -> list[str]:
    """Heated seats of a zone: the whole cabin means those that the car has."""
    names = sides(zone, "seat.{}.heating", state, _ZONES)
    return [name for name in names if zone != "all" or state.values.get(name) is not None] or list(names)


def openings(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What an action on windows, roof, doors, mirrors or trunk writes."""
    match action:
        case a.SetWindow() | a.ChangeWindow():
            return _reached(action, state)
        case a.SetSunroof() | a.ChangeSunroof():
            changes = _reached(action, state)
            if "sunroof.shade" in state.absent:
                return changes
            roof, shade = changes["sunroof.position"], present(state, "sunroof.shade")
            return {**changes, **({"sunroof.shade": roof} if shade < roof else {})}
        case a.AdjustMirror(zone=zone, direction=direction):
            name = f"mirror.{zone}.{'tilt' if direction in ('up', 'down') else 'pan'}"
            return {name: stepped(state, name, "up" if direction in ("up", "right") else "down", MIRROR_STEP)}
        case a.SetRoofTilt(raised=raised):
            return {"sunroof.tilt": 1 if raised else 0}
        case a.SetTrunk(open=wanted):
            return {"trunk.position": 100 if wanted else 0}
        case _:
            return direct(action)


def _reached(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """Where a movement ends.

    Raises:
        schemas.errors.AdapterError: a relative one begins nobody knows where.
    """
    found: dict[str, Any] = {}
    for name, movement in movements(action, state).items():
        target = movement.target if movement.target is not None else present(state, name)
        found[name] = round(target)
    return found


def lights(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What a light action writes."""
    match action:
        case a.SetAmbientColor(color=color):
            return {f"{_AMBIENT}.on": True, f"{_AMBIENT}.color": color}
        case a.SetAmbientBrightness(percent=percent):
            return {f"{_AMBIENT}.on": percent > 0, f"{_AMBIENT}.brightness": percent}
        case a.ChangeAmbientBrightness(change="down") if present(state, f"{_AMBIENT}.on") is False:
            return {f"{_AMBIENT}.on": False}
        case a.ChangeAmbientBrightness(change=change):
            percent = stepped(state, f"{_AMBIENT}.brightness", change, PERCENT_STEP)
            return {f"{_AMBIENT}.on": percent > 0, f"{_AMBIENT}.brightness": percent}
        case a.SetReadingLight(zone=zone, on=on):
            lamps = [f"light.reading.{corner}" for corner in a.corners(zone)]
            known = [name for name in lamps if state.values.get(name) is not None] if zone in a.GROUPS else lamps
            return dict.fromkeys(known or lamps, on)
        case _:
            return direct(action)


_UNITS: Mapping[str, str] = {
    "celsius": "display.temperature_unit",
    "fahrenheit": "display.temperature_unit",
    "kilometers": "display.distance_unit",
    "miles": "display.distance_unit",
}


def display(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What a display action writes."""
    match action:
        case a.ChangeDisplayBrightness(change=change):
            return {"display.brightness": stepped(state, "display.brightness", change, PERCENT_STEP)}
        case a.SetUnit(unit=unit):
            return {_UNITS[unit]: unit}
        case _:
            return direct(action)


def stop(state: VehicleState, travelling: Mapping[str, Any]) -> Plan:
    """Everything that is still on its way stays where it is.

    Args:
        state: the vehicle now.
        travelling: where what was moved last is going.
    """
    going = {
        name: state.values[name]
        for name, target in travelling.items()
        if state.values.get(name) is not None and state.values[name] != target
    }
    return Plan(going, {"stopped": sorted(going)}, frozenset(going))
