"""The driver's words as the car says them back: "my locker" is "your locker", "I parked" is "you parked".

Word for word: it is right about persons, but for some of the car's own, and leaves all else as it was said. Pure; English.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

_SWAPPED: Final = MappingProxyType({
    "my": "your", "me": "you", "mine": "yours", "i": "you", "i'm": "you're", "our": "your", "ours": "yours", "us": "you",
    "your": "my", "yours": "mine", "you": "me", "you're": "I'm", "yourself": "myself", "myself": "yourself",
    "ourselves": "yourselves", "i've": "you've", "i'll": "you'll", "i'd": "you'd", "am": "are", "we": "you",
    "we're": "you're", "we've": "you've", "we'll": "you'll", "we'd": "you'd",
})  # fmt: skip
_BESIDE: Final = re.compile(r"\bi was\b|\bwas i\b|^you are\b|^you\b", re.IGNORECASE)
_OTHERS: Final = MappingProxyType({"i was": "you were", "was i": "were you", "you are": "I am", "you": "I"})
"""Where two words go together, or the place tells which: who does something is "I", to whom it is done "me"."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def turned(text: str) -> str:
    """The same in the other person; case stays but for the words that are changed."""

    def other(found: re.Match[str]) -> str:
        return _SWAPPED.get(found.group().lower().replace("’", "'"), found.group())

    pieces, at = list[str](), 0
    for found in _BESIDE.finditer(text):
        pieces += [_WORD.sub(other, text[at : found.start()]), _OTHERS[found.group().lower()]]
        at = found.end()
    return "".join([*pieces, _WORD.sub(other, text[at:])])


def sentence(text: str) -> str:
    """A sentence of it: the first letter large, a full stop at the end if nothing else ends it."""
    plain = text.strip()
    ended = plain if plain.endswith((".", "!", "?")) else f"{plain.rstrip(',;:')}."
    return ended[:1].upper() + ended[1:]
