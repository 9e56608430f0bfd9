"""The map on the assistant's view in a real Chromium: at every size, parked and moving, by day and by night, nothing refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deploy.screen import OwnLoop
from deploy.showing.atlas import Atlas
from deploy.showing.cabin import SeenCabin
from memory.screen.assistant.glance import Glance
from schemas.actions import Action, NavigateTo, PlayMusic
from schemas.clock import WallClock
from schemas.events import Motion, Phase
from tests.screen.map.making import around, mbtiles
from tests.screen.test_accessible import broken, rules
from tests.screen_rig import SIZES, Rig
from vehicle.adapters import open_adapter
from vehicle.service import GatedVehicle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

WRONG = """() => {
  const map = document.querySelector('.map'), box = map.getBoundingClientRect(), stage = document.querySelector('.stage');
  const here = map.querySelector('.here').getBoundingClientRect(), wrong = [];
  const over = (one) => Math.min(box.right, one.right) - Math.max(box.left, one.left) > 1 && Math.min(box.bottom, one.bottom) - Math.max(box.top, one.top) > 1;
  const out = (one) => one.left < box.left - 1 || one.right > box.right + 1 || one.top < box.top - 1 || one.bottom > box.bottom + 1;
  if (box.width < 120 || box.height < 90) wrong.push(`small ${box.width}x${box.height}`);
  for (const one of document.querySelectorAll('main p, main button, main a, .rail a')) {
    const range = document.createRange(); range.selectNodeContents(one);
    if (!map.contains(one) && one.offsetParent && over(range.getBoundingClientRect())) wrong.push(`over ${one.innerText}`);
  }
  const credit = map.querySelector('figcaption').getBoundingClientRect(), end = map.querySelector('.end');
  for (const [name, one] of [['here', here], ['credit', credit], ...(end ? [['end', end.getBoundingClientRect()]] : [])]) if (out(one)) wrong.push(`${name} is cut`);
  if (Math.abs((here.left + here.right) / 2 - (box.left + box.right) / 2) > 2) wrong.push('the car is not in the middle');
  if (Math.min(here.bottom, credit.bottom) - Math.max(here.top, credit.top) > 0 && Math.min(here.right, credit.right) > Math.max(here.left, credit.left)) wrong.push('the credit lies over the car');
  if (stage.scrollHeight > stage.clientHeight + 1) wrong.push(`stage ${stage.scrollHeight} of ${stage.clientHeight}`);
  const root = document.documentElement;
  if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) wrong.push('scrolls');
  return wrong;
}"""  # noqa: E501
"""What is wrong with the map: it is small, lies over something, cuts its marks."""


@pytest.fixture
def car(rig: Rig, tmp_path: Path) -> Iterator[Callable[[Action], object]]:
    """The simulated car, and a map of its town."""
    loop, clock = OwnLoop(), WallClock()
    vehicle = GatedVehicle(open_adapter("simulated", clock=clock, profile="parked"), clock)
    cabin, parts = SeenCabin(vehicle, lambda: loop.loop), rig.server.screen.parts
    glance = Glance(cabin, parts.clock, parts.feed.watchers.wake)
    atlas = Atlas(mbtiles(tmp_path / "town.mbtiles", around(54.5, 3.5, range(9, 16))))
    for name, value in {"cabin": cabin, "glance": glance, "atlas": atlas}.items():
        object.__setattr__(parts, name, value)
    yield lambda action: loop.run(vehicle.act(action))
    loop.run(vehicle.close())
    loop.close()


def watched(rig: Rig, chromium: Browser, size: str, **cookies: str) -> tuple[Page, list[str], list[int]]:
    """The view; what its console says; the answers to its pictures of the map."""
    page, said, came = rig.open(chromium, size), list[str](), list[int]()
    rig.choose(page, **cookies)
    page.on("console", lambda told: said.append(told.text))
    page.on("response", lambda answer: came.append(answer.status) if "/map/" in answer.url else None)
    page.goto(f"{rig.address}/", wait_until="load")
    return page, said, came


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_it_has_its_place_at_every_size(
    rig: Rig, chromium: Browser, car: Callable[[Action], Any], size: str, language: str
) -> None:
    for action in (PlayMusic(genre="jazz"), NavigateTo(destination="the airport")):
        car(action)
    page, said, came = watched(rig, chromium, size, language=language, look="dark" if language == "de" else "light")
    page.wait_for_selector(".map .end")
    assert page.evaluate(WRONG) == []
    assert came and set(came) == {200} and said == []
    assert page.locator(".map figcaption").inner_text() == "© Marrowby Survey"
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_where_it_has_no_room_it_is_left_out_and_moves_nothing(
    rig: Rig, chromium: Browser, car: Callable[[Action], Any], size: str
) -> None:
    rig.remembered()
    page, _, _ = watched(rig, chromium, size)
    page.wait_for_selector(".row.learned")
    fits = "document.documentElement.scrollHeight <= innerHeight"
    stage = "(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight + 1)(document.querySelector('.stage'))"
    assert page.evaluate(fits) and page.evaluate(stage)
    assert not page.locator(".map").is_visible() or page.evaluate(WRONG) == []
    page.context.close()


def test_it_goes_when_the_car_moves_or_somebody_speaks_and_comes_back(
    rig: Rig, chromium: Browser, car: Callable[[Action], Any]
) -> None:
    page, _, came = watched(rig, chromium, "1280x720")
    page.wait_for_selector(".map")
    rig.server.screen.parts.talk.stands(Phase.LISTENING, None, 0)
    page.wait_for_selector(".map", state="detached")
    rig.server.screen.parts.talk.stands(Phase.IDLE, None, 0)
    page.wait_for_selector(".map")
    rig.car.motion = Motion.MOVING
    page.wait_for_selector("body.moving #assistant")
    loaded = len(came)
    assert page.locator(".map").count() == 0 and "/map/" not in page.content()
    car(NavigateTo(destination="the airport"))
    page.wait_for_selector(".tile.route.lit")
    assert len(came) == loaded
    rig.car.motion = Motion.PARKED
    page.wait_for_selector("body.parked .map .end")
    page.context.close()


def test_a_new_minute_loads_no_picture_again(rig: Rig, chromium: Browser, car: Callable[[Action], Any]) -> None:
    from datetime import timedelta

    page, _, came = watched(rig, chromium, "1280x720")
    page.wait_for_selector(".map")
    page.wait_for_load_state("load")
    page.evaluate("document.querySelector('.map').stays = true")
    loaded = len(came)
    rig.car.now += timedelta(minutes=1)
    page.wait_for_selector("text=08:06")
    assert page.evaluate("document.querySelector('.map').stays") is True and len(came) == loaded
    page.context.close()


@pytest.mark.parametrize("look", ["dark", "light"])
def test_it_breaks_no_rule_of_axe(rig: Rig, chromium: Browser, car: Callable[[Action], Any], look: str) -> None:
    car(NavigateTo(destination="the airport"))
    page = rig.open(chromium, script=rules())
    rig.choose(page, look=look)
    page.goto(f"{rig.address}/")
    page.wait_for_selector(".map .end")
    assert broken(page) == []
    page.context.close()
