"""Privacy: pausing, private trips, what is kept and for how long, the export, deleting by time, by trip, everything."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pages.home import status
from schemas.errors import UnknownEntryError
from schemas.memory import CONVERSATIONS, Period, Selector
from schemas.preferences import CATEGORIES

SPANS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}


def show(visit: Visit) -> Answer:
    """The page."""
    return Page("privacy.html", {**status(visit), "conversations": visit.consent.conversations})


def conversations(visit: Visit) -> Answer:
    """Keep conversations, or not."""
    wanted = visit.form.get("to", "")
    if wanted not in {"on", "off"}:
        raise ProblemError("form", 400)
    if wanted == "on":
        visit.memory.opt_in(CONVERSATIONS)
    else:
        visit.memory.opt_out(CONVERSATIONS)
    return Go("/privacy")


def retention(visit: Visit) -> Answer:
    """How long what is kept."""
    spans = Counter(c.retention_days for c in CATEGORIES)
    return Page("retention.html", {"spans": sorted(spans.items()), "about": visit.parts.about})


def export(visit: Visit) -> Answer:
    """Write everything to a file that the driver can fetch."""
    if visit.parts.drivers is None:
        raise ProblemError("alone", 409)
    visit.parts.drivers.save_export()
    return Go("/privacy/exported")


def exported(visit: Visit) -> Answer:
    """Where the file is."""
    return Page("exported.html", {"driver": visit.memory.driver})


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
    try:
        leaving = visit.departures.withhold(visit.memory, Selector(period=period))
    except UnknownEntryError as error:
        raise ProblemError("nothing", 409) from error
    return Go(f"/leaving/{leaving.handle}")


def everything(visit: Visit) -> Answer:
    """Delete everything: once more, and with the PIN."""
    matches = sum(visit.memory.tally().values())
    return Page("everything.html", {"count": matches, "pin": visit.parts.pins.has(visit.memory.driver)})


def delete_everything(visit: Visit) -> Answer:
    """Delete everything of this driver."""
    driver = visit.memory.driver
    tried = visit.parts.pins.try_(driver, visit.form.get("pin", ""), visit.parts.clock())
    if not tried.right:
        values = {"count": sum(visit.memory.tally().values()), "pin": True, "missed": True, "wait": tried.wait_s}
        return Page("everything.html", values, status=403)
    try:
        leaving = visit.departures.withhold(visit.memory, Selector(everything=True))
    except UnknownEntryError as error:
        raise ProblemError("nothing", 409) from error
    return Go(f"/leaving/{leaving.handle}")
