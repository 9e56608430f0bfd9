"""What is never kept, whatever is switched on: PINs, passwords, codes and numbers of accounts."""

from __future__ import annotations

import re

from memory.learn.english.asking import plainly
from models.text import normal
from schemas.kinds import Label, Marked
from schemas.ports import Encoder

SECRET = re.compile(
    r"\b(?:my|our|his|her|the|your|bank|card|phone) pin\b(?! on\b)|\bpin (?:is|code|number)\b|\bpass ?(?:word|code|phrase)s?\b|"
    r"\b(?:security|door|gate|alarm|safe|sort|access) code\b|\b(?:card|account|passport|insurance|social security) number\b|"
    r"\bcvv\b|\bsecret (?:word|answer|code)\b"
)
"""What is never kept, whatever is switched on: who finds the car open must not find the rest."""
NO_SECRETS = "I never keep PINs, passwords or numbers of accounts"
SECRET_AT = 0.6
"""Share of its marks from which on words are a secret, as they were said or, on average, read with an asking as well. Our choice:
rather the number of a house is refused ("my dad's house is number 29, so you've got that now") than that of a door is kept."""


def secret(encoder: Encoder, text: str, marked: Marked | None = None) -> bool:
    """Whether a text has something in it that is never kept; ``marked``: its words, where they are marked already."""
    if SECRET.search(normal(text)) is not None:
        return True
    share = _share(encoder.marks(text) if marked is None else marked)
    if share >= SECRET_AT:
        return True
    return share > 0.0 and (share + _share(encoder.marks(plainly(text)))) / 2 >= SECRET_AT


def _share(marked: Marked) -> float:
    return max((part.share for part in marked.parts((Label.SECRET,))), default=0.0)
