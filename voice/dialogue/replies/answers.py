"""Answers whose words come from what the vehicle told: places, routes, status, timers, calendar.

Owns: one or two short sentences a question, with units. What was not told is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from models.numbers import number_words
from schemas.actions import BY_NAME
from schemas.actions.said import LEVELS, WINDOWS, day_said, spoken_number, spoken_time
from voice.dialogue.replies import examples, unknown

_Told = dict[str, Any]

_PARTS = {
    **{f"window.{side}": window for side, window in WINDOWS.items()},
    "sunroof.position": "the sunroof", "sunroof.shade": "the sunshade",
    "trunk.position": "the trunk",
}  # fmt: skip
_LAMPS = {
    "ambient.on": "the ambient light", "dome": "the dome light", "low_beam": "the headlights", "high_beam": "the high beam",
    "fog": "the fog lights", "reading.driver": "your reading light", "reading.passenger": "the passenger's reading light",
    "reading.rear_left": "the rear left reading light", "reading.rear_right": "the rear right reading light",
}  # fmt: skip
_WHO = {"driver": "your seat", "passenger": "the passenger's seat", "rear": "the rear seats", "wheel": "the wheel"}
_ROUTES = {"fastest": "the fastest", "shortest": "the shortest", "avoid_highways": "one without motorways"}
_DOMAINS = {
    "climate": "the climate", "seats": "the seats", "openings": "windows, roof and doors", "lights": "lights",
    "display": "the screen", "media": "music and radio", "navigation": "the way somewhere", "charging": "charging",
    "status": "the state of the car", "assistant": "timers, weather and calendar",
}  # fmt: skip
_AT_HOME = {"home": "home", "work": "to work"}
_MANY = 3
"""Things named at once: more are not kept in mind by ear."""


def listed(things: Sequence[str]) -> str:
    """Words such as "a, b and c"; at most ``_MANY`` by name."""
    named = list(things[:_MANY])
    if len(things) > _MANY:
        named = [*named, f"{len(things) - _MANY} more"]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _far(told: _Told) -> str:
    """The unit of distance that the answer is in."""
    return str(told.get("distance", "kilometres"))


def _car(slots: _Told, told: _Told) -> str:
    if slots.get("part") == "color":
        return f"It is {told['color']}"
    if slots.get("part") == "speed":
        return f"{told['speed_kmh']} {_far(told)} an hour" if told["speed_kmh"] else "We stand still"
    return f"{told['km']:.0f} {_far(told)}"


def minutes_words(minutes: float) -> str:
    """A length of time: "1 minute", "25 minutes", "2 hours 5"."""
    whole = round(minutes)
    if whole < 60:
        return f"{whole} minute{'' if whole == 1 else 's'}"
    hours, rest = divmod(whole, 60)
    return f"{hours} hour{'' if hours == 1 else 's'}{f' {rest}' if rest else ''}"


def seconds_words(seconds: float) -> str:
    """A length of time under an hour to the second where it is short: "45 seconds", "2 minutes 30 seconds"."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes >= 10 or not rest:
        return minutes_words(whole / 60) if whole >= 60 else f"{whole} seconds"
    return f"{minutes_words(minutes)} {rest} seconds" if minutes else f"{rest} seconds"


def answer(name: str, slots: _Told, told: _Told) -> str:
    """The reply to an action of that name; "Done" where it has no words of its own."""
    if BY_NAME[name].to_place:
        return _goal(name, slots, told)
    words = _ANSWERS.get(name)
    if not words:
        return "Done"
    more = f"; {told['left_out']} more when we stand" if told.get("left_out") else ""
    return f"{words(slots, told)}{more}"


def found_nothing(name: str, told: _Told) -> bool:
    """Whether an action wanted a place and no such place is known: then nothing has changed."""
    return BY_NAME[name].to_place and not told.get("name")


