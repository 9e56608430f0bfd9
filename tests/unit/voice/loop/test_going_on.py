"""An utterance that goes on after a pause, and what is decided and foreseen within pauses."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from schemas.events import SAMPLE_RATE, Reply, Samples, Transcript
from tests.unit.voice.loop.loop_rig import (
    FAINT,
    LOUD,
    QUIET,
    FakeDialogue,
    FakeMatcher,
    FakeRecognizer,
    Notes,
    SecondOfSound,
    run,
    sound,
)
from voice import account, hearing, thinking
from voice.speaking import Speech
from voice.turn import Answered, TurnEvent
from voice.vad.fake import FakeVad
from voice.vad.hold import KEEP_S

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
    heard = Transcript(text="one", confidence=0.9, in_grammar=True)

    async def likely() -> Transcript:
        return heard

    async def of_stream(at: float) -> Transcript:
        return heard

    async def waited() -> tuple[type[TurnEvent], list[bool]]:
        begun, understood, prepared = asyncio.Event(), asyncio.Event(), list[bool]()

        async def prepare(text: str, *, ahead: bool = False) -> Speech:
            prepared.append(ahead)
            if ahead:
                begun.set()
                await asyncio.Event().wait()
            return Speech(text, None, iter(()))

        def lately(since: float) -> tuple[str, ...]:
            return ()

        class Replies(FakeDialogue):
            async def respond(self, *told: Any, **more: Any) -> Reply:
                asyncio.get_running_loop().call_soon(understood.set)
                return await super().respond(*told, **more)

        async def finish(matched: object) -> hearing.Heard:
            return hearing.Heard(heard)

        dialogue, turn = Replies(), account.RunningTurn(latency_ms={"endpoint": 0.0})
        dialogue.foresees = {"one": "You said one."}
        ears = SimpleNamespace(likely=likely, hear=of_stream, decide=of_stream, finish=finish)
        speaker = SimpleNamespace(prepare=prepare, lately=lately)
        parts = thinking.Thinking(
            cast("Any", ears), cast("Any", dialogue), cast("Any", speaker), FakeMatcher(), Notes(), live=True
        )
        await parts.look(turn, 0.0)
        await begun.wait()
        thought = asyncio.create_task(parts.think(turn))
        await understood.wait()  # and now it waits for what is being made
        parts.drop()
        return await thought, prepared

    assert asyncio.run(waited()) == (Answered, [True, False])


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
