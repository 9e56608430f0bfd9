"""Where the car is on the map: the geometry, what is not told, and that a map is for a parked car alone."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.showing.atlas import Atlas
from memory.screen.app import Screen
from memory.screen.assistant.glance import Glance
from memory.screen.assistant.whereabouts import HIGH, NEAR, SAFE, SIDE, WIDE, Place, apart_m, panel, place
from schemas.actions import Action
from schemas.events import Motion, VehicleState
from schemas.memory import Waiting
from tests.screen.map.making import around, mbtiles
from tests.screens import NOW, Browser, Car

HERE = {"position.latitude": 54.512345, "position.longitude": 3.498765}
AIRPORT = {"navigation.destination": "the airport", "navigation.latitude": 54.53, "navigation.longitude": 3.55}


def state(**values: object) -> VehicleState:
    return VehicleState(values={**HERE, **values})


@dataclass
class Cabin:
    """A car that says where it is; meets ``memory.screen.assistant.ports.Cabin`` as far as it is looked at."""

    state: VehicleState | None = field(default_factory=state)

    def look(self) -> VehicleState | None:
        return self.state

    def offers(self) -> frozenset[str]:
        return frozenset()

    def waiting(self) -> Sequence[Waiting]:
        return ()

    def act(self, action: Action) -> None:
        raise AssertionError(action)

    def agree(self, token: str) -> None:
        raise AssertionError(token)

    def withdraw(self, token: str) -> None:
        raise AssertionError(token)


@pytest.fixture
def atlas(tmp_path: Path) -> Atlas:
    return Atlas(mbtiles(tmp_path / "m.mbtiles", around(54.5, 3.5, range(6, 17), 3)))


@pytest.fixture
def cabin(screen: Screen, atlas: Atlas) -> Cabin:
    made = Cabin()
    for name, value in {"cabin": made, "glance": Glance(made, screen.parts.clock), "atlas": atlas}.items():
        object.__setattr__(screen.parts, name, value)
    return made


def test_the_car_is_in_the_middle_and_the_pictures_cover_the_panel(atlas: Atlas) -> None:
    shown = panel(atlas, state())
    assert shown is not None and shown.here == (WIDE / 2, HIGH / 2) and shown.end is None
    assert {one.level for one in shown.pieces} == {NEAR}
    for x in (0, WIDE - 1):
        for y in (0, HIGH - 1):
            assert sum(one.x <= x < one.x + SIDE and one.y <= y < one.y + SIDE for one in shown.pieces) == 1
    assert len(shown.pieces) <= 9


def test_a_place_lies_where_the_web_s_maps_have_it(tmp_path: Path) -> None:
    """Berlin's television tower is in tile 16/35209/21492 (the slippy map's own formula, OpenStreetMap wiki)."""
    tower = {"position.latitude": 52.520817, "position.longitude": 13.409419}
    atlas = Atlas(mbtiles(tmp_path / "b.mbtiles", [(15, 17604, 10746)]))
    shown = panel(atlas, VehicleState(values=tower))
    assert shown is not None
    at = next(one for one in shown.pieces if (one.level, one.column, one.row) == (15, 17604, 10746))
    assert 0 <= WIDE / 2 - at.x < SIDE and 0 <= HIGH / 2 - at.y < SIDE


def test_the_destination_is_within_what_every_panel_shows(atlas: Atlas) -> None:
    shown = panel(atlas, state(**AIRPORT))
    assert shown is not None and shown.end is not None and {one.level for one in shown.pieces} < set(range(6, NEAR))
    assert abs(shown.end[0] - WIDE / 2) <= SAFE and abs(shown.end[1] - HIGH / 2) <= SAFE
    assert shown.end[0] > WIDE / 2 and shown.end[1] < HIGH / 2  # north-east: right and above
    far = panel(atlas, state(**{**AIRPORT, "navigation.latitude": -33.0}))
    assert far is not None and far.end is None


def test_a_coarser_level_stands_in_and_a_foreign_place_has_no_map(tmp_path: Path) -> None:
    coarse = Atlas(mbtiles(tmp_path / "c.mbtiles", [*around(54.5, 3.5, [9], 1), (15, 0, 0)]))
    shown = panel(coarse, state())
    assert shown is not None and {one.level for one in shown.pieces} == {9}
    assert panel(coarse, VehicleState(values={"position.latitude": -41.3, "position.longitude": 174.8})) is None


@pytest.mark.parametrize("told", [{}, {"position.latitude": 50.0}, {"position.latitude": 0.0, "position.longitude": 0.0},
                                  {"position.latitude": 89.0, "position.longitude": 1.0}])  # fmt: skip
def test_a_car_that_does_not_say_where_it_is_has_no_map(atlas: Atlas, told: dict[str, object]) -> None:
    assert place(told, "position") is None and panel(atlas, VehicleState(values=told)) is None
    assert panel(atlas, None) is None and panel(None, state()) is None


def test_a_destination_that_is_over_counts_no_more() -> None:
    assert place({**AIRPORT, "navigation.destination": ""}, "navigation") is None
    assert place(AIRPORT, "navigation") == Place(54.53, 3.55)


def test_at_the_edges_of_the_world_nothing_breaks(tmp_path: Path) -> None:
    whole = [(level, x, y) for level in (0, 1) for x in range(1 << level) for y in range(1 << level)]
    atlas = Atlas(mbtiles(tmp_path / "w.mbtiles", whole))
    for north in (-85.0, 0.1, 85.0):
        for east in (-180.0, -0.1, 180.0):
            shown = panel(atlas, VehicleState(values={"position.latitude": north, "position.longitude": east}))
            assert shown is not None
            assert all(0 <= one.column < 2 and 0 <= one.row < 2 for one in shown.pieces)


# On the page


def test_parked_it_is_on_the_page_and_its_pictures_come(browser: Browser, cabin: Cabin) -> None:
    page = browser.get("/")
    pieces = re.findall(r'<image href="(/map/\d+/\d+/\d+)"', page)
    assert pieces and "© Marrowby Survey" in page and "Where the car is, on a map" in page
    answers = [browser.client.get(one) for one in pieces]
    assert {(one.status_code, one.headers["content-type"]) for one in answers} == {(200, "image/png")}
    assert all("no-store" in one.headers["cache-control"] for one in answers)
    for wrong in ("/map/1/0/x", "/map/99/0/0", "/map/15/0/0", "/map/1/-1/0"):
        assert browser.client.get(wrong).status_code == 404, wrong


@pytest.mark.parametrize("motion", [Motion.MOVING, Motion.IDLING, None])
def test_while_driving_there_is_no_map_and_no_picture_of_it(
    browser: Browser, cabin: Cabin, car: Car, motion: Motion | None
) -> None:
    piece = re.findall(r"/map/\d+/\d+/\d+", browser.get("/"))[0]
    car.motion = motion
    assert "map" not in browser.get("/").lower()
    assert browser.client.get(piece).status_code == 403


def test_without_a_file_there_is_no_trace_of_a_map(browser: Browser, cabin: Cabin, screen: Screen) -> None:
    object.__setattr__(screen.parts, "atlas", None)
    assert "map" not in browser.get("/").lower() and "54.5" not in browser.page
    assert browser.client.get("/map/15/16702/10357").status_code == 404


def test_where_the_car_is_stands_nowhere_but_on_the_page(
    browser: Browser, cabin: Cabin, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    cabin.state = state(**AIRPORT)
    for _ in range(3):
        for piece in re.findall(r"/map/\d+/\d+/\d+", browser.get("/")):
            browser.client.get(piece)
    told = [f"{value}".encode() for value in (*HERE.values(), 54.5123, 3.4987)]
    assert not any(one.decode() in browser.page for one in told)  # not even there: it is drawn in the middle
    logged = " ".join(
        one.getMessage() for one in caplog.records if not one.name.startswith("http")
    )  # not the test's own client
    assert "/map/" not in logged and not any(one.decode() in logged for one in told)
    files = [one for one in tmp_path.rglob("*") if one.is_file() and one.suffix != ".mbtiles"]
    assert not any(number in one.read_bytes() for one in files for number in told)


def test_a_receiver_that_strays_makes_no_new_page(cabin: Cabin) -> None:
    glance = Glance(cabin, lambda: NOW)
    glance.again()
    before = glance.version
    for north in (54.51240, 54.51230, 54.51236):
        cabin.state = state(**{"position.latitude": north})
        glance.again()
    assert glance.version == before
    cabin.state = state(**{"position.latitude": 54.5133})
    assert apart_m(Place(54.512345, 3.498765), Place(54.5133, 3.498765)) == pytest.approx(106.2, abs=0.5)
    glance.again()
    assert glance.version == before + 1
