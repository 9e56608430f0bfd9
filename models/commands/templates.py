"""The template file: loading, checking, sampling.

Owns: what a template file may hold and what can be made from it without hearing anything. The format is hassil's, with three
additions: an intent may state its ``kind`` (``action`` unless said), ``pronunciations`` may say how words sound that
dictionaries lack or know in one way only, and YAML's ``on``/``yes`` are words, not truth values. A file of another domain
loads in the same way; what its intents mean is the caller's matter.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from hassil.expression import Sentence
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError
from hassil.util import is_template, merge_dict

from models.commands.phrase import Choice, Phrase, Rules, Run, Slot, TemplateSyntaxError, Words, phrase_of, slots_of
from models.numbers import number_words
from models.text import spoken
from schemas.errors import ConfigError
from schemas.events import Command, CommandKind

HERE = Path(__file__).parent
BUILTIN = tuple(sorted(HERE.glob("*.yaml")))
"""The templates of Glovebox itself: one file a domain, the shared rules and the lists."""

SECTIONS = {
    "intents": "intent {!r}", "lists": "list {!r}", "expansion_rules": "rule <{}>", "pronunciations": "pronunciation {!r}",
}  # fmt: skip
"""Parts of a template file and how a message names what stands in them."""

PHONES = frozenset(
    "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH".split()
)
"""The 39 phones of CMUdict, in which the acoustic model is trained."""

OPTIONAL_SHARE = 0.3
"""Chance that a sample has an optional part: our choice; speakers leave most of them out."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a list: how it is said, and what goes into the slot."""

    phrase: Phrase
    out: Any


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence template."""

    intent: str
    kind: CommandKind
    block: int
    """Index of its block (sentences that share fixed slots) in the file, counted over all intents."""
    slots: Mapping[str, Any]
    """Slots that the block fixes."""
    text: str
    phrase: Phrase


class _Loader(yaml.CSafeLoader):
    """YAML with ``on``, ``off``, ``yes`` and ``no`` as words (as YAML 1.2 has it)."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


