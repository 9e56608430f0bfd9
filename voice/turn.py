"""The spoken turn as a table: a state machine with no I/O and no clock.

``TurnMachine.feed(event) -> [command]``. Time enters as data: every event carries its position in the microphone
stream in seconds, and nothing else counts as time. ``voice.loop`` performs the commands.

Rules, in the order in which they win:

1. Everything that changes the state of a turn stands in ``TABLE``. An event that has no row for the present state is
   ignored: late results of an abandoned turn must not disturb the next one.
2. Every state but IDLE has a hard limit (``Limits``). Passing it is the event ``TimedOut``, which has a row for each
   of them, and a turn that dies in THINKING is told to the driver aloud.
3. The wake word is heard in every state and always starts over: it silences a reply, drops the utterance or the thought that
   runs, and withdraws what was waiting for a yes. An action is withdrawn then; a question of memory stays open in memory, but a
   later yes does not mean it any more.
4. An utterance goes on if the voice begins again soon after its end (SpeechResumed; how soon is the loop's setting): what was
   worked out for its first part gives way to what the whole asks for. It has one limit of its length, however often it goes on.
5. From GATE to UNGATE the microphone hears our own voice. Where its echo is cancelled voice is looked for all the same: then
   SpeechBegan interrupts the reply, what waits for a yes goes on waiting, and the utterance is taken as in the follow-up window.
   Where it is not, nothing but the wake word comes through.
6. The follow-up window opens when a reply has been heard, or a voice interrupts it. What is not understood there, or was not
   meant for the assistant, ends in Unheard and does not open it anew: the window goes on from where it was. So it does where the
   thought failed or took too long: that is told, and nobody knows whether it was meant. After the wake word both are forgiven
   once. And no window outlasts ``conversation_s`` since the wake word. Once it is over, no voice interrupts what is being said but
   by the wake word.
7. A button for silence ends whatever runs, and the conversation with it: nothing is said and nothing waits for a yes after it.
8. What is tapped is an utterance that need not be heard: it silences a reply and takes the place of what is just being said, but
   not of what is thought about. What waits for a yes goes on waiting, since the tap may be that yes.
9. A conversation lasts from the wake word (or the first tap) to the end of the follow-up window, or of the reply that closes it
   (CLOSING). It ends exactly once: with EndConversation.

The diagram in docs/architecture.md is made from ``TABLE`` by its test, which compares them.
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
    CLOSING = "closing"
    """The last reply of the conversation sounds."""
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


class SpeechResumed(TurnEvent):
    """Voice again, so soon after the end of the utterance that it goes on."""


class SpeechEnded(TurnEvent):
    """The endpointer closed the utterance."""


class Answered(TurnEvent):
    """A reply is ready and the conversation goes on."""


class Closed(TurnEvent):
    """A reply is ready and it is the last of the conversation."""


class Unheard(TurnEvent):
    """There is nothing to answer: no words (a cough, a slammed door), or none that were meant for the assistant."""


class Failed(TurnEvent):
    """An engine failed, or the vehicle's side did."""


class Spoken(TurnEvent):
    """The loudspeaker has finished."""


class Hushed(TurnEvent):
    """The driver wants it to be quiet, by a button."""


class Tapped(TurnEvent):
    """The driver has answered, or ordered something, by a button: words that nobody has to hear."""


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
    RESUME = "resume"
    """Go on with the utterance that had ended: its sound and what follows are one."""
    UNDERSTAND = "understand"
    """Finish the recogniser, work out a reply and act; ends in Answered, Closed, Unheard or Failed."""
    ABANDON = "abandon"
    """Throw the running utterance or thought away."""
    GATE = "gate"
    """Our own voice begins: without echo cancelling only the wake word listens from here."""
    SPEAK = "speak"
    """Say the reply; ends in Spoken."""
    APOLOGISE = "apologise"
    """Say what failed; ends in Spoken."""
    HUSH = "hush"
    """Silence the loudspeaker at once."""
    UNGATE = "ungate"
    """Our own voice is over."""
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
    conversation_s: float = 120.0
    """From the wake word or the last tap to the last moment at which a follow-up window is open: as long as "it" means what was
    done last (``voice.dialogue.recent.FRESH``). Without it one conversation lasted 929 s of a passenger's talk."""

    def of(self, state: State) -> float | None:
        """Limit of a state; None for IDLE."""
        return {
            State.LISTENING: self.listening_s,
            State.CAPTURING: self.capturing_s,
            State.THINKING: self.thinking_s,
            State.SPEAKING: self.speaking_s,
            State.CLOSING: self.speaking_s,
            State.FOLLOW_UP: self.follow_up_s,
        }.get(state)


