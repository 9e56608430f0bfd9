"""What all actions share: the base class, the domains, and the types of their slots with units and ranges."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from schemas.preferences import GROUNDED


class Domain(StrEnum):
    """The group that an action belongs to: the first level of the tree that the language model fills."""

    CLIMATE = "climate"
    SEATS = "seats"
    OPENINGS = "openings"
    LIGHTS = "lights"
    DISPLAY = "display"
    MEDIA = "media"
    NAVIGATION = "navigation"
    CHARGING = "charging"
    STATUS = "status"
    ASSISTANT = "assistant"
    MEMORY = "memory"


Zone: TypeAlias = Literal["driver", "passenger", "all"]
"""A side of the front row, or both."""
CabinZone: TypeAlias = Literal["driver", "passenger", "rear", "all"]
"""A front seat, the rear row, or the whole cabin."""
Window: TypeAlias = Literal["driver", "passenger", "rear_left", "rear_right", "all"]
Change: TypeAlias = Literal["up", "down"]
AMBIENT_COLORS = ("red", "green", "blue", "yellow", "white", "pink", "orange", "purple", "cyan")
Color: TypeAlias = Literal["red", "green", "blue", "yellow", "white", "pink", "orange", "purple", "cyan"]
Celsius: TypeAlias = Annotated[float, Field(ge=16.0, le=28.0, multiple_of=0.5)]
Degrees: TypeAlias = Annotated[float, Field(ge=0.5, le=10.0, multiple_of=0.5)]
"""A difference of temperatures, in kelvin."""
Percent: TypeAlias = Annotated[int, Field(ge=0, le=100, multiple_of=5)]
Points: TypeAlias = Annotated[int, Field(ge=5, le=100, multiple_of=5)]
"""A difference of percentages."""
Hour: TypeAlias = Annotated[int, Field(ge=0, le=23)]
Minute: TypeAlias = Annotated[int, Field(ge=0, le=59)]
HalfDay: TypeAlias = Literal["am", "pm"]
"""Before or after noon; where it is left out and the hour is 12 or less, the next such time is meant."""
Minutes: TypeAlias = Annotated[int, Field(ge=1, le=240)]
"""A length of time."""
Level: TypeAlias = Annotated[int, Field(ge=0, le=3)]
"""0 is off, 3 the most."""
Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=60, json_schema_extra=GROUNDED)]
"""A name in the driver's own words."""
Message: TypeAlias = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=GROUNDED)]
"""What to tell somebody, in the driver's own words."""
PlaceKind: TypeAlias = Literal[
    "restaurant", "fast_food", "gas_station", "charging_station", "supermarket", "parking", "cafe", "bakery", "hotel",
    "toilet", "pharmacy", "hospital", "airport",
]  # fmt: skip


class Action(BaseModel):
    """Base of all actions; subclass per action. ``query`` actions read and never move anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    domain: ClassVar[Domain]
    description: ClassVar[str]
    query: ClassVar[bool] = False

    def slots(self) -> dict[str, Any]:
        """The slots that are filled, as JSON values."""
        return self.model_dump(mode="json", exclude_none=True)

    def describe(self) -> str:
        """``name(slot=value, ...)``, for timelines and logs."""
        inside = ", ".join(f"{slot}={value}" for slot, value in self.slots().items())
        return f"{self.name}({inside})"
