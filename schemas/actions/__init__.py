"""What the vehicle and its assistant can be asked: typed actions and queries with units and ranges.

One frozen Pydantic model an action; its fields are its slots. ``ACTIONS`` lists all of them in the order in which they
are documented. Units, ranges and steps stand with the slots' types in ``schemas.actions.base``.

Ranges: cabin temperature 16.0..28.0 C in steps of 0.5 (CAR-bench and the Android VHAL example agree; VSS has no
bounds), fan 0..5 and seat heating 0..3 (CAR-bench), positions and brightness in percent. A relative change without a
number means "a bit"; how much that is stands in ``vehicle.planning``.

Not here, because no voice may reach it: steering, brakes, horn, hazard lights, indicators, wipers, cruise control and
driver assistance. Remembering, consent and control words are commands of their own (``schemas.events.CommandKind``);
the two actions of the domain ``memory`` are questions and wishes about it in free words.
"""

from __future__ import annotations

from typing import Any

from schemas.actions import body, cabin, information, journey, media
from schemas.actions.base import *  # noqa: F403
from schemas.actions.base import Action
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
