"""What an utterance means, and which event that is for what is open.

Owns the order in which it is looked for: the answer to a choice, a complete command, what only means something after what was done,
the parser. Does nothing, notes nothing and says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from models.text import contains, spoken
from schemas.actions import Action, CancelTimer, Domain, ForgetPreference, Undo, parse_action
from schemas.actions.acts import Act
from schemas.events import Command, CommandKind, Reply, Route, Transcript
from schemas.kinds import Wish as Told
from schemas.ports import CommandMatcher, Drivers, Encoder, VehiclePort
from schemas.seat import Seat
from voice.dialogue import errands, followup
from voice.dialogue.acts import planning
from voice.dialogue.acts.resolving import replacing
from voice.dialogue.acts.sentence import context
from voice.dialogue.acts.sentence.parsing import Parsing
from voice.dialogue.coordinator import Coordinator, Plan
from voice.dialogue.forgetting import erasing, naming
from voice.dialogue.knowing import lately
from voice.dialogue.knowing import reading as knowing
from voice.dialogue.memory import wishes
from voice.dialogue.open import reading, which
from voice.dialogue.open.table import Event
from voice.dialogue.open.things import (
    Asked,
    Choice,
    Confirmation,
    Forgetting,
    Introducing,
    Missing,
    Offer,
    Remembering,
)
from voice.dialogue.recent import JOKE, RecentActions
from voice.dialogue.replies import responder
from voice.dialogue.replies.at_once import at_once

_ANSWERS = frozenset({Event.YES, Event.NO, Event.CALLED_OFF, Event.FITS, Event.AGAIN, Event.STOP})
"""Events that settle a question of memory, or ask for it again."""


SURELY_AT = 0.5
"""Probability from which on the parser outweighs the marks of a wish to have something kept. Our choice: of 4,000 of our lines that
ask for nothing to be kept the marks alone took 51 for such a wish, 36 of which the parser read with more than that as
something of the car, or as something that it lacks (docs/log.md)."""
_ROUND = re.compile(
    r"^(?:(?:okay|ok|all ?right|so|well|now|um|uh|er|erm|hmm|oh|ah|hey|please|sorry|cool|great|perfect|lovely|thanks|"
    r"love|mate|darling|dear|do(?! (?:not|you|i|we|they)\b))\b[ ,.!]*)+|"
    r"(?:[ ,.!]+(?:then|now|please|thanks|thank you|ta|cheers|mate|(?:would|will|could|can) you))+[ .!?]*$",
    re.IGNORECASE,
)
"""Words around a command that ask for nothing: "okay, lock the doors then"."""
_FROM_NOW = frozenset({"private_trip", "pause_learning", "opt_out"})
"""Acts and commands after which less is kept."""
_MISTAKEN = frozenset({"set_reminder", "undo"})
"""Actions for which a wish to have something kept is taken: "don't let me forget that", "make a note of it"."""
_REMINDERS = Act("get_timers", {"kind": "reminder"})
_FORGETS = frozenset({"forget", "forget_period"})
_ASKS, _TALKS = ("talked", "recall"), ("talked", "recall", "tell")
_STEPPED = frozenset({Domain.CLIMATE, Domain.SEATS, Domain.LIGHTS, Domain.DISPLAY})
"""What goes by steps, too, and is no sound."""
_IT = re.compile(r"\bturn it\b")
_INSTEAD = re.compile(
    r"(?:(?:now|these days|nowadays|actually) )*(?:i|i'm|we|we're|it's|my|our)\b(?!.* (?:it|that|this|them|those|him|her)\b)"
)
"""How words begin that tell what holds in the place of what is to be forgotten; what only points back to that tells nothing."""
_APART = re.compile(r"(?:[,;.:!?–—-]|\b(?:but|because))\W*(?:(?:and|now|so|these days|actually|then)\W+)*$")
"""What parts it from the rest: "and" alone may join two things that are to be forgotten."""
_NAMES_ONE = re.compile(r"(?:the|my|our|that|those|these) ")
ERRANDS = frozenset({"set_timer", "set_reminder", "cancel_timer", "get_timers"})
"""What is about timers and reminders."""
STOP_OFF = Plan(Route.FAST, "the stop is no longer wanted", meant=(Undo(),))


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance, and what it means."""

    heard: Transcript
    plan: Plan
    event: Event
    at: datetime
    open_: Asked | None
    """What was open."""
    recent: RecentActions
    """What was done last when it was said."""
    noted: bool
    """Whether memory is told. Talk about memory is not noted: it would be kept as something that the driver told."""
    about_memory: bool
    """Talk about memory, and nothing else."""
    rest: str = ""
    """What else was asked for, a complete command: dealt with first, as an utterance of its own."""

    @property
    def context(self) -> str:
        """What the parser was told."""
        return context.context(self.open_, self.recent, self.at)

    @property
    def errand(self) -> bool:
        """Whether it is about a timer or a reminder: what is called so leaves no trace beside it."""
        command = () if self.plan.command is None else (self.plan.command.name,)
        names = (*command, *(act.name for act in self.plan.acts), *(action.name for action in self.plan.meant))
        return not ERRANDS.isdisjoint(names)

    @property
    def answers(self) -> bool:
        """Whether it answers what was asked for."""
        return self.event is Event.FITS and isinstance(self.open_, Missing | Choice)

    @property
    def acts(self) -> tuple[Act, ...]:
        """Its acts, with what was begun before."""
        wish = self.open_.wish if self.answers and isinstance(self.open_, Missing | Choice) else None
        return self.plan.acts if wish is None else tuple(act.completing(wish) for act in self.plan.acts)

    def reply(self, text: str = "", *, ends: bool = False) -> Reply:
        """A reply to it."""
        return Reply(text=text, route=self.plan.route, reason=self.plan.reason, ends_conversation=ends)


