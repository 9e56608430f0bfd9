"""Plans of the assistant: time, weather, timers, calendar, contacts, what can be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from schemas import actions as a
from schemas.clock import WEEKDAYS
from schemas.events import VehicleState
from vehicle.organizer import Notice, Organizer, time_of_day
from vehicle.planning.plan import Effect, Plan, present, unplanned

MORNING = time(6)
"""Before it is night: nobody plans for it who does not say so, or is not up in it. Our choice."""
_WEEK = 7
"""Days ahead from which on a weekday names another day."""
SOON = timedelta(hours=3)
"""How far ahead an hour of the night is at most that is meant without saying so. Our choice."""


def desk(action: a.Action, state: VehicleState, organizer: Organizer, offers: Callable[[], frozenset[str]]) -> Plan:
    """What an assistant's action does and answers; nothing runs before the plan's effect is done."""
    now = organizer.now()
    match action:
        case a.GetTime():
            return Plan(answer={"time": f"{now:%H:%M}", "date": f"{now:%Y-%m-%d}", "weekday": WEEKDAYS[now.weekday()]})
        case a.GetWeather():
            return _weather(action, organizer, now)
        case a.GetCapabilities(about=about):
            having = offers()
            mine = [kind.name for kind in a.ACTIONS if kind.name in having and about in (None, kind.domain.value)]
            return Plan(answer={"about": about, "can": mine})
        case a.SetTimer(minutes=None, seconds=None):
            return Plan(refusal="I need a time; ask me for a timer of, say, ten minutes.")
        case a.SetTimer(minutes=minutes, seconds=seconds, label=label):
            length = 60 * (minutes or 0) + (seconds or 0)
            return _started(organizer, organizer.timer(length, label or ""), {"seconds": length, "label": label or ""})
        case a.SetReminder(event="arrival", what=what):
            return _on_arrival(what, organizer, state)
        case a.SetReminder(minutes=None, hour=None):
            return Plan(refusal="I need a time; ask me to remind you in ten minutes, or at five.")
        case a.SetReminder():
            return _reminder(action, organizer, now)
        case a.GetTimers(kind=kind):
            told = [_told(organizer, notice) for notice in organizer.waiting(kind)]
            other = "reminder" if kind == "timer" else "timer"
            others = [] if told else [_told(organizer, notice) for notice in organizer.waiting(other)]
            return Plan(answer={"kind": kind, "timers": told, "others": others})
        case a.CancelTimer(kind=kind, label=label):
            return _cancelled(organizer, organizer.waiting(kind, label), kind)
        case a.GetCalendar(day=day):
            wanted = now.date() + timedelta(days=1 if day == "tomorrow" else 0)
            entries = organizer.appointments(wanted)
            if entries is None:
                return Plan(refusal="I have no calendar; ask me again when one is connected.")
            told = [{"title": e.title, "at": f"{e.at:%H:%M}" if e.at else "", "place": e.place} for e in entries]
            return Plan(answer={"day": day, "entries": told})
        case a.GetContact(person=person, part=part):
            found = organizer.contact(person)
            if found is None:
                return _nobody(organizer, person)
            return Plan(answer={"name": found.name, "part": part, "value": getattr(found, part) or ""})
        case a.CallContact(person=person):
            return _call(organizer, person)
        case a.CallNumber(digits=number):
            return Plan({"phone.number": number}, {"number": number})
        case a.HangUp() if not present(state, "phone.number"):
            return Plan(refusal="There is no call; ask me to call somebody.")
        case a.HangUp():
            return Plan({"phone.number": ""})
        case a.SendEmail(person=person, other=other, message=message):
            return _mail(organizer, _people(organizer, person, other), message)
        case _:
            raise unplanned(action)


def _weather(action: a.GetWeather, organizer: Organizer, now: datetime) -> Plan:
    day = now.date() + timedelta(days=1 if action.day == "tomorrow" else 0)
    known = organizer.forecast(day, action.place)
    if known is None:
        return Plan(refusal="I have no forecast for that; ask me how warm it is outside.")
    if action.hour is not None:
        at = _meant(action.hour, None, action.half, now, tomorrow=action.day == "tomorrow")
        part = known.at(at.hour)
        if part is not None:
            told = {"sky": part.sky, "celsius": part.celsius, "rain_percent": part.rain_percent}
            return Plan(answer={"day": action.day, "place": known.place, "at": f"{at:%H:%M}", **told})
    told = {"sky": known.sky, "low": known.low, "high": known.high, "rain_percent": known.rain_percent}
    unknown = {"hour_unknown": True} if action.hour is not None else {}
    return Plan(answer={"day": action.day, "place": known.place, **told, **unknown})


def _meant(hour: int, minute: int | None, half: str | None, now: datetime, *, tomorrow: bool) -> time:
    """The time of day that is meant: "at five", said after five in the morning, is in the afternoon.

    An hour of the night is meant only where it comes soon: "at three", said in the evening, is in the afternoon, too.

    Args:
        hour: as it was said.
        minute: as it was said.
        half: am or pm; None: whichever comes next, by day.
        now: the present moment.
        tomorrow: it is about tomorrow, whose hours of the day stand as they were said.
    """
    at = time_of_day(hour, minute, half)
    if half is not None or not 0 < hour <= 12:
        return at
    later = time_of_day(hour, minute, "pm")
    passed = not tomorrow and at <= now.time()
    if at < MORNING:
        then = datetime.combine(now.date(), at, now.tzinfo)
        ahead = (then + timedelta(days=1) if tomorrow or passed else then) - now
        return later if ahead > SOON else at
    return later if passed and later > now.time() else at


def _started(organizer: Organizer, notice: Notice, answer: dict[str, Any]) -> Plan:
    return Plan(answer=answer, effect=Effect(lambda: organizer.start(notice), lambda: organizer.stop(notice)))


def _reminder(action: a.SetReminder, organizer: Organizer, now: datetime) -> Plan:
    if action.minutes is not None:
        notice = organizer.reminder(action.what, seconds=60.0 * action.minutes)
    else:
        days = (action.date - now.date()).days if action.date is not None else _ahead(action.day, now)
        if days < 0:
            return Plan(refusal="That day has been; ask me for one that is to come.")
        at = _meant(action.hour or 0, action.minute, action.half, now, tomorrow=days > 0)
        notice = organizer.reminder(action.what, at=at, days=days)
    return _noted(organizer, notice, action.what)


def _ahead(day: str | None, now: datetime) -> int:
    """How many days ahead a day is that is named: today's own weekday is the one in a week."""
    if day in (None, "today"):
        return 0
    return 1 if day == "tomorrow" else (WEEKDAYS.index(str(day)) - now.weekday()) % 7 or 7


