"""The grammar of what the language model may write for one utterance.

Every act that exists with its slots, closed values from the schema; a slot of free words holds words of the utterance or
of its context and nothing else. Only what this vehicle offers can be written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from models.acts.spelling import BETWEEN
from schemas.actions.acts import NAMES, Slot, slots_of

MOST_ACTS = 5
"""Acts of an utterance: more than four in one breath is rare, and each costs a quarter of a second."""
MOST_WORDS = 24
"""Words of a slot: a message is the longest."""


def grammar(words: Collection[str], without: Collection[str] = ()) -> str:
    """GBNF for an utterance.

    Args:
        words: what may stand in a slot of free words; letters, digits, apostrophes and hyphens.
        without: acts that cannot be written: actions that this vehicle does not have.
    """
    said = sorted({word for word in words if re.fullmatch(r"[\w'.-]+", word)})
    lines = [_fixed(tuple(name for name in NAMES if name not in without), bool(said))]
    if said:
        lines.append("word ::= " + " | ".join(f'"{word}"' for word in said))
        lines.append(f'words ::= word (" " word){{0,{MOST_WORDS - 1}}}')
    return "\n".join(lines)


@lru_cache(maxsize=8)
def _fixed(names: Sequence[str], spoken: bool) -> str:
    lines = [
        f'root ::= act ("{BETWEEN}" act){{0,{MOST_ACTS - 1}}}',
        "act ::= " + " | ".join(map(_rule, names)),
        "number ::= [0-9] [0-9]? [0-9]?",
        'half ::= number ".5"?',
        'switch ::= "true" | "false"',
    ]
    for name in names:
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
        return "(" + " | ".join(f'"{choice}"' for choice in slot.choices) + ")"
    if slot.kind == "number":
        return "half" if slot.halves else "number"
    return slot.kind if slot.kind == "switch" else "words"
