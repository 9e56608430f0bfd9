"""An utterance as acts, by a language model with an adapter that was trained for it (``models.training.acts``).

The prompt is the utterance in its spoken form, with a line of context in brackets before it; the answer is written under
``models.acts.grammar``. The schema sits in the adapter, so there is nothing else to read. Owns the prompt; does not own what of the
acts holds, which ``voice.dialogue`` judges.
"""

from __future__ import annotations

import re
from typing import Protocol

from models.acts.grammar import grammar, meant
from models.acts.spelling import read
from models.text import spoken
from schemas.actions.acts import Parsed
from schemas.errors import GenerationError

MOST_TOKENS = 96
"""Limit of an answer: five acts take about seventy tokens."""
CONTEXT = 512
"""Tokens of the model's context: an utterance and a line of context take at most two hundred."""
WITHIN_S = 4.0
"""Seconds after which an answer is given up: the dialogue's turn waits for six (``turn.thinking_s``)."""
LONGEST = 60
"""Words of an utterance that can be parsed; the longest of the training data have forty."""
LONGEST_WORD = 45
"""Letters of a word: the longest of English dictionaries has as many. A model spells what it does not know."""


class Scorer(Protocol):
    """Completes a prompt under a grammar and says how probable the completion is."""

    def scored(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float) -> tuple[str, float]:
        """The completion and its probability, 0..1.

        Raises:
            schemas.errors.GenerationError: none within the limits.
        """
        ...


def prompt(text: str, context: str = "") -> str:
    """What the model reads for an utterance in its spoken form."""
    return f"[{context}] {text}\n" if context else f"{text}\n"


class ActParser:
    """A `schemas.ports.ActParser`."""

    def __init__(self, model: Scorer) -> None:
        """A parser over a loaded model, which may be called from any thread."""
        self._model = model

    def skim(self, text: str, context: str = "") -> Parsed:
        """See `schemas.ports.ActParser.skim`: there is no quicker way."""
        return self.parse(text, context)

    def parse(self, text: str, context: str = "") -> Parsed:
        """See `schemas.ports.ActParser.parse`."""
        said = spoken(text)
        require_readable(said)
        words = (*said.split(), *spoken(re.sub(r"[a-z_]+[(=]|[()\[\],;:]", " ", context)).split())
        allowed = grammar(words, meant(" ".join(words)) | digits(context))
        answer, sure = self._model.scored(
            prompt(said, context), grammar=allowed, max_tokens=MOST_TOKENS, within_s=WITHIN_S
        )
        acts = read(answer)
        return Parsed(tuple(dict.fromkeys(acts)), sure)


def require_readable(said: str) -> None:
    """An utterance that a model can read in the time that a driver waits.

    Raises:
        GenerationError: it is longer, or a word of it is.
    """
    words = said.split()
    if len(words) > LONGEST:
        raise GenerationError(f"an utterance of more than {LONGEST} words is not parsed")
    if max(map(len, words), default=0) > LONGEST_WORD:
        raise GenerationError(f"an utterance with a word of more than {LONGEST_WORD} letters is not parsed")


def digits(context: str) -> frozenset[int]:
    """The numbers of a context's slots, and those a step away: "one more"."""
    found = {int(digits) for digits in re.findall(r"=(\d{1,3})\b", context)}
    return frozenset(found | {amount + step for amount in found for step in (-1, 1) if amount + step >= 0})
