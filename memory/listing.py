"""A page of what is remembered, however much that is: the rows of one page are read, and no other.

Owns the questions of a screen to the preferences' tables. What is withheld is not there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.store import Store
from memory.vault import utc_text
from schemas.memory import Found, Kind, Listing, Period

_ACTIVE = "status = 'active' AND id NOT IN (SELECT memory FROM withheld WHERE kind = 'preferences')"


def listed(
    store: Store, details: Sequence[str] | None, *, text: str, period: Period | None, limit: int, offset: int
) -> Listing:
    """See ``MemoryPort.browse``; ``details`` are detail keys, None for all."""
    where, given = _ACTIVE, list[Any]()
    if details is not None:
        where += " AND detail IN (SELECT value FROM json_each(?))"
        given.append(json.dumps(sorted(details)))
    if period is not None and period.since is not None:
        where += " AND valid_from >= ?"
        given.append(utc_text(period.since))
    if period is not None and period.until is not None:
        where += " AND valid_from < ?"
        given.append(utc_text(period.until))
    if text:
        where += (
            " AND (instr(lower(value), lower(?)) OR EXISTS (SELECT 1 FROM sentences s WHERE s.preference = preferences.id"
            " AND instr(lower(s.text), lower(?))"
            " AND CAST(s.id AS TEXT) NOT IN (SELECT memory FROM withheld WHERE kind = 'sentences')))"
        )
        given += [text, text]
    ((total,),) = store.read(f"SELECT count(*) FROM preferences WHERE {where}", given)  # noqa: S608 - fixed parts
    names = [
        row[0]
        for row in store.read(
            f"SELECT id FROM preferences WHERE {where} ORDER BY valid_from DESC, rowid DESC LIMIT ? OFFSET ?",  # noqa: S608
            [*given, max(0, limit), max(0, offset)],
        )
    ]
    return Listing(total=total, preferences=store.preferences(ids=names) if names else ())


_KEPT = """
SELECT 'profile' AS kind, id, since AS at, value AS text, details FROM profile
  WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('profile', 'profile+'))
UNION ALL SELECT kind, id, at, text, details FROM thoughts
  WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('thoughts', 'thoughts+'))
UNION ALL SELECT 'episode', id, at, driver || char(10) || assistant, details FROM episodes
  WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('episodes', 'episodes+'))
UNION ALL SELECT 'summary', s.id, s.day || 'T00:00:00+00:00', group_concat(l.text, ' '), '[]' FROM summaries s
  JOIN summary_lines l ON l.summary = s.id
  WHERE l.source NOT IN (SELECT memory FROM withheld WHERE kind IN ('summary_lines', 'summary_lines+')) GROUP BY s.id
"""


def kept(store: Store, *, name: str | None, text: str, period: Period | None, limit: int, offset: int) -> Listing:
    """See ``MemoryPort.browse_kept``."""
    where, given = "1", list[Any]()
    for condition, value in (
        ("id = ?", name),
        ("instr(lower(text), lower(?))", text or None),
        ("at >= ?", utc_text(period.since) if period is not None and period.since is not None else None),
        ("at < ?", utc_text(period.until) if period is not None and period.until is not None else None),
    ):
        if value is not None:
            where += f" AND {condition}"
            given.append(value)
    ((total,),) = store.read(f"SELECT count(*) FROM ({_KEPT}) WHERE {where}", given)  # noqa: S608 - fixed parts
    rows = store.read(
        f"SELECT kind, id, at, text, details FROM ({_KEPT}) WHERE {where} ORDER BY at DESC, id LIMIT ? OFFSET ?",  # noqa: S608
        [*given, max(0, limit), max(0, offset)],
    )
    others = tuple(
        Found(kind=Kind(kind), id=own, text=said.strip(), at=datetime.fromisoformat(at), details=tuple(json.loads(details)),
              score=0.0)
        for kind, own, at, said, details in rows
    )  # fmt: skip
    return Listing(total=total, others=others)


def tally(store: Store) -> dict[str, int]:
    """See ``MemoryPort.tally``."""
    return dict(store.read(f"SELECT detail, count(*) FROM preferences WHERE {_ACTIVE} GROUP BY detail"))  # noqa: S608
