"""The physics of the simulated car: values that move with time. Owns rates and time constants; knows no clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vehicle.adapters.simulated.drives import Drive
from vehicle.places import KM_PER_DEGREE
from vehicle.signals import ALL_WINDOWS, SIGNALS

RATES: Mapping[str, float] = MappingProxyType({
    **dict.fromkeys(ALL_WINDOWS, 25.0),
    "sunroof.position": 15.0,
    "sunroof.shade": 15.0,
    "trunk.position": 16.0,
    "seat.driver.position": 20.0,
    "seat.driver.height": 10.0,
    "seat.driver.recline": 8.0,
})  # fmt: skip
"""Units a second of what travels: a window takes 4 s, the roof 7, the trunk 6. Our choice."""

MEMORIES: Mapping[int, Mapping[str, float]] = MappingProxyType({
    1: {"seat.driver.position": 140, "seat.driver.height": 40, "seat.driver.recline": 25},
    2: {"seat.driver.position": 200, "seat.driver.height": 20, "seat.driver.recline": 32},
    3: {"seat.driver.position": 90, "seat.driver.height": 60, "seat.driver.recline": 20},
})  # fmt: skip
"""Stored positions of the driver's seat."""

_ORDER = tuple(sorted(RATES, key=lambda travelling: travelling != "sunroof.shade"))
"""The shade comes before the roof: the glass never opens further than its shade."""

CABIN_TAU_S = 240.0
"""Time constant of the cabin's temperature towards the target, fan at 3; proportionally slower or faster. Our choice."""

LEAK_TAU_S = 1800.0
"""Time constant towards the outside temperature with the fan off. Our choice."""

CAPACITY_KWH, KWH_PER_KM = 64.0, 0.18
"""Together 355 km on a full battery. Our choice."""

CHARGER_KW = 11.0
"""What the simulated car charges with when it is plugged in: a three-phase wall box."""

AUTO_FAN = ((4.0, 5), (2.0, 3), (0.5, 2))
"""Kelvin between cabin and target -> the fan that automatic climate chooses; else 1. Our choice."""

STEP_S = 0.5
"""Longest step of integration, unless so much time has passed that it takes more than ``MOST_STEPS`` of them."""

MOST_STEPS = 2000


