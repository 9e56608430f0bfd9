"""What the acts of an utterance come to, as it is handed to who carries it out or foresees the reply.

Owns the fields; how they are filled is ``voice.dialogue.acts.acting``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.actions import Action
from schemas.actions.acts import Act
from schemas.manners import Units
from schemas.memory import Decision, Recollection
from voice.dialogue.replies import responder


@dataclass(slots=True)
class Work:
    """What acts come to."""

    actions: tuple[Action, ...] = ()
    ask_first: bool = False
    """A yes is needed before any of the actions is done."""
    why: str = ""
    needs: Act | None = None
    """A wish that lacks something, and `question` asks for it."""
    question: str = ""
    among: tuple[str, ...] = ()
    """Which of these is meant where it lacks one of several; empty where something else is missing."""
    slot: str = "person"
    """Where that goes."""
    said: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """What is said to the rest, each with how many of the actions were asked for before it."""
    gone: tuple[Action, ...] = ()
    """What makes room for the actions, if any is left."""
    first: tuple[Action, ...] = ()
    """Questions that are answered at once, though what was asked for beside them waits for a yes."""
    decision: Decision | None = None
    used: tuple[Recollection, ...] = ()
    ends: bool = False
    """The conversation is over."""

    @property
    def words(self) -> tuple[str, ...]:
        """What is said to the rest, in the order in which it was asked for."""
        return tuple(text for _, text in sorted(self.said, key=lambda one: one[0]))

    def asked(self, units: Units) -> str:
        """The question before the actions, or for what is missing."""
        if self.ask_first:
            return responder.questions(self.actions, units)
        return self.question
