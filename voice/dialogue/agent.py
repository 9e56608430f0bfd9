"""One driver's dialogue: an utterance in, a reply out.

Owns what a conversation needs to go on: its id, the action or the question of memory that waits for a yes, the preference last
spoken of, the last reply. Everything else is asked from the ports. Knows no sound.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from schemas.actions import Action, Domain, ForgetPreference, parse_action
from schemas.errors import ConfirmationError, UnknownEntryError
from schemas.events import ActionResult, ActionStatus, Command, Reply, Route, Transcript
from schemas.memory import Preference, Turn
from schemas.ports import CommandMatcher, Encoder, MemoryPort, StructuredModel, VehiclePort
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES, find
from voice.dialogue import responder
from voice.dialogue.coordinator import Coordinator, CoordinatorSettings, Plan
from voice.dialogue.operator import Operator, Proposal
from voice.dialogue.question import PER_TRIP, Question


@dataclass(slots=True)
class _Pending:
    """What waits for a spoken yes: a gate's token, or an action that the validator wants confirmed first."""

    token: str | None = None
    actions: tuple[Action, ...] = ()


class DialogueSettings(BaseModel):
    """What can be set about a dialogue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    coordinator: CoordinatorSettings = CoordinatorSettings()
    questions: int = Field(default=PER_TRIP, ge=0)
    """How often a trip memory may ask the driver something."""


class Dialogue:
    """Coordinator, operator, validator and responder for one driver."""

    def __init__(
        self,
        *,
        memory: MemoryPort,
        vehicle: VehiclePort,
        matcher: CommandMatcher,
        encoder: Encoder,
        model: StructuredModel,
        clock: Callable[[], datetime],
        settings: DialogueSettings | None = None,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        """A dialogue for one trip; ``clock`` gives timezone-aware times for what is noted in memory."""
        settings = settings or DialogueSettings()
        self._memory, self._vehicle, self._matcher, self._clock = memory, vehicle, matcher, clock
        self._coordinator = Coordinator(matcher, encoder, vehicle.offers(), settings.coordinator)
        self._operator = Operator(memory, model, vehicle.offers())
        self._new_id = new_id
        self._conversation: str | None = None
        self._pending: _Pending | None = None
        self._question = Question(memory, clock, settings.questions)
        self._last_preference: str | None = None
        self._stated = False
        """Whether "that" is what the driver has just told, which is noted but not stored yet."""
        self._last_reply: str | None = None

    @property
    def conversation(self) -> str:
        """Id of the running conversation; begins one where none runs."""
        if self._conversation is None:
            self._conversation = self._new_id()
        return self._conversation

    def end_conversation(self) -> None:
        """The follow-up window has closed: drop what waits and what "that" meant."""
        self.drop_pending()
        self._conversation = None
        self._last_preference = None
        self._stated = False

    def drop_pending(self) -> None:
        """Withdraw what waits for a yes; a question of memory stays open there."""
        if self._pending is not None and self._pending.token is not None:
            self._vehicle.withdraw(self._pending.token)
        self._pending = None
        self._question.drop()

    def typed(self, text: str) -> Transcript:
        """Typed words as a transcript: surely heard, in the grammar if the matcher says so."""
        return Transcript(text=text, confidence=1.0, in_grammar=self._matcher.match(text) is not None)

    async def respond(self, transcript: Transcript, *, addressed: bool = True) -> Reply:
        """The reply to an utterance; acts on the vehicle on the way.

        Args:
            transcript: what was heard.
            addressed: False in the follow-up window: what is not understood there was most likely said to somebody
                else, so it gets an empty reply and is not kept.

        Raises:
            schemas.errors.GloveboxError: memory, a model or the vehicle failed.
        """
        started = time.perf_counter()
        plan = self._coordinator.plan(transcript)
        planned_ms = (time.perf_counter() - started) * 1000.0
        yes = self._question.read(transcript.text, plan.command) if self._coordinator.heard(transcript) else None
        if yes is not None:
            return self._answered(yes, planned_ms)
        if not addressed and plan.route is Route.REJECT and self._pending is None:
            return Reply(
                text="", route=plan.route, reason=f"{plan.reason}; not addressed", timings={"route": planned_ms}
            )
        self._note("driver", transcript.text, transcript.confidence)
        reply = await self._carry_out(plan, transcript)
        if self._pending is None:
            reply = self._question.append(reply, plan.command, self.conversation)
        self._stated = plan.route is Route.STATEMENT
        reply = reply.model_copy(update={"timings": {"route": planned_ms, **reply.timings}})
        self._note("assistant", reply.text, 1.0)
        if plan.command is None or plan.command.name != "repeat":
            self._last_reply = reply.text
        return reply

    def _answered(self, yes: bool, planned_ms: float) -> Reply:
        """The answer to a question of memory, which itself is not noted: memory has it in a better form."""
        started = time.perf_counter()
        reply = self._question.settle(yes)
        if reply.decision is not None and reply.decision.preference is not None:
            self._last_preference = reply.decision.preference
        self._stated = False
        self._last_reply = reply.text
        timings = {"route": planned_ms, "act": (time.perf_counter() - started) * 1000.0}
        return reply.model_copy(update={"timings": timings})

    def _note(self, speaker: str, text: str, confidence: float) -> None:
        turn = Turn(speaker=speaker, text=text, at=self._clock(), confidence=confidence)
        self._memory.note(turn, self.conversation)

    async def _carry_out(self, plan: Plan, transcript: Transcript) -> Reply:
        if plan.route is Route.CONTROL and plan.command is not None:
            return await self._control(plan.command, plan)
        self.drop_pending()
        if plan.route is Route.FAST and plan.command is not None:
            action = parse_action(plan.command.name, plan.command.slots)
            return await self._act((action,), plan, Proposal())
        if plan.route is Route.MODEL:
            return await self._by_model(transcript.text, plan)
        if plan.route is Route.MEMORY and plan.command is not None:
            return self._remember(plan.command, plan)
        if plan.route is Route.STATEMENT and plan.topic is not None:
            forbidden = self._memory.consent().forbids(BY_DETAIL[plan.topic], self._clock())
            return Reply(text=responder.noted(forbidden), route=plan.route, reason=plan.reason)
        text = responder.lacks(plan.lacks) if plan.lacks else responder.NOT_UNDERSTOOD
        return Reply(text=text, route=Route.REJECT, reason=plan.reason)

    async def _by_model(self, text: str, plan: Plan) -> Reply:
        proposal = self._operator.propose(text, plan)
        actions = proposal.actions
        if not actions and plan.command is not None:
            actions = (parse_action(plan.command.name, plan.command.slots),)
        if not actions:
            reason = f"{plan.reason}; {proposal.reason}"
            return Reply(text=responder.NOT_UNDERSTOOD, route=Route.REJECT, reason=reason, timings=proposal.timings)
        if proposal.ask_first:
            self._pending = _Pending(actions=actions)
            return Reply(
                text=" ".join(responder.question(action) for action in actions),
                route=plan.route,
                reason=f"{plan.reason}; not a complete command, so a yes is needed",
                timings=proposal.timings,
            )
        return await self._act(actions, plan, proposal)

    async def _act(self, actions: tuple[Action, ...], plan: Plan, proposal: Proposal) -> Reply:
        started = time.perf_counter()
        asked = [action for action in actions if action.domain is Domain.MEMORY]
        if asked:
            text = " ".join(self._of_memory(action) for action in asked)
            return Reply(text=text, route=plan.route, reason=plan.reason, timings=proposal.timings)
        results = [await self._vehicle.act(action) for action in actions]
        done = any(result.status is ActionStatus.DONE for result in results)
        used = proposal.used if done else ()
        if used:
            self._memory.used(used)
            self._last_preference = used[0].preference.id
        waiting = next((result.token for result in results if result.token is not None), None)
        if waiting is not None:
            self._pending = _Pending(token=waiting)
        timings = {**proposal.timings, "act": (time.perf_counter() - started) * 1000.0}
        return Reply(
            text=responder.report(results, used),
            route=plan.route,
            reason=f"{plan.reason}; {proposal.reason}" if proposal.reason else plan.reason,
            results=tuple(results),
            recalled=used,
            pending=waiting,
            timings=timings,
        )

    async def _control(self, command: Command, plan: Plan) -> Reply:
        pending, self._pending = self._pending, None
        if command.name == "yes" and pending is not None:
            return await self._confirmed(pending, plan)
        if command.name in ("no", "stop"):
            if pending is not None and pending.token is not None:
                self._vehicle.withdraw(pending.token)
            self._question.drop()
            text = responder.CANCELLED if pending is not None else "Okay."
            return Reply(text=text, route=plan.route, reason=plan.reason, ends_conversation=command.name == "stop")
        self._pending = pending
        text = {
            "repeat": self._last_reply or responder.NOTHING_PENDING,
            "help": responder.HELP,
            "yes": responder.NOTHING_PENDING,
        }[command.name]
        return Reply(text=text, route=plan.route, reason=plan.reason, pending=pending.token if pending else None)

    async def _confirmed(self, pending: _Pending, plan: Plan) -> Reply:
        started = time.perf_counter()
        results: list[ActionResult] = []
        try:
            if pending.token is not None:
                results.append(await self._vehicle.confirm(pending.token))
            results += [await self._vehicle.act(action) for action in pending.actions]
        except ConfirmationError as error:
            return Reply(text=error.spoken, route=plan.route, reason=str(error))
        timings = {"act": (time.perf_counter() - started) * 1000.0}
        reason = f"{plan.reason}: confirmed"
        waiting = next((result.token for result in results if result.token is not None), None)
        if waiting is not None:
            self._pending = _Pending(token=waiting)
        return Reply(
            text=responder.report(results),
            route=plan.route,
            reason=reason,
            results=tuple(results),
            pending=waiting,
            timings=timings,
        )

    def _remember(self, command: Command, plan: Plan) -> Reply:
        slots, memory = command.slots, self._memory
        key: str | None = slots.get("category")
        title = _title(key) if key else None
        if command.name == "remember_what":
            held = memory.preferences(key)
            if held:
                self._last_preference = held[0].id
            text = responder.remembered(held, title)
        elif command.name == "forget_last":
            text = self._forget_last()
        elif command.name == "opt_out" and key:
            memory.opt_out(key)
            held = memory.preferences(key)
            kept = f" I still hold {len(held)} from before: say forget that, or see the screen." if held else ""
            text = f"Okay, from now on I remember nothing about {title}.{kept}"
        elif command.name == "opt_in" and key:
            memory.opt_in(key)
            text = f"Okay, I may remember things about {title} again."
        elif command.name == "private_trip":
            private = bool(slots.get("on", True))
            memory.set_private_trip(private)
            text = "Private trip: I remember nothing." if private else "I may remember things again."
        else:
            text = responder.NOT_UNDERSTOOD
        return Reply(text=text, route=plan.route, reason=plan.reason)

    def _of_memory(self, action: Action) -> str:
        """What the driver asks in free words about what is remembered, or wants to have forgotten."""
        about: str | None = action.slots().get("about")
        if about is None:
            return responder.remembered(self._memory.preferences(), None)
        meant = tuple(r.preference for r in self._memory.recall(about) if _shares(about, r.preference))
        if isinstance(action, ForgetPreference):
            return self._erased(meant[0].id) if meant else f"I remember nothing about {about}."
        return responder.remembered(meant, about)

    def _forget_last(self) -> str:
        if self._stated:
            erased = self._memory.forget_pending(self.conversation)
            return "Forgotten: what you have just told me." if erased else "I did not keep that."
        key = self._last_preference
        if key is None:
            newest = self._memory.preferences()
            key = newest[0].id if newest else None
        if key is None:
            return "There is nothing to forget."
        return self._erased(key)

    def _erased(self, key: str) -> str:
        try:
            receipt = self._memory.forget(key)
        except UnknownEntryError:
            return "That is forgotten already."
        self._last_preference = None
        titles = ", ".join(find(c)[0].title.lower() for c in receipt.categories)
        return f"Forgotten: one thing about {titles}." if receipt.verified else "I deleted it, but could not verify it."


def _shares(about: str, preference: Preference) -> bool:
    """Whether a word of what was asked about is in the preference's value or in its category's title."""
    own = f"{preference.value} {BY_DETAIL[preference.detail].title}".lower().split()
    return any(word in own for word in about.lower().split())


def _title(key: str) -> str:
    """A category's spoken name, whatever its level."""
    last = key.rsplit(".", maxsplit=1)[-1]
    return (MAIN_TITLES.get(last) or SUB_TITLES.get(last) or BY_DETAIL[last].title).lower()
