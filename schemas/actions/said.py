"""What is said once an action is done: the few forms that the sentences on the actions' classes have in common.

A phrase takes the action's slots as they are said (the temperature in the driver's unit) and gives a sentence without its
full stop. No phrase is a single word: that may be a command ("warmer"), which its own echo would give again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

Slots: TypeAlias = dict[str, Any]
Phrase: TypeAlias = Callable[[Slots], str]

WINDOWS: Mapping[str, str] = {
    "driver": "your window",
    "passenger": "the passenger's window",
    "rear_left": "the rear left window",
    "rear_right": "the rear right window",
    "front": "the front windows",
    "rear": "the rear windows",
    "left": "the windows on the left",
    "right": "the windows on the right",
    "all": "all windows",
}
KINDS: Mapping[str, str] = {
    "gas_station": "petrol station",
    "charging_station": "charger",
    "fast_food": "fast food place",
    "cafe": "café",
    "parking": "car park",
}
"""Kinds of places whose name is not what is said."""
_SPARED: Mapping[str, str] = {
    "driver": "yours",
    "passenger": "the passenger's",
    "rear_left": "the rear left one",
    "rear_right": "the rear right one",
    "front": "those in front",
    "rear": "those in the back",
    "left": "those on the left",
    "right": "those on the right",
}
DRIVE_MODES: Mapping[str, str] = {
    "normal": "normal mode", "sport": "sport mode", "economy": "economy mode", "snow": "snow mode", "rain": "rain mode",
}  # fmt: skip
MIRRORS: Mapping[str, str] = {"driver": "your mirror", "passenger": "the passenger's mirror"}
TURNED: Mapping[str, str] = {"up": "up", "down": "down", "left": "to the left", "right": "to the right"}
LEVELS = ("off", "low", "medium", "high")
AIR: Mapping[str, str] = {
    "face": "to the face",
    "feet": "to the feet",
    "windshield": "to the windscreen",
    "face_and_feet": "to face and feet",
    "windshield_and_feet": "to windscreen and feet",
    "windshield_and_face": "to windscreen and face",
    "everywhere": "everywhere",
}
DEFROSTERS: Mapping[str, str] = {"front": "front defroster", "rear": "rear defroster", "all": "defrosters"}
_SIDES = {
    "driver": " on your side",
    "passenger": " on the passenger's side",
    "front": " in front",
    "rear": " in the back",
    "rear_left": " in the rear left",
    "rear_right": " in the rear right",
    "left": " on the left",
    "right": " on the right",
}


def spoken_number(value: float) -> str:
    """A number as it is read out: 21.5 stays, 21.0 becomes 21."""
    return f"{value:g}"


def spoken_time(hour: int, minute: int | None, half: str | None) -> str:
    """A time of day as it was said: "9:30 in the evening"."""
    part = {
        "am": " at night" if hour == 12 else " in the morning",
        "pm": " in the afternoon" if hour < 6 or hour == 12 else " in the evening",
    }
    return f"{hour}:{minute:02d}{part.get(half or '', '')}" if minute else f"{hour} o'clock{part.get(half or '', '')}"


def day_said(iso: str) -> str:
    """A day of the year as it is said: "7 June"."""
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B}"


def seconds_said(seconds: int) -> str:
    """A length of time: "30 seconds", "2 minutes", "1 minute 30"."""
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return f"{rest} second{'' if rest == 1 else 's'}"
    return f"{minutes} minute{'' if minutes == 1 else 's'}{f' {rest}' if rest else ''}"


def spaced(number: str) -> str:
    """A telephone number digit by digit, as it is read out."""
    return " ".join(number)


def both(slots: Slots) -> str:
    """A person, and another one where there is one: "anna and ben"."""
    return f"{slots['person']} and {slots['other']}" if slots["other"] else str(slots["person"])


def on_off(thing: str) -> Phrase:
    """What is switched: "Fog lights on"."""
    return lambda s: f"{thing} {'on' if s['on'] else 'off'}"


def turn(thing: str) -> Phrase:
    """What is to be switched: "turn the fog lights on"."""
    return lambda s: f"turn {thing} {'on' if s['on'] else 'off'}"


def set_level(thing: str, usual: str = "driver") -> Phrase:
    """What is to get a level from off to high: "set the seat heating to medium in the back"."""

    def phrase(s: Slots) -> str:
        way = f"set {thing} to {LEVELS[s['level']]}" if s["level"] else f"turn {thing} off"
        return f"{way}{side(s, usual)}"

    return phrase


def open_to(thing: str, percent: int) -> str:
    """What is to open: "open the sunroof to 40 percent"."""
    way = "close" if percent == 0 else "open"
    return f"{way} {thing}" if percent in (0, 100) else f"{way} {thing} to {percent} percent"


def a_little(thing: str, slots: Slots) -> str:
    """What is to open or close by a step: "open your window a little"."""
    return (
        f"{slots['change']} {thing} a little"
        if slots["by"] is None
        else f"{slots['change']} {thing} by {slots['by']} percent"
    )


def place(slots: Slots) -> str:
    """A kind of place, as it was asked for: "a cheap italian restaurant"."""
    quality, kind = slots["quality"] or "", KINDS.get(str(slots["kind"]), str(slots["kind"]))
    degree = quality.split(" ")[0] in ("nearest", "closest", "cheapest", "best", "next")
    article = "another" if slots.get("spared") else "the" if degree else "a"
    without = like(quality)
    return " ".join(filter(None, (article, "" if without else quality, f"{kind}{without}")))


def like(quality: str) -> str:
    """What a place is not to be like, as it is said behind its kind: " that is not too dear"; empty for what it is to be like."""
    first, _, rest = quality.partition(" ")
    if first in ("not", "nothing"):
        return f" that is not {rest}"
    return f" that {quality}" if first.endswith("n't") else ""


def up_down(up: str, down: str) -> Phrase:
    """What takes a step, by its direction."""
    return lambda s: up if s["change"] == "up" else down


def one_of(slot: str, **phrases: str) -> Phrase:
    """What is chosen: a phrase for every value of a slot."""
    return lambda s: phrases[s[slot]]


def position(thing: str, percent: int) -> str:
    """What opens: "Opening the sunroof", "The sunroof to 40 percent"."""
    if percent == 0:
        return f"Closing {thing}"
    return f"Opening {thing}" if percent == 100 else f"{thing.capitalize()} to {percent} percent"


def panes(slots: Slots) -> str:
    """The windows that are meant: "all windows but yours"."""
    return WINDOWS[slots["window"]] + (f" but {_SPARED[slots['but']]}" if slots["but"] else "")


def several_panes(named: Sequence[str]) -> str:
    """Several windows as they are named together: "your window and the rear left one"."""
    others = [
        name.removesuffix(" window") if name.endswith("'s window") else re.sub(r" window$", " one", name)
        for name in named[1:]
    ]
    first = [named[0], *others[:-1]]
    return f"{', '.join(first)} and {others[-1]}" if others else named[0]


def moved(thing: str, slots: Slots) -> str:
    """What opens or closes by a step: "Opening your window a little"."""
    verb = "Opening" if slots["change"] == "open" else "Closing"
    return f"{verb} {thing} a little" if slots["by"] is None else f"{verb} {thing} by {slots['by']} percent"


def side(slots: Slots, usual: str = "all", every: str = " on both sides") -> str:
    """Where it is done, with a space before it; empty where that is the usual place."""
    zone = slots.get("zone", usual)
    return "" if zone == usual else _SIDES.get(zone, every)


def where(place: str) -> str:
    """The place itself, with a space before it: " on your side", " in the back"."""
    return _SIDES.get(place, "")


def reading_light(slots: Slots) -> str:
    """The reading light that is meant, or several: "the passenger's reading light", "the reading lights in the back"."""
    zone = slots["zone"]
    one = {
        "driver": "your",
        "passenger": "the passenger's",
        "rear_left": "the rear left",
        "rear_right": "the rear right",
    }
    many = {"front": " in front", "rear": " in the back"}
    return (
        f"{one[zone]} reading light"
        if zone in one
        else f"{'all' if zone == 'all' else 'the'} reading lights{many.get(zone, '')}"
    )


def by_how_much(slots: Slots, unit: str) -> str:
    """How far a step goes, if that was said: " by 2 degrees"."""
    number = slots["by"]
    return "" if number is None else f" by {spoken_number(number)} {unit.removesuffix('s') if number == 1 else unit}"
