"""Whether a memory answers: the nearer and the further from all others the surer; the fit, and the pairs that it is made of."""

from __future__ import annotations

import numpy as np
import pytest

from deploy.lab.recall.answers import SIZES, fitted, measured, rows
from memory.recall.answering import FEATURES, features, sureness
from memory.recall.search import SearchTuning
from models.runtime.fake_encoder import KeywordEncoder
from models.training.answers.pairs import Block


def sure(*cosines: float) -> list[float]:
    near = np.array(cosines, np.float32)
    return sureness(features(near, np.zeros_like(near), (near / 2).astype(np.float32), 3)).tolist()


def test_the_nearer_the_surer_and_less_so_among_many_that_are_near() -> None:
    assert sure(0.8)[0] > sure(0.5)[0] > sure(0.2)[0]
    assert sure(0.6, *[0.55] * 30)[0] < sure(0.6, *[0.1] * 30)[0]


def test_one_memory_alone_is_judged_like_one_of_many() -> None:
    assert sure(0.7)[0] == pytest.approx(sure(0.7, *[0.2] * 40)[0], abs=0.1)


def test_nothing_is_known_of_nothing() -> None:
    none = np.zeros(0, np.float32)
    assert features(none, none, none, 2).shape == (0, len(FEATURES)) and sure() == []


def test_the_fit_tells_answers_from_what_is_only_there() -> None:
    places = ("boot", "cellar", "attic", "shed", "garage", "hall", "desk", "drawer")
    things = ("ladder", "key", "tent", "drill", "bike", "coat", "stamp", "spoon")
    every = [
        Block(f"the {thing} is in the {place}", (f"where is the {thing}",), (f"who made the {place}",))
        for thing, place in zip(things, places, strict=True)
    ]
    of = list(rows(every, KeywordEncoder(), SearchTuning()))
    weights, bias = fitted(of)
    found = measured(of, np.array([row.known @ weights + bias for row in of]))
    assert set(found) == {str(size) for size in SIZES} and found["20"]["answered at 0.9"] == 1.0
