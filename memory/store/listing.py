"""A page of what is remembered, however much that is: the rows of one page are read, and no other.

Owns the questions of a screen to the preferences' tables. What is withheld is not there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.consent import detail_keys
from memory.store.preferences import Store
from memory.vault.lifecycle import utc_text
from models.text import letters
from schemas.memory import Found, Kind, Listing, Period

_ACTIVE = "status = 'active' AND id NOT IN (SELECT memory FROM withheld WHERE kind = 'preferences')"


@dataclass(frozen=True, slots=True)
class _Source:
    """A table of what is kept beside preferences."""

    shown: str
    """Kind, id, time, text and details of what is not withheld."""
    table: str = ""
    """Counted by its index of times alone; empty: by reading it."""
    time: str = "at"
    """Column of its time."""


_SOURCES = (
    _Source(
        "SELECT 'profile' AS kind, id, since AS at, value AS text, details FROM profile "
        "WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('profile', 'profile+'))",
        "profile",
        "since",
    ),
    _Source(
        "SELECT kind, id, at, text, details FROM thoughts "
        "WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('thoughts', 'thoughts+'))",
        "thoughts",
    ),
    _Source(
        "SELECT 'episode' AS kind, id, at, driver || char(10) || assistant AS text, details FROM episodes "
        "WHERE id NOT IN (SELECT memory FROM withheld WHERE kind IN ('episodes', 'episodes+'))",
        "episodes",
    ),
    _Source(
        "SELECT 'summary' AS kind, s.id AS id, s.day || 'T00:00:00+00:00' AS at, "
        "group_concat(l.text, ' ') AS text, '[]' AS details FROM summaries s "
        "JOIN summary_lines l ON l.summary = s.id WHERE l.source NOT IN "
        "(SELECT memory FROM withheld WHERE kind IN ('summary_lines', 'summary_lines+')) GROUP BY s.id",
    ),
)


class Pages:
    """What is remembered of one driver; the methods are those of ``schemas.memory_port.BrowsingPort``."""

    def __init__(self, store: Store) -> None:
        """Of this vault."""
        self._store = store

    def browse(
        self, key: str | None = None, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of the active preferences, newest first, without reading the others."""
        store, details = self._store, detail_keys(key)
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
                " AND (instr(glovebox_letters(value), ?) OR id IN (SELECT preference FROM sentences"
                " WHERE instr(glovebox_letters(text), ?)"
                " AND CAST(id AS TEXT) NOT IN (SELECT memory FROM withheld WHERE kind = 'sentences')))"
            )
            given += [letters(text)] * 2
        ((total,),) = store.read(f"SELECT count(*) FROM preferences WHERE {where}", given)  # noqa: S608 - fixed parts
        names = [
            row[0]
            for row in store.read(
                f"SELECT id FROM preferences WHERE {where} ORDER BY valid_from DESC, rowid DESC LIMIT ? OFFSET ?",  # noqa: S608
                [*given, max(0, limit), max(0, offset)],
            )
        ]
        return Listing(total=total, preferences=store.preferences(ids=names) if names else ())

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of what is kept beside preferences, newest first.

        Without a text only a page's worth of each table is read, however long they are.
        """
        store = self._store
        where, given = "1", list[Any]()
        for condition, value in (
            ("id = ?", name),
            ("at >= ?", utc_text(period.since) if period is not None and period.since is not None else None),
            ("at < ?", utc_text(period.until) if period is not None and period.until is not None else None),
            ("instr(glovebox_letters(text), ?)", letters(text) or None),
        ):
            if value is not None:
                where += f" AND {condition}"
                given.append(value)
        limit, offset = max(0, limit), max(0, offset)
        if text:
            met = _first(store, where, given, -1, 0)
            total, named = len(met), met[offset : offset + limit]
        else:
            total = sum(_count(store, source, where, given) for source in _SOURCES)
            named = _first(store, where, given, limit, offset)
        by_name = {
            row[1]: row
            for source in _SOURCES
            for row in store.read(
                f"SELECT kind, id, at, text, details FROM ({source.shown}) WHERE id IN (SELECT value FROM json_each(?))",  # noqa: S608
                [json.dumps([one for _, one in named])],
            )
        }
        others = tuple(
            Found(kind=Kind(kind), id=own, text=said.strip(), at=datetime.fromisoformat(at), details=tuple(json.loads(details)),
                  score=0.0)
            for kind, own, at, said, details in (by_name[one] for _, one in named if one in by_name)
        )  # fmt: skip
        return Listing(total=total, others=others)

    def tally(self) -> dict[str, int]:
        """Detail key -> how many active preferences it has."""
        return dict(self._store.read(f"SELECT detail, count(*) FROM preferences WHERE {_ACTIVE} GROUP BY detail"))  # noqa: S608


def _first(store: Store, where: str, given: Sequence[Any], limit: int, offset: int) -> list[tuple[str, str]]:
    """Time and id of some of all tables, newest first; a limit of -1: of all that meet the conditions."""
    most = -1 if limit < 0 else limit + offset
    each = (
        f"SELECT * FROM (SELECT at, id FROM ({source.shown}) WHERE {where} ORDER BY at DESC, id LIMIT {most})"  # noqa: S608
        for source in _SOURCES
    )
    rows = store.read(
        f"SELECT at, id FROM ({' UNION ALL '.join(each)}) ORDER BY at DESC, id LIMIT {limit} OFFSET {offset}",  # noqa: S608
        [*given] * len(_SOURCES),
    )
    return [(at, own) for at, own in rows]


def _count(store: Store, source: _Source, where: str, given: Sequence[Any]) -> int:
    if not source.table:
        return int(store.read(f"SELECT count(*) FROM ({source.shown}) WHERE {where}", given)[0][0])  # noqa: S608
    where = where.replace("at >", f"{source.time} >").replace("at <", f"{source.time} <")
    hidden = f"SELECT memory FROM withheld WHERE kind IN ('{source.table}', '{source.table}+')"  # noqa: S608
    ((every, out),) = store.read(
        f"SELECT (SELECT count(*) FROM {source.table} WHERE {where}), "  # noqa: S608
        f"(SELECT count(*) FROM {source.table} WHERE {where} AND id IN ({hidden}))",
        [*given, *given],
    )
    return int(every) - int(out)
