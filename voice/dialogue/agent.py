"""One driver's dialogue: an utterance in, a reply out.

Owns what a conversation needs to go on: its id, the action or the question of memory that waits for a yes, and the last reply.
The talk about memory is ``voice.dialogue.memory.remembering``'s, what is no complete command ``voice.dialogue.acts``'s. Everything
else is asked from the ports. Knows no sound.

Long because the two ways of understanding free words stand in it side by side: the parser's, and the one of the profile without it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import uuid4

from models.text import spoken
from schemas.actions import Action, Domain, ForgetPreference, ListPlaces, parse_action
from schemas.actions.acts import Act
from schemas.errors import ConfirmationError, VehicleError
from schemas.events import ActionResult, ActionStatus, Command, CommandKind, Reply, Route, Transcript
from schemas.memory import Recollection, Turn
from schemas.ports import ActParser, CommandMatcher, Drivers, Encoder, StructuredModel, VehiclePort
from schemas.seat import Seat
from schemas.units import units_of
from voice.dialogue import amending, followup, foresight, ours, which
from voice.dialogue.acts import context, planning
from voice.dialogue.acts.acting import Acting
from voice.dialogue.coordinator import Coordinator, DialogueSettings, Plan
from voice.dialogue.memory import talks, wishes
from voice.dialogue.memory.asking import Pending, first_token
from voice.dialogue.memory.question import Question
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.operator import Operator, Proposal
from voice.dialogue.replies import responder
from voice.dialogue.replies.units import MEASURED

_STOPPED = (Domain.OPENINGS, Domain.SEATS)
"""Domains in which something may still be on its way when the driver says stop."""

MOST_CHARACTERS = 1000
"""Of an utterance: half a minute of quick speech has five hundred."""
CALLED_OFF = re.compile(r"\b(?:cancel|abort|never mind|forget it)\b")
"""A "no" that, where nothing waits, means what was done last."""


class Dialogue:
    """Coordinator, operator, validator and responder for one driver."""

    def __init__(  # noqa: PLR0913 - the dialogue takes all parts, by keyword
        self,
        *,
        seat: Seat,
        vehicle: VehiclePort,
        matcher: CommandMatcher,
        encoder: Encoder,
        model: StructuredModel,
        clock: Callable[[], datetime],
        settings: DialogueSettings | None = None,
        new_id: Callable[[], str] = lambda: uuid4().hex,
        drivers: Drivers | None = None,
        parser: ActParser | None = None,
    ) -> None:
        """A dialogue for one trip.

        Args:
            seat: who drives, and in which units they are spoken to.
            vehicle: behind its gate.
            matcher: understands complete commands.
            encoder: scores what is none.
            model: fills actions.
            clock: aware current time, for what is noted in memory.
            settings: what can be set.
            new_id: makes ids of conversations.
            drivers: who else may be driving; None: nobody.
            parser: understands what is no complete command; None: the encoder and ``model`` do, as far as they can.
        """
        settings = settings or DialogueSettings()
        self.seat, self._vehicle, self._matcher, self._clock = seat, vehicle, matcher, clock
        self._coordinator = Coordinator(matcher, encoder, vehicle.offers(), settings.coordinator)
        self._operator = Operator(seat, model, vehicle.offers())
        self._new_id = new_id
        self._conversation: str | None = None
        self._pending: Pending | None = None
        self._question = Question(seat, clock, settings.questions, self._coordinator.is_order)
        self._talk = Remembering(seat, clock, drivers=drivers)
        self._drivers = drivers
        self._acting = Acting(
            parser=parser,
            seat=seat,
            vehicle=vehicle,
            coordinator=self._coordinator,
            operator=self._operator,
            talk=self._talk,
            matcher=matcher,
            clock=clock,
            drivers=drivers,
        )
        self._last_reply: str | None = None
        self._last: dict[str, str] = {}
        """What was done and what was said last, by ``get_last``'s parts; nothing of a private trip."""
        self._apologised = False
        """Said since the wake word that something was not understood: once is enough."""
        self._recent = followup.RecentActions()
        seat.follow(self._begin)

    @property
    def conversation(self) -> str:
        """Id of the running conversation; begins one where none runs."""
        if self._conversation is None:
            self._conversation = self._new_id()
        return self._conversation

    def _begin(self) -> None:
        """Somebody else drives: nothing waits, and nothing of what was said before is left for them to hear."""
        self.drop_pending()
        self._conversation, self._last_reply, self._recent = None, None, followup.RecentActions()
        self._last = {}

    def end_conversation(self) -> None:
        """The follow-up window has closed: drop what waits and what "that" meant."""
        self.drop_pending()
        self._conversation = None
        self._talk.ended()

    def drop_pending(self) -> None:
        """Withdraw what waits for a yes; a question of memory stays open there."""
        self._withdraw(self._pending)
        self._pending = None
        self._question.drop()

    def _withdraw(self, pending: Pending | None) -> None:
        for token in pending.tokens if pending is not None else ():
            self._vehicle.withdraw(token)

    def typed(self, text: str) -> Transcript:
        """Typed words as a transcript: surely heard, in the grammar if the matcher says so."""
        return Transcript(text=text, confidence=1.0, in_grammar=self._matcher.match(text) is not None)

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
        if self._is_ours(transcript, said):
            return ours.REPLY
        transcript = which.heard(self._pending.which if self._pending is not None else None, transcript)
        if transcript.alternative:
            return self._ask_which(transcript.text, transcript.alternative)
        offers = self._vehicle.offers()
        self._coordinator.fit(offers)
        self._operator.fit(offers)
        plan = await self._planned(transcript)
        planned_ms = (time.perf_counter() - started) * 1000.0
        if self._coordinator.heard(transcript):
            reply = await self._of_memory(transcript, plan, addressed=addressed)
            if reply is not None:
                self._last_reply = reply.text
                stored = reply.decision is not None and not self.seat.memory.consent().private_trip
                self._last = {"done": reply.text.removeprefix("Okay, ")} if stored else {}
                timings = {"route": planned_ms, "act": (time.perf_counter() - started) * 1000.0 - planned_ms}
                return reply.model_copy(update={"timings": timings})
        self._apologised = self._apologised and not addressed
        if not addressed and (unmeant := self._unmeant(plan)) is not None:
            return unmeant.model_copy(update={"timings": {"route": planned_ms}})
        self._note(
            "driver", transcript.text, transcript.confidence, teaches=planning.teaches(plan, spoken(transcript.text))
        )
        reply = plan.told(await self._carry_out(plan, transcript))
        if reply.text == responder.NOT_UNDERSTOOD:
            if not addressed and self._apologised:
                return reply.model_copy(update={"text": "", "timings": {"route": planned_ms, **reply.timings}})
            self._apologised = True
        if self._pending is None and self._talk.question is None:
            reply = self._question.append(reply, plan.command, self.conversation)
        if plan.route is Route.STATEMENT:
            self._talk.stated()
        reply = reply.model_copy(update={"timings": {"route": planned_ms, **reply.timings}})
        self._note("assistant", reply.text, 1.0)
        self._keep_last(plan, transcript.text, reply)
        if plan.command is None or plan.command.name != "repeat":
            self._last_reply = reply.text
        return reply

    async def foresee(self, transcript: Transcript, *, addressed: bool = True, said: Sequence[str] = ()) -> str | None:
        """What `respond` will most likely say, if that can be told without doing or noting anything; arguments as there.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        asked = self._talk.question is not None or self._question.open is not None
        if asked or self._is_ours(transcript, said):
            return None
        transcript = which.heard(self._pending.which if self._pending is not None else None, transcript)
        if transcript.alternative:
            return which.question(transcript.text, transcript.alternative)
        plan = await self._planned(transcript)
        if plan.route is Route.CONTROL:
            return await foresight.control(plan, self._pending, self._vehicle, self.seat.units)
        if plan.route is Route.MEMORY and plan.command is not None:
            return self._talk.foresee(plan.command, moving=await self._moving())
        names = self._drivers.names if self._drivers is not None else ()
        if plan.acts:
            work = self._acting.look(plan.acts, plan.asks, transcript, self._context(), self._recent)
            return await foresight.acts(plan, work, self._vehicle, self.seat.units)
        wished = plan.command is None and foresight.wished(transcript.text, names)
        if wished or not (addressed or self._coordinator.meant(plan)):
            return None
        reply = foresight.at_once(plan, transcript, self._matcher, self.seat.memory, self._clock())
        if reply is not None:
            return reply.text
        return await foresight.reply(plan, transcript, self._vehicle, self._operator, self.seat.units)

    def _ask_which(self, one: str, other: str) -> Reply:
        self.drop_pending()
        self._pending = Pending(which=(one, other))
        self._last_reply = which.question(one, other)
        return Reply(text=self._last_reply, route=Route.CONTROL, reason=f"heard {one!r} or {other!r}")

    def _is_ours(self, transcript: Transcript, said: Sequence[str]) -> bool:
        both = self._pending.which if self._pending is not None else None
        asked = any(one is not None for one in (self._pending, self._talk.question, self._question.open))
        return ours.overheard(transcript, said, both, asked=asked)

    async def amend(
        self, whole: Transcript, tail: Transcript | None, first: amending.First | None, *,
        addressed: bool = True, said: Sequence[str] = (),
    ) -> Reply:  # fmt: skip
        """The reply to an utterance that went on after its first part had been answered: see ``voice.dialogue.amending``.

        ``tail`` is what was said since, by itself, where the whole is no command; the rest is as for `respond`.
        """
        if first is not None and tail is not None and self._is_ours(tail, said):
            if first.told:
                return ours.REPLY
            whole, tail = first.heard, None
        tail = amending.by_itself(self._matcher, tail)
        chosen = amending.way(self._matcher, whole, tail, first)
        replied = first is not None and first.reply is not None
        if (
            chosen is amending.Way.REPLACED
            and replied
            and not whole.in_grammar
            and (await self._planned(whole)).route is Route.REJECT
        ):
            chosen = amending.Way.STANDS
        if chosen in (amending.Way.REPLACED, amending.Way.CANCELLED):
            self.drop_pending()
        instead = amending.action_of(self._matcher, whole)
        respond = partial(self.respond, addressed=addressed, said=said)
        reply = await amending.amended(self._vehicle, chosen, (whole, tail), first, instead, respond)
        if reply.pending is not None and self._pending is None:
            self._pending = Pending(tokens=(reply.pending,))
        self._last_reply = reply.text or self._last_reply
        return reply

    def _unmeant(self, plan: Plan) -> Reply | None:
        """The reply to what was most likely not said to the assistant, without the wake word; None where it was."""
        if plan.route is Route.REJECT:
            asked = self._pending is not None or self._talk.question is not None
            if asked and not self._apologised:
                self._apologised = True
                return Reply(
                    text=responder.NOT_UNDERSTOOD,
                    route=plan.route,
                    reason=plan.reason,
                    pending=first_token(self._pending),
                )
        elif planning.meant(plan) if plan.acts else self._coordinator.meant(plan):
            return None
        return Reply(text="", route=Route.REJECT, reason=f"{plan.reason}; not addressed")

    async def _planned(self, transcript: Transcript) -> Plan:
        """The coordinator's plan; what only means something after what was done becomes its actions."""
        if self._acting.parses and not transcript.in_grammar and self._coordinator.heard(transcript):
            return await self._acting.plan(transcript, self._context())
        plan = self._coordinator.plan(transcript)
        picks = plan.command is not None and plan.command.name == "pick"
        if picks and self._acting.parses and self._talk.question is None:  # "the second one" of something else
            return await self._acting.plan(transcript, self._context())
        if transcript.confidence < 1.0 and plan.command is not None and plan.command.name == "set_temperature":
            plan = self._coordinator.plan(
                transcript.model_copy(update={"text": self.seat.units.likelier(transcript.text)})
            )
        again = plan.command is not None and plan.command.name == "repeat" and "it" in plan.command.slots
        if again and self._recent.fresh(self._clock()) and self._recent.actions[-1].domain is Domain.MEDIA:
            restart = Command(kind=CommandKind.ACTION, name="set_playback", slots={"command": "restart"})
            plan = replace(plan, route=Route.FAST, command=restart)
        if plan.command is None or plan.command.kind is not CommandKind.FOLLOW:
            return plan
        values = (await self._vehicle.state()).values if plan.command.name in followup.LOOKS else {}
        timed = followup.completed(self._pending.partial if self._pending else None, plan.command.slots)
        meant = (timed,) if timed else followup.meant(plan.command, self._recent, self._clock(), values)
        offers = self._vehicle.offers()
        meant = tuple(action for action in meant if action.name in offers)
        if meant:
            return replace(plan, meant=meant)
        if self._acting.parses:
            return await self._acting.plan(transcript, self._context())
        free = self._coordinator.free(transcript)
        return free if free.route is not Route.REJECT else replace(free, reason=f"{plan.reason}, but nothing fits it")

    def _context(self) -> str:
        """What the parser is told of the dialogue."""
        asked = self._question.open is not None
        return context.context(self._pending, self._recent, self._clock(), remembers=asked)

    async def _of_memory(self, transcript: Transcript, plan: Plan, *, addressed: bool) -> Reply | None:
        """The reply to what is said about memory itself: an answer, a command, a wish. None of it is noted.

        Noted it would be kept as something that the driver told, with the values that the replies name.
        """
        text = transcript.text
        answer = self._talk.answer(text, plan.command, ours=addressed or plan.route is not Route.REJECT)
        if answer is not None:
            self.drop_pending()
            return Reply(text=answer, route=Route.MEMORY, reason="answer to a question about memory")
        yes = self._question.read(text, plan.command)
        if yes is not None:
            reply = self._question.settle(yes)
            self._talk.mention(reply.decision.preference if reply.decision is not None else None)
            return reply
        if plan.route is Route.MEMORY and plan.command is not None:
            self.drop_pending()
            said = self._talk.handle(plan.command, self.conversation, moving=await self._moving())
            reply = Reply(text=said, route=plan.route, reason=plan.reason)
            return reply if self._talk.question else self._question.append(reply, plan.command, self.conversation)
        if plan.acts and all(planning.about_memory(act) for act in plan.acts):
            return await self._by_acts(plan, transcript)
        if plan.command is not None or plan.acts:
            return None
        return await self._wish(text)

    async def _wish(self, text: str) -> Reply | None:
        """The reply to a wish with free words in it."""
        name = None if self._drivers is None else wishes.named(text, self._drivers.names)
        if name is not None:
            self.drop_pending()
            said = self._talk.switch(name)
            return Reply(text=said, route=Route.MEMORY, reason="a configured driver gave their name")
        if talks.asks(text):
            self.drop_pending()
            said = talks.talked(self.seat, text, self._clock(), moving=await self._moving())
            return Reply(text=said, route=Route.MEMORY, reason="asked what was talked about")
        told = wishes.told(text)
        if told is None:
            return None
        self.drop_pending()
        said, decision = self._talk.remember(told)
        return Reply(text=said, route=Route.MEMORY, reason="asked to remember", decision=decision)

    async def _moving(self) -> bool:
        """Whether the car moves; yes where it cannot be told."""
        try:
            state = await self._vehicle.state()
        except VehicleError:
            return True
        return state.speed_kmh is None or state.speed_kmh > 0

    def _note(self, speaker: str, text: str, confidence: float, *, teaches: bool = True) -> None:
        turn = Turn(speaker=speaker, text=text, at=self._clock(), confidence=confidence)
        self.seat.memory.note(turn, self.conversation, teaches=teaches)

    async def _carry_out(self, plan: Plan, transcript: Transcript) -> Reply:
        if plan.route is Route.CONTROL and plan.command is not None:
            return await self._control(plan.command, plan, transcript.text.lower())
        if plan.acts:
            return await self._by_acts(plan, transcript)
        self.drop_pending()
        reply = foresight.at_once(plan, transcript, self._matcher, self.seat.memory, self._clock())
        if reply is not None:
            return reply
        if plan.meant:
            return await self._followed(plan)
        if plan.route is Route.FAST and plan.command is not None:
            action = self.seat.units.as_meant(parse_action(plan.command.name, plan.command.slots))
            if followup.lacks_time(action):
                self._pending = Pending(partial=action)
                text = responder.FOR_HOW_LONG if action.name == "set_timer" else responder.WHEN
                return Reply(text=text, route=plan.route, reason=f"{plan.reason}, without a time")
            return await self._act((action,), plan, Proposal())
        return await self._by_model(transcript.text, plan)

    async def _by_acts(self, plan: Plan, transcript: Transcript) -> Reply:
        """Carry out all acts in their order, or say what becomes of each."""
        told, confirmed = self._context(), None
        if self._pending is not None and self._pending.needs is not None:
            plan = replace(plan, acts=tuple(act.completing(self._pending.needs) for act in plan.acts))
        if self._pending is not None and plan.acts[0].name == "yes":
            pending, self._pending = self._pending, None
            confirmed = await self._confirmed(pending, plan)
        self.drop_pending()
        work = await self._acting.work(
            plan, transcript, told, self._recent, conversation=self.conversation, moving=await self._moving()
        )
        reply = Reply(text="", route=plan.route, reason=plan.reason, ends_conversation=work.ends)
        if work.actions and work.ask_first:
            self._pending = Pending(actions=work.actions)
            why = f"{plan.reason}; {work.why or 'not sure'}"
            reply = reply.model_copy(update={"text": work.asked(self.seat.units), "reason": why})
        elif work.actions:
            reply = await self._act(work.actions, plan, Proposal(used=work.used))
        said = [reply.text, *work.said]
        if self._pending is not None:  # a question comes last
            said = [*work.said, reply.text]
        elif work.needs is not None:
            self._pending = Pending(needs=work.needs)
            said.append(work.question)
        before = confirmed or Reply(text="", route=plan.route, reason="")
        text = " ".join(filter(None, (before.text, *said))) or responder.NOT_UNDERSTOOD
        results = (*before.results, *reply.results)
        return reply.model_copy(update={"text": text, "results": results, "decision": work.decision})

    async def _followed(self, plan: Plan) -> Reply:
        first = plan.meant[0]
        if plan.command is not None and plan.command.name == "follow_track" and isinstance(first, ListPlaces):
            return await self._another(first, plan)
        return await self._act(plan.meant, plan, Proposal())

    async def _another(self, wanted: ListPlaces, plan: Plan) -> Reply:
        told = (await self._vehicle.act(wanted)).answer
        names = [str(place["name"]) for place in told.get("places") or ()]
        left = next((name for name in names if name not in self._recent.visited), None)
        if left is None:
            return Reply(text="There is no other one nearby.", route=plan.route, reason=plan.reason)
        found = self._recent.actions
        reply = await self._act((parse_action("navigate_to", {"destination": left}),), plan, Proposal())
        self._recent = replace(self._recent, actions=found)
        return reply

    def _keep_last(self, plan: Plan, text: str, reply: Reply) -> None:
        """Keep what was said and what came of it; asking for it changes nothing of it, and a private trip leaves nothing."""
        if self.seat.memory.consent().private_trip:
            self._last = {}
        elif plan.command is None or plan.command.name != "get_last":
            self._last["said"] = text
            done = [
                result for result in reply.results if result.status is ActionStatus.DONE and not result.action.query
            ]
            if done:
                self._last["done"] = responder.report(done, (), self.seat.units)
            elif reply.decision is not None:
                self._last["done"] = reply.text.removeprefix("Okay, ")

    def _did(self, results: Sequence[ActionResult]) -> None:
        """Keep in mind what was done last, or asked about."""
        self._recent = self._recent.after(results, self._clock())

    async def _measure(self, actions: tuple[Action, ...]) -> None:
        """Look up the driver's units where they may be spoken."""
        if any(action.name in MEASURED for action in actions):
            with suppress(VehicleError):
                self.seat.units = units_of(await self._vehicle.state())

    async def _by_model(self, text: str, plan: Plan) -> Reply:
        memory = self.seat.memory
        proposal = await self._operator.proposed(text, plan)
        if self.seat.memory is not memory:  # another driver took over meanwhile, to whom nothing of it is told
            proposal = Proposal(reason="another driver took over")
        actions = proposal.actions
        if not actions and plan.command is not None:
            actions = (parse_action(plan.command.name, plan.command.slots),)
        if not actions:
            reason = f"{plan.reason}; {proposal.reason}"
            return Reply(text=responder.NOT_UNDERSTOOD, route=Route.REJECT, reason=reason, timings=proposal.timings)
        if proposal.ask_first:
            self._pending = Pending(actions=actions)
            return Reply(
                text=responder.questions(actions, self.seat.units),
                route=plan.route,
                reason=f"{plan.reason}; not a complete command, so a yes is needed",
                timings=proposal.timings,
            )
        return await self._act(actions, plan, proposal)

    async def _act(self, actions: tuple[Action, ...], plan: Plan, proposal: Proposal) -> Reply:
        started = time.perf_counter()
        asked = [action for action in actions if action.domain is Domain.MEMORY]
        if asked:
            text = " ".join([await self._liking(action) for action in asked])
            return Reply(text=text, route=plan.route, reason=plan.reason, timings=proposal.timings)
        results = [await self._vehicle.act(action) for action in actions]
        await self._measure(actions)
        self._did(results)
        unclear = next(
            (r.action for r in results if r.status is ActionStatus.DENIED and r.ruling.reason.endswith("?")), None
        )
        if unclear is not None:  # "Which one do you mean: ...?"
            self._pending = Pending(
                needs=Act(unclear.name, {k: v for k, v in unclear.slots().items() if k != "person"})
            )
        done = any(result.status is ActionStatus.DONE for result in results)
        used = proposal.used if done else ()
        if used:
            self.seat.memory.used(used, actions[0].name)
        self._talk.acted(used)
        timings = {**proposal.timings, "act": (time.perf_counter() - started) * 1000.0}
        reason = "; ".join(filter(None, (plan.reason, proposal.reason)))
        return self._reported(results, plan.route, reason, timings, used)

    def _reported(
        self, results: Sequence[ActionResult], route: Route, reason: str, timings: dict[str, float],
        used: Sequence[Recollection] = (),
    ) -> Reply:  # fmt: skip
        return Reply(
            text=responder.report(results, used, self.seat.units), route=route, reason=reason, results=tuple(results),
            recalled=tuple(used), pending=self._waits(results), timings=timings,
        )  # fmt: skip

    async def _halted(self, plan: Plan) -> Reply | None:
        """Stop what the last action has set in motion; None where nothing was."""
        last = self._recent.actions[-1] if self._recent.actions and self._recent.fresh(self._clock()) else None
        if last is None or last.domain not in _STOPPED or "stop_moving" not in self._vehicle.offers():
            return None
        result = await self._vehicle.act(parse_action("stop_moving", {}))
        if result.status is not ActionStatus.DONE or not result.answer.get("stopped"):
            return None
        return Reply(text=responder.report([result]), route=plan.route, reason=plan.reason, results=(result,))

    async def _control(self, command: Command, plan: Plan, said: str) -> Reply:
        pending, self._pending = self._pending, None
        if command.name == "yes" and pending is not None and pending.which is not None:
            return self._ask_which(*pending.which)
        if command.name == "yes" and pending is not None:
            return await self._confirmed(pending, plan)
        if command.name in ("no", "stop"):
            self._withdraw(pending)
            self._question.drop()
            if command.name == "stop" and pending is None and (halted := await self._halted(plan)) is not None:
                return halted
            text = responder.CANCELLED if pending is not None else "Okay."
            if pending is None and CALLED_OFF.search(said) and self._recent.fresh(self._clock()):
                undo = parse_action("undo", {})
                self._pending = Pending(actions=(undo,))
                return Reply(
                    text=responder.question(undo), route=plan.route, reason=f"{plan.reason} after something was done"
                )
            if "thank" in said:
                text = responder.WELCOME
            return Reply(text=text, route=plan.route, reason=plan.reason, ends_conversation=command.name == "stop")
        self._pending = pending
        text = {
            "repeat": self._last_reply or responder.NOTHING_PENDING,
            "help": responder.HELP,
            "yes": responder.NOTHING_PENDING,
            "get_last": responder.last(command.slots.get("part", "done"), self._last),
            **responder.SMALL_TALK,
        }[command.name]
        return Reply(text=text, route=plan.route, reason=plan.reason, pending=first_token(pending))

    async def _confirmed(self, pending: Pending, plan: Plan) -> Reply:
        started = time.perf_counter()
        results: list[ActionResult] = []
        try:
            results += [await self._vehicle.confirm(token) for token in pending.tokens]
            results += [await self._vehicle.act(action) for action in pending.actions]
        except ConfirmationError as error:
            return Reply(text=error.spoken, route=plan.route, reason=str(error))
        await self._measure(tuple(result.action for result in results))
        self._did(results)
        took_ms = (time.perf_counter() - started) * 1000.0
        return self._reported(results, plan.route, f"{plan.reason}: confirmed", {"act": took_ms})

    def _waits(self, results: Sequence[ActionResult]) -> str | None:
        """Keep what waits for a yes; the first of it."""
        tokens = tuple(result.token for result in results if result.token is not None)
        if tokens:
            self._pending = Pending(tokens, tuple(result.action for result in results if result.token is not None))
        return first_token(self._pending) if tokens else None

    async def _liking(self, action: Action) -> str:
        """What the driver asks in free words about what is remembered, or wants to have forgotten."""
        about: str | None = action.slots().get("about")
        if isinstance(action, ForgetPreference):
            return self._talk.forget_about(action.about)
        if about is None:
            return self._talk.what(None, moving=await self._moving())
        return self._talk.about(about, moving=await self._moving())
