"""What every wake word engine promises (`schemas.ports.WakeWord`): the fake, ours, and each that another package adds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from models import acoustics
from models.training import voices
from schemas.events import Samples, WakeDetection
from schemas.ports import WakeWord
from voice.engines import opened
from voice.wake import WAKE_WORDS, Waking
from voice.wake.fake import FakeWakeWord
from voice.wake.onnx import OnnxWakeWord

MODEL = Path(__file__).parents[2] / "models" / "builtin" / "wake" / "computer.onnx"
RATE = 16_000


@dataclass(frozen=True)
class Case:
    """An engine and a stream in which it finds its keyword once, near `end`."""

    wake: WakeWord
    samples: Samples
    end: int


@pytest.fixture(params=["fake", "onnx", *sorted(WAKE_WORDS.added())])
def case(request: pytest.FixtureRequest) -> Case:
    if request.param == "fake":
        return Case(FakeWakeWord([40_000]), np.zeros(5 * RATE, np.int16), 40_000)
    if not voices.available():
        pytest.skip("espeak-ng is not installed: nobody there to say the wake word")
    word = voices.speak("computer", voices.Prosody("en-us", 150, 50))
    noise = acoustics.road_noise(5.0, np.random.default_rng(3)) * 0.2
    samples = (noise * 32767.0).astype(np.int16)
    samples[2 * RATE : 2 * RATE + word.size] += word // 2
    added = request.param in WAKE_WORDS.added()
    wake = opened(WAKE_WORDS, request.param, Waking("computer", None, 2.0)) if added else OnnxWakeWord(MODEL)
    return Case(wake, samples, 2 * RATE + word.size)


def heard(case: Case, chunk: int) -> list[WakeDetection]:
    pieces = [case.samples[start : start + chunk] for start in range(0, case.samples.size, chunk)]
    return [found for piece in [*pieces, pieces[0][:0]] if (found := case.wake.process(piece)) is not None]


def test_takes_mono_16_khz(case: Case) -> None:
    assert case.wake.sample_rate == RATE


def test_finds_the_keyword_once_and_says_where(case: Case) -> None:
    (found,) = heard(case, 512)
    assert found.keyword == "computer"
    assert 0.0 < found.score <= 1.0
    assert abs(found.end_sample - case.end) < 0.3 * RATE


def test_tells_in_the_chunk_that_completes_it(case: Case) -> None:
    for start in range(0, case.samples.size, 512):
        found = case.wake.process(case.samples[start : start + 512])
        if found is not None:
            assert found.end_sample <= start + 512
            assert start + 512 - found.end_sample < 0.5 * RATE
            return
    pytest.fail("the keyword was not found")


@pytest.mark.parametrize("chunk", [100, 777, 16_000, 80_000])
def test_chunk_length_does_not_matter(case: Case, chunk: int) -> None:
    expected = [found.end_sample for found in heard(case, 512)]
    case.wake.reset()
    assert [found.end_sample for found in heard(case, chunk)] == expected


def test_empty_chunk_changes_nothing(case: Case) -> None:
    assert case.wake.process(np.zeros(0, np.int16)) is None
    assert len(heard(case, 512)) == 1


def test_reset_counts_from_zero_again(case: Case) -> None:
    first = heard(case, 512)
    case.wake.process(case.samples[:20_000])
    case.wake.reset()
    assert heard(case, 512) == first


def test_silence_is_no_keyword(case: Case) -> None:
    assert all(case.wake.process(np.zeros(512, np.int16)) is None for _ in range(60))
