"""The pages about how a driver is spoken to, what may be done unasked, and what was learned of late."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.screen.app import Screen
from schemas.manners import OFFERS, SUGGESTIONS
from schemas.memory import Condition, ConditionKind, Consent
from tests.memories import fill
from tests.screens import Browser, Car, drivers_of, parts_of, preference


class Rig:
    def __init__(self, folder: Path) -> None:
        self.car = Car()
        self.drivers = drivers_of(self.car)
        self.memory = self.drivers.memories["ada"]
        self.browser = Browser(Screen(parts_of(self.car, self.drivers, folder)))

    @property
    def kept(self) -> dict[str, str]:
        return {entry.key: entry.value for entry in self.memory.profile()}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_manners_are_chosen_shown_and_forgotten(rig: Rig) -> None:
    rig.browser.get("/drivers")
    assert "How I talk" in rig.browser.page
    rig.browser.get("/drivers/manners")
    assert rig.browser.post("/drivers/manners", what="length", to="brief") == "/drivers/manners"
    rig.browser.get("/drivers/manners/name")
    rig.browser.post("/drivers/manners", what="name", to=" Sam ")
    assert rig.kept == {"reply_length": "brief", "name": "Sam"}
    assert "Sam" in rig.browser.get("/drivers/manners") and "short is chosen" in rig.browser.page
    rig.browser.post("/drivers/manners", what="length", to="brief")  # of a window that did not know yet
    assert rig.kept["reply_length"] == "brief"
    rig.browser.get("/drivers/manners")
    rig.browser.post("/drivers/manners", what="length", to="brief", **{"from": "brief"})
    rig.browser.get("/drivers/manners/name")
    rig.browser.post("/drivers/manners", what="name", to="")
    assert not rig.kept


@pytest.mark.parametrize(("what", "to"), [("length", "shouting"), ("colour", "red"), ("name", "x" * 31)])
def test_what_is_no_choice_is_refused(rig: Rig, what: str, to: str) -> None:
    rig.browser.get("/drivers/manners")
    rig.browser.post("/drivers/manners", 400, what=what, to=to)
    assert not rig.kept


def test_temperatures_are_shown_in_the_drivers_unit_and_not_to_a_guest(rig: Rig) -> None:
    fill(rig.memory, preference("p", "22 degrees", "preferred_temperature"))
    assert "22 °C" in rig.browser.get("/memory")
    rig.browser.get("/drivers/manners")
    rig.browser.post("/drivers/manners", what="temperature", to="fahrenheit")
    assert "72 °F" in rig.browser.get("/memory") and "22 °C" not in rig.browser.page
    rig.drivers.switch(None)
    assert rig.drivers.seat.manners.temperature == ""


def test_a_guest_has_no_manners_and_no_switches(rig: Rig) -> None:
    rig.drivers.switch(None)
    assert "How I talk" not in rig.browser.get("/drivers")
    for path in ("/drivers/manners", "/drivers/offers"):
        assert "<form" not in rig.browser.get(path) and "Of a guest nothing is kept" in rig.browser.page


def test_suggestions_are_a_switch(rig: Rig) -> None:
    assert rig.browser.get("/drivers/offers").count('aria-checked="true"') == len(OFFERS)
    rig.browser.post("/drivers/offers", key=SUGGESTIONS, to="off")
    assert rig.memory.consent() == Consent(opted_out=frozenset({SUGGESTIONS}))
    assert rig.browser.get("/drivers/offers").count('aria-checked="false"') == 1
    rig.browser.post("/drivers/offers", key=SUGGESTIONS, to="on")
    assert rig.memory.consent() == Consent()
    rig.browser.get("/drivers/offers")
    rig.browser.post("/drivers/offers", 400, key="music", to="off")


def test_what_was_learned_is_listed_and_each_undone(rig: Rig) -> None:
    fill(rig.memory, preference("p0", "jazz"), preference("p1", "soul"), preference("p2", "tango", days=3))
    page = rig.browser.get("/memory/learned")
    assert "jazz" in page and "soul" in page and "tango" not in page
    assert rig.browser.post("/memory/learned/p0", **{"in": "today"}).startswith("/leaving/")
    assert "jazz" not in rig.browser.get("/memory/learned")
    rig.car.wait()
    assert "One thing was forgotten." in rig.browser.get("/memory/learned")
    assert "tango" in rig.browser.get("/memory/learned?in=week")
    rig.browser.post("/memory/learned/p2", **{"in": "week"})
    assert [one.value for one in rig.memory.preferences()] == ["soul"]


def test_what_was_learned_says_when_it_holds(rig: Rig) -> None:
    winter = Condition(kind=ConditionKind.SEASON, value="winter", words="in winter")
    fill(rig.memory, preference("p0", "high", "seat_heating_preferences").model_copy(update={"conditions": (winter,)}))
    told = "You like your seat very warm in winter"
    assert told in rig.browser.get("/memory") and told in rig.browser.get("/memory/learned")


def test_what_took_the_place_of_another_is_put_back(rig: Rig) -> None:
    fill(rig.memory, preference("p0", "soul"))
    made = rig.memory.correct("p0", "jazz")
    assert "in place of soul" in rig.browser.get("/memory/learned")
    assert rig.browser.post(f"/memory/learned/{made.id}", **{"in": "today"}) == "/memory/learned?in=today"
    assert [one.value for one in rig.memory.preferences()] == ["soul"]
    assert "in place of jazz" in rig.browser.get("/memory/learned")


def test_nothing_new_is_said(rig: Rig) -> None:
    assert "Nothing new" in rig.browser.get("/memory/learned?in=yesterday")
    assert "Nothing new" in rig.browser.get("/memory/learned?in=whenever")
