"""The closed set of things that flow through a spoken turn, and the results that parts hand each other.

Stream positions are counted in samples of the 16 kHz microphone stream since it was opened: audio time is the only
clock of a turn. Durations are seconds unless the name says otherwise.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from schemas.actions import Action
from schemas.memory import Decision, Proposal, Recollection

SAMPLE_RATE = 16_000
"""Samples a second of the microphone stream; mono, int16."""

FRAME = 512
"""Samples in a frame of the microphone stream: 32 ms, the chunk that Silero VAD takes at 16 kHz."""

Samples = NDArray[np.int16]
"""Mono PCM."""


class Event(BaseModel):
    """Base of the events and results."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class WakeDetection(Event):
    """The wake word was heard."""

    keyword: str
    score: Annotated[float, Field(ge=0.0, le=1.0)]
    end_sample: int
    """Where the keyword ended, in samples since the engine's last reset."""


class Hypothesis(Event):
    """One recogniser pass over an utterance."""

    text: str
    """Lower-case words without punctuation; empty when nothing was recognised."""
    log_score: float = 0.0
    """Log-likelihood of the pass; comparable only within one utterance and one recogniser."""


class Transcript(Event):
    """What was heard."""

    text: str
    """The words to act on or to understand; empty when nothing was recognised."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    misheard: bool = False
    """The recogniser holds its words for misheard rather than heard: to be asked about again, not acted on."""
    in_grammar: bool
    """True only if the command grammar gave a complete parse *and* won against the open model."""
    alternative: str = ""
    """Another complete command that the sound fits nearly as well as ``text`` (lock, unlock): the driver has to be asked.
    Only where ``in_grammar`` is False; mostly empty."""
    grammar: Hypothesis | None = None
    open: Hypothesis | None = None
    others: tuple[Hypothesis, ...] = ()
    """Other words that may have been said where no complete command was, each with the natural logarithm of its probability; that
    of ``text`` is what they leave of 1."""
    seconds: float = 0.0
    """Length of the utterance."""


class CommandKind(StrEnum):
    """What a complete parse of the command grammar asks for."""

    ACTION = "action"
    CONTROL = "control"
    MEMORY = "memory"
    FOLLOW = "follow"
    """What only means something by what was done before ("a bit more"), or several actions at once ("close everything")."""


class Command(Event):
    """A complete parse of a known command."""

    kind: CommandKind
    name: str
    """An action's name, or one of yes, no, stop, repeat, help; or what is asked of memory (models/commands/memory.yaml), or
    of what was done before (models/commands/followup.yaml)."""
    slots: dict[str, Any] = {}


class Standing(StrEnum):
    """How much of a sentence the words so far are: how long a pause after them may last before it is over."""

    COMPLETE = "complete"
    """A command, and no longer one that means something else begins with it."""
    CONTINUABLE = "continuable"
    """A command that a longer one begins with, which means something else: "open the window", "... halfway"."""
    UNFINISHED = "unfinished"
    """The beginning of a command, or words after which no sentence is over ("and then take me to the")."""
    WHOLE = "whole"
    """Free speech that is surely a whole sentence."""
    OPEN = "open"
    """None of these: free speech that may be over, or no words yet."""


class Motion(StrEnum):
    """Driving state as the gate sees it. Unknown or stale signals count as moving."""

    PARKED = "parked"
    IDLING = "idling"
    MOVING = "moving"


class VehicleState(Event):
    """The vehicle's signals that the gate and the replies need. None: unknown."""

    speed_kmh: float | None = None
    gear: str | None = None
    """P, R, N or D."""
    ignition_on: bool | None = None
    age_s: float = 0.0
    """Seconds since speed and gear were read."""
    values: dict[str, Any] = {}
    """Current value of every other signal that the adapter offers, by its name in ``vehicle.signals``."""
    absent: frozenset[str] = frozenset()
    """Signals that this vehicle does not have, which is another thing than not to be known."""
    ends: frozenset[str] = frozenset()
    """Openings that this vehicle can only open or close (0 or 100 percent), not stop between the two."""


