"""What the branch that tells what a sentence tells of the driver learns from: texts, with what each of them teaches.

For special kinds: the files of `OWN` and, for what is ordinary, phrases of this project that hold none of the words. For lasting
preferences: preferences.txt and sentences made of the phrase bank. For what memory is asked for: wishes.txt and the lines of
``models.training.acts``. For the words: the marked lines of ``models.training.marks``. Of a text only what it was written for is
taught.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.special import special_words, without_names
from models.text import spoken
from models.training import phrases
from models.training.acts import lines as acts
from models.training.encoder.examples import NONE, examples
from models.training.marks import lines as marked
from schemas.kinds import Wish
from schemas.preferences import CATEGORIES, KINDS

FOLDER = Path(__file__).parent
ORDINARY = "ordinary"
OWN = (
    "sentences.txt", "pairs.txt", "more.txt", "asides.txt", "passing.txt", "circumstance.txt", "indirect.txt", "quiet.txt",
    "beside.txt", "facts.txt",
)  # fmt: skip
"""Our sentences of special kinds, and ordinary ones."""
LIKINGS = FOLDER.parent / "marks" / "data" / "senses.txt"
"""What people like and dislike, in whole sentences, with marks that are taken out."""
_MARKS = re.compile(r"\{[a-z]+:([^{}]*)\}")
WRAPPED = "remember that {}", "please note that {}", "keep in mind that {}", "don't forget that {}", "{}, remember that"
"""How people ask to have something kept: a part of all our sentences stands in these, so that they tell neither way."""
SHARE = 0.25
"""Of the sentences that are wrapped. Our choice."""
MOST = 8000
"""Ordinary phrases."""
PLAIN = 0.5
"""Weight of a phrase that is ordinary beside a sentence."""
DRAW = 101
"""Where the drawing of made sentences begins."""
MADE = 12_000
"""Sentences made of the phrase bank for the second question,"""
STATED, HINTED, NOTHING = 0.42, 0.12, 0.24
"""what one counts that states a preference, that hints at one, and that reveals none,"""
WRITTEN = 0.6
"""and what a line of preferences.txt counts. Our choice."""


class Row(NamedTuple):
    """A text, and what it teaches of each question; a weight of 0: nothing."""

    text: str
    kind: int = 0
    kind_weight: float = 0.0
    detail: int = 0
    detail_weight: float = 0.0
    wish: int = 0
    wish_weight: float = 0.0
    may: NDArray[np.bool_] | None = None
    """(words, labels): which each of its words may have."""
    may_weight: float = 0.0


def _labelled(name: str) -> list[tuple[str, str]]:
    """Label and text of the lines of a file."""
    label, found = "", list[tuple[str, str]]()
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if line.startswith("== "):
            label = line.removeprefix("== ")
        elif line.strip() and not line.startswith("#"):
            found.append((label, line))
    return found


def sentences() -> list[tuple[str, str]]:
    """Kind and text of our sentences, each once."""
    return list(dict.fromkeys((kind, text) for name in OWN for kind, text in _labelled(name) if without_names(text)))


def preferences() -> list[tuple[str, str]]:
    """Detail key, or ``none``, and text of the turns that reveal a preference, or do not."""
    return _labelled("preferences.txt")


def wrapped(own: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Some of the sentences once more, as they are asked to be kept."""
    rng = np.random.default_rng(7)
    return [(kind, WRAPPED[int(rng.integers(len(WRAPPED)))].format(text)) for kind, text in own if rng.random() < SHARE]


