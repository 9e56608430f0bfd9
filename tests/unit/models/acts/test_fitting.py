"""What of a reply fits what the driver said, and that the file of vectors is of these lines and this encoder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from models.acts.fitting import Exchanges, Fitting, exchanges
from models.acts.sayings import sentences
from models.catalog.shelf import BUILTIN
from models.runtime.fake_encoder import KeywordEncoder
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.talk.lines import draw, read


@cache
def encoder() -> OnnxEncoder:
    return OnnxEncoder(BUILTIN / "encoder")


@pytest.mark.parametrize(
    ("said", "sentence", "fits"),
    [
        ("i sprained my ankle", "Well done!", False),
        ("i ran my first marathon", "Well done!", True),
        ("my cousin is emigrating to canada", "How nice.", False),
        ("we're driving to the seaside", "How nice.", True),
        ("my cat passed away", "I'm so sorry.", True),
        ("who programmed you then", "Please say it in other words.", False),
    ],
)
def test_a_sentence_fits_where_such_words_were_replied_to_like_that(said: str, sentence: str, fits: bool) -> None:
    assert Fitting(encoder()).fits(sentence, said, {"any", "nothing"}) is fits


def test_what_was_not_given_counts_for_nothing() -> None:
    score = Fitting(encoder()).score
    asked = "Yes: opening the roof.", "was that you who did that"
    assert score(*asked, {"any", "did"}) > score(*asked, {"any"}) + 0.1


def test_the_file_is_of_these_lines_and_of_the_built_in_encoder() -> None:
    all_, taught = read(), exchanges()
    assert len(all_) == len(taught.said) == len(taught.needs), "run python -m models.training.talk.lines"
    for at in Random(4).sample(range(len(all_)), 40):  # noqa: S311 - repeatable on purpose
        one = draw(Random(all_[at].number), all_[at])  # noqa: S311
        begins = int(taught.begins[at])
        seen = encoder().encode([one.utterance, *sentences(one.answer)])
        held = np.concatenate([taught.said[at : at + 1], taught.replied[begins : begins + len(seen) - 1]])
        for middle, vector, row in zip((0, *[1] * (len(seen) - 1)), seen, held, strict=True):
            flat = (vector - taught.middles[middle]) @ taught.directions
            assert flat @ row / np.linalg.norm(flat) > 0.97, (
                f"{all_[at].text}: run python -m models.training.talk.lines"
            )


def test_vectors_are_read_as_they_were_written(tmp_path: Path) -> None:
    some = np.random.default_rng(1).normal(size=(200, 384)).astype(np.float32)
    made = Exchanges.of(some[:80], [some[80:82], *some[82:161, None]], [("any",), *[("did", "said")] * 79])
    made.write(tmp_path / "some.npz")
    back = Exchanges.read(tmp_path / "some.npz")
    assert np.abs(back.said - made.said).max() < 0.01
    assert np.abs(back.replied - made.replied).max() < 0.01
    assert back.begins.tolist() == [0, *range(2, 81)]
    assert back.needs[:2].tolist() == [[True, False, False, False, False], [False, False, False, True, True]]


def test_with_another_encoder_nothing_fits() -> None:
    assert not Fitting(KeywordEncoder(4)).fits("Yes, I'm here.", "are you there", {"any"})
