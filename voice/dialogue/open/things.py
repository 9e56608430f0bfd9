"""The things that may be open, each with its question and the reason for which it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.actions import Action
from schemas.actions.acts import Act
from schemas.manners import Habit
from schemas.memory import Fact, Proposal
from voice.dialogue.forgetting import asking
from voice.dialogue.forgetting.asking import Question
from voice.dialogue.open.table import Open


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Actions that wait for a yes."""

    kind: Open = field(default=Open.CONFIRMATION, init=False)
    question: str
    why: str
    actions: tuple[Action, ...]
    tokens: tuple[str, ...] = ()
    """The gate's, one for each action; empty where the gate was not asked yet."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Several, of which one is meant."""

    kind: Open = field(default=Open.CHOICE, init=False)
    question: str
    why: str
    among: tuple[str, ...]
    """As they are spoken."""
    wish: Act | None = None
    """What is wished for with the one that is named; None where they are complete commands, one of which was heard."""
    slot: str = ""
    """Where the one that is named goes in the wish."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A wish that lacks something."""

    kind: Open = field(default=Open.MISSING, init=False)
    question: str
    wish: Act
    why: str = "Because you didn't say that yet."


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A question of the talk about memory."""

    kind: Open = field(default=Open.FORGETTING, init=False)
    asked: Question

    @property
    def why(self) -> str:
        """The reason for which it is asked."""
        if self.asked.asked is asking.Asked.EXPORT:
            return "Because whoever has the file can read it."
        return "Because what is forgotten can't be brought back."

    @property
    def question(self) -> str:
        """How it is asked."""
        return self.asked.again


@dataclass(frozen=True, slots=True)
class Remembering:
    """Memory's question by the way."""

    kind: Open = field(default=Open.REMEMBERING, init=False)
    question: str
    why: str
    of: Proposal | Fact
    """What memory is not sure of, or what nobody asked to have kept: a liking of somebody else's."""

    @property
    def proposal(self) -> Proposal | None:
        """What memory is not sure of, if it is that."""
        return self.of if isinstance(self.of, Proposal) else None


@dataclass(frozen=True, slots=True)
class Introducing:
    """A question of the first minute, about how the driver wants to be spoken to."""

    kind: Open = field(default=Open.INTRODUCING, init=False)
    question: str
    about: str
    """``name``, ``length`` or ``units``."""
    why: str = "Because then I talk to you as you like it. Say: stop, and I ask no more."


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that nobody asked for, by the way: to get to know the driver, or an action out of habit."""

    kind: Open = field(default=Open.REMEMBERING, init=False)
    question: str
    why: str
    habit: Habit | None = None
    """None: to get to know the driver."""
    action: Action | None = None
    """What a yes asks of the car."""


Asked = Confirmation | Choice | Missing | Forgetting | Remembering | Introducing | Offer
