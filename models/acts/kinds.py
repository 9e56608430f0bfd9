"""Whether a sentence tells of a special kind of data, by the same language model and adapter as the parser.

``kind [`` at the beginning of the prompt tells it that this is wanted; the answer is a kind of ``schemas.preferences.KINDS`` or
`ORDINARY`. Owns the prompt; does not own what follows from the answer: ``memory.learn.guard`` does.
"""

from __future__ import annotations

from typing import Final

from models.acts.parser import Scorer
from models.text import spoken
from schemas.errors import GenerationError
from schemas.preferences import KINDS

ORDINARY: Final = "ordinary"
LONGEST = 60
"""Words of a sentence that is read; of a longer one the last are: the model's context is short."""
WITHIN_S = 2.0
"""Seconds after which an answer is given up."""
_ORDINARY = f'root ::= "{ORDINARY}"'
_KINDS = "root ::= " + " | ".join(f'"{kind}"' for kind in KINDS)


def prompt(text: str) -> str:
    """What the model reads for a sentence."""
    return f"kind [{' '.join(spoken(text).split()[-LONGEST:])}]\n"


class KindTeller:
    """A `schemas.ports.KindTeller`."""

    def __init__(self, model: Scorer) -> None:
        """A teller over a loaded model, which may be called from any thread."""
        self._model = model

    def ordinary(self, text: str) -> float | None:
        """See `schemas.ports.KindTeller.ordinary`."""
        return self._scored(text, _ORDINARY)[1]

    def kind(self, text: str) -> str | None:
        """See `schemas.ports.KindTeller.kind`."""
        return self._scored(text, _KINDS)[0] or None

    def _scored(self, text: str, grammar: str) -> tuple[str, float | None]:
        try:
            return self._model.scored(prompt(text), grammar=grammar, max_tokens=4, within_s=WITHIN_S)
        except GenerationError:
            return "", None
