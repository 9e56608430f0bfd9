"""What becomes of a candidate: pass, update or append, over the whole list of its category.

Rules decide: an occupied single category, an equal value, its opposite, an end, a named replacement; what none of them tells joins
the others of a multi category. Pure: nothing is written here, `memory.service` carries a `Ruling` out. What holds under other
conditions is another preference.

The three outcomes are CarMem's (arXiv 2501.09645, section 3.3); deciding over the whole list, not the last entry, is not, and
neither is that no language model decides (ADR 48).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.learn.english.canonical import fold, is_closed, polarity
from memory.learn.english.conditions import same
from memory.learn.english.kinds import KINDS, plausible
from memory.learn.english.negation import (
    displaced,
    lately,
    negated,
    switched,
)
from memory.learn.meaning import AT
from models.text import contains, words
from schemas.kinds import OWN, Label, Part
from schemas.memory import Candidate, Outcome, Preference, Sense
from schemas.ports import Encoder
from schemas.preferences import SUB_TITLES

SAME_AT = 0.93
"""Cosine of two values of one category, as ``encode`` sees them, from which on they are the same in other words."""
RELATED_AT = 0.9
"""Below this cosine they are different things; between the two they are the same where the words of one stand in the other."""

WANTED, AGAINST = (Label.LIKES, Label.NEEDS), (Label.PAST, Label.DISLIKES, Label.AVOIDS)
"""What the words of a stored value may be marked as in a sentence that names another: whichever of the two is more."""
TAKES_AT = 0.9
"""Share of its marks from which on a thing takes another's place although nothing else tells its category. Our choice."""

