"""The loop on stated fakes: what is fed to whom and when, what sounds, what is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from schemas.errors import GenerationError, GloveboxError
from schemas.events import (
    FRAME,
    SAMPLE_RATE,
    Command,
    CommandKind,
    Reply,
    Route,
    Samples,
    Transcript,
    TurnRecord,
    WakeDetection,
)
from voice.audio.wavefile import WaveSink, WaveSource
from voice.clock import StreamClock
from voice.loop import LoopSettings, VoiceLoop
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad
from voice.vad.hold import KEEP_S
from voice.wake.fake import FakeWakeWord

LOUD, QUIET = 8000, 10


class WakesOnce(FakeWakeWord):
    """The fake wake word, which does not fire again after a reset."""

    def reset(self) -> None:
        if not hasattr(self, "_waiting"):
            super().reset()


class FakeRecognizer:
    """A fake: hears as many words as the test says, and counts what it was fed."""

    def __init__(self, *texts: str | GloveboxError, partial: str = "") -> None:
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

    def pause(self) -> None:
        self.pauses.append(self.fed[-1])

    def partial(self) -> str:
        return self.words_so_far

    def finish(self) -> Transcript:
        text = self.texts.pop(0)
        if isinstance(text, GloveboxError):
            raise text
        return Transcript(text=text, confidence=0.9 if text else 0.0, in_grammar=False)


class FakeDialogue:
    """A fake: answers every utterance with its own words."""

    def __init__(self, *, fails: GloveboxError | None = None, ends: bool = False) -> None:
        self.heard: list[tuple[str, bool]] = []
        self.dropped = self.ended = 0
        self.fails, self.ends, self.conversation = fails, ends, "c1"

    async def respond(self, transcript: Transcript, *, addressed: bool = True) -> Reply:
        self.heard.append((transcript.text, addressed))
        if self.fails is not None:
            raise self.fails
        return Reply(text=f"You said {transcript.text}.", route=Route.FAST, reason="fake", ends_conversation=self.ends)

    def drop_pending(self) -> None:
        self.dropped += 1

    def end_conversation(self) -> None:
        self.ended += 1


class FakeMatcher:
    """A fake: every text is a complete command."""

    def match(self, text: str) -> Command | None:
        return Command(kind=CommandKind.CONTROL, name="yes")


class SecondOfSound:
    """A fake synthesiser: every sentence takes half a second, in two pieces."""

    def __init__(self, *, fails: bool = False) -> None:
        self.said: list[str] = []
        self.fails = fails

    def synthesize(self, text: str) -> Iterator[Samples]:
        if self.fails:
            raise GloveboxError("no voice")
        self.said.append(text)
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
    **settings: object,
) -> tuple[Notes, WaveSink, VoiceLoop]:
    notes, clock = Notes(), StreamClock()
    sink = WaveSink(clock.now)
    loop = VoiceLoop(
        source=Pressed(samples, hush_at, lambda: loop.hush()),  # noqa: PLW0108 - the loop is made of the source
        sink=sink,
        wake=WakesOnce([int(at * SAMPLE_RATE) for at in wake_at]),
        vad=FakeVad(),
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
    )
    asyncio.run(loop.run())
    return notes, sink, loop


def test_nothing_is_recognised_before_the_wake_word() -> None:
    recognizer = FakeRecognizer()
    notes, sink, loop = run(sound((1, QUIET), (2, LOUD), (2, QUIET)), [], recognizer, FakeDialogue())
    assert recognizer.fed == []
    assert notes.records == []
    assert sink.track().size == 0
    assert loop.load.audio_s == pytest.approx(5.0, abs=0.1)


def test_a_turn_is_heard_answered_and_recorded_with_its_latency() -> None:
    recognizer, dialogue = FakeRecognizer("hello"), FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (9, QUIET))
    notes, sink, _ = run(samples, [1.0], recognizer, dialogue, chime=False)
    assert dialogue.heard == [("hello", True)]
    (record,) = notes.records
    assert record.speech_ended_s == pytest.approx(2.5, abs=0.1)
    assert record.endpoint_reason == "silence"
    assert record.latency_ms["endpoint"] == pytest.approx(600, abs=80)
    assert record.latency_ms["total"] >= record.latency_ms["endpoint"]
    assert record.reply_seconds == pytest.approx(0.5, abs=0.01)
    assert record.reply_at_s is not None
    begin = int(np.flatnonzero(sink.track())[0])
    assert begin / SAMPLE_RATE == pytest.approx(record.reply_at_s, abs=0.05)
    assert recognizer.fed[0] / SAMPLE_RATE == pytest.approx(1.0 + 0.3 + KEEP_S, abs=0.15)
    assert dialogue.ended == 1
    assert len(notes.ends) == 1


def test_a_command_in_one_breath_loses_nothing_after_the_wake_word() -> None:
    recognizer = FakeRecognizer("hello")
    run(sound((1, QUIET), (2, LOUD), (2, QUIET)), [1.5], recognizer, FakeDialogue())
    assert recognizer.fed[0] / SAMPLE_RATE == pytest.approx(1.5 + KEEP_S, abs=0.1)
    assert recognizer.before[0] / SAMPLE_RATE > 1.0, "what was heard before shows the recogniser the noise"


def test_a_complete_command_ends_sooner() -> None:
    samples = sound((1.5, QUIET), (1.0, LOUD), (3, QUIET))
    notes, _, _ = run(samples, [1.0], FakeRecognizer("yes", partial="yes"), FakeDialogue())
    assert notes.records[0].endpoint_reason == "hurry"
    assert notes.records[0].latency_ms["endpoint"] < 350


def test_the_follow_up_needs_no_wake_word_but_is_marked_as_not_addressed() -> None:
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (3, QUIET), (0.5, LOUD), (8, QUIET))
    notes, _, _ = run(samples, [1.0], FakeRecognizer("one", "two"), dialogue)
    assert dialogue.heard == [("one", True), ("two", False)]
    assert len(notes.records) == 2
    assert len(notes.ends) == 1


def test_the_microphone_is_gated_while_the_assistant_speaks() -> None:
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (0.75, QUIET), (0.3, LOUD), (8, QUIET))
    run(samples, [1.0], FakeRecognizer("one", "own voice"), dialogue)
    assert [text for text, _ in dialogue.heard] == ["one"]


@pytest.mark.parametrize(
    ("at", "heard"), [(2.0, []), (3.4, ["one"]), (4.5, ["one"])], ids=["heard", "spoken to", "follow-up"]
)
def test_the_button_for_silence_ends_the_turn_not_only_the_sound(at: float, heard: list[str]) -> None:
    """At 2 s the driver speaks, at 3.4 s the assistant does; without the button the window stays open until past 8 s."""
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (6, QUIET), (0.5, LOUD), (5, QUIET))
    notes, sink, _ = run(samples, [1.0, 9.5], FakeRecognizer("one", "two"), dialogue, hush_at=at)
    assert [text for text, _ in dialogue.heard] == heard
    assert notes.ends[0] == pytest.approx(at, abs=0.1) and dialogue.ended == 2
    later = np.flatnonzero(sink.track()[int((at + 0.1) * SAMPLE_RATE) : int(9.0 * SAMPLE_RATE)])
    assert later.size == 0


def test_the_button_for_silence_stops_what_is_told_unasked() -> None:
    samples = sound((6, QUIET), (1.0, LOUD), (9, QUIET))
    dialogue = FakeDialogue()
    _, sink, _ = run(samples, [5.5], FakeRecognizer("hello"), dialogue, None, once("Your timer is over."), hush_at=2.2)
    assert np.flatnonzero(sink.track()[int(2.3 * SAMPLE_RATE) : int(5.0 * SAMPLE_RATE)]).size == 0
    assert dialogue.heard == [("hello", True)]  # and the microphone is open again


@pytest.mark.parametrize("where", ["recogniser", "dialogue"])
def test_a_failure_is_spoken_recorded_and_survived(where: str) -> None:
    error = GenerationError("the model gave up")
    recognizer = FakeRecognizer(error if where == "recogniser" else "one", "two")
    dialogue = FakeDialogue(fails=error if where == "dialogue" else None)
    voice = SecondOfSound()
    samples = sound((1.5, QUIET), (1.0, LOUD), (3, QUIET), (0.5, LOUD), (3, QUIET))
    notes, _, _ = run(samples, [1.0], recognizer, dialogue, voice)
    assert voice.said[0] == error.spoken
    assert notes.records[0].error == "generation"
    assert len(notes.records) == 2


def test_a_voice_that_fails_still_gives_a_sound() -> None:
    voice = SecondOfSound(fails=True)
    samples = sound((1.5, QUIET), (1.0, LOUD), (3, QUIET))
    notes, sink, _ = run(samples, [1.0], FakeRecognizer("one"), FakeDialogue(), voice, chime=False)
    assert notes.records[0].error == "error"
    assert sink.track().any()


def test_no_words_get_no_reply_and_the_window_stays_open() -> None:
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (0.5, LOUD), (2, QUIET), (0.5, LOUD), (3, QUIET))
    notes, _, _ = run(samples, [1.0], FakeRecognizer("", "hello"), dialogue)
    assert [text for text, _ in dialogue.heard] == ["hello"]
    assert notes.records[0].reply is None
    assert notes.records[0].reply_at_s is None


def test_a_closing_reply_ends_the_conversation_at_once() -> None:
    dialogue = FakeDialogue(ends=True)
    samples = sound((1.5, QUIET), (0.5, LOUD), (3, QUIET), (0.5, LOUD), (3, QUIET))
    run(samples, [1.0], FakeRecognizer("stop", "not me"), dialogue)
    assert [text for text, _ in dialogue.heard] == ["stop"]
    assert dialogue.ended == 1


def test_an_utterance_that_the_stream_cuts_off_is_still_answered() -> None:
    dialogue = FakeDialogue()
    notes, _, _ = run(sound((1.5, QUIET), (1.0, LOUD)), [1.0], FakeRecognizer("hello"), dialogue)
    assert dialogue.heard == [("hello", True)]
    assert len(notes.records) == 1
    assert dialogue.ended == 1


def test_the_chime_sounds_only_when_nobody_speaks() -> None:
    _, sink, _ = run(sound((1.0, QUIET), (4, QUIET)), [0.9], FakeRecognizer(), FakeDialogue())
    assert sink.track().any()
    _, sink, _ = run(sound((1.0, QUIET), (9, LOUD)), [0.9], FakeRecognizer("", ""), FakeDialogue())
    assert not sink.track()[: 2 * SAMPLE_RATE].any()


def test_load_is_counted_for_the_always_on_part() -> None:
    _, _, loop = run(sound((2.0, QUIET)), [], FakeRecognizer(), FakeDialogue())
    assert loop.load.audio_s == pytest.approx(63 * FRAME / SAMPLE_RATE)
    assert 0.0 <= loop.load.share() < 1.0


# What is due ----------------------------------------------------------------------------------------------------------

DUE_S = 2.0
"""When something becomes due in these tests."""


def once(*sentences: str) -> Callable[[], Sequence[str]]:
    waiting = list(sentences)

    def due() -> Sequence[str]:
        told, waiting[:] = tuple(waiting), []
        return told

    return due


def test_what_is_due_is_spoken_while_nobody_speaks() -> None:
    voice = SecondOfSound()
    samples = sound((6, QUIET))
    _, sink, _ = run(samples, [], FakeRecognizer(), FakeDialogue(), voice, once("Your tea timer is over.", "Stop."))
    assert voice.said == ["Your tea timer is over. Stop."]
    begin = int(np.flatnonzero(sink.track())[0])
    assert begin / SAMPLE_RATE == pytest.approx(DUE_S, abs=0.1)


def test_what_is_due_during_a_turn_waits_for_its_end() -> None:
    voice, dialogue = SecondOfSound(), FakeDialogue()
    samples = sound((1.5, QUIET), (1.5, LOUD), (14, QUIET))
    run(samples, [1.0], FakeRecognizer("hello"), dialogue, voice, once("Your timer is over."))
    assert voice.said[-1] == "Your timer is over." and len(voice.said) == 2
    assert dialogue.heard == [("hello", True)]


def test_after_it_the_wake_word_is_heard_again() -> None:
    dialogue = FakeDialogue()
    samples = sound((6, QUIET), (1.0, LOUD), (9, QUIET))
    run(samples, [5.5], FakeRecognizer("hello"), dialogue, None, once("Your timer is over."))
    assert dialogue.heard == [("hello", True)]


def test_a_voice_that_fails_still_gives_a_sound_for_what_is_due() -> None:
    _, sink, _ = run(sound((5, QUIET)), [], FakeRecognizer(), FakeDialogue(), SecondOfSound(fails=True), once("Over."))
    assert sink.track().size > 0
