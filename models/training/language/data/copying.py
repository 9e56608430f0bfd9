"""Copying tasks: dense practice of copying and looking up, which the real tasks ask for in few of their tokens.

Owns: short sequences that are no task. Without them the network learnt which words are usual values instead of where the
words stand (measured: held-out values right in 2 of 10 statements after 1,400 batches).

- copy: the words of the turn whose number is given
- go on: from a word of a turn to its end
- look up: the value of the fact whose key is given
- find: the number of the fact that holds these words
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

from models.structured.prompt import KEYS, OUT

DETAILS = sorted(KEYS)


def copying_task(rng: Random, names: Sequence[str]) -> tuple[str, str]:
    """What is given, and what must follow."""
    kind = rng.choice(("copy", "go on", "look up", "find"))
    texts = ["".join(f" {rng.choice(names)}" for _ in range(rng.randint(1, most))) for most in _lengths(rng, kind)]
    at = rng.randrange(len(texts))
    if kind == "look up":
        keys = [json.dumps(key) + ":" for key in rng.sample(DETAILS, len(texts))]
        facts = "".join(f"<|fact|>{key}{text}" for key, text in zip(keys, texts, strict=True))
        return f"<|maintain|>{facts}{OUT}{keys[at]}", texts[at]
    if kind == "find":
        facts = "".join(f"<|fact|>{number}{text}" for number, text in enumerate(texts))
        return f"<|maintain|>{facts}<|new|>{texts[at]}{OUT}", str(at)
    said = "".join(f"<|turn|>{number}{text}" for number, text in enumerate(texts))
    if kind == "copy":
        return f"<|extract|>{said}{OUT}{at}", texts[at]
    words = texts[at].split()
    start = rng.randrange(len(words))
    given, rest = f" {words[start]}", "".join(f" {word}" for word in words[start + 1 :])
    return f"<|extract|>{said}{OUT}{given}", rest


def _lengths(rng: Random, kind: str) -> list[int]:
    """Most words of each text."""
    return [rng.randint(2, 12) if kind in ("copy", "go on") else 3 for _ in range(rng.randint(2, 5))]
