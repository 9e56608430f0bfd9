"""What a driver says by pointing at how things stand: the occupied seats, "the same as mine", "if it is raining".

The parser knows words, not the car. This reads the car's signals and puts what they say into the acts: levels, seats and windows
that nobody named. Pure; where a signal is missing, the act is left out and that is said. What may be done is for others to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from models.commands.units import DIMENSIONS
from models.numbers import NUMBER, number_of
from schemas.actions import BY_NAME, Domain
from schemas.actions.acts import Act, SlotValue, slots_of
from schemas.actions.base import GROUPS
from schemas.actions.said import spoken_number
from schemas.manners import Units
from voice.dialogue.acts import all_off, roads
from voice.dialogue.replies import responder
from voice.dialogue.validator import complaint

Signals = Mapping[str, Any]
"""Values by the names of ``vehicle.signals``."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is left of the acts, and what is said to those that are not."""

    acts: tuple[Act, ...]
    says: tuple[str, ...] = ()
    copied: bool = False
    """A value stands in them that the car had elsewhere."""
    grounds: frozenset[str] = field(default_factory=frozenset[str])
    """Slots that the car has filled: nobody needs to have said them."""
    heeded: tuple[str, ...] = ()
    """Words that are spent on them, and ask for nothing else."""
    unnamed: bool = False
    """Nobody named what they move: it is asked about first."""


# Conditions -----------------------------------------------------------------------------------------------------------

_THAN = rf"(?P<{{}}>{NUMBER})(?: degrees)?(?: celsius| fahrenheit)?"
_MORE = rf"(?:(?:warmer|hotter|more|higher) than|above|over) {_THAN.format('above')}"
_LESS = rf"(?:(?:colder|cooler|less|lower) than|below|under) {_THAN.format('below')}"
_CONDITION = re.compile(
    r"\b(?:but )?(?:only )?if (?:"
    rf"(?:it's|it is|the temperature is|the outside temperature is)(?: outside)? (?:{_MORE}|{_LESS})(?: (?:outside|out there))?|"
    r"it(?:'s| is)(?P<dry>n't| not)? raining(?: outside| out there| right now| now)?)\b"
)
"""Conditions on what the car sees now: warmth outside, and rain."""


def unconditional(text: str, acts: Sequence[Act] = ()) -> str:
    """The words without a condition that the car can judge at once; as they are where something is to be done later."""
    if any(act.name == "set_reminder" for act in acts):
        return text
    return re.sub(r"\s+", " ", _CONDITION.sub(" ", text)).strip()


def _held(text: str, values: Signals, units: Units) -> tuple[bool | None, str]:
    """Whether the condition of a sentence holds (None: not known), and what is said where it does not."""
    found = _CONDITION.search(text)
    if found is None:
        return True, ""
    limit = found["above"] or found["below"]
    if limit is None:
        rain = values.get("outside.rain")
        if not isinstance(rain, int | float):
            return None, ""
        wet = rain > 0
        return wet is (found["dry"] is None), f"It is {'' if wet else 'not '}raining, so I leave it."
    degrees = values.get("outside.temperature")
    if not isinstance(degrees, int | float):
        return None, ""
    now = units.degrees(float(degrees))
    holds = now > number_of(limit) if found["above"] else now < number_of(limit)
    return holds, f"It is {spoken_number(now)} degrees outside, so I leave it."


