"""The lines in ``data/``: reading them, and drawing utterances from them.

Owns: the files' format. One case a line, ``utterance => acts`` or ``[context] utterance => acts``; ``#`` begins a remark. In both
parts ``{artist}``, ``{person}`` ... stand for names; ``{n:16-28}``, ``{n:16-28:0.5}``, ``{p}`` (percent), ``{h}`` (hour),
``{min}`` for numbers, said in words and written in digits. A digit behind the name makes another one (``{n2:0-5}``, ``{artist2}``).
``(turn|switch|put)`` are ways of saying it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

import yaml

from models.numbers import number_words
from models.text import spoken
from models.training import phrases
from models.training.acts.form import Act, read, write
from models.training.encoder import names as coined

FOLDER = Path(__file__).parent / "data"
HELD_OUT = 25
"""One line in so many is never trained on; by the CRC-32 of its text."""
COINED = 0.15
"""Artists, stations and so on whose name nobody has heard."""
BANK = {
    "artist": "favorite_artists_or_bands", "song": "favorite_songs", "genre": "favorite_genres",
    "station": "preferred_radio_station", "show": "favorite_podcast_shows", "podcast_genre": "favorite_podcast_genres",
    "cuisine": "favourite_cuisine", "gas_brand": "preferred_gas_station", "shop": "preferred_supermarket_chain",
}  # fmt: skip
"""Placeholder -> the detail key of the phrase bank whose values may stand there."""
REQUESTS = {
    "person": "contact",
    "destination": "destination",
    "playlist": "playlist",
    "label": "timer_name",
    "what": "errand",
}
"""Placeholder -> the slot of ``phrases/requests.yaml`` whose words may."""
BARE = frozenset("person destination playlist city topic label shop".split())
"""Placeholders whose article or "my" is said and not written."""
HOLE = re.compile(r"{([a-z_]+)(\d?)(?::(\d+)-(\d+)(?::([\d.]+))?)?}")
WAYS = re.compile(r"\(([^()]*\|[^()]*)\)")
NUMBERS = ("n", "p", "h", "min")
"""Placeholders for numbers."""
_LEAD = re.compile(r"(?:my|the|a|an|our|your) (?=.)")
_LED = re.compile(r"(?:^|\W)(?:my|the|a|an|our|your|his|her|their|this|that)$")


@dataclass(frozen=True)
class Line:
    """One line of a file."""

    file: str
    number: int
    text: str
    """What stands there: context, utterance, arrow and acts."""

    @property
    def group(self) -> str:
        """For reports: the file's name."""
        return self.file

    @property
    def held_out(self) -> bool:
        """Whether it is only measured on."""
        return zlib.crc32(self.text.encode()) % HELD_OUT == 0

    @property
    def variety(self) -> int:
        """How often it is worth drawing in one round: once, and once more for holes and for ways."""
        return 1 + bool(HOLE.search(self.text)) + bool(WAYS.search(self.text.partition("=>")[0]))


@dataclass(frozen=True)
class Case:
    """An utterance with what it means."""

    utterance: str
    acts: tuple[Act, ...]
    context: str = ""
    """``did ACTS``, ``asked ACTS``, ``needs ACTS`` or ``offered ACTS: NAMES``; empty for none."""
    group: str = ""

    @property
    def prompt(self) -> str:
        """What the model reads."""
        return f"[{self.context}] {self.utterance}\n" if self.context else f"{self.utterance}\n"

    @property
    def answer(self) -> str:
        """What it is to write."""
        return write(self.acts)


def lines(folder: Path = FOLDER) -> list[Line]:
    """All lines of the folder's files ``*.txt``, or of one file, without remarks."""
    found: list[Line] = []
    for path in [folder] if folder.is_file() else sorted(folder.glob("*.txt")):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if text.strip() and not text.lstrip().startswith("#"):
                found.append(Line(path.stem, number, " ".join(text.split())))
    return found


@lru_cache(maxsize=1)
def _names() -> dict[str, tuple[str, ...]]:
    read_ = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
    found = {hole: [one for row in rows for one in row.split(", ")] for hole, rows in read_.items()}
    for hole, detail in BANK.items():
        found[hole] += [said for value in phrases.topics()[detail].values for said in value.said]
    for hole, slot in REQUESTS.items():
        found[hole] += phrases.slots()[slot].words
    return {hole: tuple(dict.fromkeys(spoken(one) for one in all_)) for hole, all_ in found.items()}


