"""What search reads of a vault: of every memory its vector, its stems and its words, and which have changed.

Owns knowing what has changed: temporary triggers on this connection note the id of every memory that anybody writes, so no writer
has to know about search. Vectors and stems are made by `memory.recall.vectors`; this only keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from memory.store.conversations import TABLES
from memory.store.facts import MATTERS, fact_words
from memory.store.rows import AMONG, listed
from memory.store.summaries import Line, compose
from memory.vault.lifecycle import Vault
from schemas.memory import Found, Kind, usual
from schemas.preferences import BY_DETAIL, SUB_TITLES, Category

_PROBE_KEY = "encoder_probe"
"""Key in ``meta`` of a vector that tells by which encoder the others were made."""

NOON = 12
"""Hour (UTC) that stands for a day: it lies within that day on almost every driver's calendar."""

PIECE = 4096
"""Memories that are read at a time when a vault is opened."""

_SHOWN = "{id} NOT IN (SELECT memory FROM withheld)"
_HEAD = "v.vector, v.stems"

_QUERIES: dict[str, str] = {
    "preferences": (
        f"SELECT m.rowid, m.id, m.valid_from, coalesce(m.last_used, m.valid_from), m.uses, m.confidence, m.detail, {_HEAD}, "
        "(SELECT count(DISTINCT text) FROM sentences s WHERE s.preference = m.id) "
        "FROM preferences m LEFT JOIN vectors v ON v.memory = m.id WHERE m.status = 'active' AND {where}"
    ),
    "episodes": (
        f"SELECT m.rowid, m.id, m.at, coalesce(m.last_used, m.at), m.uses, m.importance, m.details, {_HEAD}, m.tags, "
        "m.conversation FROM episodes m LEFT JOIN vectors v ON v.memory = m.id WHERE {where}"
    ),
    "thoughts": (
        f"SELECT m.rowid, m.id, m.at, coalesce(m.last_used, m.at), m.uses, m.importance, m.details, {_HEAD}, m.tags, m.kind "
        "FROM thoughts m LEFT JOIN vectors v ON v.memory = m.id WHERE {where}"
    ),
    "summaries": (
        "SELECT m.rowid, m.id, m.day, m.day, 0, 0.5, "
        f"(SELECT json_group_array(details) FROM summary_lines l WHERE l.summary = m.id), {_HEAD}, '[]' "
        "FROM summaries m LEFT JOIN vectors v ON v.memory = m.id WHERE {where}"
    ),
    "profile": (
        f"SELECT m.rowid, m.id, m.since, m.since, 0, 1.0, m.details, {_HEAD}, '[]' "
        "FROM profile m LEFT JOIN vectors v ON v.memory = m.id WHERE {where}"
    ),
    "facts": (
        f"SELECT m.rowid, m.id, m.said_at, m.said_at, m.uses, 1.0, '[]', {_HEAD}, '[]' "
        f"FROM facts m LEFT JOIN vectors v ON v.memory = m.id WHERE {MATTERS} AND {{where}}"
    ),
}  # fmt: skip
_NOTED: tuple[tuple[str, str, str], ...] = (
    *((table, event, f"{side}.id")
      for table in _QUERIES for event, side in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD"))),
    ("vectors", "DELETE", "OLD.memory"),
    ("summary_lines", "INSERT", "NEW.summary"),
    ("summary_lines", "DELETE", "OLD.summary"),
    ("withheld", "INSERT", "NEW.memory"),
    ("withheld", "DELETE", "OLD.memory"),
)  # fmt: skip
"""Table, what happens to a row of it, and the id of the memory that has changed then."""
_RETOLD = """
DELETE FROM vectors WHERE {0}.kind = 'sentences' AND memory =
    (SELECT preference FROM sentences WHERE id = CAST({0}.memory AS INTEGER));
"""
"""A preference is encoded with its last sentence, so it is encoded anew when a sentence is withheld or taken back."""


class Searchable:
    """The memories of one vault as search needs them."""

    def __init__(self, vault: Vault) -> None:
        """Begins to note what changes."""
        self._vault = vault
        with vault.transaction():
            vault.write("CREATE TEMP TABLE IF NOT EXISTS touched (memory TEXT PRIMARY KEY) WITHOUT ROWID")
            for table, event, name in _NOTED:
                retold = _RETOLD.format(name.partition(".")[0]) if table == "withheld" else ""
                vault.write(
                    f"CREATE TEMP TRIGGER IF NOT EXISTS touched_{table}_{event} AFTER {event} ON main.{table} BEGIN "
                    f"INSERT INTO touched SELECT {name} WHERE {name} NOT IN (SELECT memory FROM touched); {retold} END"
                )
            vault.write("DELETE FROM touched")
            vault.write("DELETE FROM graphs")  # of vaults from before graphs were built at every opening

    def probe(self) -> bytes | None:
        """What `begin_anew` was given last."""
        rows = self._vault.rows("SELECT value FROM meta WHERE key = ?", (_PROBE_KEY,))
        return bytes.fromhex(rows[0][0]) if rows else None

    def begin_anew(self, probe: bytes) -> None:
        """Empty the vectors that another encoder made; stems stay, so that memories are found by their words until then."""
        with self._vault.transaction():
            self._vault.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PROBE_KEY, probe.hex()))
            self._vault.write("UPDATE vectors SET vector = x''")
            self._vault.write("DELETE FROM queries")

    def touched(self) -> frozenset[str]:
        """Ids of the memories that were written since `seen`; some may be gone, some no memories."""
        return frozenset(name for (name,) in self._vault.rows("SELECT memory FROM touched"))

    def seen(self, names: Collection[str]) -> None:
        """Note these anew when they change from now on: whoever calls this reads them afterwards."""
        with self._vault.transaction():
            self._vault.write(f"DELETE FROM touched WHERE memory {AMONG}", (listed(names),))

    def rows(self, names: Collection[str] | None = None) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
        """All memories that search may find, or those of these ids, in pieces, with their table; oldest row first."""
        where, given = _SHOWN.format(id="m.id"), list[Any]()
        if names is not None:
            where += f" AND m.id {AMONG}"
            given.append(listed(names))
        for table, query in _QUERIES.items():
            last = -1
            while True:
                paged = query.format(where=f"m.rowid > ? AND {where}") + " ORDER BY m.rowid LIMIT ?"
                rows = self._vault.rows(paged, (last, *given, PIECE))
                if rows:
                    yield table, rows
                if len(rows) < PIECE:
                    break
                last = rows[-1][0]

    def keep(self, made: Mapping[str, tuple[str, bytes, bytes]]) -> None:
        """Store vectors and stems, in the caller's transaction if there is one.

        Args:
            made: memory -> the text that they are made of, vector and stems. Of what was forgotten or has changed meanwhile
                nothing is stored.
        """
        with self._vault.transaction():
            now = self.texts(made)
            for name, (text, vector, stems) in made.items():
                if name in now and now[name].text == text:
                    self._vault.write(
                        "INSERT OR REPLACE INTO vectors (memory, vector, stems) VALUES (?, ?, ?)", (name, vector, stems)
                    )

    def lacking(self, names: Collection[str]) -> list[str]:
        """Those of these memories that have no vector or no stems."""
        found: list[str] = []
        for table in _QUERIES:
            active = " AND m.status = 'active'" if table == "preferences" else ""
            found += [name for (name,) in self._vault.rows(
                f"SELECT m.id FROM {table} m LEFT JOIN vectors v ON v.memory = m.id WHERE (v.memory IS NULL OR v.vector = x'' "
                f"OR v.stems IS NULL) AND m.id IN (SELECT value FROM json_each(?)){active} ORDER BY m.rowid DESC",
                (json.dumps(sorted(names)),))]  # fmt: skip
        return found

    def texts(self, names: Collection[str], kinds: Collection[Kind] = ()) -> dict[str, Found]:
        """Memories in words, with a score of 0; what is withheld is left out.

        Args:
            names: their ids.
            kinds: of which kinds they are, if that is known; so no other tables are read.
        """
        listed, found = json.dumps(sorted(names)), dict[str, Found]()
        among = f"m.id IN (SELECT value FROM json_each(?)) AND {_SHOWN.format(id='m.id')}"
        tables = {TABLES[kind] for kind in kinds or TABLES}

        def rows(table: str, query: str, where: str = "1") -> list[tuple[Any, ...]]:
            if table not in tables:
                return []
            return self._vault.rows(f"SELECT {query} FROM {table} m WHERE {where} AND {among}", (listed,))

        for name, detail, value, sense, conditions, at, said in rows(
            "preferences", "m.id, m.detail, m.value, m.sense, m.conditions, m.valid_from, "
            "(SELECT text FROM sentences s WHERE s.preference = m.id AND "
            "CAST(s.id AS TEXT) NOT IN (SELECT memory FROM withheld WHERE kind = 'sentences') "
            "ORDER BY said_at DESC, id DESC LIMIT 1)"):  # fmt: skip
            meant = "" if sense == usual(detail) else f"{sense} "
            when = "".join(f" {one['words'] or one['value']}" for one in json.loads(conditions))
            text = preference_words(detail, f"{meant}{value}{when}", said)
            found[name] = Found(kind=Kind.PREFERENCE, id=name, text=text, at=_moment(at), details=(detail,), score=0.0)
        for name, at, driver, assistant, details, tags in rows(
            "episodes", "m.id, m.at, m.driver, m.assistant, m.details, m.tags"
        ):
            text = f"{driver} {assistant}".strip()
            found[name] = _found(Kind.EPISODE, name, text, at, details, tags)
        for name, kind, text, at, details, tags in rows("thoughts", "m.id, m.kind, m.text, m.at, m.details, m.tags"):
            found[name] = _found(Kind(kind), name, text, at, details, tags)
        for name, key, value, at, details in rows("profile", "m.id, m.key, m.value, m.since, m.details"):
            found[name] = _found(Kind.PROFILE, name, f"{key.replace('_', ' ')}: {value}", at, details, "[]")
        for name, about, text, until, at in rows("facts", "m.id, m.about, m.text, m.until_words, m.said_at", MATTERS):
            found[name] = _found(Kind.FACT, name, fact_words(about, text, until), at, "[]", "[]")
        for name, day in rows("summaries", "m.id, m.day"):
            found[name] = self._summary(name, date.fromisoformat(day))
        return found

    def _summary(self, name: str, day: date) -> Found:
        lines = [
            Line(source, text, tuple(json.loads(details)), tuple(json.loads(tags)))
            for source, text, details, tags in self._vault.rows(
                "SELECT source, text, details, tags FROM summary_lines WHERE summary = ? AND source NOT IN "
                "(SELECT memory FROM withheld) ORDER BY number",
                (name,),
            )
        ]
        details = tuple(dict.fromkeys(detail for line in lines for detail in line.details))
        at = datetime(day.year, day.month, day.day, NOON, tzinfo=UTC)
        return Found(
            kind=Kind.SUMMARY, id=name, text=compose(day, lines), at=at, details=details,
            tags=tuple(dict.fromkeys(tag for line in lines for tag in line.tags)), score=0.0,
        )  # fmt: skip

    def links(self, names: Collection[str]) -> list[str]:
        """Ids that these memories are linked with."""
        listed = json.dumps(sorted(names))
        return [other for (other,) in self._vault.rows(
            "SELECT other FROM links WHERE memory IN (SELECT value FROM json_each(?))", (listed,))]  # fmt: skip


def category_words(category: Category) -> str:
    """A category in words, for search."""
    return f"{category.title}, {SUB_TITLES[category.sub].lower()}"


def preference_words(detail: str, value: str, sentence: str | None) -> str:
    """A preference in words, for search: ``category words: value. sentence.`` (CarMem's enriched text, section 3.4)."""
    head = f"{category_words(BY_DETAIL[detail])}: {value}."
    return f"{head} {sentence}." if sentence else head


def _found(kind: Kind, name: str, text: str, at: str, details: str, tags: str) -> Found:
    return Found(
        kind=kind, id=name, text=text, at=_moment(at), details=tuple(json.loads(details)),
        tags=tuple(json.loads(tags)), score=0.0,
    )  # fmt: skip


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
