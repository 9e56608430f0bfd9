"""The network in PyTorch: the encoder's states of a sentence's words through a few blocks, then a share of every label.

All words see each other. ``models.marks`` computes the same with numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.training.blocks import Block, Shape, rotations
from schemas.kinds import LABELS

STATES = 768
"""Of a word."""


@dataclass(frozen=True)
class Row:
    """A sentence."""

    states: NDArray[np.float16]
    """(words, `STATES`)."""
    may: NDArray[np.bool_]
    """(words, labels): which each word may have."""
    weight: float = 1.0


class Batch:
    """Some rows, padded."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Lay them out."""
        long = max(len(row.may) for row in rows)
        self.states = torch.zeros(len(rows), long, STATES)
        self.inside = torch.zeros(len(rows), long, dtype=torch.bool)
        self.may = torch.ones(len(rows), long, len(LABELS), dtype=torch.bool)
        self.weights = torch.zeros(len(rows), long)
        for at, row in enumerate(rows):
            here = len(row.may)
            self.states[at, :here] = torch.from_numpy(row.states.astype(np.float32))
            self.inside[at, :here] = True
            self.may[at, :here] = torch.from_numpy(row.may)
            self.weights[at, :here] = row.weight / math.sqrt(here)


class Marking(nn.Module):
    """The network."""

    def __init__(self, shape: Shape) -> None:
        """A network with random weights."""
        super().__init__()
        self.shape = shape
        self.word = nn.Linear(STATES, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=shape.epsilon)
        self.out = nn.Linear(shape.width, len(LABELS))
        nn.init.normal_(self.word.weight, std=4 / math.sqrt(STATES))  # a state's numbers are about .13 large
        nn.init.normal_(self.out.weight, std=0.02)

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """Logarithms of the labels' shares, (batch, words, labels)."""
        x = self.word(states)
        by = rotations(self.shape, x.shape[1])
        seen = inside[:, None, None, :] | torch.eye(x.shape[1], dtype=torch.bool)
        for block in self.blocks:
            x = block(x, by, seen)
        return functional.log_softmax(self.out(self.norm(x)), -1)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """All tensors by name."""
        return {name: value.detach().float().numpy() for name, value in self.state_dict().items()}


def loss(found: Tensor, batch: Batch, told: float) -> Tensor:
    """Mean surprise of a word: that it has one of the labels that it may have. Longer sentences count less by word.

    Args:
        found: as `Marking.forward` gives it.
        batch: what is right.
        told: what a word counts that must be part of something.
    """
    right = torch.logsumexp(found.masked_fill(~batch.may, -1e4), -1)
    weights = batch.weights * torch.where(batch.may[..., 0], 1.0, told)
    return -(right * weights).sum() / weights.sum()
