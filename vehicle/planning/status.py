"""Answers about the vehicle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas import actions as a
from schemas.errors import NotReportedError
from schemas.events import VehicleState
from vehicle.planning.plan import present, unplanned
from vehicle.policy import STALE_S
from vehicle.signals import ALL_WINDOWS, DOORS, SEATS, TIRE_LOW_KPA, TIRES

CHARGE_LOW_PERCENT = 15.0
"""A charge below this is worth a warning. Our choice; many cars warn at 10 to 20."""

_INSIDE = ("light.ambient.on", "light.dome", "light.reading.driver", "light.reading.passenger",
           "light.reading.rear_left", "light.reading.rear_right")  # fmt: skip
_OUTSIDE = ("light.low_beam", "light.high_beam", "light.fog")


def status(action: a.Action, state: VehicleState) -> dict[str, Any]:
    """What a question is answered with.

    Raises:
        schemas.errors.NotReportedError: the vehicle does not report what was asked for.
    """
    match action:
        case a.GetRange(percent=percent):
            return _range(percent, state)
        case a.GetTirePressure():
            pressures = {name.removeprefix("tire."): present(state, name) for name in TIRES if name not in state.absent}
            return {"low": _low_tires(state), "kpa": pressures}
        case a.GetOutsideTemperature():
            return {"celsius": present(state, "outside.temperature")}
        case a.GetCabinTemperature():
            return {
                "celsius": present(state, "climate.cabin_temperature"),
                **told_if_there(state, {"target_celsius": "climate.driver.temperature"}),
            }
        case a.GetNavigation():
            minutes = present(state, "navigation.minutes")
            stops = list(present(state, "navigation.stops"))
            return {"destination": present(state, "navigation.destination"), "minutes": minutes, "stops": stops}
        case a.GetClimate():
            return _climate(state)
        case a.GetSeats(part="occupancy"):
            there = [seat for seat in SEATS if f"seat.{seat}.occupancy" not in state.absent] or SEATS
            found = {seat: present(state, f"seat.{seat}.occupancy") for seat in there}
            return {"occupied": ["driver", *(seat for seat, held in found.items() if held == "occupied")]}
        case a.GetSeats():
            names = {"driver": "seat.driver.heating", "passenger": "seat.passenger.heating",
                     "rear": "seat.rear.heating", "wheel": "steering_wheel.heating"}  # fmt: skip
            return {"heating": {who: state.values[name] for who, name in names.items() if name in state.values}}
        case a.GetOpenings(part=part):
            return _openings(part, state)
        case a.GetLights(part=part):
            return _lights(part, state)
        case a.GetCar(part="color"):
            return {"color": present(state, "car.color")}
        case a.GetCar(part="speed"):
            return {"speed_kmh": round(_speed(state))}
        case a.GetCar():
            return {"km": round(present(state, "car.odometer"))}
        case a.GetTrip(part=part):
            return _trip(part, state)
        case a.GetService():
            return told_if_there(state, {"due": "service.due", "km": "service.distance"})
        case a.GetWarnings():
            return {"warnings": _warnings(state)}
        case _:
            raise unplanned(action)


_TRIP = {"distance": ("km", "trip.distance"), "duration": ("minutes", "trip.minutes"),
         "speed": ("kmh", "trip.average_speed"), "consumption": ("consumption", "fuel.consumption")}  # fmt: skip


def _trip(part: str, state: VehicleState) -> dict[str, Any]:
    """What is known of this drive; of one part only that."""
    if part != "all":
        key, name = _TRIP[part]
        return {key: present(state, name)}
    return told_if_there(state, dict(_TRIP.values()))


def _speed(state: VehicleState) -> float:
    if state.speed_kmh is None or not 0.0 <= state.age_s <= STALE_S:
        raise NotReportedError("the vehicle does not report its speed; look at its instruments")
    return abs(state.speed_kmh)


def _range(percent: int | None, state: VehicleState) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for kind, level, reach in (("charge", "battery.charge", "battery.range"), ("fuel", "fuel.level", "fuel.range")):
        if state.values.get(level) is not None and state.values.get(reach) is not None:
            told[f"{kind}_percent"] = round(state.values[level])
            told["range_km" if kind == "charge" else "fuel_km"] = round(state.values[reach])
    if not told:
        present(state, "battery.range")
    if percent is not None and "range_km" in told:
        left = max(0.0, state.values["battery.charge"] - percent) / max(0.1, state.values["battery.charge"])
        told |= {"until_percent": percent, "until_km": round(left * state.values["battery.range"])}
    return told


_CLIMATE: Mapping[str, str] = {
    "celsius": "climate.driver.temperature",
    "passenger_celsius": "climate.passenger.temperature",
    "fan": "climate.fan",
    "airflow": "climate.airflow",
    "air_conditioning": "climate.air_conditioning",
    "recirculation": "climate.recirculation",
}


def told_if_there(state: VehicleState, names: Mapping[str, str]) -> dict[str, Any]:
    """Key of an answer -> the present value of that signal, of those that the car has."""
    return {key: present(state, name) for key, name in names.items() if name not in state.absent}


def _climate(state: VehicleState) -> dict[str, Any]:
    told = told_if_there(state, _CLIMATE)
    panes = [pane for pane in ("front", "rear") if f"climate.defrost_{pane}" not in state.absent]
    told["defrost"] = [pane for pane in panes if present(state, f"climate.defrost_{pane}")]
    return {**told, "on": state.values.get("climate.on", True), "auto": state.values.get("climate.auto", False)}


def _openings(part: str, state: VehicleState) -> dict[str, Any]:
    """What is open: windows, roof and trunk in percent, doors by name."""
    names: Mapping[str, tuple[str, ...]] = {
        "windows": ALL_WINDOWS,
        "sunroof": ("sunroof.position", "sunroof.shade"),
        "trunk": ("trunk.position",),
        "doors": (),
    }
    wanted = [name for which, signals in names.items() if part in (which, "all") for name in signals]
    if part not in ("all", "doors") and wanted and state.absent.issuperset(wanted):
        present(state, wanted[0])
    wanted = [name for name in wanted if name not in state.absent]
    opened = {name: state.values[name] for name in wanted if state.values.get(name)}
    between = {name for name, share in opened.items() if name in state.ends and share < 100}
    told: dict[str, Any] = {"open": {name: None if name in between else share for name, share in opened.items()}}
    unknown = [name for name in wanted if state.values.get(name) is None]
    if unknown and (part != "all" or not set(unknown).isdisjoint(ALL_WINDOWS)):
        present(state, unknown[0])
    if part in ("doors", "all"):
        told["doors_open"] = [name.removeprefix("door.") for name in DOORS if state.values.get(name) is True]
        told["locked"] = state.values.get("doors.locked")
    return told


def _lights(part: str, state: VehicleState) -> dict[str, Any]:
    wanted = [name for which, names in (("inside", _INSIDE), ("outside", _OUTSIDE)) if part in (which, "all")
              for name in names]  # fmt: skip
    told: dict[str, Any] = {"on": [name.removeprefix("light.") for name in wanted if state.values.get(name) is True]}
    if state.values.get("light.ambient.on") is True and part != "outside":
        told["color"] = state.values.get("light.ambient.color")
    return told


def _warnings(state: VehicleState) -> list[str]:
    """What is not as it should be, most pressing first; each a few words that can be spoken."""
    doors = [name.removeprefix("door.").replace("_", " ") for name in DOORS if state.values.get(name) is True]
    found = [f"the {door} door is open" for door in doors]
    if state.values.get("seat.driver.belted") is False:
        found.append("your seat belt is open")
    found += [f"the {tire} tyre is low" for tire in _low_tires(state)]
    charge = state.values.get("battery.charge")
    if charge is not None and charge < CHARGE_LOW_PERCENT:
        found.append(f"the battery is at {round(charge)} percent")
    if state.values.get("washer.low") is True:
        found.append("the washer fluid is low")
    return found


def _low_tires(state: VehicleState) -> list[str]:
    fitted = (name for name in TIRES if name not in state.absent)
    return [name.removeprefix("tire.").replace("_", " ") for name in fitted if present(state, name) < TIRE_LOW_KPA]
