"""What the drivers of the demo sound like: Piper's voice where it is there, else espeak-ng's.

Owns the sound of a line. With Piper one speaker is four people: played faster his voice is higher and smaller, played slower lower.
Whisper hears espeak-ng's voices badly in noise, PocketSphinx hears some of them well (docs/log.md).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from deploy.config import Config
from deploy.demo.cabin import Line
from deploy.engines import standing
from models.catalog import Catalog
from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE, Samples
from schemas.ports import Synthesizer
from voice.audio.resample import Resampler
from voice.tts.espeak import EspeakSettings, EspeakSynthesizer
from voice.tts.piper import opened_voice

Speak = Callable[[Line, str], Samples]
"""The sound of a line, with the wake word in front where the line has it."""


@contextmanager
def drivers(config: Config) -> Generator[Speak]:
    """The best drivers that are there; what makes their voices ends with the context."""
    voice = _piper_voice(config)
    if voice is None:
        yield by_espeak
        return
    try:
        piper = opened_voice(voice)
    except GloveboxError:  # the assistant's own voice says why
        yield by_espeak
        return
    with closing(piper):
        yield lambda line, keyword: line_of(line, keyword, lambda text: shifted(_sound(piper, text), line.voice.factor))


def by_espeak(line: Line, keyword: str) -> Samples:
    """A line in the espeak-ng voice of its driver."""
    voice = EspeakSynthesizer(EspeakSettings(line.voice.name, line.voice.speed, line.voice.pitch))
    return line_of(line, keyword, lambda text: _sound(voice, text))


def _piper_voice(config: Config) -> Path | None:
    catalog = Catalog.load(config.data)
    rung = standing(config, catalog, "tts").rung
    return catalog.find(rung.model) if rung.engine == "piper" and rung.model is not None else None


def line_of(line: Line, keyword: str, say: Callable[[str], Samples]) -> Samples:
    """The sound of a line: wake word, breath, sentence; wake word and sentence as one text where there is no breath."""
    if line.wake and line.breath_s <= 0.0:
        return say(f"{keyword} {line.text}")
    said = say(line.text)
    if not line.wake:
        return said
    pause = np.zeros(int(line.breath_s * SAMPLE_RATE), np.int16)
    return np.concatenate([say(keyword), pause, said])


def _sound(voice: Synthesizer, text: str) -> Samples:
    return _trimmed(np.concatenate(list(voice.synthesize(text))))


def _trimmed(sound: Samples) -> Samples:
    """Without the synthesiser's silence at both ends (it adds a few hundred milliseconds)."""
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > 150)
    return sound[loud[0] : loud[-1] + 1] if len(loud) else sound


def shifted(sound: Samples, factor: float) -> Samples:
    """A sound played so many times as fast, which moves pitch and formants by the same factor."""
    resampler = Resampler(SAMPLE_RATE * factor, SAMPLE_RATE)
    return np.concatenate([resampler.feed(sound), resampler.flush()])
