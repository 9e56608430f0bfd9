"""Short-term memory: what the driver told on this trip, kept or not, in their own words; and what corrects it.

It answers a question where memory has nothing ("who's Janet?", asked a minute after she was told of), and it is what a correction
belongs to ("no, I meant Thursdays"). It lies in the program's memory alone, holds no secret and no special kind of data, and ends
with the trip, with another driver, and with whatever is forgotten (Persistent memory and user profiles, Mercedes: short-term beside
long-term memory).
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.numbers import NUMBER
from models.text import MONTHS, WEEKDAYS, spoken
from schemas.ports import Encoder
from voice.dialogue.replies.examples import stems

MOST = 30
"""Sentences that are held: our choice; what an hour's talk tells."""
ANSWERS_AT = 0.6
"""Sum of the log odds that a sentence answers (``models.training.answers``) and `NEAR` times its cosine, from which on it does."""
NEAR = 3.0
"""Of 13 questions that one of 12 sentences answers 9 lay above, of 12 others none (docs/log.md, 2026-11-29)."""
ASKED = 3
"""Sentences, the nearest, of which it is asked whether they answer: each takes some 8 ms (`memory.recall.search`)."""


class Told(NamedTuple):
    """A sentence of the driver's."""

    text: str
    at: datetime
    kept: bool = False
    """Whether memory has kept something of it."""


class Lately:
    """What one driver told on this trip."""

    def __init__(self, encoder: Encoder | None) -> None:
        """Nothing yet; without an encoder nothing is ever found."""
        self._encoder = encoder
        self._told: deque[Told] = deque(maxlen=MOST)
        self._vectors: dict[str, NDArray[np.float32]] = {}
        """Of the texts that were asked of, each encoded once."""

    def __bool__(self) -> bool:
        """Whether anything is held."""
        return bool(self._told)

    def tell(self, told: Told) -> None:
        """The driver told this; what only asks or names nothing ("and his?") tells nothing."""
        if not told.text.rstrip().endswith("?") and stems(told.text):
            self._told.append(told)

    def clear(self) -> None:
        """Nothing was told."""
        self._told.clear()
        self._vectors.clear()

    def drop(self, words: str) -> None:
        """Hold nothing any more that says all of these words."""
        gone = stems(words)
        kept = [one for one in self._told if not gone or not gone <= stems(one.text)]
        self._told = deque(kept, maxlen=MOST)

    def naming(self, words: str) -> tuple[Told, ...]:
        """Those that say all of these words, in the order in which they were told."""
        asked = stems(words)
        return tuple(one for one in self._told if asked and asked <= stems(one.text))

    def answering(self, question: str) -> Told | None:
        """What answers a question, the latest of those that do so about as well; None for nothing."""
        if self._encoder is None or not self._told:
            return None
        new = [one.text for one in self._told if one.text not in self._vectors]
        asked, *vectors = self._encoder.encode([question, *new])
        self._vectors |= dict(zip(new, vectors, strict=True))
        self._vectors = {one.text: self._vectors[one.text] for one in self._told}
        cosines = [float(self._vectors[one.text] @ asked) for one in self._told]
        nearest = sorted(range(len(cosines)), key=lambda at: (-cosines[at], -at))[:ASKED]
        scores = {at: self._score(question, self._told[at].text, cosines[at]) for at in nearest}
        best = max(scores, key=lambda at: (scores[at], at))
        return self._told[best] if scores[best] >= ANSWERS_AT else None

    def _score(self, question: str, text: str, cosine: float) -> float:
        odds = None if self._encoder is None else self._encoder.answers(spoken(question), spoken(text))
        return -math.inf if odds is None else odds + NEAR * cosine


