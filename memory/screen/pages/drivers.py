"""Drivers: whose memory is open, another one's, a guest's; the PIN; deleting oneself; handing the car over, which leaves nobody's.

Decides nothing of who may: a page that is not allowed to or brings the wrong PIN is told so by ``schemas.ports.Drivers``.
"""

from __future__ import annotations

from memory.screen.answers import Answer, Go, Page, ProblemError, Visit
from memory.vault.pins import PIN
from schemas.errors import PinError
from schemas.ports import Drivers

GUEST = "guest"
HAND_OVER, DELETE = "hand over", "delete"


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
    awaited = visit.parts.drivers.awaited if visit.parts.drivers is not None else None
    return Page("drivers.html", values | {"pin": visit.parts.pins.has(held), "awaited": awaited})


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
    visit.departures.finish_all()
    try:
        _drivers(visit).switch(name, visit.form.get("pin", ""))
    except PinError as error:
        values = {"name": name, "place": visit.path["place"], "pin": True, "missed": True, "wait": error.wait_s}
        return Page("switch.html", values, status=403)
    return Go("/")


def pin(visit: Visit) -> Answer:
    """Set, change or remove one's PIN."""
    return Page("pin.html", {"pin": visit.parts.pins.has(visit.memory.driver)})


def set_pin(visit: Visit) -> Answer:
    """Set, change or remove it; the present one is asked for first."""
    driver, pins = visit.memory.driver, visit.parts.pins
    _not_a_guest(visit)  # who has none
    tried = pins.try_(driver, visit.form.get("pin", ""), visit.parts.clock())
    if not tried.right:
        return Page("pin.html", {"pin": True, "missed": True, "wait": tried.wait_s}, status=403)
    if visit.form.get("remove") == "yes":
        pins.take_away(driver, tried.key)
        return Go("/drivers")
    fresh = visit.form.get("fresh", "")
    if not PIN.fullmatch(fresh):
        return Page("pin.html", {"pin": pins.has(driver), "unfit": True}, status=422)
    pins.set(driver, fresh, tried.key)
    return Go("/drivers")


def _not_a_guest(visit: Visit) -> None:
    if visit.parts.drivers is not None and visit.memory.driver not in visit.parts.drivers.names:
        raise ProblemError("form", 400)


def deleting(visit: Visit) -> Answer:
    """What deleting oneself means."""
    _not_a_guest(visit)
    visit.session.agreed = ""
    driver = visit.memory.driver
    return Page("leave.html", {"driver": driver, "pin": visit.parts.pins.has(driver)})


def delete(visit: Visit) -> Answer:
    """The first yes: with the PIN it is done, without one it is asked again."""
    _not_a_guest(visit)
    drivers, driver = _drivers(visit), visit.memory.driver
    if not drivers.guarded(driver):
        visit.session.agreed = f"{DELETE} {driver}"
        return Page("leave_again.html")
    visit.departures.finish_all()
    try:
        drivers.delete(visit.form.get("pin", ""))
    except PinError as error:
        values = {"driver": driver, "pin": True, "missed": True, "wait": error.wait_s}
        return Page("leave.html", values, status=403)
    return _LEFT


def really_delete(visit: Visit) -> Answer:
    """The second yes of a driver without a PIN."""
    agreed, visit.session.agreed = visit.session.agreed, ""
    if agreed != f"{DELETE} {visit.memory.driver}":
        raise ProblemError("form", 400)
    visit.departures.finish_all()
    _drivers(visit).delete()
    return _LEFT


_LEFT = Page("handed_over.html", {"count": 1, "alone": True}, anybodys=True)


def _handover(visit: Visit, *, status: int = 200, **more: object) -> Page:
    drivers = _drivers(visit)
    needs = drivers.wiping()
    by_code = needs.code and (visit.query.get("by") == "code" or "code" in visit.form)
    return Page("handover.html", {"names": drivers.names, "needs": needs, "by_code": by_code, **more}, status=status)


def handing_over(visit: Visit) -> Answer:
    """What handing over means, and what it asks for."""
    visit.session.agreed = ""
    return _handover(visit)


def hand_over(visit: Visit) -> Answer:
    """The first yes: the PINs or the recovery code, then a second question."""
    drivers, form = _drivers(visit), visit.form
    pins = {name: form.get(f"pin{place}", "") for place, name in enumerate(drivers.wiping().pins)}
    try:
        agreed = drivers.may_wipe(pins, form.get("code"))
    except PinError as error:
        return _handover(visit, status=403, missed=True, wait=error.wait_s)
    visit.session.agreed = f"{HAND_OVER} {agreed}"
    return Page("handover_again.html", {"names": drivers.names})


def wipe(visit: Visit) -> Answer:
    """The second yes: every driver's vault, key, backups, exports and PIN are destroyed; a guest's memory is open then."""
    agreed, visit.session.agreed = visit.session.agreed, ""
    word, _, proof = agreed.rpartition(" ")
    if word != HAND_OVER:
        raise ProblemError("form", 400)
    visit.departures.finish_all()
    try:
        count = _drivers(visit).wipe(proof)
    except PinError as error:
        raise ProblemError("form", 400) from error
    return Page("handed_over.html", {"count": count}, anybodys=True)
