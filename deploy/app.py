"""The composition root: constructs every part, in the order of the picture in docs/architecture.md.

Read ``assemble`` and ``open_car``: they are the architecture. What is made first knows least, and is closed last. Nothing here
decides anything; names of models become files through the catalogue, settings become constructor arguments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from deploy.assistant import Assistant, Ears, Mouth
from deploy.behind import Vehicle, fitted, fitting_of, start_apart, utc_now
from deploy.car import Car, commands_of
from deploy.config import Config
from deploy.drivers.keys import key_source, pins_of
from deploy.drivers.reminders import KeptNotices
from deploy.drivers.switching import ConfiguredDrivers, Open
from deploy.drivers.trips import TripMemory
from deploy.drivers.zone import zone
from deploy.engines import Engines
from deploy.machine.belongings import secure
from deploy.machine.early import Early
from memory.guest import GuestMemory
from memory.learn.proposals import ProposalSettings
from memory.recall.search import SearchTuning
from memory.service import DriverMemory, MemorySettings
from memory.vault.keys import KeySource
from memory.vault.lifecycle import Vault
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from schemas.clock import StreamClock, WallClock
from schemas.ports import ActParser, Encoder, MemoryPort, Talker
from schemas.seat import Seat
from vehicle.apart.outside import VehicleApart
from voice.audio.devices.portaudio import load_portaudio
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.vad.silero import SileroVad


def assemble(
    config: Config, *, live: bool = False, announce: Callable[[str], None] | None = None, early: Early | None = None
) -> Assistant:
    """All parts of the assistant, ready.

    Args:
        config: the whole configuration.
        live: True for microphone and loudspeaker, whose clock is the wall's; they may still be missing.
            False for files, typed text and the demo, whose clock is the stream.
        announce: told in a few words what is being loaded.
        early: what was begun already, with the same ``config`` and ``live``; it is taken over. None: it is begun now.

    Raises:
        schemas.errors.GloveboxError: a part cannot be had; the message says which and what to do.
    """
    say = announce or _quietly
    early = early or Early(config, live=live)
    catalog, engines, apart = early.catalog, early.engines, early.apart

    with early.loading, ExitStack() as opened:
        opened.callback(early.end)
        matcher = None
        if apart is not None:
            say("command grammar")
            apart.ready()
            matcher = commands_of(apart, config.data.computed)
            early.commands.set_result(matcher)

        if live and config.audio.satellite is None:
            say("microphone and loudspeaker")
            load_portaudio()

        say("encoder, parser and small talk")
        encoder, parser, talker = early.understanding.result()

        say("memory and vehicle")
        car = open_car(
            config, encoder, None if live else StreamClock(), matcher, parser=parser, talker=talker,
            apart=apart,
        )  # fmt: skip
        opened.callback(car.leave)

        if matcher is None:
            early.commands.set_result(car.matcher)

        say("recogniser, wake word and voice activity")
        recognizer = early.recognizer.result()
        ears = Ears(engines.wake_word(recognizer), SileroVad(catalog.find(config.vad.model)), recognizer)

        say("voice")
        mouth = Mouth(*early.voice.result())
        opened.pop_all()
    return Assistant(
        config,
        ears=ears,
        mouth=mouth,
        car=car,
        another=lambda: open_car(config, encoder, StreamClock(), car.matcher, parser=parser, talker=talker),
        engines=engines.choices,
        lacks=tuple(filter(None, (config.data.mixed, catalog.trouble, *engines.told()))),
    )


def open_car(  # noqa: PLR0913 - the composition root hands over every part
    config: Config,
    encoder: Encoder,
    stream: StreamClock | None,
    matcher: TemplateMatcher | None = None,
    *,
    parser: ActParser,
    talker: Talker | None = None,
    initial: Mapping[str, Any] | None = None,
    now: Callable[[], datetime] = utc_now,
    introduces: bool | None = None,
    apart: VehicleApart | None = None,
) -> Car:
    """A car with its driver's memory, ready to be talked to; leaving it closes what is opened here, the last first.

    Args:
        config: the whole configuration.
        encoder: for memory, and for what fits as a reply to small talk.
        stream: the clock of a drive that is played from data; None for the wall's.
        matcher: of a car with the same vehicle; None: made for this one.
        parser: for the dialogue.
        talker: for small talk; None: a sentence of ours answers it.
        initial: signals that the simulated car starts with instead of its own.
        now: the aware time that memory, reminders and calendar go by.
        introduces: whether a driver of whom nothing is known is offered to be got to know; None: where it is really driven.
        apart: the vehicle's own process, where that is being started already.

    Raises:
        schemas.errors.GloveboxError: vault, key or vehicle cannot be had.
    """
    with ExitStack() as opened:

        def remember(driving: Config, keys: KeySource | None = None) -> MemoryPort:
            return _memory(driving, encoder, now, keys)

        seat = Seat(first_memory(config, remember), zone(config.memory.tiers.zone))
        opened.callback(seat.close)
        drivers = ConfiguredDrivers(config, seat, remember)
        opened.callback(drivers.wait)
        vehicle = _vehicle(config, stream, initial, now, apart)
        opened.callback(lambda: asyncio.run(vehicle.close()))
        KeptNotices(vehicle.organizer, seat)
        matcher = matcher or commands_of(vehicle, config.data.computed)
        trip = TripMemory(seat)
        opened.callback(trip.wait)
        dialogue = Dialogue(
            seat=seat,
            vehicle=vehicle,
            matcher=matcher,
            parser=parser,
            clock=now,
            settings=DialogueSettings(
                coordinator=config.dialogue,
                questions=config.memory.questions_per_trip if config.memory.ask else 0,
                introduces=config.memory.ask and (stream is None if introduces is None else introduces),
            ),
            new_id=trip.new_conversation,
            drivers=drivers,
            talker=talker,
            encoder=encoder,
        )
        return Car(stream, seat, drivers, vehicle, matcher, trip, dialogue, opened.pop_all())


def _vehicle(
    config: Config,
    stream: StreamClock | None,
    initial: Mapping[str, Any] | None,
    now: Callable[[], datetime],
    apart: VehicleApart | None,
) -> Vehicle:
    """In a process of its own; but a simulated one that lives by a drive's clock, or by a time of day that is made up, is here."""
    played = config.vehicle.adapter == "simulated" and stream is not None
    if apart is None and not played and initial is None and now is utc_now:
        apart = start_apart(config, patient=stream is None)
    if apart is None:
        return fitted(fitting_of(config, patient=stream is None), stream or WallClock(), initial=initial, now=now)
    apart.ready()
    return apart


