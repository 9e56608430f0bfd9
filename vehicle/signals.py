"""The closed table of the vehicle's signals: name, kind, unit, range, value at the start, VSS 6.0 path.

Owns the names that ``VehicleState.values``, the policy and the planner use, and the check of a value against its
signal. Does not own how an adapter reaches a signal. Speed, gear and ignition are not here: they are fields of
``VehicleState`` (their VSS paths are in ``vehicle/mappings/vss6.yaml``). Nothing outside this table can be written, so steering,
brakes, horn, hazard lights, indicators, wipers and driver assistance are out of reach by construction.

VSS paths are of release 6.0 (COVESA vehicle_signal_specification). Several differ from ours in form, which an adapter
translates: fan levels 0..5 are percent there, seat levels 0..3 are -100..100, colours are ``#RRGGBB``, ranges are
metres, and ``AirDistribution`` knows no windscreen, and a
timer's time is ISO 8601. Sides assume a car that is driven from the left seat.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from schemas.actions import AMBIENT_COLORS, GROUPS
from schemas.errors import AdapterError


class Kind(StrEnum):
    """What a signal's value is."""

    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    TEXT = "text"
    """Words; empty for none."""
    TEXTS = "texts"
    """A list of words."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal. ``low`` and ``high`` bound a number (inclusive, in ``unit``); ``choices`` bound a choice."""

    name: str
    kind: Kind
    initial: Any
    writable: bool
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    vss: str | None = None
    """Where VSS 6.0 has its current value, without the leading ``Vehicle.``; None where it has none."""


def _number(
    name: str, initial: float, unit: str, bounds: tuple[float, float], vss: str | None = None, *, reads: bool = False
) -> Signal:
    return Signal(name, Kind.NUMBER, initial, not reads, unit, *bounds, vss=vss)


def _switch(name: str, initial: bool, vss: str | None = None, *, reads: bool = False) -> Signal:
    return Signal(name, Kind.SWITCH, initial, not reads, vss=vss)


def _choice(name: str, choices: tuple[str, ...], vss: str | None = None, *, reads: bool = False) -> Signal:
    return Signal(name, Kind.CHOICE, choices[0], not reads, choices=choices, vss=vss)


def _text(name: str, vss: str | None = None, *, initial: str = "", reads: bool = False) -> Signal:
    return Signal(name, Kind.TEXT, initial, not reads, vss=vss)


_HVAC, _DOOR, _SEAT = "Cabin.HVAC", "Cabin.Door", "Cabin.Seat.Row1"
_REAR = "Cabin.Seat.Row2"
_LIGHT, _BEAM, _MEDIA = "Cabin.Light", "Body.Lights", "Cabin.Infotainment.Media"
_HMI, _NAVIGATION = "Cabin.Infotainment.HMI", "Cabin.Infotainment.Navigation"
_WHEEL, _BATTERY = "Chassis.Axle", "Powertrain.TractionBattery"
_CHARGING, _FUEL = f"{_BATTERY}.Charging", "Powertrain.FuelSystem"
_PORT = f"{_CHARGING}.ChargingPort.AnyPosition"

_TAKEN = ("empty", "occupied")

