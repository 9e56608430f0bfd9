"""Whether an open proposal is worth a driver's attention: the rules for asking aloud, written down in docs/memory.md.

Owns those rules alone. When in a drive a question comes is the dialogue's matter, what is proposed at all that of
`memory.learn.proposals`. What is not worth a question stays open on the screen, and may be told again.
"""

from __future__ import annotations

import re

from memory.learn.english.canonical import is_closed
from memory.learn.english.kinds import plausible
from memory.learn.english.negation import fond
from memory.learn.evidence import revealed
from memory.learn.meaning import Holds, meaning
from memory.recall.lexical import STOP
from models.text import contains, words
from schemas.memory import Candidate, Proposal
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

LEAST = 0.25
"""Below this sureness of all hints together nobody is asked,"""
REVEALED_AT = 0.95
"""nor where the sentence by itself is less likely than this to reveal a lasting preference of the category, by the second opinion.
CarMem's development half: .048 of the conversations end in a question, .96 of these about the right category (docs/log.md,
2026-11-28)."""
OWN_AT, MAY_BE_AT = 0.95, 0.3
"""Where its words are surely the driver's own liking or dislike, or they surely tell one, that much is enough."""
AGAIN = 0.7
"""From this one on it was told on several days: what is this sure at once is stored without a question (``store_at``)."""
MOST_WORDS = 5
"""Words of a value that a person would say: our choice."""
_NO_VALUE = STOP | frozenset("us one ones something anything somewhere thing things like".split())
"""Words that no value begins or ends with."""
_SENTENCE = re.compile(r"(?:[^.!?]|[.](?=\d))+[.!?]*")


def not_worth(encoder: Encoder, of: Candidate | Proposal, *, told: bool = False) -> str | None:
    """Why the driver is not asked about it, or None: it is worth a question. ``told``: they surely tell something."""
    said = words(of.value)
    if of.confidence < LEAST:
        return "it is no more than a guess"
    named = is_closed(of.detail) or of.value in BY_DETAIL[of.detail].examples
    if not named and (not 0 < len(said) <= MOST_WORDS or said[0] in _NO_VALUE or said[-1] in _NO_VALUE):
        return "nobody would call it that"
    if not plausible(of.detail, of.value):
        return f"it is none that is known of {of.category.title.lower()}"
    means = meaning(encoder.marks(of.sentence), of.detail, of.value, of.value)
    if means.holds in (Holds.UNREAL, Holds.OTHERS) or _asked(of):
        return "it was asked, supposed, or said of somebody else"
    second = revealed(encoder, of.detail, of.sentence)
    if not of.sense.wanted and fond(of.sentence):
        return "who cannot get enough of it may like it"
    own = told or (means.holds in (Holds.YES, Holds.ENDED) and means.share >= OWN_AT)
    if of.confidence < AGAIN and second is not None and second < (MAY_BE_AT if own else REVEALED_AT):
        return "it may be for this once, or about something else"
    return None


def _asked(of: Candidate | Proposal) -> bool:
    """Whether the value stands in a question."""
    own = [one for one in _SENTENCE.findall(of.sentence) if contains(one, of.value)]
    return bool(own) and all(one.rstrip().endswith("?") for one in own)
