"""What the vehicle can be asked: typed actions and queries with units and ranges.

One frozen Pydantic model an action; its fields are its slots. ``ACTIONS`` lists all of them in the order in which they
are documented; ``action_model`` builds the hierarchical model of a slice of them (domain, action, slots), the same
shape that preferences have, so that one mechanism fills both (see ``models.structured``).

Ranges: cabin temperature 16.0..28.0 C in steps of 0.5 (CAR-bench and the Android VHAL example agree; VSS has no
bounds), fan 0..5 and seat heating 0..3 (CAR-bench), positions and brightness in percent.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model

from schemas.preferences import GROUNDED


class Domain(StrEnum):
    """The group that an action belongs to: the first level of the tree that the language model fills."""

    CLIMATE = "climate"
    SEATS = "seats"
    OPENINGS = "openings"
    LIGHTS = "lights"
    MEDIA = "media"
    NAVIGATION = "navigation"
    STATUS = "status"


Zone: TypeAlias = Literal["driver", "passenger", "all"]
Window: TypeAlias = Literal["driver", "passenger", "rear_left", "rear_right", "all"]
Change: TypeAlias = Literal["up", "down"]
AMBIENT_COLORS = ("red", "green", "blue", "yellow", "white", "pink", "orange", "purple", "cyan")
Color: TypeAlias = Literal["red", "green", "blue", "yellow", "white", "pink", "orange", "purple", "cyan"]
Celsius: TypeAlias = Annotated[float, Field(ge=16.0, le=28.0, multiple_of=0.5)]
Percent: TypeAlias = Annotated[int, Field(ge=0, le=100, multiple_of=5)]
Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=60, json_schema_extra=GROUNDED)]
"""A name in the driver's own words."""


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


class SetTemperature(Action):
    name, domain, description = "set_temperature", Domain.CLIMATE, "Set the cabin temperature in degrees Celsius."
    celsius: Celsius
    zone: Zone = "all"


class ChangeTemperature(Action):
    name, domain, description = "change_temperature", Domain.CLIMATE, "Make the cabin warmer (up) or cooler (down)."
    change: Change
    zone: Zone = "all"


class SetFanSpeed(Action):
    name, domain, description = "set_fan_speed", Domain.CLIMATE, "Set the fan to a level from 0 (off) to 5."
    level: Annotated[int, Field(ge=0, le=5)]


class ChangeFanSpeed(Action):
    name, domain, description = "change_fan_speed", Domain.CLIMATE, "Make the fan blow stronger or weaker."
    change: Change


class SetAirConditioning(Action):
    name, domain, description = "set_air_conditioning", Domain.CLIMATE, "Switch the air conditioning on or off."
    on: bool


class SetAirflow(Action):
    name, domain, description = "set_airflow", Domain.CLIMATE, "Choose where the air blows."
    direction: Literal["face", "feet", "windshield", "face_and_feet"]


class SetRecirculation(Action):
    name, domain, description = "set_recirculation", Domain.CLIMATE, "Recirculate the cabin air, or let fresh air in."
    on: bool


class SetDefrost(Action):
    name, domain, description = "set_defrost", Domain.CLIMATE, "Switch the defroster of a windscreen on or off."
    window: Literal["front", "rear", "all"] = "front"
    on: bool


class SetSeatHeating(Action):
    name, domain, description = "set_seat_heating", Domain.SEATS, "Set seat heating to a level from 0 (off) to 3."
    level: Annotated[int, Field(ge=0, le=3)]
    zone: Zone = "driver"


class SetSeatVentilation(Action):
    name, domain, description = "set_seat_ventilation", Domain.SEATS, "Set seat ventilation, 0 (off) to 3."
    level: Annotated[int, Field(ge=0, le=3)]
    zone: Zone = "driver"


class SetSteeringWheelHeating(Action):
    name, domain = "set_steering_wheel_heating", Domain.SEATS
    description = "Set the heating of the steering wheel, 0 (off) to 3."
    level: Annotated[int, Field(ge=0, le=3)]


class MoveSeat(Action):
    name, domain, description = "move_seat", Domain.SEATS, "Move the driver's seat a little."
    direction: Literal["forward", "back", "up", "down"]


class SetWindow(Action):
    name, domain, description = "set_window", Domain.OPENINGS, "Open a window to a share of 100 (0 is closed)."
    window: Window = "driver"
    percent: Percent


class SetSunroof(Action):
    name, domain, description = "set_sunroof", Domain.OPENINGS, "Open the sunroof to a share of 100 (0 is closed)."
    percent: Percent


