"""A fake synthesiser for tests and for machines without a voice: it beeps, one beep a word. It speaks no word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schemas.events import SAMPLE_RATE, Samples
from voice.tts.speakable import speakable


class FakeSynthesizer:
    """A beep a word, 60 ms a letter, a pause of 60 ms between; meets `schemas.ports.Synthesizer`."""

    def __init__(self) -> None:
        """Nothing spoken yet."""
        self.spoken: list[str] = []
        """Every text it was given, oldest first."""

    def synthesize(self, text: str) -> Iterator[Samples]:
        """A piece for each word; raises as the real ones do."""
        self.spoken.append(text)
        for word in speakable(text).split():
            time = np.arange(round(0.06 * len(word) * SAMPLE_RATE)) / SAMPLE_RATE
            beep = 6000.0 * np.sin(2.0 * np.pi * 440.0 * time)
            yield np.concatenate([beep, np.zeros(round(0.06 * SAMPLE_RATE))]).astype(np.int16)
