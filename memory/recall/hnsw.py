"""Search in a navigable graph (HNSW, hnswlib) where there are too many vectors to compare with everything.

An index compares (`memory.recall.exact`) until it has grown a graph, which takes the background about a minute for 100,000 vectors
and is done anew whenever a vault is opened: a graph that is stored would have to be kept true to the vault, and the product keeps
5,000 episodes, a quarter of what comparing serves. Memory only: hnswlib writes nothing but plain files, with the vectors in clear,
so there are none. Beside the graph the vectors are held once more, in half precision: hnswlib gives its own back as lists of
Python numbers, 30 microseconds each, and a question looks up some three hundred (docs/log.md).
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any

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
PIECE = 256
"""Vectors that a graph takes between two looks at what has changed: some .2 s."""


class HnswIndex(ExactIndex):
    """Nearest vectors by comparing, or by a walk once there is a graph (`grow`). A row is hnswlib's label."""

    def __init__(self, dimension: int, capacity: int = 64) -> None:
        """An empty index for unit vectors of this length; grows by itself."""
        super().__init__(dimension, capacity)
        self.exact_up_to = EXACT_UP_TO
        self._graph: Any = None

    @property
    def walks(self) -> bool:
        """Whether there is a graph."""
        return self._graph is not None

    @property
    def outgrown(self) -> bool:
        """Whether there are too many vectors to compare with, and no graph yet."""
        return not self.walks and len(self) > self.exact_up_to

    def grow(self, lock: AbstractContextManager[object], ending: threading.Event) -> None:
        """Build the graph beside the search; what is added and removed meanwhile is made up for.

        Args:
            lock: held only to look and at the end, by whoever else uses the index all the time.
            ending: gives up when it is set.
        """
        graph, inside = self._empty(), np.zeros(0, np.int64)
        while self.outgrown and not ending.is_set():
            with lock:
                gone, rows = inside[~self.holding(inside)], self.rows()
                fresh = np.ones(len(self._places), bool)
                fresh[inside] = False
                waiting = rows[fresh[rows]][:PIECE]
                if not len(gone) and not len(waiting):
                    self._graph = graph
                    self._turn(np.float16)
                    return
                vectors = self.vectors(waiting)
            _blot(graph, gone, self.dimension)
            _put(graph, waiting, vectors)
            inside = np.concatenate([inside[~np.isin(inside, gone)], waiting])

    def add(self, rows: Rows, vectors: Floats) -> None:
        """Hold unit vectors, shape (len(rows), dimension); those that were there are replaced."""
        super().add(rows, vectors)
        if self.walks:
            _put(self._graph, rows, vectors)

    def remove(self, rows: Rows) -> None:
        """Drop vectors, overwriting them; unknown rows are ignored.

        A graph that loses most of its vectors is dropped: to overwrite each is to search it for each.
        """
        known = rows[self.holding(rows)]
        if self.walks and 2 * len(known) > len(self):
            self._graph = None
            self._turn(np.float32)
        if self.walks:
            _blot(self._graph, known, self.dimension)
        super().remove(known)

    def search(self, query: Floats, limit: int, among: NDArray[np.bool_] | None = None) -> tuple[Rows, Floats]:
        """The nearest rows with their cosines, best first; as `ExactIndex.search`, but a walk may miss some."""
        if not self.walks:
            return super().search(query, limit, among)
        rows = self._rows[: len(self)]
        allowed = rows if among is None else rows[among[rows]]
        if limit < 1 or len(allowed) <= self.exact_up_to // 4:
            return self._compare(query, allowed, limit)
        reach = limit if among is None else min(len(self), REACH * limit * (len(self) // len(allowed)))
        self._graph.set_ef(max(BREADTH_SEARCH, reach))
        try:
            labels, distances = self._graph.knn_query(query.reshape(1, -1), k=min(reach, len(self)))
        except RuntimeError:  # the walk met fewer than asked for, which hnswlib makes an error
            return self._compare(query, allowed, limit)
        found, scores = labels[0].astype(np.int64), (1.0 - distances[0]).astype(np.float32)
        kept = np.ones(len(found), bool) if among is None else among[found]
        if kept.sum() < min(limit, len(allowed)):  # it ended among what may not be found
            return self._compare(query, allowed, limit)
        return found[kept][:limit], scores[kept][:limit]

    def _compare(self, query: Floats, rows: Rows, limit: int) -> tuple[Rows, Floats]:
        return best(rows, self.vectors(rows) @ query, limit)

    def _empty(self) -> Any:
        graph: Any = hnswlib.Index(space="ip", dim=self.dimension)
        room = max(len(self) * 21 // 20, 16)
        graph.init_index(max_elements=room, M=LINKS, ef_construction=BREADTH_BUILD, allow_replace_deleted=True)
        graph.set_num_threads(1)
        return graph

    def _turn(self, kind: type[np.floating]) -> None:
        """Hold the vectors as numbers of this kind, with little room to grow, overwriting what they were held in."""
        room = len(self) * 21 // 20 + 1
        old, self._vectors = self._vectors, self._vectors[:room].astype(kind)
        self._rows = self._rows[:room].copy()
        old[:] = 0.0


def _put(graph: Any, rows: Rows, vectors: Floats) -> None:
    if not len(rows):
        return
    need = graph.get_current_count() + len(rows)
    if need > graph.get_max_elements():
        graph.resize_index(max(need, graph.get_max_elements() * 3 // 2))
    graph.add_items(vectors, rows, replace_deleted=True)


def _blot(graph: Any, rows: Rows, dimension: int) -> None:
    """Drop vectors from a graph, overwriting them first: hnswlib only marks."""
    if len(rows):
        graph.add_items(np.zeros((len(rows), dimension), np.float32), rows)
        for row in rows.tolist():
            graph.mark_deleted(row)
