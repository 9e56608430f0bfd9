"""The wake word on ONNX Runtime, with keyword networks of our own: one listens always, one is asked where that fires.

Owns: when a stream of scores is a detection (threshold, refractory period) and where the keyword ended. Does not own
features or the networks (`models.runtime.keyword`), nor what happens after a detection. Time is the stream: samples, no clock.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from models.runtime.keyword import KeywordNetwork
from schemas.errors import ModelDamagedError, ModelMissingError
from schemas.events import Samples, WakeDetection
from voice.wake import Waking

_BLOCK = 16_000
"""Samples that are worked on at once, so that a long chunk takes no more memory than a short one."""


class OnnxWakeWord:
    """Finds one keyword in a stream of mono 16 kHz samples; meets `schemas.ports.WakeWord`."""

    sample_rate: int = 16_000

    def __init__(self, path: Path, *, threshold: float | None = None, refractory: float = 2.0) -> None:
        """Load the network.

        Args:
            path: The ONNX file; it carries its keyword, its threshold, how late its score rises, and its check's name.
            threshold: Score from which on it is the keyword, 0 to 1; None for the file's own, chosen by
                `models.training.wake.measure` on clips that it was not trained on.
            refractory: Seconds after a detection in which there is no other.

        Raises:
            ModelMissingError: No such file, or the check that it names is not beside it.
            ModelDamagedError: A file cannot be loaded, or lacks its keyword, threshold or lag.
            EngineMissingError: ONNX Runtime is not installed.
            ValueError: Threshold or refractory period out of range.
        """
        self._network = KeywordNetwork(path)
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
        self.reset()

    def reset(self) -> None:
        """Forget the stream so far, found but not yet fetched detections included; positions count from here."""
        self._network.reset()
        self._found: deque[WakeDetection] = deque()
        self._deaf_until = 0

    def process(self, chunk: Samples) -> WakeDetection | None:
        """Take the next samples, any number; a detection when the keyword was found in them.

        A chunk so long that it holds several detections gives the first, and the next calls give the rest.
        """
        for start in range(0, len(chunk), _BLOCK):
            self._listen(chunk[start : start + _BLOCK])
        return self._found.popleft() if self._found else None

    def _listen(self, block: Samples) -> None:
        scores = self._network.process(block)
        for score, position in zip(scores.values.tolist(), scores.positions.tolist(), strict=True):
            if score >= self.threshold and position >= self._deaf_until:
                end = max(0, position - self._lag)
                self._found.append(WakeDetection(keyword=self.keyword, score=min(1.0, score), end_sample=end))
                self._deaf_until = position + self._refractory


def opened(waking: Waking) -> OnnxWakeWord:
    """See ``voice.wake.WAKE_WORDS``."""
    if waking.model is None:
        raise ModelMissingError("the wake word needs a model; name one in wake.model")
    return OnnxWakeWord(waking.model, threshold=waking.threshold, refractory=waking.refractory_s)
