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
from models.training.content import train  # noqa: E402
from models.training.content.network import Branch, write  # noqa: E402
from models.training.encoder.network import WIDTH, Layer  # noqa: E402
from schemas.preferences import BY_DETAIL, CATEGORIES, KINDS  # noqa: E402


def test_the_file_gives_what_the_network_gives(tmp_path: Path) -> None:
    torch.manual_seed(4)
    branch = Branch([Layer(), Layer()]).eval()
    states = torch.randn(1, 9, WIDTH)
    with torch.no_grad():
        kinds, details = (one[0].numpy() for one in branch(states, torch.ones(1, 9)))
    write(tmp_path / "content.onnx", branch)
    session = ort.InferenceSession(str(tmp_path / "content.onnx"))
    found, shares = session.run(["kinds", "details"], {"states": states[0].numpy()})
    assert found.shape == (len(KINDS) + 1,) and shares.shape == (len(CATEGORIES) + 1,)
    assert float(np.abs(found - kinds).max()) < 0.1 * float(np.abs(kinds).max())
    assert float(np.abs(shares - np.exp(details) / np.exp(details).sum()).max()) < 0.01
    assert session.get_modelmeta().custom_metadata_map["details"].split() == [c.detail for c in CATEGORIES]


def test_what_is_not_there_counts_for_nothing() -> None:
    torch.manual_seed(4)
    branch = Branch([Layer()]).eval()
    states = torch.randn(1, 9, WIDTH)
    mask = torch.tensor([[1.0] * 5 + [0.0] * 4])
    with torch.no_grad():
        for whole, part in zip(branch(states, mask), branch(states[:, :5], mask[:, :5]), strict=True):
            assert torch.allclose(whole, part, atol=1e-4)


def test_a_round_reads_every_sentence_once() -> None:
    lengths = [number % 30 for number in range(700)]
    one_round = list(islice(train.batches(lengths, Random(1)), 22))  # noqa: S311 - repeatable on purpose
    assert sorted(number for some in one_round for number in some) == list(range(700))


def test_our_sentences_are_of_the_kinds_and_each_is_of_one() -> None:
    found = train.sentences()
    assert {kind for kind, _ in found} == {*KINDS, train.ORDINARY} and len(found) > 10_000
    kinds: dict[str, set[str]] = {}
    for kind, text in found:
        kinds.setdefault(without_names(text), set()).add(kind)
    both = [text for text, those in kinds.items() if train.ORDINARY in those and len(those) > 1]
    assert not both, both


def test_our_turns_are_of_the_categories_and_of_all_of_them() -> None:
    found = train.preferences()
    assert {detail for detail, _ in found} == {*BY_DETAIL, "none"} and len(found) > 4_000
    said: dict[str, set[str]] = {}
    for detail, text in found:
        said.setdefault(text, set()).add(detail)
    assert not [text for text, those in said.items() if len(those) > 1 and "none" in those]
