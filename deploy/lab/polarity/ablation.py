"""What each group of English rules is worth: the sentences of both polarities and CarMem, each group switched off in turn.

``python -m deploy.lab.polarity.ablation [--carmem FILE] [--limit N]``: the first line is everything as it is. A group that costs
nothing when it is off has not earned its place. CarMem's columns: the gold category found and its value right (`attributes`), and
the decisions on what negates a stored value, of categories with several values and with one.
"""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy.lab.carmem.data import Item, read
from deploy.lab.carmem.extraction import attributes, in_schema, read_in_schema
from deploy.lab.carmem.maintenance import protocol
from deploy.lab.carmem.parts import Parts
from deploy.lab.polarity.measure import figures, judge, parts, sentences
from memory.learn.english import negation
from memory.learn.english.vocabulary import CLOSED, Closed

NEGATION, CANONICAL = "memory.learn.english.negation", "memory.learn.english.canonical"
EXTRACTION, MAINTENANCE = "memory.learn.extraction", "memory.learn.maintenance"
NEVER = re.compile(r"(?!)")
Patch = tuple[str, str, Any]
"""Module, name in it, and what stands there while the group is off."""


def _without(table: str, *numbers: int) -> Patch:
    rules = getattr(negation, table)
    return NEGATION, table, tuple(rule for number, rule in enumerate(rules) if number not in numbers)


def _closed_patterns() -> dict[str, Closed]:
    return {detail: Closed((), one.values, one.flips) for detail, one in CLOSED.items()}


def _no(*_: object) -> bool:
    return False


def _yes(*_: object) -> bool:
    return True


def _none(*_: object) -> tuple[()]:
    return ()


def groups() -> Mapping[str, tuple[Patch, ...]]:
    """The rules by name of their group."""
    every = {
        f"{table} {number}: {rule.pattern[:48]}": (_without(table, number),)
        for table in ("ENDED", "AFTERWARDS", "REFUSED", "TAKEN_BACK")
        for number, rule in enumerate(getattr(negation, table))
    }
    whole = {
        f"{table} (all)": ((NEGATION, table, ()),)
        for table in ("ABOUT_MEMORY", "ENDED", "AFTERWARDS", "REFUSED", "TAKEN_BACK")
    }
    words = {
        f"{name}": ((module, name, NEVER),)
        for module, name in (
            (NEGATION, "FONDNESS"), (NEGATION, "_BOUNDARY"), (NEGATION, "DISPLACED"),
            (NEGATION, "SWITCHED"), (NEGATION, "LATELY"), (NEGATION, "FROM_NOW_ON"),
            (CANONICAL, "_NOT"), (CANONICAL, "_TURNED_DOWN"), (CANONICAL, "_INDIFFERENT"), (CANONICAL, "_CARES"),
            (CANONICAL, "_INGREDIENT"), (CANONICAL, "_DIET"),
            (CANONICAL, "_NO_PATIENCE"), (EXTRACTION, "REFUSING"),
        )
    }  # fmt: skip
    tables: dict[str, tuple[Patch, ...]] = {
        "_OUTRIGHT": ((CANONICAL, "_OUTRIGHT", {}),),
        "_LEVEL_WORDS": ((CANONICAL, "_LEVEL_WORDS", ()),),
        "_TAILS": ((CANONICAL, "_TAILS", {}),),
        "_ARTICLES": ((CANONICAL, "_ARTICLES", frozenset()),),
        "said_by_refusing": ((EXTRACTION, "said_by_refusing", _no),),
        "refuses_another_level": ((EXTRACTION, "refuses_another_level", _no),),
        "turned_down": ((EXTRACTION, "turned_down", _no),),
        "plausible (kinds)": ((EXTRACTION, "plausible", _yes),),
        "SAID_AS (phrasings)": ((CANONICAL, "SAID_AS", {}),),
        "CLOSED patterns (vocabulary)": ((CANONICAL, "CLOSED", _closed_patterns()),),
        "statements (clauses)": ((EXTRACTION, "statements", _none),),
    }
    closed = {
        f"CLOSED patterns: {detail}": ((CANONICAL, "CLOSED", CLOSED | {detail: _closed_patterns()[detail]}),)
        for detail in CLOSED
    }
    return whole | words | tables | closed | every


@contextmanager
def off(patches: tuple[Patch, ...]) -> Generator[None]:
    """Switch these rules off for a while."""
    before = [(importlib.import_module(module), name) for module, name, _ in patches]
    kept = [getattr(module, name) for module, name in before]
    try:
        for (module, name), (_, _, other) in zip(before, patches, strict=True):
            setattr(module, name, other)
        yield
    finally:
        for (module, name), old in zip(before, kept, strict=True):
            setattr(module, name, old)


def _quiet(_what: str, _done: int, _of: int) -> None:
    """No progress is shown."""


def row(own: Parts, items: tuple[Item, ...]) -> str:
    """The figures with the rules as they are now."""
    found = figures([judge(own, sentence) for sentence in sentences()]).row()
    if not items:
        return found
    readings = read_in_schema(own, items, _quiet, what="extraction")
    values = attributes(own, readings)
    decided = protocol(own, items, _quiet)
    cells = [(kind, multi) for kind in ("equal", "negate", "different") for multi in (True, False)]
    right = " ".join(f"{decided.accuracy(kind, multi=multi).value:.3f}" for kind, multi in cells)
    left = sum(decided.left_out.values())
    return f"{found} | {in_schema(readings).detail.f1.value:.3f} {values['match'].value:.3f} | {right} {left:3}"


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--carmem", type=Path, help="CarMem's conversations, JSON lines")
    options.add_argument("--limit", type=int, default=150, help="the first N of them")
    options.add_argument("--only", default="", help="groups whose name has this in it")
    given = options.parse_args()
    items = read(given.carmem, given.limit) if given.carmem else ()
    own = parts()
    print(
        "against praising, false ends, false stores, questions | detail F1, values | equal, negate, different, left out"
    )
    base = row(own, items)
    print(f"{base}  as it is", flush=True)
    for name, patches in groups().items():
        if given.only in name:
            with off(patches):
                line = row(own, items)
            print(f"{line}{'=' if line == base else ' '} {name}", flush=True)


if __name__ == "__main__":
    main()
