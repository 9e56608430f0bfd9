"""What a page that stays open is told: server-sent events, with the text of the section that changed and the driving state.

The pages work without it. When the stream falls silent the page's script covers what it shows: the car may have begun to move.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from memory.screen.feed import Feed, Mark
from schemas.errors import GloveboxError

LOOK_S = 0.2
"""How often the driving state is looked at while a page is open: what is locked is covered within 300 ms."""
SOON_S = 0.05
"""How often it is looked whether somebody else drives while the car or the memory is slow to answer."""
BEAT_EVERY = 10
"""Looks between two beats: every two seconds; the script gives up after three missed ones."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that is made anew when it would be another."""

    name: str
    """Of its event."""
    version: Callable[[], object]
    """Differs when the text does; cheap."""
    text: Callable[[], str]
    """Made on another thread."""


class Watch:
    """One page that is open."""

    def __init__(
        self,
        feed: Feed,
        parked: Callable[[], Awaitable[bool]],
        sections: Sequence[Section],
        welcome: Callable[[], bool],
        seen: Mark | None = None,
        light: Callable[[], Mapping[str, object]] = dict[str, object],
    ) -> None:
        """Watches a feed.

        Args:
            feed: what happens.
            parked: whether the car is surely parked.
            sections: what is shown live; each is told at first, too: something may have happened between the page and this stream.
            welcome: whether the session still counts.
            seen: when the page was made; None: now.
            light: values that need no text of a section: events by their names, told when they are others.
        """
        self._feed, self._look, self._sections, self._welcome = feed, parked, sections, welcome
        self._light = light
        self._seen = seen or feed.mark
        self.parked = False

    async def events(self) -> AsyncGenerator[str]:
        """The stream. What changes is told before the driving state is looked at again: that is asked of the car."""
        told: dict[str, object] = {}
        with self._feed.watchers.watched() as inbox:
            self.parked = await self._look()
            yield _event("motion", "parked" if self.parked else "moving")
            looks = 0
            while self._welcome():
                for name in self._out_of_date():
                    yield _event(name, "")
                for name, value in self._light().items():
                    if told.get(name) != value:
                        told[name] = value
                        yield _event(name, value)
                for section in self._sections:
                    version = section.version()
                    if section.name not in told or told[section.name] != version:
                        told[section.name] = version
                        era, made = self._seen.era, asyncio.ensure_future(self._text(section))
                        async for event in self._meanwhile(made):
                            yield event
                        if era == self._seen.era:
                            yield _event(section.name, made.result())
                        else:  # it may tell of who drove before, or of what was forgotten: made again
                            del told[section.name]
                state = asyncio.ensure_future(self._look())
                async for event in self._meanwhile(state):
                    yield event
                before, self.parked = self.parked, state.result()
                if before != self.parked:
                    yield _event("motion", "parked" if self.parked else "moving")
                looks += 1
                if looks % BEAT_EVERY == 0:
                    yield _event("beat", "")
                with suppress(TimeoutError):
                    await asyncio.wait_for(inbox.get(), LOOK_S)
            yield _event("end", "")

    async def _meanwhile(self, work: asyncio.Future[Any]) -> AsyncGenerator[str]:
        """Says what a page does not know until some work is done, and at least once: nobody waits for that to be covered."""
        while True:
            for name in self._out_of_date():
                yield _event(name, "")
            if work.done():
                return
            await asyncio.wait({work}, timeout=SOON_S)

    @staticmethod
    async def _text(section: Section) -> str:
        try:
            return await run_in_threadpool(section.text)
        except GloveboxError:
            return ""

    def _out_of_date(self) -> Iterator[str]:
        """What a page that was made when it was looked at last does not know: another driver before anything else."""
        before, self._seen = self._seen, self._feed.mark
        if before.shift != self._seen.shift:
            yield "driver"
        elif before.era != self._seen.era:
            yield "forgotten"
        elif before.stored != self._seen.stored:
            yield "stored"


PICTURE_S = 0.1
"""How often the picture of the development page is looked at: a window takes seconds, a light none."""


async def pictures(section: Callable[[], str], welcome: Callable[[], bool]) -> AsyncGenerator[str]:
    """The section of the development page whenever it looks different, and a beat every two seconds."""
    shown, looks = "", 0
    while welcome():
        text = await run_in_threadpool(section)
        if text != shown:
            shown = text
            yield _event("car", text)
        if looks % round(LOOK_S * BEAT_EVERY / PICTURE_S) == 0:
            yield _event("beat", "")
        looks += 1
        await asyncio.sleep(PICTURE_S)
    yield _event("end", "")


def stream(events: AsyncGenerator[str], headers: Mapping[str, str]) -> StreamingResponse:
    """Events as a response."""
    return StreamingResponse(events, media_type="text/event-stream", headers=dict(headers))


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


class Recent:
    """The driving state for pages that stay open: looked at once for all of them."""

    def __init__(self, look: Callable[[], Awaitable[bool]]) -> None:
        """Not looked yet; ``look`` asks the car."""
        self._look, self._asked = look, asyncio.Lock()
        self._at, self._parked = -math.inf, False

    async def __call__(self) -> bool:
        """Whether the car is surely parked, as it was half a look ago at the latest."""
        async with self._asked:
            if time.monotonic() - self._at > LOOK_S / 2:
                self._parked, self._at = await self._look(), time.monotonic()
            return self._parked


class Traffic:
    """What the pages ask for, as far as the end has to wait for it. Changed by the server's thread alone, read by any."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.streams = 0
        self._last = -math.inf

    @property
    def calm_s(self) -> float:
        """Seconds since anything was asked for or answered."""
        return time.monotonic() - self._last

    @contextmanager
    def under_way(self, path: str, *, asks: bool) -> Generator[None]:
        """A request to this path; ``asks``: it only asks whether somebody is there, and is told that nobody is."""
        stream = path.endswith("/live")
        self.streams += stream
        if not (stream or asks):
            self._last = time.monotonic()
        try:
            yield
        finally:
            self.streams -= stream
            if not (stream or asks):
                self._last = time.monotonic()
