"""Recipes of the documents, carried out: what a page says is done to a copy of the program, and the copy is used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "models", "voice", "memory", "vehicle", "deploy", "docs", "tests")
BLOCK = re.compile(r"(?:[Aa]bove `([^`]+)`:\n\n)?```\w+\n(.*?)```\n", re.DOTALL)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*", "setup", "images")


def copied(tree: Path) -> Path:
    """The program and its tests in that folder: links to the files, so that one can be replaced."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / package, copy_function=os.symlink, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


def followed(guide: str, tree: Path) -> set[str]:
    """Does to the tree what the numbered sections of a page in docs/ say; the files that it touched.

    A section names its file. Its blocks belong above the line that is named before each; one without is the whole new file.
    """
    touched: set[str] = set()
    for section in re.split(r"^## ", (ROOT / "docs" / guide).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        named = re.match(r"\d\. [^`]*`([^`]+)`\n", section)
        if named is None:
            continue
        path = tree / named[1]
        for anchor, block in BLOCK.findall(section):
            lines = path.read_text("utf-8").splitlines(keepends=True) if anchor else []
            found = [number for number, line in enumerate(lines) if line.strip().startswith(anchor)] if anchor else [0]
            assert len(found) == 1, f"{named[1]} has {len(found)} lines that begin with {anchor!r}"
            assert anchor or not path.exists(), f"{named[1]} is there already"
            lines.insert(found[0], block)
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)  # it may be a link to ours
            path.write_text("".join(lines), "utf-8")
            touched.add(named[1])
    return touched


def run(tree: Path, *arguments: str) -> str:
    """What Python prints on the tree's program; fails with that."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
