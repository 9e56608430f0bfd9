"""The car at a glance: five tiles of what the gate knows, each with its one safe control. What a button does goes through the gate.

Owns what a tile shows and which action its button asks for. A signal that the car does not tell leaves its tile out. While the car
moves a tile has one short value and says nothing that was said; timers are left to the voice then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memory.screen.wording import Wording, short
from schemas.actions import Action, parse_action
from schemas.events import VehicleState
from schemas.memory import Waiting

WINDOWS = ("driver", "passenger", "rear_left", "rear_right")
SHOWN = (
    "climate.driver.temperature", "climate.cabin_temperature", "climate.on", "media.source", "media.playing", "media.title",
    "media.artist", "navigation.destination", "navigation.minutes", "navigation.stops", "navigation.guidance",
    "navigation.kilometers", *(f"window.{name}" for name in WINDOWS),
)  # fmt: skip
"""The signals that a tile depends on."""
STEP = 0.5
"""Kelvin of a tap on warmer or cooler: the step of the climate control itself."""
LONGEST = 22
"""Characters of a name on a tile while driving: half of what one glance reads, since a tile has a value beside it."""
IN_SMALL = 14
"""Characters of a timer's name in the small line below: one line on the narrowest tile."""
NAME = 32
"""Characters of a name on a tile of a parked car: two lines on the smallest panel. What is longer ends at a word."""
LONG = 10
"""Characters from which on a value stands in smaller type, so that its longest word fits."""


@dataclass(frozen=True, slots=True)
class Control:
    """A button of a tile."""

    what: str
    """Its key, in the form that it sends and in the locale files (``tile.do.KEY``)."""
    glyph: str
    action: str
    slots: Mapping[str, Any]

    def asks(self) -> Action:
        """The action that it asks for."""
        return parse_action(self.action, dict(self.slots))


@dataclass(frozen=True, slots=True)
class Tile:
    """One part of the car."""

    key: str
    glyph: str
    value: str
    details: tuple[str, ...] = ()
    """In small, what matters most first: the tile leaves out the last ones where it is too narrow, and cuts none."""
    controls: tuple[Control, ...] = ()
    lit: bool = False
    """Whether something is on, open or runs."""

    @property
    def long(self) -> bool:
        """Whether its value stands in smaller type."""
        return len(self.value) > LONG

    def control(self, what: str) -> Control | None:
        """Its button of that key."""
        return next((one for one in self.controls if one.what == what), None)


def tiles(
    state: VehicleState,
    waiting: Sequence[Waiting],
    words: Wording,
    now: datetime,
    *,
    parked: bool,
    offers: frozenset[str] | None = None,
) -> tuple[Tile, ...]:
    """The tiles of this state; None among the offers: the car has everything."""
    see = state.values.get
    made = [_climate(see, words), _media(see, words, parked)]
    if parked:
        made += [_windows(see, words), _route(see, words, now, parked), _timers(waiting, words, now)]
    else:
        made += [_route(see, words, now, parked)]
    return tuple(_offered(tile, offers) for tile in made if tile is not None)


def _offered(tile: Tile, offers: frozenset[str] | None) -> Tile:
    if offers is None or all(control.action in offers for control in tile.controls):
        return tile
    left = tuple(control for control in tile.controls if control.action in offers)
    return replace(tile, controls=left)


def _climate(see: Callable[[str], Any], words: Wording) -> Tile | None:
    wanted = see("climate.driver.temperature")
    if wanted is None:
        return None
    inside = see("climate.cabin_temperature")
    details = (words("tile.inside", value=words.warm(float(inside))),) if inside is not None else ()
    if see("climate.on") is False:
        turn_on = Control("climate_on", "plus", "set_climate", {"on": True})
        return Tile("climate", "climate", words("off"), details, (turn_on,))
    steps = (
        Control("cooler", "minus", "change_temperature", {"change": "down", "zone": "driver", "by": STEP}),
        Control("warmer", "plus", "change_temperature", {"change": "up", "zone": "driver", "by": STEP}),
    )
    return Tile("climate", "climate", words.warm(float(wanted)), details, steps, lit=True)


def _media(see: Callable[[str], Any], words: Wording, parked: bool) -> Tile | None:
    if see("media.source") is None:
        return None
    playing, title = see("media.playing") is True, str(see("media.title") or "").strip()
    source = str(see("media.source"))
    what = title or (words("tile.silent") if source == "off" else words(f"value.{source}"))
    artist = str(see("media.artist") or "").strip()
    way = words("tile.playing") if playing else words("tile.paused") if title else ""
    act = "pause" if playing else "play"
    control = Control(act, act, "set_playback", {"command": act})
    value, details = short(what, NAME if parked else LONGEST), tuple(filter(None, (way, short(artist, NAME))))
    return Tile("media", "music", value, details, (control,), lit=playing)


def _route(see: Callable[[str], Any], words: Wording, now: datetime, parked: bool) -> Tile | None:
    if see("navigation.destination") is None:
        return None
    end = str(see("navigation.destination")).strip()
    if not end:
        return Tile("route", "route", words("tile.no_route"))
    minutes = float(see("navigation.minutes") or 0)
    arrives = words("tile.arrives", time=words.time(now + timedelta(minutes=minutes)))
    stops = [str(stop) for stop in see("navigation.stops") or ()]
    spoken = see("navigation.guidance") is not False
    what = "guide_off" if spoken else "guide_on"
    control = Control(what, "sound" if spoken else "sound-off", "set_guidance", {"on": not spoken})
    if not parked:
        return Tile("route", "route", words.time(now + timedelta(minutes=minutes)), (), (control,), lit=True)
    far = see("navigation.kilometers")
    details = [arrives, *([words.far(float(far))] if far else [])]
    details += [words("tile.by", stop=short(stops[0], NAME))] if stops else []
    return Tile("route", "route", short(end, NAME), tuple(details), (control,), lit=True)


def _windows(see: Callable[[str], Any], words: Wording) -> Tile | None:
    known = {name: see(f"window.{name}") for name in WINDOWS if see(f"window.{name}") is not None}
    if not known:
        return None
    opened = {name: float(value) for name, value in known.items() if value > 0}
    if not opened:
        return Tile("windows", "window", words("tile.closed"))
    told = [words("tile.window", name=words(f"value.{name}"), percent=words.quantity(v)) for name, v in opened.items()]
    value = told[0] if len(told) == 1 else words("tile.open", count=len(told))
    close = Control("close", "close", "set_window", {"window": "all", "percent": 0})
    return Tile("windows", "window", value, (), (close,), lit=True)


def _timers(waiting: Sequence[Waiting], words: Wording, now: datetime) -> Tile:
    if not waiting:
        return Tile("timers", "time", words("tile.no_timer"))
    first = min(waiting, key=lambda one: one.at)
    left = max(timedelta(0), first.at - now)
    soon = first.kind == "timer" and left < timedelta(hours=1)
    value = words("tile.left", minutes=-(-int(left.total_seconds()) // 60)) if soon else words.time(first.at)
    name = first.label or words(f"value.{first.kind}")
    more = [words.count("tile.more", len(waiting) - 1)] if len(waiting) > 1 else []
    slots = {"kind": first.kind, **({"label": first.label} if first.label else {})}
    cancel = Control("cancel", "no", "cancel_timer", slots)
    return Tile("timers", "time", value, (short(name, IN_SMALL), *more), (cancel,), lit=True)
