"""The fake memory's conversations: every exchange is an episode as it was said; nothing is made of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

from memory.recall.times import period_in
from memory.store.preferences import silent
from models.text import letters
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import (
    Consent,
    Episode,
    Found,
    Kind,
    Listing,
    Period,
    ProfileEntry,
    Reflected,
    Terms,
    Trip,
    Turn,
)


class FakeKeeping:
    """A fake of the tiers over lists."""

    _clock: Callable[[], datetime]
    _consent: Consent

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self._waiting: list[Episode] = []
        self._episodes: list[Episode] = []
        self._entries: dict[str, ProfileEntry] = {}
        self._trips: list[Trip] = []
        self._terms = Terms(conversation_days=90, thought_days=365, summary_days=365)

    def _keeps(self) -> bool:
        return self._consent.conversations and silent(self._consent, self._clock()) is None

    def _hear(self, turn: Turn, conversation: str) -> None:
        """A turn of either side."""
        if turn.speaker == "driver" and self._keeps():
            name = f"episode-{len(self._episodes) + len(self._waiting) + 1}"
            self._waiting.append(Episode(id=name, conversation=conversation, at=turn.at, driver=turn.text))
        elif turn.speaker != "driver" and self._waiting and self._waiting[-1].conversation == conversation:
            self._waiting[-1] = self._waiting[-1].model_copy(update={"assistant": turn.text})

    def begin_trip(self, trip: str) -> None:
        """See ``MemoryPort``."""
        if self._keeps() and all(known.id != trip for known in self._trips):
            self._trips.append(Trip(id=trip, began_at=self._clock()))

    def end_trip(self, trip: str) -> None:
        """See ``MemoryPort``."""
        now = self._clock()
        self._trips = [t.model_copy(update={"ended_at": now}) if t.id == trip else t for t in self._trips]
        if self._consent.private_trip:
            self._waiting.clear()
            self._consent = self._consent.model_copy(update={"private_trip": False})

    def reflect(self) -> Reflected:
        """Episodes of what waits; no thoughts; the fake lets go of exchanges alone."""
        if silent(self._consent, self._clock()) is None:
            self._episodes += self._waiting if self._consent.conversations else []
            self._waiting.clear()
        over = self._clock() - timedelta(days=self._terms.conversation_days)
        self._episodes = [e for e in self._episodes if e.at > over]
        return Reflected()

    def terms(self) -> Terms:
        """See ``MemoryPort``."""
        return self._terms

    def set_terms(self, terms: Terms) -> Terms:
        """See ``MemoryPort``."""
        self._terms = terms
        return terms

    def episodes(self, period: Period | None = None) -> tuple[Episode, ...]:
        """See ``MemoryPort``."""
        return tuple(e for e in self._episodes if period is None or period.holds(e.at))

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """Of exchanges and the profile."""
        told = [(Kind.PROFILE, e.id, e.since, e.value, e.details) for e in self.profile()]
        told += [(Kind.EPISODE, e.id, e.at, f"{e.driver}\n{e.assistant}".strip(), e.details) for e in self._episodes]
        found = [
            Found(kind=kind, id=own, text=said, at=at, details=details, score=0.0)
            for kind, own, at, said, details in sorted(told, key=lambda one: one[2], reverse=True)
            if name in {None, own} and letters(text) in letters(said) and (period is None or period.holds(at))
        ]
        return Listing(total=len(found), others=tuple(found[offset : offset + limit]))

    def profile(self) -> tuple[ProfileEntry, ...]:
        """What was written into it."""
        return tuple(self._entries[key] for key in sorted(self._entries))

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """See ``MemoryPort``."""
        if not key.strip() or not value.strip():
            raise UnknownEntryError("an entry of the profile has a key and a value: give both")
        if silent(self._consent, self._clock()) is not None:
            raise ConsentError("nothing may be remembered now: end the pause or the private trip first")
        before = self._entries.get(key)
        entry = ProfileEntry(
            id=before.id if before is not None else f"entry-{len(self._entries) + 1}",
            aspect=before.aspect if before is not None else aspect,
            key=key,
            value=value,
            since=self._clock(),
            edited=True,
        )
        self._entries[key] = entry
        return entry

    def trips(self) -> tuple[Trip, ...]:
        """See ``MemoryPort``."""
        return tuple(self._trips)

    def period(self, words: str) -> Period | None:
        """See ``MemoryPort``; the days are UTC's."""
        return period_in(words, self._clock(), UTC, self._trips)
