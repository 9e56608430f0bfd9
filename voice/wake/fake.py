"""A fake wake word for tests: it hears nothing and fires where it is told. Owns no model."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.events import Samples, WakeDetection


class FakeWakeWord:
    """Fires at given stream positions, whatever the samples are; meets `schemas.ports.WakeWord`."""

    sample_rate: int = 16_000

    def __init__(self, fires_at: Sequence[int], *, keyword: str = "computer", score: float = 1.0) -> None:
        """Fire when the stream passes each of `fires_at`, samples since the last reset."""
        self.keyword = keyword
        self._score = score
        self._fires_at = tuple(sorted(fires_at))
        self.reset()

    def reset(self) -> None:
        """Start the stream anew: the same positions fire again."""
        self._position = 0
        self._waiting = list(self._fires_at)

    def process(self, chunk: Samples) -> WakeDetection | None:
        """Advance by the chunk; a detection for the first position reached and not yet told."""
        self._position += len(chunk)
        if self._waiting and self._waiting[0] <= self._position:
            return WakeDetection(keyword=self.keyword, score=self._score, end_sample=self._waiting.pop(0))
        return None
