"""A guest's memory: it reads nothing and writes nothing, whatever is asked of it.

Meets ``MemoryPort`` beside the real one, so that whoever drives as a guest has the whole assistant and leaves no trace of
themselves; nor is anything of the car's drivers to be had, because no vault is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NoReturn

from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import (
    Consent,
    Conversation,
    Decision,
    Episode,
    Explanation,
    Found,
    Kind,
    Listing,
    Matches,
    Outcome,
    Period,
    Preference,
    ProfileEntry,
    Proposal,
    Receipt,
    Recollection,
    Reflected,
    Selector,
    TakenIn,
    Terms,
    Trip,
    Turn,
    Waiting,
    Withheld,
)
from schemas.preferences import CATEGORIES

NAME = "guest"
REASON = "you are a guest"


class NoReminders:
    """Keeps no timers and reminders: they live as long as the program does."""

    def watch(self, changed: Callable[[], None] | None) -> None:
        """It never changes."""

    def load(self) -> tuple[int, tuple[Waiting, ...]]:
        """None."""
        return 0, ()

    def save(self, waiting: Sequence[Waiting], state: int) -> None:
        """Not kept."""


class GuestMemory:
    """Nothing."""

    driver = NAME

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Nothing to open; ``clock`` dates its empty receipts."""
        self._clock = clock
        self.reminders = NoReminders()

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        """Nothing."""
        del query, details, limit
        return ()

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[Kind] = (),
        tags: Sequence[str] = (),
        period: Period | None = None,
        details: Sequence[str] = (),
        limit: int = 5,
    ) -> tuple[Found, ...]:
        """Nothing."""
        del query, kinds, tags, period, details, limit
        return ()

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """Not noted."""

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """Refused."""
        del sentence, key
        return (Decision(outcome=Outcome.REFUSED, detail=CATEGORIES[0].detail, reason=f"not remembered: {REASON}"),)

    def note(self, turn: Turn, conversation: str) -> None:
        """Dropped."""

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """Not learnt."""
        del conversation
        return ()

    def forget_pending(self, conversation: str) -> int:
        """There is nothing."""
        del conversation
        return 0

    def learn_pending(self) -> tuple[Decision, ...]:
        """There is nothing."""
        return ()

    def proposals(self) -> tuple[Proposal, ...]:
        """None."""
        return ()

    def asked(self, proposal: str) -> None:
        """There is none."""

    def answer(self, proposal: str, yes: bool) -> Decision:
        """There is none."""
        del yes
        self._unknown(proposal)

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """None."""
        del key, history
        return ()

    def browse(
        self, key: str | None = None, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """None."""
        del key, text, period, limit, offset
        return Listing(total=0)

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """None."""
        del name, text, period, limit, offset
        return Listing(total=0)

    def tally(self) -> dict[str, int]:
        """None."""
        return {}

    def forget(self, key: str) -> Receipt:
        """There is nothing."""
        del key
        return self.forget_where(Selector(everything=True))

    def matching(self, what: Selector) -> Matches:
        """Nothing."""
        del what
        return Matches()

    def forget_where(self, what: Selector) -> Receipt:
        """There is nothing."""
        del what
        return Receipt(erased=(), categories=(), at=self._clock(), verified=True)

    def withhold(self, what: Selector) -> Withheld:
        """There is nothing."""
        self._unknown(str(what.id))

    def restore(self, token: str) -> None:
        """There is nothing."""
        self._unknown(token)

    def carry_out(self, token: str) -> Receipt:
        """There is nothing."""
        self._unknown(token)

    def explain(self, name: str) -> Explanation:
        """There is nothing."""
        self._unknown(name)

    def correct(self, name: str, value: str) -> Preference:
        """There is nothing."""
        del value
        self._unknown(name)

    def consent(self) -> Consent:
        """Nothing may be remembered."""
        return Consent(private_trip=True)

    def opt_out(self, key: str) -> Consent:
        """It is off."""
        del key
        return self.consent()

    def opt_in(self, key: str) -> Consent:
        """It stays off."""
        del key
        return self.consent()

    def set_private_trip(self, private: bool) -> Consent:
        """It is always private."""
        del private
        return self.consent()

    def pause(self, until: datetime | None) -> Consent:
        """It is always paused."""
        del until
        return self.consent()

    def export(self) -> dict[str, Any]:
        """There is nothing."""
        raise ConsentError(f"there is nothing to export, {REASON}: say who you are first")

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """Nothing is taken in."""
        del exported, allow
        raise ConsentError(f"nothing can be read in, {REASON}: say who you are first")

    def begin_trip(self, trip: str) -> None:
        """Not noted."""

    def end_trip(self, trip: str) -> None:
        """Not noted."""

    def reflect(self) -> Reflected:
        """There is nothing to think about."""
        return Reflected()

    def episodes(self, period: Period | None = None) -> tuple[Episode, ...]:
        """None."""
        del period
        return ()

    def profile(self) -> tuple[ProfileEntry, ...]:
        """Nothing."""
        return ()

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """Refused."""
        del key, value, aspect
        raise ConsentError(f"a guest has no profile, {REASON}: say who you are first")

    def trips(self) -> tuple[Trip, ...]:
        """None."""
        return ()

    def period(self, words: str) -> Period | None:
        """Nothing was said at any time."""
        del words
        return None

    def terms(self) -> Terms:
        """The shortest: nothing is kept at all."""
        return Terms(conversation_days=1, thought_days=1, summary_days=1)

    def set_terms(self, terms: Terms) -> Terms:
        """Refused."""
        del terms
        raise ConsentError(f"nothing is kept, {REASON}: say who you are first")

    def close(self) -> None:
        """Nothing to release."""

    def _unknown(self, name: str) -> NoReturn:
        raise UnknownEntryError(f"nothing has the id {name[:80]!r}: {REASON}, and nothing is remembered")
