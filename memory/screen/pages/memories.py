"""Memory: what is remembered, a page of six at a time; one of them; its correction; forgetting it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory.learn.english.vocabulary import CLOSED
from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.view import View
from memory.screen.wording import pieces
from schemas.errors import UnknownEntryError
from schemas.memory import FACTS, Listing, Period, Preference, Selector, Status, Trip
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES

ROWS = 6
"""A page: as many as Android for Cars shows at most while driving; here it is for a parked car's calm."""
OTHER, KEPT = "more", "kept"
"""The tabs of what is no preference, and of what the driver asked to have kept."""
PIECE = 300
"""Characters of a longer text that are shown at once: what fits the smallest panel without scrolling."""
SPANS = ("today", "week", "month", "older")


def show(visit: Visit) -> Answer:
    """The list, as this browser looks at it."""
    view = visit.session.view
    _choose(visit, view)
    tally = visit.memory.tally()
    by_main = dict.fromkeys(MAIN_TITLES, 0)
    for detail, number in tally.items():
        by_main[BY_DETAIL[detail].main] += number
    tabs = [("", sum(by_main.values())), *by_main.items()]
    values: dict[str, Any] = {
        "tabs": tabs,
        "view": view,
        "span_title": span_title(visit, view.span),
        "under": tab_of(view.key),
    }
    if view.key == KEPT:
        return Page("memory.html", values | _facts(visit, view))
    if view.key == OTHER:
        return Page("memory.html", values | _others(visit, view))
    listing = found(visit, ROWS, view.page * ROWS)
    if not (listing.preferences or listing.facts) and view.page:  # the last of a page was forgotten
        view.page = max(0, (listing.total - 1) // ROWS)
        listing = found(visit, ROWS, view.page * ROWS)
    pages = max(1, -(-listing.total // ROWS))
    return Page(
        "memory.html",
        values
        | {
            "rows": listing.preferences,
            "facts": listing.facts,
            "total": listing.total,
            "page": view.page,
            "pages": pages,
        },
    )


def found(visit: Visit, limit: int, offset: int = 0) -> Listing:
    """What this browser looks at, a page of it; a word is looked for in all that is shown, and among all with what is kept, too."""
    view, memory = visit.session.view, visit.memory
    period = _period(visit, view.span)
    if view.key == OTHER:
        return memory.browse_kept(text=view.text, period=period, limit=limit, offset=offset)
    if view.key == KEPT:
        return memory.browse_facts(text=view.text, period=period, limit=limit, offset=offset)
    told = memory.browse(
        view.key or None, text=view.text, told=visit.words.shown, period=period, limit=limit, offset=offset
    )
    if view.key or not view.narrowed:
        return told
    left = limit - len(told.preferences)
    kept = memory.browse_facts(text=view.text, period=period, limit=left, offset=max(0, offset - told.total))
    return Listing(total=told.total + kept.total, preferences=told.preferences, facts=kept.facts)


def _choose(visit: Visit, view: View) -> None:
    key, span = visit.query.get("in"), visit.query.get("when")
    if key is not None and (key in MAIN_TITLES | SUB_TITLES | BY_DETAIL or key in {"", OTHER, KEPT}):
        view.key, view.page = key, 0
    if span is not None and (span in {"", *SPANS} or any(span == f"trip {t.id}" for t in visit.memory.trips())):
        view.span, view.page = span, 0
    if "all" in visit.query:
        view.text = view.span = ""
        view.key, view.page = view.key if view.key in {OTHER, KEPT} else "", 0
    if "page" in visit.query:
        view.page = visit.number("page")


def _period(visit: Visit, span: str) -> Period | None:
    now = visit.parts.clock().astimezone(visit.parts.seat.zone)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    starts = {"today": today, "week": today - timedelta(days=6), "month": today - timedelta(days=29)}
    if span in starts:
        return Period(since=starts[span])
    if span == "older":
        return Period(until=starts["month"])
    trip = _trip(visit, span)
    return None if trip is None else Period(since=trip.began_at, until=trip.ended_at or now + timedelta(seconds=1))


def _trip(visit: Visit, span: str) -> Trip | None:
    word, _, name = span.partition(" ")
    return next((t for t in visit.memory.trips() if t.id == name), None) if word == "trip" else None


def span_title(visit: Visit, span: str) -> str:
    """The time that is looked at, in words; empty for any."""
    trip = _trip(visit, span)
    if trip is not None:
        return visit.words("when.trip_of", moment=visit.words.moment(trip.began_at))
    return visit.words(f"when.{span}") if span in SPANS else ""


def _others(visit: Visit, view: View) -> dict[str, Any]:
    """Profile, thoughts, days and exchanges, newest first."""
    listing = found(visit, ROWS, view.page * ROWS)
    pages = max(1, -(-listing.total // ROWS))
    if view.page >= pages:
        view.page = pages - 1
        listing = found(visit, ROWS, view.page * ROWS)
    return {"others": listing.others, "total": listing.total, "page": view.page, "pages": pages}


def _facts(visit: Visit, view: View) -> dict[str, Any]:
    """What the driver asked to have kept, newest first."""
    listing = found(visit, ROWS, view.page * ROWS)
    pages = max(1, -(-listing.total // ROWS))
    if view.page >= pages:
        view.page = pages - 1
        listing = found(visit, ROWS, view.page * ROWS)
    keeps = FACTS not in visit.consent.opted_out
    return {"facts": listing.facts, "keeps": keeps, "total": listing.total, "page": view.page, "pages": pages}


def search(visit: Visit) -> Answer:
    """Where words are typed: parked only."""
    return Page("search.html", {"text": visit.session.view.text})


def look_for(visit: Visit) -> Answer:
    """Look for words, under all topics; they are kept with the session, not in the address."""
    view = visit.session.view
    view.key = OTHER if view.key == OTHER else ""
    view.text, view.page = visit.form.get("text", "").strip()[:80], 0
    return Go("/memory")


def when(visit: Visit) -> Answer:
    """Which time to look at."""
    trips = visit.memory.trips()[::-1]
    page = min(visit.number("page"), max(0, (len(trips) - 1) // ROWS))
    shown = trips[page * ROWS : (page + 1) * ROWS]
    return Page("when.html", {"spans": SPANS, "trips": shown, "page": page, "pages": max(1, -(-len(trips) // ROWS))})


def one(visit: Visit) -> Answer:
    """Everything about one preference."""
    name = visit.path["id"]
    told = visit.memory.explain(name)
    if told.preference not in visit.memory.preferences(told.preference.detail, history=True):
        raise ProblemError("gone", 404)  # withheld
    correctable = told.preference.status is Status.ACTIVE
    return Page(
        "one.html",
        {"told": told, "preference": told.preference, "correctable": correctable, "moved": visit.session.moved == name},
    )


def tab_of(key: str) -> str:
    """The tab that a topic is under."""
    return next((c.main for c in BY_DETAIL.values() if key in c.path), key)


def active(visit: Visit) -> Preference:
    """The preference that is looked at, if it still holds."""
    told = visit.memory.explain(visit.path["id"]).preference
    if told.status is not Status.ACTIVE:
        raise ProblemError("changed", 409)
    return told


def _choices(detail: str) -> tuple[str, ...]:
    return CLOSED[detail].values if detail in CLOSED else ()


def correcting(visit: Visit) -> Answer:
    """Another value: buttons where there are a few, a field where there are not."""
    held = active(visit)
    examples = BY_DETAIL[held.detail].examples
    return Page("correct.html", {"preference": held, "choices": _choices(held.detail), "examples": examples})


def correct(visit: Visit) -> Answer:
    """Put another value in its place."""
    held, typed = active(visit), visit.form.get("value", "")
    value = visit.words.meant_by(held.detail, typed)
    try:
        made = visit.memory.correct(held.id, value)
    except UnknownEntryError:
        values = {"preference": held, "choices": _choices(held.detail), "examples": BY_DETAIL[held.detail].examples}
        return Page("correct.html", values | {"tried": typed.strip()[:80]}, status=422)
    return Go(f"/memory/{made.id}")


def forget(visit: Visit) -> Answer:
    """Forget one thing: hidden at once, erased in ten seconds."""
    leaving = visit.departures.withhold(visit.memory, Selector(id=visit.path["id"]), 1)
    return Go(f"/leaving/{leaving.handle}")


def other(visit: Visit) -> Answer:
    """One thing that is no preference."""
    found = visit.memory.browse_kept(name=visit.path["id"]).others
    if not found or found[0].kind.value != visit.path["kind"]:
        raise ProblemError("gone", 404)
    parts = pieces(found[0].text, PIECE)
    page = min(visit.number("page"), len(parts) - 1)
    return Page("other.html", {"one": found[0], "text": parts[page], "page": page, "pages": len(parts)})
