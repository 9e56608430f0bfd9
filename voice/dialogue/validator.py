"""The self-validator: is what the language model proposes grounded, consistent and allowed?

Pure rules over words, slots and facts. The gate in ``vehicle`` judges safety in the vehicle's state; this judges
whether the driver said it at all. A number that nobody said, a name that nobody mentioned, or an action against a
"don't" is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from models.numbers import numbers
from schemas.actions import Action, Domain

NEGATIONS = re.compile(r"\b(don't|do not|never|without|not)\b")
"""Words that turn a request round."""

QUALITIES: dict[str, frozenset[str]] = {
    "level": frozenset("off low medium high full max maximum min minimum warm hot cool strong weak most least".split()),
    "percent": frozenset(
        "open close closed shut half halfway full fully all bit little crack low high up down quarter lowest possible "
        "maximum minimum".split()
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
    r"\b(?:is|are|am|did) (?:the|my|all|any|a|it|i)\b.*\b(?:on|off|open|closed|shut|locked|unlocked|running|heated)$"
)
"""A question after a state: whatever is proposed, it must not change it."""
_TURNED = re.compile(r"\b(?:turn|switch|put|turned|switched)\b(?:(?!\band\b).)*\b(on|off)\b|\b(off|on)$")
"""Whether something is to be on or off, said outright."""
WEAK = re.compile(r"\bnot (?:so|that(?! one)|quite|too|as|very|yet|\w+ enough)\b|\bwhy (?:is|does|do)(?:n't| not)\b")
"""A "not" that turns nothing round: "not so loud", "not warm enough"."""


GENERIC = frozenset(
    "a any anything it like music my of one please podcast radio some something song songs station the this tune tunes".split()
)
"""Words that name nothing: a slot of nothing else is as good as empty."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the validator thinks of an action."""

    ok: bool
    reason: str
    ask_first: bool = False
    """True: valid, but a spoken yes is needed before the gate is even asked."""


def validate(action: Action, text: str, facts: Sequence[str], offers: Iterable[str]) -> Finding:
    """Judge one proposed action.

    Args:
        action: what the language model filled in.
        text: the driver's utterance, lower-case words.
        facts: ``"detail: value"`` lines that the model was shown.
        offers: names of the actions that the vehicle has.
    """
    if action.name not in set(offers):
        return Finding(False, f"this vehicle has no {action.name}")
    if NEGATIONS.search(WEAK.sub("", text)) and not (action.query or action.negatable or _is_off(action)):
        return Finding(False, "the request is negated")
    if (wanted := _complaint(action, text)) is not None and action.slots().get("change") not in (None, wanted):
        return Finding(False, f"the complaint asks for {wanted}")
    if STATE_QUESTION.search(text.strip()) and not action.query:
        return Finding(False, "that was a question")
    if action.named_by and not action.named_by & set(re.findall(r"[a-z']+", text.lower())):
        return Finding(False, f"nothing in it asks for {action.name}")
    said = f"{text} {' '.join(fact.split(':', 1)[-1] for fact in facts)}".lower()
    words = set(re.findall(r"[a-z0-9'.]+", said))
    known = numbers(said)
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
    return Finding(True, "grounded in what was said", ask_first=careful(action))


def careful(action: Action) -> bool:
    """Whether a request that was not heard as a complete command needs a yes before this is done."""
    return action.domain in CAREFUL if action.careful is None else action.careful


def mended(action: Action, text: str, facts: Sequence[str], fits: Callable[[str, Action], bool]) -> Action:
    """The action without slots that say nothing, or that a fact filled which does not belong there.

    Where the words complain of one side only ("it's too warm"), a relative change goes the way that they ask for.

    Args:
        action: what the language model filled in.
        text: the driver's utterance.
        facts: ``"detail: value"`` lines that the model was shown.
        fits: whether a remembered detail may fill this action.
    """
    said = set(re.findall(r"[a-z0-9'.]+", text.lower()))
    kept: dict[str, object] = {}
    for slot, value in action.slots().items():
        words = set(str(value).lower().split())
        if _is_free(action, slot):
            foreign = [f for f in facts if words <= set(f.split(":", 1)[-1].lower().split())]
            own = words <= said or any(fits(fact.split(":", 1)[0], action) for fact in foreign)
            if words <= GENERIC or (foreign and not own):
                continue
        kept[slot] = value
    if (wanted := _complaint(action, text)) is not None and "change" in kept:
        kept["change"] = wanted
    if isinstance(kept.get("on"), bool) and (switched := set(map("".join, _TURNED.findall(text.lower())))) in (
        {"on"},
        {"off"},
    ):
        kept["on"] = switched == {"on"}
    try:
        return type(action).model_validate(kept)
    except ValidationError:
        return action


def _complaint(action: Action, text: str) -> str | None:
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