class Templates:
    """Sentence templates that were loaded and checked. Immutable after construction."""

    def __init__(self, content: dict[str, Any], origin: Mapping[str, str]) -> None:
        """Use ``load_templates``; ``content`` is the merged file, ``origin`` names the file of every part of it."""
        self._origin = origin
        self.language: str = str(content.get("language", "en"))
        self.rules = Rules(
            {name: self._parse(f"rule <{name}>", text) for name, text in content.get("expansion_rules", {}).items()}
        )
        self.wildcards = frozenset(name for name, d in content.get("lists", {}).items() if d.get("wildcard"))
        """Lists that take any words; sentences with one are matched in text only, never sampled nor put in a grammar."""
        self.lists = {
            name: self._values(name, given)
            for name, given in content.get("lists", {}).items()
            if not given.get("wildcard")
        }
        self.templates = tuple(self._read_intents(content.get("intents", {})))
        self.pronunciations = {
            spoken(word): self._ways(f"pronunciation {word!r}", ways)
            for word, ways in content.get("pronunciations", {}).items()
        }
        """Ways of saying a word in CMUdict's phones, beside those that dictionaries have."""
        self.definition = self._definition(content)
        """The merged file with number ranges written out in words: what hassil loads."""

    @classmethod
    def read(
        cls,
        *,
        language: str,
        wildcards: frozenset[str],
        lists: dict[str, tuple[Value, ...]],
        templates: tuple[Template, ...],
        pronunciations: dict[str, tuple[str, ...]],
        definition: dict[str, Any],
    ) -> Templates:
        """Templates that were checked before, from what the attributes of these names held (``models.commands.kept``)."""
        found = cls.__new__(cls)
        found.__dict__ |= {
            "_origin": {}, "rules": Rules({}), "language": language, "wildcards": wildcards, "lists": lists,
            "templates": templates, "pronunciations": pronunciations, "definition": definition,
        }  # fmt: skip
        return found

    @property
    def intents(self) -> tuple[str, ...]:
        """Names of the intents in file order."""
        return tuple(dict.fromkeys(template.intent for template in self.templates))

    @cached_property
    def closed(self) -> tuple[Template, ...]:
        """The templates without wildcards: those that can be spoken to a closed grammar."""
        return tuple(t for t in self.templates if not any(s.list_name in self.wildcards for s in slots_of(t.phrase)))

    def vocabulary(self) -> frozenset[str]:
        """Every word that a closed template can contain."""
        found: set[str] = set()
        for phrase in [t.phrase for t in self.closed] + [v.phrase for name in self._used() for v in self.lists[name]]:
            found.update(_words(phrase))
        return frozenset(found)

    def sample(
        self, rng: np.random.Generator, n: int, *, intents: Sequence[str] | None = None
    ) -> list[tuple[str, Command]]:
        """``n`` random sentences with the commands that they stand for; intents are equally likely.

        Args:
            rng: source of all randomness.
            n: how many, 0 or more.
            intents: only these; None for all.

        Raises:
            schemas.errors.ConfigError: one of ``intents`` is not in the file, or has no closed template.
        """
        groups: dict[str, list[Template]] = {}
        for template in self.closed:
            groups.setdefault(template.intent, []).append(template)
        names = list(groups) if intents is None else list(intents)
        if missing := [name for name in names if name not in groups]:
            raise ConfigError(f"no template for {', '.join(missing)}; the file has {', '.join(groups)}")
        drawn: list[tuple[str, Command]] = []
        for _ in range(n):
            group = groups[names[int(rng.integers(len(names)))]]
            template = group[int(rng.integers(len(group)))]
            slots = dict(template.slots)
            words = self._draw(template.phrase, rng, slots)
            drawn.append((" ".join(words), Command(kind=template.kind, name=template.intent, slots=slots)))
        return drawn

    def _used(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(slot.list_name for t in self.closed for slot in slots_of(t.phrase)))

    def _draw(self, phrase: Phrase, rng: np.random.Generator, slots: dict[str, Any]) -> list[str]:
        if isinstance(phrase, Words):
            return list(phrase.words)
        if isinstance(phrase, Run):
            return [word for item in phrase.items for word in self._draw(item, rng, slots)]
        if isinstance(phrase, Choice):
            if phrase.optional and rng.random() >= OPTIONAL_SHARE:
                return []
            return self._draw(phrase.items[int(rng.integers(len(phrase.items)))], rng, slots)
        values = self.lists[phrase.list_name]
        value = values[int(rng.integers(len(values)))]
        slots[phrase.slot] = value.out
        return self._draw(value.phrase, rng, {})

    def _read_intents(self, intents: Mapping[str, Any]) -> Iterable[Template]:
        block = 0
        for intent, given in intents.items():
            where = f"intent {intent!r}"
            try:
                kind = CommandKind(given.get("kind", "action"))
            except ValueError:
                raise self._error(where, f"kind {given['kind']!r} is none of {', '.join(CommandKind)}") from None
            if not given.get("data"):
                raise self._error(where, "it has no data")
            for data in given["data"]:
                if not data.get("sentences"):
                    raise self._error(where, "a block has no sentences")
                slots = dict(data.get("slots", {}))
                for text in data["sentences"]:
                    yield Template(intent, kind, block, slots, text, self._phrase(where, text, slots))
                block += 1

    def _phrase(self, where: str, text: str, fixed: Mapping[str, Any]) -> Phrase:
        try:
            phrase = phrase_of(self._parse(where, text).expression, self.rules)
        except TemplateSyntaxError as error:
            raise self._error(where, f"sentence {text!r}: {error}") from None
        for slot in slots_of(phrase):
            if slot.list_name not in self.lists and slot.list_name not in self.wildcards:
                raise self._error(where, f"sentence {text!r}: no list {{{slot.list_name}}}")
            if slot.slot in fixed:
                raise self._error(where, f"sentence {text!r}: slot {slot.slot!r} is fixed by its block already")
        return phrase

    def _values(self, name: str, given: Mapping[str, Any]) -> tuple[Value, ...]:
        where = f"list {name!r}"
        if "range" in given:
            return tuple(Value(Words(tuple(text.split())), out) for text, out in _range(given["range"]))
        values: list[Value] = []
        for entry in given.get("values") or []:
            said, out = (entry["in"], entry.get("out")) if isinstance(entry, dict) else (str(entry), None)
            if out is None and is_template(said):
                raise self._error(where, f"value {said!r} is a template and needs an out")
            try:
                phrase = phrase_of(self._parse(where, said).expression, self.rules)
            except TemplateSyntaxError as error:
                raise self._error(where, f"value {said!r}: {error}") from None
            if any(slots_of(phrase)):
                raise self._error(where, f"value {said!r} refers to another list")
            values.append(Value(phrase, spoken(said) if out is None else out))
        if not values:
            raise self._error(where, "it has neither values nor range nor wildcard")
        return tuple(values)

    def _ways(self, where: str, given: Any) -> tuple[str, ...]:
        ways = [given] if isinstance(given, str) else given
        if not isinstance(ways, list) or not all(
            isinstance(way, str) and way and set(way.split()) <= PHONES for way in ways
        ):
            raise self._error(where, f"{given!r} is no list of phones such as [K AA F IY, K AO F IY]")
        return tuple(" ".join(way.split()) for way in ways)

    def _definition(self, content: dict[str, Any]) -> dict[str, Any]:
        lists: dict[str, Any] = {}
        for name, given in content.get("lists", {}).items():
            if "range" in given:
                lists[name] = {"values": [{"in": text, "out": out} for text, out in _range(given["range"])]}
            elif "values" in given:
                lists[name] = {
                    "values": [
                        entry if isinstance(entry, dict) else {"in": str(entry), "out": spoken(str(entry))}
                        for entry in given["values"]
                    ]
                }
            else:
                lists[name] = given
        return {**content, "language": self.language, "lists": lists}

    def _parse(self, where: str, text: str) -> Sentence:
        try:
            return parse_sentence(str(text))
        except (ParseError, AssertionError, IndexError) as error:
            raise self._error(where, f"{text!r} is no valid template ({error or type(error).__name__})") from None

    def _error(self, where: str, problem: str) -> ConfigError:
        return ConfigError(f"{self._origin.get(where, 'template file')}: {where}: {problem}")


