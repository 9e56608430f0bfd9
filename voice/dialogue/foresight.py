"""The reply before anything is done: what an utterance will come to is foreseen.

A reply that is foreseen can be made into sound while the driver pauses. Foreseeing acts on nothing, stores nothing and notes
nothing: the vehicle is looked at (``schemas.ports.VehiclePort.foresee``), a request is worked out but not carried out. Where the
reply hangs on more than that, as with what is said about memory, nothing is foreseen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from schemas.actions import Action, Domain, ListPlaces, parse_action
from schemas.actions.acts import MEMORY
from schemas.events import ActionResult, ActionStatus, Route
from schemas.manners import units_of
from schemas.memory import Recollection
from schemas.ports import CommandMatcher, VehiclePort
from schemas.seat import Seat
from voice.dialogue import followup
from voice.dialogue.acts import planning
from voice.dialogue.acts.acting import Acting
from voice.dialogue.acts.work import Work
from voice.dialogue.coordinator import Plan
from voice.dialogue.doing import Doing
from voice.dialogue.filling import fill
from voice.dialogue.knowing import lately
from voice.dialogue.knowing import reading as knowing
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.open.table import Event
from voice.dialogue.open.things import Asked, Confirmation
from voice.dialogue.replies import responder
from voice.dialogue.replies.answers import found_nothing
from voice.dialogue.replies.at_once import at_once
from voice.dialogue.replies.talking import SmallTalk
from voice.dialogue.replies.units import MEASURED, asked_in
from voice.dialogue.understanding import Turn


class Foresight:
    """Foresees the replies of one dialogue."""

    def __init__(
        self,
        *,
        seat: Seat,
        vehicle: Sparing,
        matcher: CommandMatcher,
        acting: Acting,
        talk: Remembering,
        doing: Doing,
        small_talk: SmallTalk,
    ) -> None:
        """Over the parts of a dialogue."""
        self._seat, self._vehicle, self._matcher = seat, vehicle, matcher
        self._acting, self._talk, self._doing, self._small_talk = acting, talk, doing, small_talk

    async def of(self, turn: Turn) -> str | None:
        """The reply to an utterance, if that can be told; what asks why is not foreseen here.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        plan, heard = turn.plan, turn.heard
        if turn.event is Event.UNMEANT or (turn.event is Event.UNCLEAR and turn.open_ is not None):
            return None
        if plan.route is Route.CONTROL:
            return await _control(plan, turn.open_, self._vehicle, self._seat)
        if plan.route is Route.MEMORY and plan.command is not None:
            if plan.command.name in knowing.NAMES:
                return None
            return self._talk.foresee(plan.command, moving=await self._doing.moving())
        if planning.only_talk(plan):
            if self._talk.told_something and lately.asks(heard.text):
                return None
            return await self._small_talk.reply(heard.text, self._doing.last, plan.asks)
        if plan.acts:
            work = await self._acting.look(
                turn.acts, plan.asks, heard, turn.context, turn.recent, answers=turn.answers, left=plan.left
            )
            if len(turn.acts) == 1:
                await self._acting.fill(turn.acts[0], heard, work, ahead=True)
            return await _acts(plan, work, self._vehicle, self._seat)
        if turn.about_memory:
            return None
        reply = at_once(plan, heard, self._matcher)
        if reply is not None:
            return reply.text
        return await _reply(plan, heard.text, self._vehicle, self._seat)


async def _control(plan: Plan, open_: Asked | None, vehicle: VehiclePort, seat: Seat) -> str | None:
    """What a control word will be answered."""
    name = plan.command.name if plan.command is not None else ""
    if name == "yes" and isinstance(open_, Confirmation):
        return await _report(open_.actions, vehicle, seat, confirmed=True)
    if name == "no":
        return responder.CANCELLED if open_ is not None else responder.OKAY
    if name == "hello":
        return seat.manners.greeting(responder.SMALL_TALK[name])
    return responder.SMALL_TALK.get(name) if name != "joke" else None  # which one is told, the dialogue knows


async def _acts(plan: Plan, work: Work, vehicle: VehiclePort, seat: Seat) -> str | None:
    """What the acts of an utterance will be answered, as far as it hangs on nothing but the car."""
    if any(act.name in MEMORY for act in plan.acts):
        return None
    if work.needs is not None or (work.ask_first and not await stays(work.actions, vehicle)):
        return None if work.said or work.first else work.asked(seat.units)
    told = (
        await _report(work.actions, vehicle, seat, used=work.used, said=work.said, question=plan.said)
        if work.actions
        else " ".join(work.words)
    )
    return told or None


_OPENED = frozenset({Domain.OPENINGS, Domain.SEATS})
"""Domains of what a single yes to a guess does not move."""


async def stays(actions: Sequence[Action], vehicle: VehiclePort) -> bool:
    """Whether nothing would move if these were asked of the car: it refuses, asks first, finds nothing, or it is so already.

    What is not sure is not offered then: the driver would be asked twice, or would agree to what cannot be done. What opens the
    car, or moves a seat, is: for a guess at that a single yes is not enough.
    """
    for action in actions:
        result = await vehicle.foresee(action)
        asks = result is not None and result.status is ActionStatus.NEEDS_CONFIRMATION
        if result is None or action.domain is Domain.MEMORY or (asks and action.domain in _OPENED):
            return False
        lost = result.already or found_nothing(action.name, result.answer)
        if result.status is ActionStatus.DONE and not lost:
            return False
    return bool(actions)


async def _reply(plan: Plan, text: str, vehicle: Sparing, seat: Seat) -> str | None:
    """What a complete command will be answered, if all is done as it should be; ``text``: the words, by which memory fills it."""
    units = seat.units
    if plan.meant:
        return None if isinstance(plan.meant[0], ListPlaces) else await _report(plan.meant, vehicle, seat)
    if plan.route is not Route.FAST or plan.command is None:
        return None
    action, used = units.as_meant(parse_action(plan.command.name, plan.command.slots)), ()
    if question := followup.lacks_time(action):
        return question
    if plan.open:
        filled = await asyncio.to_thread(
            partial(fill, ahead=True), seat.memory, text, action.name, action.slots(), await vehicle.circumstances()
        )
        action, used = filled.action or action, filled.used
    return await _report((action,), vehicle, seat, used=used, question=plan.said)


async def _report(
    actions: Sequence[Action], vehicle: VehiclePort, seat: Seat, *,
    confirmed: bool = False, used: Sequence[Recollection] = (), said: Sequence[tuple[int, str]] = (),
    question: str = "",
) -> str | None:  # fmt: skip
    if any(action.domain is Domain.MEMORY for action in actions):
        return None
    results: list[ActionResult] = []
    for action in actions:
        result = await vehicle.foresee(action, confirmed=confirmed)
        if result is None:
            return None
        results.append(result)
    manners, units = seat.manners, seat.units
    if any(action.name in MEASURED for action in actions):
        units = manners.units(units_of(await vehicle.state()))
    done = any(result.status is ActionStatus.DONE for result in results)
    units = asked_in(units, question, actions)
    return responder.report(results, used if done else (), units, said, manners.length)
