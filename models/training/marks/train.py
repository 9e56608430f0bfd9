"""Trains the marks: ``python -m models.training.marks.train --out models/builtin/encoder/marks.npz [--epochs 24]``.

Owns: the loop and its settings. Every line is learnt as typed and as a recogniser writes it, and with other values in it; beside
them as many lines of the phrase bank. A tenth of the lines is held out: the weights of the epoch that does best on it are kept.
Afterwards ``python -m models.catalog seal``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray

from models.marks import packed, states_of
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.acts.pointing.states import ENCODER
from models.training.blocks import Shape
from models.training.marks.lines import FOLDER, Line, altered, bare, frames, lines, typed, wanted, weak
from models.training.marks.network import Batch, Marking, Row, loss
from models.training.muon import Muon
from schemas.kinds import LABELS

BATCH = 48
MUON_RATE, ADAM_RATE, WARM = 3e-3, 2e-3, 40
DROPPED, UNREAD = 0.15, 0.03
"""Shares of the states' dimensions, for a row, and of its words that are left out."""
AVERAGED = 0.01
"""What each step adds to the averaged weights, which are those that are kept and measured."""
VARIANTS = 4
"""Of a line with other values, beside itself as typed and as spoken."""
WEAK = {
    "reveals": 1800, "ended": 300, "hints": 600, "once": 400, "about": 400, "nothing": 1600, "requests": 2400, "outside": 300,
}  # fmt: skip
"""Lines of the phrase bank by kind, drawn once; all together they weigh `WEAK_WEIGHT` each."""
WEAK_WEIGHT = 0.35
FILLED, FRAME_WEIGHT = 8, 0.6
"""How often each frame is filled, and what it weighs then."""
TOLD = 2.0
"""What a word weighs that is part of something, beside one that is part of nothing."""


def rows(encoder: OnnxEncoder, made: Iterable[Line], weight: float = 1.0) -> list[Row]:
    """Lines as the network reads them; those that are too long to be read together are left out."""
    found: list[Row] = []
    for line in made:
        text, may = wanted(line)
        if not len(may):
            continue
        states = states_of(encoder, text)
        if len(states) == 1 and len(states[0]) == len(may):
            found.append(Row(states[0].astype(np.float16), may, weight))
    return found


def drawn(encoder: OnnxEncoder, own: Sequence[Line], rng: Random) -> list[Row]:
    """What is learnt from."""
    found: list[Row] = []
    for line in own:
        ways = {wanted(one)[0]: one for one in (line, bare(line), typed(rng, bare(line)))}
        for number in range(VARIANTS):
            one = altered(rng, line)
            one = bare(one) if number % 2 else typed(rng, one)
            ways[wanted(one)[0]] = one
        found += rows(encoder, ways.values(), 3.0 / len(ways))
    filled = [one for _ in range(FILLED) for one in frames(rng)]
    found += rows(
        encoder, [bare(one) if n % 2 else typed(rng, altered(rng, one)) for n, one in enumerate(filled)], FRAME_WEIGHT
    )
    for kind, some in weak(rng).items():
        found += rows(encoder, rng.sample(some, min(len(some), WEAK[kind])), WEAK_WEIGHT)
    return found


def measured(network: Marking, tests: Sequence[Row]) -> tuple[float, str]:
    """F1 over the parts that are marked, and a table by label.

    A part is found where the words that it marks have its label on the whole; told are those that the network marks. Where it
    begins and ends is another question: who says "the pizza place" marks two or three words.
    """
    network.eval()
    hit, told, right, found = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with torch.no_grad():
        for at in range(0, len(tests), BATCH):
            batch = Batch(tests[at : at + BATCH])
            shares = network(batch.states, batch.inside).exp().numpy()
            for own, row in zip(shares, tests[at : at + BATCH], strict=True):
                gold = row.may.argmax(1)
                mine = own[: len(gold)].argmax(1)
                for first, last, label in _parts(gold):
                    right[LABELS[label]] += 1
                    found[LABELS[label]] += int(own[first:last].sum(0).argmax()) == label
                for first, last, label in _parts(mine):
                    told[LABELS[label]] += 1
                    hit[LABELS[label]] += label in gold[first:last]
    marked = [label for label in LABELS if label != LABELS[0]]
    precision, recall = (
        sum(one[m] for m in marked) / max(1, sum(of[m] for m in marked)) for one, of in ((hit, told), (found, right))
    )
    table = " ".join(
        f"{m}:{hit[m] / max(1, told[m]):.2f}/{found[m] / max(1, right[m]):.2f}({right[m]})" for m in marked
    )
    return 2 * precision * recall / max(1e-9, precision + recall), table


