"""What takes the place of what is held: by a turn that gives one thing up for another, and by what is told in the same breath.

Pure. `memory.driver.learner` decides what becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.learn.english.canonical import Canon, fold
from memory.learn.english.conditions import same
from memory.learn.english.kinds import plausible
from memory.learn.english.negation import instead_now
from memory.learn.extraction import Extraction
from memory.learn.maintenance import Maintainer, Ruling
from schemas.memory import Candidate, Conversation, Outcome, Preference


def in_place(
    conversation: Conversation, found: Extraction, held: Sequence[Preference], maintainer: Maintainer, canon: Canon
) -> Extraction:
    """What was found, with what takes the place of something that is held: of that category, whatever it was taken for."""
    for turn in conversation.driver_turns():
        pair = maintainer.successor(turn.text, held)
        value = canon.canonical(pair[0].detail, pair[1].text, turn.text) if pair is not None else None
        if pair is None or value is None or not plausible(pair[0].detail, value):
            continue
        new = Candidate(
            detail=pair[0].detail,
            value=value,
            sentence=turn.text,
            said_at=turn.at,
            conversation=conversation.id,
            confidence=pair[1].share * turn.confidence,
        )
        others = tuple(c for c in found.candidates if c.sentence != turn.text)
        unsure = tuple(c for c in found.unsure if c.sentence != turn.text)
        found = replace(found, candidates=(*others, new), unsure=unsure)
    return found


def among(candidate: Candidate, held: Sequence[Preference]) -> Candidate:
    """A candidate that gives something up, in the category in which that very thing is held: "i can't stand Muse any more"."""
    if candidate.sense.wanted and not candidate.negated:
        return candidate
    details = {p.detail for p in held if p.sense.wanted and fold(p.value) == fold(candidate.value)}
    return candidate if len(details) != 1 else candidate.model_copy(update={"detail": details.pop()})


def perhaps_over(ruled: Sequence[tuple[Candidate, Ruling]], held: Sequence[Preference]) -> Iterator[Candidate]:
    """What may have ended, since something else is what they take now: "Five Guys is where I go now, the other is no good"."""
    for new, ruling in ruled:
        peers = [p for p in held if p.detail == new.detail and p.sense.wanted and same(p.conditions, new.conditions)]
        if ruling.outcome is Outcome.APPEND and new.sense.wanted and len(peers) == 1 and instead_now(new.sentence):
            yield new.model_copy(update={"value": peers[0].value, "negated": True})


def outdone(candidate: Candidate, all_of: Sequence[Candidate]) -> bool:
    """Whether the same sentence puts something else in the place of what it negates."""
    return any(not other.negated and same_breath(candidate, other) for other in all_of)


def same_breath(one: Candidate, other: Candidate) -> bool:
    """Whether both are of one category and one sentence."""
    return one.detail == other.detail and one.sentence == other.sentence
