"""Search over everything that is remembered: preferences, episodes, summaries, thoughts, events, the profile.

Owns the order, and keeping the searchable copy (`memory.recall.cache`) true to the vault.

Memories are ordered by nearness x decay x importance. Nearness joins two measures: the cosine of its vector with the
question's, and the share of the question's words that it says, rare ones counting more (`memory.recall.lexical`); an
exchange is also borne up by those before and after it in the conversation, since an answer often stands beside the
words that were asked for. Which of them answer the question, a small model tells of each by itself (`memory.recall.answering`;
CAIM's check of what was retrieved, arXiv 2505.13044, there by a language model). Of the nearest that stand alone a branch of the
encoder that reads question and memory side by side has a say, too (``models.training.answers``); of exchanges, which have company,
how much of the talk is near (`company`). If none answers, nothing is recalled, which is the usual case.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from memory.recall.answering import features, sureness
from memory.recall.cache import KINDS, SearchCache, detail_bits
from memory.recall.exact import NONE, Floats, Rows
from memory.recall.lexical import asked, numbers, stems
from memory.recall.preferences import RECALL_AT, PreferenceRanker
from memory.recall.times import of_talk, without
from memory.recall.vectors import Vectors
from memory.settings import RecallSettings
from memory.store import tags as ontology
from memory.store.searchable import Searchable
from memory.vault.lifecycle import Vault
from models.text import spoken
from schemas.errors import MemoryStoreError
from schemas.memory import Found, Kind, Period
from schemas.ports import Encoder

POOL = 64
"""Nearest by vector, of each kind, and best by words, whose scores are worked out: the rest of the score can change the order
among those only."""
LINKED = 5
"""Best of them whose links are followed."""
TALK = (Kind.EPISODE, Kind.SUMMARY)
"""What has company: an exchange about a thing seldom stands alone."""
COMPANY = 5
"""Nearest of them whose mean is part of `company`."""
AT_ONCE = 64
"""Memories that are encoded before a search goes on (some 0.4 s); more wait for the background."""
WHOLE = 1.0 - 1e-4
"""Share of a question's words that a fact says with all of them: it was asked to be kept, so it is found however unsure it is."""
ASKED_AT, ASKED = 0.1, 3
"""How sure it has to be of what stands alone that the encoder is asked whether it answers, and of how many, the nearest: each took
some 8 ms beside other work (docs/log.md, 2026-11-27)."""
STEP = 16
"""Memories that the background encodes between two looks at whether it is to end."""
WORDS_DOUBT = 1.0
"""So many rare words are added to the question, unsaid: one common word that is found again says little. This and the following
were chosen on LoCoMo's and GVD's development data (docs/log.md)."""
LENGTH_WEIGHT = 0.3
"""How much a long memory's share of words is worth less: BM25's ``b``."""
PERIOD_WEIGHT = 0.1
"""What being said in the time of which a question speaks adds, or up to `PERIOD_DAYS` later: where the question speaks of
when something happened. Where it speaks of when something was said, nothing else is looked at."""
PERIOD_DAYS = 7.0
"""Days after that time that count as it, too."""
_DAY = 86_400.0

Allowed = NDArray[np.bool_]
"""For every row whether it may be found."""


class SearchTuning(RecallSettings):
    """What can be configured, and the parts of the score that the laboratory leaves out one by one (`deploy.lab.recall.locomo`).

    Chosen on LoCoMo's and GVD's development data (docs/log.md).
    """

    words_weight: float = Field(default=1.0, ge=0.0)
    """Weight of the share of words beside the cosine. 0: cosine alone."""
    before_weight: float = Field(default=0.3, ge=0.0)
    """What the nearness of the exchange before adds."""
    after_weight: float = Field(default=0.2, ge=0.0)
    """What the nearness of the exchange after it adds."""
    tag_weight: float = Field(default=0.05, ge=0.0)
    """What having a tag of the question adds."""
    told_at: float = Field(default=0.8, ge=0.0, le=1.0)
    """How sure it has to be that an exchange answers the question by itself, where the talk is not near enough (`company`)."""
    links: bool = True
    """Whether what the best are linked with is looked at, too."""


