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
from schemas.memory import Recollection
from schemas.ports import MemoryPort

RECALLED = 3
"""Preferences that are looked at."""
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


@dataclass(frozen=True, slots=True)
class Filled:
    """An action with what was remembered."""

    action: Action | None = None
    """None where nothing fits."""
    used: tuple[Recollection, ...] = field(default=())


def fill(memory: MemoryPort, text: str, name: str, slots: Mapping[str, Any], *, ahead: bool = False) -> Filled:
    """The action of a name with the first remembered value that fits what was left open. Blocks for some ten milliseconds.

    Args:
        memory: of whoever drives.
        text: the utterance, for the search.
        name: the action's.
        slots: what was said.
        ahead: it is only looked what would come of it.
    """
    kind = BY_NAME[name]
    for recalled in memory.recall(text, details=tuple(kind.details), limit=RECALLED, ahead=ahead):
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
