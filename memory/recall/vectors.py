"""What search keeps of every memory inside the vault: its vector and its stems, and how the searchable copy stays true.

Owns making and reading them, and knowing what has changed: temporary triggers on this connection note the id of every memory
that anybody writes, so no writer has to know about search. Vectors are float16; nothing is encoded when a vault is opened but
what lacks a vector. A vault whose vectors another encoder made keeps its stems, so that its memories are found by their words
until they are encoded anew.
"""
# ruff: noqa: S608 - tables and columns are named by this module; values are bound

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.recall.cache import Entry, detail_bits
from memory.recall.decay import HALF_LIVES, half_life, preference_half_life, preference_weight, tier_weight
from memory.recall.lexical import numbers, stems
from memory.recall.preferences import preference_words
from memory.store.summaries import Line, compose
from memory.vault.lifecycle import Vault
from schemas.memory import Found, Kind
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

PROBE = "we stop at the small bakery by the harbour on saturday mornings"
"""Encoded when a vault is opened and compared with what the vault holds: tells whether the encoder is still the same."""
ALIKE = 0.999
"""Cosine from which on two vectors of the probe come from one encoder; other machines' rounding stays above it."""
_PROBE_KEY = "encoder_probe"

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
}  # fmt: skip
TABLE: dict[Kind, str] = {
    Kind.PREFERENCE: "preferences", Kind.EPISODE: "episodes", Kind.SUMMARY: "summaries", Kind.THOUGHT: "thoughts",
    Kind.EVENT: "thoughts", Kind.PROFILE: "profile",
}  # fmt: skip
"""Where the memories of a kind lie."""
_KIND = {"episodes": Kind.EPISODE, "summaries": Kind.SUMMARY, "profile": Kind.PROFILE}

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


@dataclass(slots=True)
class _Met:
    """What was worked out for memories before and holds for others, too: many have the same few."""

    details: dict[str, int] = field(default_factory=dict[str, int])
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fades: dict[tuple[Kind, int, float], tuple[float, float]] = field(
        default_factory=dict[tuple[Kind, int, float], tuple[float, float]]
    )


