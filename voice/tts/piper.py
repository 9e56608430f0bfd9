"""Piper voices, for devices that have the time.

Owns: loading a local voice and the conversion to 16 kHz. Does not fetch voices. Needs the extra `tts`; piper-tts is GPL-3 and is
loaded into this process, which is why it is no default (docs/licences.md).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from schemas.errors import AudioError, EngineMissingError, ModelDamagedError, ModelMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.resample import Resampler
from voice.tts.speakable import speakable


class PiperSynthesizer:
    """Speaks with a Piper voice; meets `schemas.ports.Synthesizer`. One piece a sentence: that is what the network gives."""

    def __init__(
        self,
        voice: Path,
        config: Path | None = None,
        *,
        speaker: int | None = None,
        length_scale: float | None = None,
    ) -> None:
        """Load a voice.

        Args:
            voice: The ONNX file.
            config: Its JSON file; None for the voice's path with `.json` behind it.
            speaker: Number of the speaker, for voices with several.
            length_scale: Above 1 slower, below 1 faster; None for the voice's own.

        Raises:
            EngineMissingError: piper-tts is not installed.
            ModelMissingError: A file of the voice is not there.
            ModelDamagedError: A file of the voice cannot be used.
        """
        try:
            from piper import PiperVoice, SynthesisConfig
        except ImportError as error:
            raise EngineMissingError("piper-tts is not installed; install Glovebox with its extra `tts`") from error
        config = config or voice.with_name(f"{voice.name}.json")
        for path in (voice, config):
            if not path.is_file():
                raise ModelMissingError(f"Piper voice file {path} is missing; import the voice or use espeak")
        logging.getLogger("piper").setLevel(logging.WARNING)  # at DEBUG it writes every text that it speaks
        try:
            self._voice: Any = PiperVoice.load(voice, config)
        except Exception as error:  # JSON, keys, and ONNX Runtime's exceptions, which share no base but Exception
            raise ModelDamagedError(f"Piper voice {voice} with {config} cannot be loaded; import it again") from error
        self._settings: Any = SynthesisConfig(speaker_id=speaker, length_scale=length_scale)

    def synthesize(self, text: str) -> Iterator[Samples]:
        """Sound at 16 kHz, a piece for each sentence; nothing for a text without anything to speak.

        Raises:
            AudioError: The voice failed, or the text is longer than `voice.tts.speakable.LIMIT`.
        """
        words = speakable(text)
        if not words:
            return
        try:
            for chunk in self._voice.synthesize(words, self._settings):
                sound = np.asarray(chunk.audio_int16_array, np.int16)
                resampler = Resampler(chunk.sample_rate, SAMPLE_RATE)
                whole = np.concatenate([resampler.feed(sound), resampler.flush()])
                if whole.size:
                    yield whole
        except Exception as error:  # as above
            raise AudioError("the Piper voice failed; try another voice, or espeak") from error
