"""The microphone's frames, live: read by one thread, taken up by the loop's.

Owns how often the loop is woken. While it only waits for the wake word it is woken for a few frames at once: waking costs more than
most frames do. Whoever speaks is never kept waiting by it, for nothing is answered then. Owns no sound and no time.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from schemas.events import Samples

TOGETHER = 3
"""Frames (96 ms) that are taken up at once while nobody has spoken: the wake word is told of later by 64 ms at most, and the chime
waits for .3 s anyway."""
WAITING = 16
"""Frames that wait here at most, for a loop that is too slow; beyond that the microphone keeps them, and says what it loses."""


class FrameReader:
    """Frames from an iterator that blocks, one by one, without blocking the event loop that it is made in."""

    def __init__(self, frames: Iterator[Samples], together: Callable[[], int]) -> None:
        """Begins to read.

        Args:
            frames: the microphone's.
            together: how many frames the loop wants at once at present; called in the reading thread.
        """
        self._frames, self._together = frames, together
        self._loop, self._some = asyncio.get_running_loop(), asyncio.Event()
        self._read: deque[Samples | BaseException | None] = deque()
        """None: there are no more; an error: the microphone failed."""
        self._room = threading.Semaphore(WAITING)
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="frames", daemon=True)
        self._thread.start()

    async def next(self) -> Samples | None:
        """The next frame; None after the last.

        Raises:
            schemas.errors.AudioError: the source failed.
        """
        if self._read:
            await asyncio.sleep(0)  # what else there is to do is done between frames, also by a loop that is behind
        while not self._read:
            self._some.clear()
            await self._some.wait()
        item = self._read.popleft()
        self._room.release()
        if isinstance(item, BaseException):
            raise item
        return item

    def close(self) -> None:
        """Read no more; does not wait for a source that blocks."""
        self._closed = True
        self._room.release()

    def _work(self) -> None:
        try:
            for frame in self._frames:
                self._room.acquire()
                if self._closed:
                    return
                self._read.append(frame)
                if len(self._read) >= self._together():
                    self._wake()
            self._read.append(None)
        except BaseException as error:  # noqa: BLE001 - raised where the frames are taken up
            self._read.append(error)
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._some.set)
