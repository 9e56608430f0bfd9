"""Whether all that was said has gone into what is to be done; what has not is a reason to ask before anything moves.

The parser writes what was most likely meant. This looks at the words themselves: a number that went nowhere, an exception, a
condition, a "not", a side that no slot names. Pure; it refuses nothing, it names a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from models.numbers import NUMBER, number_of, number_words
from schemas.actions import Action, Domain
from schemas.actions.acts import Act
from voice.dialogue.acts.worded import unnamed
from voice.dialogue.validator import careful, validate

_EXCEPTION = re.compile(
    r"\b(?:except|apart from|other than|all but|but not|but leave|but keep|everything but|anything but)\b|"
    r"\bnot (?:the|mine|my|hers|his)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|whenever|unless|until|as soon as|as long as|once (?:we|i|it|the))\b|\bwhen (?:we|i|it|the|my|she|he|they)\b"
)
_POLITE = re.compile(
    r"\bif (?:you|possible|that's|it's (?:okay|ok|all right|possible|not)|i (?:may|might|could))\b|\b(?:as if|see if)\b"
)
""""If you would": no condition."""
_SIDE = re.compile(
    r"\b(?:passenger|passenger's|rear|behind|in the back|back (?:left|right|seats?)|left hand|right hand)\b"
)
_PLACED = frozenset({"zone", "window", "but", "part", "direction"})
"""Slots that say where."""
_ONE = re.compile(
    r"\b(?:this|that|another|other|next|previous|last|first|second|third|the|which|no|a) one\b|"
    r"\bone (?:of|behind|in|on|at|more)\b"
)
""""One" that counts nothing."""

_WARMER = frozenset("warmer hotter louder brighter higher stronger".split())
_COOLER = frozenset("cooler colder quieter softer dimmer darker lower weaker".split())
_OPEN, _SHUT = frozenset({"open", "unlock"}), frozenset({"close", "shut", "lock"})
_OPPOSITES = {
    "change": (_WARMER, _COOLER), "percent": (_OPEN, _SHUT), "open": (_OPEN, _SHUT),
    "locked": (frozenset({"lock"}), frozenset({"unlock"})), "on": (frozenset({"on"}), frozenset({"off"})),
}  # fmt: skip
"""Slot -> plain words that ask for its one end, and for its other."""
_WEAKENED = re.compile(r"\b(?:not|n't|too|so|less|than|why|child|kids|let|stop)\b|n't\b")
"""Where such words may turn round."""
_SAME = re.compile(r"\bthe same (?:\w+ )?as (?:mine|me|hers|his|the|my|on)\b")
_UNDONE = re.compile(
    r"\b(?:is|are|was|that's|it's) (?:\w+ )?too (?:hot|cold|warm|cool|loud|quiet|bright|dark|high|low|much|fast)\b"
)
_NOT_OFF = re.compile(
    r"\b(?:don't|do not|never)\b(?: \w+){0,6} (?:off|paused?|stopp?(?:ed)?|muted?|shut|closed?|skip(?:ped)?)\b"
)
"""A "not" before what would be switched off."""
_TAKEN_BACK = re.compile(r"\b(?:no|sorry|wait|i mean|i meant|make that|actually|rather|on second thoughts?|instead)\b")
"""Words after which what was said before may not hold."""
_NUMBERS = re.compile(rf"\b({NUMBER})( hundred)?( point five| and a half)?\b")


def doubt(text: str, acts: Sequence[Act], actions: Sequence[Action], context: str, offers: Collection[str]) -> str:
    """Why the actions may not be all that was meant; empty where nothing speaks against them.

    Args:
        text: the utterance in its spoken form.
        acts: all acts of the utterance.
        actions: those of the car, resolved.
        context: what the parser was told, whose words and numbers count as said.
        offers: actions that this vehicle has.
    """
    moving = [action for action in actions if not action.query]
    if not moving:
        return ""
    named = {act.name for act in acts}
    slots = {slot for act in acts for slot in act.slots}
    excused = bool(named & {"refrain", "cannot", "no", "tell", "set_reminder", "set_timer", "cancel_timer"})
    if _EXCEPTION.search(text) and not excused and "but" not in slots:
        return "an exception was said that no action has"
    if _CONDITION.search(_POLITE.sub(" ", text)) and not excused:
        return "a condition was said that no action has"
    placeable = any(_PLACED & set(type(action).model_fields) for action in moving)
    if placeable and not _PLACED & slots and _SIDE.search(text):
        return "a side was said that no action names"
    if any(careful(action) and unnamed(action, text, context) for action in moving):
        return "no word speaks of what would move"
    if _UNDONE.search(text) and any(isinstance(value, int | float) for act in acts for value in act.slots.values()):
        return "what was said of a number is that it is too much"
    if _NOT_OFF.search(text) and len(moving) == 1:
        return "switching off was turned down"
    if any(_against(text, action) for action in moving) and len(moving) == 1:
        return "the words ask for the opposite"
    if len(acts) == 1:
        told = re.sub(r"[^a-z0-9.' ]", " ", context)
        if moving[0].name == "set_temperature":  # the grammar has seen to it that it was said, in whatever unit
            told += f" {number_words(moving[0].slots()['celsius'])}"
        finding = validate(moving[0], f"{text} {told}".strip(), (), offers)
        return "" if finding.ok else finding.reason
    return ""


def left_over(text: str, acts: Sequence[Act]) -> float | None:
    """The smallest number that was said outside all free words and stands in no slot; None where all found their place."""
    left = _left(text, acts)
    return left[0] if left else None


def copies(text: str, acts: Sequence[Act]) -> bool:
    """Whether a number was wished for by naming another thing that has it ("the same as mine"), and was made up then."""
    made_up = any(
        isinstance(value, int) and not isinstance(value, bool) for act in acts for value in act.slots.values()
    )
    return made_up and _SAME.search(text) is not None


def _against(text: str, action: Action) -> bool:
    """Whether plain words of the sentence ask for the opposite of what the action does, and none for it."""
    if _WEAKENED.search(text):
        return False
    said, slots = frozenset(text.split()), action.slots()
    for slot, (raised, lowered) in _OPPOSITES.items():
        if slot not in slots or (slot == "percent" and action.domain is not Domain.OPENINGS):
            continue
        up = slots[slot] in ("up", "open") if isinstance(slots[slot], str) else bool(slots[slot])
        for_it, against = (raised, lowered) if up else (lowered, raised)
        if said & against and not said & for_it:
            return True
    return False


def _left(text: str, acts: Sequence[Act]) -> tuple[float, ...]:
    """Numbers that were said outside all free words and stand in no slot."""
    kept = [part for part in _TAKEN_BACK.split(text) if part.strip()]
    rest, filled = f" {kept[-1] if kept else text} ", set[float]()
    for act in acts:
        for value in act.slots.values():
            if isinstance(value, str):
                rest = rest.replace(f" {value} ", " ", 1)
            elif not isinstance(value, bool):
                filled.add(float(value))
    said = {
        number_of(found[1]) * (1.0, 100.0)[bool(found[2])] + (0.5 if found[3] else 0.0)
        for found in _NUMBERS.finditer(_ONE.sub(" ", rest))
    }
    if filled & ({value * 60.0 for value in said} | {value + 12.0 for value in said}):
        return ()  # hours
    return tuple(value for value in sorted(said) if value > 1 and value not in filled)
