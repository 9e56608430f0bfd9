"""How a driver wants to be spoken to, and in which units; what is usual with them, and what of a day can be told: values.

Everything inside is in degrees Celsius and kilometres; `Units` is the one place that turns them into what is spoken, and back.
Manners are lines of the driver's profile that the driver wrote or said (``schemas.memory.ProfileEntry.edited``); what was only
observed is shown and not obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from schemas.actions import Action, ChangeTemperature
from schemas.events import VehicleState
from schemas.kinds import Condition, Sense, Value
from schemas.memory import Kind, Period, ProfileEntry

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

    def asked(self, text: str) -> Units:
        """The same, but for the units that a question in its spoken form names: "how many miles have i got left"."""
        said = set(text.split())
        miles, metric = bool(said & {"mile", "miles"}), bool(said & {"kilometer", "kilometers"})
        fahrenheit, celsius = "fahrenheit" in said, bool(said & {"celsius", "centigrade"})
        return Units(
            fahrenheit=fahrenheit if fahrenheit != celsius else self.fahrenheit,
            miles=miles if miles != metric else self.miles,
        )

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


MANNERS: Final = "manners"
"""Key in ``Consent.opted_out`` by which a driver switches off that manners are kept and obeyed; on until then, as the two below."""
INTRODUCTION: Final = "introduction"
"""The same for the offer to get to know the driver: it is off as soon as the offer was made once."""
SUGGESTIONS: Final = "suggestions"
"""The same for suggestions that nobody asked for."""
OFFERS: Final = (MANNERS, INTRODUCTION, SUGGESTIONS)

Aspect = Literal["fact", "style"]
LINES: Final[Mapping[str, tuple[str, Aspect]]] = {
    "name": ("name", "fact"),
    "length": ("reply_length", "style"),
    "temperature": ("temperature_unit", "style"),
    "distance": ("distance_unit", "style"),
}
"""Field of `Manners` -> key and aspect of its line of the profile."""
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "length": ("brief", "full", "normal"),
    "temperature": ("celsius", "fahrenheit"),
    "distance": ("kilometers", "miles"),
}
"""The values of each field that has a few."""
LONGEST_NAME: Final = 30
"""Characters of a name that is said."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the driver wants to be spoken to; empty where nothing was said."""

    name: str = ""
    length: str = ""
    temperature: str = ""
    distance: str = ""

    def units(self, car: Units) -> Units:
        """The units in which the driver is spoken to, in a car that shows these."""
        return Units(
            fahrenheit=self.temperature == "fahrenheit" if self.temperature else car.fahrenheit,
            miles=self.distance == "miles" if self.distance else car.miles,
        )

    @property
    def brief(self) -> bool:
        """Whether replies are to be short."""
        return self.length == "brief"

    @property
    def full(self) -> bool:
        """Whether replies may be longer."""
        return self.length == "full"

    def greeting(self, plain: str) -> str:
        """A greeting that begins with one word, with the name."""
        first, _, rest = plain.partition(".")
        return f"{first} {self.name}.{rest}" if self.name else plain


def manners_of(profile: Iterable[ProfileEntry]) -> Manners:
    """What of a profile is obeyed: what the driver wrote or said, as far as it is a value that there is."""
    told = {entry.key: entry.value for entry in profile if entry.edited}
    found = Manners()
    for name, (key, _) in LINES.items():
        value = told.get(key, "").strip()
        if name == "name":
            found = replace(found, name=value if len(value) <= LONGEST_NAME else "")
        elif (choice := value.lower().replace("kilometres", "kilometers")) in CHOICES[name]:
            found = replace(found, **{name: choice})
    return found


class Habit(Value):
    """What the driver usually has done at a certain time, with what it rests on."""

    preference: str
    """Id of the preference that was used for it."""
    detail: str
    value: str
    action: str
    """Name of the action that it was used for last."""
    when: str
    """``on thursdays``, ``in the mornings on weekdays``."""
    times: int
    """Days on which it was so,"""
    of: int
    """of so many on which it might have been, up to the last."""
    days: tuple[datetime, ...]
    """When, oldest first."""


class Change(Value):
    """Something that was learnt, and how it was before."""

    kind: Kind
    id: str
    text: str
    """A value, the words of a thought or a fact."""
    at: datetime
    detail: str = ""
    """Detail key of a preference, key of a line of the profile; empty else."""
    about: str = ""
    """Of a fact: whom it is about, in the driver's words."""
    before: str | None = None
    """What it took the place of."""
    sense: Sense = Sense.LIKES
    """Of a preference."""
    conditions: tuple[Condition, ...] = ()
    """Of a preference: when it holds."""
    ended: bool = False
    """It was taken for true and is no longer."""


class Review(Value):
    """What changed in a memory in some time."""

    period: Period
    changes: tuple[Change, ...] = ()
    """Newest first."""
    refused: int = 0
    """How often something was not kept because consent forbids it."""
    forgotten: int = 0
    """How many things were erased."""
