"""Search by words: which share of what a question says a memory says too, rare words counting more.

Owns the stems of a text and the postings of all memories, in memory only. A stem is kept as a 32-bit number, here and inside
the vault; two stems in a vocabulary of 20,000 share one in a case in twenty, which costs a false match and nothing else.

The weight of a stem is the inverse document frequency of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework,
2009, eq. 3.3, with the one added under the logarithm that keeps it positive). How often a stem stands in a memory is not
counted: memories are a sentence or two. LoCoMo's development dialogues (evidence among the first ten turns, score as in
`memory.recall.search`): .756 so, .722 with BM25's own saturation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memory.recall.exact import Rows

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly")
_SHORTEST = 3
"""Letters that stay of a word at least."""

STOP = frozenset(
    """a an the of to in on at for with and or but is are was were be been am do does did have has had i you he she it we
    they me him her them my your his its our their this that these those what which who whom whose when where why how would
    could should will can may might as by from about into so if than then there here not no any some s t m re ve ll d
    please""".split()
)
"""Words that say nothing about what a text is about."""
ASKING = frozenset(
    """recommend mention share shar tell told say said remember ask talk suggest know consult recent ago once today yesterday
    day week last before""".split()
)
"""Stems that say how or when something was talked about and not what; left out of questions only. Our list; when something was
said is the period's matter."""
_WHEN = re.compile(r"\b(?:what|which) time\b", re.IGNORECASE)
"""Asks when, and no more than that."""

FRESH = 4096
"""Postings that are kept in lists before they are sorted in: a merge of 1.2 million takes some 100 ms."""


def stem(word: str) -> str:
    """A word without its ending: coarse, and the same for questions and memories, which is all it has to be."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST and word.endswith("e") else word


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text, each once, in order."""
    plain = text.lower().replace("’", "'").replace("'s", "")
    return tuple(dict.fromkeys(stem(word) for word in _WORD.findall(plain) if word not in STOP))


def asked(question: str) -> tuple[str, ...]:
    """The stems of a question that say what it is about."""
    return tuple(one for one in stems(_WHEN.sub("when", question)) if one not in ASKING and not one[0].isdigit())


def numbers(of: Iterable[str]) -> NDArray[np.uint32]:
    """Stems as they are kept: sorted, each once."""
    return np.unique(np.fromiter((crc32(one.encode()) for one in of), np.uint32))


class Postings:
    """Which rows say a stem."""

    def __init__(self) -> None:
        """Empty."""
        self._terms: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self._rows: Rows = np.zeros(0, np.int64)
        self._fresh: dict[int, list[int]] = {}
        self._waiting = 0

    def add(self, rows: Rows, terms: Sequence[NDArray[np.uint32]]) -> None:
        """Rows that were not there, with the numbers of their stems."""
        counts = [len(own) for own in terms]
        if sum(counts) > FRESH:
            self._merge(np.concatenate(terms), np.repeat(rows, counts))
            return
        for row, own in zip(rows.tolist(), terms, strict=True):
            for term in own.tolist():
                self._fresh.setdefault(term, []).append(row)
        self._waiting += sum(counts)
        if self._waiting > FRESH:
            self._merge(np.zeros(0, np.uint32), np.zeros(0, np.int64))

    def remove(self, rows: Rows) -> None:
        """Drop rows with their stems; unknown ones are ignored."""
        gone = set(rows.tolist())
        for term in [term for term, held in self._fresh.items() if gone & set(held)]:
            self._fresh[term] = [row for row in self._fresh[term] if row not in gone]
        kept = ~np.isin(self._rows, rows)
        if not kept.all():
            terms, held = self._terms[kept], self._rows[kept]
            self._terms[:] = 0  # what is thrown away is overwritten first
            self._terms, self._rows = terms, held

    def said(self, term: int) -> Rows:
        """The rows that say a stem."""
        wanted = np.uint32(term)  # of the array's own type, else all of it would be converted
        first, last = self._terms.searchsorted(wanted, "left"), self._terms.searchsorted(wanted, "right")
        fresh = self._fresh.get(term)
        return np.concatenate([self._rows[first:last], np.array(fresh, np.int64)]) if fresh else self._rows[first:last]

    def shares(self, terms: NDArray[np.uint32], rows: int, memories: int, doubt: float = 0.0) -> NDArray[np.float32]:
        """For every row which share of what is asked it says, 0..1, rare stems counting more.

        Args:
            terms: numbers of the question's stems.
            rows: how many rows there are.
            memories: how many of them are memories.
            doubt: so many words that one memory alone says are added to the question, unsaid: so a question of one word is
                never wholly answered by it.
        """
        found = np.zeros(rows, np.float32)
        total = 0.0
        unsaid = doubt * float(np.log1p(max(memories - 0.5, 0.0) / 1.5))
        for term in terms.tolist():
            said = self.said(term)
            weight = float(np.log1p((max(memories - len(said), 0) + 0.5) / (len(said) + 0.5)))
            total += weight
            found[said] += weight
        return found / (total + unsaid) if total else found

    def _merge(self, terms: NDArray[np.uint32], rows: Rows) -> None:
        fresh = [(term, row) for term, held in self._fresh.items() for row in held]
        self._fresh, self._waiting = {}, 0
        every = np.concatenate([self._terms, terms, np.array([term for term, _ in fresh], np.uint32)])
        held = np.concatenate([self._rows, rows, np.array([row for _, row in fresh], np.int64)])
        order = np.argsort(every, kind="stable")
        self._terms, self._rows = every[order], held[order]
