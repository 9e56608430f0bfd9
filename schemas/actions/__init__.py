"""What the vehicle and its assistant can be asked: typed actions and queries with units and ranges.

One frozen Pydantic model an action; its fields are its slots. ``ACTIONS`` lists all of them in the order in which they
are documented; ``action_model`` builds the hierarchical model of a slice of them (domain, action, slots), the same
shape that preferences have, so that one mechanism fills both (see ``models.structured``). Units, ranges and steps stand
with the slots' types in ``schemas.actions.base``.

Ranges: cabin temperature 16.0..28.0 C in steps of 0.5 (CAR-bench and the Android VHAL example agree; VSS has no
bounds), fan 0..5 and seat heating 0..3 (CAR-bench), positions and brightness in percent. A relative change without a
number means "a bit"; how much that is stands in ``vehicle.planning``.

Not here, because no voice may reach it: steering, brakes, horn, hazard lights, indicators, wipers, cruise control and
driver assistance. Remembering, consent and control words are commands of their own (``schemas.events.CommandKind``);
the two actions of the domain ``memory`` are questions and wishes about it in free words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from schemas.actions import body, cabin, information, journey, media
from schemas.actions.base import *  # noqa: F403
from schemas.actions.base import Action, Domain
from schemas.actions.body import *  # noqa: F403
from schemas.actions.cabin import *  # noqa: F403
from schemas.actions.information import *  # noqa: F403
from schemas.actions.journey import *  # noqa: F403
from schemas.actions.media import *  # noqa: F403

ACTIONS: tuple[type[Action], ...] = tuple(
    kind
    for module in (cabin, body, media, journey, information)
    for kind in Action.__subclasses__()
    if kind.__module__ == module.__name__
)
"""All of them, in the order in which they stand in these modules: that of the documents and of the encoder's labels."""

BY_NAME: dict[str, type[Action]] = {action.name: action for action in ACTIONS}


def parse_action(name: str, slots: dict[str, Any]) -> Action:
    """The action of that name with these slots.

    Raises:
        KeyError: no action has that name.
        pydantic.ValidationError: a slot is missing, unknown or out of range.
    """
    return BY_NAME[name].model_validate(slots)


@lru_cache(maxsize=256)
def action_model(names: tuple[str, ...]) -> type[BaseModel]:
    """The hierarchical Pydantic model of a slice of the actions: optional domains, each with its optional actions.

    An empty object means: nothing that the vehicle can do was asked for.

    Raises:
        KeyError: no action has that name.
    """
    wanted = {BY_NAME[name].name for name in names}
    tree: dict[Domain, dict[str, Any]] = {}
    for action in ACTIONS:
        if action.name in wanted:
            field = (action | None, Field(default=None, description=action.description))
            tree.setdefault(action.domain, {})[action.name] = field
    domains: dict[str, Any] = {
        domain.value: (create_model(f"Domain_{domain}", __config__=ConfigDict(extra="forbid"), **fields) | None, None)
        for domain, fields in tree.items()
    }
    return create_model("Request", __config__=ConfigDict(extra="forbid"), **domains)


def demanded_model(name: str, numbers: frozenset[float]) -> type[BaseModel]:
    """The model of one action that must be filled: for a second look, when it is sure that the action is meant.

    Args:
        name: the action's name.
        numbers: what was said or remembered; a numeric slot that exactly one of them fits can only take that one.

    Raises:
        KeyError: no action has that name.
    """
    action = BY_NAME[name]
    bound: dict[str, Any] = {}
    for slot, schema in action.model_json_schema()["properties"].items():
        if schema.get("type") in ("number", "integer"):
            low, high, step = schema["minimum"], schema["maximum"], schema.get("multipleOf", 1)
            fitting = [number for number in numbers if low <= number <= high and number % step == 0]
            if len(fitting) == 1:
                kind = float if schema["type"] == "number" else int
                only = kind(fitting[0])
                bound[slot] = (Annotated[kind, Field(ge=only, le=only, multiple_of=step)], ...)
    narrowed = create_model(action.__name__, __base__=action, **bound) if bound else action
    leaves: dict[str, Any] = {name: (narrowed, ...)}
    domain = create_model(f"Domain_{action.domain}", __config__=ConfigDict(extra="forbid"), **leaves)
    groups: dict[str, Any] = {action.domain.value: (domain, ...)}
    return create_model("Request", __config__=ConfigDict(extra="forbid"), **groups)


def actions_of(request: BaseModel) -> tuple[Action, ...]:
    """The actions in a filled ``action_model``, in its order."""
    found: list[Action] = []
    for domain in type(request).model_fields:
        group: BaseModel | None = getattr(request, domain)
        if group is not None:
            found.extend(a for name in type(group).model_fields if (a := getattr(group, name)) is not None)
    return tuple(found)
