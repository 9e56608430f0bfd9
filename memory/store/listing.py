"""A page of what is remembered, however much that is: the rows of one page are read, and no other.

Owns the questions of a screen to the preferences' tables. What is withheld is not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.consent import detail_keys
from memory.store.facts import MATTERS
from memory.store.preferences import Store
from memory.store.rows import AMONG, hidden, listed, shown, within
from models.text import letters
from schemas.memory import Condition, Found, Kind, Listing, Period, Sense

Told = Callable[[str, str, Sense, Sequence[Condition]], str]
"""What a screen shows of a preference with this detail, value, sense and these conditions."""

_SPELT = "replace(replace(glovebox_letters({}), ',', ' '), '.', ' ')"
"""A text's letters, without the signs that close up to a word."""
_SAID = f"id IN (SELECT preference FROM sentences WHERE {{}} AND {shown('sentences')})"
_HOLDS = "instr(glovebox_letters(value), ?) OR " + _SAID.format("instr(glovebox_letters(text), ?)")
"""Whether a preference's value, or one of its sentences, holds letters."""
_HOLDS_WHOLE = (
    f"instr(' ' || {_SPELT.format('value')} || ' ', ?) OR " + _SAID.format(f"instr(' ' || {_SPELT.format('text')} || ' ', ?)")
)  # fmt: skip
"""The same as whole words: the letters come between spaces."""
_ACTIVE = f"status = 'active' AND {shown('preferences')}"
_ALIKE = "json_array(detail, value, sense, json(conditions))"
"""What `Told` depends on, as one text."""


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
        f"SELECT 'profile' AS kind, id, since AS at, value AS text, details FROM profile WHERE {shown('profile')}",
        "profile",
        "since",
    ),
    _Source(f"SELECT kind, id, at, text, details FROM thoughts WHERE {shown('thoughts')}", "thoughts"),
    _Source(
        "SELECT 'episode' AS kind, id, at, driver || char(10) || assistant AS text, details FROM episodes "
        f"WHERE {shown('episodes')}",
        "episodes",
    ),
    _Source(
        "SELECT 'summary' AS kind, s.id AS id, s.day || 'T00:00:00+00:00' AS at, group_concat(l.text, ' ') AS text, "
        f"'[]' AS details FROM summaries s JOIN summary_lines l ON l.summary = s.id WHERE {shown('summary_lines')} GROUP BY s.id",
    ),
)


