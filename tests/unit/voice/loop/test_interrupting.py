"""What is heard while the assistant speaks, or soon after: an interruption, an echo, a cough."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from schemas.events import SAMPLE_RATE, Reply, Samples, Transcript, WakeDetection
from tests.unit.voice.loop.loop_rig import LOUD, QUIET, FakeDialogue, FakeRecognizer, WakesOnce, run, sound
from voice.vad.hold import KEEP_S

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
