"""The dialogue as a table: what is open, what each answer does to it, and when it ends. No I/O and no clock.

``OpenTable.feed(event, at) -> [Do]``, as ``voice.turn`` does it for the turn. Time enters as data. Which event an utterance is says
``voice.dialogue.open.reading``; ``voice.dialogue.open.performing`` performs the commands.

Rules, in the order in which they win:

1. At most one thing is open. Where one reply would ask two things, the first of ``Open``'s order is asked, the other is kept for
   later: it is asked as soon as the first is answered. A question by the way is never kept: it can be asked another day.
2. Only an answer that belongs to what is open does anything with it. A yes to nothing does nothing.
3. Whatever is no answer is dealt with as what it is, and what was open is withdrawn with all that was kept for later.
4. What is not understood is asked for once more, then dropped with a word. What was most likely said to somebody else leaves all as
   it is, in silence; so do a "why", a "say that again" and small talk, aloud.
5. Everything open ends: with its answer, another wish, the wake word, the end of the conversation, another driver, or ``OPEN_FOR``.

The table and the picture in docs/architecture.md are made from ``TABLE`` by its test, which compares them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

OPEN_FOR = timedelta(minutes=2)
"""How long a question waits: as long as "it" means what was done last (``voice.dialogue.recent.FRESH``). The gate's own questions
expire sooner (``vehicle.policy.CONFIRMATION_S``), and in a spoken conversation the follow-up window closes long before."""


class Open(StrEnum):
    """What is open; of two that one reply would ask, the earlier here is asked first."""

    NOTHING = "nothing"
    CONFIRMATION = "confirmation"
    """Actions wait for a yes: the gate wants it, or the assistant is not sure."""
    CHOICE = "choice"
    """One of several is meant: which command was said, which contact."""
    MISSING = "missing"
    """A wish lacks something: how long, whom, where to."""
    FORGETTING = "forgetting"
    """What is to become of what is remembered: which of it, forget it, keep it."""
    INTRODUCING = "introducing"
    """A question of the first minute: how the driver wants to be spoken to."""
    REMEMBERING = "remembering"
    """A question by the way: memory's, may this be remembered; an offer out of habit, or to get to know the driver."""


class Event(StrEnum):
    """What was said, as far as it matters to what is open; what the assistant asks; how it ends otherwise."""

    YES = "yes"
    NO = "no"
    CALLED_OFF = "called off"
    """Never mind, cancel that."""
    STOP = "stop"
    """Stop; that's all."""
    FITS = "fits"
    """The words name what was asked for: one of the choices, what was missing, what is to be forgotten."""
    WHY = "why"
    AGAIN = "again"
    """Say that again."""
    ASIDE = "aside"
    """Small talk, help, what was done or said last."""
    OTHER = "other"
    """Another wish, a correction, something told."""
    UNCLEAR = "unclear"
    """Said to the assistant and not understood."""
    UNCLEAR_AGAIN = "unclear again"
    """Made by ``OpenTable.feed`` alone: not understood, after it was asked for once more."""
    UNMEANT = "unmeant"
    """Most likely said to somebody else."""
    ASKS_CONFIRMATION = "asks for confirmation"
    ASKS_CHOICE = "asks for choice"
    ASKS_MISSING = "asks for missing"
    ASKS_FORGETTING = "asks about forgetting"
    ASKS_INTRODUCING = "asks about the driver"
    ASKS_REMEMBERING = "asks about remembering"
    LATE = "late"
    """``OPEN_FOR`` has passed. Made by ``OpenTable.tick`` alone."""
    GONE = "gone"
    """The wake word, the end of the conversation, or another driver."""


class Do(StrEnum):
    """What the dialogue has to do."""

    CARRY_OUT = "carry it out"
    """What waits, and nothing else; the gate judges it once more."""
    WITHDRAW = "withdraw"
    """What waits, here and at the gate."""
    COMPLETE = "complete the wish"
    """With what was named, and deal with it."""
    FORGET = "do so in memory"
    """Forget or keep as the answer says."""
    TAKE_IN = "take the answer in"
    """What the driver says to be called, or no answer; then the next question."""
    AGREE = "tell memory yes"
    DECLINE = "tell memory no"
    HANDLE = "deal with it"
    """With the utterance, as what it is."""
    TALK = "talk"
    """Answer what needs nothing done."""
    OFFER_UNDO = "offer to undo"
    """What was done last, if that can be undone; else okay."""
    HALT = "halt or end"
    """Stop what is on its way; where nothing is, the conversation is over."""
    CLOSE = "end"
    """The conversation is over."""
    EXPLAIN = "say why"
    REPEAT = "repeat"
    """The last reply, but for its question."""
    SAY_LEFT = "say it is left"
    SAY_OKAY = "say okay"
    SAY_NOTHING_WAITS = "say nothing waits"
    SAY_UNCLEAR = "say not understood"
    SAY_DROPPED = "say it is dropped"
    ASK = "ask"
    """The question, at the end of the reply."""
    KEEP = "keep for later"
    """What would be asked second."""


