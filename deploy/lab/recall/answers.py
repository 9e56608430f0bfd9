"""Fits the weights of `memory.recall.answering` on our own questions and memories, and says how well they do on others of them.

    python -m deploy.lab.recall.answers

Every question is put to stores of several sizes that are drawn from the blocks of `models.training.answers.pairs`, once with the
memory that answers it and once without; what comes up in them are the hard cases: the store's best memory answers, or is merely
near. The fit is a logistic regression (Newton's method), so it comes out the same every time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from deploy.lab.carmem.parts import KeptEncoder
from memory.recall.answering import FEATURES, features
from memory.recall.cache import Entry, SearchCache
from memory.recall.lexical import asked, numbers, stems
from memory.recall.search import SearchTuning, own_nearness, word_shares
from models.catalog import Catalog
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.answers.pairs import Block, blocks
from schemas.memory import Kind
from schemas.ports import Encoder

SIZES = (5, 20, 80, 345)
"""Memories of a store."""
CANDIDATES = 8
"""Of a store's memories that a question is fitted with: the nearest ones."""
FOLDS = 5
RIDGE = 1.0
"""Of the weights, of features at unit variance."""
ANSWER_WEIGHT, NEAR_WEIGHT = 3.0, 1.0
"""What an answer counts in the fit, and a near miss that was written as one; any other memory counts 1."""
SILENCE = (0.90, 0.95)
"""Shares of questions without an answer that get none, at which is told how many others get theirs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A candidate for a question."""

    block: int
    question: tuple[int, bool, str, int]
    """Block, whether it is answered there, words, size of the store."""
    answers: bool
    own: bool
    """The memory of the question's own block."""
    known: NDArray[np.float32]


def rows(every: Sequence[Block], encoder: Encoder, settings: SearchTuning, seed: int = 0) -> Iterator[Row]:
    """The candidates of every question in a store of every size."""
    rng = Random(seed)
    vectors = encoder.encode([block.memory for block in every])
    for size in SIZES:
        order = list(range(len(every)))
        rng.shuffle(order)
        for begin in range(0, len(order), size):
            own = order[begin : begin + size]
            filled = own + rng.sample(
                [one for one in order if one not in set(own)], max(0, min(size, len(every)) - len(own))
            )
            cache = SearchCache(encoder.dimension)
            cache.put([
                Entry(str(one), Kind.EPISODE, 0.0, 0.0, np.inf, 1.0, vectors[one], numbers(stems(every[one].memory)))
                for one in filled
            ])  # fmt: skip
            for one in own:
                for answered, questions in ((True, every[one].answered), (False, every[one].near)):
                    for question in questions:
                        yield from _candidates(cache, encoder, settings, (one, answered, question, size))


def _candidates(
    cache: SearchCache, encoder: Encoder, settings: SearchTuning, question: tuple[int, bool, str, int]
) -> Iterator[Row]:
    one, answered, words, _ = question
    every = np.arange(cache.rows)
    cosines = np.maximum(cache.cosines(encoder.encode([words])[0], every), 0.0)
    shares = word_shares(cache, words)
    nearness = own_nearness(cosines, shares, settings)
    known = features(cosines, shares, nearness, len(asked(words)))
    best = np.argsort(-nearness, kind="stable")[:CANDIDATES]
    for row in {*best.tolist(), cache.row(str(one))}:
        own = cache.id(row) == str(one)
        yield Row(one, question, answered and own, own, known[row])


def fitted(of: Sequence[Row]) -> tuple[NDArray[np.float64], float]:
    """Weights of `FEATURES` and the bias."""
    plain = np.array([row.known for row in of], np.float64)
    middle, spread = plain.mean(0), plain.std(0) + 1e-9
    x = np.concatenate([(plain - middle) / spread, np.ones((len(plain), 1))], axis=1)
    y = np.array([row.answers for row in of], np.float64)
    counts = np.array([ANSWER_WEIGHT if row.answers else NEAR_WEIGHT if row.own else 1.0 for row in of])
    ridge = RIDGE * np.diag([1.0] * plain.shape[1] + [0.0])
    w = np.zeros(x.shape[1])
    for _ in range(20):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        curve = x.T @ (x * (counts * p * (1.0 - p))[:, None]) + ridge
        w -= np.linalg.solve(curve, x.T @ (counts * (p - y)) + ridge @ w)
    return w[:-1] / spread, float(w[-1] - (w[:-1] * middle / spread).sum())


def measured(of: Sequence[Row], odds: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    """By size of the store: how many questions get their answer among the first three, at a given silence where there is none."""
    found: dict[str, dict[str, float]] = {}
    for size in SIZES:
        by: dict[tuple[int, bool, str, int], list[tuple[float, bool]]] = {}
        for row, odd in zip(of, odds.tolist(), strict=True):
            if row.question[3] == size:
                by.setdefault(row.question, []).append((odd, row.own))
        told = [sorted(rows_, reverse=True) for key, rows_ in by.items() if key[1]]
        without = [max((odd for odd, own in rows_ if not own), default=-np.inf) for rows_ in told]
        near = [max(odd for odd, _ in rows_) for key, rows_ in by.items() if not key[1]]
        right = [(rows_[0][0], any(own for _, own in rows_[:3])) for rows_ in told]
        found[str(size)] = {"among three": float(np.mean([own for _, own in right]))}
        for silence in SILENCE:
            at = float(np.quantile(without, silence))
            found[str(size)] |= {
                f"answered at {silence}": float(np.mean([own and odd > at for odd, own in right])),
                f"near misses left at {silence}": float(np.mean([odd <= at for odd in near])),
            }
    return found


def main() -> None:
    """Fit on four fifths of the blocks and measure on the rest, five times; then fit on all, and print the weights."""
    every = blocks()
    encoder = KeptEncoder(OnnxEncoder(Catalog().find("encoder"), threads=1))
    of = list(rows(every, encoder, SearchTuning()))
    odds = np.zeros(len(of))
    for fold in range(FOLDS):
        weights, bias = fitted([row for row in of if row.block % FOLDS != fold])
        for at, row in enumerate(of):
            if row.block % FOLDS == fold:
                odds[at] = row.known @ weights + bias
    cosine = np.array([row.known[0] for row in of], np.float64)
    weights, bias = fitted(of)
    json.dump(
        {
            "blocks": len(every), "candidates": len(of), "held out": measured(of, odds), "cosine alone": measured(of, cosine),
            "weights": dict(zip(FEATURES, [round(float(one), 3) for one in weights], strict=True)), "bias": round(bias, 3),
        },
        sys.stdout, indent=1,
    )  # fmt: skip
    print()


if __name__ == "__main__":
    main()
