"""The built-in wake words on speech in cabin noise made at test time. Voices of the demonstration drive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models import acoustics
from models.training import voices
from models.training.wake.words import phrases
from schemas.events import Samples, WakeDetection
from voice.wake.onnx import OnnxWakeWord

FOLDER = Path(__file__).parents[2] / "models" / "builtin" / "wake"
RATE = 16_000
CAST = (
    voices.Prosody("en-us", 150, 50),
    voices.Prosody("en-us+f2", 160, 60),
    voices.Prosody("en-gb+m3", 140, 40),
    voices.Prosody("en-us+f4", 175, 70),
    voices.Prosody("en-gb-x-rp", 135, 35),
)

pytestmark = pytest.mark.skipif(not voices.available(), reason="espeak-ng is not installed: no voice to test with")


def in_car(speech: Samples, snr_db: float, seed: int) -> Samples:
    """`speech` with three seconds before and one after, all in the noise of a car at 100 km/h."""
    padded = np.pad(speech.astype(np.float32) / np.float32(32768.0), (3 * RATE, RATE))
    noise = acoustics.road_noise(padded.size / RATE, np.random.default_rng(seed), 100.0, 2400.0)
    return (acoustics.mix_at_snr(padded, noise, snr_db) * 32767.0).astype(np.int16)


def heard(keyword: str, samples: Samples) -> list[WakeDetection]:
    wake = OnnxWakeWord(FOLDER / f"{keyword}.onnx")
    assert wake.keyword == keyword
    found = [wake.process(samples[start : start + 512]) for start in range(0, samples.size, 512)]
    return [item for item in found if item is not None]


@pytest.mark.parametrize("keyword", phrases.KEYWORDS)
@pytest.mark.parametrize("text", ["{}", "{} set the temperature to twenty degrees", "hey {}"])
def test_hears_four_of_five_voices_at_15_db(keyword: str, text: str) -> None:
    said = text.format(keyword)
    found = [heard(keyword, in_car(voices.speak(said, prosody), 15.0, seed)) for seed, prosody in enumerate(CAST)]
    assert sum(len(items) == 1 for items in found) >= 4, f"detections by voice: {[len(items) for items in found]}"


@pytest.mark.parametrize("keyword", phrases.KEYWORDS)
def test_end_lies_at_the_words_end(keyword: str) -> None:
    word = voices.speak(keyword, CAST[0])
    (found,) = heard(keyword, in_car(word, 15.0, 1))
    assert abs(found.end_sample - (3 * RATE + word.size)) < 0.25 * RATE


@pytest.mark.parametrize(("keyword", "other"), [("computer", "jarvis"), ("jarvis", "computer")])
def test_does_not_answer_to_the_other_word(keyword: str, other: str) -> None:
    assert [heard(keyword, in_car(voices.speak(other, prosody), 15.0, 4)) for prosody in CAST] == [[]] * len(CAST)


@pytest.mark.parametrize("keyword", phrases.KEYWORDS)
def test_stays_silent_over_a_minute_of_small_talk_in_noise(keyword: str) -> None:
    talk = np.zeros(0, np.int16)
    for index in range(60):
        sentence = phrases.SMALL_TALK[index % len(phrases.SMALL_TALK)]
        talk = np.concatenate([talk, voices.speak(sentence, CAST[index % 5]), np.zeros(4800, np.int16)])
        if talk.size >= 60 * RATE:
            break
    assert talk.size >= 60 * RATE
    assert heard(keyword, in_car(talk, 15.0, 9)) == []


@pytest.mark.parametrize("keyword", phrases.KEYWORDS)
def test_stays_silent_in_noise_alone(keyword: str) -> None:
    noise = acoustics.road_noise(60.0, np.random.default_rng(12), 120.0, 2800.0)
    assert heard(keyword, (noise * 32767.0).astype(np.int16)) == []


@pytest.mark.parametrize("keyword", phrases.KEYWORDS)
def test_the_file_stays_small(keyword: str) -> None:
    assert (FOLDER / f"{keyword}.onnx").stat().st_size < 300_000
