"""What the driver left open, filled with what they like: "play some music" with the kind of music that is remembered.

A rule, not a guess: the remembered value goes into the slot that the action names for its category
(``schemas.actions.Action.details``), if it fits there. Owns the words for levels and for roads; which of several preferences
fits best is memory's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from models.numbers import numbers
from schemas.actions import BY_NAME, Action, parse_action
from schemas.actions.acts import slots_of
from schemas.memory import Preference, Recollection, Sense
from schemas.ports import MemoryPort
from schemas.preferences import BY_DETAIL
from voice.dialogue.memory.circumstances import Circumstances

RECALLED = 12
"""Preferences that are looked at: what is disliked, or counts at another time, stands among them."""
LEVELS: Mapping[str, tuple[str, ...]] = {
    "set_fan_speed": ("low", "", "medium", "", "high"),
    "set_seat_heating": ("low", "medium", "high"),
}
"""Words for the levels from 1 on."""
PERCENT = {"low": 30, "medium": 60, "high": 100}
"""Brightness in words. Our choice."""
MEANS = {
    "highways": "avoid_highways", "motorways": "avoid_highways", "toll roads": "avoid_tolls", "tolls": "avoid_tolls",
    "ferries": "avoid_ferries", "shortest time": "fastest", "shortest distance": "shortest",
}  # fmt: skip
"""Remembered words for a route, and how it is then chosen."""


_OTHERS = frozenset(("passenger", "rear", "rear_left", "rear_right"))
"""Zones where somebody else sits."""


@dataclass(frozen=True, slots=True)
class Filled:
    """An action with what was remembered."""

    action: Action | None = None
    """None where nothing fits."""
    used: tuple[Recollection, ...] = field(default=())


def fill(
    memory: MemoryPort, text: str, name: str, slots: Mapping[str, Any], seen: Circumstances, *, ahead: bool = False
) -> Filled:
    """The action of a name with the first remembered value that fits what was left open. Blocks for some ten milliseconds.

    What is disliked fits nothing, nor does what counts only at another time, or perhaps; what counts just now fits best.

    Args:
        memory: of whoever drives.
        text: the utterance, for the search.
        name: the action's.
        slots: what was said.
        seen: what the car knows of the moment.
        ahead: it is only looked what would come of it.
    """
    kind = BY_NAME[name]
    found = memory.recall(text, details=tuple(kind.details), limit=RECALLED, ahead=ahead)
    against = {
        (r.preference.detail, r.preference.value.lower())
        for r in found
        if not usable(r.preference) and seen.hold(r.preference.conditions) is not False
    }
    fits = [
        r for r in found
        if usable(r.preference) and seen.apply(r.preference)
        and (r.preference.detail, r.preference.value.lower()) not in against
    ]  # fmt: skip
    for recalled in sorted(fits, key=lambda r: not r.preference.conditions):
        slot = kind.details.get(recalled.preference.detail)
        value = None if slot is None or slot in slots else fitting(name, slot, recalled.preference.value)
        if slot is None or value is None:
            continue
        try:
            action = parse_action(name, {**slots, slot: value})
        except ValidationError:
            continue
        if action.takes(recalled.preference.detail):
            return Filled(action, (recalled,))
    return Filled()


def usable(preference: Preference) -> bool:
    """Whether its value is what the driver wants: of a road type it is that it is avoided."""
    if preference.detail == "avoidance_of_specific_road_types":
        return preference.sense in (Sense.AVOIDS, Sense.DISLIKES)
    return preference.sense.wanted


def fitting(name: str, slot: str, value: str) -> Any:
    """What a remembered value is in a slot; None where it is nothing there."""
    kind, said = slots_of(name)[slot], value.lower()
    if kind.kind == "words":
        return said
    if kind.kind == "choice":
        meant = MEANS.get(said, said.replace(" ", "_"))
        return meant if meant in kind.choices else None
    if slot == "percent" and said in PERCENT:
        return PERCENT[said]
    if said in LEVELS.get(name, ()):
        return LEVELS[name].index(said) + 1
    amounts = numbers(said)
    return max(amounts) if amounts else None


def liked(action: Action) -> tuple[str, str] | None:
    """The category and the value that an action would stand for if it were to be so every time; None where there is none.

    What is done for another seat is no liking of the driver's; a slot that several categories share names none of them, but for a
    route.
    """
    said = action.slots()
    if said.get("zone") in _OTHERS:
        return None
    for detail, slot in action.details.items():
        value = _remembered(action.name, slot, said.get(slot))
        known = list(action.details.values()).count(slot) == 1 or value in BY_DETAIL[detail].examples
        if value and known and action.takes(detail):
            return detail, value
    return None


def _remembered(name: str, slot: str, value: Any) -> str:
    """What is in a slot as a remembered value, the other way round from `fitting`; empty where it is none."""
    if isinstance(value, str):
        return next((word for word, choice in MEANS.items() if choice == value), value.replace("_", " ").lower())
    if not isinstance(value, int | float) or isinstance(value, bool):
        return ""
    if slot == "percent":
        return min(PERCENT, key=lambda word: abs(PERCENT[word] - value)) if value else ""
    levels = LEVELS.get(name, ())
    if levels:
        place = int(value) - 1
        between = levels[0] if place < len(levels) // 2 else levels[-1]
        return levels[place] or between if 0 <= place < len(levels) else ""
    return f"{value:g} degrees" if slot == "celsius" else ""