def _goal(name: str, slots: _Told, told: _Told) -> str:
    if found_nothing(name, told):
        return unknown.place(slots, going=name != "get_distance")
    if told.get("on_route"):
        return f"{told['name']} is on the route"
    away = f", {minutes_words(told['minutes'])} away" if told.get("minutes") is not None else ""
    if name == "get_distance":
        return f"{told['name']} is {spoken_number(told['km'])} {_far(told)}{away}"
    if name == "replace_stop":
        return (
            f"{told['name']} instead of {told['replaced']}{away}"
            if told.get("replaced")
            else f"Adding {told['name']}{away}"
        )
    if name == "navigate_to" and str(told["name"]).lower() in _AT_HOME:
        return f"Taking you {_AT_HOME[str(told['name']).lower()]}{away}"
    verb = "Adding" if name in ("add_stop", "find_on_route") else "Taking you to"
    return f"{verb} {told['name']}{away}"


def _places(slots: _Told, told: _Told) -> str:
    found: list[_Told] = told.get("places") or []
    if not found:
        return unknown.place(slots)
    named = [f"{place['name']}, {minutes_words(place['minutes'])} away" for place in found]
    return f"Near {told['near']} there is {listed(named)}" if told.get("near") else f"There is {listed(named)}"


def _routes(_: _Told, told: _Told) -> str:
    ways: list[_Told] = told.get("routes") or []
    if not ways:
        return "There is no route"
    return "; ".join(
        f"{w['number']}: {_ROUTES.get(w['name'], 'another')}, {minutes_words(w['minutes'])}, "
        f"{spoken_number(w['km'])} {_far(w)}{', with tolls' if w['toll'] else ''}"
        for w in ways
    )


def _chosen(slots: _Told, told: _Told) -> str:
    takes = f", {minutes_words(told['minutes'])}" if told.get("minutes") is not None else ""
    return f"Route {slots['number']}{takes}"


def _charging_stops(_: _Told, told: _Told) -> str:
    arrival = (
        f"we arrive with {told['charge_percent']} percent" if told.get("charge_percent") is not None else "we'll arrive"
    )
    return (
        f"Charging at {listed(told['stops'])}; {arrival}"
        if told.get("stops")
        else f"No charging stop needed: {arrival}"
    )


def _range(_: _Told, told: _Told) -> str:
    if told.get("until_km") is not None:
        return f"{spoken_number(told['until_km'])} {_far(told)} until {told['until_percent']} percent"
    parts: list[str] = []
    if told.get("range_km") is not None:
        parts.append(
            f"{spoken_number(told['range_km'])} {_far(told)}, the battery is at {told.get('charge_percent')} percent"
        )
    if told.get("fuel_km") is not None:
        parts.append(
            f"{spoken_number(told['fuel_km'])} {_far(told)} of fuel, the tank is at {told.get('fuel_percent')} percent"
        )
    return " and ".join(parts) or "I don't know the range"


def reaches(far: _Told, told: _Told) -> str:
    """Whether the range is enough to get there, and back; empty where one of both is not known.

    Args:
        far: what was told of the way.
        told: of the range, in the same unit.
    """
    ranges = [float(told[part]) for part in ("range_km", "fuel_km") if told.get(part) is not None]
    if far.get("km") is None or not ranges or told.get("until_km") is not None:
        return ""
    if sum(ranges) < float(far["km"]):
        return "That is not enough to get there."
    return f"That is enough to get there{' and' if sum(ranges) >= 2 * float(far['km']) else ', but not'} back."


def _cabin(_: _Told, told: _Told) -> str:
    target = told.get("target_celsius")
    aim = f", set to {spoken_number(float(target))}" if target is not None else ""
    return f"It is {spoken_number(float(told.get('celsius', 0.0)))} degrees in the car{aim}"


def _navigation(_: _Told, told: _Told) -> str:
    if not told.get("destination"):
        return "There is no route"
    stops = f", with a stop at {listed(told['stops'])}" if told.get("stops") else ""
    return f"To {told['destination']}, {minutes_words(told['minutes'])}{stops}"


def _charging(_: _Told, told: _Told) -> str:
    now = (
        f"The battery is at {told['percent']} percent" if told.get("percent") is not None else "I can't see the battery"
    )
    if told.get("percent_then") is not None:
        return f"In {minutes_words(told['after_minutes'])} it will be at {told['percent_then']} percent"
    if told.get("minutes") is not None and told.get("charging"):
        return f"{now}; {minutes_words(told['minutes'])} to {told['to_percent']} percent"
    if told.get("charging"):
        return f"{now} and charging"
    return f"{now}; it is {'plugged in but' if told.get('plugged') else ''} not charging".replace("  ", " ")