def _on_arrival(what: str, organizer: Organizer, state: VehicleState) -> Plan:
    if not present(state, "navigation.destination"):
        return Plan(refusal="There is no route; tell me where to go, then ask me to remind you when we arrive.")
    seconds = 60.0 * present(state, "navigation.minutes")
    return _noted(organizer, organizer.reminder(what, seconds=seconds, arrival=True), what)


def _noted(organizer: Organizer, notice: Notice, what: str) -> Plan:
    return _started(organizer, notice, {"what": what, **_told(organizer, notice)})


def _told(organizer: Organizer, notice: Notice) -> dict[str, Any]:
    days = (notice.at.date() - organizer.now().date()).days
    return {
        "label": notice.label,
        "seconds": round(organizer.remaining(notice)),
        "at": f"{notice.at:%H:%M}",
        "tomorrow": days == 1,
        "day": WEEKDAYS[notice.at.weekday()] if 1 < days < _WEEK else None,
        "date": f"{notice.at:%Y-%m-%d}" if days >= _WEEK else None,
        "arrival": notice.arrival,
    }


def _cancelled(organizer: Organizer, notices: tuple[Notice, ...], kind: str) -> Plan:
    if not notices:
        return Plan(refusal=f"There is no such {kind}; ask me which ones are set.")

    def stop() -> None:
        for notice in notices:
            organizer.stop(notice)

    def again() -> None:
        for notice in notices:
            organizer.start(notice)

    return Plan(answer={"kind": kind, "cancelled": [notice.label for notice in notices]}, effect=Effect(stop, again))


def _nobody(organizer: Organizer, name: str) -> Plan:
    """No contact of that name, or several: the question which one is answered by another wish with the full name."""
    meant = [who.name for who in organizer.named(name)]
    if not meant:
        return Plan(refusal="I don't know that contact; ask me by the full name.")
    return Plan(refusal=f"Which one do you mean: {', '.join(meant[:-1])} or {meant[-1]}?", answer={"contacts": meant})


def _call(organizer: Organizer, name: str) -> Plan:
    contact = organizer.contact(name)
    if contact is None:
        return _nobody(organizer, name)
    if contact.phone is None:
        return Plan(refusal="I have no telephone number of that contact; ask me for another one.")
    return Plan({"phone.number": contact.phone}, {"name": contact.name})


def _people(organizer: Organizer, person: str, other: str | None) -> list[str]:
    """The names that were said; a name that has an "and" itself ("mum and dad") is one, where a contact has it."""
    first = [person] if organizer.named(person) else re.split(r",? and |, ", person)
    return list(dict.fromkeys([*first, *([other] if other else [])]))


def _mail(organizer: Organizer, names: list[str], message: str) -> Plan:
    """One e-mail to all, or to nobody: where one of them is not known, that one is asked about."""
    found = [(name, organizer.contact(name)) for name in names]
    for name, contact in found:
        if contact is None:
            return _nobody(organizer, name)
        if contact.email is None:
            whose = "that contact" if len(found) == 1 else contact.name
            return Plan(refusal=f"I have no e-mail address of {whose}; ask me for another one.")
    to = [contact for _, contact in found if contact is not None]
    names = [contact.name for contact in to]
    return Plan(answer={"name": " and ".join(names)}, effect=Effect(organizer.mail(to, message), None))
