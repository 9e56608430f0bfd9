"""The built-in wake word on speech in cabin noise made at test time. Voices of the demonstration drive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.training import acoustics
from models.training.wake import phrases, voices
from schemas.events import Samples, WakeDetection
from voice.wake.onnx import OnnxWakeWord

MODEL = Path(__file__).parents[2] / "models" / "builtin" / "wake" / "computer.onnx"
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


def heard(samples: Samples) -> list[WakeDetection]:
    wake = OnnxWakeWord(MODEL)
    found = [wake.process(samples[start : start + 512]) for start in range(0, samples.size, 512)]
    return [item for item in found if item is not None]


@pytest.mark.parametrize("text", ["computer", "computer set the temperature to twenty degrees", "hey computer"])
def test_hears_four_of_five_voices_at_15_db(text: str) -> None:
    found = [heard(in_car(voices.speak(text, prosody), 15.0, seed)) for seed, prosody in enumerate(CAST)]
    assert sum(len(items) == 1 for items in found) >= 4, f"detections by voice: {[len(items) for items in found]}"


def test_end_lies_at_the_words_end() -> None:
    word = voices.speak("computer", CAST[0])
    (found,) = heard(in_car(word, 15.0, 1))
    assert abs(found.end_sample - (3 * RATE + word.size)) < 0.25 * RATE


def test_stays_silent_over_a_minute_of_small_talk_in_noise() -> None:
    talk = np.zeros(0, np.int16)
    for index in range(60):
        sentence = phrases.SMALL_TALK[index % len(phrases.SMALL_TALK)]
        talk = np.concatenate([talk, voices.speak(sentence, CAST[index % 5]), np.zeros(4800, np.int16)])
        if talk.size >= 60 * RATE:
            break
    assert talk.size >= 60 * RATE
    assert heard(in_car(talk, 15.0, 9)) == []


def test_stays_silent_in_noise_alone() -> None:
    noise = acoustics.road_noise(60.0, np.random.default_rng(12), 120.0, 2800.0)
    assert heard((noise * 32767.0).astype(np.int16)) == []
