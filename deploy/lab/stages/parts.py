"""The stages, each a few things that can be done again and again; and the peers that are installed.

Owns what a stage does and where its time begins and ends. A stage runs alone: nothing else of ours works beside it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from deploy.app import open_car
from deploy.config import Config
from deploy.engines import NAMES, Engines
from deploy.lab.hearing.rig import own, parked
from deploy.lab.memory.child import opened
from deploy.lab.memory.filling import Texts, fill
from deploy.lab.stages import inputs
from deploy.lab.wake.ears import CHUNK, peers
from deploy.speech import open_voice
from memory.recall.exact import ExactIndex
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.runtime.onnx_encoder import OnnxEncoder
from schemas.actions import ChangeVolume, SetTemperature
from schemas.clock import StreamClock
from schemas.errors import ModelError
from schemas.events import FRAME, Samples
from schemas.ports import Recognizer, Synthesizer
from voice.asr import Hearing
from voice.asr import whisper as whisper_engine
from voice.vad.silero import SileroVad

Timed = Callable[[], float]
"""Does a thing once; gives the milliseconds that count."""
MEMORIES = 1_000
SEED = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage, or a peer of one."""

    name: str
    unit: str
    """What a time is of: "a second of sound", "a sentence"."""
    does: Mapping[str, Timed]
    """By input."""
    peer_of: str = ""


@dataclass(slots=True)
class Opened:
    """What there is to measure."""

    stages: list[Stage]
    engines: dict[str, str]
    missing: dict[str, str] = field(default_factory=dict[str, str])
    """Peers that cannot be run here, and why."""


@contextmanager
def stages(config: Config, openwakeword: Path | None = None) -> Generator[Opened]:
    """The stages of this configuration, with a home that is gone afterwards.

    Args:
        config: the whole configuration.
        openwakeword: a model for that peer; left out, its own of the wake word.

    Raises:
        schemas.errors.GloveboxError: a part cannot be had.
    """
    with TemporaryDirectory(prefix="glovebox-bench-") as place:
        config = own(config, Path(place))
        catalog = Catalog.load(config.data)
        engines = Engines(config, catalog)
        encoder = engines.encoder()
        parser = engines.parser(encoder)
        car = open_car(config, encoder, clock := StreamClock(), parser=parser, introduces=False)
        voice, _ = open_voice(config, engines)
        memory = opened(Path(place) / "many", encoder)
        fill(memory.session.vault, memory, texts := Texts.made(encoder, MEMORIES, SEED), MEMORIES, SEED)
        try:
            recognizer = engines.recognizer(lambda: car.matcher)
            wake, vad = engines.wake_word(recognizer), SileroVad(catalog.find(config.vad.model))
            wishes = (SetTemperature(celsius=20.0), SetTemperature(celsius=22.0), ChangeVolume(change="up"))

            def act() -> float:
                took: list[float] = []
                for wish in wishes:
                    clock.advance_to(clock.now() + 1.0)
                    took.append(_ms(lambda wish=wish: asyncio.run(car.vehicle.act(wish))))
                return sum(took) / len(took)

            hears = {text: lambda text=text: heard(recognizer, inputs.said(text)) for text in _SPOKEN}
            found = Opened(
                [
                    Stage("wake word", "a second of sound", _sounds(wake.process, wake.reset)),
                    Stage("voice activity", "a second of sound", _sounds(vad.process, vad.reset)),
                    Stage("recogniser", "a sentence, after its last sample", hears),
                    Stage("commands", "a sentence", _each(inputs.COMMANDS, car.matcher.match)),
                    Stage("parser", "a sentence", _each(inputs.FREE, parser.parse)),
                    Stage("encoder", "a sentence", _anew(inputs.FREE, lambda text: encoder.encode([text]))),
                    Stage("recall", f"a question, {MEMORIES:,} memories", _anew(inputs.ASKED, memory.search)),
                    Stage("gate and vehicle", "an action, simulated car", {"three actions": act}),
                    Stage(
                        "voice", "a reply, to its first sound", _each(inputs.REPLIES, lambda text: _first(voice, text))
                    ),
                ],
                {NAMES[role].lower(): str(choice.rung) for role, choice in engines.choices.items()},
            )
            _add_peers(found, config, catalog, car.matcher, encoder, texts)
            ears, missing = peers(config.wake.keyword, openwakeword)
            found.missing |= missing
            found.stages += [
                Stage(ear.name, "a second of sound", _sounds(ear.live, ear.reset), "wake word") for ear in ears
            ]
            yield found
        finally:
            memory.close()
            voice.close()
            car.leave()


