"""Utterances of several clients on one recogniser, each followed while it is said.

Owns whose turn the recogniser is, and when it decodes. It follows one utterance at a time: the one that is being said. Where
another ends meanwhile, it is heard from its beginning, and the first one then anew: nothing is lost, it only takes longer. At a
pause the recogniser decodes, and silence after it is held back, so the words are there when the client finds that nobody speaks
any more. Whatever waits for an answer here runs on one thread at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from schemas.events import FRAME, SAMPLE_RATE, Samples
from schemas.ports import Recognizer, Vad

UTTERANCE_S = 60
"""Longest utterance; what comes later of it is left out."""
PAUSE_FRAMES = 5
"""Frames of 32 ms without speech after which it decodes: .16 s, as long as the assistant waits after a complete command."""
SPEECH_AT, SILENCE_AT = 0.5, 0.35
"""Probabilities of speech: what Silero's authors advise (``voice.vad.endpoint``)."""
STALLED_S = 2.0
"""Seconds without sound after which another client's utterance is followed instead: that one may be gone."""
AHEAD_S = 0.5
"""Sound that comes faster than it can be said, by so much, is a file: nobody waits in its pauses."""


@dataclass(slots=True)
class Ears:
    """What all clients share."""

    recognizer: Recognizer
    vad: Callable[[], Vad] | None = None
    """Makes one for an utterance; None: nothing is decoded before its end."""
    now: Callable[[], float] = time.monotonic
    followed: Utterance | None = None
    """Whose utterance the recogniser is at."""
    heard_s: float = 0.0
    """When it came to it last, by ``now``."""


class Utterance:
    """One client's."""

    def __init__(self, ears: Ears) -> None:
        """Nothing was said yet."""
        self._ears, self._vad = ears, ears.vad() if ears.vad is not None else None
        self._sound: list[Samples] = []
        self._length = 0
        self._rest = np.zeros(0, np.int16)
        self._began_s = ears.now()
        self._begin()

    def _begin(self) -> None:
        self._given, self._quiet, self._voiced = 0, 0, False
        self._held: list[Samples] | None = None
        """Silence since the last decoding; None: there was none since somebody spoke."""

    def take(self, samples: Samples) -> None:
        """Take the next samples, any number, at 16 kHz.

        Raises:
            schemas.errors.GloveboxError: the recogniser failed.
        """
        if self._length < UTTERANCE_S * SAMPLE_RATE:
            self._length += samples.size
            whole = np.concatenate([self._rest, samples])
            cut = whole.size // FRAME * FRAME
            self._sound += list(whole[:cut].reshape(-1, FRAME))
            self._rest = whole[cut:]
        ears = self._ears
        if ears.followed in (None, self) or ears.now() - ears.heard_s > STALLED_S:
            self._follow()

    def words(self) -> str:
        """What was said in all of it; it is over.

        Raises:
            schemas.errors.GloveboxError: the recogniser failed.
        """
        self._follow()
        recognizer = self._ears.recognizer
        if self._held is None and self._rest.size:
            recognizer.feed(self._rest)
        self._ears.followed = None
        return recognizer.finish().text

    def leave(self) -> None:
        """It is not wanted any more."""
        if self._ears.followed is self:
            self._ears.followed = None

    def _follow(self) -> None:
        ears = self._ears
        if ears.followed is not self:
            ears.followed = self
            ears.recognizer.reset()
            ears.recognizer.start()
            if self._vad is not None:
                self._vad.reset()
            self._begin()
        for frame in self._sound[self._given :]:
            self._give(frame)
        self._given = len(self._sound)
        ears.heard_s = ears.now()

    def _give(self, frame: Samples) -> None:
        recognizer, likely = self._ears.recognizer, self._vad.process(frame) if self._vad is not None else 1.0
        self._quiet = self._quiet + 1 if likely < SILENCE_AT else 0
        if self._held is not None and likely < SPEECH_AT:
            self._held.append(frame)
            return
        for one in (*(self._held or ()), frame):
            recognizer.feed(one)
        self._held = None
        self._voiced = self._voiced or likely >= SPEECH_AT
        if self._voiced and self._quiet == PAUSE_FRAMES and self._is_live():
            recognizer.pause()
            self._held = []

    def _is_live(self) -> bool:
        return self._length / SAMPLE_RATE <= self._ears.now() - self._began_s + AHEAD_S
