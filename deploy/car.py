"""A car: its vehicle, who drives it, and what can be said in it. Networks and the recogniser, loaded once, are no part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from deploy.config import Config
from deploy.drivers.switching import ConfiguredDrivers
from deploy.drivers.trips import TripMemory
from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from models.numbers import mhz_of, mhz_words
from schemas.actions import ACTIONS, Domain
from schemas.clock import StreamClock, WallClock
from schemas.ports import Clock
from schemas.seat import Seat
from vehicle.adapters import VehicleAdapter, open_adapter
from vehicle.gate import Gate
from vehicle.media import MediaLibrary
from vehicle.organizer import Organizer
from vehicle.service import GatedVehicle
from voice.dialogue.agent import Dialogue


@dataclass(frozen=True, slots=True)
class Car:
    """All that a trip changes."""

    stream: StreamClock | None
    """Its clock in a drive that is played from data; None where it lives by the wall's."""
    seat: Seat
    drivers: ConfiguredDrivers
    vehicle: GatedVehicle
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


PATIENT_START_S = 2.0
"""How long the live assistant waits for its vehicle at start: it goes on trying beside everything else. Our choice."""


def reach_vehicle(
    config: Config, clock: Clock, *, patient: bool = False, initial: Mapping[str, Any] | None = None
) -> tuple[VehicleAdapter, Clock]:
    """The configured adapter, and the clock that it and its gate live by: a real vehicle does not wait for a stream.

    Args:
        config: the whole configuration.
        clock: of the assistant.
        patient: whether a vehicle that is not there yet may come later.
        initial: signals that the simulated car starts with instead of its own; no other vehicle is told.

    Raises:
        schemas.errors.ConfigError: the adapter or a setting of it cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless ``patient``.
    """
    if config.vehicle.adapter == "simulated":
        return open_adapter("simulated", clock=clock, **config.vehicle.options(), initial=initial), clock
    own, options = WallClock(), config.vehicle.options()
    if patient:
        options["patient"] = True
        if "start_s" in options:
            options["start_s"] = min(options["start_s"], PATIENT_START_S)
    return open_adapter(config.vehicle.adapter, clock=own, **options), own


def utc_now() -> datetime:
    """The device's time."""
    return datetime.now(UTC)


def open_vehicle(
    config: Config,
    clock: Clock,
    *,
    patient: bool = False,
    initial: Mapping[str, Any] | None = None,
    now: Callable[[], datetime] = utc_now,
) -> GatedVehicle:
    """The configured vehicle behind its gate, with its contacts and calendar.

    Args:
        config: the whole configuration.
        clock: of the assistant.
        patient: whether a vehicle that is not there yet may come later.
        initial: signals that the simulated car starts with instead of its own.
        now: the aware time that reminders and calendar go by.

    Raises:
        schemas.errors.ConfigError: a setting of the adapter, a mapping, or the file of contacts cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless ``patient``.
    """
    adapter, own = reach_vehicle(config, clock, patient=patient, initial=initial)
    settings = config.vehicle
    organizer = Organizer.load(settings.organizer, own.now, lambda: now().astimezone(), outbox=settings.outbox)
    gate = Gate(own, confirmation_s=settings.confirmation_s)
    return GatedVehicle(adapter, own, gate=gate, organizer=organizer, media=MediaLibrary.load(mhz_of=mhz_of))


def commands_of(vehicle: GatedVehicle) -> TemplateMatcher:
    """The commands of what this vehicle has, with the names that its contacts and playlists have."""
    return TemplateMatcher(load_templates(without=lacking(vehicle.offers()), names=sayable(vehicle.names())))


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
