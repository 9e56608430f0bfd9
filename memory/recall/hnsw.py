"""Search in a navigable graph (HNSW, hnswlib), for stores too large to compare with everything.

Kept in memory only: hnswlib's own files would hold the vectors in clear (research: hnswlib writes nothing but plain files),
so there are none; what `memory.recall.graph` stores inside the vault is the links between the vectors. The same interface as
`memory.recall.exact`, and a test that the two agree. Beside the graph the vectors are held once more, in half
precision: hnswlib gives its own back as lists of Python numbers, 30 microseconds each, and a question looks up some
three hundred (docs/log.md).
"""

from __future__ import annotations

from typing import Any, Protocol

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memory.recall.exact import ExactIndex, Floats, Rows, best

EXACT_UP_TO = 20_000
"""Vectors up to which comparing with everything is used: 2.5 ms on one core for 20,000 x 384 (OpenBLAS, x86-64), against 7 ms
for encoding the query; the result is exact and nothing has to be built. At 100,000 it is 12 to 15 ms, and the graph .6 ms."""

LINKS = 16
"""hnswlib's ``M``, its default."""
BREADTH_BUILD = 100
"""hnswlib's ``ef_construction``: 9 s for 20,000 vectors against 14 s with its default of 200, with the same recall."""
BREADTH_SEARCH = 512
"""hnswlib's ``ef``: candidates kept while searching; at least the limit. Recall@10 of 80,000 vectors .937, .968, .988, 1.0 with
128, 256, 384, 512, which takes 1.0 ms of processor time (60 questions; docs/log.md)."""
REACH = 4
"""With a filter so many times the expected number of neighbours is asked for, so that enough pass it."""


class VectorIndex(Protocol):
    """Nearest vectors by cosine."""

    def __len__(self) -> int: ...

    def __contains__(self, row: object) -> bool: ...

    def holding(self, rows: Rows) -> NDArray[np.bool_]:
        """For each of these rows whether a vector is held."""
        ...

    def rows(self) -> Rows:
        """All rows, in no order."""
        ...

    def add(self, rows: Rows, vectors: Floats) -> None:
        """Hold unit vectors, shape (len(rows), dimension); those that were there are replaced."""
        ...

    def remove(self, rows: Rows) -> None:
        """Drop vectors, overwriting them; unknown rows are ignored."""
        ...

    def vectors(self, rows: Rows) -> Floats:
        """The vectors of these rows.

        Raises:
            KeyError: one of them is not held.
        """
        ...

    def search(self, query: Floats, limit: int, among: NDArray[np.bool_] | None = None) -> tuple[Rows, Floats]:
        """The nearest rows with their cosines, best first."""
        ...


class HnswIndex:
    """Nearest vectors by a walk through a graph. A row is hnswlib's label."""

    def __init__(self, dimension: int, capacity: int = 1024) -> None:
        """An empty index for unit vectors of this length; grows by itself."""
        index: Any = hnswlib.Index(space="ip", dim=dimension)
        index.init_index(
            max_elements=max(capacity, 16), M=LINKS, ef_construction=BREADTH_BUILD, allow_replace_deleted=True
        )
        self._take(index, ExactIndex(dimension, capacity, np.float16))
        self._dimension = dimension

    def _take(self, index: Any, held: ExactIndex) -> None:
        index.set_num_threads(1)
        self._index, self._held = index, held

    @classmethod
    def around(cls, index: Any, held: ExactIndex, dimension: int) -> HnswIndex:
        """One around an index of hnswlib that was read from somewhere, and the vectors in it that are not deleted."""
        made = cls(dimension, 16)
        made._take(index, held)
        return made

    @property
    def engine(self) -> Any:
        """Hnswlib's index: for `memory.recall.graph`."""
        return self._index

    def __len__(self) -> int:
        """How many vectors are held."""
        return len(self._held)

    def __contains__(self, row: object) -> bool:
        """Whether a vector is held for this row."""
        return row in self._held

    def holding(self, rows: Rows) -> NDArray[np.bool_]:
        """For each of these rows whether a vector is held."""
        return self._held.holding(rows)

    def rows(self) -> Rows:
        """All rows, in no order."""
        return self._held.rows()

    def add(self, rows: Rows, vectors: Floats) -> None:
        """Hold unit vectors, shape (len(rows), dimension); those that were there are replaced."""
        self.remove(rows)
        if not len(rows):
            return
        need = self._index.get_current_count() + len(rows)
        if need > self._index.get_max_elements():
            self._index.resize_index(max(need, self._index.get_max_elements() * 3 // 2))
        self._index.add_items(vectors, rows, replace_deleted=True)
        self._held.add(rows, vectors)

    def remove(self, rows: Rows) -> None:
        """Drop vectors, overwriting them first (hnswlib only marks); unknown rows are ignored."""
        known = rows[self._held.holding(rows)]
        if len(known):
            self._index.add_items(np.zeros((len(known), self._dimension), np.float32), known)
            for row in known.tolist():
                self._index.mark_deleted(row)
            self._held.remove(known)

    def release(self) -> None:
        """Overwrite the vectors and let go of the graph, whose own copy goes back to the system whole."""
        self._held.remove(self._held.rows())
        index: Any = hnswlib.Index(space="ip", dim=self._dimension)
        index.init_index(max_elements=16, M=LINKS, ef_construction=BREADTH_BUILD, allow_replace_deleted=True)
        self._take(index, self._held)

    def vectors(self, rows: Rows) -> Floats:
        """The vectors of these rows.

        Raises:
            KeyError: one of them is not held.
        """
        return self._held.vectors(rows)

    def search(self, query: Floats, limit: int, among: NDArray[np.bool_] | None = None) -> tuple[Rows, Floats]:
        """The nearest rows with their cosines, best first; as `ExactIndex.search`, but may miss some."""
        if not len(self) or limit < 1:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        if among is None:
            return self._walk(query, limit)
        allowed = np.flatnonzero(among)
        allowed = allowed[self.holding(allowed)]
        if len(allowed) <= EXACT_UP_TO // 4:
            return self._compare(query, allowed, limit)
        reach = min(len(self), REACH * limit * max(1, len(self) // max(len(allowed), 1)))
        rows, scores = self._walk(query, reach)
        kept = among[rows]
        if kept.sum() >= min(limit, len(allowed)) or reach == len(self):
            return rows[kept][:limit], scores[kept][:limit]
        return self._compare(query, allowed, limit)

    def _walk(self, query: Floats, limit: int) -> tuple[Rows, Floats]:
        self._index.set_ef(max(BREADTH_SEARCH, limit))
        try:
            labels, distances = self._index.knn_query(query.reshape(1, -1), k=min(limit, len(self)))
        except RuntimeError:  # the walk met fewer than asked for, which hnswlib makes an error
            return self._compare(query, self.rows(), limit)
        return labels[0].astype(np.int64), (1.0 - distances[0]).astype(np.float32)

    def _compare(self, query: Floats, rows: Rows, limit: int) -> tuple[Rows, Floats]:
        """Compare with all of these: a walk that may only stop at a few would miss them."""
        if not len(rows):
            return rows, np.zeros(0, np.float32)
        return best(rows, self.vectors(rows) @ query, limit)


def index_for(count: int, dimension: int) -> VectorIndex:
    """An empty index that suits so many vectors."""
    return ExactIndex(dimension, count) if count <= EXACT_UP_TO else HnswIndex(dimension, count * 11 // 10)


__all__ = ["EXACT_UP_TO", "ExactIndex", "HnswIndex", "VectorIndex", "index_for"]
