"""Linked memories: the nearest others of each, kept up to date as new ones arrive. Pure, over unit vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

Vectors = Mapping[str, NDArray[np.float32]]


class LinkSettings(BaseModel):
    """Which memories are linked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most: int = Field(default=5, ge=1)
    """Links of a memory (top five)."""
    at: float = Field(default=0.35, ge=-1.0, le=1.0)
    """Cosine from which on two memories have to do with each other; our choice."""


def refreshed(
    vectors: Vectors,
    fresh: Collection[str],
    linked: Mapping[str, Collection[str]],
    settings: LinkSettings,
    made_of: Mapping[str, Collection[str]] | None = None,
) -> dict[str, tuple[str, ...]]:
    """The links that change because of fresh memories.

    Args:
        vectors: unit vectors of all memories that can be linked.
        fresh: ids of those that are new.
        linked: id -> links so far.
        settings: how many, how near.
        made_of: id -> ids of its sources; a memory is no news to what it was made of, so the two are not linked.

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
        changed[name] = _top(names, near[row], settings)
    for column, name in enumerate(names):
        if name in changed:
            continue
        comers = [row for row in range(len(new)) if near[row, column] >= settings.at]
        if not comers:
            continue
        held = {other: float(table[place[other]] @ table[column]) for other in linked.get(name, ()) if other in place}
        joined = held | {new[row]: float(near[row, column]) for row in comers}
        best = tuple(sorted(joined, key=lambda other: (-joined[other], other))[: settings.most])
        if best != tuple(linked.get(name, ())):
            changed[name] = best
    return changed


def _top(names: list[str], scores: NDArray[np.float32], settings: LinkSettings) -> tuple[str, ...]:
    order = np.argsort(-scores, kind="stable")[: settings.most]
    return tuple(names[row] for row in order if scores[row] >= settings.at)
