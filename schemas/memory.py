"""What memory holds and answers with: preferences, decisions, receipts, recollections.

Values only. Senses, conditions, facts and consent are defined in `schemas.kinds`, and had from here.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from schemas.kinds import (
    CONVERSATIONS,
    ENDLESS,
    FACTS,
    OTHER,
    Condition,
    ConditionKind,
    Consent,
    Fact,
    Sense,
    Share,
    Terms,
    Value,
    usual,
)
from schemas.preferences import BY_DETAIL, Category

__all__ = (
    "CONVERSATIONS",
    "ENDLESS",
    "FACTS",
    "OTHER",
    "Condition",
    "ConditionKind",
    "Consent",
    "Fact",
    "Sense",
    "Terms",
    "usual",
)


class Status(StrEnum):
    """Whether a preference holds now, or held once. What was forgotten is gone and has no status."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"


class Turn(Value):
    """One turn of a conversation, kept until extraction has seen it."""

    speaker: str
    """``driver`` or ``assistant``."""
    text: str
    at: datetime
    confidence: Share = 1.0
    """How sure the recogniser was."""


class Conversation(Value):
    """What was said between a wake word and the end of the follow-up window (or a whole trip's talk)."""

    id: str
    turns: tuple[Turn, ...]

    def driver_turns(self) -> tuple[Turn, ...]:
        """The driver's turns, in order; ``Mention.turn`` counts them from 0."""
        return tuple(turn for turn in self.turns if turn.speaker == "driver")


class Words(Value):
    """A part of a text that may carry a value."""

    text: str
    probability: Share


class Candidate(Value):
    """A preference that extraction found and that maintenance has yet to decide on."""

    detail: str
    """Detail key of the category."""
    value: str
    sentence: str
    """The driver's own sentence that revealed it."""
    said_at: datetime
    conversation: str
    confidence: Share
    negated: bool = False
    """True: the driver said that it does *not* hold any more ("no more italian")."""
    sense: Sense = Sense.LIKES
    conditions: tuple[Condition, ...] = ()
    """All of them have to hold; none: always."""
    doubted: bool = False
    """True: something speaks against it, so that the driver is asked, however sure it is."""

    @property
    def category(self) -> Category:
        """The category of the candidate."""
        return BY_DETAIL[self.detail]


class Preference(Value):
    """A stored preference."""

    id: str
    detail: str
    value: str
    sentences: tuple[str, ...]
    """The driver's sentences that revealed it, oldest first."""
    conversation: str
    confidence: Share
    uses: int = 0
    status: Status = Status.ACTIVE
    valid_from: datetime
    valid_to: datetime | None = None
    """Set when it was superseded."""
    last_used: datetime | None = None
    sense: Sense = Sense.LIKES
    conditions: tuple[Condition, ...] = ()

    @property
    def category(self) -> Category:
        """The category of the preference."""
        return BY_DETAIL[self.detail]


class Outcome(StrEnum):
    """What became of a candidate."""

    APPEND = "append"
    PASS = "pass"  # noqa: S105 - the word of CarMem's protocol, not a password
    UPDATE = "update"
    REFUSED = "refused"
    """Consent forbids it: opted out, sensitive and not asked for, or learning is paused."""
    DROPPED = "dropped"
    """Not grounded in the driver's words, or verification disagreed."""
    ASK = "ask"
    """Not sure enough to be stored: it waits as a `Proposal` for the driver's yes."""
    DECLINED = "declined"
    """The driver was asked and said no."""


class Decision(Value):
    """What maintenance decided on one candidate, and why. ``candidate`` is None where it must not be shown again."""

    outcome: Outcome
    detail: str
    """Detail key of the category; `FACTS` of a fact."""
    reason: str
    """A sentence for the timeline and the driver; never holds the value of a refused candidate."""
    value: str | None = None
    """None for refused ones."""
    preference: str | None = None
    """Id of the preference that was written or matched."""
    proposal: str | None = None
    """Id of the proposal that was made, heard of again or answered."""
    replaced: tuple[str, ...] = ()
    """Values that were superseded."""
    sense: Sense = Sense.LIKES
    """In what sense the value was meant."""
    fact: str | None = None
    """Id of the fact that was written or matched; ``detail`` is `FACTS` then."""


MOST_ASKED = 2
"""How often the driver is asked aloud about the same thing at most."""


