"""Marked lines: reading those in ``data/``, altering them, and weakly marked ones from the phrase bank.

A line is a sentence in which ``{label:words}`` marks what words say (`schemas.kinds.Label`); ``#`` begins a remark. In
``frames.txt`` a ``*`` stands for any thing of the phrase bank. From that bank come sentences, too, of which it is certain what the
words can *not* be: a word may then be one of several labels.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from models.marks import spans_of
from models.text import spoken
from models.training import conversations as talk
from models.training import phrases
from models.training.encoder.names import KINDS, OPINIONS, OUTSIDE, coin
from schemas.kinds import CONDITION_LABELS, LABELS, VALUES, Label

FOLDER = Path(__file__).parent / "data"
HELD_OUT = 10
"""One line in so many is not trained on; by the CRC-32 of its text."""
REQUESTS = 3000
"""What is asked of the car, and says nothing of the driver."""
COINED = 0.3
"""Names of shops, artists and so on that are swapped for one that nobody has heard."""
FRAMES = "frames.txt"
_MARK = re.compile(r"\{([a-z]+):([^{}]*)\}")
_FILLED = re.compile(r"\{value\}")
_BESIDE = frozenset((Label.NOTHING, Label.HOLDER, Label.UNTIL, *CONDITION_LABELS))
"""What a word of the phrase bank may be that carries no value."""
_NAMED = frozenset(
    "preferred_gas_station preferred_charging_network preferred_supermarket_chain favorite_artists_or_bands favorite_songs "
    "preferred_music_streaming_service preferred_radio_station favorite_podcast_shows general_news_source "
    "fast_food_preference favourite_cuisine preferred_restaurant_type favorite_genres favorite_podcast_genres".split()
)
"""Categories whose values are things: who likes them says so of the thing itself."""
THINGS: Mapping[str, tuple[str, ...]] = {
    "favourite_cuisine": ("{} food", "{}", "{} restaurants"), "preferred_restaurant_type": ("{}",),
    "fast_food_preference": ("{}",), "preferred_gas_station": ("{}", "{} stations"),
    "preferred_charging_network": ("{}", "{} chargers"), "preferred_supermarket_chain": ("{}",),
    "avoidance_of_specific_road_types": ("{}",), "favorite_genres": ("{}", "{} music"),
    "favorite_artists_or_bands": ("{}",), "favorite_songs": ("{}",), "preferred_music_streaming_service": ("{}",),
    "preferred_radio_station": ("{}",), "favorite_podcast_genres": ("{} podcasts",), "favorite_podcast_shows": ("{}",),
    "general_news_source": ("{}",), "interior_lighting_color_preferences": ("{} light", "{} lights"),
    "preferred_parking_type": ("{} parking",), "charging_station_onsite_amenities": ("{}",),
}  # fmt: skip
"""Detail key -> how its values are named as things."""
PEOPLE = (
    "my wife|my husband|my partner|my boyfriend|my girlfriend|my sister|my brother|my mum|my mom|my dad|my mother|my father|"
    "my daughter|my son|my boss|my colleague|my neighbour|my flatmate|my best friend|my mate|my gran|my uncle|my aunt|"
    "my cousin|my mother in law|anna|peter|priya|liam|sofia|tom|grandad|the lodger|our babysitter|the guy i share with"
).split("|")


@dataclass(frozen=True)
class Part:
    """Words of a line, and what they may be; empty: nothing."""

    text: str
    may: frozenset[Label]


@dataclass(frozen=True)
class Line:
    """A sentence in parts."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The sentence."""
        return " ".join(part.text for part in self.parts if part.text)

    @property
    def held_out(self) -> bool:
        """Whether it is not trained on."""
        return zlib.crc32(self.text.encode()) % HELD_OUT == 0


NOTHING = frozenset((Label.NOTHING,))


def read(line: str) -> Line:
    """A line of a file.

    Raises:
        ValueError: a mark has no such label.
    """
    parts: list[Part] = []
    at = 0
    for found in _MARK.finditer(line):
        parts += [
            Part(line[at : found.start()].strip(), NOTHING),
            Part(found[2].strip(), frozenset((Label(found[1]),))),
        ]
        at = found.end()
    parts.append(Part(line[at:].strip(), NOTHING))
    return Line(tuple(part for part in parts if part.text))


def lines(folder: Path = FOLDER) -> list[Line]:
    """All lines of the files, but for the frames."""
    return [read(line) for path in sorted(folder.glob("*.txt")) if path.name != FRAMES for line in _written(path)]


def frames(rng: Random, folder: Path = FOLDER) -> list[Line]:
    """The frames, each filled once with things of one category."""
    found: list[Line] = []
    for frame in _written(folder / FRAMES):
        detail = rng.choice(tuple(THINGS))
        for _ in range(frame.count("*")):
            frame = frame.replace("*", thing(rng, detail), 1)  # noqa: PLW2901 - one after the other
        found.append(read(re.sub(r"\{([^{}:]*)\}", r"\1", frame)))
    return found


def thing(rng: Random, detail: str) -> str:
    """A thing of a category as it is named in a sentence."""
    said = rng.choice([way for value in phrases.topics()[detail].values for way in value.said])
    if detail in KINDS and rng.random() < COINED:
        said = coin(rng, detail)
    return rng.choice(THINGS[detail]).format(said)


def _written(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]


@lru_cache(maxsize=1)
def _known() -> Mapping[str, str]:
    """Ways of saying a value -> its detail key, where it is of one category only."""
    found: dict[str, set[str]] = {}
    for topic in phrases.topics().values():
        for value in topic.values:
            for said in value.said:
                found.setdefault(said, set()).add(topic.detail)
    return {said: next(iter(details)) for said, details in found.items() if len(details) == 1}


