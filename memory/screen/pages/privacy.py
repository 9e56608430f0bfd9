"""Privacy: pausing, private trips, what is kept and for how long, the export, deleting by time, by trip, everything."""

from __future__ import annotations

from datetime import timedelta

from memory.rights.files import FILES
from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pages import handing
from memory.screen.pages.home import status
from schemas.errors import PinError, UnknownEntryError
from schemas.memory import CONVERSATIONS, Period, Selector, Terms
from schemas.preferences import CATEGORIES, KINDS

SPANS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}
KEEPING = (1, 7, 30, 90, 182, 365, 730)
"""Days that conversations and what comes of them may be kept: a day to two years."""

ALL, SOME = "everything", "some"
"""What is deleted: all there is, or what another page asked for."""
ROWS = 4
"""Special kinds on a page: as many as the smallest panel holds."""


def show(visit: Visit) -> Answer:
    """The page."""
    pin = visit.parts.pins.has(visit.memory.driver)
    return Page("privacy.html", {**status(visit), "conversations": visit.consent.conversations, "pin": pin})


def conversations(visit: Visit) -> Answer:
    """Keep conversations, or not."""
    return _switch(visit, CONVERSATIONS, "/privacy")


def special(visit: Visit) -> Answer:
    """The special kinds of data: each off until the driver asks for it."""
    pages = -(-len(KINDS) // ROWS)
    page = min(visit.number("page"), pages - 1)
    shown = tuple(KINDS)[page * ROWS : (page + 1) * ROWS]
    rows = [(kind, kind in visit.consent.special) for kind in shown]
    return Page("special.html", {"rows": rows, "page": page, "pages": pages})


def switch_special(visit: Visit) -> Answer:
    """Keep what tells of a special kind, or nothing of it from now on; what is there stays."""
    key = visit.path["key"]
    if key not in KINDS:
        raise ProblemError("missing", 404)
    return _switch(visit, key, f"/privacy/special?page={tuple(KINDS).index(key) // ROWS}")


def _switch(visit: Visit, key: str, back: str) -> Answer:
    wanted = visit.form.get("to", "")
    if wanted not in {"on", "off"}:
        raise ProblemError("form", 400)
    if wanted == "on":
        visit.memory.opt_in(key)
    else:
        visit.memory.opt_out(key)
    return Go(back)


def retention(visit: Visit) -> Answer:
    """How long what is kept: three spans that can be made shorter or longer, a step at a time."""
    terms = visit.memory.terms().model_dump()
    rows = [(name, days, _step(days, -1), _step(days, 1)) for name, days in terms.items()]
    spans = sorted({c.retention_days for c in CATEGORIES})
    return Page(
        "retention.html", {"rows": rows, "spans": spans, "guest": status(visit)["learning"] in ("guest", "awaited")}
    )


def _step(days: int, way: int) -> int | None:
    """The next allowed span; None at the end."""
    further = [one for one in KEEPING if (one - days) * way > 0]
    return None if not further else min(further) if way > 0 else max(further)


def keep(visit: Visit) -> Answer:
    """Keep one of the three so long from now on; what is over by it goes at the end of the trip."""
    name, days = visit.form.get("what", ""), visit.form.get("days", "")
    terms = visit.memory.terms().model_dump()
    if name not in terms or days not in {str(one) for one in KEEPING}:
        raise ProblemError("form", 400)
    visit.memory.set_terms(Terms(**{**terms, name: int(days)}))
    return Go("/privacy/retention")


def exporting(visit: Visit) -> Answer:
    """Ask for the PIN before the export."""
    return Page("exporting.html") if visit.parts.pins.has(visit.memory.driver) else Go("/privacy")


def export(visit: Visit) -> Answer:
    """Write everything to a file that the driver can fetch; whoever has a PIN enters it first."""
    if visit.parts.drivers is None:
        raise ProblemError("alone", 409)
    try:
        name = visit.parts.drivers.save_export(visit.form.get("pin"))
    except PinError as error:
        return Page("exporting.html", {"missed": True, "wait": error.wait_s}, status=403)
    handing.allow(visit, name)
    return Go("/privacy/exported")


def files(visit: Visit) -> Answer:
    """Every file that lies on the device."""
    del visit
    return Page("files.html", {"files": FILES})


def deleting(visit: Visit) -> Answer:
    """What to delete."""
    trips = visit.memory.trips()[::-1][:3]
    return Page("delete.html", {"spans": tuple(SPANS), "trips": trips})


def delete(visit: Visit) -> Answer:
    """Delete what was said in a stretch of time or on a trip."""
    what, now = visit.form.get("what", ""), visit.parts.clock()
    if what in SPANS:
        period = Period(since=now - SPANS[what])
    else:
        word, _, name = what.partition(" ")
        trip = next((t for t in visit.memory.trips() if t.id == name), None) if word == "trip" else None
        if trip is None:
            raise ProblemError("form", 400)
        period = Period(since=trip.began_at, until=trip.ended_at or now + timedelta(seconds=1))
    return take_away(visit, Selector(period=period))


def take_away(visit: Visit, what: Selector, asked: int = 0) -> Answer:
    """Out of sight at once, with ten seconds to think again; what takes much away is asked about first, as everything is.

    ``asked``: how many memories the driver agreed to.
    """
    if not visit.memory.sweeps(what):
        return _withheld(visit, what, asked)
    visit.session.sweep = what
    return Go(f"/privacy/everything?of={SOME}")


def _withheld(visit: Visit, what: Selector, asked: int = 0) -> Answer:
    try:
        leaving = visit.departures.withhold(visit.memory, what, asked)
    except UnknownEntryError as error:
        raise ProblemError("nothing", 409) from error
    return Go(f"/leaving/{leaving.handle}")


def everything(visit: Visit) -> Answer:
    """Delete everything, or much at once: the PIN, or a second question where there is none."""
    visit.session.agreed = ""
    values = _much(visit, visit.query.get("of", ""))
    return Page("everything.html", {**values, "pin": visit.parts.pins.has(visit.memory.driver)})


def _swept(visit: Visit, of: str) -> Selector:
    """What is to be deleted: what was asked for on another page, or everything."""
    what = visit.session.sweep if of == SOME else Selector(everything=True)
    if what is None:
        raise ProblemError("form", 400)
    return what


def _much(visit: Visit, of: str) -> dict[str, str | int]:
    """How much there is to delete: preferences or things, and timers and reminders that wait."""
    what = _swept(visit, of)
    matches = visit.memory.matching(what)
    count = sum(visit.memory.tally().values()) if what.everything else matches.things
    some = "" if what.everything else SOME
    return {"of": some, "count": count, "timers": matches.timers, "reminders": matches.reminders}


def delete_everything(visit: Visit) -> Answer:
    """The first yes, with the PIN if there is one."""
    driver, of = visit.memory.driver, visit.form.get("of", "")
    what = _swept(visit, of)
    guarded = visit.parts.pins.has(driver)
    tried = visit.parts.pins.try_(driver, visit.form.get("pin", ""), visit.parts.clock())
    if not tried.right:
        values = {**_much(visit, of), "pin": True, "missed": True, "wait": tried.wait_s}
        return Page("everything.html", values, status=403)
    if not guarded:
        visit.session.agreed = f"{of or ALL} of {driver}"
        return Page("everything_again.html", {"of": of})
    return _withheld(visit, what)


def really_everything(visit: Visit) -> Answer:
    """The second yes."""
    of = visit.form.get("of", "")
    agreed, visit.session.agreed = visit.session.agreed, ""
    if agreed != f"{of or ALL} of {visit.memory.driver}" or visit.parts.pins.has(visit.memory.driver):
        raise ProblemError("form", 400)
    return _withheld(visit, _swept(visit, of))
