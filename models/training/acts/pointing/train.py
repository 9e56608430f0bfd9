"""Trains the small network that writes acts: ``python -m models.training.acts.pointing.train WORK --minutes 60 --out FOLDER``.

Owns: the loop and its settings. Every round of cases is drawn anew (``models.training.acts.data``). Rates stay at their peak until
the last share of the run, where they fall to nothing. Checkpoints go to WORK; a run that was stopped goes on from there. Without
one it begins with random weights above the encoder that ships, or, by ``--start``, with the network that ships. The encoder's
branch that classifies is trained with it, and written, too.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn.attention import SDPBackend, sdpa_kernel

from models.acts.pointing import load, packed
from models.acts.steps import CLOSED
from models.runtime.onnx_encoder import TOKENIZER
from models.training.acts.data import Corpus
from models.training.acts.lines import FOLDER
from models.training.acts.pointing.kept import Kept, texts
from models.training.acts.pointing.network import WIDTH, Batch, Pointing, Reader, Whole, loss
from models.training.acts.pointing.rows import Row, rows
from models.training.blocks import Shape
from models.training.encoder.network import Base
from models.training.encoder.train import publish, restored
from models.training.muon import Muon
from models.training.processor import brisk

ENCODER, PARSER = Path("models/builtin/encoder"), Path("models/builtin/parser/acts.npz")
BATCH, BUCKET = 80, 16
"""Rows of a batch; batches that are drawn together and sorted by length, so that little is padding."""
MUON_RATE, ADAM_RATE, BRANCH_RATE = 3e-3, 2e-3, 1.5e-4
"""Peak rates: of the blocks' matrices (Muon), of what else is above the reader (AdamW), of the encoder's branch (AdamW)."""
KEPT = 1.5
"""Weight of what the branch is to go on telling."""
WARM = 100
"""Steps in which the rates rise."""
DECAY = 0.4
"""Share of the run at whose beginning they begin to fall."""
DROPPED, UNREAD, INSIDE = 0.2, 0.1, 0.15
"""Shares of the states' dimensions, for a row, of its words, and of what each block adds that are left out: with half of that the
surprise of a step fell to .04 where it learnt and rose to .36 on held-out lines (docs/log.md)."""
AVERAGED = 0.002
"""What each step adds to the averaged weights, which are those that are kept and measured."""
SAVE_EVERY, TELL_EVERY = 100, 400


def batches(made: Sequence[Row], rng: Random) -> Iterator[Batch]:
    """One pass."""
    order = rng.sample(range(len(made)), len(made))
    for at in range(0, len(order), BATCH * BUCKET):
        group = sorted((made[index] for index in order[at : at + BATCH * BUCKET]), key=lambda row: row.size)
        parts = [group[start : start + BATCH] for start in range(0, len(group), BATCH)]
        rng.shuffle(parts)
        yield from map(Batch, parts)


def accuracy(network: Whole, tests: Sequence[Row]) -> tuple[float, float]:
    """Share of the rows with every step right, given those before; mean surprise of a step."""
    network.eval()
    right, total = 0, 0.0
    with torch.no_grad():
        for at in range(0, len(tests), BATCH):
            batch = Batch(tests[at : at + BATCH])
            found = network.pointing(batch, network.reader(batch))
            hits = batch.wanted[torch.arange(len(found)), found.argmax(1)]
            right += sum(bool(part.all()) for part in hits.split(batch.counts.sum(1).tolist()))
            total += float(loss(found, batch.wanted)) * len(batch.lengths)
    return right / len(tests), total / len(tests)


class Run:
    """A training: the network, its averaged weights, and what its optimizers keep."""

    def __init__(self, work: Path, network: Whole, kept: Kept | None = None, *, frozen: bool = False) -> None:
        """Begin with this network, or go on from the checkpoint in ``work``.

        Args:
            work: the folder of the checkpoint.
            network: with the reader.
            kept: what its reader is to go on telling.
            frozen: its reader stays as it is, and the rest learns half as fast.
        """
        self._saved, self._kept = work / "checkpoint.pt", kept
        self._frozen, self._share = frozen, 0.5 if frozen else 1.0
        self.network, self.averaged = network, copy.deepcopy(network)
        matrices = [p for block in self.network.pointing.blocks for p in block.parameters() if p.ndim > 1]
        known = {id(p) for p in matrices}
        rest = [p for p in self.network.pointing.parameters() if id(p) not in known]
        own = list(self.network.reader.parameters())
        self._optimizers: list[tuple[torch.optim.Optimizer, float]] = [
            (Muon(matrices, MUON_RATE, weight_decay=0.05), MUON_RATE),
            (torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.02), ADAM_RATE),
            (torch.optim.AdamW(own, lr=BRANCH_RATE, betas=(0.9, 0.98), weight_decay=0.01), BRANCH_RATE),
        ]
        self.step, self.cases, self.round = 0, 0, 0
        if self._saved.exists():
            state = torch.load(self._saved)
            self.network.load_state_dict(state["network"])
            self.averaged.load_state_dict(state["averaged"])
            for (one, _), before in zip(self._optimizers, state["optimizers"], strict=True):
                one.load_state_dict(before)
            self.step, self.cases, self.round = state["step"], state["cases"], state["round"] + 1

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
                "round": self.round,
            },
            part,
        )
        part.replace(self._saved)

    def learn(self, batch: Batch, rate: float) -> float:
        """One step at a share of the peak rates; the loss."""
        self.network.train()
        for one, peak in self._optimizers:
            for group in one.param_groups:
                group["lr"] = self._share * peak * rate * min(1.0, (self.step + 1) / WARM)
            one.zero_grad()
        with torch.set_grad_enabled(not self._frozen):
            states = self.network.reader.train(not self._frozen)(batch)
        words = torch.empty(*states.shape[:2], 1).bernoulli_(1 - UNREAD)
        dimensions = torch.empty(states.shape[0], 1, WIDTH).bernoulli_(1 - DROPPED).div_(1 - DROPPED)
        value = loss(self.network.pointing(batch, states * (words * dimensions)), batch.wanted)
        kept = KEPT * self._kept.loss(self.network.reader.classifier) if self._kept is not None else 0.0
        (value + kept).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for one, _ in self._optimizers:
            one.step()
        self.step, self.cases = self.step + 1, self.cases + len(batch.lengths)
        with torch.no_grad():
            own = self.network.state_dict()
            for name, mean in self.averaged.state_dict().items():
                mean.lerp_(own[name], max(AVERAGED, 10 / (10 + self.step)))
        return value.item()


def train(
    corpus: Corpus,
    tokenizer: Tokenizer,
    run: Run,
    tests: Sequence[Row],
    *,
    minutes: float,
    seed: int = 1,
    young: Collection[str] = (),
) -> None:
    """Learn round after round until so many minutes have passed; the lines of young files come more often."""
    mean, began, first, quick = 0.0, time.perf_counter(), run.step, brisk()
    while True:
        made = rows(tokenizer, corpus.round(seed * 1000 + run.round, young))
        for batch in batches(made, Random(run.round)):
            spent = (time.perf_counter() - began) / 60
            if spent >= minutes:
                run.save()
                return
            # both together take two fifths of the time that single precision and the fused attention take
            with torch.autocast("cpu", torch.bfloat16, enabled=quick), sdpa_kernel(SDPBackend.MATH):
                value = run.learn(batch, min(1.0, (1 - spent / minutes) / DECAY))
            mean = 0.98 * mean + 0.02 * value if run.step > first + 1 else value
            if run.step % SAVE_EVERY == 0:
                told = {"step": run.step, "cases": run.cases, "loss": round(mean, 4), "minutes": round(spent, 1)}
                print(json.dumps(told), flush=True)
                run.save()
            if run.step % TELL_EVERY == 0:
                print(told_of(run, tests), flush=True)
        run.round += 1


def told_of(run: Run, tests: Sequence[Row]) -> str:
    """How the averaged weights do on held-out cases."""
    right, surprise = accuracy(run.averaged, tests)
    return f"held out: {right:.3f} right, surprise {surprise:.3f} after {run.cases:,} cases"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, help="folder for the network and the encoder, once it is trained")
    parser.add_argument("--start", action="store_true", help="begin with the network that ships")
    parser.add_argument("--frozen", action="store_true", help="leave the encoder's branch as it is")
    parser.add_argument("--lines", type=Path, default=FOLDER)
    parser.add_argument("--minutes", type=float, default=60.0, help="of this start")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--inner", type=int, default=640)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--young", default="", help="files of lines, without .txt, that the network has not read yet")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(given.seed)
    given.work.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(ENCODER / TOKENIZER))
    corpus = Corpus(given.lines)
    tests = rows(tokenizer, corpus.tests())
    base, classifier, requests = restored(ENCODER)
    kept = None if given.frozen else Kept(base, classifier, tokenizer, texts(given.seed))
    pointing = Pointing(
        Shape(width=given.width, layers=given.layers, heads=given.width // 32, inner=given.inner, dropout=INSIDE)
    )
    if given.start:
        pointing.restore(*load(PARSER))
    run = Run(given.work, Whole(Reader(base, classifier), pointing), kept, frozen=given.frozen)
    print(f"{sum(p.numel() for p in run.network.parameters()):,} parameters; {told_of(run, tests)}", flush=True)
    train(corpus, tokenizer, run, tests, minutes=given.minutes, seed=given.seed, young=given.young.split(","))
    print(told_of(run, tests))
    if given.out is not None:
        write(run.averaged, base, requests, given.out)


def save(path: Path, network: Pointing) -> None:
    """Write the network's file."""
    np.savez(path, **packed(network.tensors(), CLOSED))


def write(network: Whole, base: Base, requests: Sequence[str], folder: Path) -> None:
    """Write the network's file, and the encoder with its branch as it is now, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    save(folder / PARSER.name, network.pointing)
    publish(folder, base, network.reader.classifier, Tokenizer.from_file(str(ENCODER / TOKENIZER)), requests)


if __name__ == "__main__":
    main()
