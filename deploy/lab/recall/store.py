"""Memories filled as the assistant fills them: what was said is noted turn by turn, and becomes episodes when it is over.

Owns a driver's memory in a folder that lasts as long as the measurement, and what is asked of it: the period that the question
names, what is left of the question without it, and the search, all by the memory's own port.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from deploy.lab.carmem.parts import Parts
from deploy.lab.recall.data import Exchange, History
from deploy.lab.report.blocks import Progress
from memory.recall.search import SearchTuning
from memory.service import DriverMemory
from memory.settings import TierSettings
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from schemas.memory import CONVERSATIONS, Found, Kind, Turn
from schemas.preferences import CATEGORIES, KINDS

LASTING_DAYS = 3650
"""The longest that the configuration allows; the default would let the older half of a dialogue go before it is asked about."""


@dataclass(slots=True)
class Moment:
    """A clock that stands still until it is set."""

    now: datetime

    def __call__(self) -> datetime:
        """The moment."""
        return self.now


@dataclass(slots=True)
class Filled:
    """A memory, and which turns each of its episodes holds."""

    memory: DriverMemory
    history: History
    reopen: Callable[[SearchTuning], DriverMemory]
    turns: dict[str, tuple[str, ...]]
    """Episode id -> names of turns, in order."""

    def ask(self, question: str, limit: int) -> tuple[Found, ...]:
        """What the memory finds for a question."""
        return self.memory.search(question, kinds=[Kind.EPISODE], period=self.memory.period(question), limit=limit)

    def named(self, found: Sequence[Found]) -> list[str]:
        """The turns of what was found, in its order."""
        return [turn for one in found for turn in self.turns[one.id]]

    def search_by(self, settings: SearchTuning) -> None:
        """Search by other parameters from now on: the vault is opened anew, which encodes nothing."""
        self.memory.close()
        self.memory = self.reopen(settings)


@contextmanager
def filled(parts: Parts, histories: Sequence[History]) -> Generator[list[Filled]]:
    """A memory for each history, with conversations and all categories switched on."""
    with tempfile.TemporaryDirectory() as folder:
        made: list[Filled] = []
        try:
            for number, history in enumerate(histories):
                made.append(_filled(parts, history, Path(folder) / str(number)))
            yield made
        finally:
            for one in made:
                one.memory.close()


Answers = TypeVar("Answers")


def each_way(
    parts: Parts,
    memories: Sequence[Filled],
    tell: Progress,
    ablations: Mapping[str, Mapping[str, Any]],
    ask: Callable[[Sequence[Filled], Progress, str], Answers],
) -> tuple[Answers, dict[str, Answers]]:
    """Let the memories think, then ask them with the settings as they are, and once for each change of the search."""
    for number, one in enumerate(memories):
        tell("thinking about episodes", number, len(memories))
        one.memory.reflect()
    ours = ask(memories, tell, "asking")
    left_out: dict[str, Answers] = {}
    for name, change in ablations.items():
        for one in memories:
            one.search_by(parts.settings.recall.model_copy(update=change))
        left_out[name] = ask(memories, tell, name.replace("_", " "))
    return ours, left_out


def _lasting(tiers: TierSettings) -> TierSettings:
    """Conversations kept for years, as a driver may set it: the dialogues are up to a year long, and asked about at their end."""
    return tiers.model_copy(update={"conversation_days": LASTING_DAYS})


def _filled(parts: Parts, history: History, folder: Path) -> Filled:
    clock = Moment(history.exchanges[0].at)

    def opened(settings: SearchTuning) -> DriverMemory:
        vault = Vault.open(folder, "driver", RawKey(bytes(32)), clock=clock)
        everything = parts.settings.model_copy(update={"recall": settings, "tiers": _lasting(parts.settings.tiers)})
        return DriverMemory("driver", vault, encoder=parts.encoder, clock=clock, settings=everything)

    memory = opened(parts.settings.recall)
    memory.opt_in(CONVERSATIONS)
    for key in (*(category.detail for category in CATEGORIES if category.sensitive), *KINDS):
        memory.opt_in(key)  # people's diaries tell of all of it
    for number, exchange in enumerate(history.exchanges):
        clock.now = exchange.at
        memory.note(Turn(speaker="driver", text=exchange.driver, at=exchange.at), exchange.conversation)
        if exchange.assistant:
            memory.note(Turn(speaker="assistant", text=exchange.assistant, at=exchange.at), exchange.conversation)
        last = number + 1 == len(history.exchanges)
        if last or history.exchanges[number + 1].conversation != exchange.conversation:
            memory.conversations.settle()
    clock.now = history.after
    by: dict[str, list[Exchange]] = {}
    for exchange in history.exchanges:
        by.setdefault(exchange.conversation, []).append(exchange)
    turns = {
        episode.id: tuple(
            name for one in by[episode.conversation] for name in one.turns
            if one.at == episode.at or (one.at > episode.at and one.driver in episode.driver.split(" / ")[1:])
        )
        for episode in memory.episodes()
    }  # fmt: skip
    return Filled(memory, history, opened, turns)
