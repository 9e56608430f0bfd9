"""Fits how opinions on a finding are weighed: the constants of `memory.learn.evidence.weighed`.

``python -m deploy.lab.carmem.weighing --carmem dev.jsonl --negatives kvret.json --negatives dailydialog.txt``: a finding is right
where it is of the gold category of its conversation; conversations of the others reveal nothing. A logistic regression, judged
five-fold by conversation: F1 at the detail level of what would be stored at so many false ones in 100 dialogues. The constant
that is printed makes what brings one false store in 100 dialogues go from `ExtractionSettings.store_at` on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deploy.lab.carmem import data, negatives
from deploy.lab.carmem.extraction import EVERYTHING, NOW, conversation
from deploy.lab.carmem.parts import Parts
from deploy.lab.polarity.measure import parts
from memory.learn import evidence, extraction
from memory.learn.evidence import Opinions
from schemas.memory import Conversation

FOLDS, RIDGE, STEPS = 5, 1.0, 60
FALSE = (0.5, 1.0, 1.3, 2.0)
"""False stores in 100 dialogues at which F1 is told."""


class Weighed(NamedTuple):
    """A finding as it was weighed."""

    opinions: Opinions
    right: bool
    dialogue: int
    """Its conversation's number; negative where it reveals nothing."""


class _Recorder:
    """Stands in for `evidence.weighed` and keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[Opinions] = []

    def __call__(self, told: Opinions) -> float:
        self.seen.append(told)
        return evidence.weighed(told)


def gathered(own: Parts, told: Sequence[tuple[Conversation, str | None]]) -> list[Weighed]:
    """What is weighed in conversations, each with the detail key of what it reveals, or none."""
    extractor = extraction.Extractor(own.encoder, own.settings.extraction)
    found: list[Weighed] = []
    recorder, before = _Recorder(), extraction.weighed
    extraction.weighed = recorder  # type: ignore[assignment]
    try:
        for number, (one, gold) in enumerate(told):
            recorder.seen.clear()
            extractor.extract(one, EVERYTHING, NOW)
            best: dict[str, Weighed] = {}
            for each in recorder.seen:
                held = best.get(each.detail)
                if held is None or evidence.weighed(each) > evidence.weighed(held.opinions):
                    best[each.detail] = Weighed(each, each.detail == gold, number if gold is not None else -1 - number)
            found += best.values()
    finally:
        extraction.weighed = before
    return found


def fit(features: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of a logistic regression, the constant first, by Newton's steps with a small ridge."""
    x = np.c_[np.ones(len(features)), features]
    weights = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], RIDGE)
    ridge[0] = 0.0
    for _ in range(STEPS):
        share = 1.0 / (1.0 + np.exp(-x @ weights))
        slope = x.T @ (share - right) + ridge * weights
        weights -= np.linalg.solve((x * (share * (1.0 - share))[:, None]).T @ x + np.diag(ridge + 1e-9), slope)
    return weights


def judged(
    odds: NDArray[np.float64], rows: Sequence[Weighed], golden: int, silent: int
) -> dict[float, tuple[float, float]]:
    """False stores in 100 dialogues -> (F1 at the detail level, the odds from which on they come)."""
    nothing = np.array([row.dialogue < 0 for row in rows])
    right = np.array([row.right for row in rows])
    false = np.sort(odds[nothing])[::-1]
    found: dict[float, tuple[float, float]] = {}
    for most in FALSE:
        count = int(most * silent / 100.0)
        at = float(false[count]) if count < len(false) else float(false[-1])
        stored = (odds > at) & ~nothing
        hits = int((stored & right).sum())
        found[most] = (2.0 * hits / max(1, int(stored.sum()) + golden), at)
    return found


def main() -> None:
    """Gather, fit, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--carmem", type=Path, required=True)
    options.add_argument("--negatives", type=Path, action="append", required=True)
    options.add_argument("--limit", type=int, help="the first N conversations of each")
    given = options.parse_args()
    own = parts()
    items = data.read(given.carmem, given.limit)
    told: list[tuple[Conversation, str | None]] = [(conversation(item), item.gold.detail) for item in items]
    quiet = [one for path in given.negatives for one in negatives.read(path, given.limit).conversations]
    rows = gathered(own, [*told, *((one, None) for one in quiet)])
    print(f"{len(rows)} findings of {len(items)} conversations with a preference and {len(quiet)} without")
    report(rows, len(items), len(quiet), own.settings.extraction.store_at)


def report(rows: Sequence[Weighed], golden: int, silent: int, store_at: float) -> None:
    """Print the figures before and after, and the weights."""
    features = np.array([row.opinions.features() for row in rows])
    right = np.array([float(row.right) for row in rows])
    fold = np.array([abs(row.dialogue) % FOLDS for row in rows])
    odds = np.zeros(len(rows))
    for number in range(FOLDS):
        weights = fit(features[fold != number], right[fold != number])
        odds[fold == number] = weights[0] + features[fold == number] @ weights[1:]
    now = np.array([row.opinions.odds() for row in rows])
    for name, some in (("as it is", now), ("fitted, five-fold", odds)):
        told = judged(some, rows, golden, silent)
        print(name, " | ".join(f"{most:g}: {f1:.3f}" for most, (f1, _) in told.items()))
    weights = fit(features, right)
    at = judged(weights[0] + features @ weights[1:], rows, golden, silent)[1.0][1]
    constant = weights[0] - at + float(np.log(store_at / (1.0 - store_at)))
    print(f"CONSTANT = {constant:.3f}\nWEIGHTS = ({', '.join(f'{one:.3f}' for one in weights[1:])})")


if __name__ == "__main__":
    main()
