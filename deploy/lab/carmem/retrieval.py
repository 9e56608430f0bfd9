"""CarMem's retrieval protocol (arXiv 2501.09645, section 4.3): is the preference found that the next question needs?

Runs `memory.recall.preferences.PreferenceRanker` over each user's store of gold (`deploy.lab.carmem.store`), without threshold and
without naming categories. Stores are small, so the search is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deploy.lab.carmem.data import Item
from deploy.lab.carmem.extraction import NOW
from deploy.lab.carmem.parts import Parts
from deploy.lab.carmem.store import by_user, filled
from deploy.lab.report.blocks import Progress
from deploy.lab.report.statistics import Ratio, chance, hit
from memory.recall.cache import Entry, SearchCache, detail_bits
from memory.recall.decay import NEVER
from memory.recall.preferences import PreferenceRanker
from memory.store.searchable import preference_words
from schemas.memory import Kind

CUTS = ("n", "n1", "n2")
"""n: as many places as the user has preferences in the gold sub category; and one and two more."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Hits within each cut, what a random order would give, and what else stands there."""

    users: tuple[str, ...]
    """The user of each question."""
    hits: dict[str, Ratio]
    chances: dict[str, Ratio]
    subcategory_share: dict[str, Ratio]
    """Share of the entries within the cut that are of the gold sub category."""
    recalled: Ratio
    """Questions whose gold preference is above the threshold that the assistant uses."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One question."""

    hits: tuple[float, ...]
    chances: tuple[float, ...]
    shares: tuple[float, ...]
    recalled: bool


def retrieval(parts: Parts, items: Sequence[Item], tell: Progress, *, what: str) -> Retrieval:
    """Hits of the questions of these conversations among the preferences of these conversations."""
    ranker = PreferenceRanker(parts.encoder, 0.0)
    found: list[_Found] = []
    users: list[str] = []
    tell(what, 0, len(items))
    for user, own in by_user(items).items():
        cache = _searchable(parts, own)
        for item in own:
            found.append(_ask(ranker, cache, item, own, parts.settings.recall_at))
            users.append(user)
            tell(what, len(found), len(items))
    ones = (1.0,) * len(found)
    return Retrieval(
        users=tuple(users),
        hits={cut: Ratio(tuple(f.hits[k] for f in found), ones) for k, cut in enumerate(CUTS)},
        chances={cut: Ratio(tuple(f.chances[k] for f in found), ones) for k, cut in enumerate(CUTS)},
        subcategory_share={cut: Ratio(tuple(f.shares[k] for f in found), ones) for k, cut in enumerate(CUTS)},
        recalled=Ratio(tuple(float(f.recalled) for f in found), ones),
    )


def _searchable(parts: Parts, own: Sequence[Item]) -> SearchCache:
    """A user's store of gold as the vault's would be searched: just said, and surely."""
    held, cache, said = filled(parts, own), SearchCache(parts.encoder.dimension), NOW.timestamp()
    vectors = parts.encoder.encode([preference_words(p.detail, p.value, p.sentences[-1]) for p in held])
    cache.put([
        Entry(p.id, Kind.PREFERENCE, said, said, NEVER, 1.0, vector, details=detail_bits([p.detail]))
        for p, vector in zip(held, vectors, strict=True)
    ])  # fmt: skip
    return cache


def _ask(ranker: PreferenceRanker, cache: SearchCache, item: Item, own: Sequence[Item], threshold: float) -> _Found:
    ranked = ranker.ranked(cache, item.question, details=(), hidden=(), limit=len(own), now=NOW.timestamp())
    scores = dict(ranked)
    gold = scores.get(item.id, -1.0)
    others = [score for name, score in scores.items() if name != item.id]
    n = sum(other.gold.sub == item.gold.sub for other in own)
    sub_of = {other.id: other.gold.sub for other in own}
    subs = [sub_of[name] == item.gold.sub for name, _ in ranked]
    cuts = (n, n + 1, n + 2)
    return _Found(
        hits=tuple(hit(gold, others, cut) if item.id in scores else 0.0 for cut in cuts),
        chances=tuple(chance(len(own), cut) for cut in cuts),
        shares=tuple(sum(subs[:cut]) / max(len(subs[:cut]), 1) for cut in cuts),
        recalled=gold >= threshold,
    )
