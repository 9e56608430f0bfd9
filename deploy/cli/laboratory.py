"""The door to the laboratory: ``glovebox eval`` and ``glovebox bench``.

Owns the names of the two groups and their help. Their commands stand in ``deploy.lab.cli``, which the wheel leaves out; it is
loaded when one of them is called.
"""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from schemas.errors import EngineMissingError

HELP = {
    "eval": "Reproduce published protocols with the models of this configuration, or others.",
    "bench": "Measure the program on this machine.",
}
ELSEWHERE = ("deploy.lab", "models.training")
"""Packages that the wheel leaves out; a test compares them with pyproject.toml."""


ALONE = {"bench": "stages"}
"""What a group does when no command of it is named."""


class Laboratory(TyperGroup):
    """A group that takes its commands from the laboratory's group of the same name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments; with the command that is meant where none is named."""
        alone = ALONE.get(str(self.name))
        if alone is not None and (not args or (args[0].startswith("-") and args[0] != "--help")):
            args = [alone, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names.

        Raises:
            EngineMissingError: the laboratory is not here.
        """
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; None where there is none of this name.

        Raises:
            EngineMissingError: the laboratory is not here.
        """
        self._load()
        return super().get_command(ctx, cmd_name)

    def _load(self) -> None:
        if self.commands:
            return
        try:
            groups = importlib.import_module("deploy.lab.cli").GROUPS
        except ModuleNotFoundError as error:
            if not str(error.name).startswith(ELSEWHERE):
                raise
            raise EngineMissingError(
                f"`glovebox {self.name}` is not part of the installed program; in a checkout of the repository, "
                f"run `./deploy/up {self.name}`"
            ) from None
        self.commands.update(vars(get_command(groups[self.name]))["commands"])


def add_to(app: typer.Typer) -> None:
    """Add the two groups."""
    for name, told in HELP.items():
        group = typer.Typer(name=name, cls=Laboratory, help=told, no_args_is_help=True)
        group.callback()(lambda: None)  # a group without a command is one only if it has this
        app.add_typer(group)
