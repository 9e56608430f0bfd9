"""The loop on stated fakes: what is fed to whom and when, what sounds, what is recorded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from schemas.clock import StreamClock
from schemas.errors import AudioDeviceError, GenerationError, GloveboxError
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
from voice import account, hearing, thinking
from voice.account import LoopSettings
from voice.audio.wavefile import WaveSink, WaveSource
from voice.dialogue.amending import First
from voice.loop import VoiceLoop
from voice.tts.sentences import split_sentences
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad
from voice.vad.hold import KEEP_S
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


def test_every_frame_that_was_dealt_with_is_a_beat_and_a_loop_that_hangs_has_none() -> None:
    beats, hangs, let = list[int](), threading.Event(), threading.Event()

    def due() -> Sequence[str]:
        hangs.set()
        assert let.wait(60)
        return ()

    spoken = sound((DUE_S + 2, QUIET))
    loop = threading.Thread(
        target=lambda: run(spoken, [], FakeRecognizer(), FakeDialogue(), due=due, beat=lambda: beats.append(1))
    )
    loop.start()
    assert hangs.wait(60)
    before = len(beats)
    assert before == int(DUE_S * SAMPLE_RATE / FRAME) and not let.wait(0.2) and len(beats) == before
    let.set()
    loop.join(60)
    assert len(beats) == len(spoken) // FRAME


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
@pytest.mark.parametrize(
    ("error", "spoken", "code"),
    [
        (GenerationError("the model gave up"), GenerationError.spoken, "generation"),
        (ZeroDivisionError("my locker is forty"), GloveboxError.spoken, "error"),
    ],
)
def test_a_failure_is_spoken_recorded_and_survived(
    error: Exception, spoken: str, code: str, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    recognizer = FakeRecognizer(error if where == "recogniser" else "one", "two")
    dialogue = FakeDialogue(fails=error if where == "dialogue" else None)
    voice = SecondOfSound()
    samples = sound((1.5, QUIET), (1.0, LOUD), (3, QUIET), (0.5, LOUD), (3, QUIET))
    notes, _, _ = run(samples, [1.0], recognizer, dialogue, voice)
    assert voice.said[0] == spoken
    assert notes.records[0].error == code
    assert len(notes.records) == 2
    assert "locker" not in caplog.text


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
    assert voice.said == ["Your tea timer is over.", "Stop."]
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


# An utterance that goes on --------------------------------------------------------------------------------------------

GOES_ON = ((1.5, QUIET), (1.0, LOUD), (0.8, QUIET), (0.5, LOUD), (9, QUIET))
"""The voice ends at 2.5 s, the utterance .6 s later, and at 3.3 s the voice goes on."""


def test_an_utterance_that_goes_on_while_it_is_thought_about_is_understood_as_one() -> None:
    dialogue, recognizer = FakeDialogue(), FakeRecognizer("one", "one two", "two")
    dialogue.takes_s = 0.6
    notes, _, _ = run(sound(*GOES_ON), [1.0], recognizer, dialogue)
    assert dialogue.amended == [("one two", "two", "one")]
    (record,) = notes.records
    assert record.transcript is not None and record.transcript.text == "one two"
    assert (record.began_s, record.speech_ended_s) == (pytest.approx(1.2, abs=0.1), pytest.approx(3.8, abs=0.1))
    whole, tail = recognizer.fed[1:]
    assert whole / SAMPLE_RATE == pytest.approx(3.8 - 1.2 + KEEP_S, abs=0.2), "all of it, with the pause"
    assert tail / SAMPLE_RATE == pytest.approx(0.3 + 0.5 + 0.6, abs=0.2), "what was said since, with its pre-roll"
    assert record.reply_at_s is not None
    assert notes.ends == [pytest.approx(record.reply_at_s + 0.5 + 5.0, abs=0.2)]


def test_without_a_voice_the_thought_is_answered_as_ever() -> None:
    dialogue = FakeDialogue()
    dialogue.takes_s = 0.6
    notes, _, _ = run(sound((1.5, QUIET), (1.0, LOUD), (9, QUIET)), [1.0], FakeRecognizer("one"), dialogue)
    assert dialogue.amended == [] and len(notes.records) == 1
    assert notes.records[0].latency_ms["total"] == pytest.approx(1200, abs=150)


def test_where_our_own_voice_is_not_heard_an_utterance_goes_on_into_its_reply() -> None:
    dialogue = FakeDialogue()
    notes, sink, _ = run(sound(*GOES_ON), [1.0], FakeRecognizer("one", "one two", "two"), dialogue, barge_in=True)
    assert dialogue.amended == [("one two", "two", "one")]
    assert [record.transcript.text for record in notes.records if record.transcript] == ["one", "one two"]
    assert not sink.track()[int(3.6 * SAMPLE_RATE) : int(4.3 * SAMPLE_RATE)].any(), "the reply fell silent"


def test_where_it_is_heard_the_reply_is_finished_first() -> None:
    dialogue = FakeDialogue()
    notes, _, _ = run(sound(*GOES_ON), [1.0], FakeRecognizer("one", "two"), dialogue)
    assert dialogue.amended == []
    assert dialogue.heard[0] == ("one", True) and notes.records[0].reply_seconds == pytest.approx(0.5, abs=0.05)


def test_a_voice_a_second_later_is_no_part_of_the_utterance() -> None:
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (1.9, QUIET), (0.5, LOUD), (9, QUIET))
    run(samples, [1.0], FakeRecognizer("one", "two"), dialogue, barge_in=True)
    assert dialogue.amended == [] and dialogue.heard == [("one", True), ("two", False)]


ONE = ((1.5, QUIET), (1.0, LOUD), (9, QUIET))


# Pauses ---------------------------------------------------------------------------------------------------------------


def test_the_recogniser_is_told_of_every_pause_once() -> None:
    recognizer = FakeRecognizer("one")
    run(sound((1.5, QUIET), (1.0, LOUD), (0.4, QUIET), (1.0, LOUD), (9, QUIET)), [1.0], recognizer, FakeDialogue())
    assert len(recognizer.pauses) == 2
    first, last = recognizer.pauses
    assert first / SAMPLE_RATE == pytest.approx(0.3 + 1.0 + KEEP_S, abs=0.1)
    assert last == recognizer.fed[0], "nothing is fed after the last one, so finishing costs nothing"


@pytest.mark.parametrize(
    ("decodes_s", "endpoint_ms", "reason"), [(0.0, 160, "hurry"), (0.3, 384, "hurry"), (0.8, 600, "silence")]
)
def test_in_playback_words_count_when_they_would_be_known(
    decodes_s: float, endpoint_ms: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(FakeRecognizer):
        def pause(self) -> None:
            super().pause()
            now[0] += decodes_s
            self.words_so_far = "yes"

    now = [0.0]
    monkeypatch.setattr(hearing, "time", SimpleNamespace(perf_counter=lambda: now[0], process_time=lambda: 0.0))
    notes, _, _ = run(sound((1.5, QUIET), (1.0, LOUD), (9, QUIET)), [1.0], Slow("yes"), FakeDialogue())
    (record,) = notes.records
    assert (record.endpoint_reason, record.latency_ms["endpoint"]) == (reason, pytest.approx(endpoint_ms, abs=40))
    owed = max(0.0, KEEP_S + decodes_s - 0.6)
    assert record.latency_ms["recognise"] == pytest.approx(owed * 1000.0, abs=80), "what is left of it delays the reply"


def test_a_reply_that_was_foreseen_is_made_before_the_end_and_once() -> None:
    voice, dialogue = SecondOfSound(), FakeDialogue()
    dialogue.foresees = {"yes": "You said yes."}
    notes, sink, _ = run(sound(*ONE), [1.0], FakeRecognizer("yes", partial="yes"), dialogue, voice)
    assert voice.said == ["You said yes."]
    assert dialogue.heard == [("yes", True)]
    assert notes.records[0].reply_seconds == pytest.approx(0.5, abs=0.01)
    assert sink.track().any()


class Fades(FakeVad):
    """A fake: faint sound is a voice that fades."""

    def process(self, frame: Samples) -> float:
        level = float(np.abs(frame.astype(np.int32)).mean())
        return 0.6 if 2 * QUIET < level < LOUD / 2 else super().process(frame)


@pytest.mark.parametrize(
    ("after", "pauses", "foreseen", "ended"),
    [
        ([(9.0, QUIET)], 2, ["yes"], "hurry"),
        ([(1.0, LOUD), (9.0, QUIET)], 3, ["yes", "yes"], "hurry"),
    ],
    ids=["a pause follows", "the voice goes on"],
)
def test_a_command_is_decided_when_the_voice_fades(
    after: list[tuple[float, int]], pauses: int, foreseen: list[str], ended: str
) -> None:
    dialogue, recognizer = FakeDialogue(), FakeRecognizer("yes", partial="yes")
    dialogue.foresees = {"yes": "You said yes."}
    fading = [(1.5, QUIET), (1.0, LOUD), (0.1, FAINT), *after]
    notes, _, _ = run(sound(*fading), [1.0], recognizer, dialogue, vad=Fades())
    assert (len(recognizer.pauses), dialogue.foreseen) == (pauses, foreseen)
    assert [record.endpoint_reason for record in notes.records] == [ended]
    assert dialogue.heard == [("yes", True)]


def test_what_was_decided_when_the_voice_faded_ends_nothing_that_the_pause_does_not_confirm() -> None:
    class Longer(FakeRecognizer):
        def pause(self) -> None:
            super().pause()
            self.words_so_far = "yes" if len(self.pauses) == 1 else ""

    recognizer = Longer("yes but no", partial="yes")
    fading = [(1.5, QUIET), (1.0, LOUD), (0.1, FAINT), (9.0, QUIET)]
    notes, _, _ = run(sound(*fading), [1.0], recognizer, FakeDialogue(), vad=Fades())
    assert [record.endpoint_reason for record in notes.records] == ["silence"]


def test_what_is_added_to_a_reply_that_was_foreseen_is_made_after_it() -> None:
    voice, dialogue = SecondOfSound(), FakeDialogue()
    dialogue.foresees, dialogue.answers = {"yes": "You said yes."}, {"yes": "You said yes. By the way, why?"}
    notes, _, _ = run(sound(*ONE), [1.0], FakeRecognizer("yes", partial="yes"), dialogue, voice)
    assert voice.said == ["You said yes.", "By the way, why?"]
    assert notes.records[0].reply_seconds == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("finally_heard", ["no", "yes but no"])
def test_another_reply_than_was_foreseen_is_not_heard(finally_heard: str) -> None:
    voice, dialogue = SecondOfSound(), FakeDialogue()
    dialogue.foresees = {"yes": "You said yes."}
    notes, _, _ = run(sound(*ONE), [1.0], FakeRecognizer(finally_heard, partial="yes"), dialogue, voice)
    assert [record.reply.text for record in notes.records if record.reply] == [f"You said {finally_heard}."]
    assert notes.records[0].reply_seconds == pytest.approx(0.5, abs=0.01)


def test_free_speech_is_foreseen_in_each_pause_and_thrown_away_when_the_voice_returns() -> None:
    class Free(FakeRecognizer):
        def likely(self) -> Transcript | None:
            return Transcript(text=f"{len(self.pauses)}", confidence=0.9, in_grammar=False)

    dialogue, voice = FakeDialogue(), SecondOfSound()
    dialogue.foresees = {"1": "You said 1.", "2": "You said 2."}
    goes_on = sound((1.5, QUIET), (1.0, LOUD), (0.3, QUIET), (1.0, LOUD), (9, QUIET))
    notes, _, _ = run(goes_on, [1.0], Free("2"), dialogue, voice)
    assert dialogue.foreseen == ["1", "2"]
    assert [record.reply.text for record in notes.records if record.reply] == ["You said 2."]


@pytest.mark.parametrize(
    ("decided", "said"), [("one", ["You said one."]), ("four", ["You said one.", "You said four."])]
)
def test_the_reply_is_foreseen_before_commands_are_weighed_against_the_words(decided: str, said: list[str]) -> None:
    begun = threading.Event()

    class Hears(FakeRecognizer):
        def hear(self) -> Transcript | None:
            return Transcript(text="one", confidence=0.9, in_grammar=False)

        def pause(self) -> None:
            assert begun.wait(60), "weighing takes longer than it takes to begin with the sound"
            super().pause()

        def likely(self) -> Transcript | None:
            return Transcript(text=decided, confidence=0.9, in_grammar=False) if self.pauses else None

    class Speaks(SecondOfSound):
        def synthesize(self, text: str) -> Iterator[Samples]:
            for piece in super().synthesize(text):
                begun.set()
                yield piece

    dialogue, voice = FakeDialogue(), Speaks()
    dialogue.foresees = {word: f"You said {word}." for word in ("one", "four")}
    notes, _, _ = run(sound(*ONE), [1.0], Hears(decided), dialogue, voice)
    assert voice.said == said
    assert [record.reply.text for record in notes.records if record.reply] == [said[-1]]


def test_a_preparation_that_is_given_up_while_it_is_waited_for_ends_no_turn() -> None:
    async def waited() -> object:
        parts, turn = thinking.Thinking.__new__(thinking.Thinking), cast("Any", object())
        made = cast("asyncio.Task[Any]", asyncio.create_task(asyncio.Event().wait()))
        ahead = thinking._Foreseen(Transcript(text="one", confidence=0.9, in_grammar=False), made)
        ahead.text = "You said one."
        parts._turn, parts._ahead = turn, ahead
        waiting = asyncio.create_task(parts._foreseen(turn, "You said one."))
        await asyncio.sleep(0)
        ahead.making.cancel()
        return await waiting

    assert asyncio.run(waited()) is None


@pytest.mark.parametrize(("whole", "ended"), [({"one"}, "whole"), (set[str](), "silence"), ({"other"}, "silence")])
def test_what_is_surely_a_whole_sentence_waits_less(whole: set[str], ended: str) -> None:
    class Free(FakeRecognizer):
        def likely(self) -> Transcript | None:
            return Transcript(text="one", confidence=0.9, in_grammar=False)

    dialogue = FakeDialogue()
    dialogue.whole = whole
    notes, _, _ = run(sound(*ONE), [1.0], Free("one"), dialogue)
    assert notes.records[0].endpoint_reason == ended


def test_what_seems_to_be_no_command_is_decided_a_little_later() -> None:
    class Seeming(FakeRecognizer):
        def likely(self) -> Transcript | None:
            return Transcript(text="one", confidence=0.9, in_grammar=False)

    recognizer = Seeming("one")
    gaps = sound((1.5, QUIET), (1.0, LOUD), (0.07, QUIET), (1.0, LOUD), (0.3, QUIET), (1.0, LOUD), (9, QUIET))
    run(gaps, [1.0], recognizer, FakeDialogue())
    assert len(recognizer.pauses) == 2, "the short one was none"


def test_what_the_voice_still_lacks_at_the_end_delays_the_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(SecondOfSound):
        def synthesize(self, text: str) -> Iterator[Samples]:
            now[0] += 0.5
            yield from super().synthesize(text)

    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0], process_time=lambda: 0.0)
    for module in (thinking, account):
        monkeypatch.setattr(module, "time", clock)
    dialogue = FakeDialogue()
    dialogue.foresees = {"yes": "You said yes."}
    notes, _, _ = run(sound(*ONE), [1.0], FakeRecognizer("yes", partial="yes"), dialogue, Slow())
    (record,) = notes.records
    assert record.latency_ms["endpoint"] == pytest.approx(160, abs=40)
    assert record.latency_ms["synthesise"] == pytest.approx((KEEP_S + 0.5 - 0.16) * 1000.0, abs=80)


# Interrupting ---------------------------------------------------------------------------------------------------------

LONG = "First of all. Then there is this. And then that. And so on. And at last the end."
"""Two and a half seconds of the fake voice."""


def long_reply() -> FakeDialogue:
    dialogue = FakeDialogue()
    dialogue.answers = {"one": LONG}
    return dialogue


def test_a_voice_interrupts_a_reply_where_our_own_is_not_heard() -> None:
    dialogue = long_reply()
    samples = sound((1.5, QUIET), (1.0, LOUD), (2.0, QUIET), (0.5, LOUD), (9, QUIET))
    notes, sink, _ = run(samples, [1.0], FakeRecognizer("one", "two"), dialogue, barge_in=True)
    assert dialogue.heard == [("one", True), ("two", False)]
    assert dialogue.dropped == 1, "what waits for a yes goes on waiting until the window closes"
    assert not sink.track()[int(4.9 * SAMPLE_RATE) : int(5.5 * SAMPLE_RATE)].any()
    assert notes.records[1].began_s == pytest.approx(4.2, abs=0.1)


@pytest.mark.parametrize(("pause", "known"), [(0.8, True), (2.8, True), (4.2, False)])
def test_what_is_heard_soon_after_a_reply_may_be_its_echo(pause: float, known: bool) -> None:
    """The reply sounds for half a second from 3.1 s on; the voice after it is heard in the follow-up window."""
    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (1.1 + pause, QUIET), (0.5, LOUD), (9, QUIET))
    run(samples, [1.0], FakeRecognizer("one", "two"), dialogue, barge_in=True)
    assert dialogue.said == [[], ["You said one."] if known else []]


def test_what_interrupts_a_reply_may_be_its_echo_and_what_was_never_said_is_not_known() -> None:
    dialogue = long_reply()
    samples = sound((1.5, QUIET), (1.0, LOUD), (2.0, QUIET), (0.5, LOUD), (6, QUIET), (0.5, LOUD), (9, QUIET))
    run(samples, [1.0, 10.5], FakeRecognizer("one", "two", "three"), dialogue, barge_in=True)
    assert dialogue.said == [[], [LONG], []]


def test_talk_that_takes_too_long_to_understand_keeps_no_conversation_open() -> None:
    class Slow(FakeDialogue):
        async def respond(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> Reply:
            self.takes_s = 0.1 if addressed else 7.0  # longer than a thought may take
            return await super().respond(transcript, addressed=addressed, said=said)

    talk = [part for _ in range(20) for part in ((10.0, LOUD), (1.3, QUIET))]
    notes, _, _ = run(sound((1.5, QUIET), (1.0, LOUD), (3.0, QUIET), *talk), [1.0], FakeRecognizer(*["one"] * 40), Slow(),
                      barge_in=True)  # fmt: skip
    assert [record.error for record in notes.records].count("turn_timeout") == 1, "told once"
    assert len(notes.ends) == 1 and notes.ends[0] < 35.0


def test_a_cough_does_not_interrupt() -> None:
    dialogue = long_reply()
    samples = sound((1.5, QUIET), (1.0, LOUD), (2.0, QUIET), (0.15, LOUD), (9, QUIET))
    _, sink, _ = run(samples, [1.0], FakeRecognizer("one", "two"), dialogue, barge_in=True)
    assert len(dialogue.heard) == 1
    assert sink.track()[int(4.9 * SAMPLE_RATE) : int(5.5 * SAMPLE_RATE)].any()


@pytest.mark.parametrize("barge_in", [False, True])
def test_the_wake_word_interrupts_and_the_words_after_it_are_kept(barge_in: bool) -> None:
    """Wake word from 4.0 to 4.5 s, told of at 4.7, and words until 5.0: in one breath."""
    dialogue, recognizer = long_reply(), FakeRecognizer("one", "stop")

    class Late(WakesOnce):
        def process(self, chunk: Samples) -> WakeDetection | None:
            found = super().process(chunk)
            if found is None or found.end_sample < 3 * SAMPLE_RATE:
                return found
            return found.model_copy(update={"end_sample": found.end_sample - SAMPLE_RATE // 5})

    samples = sound((1.5, QUIET), (1.0, LOUD), (2.2, QUIET), (0.4, LOUD), (9, QUIET))
    notes, sink, _ = run(samples, [1.0, 4.7], recognizer, dialogue, wake=Late, barge_in=barge_in)
    assert dialogue.heard == [("one", True), ("stop", True)]
    assert notes.records[1].began_s == pytest.approx(4.5, abs=0.05), "from the end of the wake word"
    assert recognizer.fed[1] / SAMPLE_RATE == pytest.approx(0.6 + KEEP_S, abs=0.1)
    assert not sink.track()[int(4.9 * SAMPLE_RATE) : int(5.5 * SAMPLE_RATE)].any()


@pytest.mark.parametrize(("barge_in", "woken"), [(False, 1), (True, 2)])
def test_our_own_voice_does_not_wake_us(barge_in: bool, woken: int) -> None:
    dialogue = FakeDialogue()
    dialogue.answers = {"one": "Say computer, and then what you want. " + LONG}
    samples = sound((1.5, QUIET), (1.0, LOUD), (9, QUIET))
    notes, _, _ = run(samples, [1.0, 4.0], FakeRecognizer("one"), dialogue, barge_in=barge_in)
    assert len(notes.woken) == woken


# A conversation ends --------------------------------------------------------------------------------------------------


def test_talk_that_is_not_answered_does_not_keep_a_conversation_open() -> None:
    dialogue = FakeDialogue()
    dialogue.answers = {f"talk {number}": "" for number in range(20)}
    samples = sound((1.5, QUIET), (1.0, LOUD), (1.5, QUIET), *[(1.0, LOUD), (0.8, QUIET)] * 20, (3, QUIET))
    talk = [f"talk {number}" for number in range(20)]
    notes, _, _ = run(samples, [1.0], FakeRecognizer("one", *talk), dialogue)
    assert len(notes.ends) == 1
    assert notes.ends[0] == pytest.approx(3.7 + 5.0, abs=2.0)
    assert len(dialogue.heard) <= 4


def test_a_source_is_heard_as_if_it_were_the_first() -> None:
    """Wake word and VAD know nothing of what the loop before them heard."""
    wake, vad = FakeWakeWord([SAMPLE_RATE]), Counting()
    for _ in range(2):
        dialogue = FakeDialogue()
        run(
            sound((1.5, QUIET), (1.0, LOUD), (9, QUIET)),
            [],
            FakeRecognizer("one"),
            dialogue,
            wake=lambda _: wake,
            vad=vad,
        )
        assert dialogue.heard == [("one", True)]
    assert vad.resets >= 2


class Counting(FakeVad):
    """The fake VAD, which counts its resets."""

    def __init__(self) -> None:
        super().__init__()
        self.resets = 0

    def reset(self) -> None:
        self.resets += 1


# Live -----------------------------------------------------------------------------------------------------------------


def run_live(
    samples: Samples, synthesizer: SecondOfSound, sink: WaveSink, dialogue: FakeDialogue, source: WaveSource
) -> Notes:
    """As fast as the threads go: nothing here depends on how fast that is."""
    notes = Notes()
    loop = VoiceLoop(
        source=source, sink=sink, wake=WakesOnce([SAMPLE_RATE]), vad=FakeVad(), endpointer=Endpointer(),
        recognizer=FakeRecognizer("one", *[""] * 20), matcher=FakeMatcher(), dialogue=dialogue,  # type: ignore[arg-type]
        synthesizer=synthesizer, observer=notes, machine=TurnMachine(Limits(thinking_s=1e6, speaking_s=1e6)),
    )  # fmt: skip
    asyncio.run(loop.run())
    return notes


def test_live_a_loudspeaker_that_fails_costs_the_sound_only() -> None:
    class Broken(WaveSink):
        def play(self, samples: Samples) -> float:
            raise AudioDeviceError("gone")

    dialogue = FakeDialogue()
    samples = sound((1.5, QUIET), (1.0, LOUD), (2, QUIET))
    notes = run_live(samples, SecondOfSound(), Broken(), dialogue, WaveSource(samples))
    assert dialogue.heard == [("one", True)]
    assert len(notes.records) == 1 and notes.records[0].error is None
    assert len(notes.ends) == 1


def test_live_frames_go_on_while_the_rest_of_a_reply_is_made() -> None:
    """The second piece is only made when fifty more frames have been heard: a loop that waited for it would never end."""
    more, waited = threading.Event(), list[bool]()

    class Held(SecondOfSound):
        def synthesize(self, text: str) -> Iterator[Samples]:
            yield np.full(SAMPLE_RATE // 4, 500, np.int16)
            started[0] = True
            waited.append(more.wait(30.0))
            yield np.full(SAMPLE_RATE // 4, 500, np.int16)

    class Watching(WaveSource):
        def frames(self) -> Iterator[Samples]:
            since = 0
            quiet = np.full(FRAME, QUIET, np.int16)
            yield from super().frames()
            while not more.is_set() and since < 1_000_000:  # silence until fifty frames after the first piece
                since += started[0]
                if since == 50:
                    more.set()
                yield quiet

    started = [False]
    samples = sound((1.5, QUIET), (1.0, LOUD), (1, QUIET))
    sink = WaveSink()
    run_live(samples, Held(), sink, FakeDialogue(), Watching(samples))
    assert waited == [True]
    assert np.count_nonzero(sink.track()[-SAMPLE_RATE // 2 :] == 500) == SAMPLE_RATE // 2, "and all of it sounds"
