"""Linked memories: the nearest others of each, kept up to date as new ones arrive. Pure, over unit vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

Vectors = Mapping[str, NDArray[np.float32]]

MOST_LINKS = 5
"""Links of a memory (top five)."""
NEAR_AT = 0.35
"""Cosine from which on two memories have to do with each other; our choice."""


def refreshed(
    vectors: Vectors,
    fresh: Collection[str],
    linked: Mapping[str, Collection[str]],
    made_of: Mapping[str, Collection[str]] | None = None,
    *,
    most: int = MOST_LINKS,
    at: float = NEAR_AT,
) -> dict[str, tuple[str, ...]]:
    """The links that change because of fresh memories.

    Args:
        vectors: unit vectors of all memories that can be linked.
        fresh: ids of those that are new.
        linked: id -> links so far.
        made_of: id -> ids of its sources; a memory is no news to what it was made of, so the two are not linked.
        most: links of a memory.
        at: cosine from which on two are linked.

    Returns:
        Id -> its links now, nearest first: of every fresh memory, and of every older one that a fresh one belongs to.
    """
    names = sorted(vectors)
    place = {name: row for row, name in enumerate(names)}
    new = [name for name in sorted(fresh) if name in place]
    if not new:
        return {}
    table = np.stack([vectors[name] for name in names])
    near = table[[place[name] for name in new]] @ table.T
    for row, name in enumerate(new):
        for other, sources in (made_of or {}).items():
            others = sources if other == name else (other,) if name in sources else ()
            near[row, [place[o] for o in others if o in place]] = -np.inf
    changed: dict[str, tuple[str, ...]] = {}
    for row, name in enumerate(new):
        near[row, place[name]] = -np.inf
        changed[name] = _top(names, near[row], most, at)
    for column, name in enumerate(names):
        if name in changed:
            continue
        comers = [row for row in range(len(new)) if near[row, column] >= at]
        if not comers:
            continue
        held = {other: float(table[place[other]] @ table[column]) for other in linked.get(name, ()) if other in place}
        joined = held | {new[row]: float(near[row, column]) for row in comers}
        best = tuple(sorted(joined, key=lambda other: (-joined[other], other))[:most])
        if best != tuple(linked.get(name, ())):
            changed[name] = best
    return changed


def _top(names: list[str], scores: NDArray[np.float32], most: int, at: float) -> tuple[str, ...]:
    order = np.argsort(-scores, kind="stable")[:most]
    return tuple(names[row] for row in order if scores[row] >= at)
