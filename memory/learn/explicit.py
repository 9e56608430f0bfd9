"""What the driver asks to be remembered, in so many words: "remember that I like jazz".

Nobody has to guess whether it lasts: the driver said so. What is left is which category it belongs to and which words carry
the value. The value always stands in the sentence or is one of a closed category's; where neither can be found it is refused
with a reason rather than made up. Consent comes first here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.learn.calling import called
from memory.learn.english.canonical import Canon, is_closed, polarity, temperature
from memory.learn.english.clauses import apart, statements
from memory.learn.english.kinds import BETWEEN, LISTED
from memory.learn.english.negation import Polarity, series
from memory.learn.english.secrets import NO_SECRETS, secret
from memory.learn.extraction import Extraction, Extractor, refusal
from memory.learn.facts import outweighs
from memory.learn.meaning import Holds, meaning
from memory.store.preferences import silent
from models.text import contains, words
from schemas.kinds import OWN, VALUES, Label
from schemas.memory import FACTS, Candidate, Consent, Conversation, Decision, Outcome, Turn
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

WORDS_AT = 0.3
"""Words that carry a value with this probability by the encoder are taken before anything else is tried."""
MOST_WORDS = 8
"""Words that what is left of a sentence may have to be taken for a value: a preference is a few words."""

WISHED_AT = 0.35
"""Confidence from which on a reading counts where the driver asks to have something remembered and names no category. Our choice:
of 22 typed sentences those that mean something lie at .41 and above, letters and words at random at .31 and below."""
CLOSED_AT = 0.5
"""Probability of a closed category from which on a sentence that names none is about it: its value ("yes") need not stand in the
words, so nothing else speaks for it. Of fifteen typed sentences those that
mean one lie at .72 and above, others at .41 and below."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What sentences are read with."""

    extractor: Extractor
    encoder: Encoder
    canon: Canon


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
        marked = reader.encoder.marks(turn.text)
        if secret(reader.encoder, turn.text, marked):
            return Extraction(decisions=(refusal(self.details[0] if self.details else FACTS, NO_SECRETS),))
        if self.details is None:
            if marked.told and (outweighs(marked) or not marked.parts(OWN | {Label.PAST})):
                return Extraction(decisions=(_none(reader, turn.text, None),))
            found = reader.extractor.extract(conversation, consent, now, least=WISHED_AT)
            unsure = (c for c in found.unsure if c.confidence >= WISHED_AT * turn.confidence)
            meant = [c for c in (*found.candidates, *unsure) if not _hollow(reader, c.detail, turn.text)]
            sure = tuple(part for c in meant for part in _parted(reader.canon, c))
            refused = tuple(d for d in found.decisions if d.outcome is Outcome.REFUSED)
            if sure or refused:
                return replace(found, candidates=sure, unsure=())
            return Extraction(decisions=(_none(reader, turn.text, None),))
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
            found = found or _candidates(reader, turn, detail, conversation.id, allowed)
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
                own = _candidates(reader, turn.model_copy(update={"text": one.text}), detail, conversation, allowed)
                found |= {(detail, c.value): c.model_copy(update={"sentence": turn.text}) for c in own}
        return tuple(found.values())


def _hollow(reader: Reader, detail: str, text: str) -> bool:
    """Whether a closed category's value is all that was found in a sentence that is as likely about something else."""
    return is_closed(detail) and reader.encoder.topics(text).get(detail, 0.0) < CLOSED_AT


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


def _candidates(
    reader: Reader, turn: Turn, detail: str, conversation: str, allowed: Sequence[str]
) -> tuple[Candidate, ...]:
    found: dict[str, Candidate] = {}
    marked = reader.encoder.marks(turn.text)
    parts = called(detail, 0, _said(reader, turn.text, detail), allowed, [turn.text])
    if detail in LISTED:
        parts = [part for said in parts for part in BETWEEN.split(said) if words(part)]
    for said in parts:
        value = reader.canon.canonical(detail, said, turn.text)
        if value is None:
            continue
        told = meaning(marked, detail, said, value)
        over = told.holds is Holds.ENDED
        if over and polarity(detail, said) is Polarity.ANSWER:
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
                sense=told.sense,
                conditions=told.conditions,
            ),
        )
    single = not BY_DETAIL[detail].multi
    return tuple(found.values())[: 1 if single else None]


def _parted(canon: Canon, candidate: Candidate) -> list[Candidate]:
    """What the driver asked for, surely, and one candidate a value where several were read as one."""
    parts = BETWEEN.split(candidate.value) if candidate.detail in LISTED else [candidate.value]
    values = (canon.canonical(candidate.detail, part, candidate.sentence) or part for part in parts if words(part))
    return [candidate.model_copy(update={"confidence": 1.0, "value": value}) for value in values]


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
    own = [part.text for part in reader.encoder.marks(text).parts(VALUES)]
    if own:
        return own if category.multi else own[:1]
    return [text] if 0 < len(words(text)) <= MOST_WORDS else []
