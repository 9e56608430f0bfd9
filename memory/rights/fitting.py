"""What a whole sentence means best of all that is remembered: "i've gone right off fleetwood mac, lose it from my likes".

For wishes that are surely about memory: `memory.rights.meant` takes words by what they name, this takes the thing that the
sentence fits best, by its meaning (the encoder's vectors of what the driver said then and says now) and by the words that both
have, those that few things have counting more. Whoever asks this shows the driver what was found before anything is erased.
Reads the tables, writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log1p

import numpy as np
from numpy.typing import NDArray

from memory.recall.lexical import stem
from memory.rights.meant import Thing, asked_for, known_of, plain, talk_of
from memory.store.preferences import Store
from models.text import contains
from schemas.memory import Selector

GENERAL = frozenset(
    stem(word)
    for word in """out off down up over away back around one ones whatever well old new good bad right wrong yeah yes hey mate thank
    thanks cheers take put give come came
    cut cross scratch strike scrub dump bin ditch chuck pull clean scrap unlearn unremember unsave
    whole long longer need reason trouble mind care before after now then today still already more less else other another same own
    business nobody someone somebody anybody anyone kind
    way time times once twice sort lot bit idea point rather quite very too
    much many few regard regarding concerning known understand think thinking thought wrote written down mine
    ought end gone stop stay
    use used change changed happier feel better best sake goodness dear favour""".split()
)
"""Stems that say little in any sentence, and words of wishes to forget that `memory.rights.meant.TELLING` lacks. Our list."""
BY_WORDS, BY_MEANING = 24, 8
"""Things that are looked at: those that share most, and those whose kept vectors are nearest. Each takes some 6 ms to encode."""
SHARED = 0.2
"""What a word counts that one thing alone has, beside the cosine of the vectors."""
LEAST = 100
"""So many things are taken to be remembered at least: among three, no word is rare."""
MOST_SHARED = 3.0
"""Such words that count at most."""
OF_TOPIC = 0.15
"""What it counts that a thing is of the category that the sentence is most about."""
JUST = 0.1
"""What it counts that the driver told it just now."""
WORD_AT, TOPIC_AT, ALONE_AT = 0.3, 0.4, 0.5
"""Score from which on something fits that a telling word names, that is of the category, that has neither. Our choice, on the
half of tests/attacks/forgetting_loose.jsonl that may be read, on forgetting_meant.jsonl, and on fifteen wishes about things that
were never told (docs/log.md)."""
TELLS_AT = 0.7
"""Weight of the words that both have from which on they tell something."""
CLOSE = 0.1
"""Difference of scores within which the driver is asked which is meant."""
GUESSED_AT = 0.25
"""Score from which on a thing that does not fit is worth a guess. Our choice, on the halves that may be read."""
UNSAID = 3
"""Words that what fits has not from which on something else may be described: "that raised road in west london". Our choice."""
TELLING = 3
"""Words from which on a sentence is looked for wherever it stands: fewer may stand anywhere."""
_SPOKEN = frozenset({"episodes", "turns", "summary_lines", "waiting"})

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Fit:
    """Something that a sentence may mean."""

    thing: Thing
    score: float
    """Cosine, 0..1, and what the words and the category add."""
    least: float
    """Score from which on it fits."""
    named: bool
    """Whether the sentence has words of its own, and not only of what its kind is called."""
    left: int
    """Words of the sentence that tell something and that it has not."""


def fitting(
    store: Store, text: str, encode: Encode, topics: Collection[str] = (), near: Collection[str] = (),
    waiting: Sequence[str] = (), *, guesses: int = 0, named: bool = False,
) -> tuple[Selector, ...]:  # fmt: skip
    """What a sentence means: one where that is clear, several that fit alike; where nothing fits, the nearest; the best first.

    Args:
        store: the open vault's.
        text: the whole sentence.
        encode: makes unit vectors of texts.
        topics: detail keys that it may be about.
        near: ids of what is looked at even if it shares no word.
        waiting: what the driver said that waits to be kept.
        guesses: how many are found at most where nothing fits, or where what fits leaves much of it unsaid.
        named: whether only that fits which has words of the sentence that tell something.
    """
    found = [one for one in ranked(store, text, encode, topics, near, waiting) if one.named or not named]
    told = sure = best(found)
    if not told or all(not one.named and one.left >= UNSAID for one in found if one.thing in told[0]):
        likely = [one.thing for one in found if one.score >= GUESSED_AT]
        if likely and not told:  # no guess stands alone that something else comes close to
            likely = [one.thing for one in found if one.score >= min(GUESSED_AT, found[0].score - CLOSE)]
        told = [*told, *_together(one for one in likely if not any(one in copies for copies in told))]
        told = told[: max(guesses, len(sure))]
    return tuple(what for copies in told for what in _meant(store, copies))


def ranked(
    store: Store, text: str, encode: Encode, topics: Collection[str] = (), near: Collection[str] = (),
    waiting: Sequence[str] = (),
) -> list[Fit]:  # fmt: skip
    """All that was looked at, the best first; arguments as of `fitting`."""
    said = [Thing("waiting", one, frozenset(), asked_for(one), texts=frozenset({plain(one)})) for one in waiting]
    things = [*known_of(store), *talk_of(store, None), *said]
    about = asked_for(text) - GENERAL
    had = Counter[str]()
    for copies in _copies(things):
        had.update(about & frozenset().union(*(one.own | one.said for one in copies)))
    count = max(len(_copies(things)), LEAST)
    whole = _rarity(1, count)
    weight = {word: _rarity(had[word], count) / whole for word in about}
    shared = {one: sum(weight[word] for word in about & (one.own | one.said)) for one in things}
    by_words = sorted((one for one in things if shared[one]), key=lambda one: -shared[one])[:BY_WORDS]
    looked = [*by_words, *(one for one in things if one.name in near and one not in by_words)]
    looked += [one for one in said[-BY_MEANING:] if one not in looked]
    if not looked:
        return []
    texts = {one: _told(one) for one in looked}
    every = list(dict.fromkeys(each for own in texts.values() for each in own))
    vectors = encode([text, *every])
    cosines = dict(zip(every, (vectors[1:] @ vectors[0]).tolist(), strict=True))
    found: list[Fit] = []
    for one in looked:
        cosine = max((cosines[each] for each in texts[one]), default=0.0)
        topic = one.detail in topics
        score = cosine + SHARED * min(shared[one], MOST_SHARED) + OF_TOPIC * topic + JUST * (one.table == "waiting")
        least = WORD_AT if shared[one] >= TELLS_AT else TOPIC_AT if topic else ALONE_AT
        named = sum(weight[word] for word in about & ((one.value or one.own) | one.said)) >= TELLS_AT
        found.append(Fit(one, score, least, named, len(about - one.own - one.said)))
    return sorted(found, key=lambda one: -one.score)


def best(found: Sequence[Fit]) -> list[list[Thing]]:
    """Those that fit and that nothing else fits clearly better; what tells the same sentence together.

    Where what fits best does so by a word alone, whatever comes close to it may be meant as well: of "which chip shop" a
    supermarket has the word, a chippy the meaning.
    """
    close = [one for one in found if one.score > found[0].score - CLOSE]
    fits = [one for one in close if one.score >= one.least]
    weak = bool(fits) and fits[0].score < ALONE_AT
    return _together(one.thing for one in (close if weak else fits) if one.score >= min(one.least, GUESSED_AT))


def _together(things: Iterable[Thing]) -> list[list[Thing]]:
    """The things in their order; what tells the same sentence together."""
    told: list[list[Thing]] = []
    for one in things:
        same = next((copies for copies in told if any(_same(one, other) for other in copies)), None)
        if same is None:
            told.append([one])
        else:
            same.append(one)
    return told


def _copies(things: Sequence[Thing]) -> Collection[list[Thing]]:
    """The things, copies of one sentence together."""
    found: dict[object, list[Thing]] = {}
    for one in things:
        found.setdefault(one.texts or one.name, []).append(one)
    return found.values()


def _rarity(had: int, count: int) -> float:
    """Inverse document frequency, as in `memory.recall.lexical`."""
    return log1p((max(count - had, 0) + 0.5) / (had + 0.5))


def _told(one: Thing) -> tuple[str, ...]:
    """What is compared with the sentence: the driver's own, and what else names the thing."""
    named = () if one.table in _SPOKEN or one.table == "thoughts" else (f"{one.title} {one.words}".strip(),)
    return tuple(each for each in (*sorted(one.texts), *named) if each)


def _same(one: Thing, other: Thing) -> bool:
    """Whether what the driver said is the same, or is held by it."""
    pairs = [sorted((mine, yours), key=len) for mine in one.texts for yours in other.texts]
    held = any(few == more or (len(few.split()) >= TELLING and contains(more, few)) for few, more in pairs)
    return held or one == other


def _meant(store: Store, copies: Sequence[Thing]) -> tuple[Selector, ...]:
    """What a sentence stands for: what alone was learnt from it alone; else, as it was said, all that tells it; else each."""
    known = [one for one in copies if one.table not in (*_SPOKEN, "thoughts")]
    spoken = [one for one in copies if one.table in _SPOKEN]
    if spoken and (len(known) != 1 or len(known[0].texts) > 1):
        said = min(spoken[0].texts)
        brief = len(said.split()) < TELLING and spoken[0].table == "episodes"
        return (Selector(id=spoken[0].name) if brief else Selector(text=said),)
    named = known or copies
    history = {one: store.history_of(one.name) if one.table == "preferences" else () for one in named}
    return tuple(Selector(ids=(one.name, *history[one])) for one in named)
