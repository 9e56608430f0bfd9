"""A turn taken apart where only some of it may be remembered: "I eat vegan. I love jazz." with dietary needs off.

Owns where a turn is cut, and what of it may be kept: of a turn with a sentence that is forbidden the others, as long as they
stand for themselves. What leans on one that is forbidden ("that's why ...") would tell of it, and a whole turn would keep its
words in the sentence of another category. Whether a text is forbidden is `memory.learn.extraction`'s to say, but for a
few words that say it by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memory.learn.english.clauses import statements
from memory.learn.extraction import Extractor, Screening
from models.text import normal, words
from schemas.memory import Consent
from schemas.preferences import BY_DETAIL

_END = re.compile(r"(?<=[.!?])\s+")
_BESIDE = re.compile(r",? and (?=(?:i|we|my|our|he|she|they|his|her|their|mum|dad|mom)\b)", re.IGNORECASE)
"""Where something of its own is said beside the rest: "I like jazz and my wife ..."."""
_LEANS = re.compile(
    r"^(?:(?:and|but|so|well|also|then) )*(?:that|that's|this|it|it's|they|those|these|them|such|which|because|since|therefore|"
    r"hence|so|same|the same|likewise|for (?:that|this|the same) reason|due to|with that|like that)\b",
    re.IGNORECASE,
)
_FOODS = "(?:nuts?|peanuts?|milk|dairy|eggs?|shellfish|fish|wheat|soy|soya|sesame|gluten|lactose)"
_DIET = re.compile(
    rf"\b(?:co?eliacs?|kosher|halal|gluten|lactose|{_FOODS} (?:allerg(?:y|ies|ic)|intoleran(?:t|ce))|"
    rf"(?:allergic|intolerant|allergy|intolerance) (?:to|of) (?:\w+ )?{_FOODS})\b"
)
"""What tells of a diet that health or religion asks for, whatever else is said: a sensitive category, whose words must not be
kept as another's. The encoder alone takes "i'm coeliac" for a taste in fast food."""
LEAST = 3
"""Words of a piece at least: fewer say nothing without what stands beside them."""
MOST = 8
"""Pieces of a turn at most, each of which the encoder looks at: a longer turn is taken or refused whole."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """What of a turn may be kept."""

    screening: Screening
    """Of the whole, or of what is forbidden in it."""
    kept: tuple[str, ...]
    """The whole turn, or the pieces of it that may be kept; nothing where all of it is forbidden."""


def screening(extractor: Extractor, consent: Consent, now: datetime) -> Callable[[str], Screening]:
    """What the extractor says about a text, and for a diet by its plain words, while such may not be remembered."""
    diet = BY_DETAIL["dietary_preference"]
    reason = consent.forbids(diet, now)

    def screen(text: str) -> Screening:
        if reason is not None and _DIET.search(normal(text)):
            return Screening(forbidden=diet.detail, reason=reason)
        return extractor.screen(text, consent, now)

    return screen


def units(text: str) -> tuple[str, ...]:
    """The sentences of a turn, or what one sentence states; the turn itself where it cannot be cut."""
    sentences = [part.strip() for part in _END.split(text.strip()) if part.strip()]
    if len(sentences) < 2:
        told = statements(text)
        joined = not told or any(one.thing for one in told)  # a thing that "and" joins may be half of a name
        sentences = _BESIDE.split(text.strip()) if joined else [one.text for one in told]
        if len(sentences) < 2:
            return (text,)
    return tuple(sentences) if len(sentences) <= MOST else (text,)


def sift(text: str, screen: Callable[[str], Screening]) -> Sifted:
    """What of a turn may be kept. Where the whole is forbidden and no sentence alone is, nothing: it cannot be told which it is."""
    whole, pieces = screen(text), units(text)
    each = [(piece, screen(piece)) for piece in pieces] if len(pieces) > 1 else []
    forbidden = next((found for _, found in each if found.forbidden is not None), None)
    if forbidden is None:
        return Sifted(whole, (text,) if whole.forbidden is None else ())
    kept = (
        piece
        for piece, found in each
        if found.forbidden is None and not found.empty and len(words(piece)) >= LEAST and _LEANS.match(piece) is None
    )
    return Sifted(forbidden, tuple(kept))
