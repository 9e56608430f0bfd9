"""After which actions units matter in what is said. The units are ``schemas.manners``."""

from __future__ import annotations

MEASURED = frozenset({"set_unit", "set_temperature", "change_temperature", "get_outside_temperature", "get_cabin_temperature",
                       "get_climate", "get_weather", "get_range", "get_car", "get_distance", "get_routes", "choose_route",
                       "set_window", "change_window", "set_sunroof", "change_sunroof"})  # fmt: skip
"""Actions whose reply may hold a temperature, a distance or a speed."""