_S, _C = State, Command

TABLE: dict[tuple[State, type[TurnEvent]], tuple[State, tuple[Command, ...]]] = {
    (_S.IDLE, WakeHeard): (_S.LISTENING, (_C.CHIME, _C.LISTEN)),
    (_S.LISTENING, SpeechBegan): (_S.CAPTURING, (_C.CAPTURE,)),
    (_S.LISTENING, WakeHeard): (_S.LISTENING, (_C.LISTEN,)),
    (_S.LISTENING, TimedOut): (_S.IDLE, (_C.END_CONVERSATION,)),
    (_S.CAPTURING, SpeechEnded): (_S.THINKING, (_C.UNDERSTAND,)),
    (_S.CAPTURING, WakeHeard): (_S.LISTENING, (_C.ABANDON, _C.DROP_PENDING, _C.LISTEN)),
    (_S.CAPTURING, TimedOut): (_S.THINKING, (_C.UNDERSTAND,)),
    (_S.THINKING, Answered): (_S.SPEAKING, (_C.GATE, _C.SPEAK)),
    (_S.THINKING, Closed): (_S.CLOSING, (_C.GATE, _C.SPEAK)),
    (_S.THINKING, Unheard): (_S.FOLLOW_UP, (_C.LISTEN,)),
    (_S.THINKING, Failed): (_S.SPEAKING, (_C.GATE, _C.APOLOGISE)),
    (_S.THINKING, TimedOut): (_S.SPEAKING, (_C.ABANDON, _C.GATE, _C.APOLOGISE)),
    (_S.THINKING, SpeechResumed): (_S.CAPTURING, (_C.RESUME,)),
    (_S.THINKING, WakeHeard): (_S.LISTENING, (_C.ABANDON, _C.DROP_PENDING, _C.LISTEN)),
    (_S.SPEAKING, Spoken): (_S.FOLLOW_UP, (_C.UNGATE, _C.LISTEN)),
    (_S.SPEAKING, SpeechResumed): (_S.CAPTURING, (_C.HUSH, _C.UNGATE, _C.RESUME)),
    (_S.SPEAKING, SpeechBegan): (_S.CAPTURING, (_C.HUSH, _C.UNGATE, _C.CAPTURE)),
    (_S.SPEAKING, WakeHeard): (_S.LISTENING, (_C.HUSH, _C.UNGATE, _C.DROP_PENDING, _C.LISTEN)),
    (_S.SPEAKING, TimedOut): (_S.FOLLOW_UP, (_C.HUSH, _C.UNGATE, _C.LISTEN)),
    (_S.CLOSING, Spoken): (_S.IDLE, (_C.UNGATE, _C.END_CONVERSATION)),
    (_S.CLOSING, SpeechResumed): (_S.CAPTURING, (_C.HUSH, _C.UNGATE, _C.RESUME)),
    (_S.CLOSING, WakeHeard): (_S.LISTENING, (_C.HUSH, _C.UNGATE, _C.END_CONVERSATION, _C.LISTEN)),
    (_S.CLOSING, TimedOut): (_S.IDLE, (_C.HUSH, _C.UNGATE, _C.END_CONVERSATION)),
    (_S.FOLLOW_UP, SpeechBegan): (_S.CAPTURING, (_C.CAPTURE,)),
    (_S.FOLLOW_UP, WakeHeard): (_S.LISTENING, (_C.DROP_PENDING, _C.CHIME, _C.LISTEN)),
    (_S.FOLLOW_UP, TimedOut): (_S.IDLE, (_C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.IDLE, Tapped): (_S.THINKING, (_C.UNDERSTAND,)),
    (_S.LISTENING, Tapped): (_S.THINKING, (_C.UNDERSTAND,)),
    (_S.CAPTURING, Tapped): (_S.THINKING, (_C.ABANDON, _C.UNDERSTAND)),
    (_S.SPEAKING, Tapped): (_S.THINKING, (_C.HUSH, _C.UNGATE, _C.UNDERSTAND)),
    (_S.CLOSING, Tapped): (_S.THINKING, (_C.HUSH, _C.UNGATE, _C.END_CONVERSATION, _C.UNDERSTAND)),
    (_S.FOLLOW_UP, Tapped): (_S.THINKING, (_C.UNDERSTAND,)),
    (_S.LISTENING, Hushed): (_S.IDLE, (_C.END_CONVERSATION,)),
    (_S.CAPTURING, Hushed): (_S.IDLE, (_C.ABANDON, _C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.THINKING, Hushed): (_S.IDLE, (_C.ABANDON, _C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.SPEAKING, Hushed): (_S.IDLE, (_C.HUSH, _C.UNGATE, _C.DROP_PENDING, _C.END_CONVERSATION)),
    (_S.CLOSING, Hushed): (_S.IDLE, (_C.HUSH, _C.UNGATE, _C.END_CONVERSATION)),
    (_S.FOLLOW_UP, Hushed): (_S.IDLE, (_C.DROP_PENDING, _C.END_CONVERSATION)),
}
"""(state, event) -> (next state, commands)."""


class TurnMachine:
    """The state of the present turn, and since when it counts (rules 4 and 6 of the module)."""

    def __init__(self, limits: Limits | None = None) -> None:
        """A machine in IDLE."""
        self.limits = limits or Limits()
        self.state = State.IDLE
        self.since = 0.0
        """From when on the present state's limit counts, seconds of audio time."""
        self._woken = self._began = 0.0
        """When the wake word was heard, and when the utterance began."""
        self._window: float | None = None
        """When the follow-up window was opened last; None since the wake word."""
        self._failed = False
        """Whether what is being said tells of a failure."""

    def feed(self, event: TurnEvent) -> tuple[Command, ...]:
        """Take an event; the commands to perform, in order. Events without a row are ignored."""
        row = TABLE.get((self.state, type(event)))
        if row is None or self._too_late(event):
            return ()
        if (
            self.state is State.SPEAKING
            and isinstance(event, SpeechBegan)
            and (not self._failed or self._window is None)
        ):
            self._window = event.at
        self._failed = row[1][-1] is Command.APOLOGISE or (self._failed and self.state is State.SPEAKING)
        self.state, commands = row
        self.since = self._counts_from(event)
        return commands

    def tick(self, at: float) -> tuple[Command, ...]:
        """Let audio time reach ``at``: feeds TimedOut when the state's limit has passed."""
        limit = self.limits.of(self.state)
        if limit is None:
            return ()
        over = self.state is State.FOLLOW_UP and self._outlasted(at)
        return self.feed(TimedOut(at)) if over or at - self.since >= limit else ()

    def _outlasted(self, at: float) -> bool:
        return at - self._woken >= self.limits.conversation_s

    def _too_late(self, event: TurnEvent) -> bool:
        """Whether an utterance has been as long, or a conversation, as they may be."""
        if isinstance(event, SpeechResumed):
            return event.at - self._began >= self.limits.capturing_s
        told = self._failed and self._window is not None and event.at - self._window >= self.limits.follow_up_s
        interrupts = isinstance(event, SpeechBegan) and self.state is State.SPEAKING
        return interrupts and (told or self._outlasted(event.at))

    def _counts_from(self, event: TurnEvent) -> float:
        match event:
            case WakeHeard() | Tapped():
                self._woken, self._window = event.at, None
            case SpeechBegan():
                self._began = event.at
            case SpeechResumed():
                return self._began
            case Unheard() if self._window is not None:
                return self._window
            case Spoken() | TimedOut() if self._failed and self.state is State.FOLLOW_UP and self._window is not None:
                return self._window
            case _:
                pass
        if self.state is State.FOLLOW_UP:
            self._window = event.at
        return event.at