def parts_done(signals: Sequence[str]) -> str:
    """What is said where the car took a part of a wish, by the signals that were seen to move."""
    named = [
        _PARTS.get(name) or _LAMPS.get(name.removeprefix("light.")) or name.replace(".", " ").replace("_", " ")
        for name in signals
    ]
    if not named:
        return "The car may have done a part of that; please have a look."
    return f"The car did only a part of that: {listed(named)}."


def _climate(_: _Told, told: _Told) -> str:
    if told.get("on") is False:
        return "The climate control is off"
    sides = told.get("celsius"), told.get("passenger_celsius")
    parts = [_sides(*sides)] if sides != (None, None) else []
    if told.get("auto") or "fan" in told:
        parts.append("automatic" if told.get("auto") else f"the fan at {told.get('fan')}")
    parts += [f"air to the {str(told['airflow']).replace('_', ' ')}"] if "airflow" in told else []
    if "air_conditioning" in told:
        parts.append(f"air conditioning {'on' if told['air_conditioning'] else 'off'}")
    parts += ["recirculating"] if told.get("recirculation") else []
    parts += [f"{listed(told['defrost'])} defroster on"] if told.get("defrost") else []
    return ", ".join(parts) or "The defrosters are off"


def _sides(yours: float | None, other: float | None) -> str:
    """The temperature that is set, and on whose side."""
    if yours is None or other is None or yours == other:
        side = " on the passenger's side" if yours is None else "" if other is None else " on both sides"
        return f"{spoken_number(float(yours if yours is not None else other or 0.0))} degrees{side}"
    return f"{spoken_number(float(yours))} degrees on your side, {spoken_number(float(other))} on the passenger's"


def _trip(_: _Told, told: _Told) -> str:
    parts: list[str] = []
    if told.get("km") is not None:
        parts.append(f"{spoken_number(round(float(told['km']), 1))} kilometres")
    if told.get("minutes") is not None:
        parts.append(minutes_words(told["minutes"]))
    if told.get("kmh") is not None:
        parts.append(f"{round(told['kmh'])} kilometres an hour on average")
    if told.get("consumption") is not None:
        parts.append(f"{spoken_number(round(float(told['consumption']), 1))} litres per hundred kilometres")
    return f"So far {listed(parts)}" if parts else "The car doesn't say anything about this trip"


def _service(_: _Told, told: _Told) -> str:
    km = told.get("km")
    if told.get("due") is True or (km is not None and km <= 0):
        return "A service is due"
    return f"The next service is due in {round(km)} kilometres" if km is not None else "No service is due"


def _seats(slots: _Told, told: _Told) -> str:
    if slots.get("part") == "occupancy":
        others = [seat.replace("_", " ") for seat in told.get("occupied", ()) if seat != "driver"]
        return f"You, and somebody in the {listed(others)} seat" if others else "Only you"
    heating = [f"{_WHO.get(who, who)} {LEVELS[level]}" for who, level in told.get("heating", {}).items() if level]
    return f"Heating: {listed(heating)}" if heating else "The seat heating is off"


def _together(things: Sequence[str]) -> list[str]:
    """Things as they are spoken of: each window named is all of them."""
    windows = [_PARTS[f"window.{side}"] for side in ("driver", "passenger", "rear_left", "rear_right")]
    rest = [thing for thing in things if thing not in windows]
    return [WINDOWS["all"], *rest] if set(windows) <= set(things) else list(things)


def _openings(slots: _Told, told: _Told) -> str:
    shares: dict[str, list[str]] = {}
    for name, share in told.get("open", {}).items():
        far = "partly open" if share is None else f"{round(share)} percent open" if share < 100 else "open"
        shares.setdefault(far, []).append(_PARTS.get(name) or str(name))
    for door in told.get("doors_open", ()):
        shares.setdefault("open", []).append(f"the {door.replace('_', ' ')} door")
    opened = [
        f"{listed(_together(things))} {'are' if len(things) > 1 else 'is'} {far}" for far, things in shares.items()
    ]
    locked = told.get("locked")
    lock = f"the doors are {'locked' if locked else 'unlocked'}" if locked is not None else ""
    if opened:
        return f"{_first_upper(', '.join(opened))}{f'; {lock}' if lock else ''}"
    return (
        f"All closed{f'; {lock}' if lock else ''}" if slots.get("part") != "doors" or not lock else _first_upper(lock)
    )


