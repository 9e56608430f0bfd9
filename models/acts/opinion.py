"""What a sentence tells, by the same language model and adapter as the parser: the opinion beside the encoder's.

Two questions, each with a word of its own and a bracket at the beginning of the prompt, which no utterance in its spoken form has:
``kind [`` is answered by a kind of ``schemas.preferences.KINDS`` or `ORDINARY`; ``tells [`` by `NOTHING`, or by how a preference is
told and the key of its category: ``stated favorite_genres``. Owns the prompts; does not own what follows from the answers:
``memory.learn`` does.
"""

from __future__ import annotations

from typing import Final

from models.acts.parser import Scorer
from models.text import spoken
from schemas.errors import GenerationError
from schemas.preferences import CATEGORIES, KINDS

ORDINARY: Final = "ordinary"
NOTHING: Final = "nothing"
TOLD: Final = ("stated", "hinted", "ended")
"""How a preference is told: outright, by what is asked for, or as over."""
LONGEST = 60
"""Words of a sentence that are read, from its end: the model's context is short."""
WITHIN_S = 2.0
"""Seconds after which an answer is given up."""
MOST_TOKENS = 16


def _one_of(words: tuple[str, ...]) -> str:
    return " | ".join(f'"{word}"' for word in words)


_ORDINARY, _NOTHING = f'root ::= "{ORDINARY}"', f'root ::= "{NOTHING}"'
_KINDS = f"root ::= {_one_of(tuple(KINDS))}"
_TOLD = f'root ::= ({_one_of(TOLD)}) " " ({_one_of(tuple(category.detail for category in CATEGORIES))})'


def kind_prompt(text: str) -> str:
    """What the model reads to tell a special kind of data."""
    return f"kind [{_read(text)}]\n"


def preference_prompt(text: str) -> str:
    """What the model reads to tell a preference."""
    return f"tells [{_read(text)}]\n"


def _read(text: str) -> str:
    return " ".join(spoken(text).split()[-LONGEST:])


class SecondOpinion:
    """A `schemas.ports.SecondOpinion`."""

    def __init__(self, model: Scorer) -> None:
        """Of a loaded model, which may be called from any thread."""
        self._model = model

    def ordinary(self, text: str) -> float | None:
        """See `schemas.ports.SecondOpinion.ordinary`."""
        return self._scored(kind_prompt(text), _ORDINARY)[1]

    def kind(self, text: str) -> str | None:
        """See `schemas.ports.SecondOpinion.kind`."""
        return self._scored(kind_prompt(text), _KINDS)[0] or None

    def nothing(self, text: str) -> float | None:
        """See `schemas.ports.SecondOpinion.nothing`."""
        return self._scored(preference_prompt(text), _NOTHING)[1]

    def preference(self, text: str) -> tuple[str, float] | None:
        """See `schemas.ports.SecondOpinion.preference`."""
        answer, sure = self._scored(preference_prompt(text), _TOLD)
        return None if sure is None else (answer.partition(" ")[2], sure)

    def _scored(self, prompt: str, grammar: str) -> tuple[str, float | None]:
        try:
            return self._model.scored(prompt, grammar=grammar, max_tokens=MOST_TOKENS, within_s=WITHIN_S)
        except GenerationError:
            return "", None
