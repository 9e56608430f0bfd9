"""Carrying actions out, and what is kept of it: what "it" means, what was done and said last, why something was refused.

Everything that moves goes through the gate here. What a result leaves open (a yes, which contact) is handed to whoever asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from schemas.actions import BY_NAME, Action, Domain, ForgetPreference, ListPlaces, SetReminder, Undo, parse_action
from schemas.actions.acts import MEMORY, Act
from schemas.errors import ConfirmationError, VehicleError
from schemas.events import ActionResult, ActionStatus, CommandKind, Reply, Route
from schemas.manners import units_of
from schemas.memory import Recollection
from schemas.ports import MemoryPort, VehiclePort
from schemas.seat import Seat
from voice.dialogue.acts import planning
from voice.dialogue.coordinator import Plan
from voice.dialogue.filling import fitting
from voice.dialogue.knowing import named
from voice.dialogue.knowing.named import Person
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.open.things import Asked, Choice, Confirmation
from voice.dialogue.recent import JOKE, MOST_DEEDS, Deed, RecentActions, deed_of
from voice.dialogue.replies import responder
from voice.dialogue.replies.answers import found_nothing
from voice.dialogue.replies.moments import spoken_moment
from voice.dialogue.replies.units import MEASURED, asked_in

_ON_THE_WAY = frozenset({"add_stop", "find_on_route"})
NO_STOP = "So I'm not adding the stop either."
STAYS = "What I did before stays as it is."


class Doing:
    """One driver's actions."""

    def __init__(
        self,
        seat: Seat,
        vehicle: VehiclePort,
        talk: Remembering,
        clock: Callable[[], datetime],
        ask: Callable[[Asked], None],
    ) -> None:
        """Nothing done yet; ``ask`` is told what a result leaves open."""
        self._seat, self._vehicle, self._talk, self._clock, self._ask = seat, vehicle, talk, clock, ask
        self.forget()

    def forget(self) -> None:
        """Somebody else drives: nothing of what was done or said is left."""
        self.recent = RecentActions()
        self.last: dict[str, str] = {}
        """What was done and said last, by ``get_last``'s parts, and as ``undone`` why a wish was not; nothing of a private trip."""
        self.last_reply = ""
        """What was replied last, without the question at its end."""
        self.why = ""
        """Why the last wish was refused; empty where it was not."""
        self.deeds: list[Deed] = []
        """What was done, with the words that asked for it; nothing of a private trip."""
        self.turns: list[str] = []
        """What each turn that did something did, the last at the end; nothing of a private trip."""
        self._begun = False
        """A part of what the last of them was to do waits for a yes."""

    def unsay(self, forgotten: bool) -> None:
        """What memory holds is another; where something was forgotten, what was said last is not said again."""
        if not forgotten:
            return
        for part in ("said", "undone"):
            self.last.pop(part, None)
        self.deeds.clear()
        self.recent = replace(self.recent, people=())
        self.turns.clear()
        self.last_reply = ""

    # Doing -------------------------------------------------------------------------------------------------------------

    async def act(
        self,
        actions: Sequence[Action],
        plan: Plan,
        filled: Sequence[Recollection] = (),
        said: Sequence[tuple[int, str]] = (),
    ) -> Reply:
        """Carry out actions, or ask memory what they ask for.

        Args:
            actions: in their order.
            plan: the utterance's.
            filled: what memory gave to them.
            said: what is said beside them, each with the number of actions before it.

        Raises:
            schemas.errors.GloveboxError: memory or the vehicle failed.
        """
        started = time.perf_counter()
        wishes = [action for action in actions if action.domain is Domain.MEMORY]
        if wishes:
            text = " ".join(filter(None, [await self._of_memory(action) for action in wishes]))
            return Reply(text=text, route=plan.route, reason=plan.reason)
        if [action.name for action in actions] == [Undo.name] and self.recent.vain and self.recent.fresh(self._clock()):
            return self._put_back(actions, plan)
        results = await self._one_by_one(actions)
        done = any(result.status is ActionStatus.DONE for result in results)
        used = tuple(filled) if done else ()
        evidence = used or evident(self._seat.memory, results)
        if evidence:
            self._seat.memory.used(evidence, actions[0].name)
        self._talk.acted(used, [result.action for result in results if result.status is ActionStatus.DONE])
        said = (*said, *_left_out(actions, results))
        return await self._told(results, plan, plan.reason, started, used, said=said)

    def _put_back(self, actions: Sequence[Action], plan: Plan) -> Reply:
        """What came last was refused, or came to nothing: what was done before that is put back only if that is meant."""
        done = self.recent.done
        if done is not None:
            self._ask(Confirmation(responder.put_back(type(done)), responder.TO_UNDO, tuple(actions)))
        return Reply(text="" if done is not None else responder.CHANGED_NOTHING, route=plan.route, reason=plan.reason)

    async def _one_by_one(self, actions: Sequence[Action]) -> list[ActionResult]:
        """The results of actions, done in their order.

        A stop on the way to a place that nobody knows is left out: it would become the destination. So is taking back what was done
        before, where that needs a yes.
        """
        results = list[ActionResult]()
        lost = False
        for action in actions:
            if lost and action.name in _ON_THE_WAY:
                continue
            result = await self._vehicle.act(action)
            if isinstance(action, Undo) and len(actions) > 1 and result.token is not None:
                self._vehicle.withdraw(result.token)  # taken back after what is done in its place, it would undo that
                continue
            results.append(result)
            lost = lost or (action.name == "navigate_to" and found_nothing(action.name, results[-1].answer))
        return results

    async def confirm(self, agreed: Confirmation, plan: Plan) -> Reply:
        """Carry out what waited for a yes; the gate judges it once more.

        Raises:
            schemas.errors.GloveboxError: the vehicle failed.
        """
        started, late = time.perf_counter(), ""
        results = [] if agreed.tokens else await self._one_by_one(agreed.actions)
        for token in agreed.tokens:
            try:
                results.append(await self._vehicle.confirm(token))
            except ConfirmationError as error:
                late = error.spoken
        said = () if agreed.tokens else _left_out(agreed.actions, results)
        reply = await self._told(results, plan, f"{plan.reason}: confirmed", started, said=said)
        return reply.model_copy(update={"text": " ".join(filter(None, (reply.text, late)))})

    async def another(self, wanted: ListPlaces, plan: Plan) -> Reply:
        """Go to the next place of those that were found.

        Raises:
            schemas.errors.GloveboxError: the vehicle failed.
        """
        told = (await self._vehicle.act(wanted)).answer
        names = [str(place["name"]) for place in told.get("places") or ()]
        left = next((name for name in names if name not in self.recent.visited), None)
        if left is None:
            return Reply(text="There is no other one nearby.", route=plan.route, reason=plan.reason)
        found = self.recent.actions
        reply = await self.act((parse_action("navigate_to", {"destination": left}),), plan)
        self.recent = replace(self.recent, actions=found)
        return reply

    async def halt(self, plan: Plan) -> Reply | None:
        """Stop what was set in motion and is still on its way, whatever was said since; None where nothing is.

        Raises:
            schemas.errors.GloveboxError: the vehicle failed.
        """
        if "stop_moving" not in self._vehicle.offers():
            return None
        result = await self._vehicle.act(parse_action("stop_moving", {}))
        if result.status is not ActionStatus.DONE or not result.answer.get("stopped"):
            return None
        return Reply(text=responder.report([result]), route=plan.route, reason=plan.reason, results=(result,))

    async def moving(self) -> bool:
        """Whether the car moves; yes where it cannot be told."""
        try:
            state = await self._vehicle.state()
        except VehicleError:
            return True
        return state.speed_kmh is None or state.speed_kmh > 0

    async def _of_memory(self, action: Action) -> str:
        """What the driver asks in free words about what is remembered, or wants to have forgotten."""
        about: str | None = action.slots().get("about")
        if isinstance(action, ForgetPreference):
            return self._talk.forget_named(action.about, None)
        if about is None:
            return self._talk.what(None, moving=await self.moving())
        return self._talk.about(about, moving=await self.moving())

    async def _told(
        self, results: Sequence[ActionResult], plan: Plan, reason: str, started: float,
        used: Sequence[Recollection] = (), *, said: Sequence[tuple[int, str]] = (),
    ) -> Reply:  # fmt: skip
        """The reply to results, without the question; what they leave open is asked."""
        if any(result.action.name in MEASURED for result in results):
            with suppress(VehicleError):
                self._seat.units = units_of(await self._vehicle.state())
        self.recent = self.recent.after(results, self._clock())
        self._leave_open(results)
        took = {"act": (time.perf_counter() - started) * 1000.0}
        said = (*said, *self._unkept(results))
        units = asked_in(self._seat.units, plan.said, (result.action for result in results))
        text = responder.told(results, used, units, said, self._seat.manners.length)
        return Reply(
            text=text, route=plan.route, reason=reason, results=tuple(results), recalled=tuple(used), timings=took
        )

    def _unkept(self, results: Sequence[ActionResult]) -> tuple[tuple[int, str], ...]:
        """What is said behind a reminder that is not written down: a private trip, a guest, a pause."""
        if self._seat.memory.consent().silent(self._clock()) is None:
            return ()
        return tuple(
            (number, responder.LOST)
            for number, result in enumerate(results, start=1)
            if isinstance(result.action, SetReminder) and result.status is ActionStatus.DONE
        )

    def _leave_open(self, results: Sequence[ActionResult]) -> None:
        waiting = self.waiting(results)
        if waiting is not None:
            self._ask(waiting)
        for result in results:
            if among := responder.contacts(result):
                wish = Act(result.action.name, {k: v for k, v in result.action.slots().items() if k != "person"})
                self._ask(
                    Choice(result.ruling.reason, "Because there are several of that name.", among, wish, "person")
                )

    def waiting(self, results: Sequence[ActionResult]) -> Confirmation | None:
        """What of these waits at the gate for a yes."""
        held = [result for result in results if result.token is not None]
        if not held:
            return None
        actions, tokens = tuple(result.action for result in held), tuple(r.token for r in held if r.token is not None)
        return Confirmation(
            responder.questions(actions, self._seat.units), responder.why(held[0].ruling), actions, tokens
        )

    # What is kept --------------------------------------------------------------------------------------------------------

    def undoable(self) -> bool:
        """Whether something was done just now that can be called off."""
        return self.recent.undoable and self.recent.fresh(self._clock())

    def why_did(self, act: Act | None, words: str) -> str:
        """Why a thing was done that the driver asks about, or that nothing like it was; empty where no thing is named.

        Args:
            act: what they speak of; None where that is not sure.
            words: in which, in their spoken form.
        """
        deed = deed_of(act, words, self.deeds)
        if deed is None:
            return responder.NOTHING_LIKE_IT if act is not None else ""
        if deed.remembered and deed is self.deeds[-1]:
            return self._talk.why(deed.said)
        when = spoken_moment(deed.at, self._clock(), self._seat.zone)
        return responder.because_said(deed.said, when, deed.asked)

    def keep(self, plan: Plan, text: str, reply: Reply, agreed: str = "") -> None:
        """Keep what was said and what came of it.

        Asking for it changes nothing of it. Of talk about memory only what was stored is kept, and of a private trip nothing.

        Args:
            plan: the utterance's.
            text: the utterance; empty for talk about memory.
            reply: without its question.
            agreed: the question that it says yes to; empty where it says yes to none.
        """
        command = plan.command.name if plan.command is not None else ""
        told = self._telling(plan) if command == "get_last" else self.recent.told if command == "repeat" else 0
        self.recent = replace(
            self.recent, since=not reply.results and (self.recent.since or plan.route is not Route.CONTROL), told=told
        )
        talked = _talked(plan)
        if reply.results or talked:
            self.recent = replace(self.recent, talked=() if reply.results else talked, talked_at=self._clock())
        self.recent = self.recent.naming(_named(plan, text, reply), self._clock())
        denied = next((r.ruling for r in reply.results if r.status is ActionStatus.DENIED), None)
        topic = next((str(act.slots.get("topic", "other")) for act in plan.acts if act.name == "cannot"), None)
        topic = "other" if plan.lacks else topic
        self.why = (
            responder.why(denied) if denied is not None else responder.why_not(topic) if topic is not None else ""
        )
        if not self.why and reply.results and all(result.already for result in reply.results):
            self.why = responder.SO_ALREADY
        if self._seat.memory.consent().private_trip:
            self.last, self.deeds, self.turns = {}, [], []
            self.recent = replace(self.recent, talked=())
            return
        if text:
            did = (r.action for r in reply.results if _changed(r))
            new = [Deed(action, text, self._clock(), agreed, bool(reply.recalled)) for action in did]
            self.deeds = [*self.deeds, *new][-MOST_DEEDS:]
        if command != "get_last":
            done = {part: told for part, told in self.last.items() if part == "done"}
            self.last = {**done, "said": text} if text else done
            done = [r for r in reply.results if _changed(r)]
            undone = [r for r in reply.results if not r.action.query and _failed(r)]
            if undone:
                self.last["undone"] = responder.report(undone, (), self._seat.units)
            if done:
                self._add(responder.together(responder.report(done, (), self._seat.units), len(done)), agreed)
                self._begun = any(r.status is ActionStatus.NEEDS_CONFIRMATION for r in reply.results)
            elif reply.decision is not None:
                self.last["done"] = responder.as_done(reply.text)

    def _add(self, done: str, agreed: str) -> None:
        """A turn has done this; what was agreed to belongs to the turn that asked for it."""
        goes_on = bool(agreed and self._begun and self.turns)
        self.turns = [*self.turns[:-1], f"{self.turns[-1]} {done}"] if goes_on else [*self.turns, done]
        self.turns = self.turns[-MOST_DEEDS:]
        self.last["done"] = self.turns[-1]

    def _telling(self, plan: Plan) -> int:
        """Which turn that did something a question for it asks for, counted back from the last one."""
        part = plan.command.slots.get("part", "done") if plan.command is not None else ""
        return self.recent.told + (self.recent.told == 0) + 1 if part == planning.BEFORE else int(part == "done")

    def told_last(self, plan: Plan) -> str:
        """The answer to what was done, or said, last, or before that."""
        part = str(plan.command.slots.get("part", "done")) if plan.command is not None else "done"
        if part != planning.BEFORE:
            return responder.last(part, self.last)
        number = self._telling(plan)
        return responder.before(self.turns[-number] if number <= len(self.turns) else "")


