"""The encoder as a PyTorch network: MiniLM's layers, and beside its last one a branch that classifies.

    pieces -> embeddings -> layer 0 .. FORK-1 -+-> layers FORK .. 5 (as they came) -> mean -> unit vector   (search)
                                               +-> own layers (fine-tuned copies)  -> mean -> topics, strength, requests
                                                                                   -> each piece -> values

The classifying branch sees the other means, too. Search keeps the weights as they came: fine-tuning them made search worse
(hit@n .84 to .78, a trial on CarMem users 51-100). Owns: the shapes and the forward pass. Does not export (``export``) or
train (``train``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 384
HEADS = 12
INNER = 1536
LAYERS = 6
EPSILON = 1e-12
FORK = 2
"""Layers that search and classification share."""


class Layer(nn.Module):
    """One BERT encoder layer (post-norm), after Devlin et al. 2018."""

    def __init__(self) -> None:
        """Randomly initialised; see `load_layer`."""
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.down_norm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Hidden states (batch, pieces, WIDTH); the bias is `attention_bias` of the mask."""
        batch, pieces, _ = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, pieces, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        attention = (query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS) + bias).softmax(-1)
        mixed = (attention @ value).transpose(1, 2).reshape(batch, pieces, WIDTH)
        x = self.out_norm(x + self.out(mixed))
        return self.down_norm(x + self.down(functional.gelu(self.up(x))))

    def in_order(self) -> list[nn.Module]:
        """What has weights, in the order in which ``export.Graph.layer`` writes it."""
        return [self.query, self.key, self.value, self.out, self.out_norm, self.up, self.down, self.down_norm]


PARTS = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "out_norm": "attention.output.LayerNorm", "up": "intermediate.dense",
    "down": "output.dense", "down_norm": "output.LayerNorm",
}  # fmt: skip
"""Our names of a layer's parts -> theirs."""


def load_layer(weights: Mapping[str, NDArray[np.float32]], number: int) -> Layer:
    """A layer with the weights of MiniLM's layer of that number."""
    layer = Layer()
    for part, name in PARTS.items():
        module = getattr(layer, part)
        module.weight.data = torch.from_numpy(weights[f"encoder.layer.{number}.{name}.weight"].copy())
        module.bias.data = torch.from_numpy(weights[f"encoder.layer.{number}.{name}.bias"].copy())
    return layer


class Embeddings(nn.Module):
    """Piece, position and (the only) segment."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], kept: list[int], longest: int) -> None:
        """The rows of the kept pieces, and of the first `longest` positions (with the segment's row added)."""
        super().__init__()
        pieces = weights["embeddings.word_embeddings.weight"][kept]
        positions = weights["embeddings.position_embeddings.weight"][:longest]
        positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
        self.pieces = nn.Embedding.from_pretrained(torch.from_numpy(pieces.copy()))
        self.positions = nn.Embedding.from_pretrained(torch.from_numpy(positions.copy()))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.norm.weight.data = torch.from_numpy(weights["embeddings.LayerNorm.weight"].copy())
        self.norm.bias.data = torch.from_numpy(weights["embeddings.LayerNorm.bias"].copy())

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (batch, pieces) to (batch, pieces, WIDTH)."""
        return self.norm(self.pieces(ids) + self.positions.weight[: ids.shape[1]])


class Base(nn.Module):
    """MiniLM as it came, frozen."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], kept: list[int], longest: int) -> None:
        """With only the pieces that are kept."""
        super().__init__()
        self.embeddings = Embeddings(weights, kept, longest)
        self.layers = nn.ModuleList(load_layer(weights, number) for number in range(LAYERS))
        self.requires_grad_(False)

    def shared(self, ids: Tensor, mask: Tensor, depth: int = FORK) -> Tensor:
        """Hidden states after the layers that are shared."""
        x, bias = self.embeddings(ids), attention_bias(mask)
        for layer in self.layers[:depth]:
            x = layer(x, bias)
        return x

    def search(self, x: Tensor, mask: Tensor) -> Tensor:
        """Means (batch, WIDTH) that search uses (at length 1), from the hidden states after the shared layers."""
        for layer in self.layers[FORK:]:
            x = layer(x, attention_bias(mask))
        return mean(x, mask)


@dataclass(frozen=True)
class Sizes:
    """Numbers of labels: requests with none, details without."""

    details: int
    strengths: int
    requests: int
    choices: int


class Logits(NamedTuple):
    """What the branch gives: (batch, labels) each, ``values`` (batch, pieces, details)."""

    details: Tensor
    strength: Tensor
    requests: Tensor
    choices: Tensor
    values: Tensor


class Classifier(nn.Module):
    """The branch: own layers, means of three depths, a hidden layer, and five heads.

    ``details`` tells the categories apart, given that there is one; ``strength`` says how clearly there is one; so topics
    come out as probabilities of all categories and of none, and also requests teach which categories they are about.
    ``choices`` picks a closed category's value. ``value`` says of every piece whether it is part of a value, and ``values``
    what speaks for or against that in every category.
    """

    def __init__(self, layers: list[Layer], sizes: Sizes, hidden: int = 384, dropout: float = 0.2) -> None:
        """With so many labels."""
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.hidden = nn.Linear(3 * WIDTH, hidden)
        self.dropout = nn.Dropout(dropout)
        self.details = nn.Linear(hidden, sizes.details)
        self.strength = nn.Linear(hidden, sizes.strengths)
        self.requests = nn.Linear(hidden, sizes.requests)
        self.choices = nn.Linear(hidden, sizes.choices)
        self.value = nn.Linear(WIDTH, 1)
        self.values = nn.Linear(WIDTH, sizes.details)
        nn.init.zeros_(self.values.weight)
        nn.init.zeros_(self.values.bias)

    def forward(self, x: Tensor, mask: Tensor, found: Tensor) -> Logits:
        """Hidden states after the shared layers, and search's means, to logits."""
        before = mean(x, mask)
        for layer in self.layers:
            x = layer(x, attention_bias(mask))
        pooled = self.dropout(torch.cat([mean(x, mask), before, found], -1))
        hidden = self.dropout(functional.gelu(self.hidden(pooled)))
        pieces = self.dropout(x)
        return Logits(
            details=self.details(hidden),
            strength=self.strength(hidden),
            requests=self.requests(hidden),
            choices=self.choices(hidden),
            values=self.value(pieces) + self.values(pieces),
        )

    def in_order(self) -> list[nn.Module]:
        """What has weights, in the order in which ``export.build`` writes it."""
        layers = [part for layer in self.layers for part in layer.in_order()]  # type: ignore[operator]
        heads = [self.hidden, self.strength, self.details, self.requests, self.choices, self.value, self.values]
        return [*layers, *heads]


def attention_bias(mask: Tensor) -> Tensor:
    """0 where the mask (batch, pieces) is 1, -10,000 elsewhere (BERT's own constant)."""
    return (mask[:, None, None, :] - 1.0) * 10_000.0


def mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over the pieces that are there."""
    weight = mask[:, :, None]
    return (x * weight).sum(1) / weight.sum(1)
