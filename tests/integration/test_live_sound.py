"""The assistant as a driver meets it: live, in real time, through sound devices that come and go.

Everything is waited for, nothing is timed but the reopening; commands are said again where a busy machine has torn them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schemas.events import SAMPLE_RATE
from tests.sound_rig import Cabin, LiveAssistant, lacks, wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(lacks()), reason=lacks()),
]
TRIES = 6
"""Times that a command is said until the assistant has done it; on a quiet machine the first is enough."""
HEARD_S = 30.0
"""Longest wait for the answer to one of them."""


@pytest.fixture
def cabin() -> Iterator[Cabin]:
    with tempfile.TemporaryDirectory(prefix="gb", dir="/tmp") as folder, Cabin(Path(folder)) as made:
        yield made


def command(cabin: Cabin, assistant: LiveAssistant, words: str, done: str) -> str:
    """Say it until the assistant tells that it was done; the reply's line."""
    for _ in range(TRIES):
        cabin.say(f"Computer, {words}.")
        if assistant.heard(done, HEARD_S) is not None:
            return assistant.expect("said ")
    raise AssertionError(f"{words!r} was not done; the lines:\n" + "\n".join(assistant.lines))


def sounded(cabin: Cabin) -> float:
    """Seconds of the loudspeaker's recording that are not silence."""
    return float((np.abs(cabin.recorded().astype(np.int32)) > 500).mean()) * len(cabin.recorded()) / 16_000


def test_a_command_is_done_and_answered_and_again_after_both_devices_went_and_came_back(cabin: Cabin) -> None:
    with LiveAssistant(cabin.environment) as assistant:
        assistant.expect("Listening")
        cabin.record()
        assert "Opening your window" in command(cabin, assistant, "open the window", "set_window(window=driver")
        wait_for(lambda: sounded(cabin) > 0.3, "the reply's sound")

        cabin.air.stop()
        assistant.expect("I can't hear you: the microphone is missing.")
        cabin.air.start()
        assistant.expect("The microphone is back.")
        command(cabin, assistant, "lock the doors", "set_door_locks(locked=True)")

        cabin.air.suspend(True)
        assistant.expect("I can't hear you: the microphone gives no sound.")
        cabin.air.suspend(False)
        assistant.expect("The microphone is back.")

        cabin.speaker.stop()
        assistant.expect("You can't hear me: the loudspeaker is missing.")
        assert "locked" in command(cabin, assistant, "lock the doors", "set_door_locks(locked=True)")
        cabin.speaker.start()
        assistant.expect("The loudspeaker is back.")
        assert assistant.stop() == 0


def test_it_starts_before_the_sound_servers_and_listens_once_they_are_up(cabin: Cabin) -> None:
    cabin.air.stop()
    cabin.speaker.stop()
    with LiveAssistant(cabin.environment) as assistant:
        assistant.expect("Listening")
        assistant.expect("I can't hear you: the microphone is missing.")
        cabin.speaker.start()
        cabin.air.start()
        assistant.expect("The microphone is back.")
        command(cabin, assistant, "lock the doors", "set_door_locks(locked=True)")
        assert assistant.stop() == 0


def test_it_ends_promptly_while_both_devices_are_away(cabin: Cabin) -> None:
    with LiveAssistant(cabin.environment) as assistant:
        assistant.expect("Listening")
        cabin.air.stop()
        cabin.speaker.stop()
        assistant.expect("I can't hear you")
        assert assistant.stop() == 0


# Interrupting ---------------------------------------------------------------------------------------------------------

LONG = "You can ask for the climate"
"""How a reply of some seconds begins that names much of what can be asked for."""

OBEYED = re.compile(r"\b(?:moved|asked)  ++(?!stop_moving\(|get_capabilities\()")
"""A line of something done or about to be; what can be asked for may also be looked up in the car."""


def quiet(cabin: Cabin) -> bool:
    """Whether the loudspeaker has said nothing for two seconds."""
    return not (np.abs(cabin.recorded()[-2 * SAMPLE_RATE :].astype(np.int32)) > 500).any()


def asked_for_help(cabin: Cabin, assistant: LiveAssistant) -> None:
    for _ in range(TRIES):
        cabin.say("Computer, what can you do?")
        if assistant.heard(LONG, HEARD_S) is not None:
            return
    raise AssertionError("no long reply; the lines:\n" + "\n".join(assistant.lines))


def test_the_wake_word_and_stop_end_a_long_reply_whose_echo_is_heard_and_not_obeyed() -> None:
    """The first time the whole reply is let sound. Then it is interrupted; a busy machine may be too late for that."""
    with (
        tempfile.TemporaryDirectory(prefix="gb", dir="/tmp") as folder,
        Cabin(Path(folder), echo_ms=40) as cabin,
        LiveAssistant(cabin.environment) as assistant,
    ):
        assistant.expect("Listening")
        cabin.record()
        asked_for_help(cabin, assistant)
        wait_for(lambda: sounded(cabin) > 2.0 and quiet(cabin), "the end of the reply")
        whole = sounded(cabin)
        shares: list[float] = []
        while not shares or shares[-1] > 0.8:
            assert len(shares) < TRIES, f"of the reply sounded {shares}; the lines:\n" + "\n".join(assistant.lines)
            before = sounded(cabin)
            asked_for_help(cabin, assistant)
            cabin.say("Computer, stop.")
            stopped = assistant.heard("control word stop", HEARD_S)
            wait_for(lambda: quiet(cabin), "silence")
            shares.append((sounded(cabin) - before) / whole if stopped else 1.0)
        assert assistant.stop() == 0
        assert [line for line in assistant.lines if OBEYED.search(line)] == []
