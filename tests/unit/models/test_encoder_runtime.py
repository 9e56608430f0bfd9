"""The encoder's runtime: damaged and missing files, one run a text, and that the built-in model knows its trade."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator
from tokenizers import Tokenizer

from models.runtime.onnx_encoder import ANSWERS, CONTENT, LABELS, NETWORK, TOKENIZER, OnnxEncoder, saturates
from models.training import conversations
from schemas.errors import ModelDamagedError, ModelMissingError
from schemas.preferences import BY_DETAIL, KINDS

MODEL = Path(__file__).parents[3] / "models" / "builtin" / "encoder"


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(MODEL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in (NETWORK, TOKENIZER, LABELS):
        shutil.copy(MODEL / name, tmp_path / name)
    return tmp_path


def test_the_model_is_small_enough() -> None:
    assert (MODEL / NETWORK).stat().st_size < 28_000_000


@pytest.mark.parametrize("name", [NETWORK, TOKENIZER, LABELS])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelMissingError, match=name):
        OnnxEncoder(copy)


@pytest.mark.parametrize("name", [NETWORK, TOKENIZER])
def test_a_changed_file_is_damaged(copy: Path, name: str) -> None:
    whole = (copy / name).read_bytes()
    (copy / name).write_bytes(whole[:-10] + b"0123456789")
    with pytest.raises(ModelDamagedError, match="SHA-256"):
        OnnxEncoder(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"topics": ["none"], "requests": ["none"], "files": []}'])
def test_labels_that_are_none_are_damaged(copy: Path, text: str) -> None:
    (copy / LABELS).write_text(text)
    with pytest.raises(ModelDamagedError, match=LABELS):
        OnnxEncoder(copy)


def test_labels_of_another_model_are_damaged(copy: Path) -> None:
    labels = json.loads((copy / LABELS).read_text())
    labels["topics"].append("one_too_many")
    (copy / LABELS).write_text(json.dumps(labels))
    with pytest.raises(ModelDamagedError, match="other labels"):
        OnnxEncoder(copy)


def test_a_file_that_is_no_network_is_damaged(copy: Path) -> None:
    import hashlib

    (copy / NETWORK).write_bytes(b"not a network")
    labels = json.loads((copy / LABELS).read_text())
    labels["files"][NETWORK] = hashlib.sha256(b"not a network").hexdigest()
    (copy / LABELS).write_text(json.dumps(labels))
    with pytest.raises(ModelDamagedError, match="cannot be loaded"):
        OnnxEncoder(copy)


def test_one_text_is_run_once(encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, run = list[object](), onnxruntime.InferenceSession.run

    def counted(session: onnxruntime.InferenceSession, *told: Any, **more: Any) -> Any:
        runs.append(told)
        return run(session, *told, **more)

    monkeypatch.setattr(onnxruntime.InferenceSession, "run", counted)
    encoder.topics("I like it at twenty seven degrees")
    encoder.requests("i like it at twenty seven degrees")
    encoder.encode(["i like it at  twenty seven degrees"])
    assert len(runs) == 1


def test_the_state_of_a_word_depends_on_its_sentence(encoder: OnnxEncoder) -> None:
    charge = encoder.states("charge the car", [(0, 6), (7, 10), (11, 14)])
    paid = encoder.states("they charge too much", [(5, 11)])
    assert charge.shape == (3, 768) and paid.shape == (1, 768)
    near = float(charge[0] @ paid[0] / np.linalg.norm(charge[0]) / np.linalg.norm(paid[0]))
    assert 0.2 < near < 0.98
    assert not encoder.states("word " * 100, [(495, 499)]).any(), "beyond what the network reads"


def test_a_long_text_is_cut(encoder: OnnxEncoder) -> None:
    topics = encoder.topics("i love jazz " * 500)
    assert max((d for d in topics if d != "none"), key=topics.__getitem__) == "favorite_genres"
    assert all(words.text in "i love jazz " * 500 for words in encoder.words("i love jazz " * 500, "favorite_genres"))


@pytest.mark.parametrize("text", ["i like it at twenty two degrees", "just the centre outlets please and mind my eyes"])
def test_the_vector_is_that_of_exact_integers_on_every_processor(encoder: OnnxEncoder, text: str) -> None:
    """Against ONNX's own evaluator, which is slow and does not saturate; without ``EXACT`` a processor that does gets .985."""
    exact = ReferenceEvaluator(str(MODEL / NETWORK))
    ids = np.array(Tokenizer.from_file(str(MODEL / TOKENIZER)).encode(text).ids, np.int64)
    (vector,) = exact.run(["embedding"], {"ids": ids})
    assert float(vector @ encoder.encode([text])[0]) > 0.9995


@pytest.mark.parametrize(("flags", "wanted"), [("sse4_2 avx2 fma", True), ("avx2 avx512f avx512_vnni", False)])
def test_exact_integers_are_asked_for_where_the_processor_has_none(tmp_path: Path, flags: str, wanted: bool) -> None:
    assert saturates(tmp_path / "absent")
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags : fpu {flags}\n")
    assert saturates(tmp_path / "cpuinfo") is wanted


