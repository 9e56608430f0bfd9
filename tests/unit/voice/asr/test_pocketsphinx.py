"""The recogniser's start-up, its decision between the two models, and grammars of other domains."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.errors import ModelError
from schemas.events import FRAME, Samples
from voice.asr.pocketsphinx import (
    FEATURES,
    Evidence,
    PocketSphinxRecognizer,
    accepted_probability,
    alike_enough,
    features,
    heard_probability,
)

BUILTIN = Path(__file__).parents[4] / "models" / "builtin" / "asr"
SURE = Evidence(parses=True, same_words=1.0, same_command=True, margin=-0.05, posterior=0.9, words=5)


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


def test_both_decoders_start_in_under_three_seconds(matcher: TemplateMatcher) -> None:
    begun = time.process_time()
    PocketSphinxRecognizer(BUILTIN, matcher)
    assert time.process_time() - begun < 3.0  # measured: 0.3 s


def test_what_does_not_parse_is_never_accepted() -> None:
    assert accepted_probability(replace(SURE, parses=False)) == 0.0


def test_agreement_is_accepted_and_contradiction_is_not() -> None:
    assert accepted_probability(SURE) > 0.9
    foreign = Evidence(parses=True, same_words=0.1, same_command=False, margin=-2.0, posterior=0.4, words=6)
    assert accepted_probability(foreign) < 0.05


def test_every_piece_of_evidence_counts_in_its_direction() -> None:
    doubtful = Evidence(parses=True, same_words=0.7, same_command=False, margin=-0.5, posterior=0.6, words=4)
    assert accepted_probability(replace(doubtful, margin=-0.1)) > accepted_probability(doubtful)
    assert accepted_probability(replace(doubtful, same_words=0.9)) >= accepted_probability(doubtful)
    assert heard_probability(replace(doubtful, posterior=0.95)) > heard_probability(doubtful)


@pytest.mark.parametrize(
    ("words", "same_words", "enough"),
    [(1, 0.45, False), (6, 0.49, False), (6, 0.5, True), (7, 0.4, True), (16, 0.39, False)],
)
def test_a_long_text_needs_fewer_of_the_other_models_words(words: int, same_words: float, enough: bool) -> None:
    found = replace(SURE, words=words, same_words=same_words)
    assert alike_enough(found) is enough


def test_features_have_names() -> None:
    assert len(features(SURE)) == len(FEATURES)


def test_extreme_scores_stay_probabilities() -> None:
    for margin in (-1e9, 1e9):
        assert 0.0 <= accepted_probability(replace(SURE, margin=margin)) <= 1.0


@pytest.mark.parametrize("kind", ["silence", "noise", "clipping", "one sample"])
def test_sound_without_words_is_no_command(matcher: TemplateMatcher, kind: str) -> None:
    rng = np.random.default_rng(4)
    sounds: dict[str, Samples] = {
        "silence": np.zeros(16_000, np.int16),
        "noise": rng.integers(-2000, 2000, 16_000).astype(np.int16),
        "clipping": np.where(np.arange(16_000) // 40 % 2, 32767, -32768).astype(np.int16),
        "one sample": np.ones(1, np.int16),
    }
    recognizer = PocketSphinxRecognizer(BUILTIN, matcher)
    recognizer.start()
    for start in range(0, sounds[kind].size, FRAME):
        recognizer.feed(sounds[kind][start : start + FRAME])
    assert not recognizer.finish().in_grammar


def test_another_domain_takes_its_pronunciations_from_the_package(tmp_path: Path) -> None:
    path = tmp_path / "coffee.yaml"
    path.write_text("intents: {order: {data: [{sentences: ['[a] (cappuccino|espresso) with oat milk']}]}}")
    recognizer = PocketSphinxRecognizer(BUILTIN, TemplateMatcher(load_templates(path)))
    recognizer.start()
    recognizer.feed(np.zeros(16_000, np.int16))
    assert recognizer.finish().text != "cappuccino"


def test_a_word_that_nobody_can_pronounce_is_named(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("intents: {order: {data: [{sentences: ['a xyzzyq please']}]}}")
    with pytest.raises(ModelError, match="xyzzyq"):
        PocketSphinxRecognizer(BUILTIN, TemplateMatcher(load_templates(path)))
