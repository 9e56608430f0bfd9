"""From what was heard to a reply whose first sound is made; and the same ahead, while the driver pauses.

Owns the order of it: words, reply, sound. As soon as a pause shows what was said, the reply to it is foreseen
(``voice.dialogue.agent.Dialogue.foresee``: a look, which acts on nothing and notes nothing) and its first sound is made. A complete
command is foreseen at once, free speech when its recogniser has the words, while commands are weighed against them. If the
utterance ends with these words and the reply is the one that was foreseen, its sound is there; if the voice returns or the words
change, it is thrown away. Every error ends as a spoken failure and a record, never as silence. Owns no decision about a turn, and
none about a reply.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Indel

from schemas.errors import GloveboxError
from schemas.events import FRAME, SAMPLE_RATE, Reply, Transcript
from schemas.ports import CommandMatcher
from voice.account import Observer, RunningTurn, ms_since
from voice.dialogue.agent import Dialogue
from voice.dialogue.amending import First
from voice.dialogue.ours import ECHO_S
from voice.hearing import Heard, Hearing
from voice.speaking import Speaker, Speech
from voice.turn import Answered, Closed, Failed, TurnEvent, Unheard

_log = logging.getLogger(__name__)

DECIDE_AFTER_S = 0.09
"""Pause after which what seems to be no command is decided, which costs some .2 s of processor time: a stop consonant closes for
less, and what is decided for nothing delays what counts. What seems to be a command is decided at once."""
EARLY_ALIKE = 0.6
"""Likeness of the words that were decided and the command that they seemed to be from which on the reply to that stays foreseen:
the end may show that it was meant."""


@dataclass(slots=True)
class _Foreseen:
    """A reply that is being made ahead."""

    heard: Transcript
    making: asyncio.Task[Speech | None]
    text: str = ""
    """The reply; empty until it is known."""
    ready_s: float = 0.0
    """In playback: the second of the stream at which its sound would have been there."""


class Thinking:
    """What happens between the driver's words and the first sound of the reply."""

    def __init__(
        self,
        hearing: Hearing,
        dialogue: Dialogue,
        speaker: Speaker,
        matcher: CommandMatcher,
        observer: Observer,
        *,
        live: bool,
    ) -> None:
        """Nothing is thought about yet."""
        self._hearing, self._dialogue, self._speaker = hearing, dialogue, speaker
        self._matcher, self._observer, self._live = matcher, observer, live
        self._turn: RunningTurn | None = None
        """The turn that is thought about ahead."""
        self._ahead: _Foreseen | None = None
        self._looking: asyncio.Task[None] | None = None
        self._decided = False
        """Whether this pause was decided, or is being."""

    # Ahead -------------------------------------------------------------------------------------------------------------

    async def glance(self, turn: RunningTurn, at: float) -> None:
        """The voice fades: decide on what surely seems to be a command, and foresee the reply to it; a pause will confirm it."""
        self.drop()
        self._turn = turn
        await self._go_on(self._glance(turn, at))

    async def look(self, turn: RunningTurn, at: float) -> None:
        """A pause has begun: decide on what seems to be a command, and foresee the reply to it. Live it goes on by itself."""
        if self._turn is not turn:
            self.drop()
        self._turn, self._decided = turn, False
        await self._go_on(self._look(turn, at, self._looking))

    async def linger(self, turn: RunningTurn, pause_frames: int, at: float) -> None:
        """The pause goes on: decide on the rest, and foresee the reply to free speech."""
        paused_s = pause_frames * FRAME / SAMPLE_RATE
        if self._turn is turn and not self._decided and paused_s >= DECIDE_AFTER_S:
            await self._go_on(self._decide(turn, at))
        words = self._hearing.words(at)
        if self._ahead is not None or words is None:
            return
        self._foresee(turn, words, _stream(at))
        if not self._live:
            await self._made()

    def drop(self) -> None:
        """The voice is there again, or nobody waits for a reply: what was foreseen is thrown away."""
        for task in (self._looking, self._ahead.making if self._ahead is not None else None):
            if task is not None:
                task.cancel()
        self._looking = self._ahead = None

    async def _glance(self, turn: RunningTurn, at: float) -> None:
        early = await self._hearing.likely()
        if early is not None and early.in_grammar:
            await self._decide(turn, at, early)

    async def _look(self, turn: RunningTurn, at: float, glance: asyncio.Task[None] | None) -> None:
        if glance is not None:
            await glance
        early = await self._hearing.likely()
        if early is None or early.in_grammar:
            await self._decide(turn, at, early)

    async def _decide(self, turn: RunningTurn, at: float, early: Transcript | None = None) -> None:
        self._decided, now = True, _stream(at)
        if early is None:
            early = await self._hearing.hear(at)
        deciding = asyncio.create_task(self._hearing.decide(at))
        if early is not None:
            self._foresee(turn, early, now)
        found = await deciding
        if found is not None and (found.in_grammar or found.alternative):
            self._foresee(turn, found, now)
        elif self._ahead is not None and (found is None or early is None or not _alike(early, found)):
            self._ahead.making.cancel()
            self._ahead = None

    async def _go_on(self, work: Coroutine[Any, Any, None]) -> None:
        self._looking = asyncio.create_task(work)
        if not self._live:
            await self._looking
            await self._made()

    def _foresee(self, turn: RunningTurn, heard: Transcript, now: Callable[[], float]) -> None:
        if turn.earlier is not None or not heard.text or (self._ahead and self._same(self._ahead.heard, heard)):
            return
        if self._ahead is not None:
            self._ahead.making.cancel()

        async def make() -> Speech | None:
            try:
                said = self._speaker.lately(turn.began_s - ECHO_S)
                addressed = turn.wake is not None
                text = await self._dialogue.foresee(heard, addressed=addressed, said=said)
                if not heard.in_grammar and await self._dialogue.is_whole(heard, addressed=addressed):
                    self._hearing.whole(heard.text, now())
                if not text:
                    return None
                ahead.text = text
                return await self._speaker.prepare(text, ahead=True)
            except Exception:  # noqa: BLE001 - it will be told when the reply is made
                return None
            finally:
                ahead.ready_s = now()

        ahead = self._ahead = _Foreseen(heard, asyncio.create_task(make()))

    def _same(self, one: Transcript, other: Transcript) -> bool:
        if (one.in_grammar, one.alternative) != (other.in_grammar, other.alternative):
            return False
        return one.text == other.text or (
            one.in_grammar and self._matcher.match(one.text) == self._matcher.match(other.text)
        )

    async def _made(self) -> None:
        """In playback the stream waits: it has not come to the moment at which this is ready."""
        if self._ahead is not None:
            await asyncio.wait([self._ahead.making])

    # At the end ----------------------------------------------------------------------------------------------------------

    async def think(self, turn: RunningTurn) -> type[TurnEvent]:
        """Words, reply, first sound."""
        latency = turn.latency_ms
        try:
            started = time.perf_counter()
            if self._turn is turn and self._looking is not None:
                await asyncio.wait([self._looking])
            heard = Heard(turn.tapped) if turn.tapped else await self._hearing.finish(self._is_command)
            turn.transcript = heard.whole
            latency["recognise"] = ms_since(started)
            reply = await self._replied(turn, heard)
            if reply is None or turn.superseded:
                return Unheard
            turn.reply = reply
            latency.update(reply.timings)
            if not reply.text:
                return Unheard
            started_speaking = time.perf_counter()
            turn.speech = await self._foreseen(turn, reply.text)
            if turn.speech is None:
                turn.speech = await self._speaker.prepare(reply.text)
            latency["synthesise"] = ms_since(started_speaking)
        except GloveboxError as error:
            turn.error = error
            return Failed
        except Exception as error:  # noqa: BLE001 - a defect of ours: the driver is told, and the next turn begins
            turn.error = _unexpected(error)
            return Failed
        finally:
            if self._turn is turn:  # else another one has begun
                self.drop()
        latency["total"] = ms_since(started) + latency["endpoint"]
        return Closed if turn.reply.ends_conversation else Answered

    async def _foreseen(self, turn: RunningTurn, text: str) -> Speech | None:
        """The sound of this reply, if it was foreseen; what was added at its end is made while its beginning sounds."""
        ahead = self._ahead if self._turn is turn else None
        if ahead is None:
            return None
        if not (text == ahead.text or (ahead.text and text.startswith(f"{ahead.text} "))):
            ahead.making.cancel()
            return None
        await asyncio.wait([ahead.making])  # whoever gives it up meanwhile gives up the preparation, not this turn
        speech = None if ahead.making.cancelled() else ahead.making.result()
        if speech is None:
            return None
        turn.speech_ready_s = ahead.ready_s
        return self._speaker.lengthened(speech, text)

    def _is_command(self, transcript: Transcript) -> bool:
        return transcript.in_grammar and self._matcher.match(transcript.text) is not None

    async def _replied(self, turn: RunningTurn, heard: Heard) -> Reply | None:
        """The reply to what was heard, which is acted on on the way; None where there is nothing to answer."""
        earlier, addressed = turn.earlier, turn.wake is not None or turn.tapped is not None
        said = self._speaker.lately(turn.began_s - ECHO_S) if turn.tapped is None else ()  # a finger echoes nothing
        if earlier is None:
            if turn.superseded or not heard.whole.text:
                return None
            turn.reply = await self._dialogue.respond(heard.whole, addressed=addressed, said=said)
            return turn.reply
        if earlier.thought is not None:  # what it was about to do is done or given up before anything else is
            await asyncio.wait([earlier.thought])
        if earlier.reply is not None and earlier.reply.results and not earlier.told:
            unsaid = replace(earlier, reply=earlier.reply.model_copy(update={"text": ""}))
            self._observer.finished(unsaid.record(self._dialogue.conversation, None, 0.0))
        if turn.superseded:
            return None
        first = First(earlier.transcript, earlier.reply, earlier.told) if earlier.transcript is not None else None
        turn.reply = await self._dialogue.amend(heard.whole, heard.tail, first, addressed=addressed, said=said)
        return turn.reply


def _alike(one: Transcript, other: Transcript) -> bool:
    return Indel.normalized_similarity(one.text.split(), other.text.split()) >= EARLY_ALIKE


def _stream(at: float) -> Callable[[], float]:
    """In playback: which second of the stream it is by now, if it goes on from this one as time passes."""
    started = time.perf_counter()
    return lambda: at + time.perf_counter() - started


def _unexpected(error: Exception) -> GloveboxError:
    """An error that nobody raises on purpose; logged by its kind and place, since its text may hold the driver's words."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    told = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
    _log.error("a turn broke: %s", told)
    return GloveboxError(told)