_UNSEEN = (
    (
        re.compile(
            r"\b(?:if|when|whenever|unless|as soon as|once|until) "
            r"(?:it|it's|it is|(?:the )?(?:outside |outdoor )?(?:temperatures?|weather|sun|rain)|outside|there|there's)\b"
            r"(?!(?: \w+){0,4} (?:in here|inside|in the (?:car|cabin|back|front))\b).*"
            r"\b(?:cold\w*|chill\w*|freez\w*|frost\w*|icy|warm\w*|hot|hotter|cool\w*|degrees|zero|minus|rain\w*|snow\w*|sunny|windy|"
            r"outside|out there)\b"
        ),
        "I can't act on the outside temperature or the weather yet",
    ),
    (
        re.compile(
            r"\b(?:if|when|whenever|unless|as soon as|once|while) (?!you\b|i\b|it\b|it's\b|we\b)(?:\w+ ){1,5}?"
            r"(?:in the (?:car|back|front|passenger seat)|with (?:me|us)|(?:beside|next to|behind) (?:me|us)|on board|aboard|"
            r"(?:rides?|comes?|drives?|travels?|is|are) (?:along|with (?:me|us)))\b"
        ),
        "I can't act on who is in the car yet",
    ),
)
"""Conditions that nothing here waits for or judges, and what is said to them."""
_LASTING = re.compile(
    r"\b(?:i|we)(?:'d| would)? (?:always )?(?:want|like|love|prefer|need)\b|"
    r"\b(?:always|whenever|every time|in (?:the )?future|from now on)\b"
)
"""Wishes for good, which no look at the car of this moment settles."""


def _unseen(text: str, acts: Sequence[Act]) -> Seen | None:
    """What is left of acts that have a condition which cannot be kept; None where there is no such condition."""
    judged = _CONDITION.search(text) is not None and _LASTING.search(text) is None
    told = next((said for words, said in _UNSEEN if words.search(text)), "")
    moving = any(act.is_action and not BY_NAME[act.name].query for act in acts)
    if judged or not told or not moving or any("event" in act.slots or act.name == "set_reminder" for act in acts):
        return None
    rest = tuple(act for act in acts if not act.is_action or BY_NAME[act.name].query)
    return Seen(rest, (f"{told}, so I leave it.",))


# Seats ----------------------------------------------------------------------------------------------------------------

_SITS = r"(?: is| are|'s|'re)? (?:sits?|sitting|there)"
_NOBODY = rf"(?:unoccupied|vacant|unused|not (?:occupied|taken|in use|used)|(?:where )?(?:nobody|no one){_SITS})"
_SOMEBODY = rf"(?:occupied|taken|in use|(?:where )?(?:somebody|someone|anybody|anyone|people|a person|we){_SITS})"
_TAKEN = re.compile(
    rf"\b(?:(?P<empty>{_NOBODY}|(?:empty|free)(?= (?:seats?|ones?)\b|$)|(?:seats?|ones) (?:that|which) (?:is|are) (?:empty|free))|"
    rf"{_SOMEBODY})\b"
)
_EVERYWHERE = ("driver", "passenger", "rear_left", "rear_right")


def _places(act: Act, *, empty: bool, values: Signals) -> list[str] | None:
    """Zones of an act whose seats are taken, or are not; None where the car does not say."""
    told = {corner: values.get(f"seat.{corner}.occupancy") for corner in _EVERYWHERE[1:]}
    if all(value is None for value in told.values()):
        return None
    taken = {"driver", *(corner for corner, value in told.items() if value == "occupied")}
    choices = slots_of(act.name)["zone"].choices
    if "rear_left" in choices:
        return [corner for corner in _EVERYWHERE if (corner not in taken) is empty]
    found = [corner for corner in ("driver", "passenger") if (corner not in taken) is empty]
    if "rear" in choices and bool(taken & set(GROUPS["rear"])) is not empty:
        found.append("rear")
    return found