class Plant:
    """The car's values at one moment; ``advance`` moves that moment."""

    def __init__(self, drive: Drive, initial: Mapping[str, Any]) -> None:
        """The car at the start of a drive; ``initial`` overrides the table's starting values and must fit it."""
        self._drive = drive
        self._time = 0.0
        self._values: dict[str, Any] = {name: signal.initial for name, signal in SIGNALS.items()}
        self._values |= {"outside.temperature": drive.outside_celsius, "outside.rain": drive.rain_percent, **initial}
        self._targets: dict[str, float] = {name: self._values[name] for name in RATES}
        self._charge = float(self._values["battery.charge"])
        self._minutes = float(self._values["navigation.minutes"])
        self._kilometers = float(self._values["navigation.kilometers"])
        self._odometer = float(self._values["car.odometer"])
        self._playing_s = float(self._values["media.position"])

    def driving(self, at: float) -> tuple[float, str]:
        """Speed in km/h and gear at that second of the drive."""
        return self._drive.at(at)

    def set(self, changes: Mapping[str, Any]) -> None:
        """Take new targets; what does not travel is there at once. The changes must fit the table."""
        if "media.title" in changes:
            self._playing_s = 0.0  # what is put on begins at its beginning, the same once more, too
        self._playing_s = float(changes.get("media.position", self._playing_s))
        for name, value in changes.items():
            if name in RATES:
                self._targets[name] = float(value)
            else:
                self._values[name] = tuple(value) if isinstance(value, list) else value
        self._minutes = float(changes.get("navigation.minutes", self._minutes))
        self._kilometers = float(changes.get("navigation.kilometers", self._kilometers))
        self._targets |= MEMORIES.get(changes.get("seat.driver.memory", 0), {})
        self._values["charging.active"] = self._values["charging.active"] and self._values["charging.plugged"]

    def advance(self, to: float, stuck: frozenset[str] = frozenset()) -> None:
        """Let time pass until that second of the drive; what is stuck does not travel."""
        span = to - self._time
        if span <= 0.0:
            return
        steps = min(MOST_STEPS, math.ceil(span / STEP_S))
        start = self._time
        for index in range(1, steps + 1):
            self._time = start + span * index / steps
            self._step(span / steps, stuck)

    def values(self) -> dict[str, Any]:
        """The present values as the car would report them: positions in whole units, temperatures to a tenth."""
        reported = dict(self._values)
        for name in RATES:
            reported[name] = round(reported[name])
        for name in ("climate.cabin_temperature", "outside.temperature"):
            reported[name] = round(reported[name], 1)
        for name in ("position.latitude", "position.longitude"):
            reported[name] = round(reported[name], 6)
        reported["battery.charge"] = round(self._charge, 1)
        reported["battery.range"] = round(self._charge / 100.0 * CAPACITY_KWH / KWH_PER_KM, 1)
        reported["navigation.minutes"] = math.ceil(self._minutes)
        reported["navigation.kilometers"] = round(self._kilometers, 1)
        reported["car.odometer"] = math.floor(self._odometer)
        reported["media.position"] = math.floor(self._playing_s)
        reported["charging.power"] = CHARGER_KW if self._values["charging.active"] else 0.0
        return reported

    def _step(self, seconds: float, stuck: frozenset[str]) -> None:
        self._travel(seconds, stuck)
        self._values["climate.cabin_temperature"] = self._cabin(seconds)
        speed, _ = self._drive.at(self._time)
        km = speed * seconds / 3600.0
        self._charge = max(0.0, self._charge - 100.0 * km * KWH_PER_KM / CAPACITY_KWH)
        self._odometer += km
        self._kilometers = max(0.0, self._kilometers - km)
        self._go(km)
        if speed > 0.0:
            self._minutes = max(0.0, self._minutes - seconds / 60.0)
        if self._values["media.playing"]:
            self._playing_s = min(SIGNALS["media.position"].high, self._playing_s + seconds)
        if self._values["charging.active"]:
            limit = max(self._charge, float(self._values["charging.limit"]))
            self._charge = min(limit, self._charge + 100.0 * CHARGER_KW * seconds / 3600.0 / CAPACITY_KWH)
            self._values["charging.active"] = speed == 0.0 and self._charge < limit

    def _travel(self, seconds: float, stuck: frozenset[str]) -> None:
        for name in _ORDER:
            if name in stuck:
                self._targets[name] = self._values[name]  # a jammed motor gives up: it does not go on once it is free
                continue
            position, target = self._values[name], self._targets[name]
            if name == "sunroof.position" and target > position:
                target = max(position, min(target, self._values["sunroof.shade"]))
            way = RATES[name] * seconds
            self._values[name] = min(target, position + way) if target > position else max(target, position - way)

    def _go(self, km: float) -> None:
        """So many kilometres straight towards the destination, and no further; without one the car's place stays as it is."""
        values = self._values
        if not values["navigation.destination"] or km <= 0.0:
            return
        wide = KM_PER_DEGREE * math.cos(math.radians(values["position.latitude"]))
        north = (values["navigation.latitude"] - values["position.latitude"]) * KM_PER_DEGREE
        east = (values["navigation.longitude"] - values["position.longitude"]) * wide
        left = math.hypot(north, east)
        share = 1.0 if left <= km else km / left
        values["position.latitude"] += share * north / KM_PER_DEGREE
        values["position.longitude"] += share * east / wide

    def _cabin(self, seconds: float) -> float:
        values = self._values
        cabin, outside = values["climate.cabin_temperature"], values["outside.temperature"]
        wanted = (values["climate.driver.temperature"] + values["climate.passenger.temperature"]) / 2.0
        if values["climate.auto"] and values["climate.on"]:
            values["climate.fan"] = next((fan for above, fan in AUTO_FAN if abs(cabin - wanted) > above), 1)
        fan = values["climate.fan"] if values["climate.on"] else 0
        if fan == 0:
            goal, tau = outside, LEAK_TAU_S
        else:
            goal = wanted
            goal = goal if values["climate.air_conditioning"] else max(goal, outside)
            tau = CABIN_TAU_S * 3.0 / fan
        return goal + (cabin - goal) * math.exp(-seconds / tau)
