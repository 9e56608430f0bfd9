"""What the language model reads before it says something small: who speaks how, what is known, and the driver's words.

The same model and the same adapter as the parser's; ``talk [`` at the beginning tells it which of the two is wanted, since no
utterance in its spoken form has a bracket. Owns the prompt; does not own what of the reply may be said
(``voice.dialogue.replies.held``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

STYLES: Final = ("brief", "full")
"""How long a driver likes replies; without one of them as usual. Memory's profile writes them (``reply_length``)."""
PARTS: Final = (*STYLES, "knows ", "did ", "said ")
"""What each part of what the model is told begins with."""


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
