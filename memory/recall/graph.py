"""The links of a search graph as bytes, to be kept inside the vault; never its vectors, never in a file.

hnswlib reads and writes files only, with the vectors among the links. So it is given files that exist in memory alone
(memfd_create), the vectors are cut out of what it wrote, and put back from the vault's own before it reads it again.

Layout of hnswlib 0.8's file (hierarchical nsw, ``saveIndex``): a head of 96 bytes; for every element its links on the lowest
level, its vector and its label; then for every element the length of its upper links and these.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Generator
from typing import Any, BinaryIO

import hnswlib
import numpy as np

from memory.recall.exact import NONE, PIECE, ExactIndex, Rows
from memory.recall.hnsw import HnswIndex

_HEAD = struct.Struct("=6QiI3QdQ")
"""offset of level 0, room, count, bytes an element, offset of the label, offset of the vector, top level, entry point, links
(most above, most on level 0, M), a factor, breadth while building."""


def links_of(graph: HnswIndex) -> tuple[Rows, bytes]:
    """The rows of a graph's elements, in its order (`NONE` for deleted ones), and its links."""
    with _in_memory() as (file, path):
        graph.engine.save_index(path)
        file.seek(0)
        parts = [file.read(_HEAD.size)]
        count, size, label_at, vector_at = _shape(parts[0])
        labels: Rows = np.zeros(count, np.int64)
        for start in range(0, count, PIECE):
            piece = min(PIECE, count - start)
            level0 = np.frombuffer(file.read(piece * size), np.uint8).reshape(piece, size)
            labels[start : start + piece] = level0[:, label_at : label_at + 8].copy().view(np.uint64)[:, 0]
            parts.append(level0[:, :vector_at].tobytes())
        parts.append(file.read())
    return np.where(graph.holding(labels), labels, NONE), b"".join(parts)


def rebuilt(links: bytes, rows: Rows, held: ExactIndex) -> HnswIndex | None:
    """The graph again, or None where the links do not fit.

    Args:
        links: as `links_of` gave them.
        rows: the row of every element, in the same order; `NONE` for elements whose memory is gone.
        held: the vectors of these rows; what else it holds is added to the graph. The graph keeps it if it fits and is of half
            precision.
    """
    dimension = held.dimension
    if len(links) < _HEAD.size:
        return None
    count, size, label_at, vector_at = _shape(links)
    if count != len(rows) or label_at - vector_at != 4 * dimension or len(links) < _HEAD.size + count * vector_at:
        return None
    labels, gone = rows.copy(), rows == NONE
    first = int(rows.max(initial=0)) + 1
    labels[gone] = np.arange(first, first + int(gone.sum()))
    index: Any = hnswlib.Index(space="ip", dim=dimension)
    with _in_memory() as (file, path):
        file.write(links[: _HEAD.size])
        for start in range(0, count, PIECE):
            piece = slice(start, min(start + PIECE, count))
            level0 = np.zeros((piece.stop - start, size), np.uint8)
            cut = np.frombuffer(links, np.uint8, len(level0) * vector_at, _HEAD.size + start * vector_at)
            level0[:, :vector_at] = cut.reshape(len(level0), vector_at)
            own = np.flatnonzero(~gone[piece])
            level0[own, vector_at:label_at] = np.ascontiguousarray(held.vectors(rows[piece][own])).view(np.uint8)
            level0[:, label_at:] = labels[piece].astype(np.uint64).reshape(-1, 1).view(np.uint8)
            file.write(level0.tobytes())
        file.write(links[_HEAD.size + count * vector_at :])
        file.flush()
        index.load_index(path, max_elements=count * 21 // 20 + 16, allow_replace_deleted=True)
    for label in labels[gone].tolist():
        with contextlib.suppress(RuntimeError):  # deleted already when the links were taken: the mark lies among them
            index.mark_deleted(label)
    every = held.rows()
    fresh = every[~np.isin(every, rows)]
    vectors, kept = held.vectors(fresh), held.of(np.float16)
    kept.remove(fresh)
    made = HnswIndex.around(index, kept, dimension)
    made.add(fresh, vectors)
    return made


def _shape(raw: bytes) -> tuple[int, int, int, int]:
    """Elements, bytes of one, and where its label and its vector begin."""
    _, _, count, size, label_at, vector_at, *_ = _HEAD.unpack_from(raw)
    return int(count), int(size), int(label_at), int(vector_at)


@contextlib.contextmanager
def _in_memory() -> Generator[tuple[BinaryIO, str]]:
    """A file that lies in memory only, and the path under which this process may open it."""
    handle = os.memfd_create("graph", os.MFD_CLOEXEC)
    with os.fdopen(handle, "w+b") as file:
        yield file, f"/proc/self/fd/{handle}"
