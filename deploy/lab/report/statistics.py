"""The statistics of the protocols: shares, micro-averaged scores, intervals, a paired test, hits among ranked scores.

Every figure of CarMem's protocol is a ratio of two sums over items (F1 is 2 TP over 2 TP + FP + FN), so that one bootstrap over
users serves them all. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from deploy.lab.report.blocks import Interval

ROUNDS = 2000
"""Bootstrap samples; the ends of a 95 % interval then move by less than .002 between seeds on 50 users."""
SEED = 20250103


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure as the ratio of two sums, kept item by item."""

    above: tuple[float, ...]
    below: tuple[float, ...]

    @property
    def value(self) -> float:
        """The figure; 0 where nothing was counted."""
        total = sum(self.below)
        return sum(self.above) / total if total else 0.0

    def interval(self, clusters: Sequence[Hashable], *, rounds: int = ROUNDS, seed: int = SEED) -> Interval:
        """The 95 % interval, by the percentile bootstrap over clusters (users), which are drawn whole.

        Args:
            clusters: the cluster of each item.
            rounds: samples.
            seed: makes it repeatable.
        """
        number = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
        if not number:
            return 0.0, 0.0
        at = np.array([number[cluster] for cluster in clusters])
        above = np.bincount(at, weights=np.array(self.above, float), minlength=len(number))
        below = np.bincount(at, weights=np.array(self.below, float), minlength=len(number))
        drawn = np.random.default_rng(seed).integers(len(number), size=(rounds, len(number)))
        sums = below[drawn].sum(axis=1)
        values = above[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
        if not len(values):
            return 0.0, 0.0
        low, high = np.percentile(values, (2.5, 97.5))
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Scores:
    """Micro-averaged precision, recall and F1 of sets of labels."""

    precision: Ratio
    recall: Ratio
    f1: Ratio
    exact: Ratio
    """Subset accuracy: the predicted set is the true set."""

    @property
    def counts(self) -> tuple[int, int, int]:
        """True positives, false positives, false negatives."""
        hits = sum(self.precision.above)
        return int(hits), int(sum(self.precision.below) - hits), int(sum(self.recall.below) - hits)


def micro(pairs: Sequence[tuple[frozenset[str], frozenset[str]]]) -> Scores:
    """Scores over items, each with its true and its predicted labels."""
    hits = tuple(float(len(true & predicted)) for true, predicted in pairs)
    said = tuple(float(len(predicted)) for _, predicted in pairs)
    wanted = tuple(float(len(true)) for true, _ in pairs)
    return Scores(
        precision=Ratio(hits, said),
        recall=Ratio(hits, wanted),
        f1=Ratio(tuple(2 * hit for hit in hits), tuple(s + w for s, w in zip(said, wanted, strict=True))),
        exact=share(true == predicted for true, predicted in pairs),
    )


def share(right: Iterable[bool]) -> Ratio:
    """How many of some items are right."""
    above = tuple(float(one) for one in right)
    return Ratio(above, (1.0,) * len(above))


def wilson(share: float, count: int) -> Interval:
    """95 % interval of a share of `count` draws (Wilson's score interval); (0, 1) of none."""
    if not count:
        return 0.0, 1.0
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def percentile(values: Sequence[float], at: float) -> float:
    """The percentile (0..100) of some values by linear interpolation; 0 without any."""
    return float(np.percentile(values, at)) if values else 0.0


TAILS = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
"""Percentiles to tell where the worst matters."""


def spread(values: Sequence[float], digits: int = 2, **at: float) -> dict[str, float]:
    """Percentiles (0..100) by the names that they are told under, rounded; the median and the 95th where none is asked for."""
    return {
        name: round(percentile(values, share), digits) for name, share in (at or {"p50": 50.0, "p95": 95.0}).items()
    }


def hit(gold: float, others: Sequence[float], places: int) -> float:
    """Chance that the gold entry is among the first places when equal scores are put in random order.

    Args:
        gold: its score.
        others: the scores of all other entries.
        places: how many count; may be more than there are entries.
    """
    better = sum(score > gold for score in others)
    tied = sum(score == gold for score in others)
    return min(1.0, max(0.0, (places - better) / (tied + 1)))


def chance(entries: int, places: int) -> float:
    """The same for a random order of all entries."""
    return min(1.0, places / entries) if entries else 0.0


@dataclass(frozen=True, slots=True)
class Paired:
    """Two systems on the same items, right or wrong."""

    both: int
    ours_only: int
    theirs_only: int
    neither: int

    @property
    def p(self) -> float:
        """Exact two-sided McNemar test: how likely a difference at least as large is if both are equally good."""
        differ = self.ours_only + self.theirs_only
        least = min(self.ours_only, self.theirs_only)
        tail = sum(math.comb(differ, k) for k in range(least + 1)) / 2**differ
        return min(1.0, 2 * tail)


def paired(ours: Sequence[bool], theirs: Sequence[bool]) -> Paired:
    """Counts of agreement of two systems, item by item."""
    pairs = list(zip(ours, theirs, strict=True))
    return Paired(
        pairs.count((True, True)), pairs.count((True, False)), pairs.count((False, True)), pairs.count((False, False))
    )


def calibration(stated: Sequence[tuple[float, bool]], bins: int = 10) -> tuple[tuple[float, float, int], ...]:
    """Mean stated confidence, share right and count of each of so many equal bins of 0..1 that holds anything."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in stated:
        held.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, right))
    return tuple(
        (sum(c for c, _ in group) / len(group), sum(r for _, r in group) / len(group), len(group))
        for _, group in sorted(held.items())
    )
