"""A voice on another computer. Where it is away the piece fails, and the voice behind it speaks (``voice.tts.voices``)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.tts import Synthesize

from schemas.errors import AudioError, ModelError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.resample import Resampler
from voice.remote.line import AwayError, Line
from voice.tts import Speaking
from voice.tts.speakable import speakable

SOUND_S = 3.0
"""Longest wait for the next piece of sound. Our choice: a Raspberry Pi with Piper begins within one (docs/install-pi5.md)."""
LOWEST, HIGHEST = 8_000, 48_000
"""Rates that are taken, in Hz."""


class RemoteVoice:
    """Meets ``schemas.ports.Synthesizer``."""

    def __init__(self, line: Line) -> None:
        """Nothing is connected yet."""
        self._line = line

    def synthesize(self, text: str) -> Iterator[Samples]:
        """Sound at 16 kHz, as it comes.

        Raises:
            schemas.errors.AudioError: the other computer is away, or what it sends is no sound of 16 bits and one channel.
        """
        said = speakable(text)
        if not said:
            return
        try:
            self._line.connect()
            self._line.send(Synthesize(text=said))
            yield from self._sound()
        except AwayError as error:
            raise AudioError(f"the voice at {error}") from error
        finally:
            self._line.close()

    def _sound(self) -> Iterator[Samples]:
        resampler: Resampler | None = None
        while True:
            event = self._line.receive(SOUND_S)
            if AudioStart.is_type(event.type) or AudioChunk.is_type(event.type):
                form = tuple(event.data.get(name) for name in ("rate", "width", "channels"))
                if not isinstance(form[0], int) or not LOWEST <= form[0] <= HIGHEST or form[1:] != (2, 1):
                    raise self._line.lost(f"sends sound that cannot be used: {form}")
                resampler = resampler or Resampler(form[0], SAMPLE_RATE)
                if event.payload:
                    yield resampler.feed(np.frombuffer(event.payload, "<i2").astype(np.int16))
            elif AudioStop.is_type(event.type):
                if resampler is not None:
                    yield resampler.flush()
                return


def opened(speaking: Speaking) -> RemoteVoice:
    """The voice of the table.

    Raises:
        schemas.errors.ModelError: no address was given.
    """
    if speaking.remote is None:
        raise ModelError("a remote voice needs an address; set tts.remote")
    return RemoteVoice(Line(speaking.remote))
