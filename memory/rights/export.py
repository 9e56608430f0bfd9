"""The shape of an export: everything that is stored about a driver, as JSON values.

Owns the format and its version; docs/schemas/export.schema.json is the schema of `Export`, as a test checks. Times are ISO 8601 in
UTC. Every part says on what basis it is there (GDPR article 20): what the driver *provided*, or what was *inferred* from it.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from memory.store.conversations import Archive
from memory.store.preferences import Sentence, Store, Use
from memory.store.reminders import stored
from schemas.kinds import Days
from schemas.memory import Condition, Kind, Outcome, Preference, Proposal, Sense, Status

FORMAT_VERSION = 4
"""1 had no tiers, and no times of sentences; 2 had no terms, timers and reminders; 3 had no senses, conditions and facts; all of
them can still be read in."""

Basis = Literal["provided", "inferred"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, json_schema_serialization_defaults_required=True
    )


class ExportedSentence(_Part):
    """What the driver said."""

    text: str
    said_at: AwareDatetime
    conversation: str


class ExportedUse(_Part):
    """What a preference was used for."""

    at: AwareDatetime
    action: str
    """Name of the action, without its slots."""


class ExportedPreference(_Part):
    """A preference that holds or held. The sentences are provided; category, value and confidence were inferred from them."""

    basis: Basis = "provided"
    id: str
    category: str
    """``main.sub.detail``."""
    value: str
    sense: Sense
    """Whether the value is liked, disliked, avoided or needed."""
    conditions: tuple[Condition, ...]
    """All of them have to hold."""
    sentences: tuple[ExportedSentence, ...]
    """The driver's own sentences that revealed it, oldest first."""
    status: Status
    confidence: Share
    uses: int = Field(ge=0)
    valid_from: AwareDatetime
    valid_to: AwareDatetime | None
    superseded_by: str | None
    """Id of the preference that took its place."""
    last_used: AwareDatetime | None
    used_for: tuple[ExportedUse, ...]
    """Latest first."""
    conversation: str
    kept_unused_days: int
    """How long it is kept unused."""


class ExportedConsent(_Part):
    """What may be remembered."""

    opted_out: tuple[str, ...]
    opted_in: tuple[str, ...]
    paused_until: AwareDatetime | None
    private_trip: bool


class ExportedTurn(_Part):
    """What was said and not yet learnt from."""

    basis: Basis = "provided"
    conversation: str
    text: str
    at: AwareDatetime
    confidence: Share = 1.0
    """How sure the recogniser was."""


class ExportedProposal(_Part):
    """What may be a preference and waits for the driver's yes. The sentence is provided, the rest inferred."""

    basis: Basis = "inferred"
    id: str
    category: str
    """``main.sub.detail``."""
    value: str
    sense: Sense
    conditions: tuple[Condition, ...]
    sentence: str
    negated: bool
    """True: it may be that it does not hold any more."""
    confidence: Share
    said_at: AwareDatetime
    expires_at: AwareDatetime
    asked: int = Field(ge=0)
    """How often the driver was asked aloud."""
    asked_at: AwareDatetime | None = None
    conversation: str


class ExportedDecision(_Part):
    """An entry of the log."""

    at: AwareDatetime
    conversation: str
    outcome: Outcome
    detail: str | None
    preference: str | None


class ExportedTrip(_Part):
    """A drive, while conversations are kept."""

    id: str
    began_at: AwareDatetime
    ended_at: AwareDatetime | None


class ExportedEpisode(_Part):
    """What the driver said and what was answered."""

    basis: Basis = "provided"
    id: str
    conversation: str
    at: AwareDatetime
    driver: str
    assistant: str
    details: tuple[str, ...]
    tags: tuple[str, ...]
    importance: Share
    uses: int = Field(ge=0)
    last_used: AwareDatetime | None


class ExportedThought(_Part):
    """What was made of conversations."""

    basis: Basis = "inferred"
    id: str
    kind: Literal["thought", "event"]
    text: str
    at: AwareDatetime
    details: tuple[str, ...]
    tags: tuple[str, ...]
    sources: tuple[str, ...]
    importance: Share
    uses: int = Field(ge=0)
    last_used: AwareDatetime | None


class ExportedLine(_Part):
    """A line of a summary, and the id of the memory that it is about."""

    source: str
    text: str
    details: tuple[str, ...]
    tags: tuple[str, ...]


class ExportedSummary(_Part):
    """What a day was about."""

    basis: Basis = "inferred"
    id: str
    day: date
    lines: tuple[ExportedLine, ...]


class ExportedEntry(_Part):
    """A line of the profile; provided if the driver wrote it."""

    basis: Basis
    id: str
    aspect: Literal["fact", "habit", "style"]
    key: str
    value: str
    details: tuple[str, ...]
    sources: tuple[str, ...]
    confidence: Share
    since: AwareDatetime


class ExportedFact(_Part):
    """What the driver asked to have kept and is no preference."""

    basis: Basis = "provided"
    id: str
    text: str
    about: str
    """The driver's words for whom it is about; empty: the driver, or nobody."""
    said_at: AwareDatetime
    conversation: str
    until: AwareDatetime | None
    """When it stops mattering; null: never."""
    until_words: str
    uses: int = Field(ge=0)
    last_used: AwareDatetime | None


class ExportedTerms(_Part):
    """How long the driver wants what comes of conversations kept, in days."""

    basis: Basis = "provided"
    conversation_days: Days
    """What was said, word for word."""
    thought_days: Days
    """Thoughts and events, unused."""
    summary_days: Days
    """Days and trips."""


