"""The recogniser beside the frames: words so far that come late still count, in their own utterance and in no other."""

from __future__ import annotations

import asyncio
import threading

import numpy as np

from schemas.events import FRAME
from tests.dialogues import FakeMatcher
from voice.asr.fake import FakeRecognizer
from voice.hearing import Hearing

FRAMES = np.ones(FRAME, np.int16)


class Busy(FakeRecognizer):
    """A recogniser that is not asked for words until it may be."""

    def __init__(self) -> None:
        super().__init__(("open my window and then close it",))
        self.may = threading.Event()

    def partial(self) -> str:
        assert self.may.wait(60)
        return "open my"


def told_of(next_utterance: bool) -> list[str]:
    ear, words = Busy(), list[str]()
    hearing = Hearing(ear, FakeMatcher(), live=True)
    hearing.begin(np.zeros(0, np.int16), FRAMES)
    hearing.so_far(words.append)
    for _ in range(20):  # the driver speaks on: with every frame
        hearing.take(FRAMES, 0)
    if next_utterance:
        hearing.begin(np.zeros(0, np.int16), FRAMES)
    ear.may.set()
    asyncio.run(hearing.likely())  # the recogniser does one thing after the other
    hearing.close()
    return words


def test_words_that_come_frames_later_are_told() -> None:
    assert told_of(next_utterance=False) == ["open my"]


def test_words_of_the_utterance_before_are_not() -> None:
    assert told_of(next_utterance=True) == []
