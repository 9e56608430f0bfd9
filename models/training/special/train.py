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
import torch
from numpy.typing import NDArray

from models.runtime.onnx_encoder import OnnxEncoder
from models.special import special_words
from models.text import spoken
from models.training import phrases
from schemas.preferences import KINDS

FOLDER = Path(__file__).parent
ENCODER = Path(__file__).parents[2] / "builtin" / "encoder"
HEAD = Path(__file__).parents[3] / "memory" / "learn" / "special.npz"
ORDINARY = "ordinary"
LIKINGS = FOLDER.parent / "marks" / "data" / "senses.txt"
"""What people like and dislike, in whole sentences, with marks that are taken out."""
_MARKS = re.compile(r"\{[a-z]+:([^{}]*)\}")
FALSE_ALARMS = 0.02
"""Share of ordinary phrases, none of them learnt from, that reach the threshold. Our choice."""
MOST = 4000
"""Ordinary phrases: more take longer and change nothing."""
WIDTH, DROPPED, RATE, DECAY, STEPS, BATCH, SEED = 64, 0.3, 2e-3, 0.05, 600, 256, 7
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


def fit(inputs: NDArray[np.float32], classes: NDArray[np.int64]) -> torch.nn.Sequential:
    """The network. Shapes: (n, d), (n,)."""
    torch.manual_seed(SEED)
    made = torch.nn.Sequential(
        torch.nn.Dropout(DROPPED / 2),
        torch.nn.Linear(inputs.shape[1], WIDTH),
        torch.nn.ReLU(),
        torch.nn.Dropout(DROPPED),
        torch.nn.Linear(WIDTH, len(KINDS) + 1),
    )
    optimizer = torch.optim.AdamW(made.parameters(), lr=RATE, weight_decay=DECAY)
    told, wanted = torch.tensor(inputs), torch.tensor(classes)
    weights = torch.where(wanted < len(KINDS), 1.0, PLAIN)
    for _ in range(STEPS):
        some = torch.randint(len(told), (BATCH,))
        optimizer.zero_grad()
        losses = torch.nn.functional.cross_entropy(made(told[some]), wanted[some], reduction="none")
        (losses * weights[some]).mean().backward()  # pyright: ignore[reportUnknownMemberType] - torch
        optimizer.step()
    return made.eval()


def odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log odds that something special is told. (n, kinds + 1) -> (n,)."""
    return np.logaddexp.reduce(scores[:, :-1], axis=1) - scores[:, -1]


def main() -> None:
    """Train, and write the head."""
    encoder = OnnxEncoder(ENCODER, threads=2)
    own, plain = sentences(), ordinary()
    held, learnt = plain[: len(plain) // 4], plain[len(plain) // 4 :]
    names = (*KINDS, ORDINARY)
    classes = np.array([names.index(kind) for kind, _ in own] + [len(KINDS)] * len(learnt))

    def states(texts: list[str]) -> NDArray[np.float32]:
        return np.concatenate([encoder.states(said, [(0, len(said))]) for said in map(spoken, texts)])

    inputs = states([text for _, text in own] + learnt)
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-3
    made = fit((inputs - mean) / spread, classes)
    first, second = made[1], made[4]
    assert isinstance(first, torch.nn.Linear) and isinstance(second, torch.nn.Linear)
    inner = first.weight.detach().numpy() / spread  # the scaling goes into the first layer
    arrays = {
        "inner": inner,
        "inner_bias": first.bias.detach().numpy() - inner @ mean,
        "outer": second.weight.detach().numpy(),
        "outer_bias": second.bias.detach().numpy(),
    }
    kept = {name: array.astype(np.float16) for name, array in arrays.items()}
    hidden = np.maximum(states(held) @ kept["inner"].T.astype(np.float32) + kept["inner_bias"], 0.0)
    at = float(np.quantile(odds(hidden @ kept["outer"].T.astype(np.float32) + kept["outer_bias"]), 1.0 - FALSE_ALARMS))
    np.savez_compressed(HEAD, **kept, at=np.float32(at))  # pyright: ignore[reportArgumentType] - arrays by their names
    print(f"{len(own)} and {len(learnt)} sentences, threshold {at:.2f}, {HEAD.stat().st_size} bytes")


if __name__ == "__main__":
    main()