def _parts(labels: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Words one after the other with the same label, without those that say nothing: first, last and label."""
    first = 0
    for at in range(1, len(labels) + 1):
        if at == len(labels) or labels[at] != labels[first]:
            if labels[first]:
                yield first, at, int(labels[first])
            first = at


def train(network: Marking, learnt: list[Row], tests: Sequence[Row], epochs: int, rng: Random) -> Marking:
    """Train; the averaged network of the best epoch."""
    averaged, best = Marking(network.shape), Marking(network.shape)
    averaged.load_state_dict(network.state_dict())
    matrices = [p for block in network.blocks for p in block.parameters() if p.ndim > 1]
    known = {id(p) for p in matrices}
    optimizers = [
        (Muon(matrices, MUON_RATE, weight_decay=0.1), MUON_RATE),
        (
            torch.optim.AdamW(
                [p for p in network.parameters() if id(p) not in known],
                lr=ADAM_RATE,
                betas=(0.9, 0.98),
                weight_decay=0.05,
            ),
            ADAM_RATE,
        ),
    ]
    step, steps, highest = 0, epochs * (len(learnt) // BATCH + 1), 0.0
    for epoch in range(epochs):
        rng.shuffle(learnt)
        total = 0.0
        for at in range(0, len(learnt), BATCH):
            batch = Batch(learnt[at : at + BATCH])
            network.train()
            share = min(1.0, (step + 1) / WARM, max(0.02, (1.0 - step / steps) / 0.7))
            for one, peak in optimizers:
                for group in one.param_groups:
                    group["lr"] = peak * share
                one.zero_grad()
            kept = torch.empty(*batch.states.shape[:2], 1).bernoulli_(1 - UNREAD)
            kept = kept * torch.empty(len(batch.states), 1, batch.states.shape[2]).bernoulli_(1 - DROPPED).div_(
                1 - DROPPED
            )
            value = loss(network(batch.states * kept, batch.inside), batch, TOLD)
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            for one, _ in optimizers:
                one.step()
            total += value.item()
            step += 1
            with torch.no_grad():
                own = network.state_dict()
                for name, mean in averaged.state_dict().items():
                    mean.lerp_(own[name], max(AVERAGED, 10 / (10 + step)))
        f1, table = measured(averaged, tests)
        print(f"epoch {epoch + 1}: loss {total * BATCH / len(learnt):.4f}, held out F1 {f1:.3f}", flush=True)
        if f1 > highest:
            highest = f1
            best.load_state_dict(averaged.state_dict())
            print(f"    {table}", flush=True)
    return best


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=Path, default=FOLDER)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--inner", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    rng = Random(given.seed)
    encoder = OnnxEncoder(ENCODER)
    every = lines(given.lines)
    tests = rows(encoder, [one for line in every if line.held_out for one in (line, bare(line))])
    learnt = drawn(encoder, [line for line in every if not line.held_out], rng)
    shape = Shape(width=given.width, layers=given.layers, heads=given.width // 32, inner=given.inner, dropout=0.1)
    network = Marking(shape)
    print(
        f"{len(every)} lines, {len(learnt)} rows, {sum(p.numel() for p in network.parameters()):,} parameters",
        flush=True,
    )
    made = train(network, learnt, tests, given.epochs, rng)
    print("best: F1 {:.3f}; {}".format(*measured(made, tests)))
    np.savez_compressed(given.out, allow_pickle=False, **packed(made.tensors()))
    print(f"{given.out}: {given.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
