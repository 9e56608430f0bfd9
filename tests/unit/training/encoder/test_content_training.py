"""Training of the branch that tells what a sentence tells of the driver: its data are whole, its file gives what it gives."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")
ort = pytest.importorskip("onnxruntime")

from models.special import without_names  # noqa: E402 - needs PyTorch
from models.training.content import rows, train  # noqa: E402
from models.training.content.network import Branch, write  # noqa: E402
from models.training.encoder.export import restore, written  # noqa: E402
from models.training.encoder.network import WIDTH, Layer  # noqa: E402
from schemas.kinds import LABELS, Label, Wish  # noqa: E402
from schemas.preferences import BY_DETAIL, CATEGORIES, KINDS  # noqa: E402


def test_the_file_gives_what_the_network_gives(tmp_path: Path) -> None:
    torch.manual_seed(4)
    branch = Branch([Layer(), Layer()]).eval()
    states = torch.randn(1, 9, WIDTH)
    with torch.no_grad():
        told = {name: one[0].numpy() for name, one in branch(states, torch.ones(1, 9))._asdict().items()}
    write(tmp_path / "content.onnx", branch)
    session = ort.InferenceSession(str(tmp_path / "content.onnx"))
    found = dict(zip(told, session.run(list(told), {"states": states[0].numpy()}), strict=True))
    assert {name: one.shape for name, one in found.items()} == {
        "kinds": (len(KINDS) + 1,), "details": (len(CATEGORIES) + 1,), "wishes": (len(Wish),), "labels": (9, len(LABELS)),
    }  # fmt: skip
    for name in ("kinds", "labels"):
        assert float(np.abs(found[name] - told[name]).max()) < 0.1 * float(np.abs(told[name]).max())
    for name in ("details", "wishes"):
        shares = np.exp(told[name]) / np.exp(told[name]).sum()
        assert float(np.abs(found[name] - shares).max()) < 0.01
    assert session.get_modelmeta().custom_metadata_map["details"].split() == [c.detail for c in CATEGORIES]


def test_a_training_goes_on_from_the_file(tmp_path: Path) -> None:
    torch.manual_seed(4)
    branch, other = Branch([Layer()]).eval(), Branch([Layer()]).eval()
    write(tmp_path / "content.onnx", branch)
    restore(written(tmp_path / "content.onnx"), other.in_order())
    for (name, one), again in zip(branch.state_dict().items(), other.state_dict().values(), strict=True):
        assert torch.allclose(one, again, atol=float(one.abs().max()) / 127), name
    with pytest.raises(ValueError, match="other matrices"):
        restore(written(tmp_path / "content.onnx"), Branch([Layer(), Layer()]).in_order())


def test_what_is_not_there_counts_for_nothing() -> None:
    torch.manual_seed(4)
    branch = Branch([Layer()]).eval()
    states = torch.randn(1, 9, WIDTH)
    mask = torch.tensor([[1.0] * 5 + [0.0] * 4])
    with torch.no_grad():
        whole, part = branch(states, mask), branch(states[:, :5], mask[:, :5])
    for name in whole._fields:
        own = getattr(whole, name)
        own = own[:, :5] if name == "labels" else own
        assert torch.allclose(own, getattr(part, name), atol=1e-4)


def test_a_label_is_learnt_for_the_pieces_of_its_words_and_the_rest_of_a_row_teaches_nothing() -> None:
    may = np.zeros((2, len(LABELS)), np.bool_)
    may[0, 0] = may[1, LABELS.index(Label.LIKES)] = True
    learnt = [rows.Row("love jazz", may=may, may_weight=1.0), rows.Row("say", wish=0, wish_weight=1.0)]
    offsets = [[(0, 0), (0, 4), (5, 7), (7, 9), (0, 0)], [(0, 0), (0, 3), (0, 0)]]
    answers = train.Answers(learnt, offsets)
    torch.manual_seed(4)
    told = Branch([Layer()]).eval()(torch.randn(2, 5, WIDTH), torch.ones(2, 5))
    right = torch.zeros_like(told.labels)
    right[0, 1, 0] = right[0, 2, LABELS.index(Label.LIKES)] = right[0, 3, LABELS.index(Label.LIKES)] = 50.0
    wrong = right.clone()
    wrong[0, 3] = wrong[0, 3].roll(1)
    elsewhere = right.clone()
    elsewhere[0, 0, 3] = elsewhere[1, 1, 3] = 50.0
    some, there = [0, 1], torch.ones(2, 5)
    known = answers.loss(told._replace(labels=right), some, there)
    assert answers.loss(told._replace(labels=wrong), some, there) > known + 1.0
    assert torch.isclose(answers.loss(told._replace(labels=elsewhere), some, there), known, atol=1e-4)
    moved = told.kinds + torch.randn_like(told.kinds)
    assert torch.isclose(answers.loss(told._replace(labels=right, kinds=moved), some, there), known)
    assert not torch.isclose(
        answers.loss(told._replace(labels=right, wishes=told.wishes.roll(1, 1)), some, there), known
    )


def test_a_round_reads_every_sentence_once() -> None:
    lengths = [number % 30 for number in range(700)]
    one_round = list(islice(train.batches(lengths, Random(1)), 22))  # noqa: S311 - repeatable on purpose
    assert sorted(number for some in one_round for number in some) == list(range(700))


def test_our_sentences_are_of_the_kinds_and_each_is_of_one() -> None:
    found = rows.sentences()
    assert {kind for kind, _ in found} == {*KINDS, rows.ORDINARY} and len(found) > 10_000
    kinds: dict[str, set[str]] = {}
    for kind, text in found:
        kinds.setdefault(without_names(text), set()).add(kind)
    both = [text for text, those in kinds.items() if rows.ORDINARY in those and len(those) > 1]
    assert not both, both


def test_our_turns_are_of_the_categories_and_of_all_of_them() -> None:
    found = rows.preferences()
    assert {detail for detail, _ in found} == {*BY_DETAIL, "none"} and len(found) > 4_000
    said: dict[str, set[str]] = {}
    for detail, text in found:
        said.setdefault(text, set()).add(detail)
    assert not [text for text, those in said.items() if len(those) > 1 and "none" in those]


def test_our_wishes_are_of_every_kind_and_each_is_of_one() -> None:
    found = rows.wishes()
    assert {wish for wish, _ in found} == set(Wish) and len(found) > 3_000
    assert len({text for _, text in found}) == len(found)


@torch.no_grad()
def test_answers_that_are_held_cost_what_they_are_away_from_what_was_told_before() -> None:
    torch.manual_seed(4)
    there = torch.tensor([[1.0] * 5, [1.0, 1.0, 1.0, 0.0, 0.0]])
    before = Branch([Layer()]).eval()(torch.randn(2, 5, WIDTH), there)
    assert float(train.away(before, before, there)) == pytest.approx(0.0, abs=1e-5)
    for name in ("details", "wishes", "labels"):
        moved = before._replace(**{name: getattr(before, name) + torch.randn_like(getattr(before, name))})
        assert float(train.away(moved, before, there)) > 0.01
    kinds = before._replace(kinds=before.kinds + torch.randn_like(before.kinds))
    assert float(train.away(kinds, before, there)) == pytest.approx(0.0, abs=1e-5)
    gone = before.labels.clone()
    gone[1, 3:] += torch.randn_like(gone[1, 3:])
    assert float(train.away(before._replace(labels=gone), before, there)) == pytest.approx(0.0, abs=1e-5)
