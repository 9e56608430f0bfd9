"""A block of a small transformer: what the networks that read the encoder's states are made of.

RMSNorm, rotary positions on neighbouring pairs, SwiGLU. `models.marks` and `models.acts.pointing` compute the same with numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    """Sizes of a network."""

    width: int = 192
    layers: int = 4
    heads: int = 6
    inner: int = 512
    base: float = 10_000.0
    """Of the rotary positions; llama's value."""
    epsilon: float = 1e-5
    dropout: float = 0.05

    @property
    def head(self) -> int:
        """Width of one head."""
        return self.width // self.heads


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
