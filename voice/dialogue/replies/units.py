"""Where units matter in what is said: after which actions, and Fahrenheit in a request. The units are ``schemas.units``."""

from __future__ import annotations

import re

from models.numbers import NUMBER, number_of, number_words
from schemas.actions.base import celsius_of

MEASURED = frozenset({"set_unit", "set_temperature", "change_temperature", "get_outside_temperature", "get_cabin_temperature",
                       "get_climate", "get_weather", "get_range", "get_car", "get_distance", "get_routes", "choose_route",
                       "set_window", "change_window", "set_sunroof", "change_sunroof"})  # fmt: skip
"""Actions whose reply may hold a temperature, a distance or a speed."""


_FAHRENHEIT = re.compile(rf"\b(?>({NUMBER}))\b(?! (?:percent|minutes?|seconds?))(?: degrees)?(?: fahrenheit)?")


def in_celsius(text: str) -> str:
    """Spoken words with a cabin temperature in Fahrenheit, 61 to 82, said in degrees Celsius."""

    def said(found: re.Match[str]) -> str:
        number = number_of(str(found[1]))
        if not 61 <= number <= 82:
            return found[0]
        value = celsius_of(number)
        half = " and a half" if value % 1.0 else ""
        return f"{number_words(int(value))}{half} degrees"

    return _FAHRENHEIT.sub(said, text)
