"""The small network's training: the program computes what was trained, and a few steps learn something."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.acts import pointing
from models.acts.steps import prompt
from models.training.acts.form import read
from models.training.acts.lines import Case
from models.training.acts.pointing.states import WIDTH, Row, keep, kept, rows

CASES = [
    Case(
        "open the window to fifty percent and play hey jude", read("set_window(percent=50); play_music(song=hey jude)")
    ),
    Case("a bit more", read("change_volume(change=up)"), "did change_volume(change=up)"),
    Case("call anna", read("call_contact(person=anna)")),
    Case("play some jazz", read("play_music(genre=jazz)")),
]


class Hashed:
    """A stub of an encoder: a word's state follows from its letters alone."""

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        seeds = [sum(map(ord, text[start:end])) for start, end in spans]
        return np.array([np.random.default_rng(seed).normal(size=WIDTH, scale=0.15) for seed in seeds], np.float32)


def test_rows_are_kept_as_they_are_and_what_cannot_be_pointed_at_is_left_out(tmp_path: Path) -> None:
    made = rows(Hashed(), [*CASES, Case("play something", read("play_music(song=yesterday)"))])
    assert len(made) == len(CASES)
    keep(tmp_path / "round-0.npz", made)
    again = kept(tmp_path / "round-0.npz")
    for one, other in zip(made, again, strict=True):
        for name in Row.__dataclass_fields__:
            assert np.array_equal(getattr(one, name), getattr(other, name))


def test_the_program_computes_what_was_trained() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to compare with")
    from models.training.acts.pointing.network import Batch, Pointing
    from models.training.blocks import Shape

    torch.manual_seed(0)
    network = Pointing(Shape(width=64, layers=2, heads=2, inner=96)).eval()
    made, encoder = rows(Hashed(), CASES), Hashed()
    with torch.no_grad():
        theirs, at = network(Batch(made)).numpy(), 0
    for case, row in zip(CASES, made, strict=True):
        given = prompt(case.utterance, case.context)
        run = pointing._Run(network.tensors(), 2, given, pointing.states_of(encoder, given).astype(np.float16))
        for token, places in zip(row.tokens.tolist(), row.places, strict=True):
            ours = run.likely()
            there = theirs[at, : len(ours)]
            assert np.abs(ours - there)[there > -100].max() < 1e-3
            run.take(token, -1 if token >= 0 else int(places.argmax()))
            at += 1


def test_a_few_steps_learn_something_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to train with")
    from models.training.acts.pointing.network import Batch
    from models.training.acts.pointing.train import Run, train
    from models.training.blocks import Shape

    torch.manual_seed(0)
    shape = Shape(width=64, layers=2, heads=2, inner=96)
    made = rows(Hashed(), CASES)
    keep(tmp_path / "round-0.npz", made)
    keep(tmp_path / "held-out.npz", made)
    run = Run(tmp_path, shape)
    before = run.learn(Batch(made), 1.0)
    train(tmp_path, run, steps=120, minutes=0.0)
    again = Run(tmp_path, shape)
    assert (again.step, again.cases) == (120, 480)
    assert again.learn(Batch(made), 0.0) < 0.3 * before


def test_what_was_learnt_is_written_and_parses(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra `train`): nothing to train with")
    from models.training.acts.pointing.network import Batch
    from models.training.acts.pointing.train import Run
    from models.training.blocks import Shape

    torch.manual_seed(0)
    run = Run(tmp_path, Shape(width=64, layers=2, heads=2, inner=96))
    cases = [*CASES, Case("sport mode", read("set_drive_mode(mode=sport)")), Case("hang up", read("hang_up()"))]
    for _ in range(80):
        run.learn(Batch(rows(Hashed(), cases)), 1.0)
    run.write(tmp_path / "made.npz")
    parser = pointing.PointingParser(tmp_path / "made.npz", Hashed())
    assert parser.parse("hang up").acts[0].name == "hang_up"
