"""The talk about knowing the driver: manners that are told, the first minute, the review of a day, suggestions and their silence.

Owns what such a talk needs to go on: which changes were told last, and whether something was suggested on this trip. What is kept
memory keeps and whoever speaks obeys it by the seat; what a suggestion does is done by the dialogue, through the gate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError

from schemas.actions import BY_NAME, Action, parse_action
from schemas.actions.base import PLACE_DETAILS
from schemas.errors import ConsentError, GloveboxError, UnknownEntryError
from schemas.events import ActionStatus, Command, Reply
from schemas.manners import INTRODUCTION, LINES, MANNERS, SUGGESTIONS, Change, Habit, Review
from schemas.memory import Kind, Period
from schemas.seat import Seat
from voice.dialogue.filling import fitting
from voice.dialogue.knowing import reading, saying
from voice.dialogue.memory.question import finished
from voice.dialogue.memory.sparing import Sparing
from voice.dialogue.open.things import Asked, Introducing, Offer
from voice.dialogue.replies import responder
from voice.dialogue.replies.answers import found_nothing
from voice.dialogue.replies.moments import SAID, period

SOON = timedelta(minutes=2)
"""Before a timer rings nothing long is begun. Our choice."""
_ROUTE = "navigation.destination"


@dataclass(slots=True)
class _Told:
    """What was told of a review."""

    review: Review
    count: int = 0

    def at(self, place: int) -> Change | None:
        """The change at a place from 1 on, if it was told."""
        return self.review.changes[place - 1] if 0 < place <= min(self.count, len(self.review.changes)) else None


class Knowing:
    """One driver's talk about how they want to be known."""

    def __init__(
        self, seat: Seat, vehicle: Sparing, clock: Callable[[], datetime], *, introduces: bool = False
    ) -> None:
        """Nothing suggested yet; the trip begins now.

        Args:
            seat: who drives.
            vehicle: behind its gate, sparing what is disliked; foresees what a suggestion would do.
            clock: aware current time.
            introduces: whether a driver of whom nothing is known yet is offered the first minute.
        """
        self._seat, self._vehicle, self._clock, self._introduces = seat, vehicle, clock, introduces
        self._suggested = False
        self._begin()
        seat.follow(self._begin)

    def _begin(self) -> None:
        """Somebody else drives: nothing was told, and nothing is asked."""
        self._told: _Told | None = None
        self._asks: list[Asked] = []
        self._trip = self._clock()
        self._new: bool | None = None

    def ended(self) -> None:
        """The conversation is over."""
        self._told = None

    @property
    def told(self) -> bool:
        """Whether changes were told that can be gone on with."""
        return self._told is not None

    def asks(self) -> tuple[Asked, ...]:
        """What the last replies ask the driver; handed over once."""
        asked, self._asks = tuple(self._asks), []
        return asked

    # What the driver says

    def handle(self, command: Command) -> str:
        """The reply to a command of `reading.NAMES`.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        match command.name:
            case "manner":
                return self.obey({field: str(value) for field, value in command.slots.items()})
            case "introduce":
                return self._introduce()
            case "suggestions":
                return self._switch(on=bool(command.slots["on"]))
            case "review":
                return self._review(command)
            case _:
                return self._undo(reading.place(command))

    def obey(self, found: dict[str, str]) -> str:
        """Keep what the driver said about manners, and speak so from now on; what may not be kept holds until another drives."""
        why = self._keep(found)
        said = saying.understood(found)
        return said if not why else f"{said.replace(' from now on', '')} {why}"

    def _keep(self, found: dict[str, str]) -> str:
        """Keep it; why that is only for now, where it may not be kept."""
        why = ""
        for field, value in found.items():
            key, aspect = LINES[field]
            self._seat.for_now(field, None)
            try:
                self._seat.memory.edit_profile(key, value, aspect=aspect)
            except ConsentError:
                self._seat.for_now(field, value)
                why = "That is for this trip; I keep nothing of it."
        return why

    def shown(self, reply: Reply) -> None:
        """A unit that the car was told to show is the driver's from now on."""
        chosen = [
            r.action.slots()["unit"]
            for r in reply.results
            if r.action.name == "set_unit" and r.status is ActionStatus.DONE
        ]
        for unit in chosen:
            found = reading.units(str(unit))
            if any(getattr(self._seat.manners, field) != value for field, value in found.items()):
                self._keep(found)

    def _switch(self, *, on: bool) -> str:
        memory = self._seat.memory
        consent = memory.opt_in(SUGGESTIONS) if on else memory.opt_out(SUGGESTIONS)
        self._suggested = self._suggested or not on
        if on and SUGGESTIONS in consent.opted_out:
            return responder.OKAY
        return saying.AGAIN if on else saying.NO_MORE

    # The first minute

    def _introduce(self) -> str:
        now, consent = self._clock(), self._seat.memory.consent()
        if consent.silent(now) is not None or MANNERS in consent.opted_out:
            return "I keep nothing about you now, so let us do that another time."
        if self._rings_soon(now):
            return "Something is about to ring. Please say that again afterwards."
        self._ask("name")
        return saying.BEGINS

    def _ask(self, about: str) -> None:
        self._asks.append(Introducing(saying.QUESTIONS[about], about))

    def took(self, asked: Introducing, found: dict[str, str]) -> str:
        """Take an answer in, none where there is none, and go on with the next question."""
        said = self.obey(found) if found else responder.OKAY
        following = list(saying.QUESTIONS)
        place = following.index(asked.about) + 1
        if place < len(following):
            self._ask(following[place])
            return said
        return saying.ended(self._seat.manners) if found else f"{said} {saying.ended(self._seat.manners)}"

    def _rings_soon(self, now: datetime) -> bool:
        return any(now <= one.at <= now + SOON for one in self._seat.memory.reminders.load()[1])

    # What nobody asked for

    async def due(self, reply: Reply, command: Command | None) -> Offer | None:
        """The offer that ends this reply, if there is one and this is the moment; what fails is no reason to lose the reply."""
        if not finished(reply, command):
            return None
        try:
            memory, now = self._seat.memory, self._clock()
            consent = memory.consent()
            if consent.silent(now) is not None or self._rings_soon(now):
                return None
            if (
                self._introduces
                and INTRODUCTION not in consent.opted_out
                and MANNERS not in consent.opted_out
                and self._unknown()
            ):
                memory.opt_out(INTRODUCTION)
                return Offer(saying.OFFER, saying.OFFER_WHY)
            if self._suggested or SUGGESTIONS in consent.opted_out:
                return None
            habits = await asyncio.to_thread(memory.habits)
            for habit in habits:
                offer = await self._suggestion(habit)
                if offer is not None and self._seat.memory is memory:
                    memory.suggested(habit, None)
                    self._suggested = True
                    return offer
        except GloveboxError:
            return None
        return None

    def begins(self) -> None:
        """An utterance is about to be dealt with: whether anything was known of the driver before it is looked at once."""
        if self._introduces and self._new is None:
            memory = self._seat.memory
            self._new = not memory.profile() and not memory.preferences(history=True) and not memory.trips()[:-1]

    def _unknown(self) -> bool:
        return bool(self._new)

    async def _suggestion(self, habit: Habit) -> Offer | None:
        """What a habit suggests, if the car would do it and it is not so already."""
        seen = await self._vehicle.circumstances()
        held = next((one for one in self._seat.memory.preferences(habit.detail) if one.id == habit.preference), None)
        if held is None or not seen.apply(held):
            return None
        action = _wish(habit, on_the_way=bool(seen.values.get(_ROUTE)))
        if action is None or action.name not in self._vehicle.offers():
            return None
        result = await self._vehicle.foresee(action)
        if result is None or result.status is not ActionStatus.DONE or result.already:
            return None
        if found_nothing(action.name, result.answer):
            return None
        name, units = "", self._seat.units
        if action.to_place:
            name = str(result.answer.get("name", ""))
            if not set(habit.value.lower().split()) & set(name.lower().split()):
                return None  # another one than usual
        way = "on your way" if action.name == "find_on_route" else "near"
        asks = (
            ("Shall I add it?" if action.name == "find_on_route" else "Shall I take you there?")
            if name
            else responder.question(action, units)
        )
        said = units.liking(saying.suggestion(habit, way, name, asks))
        return Offer(said, saying.evidence(habit, self._clock(), self._seat.zone), habit, action)

    def answered(self, offer: Offer, *, yes: bool) -> str:
        """The answer to an offer; of what is to be done in the car the dialogue says more."""
        if offer.habit is None:
            return self._introduce() if yes else saying.DECLINED
        self._seat.memory.suggested(offer.habit, yes)
        return "" if yes else "Okay, I won't suggest that again."

    # The review of a day

    def _review(self, command: Command) -> str:
        name, words = command.slots.get("period"), str(command.slots.get("words", ""))
        memory = self._seat.memory
        span = period(str(name), self._clock(), self._seat.zone, self._trip) if name in SAID else memory.period(words)
        self._told = _Told(memory.review(span or Period()))
        return self.more()

    def more(self) -> str:
        """The changes that were not told yet."""
        if self._told is None:
            return ""
        said = saying.reviewed(self._told.review, self._seat.units.liking, first=self._told.count)
        self._told.count += saying.ALOUD
        return said or "That was all."

    def _undo(self, place: int) -> str:
        one = None if self._told is None else self._told.at(place)
        if one is None:
            return saying.NOTHING_SAID
        memory = self._seat.memory
        try:
            if one.ended:
                said = memory.explain(one.id).because
                memory.remember(said[-1][1] if said else one.text, one.detail)
            elif one.before is not None and one.kind is Kind.PREFERENCE:
                memory.correct(one.id, one.before)
            else:
                memory.forget(one.id)
        except UnknownEntryError:
            return "That is undone already."
        return saying.taken_back(one, self._seat.units.liking)


def _wish(habit: Habit, *, on_the_way: bool) -> Action | None:
    """The action that a habit suggests."""
    kind = next((kind for kind, details in PLACE_DETAILS.items() if habit.detail in details), None)
    name = habit.action if kind is None else "find_on_route" if on_the_way else "find_place"
    slot = BY_NAME[name].details.get(habit.detail) if name in BY_NAME else None
    value = None if slot is None else fitting(name, slot, habit.value)
    if slot is None or value is None:
        return None
    try:
        return parse_action(name, {slot: value} | ({} if kind is None else {"kind": kind}))
    except ValidationError:
        return None
