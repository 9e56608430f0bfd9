"""The demo's cabin: one continuous stream at the stated ratio, and a driver who waits for the assistant."""

from __future__ import annotations

import numpy as np
import pytest

from deploy.config import load_config
from deploy.demo import drivers as demo_drivers
from deploy.demo.cabin import BEAT_S, Cabin, CabinSpeaker, Line, Voice
from models.acoustics import active_level
from schemas.events import FRAME, SAMPLE_RATE, Samples

VOICE = Voice("en-us", 150, 50, 1.0)


def tone(seconds: float) -> Samples:
    time = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return (9000.0 * np.sin(2.0 * np.pi * 300.0 * time)).astype(np.int16)


def line(text: str = "a", *, wait_s: float = 1.0, patience_s: float = 3.0) -> Line:
    return Line(text, VOICE, wait_s=wait_s, patience_s=patience_s)


def test_the_stream_has_no_gaps_and_the_stated_ratio() -> None:
    cabin = Cabin([(line(), tone(2.0))], CabinSpeaker(), seed=1, snr_db=15.0, tail_s=2.0)
    frames = list(cabin.frames())
    assert {frame.shape for frame in frames} == {(FRAME,)}
    stream = np.concatenate(frames).astype(np.float64) / 32768.0
    begin, end, text = cabin.spoken[0]
    assert text == "a"
    noise = stream[: int((begin - 0.1) * SAMPLE_RATE)]
    speech = stream[int(begin * SAMPLE_RATE) : int(end * SAMPLE_RATE)]
    ratio = 20.0 * np.log10(active_level(speech.astype(np.float32)) / np.sqrt(np.mean(noise**2)))
    assert ratio == pytest.approx(15.0, abs=1.5)
    quietest = min(float(np.abs(frame.astype(np.float64)).mean()) for frame in frames)
    assert quietest > 0.0, "the noise never stops"


def test_the_driver_waits_until_the_assistant_has_finished() -> None:
    speaker = CabinSpeaker()
    cabin = Cabin([(line(), tone(1.0)), (line("b"), tone(1.0))], speaker, seed=1, tail_s=1.0)
    replied = False
    for _ in cabin.frames():
        at = speaker.position / SAMPLE_RATE
        if cabin.spoken and not replied and at > cabin.spoken[0][1] + 0.5:
            speaker.play(tone(4.0))
            replied = True
    reply_end = (speaker.pieces[0].start + len(speaker.pieces[0].samples)) / SAMPLE_RATE
    assert cabin.spoken[1][0] >= reply_end + 1.0
    assert cabin.spoken[1][0] % BEAT_S < FRAME / SAMPLE_RATE


def test_the_driver_goes_on_when_nobody_answers() -> None:
    cabin = Cabin([(line(patience_s=2.0), tone(1.0)), (line("b"), tone(1.0))], CabinSpeaker(), seed=1, tail_s=1.0)
    for _ in cabin.frames():
        pass
    assert len(cabin.spoken) == 2
    assert cabin.spoken[1][0] - cabin.spoken[0][1] == pytest.approx(2.5, abs=1.1)


def test_the_loudspeaker_is_heard_in_order_and_can_be_cut() -> None:
    speaker = CabinSpeaker()
    assert speaker.play(tone(1.0)) == pytest.approx(1.0)
    assert speaker.play(tone(1.0)) == pytest.approx(2.0)
    speaker.position = int(1.5 * SAMPLE_RATE)
    speaker.stop()
    assert sum(len(piece.samples) for piece in speaker.pieces) == int(1.5 * SAMPLE_RATE)
    assert speaker.busy_until == speaker.position


def test_closing_ends_the_stream() -> None:
    cabin = Cabin([(line(), tone(1.0))], CabinSpeaker(), seed=1)
    frames = cabin.frames()
    next(frames)
    cabin.close()
    assert list(frames) == []


def words(text: str) -> Samples:
    """A sound for each word, 1,000 samples long."""
    return np.full(1000 * len(text.split()), 5000, np.int16)


@pytest.mark.parametrize(
    ("line", "length"),
    [
        (Line("open the roof", VOICE, breath_s=0.5), 1000 + SAMPLE_RATE // 2 + 3000),
        (Line("open the roof", VOICE, breath_s=0.0), 4000),
        (Line("open the roof", VOICE, wake=False), 3000),
    ],
)
def test_the_wake_word_stands_in_front_with_its_breath(line: Line, length: int) -> None:
    assert demo_drivers.line_of(line, "computer", words).size == length


def test_a_driver_who_is_played_faster_is_higher_and_shorter() -> None:
    tone = (8000.0 * np.sin(2.0 * np.pi * 500.0 * np.arange(SAMPLE_RATE) / SAMPLE_RATE)).astype(np.int16)
    faster = demo_drivers.shifted(tone, 1.25)
    assert faster.size == pytest.approx(SAMPLE_RATE / 1.25, abs=2)
    peak = float(np.argmax(np.abs(np.fft.rfft(faster)))) * SAMPLE_RATE / faster.size
    assert peak == pytest.approx(625.0, abs=3.0)


def test_without_a_piper_voice_espeak_drives() -> None:
    with demo_drivers.drivers(load_config(environment={})) as speak:
        assert speak is demo_drivers.by_espeak