def evident(memory: MemoryPort, results: Sequence[ActionResult]) -> tuple[Recollection, ...]:
    """The preferences that the driver's own words named in what was done: they count as used, though nothing had to be recalled."""
    if len(results) != 1 or results[0].status is not ActionStatus.DONE or results[0].action.query:
        return ()
    action, slots = results[0].action, results[0].action.slots()
    found = list[Recollection]()
    for detail, slot in action.details.items():
        if slot not in slots or not action.takes(detail):
            continue
        named = (p for p in memory.preferences(detail) if fitting(action.name, slot, p.value) == slots[slot])
        found += [Recollection(preference=p, score=1.0) for p in named if p.sense.wanted]
    return tuple(found)


def _talked(plan: Plan) -> tuple[Act, ...]:
    """What memory is told or asked, or the joke that is told."""
    if plan.command is not None and plan.command.name == "get_preferences":
        return (Act("recall", plan.command.slots),)
    if plan.command is not None and plan.command.name == JOKE.name:
        return (JOKE,)
    if plan.command is not None and plan.command.kind is CommandKind.MEMORY:
        return (Act("forget" if plan.command.name.startswith("forget") else "recall", {}),)
    return tuple(act for act in plan.acts if act.name in MEMORY)


def _named(plan: Plan, text: str, reply: Reply) -> tuple[Person, ...]:
    """Who was named in an utterance, or in what memory replied to it.

    Words that order something of the car name artists, places and stations; whom they call or write to, their slots tell.
    """
    found = [str(r.answer["name"]) for r in reply.results if "person" in r.action.slots() and r.answer.get("name")]
    if found:
        return tuple(map(Person, found))
    slots = [act.slots for act in plan.acts] + ([plan.command.slots] if plan.command is not None else [])
    slots += [result.action.slots() for result in reply.results if result.status is ActionStatus.DONE]
    asked = [str(one["person"]) for one in slots if one.get("person")]
    people = [Person(name) for one in asked if not named.referred(one, text)[0] for name in named.names(one)]
    if all(name in _OF_PEOPLE or name not in BY_NAME for name in _asked(plan, reply)):
        people += named.named(text)
    if plan.route is Route.MEMORY or any(act.name in ("recall", "talked") for act in plan.acts):
        people += named.named(reply.text)
    return tuple(people)


_OF_PEOPLE = frozenset({"call_contact", "get_contact", "send_email", "set_reminder", "get_calendar"})
"""Actions whose words may name people, all of them."""


def _asked(plan: Plan, reply: Reply) -> set[str]:
    """Names of what an utterance asked for."""
    own = {plan.command.name} if plan.command is not None else set[str]()
    return own | {act.name for act in plan.acts} | {result.action.name for result in reply.results}


def _failed(result: ActionResult) -> bool:
    """Whether a wish came to nothing: it was refused, the car failed, or there is no such place."""
    lost = result.status is ActionStatus.DONE and found_nothing(result.action.name, result.answer)
    return lost or result.status in (ActionStatus.DENIED, ActionStatus.FAULT)


def _changed(result: ActionResult) -> bool:
    """Whether something was done that was not so before."""
    plain = result.status is ActionStatus.DONE and not (result.action.query or result.already)
    return plain and not _failed(result)


def _left_out(actions: Sequence[Action], results: Sequence[ActionResult]) -> tuple[tuple[int, str], ...]:
    """What is said to actions that were not tried, behind the results."""
    if len(results) == len(actions):
        return ()
    return ((len(results), STAYS if isinstance(actions[0], Undo) else NO_STOP),)
