"""Typing on the panel: with a finger, a knob and a keyboard, in the English and the German order of keys, at every size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schemas.events import Motion
from tests.screen_rig import SIZES, Rig

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

TYPED_ON = ("/memory/search", "/memory/p0/correct", "/facts/k0/correct", "/drivers/manners/name", "/drivers/pin")
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value; })
  .observe({type: 'layout-shift', buffered: true});"""
"""Adds up how far things have moved on a page by themselves."""


def tap(page: Page, *keys: str) -> None:
    """Keys under a finger, by their names."""
    for key in keys:
        page.tap(f'.key[data-key="{key}"]')


def turn_to(page: Page, key: str) -> None:
    """Turn the knob until a key is lit."""
    for _ in range(120):
        if page.evaluate("document.activeElement.dataset.key") == key:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the knob never reached {key}")


def press(page: Page, *keys: str) -> None:
    """Turn to keys and press each."""
    for key in keys:
        turn_to(page, key)
        page.keyboard.press("Enter")


@pytest.mark.parametrize("size", SIZES)
def test_a_value_is_corrected_with_a_finger(rig: Rig, chromium: Browser, size: str) -> None:
    page = rig.open(chromium, size, has_touch=True)
    page.goto(f"{rig.address}/memory/p0/correct")
    tap(page, *["erase"] * len("jazz"), *"be", "space", *"bop")
    assert page.input_value("input[name=value]") == "be bop"
    tap(page, "left", "erase", "u", "right")  # in the middle of it
    assert page.input_value("input[name=value]") == "be bup"
    tap(page, "erase", "p", "done")
    page.wait_for_selector(".huge")
    assert "be bup" in [p.value for p in rig.memory.preferences("favorite_genres")]
    page.context.close()


def test_words_are_looked_for_with_a_knob(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium)
    page.goto(f"{rig.address}/memory/search")
    press(page, *"tan", "done")
    page.wait_for_url("**/memory")
    assert page.locator(".list .row").count() == 1 and "tango" in page.locator(".list").inner_text()


@pytest.mark.parametrize("by", ["finger", "knob", "keyboard"])
def test_correcting_searching_and_a_pin_each_by_finger_knob_and_keyboard(rig: Rig, chromium: Browser, by: str) -> None:
    rig.server.screen.parts.pins.set("bert", "1357")
    page = rig.open(chromium, "800x480", has_touch=True)

    def types(word: str) -> None:
        if by == "keyboard":
            page.keyboard.type(word)
            page.keyboard.press("Enter")
        else:
            (tap if by == "finger" else press)(page, *word, "done")

    page.goto(f"{rig.address}/memory/p0/correct")
    types("y")  # behind what stands there
    page.wait_for_url("**/memory/*")
    assert "jazzy" in [one.value for one in rig.memory.preferences("favorite_genres")]
    page.goto(f"{rig.address}/memory/search")
    types("tan")
    page.wait_for_url("**/memory")
    assert page.locator(".list .row").count() == 1
    page.goto(f"{rig.address}/drivers/to/1")
    types("1357")
    page.wait_for_url(f"{rig.address}/")
    assert rig.drivers.current.driver == "bert"
    page.context.close()


