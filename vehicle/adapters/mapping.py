"""Reads mapping files: YAML in, checked values out, and every complaint names the file and the line.

Owns the reading, the inheritance (``extends``) and the check against ``vehicle.signals``. Each adapter owns the shape of its
own entries. Of YAML's many words for truth only ``true`` and ``false`` count, so that ON and OFF are words; a key that
stands twice, NaN and infinity are refused.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from os.path import expanduser
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import ConfigError
from vehicle.adapters.translation import DRIVING, Form, translation_of
from vehicle.signals import SIGNALS, Signal

FOLDER = Path(__file__).parents[1] / "mappings"
"""Mappings that come with Glovebox; a setting may give their name alone."""

Where = tuple[str | int, ...]


class Entry(Form):
    """What every adapter's entry has: the look of the value, and how long it holds."""

    max_age_s: Annotated[float, Field(gt=0.0, le=60.0)] | None = None
    """Age from which on the value is unknown; left out: it holds as long as the connection does."""


class Document(BaseModel):
    """What every mapping has."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True)

    version: Literal[1]
    """Version of this file format."""
    name: str
    """What it maps, in a few words."""


M = TypeVar("M", bound=Document)


_FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader is ten times as fast; it is not in every build of PyYAML."""


class _Loader(_FASTEST):
    """YAML with ``true`` and ``false`` as the only truth values."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


class Source:
    """A mapping file's values, and the line on which each stands."""

    def __init__(self, path: Path) -> None:
        """Read a file.

        Raises:
            schemas.errors.ConfigError: it cannot be read, or is no YAML.
        """
        self.path = path
        self._lines: dict[Where, tuple[Path, int]] = {(): (path, 1)}
        try:
            node = yaml.compose(path.read_text("utf-8"), Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ConfigError(f"{path}:{line}: {error.problem}; mend that line") from None
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(f"the mapping {path} cannot be read: {error}") from None
        values = self._value(node, ()) if node is not None else {}
        if not isinstance(values, dict):
            raise ConfigError(f"{path}:1: a mapping begins with keys, such as `version: 1`")
        self.values: dict[str, Any] = values

    def extend(self, base: Source) -> None:
        """Lay these values over another file's: sections are merged entry by entry, an entry replaces an entry."""
        merged = dict(base.values)
        replaced = {(key, name) for key, value in self.values.items() if isinstance(value, dict) for name in value}
        for key, value in self.values.items():
            below = merged.get(key)
            merged[key] = {**below, **value} if isinstance(below, dict) and isinstance(value, dict) else value
        kept = {where: place for where, place in base._lines.items() if where[:2] not in replaced}
        self._lines = {**kept, **self._lines}
        self.values = merged

    def complaint(self, where: Where, text: str) -> ConfigError:
        """An error about what stands there, or at the nearest place above it that has a line."""
        place = where
        while place not in self._lines:
            place = place[:-1]
        path, line = self._lines[place]
        key = ".".join(str(part) for part in where)
        return ConfigError(f"{path}:{line}: {key + ': ' if key else ''}{text}")

    def _value(self, node: yaml.Node, where: Where) -> Any:
        self._lines.setdefault(where, (self.path, node.start_mark.line + 1))
        if isinstance(node, yaml.MappingNode):
            values: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                self._lines[*where, key] = (self.path, key_node.start_mark.line + 1)
                if key in values:
                    raise self.complaint((*where, key), "stands twice; keep one")
                values[key] = self._value(value_node, (*where, key))
            return values
        if isinstance(node, yaml.SequenceNode):
            return [self._value(inner, (*where, index)) for index, inner in enumerate(node.value)]
        loader = _Loader("")
        try:
            value = loader.construct_object(node)
        except (ValueError, yaml.YAMLError) as error:
            raise self.complaint(where, f"cannot be read: {error}") from None
        finally:
            loader.dispose()
        if isinstance(value, float) and not math.isfinite(value):
            raise self.complaint(where, "must be a finite number")
        return value


def find_mapping(name: str) -> Path:
    """The file of that name: one that comes with Glovebox, or a path (with a slash or a dot in it).

    Raises:
        schemas.errors.ConfigError: there is none.
    """
    if "/" in name or "." in name:
        return Path(expanduser(name))
    known = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}, or give a path"
        raise ConfigError(f"no mapping is called {name!r}; {hint}")
    return FOLDER / f"{name}.yaml"


def read_mapping(name: str, model: type[M]) -> tuple[M, Source]:
    """A mapping, checked in itself, and where its values stand.

    Args:
        name: see ``find_mapping``.
        model: its shape.

    Raises:
        schemas.errors.ConfigError: there is no such file, or it does not fit; the message names file and line.
    """
    source = Source(find_mapping(name))
    if "extends" in source.values:
        base = source.values.pop("extends")
        if not isinstance(base, str):
            raise source.complaint(("extends",), "names another mapping")
        source.extend(Source(find_mapping(str(source.path.parent / base) if "." in base else base)))
    try:
        return model.model_validate(source.values), source
    except ValidationError as error:
        first = error.errors()[0]
        where = tuple(part for part in first["loc"] if not str(part).startswith(("function-", "tuple[", "dict[")))
        if first["type"] == "extra_forbidden":
            raise source.complaint(where, "is not known here; remove it or mend its name") from None
        message = first["msg"].removeprefix("Value error, ")
        raise source.complaint(where, f"{message[:1].lower()}{message[1:]}") from None


def check_entries(source: Source, section: str, entries: Mapping[str, Entry]) -> None:
    """Refuse entries for signals that there are not, and forms that do not fit their signal.

    Args:
        source: the file.
        section: ``signals`` or ``driving``.
        entries: by the name of the signal.

    Raises:
        schemas.errors.ConfigError: with file and line.
    """
    known = known_signals(section)
    for name, entry in entries.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "the names are in vehicle.signals"
            raise source.complaint((section, name), f"there is no such signal; {hint}")
        check_form(source, (section, name), known[name], entry)


def check_form(source: Source, where: Where, signal: Signal, form: Form) -> None:
    """Refuse a form that does not fit its signal.

    Raises:
        schemas.errors.ConfigError: with file and line.
    """
    try:
        translation_of(signal, form)
    except ValueError as error:
        key, _, text = str(error).partition(": ")
        raise source.complaint((*where, key), text) from None


def known_signals(section: str) -> Mapping[str, Signal]:
    """The signals that a section may name."""
    return DRIVING if section == "driving" else SIGNALS
