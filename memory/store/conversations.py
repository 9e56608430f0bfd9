"""The tables beside preferences: trips, episodes, thoughts, summaries, the profile, grown tags, links, vectors.

The write path of the tiers: nothing is inserted here without asking consent in the same transaction, and the vault's triggers
ask again beneath it. Values in, values out; decides nothing about what is worth keeping (`memory.driver.conversations`),
nor what goes with what (`memory.rights.provenance`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory.store.preferences import Store, silent
from memory.store.rows import AMONG, insert, listed, read, shown, within
from memory.store.summaries import Line, common_tags, compose
from memory.vault.lifecycle import Vault, utc_text
from schemas.errors import ConsentError
from schemas.memory import Episode, Kind, Period, ProfileEntry, Summary, Thought, Trip
from schemas.preferences import BY_DETAIL

_TRIP = ("id", "began_at", "ended_at")
_EPISODE = (
    "id", "conversation", "at", "driver", "assistant", "details", "tags", "importance", "uses", "last_used",
)  # fmt: skip
_THOUGHT = ("id", "kind", "text", "at", "details", "tags", "importance", "uses", "last_used")
_ENTRY = ("id", "aspect", "key", "value", "details", "confidence", "since", "edited")

TABLES: dict[Kind, str] = {
    Kind.PREFERENCE: "preferences",
    Kind.EPISODE: "episodes",
    Kind.SUMMARY: "summaries",
    Kind.THOUGHT: "thoughts",
    Kind.EVENT: "thoughts",
    Kind.PROFILE: "profile",
    Kind.FACT: "facts",
}
"""Where the memories of a kind lie."""


class Archive:
    """The tiers' tables of one vault."""

    def __init__(self, vault: Vault, store: Store) -> None:
        """The tables of this vault, beside the store of its preferences (which holds the consent)."""
        self._vault, self.store = vault, store

    def transaction(self) -> AbstractContextManager[None]:
        """`memory.vault.lifecycle.Vault.transaction`."""
        return self._vault.transaction()

    def _ask(self, details: Iterable[str], now: datetime, *, talk: bool) -> None:
        """Consent for something about these details; ``talk``: it is kept of a conversation."""
        consent = self.store.consent()
        reason = silent(consent, now)
        if reason is None and talk and not consent.conversations:
            reason = "conversations are not kept unless asked for"
        reasons = (reason, *(consent.forbids(BY_DETAIL[detail], now) for detail in details))
        found = next((reason for reason in reasons if reason is not None), None)
        if found is not None:
            raise ConsentError(f"a write to the tiers was refused, {found}: ask consent before writing")

    # Trips

    def begin_trip(self, trip: str, at: datetime, now: datetime) -> None:
        """Note that a trip began; one that is known stays as it is.

        Raises:
            ConsentError: nothing of conversations may be kept now.
        """
        with self.transaction():
            self._ask((), now, talk=True)
            self._vault.write("INSERT OR IGNORE INTO trips (id, began_at) VALUES (?, ?)", (trip, utc_text(at)))

    def end_trip(self, trip: str, at: datetime) -> None:
        """Note that a trip ended; unknown ones are ignored."""
        with self.transaction():
            self._vault.write("UPDATE trips SET ended_at = ? WHERE id = ?", (utc_text(at), trip))

    def trips(self) -> tuple[Trip, ...]:
        """All trips, first to last."""
        rows = self._vault.rows(f"SELECT {', '.join(_TRIP)} FROM trips ORDER BY began_at, id")
        return tuple(read(Trip, _TRIP, row) for row in rows)

    # Episodes

    def keep(self, episode: Episode, now: datetime) -> None:
        """Store an episode.

        Raises:
            ConsentError: consent forbids it now.
        """
        with self.transaction():
            self._ask(episode.details, now, talk=True)
            insert(self._vault, "episodes", _EPISODE, episode)
            self.link(episode.id, episode.links)

    def episodes(
        self, period: Period | None = None, *, unreflected: bool = False, ids: Collection[str] | None = None,
        newest: int | None = None,
    ) -> tuple[Episode, ...]:  # fmt: skip
        """Episodes, oldest first.

        Args:
            period: only those of this time.
            unreflected: only those that post-thinking has not seen.
            ids: only these.
            newest: only so many, the newest ones: no more rows than these are read.
        """
        during, values = within(period)
        where = shown("episodes") + during
        if unreflected:
            where += " AND reflected = 0"
        if ids is not None:
            where, values = f"{where} AND id {AMONG}", [*values, listed(ids)]
        order = "ORDER BY at, rowid" if newest is None else f"ORDER BY at DESC, rowid DESC LIMIT {int(newest)}"
        rows = self._vault.rows(f"SELECT {', '.join(_EPISODE)} FROM episodes WHERE {where} {order}", values)
        rows = rows if newest is None else rows[::-1]
        links = self._links([row[0] for row in rows])
        return tuple(read(Episode, _EPISODE, row, links=links.get(row[0], ())) for row in rows)

    def count_episodes(self) -> int:
        """How many there are."""
        return int(self._vault.rows("SELECT count(*) FROM episodes")[0][0])

    def worths(self) -> list[tuple[str, datetime, float, int]]:
        """Of every episode its id, when it was said or used last, its importance and its uses; no words."""
        rows = self._vault.rows(
            "SELECT id, at, coalesce(last_used, at), importance, uses FROM episodes "
            f"WHERE {shown('episodes')} ORDER BY at, rowid"
        )
        return [(name, max(_at(at), _at(used)), importance, uses) for name, at, used, importance, uses in rows]

    def reflected(self, ids: Sequence[str]) -> None:
        """Mark episodes as seen by post-thinking."""
        with self.transaction():
            for name in ids:
                self._vault.write("UPDATE episodes SET reflected = 1 WHERE id = ?", (name,))

    # Thoughts

    def think(self, thought: Thought, now: datetime) -> None:
        """Store a thought or an event with its sources and links.

        Raises:
            ConsentError: consent forbids it now.
        """
        with self.transaction():
            self._ask(thought.details, now, talk=thought.kind is Kind.EVENT)
            insert(self._vault, "thoughts", _THOUGHT, thought)
            self.rest_on(thought.id, thought.sources)
            self.link(thought.id, thought.links)

    def thoughts(self, period: Period | None = None) -> tuple[Thought, ...]:
        """Thoughts and events, oldest first."""
        during, values = within(period)
        rows = self._vault.rows(
            f"SELECT {', '.join(_THOUGHT)} FROM thoughts WHERE {shown('thoughts')}{during} ORDER BY at, rowid", values
        )
        names = [row[0] for row in rows]
        sources, links = self._sources(names), self._links(names)
        return tuple(
            read(Thought, _THOUGHT, row, sources=sources.get(row[0], ()), links=links.get(row[0], ())) for row in rows
        )

    def rest_on(self, memory: str, sources: Iterable[str]) -> None:
        """Add sources to a thought or a profile entry."""
        with self.transaction():
            for source in sources:
                self._vault.write("INSERT OR IGNORE INTO sources VALUES (?, ?)", (memory, source))

    # Summaries

    def summarise(self, name: str, day: date, lines: Sequence[Line], now: datetime) -> None:
        """Add lines to the summary of a day; a source that has a line there keeps it.

        Args:
            name: id of the summary, should the day have none yet.
            day: in the driver's zone.
            lines: in the order in which they are read.
            now: for consent.

        Raises:
            ConsentError: consent forbids one of them now.
        """
        with self.transaction():
            self._ask({detail for line in lines for detail in line.details}, now, talk=True)
            self._vault.write("INSERT OR IGNORE INTO summaries VALUES (?, ?)", (name, day.isoformat()))
            held = self._vault.rows("SELECT id FROM summaries WHERE day = ?", (day.isoformat(),))[0][0]
            rows = self._vault.rows("SELECT coalesce(max(number), -1) FROM summary_lines WHERE summary = ?", (held,))
            for number, line in enumerate(lines, start=rows[0][0] + 1):
                self._vault.write(
                    "INSERT OR IGNORE INTO summary_lines (summary, source, number, text, details, tags) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (held, line.source, number, line.text, json.dumps(line.details), json.dumps(line.tags)),
                )

    def lines(self, of: Collection[str] | None = None) -> dict[str, tuple[Line, ...]]:
        """Summary id -> its lines, in order; of all, or of these."""
        found: dict[str, list[Line]] = {}
        among, given = ("", ()) if of is None else (f" AND summary {AMONG}", (listed(of),))
        for summary, source, text, details, tags in self._vault.rows(
            "SELECT summary, source, text, details, tags FROM summary_lines "
            f"WHERE {shown('summary_lines')}{among} ORDER BY summary, number",
            given,
        ):
            found.setdefault(summary, []).append(
                Line(source, text, tuple(json.loads(details)), tuple(json.loads(tags)))
            )
        return {summary: tuple(lines) for summary, lines in found.items()}

    def summaries(self, since: date | None = None, until: date | None = None) -> tuple[Summary, ...]:
        """Summaries of days ``since <= day < until`` that have lines, oldest first."""
        rows = self._vault.rows(
            "SELECT id, day FROM summaries WHERE day >= ? AND day < ? ORDER BY day",
            (since.isoformat() if since is not None else "", until.isoformat() if until is not None else "~"),
        )
        lines = self.lines([name for name, _ in rows])
        return tuple(_summary(name, date.fromisoformat(day), lines[name]) for name, day in rows if name in lines)

    # Profile

    def put_entry(self, entry: ProfileEntry, now: datetime) -> None:
        """Store a line of the profile in the place of the one with its key.

        Raises:
            ConsentError: consent forbids it now.
        """
        with self.transaction():
            self._ask(entry.details, now, talk=False)
            self._vault.write("DELETE FROM profile WHERE key = ?", (entry.key,))
            insert(self._vault, "profile", _ENTRY, entry)
            self.rest_on(entry.id, entry.sources)

    def profile(self) -> tuple[ProfileEntry, ...]:
        """The profile: facts, habits, style, each by key."""
        rows = self._vault.rows(
            f"SELECT {', '.join(_ENTRY)} FROM profile WHERE {shown('profile')} ORDER BY aspect, key"
        )
        sources = self._sources([row[0] for row in rows])
        return tuple(read(ProfileEntry, _ENTRY, row, sources=sources.get(row[0], ())) for row in rows)

    # Tags, links, vectors, queries

    def tags(self) -> tuple[str, ...]:
        """Tags that grew in this vault, first to last."""
        return tuple(key for (key,) in self._vault.rows("SELECT key FROM tags ORDER BY since, key"))

    def grow(self, tags: Iterable[str], now: datetime) -> None:
        """Keep new tags.

        Raises:
            ConsentError: nothing of conversations may be kept now.
        """
        with self.transaction():
            self._ask((), now, talk=True)
            for tag in tags:
                self._vault.write("INSERT OR IGNORE INTO tags VALUES (?, ?)", (tag, utc_text(now)))

    def tag(self, kind: Literal[Kind.EPISODE, Kind.THOUGHT, Kind.EVENT], name: str, tags: Sequence[str]) -> None:
        """Give an episode or a thought other tags."""
        with self.transaction():
            self._vault.write(f"UPDATE {TABLES[kind]} SET tags = ? WHERE id = ?", (json.dumps(tuple(tags)), name))

    def link(self, memory: str, others: Sequence[str]) -> None:
        """Make these the links of a memory, nearest first."""
        with self.transaction():
            self._vault.write("DELETE FROM links WHERE memory = ?", (memory,))
            for number, other in enumerate(others):
                self._vault.write("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", (memory, other, number))

    def vectors(self, ids: Collection[str] | None = None) -> dict[str, NDArray[np.float32]]:
        """Memory id -> unit vector, of all or of these, as far as they are kept; `memory.recall.vectors` writes them."""
        among, given = ("", ()) if ids is None else (f" AND memory {AMONG}", (listed(ids),))
        rows = self._vault.rows(f"SELECT memory, vector FROM vectors WHERE vector <> x''{among}", given)
        return {name: _vector(raw) for name, raw in rows}

    def queries(self) -> tuple[tuple[datetime, NDArray[np.float32]], ...]:
        """When was asked what, as unit vectors, oldest first."""
        rows = self._vault.rows("SELECT at, vector FROM queries ORDER BY at, id")
        return tuple((_at(at), _vector(raw)) for at, raw in rows)

    def put_queries(self, queries: Iterable[tuple[datetime, NDArray[np.float32]]], most: int, now: datetime) -> None:
        """Add queries to the ring of the last ``most``.

        Raises:
            ConsentError: nothing of conversations may be kept now.
        """
        with self.transaction():
            self._ask((), now, talk=True)
            for at, vector in queries:
                raw = vector.astype(np.float16).tobytes()
                self._vault.write("INSERT INTO queries (at, vector) VALUES (?, ?)", (utc_text(at), raw))
            self._vault.write(
                "DELETE FROM queries WHERE id NOT IN (SELECT id FROM queries ORDER BY id DESC LIMIT ?)", (most,)
            )

    # Erasure

    def kinds(self, ids: Iterable[str]) -> dict[str, Kind]:
        """Id -> kind, of those ids that are memories of the tiers."""
        named, found = list(ids), dict[str, Kind]()
        for kind in (Kind.EPISODE, Kind.SUMMARY, Kind.PROFILE, Kind.FACT, Kind.THOUGHT):
            own = "kind" if kind is Kind.THOUGHT else f"'{kind}'"
            rows = self._vault.rows(f"SELECT id, {own} FROM {TABLES[kind]} WHERE id {AMONG}", (listed(named),))
            found.update((name, Kind(told)) for name, told in rows)
        return {name: found[name] for name in named if name in found}

    def delete(self, ids: Iterable[str]) -> dict[str, Kind]:
        """Delete memories of the tiers, and nothing with them but their vectors, links and lines; returns what there was.

        What was made of them stays: `memory.rights.provenance` decides on that.
        """
        with self.transaction():
            held = self.kinds(ids)
            for table in dict.fromkeys(TABLES[kind] for kind in held.values()):
                self._vault.write(f"DELETE FROM {table} WHERE id {AMONG}", (listed(held),))
            return held

    def delete_lines(self, sources: Iterable[str]) -> tuple[str, ...]:
        """Delete the lines that these sources have in summaries, and summaries without lines; returns the ids of both."""
        with self.transaction():
            lines, named = f"FROM summary_lines WHERE source {AMONG}", (listed(sources),)
            touched = [name for (name,) in self._vault.rows(f"SELECT DISTINCT summary {lines}", named)]
            self._vault.write(f"DELETE {lines}", named)
            self._vault.write("DELETE FROM summaries WHERE id NOT IN (SELECT summary FROM summary_lines)")
            self._vault.write(f"DELETE FROM vectors WHERE memory {AMONG}", (listed(touched),))
            return tuple(touched)

    def prune_tags(self) -> None:
        """Delete grown tags that nothing has any more."""
        with self.transaction():
            self._vault.write(
                "DELETE FROM tags WHERE key NOT IN (SELECT value FROM episodes, json_each(episodes.tags) UNION "
                "SELECT value FROM thoughts, json_each(thoughts.tags) UNION "
                "SELECT value FROM summary_lines, json_each(summary_lines.tags))"
            )

    def untag(self, tag: str) -> None:
        """Take a grown tag off whatever has it, and forget it."""
        with self.transaction():
            for table in ("episodes", "thoughts"):
                self._vault.write(
                    f"UPDATE {table} SET tags = (SELECT json_group_array(t.value) FROM json_each(tags) t WHERE t.value <> ?1) "
                    "WHERE EXISTS (SELECT 1 FROM json_each(tags) t WHERE t.value = ?1)",
                    (tag,),
                )
            self._vault.write("DELETE FROM tags WHERE key = ?", (tag,))

    def forget_sources(self, sources: Iterable[str]) -> None:
        """Take these out of the sources of whatever rests on them."""
        with self.transaction():
            self._vault.write(f"DELETE FROM sources WHERE source {AMONG}", (listed(sources),))

    def resting_on(self, sources: Iterable[str]) -> tuple[str, ...]:
        """Thoughts, profile entries and summaries that have one of these as a source."""
        rows = self._vault.rows(
            "SELECT memory FROM sources WHERE source IN (SELECT value FROM json_each(?1)) "
            "UNION SELECT summary FROM summary_lines WHERE source IN (SELECT value FROM json_each(?1))",
            (listed(sources),),
        )
        return tuple(name for (name,) in rows)

    def _sources(self, of: Collection[str]) -> dict[str, tuple[str, ...]]:
        return self._named("SELECT memory, source FROM sources", "memory, source", of)

    def _links(self, of: Collection[str]) -> dict[str, tuple[str, ...]]:
        return self._named("SELECT memory, other FROM links", "memory, number", of)

    def _named(self, query: str, order: str, of: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Memory -> others, of these memories alone."""
        found: dict[str, list[str]] = {}
        among = f"WHERE memory {AMONG} ORDER BY {order}"
        for memory, other in self._vault.rows(f"{query} {among}", (listed(of),)) if of else ():
            found.setdefault(memory, []).append(other)
        return {memory: tuple(others) for memory, others in found.items()}


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _vector(raw: bytes) -> NDArray[np.float32]:
    return np.frombuffer(raw, np.float16).astype(np.float32)


def _summary(name: str, day: date, lines: Sequence[Line]) -> Summary:
    details = tuple(dict.fromkeys(detail for line in lines for detail in line.details))
    sources = tuple(line.source for line in lines)
    return Summary(
        id=name, day=day, text=compose(day, lines), details=details, tags=common_tags(lines), sources=sources
    )  # fmt: skip
