"""What is said once an action is done, and what each action is about in a few words.

Owns: one short sentence an action, from its slots alone, and the names of things for "this car has no ...". Answers to
questions, whose words come from what the vehicle told, are ``voice.dialogue.replies.answers``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_Slots = dict[str, Any]

_WINDOWS = {
    "driver": "your window",
    "passenger": "the passenger's window",
    "rear_left": "the rear left window",
    "rear_right": "the rear right window",
    "all": "all windows",
}
_ZONES = {
    "driver": " on your side",
    "passenger": " on the passenger's side",
    "rear": " in the back",
    "rear_left": " in the rear left",
    "rear_right": " in the rear right",
}
_LEVELS = {0: "off", 1: "low", 2: "medium", 3: "high"}
_ROUTES = {
    "fastest": "I'll take the fastest route",
    "shortest": "I'll take the shortest route",
    "avoid_highways": "I'll avoid highways",
    "avoid_tolls": "I'll avoid toll roads",
    "avoid_ferries": "I'll avoid ferries",
}
_AIRFLOW = {
    "face": "Air to the face",
    "feet": "Air to the feet",
    "windshield": "Air to the windscreen",
    "face_and_feet": "Air to the face and feet",
    "windshield_and_feet": "Air to the windscreen and feet",
    "windshield_and_face": "Air to the windscreen and face",
    "everywhere": "Air everywhere",
}
_PLAYBACK = {"play": "Playing", "pause": "Paused", "next": "Next one", "previous": "The one before"}
_REPEAT = {"off": "Repeat off", "track": "Repeating this one", "all": "Repeating all"}
_MODES = {"day": "Screen in day colours", "night": "Screen in night colours", "auto": "Screen colours by daylight"}
_UNITS = {
    "celsius": "degrees Celsius",
    "fahrenheit": "degrees Fahrenheit",
    "kilometers": "kilometres",
    "miles": "miles",
}
_SOURCES = {"bluetooth": "your phone", "usb": "the USB stick", "radio": "the radio", "podcast": "podcasts"}


def spoken_number(value: float) -> str:
    """A number as it is read out: 21.5 stays, 21.0 becomes 21."""
    return f"{value:g}"


def spoken_time(hour: int, minute: int | None, half: str | None) -> str:
    """A time of day as it was said: "9:30 in the evening"."""
    part = {"am": " in the morning", "pm": " in the afternoon" if hour < 6 or hour == 12 else " in the evening"}
    return f"{hour}:{minute:02d}{part.get(half or '', '')}" if minute else f"{hour} o'clock{part.get(half or '', '')}"


def _on(thing: str) -> Callable[[_Slots], str]:
    return lambda s: f"{thing} {'on' if s['on'] else 'off'}"


def _up(up: str, down: str) -> Callable[[_Slots], str]:
    return lambda s: up if s["change"] == "up" else down


def _position(thing: str, percent: int) -> str:
    if percent == 0:
        return f"Closing {thing}"
    return f"Opening {thing}" if percent == 100 else f"{thing.capitalize()} to {percent} percent"


def _moved(thing: str, slots: _Slots) -> str:
    verb = "Opening" if slots["change"] == "open" else "Closing"
    return f"{verb} {thing} a little" if slots["by"] is None else f"{verb} {thing} by {slots['by']} percent"


def _zone(slots: _Slots, usual: str = "all") -> str:
    zone = slots.get("zone", usual)
    return "" if zone == usual else _ZONES.get(zone, " on both sides")


def _reading(slots: _Slots) -> str:
    return " everywhere" if slots["zone"] == "all" else _zone(slots, "driver")


def _by(slots: _Slots, unit: str) -> str:
    number = slots["by"]
    return "" if number is None else f" by {spoken_number(number)} {unit.removesuffix('s') if number == 1 else unit}"


def _charge_timer(slots: _Slots) -> str:
    if not slots["on"] or slots["hour"] is None:
        return "No charging timer"
    return f"I'll begin to charge at {spoken_time(slots['hour'], slots['minute'], slots['half'])}"


# None of them is a single word: that may be a command ("warmer"), which its own echo would give again and again.
DONE: dict[str, Callable[[_Slots], str]] = {
    "set_temperature": lambda s: f"{spoken_number(s['celsius'])} degrees{_zone(s)}",
    "change_temperature": lambda s: f"{_up('Making it warmer', 'Making it cooler')(s)}{_by(s, 'degrees')}{_zone(s)}",
    "set_fan_speed": lambda s: "Fan off" if s["level"] == 0 else f"Fan at {s['level']}",
    "change_fan_speed": _up("Fan up", "Fan down"),
    "set_air_conditioning": _on("Air conditioning"),
    "set_airflow": lambda s: _AIRFLOW[s["direction"]],
    "set_recirculation": lambda s: "Recirculating the air" if s["on"] else "Fresh air",
    "set_defrost": lambda s: (
        f"{'Both defrosters' if s['window'] == 'all' else s['window'].capitalize() + ' defroster'} {'on' if s['on'] else 'off'}"
    ),
    "set_climate": _on("Climate control"),
    "set_auto_climate": _on("Automatic climate"),
    "set_climate_sync": lambda s: "The same temperature for all" if s["on"] else "Temperatures apart",
    "set_seat_heating": lambda s: f"Seat heating {_LEVELS[s['level']]}{_zone(s, 'driver')}",
    "change_seat_heating": lambda s: f"{_up('Seat heating up', 'Seat heating down')(s)}{_zone(s, 'driver')}",
    "set_seat_ventilation": lambda s: f"Seat ventilation {_LEVELS[s['level']]}{_zone(s, 'driver')}",
    "set_seat_massage": lambda s: f"Massage {_LEVELS[s['level']]}{_zone(s, 'driver')}",
    "change_lumbar": lambda s: f"{_up('More', 'Less')(s)} lumbar support{_zone(s, 'driver')}",
    "set_steering_wheel_heating": lambda s: f"Steering wheel heating {_LEVELS[s['level']]}",
    "change_steering_wheel_heating": _up("Steering wheel warmer", "Steering wheel less warm"),
    "move_seat": lambda s: f"Moving your seat {s['direction']}",
    "recline_seat": lambda s: f"Leaning your seat {s['direction']}",
    "recall_seat_position": lambda s: f"Seat position {s['number']}",
    "set_window": lambda s: _position(_WINDOWS[s["window"]], s["percent"]),
    "change_window": lambda s: _moved(_WINDOWS[s["window"]], s),
    "set_sunroof": lambda s: _position("the sunroof", s["percent"]),
    "change_sunroof": lambda s: _moved("the sunroof", s),
    "set_sunshade": lambda s: _position("the sunshade", s["percent"]),
    "stop_moving": lambda _: "Stopped",
    "set_trunk": lambda s: "Opening the trunk" if s["open"] else "Closing the trunk",
    "set_door_locks": lambda s: "Doors locked" if s["locked"] else "Doors unlocked",
    "set_child_lock": _on("Child lock"),
    "set_mirrors": lambda s: "Mirrors folded" if s["folded"] else "Mirrors unfolded",
    "set_mirror_heating": _on("Mirror heating"),
    "set_ambient_light": _on("Ambient light"),
    "set_ambient_color": lambda s: f"Ambient light {s['color']}",
    "set_ambient_brightness": lambda s: f"Ambient light at {s['percent']} percent",
    "change_ambient_brightness": _up("Making the light brighter", "Making the light dimmer"),
    "set_reading_light": lambda s: f"Reading light {'on' if s['on'] else 'off'}{_reading(s)}",
    "set_dome_light": _on("Dome light"),
    "set_low_beam": _on("Headlights"),
    "set_high_beam": _on("High beam"),
    "set_fog_lights": _on("Fog lights"),
    "set_display_brightness": lambda s: f"Screen at {s['percent']} percent",
    "change_display_brightness": _up("Screen brighter", "Screen dimmer"),
    "set_display_mode": lambda s: _MODES[s["mode"]],
    "set_unit": lambda s: f"From now on in {_UNITS[s['unit']]}",
    "set_media_source": lambda s: f"Playing from {_SOURCES.get(s['source'], 'your music')}",
    "set_volume": lambda s: f"Volume at {s['percent']} percent",
    "change_volume": lambda s: f"{_up('Turning it up', 'Turning it down')(s)}{_by(s, 'percent')}",
    "set_playback": lambda s: _PLAYBACK[s["command"]],
    "set_mute": lambda s: "Muted" if s["on"] else "Sound on",
    "set_shuffle": _on("Shuffle"),
    "set_repeat": lambda s: _REPEAT[s["mode"]],
    "cancel_navigation": lambda _: "Navigation ended",
    "set_route_preference": lambda s: _ROUTES[s["preference"]],
    "set_guidance": _on("Voice guidance"),
    "set_charging": lambda s: "Charging" if s["on"] else "Charging stopped",
    "set_charge_limit": lambda s: f"Charging to {s['percent']} percent",
    "set_charge_port": lambda s: "Charge port open" if s["open"] else "Charge port closed",
    "set_charge_timer": _charge_timer,
    "call_contact": lambda s: f"Calling {s['person']}",
    "send_email": lambda s: f"E-mail to {s['person']}: {s['message']}",
}
"""Action -> what is done, from its slots."""

THINGS: dict[str, str] = {
    "set_fan_speed": "fan control", "change_fan_speed": "fan control", "set_airflow": "adjustable vents",
    "set_recirculation": "air recirculation", "set_defrost": "defroster", "set_auto_climate": "automatic climate",
    "set_climate": "climate control", "set_climate_sync": "separate climate zones", "set_seat_heating": "seat heating",
    "set_temperature": "temperature control", "change_temperature": "temperature control",
    "set_air_conditioning": "air conditioning", "change_seat_heating": "seat heating",
    "set_seat_ventilation": "seat ventilation", "set_seat_massage": "seat massage", "change_lumbar": "lumbar support",
    "set_steering_wheel_heating": "steering wheel heating", "change_steering_wheel_heating": "steering wheel heating",
    "move_seat": "electric seat", "recline_seat": "electric backrest", "recall_seat_position": "stored seat positions",
    "set_window": "electric windows", "change_window": "electric windows", "set_sunroof": "sunroof",
    "change_sunroof": "sunroof", "set_sunshade": "sunshade", "set_trunk": "electric trunk", "set_door_locks": "central locking",
    "set_child_lock": "electric child lock", "set_mirrors": "folding mirrors", "set_mirror_heating": "mirror heating",
    "set_ambient_light": "ambient light", "set_ambient_color": "coloured ambient light",
    "set_ambient_brightness": "ambient light", "change_ambient_brightness": "ambient light",
    "set_reading_light": "reading light", "set_dome_light": "dome light", "set_low_beam": "headlight control",
    "set_high_beam": "high beam control", "set_fog_lights": "fog lights", "set_display_brightness": "adjustable screen",
    "change_display_brightness": "adjustable screen", "set_display_mode": "day and night colours", "set_unit": "other units",
    "set_charging": "charging control", "set_charge_limit": "charge limit", "set_charge_port": "electric charge port",
    "set_charge_timer": "charging timer", "get_charging": "charging status", "add_charging_stops": "charging planner",
    "get_tire_pressure": "tyre sensors", "get_outside_temperature": "outside thermometer", "get_seats": "seat sensors",
    "call_contact": "telephone", "get_contact": "contacts", "send_email": "e-mail", "get_calendar": "calendar",
    "get_weather": "weather forecast", "set_timer": "timer", "set_reminder": "reminders", "get_timers": "timers",
    "cancel_timer": "timers", "set_media_source": "other sources", "play_playlist": "playlists", "play_podcast": "podcasts",
    "play_radio": "radio", "play_music": "music", "set_guidance": "voice guidance", "navigate_to": "navigation",
    "find_place": "navigation", "find_on_route": "navigation", "list_places": "navigation", "get_routes": "navigation",
}  # fmt: skip
"""What a vehicle lacks that does not have the action, as it is named after "this car has no"."""
