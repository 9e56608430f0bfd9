"""Sound devices that disappear, hang and come back, on a sound card and a time that are fakes, stated as ones."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.devices.healing import LOOK_S, Caretaker, sound_landscape
from voice.audio.devices.health import SENTENCES, Health
from voice.audio.devices.loudspeaker import Loudspeaker
from voice.audio.devices.microphone import HANG_S, WAKE_S, Microphone
from voice.audio.devices.portaudio import SoundCard
from voice.audio.fake import FakeInbox, FakePortAudio

FRAME_S = FRAME / SAMPLE_RATE
BACK_S = 5.0
"""A device that is back must be heard again within this time."""


class Cabin:
    """Microphone, loudspeaker and caretaker; the microphone hears ±1000 all the time, so that silence is told from it."""

    def __init__(self, card: FakePortAudio) -> None:
        self.fake, self.inbox, self.health = card, FakeInbox(), Health()
        self.card = SoundCard(card)
        self.microphone = Microphone(card=self.card, health=self.health, inbox=self.inbox)
        self.loudspeaker = Loudspeaker(card=self.card, health=self.health, now=self.inbox.now)
        self.plugged = 0
        self.caretaker = Caretaker(
            self.card, (self.microphone, self.loudspeaker), now=self.inbox.now, landscape=lambda: self.plugged
        )
        self.caretaker.look()
        self.inbox.plan(FRAME_S, self._tick, every=FRAME_S)
        self.inbox.plan(LOOK_S, self.caretaker.look, every=LOOK_S)
        self.frames = self.microphone.frames()

    def _tick(self) -> None:
        for stream in self.fake.streams:
            if stream.running and not stream.hangs:
                if stream.settings["kind"] == "input":
                    stream.record(
                        np.where(np.arange(stream.settings["blocksize"]) // 32 % 2, 1000, -1000).astype(np.int16)
                    )
                else:
                    stream.sound()

    def plug(self, *, inputs: int, outputs: int = 2, rates: tuple[float, ...] | None = None) -> None:
        self.plugged += 1
        self.fake.plug(inputs=inputs, outputs=outputs, rates=rates)

    def until(self, second: float) -> Samples:
        """What the microphone delivers until then."""
        heard: list[Samples] = []
        while self.inbox.time < second:
            heard.append(next(self.frames))
        return np.concatenate(heard)


def loud(heard: Samples) -> float:
    """Seconds that are no silence."""
    return float((np.abs(heard) > 300).sum()) / SAMPLE_RATE


@pytest.mark.parametrize("rate", [16_000.0, 44_100.0, 48_000.0])
def test_a_microphone_unplugged_in_mid_utterance_comes_back_at_any_rate(rate: float) -> None:
    cabin = Cabin(FakePortAudio())
    assert loud(cabin.until(3.0)) > 2.9
    cabin.plug(inputs=0)
    away = cabin.until(10.0)
    assert away.size / SAMPLE_RATE == pytest.approx(7.0, abs=0.1)
    assert loud(away) < 0.1
    assert cabin.health.troubles() == ("microphone_missing",)
    cabin.plug(inputs=1, rates=(rate,))
    assert loud(cabin.until(10.0 + BACK_S)) > 1.0
    assert loud(cabin.until(20.0)) > 4.7
    assert cabin.health.troubles() == ()


def test_audio_time_is_wall_time_through_every_loss() -> None:
    cabin = Cabin(FakePortAudio())
    total = 0
    for second in range(1, 40):
        cabin.plug(inputs=second % 3 != 0, outputs=2 * (second % 5 != 0))
        total += cabin.until(float(second)).size
    assert total / SAMPLE_RATE == pytest.approx(cabin.inbox.time, abs=0.2)


def test_a_microphone_that_hangs_is_closed_and_opened_again() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.until(1.0)
    cabin.fake.streams[0].hangs = True
    heard = cabin.until(1.0 + HANG_S + 0.3)
    assert cabin.health.troubles() == ("microphone_hangs",)
    assert heard.size / SAMPLE_RATE == pytest.approx(HANG_S + 0.3, abs=0.1)
    assert loud(cabin.until(1.0 + BACK_S)) > 1.0
    assert not cabin.fake.streams[0].running
    late = cabin.fake.streams[0]
    late.record(np.full(FRAME, 9000, np.int16))
    assert cabin.until(8.0).max() <= 1000, "what a closed device delivers late is dropped"


def test_a_microphone_that_never_begins_is_found_after_its_time_to_wake_up() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.fake.streams[0].hangs = True
    cabin.until(0.1)
    assert cabin.inbox.time == pytest.approx(WAKE_S, abs=FRAME_S), "until then it may still begin"
    assert cabin.health.troubles() == ("microphone_hangs",)
    assert loud(cabin.until(WAKE_S + BACK_S)) > 1.0


def test_devices_that_are_missing_at_the_start_are_found_later(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        cabin = Cabin(FakePortAudio(inputs=0, outputs=0))
        assert cabin.until(5.0).size / SAMPLE_RATE == pytest.approx(5.0, abs=0.1)
    assert cabin.health.troubles() == ("microphone_missing", "loudspeaker_missing")
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2 and told[0].startswith(SENTENCES["microphone_missing"]) and "Devices seen: none" in told[0]
    cabin.plug(inputs=1, outputs=2)
    assert loud(cabin.until(5.0 + BACK_S)) > 1.0
    cabin.until(13.0)
    assert cabin.health.troubles() == ()


def test_a_microphone_that_comes_and_goes_every_second_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    cabin = Cabin(FakePortAudio())
    with caplog.at_level(logging.WARNING):
        for second in range(1, 30):
            cabin.plug(inputs=second % 2)
            cabin.until(float(second))
    assert len([r for r in caplog.records if "microphone" in r.getMessage()]) == 1
    assert cabin.health.troubles() == ("microphone_missing",)
    cabin.plug(inputs=1)
    cabin.until(29.0 + BACK_S + 3.0)
    assert cabin.health.troubles() == ()


def test_a_missing_loudspeaker_does_not_cut_the_microphone_until_something_is_plugged_in() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.until(1.0)
    cabin.plug(inputs=1, outputs=0)
    cabin.until(6.0)
    starts = cabin.fake.starts
    assert loud(cabin.until(20.0)) > 13.9
    assert cabin.fake.starts == starts
    cabin.plug(inputs=1, outputs=2)
    cabin.until(20.0 + BACK_S)
    assert cabin.loudspeaker.play(np.zeros(FRAME, np.int16)) == pytest.approx(FRAME_S + 0.05)
    assert loud(cabin.until(30.0)) > 4.8


def test_a_missing_microphone_is_looked_for_again_and_again_while_nothing_is_said() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.until(1.0)
    cabin.plug(inputs=0)
    cabin.until(10.0)
    cabin.fake.plug(inputs=1, outputs=2)  # seen by nothing but PortAudio's own list
    assert loud(cabin.until(10.0 + BACK_S)) > 1.0


def test_a_reply_is_not_cut_to_look_for_a_microphone() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.plug(inputs=0)
    cabin.loudspeaker.play(np.ones(6 * SAMPLE_RATE, np.int16))
    cabin.until(5.5)
    assert cabin.fake.starts == 1 and cabin.loudspeaker.busy()
    cabin.until(9.0)
    assert cabin.fake.starts > 1


def test_without_a_loudspeaker_a_reply_counts_as_spoken_after_its_length() -> None:
    cabin = Cabin(FakePortAudio(outputs=0))
    second = np.ones(SAMPLE_RATE, np.int16)
    assert cabin.loudspeaker.play(second) == pytest.approx(1.0)
    assert cabin.loudspeaker.play(second) == pytest.approx(2.0)
    cabin.until(1.5)
    assert cabin.loudspeaker.play(second) == pytest.approx(1.5, abs=FRAME_S)
    cabin.loudspeaker.stop()
    assert cabin.loudspeaker.play(second) == pytest.approx(1.0)


def test_a_loudspeaker_that_is_lost_in_mid_reply_raises_nothing() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.loudspeaker.play(np.ones(3 * SAMPLE_RATE, np.int16))
    cabin.until(1.0)
    cabin.plug(inputs=1, outputs=0)
    assert cabin.loudspeaker.play(np.ones(SAMPLE_RATE, np.int16)) > 0.9
    cabin.until(2.0)
    assert cabin.health.troubles() == ("loudspeaker_missing",)
    assert cabin.loudspeaker.play(np.ones(SAMPLE_RATE, np.int16)) > 0.9


def test_a_loudspeaker_that_hangs_is_opened_again() -> None:
    cabin = Cabin(FakePortAudio())
    cabin.until(1.0)
    cabin.fake.streams[1].hangs = True
    cabin.until(4.0)
    assert cabin.health.troubles() == ("loudspeaker_hangs",)
    cabin.until(1.0 + BACK_S + 3.0)
    assert cabin.health.troubles() == ()
    assert cabin.fake.streams[-1].running and not cabin.fake.streams[1].running


@pytest.mark.parametrize("state", ["works", "away", "hangs", "missing at start", "both away"])
def test_close_ends_the_frames_at_once_in_every_state(state: str) -> None:
    cabin = Cabin(FakePortAudio(inputs=state != "missing at start"))
    cabin.until(1.0)
    if state in ("away", "both away"):
        cabin.plug(inputs=0, outputs=0 if state == "both away" else 2)
        cabin.until(2.0)
    if state == "hangs":
        cabin.fake.streams[0].hangs = True
        cabin.until(1.5)
    cabin.microphone.close()
    before = cabin.inbox.time
    assert list(cabin.frames) == [] and cabin.inbox.time == before
    cabin.loudspeaker.close()
    cabin.caretaker.look()
    assert not any(stream.running for stream in cabin.fake.streams), "nothing is opened again"


def test_a_device_that_does_not_let_go_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    fake, held = FakePortAudio(), threading.Event()
    card = SoundCard(fake, close_s=0.01)
    microphone = Microphone(card=card, inbox=FakeInbox())
    microphone.open()
    monkeypatch.setattr(fake.streams[0], "abort", held.wait)
    microphone.close()
    assert card.stuck and not card.rescan()
    held.set()


def test_the_thread_looks_until_it_is_stopped() -> None:
    fake = FakePortAudio()
    microphone = Microphone(card=(card := SoundCard(fake)))
    caretaker = Caretaker(card, (microphone,), landscape=lambda: None)
    before = set(threading.enumerate())
    caretaker.start()
    (looking,) = set(threading.enumerate()) - before
    assert fake.streams[0].running, "start returns when the devices have been tried"
    caretaker.stop()
    looking.join(10.0)
    assert not looking.is_alive()
    microphone.close()


def test_a_sound_system_that_hangs_at_the_start_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.audio.devices.healing.START_S", 0.01)
    fake, held = FakePortAudio(), threading.Event()

    def hang(**_: object) -> None:
        held.wait()

    monkeypatch.setattr(fake, "check_input_settings", hang)
    inbox = FakeInbox()
    microphone = Microphone(card=(card := SoundCard(fake)), inbox=inbox)
    caretaker = Caretaker(card, (microphone,), landscape=lambda: None)
    caretaker.start()
    frames = microphone.frames()
    for _ in range(100):
        assert not next(frames).any()
    assert inbox.time == pytest.approx(100 * FRAME_S, abs=FRAME_S)
    microphone.close()
    caretaker.stop()
    monkeypatch.undo()
    held.set()


def test_plugging_and_starting_a_sound_server_changes_the_landscape(tmp_path: Path) -> None:
    server = tmp_path / f"run/user/{os.getuid()}/pulse"
    (tmp_path / "proc/asound").mkdir(parents=True)
    server.mkdir(parents=True)
    seen = [sound_landscape(tmp_path)]
    (tmp_path / "proc/asound/cards").write_text(" 0 [Device]: USB-Audio", encoding="utf-8")
    seen.append(sound_landscape(tmp_path))
    (server / "native").touch()
    seen.append(sound_landscape(tmp_path))
    assert len(set(map(str, seen))) == 3
    assert sound_landscape(tmp_path) == seen[-1]


def test_real_time_passes_while_the_microphone_is_away() -> None:
    microphone = Microphone(card=SoundCard(FakePortAudio(inputs=0)))
    frames, began = microphone.frames(), time.monotonic()
    for _ in range(5):
        next(frames)
    assert time.monotonic() - began >= 4 * FRAME_S
    microphone.close()
