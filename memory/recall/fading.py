"""How memories fade and what weighs: decay and importance of every kind, as numbers. Pure.

Decay is exponential in the time since a memory was last used, over its strength, as in MemoryBank's paper (arXiv 2305.10250:
exp(-t/S)) and not as in its code, where a stronger memory fades faster. Strength is a half-life that doubles of uses stretch.
"""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict, Field

from schemas.memory import Kind
from schemas.preferences import BY_DETAIL

NEVER = math.inf


class FadingSettings(BaseModel):
    """Half-lives in days, and what importance weighs. Our choices, but where a source is named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode_days: float = Field(default=730.0, gt=0.0)
    """Long, since what is asked for may be old: on LoCoMo's dialogues, half a year to a year long, a shorter half-life only costs
    (docs/log.md)."""
    thought_days: float = Field(default=730.0, gt=0.0)
    event_days: float = Field(default=1460.0, gt=0.0)
    summary_days: float = Field(default=1460.0, gt=0.0)
    reinforcement: float = Field(default=0.5, ge=0.0)
    """How much each doubling of uses stretches the half-life."""
    steady_from: float = Field(default=0.8, ge=0.0, le=1.0)
    """Importance from which on a memory does not decay."""
    floor: float = Field(default=0.9, ge=0.0, le=1.0)
    """What a memory of no importance weighs; of full importance it is 1."""

    def half_life(self, kind: Kind, uses: int, importance: float) -> float:
        """Days after which half is left of an unused memory of a kind; infinite for the profile and what is important."""
        days = {
            Kind.EPISODE: self.episode_days,
            Kind.THOUGHT: self.thought_days,
            Kind.EVENT: self.event_days,
            Kind.SUMMARY: self.summary_days,
        }.get(kind, NEVER)
        return NEVER if importance >= self.steady_from else days * strength(uses, self.reinforcement)

    def weight(self, importance: float) -> float:
        """What importance makes of a score, 0..1."""
        return self.floor + (1.0 - self.floor) * importance


def strength(uses: int, reinforcement: float) -> float:
    """By how much uses stretch a half-life, from 1 on."""
    return 1.0 + reinforcement * math.log2(1 + uses)


def preference_half_life(detail: str, uses: int, reinforcement: float) -> float:
    """Days for a preference: the category's retention time; infinite for sensitive ones (allergies, an accessible space)."""
    category = BY_DETAIL[detail]
    return NEVER if category.sensitive else category.retention_days * strength(uses, reinforcement)


def preference_weight(confidence: float, sentences: int, floor: float) -> float:
    """How surely a preference was learnt, ``floor`` to 1; every further time it was said halves the doubt."""
    return 1.0 - (1.0 - floor) * (1.0 - confidence) * 0.5 ** max(sentences - 1, 0)
