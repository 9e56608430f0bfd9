"""The only asynchronous orchestration: performs the commands of the turn machine on real or stated-fake parts.

One frame of the microphone at a time goes to the wake word, the VAD, the endpointer and, while an utterance is open,
the recogniser. Everything that takes longer than a frame runs beside it. Two paces, one code path:

- *live*: understanding runs as a task while frames keep coming; wall time and audio time are the same.
- *playback* (a file, the demo): frames come faster than real time and the stream is the clock. Understanding is awaited
  at once, measured, and its result takes effect when the stream has advanced by as much, exactly as it would have live.

Owns no decision about a turn (``voice.turn``) and none about a reply (``voice.dialogue``).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from schemas.errors import GloveboxError, TurnTimeoutError
from schemas.events import FRAME, SAMPLE_RATE, Reply, Samples, Transcript, TurnRecord, WakeDetection
from schemas.ports import AudioSink, AudioSource, CommandMatcher, Recognizer, Synthesizer, Vad, WakeWord
from voice.audio.earcon import chime
from voice.clock import StreamClock
from voice.dialogue.agent import Dialogue
from voice.tts.sentences import split_sentences
from voice.turn import (
    Answered,
    Closed,
    Command,
    Failed,
    Hushed,
    SpeechBegan,
    SpeechEnded,
    Spoken,
    State,
    TurnEvent,
    TurnMachine,
    Unheard,
    WakeHeard,
)
from voice.vad.endpoint import Endpointer
from voice.vad.endpoint import SpeechEnded as VoiceEnded
from voice.vad.endpoint import SpeechStarted as VoiceStarted
from voice.vad.hold import PauseHold


class Observer(Protocol):
    """Who is told what happened; called from the loop, must be quick."""

    def woke(self, at: float, detection: WakeDetection) -> None:
        """The wake word was heard at this second of the stream."""
        ...

    def finished(self, record: TurnRecord) -> None:
        """A turn is over as far as its reply has begun to sound (or it failed, or held no words)."""
        ...

    def ended(self, at: float, conversation: str) -> None:
        """The conversation is over."""
        ...


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """What is not the business of a single part."""

    preroll_s: float = 0.3
    """Audio before the detected start of speech that the recogniser still gets: one-word answers are lost without
    it."""
    history_s: float = 2.5
    """Audio kept for pre-roll and for commands said in one breath with the wake word."""
    partial_every: int = 2
    """Frames between looks at the recogniser's partial words, while the VAD hears a pause (64 ms)."""
    pause_at: float = 0.35
    """VAD probability under which a pause may have begun."""
    chime: bool = True
    chime_after_s: float = 0.3
    """The chime sounds only if nobody speaks by then: a command in one breath must not be talked over."""
    barge_in: bool = False
    """Feed the wake word while speaking; only with echo cancelling."""


@dataclass(slots=True)
class Load:
    """What the always-on part costs."""

    audio_s: float = 0.0
    wake_cpu_s: float = 0.0
    vad_cpu_s: float = 0.0
    recognise_audio_s: float = 0.0
    recognise_cpu_s: float = 0.0

    def share(self) -> float:
        """Share of one core that wake word and VAD take together at real time."""
        return (self.wake_cpu_s + self.vad_cpu_s) / self.audio_s if self.audio_s else 0.0


@dataclass(slots=True)
class _Turn:
    """What is known of the running turn."""

    wake: WakeDetection | None = None
    began_s: float = 0.0
    speech_ended_s: float = 0.0
    endpoint_s: float = 0.0
    endpoint_reason: str = ""
    transcript: Transcript | None = None
    reply: Reply | None = None
    error: GloveboxError | None = None
    latency_ms: dict[str, float] = field(default_factory=dict[str, float])
    speech: Iterator[Samples] | None = None
    """The reply's sound after its first piece."""
    first_piece: Samples | None = None

    def abandoned(self) -> _Turn:
        """What stays known of a turn whose utterance or thought is thrown away; late results reach the old object only."""
        return _Turn(
            wake=self.wake,
            began_s=self.began_s,
            speech_ended_s=self.speech_ended_s,
            endpoint_s=self.endpoint_s,
            endpoint_reason=self.endpoint_reason,
            transcript=self.transcript,
        )


