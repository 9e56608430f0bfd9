"""Topics of what is remembered: looking at one alone, moving a memory to another, and deleting all that is looked at."""

from __future__ import annotations

from typing import Any

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pages import memories
from memory.screen.pages.privacy import take_away
from schemas.errors import UnknownEntryError
from schemas.memory import FACTS, Outcome, Selector
from schemas.preferences import BY_DETAIL, CATEGORIES, MAIN_TITLES, SUB_TITLES

ROWS = memories.ROWS


def choose(visit: Visit) -> Answer:
    """The topics under which something is remembered, with how much, the fullest first."""
    tally = sorted(visit.memory.tally().items(), key=lambda one: (-one[1], visit.words.detail(one[0])))
    pages = max(1, -(-len(tally) // ROWS))
    page = min(visit.number("page"), pages - 1)
    return Page("topics.html", {"rows": tally[page * ROWS : (page + 1) * ROWS], "page": page, "pages": pages})


def moving(visit: Visit) -> Answer:
    """Where it belongs: a group of topics, then one of them."""
    held = memories.active(visit)
    sub = visit.query.get("in", "")
    values: dict[str, Any] = {"preference": held, "sub": sub if sub in SUB_TITLES else ""}
    if sub in SUB_TITLES:
        consent, now = visit.consent, visit.parts.clock()
        rows = [(c, consent.forbids(c, now) is None) for c in CATEGORIES if c.sub == sub and c.detail != held.detail]
        return Page("move.html", values | {"rows": rows})
    subs = {
        main: [s for s in SUB_TITLES if any((c.main, c.sub) == (main, s) for c in CATEGORIES)] for main in MAIN_TITLES
    }
    return Page("move.html", values | {"tree": subs})


def move(visit: Visit) -> Answer:
    """Move it; where something else stands it is asked first what is to become of that."""
    held, detail = memories.active(visit), visit.form.get("detail", "")
    if detail not in BY_DETAIL:
        raise ProblemError("form", 400)
    try:
        decision = visit.memory.move(held.id, detail, instead=visit.form.get("instead") == "yes")
    except UnknownEntryError as error:
        raise ProblemError("unfit", 409) from error
    if decision.outcome is Outcome.ASK:
        return Page("move_instead.html", {"preference": held, "detail": detail, "there": decision.replaced})
    if decision.preference is None:
        raise ProblemError("form", 400)
    visit.session.moved = decision.preference
    return Go(f"/memory/{decision.preference}")


def move_back(visit: Visit) -> Answer:
    """Undo it."""
    before = visit.memory.move_back(visit.path["id"])
    visit.session.moved = ""
    return Go(f"/memory/{before[0].id}")


def _meant(visit: Visit) -> tuple[Selector, int]:
    """All that this browser looks at, on all pages of it, and how many that are."""
    view = visit.session.view
    if view.key in MAIN_TITLES | SUB_TITLES | BY_DETAIL and not view.narrowed:
        counts = visit.memory.tally()
        return Selector(key=view.key), sum(n for key, n in counts.items() if view.key in BY_DETAIL[key].path)
    if view.key == memories.KEPT and not view.narrowed:
        return Selector(key=FACTS), memories.found(visit, 0).total
    if not view.key and not view.narrowed:
        raise ProblemError("form", 400)  # everything is deleted under Privacy, where it is asked about twice
    listing = memories.found(visit, memories.found(visit, 0).total)
    names = (*listing.preferences, *listing.facts, *listing.others)
    return Selector(ids=tuple(one.id for one in names)), listing.total


def deleting(visit: Visit) -> Answer:
    """How many that are, with what belongs to them, and whether they are to go.

    Whoever comes back here after they have gone looks at nothing any more, and is shown what is left.
    """
    view = visit.session.view
    what, count = _meant(visit) if view.key or view.narrowed else (None, 0)
    if what is None or not count:
        return Go("/memory")
    values = {"view": view, "count": count, "more": max(0, visit.memory.matching(what).things - count)}
    return Page("delete_found.html", values | {"span_title": memories.span_title(visit, view.span)})


def delete(visit: Visit) -> Answer:
    """Out of sight at once, with ten seconds to think again; only as many as were asked about."""
    what, count = _meant(visit)
    if str(count) != visit.form.get("count"):
        raise ProblemError("others", 409)
    return take_away(visit, what, count)
