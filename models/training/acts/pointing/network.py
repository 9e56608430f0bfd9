"""The network in PyTorch: a prompt that is read as a whole, then steps of an answer, each a closed token or a place of the prompt.

A word comes in as the sentence encoder's state of it, through a learnt matrix, so what has to be learnt is this car's acts and
not English. ``models.acts.pointing`` computes the same with numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.acts.steps import CLOSED
from models.training.acts.pointing.states import WIDTH, Row
from models.training.blocks import Block, Shape, rotations

AWAY = -1e4
"""Score of a place that there is not."""


class Batch:
    """Some rows, padded. ``answer_*`` are the steps that were written before each one: one fewer than are wanted."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Lay them out: prompts (rows, places), steps (rows, steps), what is right (steps that count, closed + places)."""
        places, long = max(len(row.prompt) for row in rows), max(len(row.tokens) for row in rows)
        self.states = torch.zeros(len(rows), places, WIDTH)
        self.prompt_tokens = torch.full((len(rows), places), -1)
        self.answer_tokens, self.answer_places = (torch.full((len(rows), long - 1), -1) for _ in range(2))
        self.lengths = torch.tensor([len(row.prompt) for row in rows])
        self.counts = torch.zeros(len(rows), long, dtype=torch.bool)
        self.wanted = torch.zeros(sum(len(row.tokens) for row in rows), len(CLOSED) + places, dtype=torch.bool)
        start = 0
        for at, row in enumerate(rows):
            here, steps = len(row.prompt), len(row.tokens)
            tokens, where = torch.from_numpy(row.tokens.astype(np.int64)), torch.from_numpy(row.places)
            self.states[at, :here] = torch.from_numpy(row.states.astype(np.float32))
            self.prompt_tokens[at, :here] = torch.from_numpy(row.prompt.astype(np.int64))
            self.answer_tokens[at, : steps - 1] = tokens[:-1]
            self.answer_places[at, : steps - 1] = torch.where(tokens < 0, where.int().argmax(1), -1)[:-1]
            self.counts[at, :steps] = True
            closed = (tokens >= 0).nonzero()[:, 0]
            self.wanted[start + closed, tokens[closed]] = True
            self.wanted[start : start + steps, len(CLOSED) : len(CLOSED) + here] = where
            start += steps


class Pointing(nn.Module):
    """The network."""

    def __init__(self, shape: Shape) -> None:
        """A network with random weights."""
        super().__init__()
        width = shape.width
        self.shape = shape
        self.word, self.copied = nn.Linear(WIDTH, width), nn.Linear(WIDTH, width)
        self.token = nn.Embedding(len(CLOSED), width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm, self.place_norm = (nn.RMSNorm(width, eps=shape.epsilon) for _ in range(2))
        self.closed = nn.Linear(width, len(CLOSED))
        self.place_q, self.place_k = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.following = nn.Parameter(torch.tensor(1.0))
        """What the place after the one that was copied last gains."""
        for linear in (self.word, self.copied):  # a state's numbers are about .13 large
            nn.init.normal_(linear.weight, std=4 / math.sqrt(WIDTH))
        nn.init.normal_(self.token.weight, std=0.5)
        nn.init.normal_(self.closed.weight, std=0.02)

    def forward(self, batch: Batch) -> Tensor:
        """Logarithms of the probabilities of every closed token, then of every place: (steps that count, closed + places)."""
        rows, places, _ = batch.states.shape
        given = self._mixed(batch.prompt_tokens, self.word(batch.states))
        before = batch.states.gather(1, batch.answer_places.clamp(min=0)[..., None].expand(-1, -1, WIDTH))
        x = torch.cat((given, self._mixed(batch.answer_tokens, self.copied(before))), 1)
        order = torch.arange(x.shape[1])
        written = (order >= places).expand(rows, -1)
        inside = order < batch.lengths[:, None]
        # a prompt shorter than the longest leaves a gap before its answer: nobody sees it, and positions go on without it
        position = torch.where(written, order - places + batch.lengths[:, None], order)
        seen = (inside & ~written)[:, None] | (written[:, None] & written[..., None] & (order[None] <= order[:, None]))
        seen |= torch.eye(len(order), dtype=torch.bool)
        cos, sin = rotations(self.shape, int(position.max()) + 1)
        by = cos[position][:, None], sin[position][:, None]
        *first, last = self.blocks
        for block in first:
            x = block(x, by, seen[:, None])
        chosen = written.clone()
        chosen[torch.arange(rows), batch.lengths - 1] = True  # from the mark on at which writing begins
        answer = self.output_norm(last(x, by, seen[:, None], chosen)).view(rows, -1, x.shape[2])
        keys = self.place_k(self.place_norm(x[:, :places]))
        scores = self.place_q(answer) @ keys.transpose(1, 2) / math.sqrt(x.shape[2])
        after = functional.pad(batch.answer_places + 1, (1, 0))[..., None]
        scores = scores + self.following * ((torch.arange(places) == after) & (after > 0))
        words = (batch.prompt_tokens < 0) & inside[:, :places]
        scores = scores.masked_fill(~words[:, None], AWAY)
        return functional.log_softmax(torch.cat((self.closed(answer), scores), 2)[batch.counts], 1)

    def _mixed(self, tokens: Tensor, words: Tensor) -> Tensor:
        return torch.where(tokens[..., None] >= 0, self.token(tokens.clamp(min=0)), words)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """All tensors by name."""
        return {name: value.detach().float().numpy() for name, value in self.state_dict().items()}


def loss(found: Tensor, wanted: Tensor) -> Tensor:
    """Mean surprise of a step: that one of the right ways to write it is written."""
    return -torch.logsumexp(found.masked_fill(~wanted, AWAY), 1).mean()
