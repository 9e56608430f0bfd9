"""What follows a voice waits here until it is known whether the voice goes on: a recogniser need not hear the closing pause.

In noise a recogniser takes the pause that ends an utterance for words ("... with milk"). So only the first `KEEP_S` of a pause
is passed on at once; the rest is kept, passed on when the voice returns, and dropped when the utterance is over.
"""

from __future__ import annotations

from schemas.events import FRAME, SAMPLE_RATE, Samples

KEEP_S = 0.064
"""Pause that is passed on at once, two frames: the VAD is sure a little before the last sound has faded, and holds on for .1 s
itself. Decoding begins when they have been passed on, so every frame more is one that the driver waits. Of orders to a coffee
machine in kitchen noise at 10 dB, a third of them, the grammar alone had .714 right with .15 s and .648 with all .6 s (acoustic
model of docs/log.md)."""


class PauseHold:
    """Frames in, frames out; one a recogniser."""

    def __init__(self, keep_s: float = KEEP_S) -> None:
        """Hold what lies more than this many seconds behind the voice."""
        self.keep = max(1, round(keep_s * SAMPLE_RATE / FRAME))
        """Frames of a pause that are passed on at once."""
        self._held: list[Samples] = []

    def reset(self) -> None:
        """The utterance is over: what is held is dropped."""
        self._held.clear()

    def take(self, frame: Samples, pause_frames: int) -> list[Samples]:
        """What may be passed on now, in order.

        Args:
            frame: the next frame.
            pause_frames: how many frames the pause has lasted before it (``Endpointer.pause_frames``); 0 for speech.
        """
        if pause_frames >= self.keep:
            self._held.append(frame)
            return []
        ready, self._held = [*self._held, frame], []
        return ready
