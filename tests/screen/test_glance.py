"""What one glance has to read while the car moves, measured in Chromium: lines and letters of the driving form (docs/screen.md)."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memory.screen.assistant.page import GLANCE
from memory.screen.feed import Happened, What
from memory.screen.wording import sentences
from schemas.events import Motion, Phase
from tests.screen.test_assistant import PORTRAIT, STATES, Finger, car, opened, touch
from tests.screen_rig import COVERED, Rig
from tests.screens import NOW

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py
__all__ = ["car", "touch"]

# ruff: noqa: E501 - a script for the browser reads better in long lines

HEALTH = tuple(key.removeprefix("sound.short.") for key in sentences("en") if key.startswith("sound.short."))
"""Keys of what may be wrong with the sound."""
LINES = 2
"""Lines that one part of the page may take: the turn's line on a panel that stands upright is as wide as its widest word allows."""
PARTS, LETTERS = 6, 90
"""Texts at once, and their letters together: where the turn stands or the time, a line, a value for each of three tiles, and what was
remembered last. Nothing stands there twice."""
READ = """() => [...document.querySelectorAll('main p, main h1:not(.hidden), main button')]
  .filter((e) => e.offsetParent && e.innerText.trim()).map((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    const rows = new Set([...range.getClientRects()].filter((r) => r.width > 1 && r.height > 8).map((r) => Math.round(r.bottom / 12)));
    return [e.matches('button') ? 'button' : e.className, e.innerText.trim(), rows.size];
  })"""
"""Every text of the page: what it is, its words, its lines."""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", [*PORTRAIT])
def test_the_driving_form_is_read_in_one_glance(
    rig: Rig, chromium: Browser, car: object, touch: Finger, size: str, language: str
) -> None:
    page, talk = opened(rig, chromium, size), rig.server.screen.parts.talk
    rig.choose(page, language=language)
    rig.car.motion = Motion.MOVING
    rig.server.screen.parts.feed.tell(
        Happened(What.REMEMBERED, NOW, "the song with the very long name that goes on " * 6, "favorite_songs", "p0")
    )
    most = (0, 0, 0)
    wrong: list[object] = []
    for state, (phase, asking, exchange) in STATES.items():
        page.goto("about:blank")
        talk.clear()
        talk.stands(Phase.IDLE, None, 0)
        talk.stands(phase, asking, 0)
        if exchange is not None:
            talk.replied(exchange, 0)
        page.goto(f"{rig.address}/")
        read: list[tuple[str, str, int]] = page.evaluate(READ)
        told = [text for kind, text, _ in read if kind != "button"]
        assert read and told, (state, read)
        most = tuple(
            map(max, most, (len(told), sum(map(len, told)), sum(lines for kind, _, lines in read if kind != "button")))
        )
        wrong += [(state, *one) for one in read if len(one[1]) > GLANCE or one[2] > LINES]
        if sum(len(text) for text in told) > LETTERS or len(told) > PARTS or len(set(told)) < len(told):
            wrong.append((state, told))
        if exchange is not None:
            shown = " ".join(told)  # a choice's button may have the words that the driver used
            wrong += [(state, "what was said")] if exchange.heard in shown or exchange.reply in shown else []
    sys.stdout.write(f"\n{size} {language}: at most {most[0]} texts, {most[1]} letters, {most[2]} lines\n")
    assert wrong == []
    page.context.close()


TROUBLES: dict[str, dict[str, object]] = {
    **{key: {"sound": lambda key=key: (key, "loudspeaker_hangs")} for key in HEALTH},
    "the car is away": {"vehicle": lambda: False},
    "nobody listens": {"microphone": None},
    "it starts": {"microphone": lambda: False},
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_wrong_is_told_in_one_short_line(
    rig: Rig, chromium: Browser, car: object, touch: Finger, language: str
) -> None:
    """Each trouble of the sound, of the car and of the assistant, on the smallest panel, and what is paused."""
    parts = rig.server.screen.parts
    page = opened(rig, chromium, "800x480")
    rig.choose(page, language=language)
    rig.car.motion = Motion.MOVING
    rig.remembered()

    def told() -> list[tuple[str, str, int]]:
        page.goto("about:blank")
        page.goto(f"{rig.address}/")
        return [one for one in page.evaluate(READ) if one[0] != "button"]

    for trouble, given in TROUBLES.items():
        rig.server.screen.parts = replace(parts, **given)  # type: ignore[arg-type]
        read = told()
        assert any("brief" in kind for kind, _, _ in read), trouble
        assert all(len(text) <= GLANCE and lines <= LINES for _, text, lines in read) and len(read) <= PARTS, (
            trouble,
            read,
        )
    rig.server.screen.parts = parts
    rig.memory.pause(NOW + timedelta(hours=24))
    assert all(len(text) <= GLANCE for _, text, _ in told())
    page.context.close()


def test_what_was_just_forgotten_is_taken_back_while_driving_and_covers_nothing(
    rig: Rig, chromium: Browser, car: object, touch: Finger
) -> None:
    page = rig.open(chromium, "800x480")
    rig.choose(page, language="de")
    page.goto(f"{rig.address}/memory/p7")
    page.locator("footer button").last.click()
    page.wait_for_url("**/leaving/*")
    leaving = page.url
    page.goto("about:blank")
    rig.car.motion = Motion.MOVING
    page.goto(leaving)
    assert len(page.inner_text(".solo h1")) <= GLANCE and page.locator(".solo p").count() == 0
    page.goto("about:blank")
    page.goto(f"{rig.address}/")
    assert page.locator(".banner").is_visible() and page.evaluate(COVERED) == []
    page.click(".banner button")
    page.wait_for_selector(".banner", state="detached")
    assert len(rig.memory.preferences()) == 8
    page.context.close()
