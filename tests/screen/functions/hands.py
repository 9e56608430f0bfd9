"""Ways to press what a page shows: with a finger, with the Tab key, with a knob. None of them reads words: any language will do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.screen.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

MOST_TURNS = 150
"""Steps of a knob within which everything on a page is reached; a page with all keys has ninety things to press."""
_SHAPES = [
    (f"{entry.method} {entry.path}", entry.method, re.compile(re.sub(r"\{\w+\}", "[^/]+", entry.path) + r"\Z"))
    for entry in ROUTES
]


def route_of(method: str, path: str) -> str:
    """The address of the table that serves this one: as there, the first that fits. Empty for none."""
    return next((name for name, own, shape in _SHAPES if own == method and shape.match(path)), "")


def link(address: str) -> str:
    """What leads there."""
    return f'main a[href="{address}"]'


def rail(address: str) -> str:
    """The main page of that address, at the edge."""
    return f'.rail a[href="{address}"]'


def act(action: str, **fields: str) -> str:
    """The button that sends this; ``*`` in the address stands for what is only known then."""
    head, star, tail = action.partition("*")
    ends = f'[action$="{tail}"]' if tail else ""
    form = f'form[action^="{head}"]{ends}' if star else f'form[action="{action}"]'
    chosen = "".join(f':has(input[name="{name}"][value="{value}"])' for name, value in fields.items())
    return f"{form}{chosen} button"


@dataclass(frozen=True, slots=True)
class Type:
    """Letters for a field."""

    field: str
    text: str

    @property
    def css(self) -> str:
        """The field."""
        return f'main input[name="{self.field}"]'


Step = str | Type


def finger(page: Page, step: Step) -> None:
    """A tap; letters come from our own keys elsewhere (``tests/screen/test_touch.py``)."""
    if isinstance(step, Type):
        page.fill(step.css, step.text)
    else:
        page.locator(step).first.click()


def _reach(page: Page, css: str, key: str) -> None:
    page.wait_for_selector(css)
    page.wait_for_load_state()
    for _ in range(MOST_TURNS):
        if page.evaluate("(css) => document.activeElement?.matches(css)", css):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} never reached {css}")


def _by(key: str) -> Callable[[Page, Step], None]:
    def hand(page: Page, step: Step) -> None:
        _reach(page, step.css if isinstance(step, Type) else step, key)
        if isinstance(step, Type):
            page.keyboard.press("Control+A")
            page.keyboard.type(step.text)
        else:
            page.keyboard.press("Enter")

    return hand


keyboard, knob = _by("Tab"), _by("ArrowDown")
"""Tab and Enter; turning one way and pressing."""
