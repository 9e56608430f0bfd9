"""The network: a small decoder of the llama architecture, with vectors of words borrowed from all-MiniLM-L6-v2.

Owns: the shapes and the forward pass; `models.training.language.export` writes the same arithmetic for llama.cpp: RMSNorm,
rotary positions on neighbouring pairs, SwiGLU, one matrix for input and output vectors. The tokens of a prompt all see each
other; those of the answer see the prompt and what was written before them (Dong and others 2019, arXiv 1905.03197).

A token's vector is ``prior @ project + own``: ``prior`` (fixed) is the mean of MiniLM's word vectors for the token's text,
``own`` is learnt and begins at zero for words. So a word that was never trained on still lies near words that mean
something like it. The sum is what is exported.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.training.language.shape import Shape

VECTORS = 0.5
"""Deviation of a token's vector at the start. With a usual 0.02 a word is buried under what the first layer adds to it, and
copying was not learnt: 0 of 180 words after 1,900 batches."""
LOOK_BACK, MATCH = 3.4, 3.4
"""Gains of the copying circuit at the start: scores of about 15 for the right place."""
LOGITS = 0.04
"""Scale of the output at the start, so that vectors of that size give logits of a few units."""


def rotations(shape: Shape, length: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary positions, each (length, head / 2)."""
    frequency = shape.base ** (-torch.arange(0, shape.head, 2).float() / shape.head)
    angle = torch.outer(torch.arange(length).float(), frequency)
    return angle.cos(), angle.sin()


