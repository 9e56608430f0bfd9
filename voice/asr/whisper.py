"""Whisper through faster-whisper: the recogniser of devices with time for it.

Owns: collecting an utterance, transcribing it when it ends, and refusing what Whisper invents on sound without words. It loads
local folders only; nothing is ever fetched. Does not own voice activity (the endpointer came before it) nor what a command is:
the matcher says whether the text is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.commands.spelling import spoken
from schemas.errors import EngineMissingError, ModelError, ModelMissingError
from schemas.events import SAMPLE_RATE, Command, Hypothesis, Samples, Transcript
from voice.asr import Hearing

SHORTEST_S = 0.1
"""Less sound than this holds no word; Whisper pads to 30 s and would make one up."""

NEEDED = ("model.bin", "config.json", "tokenizer.json")
"""Without ``tokenizer.json`` faster-whisper would look for one on the network."""


@dataclass(frozen=True, slots=True)
class WhisperSettings:
    """Whisper's own limits for a segment that is not speech (Radford et al. 2022, section 4.5)."""

    beam: int = 1
    """1 is greedy; each further beam costs as much again."""
    no_speech: float = 0.6
    """A segment more likely empty than this is dropped if it is also improbable."""
    log_probability: float = -1.0
    """Mean log probability of a token under which a segment is improbable."""
    compression: float = 2.4
    """Text that compresses better than this repeats itself: invented."""


class WhisperRecognizer:
    """``schemas.ports.Recognizer``: not streaming inside, all the work is in ``finish``."""

    def __init__(
        self,
        folder: Path,
        match: Callable[[str], Command | None],
        *,
        threads: int = 2,
        settings: WhisperSettings | None = None,
    ) -> None:
        """Load a model in CTranslate2's format.

        Args:
            folder: holds ``model.bin``, ``config.json``, ``tokenizer.json`` and the vocabulary.
            match: the command matcher; a text that it knows is in grammar.
            threads: processor threads that the engine may use.
            settings: limits of the gate.

        Raises:
            schemas.errors.EngineMissingError: faster-whisper is not installed.
            schemas.errors.ModelMissingError: the folder lacks a file.
            schemas.errors.ModelError: the engine cannot use the files.
        """
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise EngineMissingError("faster-whisper is not installed; run: pip install 'glovebox[asr]'") from error
        for name in NEEDED:
            if not (folder / name).is_file():
                raise ModelMissingError(f"{folder / name} is missing; a Whisper model needs {', '.join(NEEDED)}")
        try:
            self._model: Any = WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
            )
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"faster-whisper cannot load the model in {folder}: {error}") from error
        self._match = match
        self._settings = settings or WhisperSettings()
        self._chunks: list[Samples] = []

    def reset(self) -> None:
        """Forget an utterance that is open; nothing else is kept."""
        self._chunks = []

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away."""
        del before
        self._chunks = []

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        self._chunks.append(chunk.copy())

    def pause(self) -> None:
        """Nothing yet: the utterance is decoded at its end."""

    def partial(self) -> str:
        """Always empty: Whisper hears an utterance as a whole."""
        return ""

    def finish(self) -> Transcript:
        """Transcribe what was fed.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        samples = np.concatenate(self._chunks) if self._chunks else np.zeros(0, dtype=np.int16)
        self._chunks = []
        seconds = len(samples) / SAMPLE_RATE
        if seconds < SHORTEST_S:
            return Transcript(text="", confidence=0.0, in_grammar=False, seconds=seconds)
        try:
            segments, _ = self._model.transcribe(
                samples.astype(np.float32) / 32768.0,
                language="en",
                beam_size=self._settings.beam,
                temperature=0.0,
                condition_on_previous_text=False,
                without_timestamps=True,
                vad_filter=False,
                # The gate below sees every segment with its figures, so the engine itself drops none.
                no_speech_threshold=None,
                log_prob_threshold=None,
                compression_ratio_threshold=None,
            )
            kept = [segment for segment in segments if self._spoken(segment)]
        except RuntimeError as error:
            raise ModelError(f"faster-whisper failed: {error}") from error
        text = spoken(" ".join(segment.text for segment in kept))
        confidence = _confidence(kept)
        return Transcript(
            text=text,
            confidence=confidence if text else 0.0,
            in_grammar=bool(text) and self._match(text) is not None,
            open=Hypothesis(text=text, log_score=math.log(max(confidence, 1e-9))),
            seconds=seconds,
        )

    def _spoken(self, segment: Any) -> bool:
        limits = self._settings
        if segment.compression_ratio > limits.compression:
            return False
        return not (segment.no_speech_prob > limits.no_speech and segment.avg_logprob < limits.log_probability)


def opened(hearing: Hearing) -> WhisperRecognizer:
    """The recogniser of the table.

    Raises:
        schemas.errors.ModelMissingError: no model was chosen.
    """
    if hearing.model is None:
        raise ModelMissingError("whisper needs a model; name one in asr.model")
    return WhisperRecognizer(hearing.model, hearing.matcher.match, threads=hearing.threads)


def _confidence(segments: Sequence[Any]) -> float:
    """Mean probability of a token, of the least certain segment, less the chance that nothing was said."""
    if not segments:
        return 0.0
    return min(math.exp(min(0.0, segment.avg_logprob)) * (1.0 - segment.no_speech_prob) for segment in segments)
