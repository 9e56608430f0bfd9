"""A guest's memory: the real one, empty, on a vault without a file and under a private trip that nothing ends.

Whoever drives as a guest has the whole assistant and leaves no trace of themselves: the consent of a private trip lets no row be
written, and the vault is gone when it is closed. Nor is anything of the car's drivers to be had: no other vault is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from memory.service import DriverMemory
from memory.vault.lifecycle import Vault
from schemas.actions import ACTIONS
from schemas.errors import ConsentError
from schemas.kinds import Marked
from schemas.memory import Consent, Decision, Outcome, Terms, Words
from schemas.preferences import CATEGORIES

NAME = "guest"
REASON = "you are a guest"
NONE = "none"


class GuestMemory(DriverMemory):
    """Meets ``MemoryPort``. What would change a switch changes nothing; what would keep or hand out something is refused."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """An empty memory by this clock; it opens no file."""
        super().__init__(NAME, Vault.in_memory(clock=clock), encoder=_Deaf(), clock=clock)
        consent = self.set_private_trip(True)

        def unchanged(*_: object, **__: object) -> Consent:
            return consent

        def refused(*_: object, **__: object) -> NoReturn:
            raise ConsentError(f"nothing is kept, read in or handed out, {REASON}: say who you are first")

        def not_remembered(sentence: str, key: str | None = None) -> tuple[Decision, ...]:
            del sentence, key
            return (Decision(outcome=Outcome.REFUSED, detail=CATEGORIES[0].detail, reason=f"not remembered: {REASON}"),)

        def no_trip(trip: str) -> None:
            del trip

        self.opt_out = self.opt_in = self.set_private_trip = self.pause = unchanged
        self.export = self.take_in = self.set_terms = self.edit_profile = refused
        self.remember, self.begin_trip, self.end_trip = not_remembered, no_trip, no_trip
        self.terms = lambda: Terms(conversation_days=1, thought_days=1, summary_days=1)


class _Deaf:
    """Tells nothing from anything: there is nothing to be found. Meets ``schemas.ports.Encoder``."""

    dimension = 1

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), self.dimension), np.float32)

    def topics(self, text: str) -> dict[str, float]:
        del text
        return {**{category.detail: 0.0 for category in CATEGORIES}, NONE: 1.0}

    def strength(self, text: str) -> dict[str, float]:
        del text
        return {NONE: 1.0, "hinted": 0.0, "stated": 0.0, "ended": 0.0}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        del text, detail
        return ()

    def choices(self, text: str, detail: str) -> dict[str, float]:
        del text, detail
        return {}

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """Nothing."""
        del text
        return np.zeros((len(spans), 1), np.float32)

    def special(self, text: str) -> None:
        """Nothing can be told."""
        del text

    def revealed(self, text: str) -> None:
        """Nothing can be told."""
        del text

    def wishes(self, text: str) -> None:
        """Nothing can be told."""
        del text

    def answers(self, question: str, memory: str) -> None:
        """Nothing can be told."""
        del question, memory

    def marks(self, text: str) -> Marked:
        """Nothing can be told."""
        return Marked(text)

    def requests(self, text: str) -> dict[str, float]:
        del text
        return {**{action.name: 0.0 for action in ACTIONS}, NONE: 1.0}
