"""What Whisper is told to expect: a few sentences of the domain, and names.

Owns: choosing them. Whisper takes a text of up to 224 tokens as what was said before and leans to its words and its spelling: of
every third order to a coffee machine it heard exactly .88 with one such text (docs/log.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.commands.templates import Templates
from schemas.events import CommandKind

RELATIVE = frozenset({"my", "the", "mum", "mom", "dad"})
"""First words of values that are people or things without a name: Whisper knows these words."""
DRAWN = 600
"""Sentences that are drawn to choose from."""
MOST_WORDS = 80
"""Words of the whole text: about 100 tokens, which cost 0.1 s of processor time in every decoding."""
NAMES, MOST_NAMES = ("contact", "playlist"), 24
"""Lists that hold what only this driver has; ``models.commands.templates.load_templates`` puts it in."""
SHORTEST, LONGEST = 4, 14
"""Words of a sentence that may stand in it."""


def expected(templates: Templates) -> str:
    """A text of the templates' own words: sentences that together have many different ones, and names.

    The same templates always give the same text.

    Args:
        templates: the domain's sentences; the first values of its lists ``NAMES`` are told as names.
    """
    rng = np.random.default_rng(7)
    drawn = [text for text, command in templates.sample(rng, DRAWN) if command.kind is CommandKind.ACTION]
    sentences = [words for text in dict.fromkeys(drawn) if SHORTEST <= len(words := text.split()) <= LONGEST]
    values = [str(value.out) for one in NAMES for value in templates.lists.get(one, ())]
    names = [name for name in values if name.split()[0] not in RELATIVE][:MOST_NAMES]
    left = MOST_WORDS - sum(len(name.split()) for name in names)
    known: set[str] = set()
    chosen: list[str] = []
    while sentences and left > 0:
        best = max(sentences, key=lambda words: _news(words, known))
        if not _news(best, known):
            break
        sentences.remove(best)
        chosen.append(" ".join(best).capitalize() + ".")
        known |= set(best)
        left -= len(best)
    listed = [", ".join(name.title() for name in names) + "."] if names else []
    return " ".join([*chosen, *listed])


def _news(words: Sequence[str], known: set[str]) -> float:
    """How much a sentence adds to the words that stand there already; longer words weigh more, longer sentences less."""
    return sum(len(word) - 2.0 for word in set(words) - known if len(word) > 3) / len(words) ** 0.5
