"""Forgetting, and showing that it is forgotten.

Owns what goes with a preference when it is erased: its history, its sentences, waiting turns and open proposals that hold it,
its words in other preferences' sentences; the same for an open proposal. Then looks for it: in the tables, in the searchable
copy, and byte by byte in every file of the data folder, which also shows that nothing there is in clear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from memory.consent import categories
from memory.retrieval import Retriever
from memory.store import Store
from memory.values import fold, is_closed
from memory.wording import contains, words
from schemas.errors import UnknownEntryError
from schemas.memory import Preference, Proposal, Receipt

EVERYTHING = "everything"

SHORTEST_NEEDLE = 5
"""Bytes from which on a value is looked for in files: shorter ones turn up in ciphertext by chance (four bytes once in 4 GB,
so a vault of some megabytes about once in a thousand; five never to speak of). Sentences are always longer."""

FEW_NEEDLES = 40
"""Up to so many needles, looking for each is quicker: a megabyte is searched for one in about a millisecond."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Gone:
    """What a preference or a proposal that goes has told."""

    detail: str
    value: str
    sentences: tuple[str, ...]


def forget(store: Store, retriever: Retriever, folder: Path, key: str, now: datetime, *,
           about: Callable[[str], str | None]) -> Receipt:  # fmt: skip
    """Erase a preference or an open proposal by id, a category by key, or everything, and verify it.

    Args:
        store: the tables.
        retriever: the searchable copy.
        folder: the data folder, searched afterwards.
        key: the id of a preference or a proposal, a main, sub or detail key, or `EVERYTHING`.
        now: for the receipt.
        about: the detail key that a waiting turn is most likely about, or None.

    Raises:
        UnknownEntryError: nothing has that id or key.
    """
    stored = {p.id: p for p in store.preferences(history=True)}
    proposed = {p.id: p for p in store.proposals()}
    whole: frozenset[str] = frozenset()
    if key == EVERYTHING:
        ids = tuple(stored)
    elif key in stored:
        ids = (key, *store.history_of(key))
    elif key in proposed:
        ids = ()
    else:
        try:
            whole = frozenset(c.detail for c in categories(key))
        except UnknownEntryError:
            raise UnknownEntryError(
                f"nothing is remembered under {key[:80]!r}: give the id of a preference, a category's key, or {EVERYTHING}"
            ) from None
        ids = tuple(name for name, p in stored.items() if p.detail in whole)
    erased = frozenset(ids)
    named = [p for name, p in proposed.items() if key in (EVERYTHING, name) or p.detail in whole]
    gone = [_Gone(p.detail, p.value, p.sentences) for p in (stored[name] for name in ids)]
    gone += [_Gone(p.detail, p.value, (p.sentence,)) for p in named]
    asked = named + [p for p in proposed.values() if p not in named and _proposes(p, gone, about)]
    sentences = {sentence for one in gone for sentence in one.sentences}
    turns = [
        (number, text) for number, text in store.turns()
        if key == EVERYTHING or text in sentences or _tells(text, gone, whole, about)
    ]  # fmt: skip
    with store.transaction():
        store.erase(ids)
        store.erase_proposals([p.id for p in asked])
        store.erase_turns([number for number, _ in turns])
        if key == EVERYTHING:
            store.forget_declined()
        touched = _blot(store, gone, [p for name, p in stored.items() if name not in erased])
    retriever.drop(ids)
    if touched:
        retriever.put(p for p in store.preferences() if p.id in touched)
    wiped = store.wiped()
    traces = sentences | {text for _, text in turns}
    needles = traces | {one.value for one in (*gone, *asked)} | {p.sentence for p in asked}
    verified = (
        wiped
        and not store.known([*ids, *(p.id for p in asked)])
        and not (set(store.words()) & traces)
        and not retriever.holds(ids, traces)
        and not found_in_files(folder, needles)
    )
    return Receipt(
        erased=ids,
        categories=tuple(sorted({p.category.key for p in (*(stored[name] for name in ids), *asked)})),
        at=now,
        turns_erased=len(turns),
        proposals_erased=len(asked),
        verified=verified,
    )


def found_in_files(folder: Path, needles: Iterable[str]) -> tuple[Path, ...]:
    """The files under a folder that hold any of these texts in clear (UTF-8 or UTF-16, in the usual cases)."""
    wanted: set[bytes] = set()
    for needle in needles:
        for text in (needle, needle.lower(), needle.upper(), needle.capitalize(), needle.title()):
            wanted |= {text.encode("utf-8"), text.encode("utf-16-le"), text.encode("utf-16-be")}
    by_start: dict[int, list[bytes]] = {}
    for needle in wanted:
        if len(needle) >= SHORTEST_NEEDLE:
            by_start.setdefault(int.from_bytes(needle[:SHORTEST_NEEDLE], "little"), []).append(needle)
    if not by_start:
        return ()
    return tuple(path for path in sorted(folder.rglob("*")) if path.is_file() and _holds(path, by_start))


def _holds(path: Path, by_start: Mapping[int, Sequence[bytes]]) -> bool:
    """Looks for a few needles one by one, and compares every position's first bytes with many needles at once."""
    needles = [needle for found in by_start.values() for needle in found]
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
    view = np.frombuffer(data, np.uint8)
    here = np.zeros(max(len(view) - SHORTEST_NEEDLE + 1, 0), np.uint64)
    for place in range(SHORTEST_NEEDLE):
        here |= view[place : place + len(here)].astype(np.uint64) << np.uint64(8 * place)
    starts = np.array(sorted(by_start), np.uint64)
    return any(
        data.startswith(needle, int(position))
        for position in np.flatnonzero(np.isin(here, starts))
        for needle in by_start[int(here[position])]
    )


def _proposes(proposal: Proposal, gone: Sequence[_Gone], about: Callable[[str], str | None]) -> bool:
    """Whether an open proposal tells something that is being forgotten, or was told in the same breath."""
    if any(proposal.sentence in one.sentences for one in gone):
        return True
    same = (p for p in gone if p.detail == proposal.detail)
    if any(is_closed(p.detail) or fold(p.value) == fold(proposal.value) for p in same):
        return True
    return _tells(proposal.sentence, gone, frozenset(), about)


def _tells(text: str, gone: Sequence[_Gone], whole: frozenset[str], about: Callable[[str], str | None]) -> bool:
    """Whether a waiting turn tells something that is being forgotten."""
    if any(not is_closed(p.detail) and contains(text, p.value) for p in gone):
        return True
    details = whole | {p.detail for p in gone if is_closed(p.detail)}
    return bool(details) and about(text) in details


def _blot(store: Store, gone: Sequence[_Gone], left_over: Sequence[Preference]) -> set[str]:
    """Take the erased values out of the sentences of preferences that stay; returns the ids of those."""
    touched: set[str] = set()
    mine = {sentence for p in gone for sentence in p.sentences}
    for preference in left_over:
        for sentence in preference.sentences:
            left = sentence
            for value in (p.value for p in gone if not is_closed(p.detail)):
                left = blotted(left, value)
            if left == sentence and sentence in mine:
                left = ""  # it revealed the erased one in other words, so none of it may stay
            if left != sentence:
                store.replace_sentence(sentence, left)
                touched.add(preference.id)
    return touched


def blotted(sentence: str, value: str) -> str:
    """A sentence with three dots where the words of a value stood."""
    parts = words(value)
    if not parts:
        return sentence
    pattern = r"[^\w']+".join(re.escape(part) for part in parts)
    return re.sub(rf"(?<![\w']){pattern}(?!\w)", "...", sentence, flags=re.IGNORECASE)