class Near(NamedTuple):
    """Rows that may matter for a question."""

    rows: Rows
    nearness: Floats
    sureness: Floats
    """How sure it is that they answer it, each by itself."""
    passes: Allowed
    """For each of them whether it may be told: it is sure enough, or one of a conversation that is."""

    def joined(self, other: Near) -> Near:
        """With the rows of another search of the same question, and what that lets pass."""
        both = Near(
            np.concatenate([other.rows, self.rows]),
            np.concatenate([other.nearness, self.nearness]),
            np.concatenate([other.sureness, self.sureness]),
            np.concatenate([other.passes, self.passes]),
        )
        order = np.lexsort((~both.passes, both.rows))  # of one row that passes and does not, the one that does
        return both.only(order[np.unique(both.rows[order], return_index=True)[1]])

    def only(self, which: Rows | Allowed) -> Near:
        """Those at these places."""
        return Near(self.rows[which], self.nearness[which], self.sureness[which], self.passes[which])

    def raised(self, by: NDArray[np.floating]) -> Near:
        """With something added for every row."""
        return self._replace(nearness=(self.nearness + by[self.rows]).astype(np.float32))


class HybridSearch:
    """Everything that is remembered in one vault, to be searched. Safe for use by several threads."""

    def __init__(
        self,
        vault: Vault,
        encoder: Encoder,
        settings: SearchTuning | None = None,
        recall_at: float = RECALL_AT,
    ) -> None:
        """Reads what the vault keeps for search; what lacks a vector is encoded, much of it in the background.

        Args:
            vault: the open vault.
            encoder: for what is remembered and what is asked.
            settings: what is let through, and the weights of the score.
            recall_at: score from which on a preference is recalled.
        """
        self.settings = settings or SearchTuning()
        self._encoder, self._ranker = encoder, PreferenceRanker(encoder, recall_at)
        self.tables = Searchable(vault)
        self.vectors = Vectors(self.tables, encoder)
        self.cache = SearchCache(encoder.dimension)
        self._lock = threading.RLock()
        self._ending = threading.Event()
        self._worker: threading.Thread | None = None
        for entries in self.vectors.entries():
            self.cache.put(entries)
        self._mend()

    # Keeping true to the vault

    def keep(self) -> None:
        """Encode and store what the memories lack that the present transaction has written: so both are stored or neither."""
        names = self.tables.touched()
        if 0 < len(names) <= AT_ONCE:
            self.vectors.keep(names)

    def refresh(self) -> None:
        """Bring the searchable copy up to what is stored."""
        with self._lock:
            names = self.tables.touched()
            if names:
                self.tables.seen(names)
                if len(names) <= AT_ONCE:
                    self.vectors.keep(names)
                self._reread(names)
                self._mend()

    def _reread(self, names: Collection[str]) -> None:
        entries = [entry for piece in self.vectors.entries(names) for entry in piece]
        self.cache.drop(set(names) - {entry.id for entry in entries})
        self.cache.put(entries)

    def _mend(self) -> None:
        """Encode the little that is missing; leave much of it, and graphs, to the background."""
        missing = self.cache.missing
        if 0 < len(missing) <= AT_ONCE:
            self.vectors.keep(missing)
            self._reread(missing)
            missing = ()
        busy = self._worker is not None and self._worker.is_alive()
        if not busy and (missing or self.cache.outgrown):
            self._worker = threading.Thread(target=self._work, name="memory search", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        with contextlib.suppress(
            MemoryStoreError
        ):  # closed, or full: what is missing is made up for at the next opening
            while not self._ending.is_set():
                with self._lock:
                    missing = self.cache.missing[:STEP]
                    if not missing:
                        break
                    self.vectors.keep(missing)
                    self._reread(missing)
        self.cache.grow(self._ending)

    def settle(self) -> None:
        """Wait until the background has nothing left to do."""
        if self._worker is not None:
            self._worker.join()

    def close(self) -> None:
        """End the background and hold nothing any more."""
        self._ending.set()
        self.settle()
        self.cache.clear()

    # Searching

    def search(
        self, query: str, *, kinds: Collection[Kind] = (), tags: Collection[str] = (), period: Period | None = None,
        details: Collection[str] = (), hidden: Collection[str] = (), limit: int = 5, now: datetime,
    ) -> tuple[Found, ...]:  # fmt: skip
        """What matters for the question, best first; usually nothing.

        Args:
            query: what was asked; where it names nothing but a time, summaries and exchanges of that time are listed.
            kinds: only these; empty for all, as with all that follow.
            tags: with one of these tags.
            period: said in this time; one that was read from the question's own words counts for what happened then, too, unless
                the question is of the talk itself (`memory.recall.times.of_talk`).
            details: about one of these detail keys.
            hidden: about none of these detail keys.
            limit: at most so many.
            now: for decay.
        """
        if (not query.strip() and period is None) or (details and not detail_bits(details)):
            return ()
        self.refresh()
        vector = self._encoder.encode([query])[0]
        hides = detail_bits(hidden)
        listed = period is not None and not says_what(query, period)
        loose = period is not None and bool(period.words) and not listed and not of_talk(query)
        with self.cache.lock:
            among = self.cache.allowed(
                kinds, tags=tags, within=None if loose else _seconds(period), details=detail_bits(details), hidden=hides
            )
            if not among.any():
                return ()
            if listed:
                return self._found(self._of_the_time(among, limit), tags, kinds, query)
            near = self._near(
                query, vector, among, kinds, hides, named=bool(tags) or (period is not None and not loose)
            )
            if loose and period is not None:
                during = among & self._said(period, 0.0)
                if during.any():
                    near = near.joined(self._near(query, vector, during, kinds, hides, named=True))
                near = near.raised(PERIOD_WEIGHT * self._said(period, PERIOD_DAYS))
            chosen = self._chosen(near, limit, now.timestamp())
            found_kinds = {KINDS[self.cache.columns["kind"][self.cache.row(name)]] for name, _ in chosen}
        return self._found(chosen, tags, found_kinds, query)

    def preferences(
        self, query: str, *, details: Collection[str] = (), hidden: Collection[str] = (), limit: int, now: datetime
    ) -> list[tuple[str, float]]:
        """Ids of the preferences that matter for a query with their scores, as `memory.recall.preferences` orders them."""
        self.refresh()
        with self.cache.lock:
            return self._ranker.ranked(
                self.cache, query, details=details, hidden=hidden, limit=limit, now=now.timestamp()
            )

    def nearest(self, text: str, limit: int) -> frozenset[str]:
        """Ids of the memories of any kind whose vectors are nearest to a text, whether or not they may be recalled."""
        self.refresh()
        vector = self._encoder.encode([text])[0]
        with self.cache.lock:
            among = self.cache.allowed()
            rows = self.cache.nearest(vector, limit, among)
            order = np.argsort(-self.cache.cosines(vector, rows))[:limit]
            return frozenset(self.cache.id(int(row)) for row in rows[order])

    def _of_the_time(self, among: Allowed, limit: int) -> list[tuple[str, float]]:
        """Summaries, oldest first, then what was said, what matters most first: only the time was asked for."""
        columns = self.cache.columns
        rows = np.flatnonzero(among)
        days = columns["kind"][rows] == KINDS.index(Kind.SUMMARY)
        said = columns["kind"][rows] == KINDS.index(Kind.EPISODE)
        days, said = rows[days], rows[said]
        days = days[np.argsort(columns["at"][days], kind="stable")]
        said = said[np.lexsort((columns["at"][said], -columns["weight"][said]))]
        listed = np.concatenate([days, said])[:limit]
        return [(self.cache.id(int(row)), float(columns["weight"][row])) for row in listed]

    def _said(self, period: Period, days: float) -> Allowed:
        """For every row whether it was said in this time, or so many days later."""
        since, until = _seconds(period) or (-np.inf, np.inf)
        at = self.cache.columns["at"][: self.cache.rows]
        return (at >= since) & (at < until + days * _DAY)

    def _near(
        self, query: str, vector: Floats, among: Allowed, kinds: Collection[Kind], hidden: int, *, named: bool
    ) -> Near:
        """Rows that may matter with their nearness, and how sure it is that they answer; ``named``: their time or tag was."""
        cache, settings = self.cache, self.settings
        shares = word_shares(cache, query)
        visible = cache.allowed(hidden=hidden) if hidden else cache.columns["alive"][: cache.rows]
        near = cache.nearest(vector, POOL, among, kinds)
        spoken = np.flatnonzero((shares > 0) & among)
        if len(spoken) > POOL:
            spoken = spoken[np.argpartition(-shares[spoken], POOL)[:POOL]]
        first = np.union1d(near, spoken)
        rows = np.union1d(first, _known(cache.columns["before"][first], cache.columns["after"][first]))
        rows = rows[among[rows]]
        bits = cache.tagged(ontology.tags(query))
        nearness, cosines = self._nearness(rows, vector, shares, visible, bits)
        if settings.links and len(rows):
            best = rows[np.argsort(-nearness)[:LINKED]]
            others = self.tables.links([cache.id(int(row)) for row in best])
            linked = np.array([cache.row(name) for name in others], np.int64)
            linked = np.setdiff1d(linked[linked != NONE], rows)
            linked = linked[among[linked]]
            if len(linked):
                rows = np.concatenate([rows, linked])
                theirs, their_cosines = self._nearness(linked, vector, shares, visible, bits)
                nearness, cosines = np.concatenate([nearness, theirs]), np.concatenate([cosines, their_cosines])
        sure = sureness(
            features(cosines, shares[rows], own_nearness(cosines, shares[rows], settings), len(asked(query)))
        )
        talk = np.isin(cache.columns["kind"][rows], [KINDS.index(kind) for kind in TALK])
        sure = self._agreed(query, rows, nearness, sure, ~talk)
        gate = settings.gate_named_at if named else settings.gate_at
        spoken_of = company(nearness[talk], float(cosines[talk].max(initial=0.0)), named=named) >= gate
        whole = cache.postings.shares(numbers(asked(query)), cache.rows, len(cache))[rows] >= WHOLE
        kept = (cache.columns["kind"][rows] == KINDS.index(Kind.FACT)) & whole
        alone = (sure >= settings.answers_at) | kept
        return Near(rows, nearness, sure, np.where(talk, spoken_of | (sure >= settings.told_at), alone))

    def _agreed(self, query: str, rows: Rows, nearness: Floats, sure: Floats, alone: Allowed) -> Floats:
        """How sure it is that each answers, once the encoder was asked of the nearest that stand alone: both log odds, averaged."""
        places = np.flatnonzero(alone & (sure >= ASKED_AT))
        places = places[np.argsort(-nearness[places], kind="stable")][:ASKED]
        if not len(places):
            return sure
        cache, both = self.cache, sure.copy()
        names = {cache.id(int(rows[place])): int(place) for place in places}
        texts = self.tables.texts(tuple(names), {KINDS[cache.columns["kind"][rows[place]]] for place in places})
        for name, place in names.items():
            odds = self._encoder.answers(spoken(query), texts[name].text) if name in texts else None
            if odds is not None:
                own = min(max(float(sure[place]), 1e-6), 1.0 - 1e-6)
                both[place] = 1.0 / (1.0 + np.exp(-(np.log(own / (1.0 - own)) + odds) / 2.0))
        return both

    def _nearness(
        self, rows: Rows, vector: Floats, shares: Floats, visible: Allowed, bits: NDArray[np.uint64]
    ) -> tuple[Floats, Floats]:
        """How near these rows are to the question, 0..1, and their vectors' cosines with it."""
        cache, settings = self.cache, self.settings
        before, after = cache.columns["before"][rows], cache.columns["after"][rows]
        every = np.union1d(rows, _known(before, after))
        own = np.zeros(cache.rows + 1, np.float32)  # the last is that of no row
        cosines = np.maximum(cache.cosines(vector, every), 0.0)
        own[every] = own_nearness(cosines, shares[every], settings)
        own[every[~visible[every]]] = 0.0
        nearness = own[rows] + settings.before_weight * own[before] + settings.after_weight * own[after]
        nearness += settings.tag_weight * ((cache.columns["tags"][rows] & bits) != 0).any(axis=1)
        return np.minimum(nearness, 1.0).astype(np.float32), cosines[np.searchsorted(every, rows)]

    def _chosen(self, near: Near, limit: int, now: float) -> list[tuple[str, float]]:
        """The best of those that pass, with how sure it is that they answer x decay x importance."""
        near = near.only(near.passes)
        rows = near.rows
        kept = self.cache.kept(rows, now) if self.settings.decays else self.cache.columns["weight"][rows]
        order = np.lexsort((rows, -near.nearness * kept))[:limit]
        return [(self.cache.id(int(rows[at])), float(near.sureness[at] * kept[at])) for at in order]

    def _found(
        self, chosen: Sequence[tuple[str, float]], tags: Collection[str], kinds: Collection[Kind], query: str
    ) -> tuple[Found, ...]:
        texts, about = self.tables.texts([name for name, _ in chosen], kinds), frozenset(asked(query))
        found = (
            texts[name].model_copy(
                update={"score": min(score, 1.0), "whole": about <= frozenset(stems(texts[name].text))}
            )
            for name, score in chosen
            if name in texts
        )
        return tuple(one for one in found if not tags or set(tags) & set(one.tags))


TALKING = frozenset(
    stems(
        "talk talked talking speak spoke spoken say said saying tell told discuss discussed chat chatted conversation mention "
        "mentioned ask asked thing things stuff happen happened do did done remember last anything something car"
    )
)
"""Words of a question about a time that do not say what it is about: "what did we talk about yesterday"."""


def says_what(query: str, period: Period) -> bool:
    """Whether a question says more than a time: what about."""
    return any(one not in TALKING for one in asked(without(query, period)))


def company(nearness: Floats, cosine: float, *, named: bool) -> float:
    """How sure it is that something was talked of, 0..1, by how much of the talk is near.

    The mean of the nearest five counts beside the best cosine. Within a named period or tag there is little to choose from, and
    that it was named tells something already: the nearest counts. Of the measures tried on GVD's development questions, own
    against those asked of another's memory, these part them best; what stands alone they let pass in 3 to 16 of 100 cases, so
    `memory.recall.answering` judges it by itself (docs/log.md).

    Args:
        nearness: of the exchanges that may matter; decay is left out, what is old may be meant all the same.
        cosine: the highest of their vectors with the question's.
        named: whether a period or tags were given.
    """
    if not len(nearness):
        return 0.0
    nearest = -np.sort(-nearness)[:COMPANY]
    return float(nearest[0]) if named else (max(cosine, 0.0) + float(nearest.mean())) / 2.0


def word_shares(cache: SearchCache, query: str) -> Floats:
    """For every row the share of the question's words that it says, long memories' worth less."""
    shares = cache.postings.shares(numbers(asked(query)), cache.rows, len(cache), WORDS_DOUBT)
    length = cache.columns["length"][: cache.rows] / cache.mean_length
    return (shares / np.maximum(1.0 + LENGTH_WEIGHT * (length - 1.0), 0.1)).astype(np.float32)


def own_nearness(cosines: Floats, shares: Floats, settings: SearchTuning) -> Floats:
    """How near memories are to a question by themselves, 0..1: cosine and words."""
    joined = np.maximum(cosines, 0.0) + settings.words_weight * shares
    return np.asarray(joined / (1.0 + settings.words_weight), np.float32)


def _known(*rows: NDArray[np.integer]) -> Rows:
    """All of these but `NONE`."""
    every = np.concatenate(rows).astype(np.int64)
    return every[every != NONE]


def _seconds(period: Period | None) -> tuple[float, float] | None:
    if period is None:
        return None
    since = -np.inf if period.since is None else period.since.timestamp()
    until = np.inf if period.until is None else period.until.timestamp()
    return float(since), float(until)