def _forgets(name: str, slots: Mapping[str, str | int]) -> Plan:
    return Plan(Route.MEMORY, "asked to forget", Command(kind=CommandKind.MEMORY, name=name, slots=dict(slots)))


def _orders(plan: Plan) -> bool:
    """Whether it surely asks for something of the car."""
    ordered = plan.command is not None and plan.command.kind is CommandKind.ACTION
    return plan.asks >= SURELY_AT and (ordered or any(act.is_action for act in plan.acts))


class Understanding:
    """Understands utterances."""

    def __init__(
        self,
        *,
        seat: Seat,
        vehicle: VehiclePort,
        matcher: CommandMatcher,
        clock: Callable[[], datetime],
        coordinator: Coordinator,
        parsing: Parsing,
        drivers: Drivers | None,
        encoder: Encoder | None,
    ) -> None:
        """Over the parts of a dialogue; without an encoder a wish to have something forgotten is told by its words alone."""
        self._encoder = encoder
        self._seat, self._vehicle, self._matcher, self._clock = seat, vehicle, matcher, clock
        self._coordinator, self._parsing, self._drivers = coordinator, parsing, drivers

    async def turn(
        self, transcript: Transcript, open_: Asked | None, recent: RecentActions, *, addressed: bool = True
    ) -> Turn:
        """What an utterance means.

        Args:
            transcript: what was heard.
            open_: what is open.
            recent: what was done last.
            addressed: False in the follow-up window.

        Raises:
            schemas.errors.GloveboxError: a model or the vehicle failed.
        """
        transcript = self._without_all_else(transcript)
        wish = self._wished(transcript)
        plan, rest = self._called_off(wish, recent) if open_ is None else None, ""
        if wish is not None and plan is None:
            about = spoken(wish.about) if wish.about else ""
            stops = self._is_stop(about, recent)
            plan, rest = (STOP_OFF, wish.rest) if stops else self._to_forget(wish, open_)
        known = plan is not None
        plan = plan or await self._planned(transcript, open_, recent)
        if self._coordinator.heard(transcript):
            plan = planning.going_back(plan, spoken(transcript.text), told=recent.told > 0)
        if wish is not None and wish.only_heard and not known and self._seat.memory.discloses(transcript.text):
            wish = None  # names nothing that is remembered and tells something: the network alone takes it for a wish
            plan = plan if plan.acts or plan.command is not None else Plan(Route.MODEL, "told", acts=(Act("tell"),))
        if wish is None and self._only_sounds(
            plan, transcript.text
        ):  # "i wish i could forget that", "forget it, i'll walk"
            plan = replace(plan, command=None, acts=(Act("chat"),))
        if wish is not None and known and (wish.only_heard or wish.doubtful):  # "get rid of this reggae"
            parsed = await self._planned(transcript, open_, recent)
            least = SURELY_AT if parsed.only(*_ASKS) and not wish.surely else wish.heard
            talks = wish.only_heard and parsed.only(*_TALKS)
            other = (_orders(parsed) or talks) and parsed.asks >= least  # of what is remembered, the wish only asks
            plan, known, rest, wish = (parsed, False, "", None) if other else (plan, known, rest, wish)
        named = " and ".join(str(act.slots.get("about", "")) for act in plan.acts) if plan.only("forget") else ""
        if named and self._is_stop(named, recent):
            plan, known = STOP_OFF, True
        if wish is not None and wish.what is erasing.What.NAMED:
            topicless = [act.name for act in plan.acts] == ["opt_out"] and not self._has_topic(plan.acts[0])
            unknown = (wish.surely or topicless) and not known and not self._other(plan)
            if unknown or planning.sets(plan):  # a number that is to be forgotten is no order
                plan = _forgets("forget_words", {"words": wish.about, "whole": wish.whole})
                rest = wish.rest or rest
            elif wish.doubtful and not known and named:  # nothing is guessed
                plan = _forgets("forget_words", {"words": named})
        text = transcript.text if self._coordinator.heard(transcript) else ""
        if text and not isinstance(open_, Introducing):
            plan = knowing.instead(plan, text, self._seat.memory.period)
        plan = planning.noted(plan if open_ is None else planning.beside_a_no(plan), text)
        if wish is None and text and self._to_keep(plan, text, open_):
            plan = Plan(Route.MODEL, "asked to have it kept", acts=(Act("remember", {"about": text}),), asks=1.0)
        plan = await self._by_itself(plan, transcript, open_) if text else plan
        about_memory = self._about_memory(plan, text)
        reply = at_once(plan, transcript, self._matcher)
        event = reading.read(
            open_,
            text,
            plan,
            addressed=addressed,
            meant=planning.meant(plan) if plan.acts else plan.route is not Route.REJECT,
            known=reply is not None and reply.text not in responder.UNKNOWN,
        )
        if about_memory and event in (Event.UNCLEAR, Event.UNMEANT):
            event = Event.OTHER
        settles = isinstance(open_, Forgetting | Remembering | Introducing | Offer) and event in _ANSWERS
        lost = event in (Event.WHY, Event.UNMEANT) or (open_ is not None and event is Event.UNCLEAR)
        noted = not (about_memory or settles or lost)
        return Turn(transcript, plan, event, self._clock(), open_, recent, noted, about_memory, rest)

    async def _by_itself(self, plan: Plan, transcript: Transcript, open_: Asked | None) -> Plan:
        """The plan, or what the words mean apart from it and from what is open: something that lasts, a secret, a question."""
        if planning.may_tell_secret(plan, spoken(transcript.text)) and self._seat.memory.secret(transcript.text):
            return Plan(Route.MODEL, "tells a secret, and asks for nothing", acts=(Act("tell"),), asks=1.0)
        one = open_ is None and plan.command is None and not plan.meant and sum(act.is_action for act in plan.acts) == 1
        if one and self._seat.memory.lasts(transcript.text, plan.asks):
            return Plan(Route.MODEL, "what lasts, and no order", acts=(Act("tell"),), asks=1.0)
        if not planning.nothing(plan):
            return plan
        if isinstance(open_, Confirmation | Missing | Choice):
            alone = await self._parsing.plan(transcript, "")
            if alone.asks >= planning.SURELY and alone.acts and all(map(planning.harmless, alone.acts)):
                return alone
        if lately.asks(transcript.text) and naming.waiting(self._seat.memory, transcript.text, mostly=True):
            return Plan(Route.MODEL, "asked about a reminder that waits", acts=(_REMINDERS,), asks=1.0)
        return plan

    def _wished(self, transcript: Transcript) -> erasing.Wish | None:
        """The wish to have something forgotten; a complete command stays what it is."""
        known = errands.moved(spoken(transcript.text)) or self._matcher.match(transcript.text)
        if not self._coordinator.heard(transcript) or (known is not None and known.name != ForgetPreference.name):
            return None
        beside = partial(self._asks_or_tells, transcript.text)
        return erasing.wish(transcript.text, beside, self._told_of(transcript.text))

    def _asks_or_tells(self, whole: str, part: str) -> bool:
        """Whether a part asks for something else, or tells what holds instead: "scrap that, it's blues i love"."""
        return self.is_order(part) or self.tells_instead(whole, part) != ""

    def tells_instead(self, whole: str, part: str) -> str:
        """A part of a wish to have something forgotten as it was said, where it tells what holds in its place; else empty."""
        found = re.search(r"[^\w']+".join(map(re.escape, part.split())), whole, re.IGNORECASE) if part else None
        if found is None or _INSTEAD.match(part) is None or _APART.search(whole[: found.start()].lower()) is None:
            return ""
        named = naming.named(self._seat.memory, part, None) is not None
        return found.group() if not named and self._seat.memory.tells(found.group()) else ""

    def is_order(self, part: str) -> bool:
        """Whether a part of a wish to have something forgotten asks for something else, and does not name one more thing."""
        if _NAMES_ONE.match(part) is not None and naming.named(self._seat.memory, part, None) is not None:
            return False
        return self._coordinator.is_order(part) or (" " in part and self._parsing.is_request(part))

    def _only_sounds(self, plan: Plan, text: str) -> bool:
        """Whether words, no complete command, only sound to the parser like a wish to have something forgotten."""
        last = plan.command is not None and plan.command.name == "forget_last" and self._matcher.match(text) is None
        forgets = last or plan.only(*_FORGETS)
        return forgets and (erasing.left(text) or erasing.unmeant(self._told_of(text)))

    def _told_of(self, text: str) -> Mapping[Told, float] | None:
        """What memory is asked for, as the network hears it."""
        return None if self._encoder is None else self._encoder.wishes(spoken(text))

    def _without_all_else(self, transcript: Transcript) -> Transcript:
        """The utterance without the words that say that all else may wait."""
        if transcript.in_grammar or not self._coordinator.heard(transcript):
            return transcript
        order = erasing.after_all_else(transcript.text, self.is_order, self._told_of(transcript.text))
        known = order != "" and self._matcher.match(order) is not None
        return transcript.model_copy(update={"text": order, "in_grammar": known}) if order else transcript

    def _other(self, plan: Plan) -> bool:
        """Whether it surely asks for something of the car, or for nothing to be kept from now on, of a topic that there is."""
        if plan.asks < SURELY_AT:
            return False
        if plan.command is not None:
            return plan.command.name in _FROM_NOW
        named = (act.is_action or (act.name in _FROM_NOW and self._has_topic(act)) for act in plan.acts)
        return bool(plan.acts) and all(named)

    def _has_topic(self, act: Act) -> bool:
        return act.name != "opt_out" or naming.key(self._matcher, str(act.slots.get("about", ""))) is not None

    def _called_off(self, wish: erasing.Wish | None, recent: RecentActions) -> Plan | None:
        """The plan for "delete this one" right after a timer or a reminder was set or told of; None for all else."""
        last = recent.actions[-1] if recent.fresh(self._clock()) and not recent.since else None
        if last is None or wish is None or wish.what is not erasing.What.LAST or wish.rest:
            return None
        if last.name in ("set_timer", "set_reminder") and recent.done == last:
            return Plan(Route.FAST, "what was set just now is no longer wanted", meant=(Undo(),))
        if last.name != "get_timers":
            return None
        kind = str(recent.answer.get("kind", "timer"))
        told = recent.answer.get("timers") or ()
        if not told:
            kind, told = "reminder" if kind == "timer" else "timer", recent.answer.get("others") or ()
        label = str(told[0]["label"]) if len(told) == 1 else ""
        cancels = Act("cancel_timer", {"kind": kind, **({"label": label} if label else {})})
        return Plan(Route.MODEL, "what was told of is no longer wanted", acts=(cancels,)) if told else None

    def _is_stop(self, about: str, recent: RecentActions) -> bool:
        """Whether words name the stop that was put on the route last: "forget the coffee"."""
        last = recent.done if recent.fresh(self._clock()) else None
        if last is None or last.name not in ("find_on_route", "add_stop") or not about:
            return False
        had = last.slots()
        named = (self._matcher.match(f"find a {about}{place} on the way") for place in ("", " shop", " station"))
        kinds = {command.slots.get("kind") for command in named if command is not None}
        return had.get("kind", about) in kinds or contains(" ".join(map(str, had.values())), about)

    def _to_keep(self, plan: Plan, text: str, open_: Asked | None) -> bool:
        """Whether memory is asked to keep what was said; a complete command and an answer stay what they are."""
        if plan.command is not None or plan.meant or open_ is not None:
            return False
        if not plan.acts and wishes.told(text) is not None:  # says so by itself
            return False
        others = [act for act in plan.acts if not planning.about_memory(act) and act.name != "tell"]
        beside = any(act.name == "remember" for act in plan.acts) and any(act.is_action for act in others)
        if beside or not self._seat.memory.keeps(text):
            return False
        if (self._told_of(text) or {}).get(Told.KEEP, 0.0) >= SURELY_AT:  # the marks and the wish agree
            sure = plan.asks >= planning.SURELY  # a reminder that has its time
            others = [a for a in others if a.name not in _MISTAKEN or (sure and a.slots.keys() - {"what"})]
            others = [a for a in others if a.name != "set_reminder" or contains(spoken(text), str(a.slots.get("what")))]
        other = plan.asks >= SURELY_AT and any(act.name not in planning.NOT_MEANT for act in others)
        return not other and len(others) < 2 and "set_reminder" not in {act.name for act in others}

    def _to_forget(self, wish: erasing.Wish, open_: Asked | None) -> tuple[Plan | None, str]:
        """The plan for such a wish, which comes before all else and only ever asks, and what else was asked for.

        None where it names nothing that is remembered: it may ask for something else ("bin the directions"); and where it answers a
        question about forgetting.
        """
        match wish.what:
            case erasing.What.LAST if isinstance(open_, Forgetting):
                return None, ""
            case erasing.What.LAST:
                asked = {"proposal": open_.proposal.id} if isinstance(open_, Remembering) and open_.proposal else {}
                return _forgets("forget_said", asked), wish.rest
            case erasing.What.ALL if wish.about and self._seat.memory.period(wish.about) is not None:
                return self._named(replace(wish, what=erasing.What.NAMED))
            case erasing.What.ALL:
                return _forgets("forget_everything", {}), wish.rest
            case erasing.What.REMINDER:
                return self._reminder(naming.waiting(self._seat.memory, wish.about), wish.rest)
            case erasing.What.NAMED if (
                isinstance(open_, Forgetting) and (erasing.counted(wish.about) or (0, "-"))[1] == ""
            ):
                return None, ""
            case erasing.What.NAMED:
                return self._several(wish) or self._named(wish)

    def _several(self, wish: erasing.Wish) -> tuple[Plan, str] | None:
        """The same for a number of things of a kind that there is, or of those that were spoken of."""
        counted, memory = erasing.counted(wish.about), self._seat.memory
        if counted is None:
            return None
        count, kind = counted
        category = naming.key(self._matcher, kind)
        there = naming.of_kind(memory, kind, category) if kind else (*memory.preferences(), *memory.facts())
        if not there and category is None:
            return None
        slots = {"words": wish.about, "whole": wish.whole, "count": count, "kind": kind}
        return _forgets("forget_words", slots | ({"category": category} if category else {})), wish.rest

    def _named(self, wish: erasing.Wish) -> tuple[Plan | None, str]:
        """The same for what words name: those that say what it is, else, where it is surely about memory, the whole utterance."""
        key, memory = partial(naming.key, self._matcher), self._seat.memory
        category = key(wish.about.removeprefix("my ").removeprefix("favourite ")) or key(naming.bare(wish.about))
        if wish.from_now:
            category = category or naming.kind_of(memory, wish.about)
            if category is not None:
                command = Command(kind=CommandKind.MEMORY, name="opt_out", slots={"category": category})
                return Plan(Route.MEMORY, "asked to keep nothing of that kind", command), wish.rest
        if naming.named(memory, wish.about, category) is None:
            if wish.from_now:
                return None, ""
            label = naming.waiting(memory, wish.about, mostly=True)
            if label:
                return self._reminder(label, wish.rest)
            fits = memory.fitting(wish.whole, wish.about, named=wish.doubtful) if wish.whole else ()
            if not fits:
                return None, ""
            if wish.rest and memory.fitting(wish.rest) == fits:  # "wave massage, clear it out of my profile"
                wish = replace(wish, rest="")
        slots = {"words": wish.about, "whole": wish.whole} | ({"category": category} if category else {})
        return _forgets("forget_words", slots), wish.rest

    def _reminder(self, label: str, rest: str) -> tuple[Plan | None, str]:
        cancels = Act("cancel_timer", {"kind": "reminder", "label": label})
        return (Plan(Route.MODEL, "asked to forget a reminder", acts=(cancels,)), rest) if label else (None, "")

    def _about_memory(self, plan: Plan, text: str) -> bool:
        """Whether it is talk about memory: a command, acts of that kind alone, a wish in free words."""
        if plan.route is Route.MEMORY and plan.command is not None:
            return True
        if plan.acts:
            return all(planning.about_memory(act) for act in plan.acts)
        names = self._drivers.names if self._drivers is not None else ()
        return plan.command is None and wishes.wished(text, names)

    async def _planned(self, transcript: Transcript, open_: Asked | None, recent: RecentActions) -> Plan:
        """The coordinator's plan; what only means something after what was done becomes its actions."""
        parse = partial(self._parsing.plan, transcript, context.context(open_, recent, self._clock()))
        if isinstance(open_, Choice) and open_.wish is not None and self._coordinator.heard(transcript):
            name = which.names(open_, transcript.text)
            if name is not None:
                action = parse_action(open_.wish.name, {**open_.wish.slots, open_.slot: name})
                instead = (CancelTimer(kind="reminder", label=name),) if open_.slot == "what" else ()
                return Plan(Route.FAST, "one of several was named", meant=(*instead, action))
        dated = errands.undated(transcript.text) != transcript.text  # no template has words for a date
        if (dated or not transcript.in_grammar) and self._coordinator.heard(transcript):
            within = self._within(transcript.text) if open_ is None else None  # else "okay" may be a yes
            if within is None:
                return await parse()
            transcript = transcript.model_copy(update={"text": within, "in_grammar": True})
        plan = self._coordinator.plan(transcript)
        picks = plan.command is not None and plan.command.name == "pick"
        if picks and not isinstance(open_, Forgetting):  # "the second one" of something else
            return await parse()
        if transcript.confidence < 1.0 and plan.command is not None and plan.command.name == "set_temperature":
            plan = self._coordinator.plan(
                transcript.model_copy(update={"text": self._seat.units.likelier(transcript.text)})
            )
        recent = self._spoken_of(open_, recent)
        again = plan.command is not None and plan.command.name == "repeat" and "it" in plan.command.slots
        if again and recent.fresh(self._clock()) and recent.actions[-1].domain is Domain.MEDIA:
            restart = Command(kind=CommandKind.ACTION, name="set_playback", slots={"command": "restart"})
            plan = replace(plan, route=Route.FAST, command=restart)
        turned = self._turned(plan.command, transcript.text, recent)
        if turned:
            return replace(plan, command=None, meant=turned)
        if plan.command is None or plan.command.kind is not CommandKind.FOLLOW:
            return plan
        if plan.command.name == "follow_track" and recent.talk(self._clock()) == (JOKE,):
            return await parse()
        values = (await self._vehicle.state()).values if plan.command.name in followup.LOOKS else {}
        timed = followup.completed(open_.wish if isinstance(open_, Missing) else None, plan.command.slots)
        meant = (timed,) if timed else followup.meant(plan.command, recent, self._clock(), values)
        if len(meant) == 1 and plan.command.name not in followup.LOOKS:
            meant = replacing(meant[0], transcript.text, recent, self._clock())
        undone = recent.replaceable or not any(isinstance(action, Undo) for action in meant)
        meant = tuple(
            one for one in meant if one.name in self._vehicle.offers() and (undone or not isinstance(one, Undo))
        )
        return replace(plan, meant=meant) if meant else await parse()

    def _turned(self, command: Command | None, text: str, recent: RecentActions) -> tuple[Action, ...]:
        """What "turn it up" means where something else than sound was set just now."""
        last = recent.actions[-1] if recent.fresh(self._clock()) else None
        if command is None or command.name != "change_volume" or command.slots.keys() != {"change"}:
            return ()
        if _IT.search(text.lower()) is None or last is None or last.domain not in _STEPPED:
            return ()
        step = Command(kind=CommandKind.FOLLOW, name="follow_step", slots={"step": command.slots["change"]})
        meant = followup.meant(step, recent, self._clock())
        return meant if all(one.name in self._vehicle.offers() for one in meant) else ()

    def _within(self, text: str) -> str | None:
        """The complete command that a text is but for words around it that ask for nothing."""
        bare = _ROUND.sub("", text)
        command = None if bare == text else self._matcher.match(bare)
        return bare if command is not None and command.kind in (CommandKind.ACTION, CommandKind.FOLLOW) else None

    def _spoken_of(self, open_: Asked | None, recent: RecentActions) -> RecentActions:
        """What "it" is: what waits for a yes, else what was done last."""
        if isinstance(open_, Confirmation) and not any(isinstance(action, Undo) for action in open_.actions):
            return RecentActions(
                open_.actions, at=self._clock(), people=recent.people, named_at=recent.named_at, waits=True
            )
        return recent
