"""What was observed of a turn, from outside: signals, memory, timers, mail and settings before it and after it.

Owns the form of a line of results, and which signals move by themselves. Judges nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from deploy.lab.dialogue.wording import own_question_cut

ADRIFT = (
    "media.position", "climate.cabin_temperature", "battery.", "car.odometer", "navigation.kilometers", "navigation.minutes",
    "navigation.latitude", "navigation.longitude", "position.", "outside.", "charging.power", "fuel.",
)  # fmt: skip
"""Beginnings of signals that change by themselves, or follow from others that are watched: not judged."""
SAME = 1e-6
"""Numbers that are nearer to each other are the same."""


@dataclass(frozen=True, slots=True)
class Said:
    """A reply."""

    reply: str
    """What a driver hears; an error in brackets where there was none."""
    seconds: float
    """Typed: processing time until the reply, without what is learnt from the sentence. Spoken: from the end of the sentence to the
    first sound of the reply; 0 without one."""
    failed: str = ""
    """The error that there was instead; empty where there was none."""
    heard: str = ""
    """What was heard of a sentence that was spoken."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)


class Kept(_Line):
    """A preference in memory."""

    detail: str
    value: str
    polarity: Literal["like", "dislike"] = "like"


class Notice(_Line):
    """A timer or reminder that waits."""

    kind: str
    label: str
    minutes: float
    at: str


class Mail(_Line):
    """A message in the outbox."""

    to: str
    text: str


class Beside(_Line):
    """What changed beside signals and preferences."""

    timers_set: tuple[Notice, ...] = ()
    timers_gone: tuple[Notice, ...] = ()
    mail: tuple[Mail, ...] = ()
    consent: dict[str, JsonValue] = {}
    """Settings of memory that are others than before."""


class Effects(_Line):
    """What is so after a turn, and what is new or gone since before it."""

    after: dict[str, JsonValue]
    stored: tuple[Kept, ...]
    removed: tuple[Kept, ...]
    effects: Beside = Beside()


class Answered(Effects):
    """The same once an offer was answered with yes, still compared with before the turn."""

    reply: str


class Result(Effects):
    """A line of results: a turn of a case."""

    id: str
    turn: int
    reply: str
    asked: bool
    """Whether the reply was an offer."""
    before: dict[str, JsonValue]
    yes: Answered | None = None
    """None where no yes was said."""
    voice: str = ""
    """Who spoke; empty where the sentence was typed."""
    heard: str = ""
    """What was heard of it then."""

    def line(self) -> str:
        """As it is written."""
        return self.model_dump_json(exclude_defaults=True)


@dataclass(frozen=True, slots=True)
class Seen:
    """A turn as it is judged: without the yes, or with it."""

    reply: str
    """All that was replied, without a question of the assistant's own at the end."""
    before: Mapping[str, Any]
    made: Effects

    @classmethod
    def of(cls, result: Result, answered: Answered | None = None) -> Seen:
        """A turn without the yes, or with it where what came of that is given."""
        reply = own_question_cut(result.reply)
        if answered is None:
            return cls(reply, result.before, result)
        return cls(f"{reply} {own_question_cut(answered.reply)}".strip(), result.before, answered)

    @property
    def changes(self) -> dict[str, tuple[Any, Any]]:
        """Signals that were known before and are others now: before and after. None that drifts."""
        return {
            name: (self.before[name], now)
            for name, now in self.made.after.items()
            if name in self.before and not drifts(name) and differ(self.before[name], now)
        }

    @property
    def idle(self) -> bool:
        """Whether nothing of all that is watched changed."""
        made, beside = self.made, self.made.effects
        return not (
            self.changes
            or made.stored
            or made.removed
            or beside.timers_set
            or beside.timers_gone
            or beside.mail
            or beside.consent
        )


def drifts(signal: str) -> bool:
    """Whether a signal changes by itself."""
    return signal.startswith(ADRIFT)


def differ(one: Any, other: Any) -> bool:
    """Whether two values of a signal are not the same; numbers may be written in different ways."""
    if _number(one) and _number(other):
        return not math.isclose(one, other, rel_tol=0.0, abs_tol=SAME)
    return one != other


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
