"""What training and measuring rest on: the split, where a word lies, labels, and how false accepts are counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from models.runtime import keyword
from models.runtime.keyword import Scores
from models.training.wake import corpus, measure, phrases, scenes
from models.training.wake.corpus import Spoken
from schemas.errors import AudioFileError

RATE = 16_000


def test_split_is_fixed_and_roughly_sixty_fifteen_twenty_five() -> None:
    parts = [corpus.part_of(f"{index}.flac") for index in range(4000)]
    shares = {part: parts.count(part) / 4000 for part in ("train", "dev", "test")}
    assert shares == pytest.approx({"train": 0.60, "dev": 0.15, "test": 0.25}, abs=0.03)
    assert [corpus.part_of(f"{index}.flac") for index in range(6)] == parts[:6]
    assert parts[:6] == ["dev", "test", "test", "train", "train", "train"]


def test_every_recording_is_in_one_part(tmp_path: Path) -> None:
    for index in range(20):
        sf.write(tmp_path / f"{index}.flac", np.full(100, index, np.int16), RATE)
    found = [int(clip[0]) for part in ("train", "dev", "test") for clip in corpus.recordings(tmp_path, part)]
    assert sorted(found) == list(range(20))


def test_unusable_folders_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match="no recordings in"):
        corpus.recordings(tmp_path, "train")
    (tmp_path / "a.flac").write_bytes(b"no sound at all")
    with pytest.raises(AudioFileError, match="not a readable"):
        corpus.read(tmp_path / "a.flac")
    sf.write(tmp_path / "b.flac", np.zeros(100, np.int16), 48_000)
    with pytest.raises(AudioFileError, match="48000 Hz"):
        corpus.read(tmp_path / "b.flac")


def test_word_is_found_in_a_quiet_clip() -> None:
    clip = 5.0 * np.random.default_rng(1).standard_normal(3 * RATE)
    clip[20_000:30_000] += 5000.0 * np.sin(np.arange(10_000) * 0.3)
    start, end = corpus.keyword_bounds(clip.astype(np.int16))
    assert start == pytest.approx(20_000, abs=400)
    assert end == pytest.approx(30_000, abs=400)


def test_cache_gives_back_what_was_made(tmp_path: Path) -> None:
    made = [Spoken(np.arange(5, dtype=np.int16), 1, 4), Spoken(np.arange(9, dtype=np.int16), 0, 9)]
    corpus.cached(tmp_path, "words", lambda: made)
    again = corpus.cached(tmp_path, "words", list)
    assert [(item.start, item.end, item.samples.tolist()) for item in again] == [
        (item.start, item.end, item.samples.tolist()) for item in made
    ]


def test_labels_fire_just_after_the_end() -> None:
    end = 40_000
    late = (keyword.output_positions(0, scenes.OUTPUTS) - end) / RATE
    labels = scenes.label(end)
    assert labels.shape == (scenes.OUTPUTS,)
    assert np.all(labels[(late >= 0.0) & (late <= 0.2)] == 1.0) and int((labels == 1.0).sum()) == 5
    assert np.all(labels[(late < -0.2) | (late > 0.6)] == 0.0)
    assert np.all(labels[(late >= -0.2) & (late < 0.0)] == scenes.IGNORED)


def test_scenes_are_a_function_of_the_seed() -> None:
    rng = np.random.default_rng(1)
    words = [Spoken((3000.0 * rng.standard_normal(9000)).astype(np.int16), 500, 8500) for _ in range(2)]
    other = [(3000.0 * rng.standard_normal(30_000)).astype(np.int16) for _ in range(3)]

    def batch() -> tuple[scenes.Floats, scenes.Floats]:
        return scenes.Scenes(scenes.Bank(words, words, other, other, []), np.random.default_rng(2), noises=1).batch(
            6, 0.5
        )

    (samples, labels), (again, _) = batch(), batch()
    assert np.array_equal(samples, again)
    assert samples.shape == (6, scenes.LENGTH) and float(np.abs(samples).max()) <= 1.0
    assert {float(value) for value in np.unique(labels)} == {-1.0, 0.0, 1.0}


def test_false_accepts_keep_the_refractory_period() -> None:
    positions = np.arange(100, dtype=np.int64) * 640  # every 40 ms for 4 s
    values = np.zeros(100, np.float32)
    values[[10, 11, 12, 30, 70, 99]] = 0.9  # at 0.4, 1.2, 2.8 and 3.96 s
    assert measure.accepts(Scores(values, positions), 0.8) == 2
    assert measure.accepts(Scores(values, positions), 0.95) == 0


def test_mixture_of_a_measurement_has_its_ratio(tmp_path: Path) -> None:
    (tmp_path / "noise").mkdir()
    hiss = (1000.0 * np.random.default_rng(4).standard_normal(RATE)).astype(np.int16)
    sf.write(tmp_path / "noise" / "kitchen.flac", hiss, RATE)
    noises = measure.Noises(tmp_path / "wake", 1, minutes=0.2)
    speech = (0.1 * np.sin(np.arange(2 * RATE) * 0.3)).astype(np.float32)
    level = float(np.sqrt(np.mean(speech**2)))
    mixed = noises.under(speech, level, measure.Condition("kitchen", 10.0)).astype(np.float32) / np.float32(32767.0)
    rest = float(np.sqrt(np.mean((mixed - speech) ** 2)))
    assert 20.0 * np.log10(level / rest) == pytest.approx(10.0, abs=0.3)


def test_measured_sentences_are_not_trained_on() -> None:
    trained = {*phrases.TRAIN_SENTENCES, *phrases.NEAR_WORDS, *phrases.AFTER_KEYWORD, *corpus.near_texts()}
    measured = {*phrases.SMALL_TALK, *phrases.NEAR_SENTENCES}
    assert not trained & measured
    assert not any(phrases.KEYWORD in text for text in trained | measured)
