"""The third task of the addition: a sentence => the special kind of data that it tells of, or ``ordinary``.

The sentences are those of ``models.training.special``, from which the head of ``memory.learn.guard`` learns, too.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from models.acts.opinion import ORDINARY, kind_prompt
from models.training.acts.lines import HELD_OUT
from models.training.special import train as special

SHARE = 0.2
"""Of the cases of acts, so many more. Our choice: each has one token to learn, where acts have a dozen."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, as the model reads it, and the answer."""

    prompt: str
    answer: str
    group: str = "kinds"

    @property
    def held_out(self) -> bool:
        """Whether it is only measured on; by the CRC-32 of its prompt."""
        return zlib.crc32(self.prompt.encode()) % HELD_OUT == 0


def sentences() -> list[Sentence]:
    """All of them: those that tell, those that look alike, and ordinary phrases of this project."""
    own = special.sentences()
    told = [*own, *special.wrapped(own), *((ORDINARY, text) for text in special.ordinary())]
    return [Sentence(kind_prompt(text), kind) for kind, text in dict.fromkeys(told)]


def some(rng: Random, all_: Sequence[Sentence], count: int) -> list[Sentence]:
    """So many of those that are trained on, each about as often as any other."""
    own, drawn = [one for one in all_ if not one.held_out], list[Sentence]()
    while own and len(drawn) < count:
        drawn += rng.sample(own, min(len(own), count - len(drawn)))
    return drawn
