r"""A slice's JSON schema as a GBNF grammar for llama.cpp.

Owns: the translation. Own code instead of ``llama_cpp.llama_grammar.json_schema_to_gbnf``, because nearly every rule that
matters here differs from it (measured on 0.3.36): it ignores ``minimum``, ``maximum`` and ``multipleOf``, lets raw control
characters into strings, allows white space everywhere (tokens and time), writes nulls, and cannot know the words that a
grounded string may be. What is translated is what the models in ``schemas`` use; anything else is refused.

Rules of the form:

- No white space between tokens; properties in the schema's order; what is absent is left out, null is never written.
- A *branch* is an object whose properties are all objects or lists (a domain, a main or sub category). Below the root a
  branch is left out or has something in it.
- Bounded numbers are the list of their values. Text is without control characters and of bounded length.
- A string marked ``grounded`` is a run of words that were said (see `models.structured.words`). In an object with a
  ``turn``, it is a run of words of that turn.
- ``turn`` and ``entry`` are numbers of existing turns and numbered facts.
- What cannot be written (a list of mentions where nothing was said, a required name without words) is left out of the
  grammar with all that needs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from models.structured.words import MAX_SPAN, Sources, Words

Schema = Mapping[str, Any]

MAX_CHOICES = 512
"""Most values of a bounded number: percentages in steps of 5 are 21, so more is a mistake in a schema."""
CHARACTER = r'([^"\\\x7F\x00-\x1F] | "\\" ["\\/bfnrt])'
"""One character of free JSON text: no control characters, which llama.cpp's own rule lets through."""


class UnsupportedSchemaError(TypeError):
    """A model whose JSON schema this module does not translate: a mistake of a programmer, not of a user."""


def resolve(schema: Schema, root: Schema) -> Schema:
    """The schema itself: references followed, ``X | None`` taken as X."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if options:
        if len(options) > 1:
            raise UnsupportedSchemaError("unions are not supported")
        return resolve(options[0], root)
    if "$ref" in schema:
        return resolve(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    return schema


def is_branch(schema: Schema, root: Schema) -> bool:
    """Whether the (resolved) schema is an object of nothing but objects and lists."""
    inner = [resolve(part, root) for part in schema.get("properties", {}).values()]
    return bool(inner) and all(part.get("type") in ("object", "array") for part in inner)


def leaves(
    schema: Schema, root: Schema | None = None, path: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], Schema]]:
    """The paths of the slice's leaves (actions, detail categories) with their (unresolved) schemas, in order."""
    root = root or schema
    found: list[tuple[tuple[str, ...], Schema]] = []
    if is_branch(schema, root):
        for name, part in schema["properties"].items():
            inner = resolve(part, root)
            found += leaves(inner, root, (*path, name)) if is_branch(inner, root) else [((*path, name), part)]
    return found


