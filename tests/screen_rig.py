"""What the tests of the screen in a browser share: a screen that is served, the car around it, and pages opened on it.

Needs the package playwright, Debian's chromium and, for accessibility, axe-core (docs/screen.md). Where one of them is absent
tests are skipped and say so; in continuous integration they fail.
"""

from __future__ import annotations

import os
import shutil
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deploy.screen import ScreenServer
from memory.screen.feed import Happened, What
from memory.screen.sessions import MOST_SESSIONS
from memory.service import DriverMemory
from schemas.memory import Fact
from tests.memories import fill
from tests.screens import NOW, Car, ask, drivers_of, parts_of, preference

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(__file__).parents[1] / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""As deploy/up --dev fetches it."""
SIZES = {
    "800x480": (800, 480),
    "1280x720": (1280, 720),
    "1920x720": (1920, 720),
    "390x844": (390, 844),
}
PAGES = ("/", "/latest", "/questions", "/memory", "/memory/search", "/memory/when", "/memory/p0", "/memory/p0/correct",
         "/categories", "/memory?in=kept", "/memory/delete", "/memory/topics", "/memory/p0/move", "/memory/p0/move?in=music",
         "/facts/k0", "/facts/k0/correct", "/memory?in=",
         "/categories/restaurant", "/privacy", "/privacy/special", "/privacy/special?page=1", "/about?page=1",
         "/privacy/retention", "/privacy/files", "/privacy/delete", "/privacy/everything",
         "/memory/learned", "/drivers", "/drivers/manners", "/drivers/manners/name", "/drivers/offers", "/drivers/pin",
         "/drivers/to/1", "/drivers/delete", "/drivers/hand-over", "/about", "/nowhere")  # fmt: skip


COVERED = """() => [...document.querySelectorAll('main a[href], main button, .rail a, main input:not([type=hidden]), main p, main h1')]
  .filter((e) => e.offsetParent && !e.closest('.banner, .hidden') && !e.matches('.hidden')).filter((e) => {
    const banner = document.querySelector('.banner').getBoundingClientRect(), box = e.getBoundingClientRect();
    return Math.min(banner.right, box.right) - Math.max(banner.left, box.left) > 1 && Math.min(banner.bottom, box.bottom) - Math.max(banner.top, box.top) > 1;
  }).map((e) => (e.innerText || e.getAttribute('aria-label') || e.name).trim())"""  # noqa: E501
"""What lies under the banner."""

WITHIN_MS = 120_000
"""How long a page may take on however busy a machine; nothing waits so long but what has gone wrong."""
SHORT = "/tmp"  # noqa: S108 - Chromium's own files there have names that nobody guesses
"""Chromium ends at once where its sockets' paths are longer than a socket's path may be (108 bytes): not under a test's folder."""


def insisting(goto: Callable[..., Any]) -> Callable[..., Any]:
    """``Page.goto`` that goes there though the page goes elsewhere by itself just then: to the driving page, or to itself anew."""
    from playwright.sync_api import Error  # not installed everywhere

    def go(url: str, **options: Any) -> Any:
        while True:
            try:
                return goto(url, **options)
            except Error as error:
                if "interrupted by another navigation" not in error.message:
                    raise

    return go


def absent(what: str) -> None:
    """A tool of these tests is not there: skip, but never silently where everything must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; deploy/check installs it, and in continuous integration nothing may be left out")
    pytest.skip(what)


def others_come_in(server: ScreenServer) -> None:
    """As many other browsers as may be are let in: those before them are known no more."""
    for _ in range(MOST_SESSIONS):
        assert server.screen.door.enter(server.screen.door.secret) is not None


class Rig:
    """A screen that is served, the car around it, and the memory behind it."""

    def __init__(self, folder: Path) -> None:
        self.car, self.folder = Car(), folder
        self.drivers = drivers_of(self.car)
        self.memory = self.drivers.memories["ada"]
        values = ("jazz", "soul", "blues", "rock", "ska", "swing", "tango", "samba")
        fill(self.memory, *(preference(f"p{n}", value, days=n) for n, value in enumerate(values)))
        assert isinstance(self.memory, DriverMemory)
        for number in range(7):
            fact = Fact(
                id=f"k{number}", text=f"the spare key of box {number} is under the mat of the house", about="my sister",
                said_at=NOW - timedelta(hours=number), conversation="c", until=NOW + timedelta(days=9), until_words="till then",
            )  # fmt: skip
            self.memory.session.store.facts.add(fact, NOW)
        ask(self.memory)
        self.changed: list[float] = []
        """When somebody else took the seat or something was forgotten, as the browser's clock says it."""
        self.drivers.seat.follow(lambda: self.changed.append(time.time()))
        self.drivers.seat.observe(lambda forgotten: self.changed.append(time.time()) if forgotten else None)
        self.server = ScreenServer(parts_of(self.car, self.drivers, folder), folder)

    @property
    def address(self) -> str:
        return self.server.address.partition("/enter")[0]

    def remembered(self, value: str = "jazz") -> None:
        self.server.screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, value, "favorite_genres", "p0"))

    def open(self, chromium: Browser, size: str = "1280x720", script: str = "", **options: Any) -> Page:
        """A page that was let in; ``script`` runs in every page before its own, brought in by DevTools."""
        width, height = map(int, size.split("x"))
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(WITHIN_MS)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.goto = insisting(page.goto)
        page.goto(self.server.address)
        return page

    def choose(self, page: Page, **cookies: str) -> None:
        """Language and look of a page, as the page About sets them."""
        page.context.add_cookies(
            [{"name": name, "value": value, "url": self.address} for name, value in cookies.items()]
        )
