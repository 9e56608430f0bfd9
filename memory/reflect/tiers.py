"""The tiers of one vault put together: hot, warm, cold, and what lets go of them. Not locked: the caller is.

Owns which part is asked what, and that consent is asked before. What is worth keeping (`memory.reflect.episodes`), what
follows from it (`memory.reflect.reflection`) and how long it stays (`memory.reflect.retention`) are modules of their own; when
any of it is done is `memory.reflect.keeping`'s.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from memory.learn.extraction import Extractor
from memory.reflect import retention
from memory.reflect.episodes import Drafter, EpisodeSettings, Exchange, Hot
from memory.reflect.reflection import Reflection, ReflectionSettings, Reflector, Snapshot, thought_key
from memory.reflect.retention import Held, PruningTuning, kept
from memory.reflect.terms import chosen
from memory.settings import Prune, RetentionSettings, TierSettings
from memory.store.conversations import Archive
from memory.store.preferences import Store, silent
from schemas.memory import Consent, Episode, Period, ProfileEntry, Thought, Turn
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL


class TierTuning(TierSettings, PruningTuning):
    """The same with what was measured and nobody configures."""

    episodes: EpisodeSettings = EpisodeSettings()
    reflection: ReflectionSettings = ReflectionSettings()


class Tiers:
    """The parts that keep conversations, over one vault. Not locked: the caller is."""

    def __init__(
        self,
        store: Store,
        archive: Archive,
        encoder: Encoder,
        extractor: Extractor,
        *,
        settings: TierTuning,
        zone: tzinfo,
        new_id: Callable[[], str],
    ) -> None:
        """Keeps what this vault's consent allows; writes nothing yet."""
        self.settings, self.zone = settings, zone
        self.hot = Hot(settings.episodes.hot)
        self.archive, self.store = archive, store
        self._encoder, self._extractor = encoder, extractor
        self._drafter = Drafter(encoder, settings.episodes, new_id)
        self._reflector = Reflector(encoder, settings.reflection, zone, new_id)
        self._queries: deque[tuple[datetime, NDArray[np.float32]]] = deque(maxlen=settings.queries)

    # Hot

    def heard(self, turn: Turn, conversation: str, consent: Consent, now: datetime) -> None:
        """A turn of the driver that is not forbidden."""
        if consent.conversations and silent(consent, now) is None:
            self.hot.heard(turn, conversation)
        else:
            self.hot.cut(conversation)

    def asked(self, query: str, consent: Consent, now: datetime) -> None:
        """What was just asked of memory, where pruning goes by it; its vector is at hand, since the search has made it."""
        by_relevance = self.settings.prune is Prune.RELEVANCE
        if by_relevance and consent.conversations and silent(consent, now) is None:
            self._queries.append((now, self._encoder.encode([query])[0]))

    def let_go_of_hot(self) -> None:
        """Something is being forgotten: nothing of it may wait here."""
        self.hot.forget()
        self._queries.clear()

    # Warm

    def drafts(self, exchanges: Iterable[Exchange], consent: Consent, now: datetime) -> tuple[Episode, ...]:
        """Episodes of exchanges that wait, by consent as it is now. Writes nothing.

        What also touches a category that is forbidden is let go, even if it is likelier about another.
        """
        drafts = self._drafter.draft(
            exchanges, lambda text: self._extractor.screen(text, consent, now).forbidden is None, self.archive.tags()
        )
        return tuple(e for e in drafts if all(consent.forbids(BY_DETAIL[d], now) is None for d in e.details))

    def keep(self, episodes: Sequence[Episode], now: datetime) -> None:
        """Store episodes, all or none.

        Raises:
            ConsentError: consent forbids one of them now.
        """
        with self.archive.transaction():
            for episode in episodes:
                self.archive.keep(episode, now)

    # Cold

    def snapshot(self, consent: Consent) -> Snapshot:
        """What post-thinking goes by."""
        fresh = self.archive.episodes(unreflected=True)
        newest = self.archive.episodes(newest=self.settings.reflection.window)
        both = {e.id: e for e in (*newest, *fresh)}
        episodes, thoughts = tuple(sorted(both.values(), key=lambda e: e.at)), self.archive.thoughts()
        near = set(both) if fresh else set[str]()
        return Snapshot(
            episodes=episodes,
            fresh=frozenset(e.id for e in fresh) if consent.conversations else frozenset(),
            thoughts=thoughts,
            profile=self.archive.profile(),
            preferences=self.store.preferences(history=True),
            sentences=self.store.sentences(),
            trips=self.archive.trips(),
            tags=self.archive.tags(),
            vectors=self.archive.vectors(near | {t.id for t in thoughts}),
        )

    def think(self, seen: Snapshot, consent: Consent, now: datetime) -> Reflection:
        """Plan post-thinking; writes nothing."""
        secret, declined = self.store.secret(), self.store.declined()

        def unwanted(kind: str, text: str) -> bool:
            until = None if secret is None else declined.get(_mark(secret, kind, text))
            return until is not None and until > now

        return self._reflector.plan(
            seen, now, allowed=lambda detail: consent.forbids(BY_DETAIL[detail], now) is None, unwanted=unwanted
        )

    def carry_out(self, plan: Reflection, now: datetime, consent: Consent) -> None:
        """Write what was planned, and the queries of this trip."""
        with self.archive.transaction():
            self._reflector.carry_out(plan, self.archive, now, keeps_conversations=consent.conversations)
            if consent.conversations and self._queries:
                self.archive.put_queries(self._queries, self.settings.queries, now)
                self._queries.clear()

    def unwant(self, memory: ProfileEntry | Thought, until: datetime) -> None:
        """Keep in mind, as a keyed hash, that the driver deleted this and does not want it made again until then."""
        secret = self.store.secret() or secrets.token_bytes(32)
        if isinstance(memory, ProfileEntry):
            mark = _mark(secret, "profile", memory.key)
        else:
            mark = _mark(secret, "thought", thought_key(memory.details, memory.text))
        self.store.decline(mark, until, secret)

    # Letting go

    def retention(self) -> RetentionSettings:
        """How long things are kept: as the driver chose, else as it is configured."""
        return chosen(self.store, self.settings)

    def over(self, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Ids of preferences, of memories of the tiers and of trips whose time is over."""
        settings, today = self.retention(), now.astimezone(self.zone).date()

        def before(days: int) -> Period:
            return Period(until=now - timedelta(days=days) + timedelta(seconds=1))

        old = today - timedelta(days=settings.summary_days - 1)
        tiers = (
            *retention.old_episodes(self.archive.episodes(before(settings.conversation_days)), now, settings),
            *retention.faded_thoughts(self.archive.thoughts(before(settings.thought_days)), now, settings),
            *retention.old_summaries(self.archive.summaries(until=old), today, settings),
        )
        preferences = retention.faded_preferences(self.store.preferences(history=True), now)
        return preferences, tiers, retention.old_trips(self.archive.trips(), now, self.zone, settings)

    def crowded_out(self) -> tuple[str, ...]:
        """Ids of the episodes for which there is no room."""
        pruning = self.settings
        if self.archive.count_episodes() <= pruning.capacity:
            return ()
        held = [Held(*worth) for worth in self.archive.worths()]
        ring = [vector for _, vector in (*self.archive.queries(), *self._queries)][-pruning.queries :]
        queries = np.stack(ring) if ring else np.zeros((0, self._encoder.dimension), np.float32)
        vectors = self.archive.vectors({one.id for one in held}) if len(queries) else {}
        stay = kept(held, vectors, queries, pruning)
        return tuple(one.id for one in held if one.id not in stay)


def _mark(secret: bytes, kind: str, text: str) -> str:
    return hmac.new(secret, f"{kind}\0{text}".encode(), hashlib.sha256).hexdigest()
