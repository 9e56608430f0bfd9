"""What the acts of an utterance come to: actions to be carried out, a question for what is missing, and what is said to the rest.

Owns the order in which the acts of one utterance are looked at, and the talk about memory in free words. Carries out nothing in the
car: the dialogue does, with what this hands it.

Long because every kind of act comes to something here, and all of them share the work of one utterance.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from models.text import spoken
from schemas.actions import BY_NAME, Action, parse_action
from schemas.actions.acts import Act, Parsed
from schemas.errors import GenerationError, VehicleError
from schemas.events import ActionStatus, Command, CommandKind, Hypothesis, Route, Transcript
from schemas.manners import Units
from schemas.memory import Decision, Recollection
from schemas.ports import ActParser, CommandMatcher, Drivers
from schemas.seat import Seat
from voice.dialogue import errands
from voice.dialogue.acts import joined, planning, resolving
from voice.dialogue.acts.accounted import (
    against,
    amount_guessed,
    called,
    contrary,
    copies,
    doubt,
    left_over,
    names,
    rules_out,
    takes_back,
    unheeded,
    unspoken,
)
from voice.dialogue.acts.measured import in_seconds
from voice.dialogue.acts.planning import COMMANDS, CONTROLS, DEFAULTS, GUESS_AT, GUESS_CAREFUL_AT, TOLD_AT, about_memory
from voice.dialogue.acts.resolving import on_day, placed, replacing, resolve, to_share, which_one, whom
from voice.dialogue.acts.seen import Seen, seen, unconditional
from voice.dialogue.coordinator import Plan
from voice.dialogue.filling import fill
from voice.dialogue.followup import lacks_time
from voice.dialogue.forgetting import naming
from voice.dialogue.knowing import lately
from voice.dialogue.knowing.reading import told_name
from voice.dialogue.knowing.talk import Knowing
from voice.dialogue.memory import talks
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.recent import RecentActions
from voice.dialogue.replies import responder
from voice.dialogue.replies.cannot import refusal
from voice.dialogue.rights.drivers import UNNAMED
from voice.dialogue.validator import careful

SURE_AT = 0.75
"""Probability of an utterance's acts from which on they are carried out without a question. Of 400 sentences that were written
before the first training, 12 % lay below, .61 of them right; of the others .94 (docs/log.md)."""
HEARD_AT = 0.7
"""Probability that what was heard means what is made of it, beside other words that fit the sound, from which on a driver who tells
something is believed. What is asked for is as likely as it is likely to be meant and heard: of 111 requests at 10 dB, 12 of them
heard as something else, five of those and seven of the others were under .7 where four texts were followed; in quiet one of 47
(docs/log.md)."""
REFUSE_AT = 0.4
"""Probability under which a refusal is no answer: of 168 single sentences of the suite three were, all to something else than was
asked."""
REFRAIN_AT = 0.3
"""The same for "Okay, I won't." Our choice: "the radio on, not too loud" is one of .2."""
OFFERED_AT = 0.5
"""The same for a deed that is only asked about: nothing is done. Our choice."""
ANSWERS_AT = 0.25
"""The same where the acts complete a wish that was asked about: a few words, which mean nothing else. Our choice."""


@dataclass(slots=True)
class Work:
    """What acts come to."""

    actions: tuple[Action, ...] = ()
    ask_first: bool = False
    """A yes is needed before any of the actions is done."""
    why: str = ""
    needs: Act | None = None
    """A wish that lacks something, and `question` asks for it."""
    question: str = ""
    among: tuple[str, ...] = ()
    """Which of these is meant where it lacks one of several; empty where something else is missing."""
    slot: str = "person"
    """Where that goes."""
    said: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """What is said to the rest, each with how many of the actions were asked for before it."""
    gone: tuple[Action, ...] = ()
    """What makes room for the actions, if any is left."""
    first: tuple[Action, ...] = ()
    """Questions that are answered at once, though what was asked for beside them waits for a yes."""
    decision: Decision | None = None
    used: tuple[Recollection, ...] = ()
    ends: bool = False
    """The conversation is over."""

    @property
    def words(self) -> tuple[str, ...]:
        """What is said to the rest, in the order in which it was asked for."""
        return tuple(text for _, text in sorted(self.said, key=lambda one: one[0]))

    def asked(self, units: Units) -> str:
        """The question before the actions, or for what is missing."""
        if self.ask_first:
            return responder.questions(self.actions, units)
        return self.question


def _same(parser: ActParser, text: str, context: str, others: Sequence[Hypothesis]) -> float:
    """Probability of the words that mean the same."""
    try:
        acts = parser.parse(text, context).acts
    except GenerationError:
        return 1.0
    total = 1.0
    for other in others:
        try:
            if parser.parse(other.text, context).acts == acts:
                continue
        except GenerationError:  # it means nothing
            pass
        total -= math.exp(other.log_score)
    return total


class Acting:
    """Works acts out."""

    def __init__(
        self,
        *,
        parser: ActParser,
        seat: Seat,
        vehicle: Sparing,
        talk: Remembering,
        knowing: Knowing,
        matcher: CommandMatcher,
        clock: Callable[[], datetime],
        drivers: Drivers | None,
    ) -> None:
        """Over the parts of a dialogue."""
        self._parser = parser
        self._parsed: tuple[tuple[str, str], Parsed] | None = None
        """The last utterance that was parsed, with its context, and what it means: a pause and the end ask for the same."""
        self._sounded: tuple[tuple[str, str, tuple[Hypothesis, ...]], float] | None = None
        """The same of what else it may have been, and the probability that it means the same."""
        self._seat, self._vehicle, self._talk, self._knowing = seat, vehicle, talk, knowing
        self._matcher, self._clock, self._drivers = matcher, clock, drivers

    async def plan(self, transcript: Transcript, context: str) -> Plan:
        """The plan for what is no complete command, by the parser.

        Args:
            transcript: the utterance.
            context: what the parser is told (``voice.dialogue.acts.context``).
        """
        written = errands.undated(transcript.text)
        key = spoken(written), context
        if not any("a" <= letter <= "z" for letter in key[0]):
            return Plan(Route.REJECT, "nothing that the parser could read")
        if self._parsed is None or self._parsed[0] != key:
            try:
                self._parsed = key, await self._meaning(written, context)
            except GenerationError as error:
                return Plan(Route.REJECT, f"the parser gave nothing usable: {error}")
        parsed = self._parsed[1]
        heard = await self._heard(key, transcript.others)
        if heard < HEARD_AT and any(act.name == "tell" for act in parsed.acts):
            return Plan(Route.REJECT, f"other words sound like these and mean something else ({heard:.2f})")
        planned = planning.plan(replace(parsed, sure=parsed.sure * heard), *key)
        return planning.for_help(planned, key[0]) if "call_number" in self._vehicle.offers() else planned

    async def _heard(self, key: tuple[str, str], others: tuple[Hypothesis, ...]) -> float:
        """Probability that the words, or others that may have been said, mean what is made of them."""
        if not others:
            return 1.0
        if self._sounded is None or self._sounded[0] != (*key, others):
            self._sounded = (*key, others), await asyncio.to_thread(_same, self._parser, *key, others)
        return self._sounded[1]

    async def _meaning(self, written: str, context: str) -> Parsed:
        """What a sentence means, looked at in its parts where the whole is doubtful or has not all of theirs.

        Raises:
            schemas.errors.GenerationError: the parser gave nothing usable.
        """
        text, pieces = unconditional(spoken(written)), joined.parts(written)
        whole = planning.timed(spoken(written), await self._parse(text, context))
        if len((bare := joined.without_reasons(written)).split()) > 1 and bare != text:
            whole = await self._wish(bare, context, whole)
        if context and whole.sure < SURE_AT and joined.of_a_place(whole):
            whole = joined.own_place(whole, await self._parse(text, ""))
        if len(pieces) < 2 or takes_back(text):
            return whole
        found = await self._parts(pieces, context)
        if found is None:
            return whole
        lost = joined.lost(whole, pieces, await self._standing(pieces, found, context))
        doubtful = whole.sure < SURE_AT or left_over(text, whole.acts) is not None or unspoken(text, whole.acts)
        if not (doubtful or lost or joined.turned_round(whole, found)):
            return whole
        return joined.better(text, whole, pieces, found)

    async def _parse(self, text: str, context: str) -> Parsed:
        return await asyncio.to_thread(self._parser.parse, text, context)

    async def _wish(self, bare: str, context: str, whole: Parsed) -> Parsed:
        """What a wish with its reasons means, where it means something surely without them: "cancel that, he's rung me already"."""
        command = self._matcher.match(bare)
        if command is not None and (command.kind, command.name) == (CommandKind.CONTROL, "no"):
            return Parsed((Act("cancel"),), 1.0)
        if whole.sure >= SURE_AT:
            return whole
        try:
            wish = await self._parse(bare, context)
        except GenerationError:
            return whole
        return wish if wish.sure >= joined.SURE_PART else whole

    async def _parts(self, pieces: Sequence[str], context: str) -> list[Parsed] | None:
        """The parts of a sentence, each read by itself, and told of the one before where it points there or that is surer.

        None where one cannot be read.
        """
        found = list[Parsed]()
        for piece in pieces:
            command = self._matcher.match(piece)
            if command is not None and command.kind is CommandKind.ACTION and command.name in self._vehicle.offers():
                found.append(Parsed((Act(command.name, command.slots),), 1.0))
                continue
            told = context if not found else joined.did(found[-1].acts)
            try:
                points = bool(told) and joined.POINTS.search(piece) is not None
                part = await self._parse(piece, told if points else "")
                if told and not points and part.sure < joined.SURE_PART:
                    part = max(part, await self._parse(piece, told), key=lambda one: one.sure)
                found.append(part)
            except GenerationError:
                return None
        return found

    async def _standing(self, pieces: Sequence[str], found: Sequence[Parsed], context: str) -> list[Parsed]:
        """Readings of the parts; one is not sure where the part means something else after what was done before the sentence.

        "Forward a touch" is the music's by itself, and the backrest's once that was moved.
        """
        told = list[Parsed]()
        for piece, part in zip(pieces, found, strict=True):
            leans = bool(context) and part.sure >= joined.SURE_PART and self._matcher.match(piece) is None
            try:
                leans = leans and (await self._parse(piece, context)).acts != part.acts
            except GenerationError:
                leans = True
            told.append(replace(part, sure=0.0) if leans else part)
        return told

    async def look(
        self,
        acts: Sequence[Act],
        sure: float,
        transcript: Transcript,
        context: str,
        recent: RecentActions,
        *,
        answers: bool = False,
        left: Sequence[str] = (),
    ) -> Work:
        """What the acts come to that need neither memory nor an answer; nothing is done, stored or asked for.

        Args:
            acts: in their order.
            sure: probability of all of them.
            transcript: the utterance.
            context: what the parser was told.
            recent: what was done last.
            answers: they answer what was asked for.
            left: parts of the utterance that are in no act.
        """
        whole, transcript = transcript.text, transcript.model_copy(update={"text": errands.undated(transcript.text)})
        work, found, said = Work(), list[Action](), spoken(transcript.text)
        offers = self._vehicle.offers()
        done = (
            recent.done.name if recent.done is not None and recent.replaceable and recent.fresh(self._clock()) else ""
        )
        pointed = seen(said, planning.arranged(acts, done), await self._signals(), self._seat.units)
        for act in pointed.acts:
            if question := which_one(act, said, recent, self._clock()):
                work.needs, work.question = act, question
            elif act.name == "set_reminder" and errands.moved(said) and (waiting := await self._reminders()):
                again = resolving.waiting_one(act, spoken(whole), waiting, recent, self._clock())
                work.needs, work.among, work.slot, work.question = again.wish, again.among, "what", again.question
                work.gone, found = again.actions[:1], [*found, *again.actions[1:]]
            elif act.is_action:
                self._worked(act, whole, recent, work, found, alone=len(acts) == 1)
            elif act.name == "choose":
                action = resolving.chosen(act, said, recent)
                found += (action,) if action is not None else ()
                work.said += [(len(found), resolving.nothing_chosen(recent))] if action is None else []
            elif act.name == "cancel" and len(acts) > 1 and recent.fresh(self._clock()) and not recent.vain:
                found.append(parse_action("undo", {}))
            elif sure < {"cannot": REFUSE_AT, "refrain": REFRAIN_AT}.get(act.name, 0.0):
                if len(acts) == 1:
                    work.said.append((0, responder.NOT_UNDERSTOOD))
            elif act.name != "tell" and not about_memory(act):
                self._said(act, said, work, len(found), alone=len(acts) == 1)
        work.said += [(len(found), text) for text in (*pointed.says, *map(responder.not_read, left))]
        said = unconditional(said, acts)
        if contrary(pointed.acts):
            work.said.append((0, responder.CONTRARY))
            found.clear()
        work.actions = tuple(dict.fromkeys(found))
        wished = unconditional(joined.without_reasons(transcript.text), acts) or said
        for words in pointed.heeded:
            said, wished = said.replace(words, " ", 1), wished.replace(words, " ", 1)
        # "it's nine o'clock, open the roof": nine is no amount of it
        amount = left_over(wished, acts) if not all(action.query for action in work.actions) else None
        copied, guessed = copies(said, acts) and not pointed.copied, False
        if amount is not None or copied:  # an offer of an amount that nobody said would hide what it leaves out
            counted = [resolve(act, offers).action for act in acts if act.is_action and not amount_guessed(act, said)]
            several = len(acts) > 1
            guessed = not several or not all(one.query or one in counted for one in work.actions)
            work.actions = tuple(one for one in work.actions if one.query or several or (one in counted and not copied))
            rest = responder.COPIES if amount is None else responder.for_what(amount, alone=not work.actions)
            work.said.append((len(found), rest))
            work.needs = None
        self._judged(pointed, sure, transcript, context, work, answers=answers)
        work.ask_first = work.ask_first or (guessed and any(not action.query for action in work.actions))
        # nobody is thanked for what may have been no praise
        work.said = [one for one in work.said if not (work.ask_first and one[1] in _COURTESIES)]
        work.actions = self._in_place(work, said, recent)
        return work

    def _in_place(self, work: Work, said: str, recent: RecentActions) -> tuple[Action, ...]:
        """The actions, after what makes room for them."""
        if work.gone or len(work.actions) != 1:
            return (*work.gone, *work.actions) if work.actions else ()
        return replacing(resolving.another(work.actions[0], said, recent, self._clock()), said, recent, self._clock())

    def _judged(
        self, pointed: Seen, sure: float, transcript: Transcript, context: str, work: Work, *, answers: bool
    ) -> None:
        """Whether a yes is needed first, and whether there is anything to offer at all."""
        if pointed.unnamed:
            work.ask_first = bool(work.actions)
            return
        said = unconditional(spoken(transcript.text), pointed.acts)
        guessed = not answers and not pointed.grounds and sure < SURE_AT
        wordless = any(
            sure < (GUESS_CAREFUL_AT if careful(action) else GUESS_AT) and not names(action, said)
            for action in work.actions
        )
        if guessed and (wordless or any(against(said, action) for action in work.actions)):
            work.actions, work.needs = (), None
            work.why = (
                "a guess without a word for it" if wordless else "a guess of which the words ask for the opposite"
            )
            work.said = [(0, responder.NOT_UNDERSTOOD)]
            return
        work.why = (
            "" if answers else doubt(said, pointed.acts, work.actions, context, self._vehicle.offers(), pointed.grounds)
        )
        moving = not all(action.query for action in work.actions)
        if work.actions and not answers and (clause := unheeded(said, pointed.acts)):
            if any(against(clause, action) for action in work.actions):  # "open it but keep it closed"
                work.actions, work.said = (), [(0, responder.CONTRARY)]
                return
            work.said.insert(0, (0, responder.not_done(clause, transcript.text)))
            if rules_out(clause, pointed.acts):  # what is left without it is what was turned down
                work.actions = ()
                return
        elif moving and not answers and (thing := unspoken(said, pointed.acts)):
            work.said.insert(0, (0, responder.unsure_of(thing)))
        heard_badly = transcript.confidence < 1.0 and any(map(careful, work.actions))
        unsure = sure < (ANSWERS_AT if answers else SURE_AT) or heard_badly
        work.ask_first = (bool(work.why) or unsure) and not all(action.query for action in work.actions)
        if work.ask_first:
            work.first = tuple(action for action in work.actions if action.query)
            work.actions = tuple(action for action in work.actions if not action.query)

    async def _signals(self) -> Mapping[str, object]:
        """What the car's signals are; none where it cannot be reached."""
        try:
            return (await self._vehicle.state()).values
        except VehicleError:
            return {}

    async def work(
        self,
        plan: Plan,
        transcript: Transcript,
        context: str,
        recent: RecentActions,
        *,
        conversation: str,
        moving: bool,
        answers: bool = False,
    ) -> Work:
        """What the acts of a plan come to. Memory is told and asked on the way; nothing in the car is done.

        Args:
            plan: with its acts.
            transcript: the utterance.
            context: what the parser was told.
            recent: what was done last.
            conversation: id of the running conversation.
            moving: whether the car moves.
            answers: its acts answer what was asked for.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        work = await self.look(plan.acts, plan.asks, transcript, context, recent, answers=answers, left=plan.left)
        asks = bool(work.actions) and len(plan.acts) == 1 and all(action.query for action in work.actions)
        alone, told = [act.name for act in plan.acts], ""
        questions = alone in (["none"], ["tell"]) and lately.asks(transcript.text)  # "and rita's is still the same?"
        if asks or alone == ["cannot"] or questions:  # the driver may have told it
            told_me = _TOLD_ME.search(transcript.text) is not None
            knows = asks and not told_me and await self._knows(work.actions)
            beyond = " ".join(map(called, work.actions)) if knows else None
            unasked = not (told_me or _of_the_car(plan.acts))
            told = await asyncio.to_thread(
                self._talk.answered, transcript.text, moving=moving, unasked=unasked, beyond=beyond
            )
            work.actions, work.said = ((), [(0, told)]) if told else (work.actions, work.said)
        before = 0
        for act in plan.acts:
            before += act.is_action
            if act.name == "tell" and planning.by_liking(spoken(transcript.text)):
                work.said.append((before, responder.NOTHING_TO_FOLLOW))
            elif act.name == "tell" and not told and (len(plan.acts) == 1 or plan.asks >= TOLD_AT):
                said = await self._told(transcript.text, conversation, work)
                if (work.decision is not None and work.decision.preference is not None) or not work.actions:
                    work.said.append((before, said))
            elif about_memory(act):
                alone = len(plan.acts) == 1
                said = await self._of_memory(act, transcript.text, conversation, work, moving=moving, alone=alone)
                work.said.append((before, said))
        if len(plan.acts) == 1:
            await self.fill(plan.acts[0], transcript, work)
        return work

    async def _knows(self, questions: Sequence[Action]) -> bool:
        """Whether the car has an answer to each of these: without a calendar it knows no day of the driver's."""
        results = [await self._vehicle.foresee(question) for question in questions]
        return not any(one is not None and one.status in (ActionStatus.DENIED, ActionStatus.FAULT) for one in results)

    async def fill(self, act: Act, transcript: Transcript, work: Work, *, ahead: bool = False) -> None:
        """Let memory fill what was left open ("play some music"), if it knows something that fits.

        Args:
            act: the only one of the utterance.
            transcript: the utterance.
            work: what it came to so far, where this is put.
            ahead: it is only looked what would come of it.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        if work.said or not act.is_action or not resolving.left_open(act):
            return
        memory = self._seat.memory
        name = "find_place" if act.name == "list_places" and "near" not in act.slots else act.name
        filled = await asyncio.to_thread(
            partial(fill, ahead=ahead), memory, transcript.text, name, act.slots, await self._vehicle.circumstances()
        )
        if filled.action is None or filled.action.name not in self._vehicle.offers():
            return
        if self._seat.memory is memory:  # nobody else took over meanwhile
            work.actions, work.used, work.ask_first = (filled.action,), filled.used, False
            work.needs, work.question = None, ""

    def _worked(
        self, act: Act, text: str, recent: RecentActions, work: Work, found: list[Action], *, alone: bool
    ) -> None:
        """What an act of the car comes to, with the person, the place and the day that are meant."""
        said, now = spoken(text), self._clock()
        act, among = whom(act, text, recent.spoken_of(now))
        if among:
            work.needs, work.among, work.question = act, among, responder.which(among)
            return
        goal_told = recent.fresh(now) and any(action.to_place for action in recent.actions[-1:])
        place = str(recent.answer.get("name", "")) if goal_told else ""
        dated = on_day(placed(act, said, place), said, now)
        if dated is None:
            too_far = responder.WHICH_DAY if act.name == "set_reminder" else responder.ONLY_TOMORROW
            work.said.append((len(found), too_far))
            return
        dated = in_seconds(dated, said)
        self._resolved(to_share(dated, said) if alone else dated, self._vehicle.offers(), work, found)

    async def _reminders(self) -> Sequence[Mapping[str, object]]:
        """The reminders that are set."""
        result = await self._vehicle.foresee(parse_action("get_timers", {"kind": "reminder"}))
        return result.answer.get("timers") or () if result is not None else ()

    def _resolved(self, act: Act, offers: frozenset[str], work: Work, found: list[Action]) -> None:
        resolved = resolve(act, offers)
        if resolved.action is not None and (question := lacks_time(resolved.action)):
            work.needs, work.question = act, question
        elif resolved.action is not None:
            found.append(self._seat.units.as_meant(resolved.action))
        elif resolved.needs:
            work.needs, work.question = act, resolved.needs
        else:
            work.said.append((len(found), resolved.says))

    def _said(self, act: Act, text: str, work: Work, before: int, *, alone: bool) -> None:
        """What needs words alone."""
        said = self._answered(act, text, alone=alone)
        if said:
            work.said.append((before, said))
        work.ends = work.ends or act.name == "stop"

    def _answered(self, act: Act, text: str, *, alone: bool) -> str:
        if act.name == "cannot":
            return refusal(str(act.slots.get("topic", "other")), text if alone else "", self._vehicle.offers())
        if act.name in ("repeat", "get_last", "why"):  # what these are about changes while the others are done
            return responder.THE_REST
        if act.name in CONTROLS and CONTROLS[act.name] in responder.SMALL_TALK:
            said = responder.SMALL_TALK[CONTROLS[act.name]]
            return said if alone else said.removesuffix(responder.INVITES)
        alone_only = responder.CANCELLED if act.name == "refrain" and alone else ""
        return responder.HELP if act.name == "help" else alone_only

    async def _told(self, text: str, conversation: str, work: Work) -> str:
        """Learn from what the driver has just told, which was noted."""
        decisions = await asyncio.to_thread(self._seat.memory.learn_pending, conversation, text)
        said, work.decision = self._talk.told(decisions, text)
        return said

    async def _of_memory(self, act: Act, text: str, conversation: str, work: Work, *, moving: bool, alone: bool) -> str:
        """What is said to an act about memory, once it is done."""
        about = str(act.slots.get("about") or act.slots.get("what") or act.slots.get("name") or "")
        key = self.key(about)
        if act.name in COMMANDS:
            name, slots = COMMANDS[act.name], {**DEFAULTS.get(act.name, {}), **act.slots}
            return self._command(name, slots, conversation, moving=moving)
        match act.name:
            case "recall":
                if key is not None or not about:
                    return self._talk.what(key, moving=moving, question=text)
                told = await asyncio.to_thread(self._talk.answered, text, moving=moving)
                return told or self._talk.about(about, moving=moving, question=text)
            case "talked":
                return talks.talked(self._seat, text, self._clock(), moving=moving, about=about)
            case "remember":
                whole = text if alone and self._seat.memory.keeps(text) else about
                seen = await self._signals()
                said, work.decision = self._talk.remember(whole, seen) if whole else self._talk.remember_that()
                return said
            case "forget" if not about:
                return self._talk.forget_that(conversation)
            case "forget":
                return self._talk.forget_named(about, key, text)
            case "opt_out" | "opt_in":
                keys = [key] if key else [found for part in naming.BETWEEN.split(about) if (found := self.key(part))]
                told = [self._command(act.name, {"category": one}, conversation, moving=moving) for one in keys]
                return " ".join(told) or responder.WHICH_TOPIC
            case _:  # switch_driver
                drivers = self._drivers.names if self._drivers is not None else ()
                named = [driver for driver in drivers if driver.replace("_", " ") == about]
                if named:
                    return self._talk.switch(named[0])
                own = told_name(text, about) if self._seat.memory.driver not in {*drivers} - {UNNAMED} else ""
                return self._knowing.obey({"name": own}) if own else responder.NO_SUCH_DRIVER

    def _command(self, name: str, slots: Mapping[str, object], conversation: str, *, moving: bool) -> str:
        return self._talk.handle(
            Command(kind=CommandKind.MEMORY, name=name, slots=dict(slots)), conversation, moving=moving
        )

    def is_request(self, text: str) -> bool:
        """Whether words surely ask for something that the car does."""
        try:
            parsed = self._parser.parse(spoken(text), "")
        except GenerationError:
            return False
        return parsed.sure >= SURE_AT and all(act.is_action for act in parsed.acts)

    def done_by(self, words: str) -> Act | None:
        """The act of the car that words in their spoken form name; None where they surely name none."""
        command = self._matcher.match(words)
        if command is not None and command.kind is CommandKind.ACTION:
            return Act(command.name, command.slots)
        try:
            parsed = self._parser.parse(words, "")
        except GenerationError:
            return None
        named = [act for act in parsed.acts if act.is_action and not BY_NAME[act.name].query]
        return named[0] if named and parsed.sure >= OFFERED_AT else None

    def key(self, about: str) -> str | None:
        """The category that free words name, by one of the names that it has."""
        if not about:
            return None
        command = self._matcher.match(f"what do you know about my {about}")
        if command is not None and "category" in command.slots:
            return str(command.slots["category"])
        return naming.category(about)


_TOLD_ME = re.compile(
    r"\b(?:i|we) (?:just )?(?:told|said|mentioned|gave)\b|\bdid i (?:tell|say|mention|give)\b", re.IGNORECASE
)
"""Words that ask for what the driver said, and not for what the car measures."""


def _of_the_car(acts: Sequence[Act]) -> bool:
    """Whether it asks where the car was parked, which memory alone may know."""
    return [(act.name, act.slots.get("topic")) for act in acts] == [("cannot", "parked_car")]


_COURTESIES = frozenset(responder.SMALL_TALK[name] for name in ("thanks", "praise", "blame"))
"""Replies to a kind or an unkind word."""
