"""Drivers: whose memory is open, another one's, a guest's; the PIN; and handing the car over, which leaves nobody's."""

from __future__ import annotations

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.screen.pin import PIN
from schemas.ports import Drivers

GUEST = "guest"
HAND_OVER = "hand over"


def _drivers(visit: Visit) -> Drivers:
    if visit.parts.drivers is None:
        raise ProblemError("alone", 409)
    return visit.parts.drivers


def show(visit: Visit) -> Answer:
    """Who is there."""
    names = _drivers(visit).names if visit.parts.drivers is not None else (visit.memory.driver,)
    held = visit.memory.driver
    listed = [(place, name, name == held, visit.parts.pins.has(name)) for place, name in enumerate(names)]
    guest = held not in names
    values = {"listed": listed, "guest": guest, "several": visit.parts.drivers is not None, "driver": held}
    return Page("drivers.html", values | {"pin": visit.parts.pins.has(held)})


def _named(visit: Visit) -> str | None:
    """The driver of a place in the list: names do not stand in addresses. None for a guest."""
    place, names = visit.path["place"], _drivers(visit).names
    if place == GUEST:
        return None
    if not place.isascii() or not place.isdigit() or len(place) > 3 or int(place) >= len(names):
        raise ProblemError("missing", 404)
    return names[int(place)]


def switching(visit: Visit) -> Answer:
    """The other one's PIN, if they have one."""
    name = _named(visit)
    values = {"name": name, "place": visit.path["place"]}
    return Page("switch.html", values | {"pin": name is not None and visit.parts.pins.has(name)})


def switch(visit: Visit) -> Answer:
    """Open another driver's memory, or a guest's."""
    name = _named(visit)
    if name is not None:
        tried = visit.parts.pins.try_(name, visit.form.get("pin", ""), visit.parts.clock())
        if not tried.right:
            values = {"name": name, "place": visit.path["place"], "pin": True, "missed": True, "wait": tried.wait_s}
            return Page("switch.html", values, status=403)
    visit.departures.finish_all()
    _drivers(visit).switch(name)
    return Go("/")


def pin(visit: Visit) -> Answer:
    """Set, change or remove one's PIN."""
    return Page("pin.html", {"pin": visit.parts.pins.has(visit.memory.driver)})


def set_pin(visit: Visit) -> Answer:
    """Set, change or remove it; the present one is asked for first."""
    driver, pins = visit.memory.driver, visit.parts.pins
    if visit.parts.drivers is not None and driver not in visit.parts.drivers.names:
        raise ProblemError("form", 400)  # a guest has none
    tried = pins.try_(driver, visit.form.get("pin", ""), visit.parts.clock())
    if not tried.right:
        return Page("pin.html", {"pin": True, "missed": True, "wait": tried.wait_s}, status=403)
    if visit.form.get("remove") == "yes":
        pins.remove(driver)
        return Go("/drivers")
    fresh = visit.form.get("fresh", "")
    if not PIN.fullmatch(fresh):
        return Page("pin.html", {"pin": pins.has(driver), "unfit": True}, status=422)
    pins.set(driver, fresh)
    return Go("/drivers")


def handing_over(visit: Visit) -> Answer:
    """What handing over means."""
    visit.session.agreed = ""
    return Page("handover.html", {"names": _drivers(visit).names, "pin": visit.parts.pins.has(visit.memory.driver)})


def hand_over(visit: Visit) -> Answer:
    """The first yes: the PIN, then a second question."""
    names, driver = _drivers(visit).names, visit.memory.driver
    tried = visit.parts.pins.try_(driver, visit.form.get("pin", ""), visit.parts.clock())
    if not tried.right:
        return Page("handover.html", {"names": names, "pin": True, "missed": True, "wait": tried.wait_s}, status=403)
    visit.session.agreed = HAND_OVER
    return Page("handover_again.html", {"names": names})


def wipe(visit: Visit) -> Answer:
    """The second yes: every driver's vault, key, backups, exports and PIN are destroyed; a guest's memory is open then."""
    agreed, visit.session.agreed = visit.session.agreed, ""
    if agreed != HAND_OVER:
        raise ProblemError("form", 400)
    drivers, held = _drivers(visit), visit.memory.driver
    visit.departures.finish_all()
    names = sorted(
        drivers.names, key=lambda name: name != held
    )  # the one who asks first: then nothing has to be opened twice
    for name in names:
        drivers.switch(name)
        drivers.delete()
        visit.parts.pins.remove(name)
    return Page("handed_over.html", {"count": len(names)}, anybodys=True)
