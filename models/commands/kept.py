"""A command matcher as it was compiled once: reading the templates and making their graph takes 1.4 s, this .07.

Owns the form in which it is kept. A driver's own words (contacts, playlists) are not in it: the names that were given stand
there as numbers, and the digest that finds the file again says no more of them than whether they are these. What was written by
other sources or for another vehicle has another key (``models.computed``). Does not own how templates are read
(``models.commands.templates``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hassil.parse_expression import parse_sentence

from models import computed
from models.commands import templates as sources
from models.commands.graph import WordGraph
from models.commands.matcher import TemplateMatcher
from models.commands.phrase import Choice, Phrase, Rules, Run, Slot, Words, phrase_of
from models.commands.templates import BUILTIN, Template, Templates, Value, load_templates, named_lists
from schemas.events import CommandKind

KIND = "commands"
Names = Mapping[str, Sequence[str]]
Own = Mapping[str, Mapping[str, str]]
"""List -> how each name is said -> what it stands for."""


def matcher_of(keep: Path | None, *, without: frozenset[str], names: Names) -> TemplateMatcher:
    """The matcher of Glovebox's templates, read from the folder if it was kept there, else compiled and kept.

    Args:
        keep: the folder; None: nothing is kept.
        without: as of ``load_templates``.
        names: as of ``load_templates``.

    Raises:
        schemas.errors.ConfigError: a template file cannot be used.
    """
    own = named_lists(names)
    key = computed.key_of(
        _sources(), sorted(without), [(name, list(said.items())) for name, said in sorted(own.items())]
    )
    file = computed.opened(keep, KIND, key)
    if file is not None:
        with file:
            return _unpacked(json.load(file), own)
    matcher = TemplateMatcher(load_templates(without=without, names=names))
    written = json.dumps(_packed(matcher, own), separators=(",", ":")).encode()
    computed.keep(keep, KIND, key, lambda file: file.write(written))
    return matcher


@cache
def _sources() -> str:
    """Everything that decides what is compiled: the templates, the modules that read them, and the package that parses them."""
    folder = Path(sources.__file__).parent
    code = (*sorted(folder.glob("*.py")), folder.parent / "text.py", folder.parent / "numbers.py")
    read = [path.read_bytes() for path in (*BUILTIN, *code)]
    return computed.key_of(version("hassil"), *read)


class _Nodes:
    """Phrases as numbered rows: rules are shared by most templates, and stand there once."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self._known: dict[Phrase, int] = {}
        self._same: dict[int, int] = {}
        """Of objects that were seen; looking at them again would cost their whole tree."""

    def add(self, phrase: Phrase) -> int:
        if id(phrase) in self._same:
            return self._same[id(phrase)]
        if phrase not in self._known:
            self.rows.append(self._row(phrase))
            self._known[phrase] = len(self.rows) - 1
        self._same[id(phrase)] = self._known[phrase]
        return self._known[phrase]

    def _row(self, phrase: Phrase) -> list[Any]:
        if isinstance(phrase, Words):
            return ["w", *phrase.words]
        if isinstance(phrase, Slot):
            return ["s", phrase.list_name, phrase.slot]
        items = [self.add(item) for item in phrase.items]
        return ["r", *items] if isinstance(phrase, Run) else ["o" if phrase.optional else "c", *items]


def _nodes(rows: Iterable[list[Any]]) -> list[Phrase]:
    found: list[Phrase] = []
    for kind, *rest in rows:
        if kind == "w":
            found.append(Words(tuple(rest)))
        elif kind == "s":
            found.append(Slot(*rest))
        else:
            items = tuple(found[number] for number in rest)
            found.append(Run(items) if kind == "r" else Choice(items, optional=kind == "o"))
    return found


def _own_words(own: Own) -> list[str]:
    return sorted({word for said in own.values() for one in said for word in one.split()})


def _packed(matcher: TemplateMatcher, own: Own) -> dict[str, Any]:
    given, nodes = matcher.templates, _Nodes()
    private = {word: -1 - number for number, word in enumerate(_own_words(own))}
    words = sorted({word for arcs in matcher.graph.arcs for word in arcs} - private.keys())
    number = {word: at for at, word in enumerate(words)} | private
    ends = list(dict.fromkeys(matcher.graph.blocks))
    at_end = {blocks: at for at, blocks in enumerate(ends)}
    lists = given.definition["lists"]
    return {
        "language": given.language,
        "wildcards": sorted(given.wildcards),
        "templates": [
            [one.intent, one.kind.value, one.block, dict(one.slots), one.text, nodes.add(one.phrase)]
            for one in given.templates
        ],
        "lists": {
            name: [[nodes.add(value.phrase), value.out] for value in values]
            for name, values in given.lists.items()
            if name not in own
        },
        "order": [list(given.lists), list(lists)],
        "pronunciations": given.pronunciations,
        "definition": {
            **{name: part for name, part in given.definition.items() if name != "intents"},
            "lists": {name: part for name, part in lists.items() if name not in own},
        },
        "nodes": nodes.rows,
        "words": words,
        "arcs": [[part for word, end in arcs.items() for part in (number[word], end)] for arcs in matcher.graph.arcs],
        "ends": [sorted(blocks) for blocks in ends],
        "blocks": [at_end[blocks] for blocks in matcher.graph.blocks],
        "open": list(matcher.open),
    }


def _unpacked(data: dict[str, Any], own: Own) -> TemplateMatcher:
    nodes = _nodes(data["nodes"])
    private = _own_words(own)
    words = data["words"] + private[::-1]  # the last of the list is -1, the first of the names
    kinds = {kind.value: kind for kind in CommandKind}
    lists = {name: tuple(Value(nodes[at], out) for at, out in rows) for name, rows in data["lists"].items()}
    lists |= {
        name: tuple(Value(phrase_of(parse_sentence(one).expression, Rules({})), out) for one, out in said.items())
        for name, said in own.items()
    }
    named = {name: {"values": [{"in": one, "out": out} for one, out in said.items()]} for name, said in own.items()}
    of_values, of_file = data["order"]
    definition = data["definition"]
    definition["lists"] = {name: {**definition["lists"], **named}[name] for name in of_file}
    templates = Templates.read(
        language=data["language"],
        wildcards=frozenset(data["wildcards"]),
        lists={name: lists[name] for name in of_values},
        templates=tuple(
            Template(intent, kinds[kind], block, slots, text, nodes[at])
            for intent, kind, block, slots, text, at in data["templates"]
        ),
        pronunciations={word: tuple(ways) for word, ways in data["pronunciations"].items()},
        definition=definition,
    )
    ends = [frozenset[int](blocks) for blocks in data["ends"]]
    arcs = [{words[row[at]]: row[at + 1] for at in range(0, len(row), 2)} for row in data["arcs"]]
    graph = WordGraph.read(arcs, [ends[at] for at in data["blocks"]])
    return TemplateMatcher(templates, graph, tuple(data["open"]))
