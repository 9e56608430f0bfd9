"""Categories: all switches in their tree. What is sensitive is off until it is asked for, and says so."""

from __future__ import annotations

from collections.abc import Sequence

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pages.privacy import take_away
from schemas.memory import FACTS, Consent, Selector
from schemas.preferences import BY_DETAIL, CATEGORIES, KINDS, MAIN_TITLES, SUB_TITLES, Category


def on(consent: Consent, category: Category) -> bool:
    """Whether a category is switched on, whatever is paused."""
    if any(key in consent.opted_out for key in category.path):
        return False
    return not category.sensitive or category.detail in consent.opted_in


def show(visit: Visit) -> Answer:
    """The tree: four columns of groups, each with how many of its switches are on."""
    consent = visit.consent
    tree = [
        (main, [(sub, _of(sub), sum(on(consent, c) for c in _of(sub))) for sub in _subs(main)]) for main in MAIN_TITLES
    ]
    return Page("categories.html", {"tree": tree, "special": len(consent.special), "kinds": len(KINDS)})


def _subs(main: str) -> list[str]:
    return [sub for sub in SUB_TITLES if any(c.sub == sub and c.main == main for c in CATEGORIES)]


def _of(sub: str) -> Sequence[Category]:
    return [c for c in CATEGORIES if c.sub == sub]


def group(visit: Visit) -> Answer:
    """The switches of one group; at most seven."""
    sub = visit.path["key"]
    if sub not in SUB_TITLES:
        raise ProblemError("missing", 404)
    consent, tally = visit.consent, visit.memory.tally()
    rows = [(c, on(consent, c), tally.get(c.detail, 0)) for c in _of(sub)]
    return Page("group.html", {"sub": sub, "main": rows[0][0].main, "rows": rows})


def switch(visit: Visit) -> Answer:
    """On or off, as the form says: two windows cannot turn it back and forth."""
    key, wanted = visit.path["key"], visit.form.get("to", "")
    if (key not in BY_DETAIL and key != FACTS) or wanted not in {"on", "off"}:
        raise ProblemError("form", 400)
    if key == FACTS:
        (visit.memory.opt_in if wanted == "on" else visit.memory.opt_out)(FACTS)
        return Go("/memory?in=kept")
    category = BY_DETAIL[key]
    if wanted == "on":
        _open(visit, category)
    else:
        visit.memory.opt_out(key)
        if visit.memory.tally().get(key):
            return Go(f"/categories/{key}/kept")
    return Go(f"/categories/{category.sub}")


def _open(visit: Visit, category: Category) -> None:
    """Switch one on; where its whole group was off, the others of the group stay off."""
    out = visit.consent.opted_out
    for level in (category.main, category.sub):
        if level in out:
            visit.memory.opt_in(level)
            for other in CATEGORIES:
                if level in other.path and other.detail != category.detail:
                    visit.memory.opt_out(other.detail)
    visit.memory.opt_in(category.detail)


def kept(visit: Visit) -> Answer:
    """Switched off: keep what is there, or delete it?"""
    key = visit.path["key"]
    if key not in BY_DETAIL:
        raise ProblemError("missing", 404)
    count = visit.memory.tally().get(key, 0)
    if not count:
        return Go(f"/categories/{BY_DETAIL[key].sub}")
    more = max(0, visit.memory.matching(Selector(key=key)).things - count)
    return Page("kept.html", {"category": BY_DETAIL[key], "count": count, "more": more})


def forget(visit: Visit) -> Answer:
    """Delete what is there."""
    key = visit.path["key"]
    if key not in BY_DETAIL:
        raise ProblemError("missing", 404)
    return take_away(visit, Selector(key=key), visit.memory.tally().get(key, 0))
