"""The recogniser beside the frames: what it is fed, when it decodes, and what is known of the words meanwhile.

Owns the sound of the utterance that is open, or has just ended and may go on; the order of the recogniser's work; and when its
words count. Two paces, as in ``voice.loop``:

- *live*: one thread does all of the recogniser's work in the order in which it came up. No frame ever waits for it, and what it
  found is taken up with the next frame.
- *playback*: the work is done at once and measured, and what it found counts when the stream has advanced by as much. What is
  still owed when the utterance ends is added to the time that the reply takes.

Owns no decision: the endpointer says where an utterance ends (``voice.vad.endpoint``), the matcher how much of a sentence the
words are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE, Samples, Standing, Transcript
from schemas.ports import CommandMatcher, Recognizer
from voice.vad.hold import PauseHold

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood of an utterance."""

    whole: Transcript
    tail: Transcript | None = None
    """Where it had ended and went on, and is no complete command as a whole: what was said since, taken by itself."""


class Hearing:
    """One recogniser, fed with one utterance at a time."""

    def __init__(self, recognizer: Recognizer, matcher: CommandMatcher, *, live: bool) -> None:
        """A recogniser that hears nothing yet."""
        self._recognizer, self._matcher = recognizer, matcher
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recogniser") if live else None
        self._hold = PauseHold()
        self._before: Samples = np.zeros(0, np.int16)
        self._sound: list[Samples] = []
        self._tail_from: int | None = None
        self._pause = 0
        """Counts the pauses: what was found in one says nothing in the next."""
        self._found: tuple[float, Transcript | None] | None = None
        """What this pause has shown, and in playback the second from which on it counts."""
        self._whole: tuple[float, str] | None = None
        """Words that are surely a whole sentence, and from which second on that was known."""
        self._early: Transcript | None = None
        """What it had shown before anything was decoded."""
        self._busy_until = 0.0
        self._asked = False
        """Whether the words so far were asked for and are still to come."""
        self._utterance = 0
        """Counts the utterances: words so far that come late still count, but not in the next."""
        self.audio_s = self.cpu_s = 0.0
        """What it was fed, and the processor time that this took."""

    def reset(self) -> None:
        """Another source begins."""
        self._drop()
        self._do(self._recognizer.reset)

    def close(self) -> None:
        """Wait for the recogniser's thread."""
        if self._worker is not None:
            self._worker.shutdown(wait=True, cancel_futures=True)

    # An utterance ------------------------------------------------------------------------------------------------------

    def begin(self, before: Samples, sound: Samples) -> None:
        """A new utterance: the sound before it, which shows the noise, and its first samples."""
        self._drop()
        self._before, self._sound = before, [sound]
        self._restart()

    def take(self, frame: Samples, pause_frames: int, *, fading: bool = False) -> bool:
        """The next frame of the open utterance, and how long the pause has lasted before it.

        Args:
            frame: the frame.
            pause_frames: see ``voice.vad.endpoint.Endpointer``.
            fading: the same; what is decided meanwhile holds if the pause confirms it.

        Returns:
            Whether all has been fed that a pause is given: now it is time to `decide`.
        """
        self._sound.append(frame)
        for one in self._hold.take(frame, pause_frames):
            self._feed(one)
        settled = pause_frames == self._hold.keep - 1
        if settled or not (pause_frames or fading):
            self._forget_words()
        return settled

    def so_far(self, tell: Callable[[str], None]) -> None:
        """Have ``tell`` called with the words so far, on the recogniser's thread; nothing while an earlier call is to come.

        However late the recogniser comes to it, the words are of this utterance or are not told.
        """
        if self._asked:
            return
        self._asked, utterance = True, self._utterance

        def work() -> None:
            self._asked = False
            words = self._recognizer.partial()
            if utterance == self._utterance:
                tell(words)

        self._do(work)

    def follow(self, frame: Samples) -> None:
        """A frame after the end: kept in case the utterance goes on."""
        self._sound.append(frame)

    async def likely(self) -> Transcript | None:
        """What was most likely said, as far as that is known without decoding."""
        pause, found = self._pause, await self._ask(self._recognizer.likely)
        if pause == self._pause:
            self._early = found
        return found

    async def hear(self, at: float) -> Transcript | None:
        """The words so far, before others are weighed against them; None where they are not known sooner than `decide` tells."""
        pause, started = self._pause, time.perf_counter()

        def work() -> Transcript | None:
            try:
                return self._recognizer.hear()
            except GloveboxError:  # it will be told when the utterance ends
                return None

        begins = max(self._busy_until, at)
        found = await self._ask(work)
        if self._worker is None:
            self._busy_until = begins + time.perf_counter() - started
        return found if pause == self._pause else None

    async def decide(self, at: float) -> Transcript | None:
        """Tell the recogniser of the pause that has begun; what was most likely said, None where it cannot tell.

        In playback what is found counts from the second on at which it would have been known (`words`, `owed`).
        """
        pause, started = self._pause, time.perf_counter()

        def work() -> Transcript | None:
            try:
                self._recognizer.pause()
            except GloveboxError:  # it will be told when the utterance ends; until then nothing is known
                return None
            found = self._recognizer.likely()
            if found is not None:
                self._matcher.standing(found.text)  # it remembers: `standing` must take no time
            return found

        begins = max(self._busy_until, at)
        found = await self._ask(work)
        if self._worker is None:
            self._busy_until = begins + time.perf_counter() - started
        if pause == self._pause:
            self._found = (self._busy_until, found)
        return found if pause == self._pause else None

    def words(self, at: float) -> Transcript | None:
        """What was most likely said, if that is known in the pause of this moment."""
        return self._found[1] if self._found is not None and self._found[0] <= at else None

    def whole(self, text: str, at: float) -> None:
        """These words are surely a whole sentence, as is known from this second on; it holds for this pause."""
        self._whole = at, text

    def standing(self, at: float) -> Standing:
        """How much of a sentence that is; nothing is known of words that fit two commands, or only nearly one."""
        words, early = self.words(at), self._early
        if words is None or not words.text or words.alternative:
            return Standing.OPEN
        found = self._matcher.standing(words.text)
        if found is Standing.UNFINISHED or (found is not Standing.OPEN and words.in_grammar):
            return found
        waits = early is not None and self._matcher.standing(early.text) is Standing.CONTINUABLE
        if waits:
            return Standing.CONTINUABLE
        whole = self._whole is not None and self._whole[0] <= at and self._whole[1] == words.text
        return Standing.WHOLE if whole else Standing.OPEN

    def resume(self, samples_ago: int) -> None:
        """The utterance that had ended goes on: a voice began again so many samples ago."""
        whole = np.concatenate(self._sound)
        self._sound = [whole]
        self._tail_from = max(0, len(whole) - samples_ago)
        self._restart()

    async def finish(self, matched: Callable[[Transcript], bool]) -> Heard:
        """The utterance is over: its words.

        Args:
            matched: whether the whole is understood; if not, what was said since it went on is heard by itself, too.

        Raises:
            schemas.errors.ModelError: the recogniser failed.
        """
        tail = None if self._tail_from is None else np.concatenate(self._sound)[self._tail_from :]

        def work() -> Heard:
            whole = self._recognizer.finish()
            if tail is None or matched(whole):
                return Heard(whole)
            self._recognizer.start(self._before)
            self._recognizer.feed(tail)
            return Heard(whole, self._recognizer.finish())

        self._hold.reset()
        return await self._ask(work)

    def owed(self, at: float) -> float:
        """Playback: seconds for which the recogniser is still busy at this moment with what came before."""
        return max(0.0, self._busy_until - at)

    # The recogniser's work ---------------------------------------------------------------------------------------------

    def _drop(self) -> None:
        self._utterance += 1
        self._hold.reset()
        self._sound, self._tail_from = [], None
        self._forget_words()

    def _forget_words(self) -> None:
        """The voice is there: what was found in a pause before is not all."""
        self._found = self._early = self._whole = None
        self._pause += 1

    def _restart(self) -> None:
        before, sound = self._before, np.concatenate(self._sound)
        self._hold.reset()
        self._forget_words()
        self._do(lambda: self._recognizer.start(before))
        if sound.size:
            self._feed(sound)

    def _feed(self, sound: Samples) -> None:
        def work() -> None:
            started = time.process_time()
            self._recognizer.feed(sound)
            self.cpu_s += time.process_time() - started
            self.audio_s += len(sound) / SAMPLE_RATE

        self._do(work)

    async def _ask(self, work: Callable[[], _Answer]) -> _Answer:
        """Have the recogniser do something after all that it was given to do before."""
        if self._worker is None:
            return await asyncio.to_thread(work)
        return await asyncio.wrap_future(self._worker.submit(work))

    def _do(self, work: Callable[[], object]) -> None:
        if self._worker is None:
            work()
        else:
            self._worker.submit(work)
