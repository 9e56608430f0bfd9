"""Two more tasks of the addition: a sentence => the special kind of data that it tells of, and the preference that it reveals.

The sentences of the first are those of ``models.training.special``, from which the head of ``memory.learn.guard`` learns, too;
those of the second are the encoder's (``models.training.encoder.examples``).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from models.acts.opinion import NOTHING, ORDINARY, kind_prompt, preference_prompt
from models.training.acts.lines import HELD_OUT
from models.training.encoder import examples
from models.training.special import train as special

SHARE = 0.12
"""Of each of the two in a round. Our choice: they have a few tokens to learn, where acts have a dozen."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, as the model reads it, and the answer."""

    prompt: str
    answer: str
    group: str

    @property
    def held_out(self) -> bool:
        """Whether it is only measured on; by the CRC-32 of its prompt."""
        return zlib.crc32(self.prompt.encode()) % HELD_OUT == 0


def sentences() -> list[Sentence]:
    """All of them: those that tell, those that look alike, and ordinary phrases of this project."""
    own = special.sentences()
    told = [*own, *special.wrapped(own), *((ORDINARY, text) for text in special.ordinary())]
    return [Sentence(kind_prompt(text), kind, "kinds") for kind, text in dict.fromkeys(told)]


def tellings_of(seed: int, count: int, *, held_out: bool = False) -> list[Sentence]:
    """So many turns that reveal a preference or none; of two preferences, or where it is left open, none."""
    made = examples.examples(Random(seed), 2 * count, held_out=held_out)
    found = [(one, f"{one.strength} {max(one.details)}" if one.strength != "none" else NOTHING) for one in made
             if one.strength == "none" or (one.strength is not None and len(one.details) == 1)]  # fmt: skip
    return [Sentence(preference_prompt(one.text), answer, "tellings") for one, answer in found][:count]


def some(rng: Random, all_: Sequence[Sentence], count: int) -> list[Sentence]:
    """So many of those that are trained on, each about as often as any other."""
    own, drawn = [one for one in all_ if not one.held_out], list[Sentence]()
    while own and len(drawn) < count:
        drawn += rng.sample(own, min(len(own), count - len(drawn)))
    return drawn
