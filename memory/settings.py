"""What of memory can be configured: the keys under ``[memory]``, with unit, range and meaning.

Owns what a driver or an engineer may set; the configuration nests these models. What was measured and nobody sets is a constant of
the module that reads it; what only the laboratory sets stands there, too (`memory.recall.search.SearchTuning`).
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class BackupSettings(_Settings):
    """How long the encrypted copies are kept that are made before an upgrade of the vault's tables."""

    days: int = Field(default=30, ge=0, le=365)
    """Days; 0: until the vault is next opened and found sound."""
    most: int = Field(default=3, ge=0, le=20)
    """The newest ones, so many at most."""


class RecallSettings(_Settings):
    """What search over everything that is remembered lets through."""

    answers_at: float = Field(default=0.45, ge=0.0, le=1.0)
    """How sure it has to be that what stands alone (a fact, a preference) answers the question, else it is not found."""
    gate_at: float = Field(default=0.46, ge=0.0, le=1.0)
    """How much of the talk has to be near a question that exchanges are found for it in any case; 0: they always are."""
    gate_named_at: float = Field(default=0.40, ge=0.0, le=1.0)
    """The same within the time that the question names."""
    decays: bool = True
    """Whether what was not used for long counts less."""


class RetentionSettings(_Settings):
    """Days that things are kept."""

    conversation_days: int = Field(default=90, ge=1, le=3650)
    """Days that words are kept as they were said; only what the driver asks to have remembered stays longer."""
    thought_days: int = Field(default=365, ge=1, le=3650)
    """Days that a thought or a key event is kept without use."""
    summary_days: int = Field(default=365, ge=1, le=3650)
    """Days that daily summaries and the times of trips are kept."""


class Prune(StrEnum):
    """By what memories go for want of room."""

    RELEVANCE = "relevance"
    LRU = "lru"


class RoomSettings(_Settings):
    """When memories go for want of room, and by which rule."""

    prune: Prune = Prune.LRU
    """Which exchanges go when there are more than fit: the least recently used ones, or those furthest from recent questions."""
    capacity: int = Field(default=5_000, ge=1, le=1_000_000)
    """Exchanges that a vault holds at most."""


class TierSettings(RetentionSettings, RoomSettings):
    """How conversations are kept, if the driver asks for it (`glovebox memory optin conversations`)."""

    zone: str = Field(default="local", min_length=1, max_length=200)
    """Time zone by which days are counted, such as ``Europe/Berlin``; ``local`` is the device's."""