def _by_seat(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """The acts for the seats that are taken, or that are empty, where a sentence asks for these."""
    asked = [found["empty"] is not None for found in _TAKEN.finditer(text)]
    zoned = [act for act in acts if act.is_action and "zone" in slots_of(act.name)]
    if not asked or not zoned:
        return Seen(tuple(acts))
    if len(asked) not in (1, len(zoned)):
        return Seen(tuple(act for act in acts if act not in zoned), (responder.WHICH_SEATS,))
    kept, says = list[Act](), list[str]()
    which = iter(asked * len(zoned) if len(asked) == 1 else asked)
    for act in acts:
        if act not in zoned:
            kept.append(act)
            continue
        empty = next(which)
        places = _places(act, empty=empty, values=values)
        if not places:
            says.append(responder.SEATS_UNKNOWN if places is None else responder.NO_SEAT_EMPTY)
        kept += [Act(act.name, {**act.slots, "zone": zone}) for zone in _grouped(places or (), act.name)]
    return Seen(tuple(kept), tuple(dict.fromkeys(says)), grounds=frozenset({"zone"}))


def _grouped(places: Sequence[str], name: str, slot: str = "zone") -> tuple[str, ...]:
    """As few zones or windows as name the same places."""
    choices = slots_of(name)[slot].choices
    rows = {group: set(GROUPS[group]) for group in ("front", "rear", "all")}
    if "rear_left" not in choices:
        rows = {"all": set(choices) - {"all"}}
    whole = next((group for group, row in rows.items() if row == set(places)), None)
    return tuple(places) if whole is None else (whole,)


# The same as elsewhere ------------------------------------------------------------------------------------------------

_REFERS = (
    r"(?:(?P<driver>mine|me|my (?:own|side|seat|temperature)|i have|the driver\w*'?s?)|"
    r"(?P<passenger>hers?|him|his|(?:the|my) (?:passenger|wife|husband|partner)(?:'s)?|next to me)|"
    r"(?P<rear>the (?:back|rear|kids|rear seats|back seats)))"
)
_SAME = re.compile(
    r"\b(?:the )?same (?:(?:level|temperature|setting|heat|warmth|value|degree|amount) )?(?:as|like) "
    rf"(?:on |for |in |at |with )?{_REFERS}\b"
)
_MORE_THAN = re.compile(
    rf"\b(?:warmer|hotter|cooler|colder|higher|lower|more|less) than (?:on |for |in |at )?{_REFERS}"
)
_OWN = {
    "set_temperature": ("celsius", "climate.{}.temperature"), "set_seat_heating": ("level", "seat.{}.heating"),
    "set_seat_ventilation": ("level", "seat.{}.ventilation"), "set_seat_massage": ("level", "seat.{}.massage"),
    "set_steering_wheel_heating": ("level", "seat.{}.heating"),
}  # fmt: skip
"""Action -> the slot that may be the same as elsewhere, and the signal there."""
_CLAUSE = re.compile(r"\b(?:and|then|but)\b")
_SIDES = (("passenger", re.compile(r"\b(?:passenger|passenger's|her|his|wife's|husband's)\b")),
          ("rear", re.compile(r"\b(?:rear|back|kids'?)\b")), ("driver", re.compile(r"\b(?:my|driver's?)\b")))  # fmt: skip


def _referred(found: re.Match[str]) -> str:
    return next(side for side in ("driver", "passenger", "rear") if found[side])


def _other(referred: str) -> str:
    return "passenger" if referred == "driver" else "driver"


def _alike(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """Levels and temperatures that are to be what they are elsewhere."""
    found = _SAME.search(text)
    fitting = [act for act in acts if act.name in _OWN]
    if found is None or not fitting:
        return Seen(tuple(acts))
    act, referred = fitting[-1], _referred(found)
    slot, signal = _OWN[act.name]
    value = values.get(signal.format(referred))
    if not isinstance(value, int | float):
        return Seen(tuple(acts))
    slots: dict[str, SlotValue] = {**act.slots, slot: value}
    slots.pop("fahrenheit", None)
    if "zone" in slots_of(act.name):
        clause = _CLAUSE.split(text[: found.start()])[-1]
        named = next((side for side, words in _SIDES if words.search(clause)), None)
        slots["zone"] = named if named not in (None, referred) else _other(referred)
    copied = tuple(Act(one.name, slots) if one is act else one for one in acts)
    return Seen(copied, copied=True, grounds=frozenset({slot, "zone"}))


def _further(text: str, acts: Sequence[Act], values: Signals, units: Units) -> Seen:
    """A temperature that is to be some degrees above or below what it is elsewhere."""
    found = _MORE_THAN.search(text)
    act = next((act for act in acts if act.name == "change_temperature"), None)
    value = values.get(f"climate.{_referred(found)}.temperature") if found is not None else None
    if found is None or act is None or not isinstance(value, int | float):
        return Seen(tuple(acts))
    by, referred = act.slots.get("by"), _referred(found)
    step = units.meant(float(by)) if isinstance(by, int | float) else 1.0
    zone = act.slots.get("zone")
    slots: dict[str, SlotValue] = {
        "celsius": float(value) + (step if act.slots.get("change") == "up" else -step),
        "zone": zone if zone in ("driver", "passenger", "rear") and zone != referred else _other(referred),
    }
    copied = tuple(Act("set_temperature", slots) if one is act else one for one in acts)
    return Seen(copied, copied=True, grounds=frozenset({"celsius", "zone"}))


# Windows and lamps ----------------------------------------------------------------------------------------------------

_OPENED = re.compile(
    r"\b(?P<that>windows?|ones?) (?:that|which)(?:'s| is| are)(?: still| currently)? (?P<far>fully |completely |wide )?open\b|"
    r"\b(?:the|any|every|all) (?P<wide>fully |wide )?open windows?\b|\bwhich ?ever windows? (?:is|are) (?P<all>fully )?open\b"
)
_WIDE = 95
"""Percent from which on a window is fully open: sensors need not reach 100."""


def _by_window(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """The windows that are open, where a sentence asks for these."""
    found = _OPENED.search(text)
    act = next((act for act in acts if act.name in ("set_window", "change_window")), None)
    if found is None or act is None:
        return Seen(tuple(acts))
    least = _WIDE if found["far"] or found["wide"] or found["all"] else 1
    shares = {corner: values.get(f"window.{corner}") for corner in GROUPS["all"]}
    panes = [corner for corner, share in shares.items() if isinstance(share, int | float) and share >= least]
    meant = [
        Act(act.name, {**act.slots, "window": window})
        for window in (_grouped(panes, act.name, "window") if panes else ())
    ]
    rest = [one for one in acts if one is not act]
    place = acts.index(act)
    says = () if meant else (responder.NO_WINDOW_OPEN,)
    return Seen((*rest[:place], *meant, *rest[place:]), says, grounds=frozenset({"window"}))


_SIDE_WINDOW = re.compile(r"\b(?:left|right)(?: hand)? window\b")


def _by_side(text: str, acts: Sequence[Act]) -> Seen:
    """The front one of two windows, where one is meant: "the left window"."""
    if _SIDE_WINDOW.search(text) is None:
        return Seen(tuple(acts))
    front = {
        act: Act(act.name, {**act.slots, "window": GROUPS[str(act.slots["window"])][0]})
        for act in acts
        if act.slots.get("window") in ("left", "right")
    }
    return Seen(tuple(front.get(act, act) for act in acts), grounds=frozenset({"window"} if front else ()))


_STEPS = re.compile(
    rf"\b(?:by )?(?P<number>a couple of|{NUMBER}) (?:notch(?:es)?|steps?|levels?|clicks?|stages?|bars?)\b"
)
_STEPPED = {
    "change_fan_speed": ("set_fan_speed", "climate.fan", 5), "change_seat_heating": ("set_seat_heating", "seat.{}.heating", 3),
    "change_seat_ventilation": ("set_seat_ventilation", "seat.{}.ventilation", 3),
}  # fmt: skip
"""Action of one step -> the one that sets a level, the signal, and the highest level."""


_WAY = re.compile(rf"\b(?P<way>up|down) (?:by )?(?P<number>{NUMBER})\b(?! (?:{'|'.join(DIMENSIONS)})\b)")


def _by_steps(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """The level that is so many steps up or down: "fan down two notches", "fan down two"."""
    found = _STEPS.search(text)
    stepped = {act: act for act in acts if act.name in _STEPPED}
    if found is None and (found := _WAY.search(text)) is not None:
        stepped = _as_steps(acts, found["way"], number_of(found["number"]), values)
    if found is None or len(stepped) != 1:
        return Seen(tuple(acts))
    ((was, act),) = stepped.items()
    name, signal, most = _STEPPED[act.name]
    now = values.get(signal.format(act.slots.get("zone", "driver")))
    if not isinstance(now, int | float):
        return Seen(tuple(acts))
    steps = 2 if found["number"] == "a couple of" else int(number_of(found["number"]))
    level = max(0, min(most, int(now) + (steps if act.slots.get("change") == "up" else -steps)))
    meant = tuple(Act(name, {**_zone(act), "level": level}) if one is was else one for one in acts)
    return Seen(meant, grounds=frozenset({"level"}), heeded=(found[0],))


_LEVELS = {name: step for step, (name, *_) in _STEPPED.items()}


def _as_steps(acts: Sequence[Act], way: str, number: float, values: Signals) -> dict[Act, Act]:
    """The acts that the number after "up" or "down" belongs to -> the same as a step.

    It may be the level that is to be reached; but not where that does not lie that way.
    """
    found = {act: act for act in acts if act.name in _STEPPED and act.slots.get("change") == way}
    having = [act for act in acts if number in act.slots.values()]
    if len(having) != 1 or having[0].name not in _LEVELS:
        return {} if having else found
    (act,) = having
    step = _LEVELS[act.name]
    now = values.get(_STEPPED[step][1].format(act.slots.get("zone", "driver")))
    if not isinstance(now, int | float) or (number > now if way == "up" else number < now):
        return {}
    return {act: Act(step, {**_zone(act), "change": way})}


def _zone(act: Act) -> dict[str, SlotValue]:
    return {slot: value for slot, value in act.slots.items() if slot == "zone"}


def _by_what_is_on(acts: Sequence[Act], values: Signals) -> Seen:
    """Whatever is on, where everything is to go off."""
    if all(act.name != all_off.NAME for act in acts):
        return Seen(tuple(acts))
    found = [one for act in acts for one in (all_off.spread(act, values) if act.name == all_off.NAME else (act,))]
    return Seen(tuple(dict.fromkeys(found)), () if found else (responder.NOTHING_ON,), unnamed=True)


# What plays ------------------------------------------------------------------------------------------------------------

_SOURCE = re.compile(r"\b(?P<source>music|radio|podcast)s?\b")


def _by_source(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """The source that is to be gone on with, where another one plays: "carry on with my podcast"."""
    found, now = _SOURCE.search(text), values.get("media.source")
    if found is None or now in (None, found["source"]):
        return Seen(tuple(acts))
    going_on, other = Act("set_playback", {"command": "play"}), Act("set_media_source", {"source": found["source"]})
    return Seen(tuple(other if act == going_on else act for act in acts), grounds=frozenset({"source"}))


def _by_road(text: str, acts: Sequence[Act], values: Signals) -> Seen:
    """Roads that are avoided no longer, and the answer to who asks whether they are."""
    meant, says = roads.meant(text, acts, values)
    return Seen(meant, says, grounds=frozenset({"preference"} if meant != tuple(acts) else ()))


# Questions -------------------------------------------------------------------------------------------------------------

_HOW_IT_IS = re.compile(
    r"^(?:and |so |but |okay |hey |now )*(?:is|are|was|were|has|have|does|do|did|isn't|aren't|hasn't|haven't|didn't) "
    r"(?:(?:the|that|this|my|our|your|any|all|both|these|those|we|i|you|it|her|his)\b)(?!.*\b(?:please|possible|way to|able to|"
    r"chance|mind|want|need|too|or|so|enough|okay (?:if|to)|have to)\b).*"
    r"\b(?:on|off|open|opened|closed?|shut|locked?|unlocked?|still|already|set|running|up|down|dimmed|heated|playing|muted)\b"
)
"""A question about how something stands: it asks for no change."""
_LOOKED_UP = {
    Domain.OPENINGS: "get_openings", Domain.CLIMATE: "get_climate", Domain.SEATS: "get_seats", Domain.LIGHTS: "get_lights",
    Domain.MEDIA: "get_playing", Domain.NAVIGATION: "get_navigation",
}  # fmt: skip
"""What tells how things of a domain stand."""


def _asked(text: str, acts: Sequence[Act]) -> Seen:
    """What was taken for a change where the words ask how it is: looked up, and left as it is."""
    if _HOW_IT_IS.search(text) is None:
        return Seen(tuple(acts))
    kept, says = list[Act](), list[str]()
    for act in acts:
        kind = BY_NAME.get(act.name)
        if kind is None or kind.query or not act.name.startswith(("set_", "change_")):
            kept.append(act)
        elif kind.domain in _LOOKED_UP:
            kept.append(Act(_LOOKED_UP[kind.domain]))
        else:
            says.append(responder.NOT_TOLD)
    return Seen(tuple(dict.fromkeys(kept)), tuple(dict.fromkeys(says)))


_COMPLAINS = re.compile(
    r"\b(?:it's|it is|that's|i'm|i am|feels?) (?:getting )?(?:(?:a bit|a little|too|so|very|rather|quite|awfully) )+"
    r"\w+(?: for me| here)?$"
)
"""What complains and says no more."""
_SAYS_WAY = re.compile(r"\b(?:up|down|more|less|raise|lower|increase|decrease|drop|cut|boost|\w+er)\b")


def _by_complaint(text: str, acts: Sequence[Act]) -> Seen:
    """A step the way that a complaint asks for, where the words say no other: "it's a bit quiet for me" is too quiet."""
    stated = _COMPLAINS.search(text) is not None and _SAYS_WAY.search(text) is None
    if len(acts) != 1 or not acts[0].is_action or "change" not in acts[0].slots or not stated:
        return Seen(tuple(acts))
    wanted = complaint(BY_NAME[acts[0].name], text)
    return Seen((Act(acts[0].name, {**acts[0].slots, "change": wanted}),) if wanted else tuple(acts))


_ROW = re.compile(r"\b(?:(?:in|at|for|on) (?:the )?|up )(?P<row>front|back|rear)\b")
_SEAT = re.compile(r"\b(?:passenger|driver|left|right|my|mine|her|hers|his)\b")


def _by_row(text: str, acts: Sequence[Act]) -> Seen:
    """Each act that has a place in the row that was named for it, in their order: "seventy up front and sixty in the back"."""
    rows = [found["row"] for found in _ROW.finditer(text)]
    zoned = [act for act in acts if act.is_action and "zone" in slots_of(act.name)]
    if not rows or len(rows) != len(zoned) or len({act.name for act in zoned}) != 1 or _SEAT.search(text):
        return Seen(tuple(acts))
    choices = slots_of(zoned[0].name)["zone"].choices
    places = {"front": ("front",) if "front" in choices else ("driver", "passenger")}
    found = list[Act]()
    for act in acts:
        row = places.get(rows[zoned.index(act)], ("rear",)) if act in zoned else ()
        fits = row and set(row) <= set(choices)
        found += [Act(act.name, {**act.slots, "zone": zone}) for zone in row] if fits else [act]
    return Seen(tuple(dict.fromkeys(found)), grounds=frozenset({"zone"} if tuple(found) != tuple(acts) else ()))


def seen(text: str, acts: Sequence[Act], values: Signals, units: Units) -> Seen:
    """The acts with what the car's state says put into them.

    Args:
        text: the utterance in its spoken form.
        acts: what the parser wrote.
        values: the car's signals; without any, nothing is put in.
        units: in which the driver counts.
    """
    unseen = _unseen(text, acts)
    if unseen is not None:
        return unseen
    holds, otherwise = (True, "") if unconditional(text, acts) == text else _held(text, values, units)
    moving = any(act.is_action for act in acts)
    if holds is not True:
        rest = tuple(act for act in acts if not act.is_action)
        return Seen(rest, (otherwise or responder.CONDITION_UNKNOWN,) if moving else ())
    whole = Seen(tuple(acts))
    looks: tuple[Callable[[Sequence[Act]], Seen], ...] = (
        lambda found: _by_road(text, found, values),
        lambda found: _asked(text, found),
        lambda found: _by_what_is_on(found, values),
        lambda found: _by_complaint(text, found),
        lambda found: _by_row(text, found),
        lambda found: _by_seat(text, found, values),
        lambda found: _alike(text, found, values),
        lambda found: _further(text, found, values, units),
        lambda found: _by_window(text, found, values),
        lambda found: _by_side(text, found),
        lambda found: _by_steps(text, found, values),
        lambda found: _by_source(text, found, values),
    )
    for look in looks:
        one = look(whole.acts)
        whole = replace(
            one,
            says=(*whole.says, *one.says),
            copied=whole.copied or one.copied,
            grounds=whole.grounds | one.grounds,
            heeded=(*whole.heeded, *one.heeded),
            unnamed=whole.unnamed or one.unnamed,
        )
    return whole