class ExportedNotice(_Part):
    """A timer or reminder that waits."""

    basis: Basis = "provided"
    kind: Literal["timer", "reminder"]
    label: str
    """What the driver called it, or wants to be reminded of; empty for a timer without a name."""
    due_at: AwareDatetime


class Export(_Part):
    """Everything that Glovebox stores about one driver."""

    format: Literal["glovebox-memory"] = "glovebox-memory"
    version: Literal[4] = FORMAT_VERSION
    driver: str
    exported_at: AwareDatetime
    consent: ExportedConsent
    terms: ExportedTerms | None
    """Null where the driver chose none."""
    preferences: tuple[ExportedPreference, ...]
    waiting: tuple[ExportedTurn, ...]
    proposals: tuple[ExportedProposal, ...]
    declined_until: tuple[AwareDatetime, ...]
    """For each thing that the driver said no to, until when it is not asked again. What it was is not stored."""
    decisions: tuple[ExportedDecision, ...]
    trips: tuple[ExportedTrip, ...]
    episodes: tuple[ExportedEpisode, ...]
    thoughts: tuple[ExportedThought, ...]
    summaries: tuple[ExportedSummary, ...]
    profile: tuple[ExportedEntry, ...]
    facts: tuple[ExportedFact, ...]
    notices: tuple[ExportedNotice, ...]
    """Timers and reminders, the next one first."""


def export(store: Store, archive: Archive, driver: str, now: datetime) -> dict[str, Any]:
    """Everything that is stored, as JSON values in the shape of `Export`."""
    consent = store.consent()
    preferences = store.preferences(history=True)
    said, uses, after = store.sentences(), store.uses(p.id for p in preferences), store.successors()
    lines, terms = archive.lines(), store.terms()
    whole = Export(
        driver=driver,
        exported_at=now,
        consent=ExportedConsent(
            opted_out=tuple(sorted(consent.opted_out)),
            opted_in=tuple(sorted(consent.opted_in)),
            paused_until=consent.paused_until,
            private_trip=consent.private_trip,
        ),
        terms=None if terms is None else ExportedTerms(**terms.model_dump()),
        preferences=tuple(_preference(p, said.get(p.id, ()), uses.get(p.id, ()), after.get(p.id)) for p in preferences),
        waiting=tuple(
            ExportedTurn(conversation=c.id, text=turn.text, at=turn.at, confidence=turn.confidence)
            for c in store.waiting()
            for turn in c.turns
        ),
        proposals=tuple(_proposal(p) for p in store.proposals()),
        declined_until=tuple(sorted(store.declined().values())),
        decisions=tuple(ExportedDecision.model_validate(entry) for entry in store.logged()),
        trips=tuple(ExportedTrip.model_validate(trip.model_dump()) for trip in archive.trips()),
        episodes=tuple(
            ExportedEpisode.model_validate(e.model_dump(include=set(ExportedEpisode.model_fields)))
            for e in archive.episodes()
        ),
        thoughts=tuple(
            ExportedThought.model_validate(
                {**t.model_dump(include=set(ExportedThought.model_fields)), "kind": Kind(t.kind).value}
            )
            for t in archive.thoughts()
        ),
        summaries=tuple(
            ExportedSummary(
                id=s.id,
                day=s.day,
                lines=tuple(
                    ExportedLine(source=line.source, text=line.text, details=line.details, tags=line.tags)
                    for line in lines.get(s.id, ())
                ),
            )
            for s in archive.summaries()
        ),
        profile=tuple(
            ExportedEntry(
                basis="provided" if e.edited else "inferred",
                **e.model_dump(include=set(ExportedEntry.model_fields) - {"basis"}),
            )
            for e in archive.profile()
        ),
        facts=tuple(ExportedFact.model_validate(fact.model_dump()) for fact in store.facts.all()),
        notices=tuple(ExportedNotice(kind=one.kind, label=one.label, due_at=one.at) for one in stored(store)),
    )
    return whole.model_dump(mode="json")


def _preference(
    preference: Preference,
    said: tuple[Sentence, ...] | list[Sentence],
    uses: tuple[Use, ...],
    after: str | None,
) -> ExportedPreference:
    return ExportedPreference(
        id=preference.id,
        category=preference.category.key,
        value=preference.value,
        sense=preference.sense,
        conditions=preference.conditions,
        sentences=tuple(ExportedSentence(text=s.text, said_at=s.said_at, conversation=s.conversation) for s in said),
        status=preference.status,
        confidence=preference.confidence,
        uses=preference.uses,
        valid_from=preference.valid_from,
        valid_to=preference.valid_to,
        superseded_by=after,
        last_used=preference.last_used,
        used_for=tuple(ExportedUse(at=at, action=action) for at, action in uses),
        conversation=preference.conversation,
        kept_unused_days=preference.category.retention_days,
    )


def _proposal(proposal: Proposal) -> ExportedProposal:
    return ExportedProposal(
        id=proposal.id,
        category=proposal.category.key,
        value=proposal.value,
        sense=proposal.sense,
        conditions=proposal.conditions,
        sentence=proposal.sentence,
        negated=proposal.negated,
        confidence=proposal.confidence,
        said_at=proposal.said_at,
        expires_at=proposal.expires_at,
        asked=proposal.asked,
        asked_at=proposal.asked_at,
        conversation=proposal.conversation,
    )