_DAY = rf"(?:{'|'.join(WEEKDAYS)})s?"
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th)|(?:twenty |thirty )?(?:first|second|third|\w+th)(?! ?\w*th))"
_CLOCK = r"(?:\d{1,2}(?::\d{2}| ?[ap]\.?m\b\.?)|(?:half|quarter|\w+) (?:past|to) \w+|half \w+|noon|midnight)"
_COUNT = rf"(?:\d+(?:[.,]\d+)?|{NUMBER})"
KINDS = tuple(
    re.compile(rf"\b{pattern}(?!\w)", re.IGNORECASE)
    for pattern in (_DAY, rf"(?:{'|'.join(MONTHS)})", _CLOCK, _ORDINAL, _COUNT)
)
"""What stands for another of its kind, the narrower first: weekdays, months, times of the clock, days of a month, numbers."""
_BEGINS = re.compile(
    r"^(?:(?:no|nope|nah|oh|oops|ah|wait|sorry|hang on|hold on|actually|i mean|i meant|i said|i should have said|correction|"
    r"rather|make (?:it|that)|make|it'?s|it is|that'?s|that is|that should be|it should be|should be|it was|wrong|"
    r"love|mate|dear|darling|my mistake|my bad|scratch that|um|uh|er|the|on|at|in|of|a)\b[ ,.!:;–—-]*)+",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^(?:oh |ah |um |uh |er )*(?:no|nope|nah|not|oops|wait|sorry|hang on|hold on|actually|i mean|i meant|i said|correction|rather|"
    r"make (?:it|that)|my mistake|my bad|wrong|that's wrong|this is wrong|that should be|it should be)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[ ,.!?]+(?:lol|haha|sorry|love|mate|dear|please|actually|i mean|i meant|rather|of course|duh)?[ .!?]*$",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    r"^(?P<new>.+?),? not (?P<old>.+)$|^not (?P<old2>.+?)(?:[,;.] | but )(?P<new2>\S.*)$", re.IGNORECASE
)
_SENTENCE = re.compile(r"\b(?:i|we|you|he|she|they|it|my|our)\b", re.IGNORECASE)
"""A word of a sentence of its own: "I like jazz, not rock"."""
_COUNTED = re.compile(r" [\w'-]+")
LONGEST = 4
"""Words of what is put right: what is longer is a sentence of its own."""
_ASKS = re.compile(
    r"^(?:(?:and|so|but|hey|okay|ok|well|please|sorry|wait|now) )*(?:what|who|whose|whom|when|where|why|how|which|do|does|did|is|"
    r"are|was|were|has|have|had|can you tell|could you tell|tell me|remind me (?:what|who|when|where|how|which))\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether it has the form of a question that something told may answer."""
    return text.rstrip().endswith("?") or _ASKS.match(text.strip()) is not None


def corrects(text: str) -> bool:
    """Whether a sentence begins as one does that puts right what was just told."""
    return _CORRECTS.match(text.strip()) is not None


def corrected(told: str, text: str, *, orders: bool = False) -> str | None:
    """What was told, put right by what was said to it; None where that puts nothing of it right.

    Args:
        told: "Alfie swims on Wednesdays".
        text: "no love, I meant Thursdays", "Thursdays, not Wednesdays", "not Anna, Hannah".
        orders: it may ask something of the car ("play jazz, not rock"), so that only how it begins makes it a correction.
    """
    said = text.strip()
    named = None if orders else _INSTEAD_OF.match(_plain(said))
    if named is not None:
        old, new = _plain(named["old"] or named["old2"]), _plain(named["new"] or named["new2"]).partition(",")[0]
        at = re.search(rf"\b{re.escape(old)}(?!\w)", told, re.IGNORECASE)
        bare = len(new.split()) <= LONGEST and _SENTENCE.search(new) is None
        return f"{told[: at.start()]}{new}{told[at.end() :]}" if at is not None and bare else None
    if not corrects(said):
        return None
    new = _plain(said).partition(",")[0]
    if not new or len(new.split()) > LONGEST:
        return None
    for kind in KINDS:
        found, places = kind.search(new), list(kind.finditer(told))
        if found is None or not places:
            continue
        beside = stems(f"{new[: found.start()]} {new[found.end() :]}")
        if beside <= stems(told):  # "level four": of the same thing
            return _put(told, [place.span() for place in places], found.group(), new[found.end() :])
    return None


def _put(told: str, places: Sequence[tuple[int, int]], new: str, counted: str) -> str:
    """What was told with a new number or day in its place, and what it counts where that is said again ("one sugar")."""
    for start, end in reversed(places):
        same = _COUNTED.match(told, end)
        if same is not None and stems(counted) and stems(same.group()) == stems(counted):
            return f"{told[:start]}{new}{counted}{told[same.end() :]}"
    start, end = places[-1]  # of several that which was told last
    return f"{told[:start]}{new}{told[end:]}"


def _plain(text: str) -> str:
    """Words without what leads up to them and away from them."""
    return _ENDS.sub("", _BEGINS.sub("", f"{text.strip()} ")).strip(" ,.!?")
