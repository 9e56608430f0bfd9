"""The spoken turn as a table: a state machine with no I/O and no clock.

``TurnMachine.feed(event) -> [command]``. Time enters as data: every event carries its position in the microphone
stream in seconds, and nothing else counts as time. ``voice.loop`` performs the commands.

Rules, in the order in which they win:

1. Everything that changes the state of a turn stands in ``TABLE``. An event that has no row for the present state is
   ignored: late results of an abandoned turn must not disturb the next one.
2. Every state but IDLE has a hard limit (``Limits``). Passing it is the event ``TimedOut``, which has a row for each
   of them, and a turn that dies in THINKING is told to the driver aloud.
3. The microphone is gated from the end of the utterance until the reply has been heard; only then does the follow-up
   window open. With echo cancelling the loop keeps feeding the wake word, so WakeHeard has a row in SPEAKING.
4. The wake word always starts over: in the follow-up window and inside an utterance it drops what was waiting for a
   yes. An action is withdrawn then; a question of memory stays open in memory, but a later yes does not mean it any more.
5. A button for silence ends whatever runs, and the conversation with it: nothing is said and nothing waits for a yes after it.
6. A conversation lasts from the wake word to the end of the follow-up window. It ends exactly once: with
   EndConversation.

The diagram in docs/architecture.md is made from ``TABLE`` by ``diagram()``; a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a turn stands."""

    IDLE = "idle"
    """Only the wake word listens."""
    LISTENING = "listening"
    """The wake word was heard; nothing said yet."""
    CAPTURING = "capturing"
    """The driver is speaking."""
    THINKING = "thinking"
    SPEAKING = "speaking"
    FOLLOW_UP = "follow_up"
    """The reply was heard; the driver may go on without the wake word."""


@dataclass(frozen=True, slots=True)
class TurnEvent:
    """Something happened, at a position in the microphone stream."""

    at: float
    """Seconds since the stream began."""


class WakeHeard(TurnEvent):
    """The wake word ended."""


class SpeechBegan(TurnEvent):
    """Voice after silence."""


class SpeechEnded(TurnEvent):
    """The endpointer closed the utterance."""


class Answered(TurnEvent):
    """A reply is ready and the conversation goes on."""


class Closed(TurnEvent):
    """A reply is ready and it is the last of the conversation."""


class Unheard(TurnEvent):
    """The utterance held no words: a cough, a slammed door."""


class Failed(TurnEvent):
    """An engine failed, or the vehicle's side did."""


class Spoken(TurnEvent):
    """The loudspeaker has finished."""


class Hushed(TurnEvent):
    """The driver wants it to be quiet, by a button."""


class TimedOut(TurnEvent):
    """The state's limit has passed. Made by ``TurnMachine.tick`` alone."""


