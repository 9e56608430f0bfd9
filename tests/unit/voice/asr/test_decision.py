"""What speaks for a command and what against: the weighing itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.commands.matcher import TemplateMatcher
from voice.asr.decision import (
    ADAPTED,
    FEATURES,
    OTHERWISE,
    PLAIN,
    Candidate,
    Weights,
    Words,
    features,
    otherwise,
    probabilities,
)  # fmt: skip

WORDS = Words(heard=0.6, count=4, command=False)


@pytest.fixture(scope="module")
def sunroof() -> Candidate:
    command = TemplateMatcher().match("close the sunroof")
    assert command is not None
    return Candidate("close the sunroof", command, followed=True, trusted=True, whispered=False, margin=-1.0, alike=0.7)


BOTH = pytest.mark.parametrize("weights", [ADAPTED, PLAIN], ids=["adapted", "plain"])


@BOTH
def test_every_feature_has_a_weight(sunroof: Candidate, weights: Weights) -> None:
    assert len(features(sunroof)) == len(FEATURES) == len(weights.candidate)
    assert len(otherwise(WORDS)) == len(OTHERWISE) == len(weights.none)


@BOTH
def test_the_probabilities_leave_room_for_none_of_them(sunroof: Candidate, weights: Weights) -> None:
    assert probabilities([], WORDS, weights) == []
    likely = probabilities([sunroof, replace(sunroof, margin=-3.0)], WORDS, weights)
    assert 0.0 < likely[1] < likely[0] and sum(likely) < 1.0


@BOTH
@pytest.mark.parametrize("worse", [{"margin": -12.0}, {"alike": 0.1}, {"followed": False, "trusted": False}])
def test_what_fits_worse_is_less_likely(sunroof: Candidate, worse: dict[str, float], weights: Weights) -> None:
    assert probabilities([replace(sunroof, **worse)], WORDS, weights) < probabilities([sunroof], WORDS, weights)


@BOTH
def test_a_margin_beyond_all_others_says_nothing_more(sunroof: Candidate, weights: Weights) -> None:
    lost = [probabilities([replace(sunroof, margin=margin)], WORDS, weights) for margin in (-20.0, -400.0)]
    assert lost[0] == lost[1]
