"""Conversations that are kept: while they run, when they are over, and what is thought about them afterwards.

Owns when what is done and under which lock: exchanges wait in memory while a conversation runs, become episodes when it is
over (`Conversations.settle`), and are thought about afterwards (`Conversations.reflect`), outside the lock, so that no turn waits.
What is worth keeping (`memory.reflect.episodes`), what follows from it (`memory.reflect.reflection`), how long it stays
and what goes for want of room (`memory.reflect.retention`) are modules of their own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta, tzinfo
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory.driver.session import Session
from memory.reflect import retention
from memory.reflect.episodes import Drafter, Exchange, Hot
from memory.reflect.reflection import Reflection, Reflector, Snapshot, thought_key
from memory.reflect.retention import QUERIES, Held, kept
from memory.settings import Prune, RetentionSettings, TierSettings
from memory.store.preferences import sayable, silent
from models.text import plain
from schemas.errors import ConsentError, UnknownEntryError
from schemas.manners import LINES, MANNERS
from schemas.memory import (
    Consent,
    Episode,
    Kind,
    Period,
    ProfileEntry,
    Reflected,
    Selector,
    Terms,
    Thought,
    Turn,
)
from schemas.preferences import BY_DETAIL

UNWANTED = timedelta(days=365)
"""How long an entry or a thought that the driver deleted by itself is not made again."""
WINDOW = 2_000
"""Newest episodes that post-thinking goes by, and that new ones may be linked with, so that the time it takes does not grow with
the vault: three weeks of a hundred a day. What older ones have come to stays, since it is written down."""


class Conversations:
    """The conversations of one driver.

    What `memory.driver` asks it while it has an act of its own in hand (`heard`, `asked`, `let_go`, `wanted_again`) is called with
    the lock held.
    """

    def __init__(self, session: Session, settings: TierSettings, zone: tzinfo) -> None:
        """Keeps what this vault's consent allows; writes nothing yet.

        Args:
            session: the open vault.
            settings: how long things are kept, and how many.
            zone: where the driver is, for days and times of day.
        """
        self._session, self.settings, self.zone = session, settings, zone
        self.archive = session.archive
        self.hot = Hot()
        """Exchanges that wait."""
        self._drafter = Drafter(session.encoder, session.new_id)
        self._reflector = Reflector(session.encoder, zone, session.new_id)
        self._queries: deque[tuple[datetime, NDArray[np.float32]]] = deque(maxlen=QUERIES)

    # While a conversation runs

    def heard(self, turn: Turn, conversation: str, consent: Consent, now: datetime) -> None:
        """A turn of the driver that is not forbidden."""
        if consent.conversations and silent(consent, now) is None:
            self.hot.heard(turn, conversation)
        else:
            self.hot.cut(conversation)

    def asked(self, query: str, consent: Consent, now: datetime) -> None:
        """What was just asked of memory, where pruning goes by it; its vector is at hand, since the search has made it."""
        by_relevance = self.settings.prune is Prune.RELEVANCE
        may = consent.conversations and silent(consent, now) is None
        if by_relevance and may and not self._session.guard.forbidden(query, consent):
            self._queries.append((now, self._session.encoder.encode([query])[0]))

    # Trips

    def begin_trip(self, trip: str) -> None:
        """A drive begins; its times are kept only if conversations are."""
        with self._session.lock:
            now, consent = self._session.now()
            if consent.conversations and silent(consent, now) is None:
                self.archive.begin_trip(trip, now, now)

    def end_trip(self, trip: str) -> None:
        """A drive is over: with it a private trip is, and what waited of it is gone."""
        with self._session.lock:
            now, consent = self._session.now()
            self.archive.end_trip(trip, now)
            if consent.private_trip:
                self._forget_hot()
                self._session.store.set_consent(consent.model_copy(update={"private_trip": False}))
                self._session.changed()

    # When a conversation is over

    def settle(self) -> int:
        """Make episodes of the exchanges that wait; returns how many. While nothing may be remembered they wait on."""
        session = self._session
        with session.thinking:
            with session.lock:
                revision, (now, consent) = session.revision, session.now()
                waiting = self.hot.all()
            if not waiting or silent(consent, now) is not None:
                return 0
            made = self.drafts(waiting, consent, now)
            with session.lock:
                if revision != session.revision:
                    now, consent = session.now()
                    still = frozenset(self.hot.all())
                    waiting = tuple(e for e in waiting if e in still)
                    if silent(consent, now) is not None:
                        return 0
                    made = self.drafts(waiting, consent, now)
                with self.archive.transaction():
                    for episode in made:
                        self.archive.keep(episode, now)
                self.hot.drop(waiting)
                session.search.refresh()
            return len(made)

    def drafts(self, exchanges: Iterable[Exchange], consent: Consent, now: datetime) -> tuple[Episode, ...]:
        """Episodes of exchanges that wait, by consent as it is now: none while conversations are not kept. Writes nothing.

        What also touches a category that is forbidden is let go, even if it is likelier about another.
        """
        if not consent.conversations:
            return ()
        screen, guard = self._session.extractor.screen, self._session.guard

        def allowed(text: str) -> bool:
            return screen(text, consent, now).forbidden is None and not guard.forbidden(text, consent)

        drafts = self._drafter.draft(exchanges, allowed, self.archive.tags())
        return tuple(e for e in drafts if all(consent.forbids(BY_DETAIL[d], now) is None for d in e.details))

    # Afterwards

    def reflect(self) -> Reflected:
        """Think about what was said since the last time, then let go of what is over.

        Takes some milliseconds a new episode and keeps nobody waiting meanwhile.
        """
        self.settle()
        session = self._session
        plan: Reflection | None = None
        with session.thinking:
            with session.lock:
                revision, (now, consent) = session.revision, session.now()
                seen = self._snapshot(consent)
            if silent(consent, now) is None:
                plan = self._think(seen, consent, now)
            with session.lock:
                if revision != session.revision:
                    now, consent = session.now()
                    plan = None
                    if silent(consent, now) is None:
                        plan = self._think(self._snapshot(consent), consent, now)
                if plan is not None:
                    self._write(plan, now, consent)
                gone = self._let_time_pass(now)
                session.search.refresh()
        if plan is None:
            return Reflected(let_go=gone)
        fresh = tuple(entry for entry in plan.entries if entry.since == now)
        return Reflected(seen=len(plan.seen), thoughts=tuple(plan.thoughts), entries=fresh, let_go=gone)

    def _snapshot(self, consent: Consent) -> Snapshot:
        """What post-thinking goes by."""
        fresh = self.archive.episodes(unreflected=True)
        newest = self.archive.episodes(newest=WINDOW)
        both = {e.id: e for e in (*newest, *fresh)}
        episodes, thoughts = tuple(sorted(both.values(), key=lambda e: e.at)), self.archive.thoughts()
        near = set(both) if fresh else set[str]()
        return Snapshot(
            episodes=episodes,
            fresh=frozenset(e.id for e in fresh) if consent.conversations else frozenset(),
            thoughts=thoughts,
            profile=self.archive.profile(),
            preferences=self._session.store.preferences(history=True),
            sentences=self._session.store.sentences(),
            trips=self.archive.trips(),
            tags=self.archive.tags(),
            vectors=self.archive.vectors(near | {t.id for t in thoughts}),
        )

    def _think(self, seen: Snapshot, consent: Consent, now: datetime) -> Reflection:
        """Plan post-thinking; writes nothing."""
        store = self._session.store

        def unwanted(kind: str, text: str) -> bool:
            return store.declines(_unwanted(kind, text), now)

        plan = self._reflector.plan(
            seen, now, allowed=lambda detail: consent.forbids(BY_DETAIL[detail], now) is None, unwanted=unwanted
        )
        forbidden = self._session.guard.forbidden_name
        plan.entries = tuple(
            one for one in plan.entries if one.key != LINES["name"][0] or not forbidden(one.value, consent)
        )
        return plan

    def _write(self, plan: Reflection, now: datetime, consent: Consent) -> None:
        """Write what was planned, and the queries of this trip."""
        with self.archive.transaction():
            self._reflector.carry_out(plan, self.archive, now, keeps_conversations=consent.conversations)
            if consent.conversations and self._queries:
                self.archive.put_queries(self._queries, QUERIES, now)
                self._queries.clear()

    def _let_time_pass(self, now: datetime) -> dict[Kind, int]:
        preferences, tiers, trips = self._over(now)
        tiers = (*tiers, *self._crowded_out())
        if not (preferences or tiers or trips):
            self._session.vault.prune_backups()
            return {}
        with self.archive.transaction():
            gone = Counter(self.archive.delete(tiers).values())
            self._session.store.erase("trips", trips)
            self.archive.prune_tags()
            if preferences:
                self._session.store.erase("preferences", preferences)
        self._session.changed()
        self._session.store.wiped()
        self._session.vault.erase_backups()  # they hold what has just been let go
        return dict(gone) | ({Kind.PREFERENCE: len(preferences)} if preferences else {})

    def _over(self, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Ids of preferences, of memories of the tiers and of trips whose time is over."""
        settings, today = self._kept_for(), now.astimezone(self.zone).date()

        def before(days: int) -> Period:
            return Period(until=now - timedelta(days=days) + timedelta(seconds=1))

        old = today - timedelta(days=settings.summary_days - 1)
        tiers = (
            *retention.old_episodes(self.archive.episodes(before(settings.conversation_days)), now, settings),
            *retention.faded_thoughts(self.archive.thoughts(before(settings.thought_days)), now, settings),
            *retention.old_summaries(self.archive.summaries(until=old), today, settings),
            *self._session.store.facts.over(),
        )
        preferences = retention.faded_preferences(self._session.store.preferences(history=True), now)
        return preferences, tiers, retention.old_trips(self.archive.trips(), now, self.zone, settings)

    def _crowded_out(self) -> tuple[str, ...]:
        """Ids of the episodes for which there is no room."""
        pruning = self.settings
        if self.archive.count_episodes() <= pruning.capacity:
            return ()
        held = [Held(*worth) for worth in self.archive.worths()]
        ring = [vector for _, vector in (*self.archive.queries(), *self._queries)][-QUERIES:]
        queries = np.stack(ring) if ring else np.zeros((0, self._session.encoder.dimension), np.float32)
        vectors = self.archive.vectors({one.id for one in held}) if len(queries) else {}
        stay = kept(held, vectors, queries, pruning)
        return tuple(one.id for one in held if one.id not in stay)

    # The driver's say in it

    def terms(self) -> Terms:
        """How long what comes of conversations is kept: what the driver chose, else what is configured."""
        return Terms(**self._kept_for().model_dump(include=set(Terms.model_fields)))

    def _kept_for(self) -> RetentionSettings:
        chosen = self._session.store.terms()
        return self.settings if chosen is None else RetentionSettings(**chosen.model_dump())

    def set_terms(self, terms: Terms) -> Terms:
        """Keep it so long from now on."""
        with self._session.lock:
            self._session.store.set_terms(terms)
        return self.terms()

    def edit_profile(self, key: str, value: str, *, aspect: Literal["fact", "habit", "style"] = "fact") -> ProfileEntry:
        """Write or correct a line of the profile; refinement leaves it alone from then on.

        Raises:
            ConsentError: nothing may be remembered now, or not of that category.
            UnknownEntryError: no key or no value.
            UnstorableTextError: no valid Unicode, or too long.
        """
        sayable(f"{key} {value}")
        key, value = plain(key), plain(value)
        if not key.strip() or not value.strip():
            raise UnknownEntryError("an entry of the profile has a key and a value: give both")
        with self._session.lock:
            now, consent = self._session.now()
            if MANNERS in consent.opted_out and any(key == line for line, _ in LINES.values()):
                raise ConsentError("how you want to be spoken to is not kept: you switched that off")
            self._session.guard.require_line(key, value, consent)
            before = next((e for e in self.archive.profile() if e.key == key), None)
            entry = ProfileEntry(
                id=before.id if before is not None else self._session.new_id(),
                aspect=before.aspect if before is not None else aspect,
                key=key,
                value=value,
                details=before.details if before is not None else (),
                since=now,
                edited=True,
            )
            self.archive.put_entry(entry, now)
            self._session.changed()
            return entry

    def let_go(self, what: Selector) -> None:
        """Something is about to be forgotten: nothing of it may wait here, and it must not be made again from what stays.

        Called before anything is erased.
        """
        self._forget_hot()
        archive, now = self.archive, self._session.clock()
        if what.names is not None:
            for memory in (*archive.profile(), *archive.thoughts()):
                if memory.id in what.names:
                    self._unwant(memory, now + UNWANTED)
        period = what.period
        if period is not None and what == Selector(period=period):
            self._session.store.erase("trips", [trip.id for trip in archive.trips() if period.holds(trip.began_at)])
        if what.conversation is not None and what == Selector(conversation=what.conversation):
            self._session.store.erase("trips", [what.conversation])

    def wanted_again(self, names: Collection[str]) -> None:
        """The driver took back that these be forgotten: they may be made again, too."""
        if not self._session.store.declined():
            return
        now, back = self._session.clock(), frozenset(names)
        with self.archive.transaction():
            for memory in (*self.archive.profile(), *self.archive.thoughts()):
                if memory.id in back:
                    self._unwant(memory, now)

    def _unwant(self, memory: ProfileEntry | Thought, until: datetime) -> None:
        """Keep in mind, as a keyed hash, that the driver deleted this and does not want it made again until then."""
        if isinstance(memory, ProfileEntry):
            what = _unwanted("profile", memory.key)
        else:
            what = _unwanted("thought", thought_key(memory.details, memory.text))
        self._session.store.decline(what, until)

    def _forget_hot(self) -> None:
        self.hot.forget()
        self._queries.clear()


def _unwanted(kind: str, text: str) -> str:
    """What it is remembered by that the driver does not want something made again."""
    return f"{kind}\0{text}"
