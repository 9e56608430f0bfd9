"""The phrase bank: what drivers say. Reads and checks the YAML files beside it; generating text is ``conversations``.

Everything in the bank was written for this project, in spoken form, as a recogniser puts words out: lower case, no
digits, no punctuation but the apostrophe (also inside words: ``fast-food`` is ``fast food``).

Files and their form:

- one file a sub category (``restaurant.yaml`` ...): a mapping detail key -> topic, in the order of ``schemas.preferences``:

  - ``values``: canonical value -> the ways of saying it, which all fit the slot ``{value}`` (an empty list: the value
    is only ever said in whole sentences)
  - ``patterns``: sentences with ``{value}`` in which a driver says that this is what he or she likes, wants or does
  - ``sentences``: the same, canonical value -> whole sentences; ``[ ]`` marks the words that carry the value
  - ``hints``: the preference only shows in what is asked for: the value is chosen, but nothing says that it lasts
  - ``once``: the value is wished for this time only, and the sentence says so: no preference
  - ``about``: on the topic, with or without ``{value}``, but nothing of the driver's own liking: no preference
  - ``negations``: it does not hold any more; ``changes``: it holds from now on
  - ``hints`` to ``changes`` are a list of patterns, a mapping canonical value -> sentences, or a mapping with one or both of
    ``patterns`` and ``sentences``

- ``neighbours.yaml``, ``borders.yaml``: more lines for the topics, on the border between two of them
- ``turns_*.yaml``: more lines for the topics, in the longer turns in which people talk to an assistant
- ``contexts.yaml``: what is asked for before a name comes, and what is then said of the name
- ``requests.yaml``, ``vague.yaml``, ``needs.yaml``, ``negatives.yaml``, ``talk.yaml``, ``assistant.yaml``: see their heads.

One in five patterns, sentences and values of an open-ended category is *held out*: never trained on, only measured
on. Which ones is decided by the CRC-32 of the text, so adding a line moves few others.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import yaml

from models.commands.templates import load_templates
from schemas.actions import BY_NAME
from schemas.preferences import BY_DETAIL, CATEGORIES, SUB_TITLES

FOLDER = Path(__file__).parent
HELD_OUT_SHARE = 0.2
"""One in five, as usual for a held-out part of a few dozen lines."""
OPEN_VALUES = 10
"""A category with at least so many values is open-ended: one in five of them is held out. The others are closed."""
BORDERS = "neighbours.yaml", "borders.yaml"
"""Files of lines on the border between two categories."""
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
    hints: Lines
    once: Lines
    about: Lines
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


def _lines(entry: Any, *, slot: bool = True) -> Lines:
    """Patterns, whole sentences, or both; ``slot``: a pattern must have a slot for its value."""
    if entry is None:
        return Lines()
    if not isinstance(entry, Mapping):
        entry = {"patterns": entry}
    elif not set(entry) <= {"patterns", "sentences"}:
        entry = {"sentences": entry}
    said = entry.get("sentences") or {}
    sentences = tuple(_sentence(value, line) for value, lines in said.items() for line in lines)
    for sentence in sentences:
        _checked(sentence.text, ())
    patterns = tuple(_checked(line, ("value",)) for line in entry.get("patterns") or ())
    for line in patterns:
        if slot and "{value}" not in line:
            raise ValueError(f"{line!r} has no slot for its value")
    return Lines(patterns, sentences)


def _topic(detail: str, entry: Mapping[str, Any]) -> Topic:
    unknown = set(entry) - {"values", "patterns", "sentences", "hints", "once", "about", "negations", "changes"}
    if detail not in BY_DETAIL or unknown:
        raise ValueError(f"topic {detail!r} is not a detail key, or has unknown parts {sorted(unknown)}")
    values = tuple(Value(name, tuple(_checked(way, ()) for way in said)) for name, said in entry["values"].items())
    topic = Topic(
        detail,
        values,
        reveals=_lines({"patterns": entry.get("patterns"), "sentences": entry.get("sentences")}),
        hints=_lines(entry.get("hints")),
        once=_lines(entry.get("once"), slot=False),
        about=_lines(entry.get("about"), slot=False),
        negations=_lines(entry.get("negations")),
        changes=_lines(entry.get("changes")),
    )
    canonical = {value.canonical for value in values}
    for lines in (topic.reveals, topic.hints, topic.once, topic.about, topic.negations, topic.changes):
        stray = {sentence.canonical for sentence in lines.sentences} - canonical
        if stray and len(values) < OPEN_VALUES:
            raise ValueError(f"topic {detail!r} has sentences of values that it does not list: {sorted(stray)}")
    return topic


def _joined(topic: Topic, more: Topic) -> Topic:
    """The topic with more lines."""
    parts = ("reveals", "hints", "once", "about", "negations", "changes")
    lines: dict[str, Lines] = {}
    for part in parts:
        first, second = getattr(topic, part), getattr(more, part)
        patterns = tuple(dict.fromkeys(first.patterns + second.patterns))
        lines[part] = Lines(patterns, tuple(dict.fromkeys(first.sentences + second.sentences)))
    return replace(topic, **lines)


def _read(name: str, loader: type[yaml.BaseLoader | yaml.SafeLoader]) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - neither builds objects


@lru_cache(maxsize=1)
def topics() -> Mapping[str, Topic]:
    """All topics by detail key, in the order of ``schemas.preferences.CATEGORIES``.

    Raises:
        ValueError: a line is not in the form that the head of this module describes.
    """
    found: dict[str, Topic] = {}
    for sub in SUB_TITLES:
        if (FOLDER / f"{sub}.yaml").exists():
            read = _read(f"{sub}.yaml", yaml.BaseLoader)
            found.update((detail, _topic(detail, entry)) for detail, entry in read.items())
    for more in _more_topics(found, (*BORDERS, *sorted(path.name for path in FOLDER.glob("turns_*.yaml")))):
        found[more.detail] = _joined(found[more.detail], more)
    return {category.detail: found[category.detail] for category in CATEGORIES if category.detail in found}


def _more_topics(known: Mapping[str, Topic], names: Sequence[str]) -> list[Topic]:
    """The topics of files that add lines, with the values of those that are known."""
    return [
        _topic(detail, {"values": {value.canonical: value.said for value in known[detail].values}, **entry})
        for name in names
        for detail, entry in _read(name, yaml.BaseLoader).items()
    ]


@lru_cache(maxsize=1)
def border_lines() -> frozenset[str]:
    """Patterns and sentences on the border between two categories: few among many, so training says them more often."""
    return frozenset(
        str(line)
        for topic in _more_topics(topics(), BORDERS)
        for lines in (topic.reveals, topic.hints)
        for line in (*lines.patterns, *lines.sentences)
    )


@dataclass(frozen=True)
class Contexts:
    """Names in their contexts: what is asked for before (by detail key), and what is then said of any name.

    ``likes`` tell a lasting preference, ``picks`` only choose; both have ``{value}`` in them.
    """

    openings: Mapping[str, tuple[str, ...]]
    likes: tuple[str, ...]
    picks: tuple[str, ...]


@lru_cache(maxsize=1)
def contexts() -> Contexts:
    """What makes clear of what kind a name is.

    Raises:
        ValueError: a line is not in spoken form, or a key is not a detail key.
    """
    read = _read("contexts.yaml", yaml.BaseLoader)
    if stray := set(read["openings"]) - set(BY_DETAIL):
        raise ValueError(f"contexts.yaml has unknown detail keys {sorted(stray)}")
    named = {kind: tuple(_checked(line, ("value",)) for line in lines) for kind, lines in read["named"].items()}
    openings = {detail: tuple(_checked(line, ()) for line in lines) for detail, lines in read["openings"].items()}
    return Contexts(openings, named["likes"], named["picks"])


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

    For an action that has none here yet, its templates' own sentences stand in.

    Raises:
        ValueError: a line is not in spoken form, or its slots or its action are not of ``schemas.actions``.
    """
    found: list[Phrasing] = []
    written = _read("requests.yaml", _Loader)["actions"]
    if unknown := set(written) - set(BY_NAME):
        raise ValueError(f"no action is called {sorted(unknown)}")
    for action in BY_NAME:
        if action not in written:
            found.extend(_from_templates(action))
        for entry in written.get(action, ()):
            say = tuple(_checked(line, tuple(slots())) for line in entry["say"])
            filled = entry.get("slots", {})
            if not set(filled) <= set(BY_NAME[action].model_fields):
                raise ValueError(f"{action} has not all of the slots {sorted(filled)}")
            found.append(Phrasing(action, filled, say))
    return tuple(found)


