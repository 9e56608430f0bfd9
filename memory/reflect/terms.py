"""How long the driver wants conversations kept: three numbers of days in the vault, in the place of the configured ones.

Owns their place. Whose time is over by them is `memory.reflect.retention`'s.
"""

from __future__ import annotations

from pydantic import ValidationError

from memory.settings import RetentionSettings
from memory.store.preferences import Store
from schemas.memory import Terms

_KEY = "terms"
"""Key in ``meta``."""


def chosen(store: Store, configured: RetentionSettings) -> RetentionSettings:
    """What the driver chose; what is configured where nothing was chosen, or where it cannot be read."""
    terms = written(store)
    return configured if terms is None else RetentionSettings(**terms.model_dump())


def written(store: Store) -> Terms | None:
    """What the driver chose; None where nothing was chosen, or where it cannot be read."""
    rows = store.read("SELECT value FROM meta WHERE key = ?", (_KEY,))
    try:
        return Terms.model_validate_json(rows[0][0]) if rows else None
    except ValidationError:
        return None


def choose(store: Store, terms: Terms) -> None:
    """Keep what the driver chose."""
    with store.transaction():
        store.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, terms.model_dump_json()))
