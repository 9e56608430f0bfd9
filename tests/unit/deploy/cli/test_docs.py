"""The command line's documentation: every command and option stands in docs/cli.md, and nothing else does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


def commands() -> dict[str, Any]:
    from typer.main import get_command

    from deploy.cli import app

    found: dict[str, Any] = {}

    def walk(command: Any, path: str) -> None:
        if not hasattr(command, "list_commands"):
            found[path] = command
            return
        for name in command.list_commands(None):
            walk(command.get_command(None, name), f"{path} {name}".strip())

    walk(get_command(app), "")
    return found


DOCS = (Path(__file__).parents[4] / "docs" / "cli.md").read_text("utf-8")


@pytest.mark.parametrize("path", commands())
def test_every_command_has_help_and_is_documented(path: str) -> None:
    command = commands()[path]
    assert command.help and command.help.strip().endswith(".")
    assert f"### `glovebox {path}" in DOCS
    section = DOCS.split(f"### `glovebox {path}", 1)[1].split("\n### ", 1)[0]
    for parameter in command.params:
        for option in getattr(parameter, "opts", []):
            if option.startswith("--"):
                assert f"`{option}" in section, f"{option} of {path} is not documented"


def test_no_command_is_documented_that_does_not_exist() -> None:
    named = re.findall(r"^### `glovebox ((?:[a-z]+ ?)+)", DOCS, re.MULTILINE)
    assert sorted(name.strip() for name in named) == sorted(commands())