@pytest.mark.parametrize("arrow", ["ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"])
@pytest.mark.parametrize("path", ["/memory/search", "/drivers/pin"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_turning_one_way_reaches_every_key_and_what_stands_beside_them(
    rig: Rig, chromium: Browser, language: str, path: str, arrow: str
) -> None:
    page = rig.open(chromium)
    rig.choose(page, language=language)
    page.goto(f"{rig.address}{path}")
    every = set(page.evaluate("[...document.querySelectorAll('.key')].map((k) => k.dataset.key)"))
    page.focus(".key")
    seen = {page.evaluate("document.activeElement.dataset.key")}
    for _ in range(130):
        page.keyboard.press(arrow)
        # left and right belong to the caret while a field has the focus: the knob's other way leads out of it
        if page.evaluate("document.activeElement.matches('input')"):
            page.keyboard.press("ArrowDown" if arrow == "ArrowRight" else "ArrowUp" if arrow == "ArrowLeft" else arrow)
        seen.add(page.evaluate("document.activeElement.dataset.key || document.activeElement.tagName"))
    assert every < seen and {"A", "BUTTON"} <= seen


def test_a_real_keyboard_types_beside_ours(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium)
    page.goto(f"{rig.address}/memory/search")
    page.keyboard.type("samba")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory")
    assert page.locator(".list .row").count() == 1


def test_the_german_order_accents_capitals_and_signs(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium, has_touch=True)
    rig.choose(page, language="de")
    page.goto(f"{rig.address}/drivers/manners/name")
    first = "[...document.querySelectorAll('.keys div:first-child .key')].map((k) => k.textContent).join('')"
    assert page.evaluate(first) == "QWERTZUIOPÜ"  # a name begins with a capital
    tap(page, "Z", "o", "accents", "ë", "letters", "shift", "Ä", "ß", "signs", "7", "letters")
    assert page.input_value("input[name=to]") == "ZoëÄß7"
    tap(page, "order")
    assert page.evaluate(first) == "qwertyuiop"
    assert page.locator('.key[data-key="order"]').inner_text() == "DE"
    page.fill("input[name=to]", "x" * 60)
    longest = len(page.input_value("input[name=to]"))
    tap(page, "y")
    assert len(page.input_value("input[name=to]")) == longest  # no more than the field takes
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_a_pin_is_set_tried_and_changed_on_the_pad(rig: Rig, chromium: Browser, size: str) -> None:
    pins = rig.server.screen.parts.pins
    page = rig.open(chromium, size, has_touch=True)
    page.goto(f"{rig.address}/drivers/pin")
    tap(page, *"2469", "erase", "8", "done")
    page.wait_for_url("**/drivers")
    assert pins.has("ada")
    page.goto(f"{rig.address}/drivers/pin")
    tap(page, *"1111", "done", *"1357", "done")  # the first "done" goes on to the second field
    page.wait_for_selector("text=That is not the PIN")
    tap(page, *"2468", "done", *"1357", "done")
    page.wait_for_url("**/drivers")
    assert pins.try_("ada", "1357", rig.car.now).right
    page.context.close()


def test_a_pin_is_entered_with_a_knob(rig: Rig, chromium: Browser) -> None:
    rig.server.screen.parts.pins.set("bert", "1357")
    page = rig.open(chromium)
    page.goto(f"{rig.address}/drivers/to/1")
    press(page, *"1357", "done")
    page.wait_for_url(f"{rig.address}/")
    assert rig.drivers.current.driver == "bert"


def test_the_keys_go_when_the_car_begins_to_move(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium, has_touch=True)
    page.goto(f"{rig.address}/memory/search")
    tap(page, "j")
    rig.car.motion = Motion.MOVING
    page.wait_for_url(f"{rig.address}/")
    assert page.locator(".key, input:not([type=hidden])").count() == 0
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_jumps_when_the_keys_appear(rig: Rig, chromium: Browser, size: str) -> None:
    page = rig.open(chromium, size, script=SHIFTS)
    for path in TYPED_ON:
        page.goto(f"{rig.address}{path}")
        page.wait_for_selector(".key")
        page.focus("main input:not([type=hidden])")
        page.evaluate(
            "document.fonts.ready.then(() => new Promise((go) => requestAnimationFrame(() => setTimeout(go))))"
        )
        assert page.evaluate("window.shifts") == 0, path
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), path
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_a_font_that_comes_late_moves_nothing(rig: Rig, chromium: Browser, size: str) -> None:
    page = rig.open(chromium, size, script=SHIFTS)
    held: list[Route] = []
    page.route("**/atkinson.woff2*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright takes no built-in function
    for path in ("/", "/memory", "/drivers", *TYPED_ON):
        page.goto(f"{rig.address}{path}", wait_until="commit")
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        while not held:
            page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
        while held:
            held.pop().continue_()
        page.wait_for_function(
            "() => [...document.fonts].some((one) => one.family.includes('Atkinson') && one.status === 'loaded')"
        )
        page.evaluate(
            "document.fonts.ready.then(() => new Promise((go) => requestAnimationFrame(() => setTimeout(go))))"
        )
        assert page.evaluate("window.shifts") == 0, path
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight") or size == "390x844", path
    page.context.close()


KEYS = """() => { const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  return [...document.querySelectorAll('.key')].map((k) => k.getBoundingClientRect())
    .reduce(([w, h], box) => [Math.min(w, box.width / scale), Math.min(h, box.height / scale)], [999, 999]); }"""
"""Width and height of the smallest key, in dp."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_keys_are_as_large_as_a_finger_needs(rig: Rig, chromium: Browser, size: str, language: str) -> None:
    """76 dp, as Android for Cars asks; ten keys in a row do not fit 390 px so: there they have the 24 px of WCAG 2.5.8."""
    page = rig.open(chromium, size)
    rig.choose(page, language=language)
    for path in TYPED_ON:
        page.goto(f"{rig.address}{path}")
        page.wait_for_selector(".key")
        width, height = page.evaluate(KEYS)
        assert height >= 75.9, path
        assert width >= (75.9 if size != "390x844" or path == "/drivers/pin" else 24 / 13.3 * 16), path


def test_without_scripts_there_are_no_keys_and_typing_works(rig: Rig, chromium: Browser) -> None:
    page = rig.open(chromium, java_script_enabled=False)
    page.goto(f"{rig.address}/memory/search")
    assert page.locator(".keys").is_hidden()
    page.fill("input[name=text]", "tango")
    page.click("text=Search >> nth=-1")
    assert page.locator(".list .row").count() == 1