def first_memory(config: Config, open_: Open) -> MemoryPort:
    """The memory of the driver who begins: a guest's until the PIN is entered, where there is one."""
    return GuestMemory() if pins_of(config).has(config.driver.name) else open_(config)


def open_memory(config: Config, keys: KeySource | None = None) -> DriverMemory:
    """The driver's memory alone, for looking and deleting.

    Args:
        config: the whole configuration.
        keys: what the driver's PIN has opened; None: the device's own key.

    Raises:
        schemas.errors.PinError: the driver has a PIN, and it was not entered.
        schemas.errors.GloveboxError: vault, key or encoder cannot be had.
    """
    return _memory(config, Engines(config, Catalog.load(config.data)).encoder(), keys=keys)


def memory_settings(config: Config) -> MemorySettings:
    """What memory is told of the configuration."""
    settings = config.memory
    return MemorySettings(
        recall_at=settings.recall_at,
        recall=SearchTuning(**settings.recall.model_dump()),
        proposals=ProposalSettings(ask=settings.ask, days=settings.ask_days),
        tiers=settings.tiers,
    )


def _memory(
    config: Config,
    encoder: Encoder,
    now: Callable[[], datetime] = utc_now,
    keys: KeySource | None = None,
) -> DriverMemory:
    secure(config.data.folder)
    keys = keys or key_source(config)
    vault = Vault.open(config.data.folder, config.driver.name, keys, clock=now, keep=config.memory.backups)
    settings = memory_settings(config)
    here = zone(config.memory.tiers.zone)
    return DriverMemory(
        config.driver.name,
        vault,
        encoder=encoder,
        clock=now,
        settings=settings,
        zone=here,
    )


def _quietly(part: str) -> None:
    del part
