"""The composition root: constructs every part, in the order of the picture in docs/architecture.md.

Read ``assemble``: it is the architecture. Nothing here decides anything; names of models become files through the
catalogue, settings become constructor arguments.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel

from deploy.car import Car, commands_of
from deploy.config import Config
from deploy.drivers.keys import key_source
from deploy.drivers.reminders import KeptNotices
from deploy.drivers.switching import ConfiguredDrivers
from deploy.drivers.trips import TripMemory
from deploy.drivers.zone import zone
from deploy.engines import Choice, Engines, Role
from deploy.screen import LiveDrivers, car_of, motion_of
from deploy.screen import parts as screen_parts
from deploy.speech import MakingAhead, open_voice
from deploy.timeline import Timeline, TimelineEntry, reply_entries
from memory.learn.proposals import ProposalSettings
from memory.recall.preferences import RetrievalSettings
from memory.recall.search import SearchTuning
from memory.reflect.tiers import TierTuning
from memory.screen.parts import Parts
from memory.service import DriverMemory, MemorySettings
from memory.vault.lifecycle import Vault
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.runtime.onnx_encoder import OnnxEncoder
from models.structured import Structured
from schemas.clock import StreamClock, WallClock
from schemas.errors import NoSpeechError
from schemas.events import Transcript, VehicleState
from schemas.memory import Decision
from schemas.ports import AudioSink, AudioSource, Clock, Encoder, MemoryPort, Recognizer, StructuredModel
from schemas.seat import Seat
from vehicle.adapters import VehicleAdapter, open_adapter
from vehicle.gate import Gate
from vehicle.journal import Journal
from vehicle.organizer import Organizer
from vehicle.service import GatedVehicle
from voice.account import Load, LoopSettings
from voice.audio.devices.live import LiveSound
from voice.audio.devices.portaudio import load_portaudio
from voice.audio.wavefile import WaveSink, WaveSource
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.loop import VoiceLoop
from voice.tts.voices import Voices
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import START_FRAMES, Endpointer
from voice.vad.silero import SileroVad
from voice.wake.onnx import OnnxWakeWord

Emit = Callable[[TimelineEntry], None]


def assemble(config: Config, *, live: bool = False, announce: Callable[[str], None] | None = None) -> Assistant:
    """All parts of the assistant, ready.

    Args:
        config: the whole configuration.
        live: True for microphone and loudspeaker, whose clock is the wall's; they may still be missing.
            False for files, typed text and the demo, whose clock is the stream.
        announce: told in a few words what is being loaded.

    Raises:
        schemas.errors.GloveboxError: a part cannot be had; the message says which and what to do.
    """
    say = announce or _quietly
    if live:
        say("microphone and loudspeaker")
        load_portaudio()

    catalog = Catalog.load(config.data)
    engines = Engines(config, catalog)

    say("wake word and voice activity")
    wake = OnnxWakeWord(
        catalog.find(config.wake.model), threshold=config.wake.threshold, refractory=config.wake.refractory_s
    )
    vad = SileroVad(catalog.find(config.vad.model))

    say("encoder and language model")
    encoder, structured = understanding(config, engines)

    say("memory and vehicle")
    car = _car(config, encoder, structured, WallClock() if live else StreamClock(), commands_of)

    say("command grammar and recogniser")
    recognizer = engines.recognizer(car.matcher)

    say("voice")
    voice, ahead = open_voice(config, engines)
    return Assistant(
        config, wake, vad, recognizer, structured, voice, ahead, car,
        lambda: _car(config, encoder, structured, StreamClock(), lambda _: car.matcher),
        engines=engines.choices, lacks=tuple(filter(None, (config.data.mixed, catalog.trouble, *engines.told()))),
    )  # fmt: skip


def _car(
    config: Config,
    encoder: Encoder,
    structured: Structured,
    clock: Clock,
    commands: Callable[[GatedVehicle], TemplateMatcher],
) -> Car:
    seat = Seat(_memory(config, encoder, structured), zone(config.memory.tiers.zone))
    drivers = ConfiguredDrivers(config, seat, lambda other: _memory(other, encoder, structured))
    vehicle = open_vehicle(config, clock, patient=isinstance(clock, WallClock))
    KeptNotices(vehicle.organizer, seat)
    matcher = commands(vehicle)
    trip = TripMemory(seat)
    dialogue = Dialogue(
        seat=seat,
        vehicle=vehicle,
        matcher=matcher,
        encoder=encoder,
        model=structured,
        clock=_now,
        settings=DialogueSettings(
            coordinator=config.dialogue,
            questions=config.memory.questions_per_trip if config.memory.ask else 0,
        ),
        new_id=trip.new_conversation,
        drivers=drivers,
    )
    return Car(seat, clock, vehicle, matcher, drivers, dialogue, trip)


class Assistant:
    """The running assistant. A context manager: leaving it ends the trip and releases everything."""

    def __init__(
        self,
        config: Config,
        wake: OnnxWakeWord,
        vad: SileroVad,
        recognizer: Recognizer,
        structured: Structured,
        voice: Voices,
        ahead: MakingAhead | None,
        car: Car,
        another: Callable[[], Car],
        *,
        engines: Mapping[Role, Choice],
        lacks: tuple[str, ...] = (),
    ) -> None:
        """Parts as ``assemble`` made them.

        ``another`` gives a car like the first, in which nothing has happened; ``engines`` are the chosen ones, and
        ``lacks`` has a line for each better one that is missing.
        """
        self.config, self.engines, self.lacks = config, engines, lacks
        self._wake, self._vad, self._recognizer, self._structured = wake, vad, recognizer, structured
        self._speech, self._ahead, self._car, self._another = voice, ahead, car, another
        self._heard = False
        audio = config.audio
        cancel = audio.echo == "builtin" and not isinstance(car.clock, StreamClock)
        self._sound = LiveSound(audio.input_device, audio.output_device, cancel_echo=cancel)
        self._running: asyncio.AbstractEventLoop | None = None
        self._voice: VoiceLoop | None = None

    @property
    def memory(self) -> MemoryPort:
        """The memory of whoever drives."""
        return self._car.seat.memory

    def __enter__(self) -> Self:
        """The assistant itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release vault and vehicle; what was said and not yet learnt from stays in the vault for the next start."""
        self._speech.close()
        self._car.leave()

    def play_back(self, source: AudioSource, sink: AudioSink, emit: Emit) -> Load:
        """Play a source through the whole chain, faster than real time if it can deliver so.

        Raises:
            schemas.errors.AudioError: the source failed.
        """
        loop = self._loop(source, sink, emit)
        self._car.trip.begin()
        asyncio.run(loop.run())
        return loop.load

    def hear(self, path: Path) -> Iterator[TimelineEntry]:
        """A sound file through the whole chain, entry by entry; the trip ends with it.

        Every file is heard in a car in which nothing has happened, on a clock of its own; only the driver's memory goes on.

        Raises:
            schemas.errors.AudioFileError: the file is missing, empty or no sound.
            schemas.errors.NoSpeechError: the wake word is not in it.
        """
        source = WaveSource.from_file(path, lead_s=0.5, tail_s=2.0)
        if self._heard:
            self.change_car()
        self._heard = True
        entries: list[TimelineEntry] = []
        self.play_back(source, WaveSink(), entries.append)
        if not any(entry.kind == "wake" for entry in entries):
            raise NoSpeechError(
                f"{path} does not hold the wake word {self.config.wake.keyword!r}; "
                f"{source.trouble or 'begin the command with it, or use `glovebox transcribe` for the words alone'}"
            )
        self.end_trip(entries.append)
        yield from entries

    def change_car(self) -> None:
        """Go on in a car like the first in which nothing has happened, on a clock of its own; only the driver's memory goes on."""
        self._car.leave()
        self._car = self._another()

    def say(self, text: str) -> Iterator[TimelineEntry]:
        """Typed words through the dialogue, which is learnt from at once; no trip."""
        reply = asyncio.run(self._car.dialogue.respond(self._car.dialogue.typed(text.strip())))
        yield from reply_entries(reply, 0.0)
        data = {"seconds": 0.0, "latency_ms": reply.timings, "route": reply.route.value}
        yield TimelineEntry(at_s=0.0, kind="said", text=f"“{reply.text}”", data=data)
        learnt: list[TimelineEntry] = []
        self._car.trip.learn(learnt.append)
        yield from learnt

    def transcribe(self, path: Path) -> Transcript:
        """The words of a sound file, without wake word.

        Raises:
            schemas.errors.AudioFileError: the file is missing, empty or no sound.
            schemas.errors.NoSpeechError: there is no voice in it.
        """
        vad = self._vad
        vad.reset()
        self._recognizer.reset()
        source = WaveSource.from_file(path, tail_s=0.3)
        frames = list(source.frames())
        voiced = [vad.process(frame) >= self.config.vad.start_at for frame in frames]
        if sum(voiced) < START_FRAMES:
            raise NoSpeechError(f"no voice in {path}; {source.trouble or 'is it the right file, and loud enough?'}")
        self._recognizer.start()
        for frame in frames:
            self._recognizer.feed(frame)
        return self._recognizer.finish()

    def run(self, emit: Emit) -> None:
        """Live: microphone and loudspeaker until SIGINT or SIGTERM; the trip ends with it.

        Devices that are missing or fail are tried again until then; the log and the screen say so.

        Raises:
            schemas.errors.EngineMissingError: PortAudio is not installed.
        """
        sound = self._sound
        loop = self._loop(sound.microphone, sound.loudspeaker, emit)
        self._car.trip.begin()

        async def until_stopped() -> None:
            running = asyncio.get_running_loop()
            self._running, self._voice = running, loop
            for stop in (signal.SIGINT, signal.SIGTERM):
                running.add_signal_handler(stop, loop.stop)
            await asyncio.to_thread(
                sound.start
            )  # may take seconds; whoever ends the program meanwhile ends the trip as always
            await loop.run()

        try:
            with self._ahead or nullcontext():
                asyncio.run(until_stopped())
        finally:
            self._running = self._voice = None
            sound.close()
        self.end_trip(emit)

    def screen(self, *, dev: bool = False) -> Parts:
        """What the driver's screen is given of the running assistant; ``dev``: with the development page."""
        live = LiveDrivers(self._car.drivers, lambda: self._running)
        moving = motion_of(self._car.vehicle, lambda: self._running)
        given = screen_parts(
            self.config, self._car.seat, live, moving, _now, microphone=lambda: self._running is not None,
            stop=self._hush, car=car_of(self._car.vehicle, lambda: self._running) if dev else None,
        )  # fmt: skip
        self._sound.health.watch(given.feed.changed)
        self._car.vehicle.watch(given.feed.changed)
        return replace(given, sound=self._sound.health.troubles, vehicle=lambda: not self._car.vehicle.away)

    def _hush(self) -> None:
        voice = self._voice
        if voice is not None:
            voice.hush()

    def end_trip(self, emit: Emit) -> tuple[Decision, ...]:
        """Learn from what was said and not yet learnt from, and think about it; a private trip is over, too."""
        return self._car.trip.end(emit)

    def vehicle_state(self) -> VehicleState:
        """The vehicle's current signals."""
        return asyncio.run(self._car.vehicle.state())

    def generations(self) -> tuple[int, int]:
        """Outputs of the language model so far, and how many of them were valid against their slice."""
        return self._structured.calls, self._structured.valid

    def _loop(self, source: AudioSource, sink: AudioSink, emit: Emit) -> VoiceLoop:
        config = self.config
        live = not isinstance(self._car.clock, StreamClock)
        learn = self._car.trip.learn_beside if live else self._car.trip.learn
        after_each = config.memory.learn == "conversation"
        timeline = Timeline(emit, at_end=(lambda: learn(emit)) if after_each else None)
        turn = config.turn
        return VoiceLoop(
            source=source,
            sink=sink,
            wake=self._wake,
            vad=self._vad,
            endpointer=Endpointer(config.endpoint, config.vad),
            recognizer=self._recognizer,
            matcher=self._car.matcher,
            dialogue=self._car.dialogue,
            synthesizer=self._speech,
            observer=timeline,
            machine=TurnMachine(Limits(**turn.model_dump(include=set(Limits.__slots__)))),
            clock=self._car.clock if isinstance(self._car.clock, StreamClock) else None,
            settings=LoopSettings(
                preroll_s=turn.preroll_s,
                chime=turn.chime,
                chime_after_s=turn.chime_after_s,
                barge_in=not live
                or config.audio.echo == "system"
                or self._sound.cancels_echo,  # in a file there is no echo
            ),
            due=self._car.vehicle.due,
        )


