"""Whether a word was said in a sound: by its own score, in what was written, and in the place of words that sound like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voice.asr.whisper
from voice.asr.whisper import WhisperRecognizer, instead
from voice.asr.whisper_model import Decoded

SOUND = np.zeros(24_000, np.int16)
Hears = Callable[..., WhisperRecognizer]


@pytest.fixture
def hears(monkeypatch: pytest.MonkeyPatch) -> Hears:
    """A recogniser whose engine writes this and scores texts as it is told (all others -30)."""

    def made(written: str, scores: dict[str, float]) -> WhisperRecognizer:
        class Model:
            plain = ""

            def __init__(self, *_: object, **__: object) -> None: ...
            def expect(self, text: str) -> None: ...
            def encode(self, samples: Any) -> Any: ...

            def decode(self, encoded: Any, seconds: float, beam: int, *, prompted: bool) -> Decoded:
                return Decoded(written, -0.5, 0.0, 1.0)

            def scores(self, encoded: Any, texts: Sequence[str], seconds: float) -> list[float]:
                return [scores.get(text, -30.0) for text in texts]

        monkeypatch.setattr(voice.asr.whisper, "WhisperModel", Model)
        monkeypatch.setattr(voice.asr.whisper, "INSTEAD_AT", {"jarvis": -6.0})
        return WhisperRecognizer(Path("nowhere"), lambda _: None)

    return made


@pytest.mark.parametrize(
    ("written", "scores", "said"),
    [
        ("Charge this.", {"jarvis": -8.9}, True),
        ("Hey Jarvis.", {}, True),
        ("Charge this.", {"jarvis": -9.1, "charge this": -2.0}, False),
        ("Chargers stop.", {"jarvis": -16.0, "chargers stop": -3.0, "jarvis stop": -8.9}, True),
        ("Chargers stop.", {"jarvis": -16.0, "chargers stop": -3.0, "jarvis stop": -9.1}, False),
        ("And no charge this.", {"and no charge this": -2.0, "and no jarvis": -7.0}, True),
        ("", {}, False),
    ],
)
def test_the_word_was_said_where_it_fits_nearly_as_well_as_what_was_written(
    hears: Hears, written: str, scores: dict[str, float], said: bool
) -> None:
    assert hears(written, scores).has(SOUND, "jarvis") is said


def test_a_word_without_a_limit_of_its_own_is_not_put_in_the_place_of_others(hears: Hears) -> None:
    ear = hears("A commuter.", {"a commuter": -1.0, "a computer": -2.0, "a jarvis": -2.0})
    assert ear.has(SOUND, "jarvis") and not ear.has(SOUND, "computer")


def test_the_word_stands_in_the_place_of_one_or_two_others() -> None:
    assert instead("no charge this", "jarvis") == [
        "jarvis charge this", "no jarvis this", "no charge jarvis", "jarvis this", "no jarvis",
    ]  # fmt: skip
    assert instead("", "jarvis") == []
