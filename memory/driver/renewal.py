"""What a sentence makes of a fact that is kept: the same thing with another number, day or place is told.

Owns which words of a fact are what it tells (its value), which say of what, and how the fact reads with the new value. Pure;
`memory.driver.keeping` knows the facts, and asks the encoder whether both are about one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from memory.recall.lexical import STOP, stem, stems
from models.numbers import NUMBER, ordinal_words
from models.text import MONTHS, WEEKDAYS, normal, words

_ONE = rf"(?:(?<!the )(?<!this )(?<!that )(?:{NUMBER})|\d[\d:.,]*(?<![.,:])|half|quarter|noon|midnight)"
_ORDINALS = "|".join(sorted({ordinal_words(number) for number in range(1, 32)}, key=len, reverse=True))
_KINDS = {
    "day": re.compile(rf"\b(?:{'|'.join(map(str.lower, WEEKDAYS))})s?\b"),
    "month": re.compile(rf"\b(?:{'|'.join(map(str.lower, MONTHS))})\b"),
    "date": re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)|{_ORDINALS})\b"),
    "amount": re.compile(rf"\b{_ONE}(?: (?:past |to |oh )?{_ONE})*(?: (?:o'clock|[ap]\.?m\b))?(?!\w|['’]\w)"),
}
"""What a thing is told anew with. A time of the clock and a count are not told apart: "at three" is either."""
_DENIES = re.compile(r"\b(?:not|no longer|instead of|rather than|any ?more|was|were|used to)\b|n't\b")
_SUPPOSED = re.compile(r"\b(?:if|whether|unless|wish|should|might|maybe|perhaps|thought|think|guess|reckon|not sure)\b")
_NOW = re.compile(r"\b(?:now|any ?more|no longer|these days|from now on|instead|for good|moved)\b")
_PART = re.compile(r"[,;.](?=\s)|\b(?:and|but)\b")
_IN = r"(?:in|inside|on|at|by|near|behind|outside|opposite|under|beneath|beside|next to|above|below|over|between|with)"
_TO = r"(?:to|into|onto)"
_PLACE = re.compile(rf"\b(?:(?P<at>{_IN})|(?P<to>{_TO})) (?P<where>.+)")
_LATER = re.compile(r"[,; ]*\b(?:now|any ?more|these days|from now on|instead|for good|again|please)[ .!]*$")
_PASSES = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|once|last|this|next|morning|afternoon|evening|night|week|weekend|weeks|days|month|"
    r"months|year|years|till|until|for a|was|were|will|going|if|when|might|maybe|may)\b"
)
"""Words of what holds for a while, or does not hold now."""
_BEING = frozenset(
    map(stem, "live lives stay stays stand stands keep kept lie lies hang hangs belong sit sits".split())
)
"""Verbs for being somewhere: where something is, is what such a fact tells."""
_MOVING = frozenset(map(stem, "moved move gone went put brought shifted stuck left keep".split()))
_IDLE = STOP | frozenset(
    """hey oh ah um uh er so well okay actually now today says said wrote told heard turns out just apparently any more anymore
    these days instead longer till until not doesn't isn't don't aren't won't wasn't it's that's he's she's they've they're we've
    i've it'll got""".split()
)


class Renewal(NamedTuple):
    """What a fact is to be."""

    text: str
    whole: bool
    """Whether the sentence says all that the fact says, but for the value; or takes the old value back by its words."""
    sure: bool
    """Whether the driver need not be asked."""
    plain: bool = False
    """Whether it is both, so that the sentence is nothing else, whatever it sounds like."""


class _Value(NamedTuple):
    text: str
    start: int
    end: int


def renewed(old: str, said: str) -> Renewal | None:
    """How a fact reads once this was said; None where it says nothing new of it.

    Args:
        old: the fact's words: "the dock shuts at three thirty".
        said: the driver's: "oh hey, that dock doesn't shut at three thirty, it's three".
    """
    old, said = " ".join(old.split()), normal(said)
    if not {*stems(old)} & {*stems(said)} or _SUPPOSED.search(said):
        return None
    had, has = ({kind: {one.text for one in _values(text, kind)} for kind in _KINDS} for text in (old, said))
    fresh = [kind for kind in _KINDS if has[kind] - had[kind]]
    if not fresh:
        return _moved(old, said)
    beside = any(not had[kind] for kind in fresh)  # "at five on sundays" is another thing
    return _revalued(old, said, fresh[0]) if len(fresh) == 1 and not beside else None


def _revalued(old: str, said: str, kind: str) -> Renewal | None:
    """With another value of a kind in the place of the one that is taken back, or else of the one in the part that is meant."""
    before, after = _values(old, kind), _values(said, kind)
    had = {one.text for one in before}
    fresh = {one.text: one for one in after if one.text not in had}
    named = {one.text for one in after} & had
    if len(fresh) != 1 or len(named) > 1:
        return None
    (new,), told = fresh, _content(said)
    parts = [(start, end, _content(old[start:end])) for start, end in _parts(old)]
    if named and _DENIES.search(said):
        taken = [one for one in before if one.text in named]
        plain = any(taken[0].start < end and own <= told for start, end, own in parts if start <= taken[0].start)
        made = Renewal(_with(old, taken[0], new), whole=True, sure=True, plain=plain)
        return made if _content(old) & told and len(taken) == 1 else None
    subject = parts[0][2]
    likely = [
        (len(own & told), start, end, own) for start, end, own in parts
        if own and own & told and (start == 0 or subject & told) and any(start <= one.start < end for one in before)
    ]  # fmt: skip
    if not likely:
        return None
    _, start, end, own = max(likely)
    held = [one for one in before if start <= one.start < end and one.text not in named]
    if len(held) != 1 or _content(old[held[0].end : end]):
        return None
    missing, extra = own - told, told - _content(old)
    if (missing and (extra or 3 * len(missing) > len(own))) or "used to" in said:
        return None
    whole = not missing and (not extra or _NOW.search(said) is not None)
    return Renewal(_with(old, held[0], new), whole, sure=whole)


def _with(old: str, taken: _Value, new: str) -> str:
    return f"{old[: taken.start]}{new}{old[taken.end :]}"


def _moved(old: str, said: str) -> Renewal | None:
    """With another place, where the fact tells one and no number, and no day of it: "number three in the gym" is one of several."""
    stood = _place(old)
    clear = _LATER.sub("", said)
    if (
        stood is None
        or _values(old, "amount")
        or any(_values(stood.group(), kind) for kind in _KINDS)
        or _PASSES.search(clear)
    ):
        return None
    subject = _content(old[: stood.start()])
    moved = list(_places(clear))
    if not subject or not moved:
        return None
    old_place = _content(stood["where"])
    moved = [one for one in moved if _content(one["where"]) != old_place]
    if not moved:
        return None
    to = moved[-1]
    told = _content(clear[: to.start()]) - old_place
    missing, extra = subject - told, told - subject - _MOVING
    if missing - _BEING or extra or not subject - _BEING:
        return None
    if to["to"] is not None and not told & _MOVING:
        return None  # "we are driving to leeds with her"
    where = to.group() if to["to"] is None else f"{stood['at'] if stood['at'] in ('in', 'at') else 'in'} {to['where']}"
    return Renewal(f"{old[: stood.start()]}{where}", not missing, sure=not missing and _NOW.search(said) is not None)


def _place(text: str) -> re.Match[str] | None:
    """The first words for where something is that have something before them to be there."""
    return next((one for one in _places(normal(text)) if one["to"] is None and _content(text[: one.start()])), None)


def _places(text: str) -> Iterator[re.Match[str]]:
    """The words for where something is, of each part of a sentence the first."""
    start = 0
    for part in [*_PART.finditer(text), None]:
        end = len(text) if part is None else part.start()
        found = _PLACE.search(text, start, end)
        if found is not None:
            yield found
        start = end if part is None else part.end()


def _values(text: str, kind: str) -> list[_Value]:
    return [_Value(one.group(), *one.span()) for one in _KINDS[kind].finditer(text.lower())]


def _parts(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(one.end() for one in _PART.finditer(text)), len(text)]
    return list(pairwise(cuts))


def _content(text: str) -> frozenset[str]:
    """The stems of the words that say of what something is told."""
    bare = normal(text)
    for kind in _KINDS.values():
        bare = kind.sub(" ", bare)
    return frozenset(stem(word.removesuffix("'s")) for word in words(bare) if word.removesuffix("'s") not in _IDLE)
