"""The error tree's docstring is the tree: names, nesting and exit codes; and docs/cli.md has its exit codes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import schemas.errors
from schemas.errors import GloveboxError


def classes(kind: type[GloveboxError] = GloveboxError, depth: int = 0) -> list[tuple[str, int, int]]:
    found = [(kind.__name__, kind.exit_code, depth)]
    ours = [child for child in kind.__subclasses__() if child.__module__ == schemas.errors.__name__]
    return found + [entry for child in ours for entry in classes(child, depth + 1)]


def drawn() -> list[tuple[str, int, int]]:
    tree = inspect.getdoc(schemas.errors) or ""
    lines = re.findall(r"^ {4}([| `-]*)(\w+Error) +(\d+)", tree, re.MULTILINE)
    return [(name, int(code), len(branch) // 4) for branch, name, code in lines]


def test_the_docstring_is_the_tree() -> None:
    assert drawn() == classes()


def test_codes_and_exit_codes_are_unique() -> None:
    kinds = [getattr(schemas.errors, name) for name, _, _ in classes()]
    assert len({kind.code for kind in kinds}) == len({kind.exit_code for kind in kinds}) == len(kinds)
    assert all(kind.exit_code not in (0, 2, 130) for kind in kinds), "0, 2 and 130 belong to the shell"


def test_the_exit_codes_in_the_documentation_are_the_trees() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    table = {int(code): name for code, name in re.findall(r"^\| (\d+) \| `(\w+)` \|", docs, re.MULTILINE)}
    assert table == {code: getattr(schemas.errors, name).code for name, code, _ in classes()}


def test_every_error_has_a_sentence_to_speak() -> None:
    for name, _, _ in classes():
        spoken = getattr(schemas.errors, name).spoken
        assert spoken.endswith(".") and spoken[0].isupper()
        assert "spoken" in vars(getattr(schemas.errors, name)), f"{name} speaks with its parent's words"
