"""The shape of an export: everything that is stored about a driver, as JSON values.

Owns the format and its version; `Export.model_json_schema()` is its JSON schema. Times are ISO 8601 in UTC. What the
driver said is marked as provided (GDPR article 20); nothing here is inferred beyond the category and the value.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from memory.store import Store
from schemas.memory import Preference, Proposal, Status

FORMAT_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExportedPreference(_Part):
    """A preference that holds or held."""

    id: str
    category: str
    """``main.sub.detail``."""
    value: str
    sentences: tuple[str, ...]
    """The driver's own sentences that revealed it, oldest first."""
    status: Status
    confidence: float
    uses: int
    valid_from: datetime
    valid_to: datetime | None
    last_used: datetime | None
    conversation: str
    kept_unused_days: int
    """How long it is kept unused."""


class ExportedConsent(_Part):
    """What may be remembered."""

    opted_out: tuple[str, ...]
    opted_in: tuple[str, ...]
    paused_until: datetime | None
    private_trip: bool


class ExportedTurn(_Part):
    """What was said and not yet learnt from."""

    conversation: str
    text: str
    at: datetime


class ExportedProposal(_Part):
    """What may be a preference and waits for the driver's yes."""

    id: str
    category: str
    """``main.sub.detail``."""
    value: str
    sentence: str
    negated: bool
    """True: it may be that it does not hold any more."""
    confidence: float
    said_at: datetime
    expires_at: datetime
    asked: int
    """How often the driver was asked aloud."""
    conversation: str


class ExportedDecision(_Part):
    """An entry of the log."""

    at: datetime
    conversation: str
    outcome: str
    detail: str | None
    preference: str | None


class Export(_Part):
    """Everything."""

    format: Literal["glovebox-memory"] = "glovebox-memory"
    version: Literal[1] = FORMAT_VERSION
    driver: str
    exported_at: datetime
    consent: ExportedConsent
    preferences: tuple[ExportedPreference, ...]
    waiting: tuple[ExportedTurn, ...]
    proposals: tuple[ExportedProposal, ...]
    declined_until: tuple[datetime, ...]
    """For each thing that the driver said no to, until when it is not asked again. What it was is not stored."""
    decisions: tuple[ExportedDecision, ...]


def export(store: Store, driver: str, now: datetime) -> dict[str, Any]:
    """Everything in a store, as JSON values in the shape of `Export`."""
    consent = store.consent()
    whole = Export(
        driver=driver,
        exported_at=now,
        consent=ExportedConsent(
            opted_out=tuple(sorted(consent.opted_out)),
            opted_in=tuple(sorted(consent.opted_in)),
            paused_until=consent.paused_until,
            private_trip=consent.private_trip,
        ),
        preferences=tuple(exported(p) for p in store.preferences(history=True)),
        waiting=tuple(
            ExportedTurn(conversation=c.id, text=turn.text, at=turn.at) for c in store.waiting() for turn in c.turns
        ),
        proposals=tuple(_proposed(p) for p in store.proposals()),
        declined_until=tuple(sorted(store.declined().values())),
        decisions=tuple(ExportedDecision.model_validate(entry) for entry in store.logged()),
    )
    return whole.model_dump(mode="json")


def exported(preference: Preference) -> ExportedPreference:
    """A preference as it is exported."""
    return ExportedPreference(
        id=preference.id,
        category=preference.category.key,
        value=preference.value,
        sentences=preference.sentences,
        status=preference.status,
        confidence=preference.confidence,
        uses=preference.uses,
        valid_from=preference.valid_from,
        valid_to=preference.valid_to,
        last_used=preference.last_used,
        conversation=preference.conversation,
        kept_unused_days=preference.category.retention_days,
    )


def _proposed(proposal: Proposal) -> ExportedProposal:
    return ExportedProposal(
        id=proposal.id,
        category=proposal.category.key,
        value=proposal.value,
        sentence=proposal.sentence,
        negated=proposal.negated,
        confidence=proposal.confidence,
        said_at=proposal.said_at,
        expires_at=proposal.expires_at,
        asked=proposal.asked,
        conversation=proposal.conversation,
    )
