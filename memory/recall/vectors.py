"""Vectors and stems: made of the words of every memory, kept in the vault, and read into the searchable copy.

Vectors are float16; nothing is encoded when a vault is opened but what lacks a vector. A vault whose vectors another encoder made
keeps its stems, so that its memories are found by their words until they are encoded anew. Where they lie, and which memories have
changed, `memory.store.searchable` knows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.recall.cache import Entry, detail_bits
from memory.recall.decay import HALF_LIVES, half_life, preference_half_life, preference_weight, tier_weight
from memory.recall.lexical import numbers, stems
from memory.store.searchable import NOON, Searchable
from schemas.memory import Kind
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

PROBE = "we stop at the small bakery by the harbour on saturday mornings"
"""Encoded when a vault is opened and compared with what the vault holds: tells whether the encoder is still the same."""
ALIKE = 0.999
"""Cosine from which on two vectors of the probe come from one encoder; other machines' rounding stays above it."""

_KIND = {"episodes": Kind.EPISODE, "summaries": Kind.SUMMARY, "profile": Kind.PROFILE, "facts": Kind.FACT}


@dataclass(slots=True)
class _Met:
    """What was worked out for memories before and holds for others, too: many have the same few."""

    details: dict[str, int] = field(default_factory=dict[str, int])
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fades: dict[tuple[Kind, int, float], tuple[float, float]] = field(
        default_factory=dict[tuple[Kind, int, float], tuple[float, float]]
    )


class Vectors:
    """Vectors and stems in one vault."""

    def __init__(self, tables: Searchable, encoder: Encoder) -> None:
        """Empties the vectors that another encoder made."""
        self._tables, self._encoder = tables, encoder
        mine, kept = encoder.encode([PROBE])[0], tables.probe()
        theirs = None if kept is None else np.frombuffer(kept, np.float16).astype(np.float32)
        if theirs is None or theirs.shape != mine.shape or float(theirs @ mine) < ALIKE:
            tables.begin_anew(mine.astype(np.float16).tobytes())

    def entries(self, names: Collection[str] | None = None) -> Iterator[list[Entry]]:
        """All memories that search may find, or those of these ids, in pieces; episodes in the order in which they came."""
        met = _Met()
        for table, rows in self._tables.rows(names):
            yield self._entries(table, rows, met)

    def _entries(self, table: str, rows: Sequence[tuple[Any, ...]], met: _Met) -> list[Entry]:
        size = 2 * self._encoder.dimension
        held = [row[7] if row[7] and len(row[7]) == size and row[8] is not None else None for row in rows]
        matrix = np.frombuffer(b"".join(raw for raw in held if raw is not None), np.float16)
        vectors = iter(matrix.reshape(-1, self._encoder.dimension))
        return [self._entry(table, row, None if raw is None else next(vectors), met)
                for row, raw in zip(rows, held, strict=True)]  # fmt: skip

    def _entry(self, table: str, row: tuple[Any, ...], vector: NDArray[np.float16] | None, met: _Met) -> Entry:
        _, name, at, since, uses, weight, details, _, said, *rest = row
        terms = np.frombuffer(said or b"", np.uint32)
        begun = _seconds(at)
        last = begun if since == at else max(_seconds(since), begun)
        if table == "preferences":
            return Entry(
                name, Kind.PREFERENCE, begun, last, preference_half_life(BY_DETAIL[details], uses),
                preference_weight(weight, rest[0]), vector, terms, detail_bits([details]),
            )  # fmt: skip
        kind = Kind(rest[1]) if table == "thoughts" else _KIND[table]
        bits = met.details.get(details)
        if bits is None:
            keys = json.loads(details)
            flat = [key for part in keys for key in (json.loads(part) if part.startswith("[") else [part])]
            bits = met.details[details] = detail_bits(flat)
        tags = met.tags.get(rest[0])
        if tags is None:
            tags = met.tags[rest[0]] = tuple(json.loads(rest[0]))
        fades = met.fades.get((kind, uses, weight))
        if fades is None:
            fades = half_life(HALF_LIVES[kind], uses, weight), tier_weight(weight)
            met.fades[kind, uses, weight] = fades
        talk = rest[1] if table == "episodes" else ""
        return Entry(name, kind, begun, last, *fades, vector, terms, bits, tags, talk)

    def keep(self, names: Collection[str]) -> None:
        """Encode and store what these memories lack, in the caller's transaction if there is one."""
        texts = {name: found.text for name, found in self._tables.texts(self._tables.lacking(names)).items()}
        if texts:
            vectors = self._encoder.encode(list(texts.values()))
            self._tables.keep({
                name: (text, vector.astype(np.float16).tobytes(), numbers(stems(text)).tobytes())
                for (name, text), vector in zip(texts.items(), vectors, strict=True)
            })  # fmt: skip


def _seconds(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(hour=NOON, tzinfo=UTC)).timestamp()
