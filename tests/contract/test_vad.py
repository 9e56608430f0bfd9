"""What every VAD does: the fake and the real one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schemas.events import FRAME, SAMPLE_RATE, Samples
from schemas.ports import Vad
from voice.tts.espeak import EspeakSynthesizer
from voice.vad.fake import FakeVad
from voice.vad.silero import SileroVad

WEIGHTS = Path(__file__).parents[2] / "models" / "builtin" / "vad" / "silero.onnx"


@pytest.fixture(params=["fake", "silero"])
def vad(request: pytest.FixtureRequest) -> Vad:
    return FakeVad() if request.param == "fake" else SileroVad(WEIGHTS)


@pytest.fixture(scope="module")
def speech() -> Samples:
    """A sentence between two seconds of silence, without the silence that espeak-ng gives itself."""
    sound = np.concatenate(list(EspeakSynthesizer().synthesize("please turn on the seat heating and the fan")))
    loud = np.flatnonzero(np.abs(sound) > 600)
    sound = sound[loud[0] : loud[-1]]
    silence = np.zeros(SAMPLE_RATE, np.int16)
    return np.concatenate([silence, sound, silence])


def probabilities(vad: Vad, samples: Samples) -> list[float]:
    return [vad.process(samples[start : start + FRAME]) for start in range(0, samples.size - FRAME + 1, FRAME)]


def test_silence_is_no_speech(vad: Vad) -> None:
    assert max(probabilities(vad, np.zeros(SAMPLE_RATE, np.int16))) < 0.2


def test_speech_is_speech_and_what_surrounds_it_is_not(vad: Vad, speech: Samples) -> None:
    found = probabilities(vad, speech)
    assert all(0.0 <= value <= 1.0 for value in found)
    second = SAMPLE_RATE // FRAME
    assert max(found[: second - 1]) < 0.2
    assert sum(value > 0.5 for value in found[second:-second]) > 0.8 * (len(found) - 2 * second)
    assert max(found[-second // 2 :]) < 0.2


def test_reset_forgets_the_stream(vad: Vad, speech: Samples) -> None:
    first = probabilities(vad, speech)
    vad.reset()
    assert probabilities(vad, speech) == first


@pytest.mark.parametrize("count", [0, FRAME - 1, FRAME + 1])
def test_another_frame_length_is_refused(vad: Vad, count: int) -> None:
    with pytest.raises(ValueError, match=str(FRAME)):
        vad.process(np.zeros(count, np.int16))


def test_the_loudest_samples_are_taken(vad: Vad) -> None:
    assert 0.0 <= vad.process(np.full(FRAME, -32768, np.int16)) <= 1.0
