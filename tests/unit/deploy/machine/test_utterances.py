"""Utterances of several clients on one recogniser: followed while they are said, decoded in their pauses, nothing mixed up."""

from __future__ import annotations

import numpy as np

from deploy.machine.utterances import Ears, Utterance
from schemas.events import FRAME, SAMPLE_RATE, Samples, Transcript
from voice.asr.fake import FakeRecognizer
from voice.vad.fake import FakeVad

LOUD, QUIET = np.full(FRAME, 3_000, np.int16), np.zeros(FRAME, np.int16)


class Noted(FakeRecognizer):
    """Its text is what was done to it."""

    def __init__(self) -> None:
        super().__init__(())
        self.done: list[str] = []
        self.clock = 0.0

    def start(self, before: Samples | None = None) -> None:
        super().start(before)
        self.done = []

    def feed(self, chunk: Samples) -> None:
        self.done.append("s" if chunk.any() else "_")

    def pause(self) -> None:
        self.done.append("|")

    def finish(self) -> Transcript:
        return Transcript(text="".join(self.done), confidence=1.0, in_grammar=False)


def ears() -> tuple[Ears, Noted]:
    noted = Noted()
    return Ears(noted, FakeVad, now=lambda: noted.clock), noted


def say(one: Utterance, noted: Noted, *frames: Samples) -> None:
    for frame in frames:
        noted.clock += FRAME / SAMPLE_RATE
        one.take(frame)


def test_it_is_followed_while_it_is_said_and_decoded_once_it_pauses() -> None:
    shared, noted = ears()
    one = Utterance(shared)
    say(one, noted, LOUD, LOUD)
    assert "".join(noted.done) == "ss"
    say(one, noted, *[QUIET] * 20)
    assert "".join(noted.done) == "ss_____|"
    assert one.words() == "ss_____|"  # the end adds nothing, so what the pause decoded is the answer


def test_who_goes_on_after_a_pause_is_heard_with_all_of_it() -> None:
    shared, noted = ears()
    one = Utterance(shared)
    say(one, noted, LOUD, *[QUIET] * 7, LOUD, *[QUIET] * 5)
    assert one.words() == "s_____|__s_____|"


def test_silence_alone_is_not_decoded_before_its_end() -> None:
    shared, noted = ears()
    one = Utterance(shared)
    say(one, noted, *[QUIET] * 9)
    assert one.words() == "_" * 9


def test_a_file_that_comes_at_once_is_decoded_at_its_end_alone() -> None:
    shared, _ = ears()
    one = Utterance(shared)
    one.take(np.concatenate([LOUD, *[QUIET] * 30, LOUD, QUIET[:100]]))
    assert one.words() == "s" + "_" * 30 + "s_"


def test_pieces_of_any_length_are_cut_to_frames() -> None:
    shared, noted = ears()
    one = Utterance(shared)
    for piece in np.array_split(np.concatenate([LOUD] * 4), 7):
        one.take(piece)
    assert "".join(noted.done) == "ssss"


def test_who_ends_first_is_heard_first_and_the_other_loses_nothing() -> None:
    shared, noted = ears()
    one, other = Utterance(shared), Utterance(shared)
    say(one, noted, LOUD, QUIET, LOUD)
    say(other, noted, QUIET, LOUD)
    assert "".join(noted.done) == "s_s"
    assert other.words() == "_s"
    say(one, noted, LOUD)
    assert one.words() == "s_ss"


def test_one_that_stalls_or_is_gone_holds_nobody_up() -> None:
    shared, noted = ears()
    one, other = Utterance(shared), Utterance(shared)
    say(one, noted, LOUD)
    noted.clock += 5.0
    say(other, noted, LOUD, LOUD)
    assert "".join(noted.done) == "ss"
    one.leave()
    assert shared.followed is other
    other.leave()
    assert shared.followed is None
