"""One channel of several: which of a microphone's or a file's channels is heard.

Owns: the choice. A mix of two channels in opposite phase is silence (a plug that is wired the wrong way, a "balanced" cable
on a stereo socket), and a mix with a dead channel is half as loud: so channels are averaged only while they agree.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Kind = TypeVar("_Kind", np.int16, np.float32)

MEMORY_S = 1.0
"""Time constant of the channels' powers in seconds: as long as a word, so that the choice does not change within one."""
AGREE = 0.5
"""The mean is used while it has at least this share of the louder channel's power. Equal channels give 1, unrelated ones of
equal power .5, one dead channel .25, opposite phase 0."""
CLEAR = 1.5
"""A choice is left only for one that is clearly better: by this factor."""
BLOCK_S = 1.0 / 31.25
"""Length of a block from a device; longer ones count as several."""


class ChannelChoice:
    """A stream of blocks with the same number of channels."""

    def __init__(self) -> None:
        """Nothing heard yet."""
        self._powers: NDArray[np.floating] | None = None
        """Of the mean and of every channel."""
        self._chosen = 0
        """0: the mean; else the channel counted from 1."""

    @property
    def chosen(self) -> int | None:
        """The channel that is used, counted from 0; None: the mean of all."""
        return self._chosen - 1 if self._chosen else None

    def mono(self, block: NDArray[_Kind]) -> NDArray[_Kind]:
        """One channel of a block of shape (n, channels); more than two are a microphone array's, whose first is its result."""
        if block.shape[1] == 1 or not len(block):
            return np.ascontiguousarray(block[:, 0])
        if block.shape[1] > 2:
            block = block[:, :1] if block[:, 0].any() else block[:, [int(np.abs(block).max(axis=0).argmax())]]
            return np.ascontiguousarray(block[:, 0])
        one, other = block.T.astype(np.float64)
        signals = np.stack([(one + other) / 2.0, one, other])
        powers = signals.var(axis=1)
        before = powers if self._powers is None else self._powers
        now = self._powers = before + (powers - before) * (BLOCK_S / MEMORY_S)
        self._choose(now)
        heard = signals[self._chosen]
        return (np.rint(heard) if block.dtype.kind == "i" else heard).astype(block.dtype)

    def _choose(self, powers: NDArray[np.floating]) -> None:
        louder = int(powers[1:].argmax()) + 1
        if self._chosen == 0:
            if powers[0] < AGREE / CLEAR * powers[louder]:
                self._chosen = louder
        elif powers[0] > AGREE * CLEAR * powers[louder]:
            self._chosen = 0
        elif powers[louder] > CLEAR * powers[self._chosen]:
            self._chosen = louder
