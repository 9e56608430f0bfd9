"""What the driver asked to have kept and is no preference: "the spare key is under the mat".

The write path of facts: consent is asked in the same transaction, and the vault's triggers ask again beneath it. A fact never
fades, since it was asked for; one that stops mattering at some time is shown no more from then on (`MATTERS`), and erased.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from memory.store.rows import AMONG, insert, listed, read, shown
from memory.vault.lifecycle import Vault
from schemas.errors import ConsentError
from schemas.kinds import PARKED
from schemas.memory import Consent, Fact

_FACT = ("id", "text", "about", "said_at", "conversation", "until", "until_words", "uses", "last_used")

MOST_FACTS = 500
"""Facts that are kept at most: none fades, so that nothing is lost unasked, and a driver can look through so many. Our choice."""

MATTERS = "(until IS NULL OR until > glovebox_now())"
"""SQL that is true of a fact that has not stopped mattering."""


class Facts:
    """The facts of one vault."""

    def __init__(self, vault: Vault, consent: Callable[[], Consent]) -> None:
        """The table of this vault, and what asks its consent."""
        self._vault, self._consent = vault, consent

    def _ask(self, now: datetime) -> None:
        reason = self._consent().forbids_facts(now)
        if reason is not None:
            raise ConsentError(f"a fact was not written, {reason}: ask Consent.forbids_facts before writing")

    def add(self, fact: Fact, now: datetime) -> None:
        """Store a fact.

        Raises:
            ConsentError: consent forbids it now.
        """
        with self._vault.transaction():
            self._ask(now)
            insert(self._vault, "facts", _FACT, fact)

    def all(self, *, ids: Collection[str] | None = None) -> tuple[Fact, ...]:
        """Those that matter and are not withheld, newest first; with ids only these."""
        where, given = f"{shown('facts')} AND {MATTERS}", list[Any]()
        if ids is not None:
            where, given = f"{where} AND id {AMONG}", [listed(ids)]
        rows = self._vault.rows(
            f"SELECT {', '.join(_FACT)} FROM facts WHERE {where} ORDER BY said_at DESC, rowid DESC", given
        )
        return tuple(read(Fact, _FACT, row) for row in rows)

    def correct(self, fact: str, text: str, now: datetime) -> None:
        """Put another text in the place of a fact's.

        Raises:
            ConsentError: consent forbids it now.
        """
        with self._vault.transaction():
            self._ask(now)
            self._vault.write("UPDATE facts SET text = ? WHERE id = ?", (text, fact))

    def over(self) -> tuple[str, ...]:
        """Ids of those that have stopped mattering."""
        return tuple(name for (name,) in self._vault.rows(f"SELECT id FROM facts WHERE NOT {MATTERS}"))

    def count(self) -> int:
        """How many there are."""
        return int(self._vault.rows("SELECT count(*) FROM facts")[0][0])


def fact_words(about: str, text: str, until: str = "") -> str:
    """A fact in words, for search: whom it is about, if its own words do not say so, what, and until when."""
    about = f"{about} where the car is parked".strip() if until == PARKED else about
    head = f"{about}: " if about and about.lower() not in text.lower() else ""
    return f"{head}{text}{f' ({until})' if until else ''}"