_O, _E, _D = Open, Event, Do

_ASKS = {
    _E.ASKS_CONFIRMATION: _O.CONFIRMATION,
    _E.ASKS_CHOICE: _O.CHOICE,
    _E.ASKS_MISSING: _O.MISSING,
    _E.ASKS_FORGETTING: _O.FORGETTING,
    _E.ASKS_INTRODUCING: _O.INTRODUCING,
    _E.ASKS_REMEMBERING: _O.REMEMBERING,
}
ASKING = {kind: event for event, kind in _ASKS.items()}
"""What is asked -> the event that asks it."""
Row = tuple[Open, tuple[Do, ...]]


def _asked(now: Open) -> dict[tuple[Open, Event], Row]:
    """Rule 1: one question at a time."""
    rows: dict[tuple[Open, Event], Row] = {}
    order = list(Open)
    for event, kind in _ASKS.items():
        if now in (_O.NOTHING, _O.REMEMBERING):
            rows[now, event] = (kind, (_D.ASK,))
        elif kind is _O.REMEMBERING:
            rows[now, event] = (now, ())
        elif order.index(kind) < order.index(now):
            rows[now, event] = (kind, (_D.KEEP, _D.ASK))
        else:
            rows[now, event] = (now, (_D.KEEP,))
    return rows


def _open(now: Open) -> dict[tuple[Open, Event], Row]:
    """What holds of everything that is open, but for what ``TABLE`` says otherwise."""
    return {
        (now, _E.NO): (_O.NOTHING, (_D.WITHDRAW, _D.SAY_LEFT)),
        (now, _E.CALLED_OFF): (_O.NOTHING, (_D.WITHDRAW, _D.SAY_LEFT)),
        (now, _E.STOP): (_O.NOTHING, (_D.WITHDRAW, _D.SAY_LEFT, _D.CLOSE)),
        (now, _E.WHY): (now, (_D.EXPLAIN, _D.ASK)),
        (now, _E.AGAIN): (now, (_D.REPEAT, _D.ASK)),
        (now, _E.ASIDE): (now, (_D.TALK,)),
        (now, _E.OTHER): (_O.NOTHING, (_D.WITHDRAW, _D.HANDLE)),
        (now, _E.UNCLEAR): (now, (_D.SAY_UNCLEAR, _D.ASK)),
        (now, _E.UNCLEAR_AGAIN): (_O.NOTHING, (_D.WITHDRAW, _D.SAY_DROPPED)),
        (now, _E.UNMEANT): (now, ()),
        (now, _E.LATE): (_O.NOTHING, (_D.WITHDRAW,)),
        (now, _E.GONE): (_O.NOTHING, (_D.WITHDRAW,)),
        **_asked(now),
    }


