"""A car: its vehicle, who drives it, and what can be said in it. Networks and the recogniser, loaded once, are no part of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deploy.drivers.switching import ConfiguredDrivers
from deploy.drivers.trips import TripMemory
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.actions import ACTIONS, Domain
from schemas.ports import Clock
from schemas.seat import Seat
from vehicle.service import GatedVehicle
from voice.dialogue.agent import Dialogue


@dataclass(frozen=True, slots=True)
class Car:
    """All that a trip changes."""

    seat: Seat
    clock: Clock
    vehicle: GatedVehicle
    matcher: TemplateMatcher
    drivers: ConfiguredDrivers
    dialogue: Dialogue
    trip: TripMemory

    def leave(self) -> None:
        """Release vault and vehicle; what was said and not yet learnt from stays in the vault for the next start."""
        self.trip.wait()
        self.drivers.wait()
        asyncio.run(self.vehicle.close())
        self.seat.memory.close()


def commands_of(vehicle: GatedVehicle) -> TemplateMatcher:
    """The commands of what this vehicle has, with the names that its contacts and playlists have."""
    return TemplateMatcher(load_templates(without=lacking(vehicle.offers()), names=sayable(vehicle.names())))


RELATIONS = (
    "mum", "mom", "dad", "my wife", "my husband", "my mother", "my father", "my sister", "my brother", "my boss", "my son",
    "my daughter", "my partner", "my parents", "the office",
)  # fmt: skip
"""People who are asked for without a name: understood whether or not the contacts say who they are."""


def sayable(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The names that can be said: those of the driver's contacts and playlists, and relations; none where none are known."""
    contacts = names["contact"]
    return {"contact": (*contacts, *RELATIONS) if contacts else (), "playlist": tuple(names["playlist"])}


def lacking(offers: frozenset[str]) -> frozenset[str]:
    """Actions that this vehicle does not have; what memory answers needs no vehicle."""
    return frozenset(action.name for action in ACTIONS if action.domain is not Domain.MEMORY) - offers