class Pages:
    """What is remembered of one driver; the methods are those of ``schemas.memory_port.BrowsingPort``."""

    def __init__(self, store: Store) -> None:
        """Of this vault."""
        self._store = store

    def browse(
        self, key: str | None = None, *, text: str = "", told: Told | None = None,
        period: Period | None = None, limit: int = 6, offset: int = 0,
    ) -> Listing:  # fmt: skip
        """A page of the active preferences without reading the others, whole words first, then the newest."""
        store, details = self._store, detail_keys(key)
        where, given = _ACTIVE, list[Any]()
        if details is not None:
            where += f" AND detail {AMONG}"
            given.append(listed(details))
        order, ranked = "", list[str]()
        during, values = within(period, "valid_from")
        where, given = where + during, given + values
        if text:
            wanted = letters(text)
            parts, wholes = self._told(told, wanted, where, given) if told is not None else ((), ())
            where += f" AND ({_HOLDS} OR {_ALIKE} {AMONG})"
            given += [wanted, wanted, listed(parts)]
            order, ranked = f"({_HOLDS_WHOLE} OR {_ALIKE} {AMONG}) DESC, ", [f" {wanted} "] * 2 + [listed(wholes)]
        ((total,),) = store.read(f"SELECT count(*) FROM preferences WHERE {where}", given)
        names = [
            row[0]
            for row in store.read(
                f"SELECT id FROM preferences WHERE {where} ORDER BY {order}valid_from DESC, rowid DESC LIMIT ? OFFSET ?",
                [*given, *ranked, max(0, limit), max(0, offset)],
            )
        ]
        held = {p.id: p for p in store.preferences(ids=names)} if names else {}
        return Listing(total=total, preferences=tuple(held[name] for name in names if name in held))

    def _told(self, told: Told, wanted: str, where: str, given: Sequence[Any]) -> tuple[Sequence[str], Sequence[str]]:
        """Which preferences a screen shows with these letters, and which with them as whole words; as `_ALIKE` tells."""
        parts, wholes = list[str](), list[str]()
        for (own,) in self._store.read(f"SELECT DISTINCT {_ALIKE} FROM preferences WHERE {where}", given):
            detail, value, sense, conditions = json.loads(own)
            said = letters(told(detail, value, Sense(sense), [Condition.model_validate(one) for one in conditions]))
            if wanted in said:
                parts.append(own)
                if re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said):
                    wholes.append(own)
        return parts, wholes

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A page of what is kept beside preferences, newest first.

        Without a text only a page's worth of each table is read, however long they are.
        """
        store = self._store
        during, given = within(period)
        where = f"1{during}"
        for condition, value in (("id = ?", name), ("instr(glovebox_letters(text), ?)", letters(text) or None)):
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
                f"SELECT kind, id, at, text, details FROM ({source.shown}) WHERE id {AMONG}",
                [listed(one for _, one in named)],
            )
        }
        others = tuple(
            Found(kind=Kind(kind), id=own, text=said.strip(), at=datetime.fromisoformat(at), details=tuple(json.loads(details)),
                  score=0.0)
            for kind, own, at, said, details in (by_name[one] for _, one in named if one in by_name)
        )  # fmt: skip
        return Listing(total=total, others=others)

    def browse_facts(self, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0) -> Listing:
        """A page of the facts that still matter, whole words first, then the newest."""
        during, given = within(period, "said_at")
        where, order, ranked = f"{shown('facts')} AND {MATTERS}{during}", "", list[str]()
        if text:
            said, wanted = "about || ' ' || text || ' ' || until_words", letters(text)
            where += f" AND instr(glovebox_letters({said}), ?)"
            given.append(wanted)
            order, ranked = f"instr(' ' || {_SPELT.format(said)} || ' ', ?) > 0 DESC, ", [f" {wanted} "]
        ((total,),) = self._store.read(f"SELECT count(*) FROM facts WHERE {where}", given)
        rows = self._store.read(
            f"SELECT id FROM facts WHERE {where} ORDER BY {order}said_at DESC, rowid DESC LIMIT ? OFFSET ?",
            [*given, *ranked, max(0, limit), max(0, offset)],
        )
        names = [name for (name,) in rows]
        return Listing(total=total, facts=self._store.facts.all(ids=names) if names else ())

    def tally(self) -> dict[str, int]:
        """Detail key -> how many active preferences it has."""
        return dict(self._store.read(f"SELECT detail, count(*) FROM preferences WHERE {_ACTIVE} GROUP BY detail"))


def _first(store: Store, where: str, given: Sequence[Any], limit: int, offset: int) -> list[tuple[str, str]]:
    """Time and id of some of all tables, newest first; a limit of -1: of all that meet the conditions."""
    most = -1 if limit < 0 else limit + offset
    each = (
        f"SELECT * FROM (SELECT at, id FROM ({source.shown}) WHERE {where} ORDER BY at DESC, id LIMIT {most})"
        for source in _SOURCES
    )
    rows = store.read(
        f"SELECT at, id FROM ({' UNION ALL '.join(each)}) ORDER BY at DESC, id LIMIT {limit} OFFSET {offset}",
        [*given] * len(_SOURCES),
    )
    return [(at, own) for at, own in rows]


def _count(store: Store, source: _Source, where: str, given: Sequence[Any]) -> int:
    if not source.table:
        return int(store.read(f"SELECT count(*) FROM ({source.shown}) WHERE {where}", given)[0][0])
    where = where.replace("at >", f"{source.time} >").replace("at <", f"{source.time} <")
    ((every, out),) = store.read(
        f"SELECT (SELECT count(*) FROM {source.table} WHERE {where}), "
        f"(SELECT count(*) FROM {source.table} WHERE {where} AND {hidden(source.table)})",
        [*given, *given],
    )
    return int(every) - int(out)
