"""Sizes of the network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; all are multiples of 32, the block of GGUF's Q8_0."""

    vocabulary: int
    prior: int = 384
    """MiniLM's word vectors."""
    width: int = 192
    layers: int = 4
    heads: int = 6
    inner: int = 512
    context: int = 1024
    base: float = 10_000.0
    """Of the rotary positions; llama's value."""
    epsilon: float = 1e-5
    dropout: float = 0.05

    @property
    def head(self) -> int:
        """Width of one head."""
        return self.width // self.heads
