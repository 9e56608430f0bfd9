"""What every audio source and sink does: fakes, files, and devices on a sound card that is a fake, stated as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from schemas.errors import AudioDeviceError, AudioError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from schemas.ports import AudioSink, AudioSource
from voice.audio.devices.loudspeaker import Loudspeaker
from voice.audio.devices.microphone import Microphone
from voice.audio.devices.portaudio import SoundCard
from voice.audio.fake import FakeInbox, FakePortAudio, FakeSink, FakeSource
from voice.audio.wavefile import WaveSink, WaveSource, write

FRAMES = 7


def loudspeaker(rate: float) -> AudioSink:
    sink = Loudspeaker(card=SoundCard(FakePortAudio(rates=(rate,))))
    sink.open()
    return sink


def microphone(rate: float) -> AudioSource:
    """An open microphone that has recorded a little more than `FRAMES` frames."""
    card = FakePortAudio(rates=(rate,))
    source = Microphone(card=SoundCard(card), inbox=FakeInbox())
    source.open()
    stream = card.streams[-1]
    for _ in range(FRAMES + 2):
        stream.record(np.zeros(stream.settings["blocksize"], np.int16))
    return source


SOURCES: dict[str, Callable[[], AudioSource]] = {
    "fake": lambda: FakeSource(FRAMES),
    "wave": lambda: WaveSource(np.ones(FRAMES * FRAME - 100, np.int16)),
    "microphone": lambda: microphone(16_000.0),
    "microphone at 48 kHz": lambda: microphone(48_000.0),
    "no microphone": lambda: Microphone(card=SoundCard(FakePortAudio(inputs=0)), inbox=FakeInbox()),
}
SINKS: dict[str, Callable[[], AudioSink]] = {
    "fake": FakeSink,
    "wave": WaveSink,
    "loudspeaker": lambda: loudspeaker(16_000.0),
    "loudspeaker at 48 kHz": lambda: loudspeaker(48_000.0),
    "no loudspeaker": lambda: Loudspeaker(card=SoundCard(FakePortAudio(outputs=0))),
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> AudioSource:
    return SOURCES[request.param]()


@pytest.fixture(params=SINKS)
def sink(request: pytest.FixtureRequest) -> AudioSink:
    return SINKS[request.param]()


def test_frames_have_the_agreed_length(source: AudioSource) -> None:
    frames = source.frames()
    for _ in range(FRAMES):
        frame = next(frames)
        assert frame.shape == (FRAME,) and frame.dtype == np.int16


def test_close_ends_the_frames(source: AudioSource) -> None:
    frames = source.frames()
    next(frames)
    source.close()
    assert list(frames) == []
    source.close()
    assert list(source.frames()) == []


def test_a_source_that_fails_says_so() -> None:
    with pytest.raises(AudioDeviceError):
        list(FakeSource(1, fails=True).frames())


def test_a_file_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(AudioError):
        WaveSource.from_file(tmp_path / "absent.wav")


def sound(seconds: float) -> Samples:
    return np.full(round(seconds * SAMPLE_RATE), 1000, np.int16)


def test_play_tells_how_long_all_that_is_queued_takes(sink: AudioSink) -> None:
    first = sink.play(sound(0.5))
    assert 0.5 <= first < 0.6
    assert sink.play(sound(0.25)) - first == pytest.approx(0.25, abs=0.002)
    assert sink.play(sound(0.0)) - first == pytest.approx(0.25, abs=0.002)
    sink.close()


def test_stop_drops_what_is_queued(sink: AudioSink) -> None:
    sink.play(sound(2.0))
    sink.stop()
    assert 0.5 <= sink.play(sound(0.5)) < 0.6
    sink.close()


def test_stop_and_close_need_nothing_queued(sink: AudioSink) -> None:
    sink.stop()
    sink.close()
    sink.close()


def test_a_file_round_trip_keeps_every_sample(tmp_path: Path) -> None:
    samples = np.random.default_rng(3).integers(-32768, 32768, 4 * FRAME).astype(np.int16)
    write(tmp_path / "sound.wav", samples)
    assert np.array_equal(np.concatenate(list(WaveSource.from_file(tmp_path / "sound.wav").frames())), samples)
