"""The self-validator: is an action that is read in free words grounded in what was said, and consistent with it?

Pure rules over words and slots. The gate in ``vehicle`` judges safety in the vehicle's state; this judges
whether the driver said it at all. A number that nobody said, a name that nobody mentioned, or an action against a
"don't" is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from models.numbers import numbers
from schemas.actions import Action, Domain

NEGATIONS = re.compile(r"\b(don't|do not|never|without|not)\b")
"""Words that turn a request round."""

QUALITIES: dict[str, frozenset[str]] = {
    "level": frozenset("off low medium high full max maximum min minimum warm hot cool strong weak most least".split()),
    "percent": frozenset(
        "open close closed shut half halfway full fully all bit little crack low high up down quarter quarters third thirds lowest "
        "possible maximum minimum".split()
    ),
    "number": frozenset("first second third".split()),
    "minutes": frozenset("half quarter hour hours minute couple".split()),
    "seconds": frozenset("half minute minutes couple".split()),
    "hour": frozenset("noon midnight".split()),
    "minute": frozenset("half quarter".split()),
    "by": frozenset("half a".split()),
}
"""Words that stand for a number of a slot without naming it."""

CAREFUL = frozenset({Domain.OPENINGS})
"""Domains in which a request that was not a complete command needs a spoken yes: a misheard word must not move a
window."""

PLAIN: dict[Domain, dict[str, frozenset[int]]] = {
    Domain.SEATS: {"level": frozenset({0, 2})},
    Domain.OPENINGS: {"percent": frozenset({0, 100})},
}
"""Numbers that mean no more than on, off, open or closed: nobody has to say them. What opens is asked about anyway."""
STATE_QUESTION = re.compile(
    r"^how (?:loud|high|low|bright|warm|hot|cold|fast|far open|wide) (?:is|are)\b|"
    r"\b(?:is|are|am|did) (?:the|my|all|any|a|it|i)\b.*\b(?:on|off|open|closed|shut|locked|unlocked|running|heated)$"
)
"""A question after a state: whatever is proposed, it must not change it."""
WEAK = re.compile(
    r"\bnever mind\b|\bnot (?:so|that(?! one)|quite|too|as|very|yet|\w+ enough)\b|\bwhy (?:is|does|do)(?:n't| not)\b"
)
"""A "not" that turns nothing round: "not so loud", "not warm enough"."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the validator thinks of an action."""

    ok: bool
    reason: str


def validate(action: Action, text: str, offers: Iterable[str]) -> Finding:
    """Judge one action.

    Args:
        action: what was read.
        text: the driver's utterance and what it answers, lower-case words.
        offers: names of the actions that the vehicle has.
    """
    if action.name not in set(offers):
        return Finding(False, f"this vehicle has no {action.name}")
    if NEGATIONS.search(WEAK.sub("", text)) and not (action.query or action.negatable or _is_off(action)):
        return Finding(False, "the request is negated")
    if (wanted := complaint(type(action), text)) is not None and action.slots().get("change") not in (None, wanted):
        return Finding(False, f"the complaint asks for {wanted}")
    if STATE_QUESTION.search(text.strip()) and not action.query:
        return Finding(False, "that was a question")
    if action.named_by and not action.named_by & set(re.findall(r"[a-z']+", text.lower())):
        return Finding(False, f"nothing in it asks for {action.name}")
    words = set(re.findall(r"[a-z0-9'.]+", text.lower()))
    known = numbers(text.lower())
    for slot, value in action.slots().items():
        if isinstance(value, bool) or slot in ("zone", "window", "kind", "change", "command"):
            continue
        if isinstance(value, int | float):
            if value in PLAIN.get(action.domain, {}).get(slot, ()):
                continue
            other = slot == "percent" and action.domain is not Domain.OPENINGS and bool(numbers(text))
            if float(value) not in known and (other or not (words & QUALITIES.get(slot, frozenset()))):
                return Finding(False, f"nobody said {slot} {value}")
        elif _is_free(action, slot) and not set(str(value).lower().split()) <= words:
            return Finding(False, f"the {slot} was not said")
    return Finding(True, "grounded in what was said")


def careful(action: Action) -> bool:
    """Whether a request that was not heard as a complete command needs a yes before this is done."""
    return action.domain in CAREFUL if action.careful is None else action.careful


def complaint(action: type[Action], text: str) -> str | None:
    """The direction that a complaint asks for, if the words complain of one side only ("it's too warm", "i'm cold")."""
    words = set(re.findall(r"[a-z']+", text.lower()))
    if not re.search(r"\b(i'm|i am|it's|it is|too|so|getting|feel|feeling|a bit|can't)\b", text.lower()):
        return None
    if re.search(r"\b(?:a bit|a little|even|much) \w+er\b", text.lower()):
        return None  # a wish: "a bit louder"
    found = [change for change, signs in action.complaints.items() if words & signs]
    return found[0] if len(found) == 1 else None


def _is_off(action: Action) -> bool:
    """Whether the action switches something off, closes it or calls it off."""
    slots = action.slots()
    off = (slots.get("on"), slots.get("level"), slots.get("percent"), slots.get("open"))
    ends = slots.get("mode") == "off" or slots.get("command") in ("pause", "next")
    return ends or any(value is False or value == 0 for value in off if value is not None)


def _is_free(action: Action, slot: str) -> bool:
    """Whether the slot holds the driver's own words (and not one of a closed set)."""
    extra = type(action).model_json_schema()["properties"][slot]
    return "grounded" in str(extra)
