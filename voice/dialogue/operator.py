"""The operator: gathers what a request needs and has the language model fill the slice.

Recall with the plan's details, the vehicle's offers, the slice; then one call, judged by the validator, and at most one
refinement: the action that the encoder finds most likely, which must be filled then, its numbers bound to those that were
said or remembered. What is worked out while the driver pauses is kept until it is asked for. Says nothing.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from models.numbers import numbers
from models.text import spoken
from schemas.actions import Action, action_model, actions_of, demanded_model, parse_action
from schemas.errors import GenerationError
from schemas.memory import Recollection
from schemas.ports import StructuredModel
from schemas.seat import Seat
from voice.dialogue.coordinator import Plan
from voice.dialogue.replies.units import in_celsius
from voice.dialogue.validator import Finding, careful, mended, validate

RECALL_LIMIT = 3
"""Facts shown to the model: a slice of a category or three; more only costs prompt tokens."""

LATELY_S = 3.0
"""How long a proposal that was worked out ahead holds: more than the longest pause that ends an utterance, 1.3 s, and the time that
a proposal takes."""


@dataclass(slots=True)
class Proposal:
    """What the model proposes for a request."""

    actions: tuple[Action, ...] = ()
    recalled: tuple[Recollection, ...] = ()
    """All that was shown to the model."""
    used: tuple[Recollection, ...] = ()
    """Those whose value went into a slot without having been said now."""
    reason: str = ""
    ask_first: bool = False
    timings: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class _Begun:
    """A proposal that is being worked out, or was."""

    key: tuple[Any, ...]
    task: asyncio.Task[Proposal]
    at: float
    """Monotonic seconds."""

    def usable(self) -> bool:
        """Whether it is of this moment, and nothing went wrong with it."""
        failed = self.task.done() and (self.task.cancelled() or self.task.exception() is not None)
        return not failed and time.monotonic() - self.at <= LATELY_S


class Operator:
    """Works out the actions of a request by the model path."""

    def __init__(self, seat: Seat, model: StructuredModel, offers: frozenset[str]) -> None:
        """An operator over the memory of whoever drives and one vehicle's offers."""
        self._seat, self._model, self._offers = seat, model, offers
        self._begun: _Begun | None = None

    def fit(self, offers: frozenset[str]) -> None:
        """From now on the vehicle has these actions."""
        self._offers = offers

    async def proposed(self, text: str, plan: Plan, *, ahead: bool = False) -> Proposal:
        """`propose` beside everything else, one at a time.

        Args:
            text: the request.
            plan: the coordinator's.
            ahead: it may not come to be asked for; if it does soon, that is the answer.
        """
        if plan.actions and plan.actions[0] == "set_temperature":
            text = in_celsius(spoken(text))
        key, begun = (text, plan, self._seat.memory, self._offers), self._begun
        fits = begun is not None and begun.key == key and not (begun.task.done() and ahead) and begun.usable()
        if begun is None or not fits:
            earlier = begun.task if begun is not None else None

            async def work() -> Proposal:
                if earlier is not None and not earlier.done():
                    await asyncio.wait([earlier])
                return await asyncio.to_thread(self.propose, text, plan)

            begun = self._begun = _Begun(key, asyncio.create_task(work()), time.monotonic())
        proposal = await asyncio.shield(begun.task)  # who waits for it ahead may stop waiting
        if not ahead:
            self._begun = None
        return proposal

    def propose(self, text: str, plan: Plan) -> Proposal:
        """The actions for a request; empty with a reason when nothing valid came of it.

        A model that fails is a reason, not an error. Of several requests in one sentence all must come to something, or
        the sentence is taken as one.
        """
        together = self._together(plan) if plan.parts else None
        return together or self._single(text, plan)

    def _together(self, plan: Plan) -> Proposal | None:
        merged = Proposal()
        for text, own in plan.parts:
            if own.meant:
                careless = plan.sure or not any(careful(action) for action in own.meant)
                found = Proposal(actions=own.meant, reason=own.reason, ask_first=not careless)
            elif own.command is not None and not own.details:
                action = parse_action(own.command.name, own.command.slots)
                found = Proposal(actions=(action,), reason=own.reason, ask_first=careful(action) and not plan.sure)
            else:
                found = self._single(text, own)
            if not found.actions and own.command is not None:
                found.actions = (parse_action(own.command.name, own.command.slots),)
            merged.timings = {
                stage: merged.timings.get(stage, 0.0) + found.timings.get(stage, 0.0)
                for stage in {**merged.timings, **found.timings}
            }
            if not found.actions:
                return None
            merged.actions += found.actions
            merged.recalled += found.recalled
            merged.used += found.used
            merged.ask_first |= found.ask_first
            merged.reason = "; ".join(filter(None, (merged.reason, found.reason)))
        return merged

    def _single(self, text: str, plan: Plan) -> Proposal:
        proposal = Proposal()
        started = time.perf_counter()
        if plan.details:
            proposal.recalled = self._seat.memory.recall(text, details=plan.details, limit=RECALL_LIMIT)
        proposal.timings["recall"] = _ms(started)
        facts = [f"{r.preference.detail}: {r.preference.value}" for r in proposal.recalled]
        said = numbers(f"{text} {' '.join(fact.split(':', 1)[-1] for fact in facts)}")
        for model in (action_model(plan.actions), demanded_model(plan.actions[0], frozenset(said))):
            filled = self._fill(text, model, facts, proposal)
            actions = tuple(
                mended(action, text, facts, lambda detail, action: action.takes(detail)) for action in filled
            )
            findings = [self._judge(action, text, facts) for action in actions]
            wrong = [finding.reason for finding in findings if not finding.ok]
            if actions and not wrong:
                proposal.actions = actions
                proposal.ask_first = any(finding.ask_first for finding in findings)
                proposal.used = tuple(r for r in proposal.recalled if _fills(r, actions, text))
                proposal.reason = findings[0].reason
                return proposal
            proposal.reason = "; ".join(wrong) or "the language model found nothing to do"
        return proposal

    def _fill(self, text: str, model: type[BaseModel], facts: list[str], proposal: Proposal) -> tuple[Action, ...]:
        started = time.perf_counter()
        try:
            filled = self._model.fill("act", model, turns=[text], facts=facts)
        except GenerationError as error:
            proposal.reason = str(error)
            return ()
        finally:
            proposal.timings["generate"] = proposal.timings.get("generate", 0.0) + _ms(started)
        return tuple(parse_action(action.name, action.slots()) for action in actions_of(filled))

    def _judge(self, action: Action, text: str, facts: list[str]) -> Finding:
        return validate(action, text, facts, self._offers)


def _fills(recollection: Recollection, actions: tuple[Action, ...], text: str) -> bool:
    """Whether the preference's value stands in a slot of the actions although it was not said in the request."""
    value = recollection.preference.value.lower()
    if value in text.lower():
        return False
    for action in actions:
        if not action.takes(recollection.preference.detail):
            continue
        for slot in action.slots().values():
            if isinstance(slot, bool):
                continue
            said = f"{slot:g}" if isinstance(slot, float) else str(slot).lower().replace("_", " ")
            if said in value.split() or said == value or (len(said) > 3 and (said in value or value in said)):
                return True
    return False


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0
