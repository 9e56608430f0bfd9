"""What the car knows of the moment: whether the conditions hold under which the driver prefers something.

What it cannot know it says so (None), and nothing is used on the strength of a condition that may not hold. Owns where the hours,
months and measures lie; no state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from schemas.memory import Condition, ConditionKind, Preference

HOURS: Mapping[str, tuple[int, int]] = {
    "morning": (5, 12), "midday": (11, 14), "afternoon": (12, 18), "evening": (17, 23), "night": (21, 5),
}  # fmt: skip
"""From this hour until before that one; they overlap as they do when people speak. Our choice."""
SEASONS = ("winter", "spring", "summer", "autumn")
"""By three months from December on, north of the equator."""
SOUTHERN = re.compile(
    r"Australia/|Antarctica/|Pacific/(?:Auckland|Chatham|Fiji|Tongatapu|Easter|Noumea|Apia)|Indian/(?:Mauritius|Reunion|Antananarivo)|"
    r"America/(?:Argentina|Buenos_Aires|Sao_Paulo|Bahia|Campo_Grande|Cuiaba|Santiago|Punta_Arenas|Montevideo|Asuncion|La_Paz|Lima)|"
    r"Africa/(?:Johannesburg|Harare|Lusaka|Maputo|Windhoek|Gaborone|Maseru|Mbabane|Luanda)|Brazil/|Chile/|NZ"
)
"""Names of zones south of the equator."""
NAMED = re.compile(r"\w+/\w+|NZ|GB|Japan|Eire|Portugal|Poland|Turkey")
"""Names of zones that tell a place; any other tells no hemisphere."""
HOT, COLD, FREEZING = 25.0, 8.0, 3.0
"""Degrees Celsius outside from which on it is hot, up to which it is cold, and up to which it may freeze. Our choice."""
LONG_KM = 150.0
"""Length of a route from which on it is a long one. Our choice."""
_SEATS = ("seat.passenger.occupancy", "seat.rear_left.occupancy", "seat.rear_right.occupancy")
_PLACES: Mapping[str, re.Pattern[str]] = {
    "commute": re.compile(r"\b(?:work|office)\b"),
    "school": re.compile(r"\b(?:school|kindergarten|nursery)\b"),
    "shopping": re.compile(r"\b(?:supermarket|market|mall|shop|shops|shopping)\b"),
}
"""Names of destinations that tell what a trip is for."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """A moment."""

    now: datetime
    zone: tzinfo
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Signals, as ``schemas.events.VehicleState.values``."""

    def hold(self, conditions: Iterable[Condition]) -> bool | None:
        """Whether all of them hold: False as soon as one surely does not, None where it cannot be told."""
        held = [self.holds(one) for one in conditions]
        return False if False in held else None if None in held else True

    def apply(self, preference: Preference) -> bool:
        """Whether a preference surely counts now."""
        return self.hold(preference.conditions) is True

    def holds(self, condition: Condition) -> bool | None:
        """Whether a condition holds; None where the car does not know."""
        match condition.kind:
            case ConditionKind.TIME_OF_DAY:
                return self._time(condition.value)
            case ConditionKind.SEASON:
                return self._season(condition.value)
            case ConditionKind.WEATHER:
                return self._weather(condition.value)
            case ConditionKind.COMPANY:
                return self._company(condition.value)
            case ConditionKind.TRIP_PURPOSE:
                return self._trip(condition.value)
            case ConditionKind.ROAD:
                return None  # no signal tells it

    def _time(self, value: str) -> bool | None:
        here = self.now.astimezone(self.zone)
        if value in ("weekday", "weekend"):
            return (here.weekday() >= 5) == (value == "weekend")
        if value not in HOURS:
            return None
        since, until = HOURS[value]
        return since <= here.hour < until if since < until else here.hour >= since or here.hour < until

    def _season(self, value: str) -> bool | None:
        name = str(self.zone)
        if value not in SEASONS or not NAMED.match(name):
            return None
        month = self.now.astimezone(self.zone).month
        quarter = (month % 12 // 3 + (2 if SOUTHERN.match(name) else 0)) % 4
        return SEASONS[quarter] == value

    def _weather(self, value: str) -> bool | None:
        rain, outside = self.values.get("outside.rain"), self.values.get("outside.temperature")
        wet = None if rain is None else float(rain) > 0.0
        match value:
            case "rain":
                return wet
            case "sun":
                return False if wet else None
            case "hot" | "cold":
                return None if outside is None else float(outside) >= HOT if value == "hot" else float(outside) <= COLD
            case "snow" | "ice":
                return False if outside is not None and float(outside) > FREEZING else None
            case _:
                return None

    def _company(self, value: str) -> bool | None:
        seats = [self.values.get(seat) for seat in _SEATS]
        somebody, nobody = "occupied" in seats, all(seat == "empty" for seat in seats)
        if value in ("alone", "passengers"):
            return (somebody == (value == "passengers")) if somebody or nobody else None
        return False if nobody else None

    def _trip(self, value: str) -> bool | None:
        going = str(self.values.get("navigation.destination") or "").lower()
        if not going:
            return None
        if value in _PLACES:
            found = next((purpose for purpose, names in _PLACES.items() if names.search(going)), None)
            return found == value if found is not None or going != "home" else None
        kilometers = self.values.get("navigation.kilometers")
        return float(kilometers) >= LONG_KM if value == "long" and kilometers else None
