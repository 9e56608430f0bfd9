"""``glovebox bench day``: a day of driving by a clock of its own, an hour a drive, in one vault; errors and memory.

The driver types every two minutes: commands, free wordings, things to remember and to recall. With the end of each drive it is
learnt from and thought about. Sound is not part of it: what hearing costs over hours says ``tests.sound_rig``.
"""

from __future__ import annotations

import random
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from deploy.config import Config
from deploy.lab.dialogue.driving import Fleet
from deploy.lab.hearing.cases import COMMANDS, FREE
from deploy.lab.report.blocks import Progress
from deploy.machine.allocator import resting
from deploy.machine.footprint import resident_mb
from schemas.errors import GloveboxError

BEGAN = datetime(2026, 11, 2, 0, 0).astimezone()
EVERY_S = 120.0
SETTLED = 2
"""Hours after which memory counts: caches are full by then."""
TOLD = (
    "i love {kind} food", "remember that my locker is number {number}", "i like {kind} music", "what do you know about me",
    "where is my locker", "i don't like {kind} food any more", "remind me to call the office in {minutes} minutes",
)  # fmt: skip
KINDS = ("thai", "italian", "greek", "classical", "french", "mexican")


@dataclass(slots=True)
class Day:
    """What a day showed."""

    turns: int = 0
    errors: list[str] = field(default_factory=list[str])
    megabytes: list[float] = field(default_factory=list[float])
    """Resident after each hour."""

    @property
    def growth(self) -> float:
        """Share by which the last hour's memory is above that of the hour when it had settled."""
        return self.megabytes[-1] / self.megabytes[min(SETTLED, len(self.megabytes)) - 1] - 1.0

    def told(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "hours": len(self.megabytes), "turns": self.turns, "errors": self.errors,
            "resident_mb": [round(one, 1) for one in self.megabytes], "growth": round(self.growth, 4),
        }  # fmt: skip


def live(config: Config, hours: int, seed: int, tell: Progress) -> Day:
    """Live so many hours.

    Args:
        config: whose models are used; vault and vehicle are the measurement's own.
        hours: drives of an hour.
        seed: of what is said.
        tell: hears how far it is.

    Raises:
        schemas.errors.GloveboxError: a model cannot be had.
    """
    dice, found = random.Random(seed), Day()
    said = [*(case.text for case in COMMANDS), *(wording.text for wording in FREE), *TOLD]
    with ExitStack() as held:
        place = held.enter_context(tempfile.TemporaryDirectory(prefix="glovebox-day-"))
        with resting():  # as the program does
            fleet = held.enter_context(closing(Fleet(config, Path(place))))
        home = Path(place) / "home"
        home.mkdir()
        for hour in range(hours):
            tell("hours", hour, hours)
            try:
                with fleet.drive(home, BEGAN + timedelta(hours=hour)) as talk:
                    for _ in range(round(3600.0 / EVERY_S)):
                        text = dice.choice(said).format(
                            kind=dice.choice(KINDS), number=dice.randrange(10_000), minutes=dice.randrange(5, 60)
                        )
                        talk.say(text)
                        found.turns += 1
                        talk.wait(EVERY_S)
                    talk.over()
            except GloveboxError as error:
                found.errors.append(f"hour {hour + 1}: {type(error).__name__}: {error}")
            found.megabytes.append(resident_mb())
        tell("hours", hours, hours)
    return found
