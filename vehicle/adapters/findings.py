"""What an adapter found when it looked at its vehicle, in lines that an engineer can act on.

Owns the form of a finding. Each adapter makes its own (``VehicleAdapter.check``); ``glovebox vehicle check`` prints them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is as it should be, is missing, or is wrong."""

    verdict: Verdict
    """``ok``; ``warn``: works, but without something; ``fail``: has to be mended."""
    subject: str
    """What it is about: the connection, or a signal of ``vehicle.signals``."""
    text: str
    """What was found and what to do."""
