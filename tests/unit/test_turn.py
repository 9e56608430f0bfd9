"""The turn machine: whole dialogues as lists of events, and the promises of its rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.turn import (
    TABLE,
    Answered,
    Closed,
    Command,
    Failed,
    Hushed,
    Limits,
    SpeechBegan,
    SpeechEnded,
    Spoken,
    State,
    TimedOut,
    TurnEvent,
    TurnMachine,
    Unheard,
    WakeHeard,
    diagram,
)

EVENTS: tuple[type[TurnEvent], ...] = (
    WakeHeard, SpeechBegan, SpeechEnded, Answered, Closed, Unheard, Failed, Spoken, Hushed,
)  # fmt: skip


def play(*events: type[TurnEvent]) -> tuple[TurnMachine, list[Command]]:
    machine, commands = TurnMachine(), list[Command]()
    for second, event in enumerate(events):
        commands += machine.feed(event(float(second)))
    return machine, commands


def test_a_whole_turn_goes_through_every_state_and_opens_the_follow_up_window() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Answered, Spoken)
    assert machine.state is State.FOLLOW_UP
    assert commands == [
        Command.CHIME, Command.LISTEN, Command.CAPTURE, Command.GATE, Command.UNDERSTAND, Command.SPEAK, Command.UNGATE,
        Command.LISTEN,
    ]  # fmt: skip


def test_a_follow_up_needs_no_wake_word() -> None:
    machine, _ = play(WakeHeard, SpeechBegan, SpeechEnded, Answered, Spoken, SpeechBegan)
    assert machine.state is State.CAPTURING


def test_a_closing_reply_ends_the_conversation_once_and_returns_to_idle() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Closed, Spoken)
    assert machine.state is State.IDLE
    assert commands.count(Command.END_CONVERSATION) == 1
    assert commands[-1] is Command.UNGATE
    machine.feed(WakeHeard(9.0))
    machine.feed(SpeechBegan(9.1))
    machine.feed(SpeechEnded(9.2))
    machine.feed(Answered(9.3))
    machine.feed(Spoken(9.4))
    assert machine.state is State.FOLLOW_UP, "the next conversation must not be closed by the last one"


def test_a_failure_is_spoken_and_the_driver_may_go_on() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Failed)
    assert commands[-1] is Command.APOLOGISE
    assert machine.state is State.SPEAKING


def test_a_thought_that_takes_too_long_is_abandoned_aloud_and_its_late_answer_ignored() -> None:
    machine, _ = play(WakeHeard, SpeechBegan, SpeechEnded)
    assert machine.tick(2.0 + machine.limits.thinking_s - 0.01) == ()
    assert machine.tick(2.0 + machine.limits.thinking_s) == (Command.ABANDON, Command.APOLOGISE)
    machine.feed(Spoken(20.0))
    assert machine.feed(Answered(20.1)) == ()
    assert machine.state is State.FOLLOW_UP


def test_wake_word_in_the_follow_up_window_drops_what_waited_for_a_yes() -> None:
    _, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Answered, Spoken, WakeHeard)
    assert Command.DROP_PENDING in commands


def test_wake_word_inside_an_utterance_starts_over() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, WakeHeard)
    assert machine.state is State.LISTENING
    assert commands[-3:] == [Command.ABANDON, Command.DROP_PENDING, Command.LISTEN]


def test_barge_in_silences_the_loudspeaker_first() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Answered, WakeHeard)
    assert machine.state is State.LISTENING
    assert commands[5:7] == [Command.SPEAK, Command.HUSH]


@pytest.mark.parametrize("state", [state for state in State if state is not State.IDLE])
def test_every_state_but_idle_has_a_limit_and_a_row_for_it(state: State) -> None:
    assert Limits().of(state) is not None
    assert (state, TimedOut) in TABLE


@pytest.mark.parametrize("before", [
    (WakeHeard,), (WakeHeard, SpeechBegan), (WakeHeard, SpeechBegan, SpeechEnded), (WakeHeard, SpeechBegan, SpeechEnded, Answered),
    (WakeHeard, SpeechBegan, SpeechEnded, Closed), (WakeHeard, SpeechBegan, SpeechEnded, Answered, Spoken),
])  # fmt: skip
def test_a_button_for_silence_ends_the_turn_and_its_conversation_once(before: tuple[type[TurnEvent], ...]) -> None:
    machine, commands = play(*before, Hushed)
    assert machine.state is State.IDLE and commands.count(Command.END_CONVERSATION) == 1
    assert commands.count(Command.GATE) == commands.count(Command.UNGATE)
    assert (Command.HUSH in commands) == (Command.SPEAK in commands and before[-1] is not Spoken)
    assert machine.feed(Answered(9.0)) == ()  # what was being thought comes to nothing
    assert machine.feed(WakeHeard(10.0)) == (Command.CHIME, Command.LISTEN)


def test_idle_waits_for_ever() -> None:
    machine = TurnMachine()
    assert machine.tick(1e9) == ()
    assert machine.state is State.IDLE


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.floats(0.0, 20.0)), max_size=60))
def test_whatever_happens_the_machine_comes_back_to_idle_and_never_listens_while_gated(
    events: list[tuple[type[TurnEvent], float]],
) -> None:
    machine, at, gated = TurnMachine(), 0.0, False
    for event, wait in events:
        at += wait
        for command in (*machine.tick(at), *machine.feed(event(at))):
            gated = {Command.GATE: True, Command.UNGATE: False}.get(command, gated)
            assert not (gated and command is Command.CAPTURE)
        assert gated == (machine.state in (State.THINKING, State.SPEAKING))
    for _ in range(6):
        at += 100.0
        machine.tick(at)
    assert machine.state is State.IDLE


def test_the_diagram_in_the_architecture_page_is_the_table() -> None:
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert diagram() in page
