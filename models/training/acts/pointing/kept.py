"""What the encoder's branch told before, on which it is held while it learns to read acts.

Memory takes topics, strength, requests, choices and words of values from this branch (``models.runtime.onnx_encoder``). Its answers
on some thousand texts are put down before the training, and learnt beside the acts: distillation (Hinton and others, 2015,
arXiv 1503.02531), as it was used against forgetting by Li and Hoiem (2016, arXiv 1606.09282).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from models.runtime.onnx_encoder import LONGEST
from models.training.content.rows import rows
from models.training.encoder.examples import CHOICES, DETAILS
from models.training.encoder.network import Base, Classifier, Logits

TEXTS, BATCH, NEAR = 16_000, 32, 40
"""Texts that are asked, those of one step, and batches whose texts are sorted by length together."""
AMONG = torch.tensor([[float(one == other) for other, _ in CHOICES] for one, _ in CHOICES])
"""(choices, choices): which belong to the same category."""
OF = torch.tensor([DETAILS.index(detail) for detail, _ in CHOICES])
"""(choices,): the category of each."""


def texts(seed: int) -> list[str]:
    """Some of the texts of ``models.training.content``, in lower case."""
    return Random(seed).sample(sorted({row.text.lower() for row in rows()}), TEXTS)


class Kept:
    """Texts, and what was told of them."""

    def __init__(self, base: Base, classifier: Classifier, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        """Ask the branch as it is now about these texts."""
        pieces = [tokenizer.encode(text).ids[:LONGEST] for text in texts]
        self._batches: list[tuple[Tensor, Tensor, Tensor, Logits]] = []
        for at in range(0, len(pieces), BATCH * NEAR):
            near = sorted(pieces[at : at + BATCH * NEAR], key=len)
            for start in range(0, len(near), BATCH):
                some = near[start : start + BATCH]
                ids = torch.zeros(len(some), max(map(len, some)), dtype=torch.long)
                mask = torch.zeros(ids.shape)
                for row, one in enumerate(some):
                    ids[row, : len(one)], mask[row, : len(one)] = torch.tensor(one), 1.0
                with torch.no_grad():
                    shared = base.shared(ids, mask)
                    found = base.search(shared, mask)
                    self._batches.append((shared.bfloat16(), mask, found, told(classifier(shared, mask, found))))
        self._rng = Random(len(texts))

    def loss(self, classifier: Classifier) -> Tensor:
        """How far the branch as it is now is from what it told before, on the texts of one step."""
        shared, mask, found, before = self._rng.choice(self._batches)
        now = classifier(shared.float(), mask, found)
        total = torch.zeros(())
        for logits, wanted in (
            (now.details, before.details),
            (now.strength, before.strength),
            (now.requests, before.requests),
        ):
            total = total + functional.kl_div(functional.log_softmax(logits.float(), -1), wanted, reduction="batchmean")
        about = before.details * (
            1.0 - before.strength[:, :1]
        )  # no strength, no preference: what it is about counts for less
        chosen = functional.kl_div(among(now.choices.float()), before.choices, reduction="none") * about[:, OF]
        weight = about[:, None] * mask[..., None]
        pieces = functional.binary_cross_entropy_with_logits(now.values.float(), before.values, reduction="none")
        at_least = functional.binary_cross_entropy(before.values, before.values, reduction="none")
        pieces = (pieces - at_least) * weight
        return total + chosen.sum() / len(mask) + pieces.sum() / weight.sum().clamp(min=1.0)


def among(choices: Tensor) -> Tensor:
    """Logarithms of the shares of the values of each category, (batch, choices)."""
    highest = choices.amax(-1, keepdim=True)
    return choices - highest - ((choices - highest).exp() @ AMONG).log()


def told(logits: Logits) -> Logits:
    """As probabilities."""
    return Logits(
        details=logits.details.softmax(-1),
        strength=logits.strength.softmax(-1),
        requests=logits.requests.softmax(-1),
        choices=among(logits.choices).exp(),
        values=logits.values.sigmoid(),
    )
