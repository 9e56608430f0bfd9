"""The endpointer as lines of frames: `#` is speech, `.` is none, `-` lies between the thresholds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import FRAME, SAMPLE_RATE, Standing
from voice.settings import EndpointSettings, SpeechThresholds
from voice.vad.endpoint import Endpointer, EndpointEvent, NoSpeech, Reason, SpeechEnded, SpeechStarted

PROBABILITY = {"#": 0.9, "-": 0.4, ".": 0.1}
QUICK = EndpointSettings(
    silence_s=5 * FRAME / SAMPLE_RATE,
    whole_silence_s=4 * FRAME / SAMPLE_RATE,
    hurry_silence_s=2 * FRAME / SAMPLE_RATE,
    middle_silence_s=6 * FRAME / SAMPLE_RATE,
    unfinished_silence_s=8 * FRAME / SAMPLE_RATE,
    max_utterance_s=20 * FRAME / SAMPLE_RATE,
    no_speech_s=10 * FRAME / SAMPLE_RATE,
)
"""3 of 4 frames begin, a pause of 5 ends, of 2 a complete command, of 4 what is surely whole, of 6 one that may go on, of 8 what
cannot be all, cap 20, nothing said after 10."""


def run(
    line: str, setting: EndpointSettings = QUICK, *, words: Standing = Standing.OPEN
) -> list[tuple[int, EndpointEvent]]:
    """(frame at which it was told, counted from 1; what)."""
    endpointer = Endpointer(setting)
    told: list[tuple[int, EndpointEvent]] = []
    for number, mark in enumerate(line, 1):
        if endpointer.pause_frames:
            endpointer.expect(words)
        event = endpointer.process(PROBABILITY[mark])
        if event is not None:
            told.append((number, event))
    return told


def started(frame: int) -> SpeechStarted:
    return SpeechStarted(frame * FRAME)


LINES: dict[str, tuple[str, list[tuple[int, EndpointEvent]]]] = {
    "one utterance": ("..####.....", [(5, started(2)), (11, SpeechEnded(6 * FRAME, "silence"))]),
    "a gap of one frame in the beginning": ("..#.##.....", [(6, started(2)), (11, SpeechEnded(6 * FRAME, "silence"))]),
    "single frames are no speech": (".#..#..#.", []),
    "two frames are no speech": ("..##.....", []),
    "a short pause does not end it": ("###....##.....", [(3, started(0)), (14, SpeechEnded(9 * FRAME, "silence"))]),
    "a single frame does not lengthen a pause": (
        "###..#...",
        [(3, started(0)), (8, SpeechEnded(3 * FRAME, "silence"))],
    ),
    "the end does not fall on a frame of speech": (
        "###....#....",
        [(3, started(0)), (9, SpeechEnded(3 * FRAME, "silence"))],
    ),
    "between the thresholds a pause goes on": ("###.----", [(3, started(0)), (8, SpeechEnded(3 * FRAME, "silence"))]),
    "between the thresholds none begins": (
        "###-------.....",
        [(3, started(0)), (15, SpeechEnded(10 * FRAME, "silence"))],
    ),
    "the cap": ("." * 2 + "#" * 30, [(5, started(2)), (22, SpeechEnded(22 * FRAME, "cap"))]),
    "after the cap a quiet frame must come first": (
        "#" * 30 + ".###",
        [(3, started(0)), (20, SpeechEnded(20 * FRAME, "cap")), (34, started(31))],
    ),
    "a cap within a pause ends where the voice did": (
        "#" * 18 + "....",
        [(3, started(0)), (20, SpeechEnded(18 * FRAME, "cap"))],
    ),
    "two utterances": (
        "####.....####.....",
        [
            (3, started(0)),
            (9, SpeechEnded(4 * FRAME, "silence")),
            (12, started(9)),
            (18, SpeechEnded(13 * FRAME, "silence")),
        ],
    ),
    "nobody speaks": ("." * 30, [(10, NoSpeech(10 * FRAME))]),
    "nobody speaks after an utterance": (
        "####....." + "." * 12,
        [(3, started(0)), (9, SpeechEnded(4 * FRAME, "silence")), (19, NoSpeech(19 * FRAME))],
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_lines(case: str) -> None:
    line, expected = LINES[case]
    assert run(line) == expected


@pytest.mark.parametrize(
    ("words", "told_at", "reason"),
    [
        (Standing.COMPLETE, 8, "hurry"), (Standing.OPEN, 11, "silence"), (Standing.CONTINUABLE, 12, "middle"),
        (Standing.UNFINISHED, 14, "unfinished"), (Standing.WHOLE, 10, "whole"),
    ],
)  # fmt: skip
def test_the_words_say_how_long_the_pause_may_be(words: Standing, told_at: int, reason: Reason) -> None:
    line = "..####" + "." * (told_at - 6)
    assert run(line, words=words) == [(5, started(2)), (told_at, SpeechEnded(6 * FRAME, reason))]


def test_what_is_expected_may_come_and_go_within_the_pause() -> None:
    endpointer = Endpointer(QUICK)
    for mark in "###...":
        endpointer.process(PROBABILITY[mark])
    endpointer.expect(Standing.COMPLETE)
    endpointer.expect(Standing.UNFINISHED)
    assert [endpointer.process(0.1) for _ in range(3)] == [None] * 3
    endpointer.expect(Standing.OPEN)
    assert endpointer.process(0.1) == SpeechEnded(3 * FRAME, "silence")


def test_what_is_expected_holds_for_one_pause() -> None:
    endpointer = Endpointer(QUICK)
    endpointer.expect(Standing.COMPLETE)
    told: list[EndpointEvent | None] = []
    for number, mark in enumerate("###.##..####....."):
        if number == 3:
            endpointer.expect(Standing.COMPLETE)
        told.append(endpointer.process(PROBABILITY[mark]))
    assert [event for event in told if event is not None] == [started(0), SpeechEnded(12 * FRAME, "silence")]


def test_how_long_the_voice_has_lasted_is_counted_from_its_last_pause() -> None:
    endpointer = Endpointer(QUICK)
    counted: list[tuple[int, bool]] = []
    for mark in ".#.###.##..":
        endpointer.process(PROBABILITY[mark])
        counted.append((endpointer.voiced_frames, endpointer.rising))
    assert counted == [
        (0, False), (0, True), (0, True), (0, True), (4, False), (5, False), (0, False), (0, False), (2, False), (0, False),
        (0, False),
    ]  # fmt: skip


def test_reset_counts_from_there() -> None:
    endpointer = Endpointer(QUICK)
    for _ in range(7):
        endpointer.process(0.9)
    endpointer.reset()
    told = [endpointer.process(PROBABILITY[mark]) for mark in ".###....."]
    assert [event for event in told if event is not None] == [started(1), SpeechEnded(4 * FRAME, "silence")]


@pytest.mark.parametrize("probability", [-0.01, 1.01, math.nan])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        Endpointer().process(probability)


@pytest.mark.parametrize(
    "change",
    [
        {"hurry_silence_s": 0.7},
        {"whole_silence_s": 0.1},
        {"middle_silence_s": 0.1},
        {"unfinished_silence_s": 12.0},
        {"hurry_silence_s": 0.0},
        {"max_utterance_s": 0.5},
        {"no_speech_s": 0.0},
    ],
)
def test_settings_that_contradict_each_other_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"needs hurry_silence_s|greater than 0"):
        EndpointSettings.model_validate(change)


@pytest.mark.parametrize("change", [{"start_at": 0.3}, {"start_at": 1.1}, {"stop_below": 0.0}])
def test_thresholds_that_contradict_each_other_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must not lie above|less than or equal to 1|greater than 0"):
        SpeechThresholds.model_validate(change)


STREAMS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([0.05, 0.4, 0.95]), st.integers(1, 40)),
        st.tuples(st.floats(0.0, 1.0), st.integers(1, 3)),
    ),
    max_size=40,
)
"""Runs of one probability, so that whole utterances occur, and noise."""


@settings(max_examples=200, deadline=None)
@given(runs=STREAMS, standings=st.lists(st.sampled_from(Standing), min_size=1, max_size=20))
def test_whatever_is_heard(runs: list[tuple[float, int]], standings: list[Standing]) -> None:
    """Beginnings and ends alternate, in order, inside the stream; no utterance passes the cap; none is left hanging."""
    endpointer = Endpointer(QUICK)
    began: int | None = None
    last = 0
    stream = [value for value, count in runs for _ in range(count)] + [0.0] * 25
    for number, probability in enumerate(stream, 1):
        endpointer.expect(standings[number % len(standings)])
        match endpointer.process(probability):
            case SpeechStarted(sample):
                assert began is None and last <= sample < number * FRAME
                began = last = sample
            case SpeechEnded(sample, reason):
                assert began is not None and began < sample <= number * FRAME
                silent = number * FRAME - sample
                least = {
                    "silence": QUICK.silence_s, "hurry": QUICK.hurry_silence_s, "middle": QUICK.middle_silence_s,
                    "unfinished": QUICK.unfinished_silence_s, "whole": QUICK.whole_silence_s, "cap": 0.0,
                }[reason]  # fmt: skip
                assert silent >= round(least * SAMPLE_RATE)
                began, last = None, sample
            case NoSpeech(sample):
                assert began is None and sample == number * FRAME
            case None:
                pass
        assert began is None or number * FRAME - began < QUICK.max_utterance_s * SAMPLE_RATE + 1
    assert began is None


@settings(max_examples=50, deadline=None)
@given(before=st.integers(0, 60), length=st.integers(8, 300), after=st.integers(19, 60))
def test_no_answer_of_250_ms_or_more_is_lost(before: int, length: int, after: int) -> None:
    """8 frames are 256 ms; the defaults, not the quick ones."""
    line = "." * before + "#" * length + "." * after
    told = [event for _, event in run(line, EndpointSettings()) if not isinstance(event, NoSpeech)]
    assert told == [started(before), SpeechEnded((before + length) * FRAME, "silence")]


@pytest.mark.parametrize(
    ("probabilities", "fading"),
    [
        ([0.99, 0.8, 0.75], [False, False, False]),
        ([0.6, 0.8, 0.95], [True, True, False]),
        ([0.6, 0.3, 0.1], [True, True, True]),
        ([0.3, 0.6, 0.6, 0.6], [True, True, False, True]),
    ],
    ids=["not sure, but voice", "comes back", "ends in a pause", "comes back faintly"],
)
def test_a_voice_fades_before_a_pause(probabilities: list[float], fading: list[bool]) -> None:
    endpointer = Endpointer()
    for _ in range(10):
        endpointer.process(0.99)
    assert not endpointer.fading
    found: list[bool] = []
    for one in probabilities:
        endpointer.process(one)
        found.append(endpointer.fading)
    assert found == fading


def test_what_has_not_begun_does_not_fade() -> None:
    endpointer = Endpointer()
    for one in (0.99, 0.6, 0.3):
        endpointer.process(one)
        assert not endpointer.fading
