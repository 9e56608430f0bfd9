"""The marks of words: their file, how a long text is cut, and what the network that ships makes of plain sentences."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from models.catalog import Catalog
from models.marks import MOST, shares, spans_of, windows
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.kinds import LABELS, OWN, VALUES, Label, Marked


def marked(text: str, **labels: Label) -> Marked:
    spans = spans_of(text)
    shares = np.zeros((len(spans), len(LABELS)), np.float32)
    for row, (start, end) in enumerate(spans):
        shares[row, LABELS.index(labels.get(text[start:end], Label.NOTHING))] = 1.0
    return Marked(text, spans, shares)


def test_words_one_after_the_other_with_one_label_are_a_part() -> None:
    found = marked("i like soft jazz and hate rock", soft=Label.LIKES, jazz=Label.LIKES, rock=Label.DISLIKES)
    assert [(part.label, part.text) for part in found.parts(OWN)] == [
        (Label.LIKES, "soft jazz"),
        (Label.DISLIKES, "rock"),
    ]


def test_of_several_places_the_one_that_is_marked_counts() -> None:
    found = marked("play rock no i hate Rock", Rock=Label.DISLIKES)
    assert found.places(["rock"]) == (5, 6) and found.of(["rock"])[Label.DISLIKES] == pytest.approx(1.0)


def test_where_nobody_can_tell_nothing_is_told() -> None:
    assert not Marked("i like jazz").told and Marked("i like jazz").of(["jazz"]) == {} and not Marked("x").parts(VALUES)


def test_a_long_text_is_cut_behind_a_sentence() -> None:
    text = " ".join(["word"] * 30) + ". " + " ".join(["other"] * 30)
    assert [len(piece) for piece in windows(text, spans_of(text))] == [30, 30]
    assert [len(piece) for piece in windows("a " * 50, spans_of("a " * 50))] == [MOST, 10]


def test_a_word_is_what_its_pieces_are_on_the_whole_and_one_that_was_not_seen_is_nothing() -> None:
    text = "love bluegrass today"
    logits = np.zeros((5, len(LABELS)), np.float32)
    logits[1, 0], logits[2, LABELS.index(Label.LIKES)], logits[3, LABELS.index(Label.LIKES)] = 9.0, 9.0, 9.0
    found = shares(logits, [(0, 0), (0, 4), (5, 9), (9, 14), (0, 0)], spans_of(text))
    assert found.argmax(1).tolist() == [0, LABELS.index(Label.LIKES), 0] and np.allclose(found.sum(1), 1.0, atol=1e-5)


@cache
def encoder() -> OnnxEncoder:
    return OnnxEncoder(Catalog().find("encoder"))


@pytest.mark.parametrize(
    ("text", "said", "label"),
    [
        ("i really love bluegrass", "bluegrass", Label.LIKES),
        ("I can't stand country music.", "country music", Label.DISLIKES),
        ("i always stay away from toll roads", "toll roads", Label.AVOIDS),
        ("i used to love disco", "disco", Label.PAST),
        ("do i like jazz", "jazz", Label.UNREAL),
        ("my husband only listens to metal", "metal", Label.OTHERS),
    ],
)
def test_plain_sentences_are_marked(text: str, said: str, label: Label) -> None:
    shares = encoder().marks(text).of(said.split())
    assert max(VALUES, key=lambda one: shares[one]) is label


def test_an_order_has_no_mark() -> None:
    for text in ("turn up the volume", "take me to the nearest petrol station", "what's the weather like"):
        assert not encoder().marks(text).parts(OWN)
