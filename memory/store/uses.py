"""What preferences were used for: when, and for which action. Names of actions only, no slots.

The log that answers "why did you choose that". Each use goes with its preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.vault.lifecycle import Vault, utc_text

KEPT = 20
"""Uses of a preference that are kept: enough to say why, not a record of drives."""

Use = tuple[datetime, str]
"""When, and for which action."""


class Uses:
    """The uses in one vault."""

    def __init__(self, vault: Vault) -> None:
        """The uses in this vault."""
        self._vault = vault

    def note(self, preferences: Sequence[str], action: str, at: datetime) -> None:
        """Note the action that these preferences were used for; the last `KEPT` of each are kept.

        Raises:
            ConsentError: consent forbids one of their categories now.
        """
        with self._vault.transaction():
            for name in preferences:
                self._vault.write(
                    "INSERT INTO used_for (preference, at, action) VALUES (?, ?, ?)", (name, utc_text(at), action)
                )
                self._vault.write(
                    "DELETE FROM used_for WHERE preference = ?1 AND id NOT IN "
                    "(SELECT id FROM used_for WHERE preference = ?1 ORDER BY id DESC LIMIT ?2)",
                    (name, KEPT),
                )

    def of(self, preference: str) -> tuple[Use, ...]:
        """Of one preference, latest first."""
        rows = self._vault.rows("SELECT at, action FROM used_for WHERE preference = ? ORDER BY id DESC", (preference,))
        return tuple((datetime.fromisoformat(at), action) for at, action in rows)

    def all(self) -> dict[str, tuple[Use, ...]]:
        """By preference, latest first."""
        found: dict[str, list[Use]] = {}
        for name, at, action in self._vault.rows("SELECT preference, at, action FROM used_for ORDER BY id DESC"):
            found.setdefault(name, []).append((datetime.fromisoformat(at), action))
        return {name: tuple(uses) for name, uses in found.items()}
