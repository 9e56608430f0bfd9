"""What a turn looks like from outside, told to who looks on: where it stands, how loud it is, the words so far, what is asked.

Owns how often. Nobody waits for it: words are asked of the recogniser on its own thread, one question at a time. Without an
onlooker it does nothing and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from schemas.events import Phase, Samples
from schemas.ports import Onlooker
from voice.dialogue.agent import Dialogue
from voice.hearing import Hearing
from voice.turn import State

LEVEL_FRAMES = 3
"""Frames between two levels: ten a second is what an eye follows as one movement."""
WORDS_FRAMES = 8
"""Frames between two looks at the words so far: a word takes a quarter of a second."""
STILL_DB, LOUD_DB = -55.0, -20.0
"""Levels of a frame, below full scale, that are shown as nothing and as all: a quiet cabin and a voice close to the microphone. Our
choice."""
PHASES = {
    State.IDLE: Phase.IDLE,
    State.LISTENING: Phase.LISTENING,
    State.FOLLOW_UP: Phase.LISTENING,
    State.CAPTURING: Phase.HEARING,
    State.THINKING: Phase.THINKING,
    State.SPEAKING: Phase.SPEAKING,
    State.CLOSING: Phase.SPEAKING,
}


class Showing:
    """One loop's turns, for one onlooker."""

    def __init__(self, onlooker: Onlooker | None, dialogue: Dialogue, hearing: Hearing) -> None:
        """Of that loop's parts; None: nobody looks on."""
        self._onlooker, self._dialogue, self._hearing = onlooker, dialogue, hearing
        self._frames = 0

    def stands(self, state: State) -> None:
        """The turn stands here now."""
        if self._onlooker is not None:
            if state is State.CAPTURING:
                self._frames = 0
            self._onlooker.stands(PHASES[state], self._dialogue.asking, self._dialogue.era)

    def frame(self, frame: Samples, state: State) -> None:
        """A frame while a voice is waited for or heard."""
        if self._onlooker is None or PHASES[state] not in (Phase.LISTENING, Phase.HEARING):
            return
        self._frames += 1
        if self._frames % LEVEL_FRAMES == 0:
            self._onlooker.sounds(level(frame))
        if state is State.CAPTURING and self._frames % WORDS_FRAMES == 0:
            self._hearing.so_far(self._words(self._onlooker, self._dialogue.era))

    @staticmethod
    def _words(onlooker: Onlooker, era: int) -> Callable[[str], None]:
        def tell(words: str) -> None:
            if words:
                onlooker.hears(words, era)

        return tell


def level(frame: Samples) -> float:
    """How loud a frame is, 0 (still) to 1: its mean power in dB between ``STILL_DB`` and ``LOUD_DB``."""
    power = float(np.mean(np.square(frame.astype(np.float64) / 32768.0))) if len(frame) else 0.0
    decibel = 10.0 * np.log10(power) if power > 0 else -120.0
    return float(np.clip((decibel - STILL_DB) / (LOUD_DB - STILL_DB), 0.0, 1.0))
