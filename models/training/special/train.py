"""Trains the head of ``memory.learn.guard``, with `python -m models.training.special.train`.

A small network over the mean of the encoder's states, with a class for each special kind and one for what is ordinary, some
50,000 numbers. It learns from sentences.txt and, for the last class, from the ordinary phrases of this project that hold none of
the guard's words. Its threshold is the score that `FALSE_ALARMS` of ordinary phrases held out reach. The word list does the rest:
the head is for what is told without such a word.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from models.runtime.onnx_encoder import OnnxEncoder
from models.special import special_words
from models.training import heads, phrases
from schemas.preferences import KINDS

FOLDER = Path(__file__).parent
HEAD = Path(__file__).parents[3] / "memory" / "learn" / "special.npz"
ORDINARY = "ordinary"
LIKINGS = FOLDER.parent / "marks" / "data" / "senses.txt"
"""What people like and dislike, in whole sentences, with marks that are taken out."""
_MARKS = re.compile(r"\{[a-z]+:([^{}]*)\}")
FALSE_ALARMS = 0.02
"""Share of ordinary phrases, none of them learnt from, that reach the threshold. Our choice."""
MOST = 4000
"""Ordinary phrases: more take longer and change nothing."""
PLAIN = 0.5
"""Weight of an ordinary sentence beside one that tells."""


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
    shuffled = [lines[place] for place in np.random.default_rng(7).permutation(len(lines))[:MOST]]
    told = [
        _MARKS.sub(r"\1", line).strip() for line in LIKINGS.read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    return [*shuffled, *(line for line in told if line and not special_words(line))]


def main() -> None:
    """Train, and write the head."""
    encoder = OnnxEncoder(heads.ENCODER, threads=1)
    own, plain = sentences(), ordinary()
    held, learnt = plain[: len(plain) // 4], plain[len(plain) // 4 :]
    names = (*KINDS, ORDINARY)
    classes = np.array([names.index(kind) for kind, _ in own] + [len(KINDS)] * len(learnt))

    inputs = heads.states(encoder, [text for _, text in own] + learnt)
    weights = np.where(classes < len(KINDS), 1.0, PLAIN).astype(np.float32)
    arrays = heads.fit(inputs, classes, weights)
    at = float(np.quantile(heads.scored(arrays, heads.states(encoder, held)), 1.0 - FALSE_ALARMS))
    heads.write(HEAD, arrays, at)
    print(f"{len(own)} and {len(learnt)} sentences, threshold {at:.2f}, {HEAD.stat().st_size} bytes")


if __name__ == "__main__":
    main()
