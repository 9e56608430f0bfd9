"""Gemma 3 in PyTorch, as far as training an addition to it needs: the weights of a GGUF file, fixed, and low-rank ones beside.

Owns: the forward pass, which is llama.cpp's (``src/models/gemma3.cpp``): vectors times the root of their width; around attention
and feed-forward a norm before and one after; norms of each head's queries and keys; rotary positions in halves, of base 1e4 in
five layers of six; one matrix for input and output. The fixed weights are what the file's quantised numbers stand for, so that
the addition learns to live with their rounding. The window of 512 tokens of those five layers is left out: no line is so long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import torch
from gguf.quants import dequantize
from torch import Tensor, nn
from torch.nn import functional

RANK, ALPHA = 4, 32.0
"""Rank of the addition, and its weight: what it adds is multiplied by ``ALPHA / RANK`` (Hu et al. 2021)."""
LOCAL_BASE, EVERY = 10_000.0, 6
"""Rotary base of the layers that see a window, and how often a layer sees everything (Gemma 3 report, section 2)."""
TABLE = "token_embd.weight"
PROJECTIONS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


@dataclass(frozen=True)
class Shape:
    """Sizes, as the file states them."""

    layers: int
    width: int
    heads: int
    shared: int
    """Heads of keys and values."""
    head: int
    base: float
    epsilon: float

    @classmethod
    def of(cls, reader: gguf.GGUFReader) -> Shape:
        """The sizes of a GGUF file of the architecture gemma3.

        Raises:
            ValueError: the file is of another architecture.
        """

        def value(name: str) -> Any:
            return reader.fields[name].contents()

        if value("general.architecture") != "gemma3":
            raise ValueError(f"the file holds a {value('general.architecture')}, not a gemma3")
        return cls(
            layers=value("gemma3.block_count"),
            width=value("gemma3.embedding_length"),
            heads=value("gemma3.attention.head_count"),
            shared=value("gemma3.attention.head_count_kv"),
            head=value("gemma3.attention.key_length"),
            base=value("gemma3.rope.freq_base"),
            epsilon=value("gemma3.attention.layer_norm_rms_epsilon"),
        )


class Added(nn.Module):
    """A fixed matrix with a low-rank addition: ``x W' + (x A') B' alpha / rank``. B begins at zero."""

    def __init__(self, weight: Tensor, rank: int) -> None:
        """``weight``: (out, in), bfloat16."""
        super().__init__()
        out, inside = weight.shape
        self.register_buffer("weight", weight, persistent=False)
        self.a = nn.Parameter(torch.empty(rank, inside).uniform_(-1, 1) / math.sqrt(inside))
        self.b = nn.Parameter(torch.zeros(out, rank))

    def forward(self, x: Tensor) -> Tensor:
        """(n, in) bfloat16 -> (n, out)."""
        low = functional.linear(x, self.a.to(x.dtype))
        return functional.linear(x, self.weight) + functional.linear(
            low, (self.b * (ALPHA / self.a.shape[0])).to(x.dtype)
        )


class Norm(nn.Module):
    """Root-mean-square norm in float32."""

    def __init__(self, weight: Tensor, epsilon: float) -> None:
        """``weight``: as llama.cpp has it, with the one that Gemma adds already in it."""
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """(..., width), any type -> float32."""
        return functional.rms_norm(x.float(), x.shape[-1:], self.weight, self.epsilon)


