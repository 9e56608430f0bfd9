"""After which actions units matter in what is said, and which a question asks for. The units are ``schemas.manners``."""

from __future__ import annotations

from collections.abc import Iterable

from models.text import spoken
from schemas.actions import Action
from schemas.manners import Units


def asked_in(units: Units, said: str, actions: Iterable[Action]) -> Units:
    """The units of a reply: those that the question names, else the driver's."""
    return units.asked(spoken(said)) if all(action.query for action in actions) else units


MEASURED = frozenset({"set_unit", "set_temperature", "change_temperature", "get_outside_temperature", "get_cabin_temperature",
                       "get_climate", "get_weather", "get_range", "get_car", "get_distance", "get_routes", "choose_route",
                       "set_window", "change_window", "set_sunroof", "change_sunroof"})  # fmt: skip
"""Actions whose reply may hold a temperature, a distance or a speed."""
