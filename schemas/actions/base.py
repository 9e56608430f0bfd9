"""What all actions share: the base class, the domains, and the types of their slots with units and ranges.

What is known of one action stands on its class and nowhere else: the attributes of `Action` say what there is to say.
Only what the vehicle's safety hangs on is apart, in one table that is reviewed as a whole (``vehicle.policy``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from schemas.actions.said import Phrase
from schemas.preferences import GROUNDED


class Domain(StrEnum):
    """The group that an action belongs to: what it is about."""

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
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "front": ("driver", "passenger"), "rear": ("rear_left", "rear_right"),
    "left": ("driver", "rear_left"), "right": ("passenger", "rear_right"),
    "all": ("driver", "passenger", "rear_left", "rear_right"),
})  # fmt: skip
"""The corners of the car that a row, a side or "all" stands for. Sides assume a car that is driven from the left seat."""
Window: TypeAlias = Literal["driver", "passenger", "rear_left", "rear_right", "front", "rear", "left", "right", "all"]
Lamp: TypeAlias = Literal["driver", "passenger", "rear_left", "rear_right", "front", "rear", "all"]
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
PLACE_DETAILS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "restaurant": ("favourite_cuisine", "preferred_restaurant_type", "desired_price_range", "dietary_preference"),
    "fast_food": ("fast_food_preference",),
    "cafe": ("preferred_restaurant_type", "desired_price_range"),
    "gas_station": ("preferred_gas_station",),
    "charging_station": ("preferred_charging_network", "charging_station_onsite_amenities"),
    "supermarket": ("preferred_supermarket_chain",),
    "parking": ("preferred_parking_type", "preference_for_covered_parking"),
})  # fmt: skip
"""Which remembered details matter for a kind of place: no cuisine at a petrol station."""


def corners(place: str, but: str | None = None) -> tuple[str, ...]:
    """The corners of the car that a place stands for, without those of another one."""
    spared = GROUPS.get(but, (but,)) if but is not None else ()
    return tuple(corner for corner in GROUPS.get(place, (place,)) if corner not in spared)


def words(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


def celsius_of(fahrenheit: float) -> float:
    """A temperature in degrees Celsius, to the half degree that a car can be set to."""
    return round((fahrenheit - 32.0) / 0.9) / 2.0


class Action(BaseModel):
    """Base of all actions; subclass per action. ``query`` actions read and never move anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    domain: ClassVar[Domain]
    description: ClassVar[str]
    query: ClassVar[bool] = False

    # What a person reads and hears
    title: ClassVar[str]
    """On the screen, before its slots: "Seat heating"."""
    thing: ClassVar[str] = ""
    """What a vehicle lacks that does not have the action, as it is named after "this car has no"; empty: all have it."""
    examples: ClassVar[tuple[str, str]]
    """Two ways of asking for it, for docs/what-to-say.md; both are understood without a model."""
    do: ClassVar[Phrase | None] = None
    """What it is to do, as it is asked about after "Shall I", from its slots: "lock the doors"; None only for queries."""
    done: ClassVar[Phrase | None] = None
    """What is said once it is done, from its slots; None: what the vehicle answers is told (``voice.dialogue.replies.answers``)."""
    tells: ClassVar[str] = ""
    """Keys of ``ActionResult.answer``, for docs/actions.md."""

    # The vehicle: names of ``vehicle.signals``
    sets: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Signal -> the slot whose value it takes; ``{zone}`` or ``{window}`` stands for a value of that slot. An action without
    a plan of its own is carried out so; and writing the signal again, to take something back, is judged as this action."""
    groups: ClassVar[Collection[str]] = ("all",)
    """Values of ``{zone}`` or ``{window}`` that stand for several others, and for no signal of their own."""
    needs: ClassVar[tuple[str, ...] | None] = None
    """Signals that it cannot do without: a vehicle has the action if it has all of them. None: those that it ``sets``, or none
    where it is ``per_place`` or ``any_of``."""
    per_place: ClassVar[str] = ""
    """The signal of a place, with ``{zone}`` or ``{window}``: a vehicle has the action if it has one of these, and for a place that
    it lacks it says which ones it has."""
    any_of: ClassVar[tuple[str, ...]] = ()
    """Signals of which one is enough, where no slot names a place."""
    also: ClassVar[tuple[str, ...]] = ()
    """Signals that it reads or writes besides, where the vehicle has them."""
    instead: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Other signals that do as well as those that it ``needs``."""

    # What may ground it: judged by ``voice.dialogue.validator`` where it is read in free words
    named_by: ClassVar[frozenset[str]] = frozenset()
    """Words of which a free request for it has one; without, the encoder's guess was a guess. Empty: any words may ask for it."""
    complaints: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType({})
    """Value of ``change`` -> complaints that ask for it: "i'm freezing" is not "cooler"."""
    negatable: ClassVar[bool] = False
    """Whether it is asked for with a "not": "don't let me forget", "don't charge above eighty"."""
    careful: ClassVar[bool | None] = None
    """Whether a request that was not a complete command needs a spoken yes. None: as its domain."""
    details: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Remembered detail (``schemas.preferences``) -> the slot that it can fill where the driver left it open."""

    # What follows it: "a bit more", "close it again", "no, thirty"
    step: ClassVar[str] = ""
    """The action that takes a step from there."""
    outright: ClassVar[str] = ""
    """For an action that takes a step: the one that sets the same thing outright."""
    stride: ClassVar[int] = 0
    """How far "a bit more" changes the number that was set, where no action takes steps."""
    to_place: ClassVar[bool] = False
    """Whether it is about one place to go to, so that "another one" is another place."""

    _spares: tuple[str, ...] = PrivateAttr(())

    @property
    def spares(self) -> tuple[str, ...]:
        """What it is not to choose where it chooses something by itself: no slot, since nobody says it."""
        return self._spares

    def sparing(self, what: Iterable[str]) -> Self:
        """The same action, that does not choose any of these names and qualities."""
        made = self.model_copy()
        object.__setattr__(made, "__pydantic_private__", {"_spares": tuple(what)})
        return made

    def takes(self, detail: str) -> bool:
        """Whether a remembered detail can stand in one of its slots."""
        return detail in self.details

    def slots(self) -> dict[str, Any]:
        """The slots that are filled, as JSON values."""
        return self.model_dump(mode="json", exclude_none=True)

    def describe(self) -> str:
        """``name(slot=value, ...)``, for timelines and logs."""
        inside = ", ".join(f"{slot}={value}" for slot, value in self.slots().items())
        return f"{self.name}({inside})"
