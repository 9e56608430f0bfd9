"""Pages as text: templates, the few files beside them, and what every template may use. Everything is escaped."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memory.screen.answers import Page
from memory.screen.departures import Leaving
from memory.screen.feed import Mark
from memory.screen.wording import Wording

_FOLDER = Path(__file__).parent
STATIC = {
    "look.css": "text/css",
    "screen.css": "text/css",
    "assistant.css": "text/css",
    "screen.js": "text/javascript",
    "live.js": "text/javascript",
    "assistant.js": "text/javascript",
    "keyboard.js": "text/javascript",
    "icons.svg": "image/svg+xml",
    "atkinson.woff2": "font/woff2",
}


class Renderer:
    """Turns an answer into the text of a page."""

    def __init__(self) -> None:
        """Nothing is compiled yet: a template is when it is first needed, or by ``prepare``."""
        self._environment, self._version = _environment(), _digest()

    def prepare(self) -> None:
        """Compile all templates, which takes half a second: so that no driver waits for it."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def page(  # noqa: PLR0913 - what a page is made of
        self,
        page: Page,
        *,
        words: Wording,
        token: Callable[[str], str] | None,
        path: str,
        parked: bool,
        look: str,
        chosen: str,
        leaving: Leaving | None,
        now: datetime,
        mark: Mark,
    ) -> str:
        """The whole page as of a mark; ``token`` makes a form's token, None where nobody was let in."""
        left = 0 if leaving is None else max(0, round((leaving.until - now).total_seconds()))
        return self._environment.get_template(page.template).render(
            {"version": self._version, "missed": False, "wait": 0, "tried": None, "unfit": False},
            **page.values,
            t=words,
            token=token,
            path=path,
            parked=parked,
            look=look,
            chosen=chosen,
            banner=leaving if page.template != "leaving.html" and left else None,
            banner_left=left,
            refresh=page.refresh,
            mark=mark,
        )

    def part(
        self, template: str, values: Mapping[str, Any], *, words: Wording, token: Callable[[str], str], parked: bool
    ) -> str:
        """A section alone, for a page that is open."""
        return self._environment.get_template(template).render(
            **values, version=self._version, t=words, token=token, parked=parked
        )

    def static(self, name: str) -> tuple[bytes, str] | None:
        """A file of the page and its type; None where there is none of that name."""
        return (_read(name), STATIC[name]) if name in STATIC else None


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def _read(name: str) -> bytes:
    return (_FOLDER / "static" / name).read_bytes()


def look() -> str:
    """The look as one style sheet with its font inside, for pages that are a file of their own: the demo's and the reports'."""
    font = base64.b64encode(_read("atkinson.woff2")).decode("ascii")
    return _read("look.css").decode("utf-8").replace("/static/atkinson.woff2", f"data:font/woff2;base64,{font}")


@cache
def _digest() -> str:
    """Changes with the files, so that a browser does not keep old ones."""
    return sha256(b"".join(_read(name) for name in STATIC)).hexdigest()[:10]
