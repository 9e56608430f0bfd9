"""Trains the head of ``memory.learn.guard``, with `python -m models.training.special.train`.

A softmax over the encoder's vector with a class for each special kind and one for what is ordinary, some 3,000 numbers. It learns
from sentences.txt and, for the last class, from the ordinary phrases of this project that hold none of the guard's words. Its
threshold is the score that `FALSE_ALARMS` of ordinary phrases held out reach. The word list does the rest: the head is for what is
told without such a word.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.runtime.onnx_encoder import OnnxEncoder
from models.special import special_words
from models.training import phrases
from schemas.preferences import KINDS

FOLDER = Path(__file__).parent
ENCODER = Path(__file__).parents[2] / "builtin" / "encoder"
HEAD = Path(__file__).parents[3] / "memory" / "learn" / "special.npz"
ORDINARY = "ordinary"
FALSE_ALARMS = 0.002
"""Share of ordinary phrases, none of them learnt from, that reach the threshold. Our choice."""
MOST = 4000
"""Ordinary phrases: more take longer and change nothing."""
STEPS, RATE, DECAY = 3000, 4.0, 3e-4


def sentences() -> list[tuple[str, str]]:
    """Kind and text of our sentences."""
    kind, found = "", list[tuple[str, str]]()
    for line in (FOLDER / "sentences.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            found.append((kind, line))
    return found


def ordinary() -> list[str]:
    """Phrases of this project that tell nothing special, in a fixed random order."""
    lines = [line for one in phrases.negatives() for line in one.lines]
    lines += [
        sentence.text
        for topic in phrases.topics().values()
        if topic.detail not in ("dietary_preference", "need_for_handicapped_accessible_parking")
        for own in (topic.reveals, topic.hints, topic.once, topic.negations, topic.changes)
        for sentence in own.sentences
    ]
    lines = [line for line in dict.fromkeys(lines) if not special_words(line)]
    return [lines[place] for place in np.random.default_rng(7).permutation(len(lines))[:MOST]]


def fit(vectors: NDArray[np.float32], classes: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of weights with a bias at their end, by gradient descent. Shapes: (n, d), (n,), (n,) -> (k, d + 1)."""
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))]).astype(np.float64)
    wanted = np.eye(int(classes.max()) + 1)[classes]
    made = np.zeros((wanted.shape[1], inputs.shape[1]))
    for _ in range(STEPS):
        scores = inputs @ made.T
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        made -= RATE * (((shares - wanted) * weights[:, None]).T @ inputs / weights.sum() + DECAY * made)
    return made


def main() -> None:
    """Train, and write the head."""
    encoder = OnnxEncoder(ENCODER, threads=2)
    own, plain = sentences(), ordinary()
    held, learnt = plain[: len(plain) // 4], plain[len(plain) // 4 :]
    names = (*KINDS, ORDINARY)
    classes = np.array([names.index(kind) for kind, _ in own] + [len(KINDS)] * len(learnt))
    weights = np.array([1.0] * len(own) + [len(own) / len(learnt)] * len(learnt))
    vectors = encoder.encode([text for _, text in own] + learnt)
    made = np.round(fit(vectors, classes, weights).astype(np.float32), 3)
    scores = encoder.encode(held) @ made[:, :-1].T + made[:, -1]
    odds = scores[:, :-1].max(axis=1) - scores[:, -1]
    at = float(np.quantile(odds, 1.0 - FALSE_ALARMS))
    np.savez_compressed(HEAD, weights=made.astype(np.float16), at=np.float32(at))
    print(f"{len(own)} and {len(learnt)} sentences, threshold {at:.2f}, {HEAD.stat().st_size} bytes")


if __name__ == "__main__":
    main()
