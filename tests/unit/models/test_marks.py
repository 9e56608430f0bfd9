"""The marks of words: their file, how a long text is cut, and what the network that ships makes of plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.acts.pointing import PARTS
from models.catalog import Catalog
from models.marks import MOST, Marks, load, packed, spans_of, windows
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.errors import ModelDamagedError
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


class States:
    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        return np.array([np.full(768, len(text[start:end]), np.float32) for start, end in spans])


def tensors() -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(1)
    shapes = {
        "word.weight": (32, 768),
        "word.bias": (32,),
        "norm.weight": (32,),
        "out.weight": (len(LABELS), 32),
        "out.bias": (len(LABELS),),
    }
    inside = {"attn_norm": (32,), "ffn_norm": (32,), "ffn_gate": (64, 32), "ffn_up": (64, 32), "ffn_down": (32, 64)}
    shapes |= {f"blocks.0.{name}.weight": inside.get(name, (32, 32)) for name in PARTS}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def test_a_file_gives_shares_of_every_word_and_another_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "marks.npz", allow_pickle=False, **packed(tensors()))
    found = Marks(tmp_path / "marks.npz", States()).marks("I  like jazz")
    assert found.text == "I like jazz" and found.shares is not None and found.shares.shape == (3, len(LABELS))
    assert np.allclose(found.shares.sum(1), 1.0, atol=1e-5)
    np.savez(tmp_path / "other.npz", labels=np.array(["a"]))
    with pytest.raises(ModelDamagedError):
        load(tmp_path / "other.npz")


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
