"""The phrase bank: what drivers say. Reads and checks the YAML files beside it; generating text is ``conversations``.

Everything in the bank was written for this project, in spoken form, as a recogniser puts words out: lower case, no
digits, no punctuation but the apostrophe (also inside words: ``fast-food`` is ``fast food``).

Files and their form:

- ``points_of_interest.yaml``, ``navigation_and_routing.yaml``, ``vehicle_settings_and_comfort.yaml``,
  ``entertainment_and_media.yaml``: a mapping detail key -> topic, in the order of ``schemas.preferences``:

  - ``values``: canonical value -> the ways of saying it, which all fit the slot ``{value}`` (an empty list: the value
    is only ever said in whole sentences)
  - ``patterns``: sentences with ``{value}`` in which a driver reveals the preference
  - ``sentences``: canonical value -> whole sentences; ``[ ]`` marks the words that carry the value
  - ``negations``: it does not hold any more; ``changes``: it holds from now on. Both either patterns, or canonical
    value -> sentences

- ``requests.yaml``, ``vague.yaml``, ``negatives.yaml``, ``assistant.yaml``: see their heads.

One in five patterns, sentences and values of an open-ended category is *held out*: never trained on, only measured
on. Which ones is decided by the CRC-32 of the text, so adding a line moves few others.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

from schemas.actions import BY_NAME
from schemas.preferences import BY_DETAIL, CATEGORIES, MAIN_TITLES

FOLDER = Path(__file__).parent
HELD_OUT_SHARE = 0.2
"""One in five, as usual for a held-out part of a few dozen lines."""
OPEN_VALUES = 10
"""A category with at least so many values is open-ended: one in five of them is held out. The others are closed."""
SPOKEN = re.compile(r"[a-z']+( [a-z']+)*")
"""What a line may look like once its marks and slots are taken out."""

T = TypeVar("T")


class _Loader(yaml.SafeLoader):
    """YAML in which only ``true`` and ``false`` are truth values: ``on``, ``off``, ``yes`` and ``no`` are words."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the name and kind that PyYAML looks for
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))


@dataclass(frozen=True)
class Value:
    """A value and the ways of saying it."""

    canonical: str
    said: tuple[str, ...]

    def __str__(self) -> str:
        return self.canonical


