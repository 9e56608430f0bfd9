"""Timers and reminders of a driver, as one text in the driver's vault: encrypted at rest, gone with the vault.

Owns where the text lies and nothing of what it says: what a timer is, and when it is due, is the vehicle's organizer's matter.
Nothing of it is searched, recalled or learnt from.
"""

from __future__ import annotations

import threading

from memory.vault import Vault

_KEY = "notices"


class Notices:
    """The text in one vault."""

    def __init__(self, vault: Vault, lock: threading.RLock) -> None:
        """The text in this vault, read and written under this lock."""
        self._vault, self._lock = vault, lock

    def load(self) -> str | None:
        """What was saved last; None where nothing waits.

        Raises:
            schemas.errors.MemoryStoreError: the vault cannot be read.
        """
        with self._lock:
            rows = self._vault.rows("SELECT value FROM meta WHERE key = ?", (_KEY,))
        return str(rows[0][0]) if rows else None

    def save(self, text: str | None) -> None:
        """Keep this in the place of what was saved before; None: nothing waits any more.

        Raises:
            schemas.errors.MemoryStoreError: the vault cannot be written.
        """
        with self._lock, self._vault.transaction():
            if text is None:
                self._vault.write("DELETE FROM meta WHERE key = ?", (_KEY,))
            else:
                self._vault.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, text))
