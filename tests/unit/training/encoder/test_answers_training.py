"""Training of the branch that tells whether a memory answers: its pairs are whole, its file gives what the network gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing is trained")
ort = pytest.importorskip("onnxruntime")

from models.training.answers import train  # noqa: E402 - needs PyTorch
from models.training.answers.network import Answers, write  # noqa: E402
from models.training.answers.pairs import APART, DATA, Block, blocks  # noqa: E402
from models.training.encoder.network import WIDTH, Layer  # noqa: E402
from schemas.errors import EvaluationDataError  # noqa: E402


def test_the_file_gives_what_the_network_gives(tmp_path: Path) -> None:
    torch.manual_seed(4)
    branch = Answers([Layer(), Layer()]).eval()
    states = torch.randn(1, 9, WIDTH)
    with torch.no_grad():
        wanted = float(branch(states, torch.ones(1, 9)))
    write(tmp_path / "answers.onnx", branch)
    (found,) = ort.InferenceSession(str(tmp_path / "answers.onnx")).run(["odds"], {"states": states[0].numpy()})
    assert found.shape == (1,) and abs(float(found[0]) - wanted) < 0.1


def test_a_question_stands_beside_its_memory_and_others_that_are_near() -> None:
    own = tuple(Block(f"memory {n}", (f"asked {n}",), (f"near {n}",)) for n in range(12))
    near = np.eye(12, dtype=np.float32)
    found = train.pairs(own, near, Random(1))  # noqa: S311 - repeatable on purpose
    told = [one for one in found if one.answers]
    assert [(one.question, one.memory) for one in told] == [(f"asked {n}", n) for n in range(12)]
    assert sum(one.question.startswith("asked") for one in found) >= 12 * (1 + train.HARD)
    assert all(
        one.memory != int(one.question.split()[1])
        for one in found
        if one.question.startswith("asked") and not one.answers
    )


def test_the_blocks_are_whole_and_each_has_both_sorts_of_questions() -> None:
    every = blocks()
    assert len(every) >= 1_800 and len(blocks(DATA / APART)) >= 200
    assert all(one.memory and one.answered and one.near for one in every)
    assert not any(one.memory.startswith(("driver:", "fact:", "M ")) or "car:" in one.memory for one in every)


def test_a_file_in_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("M fact: the key is here\n? where is the key\n")
    with pytest.raises(EvaluationDataError, match="does not begin a block"):
        blocks(tmp_path / "a.txt")
