"""About: version, models and licences; language and brightness."""

from __future__ import annotations

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.daylight import LOOKS
from memory.screen.wording import LANGUAGES

ROWS = 3
"""On a page: as many as stand below the choices on the smallest panel."""


def show(visit: Visit) -> Answer:
    """The page."""
    models = visit.parts.about.models
    pages = max(1, -(-len(models) // ROWS))
    page = min(visit.number("page"), pages - 1)
    shown = models[page * ROWS : (page + 1) * ROWS]
    return Page("about.html", {"about": visit.parts.about, "shown": shown, "page": page, "pages": pages})


def choose(visit: Visit) -> Answer:
    """Language or brightness: kept in a cookie that says nothing else, and for the next browser of this panel."""
    language, look = visit.form.get("language", ""), visit.form.get("look", "")
    if language in LANGUAGES:
        visit.parts.choices.keep("language", language)
        return Go("/about", {"language": language})
    if look in LOOKS:
        visit.parts.choices.keep("look", look)
        return Go("/about", {"look": look})
    raise ProblemError("form", 400)