def rotate(x: Tensor, by: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate neighbouring pairs of dimensions.

    Args:
        x: (batch, heads, length, head).
        by: cosines and sines, (length, head / 2).

    Returns:
        (batch, heads, length, head) with the pairs' first dimensions before their second ones: queries and keys are in the
        same order, and nothing else of them is used.
    """
    cos, sin = by
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


def visible(given: Tensor, length: int) -> Tensor:
    """What each token sees, (batch, 1, length, length) bool: all that is given, and what was written before it.

    Args:
        given: (batch,) number of tokens of each prompt.
        length: of the rows.
    """
    at = torch.arange(length)
    inside = at[None, :] < given[:, None]
    both = inside[:, None, :, None] & inside[:, None, None, :]
    return both | (at[None, :] <= at[:, None])


class Block(nn.Module):
    """Attention and feed-forward, each on a normalised copy and added back."""

    def __init__(self, shape: Shape) -> None:
        """Weights begin as normal(0.02), those that write to the residual stream smaller by sqrt(2 layers)."""
        super().__init__()
        width, inner = shape.width, shape.inner
        self.shape = shape
        self.attn_norm = nn.RMSNorm(width, eps=shape.epsilon)
        self.ffn_norm = nn.RMSNorm(width, eps=shape.epsilon)
        self.attn_q, self.attn_k, self.attn_v, self.attn_output = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.ffn_gate, self.ffn_up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.ffn_down = nn.Linear(inner, width, bias=False)
        for linear in (self.attn_q, self.attn_k, self.attn_v, self.ffn_gate, self.ffn_up):
            nn.init.normal_(linear.weight, std=1 / math.sqrt(width))
        for linear in (self.attn_output, self.ffn_down):
            nn.init.normal_(linear.weight, std=1 / math.sqrt(linear.in_features * 2 * shape.layers))

    def forward(self, x: Tensor, by: tuple[Tensor, Tensor], seen: Tensor, chosen: Tensor | None = None) -> Tensor:
        """(batch, length, width) -> the same. With ``chosen`` (batch, length) bool: only these, (n, width)."""
        batch, length, width = x.shape
        normed = self.attn_norm(x)
        q, k, v = (
            linear(normed).view(batch, length, self.shape.heads, self.shape.head).transpose(1, 2)
            for linear in (self.attn_q, self.attn_k, self.attn_v)
        )
        mixed = functional.scaled_dot_product_attention(rotate(q, by), rotate(k, by), v, attn_mask=seen)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        if chosen is not None:
            x, mixed = x[chosen], mixed[chosen]
        out = self.attn_output(mixed)
        x = x + self._dropped(out, batch)
        normed = self.ffn_norm(x)
        out = self.ffn_down(functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed))
        return x + self._dropped(out, batch)

    def _dropped(self, x: Tensor, batch: int) -> Tensor:
        """While training some of the dimensions of each row are left out: as a mask for every token it took 6 % of the time."""
        if not self.training or x.ndim < 3:
            return x
        kept = 1 - self.shape.dropout
        return x * torch.empty(batch, 1, x.shape[-1]).bernoulli_(kept).div_(kept)


class Network(nn.Module):
    """The decoder."""

    prior: Tensor

    def __init__(self, shape: Shape, prior: Tensor, free: Tensor) -> None:
        """A network with random weights.

        Args:
            shape: its sizes.
            prior: (vocabulary, prior) fixed vectors, zero where there is none; only their direction is used.
            free: (vocabulary,) bool, the tokens whose own part begins random: those that mean more than their words.
        """
        super().__init__()
        self.shape = shape
        has_prior = prior.norm(dim=1, keepdim=True) > 0
        share = torch.where(has_prior, torch.where(free[:, None], math.sqrt(0.5), 1.0), 0.0)
        prior = functional.normalize(prior) * share * math.sqrt(shape.prior)
        self.register_buffer("prior", prior)
        self.project = nn.Parameter(torch.randn(shape.prior, shape.width) * VECTORS / math.sqrt(shape.prior))
        self.own = nn.Parameter(torch.randn(shape.vocabulary, shape.width) * VECTORS * (1 - share**2).sqrt())
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = nn.RMSNorm(shape.width, eps=shape.epsilon)
        nn.init.constant_(self.output_norm.weight, LOGITS)

        self._begin_copying()

    @torch.no_grad()
    def _begin_copying(self) -> None:
        """Begin with a circuit that copies (induction heads, Elhage and others 2021): gradient descent keeps and uses it.

        Dimension 0 of all vectors is the same, so that head 0 of the first layer can look one position back whatever the
        words are: its first pairs of dimensions turn quickly with the distance. It writes what stood there. Two heads of
        the second layer look for places whose previous word is the current one, in the pairs that turn slowly, and write
        what stands there.
        """
        shape = self.shape
        width, head = shape.width, shape.head
        self.project[:, 0] = 0.0
        self.own[:, 0] = 4 * VECTORS
        basis = torch.zeros(width, width)
        basis[1:, 1:] = torch.linalg.qr(torch.randn(width - 1, width - 1)).Q
        read, written, content = basis[1 : 1 + head], basis[1 + head : 1 + 2 * head], basis[1 + 2 * head :]
        first, second = self.blocks[0], self.blocks[1]
        angle = shape.base ** (-torch.arange(0, head, 2).float() / head)
        first.attn_q.weight[:head], first.attn_k.weight[:head] = 0.0, 0.0
        for pair in range(3):
            first.attn_q.weight[2 * pair, 0] = LOOK_BACK
            first.attn_k.weight[2 * pair, 0] = LOOK_BACK * torch.cos(angle[pair])
            first.attn_k.weight[2 * pair + 1, 0] = LOOK_BACK * torch.sin(angle[pair])
        first.attn_v.weight[:head] = read
        first.attn_output.weight[:, :head] = 0.7 * written.T
        for at in range(2):
            rows = slice(at * head, (at + 1) * head)
            half = slice(at * head // 2, (at + 1) * head // 2)
            second.attn_q.weight[rows], second.attn_k.weight[rows] = 0.0, 0.0
            second.attn_q.weight[rows][head // 2 :] = MATCH * read[half]
            second.attn_k.weight[rows][head // 2 :] = MATCH * written[half]
            second.attn_v.weight[rows] = content[at * head : (at + 1) * head]
            second.attn_output.weight[:, rows] = 1.5 * content[at * head : (at + 1) * head].T

    def vectors(self, tokens: Tensor) -> Tensor:
        """Vectors of tokens (any shape), for input and output."""
        return self.prior[tokens] @ self.project + self.own[tokens]

    def hidden(self, x: Tensor, given: Tensor, chosen: Tensor) -> Tensor:
        """The normalised output.

        Args:
            x: (batch, length, width) of token vectors.
            given: (batch,) number of tokens of each prompt: they all see each other.
            chosen: (batch, length) bool, where an output is wanted.

        Returns:
            (n, width) where ``chosen``.
        """
        by, seen = rotations(self.shape, x.shape[1]), visible(given, x.shape[1])
        *first, last = self.blocks
        for block in first:
            x = block(x, by, seen)
        return self.output_norm(last(x, by, seen, chosen))

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """All tensors under llama.cpp's names."""
        with torch.no_grad():
            table = self.vectors(torch.arange(self.shape.vocabulary))
        found = {"token_embd.weight": table, "output_norm.weight": self.output_norm.weight}
        for at, block in enumerate(self.blocks):
            found.update({f"blk.{at}.{name}": value for name, value in block.state_dict().items()})
        return {name: value.detach().float().numpy() for name, value in found.items()}

    def loss(self, tokens: Tensor, given: Tensor, counts: Tensor, candidates: Tensor) -> Tensor:
        """Mean cross entropy where ``counts``.

        Args:
            tokens: (batch, length) int64, padded at the end.
            given: (batch,) number of tokens of each prompt.
            counts: (batch, length) bool: the tokens to be predicted.
            candidates: (n,) sorted tokens that compete: all in the batch and all marks. Others are left alone: at run time
                the grammar rules them out, and words that were never seen keep their place.
        """
        known = self.vectors(candidates)
        index = torch.searchsorted(candidates, tokens)
        chosen = functional.pad(counts[:, 1:], (0, 1))
        hidden = self.hidden(functional.embedding(index, known), given, chosen)
        return functional.cross_entropy(hidden @ known.T, index[:, 1:][counts[:, 1:]])
