"""Moving a memory, looking at one topic and deleting all of it in Chromium: by click and by knob, a second window, a new server."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.screen import ScreenServer
from schemas.memory import Condition, ConditionKind, Sense
from tests.memories import fill
from tests.screen_rig import Rig
from tests.screens import parts_of, preference

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py

GENRES, BANDS = "favorite_genres", "favorite_artists_or_bands"
FOCUSED = """(() => { const here = document.activeElement;
  return here === document.body ? '' : here.getAttribute('aria-label') || here.innerText; })()"""


def click(page: Page, name: str) -> None:
    """With a finger: what is called so, alone."""
    called = re.compile(rf"^{name}( \d|$)")  # a row of the list of topics says how much it has, too
    page.get_by_role("link", name=called).or_(page.get_by_role("button", name=called)).click()


def turn(page: Page, name: str) -> None:
    """With a knob: turned until what is called so is lit, then pressed."""
    page.wait_for_load_state()
    for _ in range(130):
        if page.evaluate(FOCUSED).strip().partition("\n")[0] == name:
            page.keyboard.press("Enter")
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the knob never reached {name}")


BY = pytest.mark.parametrize("choose", [click, turn], ids=["click", "knob"])


def held(rig: Rig, detail: str) -> set[str]:
    """The values that are remembered under a topic."""
    return {one.value for one in rig.memory.preferences(detail)}


def beside(rig: Rig, chromium: Browser, path: str) -> Page:
    """A second window, whose channel is open."""
    page = rig.open(chromium)
    with page.expect_response("**/live?seen=*"):
        page.goto(f"{rig.address}{path}")
    return page


@BY
def test_a_memory_is_moved_and_taken_back_and_a_second_window_follows(
    rig: Rig, chromium: Browser, choose: Callable[[Page, str], None]
) -> None:
    fill(rig.memory, preference("m", "miles davis"))
    second, page = beside(rig, chromium, f"/memory?in={GENRES}"), rig.open(chromium)
    assert second.locator(".list .value >> text=Miles Davis").count() == 1
    go = partial(choose, page)
    page.goto(f"{rig.address}/memory/m")
    go("Move")
    page.wait_for_url("**/memory/m/move")
    go("Music")
    page.wait_for_url("**/memory/m/move?in=*")
    go("Move to Artists and bands")
    page.wait_for_selector("text=Undo the move")
    assert "miles davis" in held(rig, BANDS) and "miles davis" not in held(rig, GENRES)
    second.wait_for_selector(".list .value >> text=Miles Davis", state="detached")
    go("Undo the move")
    page.wait_for_selector("text=Undo the move", state="detached")
    assert "miles davis" in held(rig, GENRES) and not held(rig, BANDS)
    second.wait_for_selector(".list .value >> text=Miles Davis")
    second.context.close()
    page.context.close()


@BY
def test_one_topic_is_looked_at_deleted_and_taken_back_and_a_second_window_follows(
    rig: Rig, chromium: Browser, choose: Callable[[Page, str], None]
) -> None:
    fill(rig.memory, *(preference(f"b{n}", f"band {n}", BANDS) for n in range(3)))
    second, page = beside(rig, chromium, f"/memory?in={BANDS}"), rig.open(chromium)
    assert second.locator(".list .row").count() == 3
    go = partial(choose, page)
    go("Memory")
    page.wait_for_url("**/memory")
    go("Topic")
    page.wait_for_url("**/memory/topics")
    go("Artists and bands")
    page.wait_for_url(f"**/memory?in={BANDS}")
    assert page.locator(".list .row").count() == 3 and "Artists and bands · 3 found" in page.inner_text(".narrowed")
    go("Delete these")
    page.wait_for_url("**/memory/delete")
    assert page.locator("h1").inner_text() == "Delete 3 memories?" and len(held(rig, BANDS)) == 3
    go("Delete")
    page.wait_for_url("**/leaving/*")
    assert not held(rig, BANDS) and len(held(rig, GENRES)) == 8
    second.wait_for_selector(".list .row", state="detached")
    go("Undo")
    page.wait_for_selector(".list .row")
    assert len(held(rig, BANDS)) == 3
    second.wait_for_selector(".list .row")
    second.context.close()
    page.context.close()


@BY
def test_what_a_search_finds_is_kept_when_asked_and_then_deleted(
    rig: Rig, chromium: Browser, choose: Callable[[Page, str], None]
) -> None:
    fill(rig.memory, preference("r", "rockabilly"))
    second, page = beside(rig, chromium, "/memory"), rig.open(chromium)
    go = partial(choose, page)
    page.goto(f"{rig.address}/memory/search")
    page.keyboard.type("rock")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory")
    assert page.locator(".list .row").count() == 2 and "“rock” · 2 found" in page.inner_text(".narrowed")
    go("Delete these")
    page.wait_for_url("**/memory/delete")
    go("Keep it")
    page.wait_for_url("**/memory")
    assert {"rock", "rockabilly"} <= held(rig, GENRES)
    go("Delete these")
    page.wait_for_url("**/memory/delete")
    go("Delete")
    page.wait_for_url("**/leaving/*")
    assert held(rig, GENRES) == {"jazz", "soul", "blues", "ska", "swing", "tango", "samba"}
    second.wait_for_selector(".list .value >> text=rockabilly", state="detached")
    second.context.close()
    page.context.close()


def test_after_a_restart_it_is_moved_looked_at_and_deleted_as_before(
    rig: Rig, chromium: Browser, tmp_path: Path
) -> None:
    """What was open before counts for nothing; the address of the new start opens a page on which everything works."""
    folder = tmp_path / "again"
    fill(rig.memory, preference("m", "miles davis"))
    page = chromium.new_page()
    with ScreenServer(parts_of(rig.car, rig.drivers, folder), folder) as first:
        page.goto(first.address)
        page.goto(f"{first.address.partition('/enter')[0]}/memory/m/move?in=music")
    page.wait_for_selector(".lost")
    assert "miles davis" in held(rig, GENRES)
    with ScreenServer(parts_of(rig.car, rig.drivers, folder), folder) as second:
        page.goto(second.address)
        address = second.address.partition("/enter")[0]
        page.goto(f"{address}/memory/m/move?in=music")
        click(page, "Move to Artists and bands")
        page.wait_for_selector("text=Undo the move")
        page.goto(f"{address}/memory?in={BANDS}")
        click(page, "Delete these")
        click(page, "Delete")
        page.wait_for_url("**/leaving/*")
        assert not held(rig, BANDS) and len(held(rig, GENRES)) == 8
        page.goto("about:blank")
    page.close()


def test_the_count_that_was_asked_about_is_the_count_that_is_told_afterwards(rig: Rig, chromium: Browser) -> None:
    """What belongs to a memory, like the value that it took the place of, goes with it: both pages say so."""
    fill(rig.memory, preference("w", "the temptations", BANDS))
    rig.memory.correct("w", "the four tops")
    page = rig.open(chromium)
    page.goto(f"{rig.address}/memory?in={BANDS}")
    click(page, "Delete these")
    assert page.inner_text("h1") == "Delete one memory?"
    assert "One thing that belongs to it goes, too." in page.inner_text("main")
    click(page, "Delete")
    page.wait_for_url("**/leaving/*")
    assert "One memory is out of sight. So is one thing that belongs to it." in page.inner_text("main")
    click(page, "Undo")
    page.wait_for_url("**/memory")
    page.goto(f"{rig.address}/categories/music")
    page.get_by_role("switch", name="Artists and bands").click()
    page.wait_for_url("**/kept")
    assert "one thing is remembered" in page.inner_text("main") and "belongs to it goes, too" in page.inner_text("main")
    click(page, "Delete it")
    page.wait_for_url("**/leaving/*")
    assert "One memory is out of sight. So is one thing that belongs to it." in page.inner_text("main")
    page.context.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_whatever_a_row_shows_is_found(rig: Rig, chromium: Browser, language: str) -> None:
    """Each word of every row of the list, and of what was kept; whole words first, in the language that is shown."""
    evening = Condition(kind=ConditionKind.TIME_OF_DAY, value="evening", words="in the evening")
    fill(
        rig.memory,
        preference("f", "low", "fan_speed_preferences"),
        preference("c", "italian", "favourite_cuisine").model_copy(update={"conditions": (evening,)}),
        preference("d", "opera").model_copy(update={"sense": Sense.DISLIKES}),
    )
    page = rig.open(chromium)
    rig.choose(page, language=language)

    def rows() -> list[str]:
        return page.locator(".list .row").all_inner_texts()

    def look_for(words: str) -> list[str]:
        page.goto(f"{rig.address}/memory/search")
        page.fill("input[name=text]", words)
        page.keyboard.press("Enter")
        page.wait_for_url("**/memory")
        return rows()

    page.goto(f"{rig.address}/memory?all=1&in=")
    shown = [[words for words in one.split("\n") if words.strip()][:2] for one in rows()]  # the sentence and its topic
    assert len(shown) == 6
    for sentence, *label in shown:
        for words in (sentence, *label):
            assert words.strip() == "" or any(sentence in one for one in look_for(words.strip())), words
    german = language == "de"
    assert (
        len(look_for("schwach" if german else "gently")) == 1 and len(look_for("abends" if german else "evening")) == 1
    )
    assert len(look_for("gebläse" if german else "fan")) == 1
    kept = look_for("spare key")
    assert len(kept) == 6 and all("spare key of box" in one for one in kept)  # of seven, on two pages
    page.locator("a[rel=next]").click()
    page.wait_for_url("**page=1")
    assert len(rows()) == 1 and "box" in rows()[0]
    both = look_for("so") if not german else look_for("box 3")
    assert any("soul" in one for one in both) or german
    page.context.close()


def test_coming_back_after_something_was_deleted_shows_what_is_left(rig: Rig, chromium: Browser) -> None:
    """Back goes to a list, whatever was answered on the way; no page says that something could not be read."""
    page = rig.open(chromium)
    page.goto(f"{rig.address}/memory?in={GENRES}")
    click(page, "Delete these")
    click(page, "Delete")
    page.wait_for_url("**/leaving/*")
    page.go_back()
    page.wait_for_url("**/memory")
    assert page.locator("[role=alert]").count() == 0 and page.locator(".banner").is_visible()
    page.click(".banner button")
    page.wait_for_url("**/memory")
    page.goto(f"{rig.address}/privacy/everything")
    click(page, "Delete everything")
    page.wait_for_selector("text=Really delete everything?")
    click(page, "Delete everything")
    page.wait_for_url("**/leaving/*")
    page.go_back()  # the page that asked a second time was the answer to a form
    page.wait_for_selector("h1")
    assert page.locator("[role=alert]").count() == 0 and page.inner_text("h1") == "Delete everything?"
    for path, there in (("/memory/p0/forget", "/memory"), ("/privacy/everything/really", "/privacy"), ("/talk", "/")):
        page.goto(f"{rig.address}{path}")  # what only answers forms
        assert page.url == f"{rig.address}{there}"
    page.context.close()
