"""What one glance has to read while the car moves, measured in Chromium: lines and letters of the driving form (docs/screen.md)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memory.screen.assistant.page import GLANCE
from memory.screen.assistant.tiles import LONGEST
from schemas.events import Motion, Phase
from tests.screen.test_assistant import PORTRAIT, STATES, Finger, car, opened, touch
from tests.screen_rig import Rig

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py
__all__ = ["car", "touch"]

# ruff: noqa: E501 - a script for the browser reads better in long lines

LINES = 2
"""Lines that one part of the page may take: the turn's line on a panel that stands upright is as wide as its widest word allows."""
PARTS, LETTERS = 5, 90
"""Texts at once, and their letters together: where the turn stands, its line, a value for each of three tiles. Nothing stands there twice."""
READ = """() => [...document.querySelectorAll('main .phase, main .line, main .tile .value, main .trouble, main button, main .learned .value')]
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
        letters = {"line": GLANCE, "value": LONGEST}
        wrong += [(state, *one) for one in read if len(one[1]) > letters.get(one[0], GLANCE) or one[2] > LINES]
        if sum(len(text) for text in told) > LETTERS or len(told) > PARTS or len(set(told)) < len(told):
            wrong.append((state, told))
        if exchange is not None:
            shown = " ".join(told)  # a choice's button may have the words that the driver used
            wrong += [(state, "what was said")] if exchange.heard in shown or exchange.reply in shown else []
    sys.stdout.write(f"\n{size} {language}: at most {most[0]} texts, {most[1]} letters, {most[2]} lines\n")
    assert wrong == []
    page.context.close()
