"""Rows and values: how the project's values are written into columns, read back and looked for.

Owns what all tables of a vault have in common. Which tables there are, and what they mean, the other modules here say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel

from memory.vault.lifecycle import Vault, utc_text
from schemas.memory import Period

V = TypeVar("V", bound=BaseModel)

AMONG = "IN (SELECT value FROM json_each(?))"
"""Behind a column: it is one of what `listed` gives."""

_LISTS = frozenset(("details", "tags", "conditions"))
"""Columns that hold several texts or values, as JSON."""

_KEYS = {"sentences": "CAST(id AS TEXT)", "turns": "CAST(id AS TEXT)", "summary_lines": "source", "tags": "key"}
"""How ``withheld`` names a row of a table, where that is not by its ``id``."""

FOLLOWS = "+"
"""Ends the kind of what is withheld only because it rests on something that is."""


def hidden(table: str) -> str:
    """SQL that is true of a row of a table that is withheld (`memory.store.withheld`), itself or with what it rests on."""
    return f"{_KEYS.get(table, 'id')} IN (SELECT memory FROM withheld WHERE kind IN ('{table}', '{table}{FOLLOWS}'))"


def shown(table: str) -> str:
    """SQL that is true of a row of a table that is not."""
    return f"NOT {hidden(table)}"


def listed(values: Iterable[Any]) -> str:
    """Several values as one, for `AMONG`."""
    return json.dumps(list(values))


def within(period: Period | None, column: str = "at") -> tuple[str, list[str]]:
    """SQL that is true of the times of a period (None: of any), and its values."""
    bounds = () if period is None else ((">=", period.since), ("<", period.until))
    held = [(sign, utc_text(moment)) for sign, moment in bounds if moment is not None]
    return "".join(f" AND {column} {sign} ?" for sign, _ in held), [moment for _, moment in held]


def insert(vault: Vault, table: str, columns: Sequence[str], value: BaseModel, *, how: str = "INSERT") -> None:
    """Write a value whose fields are called as the columns, in the caller's transaction."""
    marks = ", ".join("?" * len(columns))
    vault.write(
        f"{how} INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        [cell(getattr(value, name)) for name in columns],
    )


def read(kind: type[V], columns: Sequence[str], row: Sequence[Any], **others: Any) -> V:
    """The value of a row; ``others`` are its fields that stand in other tables."""
    held = {name: json.loads(cell) if name in _LISTS else cell for name, cell in zip(columns, row, strict=True)}
    return kind.model_validate(held | others)


def cell(value: Any) -> Any:
    """A value as a column holds it."""
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        parts: tuple[Any, ...] = value
        return json.dumps([one.model_dump(mode="json") if isinstance(one, BaseModel) else one for one in parts])
    return value