class SetSunshade(Action):
    name, domain, description = "set_sunshade", Domain.OPENINGS, "Open the sunshade to a share of 100 (0 is closed)."
    percent: Percent


class SetTrunk(Action):
    name, domain, description = "set_trunk", Domain.OPENINGS, "Open or close the trunk."
    open: bool


class SetDoorLocks(Action):
    name, domain, description = "set_door_locks", Domain.OPENINGS, "Lock or unlock the doors."
    locked: bool


class SetMirrors(Action):
    name, domain, description = "set_mirrors", Domain.OPENINGS, "Fold or unfold the outside mirrors."
    folded: bool


class SetAmbientLight(Action):
    name, domain, description = "set_ambient_light", Domain.LIGHTS, "Switch the ambient light on or off."
    on: bool


class SetAmbientColor(Action):
    name, domain, description = "set_ambient_color", Domain.LIGHTS, "Choose the colour of the ambient light."
    color: Color


class SetAmbientBrightness(Action):
    name, domain, description = "set_ambient_brightness", Domain.LIGHTS, "Set the ambient light's brightness."
    percent: Percent


class ChangeAmbientBrightness(Action):
    name, domain = "change_ambient_brightness", Domain.LIGHTS
    description = "Make the ambient light brighter or dimmer."
    change: Change


class SetReadingLight(Action):
    name, domain, description = "set_reading_light", Domain.LIGHTS, "Switch a reading light on or off."
    zone: Zone = "driver"
    on: bool


class SetDomeLight(Action):
    name, domain, description = "set_dome_light", Domain.LIGHTS, "Switch the dome light on or off."
    on: bool


class SetLowBeam(Action):
    name, domain, description = "set_low_beam", Domain.LIGHTS, "Switch the headlights (low beam) on or off."
    on: bool


class SetHighBeam(Action):
    name, domain, description = "set_high_beam", Domain.LIGHTS, "Switch the high beam on or off."
    on: bool


class SetFogLights(Action):
    name, domain, description = "set_fog_lights", Domain.LIGHTS, "Switch the fog lights on or off."
    on: bool


class PlayMusic(Action):
    name, domain, description = "play_music", Domain.MEDIA, "Play music: a genre, an artist or a song, or anything."
    genre: Words | None = None
    artist: Words | None = None
    song: Words | None = None


class PlayRadio(Action):
    name, domain, description = "play_radio", Domain.MEDIA, "Play a radio station."
    station: Words | None = None


class PlayPodcast(Action):
    name, domain, description = "play_podcast", Domain.MEDIA, "Play a podcast: a show or a genre."
    show: Words | None = None
    genre: Words | None = None


class SetVolume(Action):
    name, domain, description = "set_volume", Domain.MEDIA, "Set the volume in percent."
    percent: Percent


class ChangeVolume(Action):
    name, domain, description = "change_volume", Domain.MEDIA, "Make it louder (up) or quieter (down)."
    change: Change


class SetPlayback(Action):
    name, domain, description = "set_playback", Domain.MEDIA, "Pause, go on, next or previous track."
    command: Literal["play", "pause", "next", "previous"]


class SetMute(Action):
    name, domain, description = "set_mute", Domain.MEDIA, "Mute the sound or bring it back."
    on: bool


class NavigateTo(Action):
    name, domain, description = "navigate_to", Domain.NAVIGATION, "Start navigation to a destination by name."
    destination: Words


class FindPlace(Action):
    name, domain = "find_place", Domain.NAVIGATION
    description = "Find a place nearby and navigate to it."
    kind: Literal["restaurant", "fast_food", "gas_station", "charging_station", "supermarket", "parking", "cafe"]
    quality: Words | None = None
    """What it should be like: a cuisine, a brand, a price, a feature."""


class AddStop(Action):
    name, domain, description = "add_stop", Domain.NAVIGATION, "Add a stop to the route by name."
    destination: Words


class CancelNavigation(Action):
    name, domain, description = "cancel_navigation", Domain.NAVIGATION, "End navigation."


class SetRoutePreference(Action):
    name, domain = "set_route_preference", Domain.NAVIGATION
    description = "Choose the quickest or shortest route, or avoid a kind of road."
    preference: Literal["fastest", "shortest", "avoid_highways", "avoid_tolls", "avoid_ferries"]


class GetRange(Action):
    name, domain, query = "get_range", Domain.STATUS, True
    description = "How far the car can still go, and the state of charge."


