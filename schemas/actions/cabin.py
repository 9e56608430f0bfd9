"""Actions on the cabin: climate and seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from schemas.actions.base import Action, CabinZone, Celsius, Change, Degrees, Domain, Level, Zone, celsius_of, words
from schemas.actions.said import (
    AIR,
    DEFROSTERS,
    LEVELS,
    by_how_much,
    on_off,
    one_of,
    set_level,
    side,
    spoken_number,
    turn,
    up_down,
)

# Climate --------------------------------------------------------------------------------------------------------------


class SetTemperature(Action):
    name, domain, description = "set_temperature", Domain.CLIMATE, "Set the cabin temperature in degrees Celsius."
    title, thing = "Temperature", "temperature control"
    examples = "set the temperature to twenty two and a half degrees", "make it twenty degrees in the back"
    do = lambda s: f"set the temperature to {spoken_number(s['celsius'])} degrees{side(s)}"
    done = lambda s: f"{spoken_number(s['celsius'])} degrees{side(s)}"
    sets = {"climate.{zone}.temperature": "celsius"}
    per_place = "climate.{zone}.temperature"
    also = ("climate.on", "climate.sync")
    details = {"preferred_temperature": "celsius"}
    step = "change_temperature"
    celsius: Celsius
    """``fahrenheit`` may be given in its place, and becomes this at once: nothing behind here knows that unit."""
    zone: CabinZone = "all"

    @model_validator(mode="before")
    @classmethod
    def _in_celsius(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or given.get("fahrenheit") is None:
            return given
        if given.get("celsius") is not None:
            raise ValueError("a temperature is given in one unit, not in two")
        fahrenheit = float(given["fahrenheit"])
        rest = {slot: value for slot, value in given.items() if slot != "fahrenheit"}
        return {**rest, "celsius": celsius_of(fahrenheit)}


class ChangeTemperature(Action):
    name, domain, description = "change_temperature", Domain.CLIMATE, "Make the cabin warmer (up) or cooler (down)."
    title, thing = "Temperature", "temperature control"
    examples = "i'm freezing", "two degrees cooler on my side"
    do = lambda s: f"make it {'warmer' if s['change'] == 'up' else 'cooler'}{by_how_much(s, 'degrees')}{side(s)}"
    done = lambda s: f"{up_down('Making it warmer', 'Making it cooler')(s)}{by_how_much(s, 'degrees')}{side(s)}"
    per_place = "climate.{zone}.temperature"
    also = ("climate.on", "climate.sync")
    complaints = {
        "up": words("cold colder freezing frozen chilly cool shivering frosty icy"),
        "down": words("hot hotter warm boiling sweating sweltering roasting stuffy"),
    }
    outright = "set_temperature"
    change: Change
    zone: CabinZone = "all"
    by: Degrees | None = None
    """None: as much as is felt."""


class SetFanSpeed(Action):
    name, domain, description = "set_fan_speed", Domain.CLIMATE, "Set the fan to a level from 0 (off) to 5."
    title, thing = "Fan", "fan control"
    examples = "set the fan to three", "turn off the fan"
    do = lambda s: f"set the fan to {s['level']}" if s["level"] else "turn the fan off"
    done = lambda s: "Fan off" if s["level"] == 0 else f"Fan at {s['level']}"
    sets = {"climate.fan": "level"}
    also = ("climate.on", "climate.auto")
    details = {"fan_speed_preferences": "level"}
    step = "change_fan_speed"
    level: Annotated[int, Field(ge=0, le=5)]


class SetRearFan(Action):
    name, domain, description = "set_rear_fan", Domain.CLIMATE, "Set the fan of the rear row from 0 (off) to 5."
    title, thing = "Fan in the back", "fan of its own in the back"
    examples = "set the rear fan to three", "turn off the fan in the back"
    do = lambda s: f"set the fan in the back to {s['level']}" if s["level"] else "turn the fan in the back off"
    done = lambda s: "Fan in the back off" if s["level"] == 0 else f"Fan in the back at {s['level']}"
    sets = {"climate.rear.fan": "level"}
    named_by = words("rear back behind")
    stride = 1
    level: Annotated[int, Field(ge=0, le=5)]


class ChangeFanSpeed(Action):
    name, domain, description = "change_fan_speed", Domain.CLIMATE, "Make the fan blow stronger or weaker."
    title, thing = "Fan", "fan control"
    examples = "more air please", "turn down the blower"
    do = up_down("turn the fan up", "turn the fan down")
    done = up_down("Fan up", "Fan down")
    needs = ("climate.fan",)
    also = ("climate.on", "climate.auto")
    outright = "set_fan_speed"
    change: Change


class SetAirConditioning(Action):
    name, domain, description = "set_air_conditioning", Domain.CLIMATE, "Switch the air conditioning on or off."
    title, thing = "Air conditioning", "air conditioning"
    examples = "turn on the air conditioning", "no a c please"
    do = turn("the air conditioning")
    done = on_off("Air conditioning")
    sets = {"climate.air_conditioning": "on"}
    also = ("climate.fan", "climate.on")
    on: bool


class SetAirflow(Action):
    name, domain, description = "set_airflow", Domain.CLIMATE, "Choose where the air blows."
    title, thing = "Airflow", "adjustable vents"
    examples = "blow the air at my feet", "air to the windscreen and my feet"
    do = lambda s: f"send the air {AIR[s['direction']]}"
    done = one_of(
        "direction",
        face="Air to the face",
        feet="Air to the feet",
        windshield="Air to the windscreen",
        face_and_feet="Air to the face and feet",
        windshield_and_feet="Air to the windscreen and feet",
        windshield_and_face="Air to the windscreen and face",
        everywhere="Air everywhere",
    )
    sets = {"climate.airflow": "direction"}
    also = ("climate.auto",)
    details = {"airflow_direction_preferences": "direction"}
    direction: Literal[
        "face", "feet", "windshield", "face_and_feet", "windshield_and_feet", "windshield_and_face", "everywhere"
    ]


class SetRecirculation(Action):
    name, domain, description = "set_recirculation", Domain.CLIMATE, "Recirculate the cabin air, or let fresh air in."
    title, thing = "Recirculation", "air recirculation"
    examples = "recirculate the air", "let some fresh air in"
    do = lambda s: "recirculate the air" if s["on"] else "let fresh air in"
    done = lambda s: "Recirculating the air" if s["on"] else "Letting fresh air in"
    sets = {"climate.recirculation": "on"}
    also = ("climate.auto",)
    negatable = True
    on: bool


class SetDefrost(Action):
    name, domain, description = "set_defrost", Domain.CLIMATE, "Switch the defroster of a windscreen on or off."
    title, thing = "Defroster", "defroster"
    examples = "the windshield is fogged up", "turn off the rear defroster"
    do = lambda s: f"turn the {DEFROSTERS[s['window']]} {'on' if s['on'] else 'off'}"
    done = lambda s: (
        f"{'Both defrosters' if s['window'] == 'all' else s['window'].capitalize() + ' defroster'} {'on' if s['on'] else 'off'}"
    )
    sets = {"climate.defrost_{window}": "on"}
    per_place = "climate.defrost_{window}"
    also = ("climate.fan", "climate.airflow", "climate.air_conditioning", "climate.on", "climate.auto")
    window: Literal["front", "rear", "all"] = "front"
    on: bool


class SetClimate(Action):
    name, domain, description = "set_climate", Domain.CLIMATE, "Switch the whole climate control on or off."
    title, thing = "Climate control", "climate control"
    examples = "turn on the heating", "climate off"
    do = turn("the climate control")
    done = on_off("Climate control")
    sets = {"climate.on": "on"}
    on: bool


class SetAutoClimate(Action):
    name, domain = "set_auto_climate", Domain.CLIMATE
    description = "Let the car choose fan, airflow and recirculation by itself, or not any more."
    title, thing = "Automatic climate", "automatic climate"
    examples = "let the car control the climate", "set the fan to manual"
    do = turn("the automatic climate")
    done = on_off("Automatic climate")
    sets = {"climate.auto": "on"}
    also = ("climate.on",)
    on: bool


class SetClimateSync(Action):
    name, domain = "set_climate_sync", Domain.CLIMATE
    description = "Keep all zones at the driver's temperature, or let each have its own."
    title, thing = "Same temperature everywhere", "separate climate zones"
    examples = "same temperature for everyone", "separate the zones"
    do = lambda s: "set the same temperature everywhere" if s["on"] else "let each zone have its own temperature"
    done = lambda s: "The same temperature everywhere" if s["on"] else "Each side has its own temperature again"
    sets = {"climate.sync": "on"}
    needs = ("climate.sync", "climate.driver.temperature")
    also = ("climate.passenger.temperature", "climate.rear.temperature")
    on: bool


# Seats ----------------------------------------------------------------------------------------------------------------


class SetSeatHeating(Action):
    name, domain, description = "set_seat_heating", Domain.SEATS, "Set seat heating to a level from 0 (off) to 3."
    title, thing = "Seat heating", "seat heating"
    examples = "seat heating high", "heat my seat"
    do = set_level("the seat heating")
    done = lambda s: f"Seat heating {LEVELS[s['level']]}{side(s, 'driver')}"
    sets = {"seat.{zone}.heating": "level"}
    per_place = "seat.{zone}.heating"
    details = {"seat_heating_preferences": "level"}
    step = "change_seat_heating"
    level: Level
    zone: CabinZone = "driver"


class ChangeSeatHeating(Action):
    name, domain, description = "change_seat_heating", Domain.SEATS, "Make a seat's heating warmer or less warm."
    title, thing = "Seat heating", "seat heating"
    examples = "make my seat a bit warmer", "less seat heating"
    do = lambda s: f"turn the seat heating {s['change']}{side(s, 'driver')}"
    done = lambda s: f"{up_down('Seat heating up', 'Seat heating down')(s)}{side(s, 'driver')}"
    per_place = "seat.{zone}.heating"
    complaints = {"up": words("cold lukewarm"), "down": words("hot burning")}
    outright = "set_seat_heating"
    change: Change
    zone: CabinZone = "driver"


class SetSeatVentilation(Action):
    name, domain, description = "set_seat_ventilation", Domain.SEATS, "Set seat ventilation, 0 (off) to 3."
    title, thing = "Seat ventilation", "seat ventilation"
    examples = "cool my seat", "seat ventilation off"
    do = set_level("the seat ventilation")
    done = lambda s: f"Seat ventilation {LEVELS[s['level']]}{side(s, 'driver')}"
    sets = {"seat.{zone}.ventilation": "level"}
    per_place = "seat.{zone}.ventilation"
    stride = 1
    level: Level
    zone: Zone = "driver"


class SetSeatMassage(Action):
    name, domain, description = "set_seat_massage", Domain.SEATS, "Set the massage of a front seat, 0 (off) to 3."
    title, thing = "Seat massage", "seat massage"
    examples = "give me a massage", "massage level three"
    do = set_level("the massage")
    done = lambda s: f"Massage {LEVELS[s['level']]}{side(s, 'driver')}"
    sets = {"seat.{zone}.massage": "level"}
    per_place = "seat.{zone}.massage"
    stride = 1
    level: Level
    zone: Zone = "driver"


class ChangeLumbar(Action):
    name, domain = "change_lumbar", Domain.SEATS
    description = "More (up) or less (down) lumbar support in a front seat."
    title, thing = "Lumbar support", "lumbar support"
    examples = "more lumbar support", "lumbar support down"
    do = lambda s: f"give {'more' if s['change'] == 'up' else 'less'} lumbar support{side(s, 'driver')}"
    done = lambda s: f"{up_down('More', 'Less')(s)} lumbar support{side(s, 'driver')}"
    per_place = "seat.{zone}.lumbar"
    step = "change_lumbar"
    change: Change
    zone: Zone = "driver"


class SetSteeringWheelHeating(Action):
    name, domain = "set_steering_wheel_heating", Domain.SEATS
    description = "Set the heating of the steering wheel, 0 (off) to 3."
    title, thing = "Wheel heating", "steering wheel heating"
    examples = "my hands are cold", "turn off the heated steering wheel"
    do = set_level("the wheel heating")
    done = lambda s: f"Steering wheel heating {LEVELS[s['level']]}"
    sets = {"steering_wheel.heating": "level"}
    step = "change_steering_wheel_heating"
    level: Level


class ChangeSteeringWheelHeating(Action):
    name, domain = "change_steering_wheel_heating", Domain.SEATS
    description = "Make the heating of the steering wheel warmer or less warm."
    title, thing = "Wheel heating", "steering wheel heating"
    examples = "warmer steering wheel", "turn down the wheel heating"
    do = up_down("turn the wheel heating up", "turn the wheel heating down")
    done = up_down("Making the steering wheel warmer", "Making the steering wheel cooler")
    needs = ("steering_wheel.heating",)
    complaints = {"up": words("cold lukewarm"), "down": words("hot burning")}
    outright = "set_steering_wheel_heating"
    change: Change


class MoveSeat(Action):
    name, domain, description = "move_seat", Domain.SEATS, "Move the driver's seat a little."
    title, thing = "Seat", "electric seat"
    examples = "move my seat back a bit", "i can't reach the pedals"
    do = lambda s: f"move your seat {s['direction']}"
    done = lambda s: f"Moving your seat {s['direction']}"
    any_of = ("seat.driver.position", "seat.driver.height")
    careful = True
    direction: Literal["forward", "back", "up", "down"]


class ReclineSeat(Action):
    name, domain, description = "recline_seat", Domain.SEATS, "Lean the driver's backrest a little forward or back."
    title, thing = "Backrest", "electric backrest"
    examples = "lean my backrest back", "i want to sit more upright"
    do = lambda s: f"lean your backrest {s['direction']}"
    done = lambda s: f"Leaning your seat {s['direction']}"
    needs = ("seat.driver.recline",)
    careful = True
    direction: Literal["forward", "back"]


class RecallSeatPosition(Action):
    name, domain = "recall_seat_position", Domain.SEATS
    description = "Move the driver's seat to a stored position, 1 to 3."
    title, thing = "Seat position", "stored seat positions"
    examples = "seat position two", "load the first seat memory"
    do = lambda s: f"move your seat to position {s['number']}"
    done = lambda s: f"Seat position {s['number']}"
    sets = {"seat.driver.memory": "number"}
    careful = True
    number: Annotated[int, Field(ge=1, le=3)]