def load_templates(
    *paths: Path, without: Container[str] = (), names: Mapping[str, Sequence[str]] | None = None
) -> Templates:
    """Read template files; later files add to earlier ones. Without paths: the templates of Glovebox.

    Args:
        paths: the files.
        without: names of intents to leave out: what this vehicle does not have is neither heard nor understood.
        names: list -> the names that stand in it here in the place of the file's examples: a driver's contacts, playlists.
            A list ``X`` that is named so also gives ``X_s`` its values with "'s".

    Raises:
        schemas.errors.ConfigError: a file is missing or is not a template file; the message names file and intent.
    """
    content: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for path in paths or BUILTIN:
        try:
            part = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
        except OSError as error:
            raise ConfigError(f"cannot read the template file {path}: {error.strerror}") from error
        except yaml.YAMLError as error:
            raise ConfigError(f"{path} is no valid YAML: {str(error).splitlines()[0]}") from error
        if not isinstance(part, dict):
            raise ConfigError(f"{path} is no template file: it holds no intents, lists or rules")
        for section, mark in SECTIONS.items():
            named = part.get(section, {})
            forms = (str, list) if section == "pronunciations" else (str, dict)
            if not isinstance(named, dict) or not all(isinstance(given, forms) for given in named.values()):
                raise ConfigError(f"{path}: {section} must name its parts")
            origin.update({mark.format(name): str(path) for name in named})
        merge_dict(content, part)
    if not content.get("intents"):
        raise ConfigError(f"no intents in {', '.join(str(path) for path in paths or BUILTIN)}")
    content["intents"] = {name: given for name, given in content["intents"].items() if name not in without}
    for name, said in named_lists(names or {}).items():
        if name in content.get("lists", {}):
            content["lists"][name] = {"values": [{"in": one, "out": out} for one, out in said.items()]}
    return Templates(content, origin)


def named_lists(names: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """The lists that names give: each value as it is said, and what it stands for. A list ``X_s`` has them with "'s"."""
    found: dict[str, dict[str, str]] = {}
    for name, given in names.items():
        if said := list(dict.fromkeys(plain for one in given if (plain := spoken(one)))):
            found[name] = {one: one for one in said}
            found[f"{name}_s"] = {f"{one}'s": one for one in said}
    return found


def _range(given: Mapping[str, Any]) -> list[tuple[str, int | float]]:
    """Every way to say the numbers of a range: halves also as "and a half", 100 also as "a hundred"."""
    halves = given.get("fractions") == "halves"
    said: list[tuple[str, int | float]] = []
    last = int(given["to"])
    for number in range(int(given["from"]), last + 1, int(given.get("step", 1))):
        said.append((number_words(number), number))
        if number == 100:
            said.append(("a hundred", number))
        if halves and number < last:
            said += [(f"{number_words(number)} and a half", number + 0.5), (number_words(number + 0.5), number + 0.5)]
    return said


def _words(phrase: Phrase) -> set[str]:
    if isinstance(phrase, Words):
        return set(phrase.words)
    return set() if isinstance(phrase, Slot) else set().union(*(_words(item) for item in phrase.items))
