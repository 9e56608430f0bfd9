"""Search by comparing with everything: the twin of `memory.index`, for small stores and for checking it.

Vectors live in memory only; nothing is ever written.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray


class ExactIndex:
    """Inner products of a query with every vector."""

    def __init__(self, dimension: int) -> None:
        """An empty index for vectors of this length."""
        self._dimension = dimension
        self._ids: list[str] = []
        self._vectors = np.zeros((0, dimension), np.float32)

    def __len__(self) -> int:
        """How many vectors are held."""
        return len(self._ids)

    def __contains__(self, name: object) -> bool:
        """Whether a vector is held under this id."""
        return name in self._ids

    def add(self, name: str, vector: NDArray[np.float32]) -> None:
        """Hold a unit vector, shape (dimension,), under an id; one that was there is replaced."""
        self.remove(name)
        self._ids.append(name)
        self._vectors = np.vstack([self._vectors, vector.reshape(1, self._dimension).astype(np.float32)])

    def remove(self, name: str) -> None:
        """Drop an id's vector, overwriting it first; unknown ids are ignored."""
        if name in self._ids:
            row = self._ids.index(name)
            self._vectors[row] = 0.0
            del self._ids[row]
            self._vectors = np.delete(self._vectors, row, axis=0)

    def search(
        self, query: NDArray[np.float32], limit: int, among: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """The nearest ids with their cosines, best first.

        Args:
            query: unit vector, shape (dimension,).
            limit: at most so many.
            among: only these ids; None for all.
        """
        scores = self._vectors @ query.reshape(self._dimension)
        order = np.argsort(-scores, kind="stable")
        found = [(self._ids[row], float(scores[row])) for row in order if among is None or self._ids[row] in among]
        return found[:limit]