def other(rng: Random, said: str) -> str:
    """Another value of the same category; the same where the category of the words is not known."""
    plain = spoken(said)
    article = re.match(r"(?:the|a|an|some) ", plain)
    detail = _known().get(plain) or (_known().get(plain[article.end() :]) if article else None)
    if detail is None:
        return said
    if detail in KINDS and rng.random() < COINED:
        return coin(rng, detail)
    return rng.choice([way for value in phrases.topics()[detail].values for way in value.said] or [said])


def altered(rng: Random, line: Line) -> Line:
    """The line with other values, and another person where it is about one."""
    parts: list[Part] = []
    for part in line.parts:
        text = part.text
        if part.may & VALUES:
            text = other(rng, text)
        elif part.may == frozenset((Label.HOLDER,)) and text.lower() in PEOPLE:
            text = rng.choice(PEOPLE)
        parts.append(Part(text, part.may))
    return Line(tuple(parts))


def bare(line: Line) -> Line:
    """As a recogniser writes it: lower case, no punctuation, numbers in words."""
    return Line(tuple(Part(spoken(part.text), part.may) for part in line.parts if spoken(part.text)))


def typed(rng: Random, line: Line) -> Line:
    """With a capital and a full stop, now and then."""
    if not line.parts or rng.random() < 0.5:
        return line
    first, *rest = line.parts
    made = [Part(first.text[:1].upper() + first.text[1:], first.may), *rest]
    last = made[-1]
    made[-1] = Part(last.text + ("" if last.text[-1:] in ".!?" else rng.choice((".", ".", "!"))), last.may)
    return Line(tuple(re_i(part) for part in made))


def re_i(part: Part) -> Part:
    """With the capital I that people write."""
    return Part(re.sub(r"\bi\b", "I", part.text), part.may)


def wanted(line: Line) -> tuple[str, NDArray[np.bool_]]:
    """The sentence, and for each of its words which labels it may have: (words, labels)."""
    text = ""
    ends: list[tuple[int, frozenset[Label]]] = []
    for part in line.parts:
        joint = "" if not text or re.match(r"[,.;:!?)']", part.text) else " "
        text += joint + part.text
        ends.append((len(text), part.may))
    text = " ".join(text.split())
    spans = spans_of(text)
    may = np.zeros((len(spans), len(LABELS)), np.bool_)
    for row, (start, _) in enumerate(spans):
        own = next(labels for end, labels in ends if start < end)
        may[row, [LABELS.index(label) for label in own]] = True
    return text, may


def _around(pattern: str, said: str, value: frozenset[Label]) -> Line:
    """A sentence of the phrase bank: the words of its value, and others that may be beside them."""
    before, _, after = pattern.partition(said)
    return Line(
        tuple(
            part
            for part in (Part(before.strip(), _BESIDE), Part(said, value), Part(after.strip(), _BESIDE))
            if part.text
        )
    )


def _filled(rng: Random, topic: phrases.Topic, found: phrases.Lines, value: frozenset[Label]) -> Iterator[Line]:
    ways = [way for one in topic.values for way in one.said]
    for pattern in found.patterns:
        if "{value}" in pattern and ways:
            said = coin(rng, topic.detail) if topic.detail in KINDS and rng.random() < COINED else rng.choice(ways)
            yield _around(_FILLED.sub(said, pattern), said, value)
    for sentence in found.sentences:
        yield _around(sentence.text, sentence.said, value)


def weak(rng: Random) -> dict[str, list[Line]]:
    """Lines of the phrase bank by kind, filled anew with every call."""
    found: dict[str, list[Line]] = {
        "reveals": [], "ended": [], "hints": [], "once": [], "about": [], "nothing": [], "requests": [], "outside": [],
    }  # fmt: skip
    for topic in phrases.topics().values():
        if topic.detail in _NAMED:  # others may say what is liked by what is not: "a strong fan is too much for me"
            liked = frozenset((Label.LIKES,))
            found["reveals"] += _filled(rng, topic, topic.reveals, liked)
            found["reveals"] += _filled(rng, topic, topic.changes, liked)
            gone = frozenset((Label.PAST, Label.DISLIKES, Label.AVOIDS))
            found["ended"] += _filled(rng, topic, topic.negations, gone)
        found["hints"] += _filled(rng, topic, topic.hints, frozenset((Label.UNREAL, Label.NOTHING)))
        found["once"] += _filled(rng, topic, topic.once, frozenset((Label.UNREAL, Label.NOTHING)))
        found["about"] += _filled(rng, topic, topic.about, frozenset((Label.UNREAL, Label.OTHERS, Label.NOTHING)))
    beside = _BESIDE | {Label.OTHERS, Label.UNREAL}
    found["nothing"] = [Line((Part(line, beside),)) for one in phrases.negatives() for line in one.lines]
    found["nothing"] += [Line((Part(line, NOTHING),)) for own in phrases.needs().values() for line in own]
    found["nothing"] += [Line((Part(line, NOTHING),)) for one in phrases.vague() for line in one.say]
    found["requests"] = [Line((Part(one.text, NOTHING),)) for one in talk.requests(rng, REQUESTS)]
    found["outside"] = [
        Line((Part(rng.choice(OPINIONS).format(rng.choice(OUTSIDE)), frozenset((Label.NOTHING, Label.HOLDER))),))
        for _ in range(300)
    ]
    return found
