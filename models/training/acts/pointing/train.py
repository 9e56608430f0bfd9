"""Trains the small network that writes acts: ``python -m models.training.acts.pointing.train WORK --minutes 60 --out FILE``.

Owns: the loop and its settings. Rounds of cases (``models.training.acts.data``) are drawn once into WORK and gone over again and
again, with some of the states left out each time. Rates stay at their peak until the last share of the run, where they fall to
nothing. Checkpoints go to WORK; a run that was stopped goes on from there, and files ``round-*.npz`` that are put there meanwhile
are used from the next pass on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch

from models.acts.pointing import packed
from models.acts.steps import CLOSED
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.acts.data import Corpus
from models.training.acts.lines import FOLDER
from models.training.acts.pointing.network import Batch, Pointing, loss
from models.training.acts.pointing.states import ENCODER, WIDTH, Row, keep, kept, rows
from models.training.blocks import Shape
from models.training.muon import Muon

BATCH, BUCKET = 80, 16
"""Rows of a batch; batches that are drawn together and sorted by length, so that little is padding."""
MUON_RATE, ADAM_RATE = 3e-3, 2e-3
"""Peak rates: of the blocks' matrices (Muon), of all else (AdamW)."""
WARM = 60
"""Steps in which the rates rise."""
DECAY = 0.3
"""Share of the run at whose beginning they begin to fall."""
DROPPED, UNREAD = 0.1, 0.03
"""Shares of the states' dimensions, for a row, and of its words that are left out."""
AVERAGED = 0.02
"""What each step adds to the averaged weights, which are those that are kept and measured."""
SAVE_EVERY, TELL_EVERY = 50, 200


def draw(work: Path, lines: Path, rounds: int, seed: int) -> None:
    """The rounds and the held-out cases, where WORK does not have them.

    Args:
        work: their folder.
        lines: the folder of the lines.
        rounds: how many.
        seed: of what is drawn.
    """
    work.mkdir(parents=True, exist_ok=True)
    encoder = OnnxEncoder(ENCODER)
    corpus = Corpus(lines)
    if not (work / "held-out.npz").exists():
        keep(work / "held-out.npz", rows(encoder, corpus.tests()))
    for number in range(rounds):
        if not (path := work / f"round-{number}.npz").exists():
            keep(path, rows(encoder, corpus.round(seed * 1000 + number)))


def batches(made: Sequence[Row], rng: Random) -> Iterator[Batch]:
    """One pass."""
    order = rng.sample(range(len(made)), len(made))
    for at in range(0, len(order), BATCH * BUCKET):
        group = sorted((made[index] for index in order[at : at + BATCH * BUCKET]), key=lambda row: row.size)
        parts = [group[start : start + BATCH] for start in range(0, len(group), BATCH)]
        rng.shuffle(parts)
        yield from map(Batch, parts)


def accuracy(network: Pointing, tests: Sequence[Row]) -> tuple[float, float]:
    """Share of the rows with every step right, given those before; mean surprise of a step."""
    network.eval()
    right, total = 0, 0.0
    with torch.no_grad():
        for at in range(0, len(tests), BATCH):
            batch = Batch(tests[at : at + BATCH])
            found = network(batch)
            hits = batch.wanted[torch.arange(len(found)), found.argmax(1)]
            right += sum(bool(part.all()) for part in hits.split(batch.counts.sum(1).tolist()))
            total += float(loss(found, batch.wanted)) * len(batch.lengths)
    return right / len(tests), total / len(tests)