def ordinary() -> list[str]:
    """Phrases of this project that tell nothing special, in a fixed random order."""
    lines = [line for one in phrases.negatives() for line in one.lines]
    lines += [
        sentence.text
        for topic in phrases.topics().values()
        if topic.detail not in ("dietary_preference", "need_for_handicapped_accessible_parking")
        for own in (topic.reveals, topic.hints, topic.once, topic.negations, topic.changes)
        for sentence in own.sentences
    ]
    lines = [line for line in dict.fromkeys(lines) if without_names(line) and not special_words(line).terms]
    shuffled = [lines[place] for place in np.random.default_rng(7).permutation(len(lines))[:MOST]]
    told = [
        _MARKS.sub(r"\1", line).strip() for line in LIKINGS.read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    return [*shuffled, *(line for line in told if line and not special_words(line).surely)]


def _of_kinds() -> Iterator[Row]:
    own = sentences()
    names = (*KINDS, ORDINARY)
    for kind, text in [*own, *wrapped(own)]:
        yield Row(spoken(without_names(text)), names.index(kind), 1.0)
    for text in ordinary():
        yield Row(spoken(without_names(text)), len(KINDS), PLAIN)


def _of_details() -> Iterator[Row]:
    names = (*(category.detail for category in CATEGORIES), NONE)
    for detail, text in preferences():
        yield Row(spoken(text), 0, 0.0, names.index(detail), WRITTEN)
    weights = {"stated": STATED, "hinted": HINTED}
    for made in examples(Random(DRAW), MADE):
        detail = max(made.details, key=made.details.__getitem__, default=NONE)
        if made.strength == "none" or (made.strength is None and made.request is not None and not made.details):
            yield Row(spoken(made.text), 0, 0.0, len(CATEGORIES), NOTHING)
        elif made.strength in weights and made.details.get(detail, 0.0) > 0.9:
            yield Row(spoken(made.text), 0, 0.0, names.index(detail), weights[made.strength])


ASKS = {"forget": Wish.NAMED, "forget_last": Wish.LAST, "forget_all": Wish.EVERYTHING, "remember": Wish.KEEP}
"""What an act asks of memory."""
NEAR = re.compile(
    r"forg|delet|remov|remember|keep|clear|wipe|memory|drop|learn|tell|told|said|know|cancel|lose|scrap|stop"
)
"""Words that wishes to memory share with other orders: what has one is read first."""
OTHERS, OTHER, ACT, ASKED = 5000, 1.0, 1.5, 2.5
"""Lines of other acts, what one of them counts, what a line of acts counts that is a wish, and a line of wishes.txt."""
DRAWS = 3
"""Of each line of forgetting.txt, in which names stand as in the lines of acts; those that differ count."""


def wishes() -> list[tuple[str, str]]:
    """What memory is asked for, and the sentence."""
    return list(dict.fromkeys(_labelled("wishes.txt")))


def _of_wishes() -> Iterator[Row]:
    names = tuple(Wish)
    for wish, text in wishes():
        yield Row(spoken(text), wish=names.index(Wish(wish)), wish_weight=ASKED)
    rng = Random(DRAW)
    for number, (kind, text) in enumerate(_labelled("forgetting.txt")):
        line = acts.Line("forgetting", number, f"{text} => none()")
        for said in sorted({acts.draw(rng, line).utterance for _ in range(DRAWS)}):
            yield Row(spoken(said), wish=names.index(Wish.NAMED if kind == "wish" else Wish.NONE), wish_weight=ACT)
    others = list[str]()
    for line in acts.lines():
        case = acts.draw(rng, line)
        asked = {ASKS[act.name] for act in case.acts if act.name in ASKS}
        if len(asked) == 1 and not case.context:
            yield Row(spoken(case.utterance), wish=names.index(asked.pop()), wish_weight=ACT)
        elif not asked and not any(act.name.startswith(("forget", "cancel_timer")) for act in case.acts):
            others.append(spoken(case.utterance))
    rng.shuffle(others)
    for text in sorted(dict.fromkeys(others), key=lambda one: NEAR.search(one) is None)[:OTHERS]:
        yield Row(text, wish=names.index(Wish.NONE), wish_weight=OTHER)


VARIANTS = 2
"""Of a marked line with other values, beside itself as typed and as spoken."""
WEAK = {
    "reveals": 1500, "ended": 300, "hints": 500, "once": 400, "about": 400, "nothing": 1200, "requests": 1500, "outside": 300,
}  # fmt: skip
"""Sentences of the phrase bank by kind; all together they weigh `WEAK_WEIGHT` each."""
WEAK_WEIGHT = 0.35
FILLED, FRAME_WEIGHT = 4, 0.6
"""How often each frame is filled, and what it weighs then."""


def _marked(line: marked.Line, weight: float) -> Iterator[Row]:
    text, may = marked.wanted(line)
    if len(may):
        yield Row(text, may=may, may_weight=weight)


def _of_marks() -> Iterator[Row]:
    rng = Random(DRAW)
    for line in marked.lines():
        if line.held_out:
            continue
        ways = {marked.wanted(one)[0]: one for one in (marked.typed(rng, line), marked.bare(line))}
        for number in range(VARIANTS):
            one = marked.altered(rng, line)
            one = marked.bare(one) if number % 2 else marked.typed(rng, one)
            ways[marked.wanted(one)[0]] = one
        for one in ways.values():
            yield from _marked(one, 3.0 / len(ways))
    for number, one in enumerate(line for _ in range(FILLED) for line in marked.frames(rng)):
        yield from _marked(
            marked.bare(one) if number % 2 else marked.typed(rng, marked.altered(rng, one)), FRAME_WEIGHT
        )
    for kind, some in marked.weak(rng).items():
        for one in rng.sample(some, min(len(some), WEAK[kind])):
            yield from _marked(one, WEAK_WEIGHT)


def held_out() -> list[Row]:
    """Marked lines that are not trained on, as typed and as spoken."""
    lines = [line for line in marked.lines() if line.held_out]
    return [row for line in lines for one in (line, marked.bare(line)) for row in _marked(one, 1.0)]


def rows() -> list[Row]:
    """All of them."""
    return [*_of_kinds(), *_of_details(), *_of_wishes(), *_of_marks()]
