"""The part of a driver's memory that keeps conversations: looking at them, trips, and what is done afterwards.

Owns when what is done and under which lock: exchanges wait in memory while a conversation runs, become episodes when it is over
(`Keeping.settle`), and are thought about afterwards (`Keeping.reflect`), outside the lock, so that no turn waits for it. What is
done is `memory.reflect.tiers`'.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta
from typing import Literal

from memory.recall.search import HybridSearch
from memory.recall.times import period_in
from memory.reflect.reflection import Reflection
from memory.reflect.terms import choose
from memory.reflect.tiers import Tiers
from memory.store.conversations import Archive
from memory.store.preferences import Store, require_sayable, silent
from memory.vault.lifecycle import Vault
from schemas.errors import UnknownEntryError
from schemas.memory import Episode, Kind, Period, ProfileEntry, Reflected, Selector, Summary, Terms, Thought, Trip

UNWANTED = timedelta(days=365)
"""How long an entry or a thought that the driver deleted by itself is not made again."""


class Keeping:
    """What the driver and the program can do with conversations that are kept: the other half of ``MemoryPort``."""

    _vault: Vault
    _store: Store
    _archive: Archive
    _tiers: Tiers
    _search: HybridSearch
    _clock: Callable[[], datetime]
    _new_id: Callable[[], str]
    _lock: threading.RLock
    _learning: threading.Lock
    _revision: int

    # Looking

    def recent(self, conversation: str) -> tuple[tuple[str, str], ...]:
        """What was said and answered lately in a running conversation, oldest first; only what may be kept."""
        with self._lock:
            return tuple((e.driver, e.assistant) for e in self._tiers.hot.recent(conversation))

    def episodes(self, period: Period | None = None) -> tuple[Episode, ...]:
        """Exchanges that are kept, oldest first."""
        return self._archive.episodes(period)

    def thoughts(self, period: Period | None = None) -> tuple[Thought, ...]:
        """Thoughts and key events, oldest first."""
        return self._archive.thoughts(period)

    def summaries(self, since: date | None = None, until: date | None = None) -> tuple[Summary, ...]:
        """Days in a few lines, oldest first."""
        return self._archive.summaries(since, until)

    def profile(self) -> tuple[ProfileEntry, ...]:
        """Facts, habits and style."""
        return self._archive.profile()

    def trips(self) -> tuple[Trip, ...]:
        """Trips whose times are kept, first to last."""
        return self._archive.trips()

    def period(self, words: str) -> Period | None:
        """The time that words speak of, on the driver's calendar and trips; None where they speak of none."""
        return period_in(words, self._clock(), self._tiers.zone, self._archive.trips())

    # Trips

    def begin_trip(self, trip: str) -> None:
        """A drive begins; its times are kept only if conversations are."""
        with self._lock:
            now, consent = self._clock(), self._store.consent()
            if consent.conversations and silent(consent, now) is None:
                self._archive.begin_trip(trip, now, now)

    def end_trip(self, trip: str) -> None:
        """A drive is over: with it a private trip is, and what waited of it is gone."""
        with self._lock:
            consent = self._store.consent()
            self._archive.end_trip(trip, self._clock())
            if consent.private_trip:
                self._tiers.let_go_of_hot()
                self._store.set_consent(consent.model_copy(update={"private_trip": False}))
                self._revision += 1

    # Terms

    def terms(self) -> Terms:
        """See ``MemoryPort``."""
        return Terms(**self._tiers.retention().model_dump(include=set(Terms.model_fields)))

    def set_terms(self, terms: Terms) -> Terms:
        """See ``MemoryPort``."""
        with self._lock:
            choose(self._store, terms)
        return self.terms()

    # Afterwards

    def settle(self) -> int:
        """Make episodes of the exchanges that wait; returns how many. While nothing may be remembered they wait on."""
        with self._learning:
            with self._lock:
                revision, now, consent = self._revision, self._clock(), self._store.consent()
                waiting = self._tiers.hot.all()
            if not waiting or silent(consent, now) is not None:
                return 0
            made = self._tiers.drafts(waiting, consent, now) if consent.conversations else ()
            with self._lock:
                if revision != self._revision:
                    now, consent = self._clock(), self._store.consent()
                    still = frozenset(self._tiers.hot.all())
                    waiting = tuple(e for e in waiting if e in still)
                    if silent(consent, now) is not None:
                        return 0
                    made = self._tiers.drafts(waiting, consent, now) if consent.conversations else ()
                self._tiers.keep(made, now)
                self._tiers.hot.drop(waiting)
                self._search.refresh()
            return len(made)

    def reflect(self) -> Reflected:
        """See ``MemoryPort``. Takes some milliseconds a new episode and keeps nobody waiting meanwhile."""
        self.settle()
        plan: Reflection | None = None
        with self._learning:
            with self._lock:
                revision, now, consent = self._revision, self._clock(), self._store.consent()
                seen = self._tiers.snapshot(consent)
            if silent(consent, now) is None:
                plan = self._tiers.think(seen, consent, now)
            with self._lock:
                if revision != self._revision:
                    now, consent = self._clock(), self._store.consent()
                    plan = None
                    if silent(consent, now) is None:
                        plan = self._tiers.think(self._tiers.snapshot(consent), consent, now)
                if plan is not None:
                    self._tiers.carry_out(plan, now, consent)
                gone = self._let_go(now)
                self._search.refresh()
        if plan is None:
            return Reflected(let_go=gone)
        fresh = tuple(entry for entry in plan.entries if entry.since == now)
        return Reflected(seen=len(plan.seen), thoughts=tuple(plan.thoughts), entries=fresh, let_go=gone)

    def _let_go(self, now: datetime) -> dict[Kind, int]:
        preferences, tiers, trips = self._tiers.over(now)
        tiers = (*tiers, *self._tiers.crowded_out())
        if not (preferences or tiers or trips):
            self._vault.prune_backups()
            return {}
        with self._archive.transaction():
            gone = Counter(self._archive.delete(tiers).values())
            self._archive.erase_trips(trips)
            self._archive.prune_tags()
            if preferences:
                self._store.erase(preferences)
        self._revision += 1
        self._store.wiped()
        self._vault.erase_backups()  # they hold what has just been let go
        return dict(gone) | ({Kind.PREFERENCE: len(preferences)} if preferences else {})

    # Command

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """Write or correct a line of the profile; refinement leaves it alone from then on.

        Raises:
            ConsentError: nothing may be remembered now, or not of that category.
            UnknownEntryError: no key or no value.
            UnstorableTextError: no valid Unicode, or too long.
        """
        if not key.strip() or not value.strip():
            raise UnknownEntryError("an entry of the profile has a key and a value: give both")
        require_sayable(f"{key} {value}")
        with self._lock:
            now = self._clock()
            before = next((e for e in self._archive.profile() if e.key == key), None)
            entry = ProfileEntry(
                id=before.id if before is not None else self._new_id(),
                aspect=before.aspect if before is not None else aspect,
                key=key,
                value=value,
                details=before.details if before is not None else (),
                since=now,
                edited=True,
            )
            self._archive.put_entry(entry, now)
            self._revision += 1
            return entry

    def _forgetting(self, what: Selector) -> None:
        """Something is about to be forgotten: nothing of it may wait here, and it must not be made again from what stays.

        Called with the lock held, before anything is erased.
        """
        now = self._clock()
        self._tiers.let_go_of_hot()
        if what.id is not None:
            for memory in (*self._archive.profile(), *self._archive.thoughts()):
                if memory.id == what.id:
                    self._tiers.unwant(memory, now + UNWANTED)
        period = what.period
        if period is not None and what == Selector(period=period):
            self._archive.erase_trips([trip.id for trip in self._archive.trips() if period.holds(trip.began_at)])
        if what.conversation is not None and what == Selector(conversation=what.conversation):
            self._archive.erase_trips([what.conversation])

    def _restored(self, names: Collection[str]) -> None:
        """What was withheld is taken back: it may be made again, too."""
        if not self._store.declined():
            return
        now, back = self._clock(), frozenset(names)
        with self._archive.transaction():
            for memory in (*self._archive.profile(), *self._archive.thoughts()):
                if memory.id in back:
                    self._tiers.unwant(memory, now)
