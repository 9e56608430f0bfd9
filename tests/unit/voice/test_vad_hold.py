"""What follows the voice is kept back until it is known whether the voice goes on."""

from __future__ import annotations

import numpy as np

from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.vad.endpoint import Endpointer, SpeechEnded
from voice.vad.hold import KEEP_S, PauseHold

KEPT = round(KEEP_S * SAMPLE_RATE / FRAME)


def frame(number: int) -> Samples:
    return np.full(FRAME, number, np.int16)


def passed(hold: PauseHold, endpointer: Endpointer, probabilities: list[float]) -> list[int]:
    """Numbers of the frames that were passed on, in order, until the utterance ended."""
    out: list[int] = []
    for number, probability in enumerate(probabilities):
        out += [int(one[0]) for one in hold.take(frame(number), endpointer.pause_frames)]
        if isinstance(endpointer.process(probability), SpeechEnded):
            break
    return out


def test_a_closing_pause_is_passed_on_only_at_its_beginning() -> None:
    spoken = 10
    out = passed(PauseHold(), Endpointer(), [1.0] * spoken + [0.0] * 40)
    # The endpointer knows of a pause one frame after it began, so one more frame goes through.
    assert out == list(range(spoken + KEPT))


def test_a_pause_between_words_arrives_whole_and_in_order() -> None:
    probabilities = [1.0] * 10 + [0.0] * 12 + [1.0] * 10
    assert passed(PauseHold(), Endpointer(), probabilities) == list(range(len(probabilities)))


def test_after_an_utterance_nothing_of_its_pause_is_left() -> None:
    hold = PauseHold()
    passed(hold, Endpointer(), [1.0] * 10 + [0.0] * 40)
    hold.reset()
    assert [int(one[0]) for one in hold.take(frame(99), 0)] == [99]
