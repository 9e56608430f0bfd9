"""What a few words mean after what was done: "a bit more", "no, blue", "and the passenger's too", "close it again".

Pure rules from a command of the kind ``follow`` (models/commands/followup.yaml) and the last actions to new actions. What they
do is judged like any other action; nothing here is done without the gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from schemas.actions import (
    ACTIONS,
    BY_NAME,
    Action,
    Domain,
    SetReminder,
    SetTimer,
    Undo,
    celsius_of,
    corners,
    parse_action,
)
from schemas.actions.acts import Act
from schemas.events import Command
from voice.dialogue.recent import RecentActions
from voice.dialogue.replies import responder

RESUME = "follow_resume"
"""The command that takes up the route that was ended last."""
_STEPS = frozenset(kind.step for kind in ACTIONS if kind.step)
"""Actions that take a step."""
_PANES = frozenset(kind.step for kind in ACTIONS if kind.step and kind.domain is Domain.OPENINGS)
"""Those of them that open and close."""
AJAR, HALF_OPEN = 20, 50
"""Percent that "close it, but not all the way" leaves open, and that "open it, but not all the way" opens. Our choices."""
_OPPOSITE = {"up": "down", "down": "up", "forward": "back", "back": "forward", "open": "close", "close": "open"}
_OTHER = {"passenger": "driver", "rear_left": "rear_right", "rear_right": "rear_left", "front": "rear", "rear": "front",
          "left": "right", "right": "left"}  # fmt: skip
"""What "the other one" is, beside a window; for any other the passenger's."""
_ROWS = {"driver": "front", "passenger": "front", "rear_left": "rear", "rear_right": "rear"}
"""What "both" are, after one of them."""


def meant(
    command: Command, recent: RecentActions, now: datetime, values: Mapping[str, Any] | None = None
) -> tuple[Action, ...]:
    """The actions that a command of the kind ``follow`` comes to; none where nothing fits.

    Args:
        command: of ``models/commands/followup.yaml``.
        recent: what was done last.
        now: the present moment.
        values: what the vehicle's signals are, for those in `LOOKS`.
    """
    slots = command.slots
    try:
        if command.name in _ALONE:
            return _ALONE[command.name](slots)
        if command.name in LOOKS:
            return LOOKS[command.name](slots, recent if recent.fresh(now) else RecentActions(), values or {})
        if command.name == RESUME:
            return (parse_action("navigate_to", {"destination": recent.ended}),) if recent.ended else ()
        if not recent.fresh(now):
            return ()
        if swapped := _exchanged(recent.actions) if command.name == "follow_reverse" else ():
            return swapped
        for last in reversed(recent.actions):
            found = _AFTER[command.name](last, slots, recent)
            if found:
                return found
    except ValidationError:
        return ()
    return ()


def completed(begun: Act | None, slots: Mapping[str, Any]) -> Action | None:
    """A timer or reminder with the time that was asked for; None where the time does not fit it, or none waits for one."""
    fields = parse_fields(begun.name) if begun is not None else frozenset[str]()
    if begun is None or not slots or not fields.issuperset(slots):
        return None
    try:
        return parse_action(begun.name, {**begun.slots, **slots})
    except ValidationError:
        return None


def lacks_time(action: Action) -> str:
    """The question for the time that a timer or reminder does not say; empty for all others."""
    if isinstance(action, SetTimer) and action.minutes is None and action.seconds is None:
        return responder.FOR_HOW_LONG
    timed = not isinstance(action, SetReminder) or action.minutes or action.hour is not None or action.event
    dated = isinstance(action, SetReminder) and (action.day or action.date)
    return "" if timed else responder.AT_WHAT_TIME if dated else responder.WHEN


# Alone ----------------------------------------------------------------------------------------------------------------


def _all_closed(_: Mapping[str, Any]) -> tuple[Action, ...]:
    return parse_action("set_window", {"window": "all", "percent": 0}), parse_action("set_sunroof", {"percent": 0})


def _inside_off(_: Mapping[str, Any]) -> tuple[Action, ...]:
    return (
        parse_action("set_ambient_light", {"on": False}),
        parse_action("set_reading_light", {"zone": "all", "on": False}),
        parse_action("set_dome_light", {"on": False}),
    )


