"""The searchable copy of a vault, in memory: what every memory is known by, in columns, so that 100,000 of them stay small.

Owns rows (a number for every memory), vectors by kind, postings, and who follows whom in a conversation. Holds no text.
Where the rows come from is `memory.recall.vectors`; what a score is made of is `memory.recall.search` and
`memory.recall.preferences`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.recall.decay import retention
from memory.recall.exact import NONE, Floats, Rows
from memory.recall.hnsw import HnswIndex
from memory.recall.lexical import Postings
from schemas.memory import Kind
from schemas.preferences import CATEGORIES

KINDS: tuple[Kind, ...] = tuple(Kind)
_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
DETAILS: dict[str, int] = {category.detail: number for number, category in enumerate(CATEGORIES)}
"""Detail key -> its bit."""
MOST_TAGS = 128
"""Bits for tags; later ones share the last, and who filters by tags compares the tags themselves again."""
_DAY = 86_400.0

_COLUMNS = np.dtype([
    ("alive", "?"), ("kind", "u1"), ("at", "f8"), ("since", "f8"), ("half_life", "f4"), ("weight", "f4"),
    ("details", "u8"), ("tags", "u8", (2,)), ("length", "f4"), ("before", "i4"), ("after", "i4"),
])  # fmt: skip


_NO_TERMS: NDArray[np.uint32] = np.zeros(0, np.uint32)


class Entry(NamedTuple):
    """What is known of one memory. A tuple, since opening a vault makes one of every memory."""

    id: str
    kind: Kind
    at: float
    """When it was said, or when it holds from: seconds since 1970, as are all times here."""
    since: float
    """When it was last used, else ``at``."""
    half_life: float
    """Days, uses included; infinite for what does not decay."""
    weight: float
    """Importance, 0..1."""
    vector: Floats | NDArray[np.float16] | None
    """None while it is not encoded yet: found by its words until then."""
    terms: NDArray[np.uint32] = _NO_TERMS
    details: int = 0
    """Bits of `DETAILS`."""
    tags: tuple[str, ...] = ()
    conversation: str = ""


class SearchCache:
    """Rows, vectors and postings. Safe for use by several threads."""

    def __init__(self, dimension: int) -> None:
        """Empty, for vectors of this length."""
        self.dimension = dimension
        self.lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        with self.lock:
            self.columns = np.zeros(64, _COLUMNS)
            self._ids: list[str] = []
            self._rows: dict[str, int] = {}
            self._tags: dict[str, int] = {}
            self._marks: dict[tuple[str, ...], NDArray[np.uint64]] = {}
            self._last: dict[str, int] = {}
            self.postings = Postings()
            self.indices = {kind: HnswIndex(self.dimension) for kind in KINDS}
            self._missing: set[str] = set()
            self._length = 0.0

    def __len__(self) -> int:
        """How many memories are held."""
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        """Whether a memory is held."""
        return name in self._rows

    @property
    def rows(self) -> int:
        """How many rows there are, those of what is gone included."""
        return len(self._ids)

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of memories without a vector."""
        return tuple(self._missing)

    @property
    def mean_length(self) -> float:
        """Stems of a memory, on average; at least 1."""
        return max(self._length / max(len(self._rows), 1), 1.0)

    def id(self, row: int) -> str:
        """The memory of a row."""
        return self._ids[row]

    def row(self, name: str) -> int:
        """The row of a memory, or `NONE`."""
        return self._rows.get(name, NONE)

    def put(self, entries: Sequence[Entry]) -> None:
        """Hold these as they are now. Those of one conversation are to come in the order in which they were said."""
        with self.lock:
            changed = [entry.id for entry in entries if entry.id in self._rows and not self._same(entry)]
            places = {name: self._neighbours(name) for name in changed}
            self.drop(changed)
            kept = [entry for entry in entries if entry.id in self._rows]
            self._insert([entry for entry in entries if entry.id not in self._rows], places)
            for entry in kept:
                self._describe(self._rows[entry.id], [entry])

    def _same(self, entry: Entry) -> bool:
        """Whether vector and words are those that are held, so that only numbers change."""
        row = self._rows[entry.id]
        if self.columns[row]["kind"] != KINDS.index(entry.kind) or self.columns[row]["length"] != len(entry.terms):
            return False
        index, at = self.indices[entry.kind], np.array([row], np.int64)
        if (entry.vector is None) != (row not in index):
            return False
        return entry.vector is None or bool(np.allclose(index.vectors(at)[0], entry.vector, atol=2e-3))

    def _neighbours(self, name: str) -> tuple[int, int]:
        row = self._rows[name]
        return int(self.columns[row]["before"]), int(self.columns[row]["after"])

    def _insert(self, entries: Sequence[Entry], places: dict[str, tuple[int, int]]) -> None:
        if not entries:
            return
        first, need = len(self._ids), len(self._ids) + len(entries)
        if need > len(self.columns):
            room = max(need, len(self.columns) * 5 // 4) - len(self.columns)
            self.columns = np.concatenate([self.columns, np.zeros(room, _COLUMNS)])
        rows = np.arange(first, need)
        self._ids += [entry.id for entry in entries]
        self._rows.update(zip((entry.id for entry in entries), rows.tolist(), strict=True))
        self._describe(first, entries)
        self.columns["before"][rows] = self.columns["after"][rows] = NONE
        self._follow(first, entries, places)
        self.postings.add(rows, [entry.terms for entry in entries])
        self._length += sum(len(entry.terms) for entry in entries)
        for kind in {entry.kind for entry in entries}:
            own = [(row, entry.vector) for row, entry in zip(rows.tolist(), entries, strict=True)
                   if entry.kind is kind and entry.vector is not None]  # fmt: skip
            if own:
                vectors = np.stack([vector for _, vector in own]).astype(np.float32)
                self.indices[kind].add(np.array([row for row, _ in own], np.int64), vectors)
        self._missing.update(entry.id for entry in entries if entry.vector is None)

    def _describe(self, first: int, entries: Sequence[Entry]) -> None:
        """The columns of rows, without who stands beside them; one column at a time: a tenth of the time of one row at a time."""
        part = self.columns[first : first + len(entries)]
        part["alive"] = True
        part["kind"] = [_NUMBER[entry.kind] for entry in entries]
        for name in ("at", "since", "half_life", "weight", "details"):
            part[name] = [getattr(entry, name) for entry in entries]
        part["length"] = [len(entry.terms) for entry in entries]
        labelled = [place for place, entry in enumerate(entries) if entry.tags]
        part["tags"] = 0
        if labelled:
            part["tags"][labelled] = [self._mark(entries[place].tags) for place in labelled]

    def _follow(self, first: int, entries: Sequence[Entry], places: dict[str, tuple[int, int]]) -> None:
        """Put what has changed where it stood in its conversation, and what is new behind the last ones."""
        before = [NONE] * len(entries)
        last = self._last
        for row, entry in enumerate(entries, first):
            if entry.id in places and entry.conversation:
                self._stand(row, entry.conversation, *places[entry.id])
        for place, entry in enumerate(entries):
            if entry.kind is Kind.EPISODE and entry.conversation and entry.id not in places:
                before[place] = last.get(entry.conversation, NONE)
                last[entry.conversation] = first + place
        preceding = np.array(before, np.int64)
        rows = np.arange(first, first + len(entries))
        follows = preceding != NONE
        follows[follows] = self.columns["alive"][preceding[follows]]
        self.columns["before"][rows[follows]] = preceding[follows]
        self.columns["after"][preceding[follows]] = rows[follows]

    def _mark(self, tags: tuple[str, ...]) -> NDArray[np.uint64]:
        """The bits of a memory's tags, which get one each if they have none."""
        if tags not in self._marks:
            self._marks[tags] = self._tag_bits(tags, learn=True)
        return self._marks[tags]

    def _stand(self, row: int, conversation: str, *beside: int) -> None:
        """Put a row between two others, as far as they are there."""
        columns = self.columns
        before, after = (other if other != NONE and columns["alive"][other] else NONE for other in beside)
        columns["before"][row], columns["after"][row] = before, after
        if before != NONE:
            columns["after"][before] = row
        if after != NONE:
            columns["before"][after] = row
        else:
            self._last[conversation] = row

    def drop(self, names: Iterable[str]) -> None:
        """Hold these no more, overwriting what was known of them; unknown ids are ignored."""
        with self.lock:
            known = [name for name in names if name in self._rows]
            if not known:
                return
            rows = np.array([self._rows.pop(name) for name in known], np.int64)
            self._missing.difference_update(known)
            self._length -= float(self.columns["length"][rows].sum())
            self.postings.remove(rows)
            for kind in np.unique(self.columns["kind"][rows]).tolist():
                self.indices[KINDS[kind]].remove(rows[self.columns["kind"][rows] == kind])
            for row in rows.tolist():
                before, after = int(self.columns[row]["before"]), int(self.columns[row]["after"])
                if before != NONE:
                    self.columns[before]["after"] = after
                if after != NONE:
                    self.columns[after]["before"] = before
                self._ids[row] = ""
            gone = set(rows.tolist())
            for conversation in [name for name, row in self._last.items() if row in gone]:
                del self._last[conversation]
            self.columns[rows] = np.zeros(1, _COLUMNS)

    def holds(self, names: Iterable[str]) -> bool:
        """Whether anything is left of these ids: what an erasure is checked against."""
        return any(name in self._rows for name in names)

    def allowed(
        self, kinds: Iterable[Kind] = (), *, tags: Iterable[str] = (), within: tuple[float, float] | None = None,
        details: int = 0, hidden: int = 0,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """For every row whether it meets all of these; what is empty asks for nothing.

        Args:
            kinds: of one of these kinds.
            tags: with one of these tags.
            within: said from then until before then.
            details: bits of `DETAILS`: about one of these.
            hidden: about none of these.
        """
        columns = self.columns[: self.rows]
        found = columns["alive"].copy()
        wanted = {KINDS.index(kind) for kind in kinds}
        if 0 < len(wanted) < len(KINDS):
            found &= np.isin(np.arange(len(KINDS)), list(wanted))[columns["kind"]]
        if within is not None:
            found &= (columns["at"] >= within[0]) & (columns["at"] < within[1])
        if details:
            found &= (columns["details"] & np.uint64(details)) != 0
        if hidden:
            found &= (columns["details"] & np.uint64(hidden)) == 0
        labels = tuple(tags)
        if labels:
            found &= ((columns["tags"] & self._tag_bits(labels, learn=False)) != 0).any(axis=1)
        return found

    def nearest(self, query: Floats, limit: int, among: NDArray[np.bool_], kinds: Iterable[Kind] = ()) -> Rows:
        """The rows whose vectors are nearest to a unit vector, by kind so many of each."""
        found = [self.indices[kind].search(query, limit, among)[0] for kind in (tuple(kinds) or KINDS)]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def cosines(self, query: Floats, rows: Rows) -> Floats:
        """The cosines of these rows with a unit vector; 0 for those without a vector."""
        found = np.zeros(len(rows), np.float32)
        for kind in np.unique(self.columns["kind"][rows]).tolist():
            index = self.indices[KINDS[kind]]
            own = np.flatnonzero(self.columns["kind"][rows] == kind)
            own = own[index.holding(rows[own])]
            found[own] = index.vectors(rows[own]) @ query
        return found

    def kept(self, rows: Rows, now: float) -> Floats:
        """Decay times importance of these rows, 0..1."""
        columns = self.columns[rows]
        left = retention((now - columns["since"]) / _DAY, columns["half_life"])
        return (left * columns["weight"]).astype(np.float32)

    @property
    def outgrown(self) -> bool:
        """Whether the memories of a kind have become too many to be compared with, and wait for a graph."""
        return any(index.outgrown for index in self.indices.values())

    def grow(self, ending: threading.Event) -> None:
        """Build the graphs that are waited for; searching goes on meanwhile. Gives up when it is told to end."""
        for index in tuple(self.indices.values()):
            index.grow(self.lock, ending)

    def tagged(self, tags: Iterable[str]) -> NDArray[np.uint64]:
        """The bits of these tags, as far as any memory has them."""
        return self._tag_bits(tags, learn=False)

    def _tag_bits(self, tags: Iterable[str], *, learn: bool) -> NDArray[np.uint64]:
        bits = 0
        for tag in tags:
            if learn and tag not in self._tags:
                self._tags[tag] = min(len(self._tags), MOST_TAGS - 1)
            bits |= 1 << self._tags[tag] if tag in self._tags else 0
        return np.array([bits & (2**64 - 1), bits >> 64], np.uint64)


def detail_bits(details: Iterable[str]) -> int:
    """Detail keys as bits; unknown ones are ignored."""
    bits = 0
    for detail in details:
        if detail in DETAILS:
            bits |= 1 << DETAILS[detail]
    return bits
