"""The self-validator: is what the language model proposes grounded, consistent and allowed?

Pure rules over words, slots and facts. The gate in ``vehicle`` judges safety in the vehicle's state; this judges
whether the driver said it at all. A number that nobody said, a name that nobody mentioned, or an action against a
"don't" is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.actions import Action, Domain

NEGATIONS = re.compile(r"\b(don't|do not|never|without|not)\b")
"""Words that turn a request round."""

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

QUALITIES: dict[str, frozenset[str]] = {
    "level": frozenset("off low medium high full max maximum min minimum warm hot cool strong weak most least".split()),
    "percent": frozenset(
        "open close closed shut half halfway full fully all bit little crack low high up down".split()
    ),
}
"""Words that stand for a number of a slot without naming it."""

CAREFUL = frozenset({Domain.OPENINGS})
"""Domains in which a request that was not a complete command needs a spoken yes: a misheard word must not move a
window."""

CAREFUL_ACTIONS = frozenset({"set_low_beam", "set_high_beam", "set_fog_lights", "move_seat"})


def numbers(text: str) -> set[float]:
    """All numbers 0..199.5 that a text says, in digits or words ("twenty one and a half" -> 21.5; 20, 1 and 21 too)."""
    found = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)}
    words = re.findall(r"[a-z]+", text.lower().replace("-", " "))
    for index, word in enumerate(words):
        value: float | None = None
        length = 1
        if word in _UNITS:
            value = float(_UNITS.index(word))
        elif word in _TENS:
            value = float(_TENS[word])
            after = words[index + 1] if index + 1 < len(words) else ""
            if after in _UNITS[1:10]:
                found.add(value)
                value, length = value + _UNITS.index(after), 2
        elif word == "hundred":
            value = 100.0
        if value is not None:
            found.add(value)
            rest = words[index + length : index + length + 3]
            if rest == ["and", "a", "half"] or rest[:2] == ["point", "five"]:
                found.add(value + 0.5)
    return found


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
    if NEGATIONS.search(text) and not _is_off(action):
        return Finding(False, "the request is negated")
    said = f"{text} {' '.join(fact.split(':', 1)[-1] for fact in facts)}".lower()
    words = set(re.findall(r"[a-z0-9'.]+", said))
    known = numbers(said)
    for slot, value in action.slots().items():
        if isinstance(value, bool) or slot in ("zone", "window", "kind", "change", "command"):
            continue
        if isinstance(value, int | float):
            if float(value) not in known and not (words & QUALITIES.get(slot, frozenset())):
                return Finding(False, f"nobody said {slot} {value}")
        elif _is_free(action, slot) and not set(str(value).lower().split()) <= words:
            return Finding(False, f"the {slot} was not said")
    careful = action.domain in CAREFUL or action.name in CAREFUL_ACTIONS
    return Finding(True, "grounded in what was said", ask_first=careful)


def _is_off(action: Action) -> bool:
    """Whether the action switches something off, closes it or calls it off."""
    slots = action.slots()
    off = (slots.get("on"), slots.get("level"), slots.get("percent"), slots.get("open"))
    return any(value is False or value == 0 for value in off if value is not None) or action.name == "cancel_navigation"


def _is_free(action: Action, slot: str) -> bool:
    """Whether the slot holds the driver's own words (and not one of a closed set)."""
    extra = type(action).model_json_schema()["properties"][slot]
    return "grounded" in str(extra)