_TABLE: tuple[Signal, ...] = (
    # climate
    _number("climate.cabin_temperature", 19.0, "Celsius", (-50, 80), f"{_HVAC}.AmbientAirTemperature", reads=True),
    _number("climate.driver.temperature", 21.0, "Celsius", (16, 28), f"{_HVAC}.Station.Row1.Driver.Temperature"),
    _number("climate.passenger.temperature", 21.0, "Celsius", (16, 28), f"{_HVAC}.Station.Row1.Passenger.Temperature"),
    _number("climate.rear.temperature", 21.0, "Celsius", (16, 28), f"{_HVAC}.Station.Row2.Driver.Temperature"),
    _switch("climate.on", True),
    _switch("climate.auto", False),
    _switch("climate.sync", False),
    _number("climate.fan", 1, "level", (0, 5), f"{_HVAC}.Station.Row1.Driver.FanSpeed"),
    _number("climate.rear.fan", 0, "level", (0, 5), f"{_HVAC}.Station.Row2.Driver.FanSpeed"),
    _choice("climate.airflow", ("face", "feet", "windshield", "face_and_feet", "windshield_and_feet",
                                "windshield_and_face", "everywhere"), f"{_HVAC}.Station.Row1.Driver.AirDistribution"),
    _switch("climate.air_conditioning", False, f"{_HVAC}.IsAirConditioningActive"),
    _switch("climate.recirculation", False, f"{_HVAC}.IsRecirculationActive"),
    _switch("climate.defrost_front", False, f"{_HVAC}.IsFrontDefrosterActive"),
    _switch("climate.defrost_rear", False, f"{_HVAC}.IsRearDefrosterActive"),
    # seats
    _number("seat.driver.heating", 0, "level", (0, 3), f"{_SEAT}.DriverSide.HeatingCooling"),
    _number("seat.passenger.heating", 0, "level", (0, 3), f"{_SEAT}.PassengerSide.HeatingCooling"),
    _number("seat.rear.heating", 0, "level", (0, 3), f"{_REAR}.DriverSide.HeatingCooling"),
    _number("seat.driver.ventilation", 0, "level", (0, 3), f"{_SEAT}.DriverSide.HeatingCooling"),
    _number("seat.passenger.ventilation", 0, "level", (0, 3), f"{_SEAT}.PassengerSide.HeatingCooling"),
    _number("seat.driver.position", 140, "mm", (0, 260), f"{_SEAT}.DriverSide.Position"),
    _number("seat.driver.height", 40, "mm", (0, 80), f"{_SEAT}.DriverSide.Height"),
    _number("seat.driver.recline", 25, "degrees", (0, 60), f"{_SEAT}.DriverSide.Backrest.Recline"),
    _number("seat.driver.memory", 0, "", (0, 3)),
    _number("seat.driver.massage", 0, "level", (0, 3), f"{_SEAT}.DriverSide.Massage.Level"),
    _number("seat.passenger.massage", 0, "level", (0, 3), f"{_SEAT}.PassengerSide.Massage.Level"),
    _number("seat.driver.lumbar", 50, "percent", (0, 100), f"{_SEAT}.DriverSide.Backrest.LumbarSupport"),
    _number("seat.passenger.lumbar", 50, "percent", (0, 100), f"{_SEAT}.PassengerSide.Backrest.LumbarSupport"),
    _choice("seat.passenger.occupancy", _TAKEN, f"{_SEAT}.PassengerSide.OccupancyStatus", reads=True),
    _choice("seat.rear_left.occupancy", _TAKEN, f"{_REAR}.DriverSide.OccupancyStatus", reads=True),
    _choice("seat.rear_right.occupancy", _TAKEN, f"{_REAR}.PassengerSide.OccupancyStatus", reads=True),
    _switch("seat.driver.belted", True, f"{_SEAT}.DriverSide.IsBelted", reads=True),
    _number("steering_wheel.heating", 0, "level", (0, 3), "Chassis.SteeringWheel.HeatingCooling"),
    # openings: 0 is closed, 100 open
    _number("window.driver", 0, "percent", (0, 100), f"{_DOOR}.Row1.DriverSide.Window.Position"),
    _number("window.passenger", 0, "percent", (0, 100), f"{_DOOR}.Row1.PassengerSide.Window.Position"),
    _number("window.rear_left", 0, "percent", (0, 100), f"{_DOOR}.Row2.DriverSide.Window.Position"),
    _number("window.rear_right", 0, "percent", (0, 100), f"{_DOOR}.Row2.PassengerSide.Window.Position"),
    _number("sunroof.position", 0, "percent", (0, 100), "Cabin.Sunroof.Position"),
    _number("sunroof.tilt", 0, "level", (0, 1), "Cabin.Sunroof.Position"),
    _number("sunroof.shade", 0, "percent", (0, 100), "Cabin.Sunroof.Shade.Position"),
    _number("trunk.position", 0, "percent", (0, 100), "Body.Trunk.Rear.Position"),
    _switch("doors.locked", True, f"{_DOOR}.Row1.DriverSide.IsLocked"),
    _switch("doors.child_lock", False, f"{_DOOR}.Row2.DriverSide.IsChildLockActive"),
    _switch("windows.locked", False, "Cabin.IsWindowChildLockEngaged"),
    _switch("door.driver", False, f"{_DOOR}.Row1.DriverSide.IsOpen", reads=True),
    _switch("door.passenger", False, f"{_DOOR}.Row1.PassengerSide.IsOpen", reads=True),
    _switch("door.rear_left", False, f"{_DOOR}.Row2.DriverSide.IsOpen", reads=True),
    _switch("door.rear_right", False, f"{_DOOR}.Row2.PassengerSide.IsOpen", reads=True),
    _switch("mirrors.folded", False, "Body.Mirrors.DriverSide.IsFolded"),
    _switch("mirrors.heating", False, "Body.Mirrors.DriverSide.IsHeatingOn"),
    _number("mirror.driver.tilt", 0, "percent", (-100, 100), "Body.Mirrors.DriverSide.Tilt"),
    _number("mirror.driver.pan", 0, "percent", (-100, 100), "Body.Mirrors.DriverSide.Pan"),
    _number("mirror.passenger.tilt", 0, "percent", (-100, 100), "Body.Mirrors.PassengerSide.Tilt"),
    _number("mirror.passenger.pan", 0, "percent", (-100, 100), "Body.Mirrors.PassengerSide.Pan"),
    # lights
    _switch("light.ambient.on", False, f"{_LIGHT}.AmbientLight.Row1.DriverSide.IsLightOn"),
    _choice("light.ambient.color", ("white", *(c for c in AMBIENT_COLORS if c != "white")),
            f"{_LIGHT}.AmbientLight.Row1.DriverSide.Color"),
    _number("light.ambient.brightness", 50, "percent", (0, 100), f"{_LIGHT}.AmbientLight.Row1.DriverSide.Intensity"),
    _switch("light.reading.driver", False, f"{_LIGHT}.Spotlight.Row1.DriverSide.IsLightOn"),
    _switch("light.reading.passenger", False, f"{_LIGHT}.Spotlight.Row1.PassengerSide.IsLightOn"),
    _switch("light.reading.rear_left", False, f"{_LIGHT}.Spotlight.Row2.DriverSide.IsLightOn"),
    _switch("light.reading.rear_right", False, f"{_LIGHT}.Spotlight.Row2.PassengerSide.IsLightOn"),
    _switch("light.dome", False, f"{_LIGHT}.IsDomeOn"),
    _switch("light.low_beam", True, f"{_BEAM}.Beam.Low.IsOn"),
    _switch("light.high_beam", False, f"{_BEAM}.Beam.High.IsOn"),
    _switch("light.fog", False, f"{_BEAM}.Fog.Front.IsOn"),
    # display
    _number("display.brightness", 60, "percent", (0, 100), f"{_HMI}.Brightness"),
    _choice("display.mode", ("auto", "day", "night"), f"{_HMI}.DayNightMode"),
    _choice("display.temperature_unit", ("celsius", "fahrenheit"), f"{_HMI}.TemperatureUnit"),
    _choice("display.distance_unit", ("kilometers", "miles"), f"{_HMI}.DistanceUnit"),
    # media
    _choice("media.source", ("off", "music", "radio", "podcast", "bluetooth", "usb"), f"{_MEDIA}.Played.Source"),
    _text("media.title", f"{_MEDIA}.Played.Track"),
    _text("media.artist", f"{_MEDIA}.Played.Artist"),
    _text("media.genre", f"{_MEDIA}.Played.Genre"),
    _switch("media.playing", False),
    _number("media.volume", 30, "percent", (0, 100), f"{_MEDIA}.Volume"),
    _switch("media.muted", False),
    _switch("media.shuffle", False),
    _choice("media.repeat", ("off", "track", "all")),
    _number("media.position", 0, "s", (0, 86_400)),
    # navigation: VSS has coordinates only
    _text("navigation.destination"),
    Signal("navigation.stops", Kind.TEXTS, (), True),
    _number("navigation.minutes", 0, "min", (0, 6000)),
    _number("navigation.kilometers", 0, "km", (0, 6000)),
    _number("navigation.route", 1, "", (1, 3)),
    _number("navigation.latitude", 0.0, "degrees", (-90, 90), f"{_NAVIGATION}.DestinationSet.Latitude"),
    _number("navigation.longitude", 0.0, "degrees", (-180, 180), f"{_NAVIGATION}.DestinationSet.Longitude"),
    _switch("navigation.guidance", True),
    _number("navigation.volume", 30, "percent", (0, 100), f"{_NAVIGATION}.Volume"),
    _choice("navigation.preference", ("fastest", "shortest", "avoid_highways", "avoid_tolls", "avoid_ferries")),
    # charging
    _switch("charging.active", False, f"{_CHARGING}.IsCharging"),
    _number("charging.limit", 80, "percent", (50, 100), f"{_CHARGING}.ChargeLimit"),
    _text("charging.timer", f"{_CHARGING}.Timer.Time"),
    _switch("charging.port_open", False, f"{_PORT}.IsFlapOpen"),
    _switch("charging.plugged", False, f"{_PORT}.IsChargingCableConnected", reads=True),
    _number("charging.power", 0.0, "kW", (0, 1000), f"{_CHARGING}.AveragePower", reads=True),
    # status
    _number("battery.charge", 72.0, "percent", (0, 100), f"{_BATTERY}.StateOfCharge.Displayed", reads=True),
    _number("battery.range", 256.0, "km", (0, 2000), f"{_BATTERY}.Range", reads=True),
    _number("battery.capacity", 64.0, "kWh", (0, 1000), f"{_BATTERY}.NetCapacity", reads=True),
    _number("fuel.level", 60, "percent", (0, 100), f"{_FUEL}.RelativeLevel", reads=True),
    _number("fuel.range", 420, "km", (0, 2000), f"{_FUEL}.Range", reads=True),
    _switch("fuel.flap_open", False, f"{_FUEL}.IsFuelPortFlapOpen"),
    _number("fuel.consumption", 6.2, "l/100km", (0, 100), f"{_FUEL}.AverageConsumption", reads=True),
    _choice("drive.mode", ("normal", "sport", "economy", "snow", "rain"), "Powertrain.Transmission.PerformanceMode"),
    _number("trip.distance", 12.0, "km", (0, 100_000), "TraveledDistanceSinceStart", reads=True),
    _number("trip.minutes", 18, "min", (0, 100_000), "TripDuration", reads=True),
    _number("trip.average_speed", 40.0, "km/h", (0, 400), "AverageSpeed", reads=True),
    _switch("service.due", False, "Service.IsServiceDue", reads=True),
    _number("service.distance", 9_500, "km", (-100_000, 200_000), "Service.DistanceToService", reads=True),
    _number("car.odometer", 18_250, "km", (0, 4_000_000), "TraveledDistance", reads=True),
    _text("car.color", "VehicleIdentification.VehicleExteriorColor", initial="blue", reads=True),
    _switch("washer.low", False, "Body.Windshield.Front.WasherFluid.IsLevelLow", reads=True),
    _number("tire.front_left", 250, "kPa", (0, 500), f"{_WHEEL}.Row1.Wheel.Left.Tire.Pressure", reads=True),
    _number("tire.front_right", 250, "kPa", (0, 500), f"{_WHEEL}.Row1.Wheel.Right.Tire.Pressure", reads=True),
    _number("tire.rear_left", 250, "kPa", (0, 500), f"{_WHEEL}.Row2.Wheel.Left.Tire.Pressure", reads=True),
    _number("tire.rear_right", 250, "kPa", (0, 500), f"{_WHEEL}.Row2.Wheel.Right.Tire.Pressure", reads=True),
    _number("outside.temperature", 12.0, "Celsius", (-60, 60), "Exterior.AirTemperature", reads=True),
    _number("outside.rain", 0, "percent", (0, 100), "Body.Raindetection.Intensity", reads=True),
    _number("outside.light", 25, "percent", (0, 100), "Exterior.LightIntensity", reads=True),
    # where the car is; at 0, 0 no receiver has told it yet
    _number("position.latitude", 54.5, "degrees", (-90, 90), "CurrentLocation.Latitude", reads=True),
    _number("position.longitude", 3.5, "degrees", (-180, 180), "CurrentLocation.Longitude", reads=True),
    # who spoke last, where the car can tell the seats apart
    _choice("cabin.speaker", ("driver", "passenger", "rear", "child"), reads=True),
    # telephone: the number that is being called; empty for none
    _text("phone.number"),
)  # fmt: skip

