"""Registries: what can be chosen by a name in the configuration, and how somebody else's package adds to it.

Each is a literal table of our own rows and an entry point group (packaging.python.org, "Entry points specification"). A row or
an entry point names a function ``module:function``, which is imported when it is chosen and not before. A name of the table always
means ours: no package that happens to be installed can take its place. The rows stand beside what they open (docs/extending.md).
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from schemas.errors import ConfigError, EngineMissingError


@dataclass(frozen=True, slots=True)
class Row:
    """One of our own."""

    opens: str
    """``module:function``; what the function takes and gives is said by the registry."""
    package: str | None = None
    """The Python package that it runs on, where the default set-up may leave that out."""
    extra: str | None = None
    """The extra of Glovebox that brings the package."""
    takes_model: bool = False
    """Whether it is given one of the models that the configuration names; without, it knows its own."""


class Registry:
    """What can be chosen of one kind.

    Attributes:
        kind: what it is, in words: "recogniser".
        group: the entry point group.
        rows: our own, by name.
    """

    def __init__(self, kind: str, group: str, rows: Mapping[str, Row]) -> None:
        """Of these rows, and of what installed packages add to the group."""
        self.kind, self.group, self.rows = kind, group, MappingProxyType(dict(rows))

    def added(self) -> Mapping[str, EntryPoint]:
        """What installed packages add, by name, whether or not it works; our own names are ours."""
        return {entry.name: entry for entry in entry_points(group=self.group) if entry.name not in self.rows}

    def names(self) -> tuple[str, ...]:
        """All that can be chosen: ours, then what was added."""
        return (*self.rows, *sorted(self.added()))

    def known(self, name: str) -> str:
        """The name as it is; for a setting's validator.

        Raises:
            ValueError: nothing has that name.
        """
        if name not in self.rows and name not in self.added():
            raise ValueError(self._unknown(name))
        return name

    def takes_model(self, name: str) -> bool:
        """Whether what has that name is given one of the configured models: what was added never is."""
        return name in self.rows and self.rows[name].takes_model

    def require(self, name: str) -> None:
        """Look whether it is there with the package that it runs on; nothing is imported.

        Raises:
            schemas.errors.EngineMissingError: it is not.
        """
        row = self.rows.get(name)
        if row is None:
            if name not in self.added():
                raise EngineMissingError(self._unknown(name))
        elif row.package is not None and importlib.util.find_spec(row.package) is None:
            raise EngineMissingError(f"{name} needs the package {row.package}; pip install 'glovebox[{row.extra}]'")

    def opener(self, name: str) -> Callable[..., Any]:
        """The function that opens what has that name.

        Raises:
            schemas.errors.ConfigError: nothing has that name, or an entry point leads to no function.
            ImportError: a package that it needs is not installed, or a row leads nowhere.
        """
        row = self.rows.get(name)
        if row is not None:
            module, _, attribute = row.opens.partition(":")
            return getattr(import_module(module), attribute)
        entry = self.added().get(name)
        if entry is None:
            raise ConfigError(self._unknown(name))
        try:
            opens = entry.load()
        except Exception as error:  # somebody else's module may raise anything when it is imported
            raise ConfigError(
                f"{self._added(entry)} cannot be imported: {error}; mend or remove the package"
            ) from error
        if not callable(opens):
            raise ConfigError(f"{self._added(entry)} is no function; mend or remove the package")
        return opens

    def _added(self, entry: EntryPoint) -> str:
        package = entry.dist.name if entry.dist is not None else "an unnamed package"
        return f"the {self.kind} {entry.name!r} of {package} ({entry.value})"

    def _unknown(self, name: str) -> str:
        names = self.names()
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        return f"no {self.kind} is called {name[:60]!r}; {hint}"
