"""Prompts: the compact format of our own model, and plain instructions for larger ones.

Owns: both formats. Neither takes text from outside as it is: turns and facts come as words, without the marks that
could imitate a format.

Compact, with every leaf of the slice written as an output that fills it begins (one token each), so that choosing a leaf
is repeating one of the tokens that are listed::

    <|extract|>{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":<|turn|>0 i love jazz<|out|>

The order is task, slice, facts, turns. Every word has a space before it, also the first, so that a word has one spelling in
tokens.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from models.structured.grammar import Schema, choices, leaves, resolve
from models.structured.words import fact_parts, words
from schemas.preferences import BY_DETAIL

TASKS = ("extract", "maintain")
OUT = "<|out|>"
LEAD = " "
"""What grounded strings begin with in our own model's output (see `models.structured.grammar.Grammar`)."""
KEYS = frozenset(BY_DETAIL)
"""Names that are written as keys in facts."""


def opening(name: str) -> str:
    """How an output begins that fills this leaf first.

    Args:
        name: of a detail category.

    Raises:
        KeyError: there is none.
    """
    main, sub, detail = BY_DETAIL[name].path
    return f'{{"{main}":{{"{sub}":{{"{detail}":[{{"turn":'


def compact(task: str, names: Sequence[str], turns: Sequence[str], facts: Sequence[str]) -> str:
    """The prompt of our own model; ``names`` are those of the slice's leaves in the schema's order."""
    listed = "".join(map(opening, names))
    said = "".join(f"<|turn|>{number}{_spaced(turn)}" for number, turn in enumerate(turns))
    return f"<|{task}|>{listed}{''.join(map(_fact, facts))}{said}{OUT}"


def _spaced(text: str) -> str:
    return "".join(f" {word}" for word in words(text))


def _fact(fact: str) -> str:
    name, value = fact_parts(fact)
    if name == "new":
        return f"<|new|>{_spaced(value)}"
    head = f"{json.dumps(name)}:" if name in KEYS else name if name.isdecimal() else _spaced(name)
    return f"<|fact|>{head}" + (f"{json.dumps(value)}:" if value in KEYS else _spaced(value))


INSTRUCTIONS = {
    "extract": "You work in a car. Write down lasting preferences of the driver as a JSON object. Use only the listed "
    "categories; for each mention give the number of the turn and the words of the value. One-off wishes, questions and "
    "other people's preferences do not count. If there is nothing, answer {}.",
    "maintain": "You keep a list of a driver's preferences. Decide about the new one: pass if an entry says the same, "
    "update if it replaces an entry, append if it joins the list. Answer with a JSON object; entry is the number of "
    "the entry that is repeated or replaced.",
}


def chat(task: str, schema: Schema, turns: Sequence[str], facts: Sequence[str]) -> tuple[str, str]:
    """System and user text for an instruct model: the instructions, the slice with its descriptions, the words."""
    listed = "\n".join(f"- {'.'.join(path)}: {_described(part, schema)}" for path, part in leaves(schema))
    system = INSTRUCTIONS[task] + (f"\n{listed}" if listed else "")
    parts = [
        (" ".join(words(name.replace("_", " "))), " ".join(words(value))) for name, value in map(fact_parts, facts)
    ]
    lines = [f"Fact: {name + ': ' if name else ''}{value}" for name, value in parts]
    lines += [f"Turn {number}: {' '.join(words(turn))}" for number, turn in enumerate(turns)]
    return system, "\n".join(lines)


def _described(part: Schema, root: Schema) -> str:
    inner = resolve(part, root)
    slots = [f"{name} ({_values(resolve(slot, root))})" for name, slot in inner.get("properties", {}).items()]
    text = str(part.get("description", ""))
    return f"{text} {'; '.join(slots)}".strip()


def _values(slot: Schema) -> str:
    values: list[Any] | None = choices(slot)
    if values is None:
        return "words that were said"
    if len(values) > 10:
        return f"{values[0]:g} to {values[-1]:g} in steps of {values[1] - values[0]:g}"
    return ", ".join(json.dumps(value) for value in values)
