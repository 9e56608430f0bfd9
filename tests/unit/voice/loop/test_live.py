"""The loop on threads, as it runs live."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import numpy as np

from schemas.errors import AudioDeviceError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from tests.unit.voice.loop.loop_rig import (
    LOUD,
    QUIET,
    FakeDialogue,
    FakeMatcher,
    FakeRecognizer,
    Notes,
    SecondOfSound,
    WakesOnce,
    sound,
)
from voice.audio.wavefile import WaveSink, WaveSource
from voice.loop import VoiceLoop
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad


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