class Run:
    """A training: the network, its averaged weights, and what its optimizers keep."""

    def __init__(self, work: Path, shape: Shape) -> None:
        """Begin, or go on from the checkpoint in ``work``."""
        self._saved = work / "checkpoint.pt"
        self.network, self.averaged = Pointing(shape), Pointing(shape)
        self.averaged.load_state_dict(self.network.state_dict())
        matrices = [p for block in self.network.blocks for p in block.parameters() if p.ndim > 1]
        known = {id(p) for p in matrices}
        rest = [p for p in self.network.parameters() if id(p) not in known]
        self._optimizers: list[tuple[torch.optim.Optimizer, float]] = [
            (Muon(matrices, MUON_RATE, weight_decay=0.05), MUON_RATE),
            (torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.02), ADAM_RATE),
        ]
        self.step, self.cases = 0, 0
        if self._saved.exists():
            state = torch.load(self._saved)
            self.network.load_state_dict(state["network"])
            self.averaged.load_state_dict(state["averaged"])
            for (one, _), own in zip(self._optimizers, state["optimizers"], strict=True):
                one.load_state_dict(own)
            self.step, self.cases = state["step"], state["cases"]

    def write(self, path: Path) -> None:
        """Write the file of the averaged network."""
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **packed(self.averaged.tensors(), CLOSED))

    def save(self) -> None:
        """Write the checkpoint."""
        part = self._saved.with_suffix(".part")
        torch.save(
            {
                "network": self.network.state_dict(),
                "averaged": self.averaged.state_dict(),
                "optimizers": [one.state_dict() for one, _ in self._optimizers],
                "step": self.step,
                "cases": self.cases,
            },
            part,
        )
        part.replace(self._saved)

    def learn(self, batch: Batch, rate: float) -> float:
        """One step at a share of the peak rates; the loss."""
        self.network.train()
        for one, peak in self._optimizers:
            for group in one.param_groups:
                group["lr"] = peak * rate * min(1.0, (self.step + 1) / WARM)
            one.zero_grad()
        words = torch.empty(*batch.states.shape[:2], 1).bernoulli_(1 - UNREAD)
        dimensions = torch.empty(batch.states.shape[0], 1, WIDTH).bernoulli_(1 - DROPPED).div_(1 - DROPPED)
        batch.states *= words * dimensions
        value = loss(self.network(batch), batch.wanted)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for one, _ in self._optimizers:
            one.step()
        self.step, self.cases = self.step + 1, self.cases + len(batch.lengths)
        with torch.no_grad():
            own = self.network.state_dict()
            for name, mean in self.averaged.state_dict().items():
                mean.lerp_(own[name], max(AVERAGED, 10 / (10 + self.step)))
        return value.item()


def train(work: Path, run: Run, *, steps: int, minutes: float) -> None:
    """Go over the rounds until so many steps were taken, or so many minutes have passed (0: no such limit)."""
    tests, mean, began, first = kept(work / "held-out.npz"), 0.0, time.perf_counter(), run.step
    number = 0
    while True:
        made = [row for path in sorted(work.glob("round-*.npz")) if ".part" not in path.name for row in kept(path)]
        for batch in batches(made, Random(run.step + number)):
            spent = (time.perf_counter() - began) / 60
            done = max(run.step / steps if steps else 0.0, spent / minutes if minutes else 0.0)
            if done >= 1:
                run.save()
                return
            value = run.learn(batch, min(1.0, (1 - done) / DECAY))
            mean = 0.97 * mean + 0.03 * value if run.step > first + 1 else value
            if run.step % SAVE_EVERY == 0:
                told = {"step": run.step, "cases": run.cases, "loss": round(mean, 4), "minutes": round(spent, 1)}
                print(json.dumps(told), flush=True)
                run.save()
            if run.step % TELL_EVERY == 0:
                print(told_of(run, tests), flush=True)
        number += 1


def told_of(run: Run, tests: Sequence[Row]) -> str:
    """How the averaged weights do on held-out cases."""
    right, surprise = accuracy(run.averaged, tests)
    return f"held out: {right:.3f} right, surprise {surprise:.3f} after {run.cases:,} cases"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, help="file of the network, once it is trained")
    parser.add_argument("--lines", type=Path, default=FOLDER)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=0, help="in all, with those of the checkpoint")
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--inner", type=int, default=640)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    draw(given.work, given.lines, given.rounds, given.seed)
    shape = Shape(width=given.width, layers=given.layers, heads=given.width // 32, inner=given.inner)
    run = Run(given.work, shape)
    print(f"{sum(p.numel() for p in run.network.parameters()):,} parameters", flush=True)
    train(given.work, run, steps=given.steps, minutes=given.minutes)
    print(told_of(run, kept(given.work / "held-out.npz")))
    if given.out is not None:
        run.write(given.out)


if __name__ == "__main__":
    main()
