"""Where an utterance begins and ends: a machine without I/O and without a clock.

Time enters as frames: each call of `process` is one frame of `FRAME` samples, and every position counts samples since
the last `reset`. The rules, in order:

1. Speech begins when `START_FRAMES` of the last `START_WINDOW` frames are speech (probability >= `start_at`). Its
   position is the beginning of the first of them.
2. A pause begins with the first frame under `stop_below`. It is over when `RESUME_FRAMES` frames in a row are speech;
   what lies between the two thresholds neither begins nor ends one.
3. The utterance ends when the pause has lasted as long as the words so far want (`expect`): `hurry_silence_s` after a complete
   command, `middle_silence_s` after one that a longer one begins with, `unfinished_silence_s` after what cannot be all,
   `whole_silence_s` after free speech that is surely a whole sentence, and `silence_s` after other free speech or where nothing is
   known of the words; not on a frame that is speech. What is expected holds for one pause: when the voice returns, the words are
   not all.
4. The utterance ends `max_utterance_s` after it began, whatever is heard. After that no new one begins before a frame
   under `stop_below`: a noise that was taken for speech must not keep the listener busy for ever.
5. If nothing has begun `no_speech_s` after the reset or the last end, that is said once.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import ceil, floor
from typing import Literal

from schemas.events import FRAME, SAMPLE_RATE, Standing
from voice.settings import EndpointSettings, SpeechThresholds

START_FRAMES = 3
"""96 ms of speech. With 2 of 3 frames 75 of 100 real commands in 5 dB kitchen noise were one utterance, with 3 of 4, 82.
Of 120 one-word answers of 88 to 290 ms in 15 dB road noise they lost 6 and 10; of 230 from 250 to 400 ms, at 15 and
5 dB, 3 of 4 lost none (`python -m tests.audio.test_vad_in_noise`)."""
START_WINDOW = 4
RESUME_FRAMES = 2
FADES_BELOW, SURE_FROM = 0.7, 0.9
"""Probabilities of speech between which a voice fades: under the first it may be over, from the second on it is not. After the last
sound of the demo's 16 sentences in 15 dB road noise it took 70 to 120 ms to come under .7, and 100 to 240 ms to come under .35."""

Reason = Literal["silence", "whole", "hurry", "middle", "unfinished", "cap"]
"""Which pause ended an utterance: that after free speech, free speech that is surely whole, a complete command, one that might go
on, words that cannot be all; or none did."""

_REASONS: dict[Standing, Reason] = {
    Standing.COMPLETE: "hurry",
    Standing.CONTINUABLE: "middle",
    Standing.UNFINISHED: "unfinished",
    Standing.WHOLE: "whole",
    Standing.OPEN: "silence",
}


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """Speech has begun."""

    sample: int
    """Where its first frame begins."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The utterance is over."""

    sample: int
    """Where its last voice ended: the beginning of the closing pause, or the cap."""
    reason: Reason


@dataclass(frozen=True, slots=True)
class NoSpeech:
    """Nobody has spoken for `no_speech_s`."""

    sample: int


EndpointEvent = SpeechStarted | SpeechEnded | NoSpeech


class _State(Enum):
    WAITING = "waiting"
    SPEAKING = "speaking"
    BARRED = "barred"
    """After the cap, until the first quiet frame."""


class Endpointer:
    """Finds beginnings and ends in a row of speech probabilities; after an end it waits for the next beginning."""

    def __init__(self, settings: EndpointSettings | None = None, speech: SpeechThresholds | None = None) -> None:
        """An endpointer at position 0."""
        self.settings, self.speech = settings or EndpointSettings(), speech or SpeechThresholds()
        self.reset()

    @property
    def pause_frames(self) -> int:
        """How long the pause within the utterance has lasted, in frames; 0 while there is speech, or no utterance."""
        if self._state is not _State.SPEAKING or self._quiet_since is None:
            return 0
        return self._frames - self._quiet_since

    @property
    def fading(self) -> bool:
        """Whether the voice seems to end: a pause may just begin, or has."""
        return self._state is _State.SPEAKING and self._fading

    @property
    def rising(self) -> bool:
        """Whether no utterance has begun and one of the last frames was speech: a voice may just begin."""
        return self._state is _State.WAITING and any(self._recent)

    @property
    def voiced_frames(self) -> int:
        """How long the utterance has lasted without a pause, in frames; 0 in a pause, or where there is no utterance."""
        if self._state is not _State.SPEAKING or self._quiet_since is not None:
            return 0
        return self._frames - self._voiced_from

    def reset(self) -> None:
        """Forget everything; positions count from here. Nothing is expected."""
        self._frames = 0
        self._words, self._fading = Standing.OPEN, False
        self._wait()
        self._state = _State.WAITING

    def expect(self, words: Standing) -> None:
        """Tell how much of a sentence the words so far are; holds until told otherwise or the pause is over."""
        self._words = words

    def process(self, probability: float) -> EndpointEvent | None:
        """Take the next frame's probability of speech; what it leads to.

        Raises:
            ValueError: Not within 0..1.
        """
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"a probability lies within 0..1; got {probability}")
        self._frames += 1
        match self._state:
            case _State.WAITING:
                return self._waiting(probability)
            case _State.SPEAKING:
                return self._speaking(probability)
            case _State.BARRED:
                if probability < self.speech.stop_below:
                    self._wait()
                return None

    def _wait(self) -> None:
        self._state = _State.WAITING
        self._recent: deque[bool] = deque(maxlen=START_WINDOW)
        self._waits_since = self._frames
        self._told = False

    def _waiting(self, probability: float) -> EndpointEvent | None:
        self._recent.append(probability >= self.speech.start_at)
        if sum(self._recent) >= START_FRAMES:
            first = self._frames - len(self._recent) + list(self._recent).index(True)
            self._began, self._quiet_since, self._run = first, None, RESUME_FRAMES
            self._voiced_from, self._words, self._fading = first, Standing.OPEN, False
            self._state = _State.SPEAKING
            return SpeechStarted(first * FRAME)
        if not self._told and self._frames - self._waits_since >= _frames(self.settings.no_speech_s):
            self._told = True
            return NoSpeech(self._frames * FRAME)
        return None

    def _speaking(self, probability: float) -> EndpointEvent | None:
        settings = self.settings
        speech = probability >= self.speech.start_at
        self._run = self._run + 1 if speech else 0
        self._fading = probability < FADES_BELOW or (self._fading and probability < SURE_FROM)
        if self._run >= RESUME_FRAMES:
            if self._quiet_since is not None:
                self._voiced_from, self._words = self._frames - self._run, Standing.OPEN
                self._fading = False
            self._quiet_since = None
        elif probability < self.speech.stop_below and self._quiet_since is None:
            self._quiet_since = self._frames - 1
        if self._quiet_since is not None and not speech:
            pause = self._frames - self._quiet_since
            if pause >= _frames(settings.silence_after(self._words)):
                return self._end(_REASONS[self._words], self._quiet_since)
        if self._frames - self._began >= floor(settings.max_utterance_s * SAMPLE_RATE / FRAME):
            end = self._frames if self._quiet_since is None else self._quiet_since
            return self._end("cap", end)
        return None

    def _end(self, reason: Reason, frame: int) -> SpeechEnded:
        self._words = Standing.OPEN
        self._wait()
        if reason == "cap":
            self._state = _State.BARRED
        return SpeechEnded(frame * FRAME, reason)


def _frames(seconds: float) -> int:
    """The least number of frames that last as long."""
    return ceil(seconds * SAMPLE_RATE / FRAME - 1e-9)