def _stuffy(_: Mapping[str, Any]) -> tuple[Action, ...]:
    """Fresh air and more of it; a window is only opened for who asks for that."""
    return parse_action("set_recirculation", {"on": False}), parse_action("change_fan_speed", {"change": "up"})


_ALONE = {
    "all_closed": _all_closed, "inside_lights_off": _inside_off, "stuffy": _stuffy,
}  # fmt: skip


# By what the vehicle says ---------------------------------------------------------------------------------------------


def _partly(slots: Mapping[str, Any], recent: RecentActions, values: Mapping[str, Any]) -> tuple[Action, ...]:
    """Closed, or open, but not all the way."""
    window, but = slots.get("window"), slots.get("but")
    name = "set_window"
    if window is None:
        last = next((one for one in reversed(recent.actions) if _stepping(one) in _PANES), None)
        if last is None:
            return ()
        name = "set_sunroof" if "sunroof" in last.name else name
        window, but = last.slots().get("window"), last.slots().get("but")
    panes = (None,) if window is None else corners(window, but)
    found: dict[str | None, int] = {}
    for pane in panes:
        percent = _part(values.get("sunroof.position" if pane is None else f"window.{pane}"), opens=slots["open"])
        if percent is not None and (percent or slots["open"] or len(panes) == 1):
            found[pane] = percent
    if len(found) == len(panes) > 1 and len(set(found.values())) == 1:
        return (parse_action(name, {"window": window, "but": but, "percent": found[panes[0]]}),)
    return tuple(
        parse_action(name, {**({} if pane is None else {"window": pane}), "percent": percent})
        for pane, percent in found.items()
    )


def _part(now: Any, *, opens: bool) -> int | None:
    """Percent that a pane is moved to, which stands at ``now``; None where that is not known and closing might open it."""
    if not isinstance(now, int | float):
        return HALF_OPEN if opens else None
    if opens:
        return HALF_OPEN if now < HALF_OPEN else round((now + 100) / 2)
    return AJAR if now > AJAR else round(now / 2)


LOOKS = {"partly": _partly}
"""Commands for which the vehicle must be looked at."""


# After something ------------------------------------------------------------------------------------------------------