@contextmanager
def turns(config: Config) -> Generator[Mapping[str, Callable[[], dict[str, float]]]]:
    """The whole turn, by sentence: what gives the milliseconds of its stages, ``total`` among them; empty: not heard."""
    with parked(config) as rig:

        def play(text: str) -> dict[str, float]:
            said = (entry for entry in rig.play(inputs.turn(text)).entries if entry.kind == "said")
            return dict(next((entry.data["latency_ms"] for entry in said), {}))

        yield {text: lambda text=text: play(text) for text in _SPOKEN}


_SPOKEN = (*inputs.COMMANDS, *inputs.FREE)


def heard(recognizer: Recognizer, sound: Samples) -> float:
    """Milliseconds from the last sample to the words: what was worked out while it was fed does not count."""
    recognizer.reset()
    recognizer.start()
    for start in range(0, sound.size, FRAME):
        recognizer.feed(sound[start : start + FRAME])
    return _ms(recognizer.finish)


def _add_peers(
    found: Opened,
    config: Config,
    catalog: Catalog,
    matcher: TemplateMatcher,
    encoder: OnnxEncoder,
    texts: Texts,
) -> None:
    """Add Whisper alone, where it is here, and plain retrieval."""
    try:
        hearing = Hearing(lambda: matcher, catalog.find, config.asr.threads, catalog.find("whisper-base"))
        whisper = whisper_engine.opened(hearing)
    except ModelError as error:
        found.missing["Whisper alone"] = str(error)
    else:
        does = {text: lambda text=text: heard(whisper, inputs.said(text)) for text in _SPOKEN}
        found.stages.append(Stage("Whisper alone", "a sentence, after its last sample", does, "recogniser"))
    plain = ExactIndex(encoder.dimension, len(texts.said))
    plain.add(np.arange(len(texts.said)), texts.vectors)
    found.stages.append(
        Stage(
            "plain retrieval",
            f"a question, {len(texts.said):,} texts",
            _anew(inputs.ASKED, lambda text: plain.search(encoder.encode([text])[0], 10)),
            "recall",
        )
    )


def _sounds(takes: Callable[[Samples], object], reset: Callable[[], None]) -> dict[str, Timed]:
    """A frame after another, as the microphone gives them."""

    def play(sound: Samples) -> float:
        reset()
        frames = [sound[start : start + CHUNK] for start in range(0, sound.size, CHUNK)]
        return _ms(lambda: [takes(frame) for frame in frames]) / inputs.seconds(sound)

    return {text: lambda text=text: play(inputs.said(text)) for text in inputs.COMMANDS}


def _each(texts: Sequence[str], does: Callable[[str], object]) -> dict[str, Timed]:
    return {text: lambda text=text: _ms(lambda: does(text)) for text in texts}


def _anew(texts: Sequence[str], does: Callable[[str], object]) -> dict[str, Timed]:
    """As `_each`, with another number behind the text each time: what was asked before is remembered."""
    numbers = count()
    return _each(texts, lambda text: does(f"{text} {next(numbers)}"))


def _first(voice: Synthesizer, text: str) -> object:
    pieces = voice.synthesize(text)
    return next(iter(pieces), None)


def _ms(does: Callable[[], object]) -> float:
    began = time.perf_counter()
    does()
    return (time.perf_counter() - began) * 1000.0
