"""The sentences of the templates that come nearest to heard words.

Owns: the search through the word graph, and what a difference of words costs. Free recognisers write what they heard in words
of their own ("ice mocha", "a seed", "wind down"); what was said then is most likely a sentence of the grammar close by. Whether it
was, the caller decides by the sound.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from models.commands.graph import WordGraph

SMALL = frozenset(
    "a an the to of for with and in on at by my me i it is please um uh oh so well now just hey okay computer some you can could "
    "would will we let's let do thank thanks that this be up".split()
)
"""Words that carry little: leaving one out or adding one costs little."""
SMALL_COST, WORD_COST = 0.35, 1.0
"""Our choice: three small words, or one that matters, make a sentence another one."""
JOINED = 0.1
"""What it costs to have heard one word as two."""
STEPS = 2_000
"""Bound of the search: places in the graph that are looked at. 2,000 take about 25 ms."""


def alike(heard: str, other: str) -> float:
    """Share of the letters that two texts have in common, 1.0 for all; spaces do not count ("wind down", "window down": .8)."""
    return Levenshtein.normalized_similarity(heard.replace(" ", ""), other.replace(" ", ""))


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of the graph."""

    words: tuple[str, ...]
    cost: float
    """What the differences to the heard words cost; 0 for none."""


def nearest(graph: WordGraph, heard: Sequence[str], *, most: int = 3, limit: float = 2.0) -> tuple[Near, ...]:
    """Complete sentences of the graph near the heard words, cheapest first.

    Args:
        graph: the closed templates.
        heard: words in the form of ``spoken``.
        most: so many sentences at most.
        limit: the most that differences may cost.
    """
    words = tuple(heard)
    ahead = _least(graph, words)
    if not words or ahead[0] > limit:
        return ()
    # Cost so far and the least of what must follow; then the deepest first, so that a good sentence is found early.
    waiting: list[tuple[float, int, int, int, float, tuple[str, ...]]] = [(ahead[0], -len(words), 0, 0, 0.0, ())]
    found: list[Near] = []
    seen: dict[tuple[int, int], int] = {}
    steps = number = 0
    while waiting and len(found) < most and steps < STEPS:
        _, left, _, state, cost, said = heapq.heappop(waiting)
        at = len(words) + left
        count = seen.get((state, at), 0)
        if count >= most:
            continue
        seen[state, at] = count + 1
        steps += 1
        if at == len(words) and graph.blocks[state] and all(one.words != said for one in found):
            found.append(Near(said, cost))
        here, pair = words[at : at + 1], "".join(words[at : at + 2]) if at + 1 < len(words) else ""
        after, last = ahead[at], ahead[at + 1] if here else 0.0
        following: list[tuple[float, float, int, int, str]] = []  # bound, cost, words still to come, state, the word
        if here:
            total = cost + _alone(here[0])
            following.append((total + last, total, left + 1, state, ""))
        for word, end in graph.arcs[state].items():
            total = cost + _alone(word)
            if total + after <= limit:
                following.append((total + after, total, left, end, word))
            if not here:
                continue
            total = cost + unlike(here[0], word)
            if total + last <= limit:
                following.append((total + last, total, left + 1, end, word))
            if pair:
                total = cost + JOINED + unlike(pair, word)
                if total + ahead[at + 2] <= limit:
                    following.append((total + ahead[at + 2], total, left + 2, end, word))
        for bound, total, place, end, word in following:
            if bound <= limit:
                number += 1
                heapq.heappush(waiting, (bound, place, number, end, total, (*said, word) if word else said))
    return tuple(found)


def _least(graph: WordGraph, words: tuple[str, ...]) -> list[float]:
    """By place in the heard words, the least that the rest of them costs whatever the sentence is."""
    known = _vocabulary(graph)
    single = [min(_alone(word), _closest(word, known)) for word in words]
    least = [0.0] * (len(words) + 1)
    for at in range(len(words) - 1, -1, -1):
        least[at] = single[at] + least[at + 1]
        if at + 1 < len(words):
            least[at] = min(least[at], JOINED + _closest(words[at] + words[at + 1], known) + least[at + 2])
    return least


@lru_cache(maxsize=4)
def _vocabulary(graph: WordGraph) -> frozenset[str]:
    return frozenset(word for arcs in graph.arcs for word in arcs)


@lru_cache(maxsize=8192)
def _closest(word: str, known: frozenset[str]) -> float:
    return 0.0 if word in known else min(unlike(word, other) for other in known)


@lru_cache(maxsize=65_536)
def unlike(heard: str, word: str) -> float:
    """What it costs to have heard one word for another: 0 for the same, up to 1.5 for words that share nothing."""
    if heard == word:
        return 0.0
    if _stem(heard) == _stem(word):
        return 0.15
    alike = max(
        Levenshtein.normalized_similarity(heard, word), Levenshtein.normalized_similarity(_sound(heard), _sound(word))
    )
    return 0.2 + 1.3 * (1.0 - alike)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    for end in ("ed", "s", "d", "'s", "ing"):
        if len(word) > len(end) + 2 and word.endswith(end):
            word = word[: -len(end)]
            break
    return word.rstrip("e")


_SOUNDS = (
    ("ph", "f"), ("ck", "k"), ("gh", ""), ("wh", "w"), ("kn", "n"), ("wr", "r"), ("ee", "i"), ("ea", "i"), ("oo", "u"), ("ou", "u"),
    ("c", "k"), ("q", "k"), ("z", "s"), ("y", "i"), ("e", "i"),
)  # fmt: skip


@lru_cache(maxsize=65_536)
def _sound(word: str) -> str:
    for spelt, said in _SOUNDS:
        word = word.replace(spelt, said)
    return "".join(letter for at, letter in enumerate(word) if at == 0 or letter != word[at - 1])


def _alone(word: str) -> float:
    return SMALL_COST if word in SMALL else WORD_COST
