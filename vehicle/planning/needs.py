"""Which signals an action cannot do without, and with that: which actions a vehicle has.

A car with a second heated row has more signals than an action needs; what is not needed is written where it is offered. Read
from the actions' classes (``schemas.actions``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, get_args

from schemas.actions import ACTIONS, Action, Domain

_VEHICLE = tuple(kind for kind in ACTIONS if kind.domain is not Domain.MEMORY)

SIGNALS_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {kind.name: tuple(kind.sets) if kind.needs is None else kind.needs for kind in _VEHICLE}
)
"""Signals that an action reads or writes and cannot do without: a vehicle has the action if it has all of them."""

INSTEAD = MappingProxyType({kind.name: kind.instead for kind in _VEHICLE if kind.instead})
"""Other signals that do as well."""

WELCOME = MappingProxyType({kind.name: kind.also for kind in _VEHICLE if kind.also})
"""Signals that an action reads or writes besides, where the vehicle has them."""


def actions_for(signals: frozenset[str]) -> frozenset[str]:
    """Names of the actions that a vehicle with these signals has."""
    return frozenset(
        name
        for name, needed in SIGNALS_OF.items()
        if any(signals.issuperset(names) for names in (needed, *INSTEAD.get(name, ())))
    )


def settings(kind: type[Action]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The signals that an action ``sets``: name, slot of the value, and the slot that stands for the place, with its value."""
    for template, slot in kind.sets.items():
        place = next((name for name in ("zone", "window") if f"{{{name}}}" in template), None)
        if place is None:
            yield template, slot, {}
            continue
        for value in get_args(kind.model_fields[place].annotation):
            if value not in kind.groups:
                yield template.format(**{place: value}), slot, {place: value}