class Command(StrEnum):
    """What the loop has to do."""

    CHIME = "chime"
    """Tell by a short sound that the assistant listens."""
    LISTEN = "listen"
    """Reset the endpointer; speech counts from the end of the wake word."""
    CAPTURE = "capture"
    """Start the recogniser with the pre-roll."""
    DROP_PENDING = "drop_pending"
    """Withdraw what waits for a spoken yes: an action, or the question of memory at the end of the last reply."""
    GATE = "gate"
    """Stop feeding the microphone to wake word, endpointer and recogniser."""
    UNDERSTAND = "understand"
    """Finish the recogniser, work out a reply and act; ends in Answered, Closed, Unheard or Failed."""
    ABANDON = "abandon"
    """Throw the running utterance or thought away."""
    SPEAK = "speak"
    """Say the reply; ends in Spoken."""
    APOLOGISE = "apologise"
    """Say what failed; ends in Spoken."""
    HUSH = "hush"
    """Silence the loudspeaker at once."""
    UNGATE = "ungate"
    END_CONVERSATION = "end_conversation"


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits of the states in seconds of audio time.

    Sources: a listener that never stops is the first complaint of voice assistants' users (endpointing threads of
    wyoming-satellite and linux-voice-assistant: 15 to 45 s); a reply after 2 s breaks a conversation down, so
    thinking may take a few times that before the driver is told.
    """

    listening_s: float = 5.0
    capturing_s: float = 15.0
    thinking_s: float = 6.0
    speaking_s: float = 30.0
    follow_up_s: float = 5.0

    def of(self, state: State) -> float | None:
        """Limit of a state; None for IDLE."""
        return {
            State.LISTENING: self.listening_s,
            State.CAPTURING: self.capturing_s,
            State.THINKING: self.thinking_s,
            State.SPEAKING: self.speaking_s,
            State.FOLLOW_UP: self.follow_up_s,
        }.get(state)


_S, _C = State, Command

TABLE: dict[tuple[State, type[TurnEvent]], tuple[State, tuple[Command, ...]]] = {
    (_S.IDLE, WakeHeard): (_S.LISTENING, (_C.CHIME, _C.LISTEN)),
    (_S.LISTENING, SpeechBegan): (_S.CAPTURING, (_C.CAPTURE,)),
    (_S.LISTENING, WakeHeard): (_S.LISTENING, (_C.LISTEN,)),
    (_S.LISTENING, TimedOut): (_S.IDLE, (_C.END_CONVERSATION,)),
    (_S.CAPTURING, SpeechEnded): (_S.THINKING, (_C.GATE, _C.UNDERSTAND)),
    (_S.CAPTURING, WakeHeard): (_S.LISTENING, (_C.ABANDON, _C.DROP_PENDING, _C.LISTEN)),
    (_S.CAPTURING, TimedOut): (_S.THINKING, (_C.GATE, _C.UNDERSTAND)),
    (_S.THINKING, Answered): (_S.SPEAKING, (_C.SPEAK,)),
    (_S.THINKING, Closed): (_S.SPEAKING, (_C.SPEAK, _C.END_CONVERSATION)),
    (_S.THINKING, Unheard): (_S.FOLLOW_UP, (_C.UNGATE, _C.LISTEN)),
    (_S.THINKING, Failed): (_S.SPEAKING, (_C.APOLOGISE,)),
    (_S.THINKING, TimedOut): (_S.SPEAKING, (_C.ABANDON, _C.APOLOGISE)),
    (_S.SPEAKING, Spoken): (_S.FOLLOW_UP, (_C.UNGATE, _C.LISTEN)),
    (_S.SPEAKING, WakeHeard): (_S.LISTENING, (_C.HUSH, _C.DROP_PENDING, _C.UNGATE, _C.LISTEN)),
    (_S.SPEAKING, TimedOut): (_S.FOLLOW_UP, (_C.HUSH, _C.UNGATE, _C.LISTEN)),
    (_S.LISTENING, Hushed): (_S.IDLE, (_C.END_CONVERSATION,)),
    (_S.CAPTURING, Hushed): (_S.IDLE, (_C.ABANDON, _C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.THINKING, Hushed): (_S.IDLE, (_C.ABANDON, _C.DROP_PENDING, _C.UNGATE, _C.END_CONVERSATION)),
    (_S.SPEAKING, Hushed): (_S.IDLE, (_C.HUSH, _C.DROP_PENDING, _C.UNGATE, _C.END_CONVERSATION)),
    (_S.FOLLOW_UP, Hushed): (_S.IDLE, (_C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.FOLLOW_UP, SpeechBegan): (_S.CAPTURING, (_C.CAPTURE,)),
    (_S.FOLLOW_UP, WakeHeard): (_S.LISTENING, (_C.DROP_PENDING, _C.CHIME, _C.LISTEN)),
    (_S.FOLLOW_UP, TimedOut): (_S.IDLE, (_C.DROP_PENDING, _C.END_CONVERSATION)),
}
"""(state, event) -> (next state, commands)."""


class TurnMachine:
    """The state of the present turn.

    After Closed the conversation is over: the reply is spoken and the machine returns to IDLE instead of the follow-up
    window (``_closing``).
    """

    def __init__(self, limits: Limits | None = None) -> None:
        """A machine in IDLE."""
        self.limits = limits or Limits()
        self.state = State.IDLE
        self.since = 0.0
        """When the present state was entered, seconds of audio time."""
        self._closing = False

    def feed(self, event: TurnEvent) -> tuple[Command, ...]:
        """Take an event; the commands to perform, in order. Events without a row are ignored."""
        row = TABLE.get((self.state, type(event)))
        if row is None:
            return ()
        state, commands = row
        if isinstance(event, Closed):
            self._closing = True
        elif self._closing and state is not State.SPEAKING:
            self._closing = False
            if state is State.FOLLOW_UP:
                state, commands = State.IDLE, tuple(c for c in commands if c is not Command.LISTEN)
            elif state is State.IDLE:  # hushed while the last reply sounded
                commands = tuple(c for c in commands if c is not Command.END_CONVERSATION)
        self.state, self.since = state, event.at
        return commands

    def tick(self, at: float) -> tuple[Command, ...]:
        """Let audio time reach ``at``: feeds TimedOut when the state's limit has passed."""
        limit = self.limits.of(self.state)
        if limit is not None and at - self.since >= limit:
            return self.feed(TimedOut(at))
        return ()


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    lines += [
        f"    {state} --> {target}: {event.__name__} / {', '.join(commands)}"
        for (state, event), (target, commands) in TABLE.items()
    ]
    return "\n".join(lines)
