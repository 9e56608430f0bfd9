"""Whether an open proposal is worth a driver's attention: the rules for asking aloud, written down in docs/memory.md.

Owns those rules alone. When in a drive a question comes is the dialogue's matter, what is proposed at all that of
`memory.learn.proposals`. What is not worth a question stays open on the screen, and may be told again.
"""

from __future__ import annotations

import re

from memory.learn.english.canonical import is_closed
from memory.learn.english.kinds import plausible
from memory.learn.evidence import ENDED, HINTED, NONE, STATED
from memory.learn.meaning import Holds, meaning
from memory.recall.lexical import STOP
from models.text import contains, words
from schemas.memory import Candidate, Proposal
from schemas.ports import Encoder

LEAST = 0.4
"""Below this sureness of all hints together nobody is asked,"""
ABOUT = 0.7
"""nor where the sentence by itself is less than so much about the category, of all that it might be about.
CarMem's development half: 29 questions for 261 that are stored, 25 about the right category (58 and 40 without this rule)."""
AGAIN = 0.7
"""From this one on it was told on several days: what is this sure at once is stored without a question (``store_at``)."""
MOST_WORDS = 5
"""Words of a value that a person would say: our choice."""
_NO_VALUE = STOP | frozenset("us one ones something anything somewhere thing things like".split())
"""Words that no value begins or ends with."""
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


def not_worth(encoder: Encoder, of: Candidate | Proposal) -> str | None:
    """Why the driver is not asked about it, or None: it is worth a question."""
    said = words(of.value)
    if of.confidence < LEAST:
        return "it is no more than a guess"
    if not is_closed(of.detail) and (not 0 < len(said) <= MOST_WORDS or said[0] in _NO_VALUE or said[-1] in _NO_VALUE):
        return "nobody would call it that"
    if not plausible(of.detail, of.value):
        return f"it is none that is known of {of.category.title.lower()}"
    holds = meaning(encoder.marks(of.sentence), of.detail, of.value, of.value).holds
    if holds in (Holds.UNREAL, Holds.OTHERS) or _asked(of):
        return "it was asked, supposed, or said of somebody else"
    strength = encoder.strength(of.sentence)
    if of.confidence < AGAIN and strength[STATED] + strength[ENDED] <= strength[HINTED]:
        return "one order is no habit"
    topics = encoder.topics(of.sentence)
    if topics.get(of.detail, 0.0) < ABOUT * (1.0 - topics.get(NONE, 0.0)):
        return "it may be about something else"
    return None


def _asked(of: Candidate | Proposal) -> bool:
    """Whether the value stands in a question."""
    own = [one for one in _SENTENCE.findall(of.sentence) if contains(one, of.value)]
    return bool(own) and all(one.rstrip().endswith("?") for one in own)
