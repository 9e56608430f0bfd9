"""The development page: the car as the program sees it, live. There only where the program was started for development."""

from __future__ import annotations

from typing import Any

from memory.screen.answers import Answer, Page, ProblemError, Visit


def values(visit: Visit) -> dict[str, Any]:
    """What the picture shows.

    Raises:
        ProblemError: the program was not started for development.
    """
    if visit.parts.car is None:
        raise ProblemError("missing", 404)
    return {"car": visit.parts.car()}


def show(visit: Visit) -> Answer:
    """The page."""
    return Page("car.html", values(visit))
