"""Microphone and loudspeaker on a sound card that is a fake, stated as one."""

from __future__ import annotations

import logging
import sys
from typing import Any

import numpy as np
import pytest

from schemas.errors import AudioDeviceError, EngineMissingError
from schemas.events import FRAME, SAMPLE_RATE
from voice.audio.devices.loudspeaker import Loudspeaker
from voice.audio.devices.microphone import Microphone
from voice.audio.devices.portaudio import SoundCard, list_devices, load_portaudio
from voice.audio.fake import FakeInbox, FakePortAudio, FakeStream


def ramp(count: int, start: int = 0) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Samples that tell their place; their mean is near zero, as sound's is."""
    return (np.arange(start, start + count) * 7919 % 20_001 - 10_000).astype(np.int16)


def open_microphone(card: FakePortAudio, **settings: Any) -> tuple[Microphone, FakeStream]:
    source = Microphone(card=SoundCard(card), inbox=FakeInbox(), **settings)
    source.open()
    return source, card.streams[-1]


def sine(seconds: float, rate: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.rint(10_000 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)).astype(np.int16)


def test_what_was_recorded_arrives_without_gaps() -> None:
    source, stream = open_microphone(FakePortAudio())
    for start in range(0, 5 * FRAME, 500):
        stream.record(ramp(500, start))
    frames = source.frames()
    assert np.array_equal(np.concatenate([next(frames) for _ in range(5)]), ramp(5 * FRAME))
    assert (source.overflows, source.lost_samples) == (0, 0)


@pytest.mark.parametrize(("rate", "channels"), [(48_000.0, 2), (44_100.0, 1), (16_000.0, 6)])
def test_a_device_that_cannot_do_16_khz_mono_is_converted(rate: float, channels: int) -> None:
    source, stream = open_microphone(FakePortAudio(inputs=channels, rates=(rate,)))
    assert (stream.settings["samplerate"], stream.settings["channels"]) == (rate, channels)
    recorded = sine(1.0, rate)
    for start in range(0, recorded.size, 1000):
        stream.record(recorded[start : start + 1000])
    frames = source.frames()
    heard = np.concatenate([next(frames) for _ in range(28)])
    inner = slice(200, -200)
    assert np.abs(heard[inner] - sine(1.0, SAMPLE_RATE)[: heard.size][inner].astype(np.int32)).max() < 30


def test_a_card_that_can_do_anything_is_opened_in_stereo_at_16_khz() -> None:
    _, stream = open_microphone(FakePortAudio(inputs=2, rates=(48_000.0, 16_000.0), mixes=True))
    assert (stream.settings["samplerate"], stream.settings["channels"]) == (SAMPLE_RATE, 2)


def test_what_a_slow_program_loses_is_counted_and_replaced_by_silence(caplog: pytest.LogCaptureFixture) -> None:
    source, stream = open_microphone(FakePortAudio(), queue_s=2 * FRAME / SAMPLE_RATE)
    for _ in range(5):
        stream.record(np.ones(FRAME, np.int16))
    frames = source.frames()
    assert next(frames).all() and next(frames).all()
    stream.record(np.full(FRAME, 2, np.int16))
    with caplog.at_level(logging.WARNING):
        late = np.concatenate([next(frames) for _ in range(4)])
    assert late.tolist() == [0] * 3 * FRAME + [2] * FRAME
    assert (source.overflows, source.lost_samples) == (1, 3 * FRAME)
    assert "0.10 s of sound lost" in caplog.text


def test_an_overflow_inside_portaudio_is_counted() -> None:
    source, stream = open_microphone(FakePortAudio())
    stream.record(ramp(FRAME), status="input overflow")
    assert next(source.frames()).size == FRAME
    assert source.overflows == 1


@pytest.mark.parametrize("card", [FakePortAudio(inputs=0), FakePortAudio(fails_to_open=True)])
def test_no_microphone_says_what_is_there_and_what_works_without(card: FakePortAudio) -> None:
    with pytest.raises(AudioDeviceError) as caught:
        Microphone(card=SoundCard(card)).open()
    message = str(caught.value)
    assert "the default microphone cannot be opened" in message
    assert "fake card" in message and "out" in message
    for way in ("glovebox hear FILE.wav", 'glovebox say "..."', "./deploy/up demo"):
        assert way in message


