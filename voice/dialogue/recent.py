"""What was done or tried last in the car, as far as the next words may mean it: "it", "the other one", "make it twenty-five".

Owns what is kept of it, and how long it is meant. Pure; what the next words come to is ``voice.dialogue.followup``'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from schemas.actions import Action
from schemas.events import ActionResult, ActionStatus

FRESH = timedelta(minutes=2)
"""How long what was done is what "it" means. Our choice: afterwards something else may be on the driver's mind."""


@dataclass(frozen=True, slots=True)
class RecentActions:
    """What was done last, or tried and refused, and what the vehicle told about it."""

    actions: tuple[Action, ...] = ()
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    at: datetime | None = None
    visited: tuple[str, ...] = ()
    """Names of places that were chosen one after the other, for "the other one"."""
    done: Action | None = None
    """What was done last that can be called off; a question about the car ("how long's left on it?") changes nothing of it."""
    done_at: datetime | None = None
    ended: str = ""
    """Where the route went that was ended last, for "restart the navigation"; however long ago."""
    vain: bool = False
    """The actions are what was tried last, and nothing came of them: they were refused, or all was so already."""

    @property
    def undoable(self) -> bool:
        """Whether something was done that can be called off."""
        return self.done is not None

    @property
    def replaceable(self) -> bool:
        """Whether "it" was done, so that it is called off where something else is to stand in its place."""
        return self.undoable and not self.vain

    def fresh(self, now: datetime) -> bool:
        """Whether it is still what the driver means."""
        return self.at is not None and now - self.at <= FRESH

    def after(self, results: Sequence[ActionResult], now: datetime) -> RecentActions:
        """What is meant once these were done, refused, or asked about; the same as before where nothing was.

        What was refused is what was spoken of last, and so what is meant; what was done before can be called off still.
        """
        tried = [r for r in results if r.action.name != "undo"]
        actions = tuple(r.action for r in tried)
        held = any(r.status is ActionStatus.NEEDS_CONFIRMATION for r in results)
        moved = [r for r in tried if r.status is ActionStatus.DONE and not r.already]
        changed = [r.action for r in moved if not r.action.query]
        if not actions:
            return replace(self, done=None) if held or any(r.status is ActionStatus.DONE for r in results) else self
        vain = not changed and not held and len(moved) < len(tried)
        lately = not held and self.undoable and self.done_at is not None and now - self.done_at <= FRESH
        done, done_at = (changed[-1], now) if changed else (self.done, self.done_at) if lately else (None, now)
        ended = next(
            (str(m.before) for r in tried for m in r.moved if m.signal == "navigation.destination" and not m.after),
            self.ended,
        )
        answer: Mapping[str, object] = tried[-1].answer
        if answer.get("places") == [] and self.answer.get(
            "places"
        ):  # nothing else was found: "the first one" is one of those before
            return self
        visited = self.visited if actions == self.actions or goal(actions[-1]) else ()
        if goal(actions[-1]) and answer.get("name"):
            visited = (*visited, str(answer["name"]))
        return RecentActions(actions, answer, now, visited, done, done_at, ended, vain)


def goal(action: Action) -> bool:
    """Whether the action goes somewhere, so that "another one" is another place."""
    return action.to_place and not action.query
