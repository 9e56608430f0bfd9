"""What listens in `eval commands`: the recogniser of this configuration behind the assistant's own VAD, with a new grammar.

Owns: making a recogniser for a template file as a car maker would, and cutting a recording to its utterance. The utterance
goes from the first beginning of speech that the endpointer finds, less the loop's pre-roll, to its last end of speech with as
much of the closing pause as the loop passes on: a recording holds one order, and an order that the assistant would have taken
for finished before its last word is counted apart.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deploy.lab.orders.recordings import plain
from models.commands.matcher import TemplateMatcher
from models.commands.templates import Templates
from models.training.asr import build
from schemas.events import FRAME, SAMPLE_RATE, Samples
from schemas.ports import Recognizer, Vad
from voice.account import LoopSettings
from voice.asr.expected import expected
from voice.asr.pocketsphinx import PocketSphinxRecognizer
from voice.asr.together import TogetherRecognizer
from voice.asr.whisper import WhisperRecognizer
from voice.vad.endpoint import Endpointer, SpeechEnded, SpeechStarted
from voice.vad.hold import KEEP_S

SENTENCES = 20_000
"""Samples of the templates for the competing trigram: as many as the car's own commands get."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a recording."""

    text: str
    """What the recogniser decided for."""
    guess: str
    """What the grammar made of it, accepted or not."""
    slots: dict[str, str] | None
    """Of the accepted command; None if none was accepted."""
    guessed: dict[str, str] | None
    """Of the grammar's text, accepted or not; None if it is no command."""
    confidence: float
    utterances: int
    """How many the endpointer made of the recording; 0 if it heard no speech."""
    speech_s: float
    """Sound that reached the recogniser."""
    cpu_s: float
    """Processor time of VAD and recogniser."""


def recognizer_for(
    templates: Templates, folder: Path, builtin: Path | None = None, whisper: Path | None = None, *, threads: int = 2
) -> tuple[Recognizer, TemplateMatcher]:
    """The product's recogniser for another domain: sentences in, its files in ``folder``.

    Args:
        templates: the domain's sentences.
        folder: for the files that are made.
        builtin: the folder of the car's own recogniser, whose network against noise serves every domain; None for none.
        whisper: the folder of a Whisper model, which is then the other recogniser; None for none.
        threads: of Whisper.
    """
    build.build(folder, commands=SENTENCES, free=0, templates=templates)
    matcher = TemplateMatcher(templates)
    sphinx = PocketSphinxRecognizer(folder, matcher, noise=builtin / "noise.npz" if builtin is not None else None)
    if whisper is None:
        return sphinx, matcher
    ear = WhisperRecognizer(whisper, matcher.match, threads=threads, likely=expected(templates))
    return TogetherRecognizer(sphinx, ear, matcher), matcher


class Listener:
    """VAD, endpointer, recogniser and matcher, one recording at a time."""

    def __init__(self, vad: Vad, recognizer: Recognizer, matcher: TemplateMatcher, endpointer: Endpointer) -> None:
        """Listen with these."""
        self._vad, self._recognizer, self._matcher, self._endpointer = vad, recognizer, matcher, endpointer

    def hear(self, samples: Samples) -> Heard:
        """Hear one recording."""
        begun = time.process_time()
        utterances, first, last = self.cut(samples)
        self._recognizer.start(samples[:first])
        for start in range(first, last, FRAME):
            self._recognizer.feed(samples[start : min(start + FRAME, last)])
        found = self._recognizer.finish()
        cpu = time.process_time() - begun
        slots = self._slots(found.text) if found.in_grammar else None
        guess = found.grammar.text if found.grammar is not None else found.text
        return Heard(
            found.text, guess, slots, self._slots(guess), found.confidence, utterances, (last - first) / SAMPLE_RATE, cpu
        )  # fmt: skip

    def cut(self, samples: Samples) -> tuple[int, int, int]:
        """Utterances, and where they begin and end."""
        self._vad.reset()
        self._endpointer.reset()
        pause = round(self._endpointer.settings.silence_s * SAMPLE_RATE)
        padded = np.pad(samples, (0, pause + 2 * FRAME + -(samples.size + pause) % FRAME))
        begins: list[int] = []
        ends: list[int] = []
        for start in range(0, padded.size, FRAME):
            event = self._endpointer.process(self._vad.process(padded[start : start + FRAME]))
            if isinstance(event, SpeechStarted):
                begins.append(event.sample)
            elif isinstance(event, SpeechEnded):
                ends.append(event.sample)
        if not begins:
            return 0, 0, samples.size
        end = ends[-1] + round(KEEP_S * SAMPLE_RATE) if len(ends) == len(begins) else samples.size
        return len(begins), max(0, begins[0] - round(LoopSettings().preroll_s * SAMPLE_RATE)), min(samples.size, end)

    def _slots(self, text: str) -> dict[str, str] | None:
        command = self._matcher.match(text)
        return {name: plain(value) for name, value in command.slots.items()} if command is not None else None
