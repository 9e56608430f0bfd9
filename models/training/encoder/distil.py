"""Trains one encoder on what several say: ``python -m models.training.encoder.distil --teachers A,B,C --out DIR --work DIR``.

Branches that were trained apart err on different sentences, and their mean reads strangers better than any of them, but only
one fits into the car. So one branch learns the mean of the others, on sentences with and without labels: what the phrase bank
makes, turns together with the one before, whole conversations, and what the assistant says. Categories, strength, values and
words are learnt from the teachers, requests from the labels. Begins with the first teacher's weights. What a run has done is
kept in the work folder, and a run that was cut off goes on from there.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from models.training import conversations as talk
from models.training import phrases
from models.training.encoder import origin
from models.training.encoder.examples import CHOICES, DETAILS, Example, examples
from models.training.encoder.network import FORK, LAYERS, Base, Classifier, load_layer
from models.training.encoder.train import (
    BATCH,
    CHECKPOINT_NAME,
    SEED,
    SIZES,
    SMOOTHING,
    VALUES_WEIGHT,
    Batch,
    Run,
    go_on,
    in_batches,
    write,
)  # fmt: skip

EXAMPLES = 48_000
RATES = 5e-4, 1e-4
"""Learning rates of the heads and of the copied layers."""
LABELLED_SHARE = 0.5
"""Of the sentences: made as for the teachers. The rest are turns of conversations, alone, together with the one before and
all together, and what the assistant says."""
NOISY_SHARE = 0.3
"""Of the conversations: misheard here and there."""
CHOICES_WEIGHT = 0.5
"""Of the loss of a closed category's values."""
LAST_WORDS = 45
"""Of a text that is put together: as many words as the encoder's pieces hold (`memory.reading` does the same)."""


@dataclass(frozen=True)
class Said:
    """What the teachers say of a batch, on the average: probabilities.

    ``details`` (n, categories), ``strength`` (n, 4), ``choices`` (n, choices) summing to 1 in every category, ``values``
    (n, pieces, categories).
    """

    details: Tensor
    strength: Tensor
    choices: Tensor
    values: Tensor


def groups() -> Tensor:
    """(choices, categories) 1 where a value is of a category."""
    found = torch.zeros(len(CHOICES), len(DETAILS))
    for row, (detail, _) in enumerate(CHOICES):
        found[row, DETAILS.index(detail)] = 1.0
    return found


def among(logits: Tensor, member: Tensor) -> Tensor:
    """Log probabilities of values among those of their category: (n, choices) and `groups` to (n, choices)."""
    power = (logits - logits.amax(-1, keepdim=True)).clamp(min=-60.0).exp()
    return power.log() - ((power @ member) @ member.T).log()


def mean_of(teachers: Sequence[nn.Module], shared: Tensor, mask: Tensor, found: Tensor, member: Tensor) -> Said:
    """What the teachers say of the hidden states after the shared layers."""
    said = [teacher(shared, mask, found) for teacher in teachers]
    return Said(
        details=torch.stack([one.details.softmax(-1) for one in said]).mean(0),
        strength=torch.stack([one.strength.softmax(-1) for one in said]).mean(0),
        choices=torch.stack([among(one.choices, member).exp() for one in said]).mean(0),
        values=torch.stack([one.values.sigmoid() for one in said]).mean(0),
    )


class Lesson:
    """The loss of a student on what its teachers say."""

    def __init__(self, teachers: Sequence[Classifier]) -> None:
        """Of these teachers."""
        self._teachers = [teacher.eval().requires_grad_(False) for teacher in teachers]
        self._member = groups()

    def __call__(self, student: Classifier, base: Base, batch: Batch) -> Tensor:
        """Cross-entropies with the teachers' mean, and of the labelled requests."""
        with torch.no_grad():
            shared = base.shared(batch.ids, batch.mask)
            found = base.search(shared, batch.mask)
            said = mean_of(self._teachers, shared, batch.mask, found, self._member)
        given = student(shared, batch.mask, found)
        total = functional.cross_entropy(given.details, said.details)
        total = total + functional.cross_entropy(given.strength, said.strength)
        known = batch.requests >= 0
        if known.any():
            total = total + functional.cross_entropy(
                given.requests[known], batch.requests[known], label_smoothing=SMOOTHING
            )
        about = said.details @ self._member.T  # how much a text is about the category of each value
        chosen = -(said.choices * among(given.choices, self._member) * about).sum() / about.sum().clamp(min=1e-3)
        weight = said.details[:, None, :] * batch.mask[:, :, None]
        pieces = functional.binary_cross_entropy_with_logits(given.values, said.values, reduction="none") * weight
        return total + CHOICES_WEIGHT * chosen + VALUES_WEIGHT * pieces.sum() / weight.sum()


