"""What waits for the driver's answer: an action for a yes, and what the talk about memory may ask, one question at a time.

The by-the-way questions of memory itself ("shall I remember that ...?") are ``voice.dialogue.memory.question``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from schemas.actions import Action
from schemas.actions.acts import Act
from schemas.memory import Preference, Selector


class Asked(Enum):
    """What the driver was asked."""

    WHICH = "which of several things is to be forgotten"
    FORGET = "whether these things are to be forgotten"
    KEEP = "whether what is there already is kept or deleted"
    DELETE = "whether the driver is to be deleted"
    DELETE_SURELY = "whether the driver is to be deleted, once more"


@dataclass(frozen=True, slots=True)
class Question:
    """The question that is open."""

    asked: Asked
    what: Selector = field(default_factory=Selector)
    among: tuple[Preference, ...] = ()
    again: str = ""
    """How it is asked once more."""


LEFT = {
    Asked.WHICH: "Okay.",
    Asked.FORGET: "Okay, I keep it.",
    Asked.KEEP: "Okay, it stays.",
    Asked.DELETE: "Okay, nothing is deleted.",
    Asked.DELETE_SURELY: "Okay, nothing is deleted.",
}
"""What is said when the driver says no."""


@dataclass(slots=True)
class Pending:
    """What waits for a spoken yes: a gate's token, or an action that the validator wants confirmed first."""

    tokens: tuple[str, ...] = ()
    asked: tuple[Action, ...] = ()
    """What waits under the tokens."""
    actions: tuple[Action, ...] = ()
    partial: Action | None = None
    """A timer or reminder that lacks its time."""
    needs: Act | None = None
    """A wish that lacks something else."""
    which: tuple[str, str] | None = None
    """Two commands, one of which was heard."""


def first_token(pending: Pending | None) -> str | None:
    """The gate's token of what waits, if it waits at the gate."""
    return pending.tokens[0] if pending is not None and pending.tokens else None
