"""The assistant, and a car for every stream of sound in which nothing has happened yet.

Owns the temporary home: the driver's real vault is never touched. Learning waits for the end of a trip that never comes, and no
questions are asked by the way, so that what is measured is hearing. Plays through `Assistant.play_back`, nothing else.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from deploy.app import assemble
from deploy.assistant import Assistant
from deploy.config import Config
from deploy.engines import NAMES
from deploy.timeline import TimelineEntry
from schemas.events import Samples
from voice.audio.wavefile import WaveSink, WaveSource
from voice.loop import Load


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a stream."""

    entries: tuple[TimelineEntry, ...]
    values: Mapping[str, Any]
    """The vehicle's signals afterwards."""
    load: Load
    cpu_s: float
    """Processor time of this process, threads included."""


class Car(Protocol):
    """Something that hears streams."""

    def play(self, samples: Samples, before: Sequence[str] = ()) -> Played:
        """Play a stream in a car in which nothing has happened but what was typed before."""
        ...


class Rig:
    """An assistant as `deploy.app.assemble` makes it; meets `Car`."""

    def __init__(self, assistant: Assistant) -> None:
        """An assistant that is open."""
        self._assistant = assistant
        self.engines = {NAMES[role].lower(): str(choice.rung) for role, choice in assistant.engines.items()}
        """What it hears, speaks and thinks with."""

    def play(self, samples: Samples, before: Sequence[str] = ()) -> Played:
        """Play a stream in a car in which nothing has happened but what was typed before; the conversation ends with it."""
        self._assistant.change_car()
        for text in before:
            deque(self._assistant.say(text), maxlen=0)
        entries: list[TimelineEntry] = []
        started = time.process_time()
        load = self._assistant.play_back(WaveSource(samples), WaveSink(), entries.append)
        spent = time.process_time() - started
        return Played(tuple(entries), self._assistant.vehicle_state().values, load, spent)


@contextmanager
def parked(config: Config) -> Generator[Rig]:
    """The configured assistant in a parked simulated car, with a vault that is gone afterwards.

    Raises:
        schemas.errors.GloveboxError: a part cannot be had.
    """
    with tempfile.TemporaryDirectory(prefix="glovebox-hearing-") as folder, assemble(own(config, Path(folder))) as made:
        yield Rig(made)


def own(config: Config, folder: Path) -> Config:
    """The configuration with a home in `folder` and a parked simulated car; models stay where they are."""
    data = config.data.model_copy(update={"folder": folder / "data", "key_file": folder / "vault.key"})
    key = config.memory.key.model_copy(update={"source": "file"})
    memory = config.memory.model_copy(update={"learn": "trip", "ask": False, "key": key})
    vehicle = config.vehicle.model_copy(update={"adapter": "simulated", "profile": "parked"})
    return config.model_copy(update={"data": data, "memory": memory, "vehicle": vehicle})
