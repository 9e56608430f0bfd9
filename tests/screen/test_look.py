"""The look of the screen in Chromium: day and night, high contrast, weight; a banner moves nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory import screen
from schemas.events import Motion, Phase
from tests.screen_rig import COVERED, PAGES, SIZES, Rig

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

STATIC = Path(screen.__file__).parent / "static"
HEAVIEST = 120_000
"""Bytes of a page with its font, style sheets, scripts and icons."""
LEAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > .99) return c; } };
  return Math.min(...[...document.querySelectorAll('main p, main h1, main button, main a, nav span')].filter((e) => e.offsetParent && e.innerText.trim())
    .map((e) => [light(rgb(getComputedStyle(e).color)), light(behind(e))]).map(([a, b]) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05)));
}"""  # noqa: E501 - a script for the browser reads better in long lines
"""The least contrast of any text on the page."""
OVER_THE_RAIL = """() => { const [rail, home, banner] = ['.rail', '.rail a', '.banner'].map((one) => document.querySelector(one).getBoundingClientRect());
  return banner.top >= rail.top - 1 && banner.left >= home.right - 1; }"""  # noqa: E501
BOXES = "[...document.querySelectorAll('main > :not(.banner), main .row, footer')].map((e) => e.getBoundingClientRect().top)"


@pytest.mark.parametrize("look", ["dark", "light"])
def test_who_wants_more_contrast_gets_seven_to_one(rig: Rig, chromium: Browser, look: str) -> None:
    """WCAG 2.2, 1.4.6."""
    page = rig.open(chromium)
    page.emulate_media(contrast="more", reduced_motion="reduce")
    rig.choose(page, look=look)
    for path in ("/latest", "/memory", "/memory/p0", "/categories", "/privacy", "/drivers", "/about"):
        page.goto(f"{rig.address}{path}")
        assert page.evaluate(LEAST) >= 7, path
    page.context.close()


def weights(page: Page, address: str) -> dict[str, int]:
    """Bytes of everything that a page loads."""
    told = list["Response"]()

    def keep(answer: Response) -> None:
        told.append(answer)

    page.goto("about:blank")
    page.on("response", keep)
    page.goto(address)
    page.evaluate("document.fonts.ready")
    return {one.url: len(one.body()) for one in told if "/live?" not in one.url}


def test_every_page_weighs_little_with_the_font(rig: Rig, chromium: Browser) -> None:
    for path in ("/memory", "/memory/search", "/categories", "/drivers/pin"):
        page = rig.open(chromium)
        found = weights(page, f"{rig.address}{path}")
        static = sum(
            (STATIC / name).stat().st_size
            for name in ("look.css", "screen.css", "screen.js", "icons.svg", "atkinson.woff2")
        )
        assert found[f"{rig.address}{path}"] > 1000 and sum(found.values()) <= HEAVIEST, path
        assert found[f"{rig.address}{path}"] + static <= HEAVIEST, (
            path
        )  # whatever of it came out of the browser's cache
        page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_a_banner_moves_nothing(rig: Rig, chromium: Browser, size: str) -> None:
    page = rig.open(chromium, size)
    page.goto(f"{rig.address}/categories")
    before = page.evaluate(BOXES)
    page.goto(f"{rig.address}/memory/p7")
    page.click("text=Forget >> nth=-1")
    page.wait_for_url("**/leaving/*")
    page.goto(f"{rig.address}/categories")
    assert page.locator(".banner").is_visible() and page.evaluate(BOXES) == before
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for path in PAGES[:-1]:
        page.goto(f"{rig.address}{path}")
        assert page.locator(".banner").is_visible(), path
        if size == "390x844" and page.locator(".rail").is_visible():  # it lies over the rail, of which Home stays free
            assert page.evaluate(OVER_THE_RAIL), path
        else:
            assert page.evaluate(COVERED) == [], path
    page.click(".banner button")
    page.wait_for_url("**/memory")
    assert len(rig.memory.preferences()) == 8
    page.context.close()


def test_an_open_page_turns_dark_with_the_car(rig: Rig, chromium: Browser) -> None:
    told: list[bool | None] = [True]
    rig.server.screen.parts = replace(rig.server.screen.parts, bright=lambda: told[0])
    page = rig.open(chromium)
    page.goto(f"{rig.address}/memory")
    assert page.locator("html").get_attribute("data-look") == "light"
    told[0] = False
    page.wait_for_selector("html[data-look=dark]")
    rig.car.motion = Motion.MOVING
    page.wait_for_url(f"{rig.address}/")
    assert page.locator("html").get_attribute("data-look") == "dark"
    page.context.close()


def test_the_font_is_the_one_that_is_shipped(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium)
    page.evaluate("document.fonts.ready")
    shipped = "[...document.fonts].filter((f) => f.family.includes('Atkinson')).map((f) => f.status)"
    assert page.evaluate(shipped) == ["loaded"]
    assert "Atkinson Hyperlegible Next" in page.evaluate("getComputedStyle(document.body).fontFamily")
    page.context.close()


def test_who_wants_less_motion_gets_none(rig: Rig, chromium: Browser) -> None:
    moves = """() => [...document.querySelectorAll('main *')].map((one) => getComputedStyle(one)).filter((one) =>
      (one.animationName !== 'none' && one.animationIterationCount !== '1') || parseFloat(one.transitionDuration) > 0).length"""
    rig.server.screen.parts.talk.stands(Phase.THINKING, None, 0)
    page = rig.open(chromium)
    page.wait_for_selector(".thinking .pulse")
    assert page.evaluate(moves) > 0  # who did not ask for less sees it think
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == 0
    rig.server.screen.parts.talk.stands(Phase.HEARING, None, 0)
    page.wait_for_selector("[data-phase=hearing] .pulse")
    assert page.evaluate(moves) == 0
    page.context.close()


def test_the_documentation_has_a_picture_of_every_page() -> None:
    pytest.importorskip("playwright")
    from tests.screen.pictures import DOCS, name_of

    shown = (DOCS / "screen-pictures.md").read_text("utf-8")
    wanted = {name_of(path) for path in PAGES if path not in {"/memory?in=", "/nowhere"}}
    wanted |= {
        "home-german",
        "home-small",
        "home-wide",
        "home-upright",
        "home-day",
        "home-car",
        "home-map",
        "home-asked",
        "driving",
    }
    missing = [name for name in wanted if f"(images/screen/{name}.webp)" not in shown]
    assert missing == [] and all((DOCS / "images" / "screen" / f"{name}.webp").stat().st_size > 1000 for name in wanted)


def test_where_the_system_chooses_the_colours_buttons_and_the_chosen_tab_have_edges(
    rig: Rig, chromium: Browser
) -> None:
    edges = """(css) => [...document.querySelectorAll(css)].filter((e) => e.offsetParent)
      .map((e) => parseFloat(getComputedStyle(e).borderTopWidth))"""
    page = rig.open(chromium)
    page.emulate_media(forced_colors="active")
    for path in ("/", "/memory", "/privacy"):
        page.goto(f"{rig.address}{path}")
        assert min(page.evaluate(edges, "main button, main .button, .rail a")) >= 1, path
        assert min(page.evaluate(edges, "[aria-current]")) >= 3, path
    page.context.close()
