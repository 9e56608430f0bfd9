"""The command line's documentation: every command and option stands in docs/cli.md, and nothing else does; settings exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deploy.config import keys


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


ROOT = Path(__file__).parents[4]
DOCS = (ROOT / "docs" / "cli.md").read_text("utf-8")


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


PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "log.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_setting_that_a_page_gives_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    given = {name.replace("__", ".").lower() for name in re.findall(r"GLOVEBOX_([A-Z]+__[A-Z_]+)", text)}
    given |= set(re.findall(r"--set ([a-z]+\.[a-z_.]+)=", text))
    assert given - {"section.key"} <= set(keys())
