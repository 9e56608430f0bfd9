"""Forgetting, and showing that it is forgotten.

Owns what happens to what `memory.rights.selection` has chosen: preferences with their history and sentences, waiting turns and open
proposals, the tiers with what was made of them (`memory.rights.provenance`), the words of what is erased in the
sentences of preferences that stay, grown tags, the searchable copy, backups, and with everything timers and reminders.
Then looks for it: in every table, in the searchable copy, and byte by byte in every file of the data folder, which also
shows that nothing there is in clear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from memory.rights import provenance as lineage
from memory.rights.selection import Chosen
from memory.store import reminders as notices
from memory.store.conversations import TABLES, Archive
from memory.store.preferences import Store
from memory.store.withheld import Withholding
from memory.store.words import Needles, sentences_telling, still_told
from models.text import words
from schemas.memory import Kind, Period, Receipt

EVERYTHING = "everything"

SHORTEST_NEEDLE = 5
"""Bytes from which on a value is looked for in files: shorter ones turn up in ciphertext by chance (four bytes once in 4 GB,
so a vault of some megabytes about once in a thousand; five never to speak of). Sentences are always longer."""

FEW_NEEDLES = 40
"""Up to so many needles, looking for each is quicker: a megabyte is searched for one in about a millisecond."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Gone:
    """What an erasure took, and what it has to be looked for by."""

    ids: tuple[str, ...]
    """Of preferences and of memories of the tiers."""
    kinds: Mapping[Kind, int]
    values: frozenset[str]
    traces: frozenset[str]
    """Sentences that may stand nowhere any more."""


def erase(store: Store, archive: Archive, withholding: Withholding, found: Chosen, *, everything: bool = False) -> Gone:
    """Erase what was chosen, in the transaction in which it was chosen.

    Args:
        store: the preferences' tables.
        archive: the tiers' tables.
        withholding: what is withheld: it goes from there, too.
        found: what goes.
        everything: the driver wants nothing left: marks of what was declined, tags and trips go, too.
    """
    values, traces = found.values(), found.told()
    store.erase("preferences", found.preferences)
    store.erase("proposals", found.proposals)
    store.erase("turns", found.turns)
    store.erase("sentences", found.sentences)
    notices.erase(store, found.notices)
    fallout = lineage.forget(archive, store, found.ids)
    archive.delete_lines(key for table, key in found.archive if table == "summary_lines")
    _blot(store, found)
    store.hush_conditions(Needles([*values, *traces]).stand_in)
    values_left = Needles(values)
    for tag in archive.tags():
        if values_left.stand_in(tag.replace("_", " ")):
            archive.untag(tag)
    withholding.forget(found.named)
    if everything:
        store.forget_declined()
        store.empty("trips", "tags", "queries", "vectors", "withheld")
    kinds = Counter(fallout.erased.values())
    if found.preferences:
        kinds[Kind.PREFERENCE] += len(found.preferences)
    return Gone(
        ids=tuple(dict.fromkeys((*found.preferences, *fallout.erased))),
        kinds=kinds,
        values=values,
        traces=traces,
    )


def verified(store: Store, found: Chosen, gone: Gone, folder: Path | None) -> bool:
    """Whether nothing of it is left in any table, nor in clear in any file of the data folder."""
    needles = found.words() | gone.values | {p.value for p in (*found.preferences.values(), *found.proposals.values())}
    return (
        not _left(store, gone.ids, found)
        and not still_told(store, gone.traces, Needles(gone.values))
        and not (folder and found_in_files(folder, needles))
    )


def receipt(found: Chosen, gone: Gone, now: datetime, *, backups: int, verified: bool) -> Receipt:
    """What the driver is told.

    Args:
        found: what was chosen.
        gone: what went.
        now: when.
        backups: how many backups and exports went with it.
        verified: whether nothing of it was found anywhere afterwards.
    """
    return Receipt(
        erased=gone.ids,
        categories=tuple(sorted({p.category.key for p in (*found.preferences.values(), *found.proposals.values())})),
        at=now,
        turns_erased=len(found.turns),
        proposals_erased=len(found.proposals),
        sentences_erased=len(found.sentences),
        timers_erased=found.waiting("timer"),
        reminders_erased=found.waiting("reminder"),
        kinds=dict(gone.kinds),
        period=Period(since=min(found.times), until=max(found.times) + timedelta(microseconds=1))
        if found.times
        else None,
        backups_erased=backups,
        verified=verified,
    )