def test_a_machine_without_any_device_says_none() -> None:
    card = FakePortAudio(inputs=0, outputs=0)
    assert list_devices(card) == ()
    with pytest.raises(AudioDeviceError, match="Devices seen: none"):
        Loudspeaker(card=SoundCard(card)).open()


def test_an_unknown_name_and_an_impossible_rate_are_named() -> None:
    with pytest.raises(AudioDeviceError, match="microphone 'studio'"):
        Microphone("studio", card=SoundCard(FakePortAudio())).open()
    with pytest.raises(AudioDeviceError, match="loudspeaker 'studio'"):
        Loudspeaker("studio", card=SoundCard(FakePortAudio())).open()
    with pytest.raises(AudioDeviceError, match="Invalid number of channels"):
        Loudspeaker(card=SoundCard(FakePortAudio(outputs=6))).open()


def test_devices_are_listed() -> None:
    (device,) = list_devices(FakePortAudio(inputs=2, outputs=0, rates=(44_100.0,)))
    assert str(device) == "0 'fake card' (2 in, 0 out, 44100 Hz)"


def open_loudspeaker(card: FakePortAudio) -> tuple[Loudspeaker, FakeStream]:
    sink = Loudspeaker(card=SoundCard(card))
    sink.open()
    return sink, card.streams[-1]


def test_what_is_played_sounds_on_every_channel_and_then_silence() -> None:
    sink, stream = open_loudspeaker(FakePortAudio(outputs=2))
    assert sink.play(ramp(700)) == pytest.approx(700 / SAMPLE_RATE + stream.latency)
    assert sink.play(ramp(500)) == pytest.approx(1200 / SAMPLE_RATE + stream.latency)
    out = stream.sound(blocks=3)
    assert out.shape == (3 * FRAME, 2)
    for channel in (0, 1):
        assert np.array_equal(out[:, channel], np.concatenate([ramp(700), ramp(500), np.zeros(336, np.int16)]))
    assert sink.play(ramp(100)) == pytest.approx(100 / SAMPLE_RATE + stream.latency)


def test_stop_is_heard_in_the_next_block() -> None:
    sink, stream = open_loudspeaker(FakePortAudio())
    sink.play(np.full(10 * FRAME, 9, np.int16))
    assert stream.sound().all()
    sink.stop()
    assert not stream.sound(blocks=2).any()


def test_a_sentence_in_pieces_is_converted_as_one_and_ends_complete() -> None:
    sink, stream = open_loudspeaker(FakePortAudio(rates=(48_000.0,)))
    whole = sine(0.5, SAMPLE_RATE)
    seconds = [sink.play(whole[start : start + 1000]) for start in range(0, whole.size, 1000)][-1]
    assert seconds == pytest.approx(0.5 + stream.latency, abs=0.001)
    out = stream.sound(blocks=20)[:, 0]
    expected = sine(0.5, 48_000.0)
    assert np.abs(out[500 : expected.size - 500].astype(np.int32) - expected[500:-500]).max() < 30
    assert np.abs(out[expected.size - 100 : expected.size].astype(np.int32)).max() > 3000
    assert not out[expected.size + 10 :].any()


def test_stop_forgets_what_the_converter_holds() -> None:
    sink, stream = open_loudspeaker(FakePortAudio(rates=(44_100.0,)))
    sink.play(np.full(4000, 9000, np.int16))
    sink.stop()
    assert not stream.sound(blocks=4).any()


@pytest.mark.parametrize(
    ("failure", "words"),
    [(OSError("PortAudio library not found"), "libportaudio2"), (ImportError("no"), "sounddevice")],
)
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, failure: Exception, words: str) -> None:
    class Blocked:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "sounddevice":
                raise failure

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Blocked(), *sys.meta_path])
    with pytest.raises(EngineMissingError, match=words):
        load_portaudio()
