"""Trains the head of ``voice.dialogue.memory.erasing``, with `python -m models.training.forgetting.train`.

Learns from sentences.txt, from the lines of ``models.training.acts`` that ask to forget, and, for all else, from `OTHERS` of the
other lines there, those first that have a word of forgetting, keeping or telling. What it takes for a wish is only ever asked
about, and only where it names something that is remembered.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np

from models.runtime.onnx_encoder import OnnxEncoder
from models.training import heads
from models.training.acts import lines

FOLDER = Path(__file__).parent
HEAD = Path(__file__).parents[3] / "voice" / "dialogue" / "memory" / "forgetting.npz"
DRAWN = 8
"""Draws of each of our lines; those that differ count."""
OTHERS = 9000
NEAR = re.compile(r"forg|delet|remov|remember|keep|clear|wipe|memory|drop|learn|tell|told|said|know")
STEPS = 1000
AT = 0.0
"""The threshold: even odds. Our choice; `main` tells which share of other lines, none of them learnt from, reaches it."""


def sentences(rng: Random) -> dict[str, list[str]]:
    """``wish`` and ``none`` -> utterances drawn from sentences.txt."""
    kind, found = "", dict[str, list[str]]()
    for number, text in enumerate((FOLDER / "sentences.txt").read_text("utf-8").splitlines(), 1):
        if text.startswith("== "):
            kind = text.removeprefix("== ")
        elif text and not text.startswith("#"):
            line = lines.Line("forgetting", number, f"{text} => none()")
            drawn = {lines.draw(rng, line).utterance for _ in range(DRAWN)}
            found.setdefault(kind, []).extend(sorted(drawn))
    return found


def main() -> None:
    """Train, and write the head."""
    rng, encoder = Random(5), OnnxEncoder(heads.ENCODER, threads=1)
    own, wishes, others = sentences(rng), list[str](), list[str]()
    for line in lines.lines():
        case = lines.draw(rng, line)
        asks = any(act.name.startswith("forget") for act in case.acts)
        (wishes if asks else others).append(case.utterance)
    rng.shuffle(others)
    others = sorted(dict.fromkeys(others), key=lambda text: NEAR.search(text) is None)[:OTHERS]
    rng.shuffle(others)
    held, learnt = others[: len(others) // 4], others[len(others) // 4 :]
    asking, not_asking = [*own["wish"], *wishes], [*own["none"], *learnt]
    inputs = heads.states(encoder, [*asking, *not_asking])
    classes = np.array([0] * len(asking) + [1] * len(not_asking))
    counts = np.array(
        [2] * len(own["wish"]) + [1] * len(wishes) + [3] * len(own["none"]) + [1] * len(learnt), np.float32
    )
    arrays = heads.fit(inputs, classes, counts, steps=STEPS)
    taken = float(np.mean(heads.scored(arrays, heads.states(encoder, held)) >= AT))
    heads.write(HEAD, arrays, at=AT)
    print(
        f"{len(asking)} wishes and {len(not_asking)} others, {taken:.3f} of the held ones taken, {HEAD.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
