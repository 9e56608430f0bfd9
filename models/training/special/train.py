"""Trains the head of ``memory.learn.guard``, with `python -m models.training.special.train`.

Small networks over ``models.special.features``, with a class for each special kind and one for what is ordinary. They learn from
sentences.txt, pairs.txt, more.txt, asides.txt and, for the last class, from the ordinary phrases of this project that hold none of
the words.
The word list does the rest: the head is for what is told without such a word, or with one that is also said of other things.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from models.runtime.onnx_encoder import OnnxEncoder
from models.special import features, special_words, without_names
from models.training import heads, phrases
from schemas.preferences import KINDS

FOLDER = Path(__file__).parent
HEAD = Path(__file__).parents[3] / "memory" / "learn" / "special.npz"
ORDINARY = "ordinary"
LIKINGS = FOLDER.parent / "marks" / "data" / "senses.txt"
"""What people like and dislike, in whole sentences, with marks that are taken out."""
_MARKS = re.compile(r"\{[a-z]+:([^{}]*)\}")
AT, AT_WORD = -0.3, -2.0
"""Thresholds for a text without and with a word that tells only with more than itself, chosen on tests/attacks/sensitive*.txt."""
WIDTH, NETWORKS = 24, 3
WRAPPED = "remember that {}", "please note that {}", "keep in mind that {}", "don't forget that {}", "{}, remember that"
"""How people ask to have something kept: a part of all our sentences stands in these, so that they tell neither way."""
SHARE = 0.25
"""Of the sentences that are wrapped. Our choice."""
MOST = 4000
"""Ordinary phrases: more take longer and change nothing."""
PLAIN = 0.5
"""Weight of an ordinary sentence beside one that tells."""


def sentences() -> list[tuple[str, str]]:
    """Kind and text of our sentences."""
    kind, found = "", list[tuple[str, str]]()
    for name in ("sentences.txt", "pairs.txt", "more.txt", "asides.txt"):
        for line in (FOLDER / name).read_text("utf-8").splitlines():
            if line.startswith("== "):
                kind = line.removeprefix("== ")
            elif without_names(line) and not line.startswith("#"):
                found.append((kind, line))
    return found


def wrapped(own: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Some of the sentences once more, as they are asked to be kept."""
    rng = np.random.default_rng(7)
    return [(kind, WRAPPED[int(rng.integers(len(WRAPPED)))].format(text)) for kind, text in own if rng.random() < SHARE]


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
    lines = [line for line in dict.fromkeys(lines) if without_names(line) and not special_words(line).terms]
    shuffled = [lines[place] for place in np.random.default_rng(7).permutation(len(lines))[:MOST]]
    told = [
        _MARKS.sub(r"\1", line).strip() for line in LIKINGS.read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    return [*shuffled, *(line for line in told if line and not special_words(line).surely)]


def main() -> None:
    """Train, and write the head."""
    encoder = OnnxEncoder(heads.ENCODER, threads=1)
    own, plain = sentences(), ordinary()
    own += wrapped(own)
    held, learnt = plain[: len(plain) // 4], plain[len(plain) // 4 :]
    names = (*KINDS, ORDINARY)
    classes = np.array([names.index(kind) for kind, _ in own] + [len(KINDS)] * len(learnt))

    inputs = heads.states(encoder, [text for _, text in own] + learnt, features)
    weights = np.where(classes < len(KINDS), 1.0, PLAIN).astype(np.float32)
    arrays = heads.fit_several(inputs, classes, weights, networks=NETWORKS, width=WIDTH)
    taken = float(np.mean(heads.scored(arrays, heads.states(encoder, held, features)) >= AT))
    heads.write(HEAD, arrays, at=AT, at_word=AT_WORD)
    print(
        f"{len(own)} and {len(learnt)} sentences, {HEAD.stat().st_size} bytes; "
        f"of {len(held)} ordinary phrases none of which was learnt {taken:.3f} are taken"
    )


if __name__ == "__main__":
    main()
