"""One driver's dialogue: an utterance in, a reply out.

Owns the order of it: what the words mean (``voice.dialogue.understanding``), which commands the table of the dialogue answers that
with, what these come to (``voice.dialogue.open.performing``), and the one question at the end. Composes the parts of a dialogue.
Knows no sound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from uuid import uuid4

from models.text import plain, spoken
from schemas.events import ActionStatus, Asking, Reply, Route, Transcript
from schemas.memory import Turn as Noted
from schemas.ports import ActParser, CommandMatcher, Drivers, Encoder, Talker, VehiclePort
from schemas.seat import Seat
from voice.dialogue import amending, ours
from voice.dialogue.acts import planning, resolving
from voice.dialogue.acts.acting import Acting
from voice.dialogue.acts.on_memory import MemoryActs
from voice.dialogue.acts.sentence.parsing import Parsing
from voice.dialogue.coordinator import Coordinator, DialogueSettings
from voice.dialogue.doing import Doing
from voice.dialogue.foresight import Foresight
from voice.dialogue.forgetting import erasing
from voice.dialogue.forgetting.forgetting import NOTHING_TO_FORGET
from voice.dialogue.knowing.talk import Knowing
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.memory.remembering import Remembering as Talk
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.open import which
from voice.dialogue.open.pending import Pending
from voice.dialogue.open.performing import Performing
from voice.dialogue.open.table import Event
from voice.dialogue.open.things import Asked, Confirmation, Forgetting, Introducing, Offer, Remembering
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
        self._new_id = new_id
        self._conversation: str | None = None
        self._pending = Pending(spares, clock)
        self._by_the_way = ByTheWay(seat, clock, settings.questions, self._coordinator.is_order)
        self._talk = Talk(seat, clock, drivers=drivers, questions=self._by_the_way, encoder=encoder)
        self._doing = Doing(seat, spares, self._talk, clock, self._pending.ask)
        self._knowing = Knowing(seat, spares, clock, introduces=settings.introduces)
        small_talk = SmallTalk(talker, seat, spares, encoder)
        parsing = Parsing(parser, matcher, spares)
        memory = MemoryActs(
            seat=seat,
            vehicle=spares,
            talk=self._talk,
            knowing=self._knowing,
            matcher=matcher,
            clock=clock,
            drivers=drivers,
        )
        acting = Acting(seat=seat, vehicle=spares, talk=self._talk, memory=memory, clock=clock)
        self._understanding = Understanding(
            seat=seat,
            vehicle=spares,
            matcher=matcher,
            clock=clock,
            coordinator=self._coordinator,
            parsing=parsing,
            drivers=drivers,
            encoder=encoder,
        )
        self._foresight = Foresight(
            seat=seat,
            vehicle=spares,
            matcher=matcher,
            acting=acting,
            talk=self._talk,
            doing=self._doing,
            small_talk=small_talk,
        )
        self._performing = Performing(
            seat=seat,
            vehicle=spares,
            matcher=matcher,
            clock=clock,
            pending=self._pending,
            doing=self._doing,
            acting=acting,
            parsing=parsing,
            talk=self._talk,
            by_the_way=self._by_the_way,
            knowing=self._knowing,
            small_talk=small_talk,
            drivers=drivers,
            conversation=lambda: self.conversation,
        )
        self._beside = False
        """What is replied to was asked for beside forgetting, which is going to ask: nothing else may."""
        self._apologised = False
        """Said since the wake word that something was not understood, where nothing was open: once is enough."""
        seat.follow(self._begin)
        seat.observe(self._doing.unsay)

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
        return self._pending.thing

    @property
    def asking(self) -> Asking | None:
        """The same as it is shown, numbered anew with each question."""
        return self._pending.shown()

    def _begin(self) -> None:
        """Somebody else drives: nothing waits, and nothing of what was said before is left for them to hear."""
        self.drop_pending()
        self._conversation = None
        self._doing.forget()

    def end_conversation(self) -> None:
        """The follow-up window has closed: drop what is open and what "that" meant."""
        self.drop_pending()
        self._conversation = None
        self._talk.ended()
        self._knowing.ended()

    def drop_pending(self) -> None:
        """Withdraw what is open. What memory has asked by the way stays open in memory."""
        self._pending.end(Event.GONE)

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
        if ours.overheard(transcript, said, self._pending.thing):
            return ours.REPLY
        self._pending.asks = False
        self._knowing.begins()
        self._talk.begins()
        self._pending.tick()
        if not addressed and self._pending.thing is None:
            transcript = await self._doubted(transcript)
        transcript = which.heard(self._pending.thing, transcript)
        if transcript.alternative:
            return self._ask_which(transcript)
        self._coordinator.fit(self._vehicle.offers())
        turn = await self._understanding.turn(transcript, self._pending.thing, self._doing.recent, addressed=addressed)
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
        self._pending.asks = False
        reply = await self._finished(turn, await self._performing.handled(turn))
        text = " ".join(filter(None, (first.text, reply.text)))
        return reply.model_copy(update={"text": text, "results": (*first.results, *reply.results)})

    async def _replaced(self, turn: Turn, part: Mapping[str, object], *, addressed: bool) -> Reply:
        """The reply to a wish to have something forgotten, and to what is told to hold in its place: that comes after it."""
        forgotten = await self._performing.handled(turn)
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
        for do in self._pending.feed(turn.event):
            reply = await self._performing.perform(do, turn, reply)
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

    async def _finished(self, turn: Turn, reply: Reply) -> Reply:
        """The reply with the one question that is asked at its end; and what of the turn is kept."""
        for question in self._talk.asks():
            self._pending.ask(Forgetting(question))
        if not reply.ends_conversation:
            self._pending.go_on()
        for thing in self._knowing.asks():
            self._pending.ask(thing)
        self._knowing.shown(reply)
        free = self._pending.thing is None and not self._beside
        doubt = self._talk.doubt()
        due = (doubt or self._by_the_way.due(reply, turn.plan.command, self.conversation)) if free else None
        offer = None
        if due is not None:
            self._pending.ask(due)
        elif free:
            offer = await self._knowing.due(reply, turn.plan.command)
        if offer is not None:
            self._pending.ask(offer)
        if turn.event not in (Event.WHY, Event.UNCLEAR):
            agreed = turn.open_.question if isinstance(turn.open_, Confirmation) and turn.event is Event.YES else ""
            self._doing.keep(turn.plan, turn.heard.text if turn.noted else "", reply, agreed)
        open_ = self._pending.thing
        asked = open_.question if self._pending.asks and open_ is not None else ""
        token = open_.tokens[0] if isinstance(open_, Confirmation) and open_.tokens else None
        told, text = reply.text, " ".join(filter(None, (reply.text, self._talk.announcement(), asked)))
        text = text or responder.NOT_UNDERSTOOD  # whoever is replied to hears something: silence is `_performed`'s None
        proposal = due.proposal if due is not None else None
        reply = reply.model_copy(update={"text": text, "pending": token, "proposal": proposal})
        if turn.noted and not turn.errand:
            self._note("assistant", text, 1.0)
        if turn.event is not Event.AGAIN:
            self._doing.last_reply = told
        return reply

    def _ask_which(self, transcript: Transcript) -> Reply:
        """Of two commands one was heard."""
        self._pending.end(Event.OTHER)
        choice = which.asked(transcript.text, transcript.alternative)
        self._pending.ask(choice)
        self._doing.last_reply = ""
        reason = f"heard {transcript.text!r} or {transcript.alternative!r}"
        return Reply(text=choice.question, route=Route.CONTROL, reason=reason)

    def _note(self, speaker: str, text: str, confidence: float, *, teaches: bool = True) -> None:
        turn = Noted(speaker=speaker, text=text, at=self._clock(), confidence=confidence)
        self.seat.memory.note(turn, self.conversation, teaches=teaches)

    # Ahead, and after more was said ----------------------------------------------------------------------------------------

    async def foresee(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> str | None:
        """What `respond` will most likely say, if that can be told without doing or noting anything; arguments as there.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        open_ = self._pending.thing
        if isinstance(open_, Forgetting | Remembering | Introducing | Offer) or ours.overheard(transcript, said, open_):
            return None
        transcript = which.heard(open_, transcript)
        if transcript.alternative:
            return which.question(transcript.text, transcript.alternative)
        turn = await self._understanding.turn(transcript, open_, self._doing.recent, addressed=addressed)
        if turn.event is Event.WHY:
            return self._performing.why(open_, transcript.text)
        return await self._foresight.of(turn)

    async def is_whole(self, transcript: Transcript, *, addressed: bool = True) -> bool:
        """Whether free words are surely all of an utterance: what they mean is sure and lacks nothing.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        turn = await self._understanding.turn(transcript, self._pending.thing, self._doing.recent, addressed=addressed)
        whole = resolving.is_whole(turn.plan, self._vehicle.offers())
        return whole and not (transcript.misheard or transcript.alternative)

    async def amend(
        self, whole: Transcript, tail: Transcript | None, first: amending.First | None, *,
        addressed: bool = True, said: Sequence[str] = (),
    ) -> Reply:  # fmt: skip
        """The reply to an utterance that went on after its first part had been answered: see ``voice.dialogue.amending``.

        ``tail`` is what was said since, by itself, where the whole is no command; the rest is as for `respond`.
        """
        if first is not None and tail is not None and ours.overheard(tail, said, self._pending.thing):
            if first.told:
                return ours.REPLY
            whole, tail = first.heard, None
        tail = amending.by_itself(self._matcher, tail)
        chosen = amending.way(self._matcher, whole, tail, first)
        replied = first is not None and first.reply is not None
        understood = partial(self._understanding.turn, open_=self._pending.thing, recent=self._doing.recent)
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
        if reply.pending is not None and self._pending.thing is None and (waits := self._doing.waiting(reply.results)):
            self._pending.ask(waits)
        if reply.text:
            self._doing.last_reply = reply.text.removesuffix(
                self._pending.thing.question if self._pending.thing is not None else ""
            )
        return reply


def _of_last(turn: Turn) -> bool:
    """Whether it asks to have forgotten what was spoken of last."""
    return turn.plan.command is not None and turn.plan.command.name in ("forget_last", "forget_said")
