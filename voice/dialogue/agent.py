"""One driver's dialogue: an utterance in, a reply out.

Owns the order of it: what the words mean (``voice.dialogue.understanding``), which commands the table of the dialogue answers that
with (``voice.dialogue.open``), and the one question at the end. The talk about memory is ``voice.dialogue.memory.remembering``'s,
what is no complete command ``voice.dialogue.acts``'s, carrying out ``voice.dialogue.doing``'s. Everything else is asked from the
ports. Knows no sound.

Long because the whole way of an utterance stands in it, and once more ahead of its end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import cycle
from uuid import uuid4

from models.text import plain, spoken
from schemas.actions import Action, ListPlaces, parse_action
from schemas.events import ActionStatus, Asking, Reply, Route, Transcript
from schemas.memory import Turn as Noted
from schemas.ports import ActParser, CommandMatcher, Drivers, Encoder, Talker, VehiclePort
from schemas.seat import Seat
from voice.dialogue import amending, followup, foresight, ours
from voice.dialogue.acts import context, planning, resolving
from voice.dialogue.acts.acting import Acting
from voice.dialogue.coordinator import Coordinator, DialogueSettings
from voice.dialogue.doing import Doing
from voice.dialogue.filling import fill
from voice.dialogue.forgetting import erasing
from voice.dialogue.forgetting.asking import LEFT
from voice.dialogue.forgetting.forgetting import NOTHING_TO_FORGET
from voice.dialogue.knowing import lately, saying
from voice.dialogue.knowing import reading as knowing
from voice.dialogue.knowing.talk import Knowing
from voice.dialogue.memory import talks, wishes
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.memory.remembering import Remembering as Talk
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.open import tapping, which
from voice.dialogue.open.table import Do, Event, OpenTable
from voice.dialogue.open.things import Asked, Choice, Confirmation, Forgetting, Introducing, Missing, Offer, Remembering
from voice.dialogue.replies import examples, responder
from voice.dialogue.replies.talking import SmallTalk
from voice.dialogue.understanding import ERRANDS, Turn, Understanding

MOST_CHARACTERS = 1000
"""Of an utterance: half a minute of quick speech has five hundred."""


class Dialogue:
    """The dialogue of one driver: understands, asks, carries out and replies."""

    def __init__(  # noqa: PLR0913 - the dialogue takes all parts, by keyword
        self,
        *,
        seat: Seat,
        vehicle: VehiclePort,
        matcher: CommandMatcher,
        parser: ActParser,
        clock: Callable[[], datetime],
        settings: DialogueSettings | None = None,
        new_id: Callable[[], str] = lambda: uuid4().hex,
        drivers: Drivers | None = None,
        talker: Talker | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        """A dialogue for one trip.

        Args:
            seat: who drives, and in which units they are spoken to.
            vehicle: behind its gate.
            matcher: understands complete commands.
            parser: understands what is none.
            clock: aware current time, for what is noted in memory.
            settings: what can be set.
            new_id: makes ids of conversations.
            drivers: who else may be driving; None: nobody.
            talker: answers small talk; None: a sentence of ours does.
            encoder: tells which of its replies fit, and what is to be forgotten; without it no reply is said and words alone tell.
        """
        settings = settings or DialogueSettings()
        spares = Sparing(vehicle, seat, clock)
        self.seat, self._vehicle, self._matcher, self._clock = seat, spares, matcher, clock
        self._coordinator = Coordinator(matcher, vehicle.offers(), settings.coordinator)
        self._new_id, self._drivers = new_id, drivers
        self._conversation: str | None = None
        self._open = OpenTable[Asked]()
        self._by_the_way = ByTheWay(seat, clock, settings.questions, self._coordinator.is_order)
        self._talk = Talk(seat, clock, drivers=drivers, questions=self._by_the_way, encoder=encoder)
        self._doing = Doing(seat, spares, self._talk, clock, self._ask)
        self._knowing = Knowing(seat, spares, clock, introduces=settings.introduces)
        self._small_talk = SmallTalk(talker, seat, spares, encoder)
        self._acting = Acting(
            parser=parser,
            seat=seat,
            vehicle=spares,
            talk=self._talk,
            knowing=self._knowing,
            matcher=matcher,
            clock=clock,
            drivers=drivers,
        )
        self._understanding = Understanding(
            seat=seat,
            vehicle=spares,
            matcher=matcher,
            clock=clock,
            coordinator=self._coordinator,
            acting=self._acting,
            drivers=drivers,
            encoder=encoder,
        )
        self._last_reply = ""
        """Without its question."""
        self._jokes = cycle(responder.JOKES)
        self._asks = False
        """The reply is to end with the question that is open."""
        self._shown: Asked | None = None
        self._asked = 0
        """What was shown last as open, and its number."""
        self._beside = False
        """What is replied to was asked for beside forgetting, which is going to ask: nothing else may."""
        self._apologised = False
        """Said since the wake word that something was not understood, where nothing was open: once is enough."""
        seat.follow(self._begin)
        seat.observe(self._unsay)

    def _unsay(self, forgotten: bool) -> None:
        """What memory holds is another; where something was forgotten, what was said last is not said again."""
        if not forgotten:
            return
        for part in ("said", "undone"):
            self._doing.last.pop(part, None)
        self._doing.deeds.clear()
        self._doing.recent = replace(self._doing.recent, people=())
        self._doing.turns.clear()
        self._last_reply = ""

    @property
    def conversation(self) -> str:
        """Id of the running conversation; begins one where none runs."""
        if self._conversation is None:
            self._conversation = self._new_id()
        return self._conversation

    @property
    def era(self) -> int:
        """Of the seat: see ``schemas.seat.Seat.era``."""
        return self.seat.era

    @property
    def open(self) -> Asked | None:
        """What waits for an answer."""
        return self._open.thing

    @property
    def asking(self) -> Asking | None:
        """The same as it is shown, numbered anew with each question."""
        thing = self._open.thing
        if thing is not self._shown:
            self._shown, self._asked = thing, self._asked + 1
        return None if thing is None else tapping.shown(thing, self._asked)

    def _begin(self) -> None:
        """Somebody else drives: nothing waits, and nothing of what was said before is left for them to hear."""
        self.drop_pending()
        self._conversation, self._last_reply = None, ""
        self._doing.forget()

    def end_conversation(self) -> None:
        """The follow-up window has closed: drop what is open and what "that" meant."""
        self.drop_pending()
        self._conversation = None
        self._talk.ended()
        self._knowing.ended()

    def drop_pending(self) -> None:
        """Withdraw what is open. What memory has asked by the way stays open in memory."""
        if Do.WITHDRAW in self._open.feed(Event.GONE, self._clock()):
            self._withdraw()

    def _withdraw(self) -> None:
        for thing in self._open.left:
            for token in thing.tokens if isinstance(thing, Confirmation) else ():
                self._vehicle.withdraw(token)

    def _ask(self, thing: Asked) -> None:
        if Do.ASK in self._open.ask(thing, self._clock()):
            self._asks = True

    def typed(self, text: str) -> Transcript:
        """Typed words as a transcript: surely heard, in the grammar if the matcher says so."""
        return Transcript(text=text, confidence=1.0, in_grammar=self._matcher.match(text) is not None)

    # An utterance --------------------------------------------------------------------------------------------------------

    async def respond(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> Reply:
        """The reply to an utterance; acts on the vehicle on the way.

        Args:
            transcript: what was heard.
            addressed: False in the follow-up window: what is not understood there, or is a request only just, was most
                likely said to somebody else, so it gets an empty reply and is not kept. Where something was asked, one
                answer that is not understood is asked for again.
            said: what the assistant said so lately that it may echo; hearing it gets an empty reply, and is not kept.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        started = time.perf_counter()
        if len(transcript.text) > MOST_CHARACTERS:
            return Reply(text=responder.TOO_LONG, route=Route.REJECT, reason="too long to be parsed or kept")
        transcript = transcript.model_copy(update={"text": plain(transcript.text)})
        if ours.overheard(transcript, said, self._open.thing):
            return ours.REPLY
        self._asks = False
        self._knowing.begins()
        self._talk.begins()
        if Do.WITHDRAW in self._open.tick(self._clock()):
            self._withdraw()
        if not addressed and self._open.thing is None:
            transcript = await self._doubted(transcript)
        transcript = which.heard(self._open.thing, transcript)
        if transcript.alternative:
            return self._ask_which(transcript)
        self._coordinator.fit(self._vehicle.offers())
        turn = await self._understanding.turn(transcript, self._open.thing, self._doing.recent, addressed=addressed)
        if turn.rest:
            return await self._both(turn, addressed=addressed)
        planned_ms = (time.perf_counter() - started) * 1000.0
        reply = await self._performed(turn, addressed=addressed)
        if reply is None:
            reason = f"{turn.plan.reason}; not addressed"
            return Reply(text="", route=Route.REJECT, reason=reason, timings={"route": planned_ms})
        reply = await self._finished(turn, reply)
        acted_ms = (time.perf_counter() - started) * 1000.0 - planned_ms
        return reply.model_copy(update={"timings": {"route": planned_ms, "act": acted_ms, **reply.timings}})

    async def _doubted(self, heard: Transcript) -> Transcript:
        """Which of two was meant is left open, but not where the car asks before it does the one that was heard."""
        doubted = amending.doubted(self._matcher, heard)
        action = amending.action_of(self._matcher, heard) if doubted.alternative else None
        result = await self._vehicle.foresee(action) if action is not None else None
        return heard if result is not None and result.status is ActionStatus.NEEDS_CONFIRMATION else doubted

    async def _both(self, turn: Turn, *, addressed: bool) -> Reply:
        """The reply to a wish to have something forgotten, and before it to what was asked for beside it."""
        sure = turn.heard.confidence >= 1.0 and self._matcher.match(turn.rest) is not None
        part = {"text": turn.rest, "in_grammar": sure, "others": (), "grammar": None, "open": None}
        if told := self._understanding.tells_instead(turn.heard.text, turn.rest):
            return await self._replaced(turn, part | {"text": told}, addressed=addressed)
        self._beside = True
        try:
            first = await self.respond(turn.heard.model_copy(update=part), addressed=addressed)
        finally:
            self._beside = False
        if _of_last(turn) and any(result.action.name in ERRANDS for result in first.results):
            return first  # "never mind that reminder, delete it"
        self._asks = False
        reply = await self._finished(turn, await self._handled(turn))
        text = " ".join(filter(None, (first.text, reply.text)))
        return reply.model_copy(update={"text": text, "results": (*first.results, *reply.results)})

    async def _replaced(self, turn: Turn, part: Mapping[str, object], *, addressed: bool) -> Reply:
        """The reply to a wish to have something forgotten, and to what is told to hold in its place: that comes after it."""
        forgotten = await self._handled(turn)
        self._beside = self._talk.asking
        try:
            reply = await self.respond(turn.heard.model_copy(update=part), addressed=addressed)
        finally:
            self._beside = False
        begin = "" if forgotten.text == NOTHING_TO_FORGET else forgotten.text
        return reply.model_copy(update={"text": " ".join(filter(None, (begin, reply.text)))})

    async def _performed(self, turn: Turn, *, addressed: bool) -> Reply | None:
        """What the table's commands for the event come to; None for silence."""
        self._apologised = self._apologised and not addressed
        if turn.noted and not turn.errand:
            self._talk.heard(turn.heard.text)
            read = turn.plan.route is not Route.REJECT  # what was not read teaches nothing
            said = spoken(turn.heard.text)
            own = turn.heard.confidence >= planning.HEARD_AT and not planning.orders(turn.plan)
            own = own and not planning.by_liking(said) and not planning.hedges(said)
            teaches = read and (planning.teaches(turn.plan, said) or (own and self.seat.memory.tells(turn.heard.text)))
            self._note("driver", turn.heard.text, turn.heard.confidence, teaches=teaches)
        if erasing.wish(turn.heard.text, lambda _: False) is not None:  # whatever becomes of the wish
            self._talk.let_go()
        orders = planning.orders(turn.plan)
        if turn.open_ is None and (right := self._talk.corrected(turn.heard.text, orders=orders)):
            return turn.reply(right)
        reply = turn.reply()
        for do in self._open.feed(turn.event, self._clock()):
            reply = await self._do(do, turn, reply)
        lost = turn.open_ is None and reply.text == responder.NOT_UNDERSTOOD
        silent = turn.event is Event.UNMEANT or (lost and self._apologised and not addressed)
        self._apologised = self._apologised or lost
        if (
            lost
            and addressed
            and not self.seat.manners.brief
            and (example := examples.fitting(spoken(turn.heard.text), self._vehicle.offers()))
        ):
            reply = reply.model_copy(update={"text": responder.try_saying(example)})
        return None if silent else reply

    async def _do(self, do: Do, turn: Turn, reply: Reply) -> Reply:  # noqa: PLR0911 - one for each kind of command
        """Perform one command; the reply so far with what comes of it."""
        open_ = turn.open_
        match do, open_:
            case Do.CARRY_OUT, Confirmation():
                return await self._carried_out(open_, turn)
            case Do.COMPLETE, _:
                return await self._handled(turn)
            case Do.HANDLE, _:
                return await self._handled(turn)
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
                self._withdraw()
            case Do.OFFER_UNDO, _:
                return self._offered(turn)
            case Do.HALT, _:
                halted = await self._doing.halt(turn.plan) if "thank" not in turn.heard.text.lower() else None
                return halted or turn.reply(_politely(turn, responder.OKAY), ends=True)
            case Do.CLOSE, _:
                return reply.model_copy(update={"ends_conversation": True})
            case Do.ASK, _:
                self._asks = True
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
                return self._why(turn.open_, turn.heard.text)
            case Do.REPEAT:
                return self._last_reply.strip() or ("" if turn.open_ is not None else responder.NOTHING_PENDING)
            case Do.TALK:
                name = turn.plan.command.name if turn.plan.command is not None else ""
                if name == "joke":
                    return next(self._jokes)
                told = self._doing.told_last(turn.plan) if name == "get_last" else responder.HELP
                said = responder.SMALL_TALK.get(name, told)
                return self.seat.manners.greeting(said) if name == "hello" else said
            case _:
                return _SAID.get(do, "")

    def _why(self, open_: Asked | None, text: str) -> str:
        """Why something was done, where it is named; else why what is open is asked, or what was wished last came to nothing."""
        deed = planning.deed_asked(spoken(text))
        done = self._doing.why_did(self._acting.done_by(deed), deed) if deed else ""
        if done:
            return done
        return open_.why if open_ is not None else self._doing.why or self._talk.why(self._doing.last.get("said", ""))

    async def _answered(self, offer: Offer, turn: Turn, *, yes: bool) -> Reply:
        """Deal with the answer to what nobody had asked for; what it asks of the car goes through the gate as any wish."""
        said = turn.reply(self._knowing.answered(offer, yes=yes))
        return await self._doing.act((offer.action,), turn.plan) if yes and offer.action is not None else said

    async def _finished(self, turn: Turn, reply: Reply) -> Reply:
        """The reply with the one question that is asked at its end; and what of the turn is kept."""
        now = self._clock()
        for question in self._talk.asks():
            self._ask(Forgetting(question))
        if not reply.ends_conversation and Do.ASK in self._open.go_on(now):
            self._asks = True
        for thing in self._knowing.asks():
            self._ask(thing)
        self._knowing.shown(reply)
        free = self._open.thing is None and not self._beside
        doubt = self._talk.doubt()
        due = (doubt or self._by_the_way.due(reply, turn.plan.command, self.conversation)) if free else None
        offer = None
        if due is not None:
            self._ask(due)
        elif free:
            offer = await self._knowing.due(reply, turn.plan.command)
        if offer is not None:
            self._ask(offer)
        if turn.event not in (Event.WHY, Event.UNCLEAR):
            agreed = turn.open_.question if isinstance(turn.open_, Confirmation) and turn.event is Event.YES else ""
            self._doing.keep(turn.plan, turn.heard.text if turn.noted else "", reply, agreed)
        open_ = self._open.thing
        asked = open_.question if self._asks and open_ is not None else ""
        token = open_.tokens[0] if isinstance(open_, Confirmation) and open_.tokens else None
        told, text = reply.text, " ".join(filter(None, (reply.text, self._talk.announcement(), asked)))
        text = text or responder.NOT_UNDERSTOOD  # whoever is replied to hears something: silence is `_performed`'s None
        proposal = due.proposal if due is not None else None
        reply = reply.model_copy(update={"text": text, "pending": token, "proposal": proposal})
        if turn.noted and not turn.errand:
            self._note("assistant", text, 1.0)
        if turn.event is not Event.AGAIN:
            self._last_reply = told
        return reply

    def _ask_which(self, transcript: Transcript) -> Reply:
        """Of two commands one was heard."""
        if Do.WITHDRAW in self._open.feed(Event.OTHER, self._clock()):
            self._withdraw()
        choice = which.asked(transcript.text, transcript.alternative)
        self._ask(choice)
        self._last_reply = ""
        reason = f"heard {transcript.text!r} or {transcript.alternative!r}"
        return Reply(text=choice.question, route=Route.CONTROL, reason=reason)

    def _note(self, speaker: str, text: str, confidence: float, *, teaches: bool = True) -> None:
        turn = Noted(speaker=speaker, text=text, at=self._clock(), confidence=confidence)
        self.seat.memory.note(turn, self.conversation, teaches=teaches)

    # Ahead, and after more was said ----------------------------------------------------------------------------------------

    async def foresee(  # noqa: PLR0911 - one for each kind of utterance
        self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()
    ) -> str | None:
        """What `respond` will most likely say, if that can be told without doing or noting anything; arguments as there.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        open_ = self._open.thing
        if isinstance(open_, Forgetting | Remembering | Introducing | Offer) or ours.overheard(transcript, said, open_):
            return None
        transcript = which.heard(open_, transcript)
        if transcript.alternative:
            return which.question(transcript.text, transcript.alternative)
        turn = await self._understanding.turn(transcript, open_, self._doing.recent, addressed=addressed)
        plan = turn.plan
        if turn.event is Event.UNMEANT or (turn.event is Event.UNCLEAR and open_ is not None):
            return None
        if turn.event is Event.WHY:
            return self._why(open_, transcript.text)
        if plan.route is Route.CONTROL:
            return await foresight.control(plan, open_, self._vehicle, self.seat)
        if plan.route is Route.MEMORY and plan.command is not None:
            if plan.command.name in knowing.NAMES:
                return None
            return self._talk.foresee(plan.command, moving=await self._doing.moving())
        if planning.only_talk(plan):
            if self._talk.told_something and lately.asks(transcript.text):
                return None
            return await self._small_talk.reply(transcript.text, self._doing.last, plan.asks)
        if plan.acts:
            work = await self._acting.look(
                turn.acts, plan.asks, transcript, turn.context, turn.recent, answers=turn.answers, left=plan.left
            )
            if len(turn.acts) == 1:
                await self._acting.fill(turn.acts[0], transcript, work, ahead=True)
            return await foresight.acts(plan, work, self._vehicle, self.seat)
        if turn.about_memory:
            return None
        at_once = self._understanding.at_once(plan, transcript)
        if at_once is not None:
            return at_once
        return await foresight.reply(plan, transcript.text, self._vehicle, self.seat)

    async def is_whole(self, transcript: Transcript, *, addressed: bool = True) -> bool:
        """Whether free words are surely all of an utterance: what they mean is sure and lacks nothing.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        turn = await self._understanding.turn(transcript, self._open.thing, self._doing.recent, addressed=addressed)
        whole = resolving.is_whole(turn.plan, self._vehicle.offers())
        return whole and not (transcript.misheard or transcript.alternative)

    async def amend(
        self, whole: Transcript, tail: Transcript | None, first: amending.First | None, *,
        addressed: bool = True, said: Sequence[str] = (),
    ) -> Reply:  # fmt: skip
        """The reply to an utterance that went on after its first part had been answered: see ``voice.dialogue.amending``.

        ``tail`` is what was said since, by itself, where the whole is no command; the rest is as for `respond`.
        """
        if first is not None and tail is not None and ours.overheard(tail, said, self._open.thing):
            if first.told:
                return ours.REPLY
            whole, tail = first.heard, None
        tail = amending.by_itself(self._matcher, tail)
        chosen = amending.way(self._matcher, whole, tail, first)
        replied = first is not None and first.reply is not None
        understood = partial(self._understanding.turn, open_=self._open.thing, recent=self._doing.recent)
        if (
            chosen is amending.Way.REPLACED
            and replied
            and not whole.in_grammar
            and (await understood(whole)).plan.route is Route.REJECT
        ):
            known = tail is not None and amending.action_of(self._matcher, tail) is not None
            chosen = amending.Way.FOLLOWED if known else amending.Way.STANDS
        if chosen in (amending.Way.REPLACED, amending.Way.CANCELLED):
            self.drop_pending()
        instead = amending.action_of(self._matcher, whole)
        respond = partial(self.respond, addressed=addressed, said=said)
        reply = await amending.amended(self._vehicle, chosen, (whole, tail), first, instead, respond)
        if reply.pending is not None and self._open.thing is None and (waits := self._doing.waiting(reply.results)):
            self._ask(waits)
        if reply.text:
            self._last_reply = reply.text.removesuffix(
                self._open.thing.question if self._open.thing is not None else ""
            )
        return reply

    # Dealing with it ------------------------------------------------------------------------------------------------------

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
        return Confirmation(responder.questions(actions, self.seat.units), responder.NOT_SURE, actions)

    def _offered(self, turn: Turn) -> Reply:
        """Offer to undo what was done last, if that can be."""
        if not self._doing.undoable():
            return turn.reply(responder.nothing_to_call_off(spoken(turn.heard.text)))
        undo = parse_action("undo", {})
        self._ask(Confirmation(responder.question(undo), responder.TO_UNDO, (undo,)))
        return turn.reply()

    async def _handled(self, turn: Turn) -> Reply:
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
        reply = foresight.at_once(plan, turn.heard, self._matcher)
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
                self._ask(self._not_sure(plan.meant))
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
        action = self.seat.units.as_meant(parse_action(plan.command.name, plan.command.slots))
        if question := followup.lacks_time(action):
            self._ask(Missing(question, context.act_of(action)))
            return turn.reply()
        if not plan.open:
            return await self._doing.act((action,), plan)
        memory = self.seat.memory
        seen = await self._vehicle.circumstances()
        filled = await asyncio.to_thread(fill, memory, turn.heard.text, action.name, action.slots(), seen)
        if filled.action is None or self.seat.memory is not memory:  # another driver may have taken over meanwhile
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
            return turn.reply(self._talk.handle(plan.command, self.conversation, moving=moving))
        if plan.acts:
            return await self._by_acts(turn)
        name = None if self._drivers is None else wishes.named(text, self._drivers.names)
        if name is not None:
            said = self._talk.switch(name)
            return Reply(text=said, route=Route.MEMORY, reason="a configured driver gave their name")
        if talks.asks(text):
            said = talks.talked(self.seat, text, self._clock(), moving=moving)
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
            conversation=self.conversation,
            moving=await self._doing.moving(),
            answers=turn.answers,
        )
        reply = turn.reply(ends=work.ends)
        words = list(work.words)
        if work.actions and work.ask_first and not await foresight.stays(work.actions, self._vehicle):
            if work.first:
                reply = await self._doing.act(work.first, plan)
            self._ask(self._not_sure(work.actions))
            reply = reply.model_copy(update={"reason": f"{plan.reason}; {work.why or 'not sure'}"})
        elif work.actions:
            reply = await self._doing.act(work.actions, plan, work.used, work.said)
            words = []
        if work.needs is not None and work.among:
            self._ask(Choice(work.question, responder.SEVERAL_NAMED, work.among, work.needs, work.slot))
        elif work.needs is not None:
            self._ask(Missing(work.question, work.needs))
        text = " ".join(filter(None, (reply.text, *words)))
        empty = "" if self._asks or self._talk.asking else responder.NOT_UNDERSTOOD
        return reply.model_copy(update={"text": text or empty, "decision": work.decision})


_SAID = {
    Do.SAY_NOTHING_WAITS: responder.NOTHING_PENDING,
    Do.SAY_UNCLEAR: responder.NOT_UNDERSTOOD,
    Do.SAY_DROPPED: responder.DROPPED,
}


def _of_last(turn: Turn) -> bool:
    """Whether it asks to have forgotten what was spoken of last."""
    return turn.plan.command is not None and turn.plan.command.name in ("forget_last", "forget_said")


def _politely(turn: Turn, text: str) -> str:
    return responder.WELCOME if "thank" in turn.heard.text.lower() else text
