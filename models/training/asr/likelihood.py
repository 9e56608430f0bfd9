"""PocketSphinx's acoustic model in PyTorch, so that what feeds it can be trained through it.

Owns: features of cepstra as the engine has them (``1s_c_d_dd``), and the likelihood of every senone of a frame. Unlike the engine
it counts all Gaussians of a codebook, not the best four. Does not own the model's files (``gaussians``, ``senones``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.training.asr import gaussians, senones

LEAST_VARIANCE = 1e-4
"""The engine's ``varfloor``."""
_FARTHEST = -60.0
"""Log likelihood under a codebook's best Gaussian from which on one counts no less."""
_LEAST = 1e-10
EDGE = 3
"""Frames at either end of an utterance that have no second slope."""


def features(cepstra: Tensor) -> list[Tensor]:
    """Cepstra less their mean, (n, frames, 13), to cepstra, slopes and second slopes, (n, frames - 6, 13) each."""
    slope = cepstra[:, 4:] - cepstra[:, :-4]
    return [cepstra[:, EDGE:-EDGE], slope[:, 1:-1], slope[:, 2:] - slope[:, :-2]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some senones, in order of their codebooks."""

    mixtures: list[list[Tensor]]
    """Of each stream, of each codebook: (densities, senones of it)."""
    codebook: Tensor
    """(senones,)"""


class Likelihood:
    """Log likelihoods of senones."""

    def __init__(self, folder: Path) -> None:
        """Read the model in ``folder``.

        Raises:
            schemas.errors.ModelDamagedError: a file is cut short or of another kind.
        """
        means = gaussians.read(folder / "means")
        variances = np.maximum(gaussians.read(folder / "variances"), LEAST_VARIANCE)
        self._codebooks, self._streams, self._densities, _ = means.shape
        self._senones = senones.read(folder, self._streams)
        factors = np.concatenate([-0.5 / variances, means / variances], axis=-1)
        constants = -0.5 * (means**2 / variances + np.log(2.0 * np.pi * variances)).sum(axis=-1)
        self._factors = [torch.from_numpy(_flat(factors[:, stream]).T.copy()) for stream in range(self._streams)]
        self._constants = [torch.from_numpy(constants[:, stream].reshape(-1).copy()) for stream in range(self._streams)]
        self.count = self._senones.codebook.size

    def choose(self, rng: np.random.Generator, others: int) -> Chosen:
        """The senones of plain phones and ``others`` more (some of which may be the same)."""
        picked = np.zeros(self.count, dtype=np.bool_)
        picked[: self._senones.plain] = True
        picked[rng.choice(self.count, others, replace=False)] = True
        return self.chosen(np.flatnonzero(picked))

    def chosen(self, numbers: NDArray[np.intp]) -> Chosen:
        """These senones, sorted by codebook."""
        book = self._senones.codebook[numbers]
        mixtures = [
            [
                torch.from_numpy(np.exp(self._senones.weights[stream][:, numbers[book == one]]))
                for one in range(self._codebooks)
            ]
            for stream in range(self._streams)
        ]
        return Chosen(mixtures, torch.from_numpy(np.sort(book)))

    def __call__(self, streams: list[Tensor], chosen: Chosen) -> Tensor:
        """Features, (frames, 13) a stream, to log likelihoods, (frames, senones)."""
        total = torch.zeros(())
        for stream, values in enumerate(streams):
            shown = torch.cat([values.square(), values], dim=-1)
            each = (shown @ self._factors[stream] + self._constants[stream]).view(-1, self._codebooks, self._densities)
            best = each.amax(dim=2, keepdim=True).detach()
            near = torch.exp((each - best).clamp(min=_FARTHEST)).unbind(dim=1)
            mixed = torch.cat(
                [part @ mixture for part, mixture in zip(near, chosen.mixtures[stream], strict=True)], dim=1
            )
            total = total + torch.log(mixed + _LEAST) + best[:, chosen.codebook, 0]
        return total


def _flat(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values.reshape(-1, values.shape[-1])
