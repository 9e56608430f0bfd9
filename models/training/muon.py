"""Muon: steps for matrices that are made orthogonal (Keller Jordan and others, 2024, https://kellerjordan.github.io/posts/muon/).

Own code because PyTorch's works in bfloat16, which this kind of CPU emulates slowly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

MOMENTUM = 0.95
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic Newton-Schulz iteration, from the post."""
ITERATIONS = 5


def orthogonal(step: Tensor) -> Tensor:
    """The nearest matrix with singular values of about 1."""
    a, b, c = COEFFICIENTS
    x = step.T if step.shape[0] > step.shape[1] else step
    x = x / (x.norm() + 1e-7)
    for _ in range(ITERATIONS):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if step.shape[0] > step.shape[1] else x


class Muon(torch.optim.Optimizer):
    """Momentum steps, made orthogonal and scaled to the size of AdamW's (0.2 sqrt(larger side), arXiv 2502.16982)."""

    def __init__(self, parameters: Iterable[Tensor], lr: float, weight_decay: float = 0.0) -> None:
        """Matrices only."""
        super().__init__(list(parameters), {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # noqa: ARG002 - the signature of PyTorch
        """One step for all matrices that have a gradient."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                momentum = self.state[matrix].setdefault("momentum", torch.zeros_like(matrix))
                momentum.lerp_(matrix.grad, 1 - MOMENTUM)
                step = orthogonal(matrix.grad.lerp(momentum, MOMENTUM))
                matrix.mul_(1 - group["lr"] * group["weight_decay"])
                matrix.add_(step, alpha=-group["lr"] * 0.2 * max(matrix.shape) ** 0.5)
