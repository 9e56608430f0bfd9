"""A driver's memory that is written to without end: what `deploy.lab.memory.crash` kills.

Owns the kinds of write and how one is drawn. Every write is a small JSON object that says all there is to know about it, so
that it can be repeated on a copy of the vault with the same outcome: ids, times and the encoder's answers follow from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.service import DriverMemory
from memory.store.conversations import Archive
from memory.store.preferences import Store
from memory.vault.lifecycle import Vault
from models.runtime.fake_encoder import KeywordEncoder
from schemas.memory import Episode, Preference, Proposal, Turn
from schemas.preferences import CATEGORIES

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
DETAILS = tuple(c.detail for c in CATEGORIES if not c.sensitive)[::8]
MOST = 60
"""Preferences from which on more is forgotten than added, so that a run of any length stays as quick as its start."""

Write = dict[str, Any]


class Writer:
    """One driver's memory, and the writes on it."""

    def __init__(self, vault: Vault, encoder: KeywordEncoder) -> None:
        """Opens the memory over a vault; what it does at opening is the first write."""
        self.vault = vault
        self._now = NOW
        self._ids = "start"
        self._made = 0
        vault._connection.create_function("glovebox_now", 0, lambda: self._now.isoformat(timespec="microseconds"))  # noqa: SLF001
        self.store = Store(vault)
        self.memory = DriverMemory(
            "ada",
            vault,
            encoder=encoder,
            clock=lambda: self._now,
            new_id=self._new_id,
        )
        self._archive = Archive(vault, self.store)
        self._kinds: dict[str, Callable[[Write], object]] = {
            "add": self._add,
            "merge": self._merge,
            "replace": self._replace,
            "use": lambda write: self.store.used([write["id"]], self._now),
            "erase": self._erase,
            "note": lambda write: self.store.note(
                Turn(speaker="driver", text=write["text"], at=self._now), "trip", self._now
            ),
            "learnt": lambda _: self.store.learnt("trip"),
            "propose": self._propose,
            "keep": self._keep,
            "remember": lambda write: self.memory.remember(write["text"], write["detail"]),
            "forget": lambda write: self.memory.forget(write["id"]),
            "hear": lambda write: self.memory.note(Turn(speaker="driver", text=write["text"], at=self._now), "talk"),
            "learn": lambda _: self.memory.learn_pending(),
            "opt out": lambda write: self.memory.opt_out(write["detail"]),
            "opt in": lambda write: self.memory.opt_in(write["detail"]),
        }

    def draw(self, number: int, dice: random.Random) -> Write:
        """A write that makes sense now."""
        held = [p.id for p in self.store.preferences()]
        off = self.store.consent().opted_out
        allowed = [detail for detail in DETAILS if detail not in off]
        kinds = ["note", "note", "learnt", "hear", "learn", "opt out"]
        if allowed:
            kinds += ["propose", "keep", *(["add", "add", "add", "remember"] if len(held) < MOST else [])]
        if held:
            kinds += ["merge", "replace", "use", "erase", "forget"] + ["erase", "forget"] * (len(held) >= MOST)
        if off:
            kinds += ["opt in", "opt in"]
        kind = dice.choice(kinds)
        detail = dice.choice(sorted(off) if kind == "opt in" else allowed or list(DETAILS))
        target = dice.choice(held) if held else ""
        text = f"i like sound{dice.randrange(1000)} " + "x" * dice.choice((0, 0, 40, 3000, 20_000))
        if kind in ("hear", "remember"):
            text = f"i really love {dice.choice(('jazz', 'rock', 'salsa', 'techno', 'italian food'))}"
        if kind in ("merge", "replace") and self.store.preferences(history=True):
            own = {p.id: p.detail for p in self.store.preferences()}
            detail = own[target]
            if detail in off:
                kind = "erase"
        return {"kind": kind, "number": number, "id": target, "detail": detail, "text": text}

    def carry_out(self, write: Write) -> None:
        """Do it; when this returns it is to last."""
        self._ids, self._made = f"w{write['number']}", 0
        self._now = NOW + timedelta(seconds=write["number"])
        self._kinds[write["kind"]](write)

    def close(self) -> None:
        """Close the vault."""
        self.memory.close()

    def _new_id(self) -> str:
        self._made += 1
        return f"{self._ids}-{self._made}"

    def _preference(self, write: Write) -> Preference:
        return Preference(
            id=self._new_id(),
            detail=write["detail"],
            value=write["text"],
            sentences=(write["text"], f"{write['text']} indeed"),
            conversation="trip",
            confidence=0.9,
            valid_from=self._now,
        )

    def _add(self, write: Write) -> None:
        self.store.add(self._preference(write), self._now)

    def _merge(self, write: Write) -> None:
        held = next(p for p in self.store.preferences() if p.id == write["id"])
        self.store.merge(held, write["text"], self._now, "trip", 0.95, self._now)

    def _replace(self, write: Write) -> None:
        """Two rows and a link between them that must never be seen apart."""
        with self.store.transaction():
            made = self._preference(write)
            self.store.add(made, self._now)
            self.store.supersede(write["id"], self._now, made.id)

    def _erase(self, write: Write) -> None:
        self.store.erase("preferences", [write["id"]])
        self.store.wipe()

    def _propose(self, write: Write) -> None:
        made = Proposal(
            id=self._new_id(),
            detail=write["detail"],
            value=write["text"],
            sentence=write["text"],
            said_at=self._now,
            conversation="trip",
            confidence=0.4,
            expires_at=self._now + timedelta(days=4000),
        )
        with self.store.transaction():
            self.store.propose(made, self._now)
            open_now = self.store.proposals()
            if len(open_now) > MOST:
                self.store.erase("proposals", [open_now[-1].id])

    def _keep(self, write: Write) -> None:
        episode = Episode(
            id=self._new_id(),
            conversation="trip",
            at=self._now,
            driver=write["text"],
            assistant="all right",
            details=(write["detail"],),
        )
        with self.store.transaction():
            self._archive.keep(episode, self._now)
            kept = self._archive.episodes()
            if len(kept) > MOST:
                self._archive.delete([kept[0].id])
