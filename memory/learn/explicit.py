"""What the driver asks to be remembered, in so many words: "remember that I like jazz".

Nobody has to guess whether it lasts: the driver said so. What is left is which category it belongs to and which words carry
the value. The value always stands in the sentence or is one of a closed category's; where neither can be found it is refused
with a reason rather than made up. Consent comes first here, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.learn.english.canonical import Canon, is_closed, polarity, temperature, turned_down
from memory.learn.english.clauses import apart, statements
from memory.learn.english.kinds import BETWEEN, LISTED
from memory.learn.english.negation import Polarity, negated, series
from memory.learn.evidence import ENDED
from memory.learn.extraction import NO_SECRETS, SECRET, Extraction, Extractor, mentions, refusal
from memory.store.preferences import silent
from models.text import contains, normal, words
from schemas.errors import GenerationError
from schemas.memory import Candidate, Consent, Conversation, Decision, Outcome, Turn, usual
from schemas.ports import Encoder, StructuredModel
from schemas.preferences import BY_DETAIL, preference_model

WORDS_AT = 0.3
"""Words that carry a value with this probability by the encoder are taken before anything else is tried."""
MOST_WORDS = 8
"""Words that what is left of a sentence may have to be taken for a value: a preference is a few words."""

_DO = (
    r"(?:like|likes|love|loves|prefer|prefers|enjoy|want|need|use|drink|eat|watch|follow|hear|take|avoid|choose|"
    r"listen to|go to|go for|fill up at|fill up with|fuel up at|charge at|charge with|shop at|buy at|buy from|park in|park at|"
    r"pay with|pay by|pay in|tune in to|get my news from|am into|'m into|am a fan of|'m a fan of|am fond of|am|'m)"
)
WISHED_AT = 0.35
"""Confidence from which on a reading counts where the driver asks to have something remembered and names no category. Our choice:
of 22 typed sentences those that mean something lie at .41 and above, letters and words at random at .31 and below."""

_OBJECT = (
    re.compile(
        rf"^(?:i|we)(?:'d|'ll| would| will| do| really| always| usually| mostly| only| just| also| never| don't| do not)*"
        rf" ?{_DO}(?: to)? (?P<value>.+)$"
    ),
    re.compile(r"^my (?:[\w'-]+ ){1,5}(?:is|are|should be) (?P<value>.+)$"),
    re.compile(r"^(?P<value>.+?) (?:is|are) my (?:favou?rite|usual|preferred|go to|regular)\b.*$"),
)
_TAIL = re.compile(
    r"(?: (?:best|most|a lot|very much|the most|so much|please|in the car|when (?:i|i'm|we) .+|while driving|all the time|"
    r"from now on|of all|for my .+|as my .+))+$"
)
"""What may follow a value without being part of it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What sentences are read with."""

    extractor: Extractor
    encoder: Encoder
    model: StructuredModel
    canon: Canon

    def asked_for(self, detail: str, text: str) -> list[str]:
        """The words of a category's value in a text, by the language model."""
        try:
            filled = self.model.fill("extract", preference_model((detail,)), turns=[text], facts=())
        except GenerationError:
            return []
        return [mention.value for _, mention in mentions(filled) if contains(text, mention.value)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A wish to remember something, of one of these categories if any are given."""

    details: Sequence[str] | None = None

    def read(self, reader: Reader, conversation: Conversation, consent: Consent, now: datetime) -> Extraction:
        """What to store of a sentence, or why nothing; nothing is left unsure.

        Args:
            reader: reads as ever where no category is given.
            conversation: the sentence as its only turn.
            consent: what may be remembered.
            now: for consent.
        """
        turn = conversation.turns[0]
        if self.details is None:
            found = reader.extractor.extract(conversation, consent, now, least=WISHED_AT)
            unsure = (c for c in found.unsure if c.confidence >= WISHED_AT * turn.confidence)
            meant = [c for c in (*found.candidates, *unsure) if not _hollow(reader, c.detail, turn.text)]
            sure = tuple(part for c in meant for part in _parted(reader.canon, c))
            if sure or found.decisions:
                return replace(found, candidates=sure, unsure=())
            return Extraction(decisions=(_none(reader, turn.text, None),))
        if SECRET.search(normal(turn.text)):
            return Extraction(decisions=(refusal(self.details[0], NO_SECRETS),))
        allowed = [d for d in self.details if consent.forbids(BY_DETAIL[d], now) is None]
        if not allowed:
            reason = silent(consent, now) or consent.forbids(BY_DETAIL[self.details[0]], now) or ""
            return Extraction(decisions=(refusal(self.details[0], reason),))
        topics = reader.encoder.topics(turn.text)
        ranked = sorted(allowed, key=lambda d: -topics.get(d, 0.0))
        forbidden = [d for d in self.details if d not in allowed]
        if forbidden and max(topics.get(d, 0.0) for d in forbidden) > topics.get(ranked[0], 0.0):
            worst = max(forbidden, key=lambda d: topics.get(d, 0.0))
            return Extraction(decisions=(refusal(worst, consent.forbids(BY_DETAIL[worst], now) or ""),))
        found = self._several(reader, turn, conversation.id, allowed)
        for detail in ranked[:3]:
            found = found or _candidates(reader, turn, detail, conversation.id)
        if found:
            return Extraction(candidates=found)
        return Extraction(decisions=(_none(reader, turn.text, ranked[0]),))

    def _several(self, reader: Reader, turn: Turn, conversation: str, allowed: Sequence[str]) -> tuple[Candidate, ...]:
        """What those of the sentence's statements say that are of these categories; nothing where it makes one only."""
        told = statements(turn.text)
        found: dict[tuple[str, str], Candidate] = {}
        before: str | None = None
        for place, one in enumerate(told):
            topics = reader.encoder.topics(one.text)
            detail = max((d for d in topics if d in BY_DETAIL), key=topics.__getitem__)
            alike = detail == before and detail not in LISTED
            before = detail
            if place > 0 and detail not in LISTED and not apart(told[place - 1], one, alike=alike):
                return ()
            if detail in allowed:
                own = _candidates(reader, turn.model_copy(update={"text": one.text}), detail, conversation)
                found |= {(detail, c.value): c.model_copy(update={"sentence": turn.text}) for c in own}
        return tuple(found.values())


def _hollow(reader: Reader, detail: str, text: str) -> bool:
    """Whether a closed category's value is all that was found in a sentence that is more likely about no category."""
    topics = reader.encoder.topics(text)
    return is_closed(detail) and topics.get(detail, 0.0) <= topics.get("none", 0.0)


def _none(reader: Reader, text: str, detail: str | None) -> Decision:
    if detail is not None:
        reason = f"I could not tell which {BY_DETAIL[detail].title.lower()} you meant"
        return Decision(outcome=Outcome.DROPPED, detail=detail, reason=f"not remembered: {reason}")
    topics = reader.encoder.topics(text) if words(text) else {}
    best = max((d for d in topics if d in BY_DETAIL), key=topics.__getitem__, default=next(iter(BY_DETAIL)))
    return Decision(
        outcome=Outcome.DROPPED,
        detail=best,
        reason="not remembered: I could not tell what kind of preference that is; say it with its category",
    )


def _candidates(reader: Reader, turn: Turn, detail: str, conversation: str) -> tuple[Candidate, ...]:
    found: dict[str, Candidate] = {}
    parts = _said(reader, turn.text, detail)
    if detail in LISTED:
        parts = [part for said in parts for part in BETWEEN.split(said) if words(part)]
    for said in parts:
        value = reader.canon.canonical(detail, said, turn.text)
        if value is None:
            continue
        kind = polarity(detail, said)
        over = _over(reader, turn.text, said, value, detail)
        if over and kind is Polarity.ANSWER:
            value, over = "no", False
        found.setdefault(
            value,
            Candidate(
                detail=detail,
                value=value,
                sentence=turn.text,
                said_at=turn.at,
                conversation=conversation,
                confidence=1.0,
                negated=over,
                sense=usual(detail),
            ),
        )
    single = not BY_DETAIL[detail].multi
    return tuple(found.values())[: 1 if single else None]


def _parted(canon: Canon, candidate: Candidate) -> list[Candidate]:
    """What the driver asked for, surely, and one candidate a value where several were read as one."""
    parts = BETWEEN.split(candidate.value) if candidate.detail in LISTED else [candidate.value]
    values = (canon.canonical(candidate.detail, part, candidate.sentence) or part for part in parts if words(part))
    return [candidate.model_copy(update={"confidence": 1.0, "value": value}) for value in values]


def _over(reader: Reader, text: str, said: str, value: str, detail: str) -> bool:
    """Whether the sentence says that the value does not hold."""
    kind = polarity(detail, said)
    if kind is Polarity.AVOIDED:
        return negated(text, said, kind) is not None
    if is_closed(detail) and turned_down(detail, value, text, said):
        return True
    if kind is Polarity.ANSWER:
        return False
    return negated(text, said, kind) is not None and reader.encoder.strength(text).get(ENDED, 0.0) >= 0.1


def _said(reader: Reader, text: str, detail: str) -> list[str]:
    """The words of a sentence that carry a value of a category, by the surest way that finds any."""
    category = BY_DETAIL[detail]
    if detail == "preferred_temperature":
        return [text] if temperature(text) is not None else []
    parts = [p.text for p in reader.encoder.words(text, detail) if p.probability >= WORDS_AT]
    if parts:
        return series(text, parts) if category.multi else parts[:1]
    known = [example for example in category.examples if example not in ("yes", "no") and contains(text, example)]
    if known:
        return known if category.multi else [max(known, key=len)]
    if is_closed(detail):
        return [text] if words(text) else []
    left = _object(text)
    if left:
        return [left]
    return reader.asked_for(detail, text)


def _object(text: str) -> str:
    """What a plain sentence says that the driver likes, uses or has, without a model; empty where it is too long."""
    plain = normal(text).strip(" .!?,;")
    for pattern in _OBJECT:
        match = pattern.match(plain)
        if match is not None:
            plain = match.group("value")
            break
    plain = _TAIL.sub("", plain).strip(" .!?,;")
    return plain if 0 < len(words(plain)) <= MOST_WORDS else ""
