"""The response generator: one or two short sentences, from templates and results, never from imagination.

Every word comes from an action's slots, a result of the vehicle, a remembered value or this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from schemas.actions import Action
from schemas.events import ActionResult, ActionStatus
from schemas.memory import Preference, Recollection
from voice.dialogue.likes import because

_WINDOWS = {
    "driver": "your window",
    "passenger": "the passenger's window",
    "rear_left": "the rear left window",
    "rear_right": "the rear right window",
    "all": "all windows",
}
_LEVELS = {0: "off", 1: "low", 2: "medium", 3: "high"}
_ROUTES = {
    "fastest": "I'll take the fastest route",
    "shortest": "I'll take the shortest route",
    "avoid_highways": "I'll avoid highways",
    "avoid_tolls": "I'll avoid toll roads",
    "avoid_ferries": "I'll avoid ferries",
}
_KINDS = {"gas_station": "petrol station", "charging_station": "charger", "fast_food": "fast food", "cafe": "café"}


def spoken_number(value: float) -> str:
    """A number as it is read out: 21.5 stays, 21.0 becomes 21."""
    return f"{value:g}"


def _on(thing: str) -> Callable[[dict[str, Any]], str]:
    return lambda s: f"{thing} {'on' if s['on'] else 'off'}"


def _position(thing: str, percent: int) -> str:
    if percent == 0:
        return f"Closing {thing}"
    return f"Opening {thing}" if percent == 100 else f"{thing.capitalize()} to {percent} percent"


def _zone(slots: dict[str, Any]) -> str:
    return {"driver": " on your side", "passenger": " on the passenger's side"}.get(slots.get("zone", "all"), "")


_DONE: dict[str, Callable[[dict[str, Any]], str]] = {
    "set_temperature": lambda s: f"{spoken_number(s['celsius'])} degrees{_zone(s)}",
    "change_temperature": lambda s: f"{'Warmer' if s['change'] == 'up' else 'Cooler'}{_zone(s)}",
    "set_fan_speed": lambda s: "Fan off" if s["level"] == 0 else f"Fan at {s['level']}",
    "change_fan_speed": lambda s: "Fan up" if s["change"] == "up" else "Fan down",
    "set_air_conditioning": _on("Air conditioning"),
    "set_airflow": lambda s: f"Air to the {s['direction'].replace('_', ' ')}",
    "set_recirculation": lambda s: "Recirculating the air" if s["on"] else "Fresh air",
    "set_defrost": lambda s: f"{s['window'].capitalize()} defroster {'on' if s['on'] else 'off'}",
    "set_seat_heating": lambda s: f"Seat heating {_LEVELS[s['level']]}",
    "set_seat_ventilation": lambda s: f"Seat ventilation {_LEVELS[s['level']]}",
    "set_steering_wheel_heating": lambda s: f"Steering wheel heating {_LEVELS[s['level']]}",
    "move_seat": lambda s: f"Moving your seat {s['direction']}",
    "set_window": lambda s: _position(_WINDOWS[s["window"]], s["percent"]),
    "set_sunroof": lambda s: _position("the sunroof", s["percent"]),
    "set_sunshade": lambda s: _position("the sunshade", s["percent"]),
    "set_trunk": lambda s: "Opening the trunk" if s["open"] else "Closing the trunk",
    "set_door_locks": lambda s: "Doors locked" if s["locked"] else "Doors unlocked",
    "set_mirrors": lambda s: "Mirrors folded" if s["folded"] else "Mirrors unfolded",
    "set_ambient_light": _on("Ambient light"),
    "set_ambient_color": lambda s: f"Ambient light {s['color']}",
    "set_ambient_brightness": lambda s: f"Ambient light at {s['percent']} percent",
    "change_ambient_brightness": lambda s: "Brighter" if s["change"] == "up" else "Dimmer",
    "set_reading_light": _on("Reading light"),
    "set_dome_light": _on("Dome light"),
    "set_low_beam": _on("Headlights"),
    "set_high_beam": _on("High beam"),
    "set_fog_lights": _on("Fog lights"),
    "set_volume": lambda s: f"Volume at {s['percent']} percent",
    "change_volume": lambda s: "Louder" if s["change"] == "up" else "Quieter",
    "set_playback": lambda s: {
        "play": "Playing", "pause": "Paused", "next": "Next one", "previous": "The one before",
    }[s["command"]],
    "set_mute": lambda s: "Muted" if s["on"] else "Sound on",
    "cancel_navigation": lambda _: "Navigation ended",
    "set_route_preference": lambda s: _ROUTES[s["preference"]],
}  # fmt: skip


def question(action: Action) -> str:
    """What to ask before an action that needs a yes."""
    done = _DONE[action.name](action.model_dump(mode="json")) if action.name in _DONE else action.name.replace("_", " ")
    return f"{done}: shall I? Say yes or no."


def report(results: Sequence[ActionResult], used: Sequence[Recollection] = ()) -> str:
    """The reply to what was done, denied, asked or failed, and which memory was used."""
    reasons = " and ".join(dict.fromkeys(because(r.preference) for r in used))
    sentences = [_sentence(result) for result in results]
    if reasons and len(results) == 1 and results[0].action.name == "set_temperature":
        return f"{reasons[0].upper()}{reasons[1:]}, so I've set that."
    if reasons and sentences[0].endswith("."):
        sentences[0] = f"{sentences[0][:-1]}, because {reasons}."
    return " ".join(sentences)


def _sentence(result: ActionResult) -> str:
    if result.status is ActionStatus.DENIED:
        return result.ruling.reason
    if result.status is ActionStatus.NEEDS_CONFIRMATION:
        return f"{result.ruling.reason.rstrip('.')}. {question(result.action)}"
    if result.status is ActionStatus.FAULT:
        return "The car did not do that." if result.error != "not_moved" else "I asked the car, but nothing moved."
    slots = result.action.model_dump(mode="json")
    if result.action.name in _DONE:
        return f"{_DONE[result.action.name](slots)}."
    return f"{_answer(result.action.name, slots, result.answer)}."


def _answer(name: str, slots: dict[str, Any], answer: dict[str, Any]) -> str:
    """Replies whose words come from what the vehicle answered."""
    get = answer.get
    if name in ("find_place", "navigate_to", "add_stop"):
        if not get("name"):
            wanted = slots.get("quality") or slots.get("destination") or _KINDS.get(slots.get("kind", ""), "place")
            return f"I don't know of {wanted} around here"
        minutes = f", {get('minutes')} minutes away" if get("minutes") is not None else ""
        verb = "Adding" if name == "add_stop" else "Taking you to"
        return f"{verb} {get('name')}{minutes}"
    if name in ("play_music", "play_radio", "play_podcast"):
        return f"Playing {get('title') or 'the media'}"
    if name == "get_range":
        return f"{get('range_km')} kilometres, the battery is at {get('charge_percent')} percent"
    if name == "get_tire_pressure":
        low = get("low") or []
        return "All tyres are fine" if not low else f"Low pressure: {', '.join(low)}"
    if name == "get_outside_temperature":
        return f"It is {spoken_number(float(get('celsius', 0.0)))} degrees outside"
    if name == "get_cabin_temperature":
        target = get("target_celsius")
        aim = f", set to {spoken_number(float(target))}" if target is not None else ""
        return f"It is {spoken_number(float(get('celsius', 0.0)))} degrees in the car{aim}"
    if name == "get_navigation":
        if not get("destination"):
            return "There is no route"
        return f"To {get('destination')}, {get('minutes')} minutes"
    return "Done"


HELP = (
    "You can ask for the climate, windows, lights, music, or the way somewhere. "
    "Tell me what you like, or ask what I remember about you."
)
NOT_UNDERSTOOD = "Sorry, I didn't understand that."
NOTHING_PENDING = "There is nothing waiting for an answer."
CANCELLED = "Okay, I won't."


def noted(forbidden: str | None) -> str:
    """The reply to a preference that the driver tells. It promises nothing: extraction decides later, on all that was said."""
    if forbidden is None:
        return "Okay, noted."
    return f"Okay. I won't keep that: {forbidden}."


def remembered(preferences: Sequence[Preference], about: str | None) -> str:
    """What is remembered, at most four things aloud; the rest is for the screen."""
    if not preferences:
        return f"I remember nothing about {about}." if about else "I remember nothing about you yet."
    parts = [because(p) for p in preferences[:4]]
    more = len(preferences) - len(parts)
    tail = f", and {more} more" if more else ""
    return f"I remember that {', '.join(parts)}{tail}."