class VoiceLoop:
    """Microphone to loudspeaker, turn after turn, until the source ends or ``stop`` is called."""

    def __init__(
        self,
        *,
        source: AudioSource,
        sink: AudioSink,
        wake: WakeWord,
        vad: Vad,
        endpointer: Endpointer,
        recognizer: Recognizer,
        matcher: CommandMatcher,
        dialogue: Dialogue,
        synthesizer: Synthesizer,
        observer: Observer,
        machine: TurnMachine | None = None,
        clock: StreamClock | None = None,
        settings: LoopSettings | None = None,
        due: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """A loop; with a ``clock`` of the stream it plays back, without one it is live.

        ``due`` gives sentences that are to be spoken unasked (a timer is over); it is asked while nobody speaks.
        """
        self._source, self._sink, self._wake, self._vad = source, sink, wake, vad
        self._endpointer, self._recognizer, self._matcher = endpointer, recognizer, matcher
        self._dialogue, self._synthesizer, self._observer = dialogue, synthesizer, observer
        self._machine, self._clock = machine or TurnMachine(), clock
        self._settings = settings or LoopSettings()
        self._due = due
        self._announcing_until: float | None = None
        self._position = 0
        """Samples of the stream so far."""
        self._wake_base = 0
        self._voice_base = 0
        keep = int(self._settings.history_s * SAMPLE_RATE / FRAME) + 1
        self._history: deque[Samples] = deque(maxlen=keep)
        self._earliest = 0
        """First sample that the next utterance may hold: the end of the wake word."""
        self._turn = _Turn()
        self._gated = False
        self._thought: asyncio.Task[type[TurnEvent]] | None = None
        self._ready: tuple[float, type[TurnEvent]] | None = None
        self._spoken_at: float | None = None
        self._chime_at: float | None = None
        self._frames_since_look = 0
        self._hold = PauseHold()
        self._hushed = False
        self.load = Load()

    @property
    def at(self) -> float:
        """Seconds of the stream so far."""
        return self._position / SAMPLE_RATE

    def stop(self) -> None:
        """End after the present frame; may be called from a signal handler."""
        self._source.close()

    def hush(self) -> None:
        """Be quiet: the sound ends at once, the turn and its conversation with the next frame. From any thread."""
        self._hushed = True
        self._sink.stop()

    async def run(self) -> None:
        """Run until the source ends; an open utterance is still answered.

        Raises:
            schemas.errors.AudioError: microphone or loudspeaker failed; every other error is spoken and recorded.
        """
        frames = self._source.frames()
        live = self._clock is None
        while True:
            frame = await asyncio.to_thread(next, frames, None) if live else next(frames, None)
            if frame is None:
                break
            await self._frame(frame)
        await self._finish()

    async def _frame(self, frame: Samples) -> None:
        self._position += len(frame)
        self.load.audio_s += len(frame) / SAMPLE_RATE
        if self._clock is not None:
            self._clock.advance_to(self.at)
        if self._hushed:
            await self._be_quiet()
        await self._deliver()
        await self._perform(self._machine.tick(self.at))
        await self._announce()
        self._history.append(frame)
        if not self._gated or self._settings.barge_in:
            await self._hear_wake(frame)
        if not self._gated:
            await self._hear_voice(frame)

    async def _be_quiet(self) -> None:
        self._hushed, self._chime_at = False, None
        self._sink.stop()  # once more: something may have been queued meanwhile
        if self._announcing_until is not None:
            self._announcing_until = None
            self._ungate()
        await self._feed(Hushed(self.at))

    async def _hear_wake(self, frame: Samples) -> None:
        started = time.process_time()
        detection = self._wake.process(frame)
        self.load.wake_cpu_s += time.process_time() - started
        if detection is None:
            return
        self._earliest = self._wake_base + detection.end_sample
        self._turn.wake = detection
        self._observer.woke(self._earliest / SAMPLE_RATE, detection)
        await self._feed(WakeHeard(self.at))

    async def _hear_voice(self, frame: Samples) -> None:
        started = time.process_time()
        probability = self._vad.process(frame)
        self.load.vad_cpu_s += time.process_time() - started
        state = self._machine.state
        if state is State.CAPTURING:
            for ready in self._hold.take(frame, self._endpointer.pause_frames):
                await self._recognise(ready)
            self._look_ahead(probability)
        if state in (State.LISTENING, State.CAPTURING, State.FOLLOW_UP):
            event = self._endpointer.process(probability)
            if isinstance(event, VoiceStarted):
                preroll = int(self._settings.preroll_s * SAMPLE_RATE)
                begin = max(self._earliest, self._voice_base + event.sample - preroll)
                self._turn.began_s = begin / SAMPLE_RATE
                await self._feed(SpeechBegan(self.at))
            elif isinstance(event, VoiceEnded):
                self._turn.speech_ended_s = (self._voice_base + event.sample) / SAMPLE_RATE
                self._turn.endpoint_reason = event.reason
                await self._feed(SpeechEnded(self.at))
        if self._chime_at is not None and self.at >= self._chime_at:
            self._chime_at = None
            if self._machine.state is State.LISTENING:
                self._sink.play(chime("listening"))

    async def _recognise(self, frame: Samples) -> None:
        started = time.process_time()
        if self._clock is None:
            await asyncio.to_thread(self._recognizer.feed, frame)
        else:
            self._recognizer.feed(frame)
        self.load.recognise_cpu_s += time.process_time() - started
        self.load.recognise_audio_s += len(frame) / SAMPLE_RATE

    def _look_ahead(self, probability: float) -> None:
        """Endpoint sooner where the words so far are a complete command: the driver has said all that it takes."""
        self._frames_since_look += 1
        if probability >= self._settings.pause_at:
            self._endpointer.hurry(False)
            self._frames_since_look = self._settings.partial_every
        elif self._frames_since_look >= self._settings.partial_every:
            self._frames_since_look = 0
            partial = self._recognizer.partial()
            self._endpointer.hurry(bool(partial) and self._matcher.match(partial) is not None)

    async def _feed(self, event: TurnEvent) -> None:
        await self._perform(self._machine.feed(event))

    async def _perform(self, commands: tuple[Command, ...]) -> None:
        for command in commands:
            await self._do(command)

    async def _do(self, command: Command) -> None:
        match command:
            case Command.CHIME:
                self._chime_at = self.at + self._settings.chime_after_s if self._settings.chime else None
            case Command.LISTEN:
                self._endpointer.reset()
                self._voice_base = self._position
            case Command.CAPTURE:
                await self._capture()
            case Command.DROP_PENDING:
                self._dialogue.drop_pending()
            case Command.GATE:
                self._gated = True
                self._turn.endpoint_s = self.at
            case Command.UNGATE:
                self._ungate()
            case Command.UNDERSTAND:
                await self._understand()
            case Command.ABANDON:
                if self._thought is not None:
                    self._thought.cancel()
                self._thought = self._ready = None
                self._turn = self._turn.abandoned()
            case Command.SPEAK | Command.APOLOGISE:
                await self._speak(command)
            case Command.HUSH:
                self._sink.stop()
                self._spoken_at = None
            case Command.END_CONVERSATION:
                self._observer.ended(self.at, self._dialogue.conversation)
                self._dialogue.end_conversation()

    def _ungate(self) -> None:
        self._gated = False
        self._wake.reset()
        self._vad.reset()
        self._wake_base = self._earliest = self._position
        self._history.clear()

    async def _capture(self) -> None:
        self._hold.reset()
        self._frames_since_look = 0
        history = np.concatenate(list(self._history)) if self._history else np.zeros(0, np.int16)
        wanted = max(0, min(self._position - int(self._turn.began_s * SAMPLE_RATE), len(history)))
        begin = len(history) - wanted
        self._recognizer.start(history[:begin])
        if wanted > 0:
            await self._recognise(history[begin:])

    async def _understand(self) -> None:
        self._turn.latency_ms["endpoint"] = (self._turn.endpoint_s - self._turn.speech_ended_s) * 1000.0
        if self._clock is None:
            self._thought = asyncio.create_task(self._think())
            return
        started, slept = time.perf_counter(), self._clock.slept
        event = await self._think()
        took = time.perf_counter() - started + self._clock.slept - slept
        self._ready = (self.at + took, event)

    async def _think(self) -> type[TurnEvent]:
        """Words, reply, first sound. Every error ends as a spoken failure and a record, never as silence."""
        turn, latency = self._turn, self._turn.latency_ms
        try:
            started = time.perf_counter()
            turn.transcript = await asyncio.to_thread(self._recognizer.finish)
            latency["recognise"] = _ms(started)
            if not turn.transcript.text:
                return Unheard
            turn.reply = await self._dialogue.respond(turn.transcript, addressed=turn.wake is not None)
            latency.update(turn.reply.timings)
            if not turn.reply.text:
                return Unheard
            await self._prepare(turn, turn.reply.text)
        except GloveboxError as error:
            turn.error = error
            return Failed
        latency["total"] = _ms(started) + latency["endpoint"]
        return Closed if turn.reply.ends_conversation else Answered

    async def _prepare(self, turn: _Turn, text: str) -> None:
        """Start speaking: the first piece of the first sentence is made here, the rest while it sounds."""
        started = time.perf_counter()
        turn.speech = (piece for sentence in split_sentences(text) for piece in self._synthesizer.synthesize(sentence))
        turn.first_piece = await asyncio.to_thread(next, turn.speech, None)
        turn.latency_ms["synthesise"] = _ms(started)

    async def _deliver(self) -> None:
        """Hand finished thoughts and finished speech to the machine."""
        if self._thought is not None and self._thought.done():
            thought, self._thought = self._thought, None
            await self._settle(thought.result())
        elif self._ready is not None and self.at >= self._ready[0]:
            (_, event), self._ready = self._ready, None
            await self._settle(event)
        if self._spoken_at is not None and self.at >= self._spoken_at:
            self._spoken_at = None
            await self._feed(Spoken(self.at))

    async def _settle(self, event: type[TurnEvent]) -> None:
        if event is Unheard:
            self._record(None, 0.0)
        await self._feed(event(self.at))

    async def _speak(self, command: Command) -> None:
        turn = self._turn
        if command is Command.APOLOGISE:
            try:
                if turn.error is None:
                    limit = self._machine.limits.thinking_s
                    turn.error = TurnTimeoutError(
                        f"no reply within {limit:g} s; a smaller model or slice would be quicker"
                    )
                await self._prepare(turn, turn.error.spoken)
            except GloveboxError as error:
                turn.error = turn.error or error
                turn.first_piece = chime("error")
                turn.speech = None
        seconds = self._sink.play(turn.first_piece) if turn.first_piece is not None else 0.0
        if turn.speech is not None:
            for piece in turn.speech:
                seconds = self._sink.play(piece)
        self._record(self.at, seconds)
        self._spoken_at = self.at + seconds

    async def _announce(self) -> None:
        """Speak what is due while nobody speaks; the microphone is gated meanwhile, as in a reply."""
        idle = self._machine.state is State.IDLE
        if self._announcing_until is not None:
            if not idle:  # woken in the middle of it
                self._sink.stop()
            if not idle or self.at >= self._announcing_until:
                self._announcing_until = None
                self._ungate()
            return
        if self._due is None or not idle:
            return
        text = " ".join(self._due())
        if not text:
            return
        speak = self._synthesizer.synthesize
        try:
            pieces = (
                list(speak(text)) if self._clock is not None else await asyncio.to_thread(lambda: list(speak(text)))
            )
        except GloveboxError:
            pieces = [chime("error")]
        seconds = self._sink.play(chime("listening"))
        for piece in pieces:
            seconds = self._sink.play(piece)
        self._gated = True
        self._announcing_until = self.at + seconds

    def _record(self, reply_at: float | None, seconds: float) -> None:
        turn, self._turn = self._turn, _Turn()
        self._observer.finished(
            TurnRecord(
                conversation=self._dialogue.conversation,
                wake=turn.wake,
                began_s=turn.began_s,
                speech_ended_s=turn.speech_ended_s,
                endpoint_s=turn.endpoint_s,
                endpoint_reason=turn.endpoint_reason,
                transcript=turn.transcript,
                reply=turn.reply,
                error=turn.error.code if turn.error else None,
                error_message=str(turn.error) if turn.error else None,
                latency_ms=turn.latency_ms,
                reply_at_s=reply_at,
                reply_seconds=seconds,
            )
        )

    async def _finish(self) -> None:
        """The source has ended: answer what is open, let it sound, close the conversation."""
        await self._feed(SpeechEnded(self.at))
        if self._thought is not None:
            await asyncio.wait([self._thought])
        for _ in range(3):
            later = [t for t in (self._ready[0] if self._ready else None, self._spoken_at) if t is not None]
            if later:
                self._position = max(self._position, int(np.ceil(max(later) * SAMPLE_RATE)))
                if self._clock is not None:
                    self._clock.advance_to(self.at)
            await self._deliver()
        limit = self._machine.limits.of(self._machine.state)
        if limit is not None:
            self._position += int((limit + 1.0) * SAMPLE_RATE)
            await self._perform(self._machine.tick(self.at))
        self._sink.close()


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0