class Verdict(StrEnum):
    """The gate's answer."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


class Ruling(Event):
    """The gate's answer with its reason."""

    verdict: Verdict
    rule: str
    """Name of the rule that decided."""
    reason: str
    """A sentence that is safe to speak; empty for ALLOW."""
    source: str = ""
    """Where the rule comes from."""


class ActionStatus(StrEnum):
    """What became of an action."""

    DONE = "done"
    """The vehicle's current value reached the target (or the query was answered)."""
    DENIED = "denied"
    NEEDS_CONFIRMATION = "needs_confirmation"
    FAULT = "fault"


class Moved(Event):
    """One signal that changed."""

    signal: str
    before: Any
    after: Any
    target: Any = None
    """Where it is going: equal to ``after`` once it has got there."""


class ActionResult(Event):
    """What became of an action."""

    action: Action
    status: ActionStatus
    ruling: Ruling
    moved: tuple[Moved, ...] = ()
    already: bool = False
    """For DONE: everything was so before."""
    answer: dict[str, Any] = {}
    """For queries: what was read. For find_place and the like: what was chosen."""
    token: str | None = None
    """For NEEDS_CONFIRMATION: hand it to ``VehiclePort.confirm``; bound to this action, expires."""
    error: str | None = None
    """For FAULT: the error's code."""


class Route(StrEnum):
    """The coordinator's choice for an utterance."""

    FAST = "fast"
    """A complete command."""
    MODEL = "model"
    """What the parser's model makes of free words."""
    CONTROL = "control"
    MEMORY = "memory"
    REJECT = "reject"
    """Not understood."""


class Reply(Event):
    """What the assistant says and did in a turn."""

    text: str
    route: Route
    reason: str
    """Why this route and this answer: for the timeline, never spoken."""
    results: tuple[ActionResult, ...] = ()
    recalled: tuple[Recollection, ...] = ()
    """Preferences that were used."""
    pending: str | None = None
    """Token of an action that waits for a spoken yes."""
    proposal: Proposal | None = None
    """What the reply asks about at its end: whether it may be remembered."""
    decision: Decision | None = None
    """What came of the answer to such a question."""
    ends_conversation: bool = False
    timings: dict[str, float] = {}
    """Milliseconds by stage (route, recall, slice, generate, validate, act)."""


class TurnRecord(Event):
    """A finished turn, for timelines, latency tables and logs. Seconds are stream time."""

    conversation: str
    era: int = 0
    """Of the seat (``schemas.seat.Seat.era``) when the utterance began."""
    wake: WakeDetection | None = None
    """The wake word that opened it; None in the follow-up window."""
    began_s: float = 0.0
    """Where the utterance begins."""
    speech_ended_s: float = 0.0
    """Where the last voice of the utterance was."""
    endpoint_s: float = 0.0
    """Where the endpointer closed it."""
    endpoint_reason: str = ""
    transcript: Transcript | None = None
    """None for typed text."""
    reply: Reply | None = None
    """None when it failed or held no words."""
    error: str | None = None
    """Code of the error that ended it."""
    error_message: str | None = None
    latency_ms: dict[str, float] = {}
    """By stage: endpoint (silence waited for, audio time), recognise, the stages of ``Reply.timings``, synthesise (to
    the first piece), total (end of speech to first reply audio)."""
    reply_at_s: float | None = None
    """Where the reply begins to sound."""
    reply_seconds: float = 0.0


class Phase(StrEnum):
    """Where a turn stands, for the eyes."""

    IDLE = "idle"
    """Only the wake word listens."""
    LISTENING = "listening"
    """A voice is waited for: after the wake word, and after a reply."""
    HEARING = "hearing"
    """The driver speaks."""
    THINKING = "thinking"
    SPEAKING = "speaking"


class Choice(Event):
    """One of the things that were asked about."""

    label: str
    """As it is spoken."""
    answer: str
    """Words that mean it and no other."""


class Wanted(Event):
    """An action that waits for a yes."""

    name: str
    slots: dict[str, Any] = {}


class Asking(Event):
    """What waits for an answer."""

    number: int
    """Another one for each question: an answer to an earlier one does nothing."""
    question: str
    yes_no: bool = False
    """Whether it is answered by yes or no; no leaves it in any case."""
    choices: tuple[Choice, ...] = ()
    wanted: tuple[Wanted, ...] = ()
