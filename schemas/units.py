"""The units that the driver chose: how temperatures and distances are said, and what is meant by a number that was said.

Everything inside is in degrees Celsius and kilometres; this is the one place that turns them into what is spoken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.actions import Action, ChangeTemperature
from schemas.events import VehicleState

KM_PER_MILE = 1.609344
"""The international mile, exactly."""

_DEGREES = ("celsius", "target_celsius", "passenger_celsius", "low", "high")
_DISTANCES = ("km", "range_km", "fuel_km", "until_km")
"""Keys of answers that hold degrees and kilometres; not ``low`` where it lists tyres."""
_LIKED = re.compile(r"\b(\d+(?:\.\d+)?) degrees\b")
_SPEED = re.compile(r"\b(\d+) kilometres an hour\b")
_ALIKE = {"seventeen": "seventy", "eighteen": "eighty"}
"""Numbers that sound alike and are a temperature in one unit each."""
_FOLLOWING = r"(?! (?:one|two|three|four|five|six|seven|eight|nine|percent)\b)"


@dataclass(frozen=True, slots=True)
class Units:
    """What the driver wants temperatures and distances in."""

    fahrenheit: bool = False
    miles: bool = False

    def degrees(self, value: float) -> float:
        """A temperature as it is said: whole degrees Fahrenheit, or Celsius as it is."""
        return float(round(value * 1.8 + 32.0)) if self.fahrenheit else value

    def difference(self, kelvin: float) -> float:
        """A difference of temperatures as it is said."""
        return float(max(1, round(kelvin * 1.8))) if self.fahrenheit else kelvin

    def meant(self, difference: float) -> float:
        """The difference in kelvin, to half a kelvin, that the driver's number of degrees means."""
        return max(0.5, round(difference / 0.9) / 2.0) if self.fahrenheit else difference

    def as_meant(self, action: Action) -> Action:
        """The action with its number of degrees in kelvin, whatever unit the driver counts in."""
        if isinstance(action, ChangeTemperature) and action.by is not None:
            return action.model_copy(update={"by": self.meant(action.by)})
        return action

    def distance(self, km: float) -> float:
        """A distance as it is said: to a tenth below ten miles, whole miles from there on."""
        if not self.miles:
            return km
        miles = km / KM_PER_MILE
        return round(miles, 1) if miles < 10.0 else float(round(miles))

    def slots(self, name: str, slots: Mapping[str, Any]) -> dict[str, Any]:
        """An action's slots with the numbers that are said."""
        said = dict(slots)
        if name == "set_temperature":
            said["celsius"] = self.degrees(said["celsius"])
        elif name == "change_temperature" and said.get("by") is not None:
            said["by"] = self.difference(said["by"])
        return said

    def told(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """An answer of the vehicle with the numbers that are said, and the name of the unit of distance."""
        said = dict(answer)
        for key in _DEGREES:
            if isinstance(said.get(key), int | float):
                said[key] = self.degrees(float(said[key]))
        for key in _DISTANCES:
            if isinstance(said.get(key), int | float):
                said[key] = self.distance(said[key])
        if isinstance(said.get("speed_kmh"), int | float) and self.miles:
            said["speed_kmh"] = round(said["speed_kmh"] / KM_PER_MILE)
        if isinstance(said.get("routes"), list):
            said["routes"] = [self.told(route) for route in said["routes"]]
        return {**said, "distance": "miles" if self.miles else "kilometres"}

    def sentence(self, text: str) -> str:
        """A sentence of the vehicle's with its speeds in the driver's unit, to five miles an hour."""
        if not self.miles:
            return text
        return _SPEED.sub(lambda found: f"{round(int(found[1]) / KM_PER_MILE / 5) * 5} miles an hour", text)

    def liking(self, text: str) -> str:
        """A remembered preference with its temperature in the driver's unit."""
        return _LIKED.sub(lambda found: f"{self.degrees(float(found[1])):g} degrees", text)

    def likelier(self, text: str) -> str:
        """Heard words with the one of two temperatures that sound alike which is one in the driver's unit."""
        for teen, ten in _ALIKE.items():
            wrong, right = (teen, ten) if self.fahrenheit else (ten, teen)
            text = re.sub(rf"\b{wrong}\b{_FOLLOWING}", right, text)
        return text


METRIC = Units()


def units_of(state: VehicleState) -> Units:
    """The units that the car's display is set to; metric where it does not say."""
    chosen = state.values
    return Units(
        fahrenheit=chosen.get("display.temperature_unit") == "fahrenheit",
        miles=chosen.get("display.distance_unit") == "miles",
    )