class Proposal(Value):
    """What may be a preference: not sure enough to be stored, so the driver is asked. Erased when answered or expired."""

    id: str
    detail: str
    """Detail key of the category."""
    value: str
    sentence: str
    """The driver's own sentence that hinted at it; the latest, if there were several."""
    said_at: datetime
    conversation: str
    confidence: Share
    """How sure all hints together are; which question comes first goes by it."""
    negated: bool = False
    """True: it may be that it does *not* hold any more."""
    expires_at: datetime
    asked: int = 0
    """How often the driver was asked aloud."""
    asked_at: datetime | None = None
    sense: Sense = Sense.LIKES
    conditions: tuple[Condition, ...] = ()

    @property
    def category(self) -> Category:
        """The category of the proposal."""
        return BY_DETAIL[self.detail]

    @property
    def confirmed(self) -> Candidate:
        """The proposal as the surest of candidates: what a yes makes of it."""
        return Candidate(
            detail=self.detail,
            value=self.value,
            sentence=self.sentence,
            said_at=self.said_at,
            conversation=self.conversation,
            confidence=1.0,
            negated=self.negated,
            sense=self.sense,
            conditions=self.conditions,
        )

    @property
    def due(self) -> bool:
        """Whether the driver may be asked aloud: not asked yet, or told again since and not asked too often."""
        return self.asked_at is None or (self.asked < MOST_ASKED and self.said_at > self.asked_at)


class Kind(StrEnum):
    """What a memory is."""

    PREFERENCE = "preference"
    EPISODE = "episode"
    SUMMARY = "summary"
    THOUGHT = "thought"
    EVENT = "event"
    PROFILE = "profile"
    FACT = "fact"


class Period(Value):
    """A stretch of time, half open: ``since <= moment < until``; a None end is open."""

    since: datetime | None = None
    until: datetime | None = None
    words: str = ""
    """What it was called ("last tuesday"), for the reply."""

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)


class Episode(Value):
    """Warm memory: what the driver said and what was answered, one exchange."""

    id: str
    conversation: str
    at: datetime
    driver: str
    """What the driver said."""
    assistant: str = ""
    """What was answered; empty if nothing was."""
    details: tuple[str, ...] = ()
    """Detail keys that the exchange is about: what consent and forgetting by category go by."""
    tags: tuple[str, ...] = ()
    """Keys of the ontology (``memory.store.tags``), at most three."""
    importance: Share = 0.0
    """From 1 on down; what is important enough does not decay."""
    links: tuple[str, ...] = ()
    """Ids of the nearest other memories, at most five, nearest first."""
    uses: int = 0
    last_used: datetime | None = None


class Trip(Value):
    """One drive, while conversations are kept; its id begins the ids of its conversations (``<trip>-<number>``)."""

    id: str
    began_at: datetime
    ended_at: datetime | None = None
    """None while it lasts, or where the program was cut off."""


class Thought(Value):
    """Cold memory: what post-thinking made of conversations. An ``event`` happened once, a ``thought`` is an induction."""

    id: str
    kind: Literal[Kind.THOUGHT, Kind.EVENT]
    text: str
    """Made only of words of its sources and of fixed wording."""
    at: datetime
    details: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """At most three."""
    sources: tuple[str, ...] = ()
    """Ids of the episodes and preferences that it was made of; when all of them are gone it goes."""
    links: tuple[str, ...] = ()
    """Ids of the nearest other memories, at most five, nearest first."""
    importance: Share = 0.0
    uses: int = 0
    last_used: datetime | None = None


class Summary(Value):
    """Cold memory: what a day was about."""

    id: str
    day: date
    """In the driver's zone."""
    text: str
    details: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class ProfileEntry(Value):
    """One line of the evolving profile: a fact, a habit, or a style that the driver has."""

    id: str
    aspect: Literal["fact", "habit", "style"]
    key: str
    """What it tells (``usual_departure``, ``reply_length``, ...): one entry a key holds at a time."""
    value: str
    details: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Ids of the episodes and preferences that it rests on; empty if the driver wrote it."""
    confidence: Share = 1.0
    since: datetime
    edited: bool = False
    """True: the driver wrote or corrected it, so that refinement leaves it alone."""


class Reflected(Value):
    """What post-thinking has made, and what was let go of afterwards because its time is over or for want of room."""

    seen: int = 0
    """Episodes that were thought about for the first time."""
    thoughts: tuple[Thought, ...] = ()
    """New thoughts and events."""
    entries: tuple[ProfileEntry, ...] = ()
    """Lines of the profile that are new or say something new."""
    let_go: dict[Kind, int] = Field(default_factory=dict[Kind, int])


class Found(Value):
    """A memory of any kind that was found for a question."""

    kind: Kind
    id: str
    text: str
    at: datetime
    details: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    score: float
    """How sure it is that it answers what was asked, x decay x importance: 0..1."""
    whole: bool = False
    """Whether it says every word by which the question tells what it is about."""


class Listing(Value):
    """A page of a list that may be long."""

    total: int
    """How many there are on all pages."""
    preferences: tuple[Preference, ...] = ()
    others: tuple[Found, ...] = ()
    """What is no preference; their score says nothing."""
    facts: tuple[Fact, ...] = ()


class Waiting(Value):
    """A timer or reminder that has not rung yet, as it is kept."""

    kind: Literal["timer", "reminder"]
    label: str
    """What it is called, or the driver's words for the errand; empty for a timer without a name."""
    at: AwareDatetime
    """When it is due."""


