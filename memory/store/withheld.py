"""What is on its way out: shown nowhere any more, not erased yet.

Owns the list of it; whoever reads a table leaves out what stands here (`memory.store.rows.shown`). It outlives the process
only so that what was withheld when a process died is erased when the vault is opened next.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from memory.vault.lifecycle import Vault, utc_text


class Withholding:
    """What is withheld in one vault, by token."""

    def __init__(self, vault: Vault) -> None:
        """What is withheld in this vault."""
        self._vault = vault

    def add(self, token: str, named: Sequence[tuple[str, str]], until: datetime) -> None:
        """Show these memories (table and key) no more."""
        with self._vault.transaction():
            self._vault.write(
                "INSERT INTO withheld SELECT ?, value ->> 0, value ->> 1, ? FROM json_each(?)",
                (token, utc_text(until), json.dumps(named)),
            )

    def of(self, token: str) -> tuple[datetime | None, list[tuple[str, str]]]:
        """Until when it can be taken back (None: nothing is withheld under that token), and table and key of all of it."""
        rows = self._vault.rows("SELECT until, kind, memory FROM withheld WHERE token = ?", (token,))
        return datetime.fromisoformat(rows[0][0]) if rows else None, [(kind, name) for _, kind, name in rows]

    def end(self, token: str) -> None:
        """Show what was withheld under this token again."""
        with self._vault.transaction():
            self._vault.write("DELETE FROM withheld WHERE token = ?", (token,))

    def forget(self, named: Sequence[tuple[str, str]]) -> None:
        """These are gone: whatever else they were withheld with."""
        if self.tokens():
            with self._vault.transaction():
                for kind, name in named:
                    self._vault.write("DELETE FROM withheld WHERE kind = ? AND memory = ?", (kind, name))

    def tokens(self) -> tuple[str, ...]:
        """Every token under which something is withheld."""
        return tuple(token for (token,) in self._vault.rows("SELECT DISTINCT token FROM withheld"))
