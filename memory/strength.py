"""How strongly something is still remembered: one formula for every kind of memory. Pure.

Retention is 2 to the minus (idle time over half-life), the exponential of MemoryBank's paper (arXiv 2305.10250, exp(-t/S); in
its released code a stronger memory fades faster, which a test here rules out). Every doubling of uses stretches the half-life;
what is important enough does not fade at all.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

KEEP_AT = 0.9
"""Importance from which on a memory does not fade: only what the driver asked to have remembered and what can harm (allergies
and the like) reaches it, and what was used `KEEP_USES` times."""
KEEP_USES = 16
"""Uses from which on a memory does not fade: in about three months of weekly use. Our choice."""
REINFORCEMENT = 0.5
"""How much each doubling of uses stretches the half-life; as in `memory.retrieval`. Our choice."""


def retention(
    idle: timedelta,
    half_life: timedelta,
    *,
    uses: int = 0,
    importance: float = 0.0,
    reinforcement: float = REINFORCEMENT,
) -> float:
    """What is left of a memory, 0..1.

    Args:
        idle: since it was said or used last; a clock that was set back counts as no time.
        half_life: of a memory that was never used; positive.
        uses: how often it was used.
        importance: 0..1.
        reinforcement: how much each doubling of uses stretches the half-life.
    """
    if lasting(importance, uses):
        return 1.0
    stretched = half_life.total_seconds() * (1.0 + reinforcement * math.log2(1 + uses))
    return float(0.5 ** (max(idle.total_seconds(), 0.0) / stretched))


def lasting(importance: float, uses: int = 0) -> bool:
    """Whether a memory does not fade."""
    return importance >= KEEP_AT or uses >= KEEP_USES


def idle(now: datetime, said: datetime, used: datetime | None) -> timedelta:
    """How long a memory has not been touched."""
    return now - max(said, used or said)
