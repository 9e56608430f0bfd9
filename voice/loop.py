"""The only asynchronous orchestration: performs the commands of the turn machine on real or stated-fake parts.

One frame of the microphone at a time goes to the wake word, the VAD, the endpointer and, while an utterance is open,
the recogniser. Everything that takes longer than a frame runs beside it. Two paces, one code path:

- *live*: understanding runs as a task while frames keep coming; wall time and audio time are the same.
- *playback* (a file, the demo): frames come faster than real time and the stream is the clock. Understanding is awaited
  at once, measured, and its result takes effect when the stream has advanced by as much, exactly as it would have live.

The wake word hears every frame. Voice is looked for in all of them but those in which our own sounds and its echo is not
cancelled; then the second in which an utterance may go on is what is left of it before the reply sounds.

Owns no decision about a turn (``voice.turn``) and none about a reply (``voice.dialogue``); the recogniser's work is
``voice.hearing``'s, the way from words to a reply ``voice.thinking``'s, the loudspeaker's ``voice.speaking``'s, what is shown of it
``voice.showing``'s.

Long because every command of the turn machine is performed here, and every frame goes through it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from schemas.clock import StreamClock
from schemas.errors import GloveboxError, TurnTimeoutError
from schemas.events import FRAME, SAMPLE_RATE, Samples, Transcript, WakeDetection
from schemas.ports import AudioSink, AudioSource, CommandMatcher, Onlooker, Recognizer, Synthesizer, Vad, WakeWord
from voice.account import Load, LoopSettings, Observer, RunningTurn
from voice.audio.earcon import chime
from voice.dialogue.agent import Dialogue
from voice.frames import TOGETHER, FrameReader
from voice.hearing import Hearing
from voice.showing import Showing
from voice.speaking import Speaker, Speech
from voice.thinking import Thinking
from voice.turn import (
    Command,
    Hushed,
    SpeechBegan,
    SpeechEnded,
    SpeechResumed,
    Spoken,
    State,
    Tapped,
    TurnEvent,
    TurnMachine,
    Unheard,
    WakeHeard,
)
from voice.vad.endpoint import Endpointer
from voice.vad.endpoint import SpeechEnded as VoiceEnded
from voice.vad.endpoint import SpeechStarted as VoiceStarted

HISTORY_S = 2.5
"""Sound that is kept for pre-roll, for commands said in one breath with the wake word, and to show the recogniser the noise: the
wake word is told of .2 to .6 s after its end, and the noise takes .8 s (``voice.asr.pocketsphinx.BEFORE``)."""

RISING_FRAMES = 3
"""Frames that a reply which is ready waits if a voice may just begin: as many as the endpointer needs to tell."""

INTERRUPT_S = 0.2
"""Voice without a pause that interrupts a reply: a cough is shorter, and of one-word answers the shortest that are not lost
anyway last .25 s (``voice.vad.endpoint.START_FRAMES``)."""
AMEND_S = 1.0
"""A voice that begins again within this time of the end of an utterance goes on with it. From the issue's goal; 1.5 s is what
people leave before they say something else."""


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
        beat: Callable[[], None] | None = None,
        onlooker: Onlooker | None = None,
    ) -> None:
        """A loop; with a ``clock`` of the stream it plays back, without one it is live.

        ``due`` gives sentences that are to be spoken unasked (a timer is over); it is asked while nobody speaks. ``beat`` is called
        after every frame that was dealt with: while the loop hangs it is not. ``onlooker`` is shown every turn as it goes on.
        """
        self._source, self._wake, self._vad = source, wake, vad
        self._endpointer = endpointer
        self._hearing = Hearing(recognizer, matcher, live=clock is None)
        self._speaker = Speaker(synthesizer, sink, live=clock is None)
        self._thinking = Thinking(self._hearing, dialogue, self._speaker, matcher, observer, live=clock is None)
        self._sink = sink
        self._dialogue, self._observer = dialogue, observer
        self._machine, self._clock = machine or TurnMachine(), clock
        self._settings = settings or LoopSettings()
        self._due, self._beat = due, beat
        self._announcing = False
        self._position = 0
        """Samples of the stream so far."""
        self._voice_base = 0
        """Where the endpointer's positions count from."""
        self._history: deque[Samples] = deque(maxlen=int(HISTORY_S * SAMPLE_RATE / FRAME) + 1)
        self._earliest = 0
        """First sample that the next utterance may hold: the end of the wake word."""
        self._turn = RunningTurn()
        self._last: RunningTurn | None = None
        """The turn whose reply sounds."""
        self._gated = self._speaking = False
        self._voice_at: int | None = None
        """Where a voice began that no utterance has been made of yet."""
        self._ready: tuple[float, type[TurnEvent]] | None = None
        self._chime_at: float | None = None
        self._hushed = False
        self._pressed = False
        self._tapped: tuple[int | None, str] | None = None
        """What was tapped and not yet dealt with: the number of the question that it answers, and the words."""
        self._words: Transcript | None = None
        """What was tapped, until it is understood."""
        self._showing = Showing(onlooker, dialogue, self._hearing)
        self._unheard: list[Samples] = []
        """Frames that the wake word has still to hear: in IDLE some are taken together."""
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

    def press(self) -> None:
        """Listen, as after the wake word. From any thread; see ``schemas.ports.Touch``."""
        self._pressed = True

    def answer(self, number: int, words: str) -> None:
        """Answer the question of this number. From any thread; see ``schemas.ports.Touch``."""
        self._tapped = (number, words)

    def order(self, words: str) -> None:
        """Deal with words as if they had been said after the wake word. From any thread; see ``schemas.ports.Touch``."""
        self._tapped = (None, words)

    async def run(self) -> None:
        """Run until the source ends; an open utterance is still answered.

        What was heard before, of another source, is forgotten.

        Raises:
            schemas.errors.AudioError: the microphone failed for good; every other error is spoken, recorded or logged.
        """
        self._wake.reset()
        self._vad.reset()
        self._endpointer.reset()
        self._hearing.reset()
        frames = self._source.frames()
        reader = (
            FrameReader(frames, lambda: TOGETHER if self._machine.state is State.IDLE else 1)
            if self._clock is None
            else None
        )
        try:
            while (frame := next(frames, None) if reader is None else await reader.next()) is not None:
                await self._frame(frame)
                if self._beat is not None:
                    self._beat()
            await self._finish()
        finally:
            if reader is not None:
                reader.close()
            self.load.recognise_audio_s, self.load.recognise_cpu_s = self._hearing.audio_s, self._hearing.cpu_s
            self._hearing.close()
            self._speaker.close()

    async def _frame(self, frame: Samples) -> None:
        self._position += len(frame)
        self.load.audio_s += len(frame) / SAMPLE_RATE
        if self._clock is not None:
            self._clock.advance_to(self.at)
        if self._hushed:
            await self._be_quiet()
        if self._pressed or self._tapped is not None:
            await self._touched()
        await self._deliver()
        await self._perform(self._machine.tick(self.at))
        await self._announce()
        self._history.append(frame)
        await self._hear_wake(frame)
        if not self._gated or self._settings.barge_in:
            await self._hear_voice(frame)

    async def _be_quiet(self) -> None:
        self._hushed, self._chime_at = False, None
        self._hush()  # once more: something may have been queued meanwhile
        if self._announcing:
            self._announcing = False
            self._ungate()
        await self._feed(Hushed(self.at))

    async def _touched(self) -> None:
        """Do what was pressed or tapped since the last frame, where that still means something."""
        pressed, self._pressed = self._pressed, False
        tapped, self._tapped = self._tapped, None
        if pressed and self._machine.state not in (State.LISTENING, State.CAPTURING):
            self._quieten()
            self._earliest = self._position
            self._turn.wake = WakeDetection(keyword="", score=1.0, end_sample=self._position)
            await self._feed(WakeHeard(self.at))
        if tapped is None or self._machine.state is State.THINKING:
            return
        number, words = tapped
        asking = self._dialogue.asking
        if number is None or (asking is not None and asking.number == number):
            self._quieten()
            self._words = self._dialogue.typed(words)
            await self._feed(Tapped(self.at))

    def _quieten(self) -> None:
        """What is being announced gives way to the driver."""
        if self._announcing:
            self._announcing = False
            self._hush()
            self._ungate()

    # Hearing -----------------------------------------------------------------------------------------------------------

    async def _hear_wake(self, frame: Samples) -> None:
        self._unheard.append(frame)
        if self._clock is None and self._machine.state is State.IDLE and len(self._unheard) < TOGETHER:
            return
        started = time.process_time()
        sound = np.concatenate(self._unheard)
        self._unheard.clear()
        if self._clock is None and self._machine.state is not State.IDLE:
            detection = await asyncio.to_thread(
                self._wake.process, sound
            )  # where it asks a second ear, a reply goes on
        else:
            detection = self._wake.process(sound)
        self.load.wake_cpu_s += time.process_time() - started
        if detection is None or self._is_our_own(detection.keyword):
            return
        self._quieten()
        self._earliest = detection.end_sample
        self._turn.wake = detection
        self._observer.woke(self._earliest / SAMPLE_RATE, detection)
        await self._feed(WakeHeard(self.at))

    def _is_our_own(self, keyword: str) -> bool:
        """Whether we say the wake word ourselves just now, and hear it."""
        return self._gated and not self._settings.barge_in and keyword in re.findall(r"\w+", self._speaker.text.lower())

    async def _hear_voice(self, frame: Samples) -> None:
        started = time.process_time()
        probability = self._vad.process(frame)
        self.load.vad_cpu_s += time.process_time() - started
        state = self._machine.state
        if state is State.IDLE:
            return
        self._showing.frame(frame, state)
        if state is State.CAPTURING:
            await self._capture_frame(frame)
        elif self._may_go_on(self._position - SAMPLE_RATE):  # a second later than a voice may begin, until it is found
            self._hearing.follow(frame)
        faded = self._endpointer.fading
        event = self._endpointer.process(probability)
        if state is State.CAPTURING and self._endpointer.fading and not faded:
            await self._thinking.glance(self._turn, self.at)
        if isinstance(event, VoiceStarted):
            self._voice_at = self._voice_base + event.sample
        elif isinstance(event, VoiceEnded):
            self._voice_at = None
            if state is State.CAPTURING:
                self._turn.speech_ended_s = (self._voice_base + event.sample) / SAMPLE_RATE
                self._turn.endpoint_reason = event.reason
                await self._feed(SpeechEnded(self.at))
        if self._voice_at is not None and self._machine.state is not State.CAPTURING:
            await self._voice(self._voice_at)
        if self._chime_at is not None and self.at >= self._chime_at:
            self._chime_at = None
            if self._machine.state is State.LISTENING:
                self._speaker.play(chime("listening"), lambda: self.at)

    async def _capture_frame(self, frame: Samples) -> None:
        pause_frames, fading = self._endpointer.pause_frames, self._endpointer.fading
        if self._hearing.take(frame, pause_frames, fading=fading):
            await self._thinking.look(self._turn, self.at)
        elif pause_frames:
            await self._thinking.linger(self._turn, pause_frames, self.at)
        elif not fading:
            self._thinking.drop()
        self._endpointer.expect(self._hearing.standing(self.at))

    async def _voice(self, begin: int) -> None:
        """A voice that began at this sample and is no utterance yet."""
        state = self._machine.state
        sounding = state in (State.SPEAKING, State.CLOSING)
        if sounding and self._endpointer.voiced_frames * FRAME < INTERRUPT_S * SAMPLE_RATE:
            return
        if state is State.THINKING or (sounding and self._may_go_on(begin)):
            if not self._may_go_on(begin):
                return  # it may interrupt the reply, when that sounds
            await self._feed(SpeechResumed(self.at))
        else:
            preroll = int(self._settings.preroll_s * SAMPLE_RATE)
            self._turn.began_s = max(self._earliest, begin - preroll) / SAMPLE_RATE
            self._turn.era = self._dialogue.era
            await self._feed(SpeechBegan(self.at))
        self._voice_at = None

    def _may_go_on(self, sample: int) -> bool:
        """Whether a voice at this sample goes on with the utterance that has ended."""
        ended = self._turn if self._busy else self._last
        if ended is None or ended.tapped is not None:  # what is tapped is all of it
            return False
        return sample / SAMPLE_RATE - ended.speech_ended_s <= AMEND_S

    @property
    def _busy(self) -> bool:
        return self._turn.thought is not None or self._ready is not None

    # What the machine wants --------------------------------------------------------------------------------------------

    async def _feed(self, event: TurnEvent) -> None:
        await self._perform(self._machine.feed(event))

    async def _perform(self, commands: tuple[Command, ...]) -> None:
        if commands:
            self._showing.stands(self._machine.state)
        for command in commands:
            await self._do(command)
        if commands:
            self._showing.stands(self._machine.state)

    async def _do(self, command: Command) -> None:
        match command:
            case Command.CHIME:
                self._chime_at = self.at + self._settings.chime_after_s if self._settings.chime else None
            case Command.LISTEN:
                self._endpointer.reset()
                self._voice_at = None
                self._voice_base = self._position - FRAME  # the endpointer gets the present frame after this
            case Command.CAPTURE:
                self._capture()
            case Command.RESUME:
                self._resume()
            case Command.DROP_PENDING:
                self._dialogue.drop_pending()
            case Command.GATE:
                self._gated = True
            case Command.UNGATE:
                self._ungate()
            case Command.UNDERSTAND:
                await self._understand()
            case Command.ABANDON:
                if self._turn.thought is not None:
                    self._turn.thought.cancel()
                self._thinking.drop()
                self._ready = None
                self._turn = self._turn.abandoned()
            case Command.SPEAK | Command.APOLOGISE:
                await self._speak(command)
            case Command.HUSH:
                self._hush()
            case Command.END_CONVERSATION:
                self._last = None
                self._observer.ended(self.at, self._dialogue.conversation)
                self._dialogue.end_conversation()

    def _hush(self) -> None:
        self._speaker.hush(self.at)
        self._speaking = False

    def _ungate(self) -> None:
        self._gated = False
        if self._settings.barge_in:
            return
        self._vad.reset()
        if (
            self._machine.state is not State.LISTENING
        ):  # what was kept is our own voice; after the wake word it is the driver's
            self._earliest = self._position
            self._history.clear()

    def _capture(self) -> None:
        history = np.concatenate(list(self._history)) if self._history else np.zeros(0, np.int16)
        wanted = max(0, min(self._position - int(self._turn.began_s * SAMPLE_RATE), len(history)))
        begin = len(history) - wanted
        self._hearing.begin(history[:begin], history[begin:])

    def _resume(self) -> None:
        earlier = self._turn if self._busy else self._last
        begin = self._position if self._voice_at is None else self._voice_at
        assert earlier is not None  # noqa: S101 - `_may_go_on` said so
        earlier.superseded, self._ready, self._last = True, None, None
        self._turn = RunningTurn(wake=earlier.wake, era=earlier.era, began_s=earlier.began_s, earlier=earlier)
        self._hearing.resume(self._position - begin + int(self._settings.preroll_s * SAMPLE_RATE))

    async def _understand(self) -> None:
        turn = self._turn
        turn.endpoint_s = self.at
        turn.tapped, self._words = self._words, None
        if turn.tapped is not None:
            turn.era, turn.endpoint_reason = self._dialogue.era, "tapped"
            turn.began_s = turn.speech_ended_s = self.at
        if not turn.endpoint_reason:  # the turn's limit or the end of the stream cut it off
            turn.speech_ended_s = self.at
        turn.latency_ms["endpoint"] = (turn.endpoint_s - turn.speech_ended_s) * 1000.0
        if self._clock is None:
            turn.thought = asyncio.create_task(self._thinking.think(turn))
            return
        owed = self._hearing.owed(self.at)
        started, slept = time.perf_counter(), self._clock.slept
        event = await self._thinking.think(turn)
        took = time.perf_counter() - started + self._clock.slept - slept + owed
        late = max(0.0, turn.speech_ready_s - self.at - took)  # of the sound that was made ahead
        for stage, seconds in (("recognise", owed), ("synthesise", late)):
            turn.latency_ms[stage] = turn.latency_ms.get(stage, 0.0) + seconds * 1000.0
        took += late
        turn.latency_ms["total"] = turn.latency_ms["endpoint"] + took * 1000.0
        self._ready = (self.at + took, event)

    # Speaking ----------------------------------------------------------------------------------------------------------

    async def _deliver(self) -> None:
        """Hand finished thoughts and finished speech to the machine."""
        turn = self._turn
        if self._endpointer.rising and self._busy and turn.waited < RISING_FRAMES and self._may_go_on(self._position):
            turn.waited += 1
        elif turn.thought is not None and turn.thought.done():
            thought, turn.thought = turn.thought, None
            await self._settle(thought.result())
        elif self._ready is not None and self.at >= self._ready[0]:
            (_, event), self._ready = self._ready, None
            await self._settle(event)
        if self._speaking and self._speaker.over(self.at):
            self._speaking = False
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
                    turn.error = TurnTimeoutError(f"no reply within {limit:g} s; a smaller model would be quicker")
                turn.speech = await self._speaker.prepare(turn.error.spoken)
            except GloveboxError as error:
                turn.error = turn.error or error
                turn.speech = Speech("", chime("error"), iter(()))
        assert turn.speech is not None  # noqa: S101 - a thought that is answered has prepared it
        seconds = await self._speaker.say(turn.speech, lambda: self.at)
        self._speaking = True
        self._record(self.at, seconds)

    async def _announce(self) -> None:
        """Speak what is due while nobody speaks; without echo cancelling only the wake word listens meanwhile."""
        if self._announcing:
            if self._speaker.over(self.at):
                self._announcing = False
                self._ungate()
            return
        if self._due is None or self._machine.state is not State.IDLE:
            return
        text = " ".join(self._due())
        if not text:
            return
        try:
            speech = await self._speaker.prepare(text)
        except GloveboxError:
            speech = Speech("", chime("error"), iter(()))
        self._announcing = self._gated = True
        self._speaker.play(chime("listening"), lambda: self.at)
        await self._speaker.say(speech, lambda: self.at)

    # Telling -----------------------------------------------------------------------------------------------------------

    def _record(self, reply_at: float | None, seconds: float) -> None:
        turn, self._turn = self._turn, RunningTurn()
        self._last = turn
        self._observer.finished(turn.record(self._dialogue.conversation, reply_at, seconds))

    async def _finish(self) -> None:
        """The source has ended: answer what is open, let it sound, close the conversation."""
        await self._feed(SpeechEnded(self.at))
        for _ in range(3):
            if self._turn.thought is not None:
                await asyncio.wait([self._turn.thought])
            await self._speaker.made()
            ready = self._ready[0] if self._ready else 0.0
            later = (self.at, ready, self._speaker.until if self._speaking else 0.0)
            self._position = int(np.ceil(max(later) * SAMPLE_RATE))
            if self._clock is not None:
                self._clock.advance_to(self.at)
            self._turn.waited = RISING_FRAMES
            await self._deliver()
        limit = self._machine.limits.of(self._machine.state)
        if limit is not None:
            self._position += int((limit + 1.0) * SAMPLE_RATE)
            await self._perform(self._machine.tick(self.at))