PATIENT_START_S = 2.0
"""How long the live assistant waits for its vehicle at start: it goes on trying beside everything else. Our choice."""


def reach_vehicle(config: Config, clock: Clock, *, patient: bool = False) -> tuple[VehicleAdapter, Clock]:
    """The configured adapter, and the clock that it and its gate live by: a real vehicle does not wait for a stream.

    Args:
        config: the whole configuration.
        clock: of the assistant.
        patient: whether a vehicle that is not there yet may come later.

    Raises:
        schemas.errors.ConfigError: the adapter or a setting of it cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless ``patient``.
    """
    if config.vehicle.adapter == "simulated":
        return open_adapter("simulated", clock=clock, **config.vehicle.options()), clock
    own, options = WallClock(), config.vehicle.options()
    if patient:
        options["patient"] = True
        if "start_s" in options:
            options["start_s"] = min(options["start_s"], PATIENT_START_S)
    return open_adapter(config.vehicle.adapter, clock=own, **options), own


def open_vehicle(config: Config, clock: Clock, *, patient: bool = False) -> GatedVehicle:
    """The configured vehicle behind its gate, with its contacts and calendar, and the gate's decisions on disk.

    Raises:
        schemas.errors.ConfigError: a setting of the adapter, a mapping, or the file of contacts cannot be used.
        schemas.errors.AdapterError: the vehicle cannot be reached, unless ``patient``.
    """
    adapter, own = reach_vehicle(config, clock, patient=patient)
    settings = config.vehicle
    organizer = Organizer.load(settings.organizer, own.now, _local_now, outbox=settings.outbox)
    sink = Journal(config.data.folder / "decisions.jsonl") if settings.decision_log else None
    gate = Gate(own, confirmation_s=settings.confirmation_s, sink=sink)
    return GatedVehicle(adapter, own, gate=gate, organizer=organizer)


