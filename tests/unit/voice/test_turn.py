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
    SpeechResumed,
    Spoken,
    State,
    Tapped,
    TimedOut,
    TurnEvent,
    TurnMachine,
    Unheard,
    WakeHeard,
)

EVENTS: tuple[type[TurnEvent], ...] = (
    WakeHeard, SpeechBegan, SpeechResumed, SpeechEnded, Answered, Closed, Unheard, Failed, Spoken, Hushed, Tapped,
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
        Command.CHIME, Command.LISTEN, Command.CAPTURE, Command.UNDERSTAND, Command.GATE, Command.SPEAK, Command.UNGATE,
        Command.LISTEN,
    ]  # fmt: skip


def test_a_follow_up_needs_no_wake_word() -> None:
    machine, _ = play(WakeHeard, SpeechBegan, SpeechEnded, Answered, Spoken, SpeechBegan)
    assert machine.state is State.CAPTURING


def test_a_closing_reply_ends_the_conversation_once_and_returns_to_idle() -> None:
    machine, commands = play(WakeHeard, SpeechBegan, SpeechEnded, Closed, Spoken)
    assert machine.state is State.IDLE
    assert commands.count(Command.END_CONVERSATION) == 1
    assert commands[-2:] == [Command.UNGATE, Command.END_CONVERSATION], "only when the last reply has been heard"
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
    assert machine.tick(2.0 + machine.limits.thinking_s) == (Command.ABANDON, Command.GATE, Command.APOLOGISE)
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


HEARD = (WakeHeard, SpeechBegan, SpeechEnded)


@pytest.mark.parametrize("before", [(), (Answered,), (Closed,), (Failed,)])
def test_an_utterance_goes_on_while_it_is_thought_about_and_while_its_reply_sounds(
    before: tuple[type[TurnEvent], ...],
) -> None:
    machine, commands = play(*HEARD, *before, SpeechResumed)
    assert machine.state is State.CAPTURING
    assert commands[-1] is Command.RESUME
    assert (Command.HUSH in commands) == bool(before)
    assert Command.DROP_PENDING not in commands and Command.END_CONVERSATION not in commands
    machine.feed(SpeechEnded(8.0))
    assert machine.state is State.THINKING


def test_however_often_an_utterance_goes_on_it_has_one_limit() -> None:
    machine, _ = play(WakeHeard, SpeechBegan)
    at, rounds = 1.0, 0
    while machine.state is State.CAPTURING and rounds < 100:
        at, rounds = at + 1.0, rounds + 1
        machine.tick(at)
        machine.feed(SpeechEnded(at))
        machine.feed(SpeechResumed(at))
    assert machine.state is State.THINKING and at == pytest.approx(1.0 + machine.limits.capturing_s)


def test_voice_interrupts_a_reply_and_what_waits_for_a_yes_goes_on_waiting() -> None:
    machine, commands = play(*HEARD, Answered, SpeechBegan)
    assert machine.state is State.CAPTURING
    assert commands[-3:] == [Command.HUSH, Command.UNGATE, Command.CAPTURE]
    assert Command.DROP_PENDING not in commands


def test_voice_alone_does_not_interrupt_the_last_reply_of_a_conversation() -> None:
    machine, _ = play(*HEARD, Closed)
    assert machine.feed(SpeechBegan(3.5)) == ()
    assert machine.state is State.CLOSING


@pytest.mark.parametrize("before", [(), (Answered,), (Closed,)])
def test_the_wake_word_is_heard_while_thinking_and_while_speaking(before: tuple[type[TurnEvent], ...]) -> None:
    machine, commands = play(*HEARD, *before, WakeHeard)
    assert machine.state is State.LISTENING and commands[-1] is Command.LISTEN
    assert (Command.END_CONVERSATION in commands) == (before == (Closed,)), "the conversation that had closed is over"


def test_what_is_not_understood_does_not_open_the_window_anew() -> None:
    machine, _ = play(*HEARD, Answered, Spoken)  # the window opens at 4 s and closes at 9 s
    for at in (4.5, 6.0, 7.5):
        for event in (SpeechBegan(at), SpeechEnded(at + 1.0), Unheard(at + 1.2)):
            machine.feed(event)
        assert machine.state is State.FOLLOW_UP
    assert machine.tick(8.9) == ()
    assert machine.tick(9.0) == (Command.DROP_PENDING, Command.END_CONVERSATION)


def test_after_the_wake_word_one_cough_is_forgiven() -> None:
    machine, _ = play(*HEARD, Unheard)  # a window from 3 s to 8 s
    for event in (SpeechBegan(5.0), SpeechEnded(6.0), Unheard(6.1)):
        machine.feed(event)
    assert machine.tick(7.9) == ()
    machine.tick(8.0)
    assert machine.state is State.IDLE


@pytest.mark.parametrize("late", [False, True])
def test_a_failure_is_told_and_does_not_open_the_window_anew(late: bool) -> None:
    machine, _ = play(*HEARD, Answered, Spoken)  # the window opens at 4 s
    for event in (SpeechBegan(5.0), SpeechEnded(6.0)):
        machine.feed(event)
    told = machine.tick(12.0) if late else machine.feed(Failed(7.0))
    assert told[-1] is Command.APOLOGISE
    machine.feed(Spoken(13.0))
    assert machine.tick(13.0) == (Command.DROP_PENDING, Command.END_CONVERSATION)