def name(rng: Random, hole: str) -> str:
    """A name for a placeholder.

    Raises:
        ValueError: there is no such placeholder.
    """
    if hole not in _names():
        raise ValueError(f"no placeholder is called {{{hole}}}")
    detail = BANK.get(hole, "")
    if detail in coined.KINDS and rng.random() < COINED:
        return coined.coin(rng, detail)
    return rng.choice(_names()[hole])


def said_number(rng: Random, value: float) -> str:
    """One way to say a number: halves as "point five" or "and a half", 100 as "one hundred" or "a hundred"."""
    if value == 100:
        return rng.choice(("one hundred", "a hundred"))
    if value % 1 == 0.5 and rng.random() < 0.5:
        return f"{number_words(int(value))} and a half"
    return number_words(value)


def number(rng: Random, found: re.Match[str]) -> float:
    """A number for a placeholder that `HOLE` found.

    Raises:
        ValueError: it needs a range, and has none.
    """
    hole, low, high, step = found.group(1, 3, 4, 5)
    if hole == "p":
        return 5 * rng.randint(1, 20)
    if hole == "h":
        return rng.randint(1, 12)
    if hole == "min":
        return rng.randint(1, 60)
    if low is None or high is None:
        raise ValueError(f"{{{hole}}} needs a range")
    by = float(step or 1)
    value = int(low) + by * rng.randint(0, int((int(high) - int(low)) / by))
    return int(value) if value.is_integer() else value


@contextmanager
def placed(line: Line) -> Generator[None]:
    """Says of an error where it is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{line.file}.txt:{line.number}: {error}") from None


def parts(rng: Random, line: Line) -> tuple[str, str, str]:
    """What stands in brackets, the utterance in one of its ways, and what stands behind the arrow; placeholders stay.

    Raises:
        ValueError: there is no arrow, or the brackets are not closed.
    """
    left, arrow, right = (part.strip() for part in line.text.partition("=>"))
    if not arrow:
        raise ValueError("no arrow")
    context, text = "", left
    if text.startswith("["):
        context, closed, text = text[1:].partition("]")
        if not closed:
            raise ValueError("the brackets are not closed")
    while found := WAYS.search(text):
        text = text[: found.start()] + rng.choice(found[1].split("|")) + text[found.end() :]
    return context, text, right


def draw(rng: Random, line: Line) -> Case:
    """One utterance of a line.

    Raises:
        ValueError: the line is not in the format; the message says where and why.
    """
    with placed(line):
        return _draw(rng, line)


def _draw(rng: Random, line: Line) -> Case:
    context, text, right = parts(rng, line)
    written: dict[str, str] = {}
    said: dict[str, str] = {}
    for found in HOLE.finditer(f"{text} {context}"):
        hole, at = found[1], found[1] + found[2]
        if at in said:
            continue
        if hole in NUMBERS:
            value = number(rng, found)
            said[at], written[at] = said_number(rng, value), f"{value:g}"
            continue
        one = name(rng, hole)
        bare = _LEAD.sub("", one, count=1) if hole in BARE and _LEAD.match(one) else one
        before = text[: text.find(found[0])].rstrip() if found[0] in text else ""
        said[at], written[at] = (bare if _LED.search(before) else one), (bare if hole in BARE else one)

    def put(where: str, *, as_said: bool = False) -> str:
        def value(found: re.Match[str]) -> str:
            at = found[1] + found[2]
            if at not in said:
                raise ValueError(f"{found[0]} is not in the utterance")
            alone = where[: found.start()].endswith(("=", ": ", ", "))
            return written[at] if alone and not as_said else said[at]

        return HOLE.sub(value, where)

    utterance = spoken(put(text, as_said=True))
    if not utterance:
        raise ValueError("no utterance")
    context, acts = put(context).strip(), read(put(right))
    for value in {value for act in acts for value in act.said}:
        if not says(f"{utterance} {context}", value):
            raise ValueError(f"{value!r} is not said in {utterance!r}")
    return Case(utterance, acts, context, line.group)


def says(text: str, value: str) -> bool:
    """Whether the words of a value stand in a text, one after the other; "anna's" says "anna"."""
    return re.search(rf"(?<![\w']){re.escape(value)}(?!\w)", text) is not None


def checked(all_: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """The lines that are not in the format, each with what is wrong; names of all kinds were drawn thrice."""
    for line in all_:
        try:
            for seed in range(3 if line.variety > 1 else 1):
                draw(Random(seed), line)
        except ValueError as error:
            yield line, str(error)