def open_memory(config: Config) -> DriverMemory:
    """The driver's memory alone, for looking and deleting: the language model is loaded only if something is learnt.

    Raises:
        schemas.errors.GloveboxError: vault, key or encoder cannot be had.
    """
    catalog = Catalog.load(config.data)
    encoder = OnnxEncoder(catalog.find(config.encoder.model), threads=config.encoder.threads)
    return _memory(config, encoder, _OnDemand(lambda: _structured(config, Engines(config, catalog))))


def understanding(config: Config, engines: Engines | None = None) -> tuple[OnnxEncoder, Structured]:
    """Encoder and language model alone, as memory and dialogue use them.

    Args:
        config: the whole configuration.
        engines: what opens the language model; None where nobody asks afterwards what was chosen.

    Raises:
        schemas.errors.GloveboxError: one of them cannot be had.
    """
    catalog = Catalog.load(config.data)
    encoder = OnnxEncoder(catalog.find(config.encoder.model), threads=config.encoder.threads)
    return encoder, _structured(config, engines or Engines(config, catalog))


def memory_settings(config: Config) -> MemorySettings:
    """What memory is told of the configuration."""
    settings = config.memory
    return MemorySettings(
        retrieval=RetrievalSettings(threshold=settings.recall_at),
        recall=SearchTuning(**settings.recall.model_dump()),
        proposals=ProposalSettings(ask=settings.ask, days=settings.ask_days),
        tiers=TierTuning(**settings.tiers.model_dump()),
    )


class _OnDemand:
    """A structured model that is loaded when it is first asked; meets ``schemas.ports.StructuredModel``."""

    def __init__(self, load: Callable[[], StructuredModel]) -> None:
        self._load = load
        self._loaded: StructuredModel | None = None

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        self._loaded = self._loaded or self._load()
        return self._loaded.fill(task, model, turns=turns, facts=facts)


def _structured(config: Config, engines: Engines) -> Structured:
    language = engines.language_model()
    chat = None if language.own else language.render_chat
    return Structured(language, chat_template=chat, max_tokens=config.llm.max_tokens)


def _memory(config: Config, encoder: Encoder, structured: StructuredModel) -> DriverMemory:
    vault = Vault.open(
        config.data.folder, config.driver.name, key_source(config), clock=_now, keep=config.memory.backups
    )
    settings = memory_settings(config)
    here = zone(config.memory.tiers.zone)
    return DriverMemory(
        config.driver.name, vault, encoder=encoder, model=structured, clock=_now, settings=settings, zone=here
    )


def _quietly(part: str) -> None:
    del part


def _local_now() -> datetime:
    return datetime.now().astimezone()


def _now() -> datetime:
    return datetime.now(UTC)
