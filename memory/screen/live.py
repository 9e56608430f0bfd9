"""What a page that stays open is told: server-sent events, with the text of the section that changed and the driving state.

The pages work without it. When the stream falls silent the page's script covers what it shows: the car may have begun to move.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from memory.screen.feed import Feed, Mark
from schemas.errors import GloveboxError

LOOK_S = 0.2
"""How often the driving state is looked at while a page is open: what is locked is covered within 300 ms."""
BEAT_EVERY = 10
"""Looks between two beats: every two seconds; the script gives up after three missed ones."""


class Watch:
    """One page that is open."""

    def __init__(
        self,
        feed: Feed,
        parked: Callable[[], Awaitable[bool]],
        section: Callable[[], str],
        welcome: Callable[[], bool],
        seen: Mark | None = None,
        look: Callable[[], str] = str,
    ) -> None:
        """Watches a feed.

        Args:
            feed: what happens.
            parked: whether the car is surely parked.
            section: the text of what is shown live.
            welcome: whether the session still counts.
            seen: when the page was made; None: now.
            look: day or night colours, as the page should have them now.
        """
        self._feed, self._look, self._section, self._welcome = feed, parked, section, welcome
        self._seen = seen or feed.mark
        self._colours = look
        self.parked = False

    async def events(self) -> AsyncGenerator[str]:
        """The stream."""
        with self._feed.watched() as inbox:
            self.parked = await self._look()
            yield _event("motion", "parked" if self.parked else "moving")
            looks, first, colours = 0, True, self._colours()
            while self._welcome():
                changed = first  # what happened between the page and this stream
                if not first:
                    try:
                        await asyncio.wait_for(inbox.get(), LOOK_S)
                        changed = True
                    except TimeoutError:
                        changed = False
                first = False
                for name in self._out_of_date():
                    yield _event(name, "")
                before, self.parked = self.parked, await self._look()
                if before != self.parked:
                    yield _event("motion", "parked" if self.parked else "moving")
                if colours != (colours := self._colours()):
                    yield _event("look", colours)
                if changed:
                    try:
                        yield _event("happened", await run_in_threadpool(self._section))
                    except GloveboxError:
                        yield _event("happened", "")
                looks += 1
                if looks % BEAT_EVERY == 0:
                    yield _event("beat", "")
            yield _event("end", "")

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


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