class Vectors:
    """Vectors and stems in one vault."""

    def __init__(self, vault: Vault, encoder: Encoder) -> None:
        """Begins to note what changes; empties the vectors that another encoder made."""
        self._vault, self._encoder = vault, encoder
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
        self._check_encoder()

    def _check_encoder(self) -> None:
        mine = self._encoder.encode([PROBE])[0]
        kept = self._vault.rows("SELECT value FROM meta WHERE key = ?", (_PROBE_KEY,))
        theirs = np.frombuffer(bytes.fromhex(kept[0][0]), np.float16).astype(np.float32) if kept else None
        if theirs is not None and theirs.shape == mine.shape and float(theirs @ mine) >= ALIKE:
            return
        with self._vault.transaction():
            self._vault.write(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PROBE_KEY, mine.astype(np.float16).tobytes().hex())
            )
            self._vault.write("UPDATE vectors SET vector = x''")
            self._vault.write("DELETE FROM queries")

    def touched(self) -> frozenset[str]:
        """Ids of the memories that were written since `seen`; some may be gone, some no memories."""
        return frozenset(name for (name,) in self._vault.rows("SELECT memory FROM touched"))

    def seen(self, names: Collection[str]) -> None:
        """Note these anew when they change from now on: whoever calls this reads them afterwards."""
        with self._vault.transaction():
            self._vault.write(
                "DELETE FROM touched WHERE memory IN (SELECT value FROM json_each(?))", (json.dumps(sorted(names)),)
            )

    def entries(self, names: Collection[str] | None = None) -> Iterator[list[Entry]]:
        """All memories that search may find, or those of these ids, in pieces; episodes in the order in which they came."""
        where, given = _SHOWN.format(id="m.id"), list[Any]()
        if names is not None:
            where += " AND m.id IN (SELECT value FROM json_each(?))"
            given.append(json.dumps(sorted(names)))
        met = _Met()
        for table, query in _QUERIES.items():
            last = -1
            while True:
                paged = query.format(where=f"m.rowid > ? AND {where}") + " ORDER BY m.rowid LIMIT ?"
                rows = self._vault.rows(paged, (last, *given, PIECE))
                if rows:
                    yield self._entries(table, rows, met)
                if len(rows) < PIECE:
                    break
                last = rows[-1][0]

    def _entries(self, table: str, rows: Sequence[tuple[Any, ...]], met: _Met) -> list[Entry]:
        size = 2 * self._encoder.dimension
        held = [row[7] if row[7] and len(row[7]) == size and row[8] is not None else None for row in rows]
        matrix = np.frombuffer(b"".join(raw for raw in held if raw is not None), np.float16)
        vectors = iter(matrix.reshape(-1, self._encoder.dimension))
        return [self._entry(table, row, None if raw is None else next(vectors), met)
                for row, raw in zip(rows, held, strict=True)]  # fmt: skip

    def _entry(self, table: str, row: tuple[Any, ...], vector: NDArray[np.float16] | None, met: _Met) -> Entry:
        _, name, at, since, uses, weight, details, _, said, *rest = row
        terms = np.frombuffer(said or b"", np.uint32)
        begun = _seconds(at)
        last = begun if since == at else max(_seconds(since), begun)
        if table == "preferences":
            return Entry(
                name, Kind.PREFERENCE, begun, last, preference_half_life(BY_DETAIL[details], uses),
                preference_weight(weight, rest[0]), vector, terms, detail_bits([details]),
            )  # fmt: skip
        kind = Kind(rest[1]) if table == "thoughts" else _KIND[table]
        bits = met.details.get(details)
        if bits is None:
            keys = json.loads(details)
            flat = [key for part in keys for key in (json.loads(part) if part.startswith("[") else [part])]
            bits = met.details[details] = detail_bits(flat)
        tags = met.tags.get(rest[0])
        if tags is None:
            tags = met.tags[rest[0]] = tuple(json.loads(rest[0]))
        fades = met.fades.get((kind, uses, weight))
        if fades is None:
            fades = half_life(HALF_LIVES[kind], uses, weight), tier_weight(weight)
            met.fades[kind, uses, weight] = fades
        talk = rest[1] if table == "episodes" else ""
        return Entry(name, kind, begun, last, *fades, vector, terms, bits, tags, talk)

    def keep(self, names: Collection[str]) -> None:
        """Encode and store what these memories lack, in the caller's transaction if there is one."""
        texts = {name: found.text for name, found in self.texts(self._lacking(names)).items()}
        if not texts:
            return
        made = self._encoder.encode(list(texts.values()))
        with self._vault.transaction():
            now = self.texts(texts)  # what was forgotten or changed while it was encoded leaves nothing here
            for (name, text), vector in zip(texts.items(), made, strict=True):
                if name in now and now[name].text == text:
                    self._vault.write(
                        "INSERT OR REPLACE INTO vectors (memory, vector, stems) VALUES (?, ?, ?)",
                        (name, vector.astype(np.float16).tobytes(), numbers(stems(text)).tobytes()),
                    )

    def _lacking(self, names: Collection[str]) -> list[str]:
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
        tables = {TABLE[kind] for kind in kinds or Kind}

        def rows(table: str, query: str) -> list[tuple[Any, ...]]:
            return (
                self._vault.rows(f"SELECT {query} FROM {table} m WHERE {among}", (listed,)) if table in tables else []
            )

        for name, detail, value, at, said in rows(
            "preferences", "m.id, m.detail, m.value, m.valid_from, (SELECT text FROM sentences s WHERE s.preference = m.id AND "
            "CAST(s.id AS TEXT) NOT IN (SELECT memory FROM withheld WHERE kind = 'sentences') "
            "ORDER BY said_at DESC, id DESC LIMIT 1)"):  # fmt: skip
            text = preference_words(detail, value, said)
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

    def used(self, names: Iterable[str], at: datetime) -> None:
        """Count a use of each of these."""
        with self._vault.transaction():
            for name in names:
                for table in ("preferences", "episodes", "thoughts"):
                    self._vault.write(
                        f"UPDATE {table} SET uses = uses + 1, last_used = ? WHERE id = ?",
                        (at.astimezone(UTC).isoformat(timespec="microseconds"), name),
                    )


def _found(kind: Kind, name: str, text: str, at: str, details: str, tags: str) -> Found:
    return Found(
        kind=kind, id=name, text=text, at=_moment(at), details=tuple(json.loads(details)),
        tags=tuple(json.loads(tags)), score=0.0,
    )  # fmt: skip


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _seconds(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(hour=NOON, tzinfo=UTC)).timestamp()
