"""What is never kept, whatever is switched on: PINs, passwords, codes and numbers of accounts."""

from __future__ import annotations

import re

from models.text import normal
from schemas.kinds import Label, Marked

SECRET = re.compile(
    r"\b(?:my|our|his|her|the|your|bank|card|phone) pin\b(?! on\b)|\bpin (?:is|code|number)\b|\bpass ?(?:word|code|phrase)s?\b|"
    r"\b(?:security|door|gate|alarm|safe|sort|access) code\b|\b(?:card|account|passport|insurance|social security) number\b|"
    r"\bcvv\b|\bsecret (?:word|answer|code)\b"
)
"""What is never kept, whatever is switched on: who finds the car open must not find the rest."""
NO_SECRETS = "I never keep PINs, passwords or numbers of accounts"
SECRET_AT = 0.6
"""Share of its marks from which on words are a secret: a locker's or a room's number is none. Our choice."""


def secret(text: str, marked: Marked) -> bool:
    """Whether a text has something in it that is never kept."""
    return bool(marked.parts((Label.SECRET,), SECRET_AT)) or SECRET.search(normal(text)) is not None
