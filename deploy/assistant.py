"""The running assistant: what can be done with its parts, from one sound file to a whole drive.

Owns nothing of how the parts are made: ``deploy.app`` does.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy import __version__
from deploy.car import Car
from deploy.config import Config
from deploy.engines import Choice, Role
from deploy.machine.notify import ServiceManager
from deploy.screen import LiveDrivers, car_of, ignition_of, motion_of
from deploy.screen import parts as screen_parts
from deploy.showing.cabin import SeenCabin
from deploy.showing.house import House, Overheard, Several, announcing
from deploy.showing.turns import ShownTurns
from deploy.speech import MakingAhead
from deploy.timeline import Timeline, TimelineEntry, reply_entries
from memory.screen.assistant.talk import Talk
from memory.screen.parts import Parts
from schemas.errors import EngineMissingError, NoSpeechError
from schemas.events import Transcript, VehicleState
from schemas.memory import Decision
from schemas.ports import AudioSink, AudioSource, MemoryPort, Onlooker, Recognizer, Vad, WakeWord
from voice.account import Load, LoopSettings, Observer
from voice.audio.devices.live import LiveSound
from voice.audio.devices.portaudio import PortAudio
from voice.audio.wavefile import WaveSink, WaveSource
from voice.dialogue.agent import Dialogue
from voice.loop import VoiceLoop
from voice.tts.voices import Voices
from voice.turn import Limits, TurnMachine
from voice.vad.endpoint import START_FRAMES, Endpointer

Emit = Callable[[TimelineEntry], None]


@dataclass(frozen=True, slots=True)
class Ears:
    """From sound to words."""

    wake: WakeWord
    vad: Vad
    recognizer: Recognizer


@dataclass(frozen=True, slots=True)
class Mouth:
    """From words to sound."""

    voice: Voices
    ahead: MakingAhead | None
    """Makes fixed sentences ahead; None for a voice that needs no such thing."""


class Assistant:
    """The running assistant. A context manager: leaving it ends the trip and releases everything."""

    def __init__(
        self,
        config: Config,
        *,
        ears: Ears,
        mouth: Mouth,
        car: Car,
        another: Callable[[], Car],
        engines: Mapping[Role, Choice],
        lacks: tuple[str, ...] = (),
    ) -> None:
        """Of parts that are ready.

        Args:
            config: the whole configuration.
            ears: wake word, voice activity and recogniser.
            mouth: the voice.
            car: the vehicle, who drives it, and the dialogue.
            another: gives a car like it, in which nothing has happened.
            engines: the chosen ones.
            lacks: a line for each better one that is missing.
        """
        self.config, self.engines, self.lacks = config, engines, lacks
        self._ears, self._mouth, self._car, self._another = ears, mouth, car, another
        self._heard = False
        audio = config.audio
        self._sound = LiveSound(
            audio.input_device,
            audio.output_device,
            cancel_echo=car.live and audio.echo == "builtin",
            backend=None if audio.satellite is None else _satellite(audio.satellite),
        )
        self._running: asyncio.AbstractEventLoop | None = None
        self._voice: VoiceLoop | None = None
        self._talk: Talk | None = None
        """The screen's view of the turn; None where no screen was asked for."""
        self._house: House | None = None

    @property
    def memory(self) -> MemoryPort:
        """The memory of whoever drives."""
        return self._car.seat.memory

    @property
    def dialogue(self) -> Dialogue:
        """The dialogue in the present car."""
        return self._car.dialogue

    def __enter__(self) -> Self:
        """The assistant itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release vault and vehicle; what was said and not yet learnt from stays in the vault for the next start."""
        self._mouth.voice.close()
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
        vad, recognizer = self._ears.vad, self._ears.recognizer
        vad.reset()
        recognizer.reset()
        source = WaveSource.from_file(path, tail_s=0.3)
        frames = list(source.frames())
        voiced = [vad.process(frame) >= self.config.vad.start_at for frame in frames]
        if sum(voiced) < START_FRAMES:
            raise NoSpeechError(f"no voice in {path}; {source.trouble or 'is it the right file, and loud enough?'}")
        recognizer.start()
        for frame in frames:
            recognizer.feed(frame)
        return recognizer.finish()

    def run(self, emit: Emit) -> None:
        """Live: microphone and loudspeaker until SIGINT or SIGTERM; the trip ends with it.

        Devices that are missing or fail are tried again until then; the log and the screen say so.

        Raises:
            schemas.errors.EngineMissingError: PortAudio is not installed.
        """
        sound = self._sound
        manager = ServiceManager()
        loop = self._loop(sound.microphone, sound.loudspeaker, emit, manager.beat)
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
            with self._mouth.ahead or nullcontext():
                asyncio.run(until_stopped())
        finally:
            manager.ending()
            self._running = self._voice = None
            sound.close()
        self.end_trip(emit)

    def screen(self, *, dev: bool = False) -> Parts:
        """What the driver's screen is given of the running assistant; ``dev``: with the development page."""
        live = LiveDrivers(self._car.drivers, self._loop_that_runs)
        moving = motion_of(self._car.vehicle, self._loop_that_runs)
        given = screen_parts(
            self.config, self._car.seat, live, moving, _now, microphone=lambda: self._running is not None,
            stop=self._hush, car=car_of(self._car.vehicle, self._loop_that_runs) if dev else None,
            cabin=SeenCabin(self._car.vehicle, self._loop_that_runs), touch=self, engines=self.engines,
        )  # fmt: skip
        self._talk = given.talk
        self._sound.health.watch(given.feed.changed)
        self._car.vehicle.watch(given.feed.changed)
        return replace(given, sound=self._sound.health.troubles, vehicle=lambda: not self._car.vehicle.away)

    def ignition(self) -> bool | None:
        """Whether the ignition is on, while it runs; None: the vehicle does not say."""
        return ignition_of(self._car.vehicle, self._loop_that_runs)

    def announced(self) -> AbstractContextManager[None]:
        """While this goes on the assistant is a device of Home Assistant, where that is configured; to be entered before `run`.

        Raises:
            schemas.errors.ConfigError: the broker's settings cannot be used.
        """

        def given(house: House) -> None:
            self._house = house

        return announcing(self.config.announce, self._car.seat, self, given, __version__)

    def _loop_that_runs(self) -> asyncio.AbstractEventLoop | None:
        return self._running

    def _hush(self) -> None:
        voice = self._voice
        if voice is not None:
            voice.hush()

    def press(self) -> None:
        """See ``schemas.ports.Touch``."""
        voice = self._voice
        if voice is not None:
            voice.press()

    def answer(self, number: int, words: str) -> None:
        """See ``schemas.ports.Touch``."""
        voice = self._voice
        if voice is not None:
            voice.answer(number, words)

    def order(self, words: str) -> None:
        """See ``schemas.ports.Touch``."""
        voice = self._voice
        if voice is not None:
            voice.order(words)

    def end_trip(self, emit: Emit) -> tuple[Decision, ...]:
        """Learn from what was said and not yet learnt from, and think about it; a private trip is over, too."""
        return self._car.trip.end(emit)

    def vehicle_state(self) -> VehicleState:
        """The vehicle's current signals."""
        return asyncio.run(self._car.vehicle.state())

    def _loop(
        self, source: AudioSource, sink: AudioSink, emit: Emit, beat: Callable[[], None] | None = None
    ) -> VoiceLoop:
        config = self.config
        live, trip = self._car.live, self._car.trip
        learn = trip.learn_beside if live else trip.learn
        after_each = config.memory.learn == "conversation"
        timeline: Observer = Timeline(emit, at_end=(lambda: learn(emit)) if after_each else None)
        if self._talk is not None:
            timeline = ShownTurns(timeline, self._talk, self._car.matcher, _now)
        onlooker: Onlooker | None = self._talk
        if self._house is not None:
            timeline = Overheard(timeline, self._house)
            onlooker = self._house if onlooker is None else Several(onlooker, self._house)
        turn = config.turn
        return VoiceLoop(
            source=source,
            sink=sink,
            wake=self._ears.wake,
            vad=self._ears.vad,
            endpointer=Endpointer(config.endpoint, config.vad),
            recognizer=self._ears.recognizer,
            matcher=self._car.matcher,
            dialogue=self._car.dialogue,
            synthesizer=self._mouth.voice,
            observer=timeline,
            machine=TurnMachine(Limits(**turn.model_dump(include=set(Limits.__slots__)))),
            clock=self._car.stream,
            settings=LoopSettings(
                preroll_s=turn.preroll_s,
                chime=turn.chime,
                chime_after_s=turn.chime_after_s,
                barge_in=not live
                or config.audio.echo == "system"
                or self._sound.cancels_echo,  # in a file there is no echo
            ),
            due=self._car.vehicle.due,
            beat=beat,
            onlooker=onlooker,
        )


def _now() -> datetime:
    return datetime.now(UTC)


def _satellite(address: str) -> PortAudio:
    """The sound card on another computer.

    Raises:
        schemas.errors.EngineMissingError: the package wyoming is not installed.
    """
    try:
        from voice.remote.satellite import Satellite
    except ImportError:
        raise EngineMissingError("audio.satellite needs the package wyoming: pip install 'glovebox[wyoming]'") from None
    return Satellite(address)