def _from_templates(action: str) -> list[Phrasing]:
    """Sentences that the command templates have for an action, at most 100 of them."""
    ways: dict[str, Phrasing] = {}
    for text, command in load_templates().sample(np.random.default_rng(0), 100, intents=[action]):
        key = repr(sorted(command.slots.items()))
        before = ways.get(key, Phrasing(action, command.slots, ()))
        if text not in before.say:
            ways[key] = replace(before, say=(*before.say, _checked(text, ())))
    return list(ways.values())


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
def needs() -> Mapping[str, tuple[str, ...]]:
    """Requests that what is remembered of a sub category would help with, by sub category; they reveal nothing.

    Raises:
        ValueError: a line is not in spoken form, or a key is not that of a sub category.
    """
    read = _read("needs.yaml", yaml.BaseLoader)
    if stray := set(read) - set(SUB_TITLES):
        raise ValueError(f"needs.yaml has unknown sub categories {sorted(stray)}")
    return {sub: tuple(_checked(line, ()) for line in lines) for sub, lines in read.items()}


@lru_cache(maxsize=1)
def negatives() -> tuple[Negatives, ...]:
    """What holds no preference of the driver.

    Raises:
        ValueError: a line is not in spoken form.
    """
    return tuple(
        Negatives(kind, entry["asks"], tuple(_checked(line, ()) for line in entry["lines"]))
        for name in ("negatives.yaml", "talk.yaml")
        if (FOLDER / name).exists()
        for kind, entry in _read(name, _Loader).items()
    )


@lru_cache(maxsize=1)
def assistant() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """What the assistant says, by sub category (and ``any``) and by moment: ``opens``, ``answers``, ``closes``."""
    read = _read("assistant.yaml", _Loader)
    return {topic: {moment: tuple(lines) for moment, lines in moments.items()} for topic, moments in read.items()}