def _left(store: Store, ids: Sequence[str], found: Chosen) -> bool:
    """Whether any of these memories is still stored."""
    asked = [*ids, *found.proposals]
    return (
        any(store.holds(table, asked) for table in dict.fromkeys(("proposals", *TABLES.values())))
        or notices.left(store, found.notices)
        or store.holds("vectors", asked, "memory")
        or store.holds("sentences", found.sentences)
    )


def found_in_files(folder: Path, needles: Iterable[str]) -> tuple[Path, ...]:
    """The files under a folder that hold any of these texts in clear.

    Any file is searched in UTF-8 and UTF-16 and in the usual cases, a vault only for the texts as they were written: were its
    pages not encrypted, they would stand there so.
    """
    wanted = _fewest(needles)
    written, any_way = set[bytes](), set[bytes]()
    for needle in wanted:
        written.add(needle.encode("utf-8"))
        for text in (needle, needle.lower(), needle.upper(), needle.capitalize(), needle.title()):
            any_way |= {text.encode("utf-8"), text.encode("utf-16-le"), text.encode("utf-16-be")}
    found = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _holds(path, _by_start(written if _of_a_vault(path) else any_way))
    )
    return tuple(found)


def _fewest(needles: Iterable[str]) -> list[str]:
    """The needles that are long enough to be looked for, without those that hold a shorter one: they are found by that."""
    kept: list[str] = []
    for needle in sorted({n for n in needles if len(n.encode("utf-8")) >= SHORTEST_NEEDLE}, key=len):
        if len(kept) > FEW_NEEDLES or not any(short in needle for short in kept):
            kept.append(needle)
    return kept


def _of_a_vault(path: Path) -> bool:
    """Whether a file is a vault, its write-ahead log or a copy of it, by its name."""
    return any(part in (".vault", ".backup") for part in Path(path.name.removesuffix("-wal")).suffixes)


def _by_start(wanted: Iterable[bytes]) -> dict[int, list[bytes]]:
    by_start: dict[int, list[bytes]] = {}
    for needle in wanted:
        if len(needle) >= SHORTEST_NEEDLE:
            by_start.setdefault(int.from_bytes(needle[:SHORTEST_NEEDLE], "little"), []).append(needle)
    return by_start


def _holds(path: Path, by_start: Mapping[int, Sequence[bytes]]) -> bool:
    """Looks for a few needles one by one, and compares every position's first bytes with many needles at once."""
    needles = [needle for found in by_start.values() for needle in found]
    if not needles:
        return False
    overlap = max(map(len, needles)) - 1
    with path.open("rb") as file:
        tail = b""
        while block := file.read(_BLOCK):
            data = tail + block
            if len(needles) <= FEW_NEEDLES:
                if any(needle in data for needle in needles):
                    return True
            elif _holds_any(data, by_start):
                return True
            tail = data[-overlap:]
    return False


def _holds_any(data: bytes, by_start: Mapping[int, Sequence[bytes]]) -> bool:
    """Whether any needle stands there: where two bytes may begin one, which ciphertext seldom has, the next are looked at."""
    view = np.frombuffer(data, np.uint8)
    last = len(view) - SHORTEST_NEEDLE + 1
    if last <= 0:
        return False
    may_begin = np.zeros(1 << 16, bool)
    may_begin[[start & 0xFFFF for start in by_start]] = True
    pairs = view[:last] | (view[1 : last + 1].astype(np.uint16) << 8)
    at = np.flatnonzero(may_begin[pairs])
    here = np.zeros(len(at), np.uint64)
    for place in range(SHORTEST_NEEDLE):
        here |= view[at + place].astype(np.uint64) << np.uint64(8 * place)
    found = np.isin(here, np.array(list(by_start), np.uint64))
    return any(
        data.startswith(needle, position)
        for position, start in zip(at[found].tolist(), here[found].tolist(), strict=True)
        for needle in by_start[start]
    )


def _blot(store: Store, found: Chosen) -> None:
    """Take the erased values out of the sentences of preferences that stay."""
    values, mine = sorted(found.values(), key=len, reverse=True), found.told()
    needles = Needles([*values, *mine])
    for sentence in sentences_telling(store, needles):
        left = sentence
        for value in values if needles.stand_in(sentence) else ():
            left = blotted(left, value)
        if left == sentence and sentence in mine:
            left = ""  # it revealed the erased one in other words, so none of it may stay
        if left != sentence:
            store.replace_sentence(sentence, left)


def blotted(sentence: str, value: str) -> str:
    """A sentence with three dots where the words of a value stood."""
    parts = words(value)
    if not parts:
        return sentence
    pattern = r"[^\w']+".join(re.escape(part) for part in parts)
    return re.sub(rf"(?<![\w']){pattern}(?!\w)", "...", sentence, flags=re.IGNORECASE)
