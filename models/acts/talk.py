"""Short replies to small talk, by a language model with an adapter that was trained for it (``models.training.talk``).

Owns the prompt and the limits; does not own what of a reply may be said: `models.acts.sayings` and `models.acts.fitting` do. How
probable the model finds its reply says less of that than they do, and is not asked (docs/log.md, 2026-11-23).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from models.text import spoken
from schemas.errors import GenerationError

STYLES: Final = ("brief", "full")
"""How long a driver likes replies; without one of them as usual. Memory's profile writes them (``reply_length``)."""
PARTS: Final = (*STYLES, "knows ", "did ", "said ")
"""What each part of what the model is told begins with."""
MOST_TOKENS = 48
"""Of a reply; the longest of the training data has thirty words."""
CONTEXT = 512
"""Tokens of the model's context: words, what is told and the reply take at most two hundred."""
LONGEST = 40
"""Words of an utterance that is answered."""
GRAMMAR = """root ::= [A-Z] [A-Za-z0-9' ,.:?!-]+"""
"""Letters, digits and stops: a reply is read aloud."""


def told(style: str = "", knows: Sequence[str] = (), did: str = "", said: str = "") -> str:
    """What the model is told besides the driver's words.

    Args:
        style: one of `STYLES`, or empty.
        knows: what memory recalled, as half sentences: ``you like italian food``.
        did: the assistant's report of what it did last.
        said: what the driver said before.
    """
    parts = (
        style if style in STYLES else "",
        f"knows {', '.join(knows)}" if knows else "",
        f"did {did}" if did else "",
        f"said {said}" if said else "",
    )
    return "; ".join(filter(None, parts))


def prompt(text: str, told: str = "") -> str:
    """What the model reads for an utterance in its spoken form."""
    return f"talk [{told}] {text}\n"


class Completer(Protocol):
    """Completes a prompt under a grammar."""

    def completed(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float) -> str:
        """The completion.

        Args:
            prompt: text in the model's own format.
            grammar: GBNF, which accepts the completion as a whole.
            max_tokens: limit of the completion.
            within_s: seconds after which it is given up.

        Raises:
            schemas.errors.GenerationError: none within the limits.
        """
        ...


class Talker:
    """A `schemas.ports.Talker`."""

    def __init__(self, model: Completer) -> None:
        """A talker over a loaded model, which may be called from any thread."""
        self._model = model

    def reply(self, text: str, told: str = "", *, within_s: float) -> str:
        """See `schemas.ports.Talker.reply`."""
        said = spoken(text)
        if not said or len(said.split()) > LONGEST:
            raise GenerationError(f"an utterance of no word or more than {LONGEST} is not answered")
        written = self._model.completed(prompt(said, told), grammar=GRAMMAR, max_tokens=MOST_TOKENS, within_s=within_s)
        return written.strip()
