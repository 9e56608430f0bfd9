"""How the driver wants to be spoken to, what may be offered unasked, and what was learnt of late, each change with its undo."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pages.home import status
from schemas.errors import UnknownEntryError
from schemas.manners import CHOICES, LINES, LONGEST_NAME, OFFERS, Change, Review, manners_of
from schemas.memory import Kind, Period, Selector

SPANS = ("today", "yesterday", "week")
ROWS = 3
"""Changes on a page: as many as are told aloud at a time, one below the other, since each has something to say."""
TOLD = {key: name for name, (key, _) in LINES.items()}
"""Key of a line of the profile -> which of the manners it is."""


def manners(visit: Visit) -> Answer:
    """How the driver is spoken to now, to be chosen by buttons; the name is typed on a page of its own."""
    held = manners_of(visit.memory.profile())
    rows = [(name, getattr(held, name), choices) for name, choices in CHOICES.items()]
    return Page("manners.html", {"name": held.name, "rows": rows, "guest": _guest(visit)})


def _guest(visit: Visit) -> bool:
    return status(visit)["learning"] in ("guest", "awaited")


def naming(visit: Visit) -> Answer:
    """Where the name is typed: parked only, as all typing."""
    return Page("naming.html", {"name": manners_of(visit.memory.profile()).name, "longest": LONGEST_NAME})


def choose(visit: Visit) -> Answer:
    """Keep one of them; an empty one is forgotten, and one that the page showed as chosen: two windows do not undo each other."""
    what, to = visit.form.get("what", ""), visit.form.get("to", "").strip()
    if what not in LINES or (to and what in CHOICES and to not in CHOICES[what]) or len(to) > LONGEST_NAME:
        raise ProblemError("form", 400)
    key, aspect = LINES[what]
    before = next((entry for entry in visit.memory.profile() if entry.key == key), None)
    chosen = before is not None and before.value == to and before.edited
    if to and not chosen:
        visit.memory.edit_profile(key, to, aspect=aspect)
    elif before is not None and (not to or visit.form.get("from") == to):
        visit.memory.forget(before.id)
    return Go("/drivers/manners")


def offers(visit: Visit) -> Answer:
    """What may be done that nobody asked for, a switch for each."""
    out = visit.consent.opted_out
    return Page("offers.html", {"rows": [(key, key not in out) for key in OFFERS], "guest": _guest(visit)})


def switch(visit: Visit) -> Answer:
    """Switch one of them."""
    key, to = visit.form.get("key", ""), visit.form.get("to", "")
    if key not in OFFERS or to not in {"on", "off"}:
        raise ProblemError("form", 400)
    (visit.memory.opt_in if to == "on" else visit.memory.opt_out)(key)
    return Go("/drivers/offers")


def learned(visit: Visit) -> Answer:
    """What changed today, yesterday or in a week, newest first."""
    span = visit.query.get("in", SPANS[0])
    span = span if span in SPANS else SPANS[0]
    review = _review(visit, span)
    pages = max(1, -(-len(review.changes) // ROWS))
    page = min(visit.number("page"), pages - 1)
    values: dict[str, Any] = {"spans": SPANS, "span": span, "page": page, "pages": pages, "review": review}
    values |= {"manners": TOLD, "choices": [choice for some in CHOICES.values() for choice in some]}
    return Page("learned.html", values | {"rows": review.changes[page * ROWS : (page + 1) * ROWS]})


def _review(visit: Visit, span: str) -> Review:
    now = visit.parts.clock().astimezone(visit.parts.seat.zone)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    since = {"today": today, "yesterday": today - timedelta(days=1), "week": today - timedelta(days=6)}[span]
    return visit.memory.review(Period(since=since, until=today if span == "yesterday" else None))


def take_back(visit: Visit) -> Answer:
    """Undo a change: what was learnt is forgotten, with ten seconds to think again; what it took the place of is put back."""
    span = visit.form.get("in", "")
    if span not in SPANS:
        raise ProblemError("form", 400)
    one = next((one for one in _review(visit, span).changes if one.id == visit.path["id"]), None)
    if one is None:
        raise ProblemError("gone", 404)
    if one.ended or (one.before is not None and one.kind is Kind.PREFERENCE):
        put_back(visit, one)
        return Go(f"/memory/learned?in={span}")
    try:
        leaving = visit.departures.withhold(visit.memory, Selector(id=one.id), 1)
    except UnknownEntryError as error:
        raise ProblemError("gone", 404) from error
    return Go(f"/leaving/{leaving.handle}")


def put_back(visit: Visit, one: Change) -> None:
    """Let what was before hold again."""
    if one.before is not None:
        visit.memory.correct(one.id, one.before)
        return
    said = visit.memory.explain(one.id).because
    visit.memory.remember(said[-1][1] if said else one.text, one.detail)
