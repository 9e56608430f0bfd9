"""The grammar of what the language model may write for one utterance.

Every act that exists with its slots, closed values from the schema; a slot of free words holds words of the utterance or of its
context, a slot of numbers what was said or follows from it, and nothing else. Only what this vehicle offers can be written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from models.acts.spelling import BETWEEN
from models.numbers import numbers
from schemas.actions.acts import NAMES, Slot, slots_of

MOST_ACTS = 5
"""Acts of an utterance: more than four in one breath is rare, and each costs a quarter of a second."""
MOST_WORDS = 24
"""Words of a slot: a message is the longest."""
MOST = 600
"""The largest number that a slot holds: seconds of a timer."""
LEVELS = frozenset({0, 1, 2, 3, 5, 100})
"""Numbers that words such as "off", "low", "high" and "fully" stand for."""
_SHARES = {
    "half": {30, 50}, "halfway": {50}, "quarter": {15, 25, 45}, "quarters": {45, 75}, "third": {35}, "thirds": {65}, "couple": {2},
    "dozen": {12}, "middle": {50}, "hour": {15, 30, 60, 90}, "hours": {15, 30},
}  # fmt: skip
"""Words that stand for numbers, as the training data writes them."""
_SIXTIES = frozenset("hour hours minute minutes".split())
"""What slots of minutes and of seconds count in sixties: "an hour and twenty", "back a minute"."""
_CLOCK = frozenset("to past till oclock am pm noon midday midnight tonight".split())


def meant(text: str) -> frozenset[int]:
    """The numbers that a slot may hold after these words: those that were said, and what clocks, hours and shares make of them.

    "Twenty to seven" is 6:40, "an hour and a half" 90 minutes, "a third" 35 percent.
    """
    said = {int(number) for number in numbers(text)}
    words = set(text.split())
    found = said.union(*(amounts for word, amounts in _SHARES.items() if word in words))
    if words & _SIXTIES:
        found |= {60 * amount + more for amount in said | {1} for more in {0, 15, 30} | said}
    if words & _CLOCK:
        found |= {amount - 1 for amount in said} | {60 - amount for amount in said} | {11, 12, 15, 30, 45}
    return frozenset(amount for amount in found if 0 <= amount <= MOST)


def grammar(words: Collection[str], amounts: Collection[int] = ()) -> str:
    """GBNF for an utterance.

    Args:
        words: what may stand in a slot of free words; letters, digits, apostrophes and hyphens.
        amounts: what may stand in a slot of numbers, beside `LEVELS`.
    """
    said = sorted({word for word in words if re.fullmatch(r"[\w'.-]+", word)})
    lines = [_fixed(bool(said))]
    lines.append("number ::= " + _one_of(map(str, sorted(LEVELS | set(amounts)))))
    if said:
        lines.append("word ::= " + _one_of(said))
        lines.append(f'words ::= word (" " word){{0,{MOST_WORDS - 1}}}')
    return "\n".join(lines)


@lru_cache(maxsize=2)
def _fixed(spoken: bool) -> str:
    lines = [
        f'root ::= act ("{BETWEEN}" act){{0,{MOST_ACTS - 1}}}',
        "act ::= " + " | ".join(map(_rule, NAMES)),
        'half ::= number ".5"?',
        'switch ::= "true" | "false"',
    ]
    for name in NAMES:
        slots = [f'"{slot}=" {_value(kind)}' for slot, kind in slots_of(name).items() if spoken or kind.kind != "words"]
        inside = f" ({_some(slots)})?" if slots else ""
        lines.append(f'{_rule(name)} ::= "{name}("{inside} ")"')
    return "\n".join(lines)


def _rule(name: str) -> str:
    return f"a-{name.replace('_', '-')}"


def _some(slots: Sequence[str]) -> str:
    """One or more of them with commas between; that none stands twice is the reader's matter."""
    one = f"({' | '.join(slots)})"
    return f'{one} ("," {one}){{0,{len(slots) - 1}}}' if len(slots) > 1 else slots[0]


def _value(slot: Slot) -> str:
    if slot.kind == "choice":
        return f"({_one_of(slot.choices)})"
    if slot.kind == "number":
        return "half" if slot.halves else "number"
    return slot.kind if slot.kind == "switch" else "words"


def _one_of(texts: Iterable[str]) -> str:
    return " | ".join(f'"{text}"' for text in texts)
