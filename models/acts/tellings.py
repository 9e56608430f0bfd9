"""What a turn tells of the driver's preferences, by the same language model and adapter as the parser.

``tells [`` at the beginning of the prompt tells it that this is wanted; the answer is `NOTHING`, or how the preference is told and
the key of its category: ``stated favourite_cuisine``. Owns the prompt; does not own what follows from the answer.
"""

from __future__ import annotations

from typing import Final

from models.text import spoken

NOTHING: Final = "nothing"
LONGEST = 60
"""Words of a turn that are read, from its end: the model's context is short."""


def prompt(text: str) -> str:
    """What the model reads for a turn."""
    return f"tells [{' '.join(spoken(text).split()[-LONGEST:])}]\n"