TABLE: dict[tuple[Open, Event], Row] = {
    (_O.NOTHING, _E.YES): (_O.NOTHING, (_D.SAY_NOTHING_WAITS,)),
    (_O.NOTHING, _E.NO): (_O.NOTHING, (_D.SAY_OKAY,)),
    (_O.NOTHING, _E.CALLED_OFF): (_O.NOTHING, (_D.OFFER_UNDO,)),
    (_O.NOTHING, _E.STOP): (_O.NOTHING, (_D.HALT,)),
    (_O.NOTHING, _E.WHY): (_O.NOTHING, (_D.EXPLAIN,)),
    (_O.NOTHING, _E.AGAIN): (_O.NOTHING, (_D.REPEAT,)),
    (_O.NOTHING, _E.ASIDE): (_O.NOTHING, (_D.TALK,)),
    (_O.NOTHING, _E.OTHER): (_O.NOTHING, (_D.HANDLE,)),
    (_O.NOTHING, _E.UNCLEAR): (_O.NOTHING, (_D.HANDLE,)),
    (_O.NOTHING, _E.UNMEANT): (_O.NOTHING, ()),
    (_O.NOTHING, _E.GONE): (_O.NOTHING, ()),
    **_asked(_O.NOTHING),
    **_open(_O.CONFIRMATION),
    (_O.CONFIRMATION, _E.YES): (_O.NOTHING, (_D.CARRY_OUT,)),
    **_open(_O.CHOICE),
    (_O.CHOICE, _E.YES): (_O.CHOICE, (_D.ASK,)),
    (_O.CHOICE, _E.FITS): (_O.NOTHING, (_D.COMPLETE,)),
    **_open(_O.MISSING),
    (_O.MISSING, _E.YES): (_O.MISSING, (_D.ASK,)),
    (_O.MISSING, _E.FITS): (_O.NOTHING, (_D.COMPLETE,)),
    **_open(_O.FORGETTING),
    (_O.FORGETTING, _E.YES): (_O.NOTHING, (_D.FORGET,)),
    (_O.FORGETTING, _E.FITS): (_O.NOTHING, (_D.FORGET,)),
    (_O.FORGETTING, _E.AGAIN): (_O.FORGETTING, (_D.ASK,)),
    **_open(_O.INTRODUCING),
    (_O.INTRODUCING, _E.YES): (_O.INTRODUCING, (_D.ASK,)),
    (_O.INTRODUCING, _E.FITS): (_O.NOTHING, (_D.TAKE_IN,)),
    (_O.INTRODUCING, _E.NO): (_O.NOTHING, (_D.TAKE_IN,)),
    **_open(_O.REMEMBERING),
    (_O.REMEMBERING, _E.YES): (_O.NOTHING, (_D.AGREE,)),
    (_O.REMEMBERING, _E.NO): (_O.NOTHING, (_D.DECLINE,)),
    (_O.REMEMBERING, _E.CALLED_OFF): (_O.NOTHING, (_D.DECLINE,)),
    (_O.REMEMBERING, _E.STOP): (_O.NOTHING, (_D.HALT,)),
    (_O.REMEMBERING, _E.UNCLEAR): (_O.NOTHING, (_D.HANDLE,)),
}
"""(what is open, event) -> (what is open then, commands)."""
del TABLE[_O.REMEMBERING, _E.UNCLEAR_AGAIN]  # it is not asked for once more

_SETTLES = frozenset({_E.YES, _E.NO, _E.CALLED_OFF, _E.FITS})
"""Answers: what was kept for later is asked after them. All else that ends something open ends that, too."""


class Thing(Protocol):
    """Something that may be open."""

    @property
    def kind(self) -> Open:
        """Which of them it is."""
        ...


T = TypeVar("T", bound=Thing)


class OpenTable(Generic[T]):
    """The one object that holds what is open."""

    def __init__(self) -> None:
        """Nothing is open."""
        self.thing: T | None = None
        self.later: tuple[T, ...] = ()
        """What is asked once this is answered."""
        self.left: tuple[T, ...] = ()
        """What the last event ended, the first of it having been open: this is what its commands are about."""
        self._since: datetime | None = None
        self._again = False
        """Asked for once more already."""

    @property
    def state(self) -> Open:
        """What is open."""
        return self.thing.kind if self.thing is not None else Open.NOTHING

    def feed(self, event: Event, at: datetime) -> tuple[Do, ...]:
        """Take what was said, or an end; the commands to perform, in order. Events without a row are ignored.

        Args:
            event: none of those that ask.
            at: aware current time.
        """
        if event is Event.UNCLEAR and self._again and (self.state, Event.UNCLEAR_AGAIN) in TABLE:
            event = Event.UNCLEAR_AGAIN
        row = TABLE.get((self.state, event))
        if row is None:
            return ()
        then, commands = row
        self.left = ()
        if then is Open.NOTHING and self.thing is not None:
            dropped = () if event in _SETTLES else self.later
            self.left = (self.thing, *dropped)
            self.thing, self.later = None, self.later if event in _SETTLES else ()
        elif event is Event.UNCLEAR:
            self._since, self._again = at, True
        return commands

    def ask(self, thing: T, at: datetime) -> tuple[Do, ...]:
        """Something is to be asked; ASK among the commands if it is asked now."""
        row = TABLE.get((self.state, ASKING[thing.kind]))
        if row is None:
            return ()
        _, commands = row
        if Do.ASK in commands:
            if Do.KEEP in commands and self.thing is not None:
                self.later = (self.thing, *self.later)
            self.thing, self._since, self._again = thing, at, False
        elif Do.KEEP in commands:
            self.later = (*self.later, thing)
        return commands

    def go_on(self, at: datetime) -> tuple[Do, ...]:
        """Ask what was kept for later, if nothing else is open."""
        if self.thing is not None or not self.later:
            return ()
        thing, *rest = self.later
        self.later = tuple(rest)
        return self.ask(thing, at)

    def tick(self, at: datetime) -> tuple[Do, ...]:
        """Let time reach ``at``: feeds LATE where something has been open for too long."""
        over = self._since is not None and at - self._since > OPEN_FOR
        return self.feed(Event.LATE, at) if over and self.thing is not None else ()
