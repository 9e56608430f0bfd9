"""What the tests of the loop share: stated fakes of its parts, made sound, and a run of the loop over them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from schemas.clock import StreamClock
from schemas.errors import GloveboxError
from schemas.events import (
    FRAME,
    SAMPLE_RATE,
    Command,
    CommandKind,
    Reply,
    Route,
    Samples,
    Standing,
    Transcript,
    TurnRecord,
    WakeDetection,
)
from voice.account import LoopSettings
from voice.audio.wavefile import WaveSink, WaveSource
from voice.dialogue.amending import First
from voice.loop import VoiceLoop
from voice.tts.sentences import split_sentences
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad
from voice.wake.fake import FakeWakeWord

LOUD, FAINT, QUIET = 8000, 1000, 10


class WakesOnce(FakeWakeWord):
    """The fake wake word, which does not fire again after a reset."""

    def reset(self) -> None:
        if not hasattr(self, "_waiting"):
            super().reset()


class FakeRecognizer:
    """A fake: hears as many words as the test says, and counts what it was fed."""

    def __init__(self, *texts: str | Exception, partial: str = "") -> None:
        self.texts, self.words_so_far = list(texts), partial
        self.fed: list[int] = []
        self.before: list[int] = []
        self.pauses: list[int] = []

    def reset(self) -> None: ...

    def start(self, before: Samples | None = None) -> None:
        self.fed.append(0)
        self.before.append(0 if before is None else len(before))

    def feed(self, chunk: Samples) -> None:
        self.fed[-1] += len(chunk)

    def hear(self) -> Transcript | None:
        return None

    def pause(self) -> None:
        self.pauses.append(self.fed[-1])

    def partial(self) -> str:
        return self.words_so_far

    def likely(self) -> Transcript | None:
        known = bool(self.words_so_far)
        return Transcript(text=self.words_so_far, confidence=0.9, in_grammar=known) if known else None

    def finish(self) -> Transcript:
        text = self.texts.pop(0)
        if isinstance(text, Exception):
            raise text
        return Transcript(text=text, confidence=0.9 if text else 0.0, in_grammar=False)


class FakeDialogue:
    """A fake: answers every utterance with its own words."""

    era = 0

    def __init__(self, *, fails: Exception | None = None, ends: bool = False) -> None:
        self.heard: list[tuple[str, bool]] = []
        self.amended: list[tuple[str, str | None, str | None]] = []
        self.dropped = self.ended = 0
        self.fails, self.ends, self.conversation = fails, ends, "c1"
        self.clock: StreamClock | None = None
        self.takes_s = 0.0
        self.answers: dict[str, str] = {}
        self.foresees: dict[str, str] = {}
        self.foreseen: list[str] = []
        self.whole: set[str] = set()
        self.said: list[list[str]] = []

    async def respond(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> Reply:
        self.heard.append((transcript.text, addressed))
        self.said.append(list(said))
        if self.clock is not None:
            await self.clock.sleep(self.takes_s)
        if self.fails is not None:
            raise self.fails
        text = self.answers.get(transcript.text, f"You said {transcript.text}.")
        return Reply(text=text, route=Route.FAST, reason="fake", ends_conversation=self.ends)

    async def foresee(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> str | None:
        self.foreseen.append(transcript.text)
        return self.foresees.get(transcript.text)

    async def is_whole(self, transcript: Transcript, *, addressed: bool = True) -> bool:
        del addressed
        return transcript.text in self.whole

    async def amend(
        self, whole: Transcript, tail: Transcript | None, first: First | None, *,
        addressed: bool = True, said: Sequence[str] = (),
    ) -> Reply:  # fmt: skip
        self.said.append(list(said))
        self.amended.append((whole.text, tail.text if tail else None, first.heard.text if first else None))
        return Reply(text=f"All in all {whole.text}.", route=Route.FAST, reason="fake")

    def drop_pending(self) -> None:
        self.dropped += 1

    def end_conversation(self) -> None:
        self.ended += 1


class FakeMatcher:
    """A fake: every text is a complete command."""

    def match(self, text: str) -> Command | None:
        return Command(kind=CommandKind.CONTROL, name="yes")

    def begins(self, text: str) -> bool:
        return False

    def standing(self, text: str) -> Standing:
        return Standing.COMPLETE


class SecondOfSound:
    """A fake synthesiser: every sentence takes half a second, in two pieces."""

    def __init__(self, *, fails: bool = False) -> None:
        self.said: list[str] = []
        self.fails = fails

    def synthesize(self, text: str) -> Iterator[Samples]:
        if self.fails:
            raise GloveboxError("no voice")
        for sentence in split_sentences(text):
            self.said.append(sentence)
            yield np.full(SAMPLE_RATE // 4, 500, np.int16)
            yield np.full(SAMPLE_RATE // 4, 500, np.int16)


@dataclass
class Notes:
    """An observer that keeps everything."""

    woken: list[float] = field(default_factory=list)
    records: list[TurnRecord] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def woke(self, at: float, detection: WakeDetection) -> None:
        self.woken.append(at)

    def finished(self, record: TurnRecord) -> None:
        self.records.append(record)

    def ended(self, at: float, conversation: str) -> None:
        self.ends.append(at)


def sound(*parts: tuple[float, int]) -> Samples:
    rng = np.random.default_rng(0)
    return np.concatenate(
        [(rng.standard_normal(int(seconds * SAMPLE_RATE)) * level).clip(-32000, 32000).astype(np.int16)
         for seconds, level in parts]
    )  # fmt: skip


class Pressed(WaveSource):
    """A stream in the middle of which somebody presses a button."""

    def __init__(self, samples: Samples, at: float | None, press: Callable[[], None]) -> None:
        super().__init__(samples)
        self._when, self._press = at, press

    def frames(self) -> Iterator[Samples]:
        for number, frame in enumerate(super().frames()):
            if self._when is not None and number == int(self._when * SAMPLE_RATE / FRAME):
                self._press()
            yield frame


def run(
    samples: Samples,
    wake_at: list[float],
    recognizer: FakeRecognizer,
    dialogue: FakeDialogue,
    synthesizer: SecondOfSound | None = None,
    due: Callable[[], Sequence[str]] | None = None,
    *,
    hush_at: float | None = None,
    wake: Callable[[list[int]], FakeWakeWord] = WakesOnce,
    vad: FakeVad | None = None,
    beat: Callable[[], None] | None = None,
    **settings: object,
) -> tuple[Notes, WaveSink, VoiceLoop]:
    notes, clock = Notes(), StreamClock()
    dialogue.clock = clock
    sink = WaveSink(clock.now)
    loop = VoiceLoop(
        source=Pressed(samples, hush_at, lambda: loop.hush()),  # noqa: PLW0108 - the loop is made of the source
        sink=sink,
        wake=wake([int(at * SAMPLE_RATE) for at in wake_at]),
        vad=vad or FakeVad(),
        endpointer=Endpointer(),
        recognizer=recognizer,
        matcher=FakeMatcher(),
        dialogue=dialogue,  # type: ignore[arg-type]
        synthesizer=synthesizer or SecondOfSound(),
        observer=notes,
        machine=TurnMachine(Limits()),
        clock=clock,
        settings=LoopSettings(**settings),  # type: ignore[arg-type]
        due=due and (lambda: due() if clock.now() >= DUE_S else ()),
        beat=beat,
    )
    asyncio.run(loop.run())
    return notes, sink, loop


DUE_S = 2.0
"""When something becomes due in these tests."""
