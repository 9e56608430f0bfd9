"""A reply as sound: its first piece plays while the next is made; the voice says what a piece is.

Owns the order of the voice's work and how long a reply sounds. One thread makes all sound, one piece after the other; live the
loop goes on meanwhile, and silence is immediate: what is being made then is thrown away. In playback the pieces are made at once.
A loudspeaker that fails costs the sound, never the program.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

from schemas.errors import AudioError, GloveboxError
from schemas.events import Samples
from schemas.ports import AudioSink, Synthesizer

_log = logging.getLogger("glovebox.voice")


LATELY = 4
"""Texts that are kept to be known again when they echo: more do not sound within a few seconds."""


@dataclass(slots=True)
class Speech:
    """Something to say, of which the first piece is made."""

    text: str
    first: Samples | None
    rest: Iterator[Samples]


class Speaker:
    """The loudspeaker and who speaks through it."""

    def __init__(self, synthesizer: Synthesizer, sink: AudioSink, *, live: bool) -> None:
        """A speaker that says nothing."""
        self._synthesizer, self._sink, self._live = synthesizer, sink, live
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="voice")
        self._making: asyncio.Task[None] | None = None
        self._until = 0.0
        self.text = ""
        """What sounds now; empty: nothing does."""
        self._said: deque[tuple[str, float]] = deque(maxlen=LATELY)
        """What has sounded, and until when."""

    async def prepare(self, text: str, *, ahead: bool = False) -> Speech:
        """Make the first piece.

        Args:
            text: what is to be said.
            ahead: it may never be said: nothing else waits for it to be made.

        Raises:
            schemas.errors.GloveboxError: the voice failed.
        """
        rest = self._synthesizer.synthesize(text)
        first = await (asyncio.to_thread(next, rest, None) if ahead else self._next(rest))
        return Speech(text, first, rest)

    def lengthened(self, speech: Speech, text: str) -> Speech:
        """A speech that was made ahead, as the beginning of this text."""
        if speech.first is None:  # another text was wanted meanwhile, and this one given up
            return Speech(text, None, self._synthesizer.synthesize(text))
        if text == speech.text:
            return speech
        more = self._synthesizer.synthesize(text[len(speech.text) :].strip())
        return Speech(text, speech.first, chain(speech.rest, more))

    async def say(self, speech: Speech, at: Callable[[], float]) -> float:
        """Let it sound; returns its seconds, live those of its first piece.

        Args:
            speech: what `prepare` made.
            at: the present second of the stream.
        """
        self._note()
        self.text, self._until = speech.text, at()
        if speech.first is not None:
            self._play(speech.first, at)
        if self._live:
            self._making = asyncio.create_task(self._rest(speech, at))
        else:
            await self._rest(speech, at)
        return self._until - at()

    def play(self, samples: Samples, at: Callable[[], float]) -> None:
        """Queue a sound that is no words; a loudspeaker that fails is noted in the log."""
        if self.over(at()):
            self._note()
        self._play(samples, at)

    def _play(self, samples: Samples, at: Callable[[], float]) -> None:
        try:
            self._until = max(self._until, at() + self._sink.play(samples))
        except AudioError as error:
            _log.warning("nothing was heard: %s", error)

    def over(self, at: float) -> bool:
        """Whether all of it has been made and heard."""
        return self._making is None and at >= self._until

    @property
    def until(self) -> float:
        """The second of the stream at which what was made by now will have been heard."""
        return self._until

    async def made(self) -> None:
        """Return when all of it is made."""
        if self._making is not None:
            await asyncio.wait([self._making])

    def lately(self, since: float) -> Sequence[str]:
        """What sounded at this second of the stream or after it, or still does; none of it twice."""
        now = [(self.text, self._until if self._making is None else since)]
        return [text for text, until in (*self._said, *now) if text and until >= since]

    def hush(self, at: float) -> None:
        """Silence at once, at this second of the stream; what is being made is thrown away."""
        self._until = min(self._until, at) if self._making is None else at
        self._note()
        if self._making is not None:
            self._making.cancel()
            self._making = None
        self._until, self.text = 0.0, ""
        try:
            self._sink.stop()
        except AudioError as error:
            _log.warning("the loudspeaker cannot be stopped: %s", error)

    def close(self) -> None:
        """Let go of the loudspeaker."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        self._sink.close()

    def _note(self) -> None:
        if self.text:
            self._said.append((self.text, self._until))
            self.text = ""

    async def _rest(self, speech: Speech, at: Callable[[], float]) -> None:
        try:
            while (piece := await self._next(speech.rest)) is not None:
                self._play(piece, at)
        except GloveboxError as error:
            _log.warning("the rest of a reply was not said: %s", error)
        finally:
            if self._making is asyncio.current_task():
                self._making = None

    async def _next(self, pieces: Iterator[Samples]) -> Samples | None:
        if not self._live:
            return await asyncio.to_thread(next, pieces, None)
        return await asyncio.get_running_loop().run_in_executor(self._worker, next, pieces, None)
