"""The network in PyTorch: a prompt that is read as a whole, then steps of an answer, each a closed token or a place of the prompt.

    pieces -> the encoder's layers 0, 1 -+-> (as they are)                   -+-> state of a word -> prompt -> steps
                                         +-> layers 2 .. 5 that classify     -+

A word comes in as the mean of its pieces' states, through a learnt matrix, so what has to be learnt is this car's acts and not
English. `Reader` gives the states: its layers are the encoder's branch that classifies, which goes on to classify
(``models.training.acts.pointing.kept``). ``models.acts.pointing`` computes what `Pointing` does with numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.acts.steps import CLOSED
from models.training.acts.pointing.rows import Row
from models.training.blocks import Block, Shape, rotations
from models.training.encoder.network import WIDTH as ENCODED
from models.training.encoder.network import Base, Classifier, attention_bias

AWAY = -1e4
"""Score of a place that there is not."""
WIDTH = 2 * ENCODED
"""Of a word's state: where the branches part, and at the end of the one that classifies."""


LEFT_OUT = 0.1
"""Share of what each layer of the branch tells that is left out while it learns."""


class Batch:
    """Some rows, padded. ``answer_*`` are the steps that were written before each one: one fewer than are wanted."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Lay them out: texts, prompts (rows, places), steps (rows, steps), what is right (steps that count, closed + places)."""
        places, long = max(len(row.prompt) for row in rows), max(len(row.tokens) for row in rows)
        texts = [text for row in rows for text in row.texts]
        self.ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
        self.mask = torch.zeros(self.ids.shape)
        for at, text in enumerate(texts):
            self.ids[at, : len(text)], self.mask[at, : len(text)] = torch.from_numpy(text), 1.0
        before = np.cumsum([0, *(len(row.texts) for row in rows)])
        self.words = torch.from_numpy(
            np.concatenate([row.words + np.array((at * places, before[at], 0, 0)) for at, row in enumerate(rows)])
        )
        """(words, 4) as `Row.words`, of all rows one after the other."""
        self.places = places
        self.prompt_tokens = torch.full((len(rows), places), -1)
        self.answer_tokens, self.answer_places = (torch.full((len(rows), long - 1), -1) for _ in range(2))
        self.lengths = torch.tensor([len(row.prompt) for row in rows])
        self.counts = torch.zeros(len(rows), long, dtype=torch.bool)
        self.wanted = torch.zeros(sum(len(row.tokens) for row in rows), len(CLOSED) + places, dtype=torch.bool)
        start = 0
        for at, row in enumerate(rows):
            here, steps = len(row.prompt), len(row.tokens)
            tokens, where = torch.from_numpy(row.tokens), torch.from_numpy(row.places)
            self.prompt_tokens[at, :here] = torch.from_numpy(row.prompt)
            self.answer_tokens[at, : steps - 1] = tokens[:-1]
            self.answer_places[at, : steps - 1] = torch.where(tokens < 0, where.int().argmax(1), -1)[:-1]
            self.counts[at, :steps] = True
            closed = (tokens >= 0).nonzero()[:, 0]
            self.wanted[start + closed, tokens[closed]] = True
            self.wanted[start : start + steps, len(CLOSED) : len(CLOSED) + here] = where
            start += steps


class Reader(nn.Module):
    """The encoder's branch that classifies, which gives words their states."""

    def __init__(self, base: Base, classifier: Classifier) -> None:
        """On a base that stays as it is, with this branch, which is trained on."""
        super().__init__()
        self.classifier = classifier
        self._base = (base,)  # not a part of it: nothing of it is learnt

    def forward(self, batch: Batch) -> Tensor:
        """The states of the words of a batch, (rows, places, `WIDTH`); zero elsewhere."""
        with torch.no_grad():
            before = self._base[0].shared(batch.ids, batch.mask)
        x, bias = before, attention_bias(batch.mask)
        for layer in self.classifier.layers:
            x = functional.dropout(layer(x, bias), LEFT_OUT, self.training)
        place, text, first, last = batch.words.unbind(1)
        run = functional.pad(torch.cat((before, x), 2).float().cumsum(1), (0, 0, 1, 0))
        states = (run[text, last] - run[text, first]) / (last - first)[:, None]
        found = torch.zeros(len(batch.lengths) * batch.places, WIDTH).index_copy(0, place, states)
        return found.view(len(batch.lengths), batch.places, WIDTH)


class Pointing(nn.Module):
    """The network above the words' states."""

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

    def forward(self, batch: Batch, states: Tensor) -> Tensor:
        """Logarithms of the probabilities of every closed token, then of every place: (steps that count, closed + places).

        Args:
            batch: the prompts and the steps.
            states: (rows, places, `WIDTH`) of the prompts' words.
        """
        rows, places, _ = states.shape
        given = self._mixed(batch.prompt_tokens, self.word(states))
        before = states.gather(1, batch.answer_places.clamp(min=0)[..., None].expand(-1, -1, WIDTH))
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
        return functional.log_softmax(torch.cat((self.closed(answer), scores), 2)[batch.counts].float(), 1)

    def _mixed(self, tokens: Tensor, words: Tensor) -> Tensor:
        return torch.where(tokens[..., None] >= 0, self.token(tokens.clamp(min=0)).to(words.dtype), words)

    def restore(self, tensors: Mapping[str, NDArray[np.floating[Any]]], tokens: Sequence[str]) -> None:
        """Take the tensors of a file, whose closed tokens were these; what those did not know keeps its random weights.

        Raises:
            RuntimeError: the file has another shape.
        """
        own = self.state_dict()
        known = {text: index for index, text in enumerate(tokens)}
        here = [index for index, text in enumerate(CLOSED) if text in known]
        there = [known[CLOSED[index]] for index in here]
        for name, value in tensors.items():
            read = torch.from_numpy(np.asarray(value, np.float32))
            if name in ("token.weight", "closed.weight", "closed.bias"):
                own[name][here] = read[there]
            else:
                own[name] = read
        self.load_state_dict(own)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """All tensors by name."""
        return {name: value.detach().float().numpy() for name, value in self.state_dict().items()}


class Whole(nn.Module):
    """Reader and network: what is trained."""

    def __init__(self, reader: Reader, pointing: Pointing) -> None:
        """Of these two."""
        super().__init__()
        self.reader, self.pointing = reader, pointing


def loss(found: Tensor, wanted: Tensor) -> Tensor:
    """Mean surprise of a step: that one of the right ways to write it is written."""
    return -torch.logsumexp(found.masked_fill(~wanted, AWAY), 1).mean()
