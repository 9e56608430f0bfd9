"""Search by comparing with everything: the twin of `memory.recall.hnsw`, for stores that are not large and for checking it.

Vectors live in memory only; nothing is ever written. A memory is known by its row, the number that
`memory.recall.cache` gives it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]

NONE = -1
"""Stands for no row, and for no place."""


class ExactIndex:
    """Inner products of a query with every vector."""

    def __init__(self, dimension: int, capacity: int = 64) -> None:
        """An empty index for vectors of this length; grows by itself."""
        self.dimension = dimension
        self._count = 0
        self._vectors: NDArray[np.floating] = np.zeros((max(capacity, 1), dimension), np.float32)
        self._rows: Rows = np.full(max(capacity, 1), NONE, np.int64)
        self._places: Rows = np.full(64, NONE, np.int64)
        """Row -> where its vector lies."""

    def __len__(self) -> int:
        """How many vectors are held."""
        return self._count

    def __contains__(self, row: object) -> bool:
        """Whether a vector is held for this row."""
        return bool(isinstance(row, int | np.integer) and 0 <= row < len(self._places) and self._places[row] != NONE)

    def holding(self, rows: Rows) -> NDArray[np.bool_]:
        """For each of these rows whether a vector is held."""
        known = (rows >= 0) & (rows < len(self._places))
        known[known] = self._places[rows[known]] != NONE
        return known

    def rows(self) -> Rows:
        """All rows, in no order."""
        return self._rows[: self._count].copy()

    def add(self, rows: Rows, vectors: Floats) -> None:
        """Hold unit vectors, shape (len(rows), dimension); those that were there are replaced."""
        self.remove(rows)
        if not len(rows):
            return
        need = self._count + len(rows)
        if need > len(self._rows):
            room = max(need, len(self._rows) * 5 // 4) - len(self._rows)
            more = np.zeros((room, self.dimension), self._vectors.dtype)
            self._vectors = np.concatenate([self._vectors, more])
            self._rows = np.concatenate([self._rows, np.full(room, NONE, np.int64)])
        if int(rows.max()) >= len(self._places):
            room = max(int(rows.max()) + 1, 2 * len(self._places)) - len(self._places)
            self._places = np.concatenate([self._places, np.full(room, NONE, np.int64)])
        self._vectors[self._count : need] = vectors
        self._rows[self._count : need] = rows
        self._places[rows] = np.arange(self._count, need)
        self._count = need

    def remove(self, rows: Rows) -> None:
        """Drop vectors, overwriting them; unknown rows are ignored."""
        for row in rows[self.holding(rows)].tolist():
            place, last = int(self._places[row]), self._count - 1
            moved = int(self._rows[last])
            self._vectors[place], self._rows[place], self._places[moved] = self._vectors[last], moved, place
            self._vectors[last] = 0.0
            self._rows[last] = self._places[row] = NONE
            self._count = last

    def vectors(self, rows: Rows) -> Floats:
        """The vectors of these rows, shape (len(rows), dimension).

        Raises:
            KeyError: one of them is not held.
        """
        if not self.holding(rows).all():
            raise KeyError("a row without a vector")
        return self._vectors[self._places[rows]].astype(np.float32, copy=False)

    def search(self, query: Floats, limit: int, among: NDArray[np.bool_] | None = None) -> tuple[Rows, Floats]:
        """The nearest rows with their cosines, best first.

        Args:
            query: unit vector, shape (dimension,).
            limit: at most so many.
            among: for every row whether it may be found; None for all.
        """
        rows = self._rows[: self._count]
        if among is None:
            scores = self._vectors[: self._count] @ query
        else:
            allowed = np.flatnonzero(among[rows])
            rows = rows[allowed]
            few = 4 * len(allowed) < self._count
            scores = self._vectors[allowed] @ query if few else (self._vectors[: self._count] @ query)[allowed]
        return best(rows, scores.astype(np.float32, copy=False), limit)


def best(rows: Rows, scores: Floats, limit: int) -> tuple[Rows, Floats]:
    """The rows with the highest scores, best first; equal scores by row."""
    if 0 < limit < len(rows):
        kept = np.argpartition(-scores, limit - 1)[:limit]
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))[: max(limit, 0)]
    return rows[order], scores[order]
