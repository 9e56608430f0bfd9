"""Text as it is spoken: one spelling for typed commands, recogniser output and the words of the templates.

Owns: case, punctuation and digits. Does not own meaning.
"""

from __future__ import annotations

import re
from functools import lru_cache

from unicode_rbnf import RbnfEngine

_UNITS = (
    (re.compile(r"(?<=\d)\s*°\s*c\b"), " degrees celsius"),
    (re.compile(r"(?<=\d)\s*°"), " degrees"),
    (re.compile(r"(?<=\d)\s*%"), " percent"),
    (re.compile(r"\bper cent\b"), "percent"),
    (re.compile(r"&"), " and "),
)
_HALF_DAY = re.compile(r"(?<=\d)\s*([ap])\.?m\b\.?|\b(?<=[a-z] )(p)m\b")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d\b)")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d{1,2})?(?!\w)(?!\.\d)")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}|\b[a-z]\.[a-z]\b")
_STRAY = re.compile(r"[^\w' ]|_")
_LOOSE_APOSTROPHE = re.compile(r"(?<![^\W_])'|'(?![^\W_])")
_CONTRACTIONS = {"ok": "okay", "o'clock": "oclock"}


@lru_cache(maxsize=1)
def _engine() -> RbnfEngine:
    return RbnfEngine.for_language("en")


@lru_cache(maxsize=512)
def number_words(value: float) -> str:
    """A number in English words, without hyphens: ``22.5`` is "twenty two point five"."""
    exact = int(value) if float(value).is_integer() else value
    return _engine().format_number(exact).text.replace("-", " ")


def spoken(text: str) -> str:
    """Lower-case words without punctuation, digits spelled out, single spaces; the form that all matching works on.

    ``"Set the temperature to 22.5°C, please!"`` is "set the temperature to twenty two point five degrees celsius please".
    Apostrophes inside words stay ("driver's"), hyphens become spaces, "A/C" and "A.C." become "a c".
    """
    text = text.lower().replace("’", "'")
    for pattern, words in _UNITS:
        text = pattern.sub(words, text)
    text = _HALF_DAY.sub(lambda found: f" {found[1] or found[2]} m", text)
    text = _DECIMAL_COMMA.sub(".", text)
    text = _NUMBER.sub(lambda found: f" {number_words(float(found.group()))} ", text)
    text = _INITIALS.sub(lambda found: found.group().replace(".", " "), text)
    text = _STRAY.sub(" ", text)
    text = _LOOSE_APOSTROPHE.sub(" ", text)
    return " ".join(_CONTRACTIONS.get(word, word) for word in text.split())
