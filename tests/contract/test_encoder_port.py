"""What every encoder promises (`schemas.ports.Encoder`), on the fake and on the real one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.runtime.fake_encoder import KeywordEncoder
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.actions import ACTIONS
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES

MODEL = Path(__file__).parents[2] / "models" / "builtin" / "encoder"


@pytest.fixture(scope="module", params=["fake", "onnx"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return KeywordEncoder() if request.param == "fake" else OnnxEncoder(MODEL)


def test_vectors_have_length_one(encoder: Encoder) -> None:
    vectors = encoder.encode(["favourite cuisine italian", "fan speed low", ""])
    assert vectors.shape == (3, encoder.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)


def test_no_texts_give_no_vectors(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_a_vector_does_not_depend_on_its_company(encoder: Encoder) -> None:
    alone = encoder.encode(["the fan should blow low"])
    among = encoder.encode(["a much longer sentence about italian restaurants in town", "the fan should blow low"])
    assert np.array_equal(alone[0], among[1])


def test_case_and_space_do_not_matter(encoder: Encoder) -> None:
    one, other = encoder.encode(["Fan speed low", "  fan   SPEED low "])
    assert np.array_equal(one, other)


def test_a_text_is_nearer_to_its_like(encoder: Encoder) -> None:
    query, near, far = encoder.encode(["italian restaurant", "an italian restaurant please", "turn the fan down"])
    assert query @ near > query @ far


def test_topics_cover_every_category_and_sum_to_one(encoder: Encoder) -> None:
    scores = encoder.topics("i love italian cooking")
    assert set(scores) == {category.detail for category in CATEGORIES} | {"none"}
    assert sum(scores.values()) == pytest.approx(1.0, abs=1e-3)
    assert max(scores, key=scores.__getitem__) == "favourite_cuisine"


def test_strength_sums_to_one_and_agrees_with_topics(encoder: Encoder) -> None:
    for text in ("i love italian cooking", "nice weather today", ""):
        strength = encoder.strength(text)
        assert set(strength) == {"none", "hinted", "stated", "ended"}
        assert sum(strength.values()) == pytest.approx(1.0, abs=1e-3)
        assert strength["none"] == pytest.approx(encoder.topics(text)["none"], abs=1e-3)


def test_the_words_of_a_value_stand_in_the_text(encoder: Encoder) -> None:
    (first, *_) = encoder.words("i love  ITALIAN cooking", "favourite_cuisine")
    assert first.text == "italian" and 0.0 < first.probability <= 1.0
    assert encoder.words("", "favourite_cuisine") == ()
    with pytest.raises(KeyError):
        encoder.words("i love italian cooking", "favourite_colour")


def test_choices_are_values_of_a_closed_category(encoder: Encoder) -> None:
    assert encoder.choices("i love italian cooking", "favourite_cuisine") == {}
    chosen = encoder.choices("always keep the fan on low", "fan_speed_preferences")
    assert not chosen or max(chosen, key=chosen.__getitem__) == "low"
    assert not chosen or sum(chosen.values()) == pytest.approx(1.0, abs=1e-3)


def test_requests_cover_every_action_and_sum_to_one(encoder: Encoder) -> None:
    scores = encoder.requests("set the fan to a level")
    assert set(scores) == {action.name for action in ACTIONS} | {"none"}
    assert sum(scores.values()) == pytest.approx(1.0, abs=1e-3)
    assert max(scores, key=scores.__getitem__) == "set_fan_speed"


@pytest.mark.parametrize("text", ["", "   "])
def test_silence_is_nothing(encoder: Encoder, text: str) -> None:
    assert max(encoder.topics(text).items(), key=lambda item: item[1])[0] == "none"
    assert max(encoder.requests(text).items(), key=lambda item: item[1])[0] == "none"


def test_what_is_given_away_can_be_changed(encoder: Encoder) -> None:
    encoder.topics("i love jazz")["none"] = 7.0
    encoder.encode(["i love jazz"])[0, 0] = 7.0
    assert encoder.topics("i love jazz")["none"] <= 1.0
    assert encoder.encode(["i love jazz"])[0, 0] <= 1.0
