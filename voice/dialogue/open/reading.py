"""Which event of the dialogue's table an utterance is.

Pure. It reads the words and their plan against what is open, and decides nothing else: what an event does stands in the table.
"""

from __future__ import annotations

import re

from models.text import spoken
from schemas.actions import Undo
from schemas.events import CommandKind, Route
from voice.dialogue.acts import planning
from voice.dialogue.coordinator import Plan
from voice.dialogue.forgetting import asking
from voice.dialogue.knowing import reading as knowing
from voice.dialogue.memory import question
from voice.dialogue.open import confirming, which
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

CALLED_OFF = re.compile(r"\b(?:cancel|abort|never mind|forget it)\b")
"""A "no" that, where nothing is open, means what was done last."""
_CONTROLS = {
    "yes": Event.YES, "no": Event.NO, "cancel": Event.CALLED_OFF, "stop": Event.STOP, "repeat": Event.AGAIN,
    "why_that": Event.WHY,
}  # fmt: skip
"""Control words, and the question why, by their event; all other control words are an aside."""


def read(open_: Asked | None, text: str, plan: Plan, *, addressed: bool, meant: bool, known: bool) -> Event:
    """The event that an utterance is.

    Args:
        open_: what is open.
        text: the utterance; where two commands were asked about and it named one, that command.
        plan: what it means.
        addressed: False in the follow-up window.
        meant: whether it was most likely said to the assistant, though without the wake word.
        known: whether there is a reply to it although there is nothing to do ("this car has no rocket").
    """
    answer = _answer(open_, text, plan)
    if answer is not None:
        return answer
    steering = _steering(text, plan)
    if steering is Event.YES and plan.asks < planning.SURELY:  # a yes in words that may be none
        return Event.UNCLEAR if open_ is not None else Event.YES if addressed else Event.UNMEANT
    if steering is not None:
        return steering
    waits = open_ is not None and not isinstance(open_, Remembering | Offer)
    if plan.route is Route.REJECT:
        if addressed:
            return Event.OTHER if known else Event.UNCLEAR
        return Event.UNCLEAR if waits else Event.UNMEANT
    if not addressed and not meant:
        return Event.UNMEANT
    return Event.UNCLEAR if waits and plan.acts and plan.asks < planning.UNMEANT_AT else Event.OTHER


def _answer(open_: Asked | None, text: str, plan: Plan) -> Event | None:
    """Which answer to what is open the words are; None where they are none of its own."""
    first = plan.acts[0].name if plan.acts else ""
    match open_:
        case Confirmation():
            named = confirming.answer(open_.question, open_.actions, spoken(text))
            if named is not None:
                return Event.YES if named else Event.NO
            if _puts_back(plan):  # what was asked about came last; what was done before that stays
                return Event.YES if any(isinstance(action, Undo) for action in open_.actions) else Event.NO
            return Event.YES if first == "yes" else None  # and more
        case Choice() | Missing() if _puts_back(plan) or confirming.answer(open_.question, (), spoken(text)) is False:
            return Event.NO
        case Choice():
            return Event.FITS if which.names(open_, text) is not None else None
        case Missing():
            meant = (*(act.name for act in plan.acts), *(action.name for action in plan.meant))
            return Event.FITS if open_.wish.name in meant else None
        case Forgetting():
            return asking.read(open_.asked, text, plan.command)
        case Remembering():
            yes = question.read(text, plan.command, open_.of)
            return None if yes is None else Event.YES if yes else Event.NO
        case Introducing():
            return _introduced(open_, text, plan)
        case Offer() | None:
            return None


def _puts_back(plan: Plan) -> bool:
    """Whether something is to be as it was before, and nothing else is asked for."""
    command = (plan.command.name,) if plan.command is not None else ()
    return {*command, *(act.name for act in plan.acts), *(action.name for action in plan.meant)} == {Undo.name}


def _introduced(open_: Introducing, text: str, plan: Plan) -> Event | None:
    """The event of an answer to a question of the first minute: not this one, no more of them, or what was asked for."""
    if knowing.leaves(text):
        return Event.CALLED_OFF
    if knowing.skips(text):
        return Event.NO
    if knowing.answered(open_.about, text, plan):
        return Event.FITS
    return Event.UNCLEAR if plan.acts and all(act.name in planning.NOT_MEANT for act in plan.acts) else None


def _steering(text: str, plan: Plan) -> Event | None:
    """The event of a word that steers the dialogue."""
    command = plan.command
    if command is None or not (command.kind is CommandKind.CONTROL or command.name == "why_that"):
        return None
    event = _CONTROLS.get(command.name, Event.ASIDE)
    return Event.CALLED_OFF if event is Event.NO and CALLED_OFF.search(text.lower()) else event
