"""No page of the screen breaks a rule of axe-core: parked and moving, dark and light, English, German and right to left.

The rules come into the page by DevTools, past the content security policy, which stays as it is for the page itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from memory.screen import wording
from schemas.events import Motion
from tests.screen_rig import AXE, PAGES, Rig, absent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

RUN = """async () => {
  const told = await axe.run(document, {rules: {'target-size': {enabled: true}}, resultTypes: ['violations']});
  return told.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 90)).join(' | ')}`);
}"""
"""Every rule that is on by default (WCAG 2.0 to 2.1 A and AA, best practices), and the size of targets of WCAG 2.2."""


@cache
def rules() -> str:
    if not AXE.exists():
        absent("axe-core is not here: ./deploy/up --dev fetches it from npm")
    return AXE.read_text("utf-8")


@pytest.fixture
def mirrored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language of right-to-left script; its words are English, its direction is not."""
    real = wording.sentences

    def sentences(language: str) -> Mapping[str, Any]:
        return {**real("en"), "direction": "rtl"} if language == "ar" else real(language)

    monkeypatch.setattr(wording, "LANGUAGES", (*wording.LANGUAGES, "ar"))
    monkeypatch.setattr(wording, "sentences", sentences)


def broken(page: Page) -> list[str]:
    """The rules that it breaks. It stays while it is looked at, though its own clock or news would have it go on."""
    page.wait_for_load_state()
    page.route("**", lambda route: route.abort() if route.request.is_navigation_request() else route.continue_())
    try:
        return page.evaluate(RUN)
    finally:
        page.unroute("**")


@pytest.mark.usefixtures("mirrored")
@pytest.mark.parametrize("look", ["dark", "light"])
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_no_page_breaks_a_rule(rig: Rig, chromium: Browser, language: str, look: str) -> None:
    rig.remembered()
    page = rig.open(chromium, script=rules())
    rig.choose(page, language=language, look=look)
    for path in PAGES:
        page.goto(f"{rig.address}{path}")
        assert page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
        assert broken(page) == [], path
    page.goto("about:blank")
    rig.car.motion = Motion.MOVING
    for path in ("/", "/memory"):
        page.goto(f"{rig.address}{path}")
        assert broken(page) == [], f"{path} while driving"
    page.context.close()


def test_pages_that_come_of_an_act_break_none(rig: Rig, chromium: Browser) -> None:
    """What is on its way out, its receipt, a switch that asks, a value that does not fit, a PIN that is wrong."""
    page = rig.open(chromium, "800x480", script=rules())
    rig.server.screen.parts.pins.set("bert", "1357")

    def after(path: str, *steps: str, **fields: str) -> None:
        page.goto(f"{rig.address}{path}")
        for name, value in fields.items():
            page.fill(f"input[name={name}]", value)
        for step in steps:
            page.click(step)
        assert broken(page) == [], (path, steps)

    after("/memory/p1", "text=Forget")
    after(page.url.removeprefix(rig.address), "text=Delete now")
    after("/categories/music", "role=switch[name='Music genres']")
    after("/memory/p2/correct", "text=Save", value="!!!")
    after("/drivers/to/1", "text=Change", pin="9999")
    page.context.close()


def test_a_page_that_breaks_a_rule_is_found(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium, script=rules())
    page.evaluate("document.querySelector('.rail a').setAttribute('aria-label', '')")
    page.evaluate("document.querySelector('.rail a').innerHTML = ''")
    assert any(found.startswith("link-name") for found in broken(page))
    page.context.close()
