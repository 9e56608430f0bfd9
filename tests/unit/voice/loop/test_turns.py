"""The loop on stated fakes, turn by turn: what is fed to whom and when, what sounds, what is recorded, and what ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from schemas.errors import GenerationError, GloveboxError
from schemas.events import FRAME, SAMPLE_RATE
from tests.unit.voice.loop.loop_rig import DUE_S, LOUD, QUIET, FakeDialogue, FakeRecognizer, SecondOfSound, run, sound
from voice.vad.fake import FakeVad
from voice.vad.hold import KEEP_S
from voice.wake.fake import FakeWakeWord


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