def test_after_the_wake_word_a_failure_leaves_a_window_to_say_it_again() -> None:
    machine, _ = play(*HEARD, Failed, Spoken)  # the window opens at 4 s
    assert machine.tick(8.9) == ()
    for event in (SpeechBegan(8.9), SpeechEnded(9.5), Answered(9.6), Spoken(11.0)):
        machine.feed(event)
    assert machine.tick(15.9) == () and machine.state is State.FOLLOW_UP, "what is answered opens it anew"


@pytest.mark.parametrize("reply", [Spoken, SpeechBegan])
def test_talk_over_what_tells_of_a_failure_does_not_keep_a_conversation_open(reply: type[TurnEvent]) -> None:
    machine, _ = play(*HEARD, Answered, reply)  # the window opens at 4 s
    for event in (SpeechBegan(5.0), SpeechEnded(20.0)):
        machine.feed(event)
    assert machine.tick(26.0)[-1] is Command.APOLOGISE
    assert machine.feed(SpeechBegan(26.5)) == () and machine.state is State.SPEAKING
    machine.feed(Spoken(29.0))
    machine.tick(29.0)
    assert machine.state is State.IDLE


def test_a_cough_over_a_reply_leaves_the_window() -> None:
    machine, _ = play(*HEARD, Answered, SpeechBegan, SpeechEnded, Unheard)  # interrupted at 4 s
    assert machine.tick(8.9) == ()
    assert machine.tick(9.0)[-1] is Command.END_CONVERSATION


def test_talk_over_every_reply_does_not_keep_a_conversation_open() -> None:
    machine, _ = play(WakeHeard, SpeechBegan, SpeechEnded)
    at = 2.0
    while machine.state is not State.IDLE and at < 1000.0:
        for event in (Answered, SpeechBegan, SpeechEnded):
            at += 1.0
            machine.tick(at)
            machine.feed(event(at))
    limits = machine.limits
    assert limits.conversation_s <= at <= limits.conversation_s + limits.speaking_s + limits.follow_up_s


def test_no_conversation_outlasts_its_limit_without_the_wake_word() -> None:
    machine, commands = play(WakeHeard)
    at = 0.0
    while machine.state is not State.IDLE and at < 1000.0:
        for event in (SpeechBegan, SpeechEnded, Answered, Spoken):
            at += 1.0
            commands += (*machine.tick(at), *machine.feed(event(at)))
    limits = machine.limits
    assert limits.conversation_s <= at <= limits.conversation_s + 2 * limits.follow_up_s
    assert commands.count(Command.END_CONVERSATION) == 1


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.floats(0.0, 20.0)), max_size=60))
def test_whatever_happens_the_machine_comes_back_to_idle_and_every_conversation_ends_once(
    events: list[tuple[type[TurnEvent], float]],
) -> None:
    machine, at, gated, conversations = TurnMachine(), 0.0, False, 0
    for event, wait in events:
        at += wait
        for told in (TimedOut, event):
            before = machine.state
            commands = machine.tick(at) if told is TimedOut else machine.feed(event(at))
            for command in commands:
                gated = {Command.GATE: True, Command.UNGATE: False}.get(command, gated)
                assert not (gated and command in (Command.CAPTURE, Command.RESUME, Command.LISTEN))
            conversations += (before is State.IDLE) and machine.state is not State.IDLE
            ended = commands.count(Command.END_CONVERSATION)
            conversations += (
                ended and before is State.CLOSING and machine.state is State.LISTENING
            )  # and the next begins
            conversations -= ended
            assert conversations == (machine.state is not State.IDLE)
        assert gated == (machine.state in (State.SPEAKING, State.CLOSING))
    for _ in range(6):
        at += 200.0
        machine.tick(at)
    assert machine.state is State.IDLE


@given(st.lists(st.floats(0.05, 6.0), min_size=1, max_size=200))
def test_talk_that_nobody_means_for_it_ends_a_conversation_within_its_window(pauses: list[float]) -> None:
    machine, _ = play(*HEARD, Answered, Spoken)
    opened, at = machine.since, machine.since
    for pause in pauses:
        for event in (SpeechBegan, SpeechEnded, Unheard):
            at += pause
            machine.tick(at)
            machine.feed(event(at))
    machine.tick(at + 15.0)
    machine.feed(Unheard(at + 15.0))
    machine.tick(at + 15.0)
    machine.tick(at + 45.0)
    machine.tick(at + 60.0)
    assert machine.state is State.IDLE or at < opened + machine.limits.follow_up_s


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    lines += [
        f"    {state} --> {target}: {event.__name__} / {', '.join(commands)}"
        for (state, event), (target, commands) in TABLE.items()
    ]
    return "\n".join(lines)


def test_the_diagram_in_the_architecture_page_is_the_table() -> None:
    from pathlib import Path

    page = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert diagram() in page
