"""A finger in place of the voice, and who looks on: the loop on fakes of sound and car, with the real dialogue between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from schemas.clock import StreamClock
from schemas.events import FRAME, SAMPLE_RATE, Asking, Phase, Samples, TurnRecord, WakeDetection
from tests.dialogues import FakeMatcher, FakeVehicle, make
from voice.account import LoopSettings
from voice.asr.fake import FakeRecognizer
from voice.audio.wavefile import WaveSink, WaveSource
from voice.loop import VoiceLoop
from voice.showing import level
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad
from voice.wake.fake import FakeWakeWord

LOUD, QUIET = 8000, 10
WINDOW = {
    "open my window": "set_window(window=driver,percent=40)",
    "close the other one": "set_window(window=passenger,percent=0)",
}


class Beep:
    """A fake voice: every sentence takes half a second."""

    def synthesize(self, text: str) -> Iterator[Samples]:
        del text
        yield np.full(SAMPLE_RATE // 2, 500, np.int16)


@dataclass
class Onlooker:
    """Keeps what it is shown, and when."""

    clock: StreamClock
    phases: list[tuple[float, Phase]] = field(default_factory=list)
    asked: list[Asking] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    asking: Asking | None = None

    def stands(self, phase: Phase, asking: Asking | None, era: int) -> None:
        self.asking = asking
        if asking is not None and asking not in self.asked:
            self.asked.append(asking)
        if not self.phases or self.phases[-1][1] is not phase:
            self.phases.append((self.clock.now(), phase))

    def sounds(self, level: float) -> None:
        self.levels.append(level)

    def hears(self, words: str, era: int) -> None:
        self.words.append(words)


@dataclass
class Notes:
    records: list[TurnRecord] = field(default_factory=list)
    ends: int = 0

    def woke(self, at: float, detection: WakeDetection) -> None: ...

    def finished(self, record: TurnRecord) -> None:
        self.records.append(record)

    def ended(self, at: float, conversation: str) -> None:
        self.ends += 1


class Touched(WaveSource):
    """A stream in which a finger does something at some seconds."""

    def __init__(self, samples: Samples, touches: Mapping[float, Callable[[], object]]) -> None:
        super().__init__(samples)
        self._touches = {int(at * SAMPLE_RATE / FRAME): touch for at, touch in touches.items()}

    def frames(self) -> Iterator[Samples]:
        for number, frame in enumerate(super().frames()):
            self._touches.get(number, bool)()
            yield frame


class Drive:
    """One stream through loop and dialogue."""

    def __init__(self, *parts: tuple[float, int], hears: tuple[str, ...] = (), wake_at: tuple[float, ...] = ()) -> None:
        self.clock = StreamClock()
        self.dialogue, self.vehicle, _, _ = make(WINDOW)
        self.onlooker, self.notes = Onlooker(self.clock), Notes()
        rng = np.random.default_rng(0)
        self.samples = np.concatenate(
            [
                (rng.standard_normal(int(s * SAMPLE_RATE)) * loud).clip(-32000, 32000).astype(np.int16)
                for s, loud in parts
            ]
        )
        self.hears, self.wake_at = hears, wake_at
        self.loop: VoiceLoop | None = None

    def run(self, touches: Mapping[float, Callable[[VoiceLoop], object]]) -> FakeVehicle:
        def at(touch: Callable[[VoiceLoop], object]) -> Callable[[], object]:
            return lambda: touch(self.loop) if self.loop is not None else None

        self.loop = VoiceLoop(
            source=Touched(self.samples, {when: at(touch) for when, touch in touches.items()}),
            sink=WaveSink(self.clock.now),
            wake=FakeWakeWord([int(at * SAMPLE_RATE) for at in self.wake_at]),
            vad=FakeVad(),
            endpointer=Endpointer(),
            recognizer=FakeRecognizer(self.hears, match=FakeMatcher().match, confidence=1.0),
            matcher=FakeMatcher(),
            dialogue=self.dialogue,
            synthesizer=Beep(),
            observer=self.notes,
            machine=TurnMachine(Limits()),
            clock=self.clock,
            settings=LoopSettings(chime=False),
            onlooker=self.onlooker,
        )
        asyncio.run(self.loop.run())
        return self.vehicle

    @property
    def heard(self) -> list[str]:
        return [record.transcript.text for record in self.notes.records if record.transcript is not None]


def answer(words: str, drive: Drive, number: int | None = None) -> Callable[[VoiceLoop], object]:
    """A tap on the question that is shown, or on one of that number."""

    def tap(loop: VoiceLoop) -> None:
        shown = drive.onlooker.asked[-1].number if number is None else number
        loop.answer(shown, words)

    return tap


def test_pressing_is_as_good_as_the_wake_word() -> None:
    drive = Drive((2, QUIET), (1, LOUD), (8, QUIET), hears=("play some music",))
    vehicle = drive.run({1.0: VoiceLoop.press, 1.5: VoiceLoop.press})
    assert [action.name for action in vehicle.done] == ["play_music"] and drive.heard == ["play some music"]
    assert [phase for _, phase in drive.onlooker.phases] == [
        Phase.LISTENING, Phase.HEARING, Phase.THINKING, Phase.SPEAKING, Phase.LISTENING, Phase.IDLE,
    ]  # fmt: skip
    assert drive.onlooker.phases[0][0] == pytest.approx(1.0, abs=0.07)


def test_an_answer_by_a_tap_is_carried_out_once_however_often_it_is_tapped() -> None:
    drive = Drive((1.5, QUIET), (1, LOUD), (9, QUIET), hears=("open my window",), wake_at=(1.0,))
    yes = answer("yes", drive)
    vehicle = drive.run({3.6: yes, 3.7: yes, 4.5: yes})
    assert [action.describe() for action in vehicle.done] == ["set_window(window=driver, percent=40)"]
    (asking,) = drive.onlooker.asked
    assert asking.yes_no and [one.name for one in asking.wanted] == ["set_window"]
    assert drive.heard == ["open my window", "yes"] and drive.notes.ends == 1


def test_a_no_by_a_tap_leaves_it() -> None:
    drive = Drive((1.5, QUIET), (1, LOUD), (9, QUIET), hears=("open my window",), wake_at=(1.0,))
    vehicle = drive.run({3.6: answer("no", drive)})
    assert vehicle.done == [] and vehicle.waiting == {} and drive.heard[-1] == "no"


def test_a_tap_that_comes_late_does_nothing() -> None:
    """The follow-up window has closed, and the question with it."""
    drive = Drive((1.5, QUIET), (1, LOUD), (14, QUIET), hears=("open my window",), wake_at=(1.0,))
    vehicle = drive.run({13.0: answer("yes", drive)})
    assert vehicle.done == [] and drive.heard == ["open my window"] and drive.onlooker.asking is None


def test_a_tap_on_an_earlier_question_does_not_answer_the_next_one() -> None:
    drive = Drive(
        (1.5, QUIET), (1, LOUD), (3, QUIET), (1, LOUD), (9, QUIET),
        hears=("open my window", "close the other one"), wake_at=(1.0, 5.0),
    )  # fmt: skip
    vehicle = drive.run({8.0: answer("yes", drive, number=1)})
    first, second = drive.onlooker.asked
    assert first.number == 1 and second.number > first.number and vehicle.done == []
    assert drive.heard == ["open my window", "close the other one"]


def test_an_order_by_a_tap_is_dealt_with_from_stillness_and_opens_the_follow_up_window() -> None:
    drive = Drive((3, QUIET), (9, QUIET))
    vehicle = drive.run({1.0: lambda loop: loop.order("play some music")})
    assert [action.name for action in vehicle.done] == ["play_music"] and drive.notes.ends == 1
    (record,) = drive.notes.records
    assert record.wake is None and record.endpoint_reason == "tapped" and record.latency_ms["endpoint"] == 0


def test_a_tap_takes_the_place_of_what_is_just_being_said() -> None:
    drive = Drive((1.5, QUIET), (3, LOUD), (9, QUIET), hears=("never decoded",), wake_at=(1.0,))
    vehicle = drive.run({3.0: lambda loop: loop.order("play some music")})
    assert [action.name for action in vehicle.done] == ["play_music"] and drive.heard[0] == "play some music"


def test_the_level_and_the_words_so_far_are_shown_while_the_driver_speaks() -> None:
    drive = Drive(
        (1.5, QUIET), (2, LOUD), (8, QUIET), hears=("set the temperature to twenty two degrees",), wake_at=(1.0,)
    )
    drive.run({})
    assert drive.onlooker.words[0] == "set" and len(drive.onlooker.words) > 2
    assert max(drive.onlooker.levels) > 0.9 and min(drive.onlooker.levels) == 0.0


def test_silence_has_no_level_and_full_scale_has_all() -> None:
    assert level(np.zeros(FRAME, np.int16)) == 0.0
    assert level(np.full(FRAME, 32000, np.int16)) == 1.0
    assert 0.3 < level(np.full(FRAME, 400, np.int16)) < 0.7
