"""Whether a stage has become slower than in an earlier run, beyond noise. Pure.

A permutation test a stage: under the hypothesis that nothing changed, every round could as well have been one of the other run. A
round's value is the mean logarithm of its times over the inputs that both runs have, so that a long sentence counts as much as
a short one; the statistic is the sum of the new run's ranks (Wilcoxon 1945), which one disturbed round moves little. The medians'
difference, used before, has many ways to part a few rounds: with eight of them and 14 stages nothing was ever slower. Holm's
procedure holds the chance that any stage is called slower by mistake to `ALPHA` (Holm 1979). What rounds share within a run and not
between two, such as a warmer machine, no test of two runs can tell from a change: so a stage also has to be `LEAST` slower, and
temperature, clock and load stand beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.01
LEAST = 1.10
"""The smallest ratio that counts. Our choice: nobody notices less."""
PERMUTATIONS = 20_000
FEWEST = 7
"""Rounds a run: one of 3,432 ways to part fourteen rounds is rare enough beside 34 stages (there are 14 with all peers)."""


@dataclass(frozen=True, slots=True)
class Change:
    """A stage in both runs."""

    stage: str
    ratio: float
    """New over old."""
    p: float
    """One-sided, corrected for the number of stages."""

    @property
    def slower(self) -> bool:
        """Whether it is slower beyond noise."""
        return self.p < ALPHA and self.ratio >= LEAST


def compare(
    new: Mapping[str, Mapping[str, Sequence[float]]],
    old: Mapping[str, Mapping[str, Sequence[float]]],
    seed: int = 1,
) -> tuple[Change, ...]:
    """The stages that both runs have, in the order of the new one. A stage with fewer than `FEWEST` rounds is left out."""
    found: list[tuple[str, float, float]] = []
    for stage, times in new.items():
        inputs = sorted(set(times) & set(old.get(stage, {})))
        if not inputs:
            continue
        now, before = (_rounds([one[stage][name] for name in inputs]) for one in (new, old))
        if min(now.size, before.size) >= FEWEST:
            found.append((stage, *_test(now, before, seed)))
    return tuple(
        Change(stage, ratio, p) for (stage, ratio, _), p in zip(found, _holm([p for _, _, p in found]), strict=True)
    )


def _rounds(inputs: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Mean logarithm of each round; an input's last rounds are left out where another has fewer."""
    count = min(len(times) for times in inputs)
    return np.log(np.maximum([times[:count] for times in inputs], 1e-6)).mean(axis=0)


def _test(now: NDArray[np.float64], before: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Ratio of the medians, and how likely at least such a one is if nothing changed."""
    together = np.concatenate([now, before])
    ranks = (together[:, None] > together).sum(axis=1) + (together[:, None] == together).sum(axis=1) / 2.0
    drawn = np.random.default_rng(seed).permuted(np.tile(ranks, (PERMUTATIONS, 1)), axis=1)
    as_much = int((drawn[:, : now.size].sum(axis=1) >= ranks[: now.size].sum() - 1e-9).sum())
    return float(np.exp(np.median(now) - np.median(before))), (as_much + 1) / (PERMUTATIONS + 1)


def _holm(values: Sequence[float]) -> list[float]:
    corrected, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        highest = max(highest, min(1.0, values[place] * (len(values) - rank)))
        corrected[place] = highest
    return corrected
