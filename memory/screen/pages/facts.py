"""What the driver asked to have kept: one of it, and its correction. It is forgotten as everything else is."""

from __future__ import annotations

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from schemas.errors import UnknownEntryError
from schemas.memory import Fact


def _fact(visit: Visit) -> Fact:
    try:
        return visit.memory.fact(visit.path["id"])
    except UnknownEntryError as error:
        raise ProblemError("gone", 404) from error


def one(visit: Visit) -> Answer:
    """Everything about one of them."""
    return Page("fact.html", {"fact": _fact(visit)})


def correcting(visit: Visit) -> Answer:
    """Other words: a field."""
    return Page("fact_correct.html", {"fact": _fact(visit), "tried": None})


def correct(visit: Visit) -> Answer:
    """Put other words in their place."""
    held, text = _fact(visit), visit.form.get("value", "").strip()
    try:
        visit.memory.correct_fact(held.id, text)
    except UnknownEntryError:
        return Page("fact_correct.html", {"fact": held, "tried": text[:400]}, status=422)
    return Go(f"/facts/{held.id}")
