"""What training and measuring rest on: the split, where a word lies, labels, and how false accepts are counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from models.runtime import keyword
from models.runtime.keyword import Scores
from models.training.wake import alter, corpus, listening, noises, scenes
from models.training.wake.corpus import Spoken
from models.training.wake.words import lexicon, phrases
from schemas.errors import AudioFileError

RATE = 16_000
Make = Callable[[float, np.random.Generator], noises.Floats]


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


def bank() -> scenes.Bank:
    rng = np.random.default_rng(1)
    words = [
        [Spoken((3000.0 * rng.standard_normal(9000)).astype(np.int16), 500, 8500) for _ in range(2)]
        for _ in range(scenes.WORDS)
    ]
    other = [(3000.0 * rng.standard_normal(30_000)).astype(np.int16) for _ in range(3)]
    return scenes.Bank(words, words, words, other, other, [scenes.Mined(other[0], None), scenes.Mined(other[1], 1)])


def test_scenes_are_a_function_of_the_seeds() -> None:
    def batch() -> tuple[scenes.Floats, scenes.Floats]:
        return scenes.Scenes(bank(), 2, stretches=1).batch(24, np.random.default_rng(3))

    (samples, labels), (again, _) = batch(), batch()
    assert np.array_equal(samples, again)
    assert samples.shape == (24, scenes.LENGTH) and float(np.abs(samples).max()) <= 1.0
    assert labels.shape == (24, scenes.WORDS, scenes.OUTPUTS)
    assert {float(value) for value in np.unique(labels)} == {-1.0, 0.0, 1.0}


def test_a_keyword_counts_for_its_own_word_only() -> None:
    _, labels = scenes.Scenes(bank(), 2, stretches=1).batch(40, np.random.default_rng(5))
    held = (labels == 1.0).any(axis=2)
    assert 10 < int(held.any(axis=1).sum()) < 35  # scenes with a keyword
    assert int(held.sum(axis=1).max()) <= 2
    one = labels[held.sum(axis=1) == 1]
    assert all(int((row == 1.0).sum()) <= 6 for scene in one for row in scene)


def test_words_without_a_keyword_stay_unlabelled() -> None:
    silent = scenes.Bank(bank().real, bank().synthetic, bank().others, bank().speech, bank().near)
    _, labels = scenes.Scenes(silent, 2, stretches=1).batch(40, np.random.default_rng(5))
    held = (labels == 1.0).any(axis=(1, 2))
    assert np.all(labels[~held] == 0.0)


def test_false_accepts_keep_the_refractory_period() -> None:
    positions = np.arange(100, dtype=np.int64) * 640  # every 40 ms for 4 s
    values = np.zeros(100, np.float32)
    values[[10, 11, 12, 30, 70, 99]] = 0.9  # at 0.4, 1.2, 2.8 and 3.96 s
    assert listening.accepts(Scores(values, positions), 0.8) == 2
    assert listening.accepts(Scores(values, positions), 0.95) == 0


def test_mixture_of_a_measurement_has_its_ratio() -> None:
    rng = np.random.default_rng(4)
    hiss = listening.Pool(0.03 * rng.standard_normal(RATE, np.float32), rng)
    speech = (0.1 * np.sin(np.arange(2 * RATE) * 0.3)).astype(np.float32)
    level = float(np.sqrt(np.mean(speech**2)))
    mixed = listening.under(speech, level, hiss, 10.0, rng).astype(np.float32) / np.float32(32767.0)
    rest = float(np.sqrt(np.mean((mixed - speech) ** 2)))
    assert 20.0 * np.log10(level / rest) == pytest.approx(10.0, abs=0.3)


def test_ratio_refers_to_the_word_and_not_to_its_pauses() -> None:
    rng = np.random.default_rng(4)
    clip = np.zeros(4 * RATE, np.int16)
    clip[RATE : 2 * RATE] = (3000.0 * np.sin(np.arange(RATE) * 0.3)).astype(np.int16)
    item = Spoken(clip, RATE, 2 * RATE)
    hiss = listening.Pool(0.03 * rng.standard_normal(RATE, np.float32), rng)
    mixed = listening.embedded(item, hiss, 10.0, rng).astype(np.float32)
    assert mixed.size == clip.size + listening.LEAD + listening.TAIL
    rest = mixed[: listening.LEAD]
    word = mixed[listening.LEAD + RATE : listening.LEAD + 2 * RATE]
    ratio = 10.0 * np.log10(float(np.mean(word**2)) / float(np.mean(rest**2)) - 1.0)
    assert ratio == pytest.approx(10.0, abs=0.3)


def test_hits_lie_around_the_words_end() -> None:
    item = Spoken(np.zeros(3 * RATE, np.int16), RATE, 2 * RATE)
    end = listening.LEAD + 2 * RATE
    near, after = listening.near_end(item, np.asarray([end - 4800, end - 3200, end, end + 9600, end + 9700]))
    assert near.tolist() == [False, True, True, True, False]
    assert after.tolist() == pytest.approx([-0.3, -0.2, 0.0, 0.6, 0.60625])


def test_copies_of_a_take_are_found_and_speakers_ranked_by_distance() -> None:
    def vowel(hertz: float, seed: int) -> Spoken:
        rng = np.random.default_rng(seed)
        times = np.arange(RATE // 2) / RATE
        sound = sum(np.sin(2.0 * np.pi * hertz * order * times) / order for order in range(1, 20))
        clip = (2000.0 * np.asarray(sound) + 200.0 * rng.standard_normal(times.size)).astype(np.int16)
        return Spoken(clip, 0, clip.size)

    known = [vowel(hertz, seed) for seed, hertz in enumerate((100.0, 120.0, 140.0, 160.0, 180.0, 200.0))]
    quieter = Spoken((known[0].samples // 2).astype(np.int16), 0, known[0].end)
    items = [quieter, vowel(143.0, 4), vowel(320.0, 5)]
    far = listening.distances(items, known)
    assert far[0] < listening.COPY < far[2]
    assert listening.thirds(items, known).tolist() == [0, 1, 2]
    assert [item.end for item in listening.unseen([quieter, items[2]], known)] == [items[2].end]
    assert listening.unseen(items, known)[0] is items[1]


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_tempo_changes_the_length_and_keeps_the_pitch(factor: float) -> None:
    tone = (3000.0 * np.sin(2.0 * np.pi * 200.0 * np.arange(2 * RATE) / RATE)).astype(np.float32)
    faster = alter.tempo(tone, factor)
    assert faster.size == pytest.approx(tone.size / factor, rel=0.05)
    middle = faster[4000:12_000]
    peak = np.fft.rfftfreq(middle.size, 1.0 / RATE)[int(np.argmax(np.abs(np.fft.rfft(middle))))]
    assert float(peak) == pytest.approx(200.0, abs=4.0)
    assert float(np.abs(middle).max()) == pytest.approx(3000.0, rel=0.1)


def test_another_speaker_says_the_word_at_the_place_that_is_told() -> None:
    clip = np.zeros(3 * RATE, np.int16)
    clip[RATE : 2 * RATE] = (8000.0 * np.sin(np.arange(RATE) * 0.2)).astype(np.int16)
    rng = np.random.default_rng(2)
    for _ in range(5):
        other = alter.another(Spoken(clip, RATE, 2 * RATE), rng)
        loud = np.flatnonzero(np.abs(other.samples) > 0.2 * float(np.abs(other.samples).max()))
        assert other.start == pytest.approx(int(loud[0]), abs=700)
        assert other.end == pytest.approx(int(loud[-1]), abs=700)


def test_near_words_are_near_and_never_the_keyword() -> None:
    phones = tuple(lexicon.PRONUNCIATIONS["jarvis"].split())
    said = [phones, ("JH", "AE", "R", "V", "AH", "Z"), phones[1:], (*phones, "IH", "NG"), ("M",)]
    assert lexicon.distances(said, phones).tolist() == [0.0, 1.0, 1.0, 2.0, 6.0]
    words = lexicon.near_words("jarvis", 200)
    assert {"harvest", "jargon"} <= set(words) and "jarvis" not in words
    kept = corpus.near_measured("jarvis")
    assert 40 <= len(kept) <= 120
    assert not {*kept} & {*corpus.near_texts("jarvis", 1)}


@pytest.mark.parametrize("make", [noises.road, noises.kitchen, noises.clatter, noises.music, noises.plain])
def test_noises_are_functions_of_the_generator_and_never_silent(make: Make) -> None:
    first, again = (make(1.5, np.random.default_rng(6)) for _ in range(2))
    assert first.dtype == np.float32 and first.shape == (24_000,)
    assert np.array_equal(first, again) and np.all(np.isfinite(first))
    assert float(np.abs(first).max()) > 1e-4


def test_measured_sentences_are_not_trained_on() -> None:
    measured = {*phrases.SMALL_TALK}
    trained = {*phrases.TRAIN_SENTENCES, *phrases.AFTER_KEYWORD}
    for word in phrases.KEYWORDS:
        measured |= {*phrases.NEAR_SENTENCES[word], *corpus.near_measured(word)}
        trained |= {*corpus.near_texts(word, 1)}
        assert not any(word in text for text in trained | measured)
    assert not trained & measured
