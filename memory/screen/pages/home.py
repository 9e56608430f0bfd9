"""Home: what just happened, whether the assistant listens and learns, and the few things that are safe while driving."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.feed import Happened, What
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import ENDLESS, Outcome, Selector, usual

SHOWN = 4
"""Things that happened, on a parked screen; one while driving."""
PAUSE = timedelta(hours=24)
DEAF = ("microphone_missing", "microphone_hangs")
"""With these it hears nothing, and does not say that it listens."""


def status(visit: Visit) -> dict[str, Any]:
    """What the microphone and learning do, and what is wrong with the sound."""
    consent, now = visit.consent, visit.parts.clock()
    paused = consent.paused_until if consent.paused_until is not None and consent.paused_until > now else None
    guest = _guest(visit)
    drivers = visit.parts.drivers
    awaited = drivers.awaited if drivers is not None else None
    learning = "awaited" if awaited else "guest" if guest else "private" if consent.private_trip else "on"
    if paused and learning == "on":
        learning = "stopped" if paused == ENDLESS else "paused"
    microphone = "absent"
    if visit.parts.microphone is not None:
        microphone = "on" if visit.parts.microphone() else "off"
    sound = visit.parts.sound() if microphone == "on" else ()
    return {
        "learning": learning,
        "paused_until": paused,
        "microphone": microphone,
        "sound": sound,
        "deaf": next((one for one in sound if one in DEAF), ""),
        "vehicle": visit.parts.vehicle(),
        "driver": visit.memory.driver,
        "awaited": awaited,
        "awaited_place": drivers.names.index(awaited) if drivers is not None and awaited else None,
    }


def happened(visit: Visit) -> dict[str, Any]:
    """What just happened; while driving only what was remembered last."""
    latest = visit.parts.feed.latest()
    if not visit.parked:
        latest = tuple(h for h in latest if h.what in (What.REMEMBERED, What.CHANGED))[:1]
    return {"happened": latest[:SHOWN], "open_questions": len(visit.memory.proposals()) if visit.parked else 0}


def _guest(visit: Visit) -> bool:
    drivers = visit.parts.drivers
    return drivers is not None and visit.memory.driver not in drivers.names


def show(visit: Visit) -> Answer:
    """The page."""
    return Page("home.html", {**status(visit), **happened(visit)})


def pause(visit: Visit) -> Answer:
    """Learn nothing on this trip, for a day or until told, or go on learning."""
    what = visit.form.get("what", "")
    memory = visit.memory
    if what == "trip":
        memory.set_private_trip(True)
    elif what == "day":
        memory.pause(visit.parts.clock() + PAUSE)
    elif what == "always":
        memory.pause(ENDLESS)
    elif what == "off":
        memory.set_private_trip(False)
        memory.pause(None)
    else:
        raise ProblemError("form", 400)
    return Go("/privacy" if visit.form.get("from") == "privacy" and visit.parked else "/")


def stop(visit: Visit) -> Answer:
    """Be quiet."""
    if visit.parts.stop is not None:
        visit.parts.stop()
    return Go("/")


def take_back(visit: Visit) -> Answer:
    """Undo what was just remembered: it is forgotten, or the value before is put back."""
    number = visit.path["number"]
    told = next((h for h in visit.parts.feed.latest() if str(h.number) == number), None)
    if told is None or told.preference is None:
        raise ProblemError("gone", 404)
    if told.before is not None:
        visit.memory.correct(told.preference, told.before)
        visit.parts.feed.tell(Happened(What.CHANGED, visit.parts.clock(), told.before, told.detail))
        return Go("/")
    leaving = visit.departures.withhold(visit.memory, Selector(id=told.preference), 1)
    return Go(f"/leaving/{leaving.handle}")


def leaving(visit: Visit) -> Answer:
    """Something is on its way out: ten seconds to take it back."""
    found = visit.departures.find(visit.path["handle"], visit.memory)
    if found.over:
        return Go(f"/receipt/{found.handle}" if visit.parked else "/")
    left = max(0, round((found.until - visit.parts.clock()).total_seconds()))
    return Page("leaving.html", {"leaving": found, "left": left}, refresh=(left + 1, f"/receipt/{found.handle}"))


def undo(visit: Visit) -> Answer:
    """Take it back."""
    try:
        visit.departures.restore(visit.path["handle"], visit.memory)
    except UnknownEntryError as error:
        raise ProblemError("late", 409) from error
    return Go("/memory" if visit.parked else "/")


def now(visit: Visit) -> Answer:
    """Don't wait."""
    found = visit.departures.find(visit.path["handle"], visit.memory)
    visit.departures.finish(found.handle)
    return Go(f"/receipt/{found.handle}")


def receipt(visit: Visit) -> Answer:
    """What an erasure removed."""
    found = visit.departures.find(visit.path["handle"], visit.memory)
    if not found.over:
        return Go(f"/leaving/{found.handle}")
    told = found.receipt
    categories = sorted({key.rpartition(".")[2] for key in told.categories}) if told else []
    gone = [] if told is None else [(kind.value, number) for kind, number in told.kinds.items()] + [
        ("proposals", told.proposals_erased), ("turns", told.turns_erased), ("sentences", told.sentences_erased),
        ("timers", told.timers_erased), ("reminders", told.reminders_erased), ("backups", told.backups_erased),
    ]  # fmt: skip
    gone = [(name, number) for name, number in gone if number]
    return Page("receipt.html", {"receipt": told, "gone": gone, "categories": categories})


def questions(visit: Visit) -> Answer:
    """What memory is not sure of, one at a time."""
    asked = visit.memory.proposals()
    return Page("questions.html", {"question": asked[0] if asked else None, "left": max(0, len(asked) - 1)})


def answer(visit: Visit) -> Answer:
    """Yes or no."""
    reply = visit.form.get("answer", "")
    if reply not in {"yes", "no"}:
        raise ProblemError("form", 400)
    try:
        decision = visit.memory.answer(visit.path["id"], reply == "yes")
    except UnknownEntryError as error:
        raise ProblemError("gone", 404) from error
    if decision.outcome is Outcome.REFUSED:
        raise ConsentError("consent forbids what was answered with yes")
    if reply == "yes" and decision.value is not None:
        kept = decision.preference if not decision.replaced else None
        sense = "" if decision.sense is usual(decision.detail) else decision.sense.value
        happened_ = Happened(What.REMEMBERED, visit.parts.clock(), decision.value, decision.detail, kept, sense=sense)
        visit.parts.feed.tell(happened_)
    return Go("/questions" if visit.memory.proposals() else "/")
