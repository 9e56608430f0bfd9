"""What the acts of an utterance come to: actions to be carried out, a question for what is missing, and what is said to the rest.

Owns the order in which the acts of one utterance are looked at. Carries out nothing in the car: the dialogue does, with what this
hands it. What is said to the acts about memory is ``voice.dialogue.acts.on_memory``'s.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from models.text import spoken
from schemas.actions import Action, parse_action
from schemas.actions.acts import Act
from schemas.errors import VehicleError
from schemas.events import ActionStatus, Transcript
from schemas.seat import Seat
from voice.dialogue import errands
from voice.dialogue.acts import planning, resolving
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
    unheeded,
    unspoken,
)
from voice.dialogue.acts.measured import in_seconds
from voice.dialogue.acts.on_memory import MemoryActs
from voice.dialogue.acts.planning import CONTROLS, GUESS_AT, GUESS_CAREFUL_AT, TOLD_AT, about_memory
from voice.dialogue.acts.resolving import on_day, placed, replacing, resolve, to_share, which_one, whom
from voice.dialogue.acts.seen import Seen, seen, unconditional
from voice.dialogue.acts.sentence import joined
from voice.dialogue.acts.sentence.parsing import SURE_AT
from voice.dialogue.acts.work import Work
from voice.dialogue.coordinator import Plan
from voice.dialogue.filling import fill
from voice.dialogue.followup import lacks_time
from voice.dialogue.knowing import lately
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.recent import RecentActions
from voice.dialogue.replies import responder
from voice.dialogue.replies.cannot import refusal
from voice.dialogue.validator import careful

REFUSE_AT = 0.4
"""Probability under which a refusal is no answer: of 168 single sentences of the suite three were, all to something else than was
asked."""
REFRAIN_AT = 0.3
"""The same for "Okay, I won't." Our choice: "the radio on, not too loud" is one of .2."""
ANSWERS_AT = 0.25
"""The same where the acts complete a wish that was asked about: a few words, which mean nothing else. Our choice."""


class Acting:
    """Works acts out."""

    def __init__(
        self,
        *,
        seat: Seat,
        vehicle: Sparing,
        talk: Remembering,
        memory: MemoryActs,
        clock: Callable[[], datetime],
    ) -> None:
        """Over the parts of a dialogue."""
        self._seat, self._vehicle, self._talk, self._memory, self._clock = seat, vehicle, talk, memory, clock

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
            elif act.name == "set_reminder" and (again := await self._again(act, said, whole, recent)) is not None:
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

    async def _again(self, act: Act, said: str, whole: str, recent: RecentActions) -> resolving.Again | None:
        """What becomes of a reminder that is set already and is wanted at another time; None where it is a new one."""
        moved = errands.moved(said) is not None
        waiting = await self._reminders() if moved or lately.corrects(said) else ()
        meant = act if moved else resolving.put_right(act, said, waiting)
        if not waiting or meant is None:
            return None
        return resolving.waiting_one(meant, spoken(whole), waiting, recent, self._clock())

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
        asked = lately.asks(transcript.text)
        told_now = alone == ["tell"] and not (asked and not self._seat.memory.tells(transcript.text))
        questions = asked and alone in (["none"], ["tell"]) and not told_now  # "and rita's is still the same?"
        beyond_it = alone == ["cannot"] and (asked or plan.acts[0].slots.get("topic") == "knowledge")
        if asks or beyond_it or questions:  # the driver may have told it
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
                said = await self._memory.told(transcript.text, conversation, work)
                if (work.decision is not None and work.decision.preference is not None) or not work.actions:
                    work.said.append((before, said))
            elif about_memory(act):
                alone = len(plan.acts) == 1
                said = await self._memory.of_memory(
                    act, transcript.text, conversation, work, moving=moving, alone=alone
                )
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
        if said := self._answered(act, text, alone=alone):
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


_TOLD_ME = re.compile(
    r"\b(?:i|we) (?:just )?(?:told|said|mentioned|gave)\b|\bdid i (?:tell|say|mention|give)\b", re.IGNORECASE
)
"""Words that ask for what the driver said, and not for what the car measures."""


def _of_the_car(acts: Sequence[Act]) -> bool:
    """Whether it asks where the car was parked, which memory alone may know."""
    return [(act.name, act.slots.get("topic")) for act in acts] == [("cannot", "parked_car")]


_COURTESIES = frozenset(responder.SMALL_TALK[name] for name in ("thanks", "praise", "blame"))
"""Replies to a kind or an unkind word."""
