"""The assistant's own voice in the microphone: what belongs together, what is left alone, and what WebRTC's canceller leaves."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from schemas.errors import EngineMissingError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.devices.live import LiveSound
from voice.audio.echo import JUMP_S, QUIET_S, STEP, EchoFilter, Reference, load_canceller
from voice.audio.fake import FakePortAudio

BLOCK_S = FRAME / SAMPLE_RATE


class Subtraction:
    """A canceller that only subtracts: what is left tells whether the two sounds were in step."""

    def process(self, near: NDArray[np.int16], far: NDArray[np.int16]) -> NDArray[np.int16]:
        assert near.size == far.size and near.size % STEP == 0
        return near - far


def noise(seconds: float, seed: int = 1) -> Samples:
    drawn = np.random.default_rng(seed).integers(-8000, 8000, round(seconds * SAMPLE_RATE) // FRAME * FRAME)
    return drawn.astype(np.int16)


def through(
    filter_: EchoFilter, reference: Reference, near: Samples, far: Samples, late: float = 0.0, seed: int = 2
) -> Samples:
    """Both streams block by block, every callback late by up to so many seconds."""
    drawn = np.random.default_rng(seed)
    out: list[Samples] = []
    for begin in range(0, near.size, FRAME):
        at = (begin + FRAME) / SAMPLE_RATE
        reference.give(far[begin : begin + FRAME], SAMPLE_RATE, at + late * drawn.random())
        out.append(filter_.clean(near[begin : begin + FRAME], at + late * drawn.random()))
    return np.concatenate(out)


@pytest.mark.parametrize("late", [0.0, 0.01])
def test_the_two_sounds_are_in_step_however_late_the_callbacks_are(late: float) -> None:
    reference = Reference()
    far = noise(4.0)
    near = np.concatenate([np.zeros(FRAME, np.int16), far[:-FRAME]])  # the echo of a block comes with the next
    cleaned = through(EchoFilter(reference, Subtraction), reference, near, far, late)
    step = round(JUMP_S * SAMPLE_RATE)
    tail = slice(SAMPLE_RATE, cleaned.size)
    shifts = [int(np.abs(near[tail] - np.roll(far, shift)[tail] - cleaned[tail]).max()) for shift in
              range(FRAME - step, FRAME + step + 1)]  # fmt: skip
    assert min(shifts) == 0
    if not late:
        assert shifts[step] == 0


def test_nothing_is_changed_while_nothing_is_said() -> None:
    reference = Reference()
    near = noise(2.0)
    cleaned = through(EchoFilter(reference, Subtraction), reference, near, np.zeros_like(near))
    assert np.array_equal(cleaned, near)


def test_every_sample_comes_out_when_the_reply_is_over() -> None:
    reference = Reference()
    far = noise(4.0)
    far[SAMPLE_RATE:] = 0
    near = noise(4.0, seed=5)
    cleaned = through(EchoFilter(reference, Subtraction), reference, near, far)
    assert cleaned.size == near.size
    over = round((1.0 + QUIET_S + 2 * BLOCK_S) * SAMPLE_RATE)
    assert np.array_equal(cleaned[over:], near[over:])
    assert not np.array_equal(cleaned[:over], near[:over])


def test_a_loudspeaker_at_another_rate_or_opened_anew_is_followed() -> None:
    reference = Reference()
    filter_ = EchoFilter(reference, Subtraction)
    through(filter_, reference, noise(1.0), noise(1.0))
    reference.begin()
    for block in range(31):
        reference.give(np.full(1411, 3000, np.int16), 44_100.0, 100.0 + block * BLOCK_S)
    start = reference.take_up()
    assert start == pytest.approx(100.0 - BLOCK_S, abs=0.01)
    assert reference.slice(8000, 10).tolist() == [3000] * 10
    assert reference.slice(10**6, 4).tolist() == [0] * 4


def test_webrtc_takes_an_echo_out_and_leaves_the_driver_in() -> None:
    pytest.importorskip("pywebrtc_audio")
    reference = Reference()
    far = (noise(8.0) * 0.3).astype(np.int16)
    delay = round(0.12 * SAMPLE_RATE)
    echo = np.concatenate([np.zeros(delay, np.int16), far[:-delay] // 2])
    time = np.arange(far.size) / SAMPLE_RATE
    driver = (3000 * np.sin(2 * np.pi * 300 * time) * (time > 7.0)).astype(np.int16)
    cleaned = through(EchoFilter(reference), reference, echo + driver, far, late=0.005)
    alone, both = slice(4 * SAMPLE_RATE, 7 * SAMPLE_RATE), slice(round(7.3 * SAMPLE_RATE), cleaned.size)
    loss = 10 * np.log10(np.mean(echo[alone].astype(float) ** 2) / (np.mean(cleaned[alone].astype(float) ** 2) + 1e-9))
    assert loss > 10.0
    assert np.mean(cleaned[both].astype(float) ** 2) > 0.1 * np.mean(driver[both].astype(float) ** 2)


def test_without_the_package_the_assistant_starts_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(EngineMissingError, match="pywebrtc-audio"):
        load_canceller()
    sound = LiveSound(cancel_echo=True, backend=FakePortAudio())
    assert not sound.cancels_echo
    assert "pywebrtc-audio is not installed" in caplog.text
    sound.close()


def test_the_loudspeaker_tells_what_sounds_and_the_microphone_takes_it_out() -> None:
    pytest.importorskip("pywebrtc_audio")
    card = FakePortAudio()
    sound = LiveSound(cancel_echo=True, backend=card)
    sound.microphone.open()
    sound.loudspeaker.open()
    assert sound.cancels_echo
    said = (noise(6.0) * 0.3).astype(np.int16)
    sound.loudspeaker.play(said)
    heard = np.zeros(FRAME, np.int16)
    frames, out = sound.microphone.frames(), list[Samples]()
    for _ in range(said.size // FRAME):
        card.streams[0].record(heard)
        heard = card.streams[1].sound()[:, 0]
        if len(out) * FRAME + STEP < said.size - FRAME:
            out.append(next(frames))
    left = np.concatenate(out[len(out) // 2 :])
    assert np.mean(left.astype(float) ** 2) < 0.1 * np.mean(said.astype(float) ** 2)
    sound.close()
