"""Memories for tests: the real one with the small encoder, in a vault without a file or in a folder of the test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from memory.service import DriverMemory
from memory.store.preferences import Store
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Conversation, Kind, Preference, Turn
from schemas.ports import MemoryPort
from tests.vaults import KEY

M = TypeVar("M", bound=DriverMemory)


class StoppedClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def vault_of(driver: str, clock: Callable[[], datetime], folder: Path | None = None) -> Vault:
    return Vault.in_memory(clock=clock) if folder is None else Vault.open(folder, driver, KEY, clock=clock)


def memory_of(
    driver: str = "ada",
    *,
    clock: Callable[[], datetime],
    folder: Path | None = None,
    kind: type[M] = DriverMemory,
    **parts: Any,
) -> M:
    """A driver's memory; ``parts`` take the place of what it is made with."""
    return kind(driver, vault_of(driver, clock, folder), **(_parts(clock) | parts))


def _parts(clock: Callable[[], datetime]) -> dict[str, Any]:
    return {"encoder": KeywordEncoder(), "clock": clock}


class Desk:
    """One driver's memory, opened again and again over one folder, and the tables under the open one."""

    vault: Vault
    store: Store
    memory: DriverMemory | None = None

    def __init__(self, clock: Callable[[], datetime], folder: Path | None = None) -> None:
        self._clock, self._folder = clock, folder

    def __call__(self, *, folder: Path | None = None, **parts: Any) -> DriverMemory:
        """A memory; the one before is closed."""
        self.close()
        self.vault = vault_of("ada", self._clock, folder or self._folder)
        self.store = Store(self.vault)
        self.memory = DriverMemory("ada", self.vault, **(_parts(self._clock) | parts))
        return self.memory

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()


def talk(*said: str, at: datetime, name: str = "trip", confidence: float = 1.0) -> Conversation:
    """A conversation in which the driver says this, at one time."""
    return Conversation(
        id=name, turns=tuple(Turn(speaker="driver", text=text, at=at, confidence=confidence) for text in said)
    )


def fill(memory: MemoryPort, *kept: Preference) -> None:
    """Put preferences into a memory as they are: as the export of another that has them."""
    moment = StoppedClock(max(one.valid_from for one in kept))
    other = vault_of("other", moment)
    tables = Store(other)
    for one in kept:
        tables.add(one, moment())
    exported = DriverMemory("other", other, **_parts(moment)).export()
    other.close()
    taken = memory.take_in(exported)
    assert not taken.refused and taken.kinds == {Kind.PREFERENCE: len(kept)}


def talked(memory: DriverMemory, at: datetime, *said: str, answer: str = "I see, but I don't keep that.") -> None:
    """Conversations that are kept, one for each sentence."""
    for number, text in enumerate(said):
        memory.note(Turn(speaker="driver", text=text, at=at), f"trip-{number}")
        memory.note(Turn(speaker="assistant", text=answer, at=at), f"trip-{number}")
    memory.learn_pending()
    memory.reflect()


def likes(desk: Desk, name: str, detail: str, value: str, *said: str) -> None:
    """A preference that is stored."""
    at = StoppedClock().now
    held = Preference(
        id=name, detail=detail, value=value, sentences=said, conversation="trip-0", confidence=0.9, valid_from=at
    )
    with desk.store.transaction():
        desk.store.add(held, at)
