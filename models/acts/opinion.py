"""Whether a sentence tells of a special kind of data, by the same language model and adapter as the parser.

``kind [`` at the beginning of the prompt tells it that this is wanted, since no utterance in its spoken form has a bracket; the
answer is a kind of ``schemas.preferences.KINDS`` or `ORDINARY`. Owns the prompt; does not own what follows from the answer:
``memory.learn.guard`` does.
"""

from __future__ import annotations

from typing import Final

from models.acts.parser import Scorer
from models.text import spoken
from schemas.errors import GenerationError
from schemas.preferences import KINDS

ORDINARY: Final = "ordinary"
LONGEST = 60
"""Words of a sentence that are read, from its end: the model's context is short."""
WITHIN_S = 2.0
"""Seconds after which an answer is given up."""
MOST_TOKENS = 4


_ORDINARY = f'root ::= "{ORDINARY}"'
_KINDS = "root ::= " + " | ".join(f'"{kind}"' for kind in KINDS)


def kind_prompt(text: str) -> str:
    """What the model reads for a sentence."""
    return f"kind [{' '.join(spoken(text).split()[-LONGEST:])}]\n"


class SecondOpinion:
    """A `schemas.ports.SecondOpinion`."""

    def __init__(self, model: Scorer) -> None:
        """Of a loaded model, which may be called from any thread."""
        self._model = model

    def ordinary(self, text: str) -> float | None:
        """See `schemas.ports.SecondOpinion.ordinary`."""
        return self._scored(text, _ORDINARY)[1]

    def kind(self, text: str) -> str | None:
        """See `schemas.ports.SecondOpinion.kind`."""
        return self._scored(text, _KINDS)[0] or None

    def _scored(self, text: str, grammar: str) -> tuple[str, float | None]:
        try:
            return self._model.scored(kind_prompt(text), grammar=grammar, max_tokens=MOST_TOKENS, within_s=WITHIN_S)
        except GenerationError:
            return "", None
