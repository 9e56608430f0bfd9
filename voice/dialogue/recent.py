"""What was done or tried last in the car, as far as the next words may mean it: "it", "the other one", "make it twenty-five".

Owns what is kept of it, and how long it is meant. Pure; what the next words come to is ``voice.dialogue.followup``'s.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from models.numbers import numbers
from schemas.actions import BY_NAME, Action
from schemas.actions.acts import Act, SlotValue, slots_of
from schemas.actions.base import corners
from schemas.events import ActionResult, ActionStatus
from voice.dialogue.acts.accounted import against
from voice.dialogue.knowing import named
from voice.dialogue.replies.answers import found_nothing
from voice.dialogue.replies.examples import stems

FRESH = timedelta(minutes=2)
"""How long what was done is what "it" means. Our choice: afterwards something else may be on the driver's mind."""

NAMED = timedelta(minutes=10)
"""How long whoever was named last is "him" or "her". Our choice: longer than a thing, since a call is asked about first."""


JOKE = Act("joke")


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
    since: bool = False
    """The driver has told something else since."""
    told: int = 0
    """Which turn that did something the driver was told of last, counted back from the last one; 0: they have not just asked."""
    people: named.People = ()
    """Who was named last, whatever came of it."""
    named_at: datetime | None = None
    waits: bool = False
    """The actions are only asked about, and wait for a yes."""
    vain: bool = False
    """The actions are what was tried last, and nothing came of them: they were refused, or all was so already."""
    talked: tuple[Act, ...] = ()
    """What memory was told or asked since, or `JOKE`,"""
    talked_at: datetime | None = None
    """and when."""

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

    def talk(self, now: datetime) -> tuple[Act, ...]:
        """What memory was told or asked last, as long as the next words may go on from it."""
        return self.talked if self.talked_at is not None and now - self.talked_at <= FRESH else ()

    def spoken_of(self, now: datetime) -> named.People:
        """Who was named last, as long as "him" and "her" mean them."""
        return self.people if self.named_at is not None and now - self.named_at <= NAMED else ()

    def naming(self, people: Sequence[named.Person], now: datetime) -> RecentActions:
        """The same once these were named; nothing changes where nobody was."""
        if not people:
            return self
        return replace(self, people=named.with_last(self.spoken_of(now), people), named_at=now)

    def after(self, results: Sequence[ActionResult], now: datetime) -> RecentActions:
        """What is meant once these were done, refused, or asked about; the same as before where nothing was.

        What was refused is what was spoken of last, and so what is meant; what was done before can be called off still.
        """
        tried = [r for r in results if r.action.name != "undo"]
        actions = tuple(r.action for r in tried)
        held = any(r.status is ActionStatus.NEEDS_CONFIRMATION for r in results)
        moved = [r for r in tried if r.status is ActionStatus.DONE and not r.already and not _lost(r)]
        changed = [r.action for r in moved if not r.action.query]
        if not actions:
            done = held or any(r.status is ActionStatus.DONE for r in results)
            return replace(self, done=None, vain=False) if done else self
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
        people, named_at = self.people, self.named_at
        return RecentActions(
            actions, answer, now, visited, done, done_at, ended, people=people, named_at=named_at, vain=vain
        )


def _lost(result: ActionResult) -> bool:
    """Whether it wanted a place that nobody knows."""
    return not result.action.query and found_nothing(result.action.name, result.answer)


def goal(action: Action) -> bool:
    """Whether the action goes somewhere, so that "another one" is another place."""
    return action.to_place and not action.query


MOST_DEEDS = 50
"""Things done that are kept for "why did you open the roof?". Our choice: more than a trip has."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done, and at which words."""

    action: Action
    said: str
    at: datetime
    asked: str = ""
    """The question that the driver said yes to; empty where none was asked."""
    remembered: bool = False
    """Memory chose a part of it."""


def deed_of(act: Act | None, words: str, deeds: Sequence[Deed]) -> Deed | None:
    """The last thing done that an act names; None where none of them is it.

    Args:
        act: what the driver speaks of; None: only the words say it.
        words: in which, in their spoken form.
        deeds: in their order.
    """
    named = partial(_called, words) if act is None else partial(_names, act, words)
    return next((deed for deed in reversed(deeds) if named(deed.action)), None)


def _called(words: str, done: Action) -> bool:
    """Whether words have one of what an action is called, and do not ask for its opposite."""
    kind = type(done)
    return bool(stems(words) & stems(f"{kind.title} {kind.thing}")) and not against(words, done)


def _names(act: Act, words: str, done: Action) -> bool:
    """Whether an act is that action, as far as it says: the same thing, there, that far, and not the other way round."""
    kind = BY_NAME[act.name]
    family = {kind.name, kind.step, kind.outright} & {done.name, done.step, done.outright} - {"", None}
    if not family or against(words, done):
        return False
    had, said = done.slots(), numbers(words)
    return all(_agree(act.name, slot, value, had[slot], said) for slot, value in act.slots.items() if slot in had)


def _agree(name: str, slot: str, value: SlotValue, was: object, said: Collection[float]) -> bool:
    """Whether a slot of what is asked about, as it was said, fits the one of what was done."""
    if slot in ("zone", "window"):
        return bool(set(corners(str(value))) & set(corners(str(was))))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) not in said or was == value
    return slots_of(name)[slot].kind != "words" or bool(stems(str(value)) & stems(str(was)))
