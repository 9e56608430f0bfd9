"""What is said to the car, and beside it: commands, requests in free words, statements, and talk.

Owns: drawing sentences for the adaptation of Whisper. The words come from ``models.commands``
and ``models.training``; none of the free wordings that hearing is measured with (``deploy.lab.hearing.cases``) is in them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from models.commands.templates import Templates
from models.training import conversations

LONGEST = 24
"""Words; Whisper hears at most 30 s, and a driver says seldom more."""
SHARES = {"command": 0.40, "request": 0.24, "statement": 0.08, "negative": 0.18, "half": 0.06, "two": 0.04}
"""What the sentences are. Nearly a third of them ask nothing of the car, so that not everything is heard as a command."""


def draw(count: int, templates: Templates, seed: int, *, held_out: bool = False) -> list[str]:
    """Sentences in spoken form.

    Args:
        count: how many.
        templates: the closed commands.
        seed: the same sentences for the same seed.
        held_out: of requests, statements and talk those that are never trained on.
    """
    rng, numbers = Random(seed), np.random.default_rng(seed)
    commands = [text for text, _ in templates.sample(numbers, count)]

    def half() -> str:
        words = rng.choice(commands).split()
        return " ".join(words[: rng.randint(1, max(1, len(words) - 1))])

    kinds: dict[str, Callable[[], str]] = {
        "command": lambda: rng.choice(commands),
        "request": lambda: conversations.requests(rng, 1, held_out=held_out)[0].text,
        "statement": lambda: conversations.statements(rng, 1, held_out=held_out)[0].text,
        "negative": lambda: conversations.negatives(rng, 1, held_out=held_out)[0].text,
        "half": half,
        "two": lambda: f"{rng.choice(commands)} and {rng.choice(commands)}",
    }
    names, weights = list(SHARES), list(SHARES.values())
    drawn: list[str] = []
    while len(drawn) < count:
        text = kinds[rng.choices(names, weights)[0]]()
        if 0 < len(text.split()) <= LONGEST:
            drawn.append(text)
    return drawn