def test_exact_integers_are_had_by_the_option_too(encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.runtime.onnx_encoder.saturates", lambda: True)
    text = ["just the centre outlets please and mind my eyes"]
    assert float(OnnxEncoder(MODEL).encode(text)[0] @ encoder.encode(text)[0]) > 0.9995


def test_unseen_patterns_are_told_apart(encoder: OnnxEncoder) -> None:
    """Of 1,200 the encoder has .813 right (docs/log.md, 2026-11-22); of 120 like these fewer than .706 only once in 700 draws."""
    made = conversations.statements(Random(11), 120, held_out=True)  # noqa: S311 - repeatable on purpose
    right = sum(max(s := encoder.topics(item.text), key=s.__getitem__) == item.detail for item in made)
    assert right >= 0.706 * len(made)


def test_unseen_requests_are_told_apart(encoder: OnnxEncoder) -> None:
    """Of 1,200 the encoder has .798 right; of 480 fewer than .75 only once in 200 draws."""
    made = conversations.requests(Random(12), 480, held_out=True)  # noqa: S311 - repeatable on purpose
    right = sum(max(s := encoder.requests(item.text), key=s.__getitem__) == item.intent for item in made)
    assert right >= 0.75 * len(made)


def test_unseen_statements_are_read(encoder: OnnxEncoder) -> None:
    made = conversations.statements(Random(13), 160, held_out=True)  # noqa: S311 - repeatable on purpose
    words = [encoder.words(item.text, item.detail) for item in made]
    touched = [bool(w) and bool(set(w[0].text.split()) & set(i.said.split())) for w, i in zip(words, made, strict=True)]
    closed = [(i, c) for i in made if (c := encoder.choices(i.text, i.detail))]
    ended = [max(s := encoder.strength(i.text), key=s.__getitem__) == "ended" for i in made if i.negated]
    assert sum(touched) >= 0.85 * len(made)
    assert sum(max(c, key=c.__getitem__) == i.value for i, c in closed) >= 0.8 * len(closed) > 0
    assert sum(ended) >= 0.65 * len(ended) > 0


@pytest.mark.parametrize("text", ["tell me a joke", "my sister loves thai food", "who won the game yesterday"])
def test_what_reveals_nothing_is_none(encoder: OnnxEncoder, text: str) -> None:
    assert encoder.topics(text)["none"] > 0.5
    asked = encoder.requests(text)
    assert max(asked, key=asked.__getitem__) == "none"


def test_a_special_kind_is_told_in_passing(encoder: OnnxEncoder) -> None:
    told, plain = (encoder.special(text) for text in ("warmer please the infusion makes me shiver", "warmer please"))
    assert told is not None and plain is not None
    assert told.shape == plain.shape == (len(KINDS) + 1,)
    assert int(told.argmax()) == KINDS.index("health") and int(plain.argmax()) == len(KINDS)


def test_a_memory_that_answers_is_told_from_one_that_is_only_near(encoder: OnnxEncoder) -> None:
    memory = "anna is moving to leeds in march because of her new job at the hospital"
    told = [
        encoder.answers(question, memory) for question in ("where is anna going to live", "where is anna moving to")
    ]
    near = [
        encoder.answers(question, memory)
        for question in ("how old is anna", "where did tom move to", "open the window")
    ]
    assert all(odds is not None and odds > 0.0 for odds in told)
    assert all(odds is not None and odds < -2.0 for odds in near)


def test_a_folder_without_the_branch_tells_of_no_answer(copy: Path) -> None:
    assert OnnxEncoder(copy).answers("where is the key", "the key is under the mat") is None


def test_a_folder_without_the_branch_tells_no_special_kind(copy: Path) -> None:
    assert OnnxEncoder(copy).special("warmer please the infusion makes me shiver") is None
    assert OnnxEncoder(copy).revealed("i always want it at twenty two degrees") is None


def test_a_lasting_preference_is_told_from_what_is_wanted_once(encoder: OnnxEncoder) -> None:
    lasting = encoder.revealed("could you make it twenty two degrees as always, that's where i'm comfortable")
    once, others = (encoder.revealed(text) for text in ("set it to 22 degrees", "my sister is mad about thai food"))
    assert lasting is not None and once is not None and others is not None
    assert set(lasting) == {*BY_DETAIL, "none"} and abs(sum(lasting.values()) - 1.0) < 1e-3
    assert lasting["preferred_temperature"] > 0.8 and once["none"] > 0.5 and others["none"] > 0.5


@pytest.mark.parametrize("name", [CONTENT, ANSWERS])
def test_a_branch_that_is_no_network_is_damaged(copy: Path, name: str) -> None:
    (copy / name).write_bytes(b"not a network")
    with pytest.raises(ModelDamagedError, match="cannot be loaded"):
        OnnxEncoder(copy)
