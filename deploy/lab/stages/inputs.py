"""What the stages are given: the same sentences in the same voice in every run. Owns no measurement.

The voice is espeak-ng's, which every installation has and which gives the same samples each time: time is measured,
not hearing.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from deploy.lab.hearing.cases import WAKE_WORD
from deploy.lab.hearing.scenes import in_car, joined
from models.training.voices import Prosody, speak
from schemas.events import FRAME, SAMPLE_RATE, Samples

VOICE = Prosody("en-us", 140, 50)
COMMANDS = ("close all windows", "set the temperature to twenty two degrees", "set a timer for ten minutes")
"""Complete commands of the templates."""
FREE = (
    "it's getting rather stuffy so give us some fresh air would you",
    "let's listen to something by miles davis this evening",
    "somebody should close the roof because it's about to rain",
)
"""In no template: what the parser is for."""
ASKED = ("what did i say about coffee", "which music do i like", "where did we stop last week")
REPLIES = ("The passenger's window is halfway open, and the heating is on.",)
"""Longer than a fixed sentence, so that nothing of it is kept."""
AFTER_WAKE_S = 0.35


@cache
def said(text: str) -> Samples:
    """The sentence in the quiet car, int16 at 16 kHz in whole frames, 0.3 s before it and 0.4 s after."""
    scene = in_car(joined([speak(text, VOICE)], []), None, np.random.default_rng(1), lead_s=0.3, tail_s=0.4)
    return _whole_frames(scene.samples)


@cache
def turn(text: str) -> Samples:
    """A stream in which the sentence follows the wake word."""
    spoken = joined([speak(WAKE_WORD, VOICE), speak(text, VOICE)], [AFTER_WAKE_S])
    return _whole_frames(in_car(spoken, None, np.random.default_rng(1)).samples)


def seconds(samples: Samples) -> float:
    """How long they last."""
    return samples.size / SAMPLE_RATE


def _whole_frames(samples: Samples) -> Samples:
    return np.pad(samples, (0, -samples.size % FRAME))