def _step(last: Action, slots: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    """More or less of the last thing; ``more`` goes the way that the last thing went, ``up`` is up."""
    had, step, name = last.slots(), slots["step"], _stepping(last)
    if step == "crack" and name not in _PANES:
        return (parse_action(last.name, {**had, "level": 1}),) if had.get("level") else ()
    if recent.waits and (beside := _beside_asked(last, had, step)) is not None:
        return (beside,)
    if had.get("direction") in _OPPOSITE:
        direction = had["direction"] if step == "more" else _OPPOSITE[had["direction"]] if step == "less" else step
        return (parse_action(last.name, {"direction": direction}),)
    if last.stride:
        return (_strode(last, up=step in ("more", "up")),)
    if name in _PANES:
        if step == "crack":
            return (parse_action(name, {**_kept(had, "window", "but"), "change": "open"}),)
        opened = had.get("change") == "open" or had.get("percent", 0) > 0
        if step in ("up", "down"):
            change = "close" if step == "up" else "open"
        else:
            change = "open" if opened is (step == "more") else "close"
        return (parse_action(name, {**_kept(had, "window", "but"), "change": change}),)
    if name not in _STEPS:
        return ()
    rising = had.get("change", "up") == "up"
    up = step == "up" or (step == "more" and rising) or (step == "less" and not rising)
    return (parse_action(name, {**_kept(had, "zone"), "change": "up" if up else "down"}),)


def _beside_asked(last: Action, had: Mapping[str, Any], step: str) -> Action | None:
    """The number beside one that was only asked about: nothing stands there yet from where a step could go."""
    slot = next((slot for slot in STRIDES if slot in had), "")
    if not slot or (_stepping(last) in _PANES and not had[slot]):
        return None
    return _strode(last, slot, STRIDES[slot], up=step in ("more", "up"))


STRIDES = {"level": 1, "percent": 10, "celsius": 1.5}
"""How far a step changes a number that was asked about: about as far as the vehicle's own steps go."""


def _stepping(last: Action) -> str:
    """Name of the action that goes on from there by steps; its own where it is one itself, or where there is none."""
    return last.step or last.name


def _outright(last: Action) -> str:
    """Name of the action that sets outright what this one moved by a step; its own where it does so itself."""
    return last.outright or last.name


def _strode(last: Action, slot: str = "", stride: float = 0, *, up: bool) -> Action:
    """The same action with its number one stride up or down, within its range."""
    fields = type(last).model_json_schema()["properties"]
    slot = slot or next(name for name, field in fields.items() if field.get("type") in ("integer", "number"))
    number = getattr(last, slot) + (stride or last.stride) * (1 if up else -1)
    lowest, highest = (fields[slot].get(end, number) for end in ("minimum", "maximum"))
    return parse_action(last.name, {**last.slots(), slot: min(highest, max(lowest, number))})


def _switch(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    on, had = slots["on"], last.slots()
    name = _outright(last)
    if slots.get("both") and name == "set_defrost":
        return (parse_action(name, {"window": "all", "on": on}),)
    zone = {"zone": "all"} if slots.get("both") else _kept(had, "zone")
    if last.domain is Domain.MEDIA:
        return (parse_action("set_playback", {"command": "play" if on else "pause"}),)
    if last.domain is Domain.NAVIGATION:
        return () if on else (parse_action("cancel_navigation", {}),)
    if isinstance(last, SetTimer | SetReminder):
        kind = "timer" if isinstance(last, SetTimer) else "reminder"
        label = had.get("label") or had.get("what")
        return () if on else (parse_action("cancel_timer", {"kind": kind, **({"label": label} if label else {})}),)
    if last.domain is Domain.LIGHTS and "ambient" in name:
        return (parse_action("set_ambient_light", {"on": on}),)
    if name == "set_temperature" or last.name == "change_temperature":
        return (parse_action("set_climate", {"on": on}),)
    fields = parse_fields(name)
    if "on" in fields:
        return (
            parse_action(name, {**{k: v for k, v in had.items() if k in fields}, **_fitting(zone, fields), "on": on}),
        )
    if "level" in fields:
        return (parse_action(name, {**_fitting(zone, fields), "level": 2 if on else 0}),)
    return ()


def _way(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    """What folds, in or out again."""
    return (parse_action(last.name, {"folded": slots["way"] == "in"}),) if last.name == "set_mirrors" else ()


def _back(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    """As it was before, if the last thing was done there."""
    had = last.slots()
    return (Undo(),) if had.get("window", had.get("zone")) == slots["zone"] else ()


def _open(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    opens, had = slots["open"], last.slots()
    name = _outright(last)
    fields = parse_fields(name)
    if "open" in fields:
        return (parse_action(name, {"open": opens}),)
    if last.domain is Domain.OPENINGS and "percent" in fields:
        where = _kept(had, "window", "but")
        if slots.get("both") and "window" in fields:
            where = {"window": _ROWS.get(str(had.get("window")), had.get("window"))}
        return (parse_action(name, {**where, "percent": 100 if opens else 0}),)
    return ()


def _exchanged(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Each of two in the place of the other, where the same was done in two places; none where nothing would be otherwise."""
    if len(actions) != 2 or actions[0].name != actions[1].name:
        return ()
    one, other = (action.slots() for action in actions)
    places = [{slot: value for slot, value in had.items() if slot in _PLACES} for had in (one, other)]
    there = [{slot: value for slot, value in had.items() if slot not in _PLACES} for had in (one, other)]
    if places[0] == places[1] or there[0] == there[1]:
        return ()
    name = actions[0].name
    return parse_action(name, {**there[1], **places[0]}), parse_action(name, {**there[0], **places[1]})


_PLACES = frozenset({"zone", "window", "but"})
"""Slots that say where."""


def _reversed(last: Action, slots: Mapping[str, Any], __: RecentActions) -> tuple[Action, ...]:
    """The same the other way round: what opens closes, what goes up comes down; nothing where two are to be exchanged."""
    if slots.get("swap"):
        return ()
    had, fields = last.slots(), parse_fields(last.name)
    slot = next((slot for slot in ("change", "direction") if had.get(slot) in _OPPOSITE), "")
    if slot:
        return (parse_action(last.name, {**had, slot: _OPPOSITE[had[slot]]}),)
    if last.domain is not Domain.OPENINGS:
        return ()
    if "percent" in fields:
        return (parse_action(last.name, {**had, "percent": 0 if had["percent"] else 100}),)
    return (parse_action(last.name, {**had, "open": not had["open"]}),) if "open" in fields else ()


def _zone(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    zone, had, fields = slots["zone"], last.slots(), parse_fields(last.name)
    slot = "window" if "window" in fields and last.name != "set_defrost" else "zone"
    if slot not in fields:
        return ()
    if zone.startswith(_BESIDE):
        beside = _neighbour(str(had.get(slot)), zone.removeprefix(_BESIDE)) if slot == "window" else ""
        if not beside:
            return ()
        zone = beside
    if zone == "other":
        was = had.get(slot)
        zone = (
            _OTHER.get(str(was), "passenger") if slot == "window" else "driver" if was == "passenger" else "passenger"
        )
    return (parse_action(last.name, {**{k: v for k, v in had.items() if k != "but"}, slot: zone}),)


_BESIDE = "beside "


def _neighbour(was: str, side: str) -> str:
    """The one window on that side of the one or two that were meant: of a rear window the other rear one, or the one before it."""
    there = frozenset(corners(was))
    wanted = frozenset(corners(side))
    if found := there & wanted:
        return next(iter(found)) if len(found) == 1 < len(there) else ""
    line = ("front", "rear") if side in ("left", "right") else ("left", "right")
    beside = [wanted & frozenset(corners(row)) for row in line if there <= frozenset(corners(row))]
    return next(iter(beside[0])) if len(beside) == 1 and len(beside[0]) == 1 else ""


def _instead(last: Action, slots: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    """The same elsewhere, and not where it was done."""
    actions = _zone(last, slots, recent)
    return (Undo(), *actions) if actions and actions != (last,) else ()


def _thing(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    """The same with another thing: warmer, "and the seat heating too"."""
    had, things = last.slots(), slots["things"].split()
    if things[0] in _SCREENS:
        return _screen(last, things[0])
    if had.get("change") in ("up", "down"):
        name = next((f"change_{thing}" for thing in things if f"change_{thing}" in BY_NAME), None)
        zone = {} if had.get("zone") == "all" else _kept(had, "zone")
        if name is None:
            return ()
        return (parse_action(name, {**_fitting(zone, parse_fields(name)), "change": had["change"]}),)
    name = next((f"set_{thing}" for thing in things if f"set_{thing}" in BY_NAME), None)
    if name is None:
        return ()
    fields = parse_fields(name)
    level, on = had.get("level"), had.get("on")
    like = {
        "level": level if level is not None else None if on is None else 2 if on else 0,
        "on": on if on is not None else None if level is None else level > 0,
        "percent": had.get("percent"),
    }
    told = {slot: value for slot, value in like.items() if slot in fields and value is not None}
    return (parse_action(name, {**_fitting(_kept(had, "zone"), fields), **told}),) if told else ()


_SCREENS = {"front_pane": "front", "rear_pane": "rear"}


def _screen(last: Action, pane: str) -> tuple[Action, ...]:
    """The windscreen or the rear window as well: a heated one is defrosted, an opened one has windows beside it."""
    had = last.slots()
    if _stepping(last) in _PANES:
        return _zone(last, {"zone": "rear"}, RecentActions()) if pane == "rear_pane" and "window" in had else ()
    on = had.get("on", had.get("level"))
    return () if on is None else (parse_action("set_defrost", {"window": _SCREENS[pane], "on": bool(on)}),)


def _value(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    had = last.slots()
    if "color" in slots:
        return (parse_action("set_ambient_color", {"color": slots["color"]}),) if last.domain is Domain.LIGHTS else ()
    name = "set_volume" if last.step == "change_volume" else _outright(last)
    fields = parse_fields(name)
    if "share" in slots:
        return _shared(name, slots["share"], _fitting(_kept(had, "zone", "window", "but"), fields))
    number = slots["number"]
    if isinstance(last, SetTimer):
        return Undo(), parse_action("set_timer", {**_kept(had, "label"), "minutes": number})
    if isinstance(last, SetReminder) and last.hour is not None:
        return Undo(), parse_action("set_reminder", {**_kept(had, "what", "half", "day", "date"), "hour": number})
    for slot in ("celsius", "percent", "level"):
        if slot in fields:
            value = celsius_of(number) if slot == "celsius" and number > 60 else number
            return (parse_action(name, {**_fitting(_kept(had, "zone", "window", "but"), fields), slot: value}),)
    return ()


def _shared(name: str, share: int, where: Mapping[str, Any]) -> tuple[Action, ...]:
    """A share of all that there is, in percent: the nearest level where there are levels, the higher one of two as near."""
    if "percent" in parse_fields(name):
        return (parse_action(name, {**where, "percent": share}),)
    highest = _highest(name)
    return (parse_action(name, {**where, "level": (share * highest + 50) // 100}),) if highest else ()


def _highest(name: str) -> int:
    """The highest level of an action; 0 for one without levels."""
    return int(BY_NAME[name].model_json_schema()["properties"].get("level", {}).get("maximum", 0))


def _track(last: Action, slots: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    if last.domain is Domain.MEDIA:
        return (parse_action("set_playback", {"command": "previous" if slots["which"] == "previous" else "next"}),)
    if last.name in ("find_place", "find_on_route", "list_places") and slots["which"] in ("other", "next"):
        had = {slot: value for slot, value in last.slots().items() if slot in ("kind", "quality", "near")}
        return (parse_action("list_places", had),)
    if slots["which"] != "other":
        return ()
    return (_instead if slots.get("instead") else _zone)(last, {"zone": "other"}, recent)


def _choice(last: Action, slots: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    number = slots["number"]
    if last.name == "get_routes":
        return (parse_action("choose_route", {"number": number}),)
    named = [str(place["name"]) for place in recent.answer.get("places") or ()]
    return (parse_action("navigate_to", {"destination": named[number - 1]}),) if number <= len(named) else ()


def _there(_: Action, __: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    entries = recent.answer.get("entries") or ()
    where = recent.answer.get("name") if recent.answer.get("part") is None else recent.answer.get("value")
    where = next((entry["place"] for entry in entries if entry.get("place")), where)
    return (parse_action("navigate_to", {"destination": where}),) if where else ()


def _person(_: Action, slots: Mapping[str, Any], recent: RecentActions) -> tuple[Action, ...]:
    """A call to whoever was asked about last; whom a pronoun means that was named in other words, is looked for with the rest."""
    who = recent.answer.get("name")
    people = recent.people[0] if recent.people else ()
    if slots.get("who") and [one.name for one in people] != [who]:
        return ()
    return (parse_action("call_contact", {"person": who}),) if who and "part" in recent.answer else ()


def _quality(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    if last.name not in ("find_place", "find_on_route", "list_places"):
        return ()
    return (parse_action(last.name, {**_kept(last.slots(), "kind", "near"), "quality": slots["quality"]}),)


def _day(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    if last.name not in ("get_weather", "get_calendar"):
        return ()
    return (parse_action(last.name, {**last.slots(), **slots}),)


def _time(last: Action, slots: Mapping[str, Any], _: RecentActions) -> tuple[Action, ...]:
    """Another time for the timer or reminder that was just set."""
    if not isinstance(last, SetTimer | SetReminder):
        return ()
    action = completed(Act(last.name, _kept(last.slots(), "label", "what")), slots)
    return (Undo(), action) if action is not None else ()


_AFTER = {
    "follow_step": _step, "follow_switch": _switch, "follow_way": _way, "follow_back": _back, "follow_open": _open,
    "follow_zone": _zone, "follow_instead": _instead, "follow_thing": _thing, "follow_value": _value,
    "follow_track": _track, "follow_choice": _choice, "follow_there": _there, "follow_person": _person,
    "follow_quality": _quality, "follow_reverse": _reversed, "follow_day": _day, "follow_time": _time,
}  # fmt: skip
NAMES = frozenset({*_ALONE, *LOOKS, *_AFTER, RESUME})
"""The commands that this module understands."""


def depends(command: Command) -> bool:
    """Whether the command means something only by what was done or asked before."""
    return command.name in _AFTER


def parse_fields(name: str) -> frozenset[str]:
    """Names of the slots that the action of that name has."""
    return frozenset(BY_NAME[name].model_fields)


def _kept(had: Mapping[str, Any], *slots: str) -> dict[str, Any]:
    return {slot: had[slot] for slot in slots if slot in had}


def _fitting(slots: Mapping[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    return {slot: value for slot, value in slots.items() if slot in fields}