@dataclass(frozen=True)
class Sentence:
    """A whole sentence that carries a value; ``said`` is the part of ``text`` that does."""

    canonical: str
    text: str
    said: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Lines:
    """Ways of saying one thing about a preference: patterns with ``{value}``, and whole sentences."""

    patterns: tuple[str, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class Topic:
    """All phrases of one detail category."""

    detail: str
    values: tuple[Value, ...]
    reveals: Lines
    negations: Lines
    changes: Lines


@dataclass(frozen=True)
class Phrasing:
    """Ways of asking for one action with the same slots: JSON values, or ``"{name}"`` for what is said for it."""

    action: str
    slots: Mapping[str, Any]
    say: tuple[str, ...]


@dataclass(frozen=True)
class Fill:
    """A remembered preference that completes a vague request: the fact's value goes into the slot.

    ``values`` maps canonical values to slot values where the slot is a number or one of a closed set; without it the
    value's own words are taken. Values that are not in the map do not complete the request.
    """

    detail: str
    slot: str
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Vague:
    """Requests that mean more to who remembers: ``otherwise`` are the slots where nothing is (None: no action)."""

    name: str
    action: str
    slots: Mapping[str, Any]
    fills: tuple[Fill, ...]
    otherwise: Mapping[str, Any] | None
    say: tuple[str, ...]


@dataclass(frozen=True)
class Negatives:
    """Lines of one kind without a preference; ``asks``: whether something is asked of the car (what is left open)."""

    kind: str
    asks: bool
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """How a name in braces of a request is said.

    One of: ``values`` (said -> slot value), ``words`` (the said words are the value), ``topics`` (words of the values
    of these detail keys), ``numbers`` (``celsius`` or ``percent``; ``conversations`` speaks them).
    """

    values: Mapping[str, Any] | None = None
    words: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    numbers: str | None = None


def _held_out_part(items: Sequence[T]) -> frozenset[T]:
    """The held-out fifth of some lines (at least one of two), by the CRC-32 of their text; one line alone is never."""
    ranked = sorted(items, key=lambda item: zlib.crc32(str(item).encode()))
    return frozenset(ranked[: math.ceil(len(ranked) * HELD_OUT_SHARE)] if len(ranked) > 1 else ())


def part(items: Sequence[T], *, held_out: bool) -> tuple[T, ...]:
    """The items of one side of the division, in their order."""
    apart = _held_out_part(items)
    return tuple(item for item in items if (item in apart) == held_out)


def values_part(topic: Topic, *, held_out: bool) -> tuple[Value, ...]:
    """The values of one side: divided where the category is open-ended, all of them where it is closed."""
    return part(topic.values, held_out=held_out) if len(topic.values) >= OPEN_VALUES else topic.values


def _sentence(canonical: str, marked: str) -> Sentence:
    before, _, rest = marked.partition("[")
    said, closed, after = rest.partition("]")
    if not closed or not said or "[" in after or "]" in after:
        raise ValueError(f"{marked!r} must mark the words of its value once with [ ]")
    return Sentence(canonical, f"{before}{said}{after}", said)


def _checked(line: str, slots: Sequence[str]) -> str:
    bare = line
    for slot in slots:
        bare = bare.replace(f"{{{slot}}}", "slot")
    if SPOKEN.fullmatch(bare) is None:
        raise ValueError(f"{line!r} is not in spoken form, or has an unknown slot (known here: {list(slots)})")
    return line


def _lines(entry: Any) -> Lines:
    if isinstance(entry, Mapping):
        sentences = tuple(_sentence(value, line) for value, said in entry.items() for line in said)
        for sentence in sentences:
            _checked(sentence.text, ())
        return Lines(sentences=sentences)
    for line in entry or ():
        if _checked(line, ("value",)).count("{value}") < 1:
            raise ValueError(f"{line!r} has no slot for its value")
    return Lines(patterns=tuple(entry or ()))


def _topic(detail: str, entry: Mapping[str, Any]) -> Topic:
    unknown = set(entry) - {"values", "patterns", "sentences", "negations", "changes"}
    if detail not in BY_DETAIL or unknown:
        raise ValueError(f"topic {detail!r} is not a detail key, or has unknown parts {sorted(unknown)}")
    values = tuple(Value(name, tuple(_checked(way, ()) for way in said)) for name, said in entry["values"].items())
    reveals = Lines(_lines(entry.get("patterns")).patterns, _lines(entry.get("sentences") or {}).sentences)
    return Topic(detail, values, reveals, _lines(entry.get("negations")), _lines(entry.get("changes")))


def _read(name: str, loader: type[yaml.BaseLoader | yaml.SafeLoader]) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - neither builds objects


@lru_cache(maxsize=1)
def topics() -> Mapping[str, Topic]:
    """All topics by detail key, in the order of ``schemas.preferences.CATEGORIES``.

    Raises:
        ValueError: a line is not in the form that the head of this module describes.
    """
    found: dict[str, Topic] = {}
    for main in MAIN_TITLES:
        if (FOLDER / f"{main}.yaml").exists():
            read = _read(f"{main}.yaml", yaml.BaseLoader)
            found.update((detail, _topic(detail, entry)) for detail, entry in read.items())
    return {category.detail: found[category.detail] for category in CATEGORIES if category.detail in found}


@lru_cache(maxsize=1)
def slots() -> Mapping[str, Slot]:
    """The names that may stand in braces in a request, and how each is said."""
    read = _read("requests.yaml", _Loader)["slots"]
    return {
        name: Slot(how.get("values"), tuple(how.get("words", ())), tuple(how.get("from", ())), how.get("numbers"))
        for name, how in read.items()
    }


@lru_cache(maxsize=1)
def requests() -> tuple[Phrasing, ...]:
    """Ways of asking for every action, in the order of ``schemas.actions.ACTIONS``.

    Raises:
        ValueError: a line is not in spoken form, or its slots are not those of its action.
    """
    found: list[Phrasing] = []
    for action, entries in _read("requests.yaml", _Loader)["actions"].items():
        for entry in entries:
            say = tuple(_checked(line, tuple(slots())) for line in entry["say"])
            filled = entry.get("slots", {})
            if not set(filled) <= set(BY_NAME[action].model_fields):
                raise ValueError(f"{action} has not all of the slots {sorted(filled)}")
            found.append(Phrasing(action, filled, say))
    return tuple(found)


@lru_cache(maxsize=1)
def vague() -> tuple[Vague, ...]:
    """Requests that a remembered preference completes.

    Raises:
        ValueError: a line is not in spoken form, or a slot or detail key is unknown.
    """
    found: list[Vague] = []
    for name, entry in _read("vague.yaml", _Loader).items():
        fills = tuple(Fill(**fill) for fill in entry["fills"])
        fields = BY_NAME[entry["action"]].model_fields
        if any(fill.detail not in BY_DETAIL or fill.slot not in fields for fill in fills):
            raise ValueError(f"vague request {name!r} fills an unknown slot or from an unknown detail key")
        say = tuple(_checked(line, ()) for line in entry["say"])
        found.append(Vague(name, entry["action"], entry["slots"], fills, entry["otherwise"], say))
    return tuple(found)


@lru_cache(maxsize=1)
def negatives() -> tuple[Negatives, ...]:
    """What holds no preference of the driver.

    Raises:
        ValueError: a line is not in spoken form.
    """
    read = _read("negatives.yaml", _Loader)
    return tuple(
        Negatives(kind, entry["asks"], tuple(_checked(line, ()) for line in entry["lines"]))
        for kind, entry in read.items()
    )


@lru_cache(maxsize=1)
def assistant() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """What the assistant says, by sub category (and ``any``) and by moment: ``opens``, ``answers``, ``closes``."""
    read = _read("assistant.yaml", _Loader)
    return {topic: {moment: tuple(lines) for moment, lines in moments.items()} for topic, moments in read.items()}
