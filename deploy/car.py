"""A car: its vehicle, who drives it, and what can be said in it. Networks and the recogniser, loaded once, are no part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from deploy.behind import Vehicle
from deploy.drivers.switching import ConfiguredDrivers
from deploy.drivers.trips import TripMemory
from models.commands.kept import matcher_of
from models.commands.matcher import TemplateMatcher
from models.numbers import mhz_words
from schemas.actions import ACTIONS, Domain
from schemas.clock import StreamClock
from schemas.seat import Seat
from voice.dialogue.agent import Dialogue


@dataclass(frozen=True, slots=True)
class Car:
    """All that a trip changes."""

    stream: StreamClock | None
    """Its clock in a drive that is played from data; None where it lives by the wall's."""
    seat: Seat
    drivers: ConfiguredDrivers
    vehicle: Vehicle
    matcher: TemplateMatcher
    trip: TripMemory
    dialogue: Dialogue
    opened: ExitStack
    """Closes what was opened for it, the last first."""

    @property
    def live(self) -> bool:
        """Whether it is driven now, with microphone and loudspeaker."""
        return self.stream is None

    def leave(self) -> None:
        """Release vehicle and vault; what was said and not yet learnt from stays in the vault for the next start."""
        self.opened.close()


def commands_of(vehicle: Vehicle, keep: Path | None = None) -> TemplateMatcher:
    """The commands of what this vehicle has, with the names that its contacts and playlists have; the folder keeps them."""
    return matcher_of(keep, without=lacking(vehicle.offers()), names=sayable(vehicle.names()))


RELATIONS = (
    "mum", "mom", "dad", "my wife", "my husband", "my mother", "my father", "my sister", "my brother", "my boss", "my son",
    "my daughter", "my partner", "my parents", "the office",
)  # fmt: skip
"""People who are asked for without a name: understood whether or not the contacts say who they are."""


def sayable(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The names that can be said: those that the vehicle knows, and relations beside contacts; none where none are known."""
    contacts, dial = names["contact"], names.get("frequency", ())
    said = {kind: tuple(known) for kind, known in names.items()}
    said |= {"contact": (*contacts, *RELATIONS) if contacts else ()}
    return said | ({"frequency": tuple(way for mhz in dial for way in mhz_words(float(mhz)))} if dial else {})


def lacking(offers: frozenset[str]) -> frozenset[str]:
    """Actions that this vehicle does not have; what memory answers needs no vehicle."""
    return frozenset(action.name for action in ACTIONS if action.domain is not Domain.MEMORY) - offers
