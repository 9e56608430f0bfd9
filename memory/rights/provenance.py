"""What was made of what: which memories derive from others, and what becomes of them when those are forgotten.

Two ways in which a memory goes. *Forgotten*, because the driver wants so: whatever was made of it goes too, unless memories
that stay bear out every word of it. *Let go*, because its time is over or there is no room: what was made of it stays, that
is what cold memory is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.store.conversations import Archive
from memory.store.preferences import Store
from memory.store.tags import SEEDS, content, title
from schemas.memory import Kind


@dataclass(frozen=True, slots=True)
class Fallout:
    """What went, and what was changed with it."""

    erased: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    """Id -> kind of every memory of the tiers that is gone."""
    changed: tuple[str, ...] = ()
    """Ids of summaries that lost lines and of thoughts and profile entries that lost sources, and stay."""


def forget(archive: Archive, store: Store, ids: Iterable[str]) -> Fallout:
    """Delete memories of the tiers because the driver wants so, with all that rests on them; preferences only count as sources.

    To be called before the preferences among ``ids`` are erased from the store, or after; both in one transaction. A summary
    loses their lines. A thought or a profile entry stays only if each of its words stands in a source that stays; one that
    the driver wrote stays. Vectors, links and queries go along, and so do tags that nothing has any more.

    Args:
        archive: the tiers' tables.
        store: the preferences, as sources.
        ids: episodes, thoughts, summaries, profile entries and preferences that are forgotten.
    """
    named = tuple(dict.fromkeys(ids))
    with archive.transaction():
        gone = set(named)
        erased = archive.delete(named)
        changed: list[str] = []
        edge = named
        while edge:
            resting = [name for name in archive.resting_on(edge) if name not in gone]
            changed += archive.delete_lines(edge)
            unsupported = _unsupported(archive, store, resting, gone)
            changed += [name for name in resting if name not in unsupported]
            archive.forget_sources(edge)
            gone.update(unsupported)
            erased.update(archive.delete(unsupported))
            edge = unsupported
        left = archive.kinds(dict.fromkeys(changed))
        erased.update({name: Kind.SUMMARY for name in changed if name not in left and name not in erased})
        store.empty("queries")  # what was asked may hold what is being forgotten
        archive.prune_tags()
    return Fallout(erased, tuple(name for name in dict.fromkeys(changed) if name in left))


def _unsupported(archive: Archive, store: Store, resting: Iterable[str], gone: set[str]) -> tuple[str, ...]:
    """Of these thoughts and profile entries those that the sources that stay do not bear out."""
    wanted = set(resting)
    if not wanted:
        return ()
    thoughts = archive.thoughts()
    made = {t.id: (t.text, t.sources) for t in thoughts if t.id in wanted}
    made |= {e.id: (e.value, e.sources) for e in archive.profile() if not e.edited and e.id in wanted}
    needed = {source for _, sources in made.values() for source in sources} - gone
    if not needed:
        return tuple(made)
    texts = {e.id: f"{e.driver} {e.assistant}" for e in archive.episodes(ids=needed)}
    texts |= {p.id: " ".join((p.value, *p.sentences)) for p in store.preferences(history=True) if p.id in needed}
    texts |= {t.id: t.text for t in thoughts}
    return tuple(
        name for name, (text, sources) in made.items()
        if not borne_out(text, [texts[s] for s in sources if s in texts and s not in gone])
    )  # fmt: skip


def borne_out(text: str, sources: Iterable[str]) -> bool:
    """Whether every word of a text that says something stands in a source or is fixed wording; never without a source."""
    said = list(sources)
    held = {word for source in said for word in content(source)}
    return bool(said) and all(word in held or word in FIXED for word in content(text))


FRAME = """often asks for speaks of in the mornings around midday afternoons evenings at night on weekdays weekends brief full
polite"""
"""The wording around what was said, in thoughts and profile entries."""

FIXED: frozenset[str] = frozenset(content(" ".join((FRAME, *map(title, SEEDS)))))
"""Words that our own wording puts there."""
