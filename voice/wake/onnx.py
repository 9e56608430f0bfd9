"""The wake word on ONNX Runtime, with keyword networks of our own: one listens always, one is asked where that fires.

Where a second ear is there (Whisper, in every profile that has it), it must hear the word, too: the networks only say where it is
asked. Without it a threshold decides, which misses more and fires more often.

Owns: when a stream of scores is a detection, when the second ear is asked and about which sound, and where the keyword ended.
Does not own features or the networks (`models.runtime.keyword`), nor what happens after a detection. Time is the stream: samples,
no clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.runtime.keyword import KeywordNetwork
from schemas.errors import GloveboxError, ModelDamagedError, ModelMissingError
from schemas.events import Samples, WakeDetection
from voice.wake import SecondEar, Waking

RATE = 16_000
ASKED_FROM = 0.05
"""Score from which on the second ear is asked. On voices kept for choosing thresholds and the recordings' dev part (278 calls,
.94 h of speech; docs/log.md) it was asked 44 to 100 times an hour of talk, for .2 to .3 s of processor time each."""
FIRES = 0.12
"""Score of the first network from which on its check is asked, where a second ear may say more. The file's is for them alone."""
BEFORE, AFTER = round(1.4 * RATE), round(0.1 * RATE)
"""Samples that the second ear gets before and after the place of the highest score. It is asked once the score has not risen for as
long as `AFTER`."""
REST = round(0.3 * RATE)
"""Samples after a no in which it is not asked again."""

_BLOCK = 16_000
"""Samples that are worked on at once, so that a long chunk takes no more memory than a short one."""


@dataclass(slots=True)
class _Doubt:
    """A stretch of scores that may be the word."""

    best: float
    at: int
    """Where the best score came."""
    end: int | None = None
    """Where it first came up to the threshold of the networks alone."""


class OnnxWakeWord:
    """Finds one keyword in a stream of mono 16 kHz samples; meets `schemas.ports.WakeWord`."""

    sample_rate: int = RATE

    def __init__(
        self,
        path: Path,
        *,
        threshold: float | None = None,
        refractory: float = 2.0,
        second: SecondEar | None = None,
    ) -> None:
        """Load the network.

        Args:
            path: The ONNX file; it carries its keyword, its threshold, how late its score rises, and its check's name.
            threshold: Score from which on it is the keyword, 0 to 1; None for the file's own, chosen by
                `models.training.wake.measure` on clips that it was not trained on. With a second ear one that is given is what
                that is asked from on, in place of `ASKED_FROM`.
            refractory: Seconds after a detection in which there is no other.
            second: Must hear it, too; None: the threshold decides.

        Raises:
            ModelMissingError: No such file, or the check that it names is not beside it.
            ModelDamagedError: A file cannot be loaded, or lacks its keyword, threshold or lag.
            EngineMissingError: ONNX Runtime is not installed.
            ValueError: Threshold or refractory period out of range.
        """
        self._network = KeywordNetwork(path, fires=FIRES if second is not None else None)
        self._second = second
        metadata = self._network.metadata
        try:
            self.keyword = metadata["keyword"]
            self.threshold = float(metadata["threshold"]) if threshold is None else threshold
            self._lag = int(metadata["lag_samples"])
        except (KeyError, ValueError) as error:
            raise ModelDamagedError(
                f"keyword network {path} lacks its keyword, threshold or lag; restore it or run models.training.wake.measure"
            ) from error
        if not 0.0 < self.threshold <= 1.0 or refractory < 0.0:
            raise ValueError(f"threshold must lie in (0, 1], refractory be >= 0; got {self.threshold} and {refractory}")
        self._refractory = round(refractory * self.sample_rate)
        self._asked_from = ASKED_FROM if threshold is None else threshold
        self.reset()

    def reset(self) -> None:
        """Forget the stream so far, found but not yet fetched detections included; positions count from here."""
        self._network.reset()
        self._found: deque[WakeDetection] = deque()
        self._deaf_until = self._rests_until = 0
        self._doubt: _Doubt | None = None
        self._sound: Samples = np.zeros(0, np.int16)
        self._heard = 0

    def process(self, chunk: Samples) -> WakeDetection | None:
        """Take the next samples, any number; a detection when the keyword was found in them.

        A chunk so long that it holds several detections gives the first, and the next calls give the rest.
        """
        for start in range(0, len(chunk), _BLOCK):
            self._listen(chunk[start : start + _BLOCK])
        return self._found.popleft() if self._found else None

    def _listen(self, block: Samples) -> None:
        if self._second is not None:
            self._sound = np.concatenate([self._sound[-(BEFORE + 2 * AFTER) :], block])
            self._heard += len(block)
        scores = self._network.process(block)
        for score, position in zip(scores.values.tolist(), scores.positions.tolist(), strict=True):
            if position < self._deaf_until:
                continue
            if self._second is not None:
                self._weigh(self._second, score, position)
            elif score >= self.threshold:
                self._wake(score, position, position)

    def _weigh(self, second: SecondEar, score: float, position: int) -> None:
        doubt = self._doubt
        if doubt is None:
            if score < self._asked_from or position < self._rests_until:
                return
            doubt = self._doubt = _Doubt(score, position)
        if score > doubt.best:
            doubt.best, doubt.at = score, position
        if doubt.end is None and score >= self.threshold:
            doubt.end = position
        if position - doubt.at >= AFTER:
            self._doubt = None
            if self._hears(second, doubt, position):
                self._wake(doubt.best, position, doubt.end or doubt.at)
            else:
                self._rests_until = position + REST

    def _hears(self, second: SecondEar, doubt: _Doubt, position: int) -> bool:
        last = len(self._sound) - (self._heard - position)
        try:
            return second.has(self._sound[max(0, last - (position - doubt.at) - BEFORE) : last], self.keyword)
        except GloveboxError:  # then it is as if there were none
            return doubt.best >= self.threshold

    def _wake(self, score: float, position: int, end: int) -> None:
        """It was the word, which ended at `end`; `position` is where that is known."""
        found = WakeDetection(keyword=self.keyword, score=min(1.0, score), end_sample=max(0, end - self._lag))
        self._found.append(found)
        self._doubt, self._deaf_until = None, position + self._refractory


def opened(waking: Waking) -> OnnxWakeWord:
    """See ``voice.wake.WAKE_WORDS``."""
    if waking.model is None:
        raise ModelMissingError("the wake word needs a model; name one in wake.model")
    return OnnxWakeWord(waking.model, threshold=waking.threshold, refractory=waking.refractory_s, second=waking.second)
