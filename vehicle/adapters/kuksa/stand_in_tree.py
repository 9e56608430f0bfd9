"""The part of a VSS 6.0 tree that Glovebox's mapping names, as a databroker describes it.

Facts of the standard's interface, checked against its JSON by a test. For the stand-in broker of tests and measurements.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from types import MappingProxyType

from vehicle.adapters.kuksa.leaves import Leaf

_TABLE = """
Speed                                                                       sensor    float   km/h
LowVoltageSystemState                                                       sensor    string  -  UNDEFINED LOCK OFF ACC ON START
Powertrain.Transmission.SelectedGear                                        actuator  int8
Powertrain.TractionBattery.StateOfCharge.Displayed                          sensor    float   percent 0..100
Powertrain.TractionBattery.Range                                            sensor    uint32  m
Cabin.DriverPosition                                                        attribute string  -  LEFT MIDDLE RIGHT
Cabin.HVAC.AmbientAirTemperature                                            sensor    float   Celsius
Cabin.HVAC.{IsAirConditioningActive,IsRecirculationActive,IsFrontDefrosterActive,IsRearDefrosterActive} actuator boolean
Cabin.HVAC.Station.{Row1,Row2}.{Driver,Passenger}.Temperature               actuator  float   Celsius
Cabin.HVAC.Station.Row1.{Driver,Passenger}.FanSpeed                         actuator  uint8   percent 0..100
Cabin.HVAC.Station.Row2.{Driver,Passenger}.FanSpeed                         actuator  uint8   percent 0..100
Cabin.HVAC.Station.Row1.{Driver,Passenger}.AirDistribution                  actuator  string  -  UP MIDDLE DOWN
Cabin.Seat.{Row1,Row2}.{DriverSide,PassengerSide}.HeatingCooling            actuator  int8    percent -100..100
Cabin.Seat.Row1.{DriverSide,PassengerSide}.Massage.Level                    actuator  uint8   percent 0..100
Cabin.Seat.Row1.{DriverSide,PassengerSide}.{Position,Height}                actuator  uint16  mm 0..
Chassis.SteeringWheel.HeatingCooling                                        actuator  int8    percent -100..100
Cabin.Door.{Row1,Row2}.{DriverSide,PassengerSide}.Window.Position           actuator  uint8   percent 0..100
Cabin.Door.{Row1,Row2}.{DriverSide,PassengerSide}.IsLocked                  actuator  boolean
Cabin.IsWindowChildLockEngaged                                              actuator  boolean
Cabin.Sunroof.Position                                                      sensor    int8    percent -100..100
Cabin.Sunroof.Switch         actuator string - INACTIVE CLOSE OPEN ONE_SHOT_CLOSE ONE_SHOT_OPEN TILT_UP TILT_DOWN
Cabin.Sunroof.Shade.Position                                                actuator  uint8   percent 0..100
Body.Trunk.Rear.Position                                                    actuator  uint8   percent 0..100
Body.Mirrors.{DriverSide,PassengerSide}.{IsFolded,IsHeatingOn}              actuator  boolean
Body.Mirrors.{DriverSide,PassengerSide}.{Tilt,Pan}                          actuator  int8    percent -100..100
Powertrain.FuelSystem.IsFuelPortFlapOpen                                    actuator  boolean
Powertrain.FuelSystem.AverageConsumption                                    sensor    float   l/100km 0..
Powertrain.Transmission.PerformanceMode      actuator string - NORMAL SPORT ECONOMY SNOW RAIN
TraveledDistanceSinceStart                                                  sensor    uint32  m
TripDuration                                                                sensor    float   s
AverageSpeed                                                                sensor    float   km/h
Service.IsServiceDue                                                        sensor    boolean
Service.DistanceToService                                                   sensor    float   km
Body.Raindetection.Intensity                                                sensor    uint8   percent ..100
Body.Lights.{Beam.Low,Beam.High,Fog.Front}.IsOn                             actuator  boolean
Cabin.Light.AmbientLight.Row1.{DriverSide,PassengerSide}.IsLightOn          actuator  boolean
Cabin.Light.AmbientLight.Row1.{DriverSide,PassengerSide}.Color              actuator  string
Cabin.Light.AmbientLight.Row1.{DriverSide,PassengerSide}.Intensity          actuator  uint8   percent 1..100
Cabin.Light.Spotlight.{Row1,Row2}.{DriverSide,PassengerSide}.IsLightOn      actuator  boolean
Cabin.Light.IsDomeOn                                                        actuator  boolean
Cabin.Infotainment.Media.Volume                                             actuator  uint8   percent 0..100
Cabin.Infotainment.HMI.Brightness                                           actuator  float   percent 0..100
Cabin.Infotainment.HMI.DayNightMode                                         actuator  string  -  DAY NIGHT
Powertrain.TractionBattery.Charging.IsCharging                               sensor    boolean
Powertrain.TractionBattery.Charging.ChargeLimit                             actuator  uint8   percent 0..100
Powertrain.TractionBattery.Charging.StartStopCharging                       actuator  string  -  START STOP
Chassis.Axle.{Row1,Row2}.Wheel.{Left,Right}.Tire.Pressure                   sensor    uint16  kPa
Exterior.AirTemperature                                                     sensor    float   Celsius
Exterior.LightIntensity                                                     sensor    float   percent 0..100
CurrentLocation.Latitude                                                    sensor    double  degrees -90..90
CurrentLocation.Longitude                                                   sensor    double  degrees -180..180
TraveledDistance                                                            sensor    uint32  m
VehicleIdentification.VehicleExteriorColor                                  attribute string
Body.Windshield.Front.WasherFluid.IsLevelLow                                sensor    boolean
Powertrain.FuelSystem.RelativeLevel                                         sensor    uint8   percent 0..100
Powertrain.FuelSystem.Range                                                 sensor    uint32  m
Powertrain.TractionBattery.NetCapacity                                      sensor    uint16  kWh
Powertrain.TractionBattery.Charging.AveragePower                            sensor    float   kW
Powertrain.TractionBattery.Charging.ChargingPort.AnyPosition.IsFlapOpen     actuator  boolean
Powertrain.TractionBattery.Charging.ChargingPort.AnyPosition.IsChargingCableConnected sensor boolean
Cabin.Infotainment.Navigation.DestinationSet.Latitude                       actuator  double  degrees -90..90
Cabin.Infotainment.Navigation.DestinationSet.Longitude                      actuator  double  degrees -180..180
Cabin.Infotainment.Navigation.Volume                                        actuator  uint8   percent 0..100
Cabin.Infotainment.HMI.TemperatureUnit                                      actuator  string  -  C F
Cabin.Infotainment.HMI.DistanceUnit                                         actuator  string  -  MILES KILOMETERS
Cabin.Door.{Row1,Row2}.{DriverSide,PassengerSide}.IsOpen                    actuator  boolean
Cabin.Seat.{Row1,Row2}.{DriverSide,PassengerSide}.OccupancyStatus           sensor    string  -  UNKNOWN OCCUPIED EMPTY
Cabin.Seat.Row1.{DriverSide,PassengerSide}.IsBelted                         sensor    boolean
Cabin.Seat.Row1.{DriverSide,PassengerSide}.Backrest.LumbarSupport           actuator  float   percent 0..100
Cabin.Seat.Row1.{DriverSide,PassengerSide}.Backrest.Recline                 actuator  float   degrees
Cabin.Infotainment.Media.Played.Source actuator string - UNKNOWN SIRIUS_XM AM FM DAB TV CD DVD AUX USB DISK BLUETOOTH \
INTERNET VOICE BEEP
"""
"""Path with alternatives in braces, kind, datatype, unit (``-`` for none), then a range or the allowed words."""

_TYPES = {
    "boolean": 2,
    "string": 1,
    "int8": 3,
    "int16": 4,
    "uint8": 7,
    "uint16": 8,
    "uint32": 9,
    "float": 11,
    "double": 12,
}
"""Numbers of ``kuksa.val.v2.DataType``."""


def _expanded(path: str) -> list[str]:
    parts = [part.strip("{}").split(",") for part in re.findall(r"\{[^}]*\}|[^{}]+", path)]
    parts = [[part] if not isinstance(part, list) else part for part in parts]
    return ["".join(choice) for choice in itertools.product(*parts)]


def _leaves() -> dict[str, Leaf]:
    leaves: dict[str, Leaf] = {}
    for line in _TABLE.strip().splitlines():
        pattern, kind, datatype, *rest = line.split()
        unit = "" if not rest or rest[0] == "-" else rest[0]
        low, high, allowed = float("-inf"), float("inf"), ()
        if len(rest) > 1 and ".." in rest[1]:
            ends = rest[1].split("..")
            low, high = (float(end) if end else default for end, default in zip(ends, (low, high), strict=True))
        elif len(rest) > 1:
            allowed = tuple(rest[1:])
        for path in _expanded(pattern):
            leaves[path] = Leaf(path, _TYPES[datatype], kind == "actuator", unit, low, high, allowed)
    return leaves


TREE: Mapping[str, Leaf] = MappingProxyType(_leaves())
"""The leaves by path without the root."""
