"""Search in a navigable graph (HNSW, hnswlib), for stores too large to compare with everything.

Built from the vault when it is opened and kept in memory only: hnswlib's own files would hold the vectors in clear
(research/packages.md), so there are none. The same interface as `memory.exact`, and a test that the two agree.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memory.exact import ExactIndex

EXACT_UP_TO = 500
"""Vectors up to which comparing with everything is quicker than it matters: 500 x 384 products take well under a
millisecond, and the result is exact."""

LINKS = 16
"""hnswlib's ``M``, its default."""
BREADTH_BUILD = 200
"""hnswlib's ``ef_construction``, its default."""
BREADTH_SEARCH = 128
"""hnswlib's ``ef``: candidates kept while searching; at least the limit. 128 finds what `memory.exact` finds for stores
of some thousands (``tests/unit/test_retrieval_index.py``)."""


class VectorIndex(Protocol):
    """Nearest vectors by cosine."""

    def __len__(self) -> int: ...

    def __contains__(self, name: object) -> bool: ...

    def add(self, name: str, vector: NDArray[np.float32]) -> None:
        """Hold a unit vector under an id; one that was there is replaced."""
        ...

    def remove(self, name: str) -> None:
        """Drop an id's vector, overwriting it first; unknown ids are ignored."""
        ...

    def search(
        self, query: NDArray[np.float32], limit: int, among: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """The nearest ids with their cosines, best first."""
        ...


class HnswIndex:
    """Nearest vectors by a walk through a graph."""

    def __init__(self, dimension: int, capacity: int = 1024) -> None:
        """An empty index for unit vectors of this length; grows by itself."""
        self._dimension = dimension
        self._index: Any = hnswlib.Index(space="ip", dim=dimension)
        self._index.init_index(
            max_elements=capacity, M=LINKS, ef_construction=BREADTH_BUILD, allow_replace_deleted=True
        )
        self._index.set_num_threads(1)
        self._labels: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._next = 0

    def __len__(self) -> int:
        """How many vectors are held."""
        return len(self._labels)

    def __contains__(self, name: object) -> bool:
        """Whether a vector is held under this id."""
        return name in self._labels

    def add(self, name: str, vector: NDArray[np.float32]) -> None:
        """Hold a unit vector, shape (dimension,), under an id; one that was there is replaced."""
        self.remove(name)
        label, self._next = self._next, self._next + 1
        if (
            len(self) + 1 > self._index.get_max_elements()
            or self._index.get_current_count() + 1 > self._index.get_max_elements()
        ):
            self._index.resize_index(2 * self._index.get_max_elements())
        self._index.add_items(vector.reshape(1, self._dimension), [label], replace_deleted=True)
        self._labels[name], self._ids[label] = label, name

    def remove(self, name: str) -> None:
        """Drop an id's vector, overwriting it first (hnswlib only marks); unknown ids are ignored."""
        label = self._labels.pop(name, None)
        if label is not None:
            del self._ids[label]
            self._index.add_items(np.zeros((1, self._dimension), np.float32), [label])
            self._index.mark_deleted(label)

    def search(
        self, query: NDArray[np.float32], limit: int, among: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """The nearest ids with their cosines, best first; as `ExactIndex.search`, but may miss some."""
        if not len(self) or limit < 1:
            return []
        vector = query.reshape(1, self._dimension)
        if among is None:
            self._index.set_ef(max(BREADTH_SEARCH, limit))
            try:
                labels, distances = self._index.knn_query(vector, k=min(limit, len(self)))
            except RuntimeError:  # the walk met fewer than asked for, which hnswlib makes an error
                return self._compare(vector, list(self._labels), limit)
            return [(self._ids[int(label)], 1.0 - float(d)) for label, d in zip(labels[0], distances[0], strict=True)]
        return self._compare(vector, [name for name in self._labels if name in among], limit)

    def _compare(self, vector: NDArray[np.float32], ids: list[str], limit: int) -> list[tuple[str, float]]:
        """Compare with all of these: a walk that may only stop at a few would miss them."""
        if not ids:
            return []
        vectors = np.asarray(self._index.get_items([self._labels[name] for name in ids]), np.float32)
        scores = vectors @ vector[0]
        return [(ids[row], float(scores[row])) for row in np.argsort(-scores, kind="stable")[:limit]]


def index_for(count: int, dimension: int) -> VectorIndex:
    """An empty index that suits so many vectors."""
    return ExactIndex(dimension) if count <= EXACT_UP_TO else HnswIndex(dimension, capacity=2 * count)
