"""The commands of the table performed: an answer is taken, an utterance is dealt with as what it is, words alone are said.

Owns what a turn comes to once it is understood. The talk about memory is ``voice.dialogue.memory.remembering``'s, what acts come to
``voice.dialogue.acts.acting``'s, carrying out ``voice.dialogue.doing``'s. What the reply ends with is the dialogue's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import cycle

from models.text import spoken
from schemas.actions import Action, ListPlaces, parse_action
from schemas.events import Reply, Route
from schemas.ports import CommandMatcher, Drivers
from schemas.seat import Seat
from voice.dialogue import followup
from voice.dialogue.acts import planning
from voice.dialogue.acts.acting import Acting
from voice.dialogue.acts.sentence import context
from voice.dialogue.acts.sentence.parsing import Parsing
from voice.dialogue.doing import Doing
from voice.dialogue.filling import fill
from voice.dialogue.foresight import stays
from voice.dialogue.forgetting.asking import LEFT
from voice.dialogue.knowing import lately, saying
from voice.dialogue.knowing import reading as knowing
from voice.dialogue.knowing.talk import Knowing
from voice.dialogue.memory import talks, wishes
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.memory.remembering import Remembering as Talk
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.open.pending import Pending
from voice.dialogue.open.table import Do, Event
from voice.dialogue.open.things import Asked, Choice, Confirmation, Forgetting, Introducing, Missing, Offer, Remembering
from voice.dialogue.replies import responder
from voice.dialogue.replies.at_once import at_once
from voice.dialogue.replies.talking import SmallTalk
from voice.dialogue.understanding import Turn


class Performing:
    """Performs what the table of one dialogue commands."""

    def __init__(  # noqa: PLR0913 - a turn may concern any part of the dialogue
        self,
        *,
        seat: Seat,
        vehicle: Sparing,
        matcher: CommandMatcher,
        clock: Callable[[], datetime],
        pending: Pending,
        doing: Doing,
        acting: Acting,
        parsing: Parsing,
        talk: Talk,
        by_the_way: ByTheWay,
        knowing: Knowing,
        small_talk: SmallTalk,
        drivers: Drivers | None,
        conversation: Callable[[], str],
    ) -> None:
        """Over the parts of a dialogue; ``conversation`` is the id of the one that runs."""
        self._seat, self._vehicle, self._matcher, self._clock = seat, vehicle, matcher, clock
        self._pending, self._doing, self._acting, self._parsing = pending, doing, acting, parsing
        self._talk, self._by_the_way, self._knowing, self._small_talk = talk, by_the_way, knowing, small_talk
        self._drivers, self._conversation = drivers, conversation
        self._jokes = cycle(responder.JOKES)

    async def perform(self, do: Do, turn: Turn, reply: Reply) -> Reply:  # noqa: PLR0911 - one for each kind of command
        """Perform one command; the reply so far with what comes of it."""
        open_ = turn.open_
        match do, open_:
            case Do.CARRY_OUT, Confirmation():
                return await self._carried_out(open_, turn)
            case Do.COMPLETE, _:
                return await self.handled(turn)
            case Do.HANDLE, _:
                return await self.handled(turn)
            case Do.FORGET, Forgetting():
                text = self._talk.settle(open_.asked, turn.heard.text, turn.plan.command)
                return Reply(text=text, route=Route.MEMORY, reason="answer to a question about memory")
            case ((Do.AGREE | Do.DECLINE), Remembering()):
                settled = self._by_the_way.settle(open_.of, do is Do.AGREE)
                self._talk.mention(settled.decision and (settled.decision.preference or settled.decision.fact))
                return settled
            case ((Do.AGREE | Do.DECLINE), Offer()):
                return await self._answered(open_, turn, yes=do is Do.AGREE)
            case Do.TAKE_IN, Introducing():
                found = {} if turn.event is Event.NO else knowing.answered(open_.about, turn.heard.text, turn.plan)
                return turn.reply(self._knowing.took(open_, found))
            case Do.WITHDRAW, _:
                self._pending.withdraw()
            case Do.OFFER_UNDO, _:
                return self._offered(turn)
            case Do.HALT, _:
                halted = await self._doing.halt(turn.plan) if "thank" not in turn.heard.text.lower() else None
                return halted or turn.reply(_politely(turn, responder.OKAY), ends=True)
            case Do.CLOSE, _:
                return reply.model_copy(update={"ends_conversation": True})
            case Do.ASK, _:
                self._pending.asks = True
            case _:
                return reply.model_copy(update={"text": self._said(do, turn)})
        return reply

    def _said(self, do: Do, turn: Turn) -> str:
        """What needs words alone."""
        match do:
            case Do.SAY_LEFT if isinstance(turn.open_, Introducing):
                return saying.LEFT
            case Do.SAY_LEFT if isinstance(turn.open_, Forgetting):
                return LEFT[turn.open_.asked.asked]
            case Do.SAY_LEFT:
                return _politely(turn, responder.CANCELLED)
            case Do.SAY_OKAY:
                return _politely(turn, responder.OKAY)
            case Do.EXPLAIN:
                return self.why(turn.open_, turn.heard.text)
            case Do.REPEAT:
                return self._doing.last_reply.strip() or ("" if turn.open_ is not None else responder.NOTHING_PENDING)
            case Do.TALK:
                name = turn.plan.command.name if turn.plan.command is not None else ""
                if name == "joke":
                    return next(self._jokes)
                told = self._doing.told_last(turn.plan) if name == "get_last" else responder.HELP
                said = responder.SMALL_TALK.get(name, told)
                return self._seat.manners.greeting(said) if name == "hello" else said
            case _:
                return _SAID.get(do, "")

    def why(self, open_: Asked | None, text: str) -> str:
        """Why something was done, where it is named; else why what is open is asked, or what was wished last came to nothing."""
        deed = planning.deed_asked(spoken(text))
        done = self._doing.why_did(self._parsing.done_by(deed), deed) if deed else ""
        if done:
            return done
        return open_.why if open_ is not None else self._doing.why or self._talk.why(self._doing.last.get("said", ""))

    async def _answered(self, offer: Offer, turn: Turn, *, yes: bool) -> Reply:
        """Deal with the answer to what nobody had asked for; what it asks of the car goes through the gate as any wish."""
        said = turn.reply(self._knowing.answered(offer, yes=yes))
        return await self._doing.act((offer.action,), turn.plan) if yes and offer.action is not None else said

    async def _carried_out(self, agreed: Confirmation, turn: Turn) -> Reply:
        """What waited for a yes, then what was said beside the yes."""
        reply = await self._doing.confirm(agreed, turn.plan)
        if len(turn.plan.acts) < 2:
            return reply
        more = await self._by_acts(turn)
        text = " ".join(filter(None, (reply.text, more.text)))
        return more.model_copy(update={"text": text, "results": (*reply.results, *more.results)})

    def _not_sure(self, actions: tuple[Action, ...]) -> Confirmation:
        """Actions that may not be what was meant."""
        return Confirmation(responder.questions(actions, self._seat.units), responder.NOT_SURE, actions)

    def _offered(self, turn: Turn) -> Reply:
        """Offer to undo what was done last, if that can be."""
        if not self._doing.undoable():
            return turn.reply(responder.nothing_to_call_off(spoken(turn.heard.text)))
        undo = parse_action("undo", {})
        self._pending.ask(Confirmation(responder.question(undo), responder.TO_UNDO, (undo,)))
        return turn.reply()

    async def handled(self, turn: Turn) -> Reply:
        """Deal with an utterance as what it is."""
        plan = turn.plan
        if turn.about_memory:
            return await self._of_memory(turn)
        if planning.only_talk(plan):
            if lately.asks(turn.heard.text) and (
                told := await asyncio.to_thread(self._talk.just_told, turn.heard.text)
            ):
                return turn.reply(told)
            self._talk.chatted(turn.heard.text)
            return turn.reply(await self._small_talk.reply(turn.heard.text, self._doing.last, plan.asks))
        if plan.acts:
            return await self._by_acts(turn)
        reply = at_once(plan, turn.heard, self._matcher)
        if reply is not None:
            return reply
        if plan.meant:
            listed = plan.meant[0]
            if plan.command is not None and plan.command.name == "follow_track" and isinstance(listed, ListPlaces):
                return await self._doing.another(listed, plan)
            unsure = isinstance(turn.open_, Confirmation) and not turn.open_.tokens
            if (
                unsure and plan.command is not None and followup.depends(plan.command)
            ):  # nobody has agreed to the rest of it
                self._pending.ask(self._not_sure(plan.meant))
                return turn.reply()
            return await self._doing.act(plan.meant, plan)
        return await self._ordered(turn)

    async def _ordered(self, turn: Turn) -> Reply:
        """Carry out a complete command; what it leaves open is asked for, or filled from memory."""
        plan = turn.plan
        if plan.command is None:
            return turn.reply(responder.NOT_UNDERSTOOD)
        if plan.command.name == "get_contact" and (told := await self._told_of(turn)):
            return turn.reply(told)
        action = self._seat.units.as_meant(parse_action(plan.command.name, plan.command.slots))
        if question := followup.lacks_time(action):
            self._pending.ask(Missing(question, context.act_of(action)))
            return turn.reply()
        if not plan.open:
            return await self._doing.act((action,), plan)
        memory = self._seat.memory
        seen = await self._vehicle.circumstances()
        filled = await asyncio.to_thread(fill, memory, turn.heard.text, action.name, action.slots(), seen)
        if filled.action is None or self._seat.memory is not memory:  # another driver may have taken over meanwhile
            return await self._doing.act((action,), plan)
        return await self._doing.act((filled.action,), plan, filled.used)

    async def _told_of(self, turn: Turn) -> str:
        """What memory answers to a question that the car's contacts would answer else; empty for nothing."""
        moving = await self._doing.moving()
        return await asyncio.to_thread(self._talk.answered, turn.heard.text, moving=moving, unasked=True)

    async def _of_memory(self, turn: Turn) -> Reply:
        """The reply to talk about memory."""
        plan, text, moving = turn.plan, turn.heard.text, await self._doing.moving()
        if plan.route is Route.MEMORY and plan.command is not None:
            if plan.command.name in knowing.NAMES:
                return turn.reply(self._knowing.handle(plan.command))
            if plan.command.name == "remember_more" and self._knowing.told:
                return turn.reply(self._knowing.more())
            return turn.reply(self._talk.handle(plan.command, self._conversation(), moving=moving))
        if plan.acts:
            return await self._by_acts(turn)
        name = None if self._drivers is None else wishes.named(text, self._drivers.names)
        if name is not None:
            said = self._talk.switch(name)
            return Reply(text=said, route=Route.MEMORY, reason="a configured driver gave their name")
        if talks.asks(text):
            said = talks.talked(self._seat, text, self._clock(), moving=moving)
            return Reply(text=said, route=Route.MEMORY, reason="asked what was talked about")
        said, decision = self._talk.remember(wishes.told(text) or "", (await self._vehicle.circumstances()).values)
        return Reply(text=said, route=Route.MEMORY, reason="asked to remember", decision=decision)

    async def _by_acts(self, turn: Turn) -> Reply:
        """Carry out all acts in their order, or say what becomes of each."""
        plan = replace(turn.plan, acts=turn.acts)
        work = await self._acting.work(
            plan,
            turn.heard,
            turn.context,
            turn.recent,
            conversation=self._conversation(),
            moving=await self._doing.moving(),
            answers=turn.answers,
        )
        reply = turn.reply(ends=work.ends)
        words = list(work.words)
        if work.actions and work.ask_first and not await stays(work.actions, self._vehicle):
            if work.first:
                reply = await self._doing.act(work.first, plan)
            self._pending.ask(self._not_sure(work.actions))
            reply = reply.model_copy(update={"reason": f"{plan.reason}; {work.why or 'not sure'}"})
        elif work.actions:
            reply = await self._doing.act(work.actions, plan, work.used, work.said)
            words = []
        if work.needs is not None and work.among:
            self._pending.ask(Choice(work.question, responder.SEVERAL_NAMED, work.among, work.needs, work.slot))
        elif work.needs is not None:
            self._pending.ask(Missing(work.question, work.needs))
        text = " ".join(filter(None, (reply.text, *words)))
        empty = "" if self._pending.asks or self._talk.asking else responder.NOT_UNDERSTOOD
        return reply.model_copy(update={"text": text or empty, "decision": work.decision})


_SAID = {
    Do.SAY_NOTHING_WAITS: responder.NOTHING_PENDING,
    Do.SAY_UNCLEAR: responder.NOT_UNDERSTOOD,
    Do.SAY_DROPPED: responder.DROPPED,
}


def _politely(turn: Turn, text: str) -> str:
    return responder.WELCOME if "thank" in turn.heard.text.lower() else text
