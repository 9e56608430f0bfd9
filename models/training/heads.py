"""Makes the files of ``models.heads``: two layers with dropout over states of the encoder, some 50,000 numbers in halves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from models.heads import odds
from models.heads import states as of_text
from models.runtime.onnx_encoder import OnnxEncoder

ENCODER = Path(__file__).parents[1] / "builtin" / "encoder"
WIDTH, DROPPED, RATE, DECAY, STEPS, BATCH, SEED = 64, 0.3, 2e-3, 0.05, 600, 256, 7


def states(encoder: OnnxEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """What the network goes by, (texts, features)."""
    return np.stack([of_text(encoder, text) for text in texts])


def fit(
    inputs: NDArray[np.float32],
    classes: NDArray[np.int64],
    weights: NDArray[np.float32],
    *,
    width: int = WIDTH,
    steps: int = STEPS,
    seed: int = SEED,
) -> dict[str, NDArray[np.float16]]:
    """The network's arrays, without its thresholds.

    Args:
        inputs: states, (n, d).
        classes: the kind of each, (n,); the highest one stands for all others.
        weights: how much each counts, (n,).
        width: of the inner layer.
        steps: of the training.
        seed: where it begins.
    """
    torch.manual_seed(seed)
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-3
    first, second = torch.nn.Linear(inputs.shape[1], width), torch.nn.Linear(width, int(classes.max()) + 1)
    made = torch.nn.Sequential(torch.nn.Dropout(DROPPED / 2), first, torch.nn.ReLU(), torch.nn.Dropout(DROPPED), second)
    optimizer = torch.optim.AdamW(made.parameters(), lr=RATE, weight_decay=DECAY)
    told, wanted, counts = torch.tensor((inputs - mean) / spread), torch.tensor(classes), torch.tensor(weights)
    for _ in range(steps):
        some = torch.randint(len(told), (BATCH,))
        optimizer.zero_grad()
        losses = torch.nn.functional.cross_entropy(made(told[some]), wanted[some], reduction="none")
        (losses * counts[some]).mean().backward()  # pyright: ignore[reportUnknownMemberType] - torch
        optimizer.step()
    inner = first.weight.detach().numpy() / spread  # the scaling goes into the first layer
    arrays = {
        "inner": inner,
        "inner_bias": first.bias.detach().numpy() - inner @ mean,
        "outer": second.weight.detach().numpy(),
        "outer_bias": second.bias.detach().numpy(),
    }
    return {name: array.astype(np.float16) for name, array in arrays.items()}


def scored(arrays: dict[str, NDArray[np.float16]], inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log odds of these states, (n,)."""
    hidden = np.maximum(inputs @ arrays["inner"].T.astype(np.float32) + arrays["inner_bias"], 0.0)
    return odds(hidden @ arrays["outer"].T.astype(np.float32) + arrays["outer_bias"])


def write(file: Path, arrays: dict[str, NDArray[np.float16]], **thresholds: float) -> None:
    """Write the network with the log odds from which on something is one of its kinds (see ``models.heads.Head``)."""
    np.savez_compressed(file, **arrays, **{name: np.float32(at) for name, at in thresholds.items()})  # pyright: ignore[reportArgumentType] - arrays by their names