class Selector(Value):
    """What to forget: everything that meets all of what is given. At least one must be given."""

    id: str | None = None
    """A preference, proposal, episode, thought, summary or profile entry."""
    ids: tuple[str, ...] = ()
    """Several of those at once: whichever of them are there."""
    text: str | None = None
    """Whatever holds these words, in a value, a sentence or an exchange."""
    about: str | None = None
    """What the driver calls it ("that I like jazz", "where I work"): whatever these words mean."""
    key: str | None = None
    """A main, sub or detail key."""
    conversation: str | None = None
    """A conversation, or a trip with all of its conversations (``<trip>-<number>``)."""
    period: Period | None = None
    everything: bool = False

    @property
    def names(self) -> frozenset[str] | None:
        """The ids that are meant; None: whatever meets the other conditions."""
        return frozenset((*self.ids, *([self.id] if self.id is not None else []))) or None


class Matches(Value):
    """What a selector stands for: what would be forgotten if it were."""

    preferences: tuple[Preference, ...] = ()
    """Those that would go as a whole, newest first."""
    kinds: dict[Kind, int] = Field(default_factory=dict[Kind, int])
    """How many of each kind, history and whatever derives from them included."""
    sentences: int = 0
    """Sentences of preferences that stay, because the driver said them at another time, too."""
    turns: int = 0
    """Turns that wait to be learnt from."""
    proposals: int = 0
    asked: tuple[Proposal, ...] = ()
    others: tuple[Found, ...] = ()
    """What stands beside preferences, by its own text; of the profile what it tells is in the tags, too."""
    timers: int = 0
    reminders: int = 0

    @property
    def things(self) -> int:
        """How many they are, with what belongs to them; timers and reminders that wait are not among them."""
        return sum(self.kinds.values()) + self.sentences + self.turns + self.proposals

    @property
    def empty(self) -> bool:
        """Whether there is nothing of it."""
        return not (self.kinds or self.sentences or self.turns or self.proposals or self.timers or self.reminders)


class Withheld(Value):
    """What is on its way out: shown nowhere any more, and erased unless it is taken back in time."""

    token: str
    until: datetime
    """Until when it can be taken back."""
    matches: Matches


class TakenIn(Value):
    """What became of an export that was read in. Nothing of what was refused is kept."""

    kinds: dict[Kind, int] = Field(default_factory=dict[Kind, int])
    """How many of each kind are stored now that were not before."""
    known: int = 0
    """How many were there already."""
    timers: int = 0
    reminders: int = 0
    refused: dict[str, str] = Field(default_factory=dict[str, str])
    """Detail key, kind, or the list of the export that it stood in -> why it was not read in."""


class Explanation(Value):
    """Why something is remembered, and what it was used for."""

    preference: Preference
    because: tuple[tuple[datetime, str], ...]
    """When the driver said what, oldest first."""
    used_for: tuple[tuple[datetime, str], ...] = ()
    """When it was used for which action (its name, no slots), latest first."""
    history: tuple[Preference, ...] = ()
    """What it took the place of, latest first."""


class Recollection(Value):
    """A stored preference that was recalled for a request."""

    preference: Preference
    score: float
    """How sure it is that it answers what was asked, x decay x importance: 0..1."""


class Receipt(Value):
    """What an erasure removed: ids, categories, times and counts; never content."""

    erased: tuple[str, ...]
    categories: tuple[str, ...]
    at: datetime
    turns_erased: int = 0
    proposals_erased: int = 0
    sentences_erased: int = 0
    """Sentences of preferences that stay, because they were told at another time, too."""
    timers_erased: int = 0
    reminders_erased: int = 0
    kinds: dict[Kind, int] = Field(default_factory=dict)
    """How many of each kind went, whatever derives from them included."""
    period: Period | None = None
    """From when to when what went was said; its ``words`` are empty."""
    backups_erased: int = 0
    verified: bool
    """True: afterwards no byte of the erased values was found in any file of the vault's folder."""