SIGNALS: Mapping[str, Signal] = MappingProxyType({signal.name: signal for signal in _TABLE})
"""All signals by name."""

ALL_WINDOWS = tuple(f"window.{corner}" for corner in GROUPS["all"])
OTHERS_WINDOWS = frozenset(name for name in ALL_WINDOWS if name != "window.driver")
REAR_WINDOWS = tuple(f"window.{corner}" for corner in GROUPS["rear"])

DOORS = ("door.driver", "door.passenger", "door.rear_left", "door.rear_right")
"""Which doors are open."""

SEATS = ("passenger", "rear_left", "rear_right")
"""Seats whose occupancy is measured."""

OF_THE_WORLD = frozenset({"outside.temperature", "outside.rain", "outside.light"})
"""What is so whether or not a car can measure it."""

TRAVELLING = (*ALL_WINDOWS, "sunroof.position", "sunroof.shade", "trunk.position", "seat.driver.position",
              "seat.driver.height", "seat.driver.recline")  # fmt: skip
"""What takes time to get somewhere and can be stopped on its way."""

TIRES = ("tire.front_left", "tire.front_right", "tire.rear_left", "tire.rear_right")
TIRE_LOW_KPA = 200.0
"""Below 80 % of the simulated car's placard pressure of 250 kPa a tyre counts as low: our choice."""


