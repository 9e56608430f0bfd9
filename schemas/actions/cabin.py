"""Actions on the cabin: climate, seats, openings (windows, roof, doors, mirrors) and lights."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.actions.base import (
    Action,
    CabinZone,
    Celsius,
    Change,
    Color,
    Degrees,
    Domain,
    Level,
    Percent,
    Points,
    Window,
    Zone,
)

# Climate --------------------------------------------------------------------------------------------------------------


class SetTemperature(Action):
    name, domain, description = "set_temperature", Domain.CLIMATE, "Set the cabin temperature in degrees Celsius."
    celsius: Celsius
    zone: CabinZone = "all"


class ChangeTemperature(Action):
    name, domain, description = "change_temperature", Domain.CLIMATE, "Make the cabin warmer (up) or cooler (down)."
    change: Change
    zone: CabinZone = "all"
    by: Degrees | None = None
    """None: as much as is felt."""


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
    direction: Literal[
        "face", "feet", "windshield", "face_and_feet", "windshield_and_feet", "windshield_and_face", "everywhere"
    ]


class SetRecirculation(Action):
    name, domain, description = "set_recirculation", Domain.CLIMATE, "Recirculate the cabin air, or let fresh air in."
    on: bool


class SetDefrost(Action):
    name, domain, description = "set_defrost", Domain.CLIMATE, "Switch the defroster of a windscreen on or off."
    window: Literal["front", "rear", "all"] = "front"
    on: bool


class SetClimate(Action):
    name, domain, description = "set_climate", Domain.CLIMATE, "Switch the whole climate control on or off."
    on: bool


class SetAutoClimate(Action):
    name, domain = "set_auto_climate", Domain.CLIMATE
    description = "Let the car choose fan, airflow and recirculation by itself, or not any more."
    on: bool


class SetClimateSync(Action):
    name, domain = "set_climate_sync", Domain.CLIMATE
    description = "Keep all zones at the driver's temperature, or let each have its own."
    on: bool


# Seats ----------------------------------------------------------------------------------------------------------------


class SetSeatHeating(Action):
    name, domain, description = "set_seat_heating", Domain.SEATS, "Set seat heating to a level from 0 (off) to 3."
    level: Level
    zone: CabinZone = "driver"


class ChangeSeatHeating(Action):
    name, domain, description = "change_seat_heating", Domain.SEATS, "Make a seat's heating warmer or less warm."
    change: Change
    zone: CabinZone = "driver"


class SetSeatVentilation(Action):
    name, domain, description = "set_seat_ventilation", Domain.SEATS, "Set seat ventilation, 0 (off) to 3."
    level: Level
    zone: Zone = "driver"


class SetSeatMassage(Action):
    name, domain, description = "set_seat_massage", Domain.SEATS, "Set the massage of a front seat, 0 (off) to 3."
    level: Level
    zone: Zone = "driver"


class ChangeLumbar(Action):
    name, domain = "change_lumbar", Domain.SEATS
    description = "More (up) or less (down) lumbar support in a front seat."
    change: Change
    zone: Zone = "driver"


class SetSteeringWheelHeating(Action):
    name, domain = "set_steering_wheel_heating", Domain.SEATS
    description = "Set the heating of the steering wheel, 0 (off) to 3."
    level: Level


class ChangeSteeringWheelHeating(Action):
    name, domain = "change_steering_wheel_heating", Domain.SEATS
    description = "Make the heating of the steering wheel warmer or less warm."
    change: Change


class MoveSeat(Action):
    name, domain, description = "move_seat", Domain.SEATS, "Move the driver's seat a little."
    direction: Literal["forward", "back", "up", "down"]


class ReclineSeat(Action):
    name, domain, description = "recline_seat", Domain.SEATS, "Lean the driver's backrest a little forward or back."
    direction: Literal["forward", "back"]


class RecallSeatPosition(Action):
    name, domain = "recall_seat_position", Domain.SEATS
    description = "Move the driver's seat to a stored position, 1 to 3."
    number: Annotated[int, Field(ge=1, le=3)]


# Openings -------------------------------------------------------------------------------------------------------------


class SetWindow(Action):
    name, domain, description = "set_window", Domain.OPENINGS, "Open a window to a share of 100 (0 is closed)."
    window: Window = "driver"
    percent: Percent


class ChangeWindow(Action):
    name, domain = "change_window", Domain.OPENINGS
    description = "Open or close a window a little, or by a number of percent."
    window: Window = "driver"
    change: Literal["open", "close"]
    by: Points | None = None


class SetSunroof(Action):
    name, domain, description = "set_sunroof", Domain.OPENINGS, "Open the sunroof to a share of 100 (0 is closed)."
    percent: Percent


class ChangeSunroof(Action):
    name, domain = "change_sunroof", Domain.OPENINGS
    description = "Open or close the sunroof a little, or by a number of percent."
    change: Literal["open", "close"]
    by: Points | None = None


class SetSunshade(Action):
    name, domain, description = "set_sunshade", Domain.OPENINGS, "Open the sunshade to a share of 100 (0 is closed)."
    percent: Percent


class StopMoving(Action):
    name, domain = "stop_moving", Domain.OPENINGS
    description = "Stop a window, the roof, the trunk or a seat where it is now."


class SetTrunk(Action):
    name, domain, description = "set_trunk", Domain.OPENINGS, "Open or close the trunk."
    open: bool


class SetDoorLocks(Action):
    name, domain, description = "set_door_locks", Domain.OPENINGS, "Lock or unlock the doors."
    locked: bool


class SetChildLock(Action):
    name, domain = "set_child_lock", Domain.OPENINGS
    description = "Switch the child lock of the rear doors and windows on or off."
    on: bool


class SetMirrors(Action):
    name, domain, description = "set_mirrors", Domain.OPENINGS, "Fold or unfold the outside mirrors."
    folded: bool


class SetMirrorHeating(Action):
    name, domain = "set_mirror_heating", Domain.OPENINGS
    description = "Switch the heating of the outside mirrors on or off."
    on: bool


# Lights ---------------------------------------------------------------------------------------------------------------


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
    zone: Window = "driver"
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