SONGS = "favorite_songs"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is to happen, and to what."""

    outcome: Outcome
    reason: str
    equal: Preference | None = None
    """For PASS: the stored preference that the sentence is added to."""
    replaced: tuple[Preference, ...] = ()
    """For UPDATE: the stored preferences that end."""
    store: bool = True
    """For UPDATE: False when nothing takes their place."""


class Maintainer:
    """Decides on candidates."""

    def __init__(self, encoder: Encoder) -> None:
        """Decides with this encoder."""
        self._encoder = encoder

    def decide(self, candidate: Candidate, existing: Sequence[Preference]) -> Ruling:
        """What becomes of a candidate.

        Args:
            candidate: grounded, verified and canonical.
            existing: all active preferences of its category, newest first.
        """
        if candidate.negated:
            return self._ended(
                candidate, self._equal(candidate, existing, self._closeness(candidate, existing)), existing
            )
        held = [p for p in existing if same(p.conditions, candidate.conditions)]
        close = self._closeness(candidate, held)
        equal = self._equal(candidate, held, close)
        opposite = self._opposite(candidate, equal, held)
        everywhere = equal is None and not candidate.conditions and not candidate.sense.wanted
        if everywhere and not opposite:  # "i hate jazz" is said of every hour
            opposite = self._opposite(candidate, None, existing)
        if opposite:
            return Ruling(Outcome.UPDATE, _instead(_sensed(candidate), opposite), replaced=opposite)
        peers = [p for p in held if p.sense.wanted == candidate.sense.wanted]
        close = [one for one, p in zip(close, held, strict=True) if p in peers]
        if equal is not None:
            others = tuple(p for p in peers if p is not equal and self._given_up(candidate, p))
            if others:
                return Ruling(Outcome.UPDATE, _instead(equal.value, others), equal=equal, replaced=others)
            return Ruling(Outcome.PASS, f"you had told me {equal.value} already", equal=equal)
        if not peers:
            return Ruling(Outcome.APPEND, f"{_sensed(candidate)} is new to me")
        if not candidate.category.multi and candidate.sense.wanted:
            return Ruling(Outcome.UPDATE, _instead(candidate.value, peers), replaced=tuple(peers))
        return self._one_more(candidate, peers, close)

    def successor(self, sentence: str, held: Sequence[Preference]) -> tuple[Preference, Part] | None:
        """What is held that a sentence gives up, and what it puts in its place: "finally cancelled Deezer and went over to Tidal".

        By the marks alone: that the one is held tells the category, whatever the sentence looks like.
        """
        marked = self._encoder.marks(sentence)
        gone, own = marked.parts({Label.PAST}, AT), marked.parts(OWN, AT)
        ends = [
            p
            for p in held
            if not is_closed(p.detail)
            and (any(_part_of(p.value, one.text) for one in gone) or _past(marked.of(words(p.value))))
        ]
        if len(ends) != 1 or not ends[0].sense.wanted:
            return None
        own = tuple(one for one in own if not _part_of(ends[0].value, one.text))
        known = tuple(one for one in own if ends[0].detail in KINDS and plausible(ends[0].detail, one.text))
        takes = known or tuple(one for one in own if one.share >= TAKES_AT)
        return (ends[0], takes[0]) if len(known or own) == len(takes) == 1 and takes[0].label in WANTED else None

    def _opposite(
        self, candidate: Candidate, equal: Preference | None, held: Sequence[Preference]
    ) -> tuple[Preference, ...]:
        """What is held of the same value in the opposite sense: who dislikes a band does not like it, by whichever of its names."""
        against = [p for p in held if p.sense.wanted != candidate.sense.wanted]
        if equal is not None:
            return (equal,) if equal in against else ()
        return tuple(p for p in against if not is_closed(p.detail) and _part_of(candidate.value, p.value))

    def _equal(self, candidate: Candidate, existing: Sequence[Preference], close: Sequence[float]) -> Preference | None:
        value = fold(candidate.value)
        for preference in existing:
            if fold(preference.value) == value or _same_song(candidate, preference):
                return preference
        if is_closed(candidate.detail) or any(c.isdecimal() for c in value):
            return None  # "low" and "high", "21 degrees" and "22 degrees" are close to any encoder
        best = max(range(len(existing)), key=close.__getitem__, default=None)
        return existing[best] if best is not None and close[best] >= SAME_AT else None

    def _closeness(self, candidate: Candidate, existing: Sequence[Preference]) -> list[float]:
        if not existing:
            return []
        frame = f"{SUB_TITLES[candidate.category.sub]}, {candidate.category.title}: ".lower()
        vectors = self._encoder.encode([frame + v for v in (candidate.value, *(p.value for p in existing))])
        return [float(c) for c in vectors[1:] @ vectors[0]]

    def _ended(self, candidate: Candidate, equal: Preference | None, existing: Sequence[Preference]) -> Ruling:
        if equal is None:  # a surname ends the whole name, where no other could be meant
            meant = [p for p in existing if not is_closed(p.detail) and _part_of(candidate.value, p.value)]
            equal = meant[0] if len(meant) == 1 else None
        if equal is not None:
            return Ruling(Outcome.UPDATE, f"{equal.value} does not hold any more", replaced=(equal,), store=False)
        return Ruling(Outcome.DROPPED, "you said that it does not hold, and I had not remembered it")

    def _one_more(self, candidate: Candidate, existing: Sequence[Preference], close: Sequence[float]) -> Ruling:
        """A value that a multi category does not hold yet, beside those it holds."""
        named = tuple(p for p in existing if self._given_up(candidate, p))
        if named:
            return Ruling(Outcome.UPDATE, _instead(candidate.value, named), replaced=named)
        changed = switched(candidate.sentence)
        if changed and len(existing) == 1:
            return Ruling(Outcome.UPDATE, _instead(candidate.value, existing), replaced=tuple(existing))
        nearest = max(range(len(existing)), key=close.__getitem__)
        known = existing[nearest]
        in_doubt = changed or lately(candidate.sentence) or close[nearest] >= RELATED_AT
        if in_doubt and not is_closed(known.detail) and _part_of(candidate.value, known.value):
            return Ruling(Outcome.PASS, f"that is {known.value} in other words", equal=known)
        return Ruling(Outcome.APPEND, f"{candidate.value} joins {_list(existing)}")

    def _given_up(self, candidate: Candidate, stored: Preference) -> bool:
        """Whether the candidate's sentence names a stored value as what does not hold any more."""
        value, sentence = stored.value, candidate.sentence
        said = next((one for one in (value, f"{value}'s") if contains(sentence, one)), None)
        if said is None or contains(candidate.value, value):
            return False
        shares = self._encoder.marks(sentence).of(words(said))
        wanted, against = (sum(shares.get(label, 0.0) for label in own) for own in (WANTED, AGAINST))
        if not stored.sense.wanted:
            return False
        by_words = negated(sentence, value, polarity(stored.detail, value)) is not None
        return (wanted + against >= AT and against > wanted) or by_words or displaced(sentence, value)


def _past(shares: Mapping[Label, float]) -> bool:
    """Whether words that name what is held are more over than wanted, though they are not surely either."""
    past, wanted = shares.get(Label.PAST, 0.0), sum(shares.get(label, 0.0) for label in WANTED)
    return past > wanted and past + wanted >= AT


def _same_song(candidate: Candidate, stored: Preference) -> bool:
    """Whether a song is one that is stored, of which only one of the two tells who sings it."""
    if stored.detail != SONGS:
        return False
    first, second = (fold(value).rsplit(" by ", 1) for value in (candidate.value, stored.value))
    return first[0] == second[0] and len(first) != len(second)


def _sensed(candidate: Candidate) -> str:
    """A value with what the driver has against it."""
    return candidate.value if candidate.sense.wanted else f"that you {_AGAINST[candidate.sense]} {candidate.value}"


_AGAINST = {Sense.DISLIKES: "don't like", Sense.AVOIDS: "avoid"}


def _part_of(one: str, other: str) -> bool:
    """Whether all words of one value are among the other's, whichever is the longer."""
    first, second = ({word.removesuffix("'s") for word in words(fold(value))} for value in (one, other))
    return bool(first and second) and (first <= second or second <= first)


def _list(preferences: Sequence[Preference]) -> str:
    values = [p.value for p in preferences[:3]]
    return " and ".join(values) if len(preferences) <= 3 else f"{', '.join(values)} and others"


def _instead(value: str, replaced: Sequence[Preference]) -> str:
    return f"{value} takes the place of {_list(replaced)}"