def rotations(base: float, head: int, length: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines, each (length, head), the second half as the first."""
    angle = torch.outer(torch.arange(length).float(), base ** (-torch.arange(0, head, 2).float() / head))
    both = torch.cat((angle, angle), -1)
    return both.cos(), both.sin()


def rotate(x: Tensor, by: tuple[Tensor, Tensor]) -> Tensor:
    """Turn (batch, heads, length, head) by its places."""
    first, second = x.chunk(2, -1)
    return x * by[0] + torch.cat((-second, first), -1) * by[1]


class Block(nn.Module):
    """Attention and feed-forward."""

    def __init__(self, shape: Shape, tensors: dict[str, Tensor], at: int, rank: int) -> None:
        """The layer ``at`` of the file's tensors."""
        super().__init__()
        self.shape, self.everything = shape, (at + 1) % EVERY == 0
        for name in PROJECTIONS:
            setattr(self, name, Added(tensors[f"blk.{at}.{name}.weight"].bfloat16(), rank))
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm", "attn_q_norm", "attn_k_norm"):
            setattr(self, name, Norm(tensors[f"blk.{at}.{name}.weight"].float(), shape.epsilon))

    def forward(self, x: Tensor, turns: dict[bool, tuple[Tensor, Tensor]]) -> Tensor:
        """(batch, length, width) float32 -> the same."""
        batch, length, width = x.shape
        half = torch.bfloat16
        flat = self.attn_norm(x).to(half).reshape(-1, width)
        q, k, v = (
            linear(flat).view(batch, length, -1, self.shape.head) for linear in (self.attn_q, self.attn_k, self.attn_v)
        )
        by = turns[self.everything]
        q = rotate(self.attn_q_norm(q).transpose(1, 2), by).to(half)
        k = rotate(self.attn_k_norm(k).transpose(1, 2), by).to(half)
        many = self.shape.heads // self.shape.shared
        k, v = (one.expand(-1, self.shape.shared * many, -1, -1) if self.shape.shared == 1
                else one.repeat_interleave(many, 1) for one in (k, v.transpose(1, 2)))  # fmt: skip
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        out = self.attn_output(mixed.transpose(1, 2).reshape(batch * length, -1))
        x = x + self.post_attention_norm(out).view_as(x)
        flat = self.ffn_norm(x).to(half).reshape(-1, width)
        out = self.ffn_down(functional.gelu(self.ffn_gate(flat), approximate="tanh") * self.ffn_up(flat))
        return x + self.post_ffw_norm(out).view_as(x)


class Gemma(nn.Module):
    """The model with an addition on all projections."""

    table: Tensor

    def __init__(self, path: Path, rank: int = RANK) -> None:
        """Read a GGUF file; the fixed weights become bfloat16. The vectors of tokens are zero until `know` reads them.

        Raises:
            ValueError: the file is of another architecture.
        """
        super().__init__()
        reader = gguf.GGUFReader(str(path))
        self.shape = Shape.of(reader)
        self._vectors = next(one for one in reader.tensors if one.name == TABLE)
        tensors = {
            one.name: torch.from_numpy(dequantize(one.data, one.tensor_type).copy())
            for one in reader.tensors
            if one.name != TABLE
        }
        table = torch.zeros(self._vectors.data.shape[0], self.shape.width, dtype=torch.bfloat16)
        self.register_buffer("table", table, persistent=False)
        self.blocks = nn.ModuleList(Block(self.shape, tensors, at, rank) for at in range(self.shape.layers))
        self.output_norm = Norm(tensors["output_norm.weight"].float(), self.shape.epsilon)

    def know(self, tokens: Tensor) -> None:
        """Read the vectors of these tokens (n,): all 262,144 would take half a minute."""
        rows = dequantize(self._vectors.data[tokens.numpy()], self._vectors.tensor_type)
        self.table[tokens.to(self.table.device)] = torch.from_numpy(rows).to(self.table)

    def hidden(self, tokens: Tensor, chosen: Tensor) -> Tensor:
        """The normalised output where it is wanted.

        Args:
            tokens: (batch, length) int64, padded at the end.
            chosen: (batch, length) bool.

        Returns:
            (n, width) bfloat16 where ``chosen``.
        """
        x = functional.embedding(tokens, self.table).float() * math.sqrt(self.shape.width)
        turns = {
            everything: tuple(one.to(x.device) for one in rotations(base, self.shape.head, tokens.shape[1]))
            for everything, base in ((True, self.shape.base), (False, LOCAL_BASE))
        }
        for block in self.blocks:
            x = block(x, turns)
        return self.output_norm(x[chosen]).bfloat16()

    def additions(self) -> dict[str, Tensor]:
        """``blk.N.NAME.a`` (rank, in) and ``.b`` (out, rank), float32: all that is trained."""
        return {name.replace("blocks.", "blk."): one for name, one in self.named_parameters()}

    def add(self, additions: dict[str, Tensor]) -> None:
        """Take additions over, as `additions` names them."""
        with torch.no_grad():
            for name, one in self.additions().items():
                one.copy_(additions[name])
