"""Questions about the vehicle, and what an assistant does beside it: timers, calendar, contacts, undo, memory."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.actions.base import Action, Domain, HalfDay, Hour, Message, Minute, Minutes, Percent, Words

# Status ---------------------------------------------------------------------------------------------------------------


class GetRange(Action):
    name, domain, query = "get_range", Domain.STATUS, True
    description = "How far the car can still go, and its charge or fuel; or how far until a percentage is left."
    percent: Percent | None = None
    """How far until this much is left; None: until empty."""


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


class GetClimate(Action):
    name, domain, query = "get_climate", Domain.STATUS, True
    description = "How the climate is set: temperature, fan, airflow, air conditioning, defrosters."


class GetSeats(Action):
    name, domain, query = "get_seats", Domain.STATUS, True
    description = "How warm the seats and the wheel are set, or who sits where."
    part: Literal["heating", "occupancy"] = "heating"


class GetOpenings(Action):
    name, domain, query = "get_openings", Domain.STATUS, True
    description = "What is open or locked: windows, sunroof, doors, trunk."
    part: Literal["windows", "sunroof", "doors", "trunk", "all"] = "all"


class GetLights(Action):
    name, domain, query = "get_lights", Domain.STATUS, True
    description = "Which lights are on."
    part: Literal["inside", "outside", "all"] = "all"


class GetCar(Action):
    name, domain, query = "get_car", Domain.STATUS, True
    description = "About the car: the mileage, its colour, or how fast it goes."
    part: Literal["odometer", "color", "speed"] = "odometer"


class GetWarnings(Action):
    name, domain, query = "get_warnings", Domain.STATUS, True
    description = "Whether everything is all right: tyres, charge, washer fluid, doors, belts."


# Assistant ------------------------------------------------------------------------------------------------------------


class GetTime(Action):
    name, domain, query = "get_time", Domain.ASSISTANT, True
    description = "The time of day, or the date."
    part: Literal["time", "date"] = "time"


class GetWeather(Action):
    name, domain, query = "get_weather", Domain.ASSISTANT, True
    description = "The weather here or at a place."
    day: Literal["today", "tomorrow"] = "today"
    place: Words | None = None


class GetCapabilities(Action):
    name, domain, query = "get_capabilities", Domain.ASSISTANT, True
    description = "What the assistant can do, in all or about one thing."
    about: Literal["climate", "seats", "openings", "lights", "media", "navigation", "charging", "memory"] | None = None


class SetTimer(Action):
    name, domain, description = "set_timer", Domain.ASSISTANT, "Start a timer of some minutes or seconds."
    minutes: Minutes | None = None
    seconds: Annotated[int, Field(ge=5, le=600, multiple_of=5)] | None = None
    label: Words | None = None


class SetReminder(Action):
    name, domain, description = "set_reminder", Domain.ASSISTANT, "Remind of something, after minutes or at a time."
    what: Words
    minutes: Minutes | None = None
    hour: Hour | None = None
    minute: Minute | None = None
    half: HalfDay | None = None
    day: Literal["today", "tomorrow"] | None = None
    """Of a time of day; None: the next such time."""


class GetTimers(Action):
    name, domain, query = "get_timers", Domain.ASSISTANT, True
    description = "Which timers or reminders are set and how long they still take."
    kind: Literal["timer", "reminder"] = "timer"


class CancelTimer(Action):
    name, domain, description = "cancel_timer", Domain.ASSISTANT, "Cancel a timer or a reminder."
    kind: Literal["timer", "reminder"] = "timer"
    label: Words | None = None


class GetCalendar(Action):
    name, domain, query = "get_calendar", Domain.ASSISTANT, True
    description = "What is in the calendar."
    day: Literal["today", "tomorrow"] = "today"


class GetContact(Action):
    name, domain, query = "get_contact", Domain.ASSISTANT, True
    description = "The telephone number, e-mail address or address of a contact."
    person: Words
    part: Literal["phone", "email", "address"] = "phone"


class CallContact(Action):
    name, domain, description = "call_contact", Domain.ASSISTANT, "Call a contact on the telephone."
    person: Words


class SendEmail(Action):
    name, domain, description = "send_email", Domain.ASSISTANT, "Send an e-mail to a contact."
    person: Words
    message: Message


class Undo(Action):
    name, domain, description = "undo", Domain.ASSISTANT, "Take back what was changed last."


# Memory: answered by the dialogue from its memory port; no vehicle offers them -----------------------------------------


class GetPreferences(Action):
    name, domain, query = "get_preferences", Domain.MEMORY, True
    description = "Tell what is remembered of the driver's preferences, in all or about something."
    about: Words | None = None


class ForgetPreference(Action):
    name, domain, description = "forget_preference", Domain.MEMORY, "Forget what is remembered about something."
    about: Words
