"""What the assistant's view knows of the turn: where it stands, the words so far, the last reply and what was done, what is asked.

Nothing of it is stored. It is emptied with a change of driver and with everything that is forgotten, and what comes late of an
earlier era (`schemas.seat.Seat.era`) is not taken: nobody sees another driver's words, nor a guest's afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from memory.screen.feed import Feed
from schemas.events import Asking, Phase

LASTS = timedelta(seconds=20)
"""How long a reply stays when nobody speaks any more: long enough to read it twice, too short to stand there for a passenger."""
WAITS = timedelta(seconds=14)
"""How long the answers to what the gate asked about a button stay, and the question with them: as long as the gate waits for a yes
(``vehicle.policy.CONFIRMATION_S``; a test compares the two)."""
STEPS = 12
"""Levels of the voice that are told apart: more are no difference to an eye."""


class Came(StrEnum):
    """What came of a wish."""

    DONE = "done"
    REFUSED = "refused"
    ASKED = "asked"
    """It waits for a yes."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that was asked of the car."""

    action: str
    slots: Mapping[str, Any]
    came: Came
    why: str = ""
    """Why it was refused or is asked about, as it is spoken."""
    token: str = ""
    """The gate's, of what waits for a yes."""
    rule: str = ""
    """The gate's rule that refused it or asks, for a language that has its own words for why."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An utterance and the reply to it."""

    heard: str
    reply: str
    at: datetime
    acts: tuple[Act, ...] = ()
    undo: bool = False
    """Whether what was done last can be taken back."""
    missed: bool = False
    """It was not understood."""
    guess: str = ""
    """The command that it was most likely, where it was not understood; as it would be said."""
    number: int = 0
    """Counts from 1; given by `Talk`."""


@dataclass(frozen=True, slots=True)
class Stand:
    """What is shown at a moment."""

    phase: Phase = Phase.IDLE
    asking: Asking | None = None
    words: str = ""
    exchange: Exchange | None = None
    note: Act | None = None
    """What came of a button of the car, where it was not simply done."""
    version: int = 0
    """Another number whenever anything but the words or the level is different."""


def _without_question(exchange: Exchange | None) -> Exchange | None:
    """What is left of an exchange whose question nobody answered: what was done, which can still be taken back."""
    return replace(exchange, reply="") if exchange is not None and exchange.acts else None


class Talk:
    """The turn that is shown; safe for use by several threads. Meets ``schemas.ports.Onlooker``."""

    def __init__(self, feed: Feed, clock: Callable[[], datetime]) -> None:
        """Nothing was said yet; whoever watches the feed is woken."""
        self._feed, self._clock, self._lock = feed, clock, threading.Lock()
        self._stand = Stand()
        self._since = clock()
        """When it became still."""
        self._count = 0
        self.level = 0
        """How loud it is, 0 to ``STEPS``."""

    @property
    def stand(self) -> Stand:
        """What is shown now; a reply whose time is over is not any more."""
        stand = self._stand
        lasts = WAITS if stand.note is not None and stand.note.token else LASTS
        if stand.phase is not Phase.IDLE or stand.asking is not None or self._clock() - self._since < lasts:
            return stand
        if stand.exchange is None and stand.note is None:
            return stand
        with self._lock:
            if self._stand is stand:
                self._stand = Stand(version=stand.version + 1)
            return self._stand

    # Told by the voice ---------------------------------------------------------------------------------------------------

    def stands(self, phase: Phase, asking: Asking | None, era: int) -> None:
        """See ``schemas.ports.Onlooker``."""
        with self._lock:
            before = self._stand
            asking = asking if era >= self._feed.mark.era else None
            if (before.phase, before.asking) == (phase, asking):
                return
            fresh = phase is Phase.HEARING and before.phase is not Phase.HEARING
            words = "" if fresh or phase in (Phase.IDLE, Phase.LISTENING) else before.words
            note = None if phase is Phase.LISTENING else before.note
            lapsed = phase is Phase.IDLE and before.asking is not None and asking is None
            exchange = _without_question(before.exchange) if lapsed else before.exchange
            self._put(phase=phase, asking=asking, words=words, note=note, exchange=exchange)
            if phase is Phase.IDLE:
                self._since = self._clock()
        self._feed.watchers.wake()

    def sounds(self, level: float) -> None:
        """See ``schemas.ports.Onlooker``."""
        steps = round(level * STEPS)
        if steps != self.level:
            self.level = steps
            self._feed.watchers.wake()

    def hears(self, words: str, era: int) -> None:
        """See ``schemas.ports.Onlooker``; signs alone are no words."""
        if words and not any(map(str.isalnum, words)):
            return
        with self._lock:
            if era < self._feed.mark.era or self._stand.phase is not Phase.HEARING or self._stand.words == words:
                return
            self._stand = replace(self._stand, words=words)
        self._feed.watchers.wake()

    def replied(self, exchange: Exchange, era: int) -> None:
        """A reply sounds."""
        with self._lock:
            if era < self._feed.mark.era:
                return
            self._count += 1
            self._since = self._clock()
            self._put(exchange=replace(exchange, number=self._count), words="", note=None)
        self._feed.watchers.wake()

    # Told by the screen itself -------------------------------------------------------------------------------------------

    def noted(self, act: Act) -> None:
        """A button of the car came to this; what was said before can no longer be taken back by its own button."""
        with self._lock:
            self._count += 1
            self._since = self._clock()
            exchange = self._stand.exchange
            kept = None if exchange is None else replace(exchange, undo=False)
            self._put(exchange=kept, note=act if act.came is not Came.DONE else None)
        self._feed.watchers.wake()

    def answered(self) -> None:
        """The exchange whose button was used has no button any more."""
        with self._lock:
            exchange = self._stand.exchange
            if exchange is not None:
                self._put(exchange=replace(exchange, undo=False, guess=""))
        self._feed.watchers.wake()

    def clear(self) -> None:
        """Somebody else drives, or something was forgotten."""
        with self._lock:
            self._stand = Stand(phase=self._stand.phase, version=self._stand.version + 1)
            self.level = 0

    def _put(self, **changes: Any) -> None:
        self._stand = replace(self._stand, **changes, version=self._stand.version + 1)