def _stopped(_: _Told, told: _Told) -> str:
    return "Stopped" if told.get("stopped") else "Nothing that I moved is still on its way"


def _lights(_: _Told, told: _Told) -> str:
    burning = [_LAMPS.get(name, name.replace("_", " ")) for name in told.get("on", ())]
    if told.get("color"):
        burning = [f"{lamp} in {told['color']}" if lamp == _LAMPS["ambient.on"] else lamp for lamp in burning]
    return f"On: {', '.join(burning)}" if burning else "No lights are on"


def _time(slots: _Told, told: _Told) -> str:
    if slots.get("part") != "date":
        return f"It is {told['time']}"
    day = date.fromisoformat(told["date"])
    return f"It is {told['weekday'].capitalize()}, {day.day} {day:%B}"


def _clock(hour: int, minute: int = 0) -> str:
    """A time of the clock as it is said: "3 o'clock in the afternoon"."""
    return spoken_time((hour - 1) % 12 + 1, minute, "am" if hour < 12 else "pm")


def _weather(slots: _Told, told: _Told) -> str:
    where = f" in {told['place']}" if told.get("place") else ""
    when = "Tomorrow" if slots.get("day") == "tomorrow" else "Today"
    rain = f", {told['rain_percent']} percent chance of rain" if told.get("rain_percent") is not None else ""
    if told.get("celsius") is not None:
        degrees = spoken_number(float(told["celsius"]))
        return f"{when} at {_clock(int(told['at'].split(':')[0]))}{where}: {told['sky']}, {degrees} degrees{rain}"
    when = f"I only know the whole day. {when}" if told.get("hour_unknown") else when
    return f"{when}{where}: {told['sky']}, {spoken_number(told['low'])} to {spoken_number(told['high'])} degrees{rain}"


def _capabilities(slots: _Told, told: _Told) -> str:
    can: Sequence[str] = told.get("can") or ()
    if slots.get("about"):
        named = examples.of(can, _MANY)
        if slots["about"] == "memory":
            return "I remember what you like, avoid or need. You can ask what I remember, and tell me to forget it"
        return f"You can say, for example: {'; '.join(named)}" if named else "This car has nothing of that"
    groups = dict.fromkeys(BY_NAME[name].domain.value for name in can if name in BY_NAME)
    return f"You can ask for {', '.join(_DOMAINS[g] for g in groups if g in _DOMAINS)}"


def _timer(_: _Told, told: _Told) -> str:
    label = f" for {told['label']}" if told.get("label") else ""
    return f"Timer{label}: {seconds_words(told['seconds'])}"


def _reminder(_: _Told, told: _Told) -> str:
    if told.get("arrival"):
        return f"I'll remind you when we arrive: {told['what']}"
    return f"I'll remind you at {_at(told)}: {told['what']}"


def _at(told: _Told) -> str:
    """A time of day as it is said: "6:05 in the evening", "9 o'clock tomorrow morning", "9 o'clock on Tuesday morning"."""
    hour, minute = (int(part) for part in str(told["at"]).split(":"))
    said, day = _clock(hour, minute), "tomorrow" if told.get("tomorrow") else ""
    day = f"on {str(told['day']).title()}" if told.get("day") else day
    if told.get("date"):
        return f"{said} on {day_said(str(told['date']))}"
    if not day:
        return said
    if " in the " in said:
        return said.replace(" in the ", f" {day} ")
    return f"{said} {day}" if told.get("day") else said  # of tomorrow's first hour "at night" says enough


def _when(told: _Told) -> str:
    return "When we arrive" if told.get("arrival") else f"At {_at(told)}"