def texts(rng: Random, count: int) -> list[Example]:
    """Sentences to ask the teachers about: labelled ones, and others of which only the text is known."""
    labelled = int(count * LABELLED_SHARE)
    found = rng.sample(examples(rng, labelled), labelled)
    lines = [line for kinds in phrases.assistant().values() for group in kinds.values() for line in group]
    others: list[str] = []
    while len(others) < count - labelled:
        for dialogue in talk.conversations(rng, 50, noisy=rng.random() < NOISY_SHARE):
            driver = [text for speaker, text in dialogue.turns if speaker == "driver"]
            answers = [text for speaker, text in dialogue.turns if speaker != "driver"]
            pairs = [f"{before} {text}" for before, text in pairwise(driver)]
            others += [
                " ".join(driver),
                *pairs[:2],
                rng.choice(driver),
                rng.choice(answers or lines),
                rng.choice(lines),
            ]
    found += [Example(" ".join(text.split()[-LAST_WORDS:])) for text in rng.sample(others, count - labelled)]
    rng.shuffle(found)
    return found


def portion(tokenizer: Tokenizer, number: int, count: int) -> list[Batch]:
    """The batches of one portion, as `train.portion` makes them."""
    chance = Random(SEED + 7 * number)
    return in_batches(tokenizer, texts(chance, count), chance)


def distil(out: Path, work: Path, teachers: Sequence[Path], count: int = EXAMPLES) -> None:
    """Train a student of these teachers and write ``encoder.onnx``, ``tokenizer.json`` and ``labels.json`` into the folder.

    Args:
        out: for the model.
        work: for checkpoints.
        teachers: work folders of trainings by `train`; all have the first one's pieces, and the student begins as the first.
        count: sentences.

    Raises:
        ModelMissingError: the package with MiniLM's weights is not installed.
        ModelDamagedError: its weights are others.
        ValueError: a teacher was trained with other pieces than the first.
    """
    torch.manual_seed(SEED)
    folder = origin.folder()
    weights = origin.weights(folder)
    places = {piece: place for place, piece in enumerate((folder / "vocab.txt").read_text("utf-8").splitlines())}
    kept: list[dict[str, Any]] = [torch.load(path / CHECKPOINT_NAME, weights_only=True) for path in teachers]
    pieces: list[str] = kept[0]["pieces"]
    for path, one in zip(teachers, kept, strict=True):
        if one["pieces"] != pieces:
            raise ValueError(f"{path} was trained with other pieces than {teachers[0]}; train it with --start")
    tokenizer = origin.tokenizer(pieces)
    base = Base(weights, [places[piece] for piece in pieces], origin.MAX_PIECES).eval()
    branches: list[Classifier] = []
    for one in (*kept, kept[0]):
        branch = Classifier([load_layer(weights, number) for number in range(FORK, LAYERS)], SIZES)
        go_on(branch, one)
        branches.append(branch)
    student = branches.pop()
    run = Run(base, student, count // BATCH, work, pieces, RATES)
    run.fit(tokenizer, "cpu", loss=Lesson(branches), portion=portion)
    write(out, base, student, tokenizer)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train one sentence encoder on what several say.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model's files")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--teachers", required=True, help="work folders of earlier trainings, divided by commas")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="sentences (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="cores to use (default %(default)s)")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(given.threads)
    distil(given.out, given.work, [Path(path) for path in given.teachers.split(",")], given.examples)


if __name__ == "__main__":
    main()