def choices(schema: Schema) -> list[Any] | None:
    """All values of an enum, a bounded number or a truth value; None for what is none of these."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [False, True]
    if schema.get("type") not in ("integer", "number"):
        return None
    if schema["type"] == "number" and "multipleOf" not in schema:
        raise UnsupportedSchemaError("a number needs multiple_of")
    step = schema.get("multipleOf", 1)
    if "minimum" not in schema or "maximum" not in schema:
        raise UnsupportedSchemaError("a number needs ge and le")
    first, last = -(-schema["minimum"] // step), schema["maximum"] // step
    if last - first >= MAX_CHOICES:
        raise UnsupportedSchemaError(f"a number has more than {MAX_CHOICES} values")
    return [index * step for index in range(int(first), int(last) + 1)]


class Grammar:
    """The grammar of one slice for given sources.

    Attributes:
        text: GBNF.
        dynamic: True if it depends on the sources, so that it must not be used for others.
    """

    def __init__(self, schema: Schema, sources: Sources, *, lead: str = "") -> None:
        """Translate.

        Args:
            schema: of the whole model, as ``model_json_schema`` makes it.
            sources: what may be pointed at.
            lead: what every grounded string begins with; our own model's tokens of a word include the space before
                it, so that it copies better with one here. ``fill`` strips it.

        Raises:
            UnsupportedSchemaError: see the head of this module.
        """
        self._root, self._sources, self._lead = schema, sources, lead
        self._rules: dict[str, str] = {}
        self._spans: dict[tuple[int | None, int], str | None] = {}
        self.dynamic = False
        top = self._object(schema, top=True)
        if top is None:
            raise UnsupportedSchemaError("the model needs words where there are none")
        self._rules["root"] = top
        self.text = "".join(f"{name} ::= {body}\n" for name, body in self._rules.items())

    def _rule(self, body: str) -> str:
        name = f"r{len(self._rules)}"
        self._rules[name] = body
        return name

    def _value(self, schema: Schema, turn: int | None) -> str | None:
        """The expression of a value; None where it cannot be written."""
        schema = resolve(schema, self._root)
        if (values := choices(schema)) is not None:
            return self._rule(" | ".join(_literal(_json(value)) for value in values))
        if schema.get("type") == "string":
            return self._text(schema, turn)
        if schema.get("type") == "array":
            return self._list(schema, turn)
        if schema.get("type") == "object":
            return self._object(schema, turn=turn)
        raise UnsupportedSchemaError(f"type {schema.get('type')!r} is not supported")

    def _text(self, schema: Schema, turn: int | None) -> str | None:
        if "maxLength" not in schema:
            raise UnsupportedSchemaError("a string needs max_length")
        if schema.get("grounded"):
            return self._span(turn, schema["maxLength"])
        return self._rule(f'"\\"" {CHARACTER}{{{schema.get("minLength", 0)},{schema["maxLength"]}}} "\\""')

    def _list(self, schema: Schema, turn: int | None) -> str | None:
        item = self._value(schema["items"], turn)
        if item is None:
            return None
        if "maxItems" not in schema:
            raise UnsupportedSchemaError("a list needs max_length")
        least, most = schema.get("minItems", 0), schema["maxItems"]
        more = f' ("," {item}){{{max(0, least - 1)},{most - 1}}}' if most > 1 else ""
        body = f"{item}{more}"
        return self._rule(f'"[" {body} "]"' if least else f'"[" ({body})? "]"')

    def _object(self, schema: Schema, *, turn: int | None = None, top: bool = False) -> str | None:
        if "turn" in schema.get("properties", {}) and turn is None:
            self.dynamic = True
            variants = [self._object(schema, turn=number) for number in range(len(self._sources.turns))]
            known = [variant for variant in variants if variant is not None]
            return self._rule(" | ".join(known)) if known else None
        items: list[tuple[str, bool]] = []
        required = schema.get("required", ())
        for name, part in schema.get("properties", {}).items():
            inner = self._property(name, part, turn)
            if inner is not None:
                items.append((f"{_literal(json.dumps(name) + ':')} {inner}", name in required))
            elif name in required:
                return None
        body = self._sequence(items, may_be_empty=top or not is_branch(schema, self._root))
        return None if body is None else self._rule(f'"{{" {body} "}}"')

    def _property(self, name: str, schema: Schema, turn: int | None) -> str | None:
        if name == "turn":
            return _literal(str(turn))
        if name == "entry":
            self.dynamic = True
            entries = [str(entry) for entry in self._sources.entries]
            return self._rule(" | ".join(map(_literal, entries))) if entries else None
        return self._value(schema, turn)

    def _sequence(self, items: Sequence[tuple[str, bool]], *, may_be_empty: bool) -> str | None:
        """(property, required) pairs in their order, with commas between those that are there; None: impossible."""
        begun, fresh = '""', '""' if may_be_empty else None
        for at, (item, required) in reversed(list(enumerate(items))):
            here = f"{item} {begun}"
            if at > 0:
                begun = self._rule(f'"," {here}' if required else f'"," {here} | {begun}')
            if not any(earlier for _, earlier in items[:at]):
                fresh = self._rule(here if required or fresh is None else f"{here} | {fresh}")
        return fresh

    def _span(self, turn: int | None, max_length: int) -> str | None:
        self.dynamic = True
        key = (turn, max_length)
        if key not in self._spans:
            texts = self._sources.everything if turn is None else (self._sources.turns[turn],)
            trie = _trie(texts, max_length)
            self._spans[key] = self._rule(f'"\\"" {self._node(trie, self._lead)} "\\""') if trie else None
        return self._spans[key]

    def _node(self, trie: _Trie, lead: str) -> str:
        options: list[str] = []
        for word, after in trie.items():
            options.append(_literal(lead + word) + (f" {self._node(after, ' ')}?" if after else ""))
        return self._rule(" | ".join(options))


_Trie = dict[str, "_Trie"]


def _trie(texts: Sequence[Words], max_length: int) -> _Trie:
    """All runs of at most `MAX_SPAN` words and ``max_length`` characters, word by word."""
    root: _Trie = {}
    for text in texts:
        for start in range(len(text)):
            node, length = root, -1
            for word in text[start : start + MAX_SPAN]:
                length += len(word) + 1
                if length > max_length:
                    break
                node = node.setdefault(word, {})
    return root


def _json(value: Any) -> str:
    """JSON text; whole numbers without a point."""
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def _literal(text: str) -> str:
    """A GBNF literal. Characters that could end it are escaped; control characters never get here."""
    if re.search(r"[\x00-\x1F\x7F]", text):
        raise UnsupportedSchemaError("control characters cannot stand in a grammar")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
