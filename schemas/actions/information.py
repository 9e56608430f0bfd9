"""Questions about the vehicle, and what an assistant does beside it: timers, calendar, contacts, undo, memory."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from schemas.actions.base import Action, Domain, HalfDay, Hour, Message, Minute, Minutes, Percent, Words, words
from schemas.actions.said import Slots, both, day_said, seconds_said, spaced, spoken_time
from schemas.preferences import GROUNDED

_NAMES = "zero one two three four five six seven eight nine".split()
_DIGITS = {**{name: str(digit) for digit, name in enumerate(_NAMES)}, "oh": "0", "o": "0", "plus": "+"}
_TIMES = {"double": 2, "triple": 3}
EMERGENCY_NUMBERS = frozenset({"112", "911", "999", "000", "110", "111", "118", "119"})
"""Called without a question (``vehicle.policy``). 112 and 911 work in every mobile network (3GPP TS 22.101, 10.1.1); the others are
those of single countries, for fire and ambulance or police."""


def dialled(text: str) -> str:
    """A telephone number as it is dialled, of digits or of words one by one; what is neither stays as it is."""
    found, times = "", 1
    for word in text.lower().replace("-", " ").split():
        digits = _DIGITS.get(word, word)
        if word in _TIMES:
            times = _TIMES[word]
            continue
        found, times = found + digits * times, 1
    return found


_DOORS = ("door.driver", "door.passenger", "door.rear_left", "door.rear_right")
_WINDOWS = ("window.driver", "window.passenger", "window.rear_left", "window.rear_right")
_TIRES = ("tire.front_left", "tire.front_right", "tire.rear_left", "tire.rear_right")


def _span(slots: Slots) -> str:
    """How long a timer runs, with a space before it; empty where nobody said so."""
    seconds = 60 * (slots["minutes"] or 0) + (slots["seconds"] or 0)
    return f" for {seconds_said(seconds)}" if seconds else ""


def _moment(slots: Slots) -> str:
    """When to remind, with a space before it."""
    if slots["event"]:
        return " when we arrive"
    if slots["minutes"]:
        return f" in {seconds_said(60 * slots['minutes'])}"
    named = slots["day"]
    day = "" if named in (None, "today") else " tomorrow" if named == "tomorrow" else f" on {named.title()}"
    at = f" at {spoken_time(slots['hour'], slots['minute'], slots['half'])}" if slots["hour"] is not None else ""
    return f" on {day_said(slots['date'])}{at}" if slots["date"] else f"{day}{at}"


# Status ---------------------------------------------------------------------------------------------------------------


class GetRange(Action):
    name, domain, query = "get_range", Domain.STATUS, True
    description = "How far the car can still go, and its charge or fuel; or how far until a percentage is left."
    title = "Range"
    examples = "how far can i go", "how full is the battery"
    tells = "range_km, charge_percent; fuel_km, fuel_percent; until_percent, until_km"
    needs = ("battery.range", "battery.charge")
    also = ("fuel.range", "fuel.level")
    instead = (("fuel.range", "fuel.level"),)
    percent: Percent | None = None
    """How far until this much is left; None: until empty."""


class GetTirePressure(Action):
    name, domain, query = "get_tire_pressure", Domain.STATUS, True
    description = "The pressure of the tyres."
    title, thing = "Tyre pressure", "tyre sensors"
    examples = "check the tyre pressure", "do i have a puncture"
    tells = "low: names, kpa by tyre"
    any_of = _TIRES
    named_by = words("tyre tyres tire tires pressure air puncture flat wheel wheels")


class GetOutsideTemperature(Action):
    name, domain, query = "get_outside_temperature", Domain.STATUS, True
    description = "How warm it is outside."
    title, thing = "Outside temperature", "outside thermometer"
    examples = "how cold is it outside", "what's the outside temperature"
    tells = "celsius"
    needs = ("outside.temperature",)


class GetCabinTemperature(Action):
    name, domain, query = "get_cabin_temperature", Domain.STATUS, True
    description = "How warm it is in the car and what was asked for."
    title = "Cabin temperature"
    examples = "how warm is it in here", "what's the cabin temperature"
    tells = "celsius, target_celsius"
    needs = ("climate.cabin_temperature",)
    also = ("climate.driver.temperature",)


class GetNavigation(Action):
    name, domain, query = "get_navigation", Domain.STATUS, True
    description = "Where the route goes and when the car arrives."
    title = "Route"
    examples = "when will we arrive", "where are we going"
    tells = "destination, minutes, stops"
    needs = ("navigation.destination", "navigation.stops", "navigation.minutes")


class GetClimate(Action):
    name, domain, query = "get_climate", Domain.STATUS, True
    description = "How the climate is set: temperature, fan, airflow, air conditioning, defrosters."
    title = "Climate"
    examples = "what are the climate settings", "is the air conditioning on"
    tells = "celsius, passenger_celsius, fan, airflow, air_conditioning, recirculation, defrost: panes, on, auto"
    any_of = (
        "climate.driver.temperature",
        "climate.passenger.temperature",
        "climate.defrost_front",
        "climate.defrost_rear",
        "climate.fan",
        "climate.airflow",
        "climate.air_conditioning",
        "climate.recirculation",
    )
    also = ("climate.on", "climate.auto")


class GetSeats(Action):
    name, domain, query = "get_seats", Domain.STATUS, True
    description = "How warm the seats and the wheel are set, or who sits where."
    title, thing = "Seats", "seat sensors"
    examples = "is my seat heating on", "is anybody in the back seat"
    tells = "heating by seat; or occupied: seats"
    any_of = (
        "seat.driver.heating",
        "seat.passenger.heating",
        "seat.rear.heating",
        "steering_wheel.heating",
        "seat.passenger.occupancy",
        "seat.rear_left.occupancy",
        "seat.rear_right.occupancy",
    )
    named_by = words("seat seats sitting sits heated heating anybody anyone somebody someone belt wheel passenger who")
    part: Literal["heating", "occupancy"] = "heating"


class GetOpenings(Action):
    name, domain, query = "get_openings", Domain.STATUS, True
    description = "What is open or locked: windows, sunroof, doors, trunk."
    title = "What is open"
    examples = "are the windows closed", "did i lock the car"
    tells = "open: percent by signal; doors_open: sides, locked"
    any_of = (*_WINDOWS, "sunroof.position", "sunroof.shade", "trunk.position", "doors.locked", *_DOORS)
    part: Literal["windows", "sunroof", "doors", "trunk", "all"] = "all"


class GetLights(Action):
    name, domain, query = "get_lights", Domain.STATUS, True
    description = "Which lights are on."
    title = "Lights"
    examples = "which lights are on", "are the fog lights on"
    tells = "on: names, color"
    any_of = (
        "light.low_beam",
        "light.high_beam",
        "light.fog",
        "light.dome",
        "light.ambient.on",
        "light.ambient.color",
        "light.reading.driver",
        "light.reading.passenger",
        "light.reading.rear_left",
        "light.reading.rear_right",
    )
    part: Literal["inside", "outside", "all"] = "all"


class GetCar(Action):
    name, domain, query = "get_car", Domain.STATUS, True
    description = "About the car: the mileage, its colour, or how fast it goes."
    title = "The car"
    examples = "what's the mileage", "how fast are we going"
    tells = "km; or color; or speed_kmh"
    also = ("car.odometer", "car.color")
    named_by = words("mileage odometer kilometres kilometers miles colour color far driven many fast speed")
    part: Literal["odometer", "color", "speed"] = "odometer"


class GetTrip(Action):
    name, domain, query = "get_trip", Domain.STATUS, True
    description = "This drive so far: how far, how long, how fast on average, and the consumption."
    title, thing = "This trip", "trip computer"
    examples = "how far have we driven today", "what's the average consumption"
    tells = "km, minutes, kmh, consumption (l/100 km): what the car knows of it"
    any_of = ("trip.distance", "trip.minutes", "trip.average_speed", "fuel.consumption")
    named_by = words(
        "trip drive driven driving far long average fast speed consumption consume fuel petrol economy journey"
    )
    part: Literal["all", "distance", "duration", "speed", "consumption"] = "all"


class GetService(Action):
    name, domain, query = "get_service", Domain.STATUS, True
    description = "When the car's next service is due."
    title, thing = "Service", "service reminder"
    examples = "when is the next service due", "does the car need a service"
    tells = "due, km"
    any_of = ("service.due", "service.distance")
    named_by = words("service inspection maintenance garage workshop serviced oil due")


class GetWarnings(Action):
    name, domain, query = "get_warnings", Domain.STATUS, True
    description = "Whether everything is all right: tyres, charge, washer fluid, doors, belts."
    title = "Warnings"
    examples = "is everything okay with the car", "are there any warnings"
    tells = "warnings: phrases"
    any_of = (*_TIRES, *_DOORS, "battery.charge", "washer.low", "seat.driver.belted")


# Assistant ------------------------------------------------------------------------------------------------------------


class GetTime(Action):
    name, domain, query = "get_time", Domain.ASSISTANT, True
    description = "The time of day, or the date."
    title = "Time"
    examples = "what time is it", "what's the date"
    tells = "time, date, weekday"
    part: Literal["time", "date"] = "time"


class GetWeather(Action):
    name, domain, query = "get_weather", Domain.ASSISTANT, True
    description = "The weather here or at a place, of a day or an hour."
    title, thing = "Weather", "weather forecast"
    examples = "will it rain tomorrow at three", "what's the weather in paris"
    tells = "day, place, sky, low, high, rain_percent; or at, celsius instead of low, high; hour_unknown"
    day: Literal["today", "tomorrow"] = "today"
    hour: Hour | None = None
    half: HalfDay | None = None
    place: Words | None = None


class GetCapabilities(Action):
    name, domain, query = "get_capabilities", Domain.ASSISTANT, True
    description = "What the assistant can do, in all or about one thing."
    title = "What I can do"
    examples = "what can i say about the seats", "what functions do you have"
    tells = "about, can: action names"
    named_by = words("can do say able help features functions commands understand control capable")
    about: Literal["climate", "seats", "openings", "lights", "media", "navigation", "charging", "memory"] | None = None


class SetTimer(Action):
    name, domain, description = "set_timer", Domain.ASSISTANT, "Start a timer of some minutes or seconds."
    title, thing = "Timer", "timer"
    examples = "set a timer for ten minutes", "set a pasta timer for eight minutes"
    do = lambda s: f"set a timer{_span(s)}{' for ' + s['label'] if s['label'] else ''}"
    tells = "seconds, label"
    minutes: Minutes | None = None
    seconds: Annotated[int, Field(ge=5, le=600, multiple_of=5)] | None = None
    label: Words | None = None


class SetReminder(Action):
    name, domain, description = (
        "set_reminder",
        Domain.ASSISTANT,
        "Remind of something, after minutes, at a time or on arrival.",
    )
    title, thing = "Reminder", "reminders"
    examples = "remind me to buy milk in half an hour", "remind me to call the office at half past four"
    do = lambda s: f"remind you{_moment(s)}: {s['what']}"
    tells = "what, label, seconds, at, tomorrow, day, arrival"
    also = ("navigation.destination", "navigation.minutes")
    negatable = True
    what: Words
    minutes: Minutes | None = None
    hour: Hour | None = None
    minute: Minute | None = None
    half: HalfDay | None = None
    day: (
        Literal["today", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        | None
    ) = None
    """Of a time of day, a weekday being the next of its name; None: the next such time."""
    date: dt.date | None = None
    """The day, where it has none of these names: no slot that the parser fills, ``voice.dialogue.errands`` reads it."""
    event: Literal["arrival"] | None = None
    """When the route arrives."""


class GetTimers(Action):
    name, domain, query = "get_timers", Domain.ASSISTANT, True
    description = "Which timers or reminders are set and how long they still take."
    title, thing = "Timers", "timers"
    examples = "how long is left on the timer", "which reminders are set"
    tells = "kind, timers: [label, seconds, at, tomorrow, day]"
    kind: Literal["timer", "reminder"] = "timer"


class CancelTimer(Action):
    name, domain, description = "cancel_timer", Domain.ASSISTANT, "Cancel a timer or a reminder."
    title, thing = "Cancelled", "timers"
    examples = "cancel the timer", "forget the reminder to buy milk"
    do = lambda s: f"cancel the {s['label'] + ' ' if s['label'] else ''}{s['kind']}"
    tells = "kind, cancelled: labels"
    named_by = words(
        "cancel stop delete no off don't needn't end abort forget clear remove kill drop scrap mind rid needed done"
    )
    negatable = True
    kind: Literal["timer", "reminder"] = "timer"
    label: Words | None = None


class GetCalendar(Action):
    name, domain, query = "get_calendar", Domain.ASSISTANT, True
    description = "What is in the calendar."
    title, thing = "Calendar", "calendar"
    examples = "what's on my calendar tomorrow", "when is my next meeting"
    tells = "day, entries: [title, at, place]"
    day: Literal["today", "tomorrow"] = "today"


class GetContact(Action):
    name, domain, query = "get_contact", Domain.ASSISTANT, True
    description = "The telephone number, e-mail address or address of a contact."
    title, thing = "Contact", "contacts"
    examples = "what's anna's number", "where does peter live"
    tells = "name, part, value"
    named_by = words("number phone telephone mobile email mail address live lives reach contact where")
    person: Words
    part: Literal["phone", "email", "address"] = "phone"


class CallContact(Action):
    name, domain, description = "call_contact", Domain.ASSISTANT, "Call a contact on the telephone."
    title, thing = "Call", "telephone"
    examples = "call my sister", "i'd like to speak to anna"
    do = lambda s: f"call {s['person']}"
    done = lambda s: f"Calling {s['person']}"
    tells = "name"
    needs = ("phone.number",)
    named_by = words("call phone ring dial telephone speak talk reach line connect through calling")
    person: Words


class CallNumber(Action):
    name, domain, description = "call_number", Domain.ASSISTANT, "Call a telephone number, or the emergency services."
    title, thing = "Call", "telephone"
    examples = "call the emergency services", "dial one one two"
    do = lambda s: f"call {spaced(s['digits'])}"
    done = lambda s: f"Calling {spaced(s['digits'])}"
    tells = "digits"
    needs = ("phone.number",)
    named_by = words("call phone ring dial emergency ambulance police fire")
    digits: Annotated[str, Field(pattern=r"^\+?[0-9]{3,15}$", max_length=16, json_schema_extra=GROUNDED)]
    """Digits as they are dialled; in words ("zero four double one") they become that at once."""

    @field_validator("digits", mode="before")
    @classmethod
    def _dialled(cls, given: Any) -> Any:
        return dialled(given) if isinstance(given, str) else given


class HangUp(Action):
    name, domain, description = "hang_up", Domain.ASSISTANT, "End the telephone call."
    title, thing = "Hang up", "telephone"
    examples = "hang up", "end the call"
    do = lambda _: "hang up"
    done = lambda _: "Hanging up"
    needs = ("phone.number",)
    named_by = words("hang call phone line")


class SendEmail(Action):
    name, domain, description = "send_email", Domain.ASSISTANT, "Send an e-mail to a contact, or to several."
    title, thing = "E-mail", "e-mail"
    examples = "email anna that i'm running late", "tell peter i'm on my way"
    do = lambda s: f"send {both(s)} the e-mail: {s['message']}"
    done = lambda s: f"E-mail to {both(s)}: {s['message']}"
    tells = "name"
    named_by = words("email mail write send tell message text let inform notify drop word")
    person: Words
    """Whom; several with "and" between them."""
    other: Words | None = None
    """Another one."""
    message: Message


class Undo(Action):
    name, domain, description = "undo", Domain.ASSISTANT, "Take back what was changed last."
    title = "Taken back"
    examples = "undo that", "put it back to how it was"
    do = lambda _: "undo that"
    tells = "undone: action name"
    named_by = words("undo back was before wrong revert reverse restore mistake oops meant return cancel didn't")
    negatable = True


# Memory: answered by the dialogue from its memory port; no vehicle offers them -----------------------------------------


class GetPreferences(Action):
    name, domain, query = "get_preferences", Domain.MEMORY, True
    description = "Tell what is remembered of the driver's preferences, in all or about something."
    title = "What is remembered"
    examples = "what's my favourite music", "what are my preferences"
    about: Words | None = None


class ForgetPreference(Action):
    name, domain, description = "forget_preference", Domain.MEMORY, "Forget what is remembered about something."
    title = "Forgotten"
    examples = "forget that i like jazz", "forget my favourite restaurant"
    about: Words
