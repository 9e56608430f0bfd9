"""What a page's function is given and what it may answer with. No HTTP here: that is `memory.screen.app`'s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.screen.assistant.ports import Picture
from memory.screen.departures import Departures
from memory.screen.feed import Mark
from memory.screen.parts import Parts
from memory.screen.sessions import Doorkeeper, Session
from memory.screen.wording import Wording
from schemas.memory import Consent
from schemas.ports import MemoryPort


@dataclass(frozen=True, slots=True)
class Page:
    """A page to show."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    status: int = 200
    refresh: tuple[int, str] | None = None
    """Seconds, and where to go then."""
    anybodys: bool = False
    """Shows nothing of a driver, so that whoever drives next may see it."""


@dataclass(frozen=True, slots=True)
class Go:
    """Where to go on: what every form ends with."""

    address: str
    cookies: Mapping[str, str] = field(default_factory=dict[str, str])


Answer = Page | Go | Picture


class ProblemError(Exception):
    """Something that the driver should be told in a page of its own; ``key`` names its sentences in the locale file."""

    def __init__(self, key: str, status: int, **values: object) -> None:
        """With the key, the HTTP status and what is put into the sentences."""
        super().__init__(key)
        self.key, self.status, self.values = key, status, values


@dataclass(slots=True)
class Visit:
    """One request of somebody who was let in."""

    parts: Parts
    session: Session
    words: Wording
    departures: Departures
    door: Doorkeeper
    parked: bool
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    mark: Mark
    """When the visit began."""
    memory: MemoryPort
    """Of whoever drove then; the same one during the visit."""

    @property
    def consent(self) -> Consent:
        """What may be remembered."""
        return self.memory.consent()

    def number(self, name: str) -> int:
        """A number of the address, 0 where there is none."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 7 else 0
