"""Vaults full of made memories, for ``glovebox bench memory``: real texts of the project's phrase bank, with vectors made of them.

Some thousand texts are encoded. Every memory takes one of them with words of its own (a place, a number), and as its vector that
text's with noise of half its length, so that no two are alike (cosine about .9); encoding 100,000 texts would take a quarter of an
hour. The rows are written by SQL, not through consent, which would take as long; what a write takes is measured apart.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from memory.recall.lexical import numbers, stems
from memory.service import DriverMemory
from memory.vault.lifecycle import Vault, utc_text
from models.training import conversations
from schemas.memory import CONVERSATIONS
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES, SPECIAL_TITLES

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOISE = 0.5
"""Length of what is added to a text's unit vector."""
PIECE = 2000
"""Memories that are written in one transaction."""
PER_TALK = 4
"""Exchanges of a conversation."""
KINDS = (("episodes", 0.8), ("preferences", 0.1), ("thoughts", 0.1))
"""Tables and their shares."""

PLACES = tuple(
    f"{first}{second}"
    for first in (
        "wood",
        "spring",
        "stone",
        "river",
        "oak",
        "mill",
        "lake",
        "north",
        "west",
        "bridge",
        "church",
        "rose",
    )
    for second in ("field", "ton", "ford", "dale", "bury", "port", "gate", "haven", "stead", "mouth", "wick", "ley")
)
"""Made-up names of places."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What memories are made of."""

    said: tuple[str, ...]
    details: tuple[str, ...]
    """Of each; empty where it is about none."""
    vectors: NDArray[np.float32]

    @classmethod
    def made(cls, encoder: Encoder, count: int, seed: int) -> Texts:
        """So many different texts, encoded."""
        rng = random.Random(seed)
        told = {one.text: one.detail for one in conversations.statements(rng, count) if not one.negated}
        told |= {one.text: "" for one in conversations.negatives(rng, count)}
        kept = rng.sample(sorted(told), min(count, len(told)))
        return cls(tuple(kept), tuple(told[text] for text in kept), encoder.encode(kept))

    def noisy(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float32]:
        """Vectors near those of some texts, of unit length."""
        vectors = self.vectors[rows]
        noise = rng.standard_normal(vectors.shape, np.float32)
        vectors = vectors + NOISE * noise / np.sqrt(vectors.shape[1], dtype=np.float32)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def queries(count: int, seed: int) -> list[str]:
    """Requests that a driver makes, none of them like another."""
    rng = random.Random(seed)
    asked = [one.text for one in conversations.requests(rng, count)]
    return [f"{text} near {rng.choice(PLACES)} {number}" for number, text in enumerate(asked)][:count]


def fill(vault: Vault, memory: DriverMemory, texts: Texts, count: int, seed: int) -> None:
    """Write so many memories into a vault that has been opened by a memory (which wrote its tables of categories)."""
    for asked_for in (
        CONVERSATIONS,
        *SPECIAL_TITLES,
    ):  # the guard may take a sister for a child; what is measured is the time
        memory.opt_in(asked_for)
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    written = 0
    for table, part in KINDS:
        wanted = count - written if table == KINDS[-1][0] else round(part * count)
        for start in range(0, wanted, PIECE):
            _piece(vault, texts, table, range(written + start, written + min(start + PIECE, wanted)), (rng, chance))
        written += wanted


def _piece(
    vault: Vault, texts: Texts, table: str, rows: Sequence[int], draws: tuple[np.random.Generator, random.Random]
) -> None:
    rng, chance = draws
    chosen = rng.integers(len(texts.said), size=len(rows))
    vectors = texts.noisy(chosen, rng).astype(np.float16)
    with vault.transaction():
        for row, text, vector in zip(rows, chosen.tolist(), vectors, strict=True):
            own = f"{texts.said[text]} {chance.choice(PLACES)} {row}"
            detail = texts.details[text] or "favorite_genres"
            name, at = f"{row:032x}", utc_text(NOW - timedelta(minutes=17 * (len(rows) + row)))
            _write(vault, table, name, at, own, detail)
            vault.write(
                "INSERT INTO vectors (memory, vector, stems) VALUES (?, ?, ?)",
                (name, vector.tobytes(), numbers(stems(own)).tobytes()),
            )


def _write(vault: Vault, table: str, name: str, at: str, text: str, detail: str) -> None:
    if table == "episodes":
        vault.write(
            "INSERT INTO episodes (id, conversation, at, driver, assistant, details, tags) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, f"talk-{int(name, 16) // PER_TALK}", at, text, "all right", json.dumps([]), json.dumps(["plans"])),
        )
    elif table == "thoughts":
        vault.write(
            "INSERT INTO thoughts (id, kind, text, at) VALUES (?, 'thought', ?, ?)", (name, f"often says: {text}", at)
        )
    else:
        vault.write(
            "INSERT INTO preferences (id, detail, value, conversation, confidence, status, valid_from) "
            "VALUES (?, ?, ?, 'talk', 0.9, 'active', ?)",
            (name, detail if detail not in SENSITIVE else "favorite_genres", " ".join(text.split()[-2:]), at),
        )
        vault.write(
            "INSERT INTO sentences (preference, text, said_at, conversation) VALUES (?, ?, ?, 'talk')", (name, text, at)
        )


SENSITIVE = frozenset(category.detail for category in CATEGORIES if category.sensitive)
"""Off until asked for, so left out here."""
