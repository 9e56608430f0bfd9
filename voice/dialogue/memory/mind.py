"""What the talk about memory needs to go on: what "that" is, what was told on this trip, and what is to be asked next.

Owns no reply and changes nothing in memory. Every part of the talk holds the same `Mind`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from schemas.actions import Action
from schemas.memory import Fact, Preference, Recollection
from schemas.ports import Encoder
from voice.dialogue.forgetting.asking import Question
from voice.dialogue.knowing.lately import Lately
from voice.dialogue.open.things import Remembering


@dataclass(frozen=True, slots=True)
class That:
    """What was spoken of."""

    about: tuple[str, ...] = ()
    """Ids of the preferences and facts that "that" may be, the last mentioned."""
    rest: tuple[Preference | Fact, ...] = ()
    """Of a list what was not read out yet."""
    stated: bool = False
    """"That" is what the driver has just told, which is noted but not stored yet."""
    heard: bool = False
    """"That" is what the driver has just said, of which nothing is stored."""
    said: str = ""
    """The driver's words that told it, where it is one of these two."""
    acted: bool = False
    """The last thing that happened was an action; "that" is it, and ``about`` what was used for it."""
    done: Action | None = None
    """That action, where it was done."""


class Statement(NamedTuple):
    """What was told, and the id of what was kept of it."""

    text: str
    name: str | None


class Mind:
    """What is kept in mind of the talk with one driver, on one trip."""

    def __init__(self, clock: Callable[[], datetime], encoder: Encoder | None) -> None:
        """Nothing spoken of yet; the trip begins now.

        Args:
            clock: aware current time.
            encoder: tells what of the things told on this trip answers a question; None: nothing does.
        """
        self._clock = clock
        self.lately = Lately(encoder)
        """What was told on this trip."""
        self.new_trip()

    def new_trip(self) -> None:
        """Somebody else drives: nothing is spoken of, nothing is asked, and their trip begins."""
        self.that, self.trip = That(), self._clock()
        self.last = ""
        """What the driver said last, apart from talk about memory."""
        self.lately.clear()
        self.telling: Statement | None = None
        """What the driver told in this turn,"""
        self.before: Statement | None = None
        """and what in the one before."""
        self._asks: list[Question] = []
        self._doubt: Remembering | None = None

    def unsay(self, forgotten: bool) -> None:
        """Where something was forgotten, nothing of what was said is told any more."""
        if forgotten:
            self.telling, self.before, self.last = None, None, ""
            self.lately.clear()

    def begins(self) -> None:
        """An utterance of the driver's begins."""
        self.before, self.telling = self.telling, None

    def ended(self) -> None:
        """The conversation is over: nothing is spoken of."""
        self.that, self.last = That(), ""

    # What "that" is

    def nothing(self) -> None:
        """What was spoken of is gone."""
        self.that = That()

    def acted(self, used: Sequence[Recollection], done: Sequence[Action] = ()) -> None:
        """Actions were carried out, with these preferences or with none; ``done``: those that were done."""
        self.that = That(about=tuple(r.preference.id for r in used), acted=True, done=done[-1] if done else None)

    def mention(self, preference: str | None) -> None:
        """A preference was spoken of."""
        self.that = That(about=() if preference is None else (preference,))

    def stated(self, said: str = "") -> None:
        """The driver told something, in these words, that is noted and not stored yet."""
        self.that = That(stated=True, said=said)

    def heard(self, said: str = "") -> None:
        """The driver said something, in these words, that memory was told of."""
        self.that = That(heard=True, said=said)
        self.last = said

    # Questions to the driver

    def ask(self, question: Question) -> None:
        """The driver is to be asked this."""
        self._asks.append(question)

    @property
    def asking(self) -> bool:
        """Whether something is asked."""
        return bool(self._asks)

    def asks(self) -> tuple[Question, ...]:
        """What the last replies ask the driver, in order; handed over once."""
        asked, self._asks = tuple(self._asks), []
        return asked

    def doubts(self, question: Remembering | None) -> bool:
        """The driver is to be asked whether what was just told may be remembered; whether that is a question at all."""
        self._doubt = question
        return question is not None

    def doubt(self) -> Remembering | None:
        """The question whether what was just told may be remembered; handed over once."""
        doubt, self._doubt = self._doubt, None
        return doubt
