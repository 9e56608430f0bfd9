"""Which signals an action cannot do without, and with that: which actions a vehicle has, and which parts of them.

A car with a second heated row has more signals than an action needs; what is not needed is written where it is offered. A car
with one window that can be moved has that window: asked for another, it says what it has. Read from the actions' classes
(``schemas.actions``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, get_args

from schemas.actions import ACTIONS, Action, Domain, corners
from schemas.actions.said import where

_VEHICLE = tuple(kind for kind in ACTIONS if kind.domain is not Domain.MEMORY)


def _needed(kind: type[Action]) -> tuple[str, ...]:
    if kind.needs is not None:
        return kind.needs
    return () if kind.per_place or kind.any_of else tuple(kind.sets)


SIGNALS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({kind.name: _needed(kind) for kind in _VEHICLE})
"""Signals that an action reads or writes and cannot do without: a vehicle has the action if it has all of them."""

INSTEAD = MappingProxyType({kind.name: kind.instead for kind in _VEHICLE if kind.instead})
"""Other signals that do as well."""

WELCOME = MappingProxyType({kind.name: kind.also for kind in _VEHICLE if kind.also})
"""Signals that an action reads or writes besides, where the vehicle has them."""


def _places(kind: type[Action], template: str) -> Iterator[tuple[str, str, str]]:
    """The slot that stands for a place in the template, each of its single places, and the signal there."""
    slot = next(name for name in ("zone", "window") if f"{{{name}}}" in template)
    for place in get_args(kind.model_fields[slot].annotation):
        if place not in kind.groups:
            yield slot, place, template.format(**{slot: place})


PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    kind.name: (*(name for _, _, name in _places(kind, kind.per_place)),) if kind.per_place else kind.any_of
    for kind in _VEHICLE
    if kind.per_place or kind.any_of
})  # fmt: skip
"""Signals of which an action needs one at least."""


def actions_for(signals: frozenset[str]) -> frozenset[str]:
    """Names of the actions that a vehicle with these signals has."""
    return frozenset(
        name
        for name, needed in SIGNALS_OF.items()
        if any(signals.issuperset(names) for names in (needed, *INSTEAD.get(name, ())))
        and (name not in PARTS or not signals.isdisjoint(PARTS[name]))
    )


def settings(kind: type[Action]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The signals that an action ``sets``: name, slot of the value, and the slot that stands for the place, with its value."""
    for template, slot in kind.sets.items():
        if "{" not in template:
            yield template, slot, {}
            continue
        for place_slot, place, name in _places(kind, template):
            yield name, slot, {place_slot: place}


def missing(action: Action, signals: frozenset[str]) -> str:
    """What this vehicle lacks of the places that an action is about, as a sentence; empty where it has one of them."""
    kind = type(action)
    if not kind.per_place:
        return ""
    there = {place: name in signals for _, place, name in _places(kind, kind.per_place)}
    slot = next(_places(kind, kind.per_place))[0]
    wanted = getattr(action, slot)
    meant = (
        [wanted] if wanted in there else [one for one in corners(wanted, getattr(action, "but", None)) if one in there]
    )
    if not meant or any(there[place] for place in meant) or (wanted == "all" and any(there.values())):
        return ""
    had = " and ".join(where(place).strip() for place, fitted in there.items() if fitted)
    return f"This car has no {kind.thing}{where(wanted)}, only {had}."