def _timers(slots: _Told, told: _Told) -> str:
    running: list[_Told] = told.get("timers") or []
    kind = slots.get("kind", "timer")
    if running:
        return _first_upper(_waiting(kind, running))
    others: list[_Told] = told.get("others") or []
    other = "reminder" if kind == "timer" else "timer"
    many = "" if len(others) == 1 else "s"
    beside = f", but {number_words(len(others))} {other}{many}, {_waiting(other, others)}" if others else ""
    return f"There is no {kind}{beside}"


def _waiting(kind: str, running: Sequence[_Told]) -> str:
    """What waits, such as "tea: 5 minutes left", "at 5 o'clock in the evening: call mum"."""
    if kind == "reminder":
        return ", and ".join(
            f"{_first_lower(_when(one))}: {one['label'] or 'a reminder without its words'}" for one in running
        )
    return listed([f"{one['label'] or 'timer'}: {seconds_words(one['seconds'])} left" for one in running])


def _cancelled(slots: _Told, told: _Told) -> str:
    count = len(told.get("cancelled") or ())
    return f"{slots.get('kind', 'timer').capitalize()}{'s' if count > 1 else ''} cancelled"


def _calendar(slots: _Told, told: _Told) -> str:
    entries: list[_Told] = told.get("entries") or []
    day = slots.get("day", "today")
    if not entries:
        return f"Nothing is in your calendar {day}"
    named = [
        e["title"] + (f" at {e['at']}" if e.get("at") else "") + (f", {e['place']}" if e.get("place") else "")
        for e in entries
    ]
    return f"{day.capitalize()}: {'; '.join(named[:_MANY])}"


def _contact(slots: _Told, told: _Told) -> str:
    names = {"phone": "number", "email": "e-mail address", "address": "address"}
    part = names[slots.get("part", "phone")]
    return (
        f"The {part} of {told['name']} is {told['value']}"
        if told.get("value")
        else f"I have no {part} of {told['name']}"
    )


def _playing(_: _Told, told: _Told) -> str:
    if not told.get("title"):
        return "Nothing is playing"
    artist = f" by {told['artist']}" if told.get("artist") else ""
    return f"{told['title']}{artist}{'' if told.get('playing') else ', paused'}"


def _undone(_: _Told, told: _Told) -> str:
    thing = f"{told['thing']} as" if told.get("thing") else "As"
    return f"{thing} it was before" if told.get("undone") else "Done"


_ANSWERS: dict[str, Callable[[_Told, _Told], str]] = {
    "play_music": lambda _, t: f"Playing {t.get('title') or 'the media'}",
    "play_radio": lambda _, t: f"Playing {t.get('title') or 'the media'}",
    "play_podcast": lambda _, t: f"Playing {t.get('title') or 'the media'}",
    "play_playlist": lambda s, t: f"Playing {t.get('title') or s.get('playlist', 'the playlist')}",
    "play_favorites": lambda _, t: f"Playing {t.get('title') or 'your favourites'}",
    "get_playing": _playing,
    "list_places": _places, "get_routes": _routes, "choose_route": _chosen, "add_charging_stops": _charging_stops,
    "remove_stop": lambda _, t: f"Without {t['name']}" if t.get("name") else "There is no such stop",
    "get_range": _range, "get_charging": _charging,
    "get_tire_pressure": lambda _, t: f"Low pressure: {', '.join(t['low'])}" if t.get("low") else "All tyres are fine",
    "get_outside_temperature": lambda _, t: f"It is {spoken_number(float(t.get('celsius', 0.0)))} degrees outside",
    "get_cabin_temperature": _cabin, "get_navigation": _navigation, "get_climate": _climate, "get_seats": _seats,
    "get_openings": _openings, "stop_moving": _stopped, "get_lights": _lights,
    "get_car": _car,
    "get_trip": _trip,
    "get_service": _service,
    "get_warnings": lambda _, t: _first_upper(listed(t["warnings"])) if t.get("warnings") else "Everything is fine",
    "get_time": _time, "get_weather": _weather, "get_capabilities": _capabilities, "set_timer": _timer,
    "set_reminder": _reminder, "get_timers": _timers, "cancel_timer": _cancelled, "get_calendar": _calendar,
    "get_contact": _contact, "undo": _undone,
}  # fmt: skip
