"""What the tests of kept conversations share: a memory on a disk, whose time a test sets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.service import DriverMemory, MemorySettings
from memory.settings import TierSettings
from memory.store.conversations import Archive
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Turn
from tests.memories import vault_of

START = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


class Bench:
    """A memory whose time a test sets."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, START
        self.encoder = KeywordEncoder()
        self.memory = self.open()

    def open(self, settings: TierSettings | None = None) -> DriverMemory:
        vault = vault_of("ada", lambda: self.now, self.folder)
        self.memory = DriverMemory(
            "ada", vault, encoder=self.encoder, clock=lambda: self.now, zone=BERLIN,
            settings=MemorySettings(tiers=settings or TierSettings()),
        )  # fmt: skip
        return self.memory

    @property
    def archive(self) -> Archive:
        return self.memory.session.archive

    def again(self, settings: TierSettings | None = None) -> DriverMemory:
        self.memory.close()
        return self.open(settings)

    def say(self, driver: str, assistant: str = "Okay.", talk: str = "t1-1", *, minutes: int = 1) -> None:
        self.memory.note(Turn(speaker="driver", text=driver, at=self.now), talk)
        self.memory.note(Turn(speaker="assistant", text=assistant, at=self.now), talk)
        self.now += timedelta(minutes=minutes)

    def spoken(self) -> list[str]:
        return [e.driver for e in self.memory.episodes()]