class GetTirePressure(Action):
    name, domain, query = "get_tire_pressure", Domain.STATUS, True
    description = "The pressure of the tyres."


class GetOutsideTemperature(Action):
    name, domain, query = "get_outside_temperature", Domain.STATUS, True
    description = "How warm it is outside."


class GetCabinTemperature(Action):
    name, domain, query = "get_cabin_temperature", Domain.STATUS, True
    description = "How warm it is in the car and what was asked for."


class GetNavigation(Action):
    name, domain, query = "get_navigation", Domain.STATUS, True
    description = "Where the route goes and when the car arrives."


ACTIONS: tuple[type[Action], ...] = (
    SetTemperature, ChangeTemperature, SetFanSpeed, ChangeFanSpeed, SetAirConditioning, SetAirflow, SetRecirculation,
    SetDefrost, SetSeatHeating, SetSeatVentilation, SetSteeringWheelHeating, MoveSeat, SetWindow, SetSunroof,
    SetSunshade, SetTrunk, SetDoorLocks, SetMirrors, SetAmbientLight, SetAmbientColor, SetAmbientBrightness,
    ChangeAmbientBrightness, SetReadingLight, SetDomeLight, SetLowBeam, SetHighBeam, SetFogLights, PlayMusic, PlayRadio,
    PlayPodcast, SetVolume, ChangeVolume, SetPlayback, SetMute, NavigateTo, FindPlace, AddStop, CancelNavigation,
    SetRoutePreference, GetRange, GetTirePressure, GetOutsideTemperature, GetCabinTemperature, GetNavigation,
)  # fmt: skip

BY_NAME: dict[str, type[Action]] = {action.name: action for action in ACTIONS}


def parse_action(name: str, slots: dict[str, Any]) -> Action:
    """The action of that name with these slots.

    Raises:
        KeyError: no action has that name.
        pydantic.ValidationError: a slot is missing, unknown or out of range.
    """
    return BY_NAME[name].model_validate(slots)


@lru_cache(maxsize=256)
def action_model(names: tuple[str, ...]) -> type[BaseModel]:
    """The hierarchical Pydantic model of a slice of the actions: optional domains, each with its optional actions.

    An empty object means: nothing that the vehicle can do was asked for.

    Raises:
        KeyError: no action has that name.
    """
    wanted = {BY_NAME[name].name for name in names}
    tree: dict[Domain, dict[str, Any]] = {}
    for action in ACTIONS:
        if action.name in wanted:
            field = (action | None, Field(default=None, description=action.description))
            tree.setdefault(action.domain, {})[action.name] = field
    domains: dict[str, Any] = {
        domain.value: (create_model(f"Domain_{domain}", __config__=ConfigDict(extra="forbid"), **fields) | None, None)
        for domain, fields in tree.items()
    }
    return create_model("Request", __config__=ConfigDict(extra="forbid"), **domains)


def demanded_model(name: str, numbers: frozenset[float]) -> type[BaseModel]:
    """The model of one action that must be filled: for a second look, when it is sure that the action is meant.

    Args:
        name: the action's name.
        numbers: what was said or remembered; a numeric slot that exactly one of them fits can only take that one.

    Raises:
        KeyError: no action has that name.
    """
    action = BY_NAME[name]
    bound: dict[str, Any] = {}
    for slot, schema in action.model_json_schema()["properties"].items():
        if schema.get("type") in ("number", "integer"):
            low, high, step = schema["minimum"], schema["maximum"], schema.get("multipleOf", 1)
            fitting = [number for number in numbers if low <= number <= high and number % step == 0]
            if len(fitting) == 1:
                kind = float if schema["type"] == "number" else int
                only = kind(fitting[0])
                bound[slot] = (Annotated[kind, Field(ge=only, le=only, multiple_of=step)], ...)
    narrowed = create_model(action.__name__, __base__=action, **bound) if bound else action
    leaves: dict[str, Any] = {name: (narrowed, ...)}
    domain = create_model(f"Domain_{action.domain}", __config__=ConfigDict(extra="forbid"), **leaves)
    groups: dict[str, Any] = {action.domain.value: (domain, ...)}
    return create_model("Request", __config__=ConfigDict(extra="forbid"), **groups)


def actions_of(request: BaseModel) -> tuple[Action, ...]:
    """The actions in a filled ``action_model``, in its order."""
    found: list[Action] = []
    for domain in type(request).model_fields:
        group: BaseModel | None = getattr(request, domain)
        if group is not None:
            found.extend(a for name in type(group).model_fields if (a := getattr(group, name)) is not None)
    return tuple(found)
