"""How strongly something is still remembered, and whether it is let go. Pure.

Retention is 2 to the minus (idle time over half-life), the exponential of MemoryBank's paper (arXiv 2305.10250, exp(-t/S); in
its released code a stronger memory fades faster, which a test here rules out). Uses stretch the half-life as they do in search
(`memory.recall.fading`); what is important enough does not fade at all.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from memory.recall.fading import FadingSettings, strength

KEEP_AT = FadingSettings().steady_from
"""Importance from which on a memory does not fade, in search or here: only what the driver asked to have remembered and what can
harm (allergies and the like) reaches it, and what was used `KEEP_USES` times."""
KEEP_USES = 16
"""Uses from which on a memory does not fade: in about four months of weekly use. Our choice."""
MOST = 0.75
"""Importance that a memory reaches at most by anything else."""


def retention(idle: timedelta, half_life: timedelta, *, uses: int = 0, importance: float = 0.0) -> float:
    """What is left of a memory, 0..1.

    Args:
        idle: since it was said or used last; a clock that was set back counts as no time.
        half_life: of a memory that was never used; positive.
        uses: how often it was used.
        importance: 0..1.
    """
    if lasting(importance, uses):
        return 1.0
    stretched = half_life.total_seconds() * strength(uses, FadingSettings().reinforcement)
    return float(0.5 ** (max(idle.total_seconds(), 0.0) / stretched))


def lasting(importance: float, uses: int = 0) -> bool:
    """Whether a memory does not fade."""
    return importance >= KEEP_AT or uses >= KEEP_USES


def idle(now: datetime, said: datetime, used: datetime | None) -> timedelta:
    """How long a memory has not been touched."""
    return now - max(said, used or said)