def fits(signal: Signal, value: Any) -> bool:
    """True if the value is of the signal's kind and within its range; NaN never is."""
    match signal.kind:
        case Kind.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool) and signal.low <= value <= signal.high
        case Kind.SWITCH:
            return isinstance(value, bool)
        case Kind.CHOICE:
            return isinstance(value, str) and value in signal.choices
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.TEXTS:
            return isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)  # pyright: ignore[reportUnknownVariableType]


def check_changes(changes: Mapping[str, Any]) -> None:
    """Refuse changes that the table does not allow, before any of them is carried out.

    Raises:
        schemas.errors.AdapterError: unknown signal, a signal that is only read, or a value of the wrong kind or out of
            range. Words are left out of the message.
    """
    for name, value in changes.items():
        signal = SIGNALS.get(name)
        if signal is None:
            raise AdapterError(f"no signal is called {name!r}; the names are in vehicle.signals")
        if not signal.writable:
            raise AdapterError(f"{name} can only be read")
        if not fits(signal, value):
            shown = type(value).__name__ if isinstance(value, str | list | tuple) else repr(value)
            raise AdapterError(f"{name} does not take {shown}: it is a {signal.kind.value} {_bounds(signal)}".rstrip())


def _bounds(signal: Signal) -> str:
    if signal.kind is Kind.NUMBER:
        return f"from {signal.low:g} to {signal.high:g} {signal.unit}"
    return f"out of {', '.join(signal.choices)}" if signal.choices else ""
