"""The installed program: what the wheel leaves out is not missed, and asked for it, the program says where it is."""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import typer

from deploy.cli import laboratory
from deploy.cli.laboratory import ELSEWHERE
from schemas.errors import EngineMissingError

ROOT = Path(__file__).parents[3]
WHEEL: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
    "targets"
]["wheel"]
EVERY_MODULE = """
import importlib, importlib.util, pkgutil, sys
for package in {packages}:
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
        assert found.module_finder.path.startswith({folder!r}), found
print(sorted(sys.modules))
"""
GLOVEBOX = "import sys; from deploy.cli import main; sys.exit(main(sys.argv[1:]))"


def left_out(path: str) -> bool:
    """Whether the wheel's patterns name a path: whole, from the root on, or any file's name."""
    return any(fnmatch(path if pattern.startswith("/") else Path(path).name, pattern) for pattern in WHEEL["exclude"])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel packs, as links."""
    folder = tmp_path_factory.mktemp("installed")

    def others(place: str, names: list[str]) -> list[str]:
        inside = f"/{Path(place).relative_to(ROOT)}/"
        return [name for name in names if name == "__pycache__" or left_out(inside + name)]

    for package in WHEEL["packages"]:
        shutil.copytree(ROOT / package, folder / package, copy_function=os.symlink, ignore=others)
    return folder


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "GLOVEBOX_HOME": str(installed / "home")}
    return subprocess.run(
        [sys.executable, "-c", *arguments], cwd=installed, env=environment, capture_output=True, text=True, check=False
    )


def test_the_door_names_what_the_wheel_leaves_out() -> None:
    folders = [path.strip("/") for path in WHEEL["exclude"] if not path.endswith(".py")]
    assert [path.replace("/", ".") for path in folders] == list(ELSEWHERE)
    assert all((ROOT / path / "__init__.py").is_file() for path in folders)


def test_nothing_that_is_installed_imports_what_is_not(installed: Path) -> None:
    """Also within functions, where an import fails only when the function is called."""
    missing: list[str] = []
    for path in installed.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names += [f"{node.module}.{alias.name}" for alias in node.names if is_module(ROOT, node.module, alias)]
            ours = [name for name in names if name.partition(".")[0] in WHEEL["packages"]]
            missing += [f"{path.relative_to(installed)}: {name}" for name in ours if not there(installed, name)]
    assert missing == []


def is_module(root: Path, package: str | None, alias: ast.alias) -> bool:
    return there(root, f"{package}.{alias.name}")


def there(root: Path, module: str) -> bool:
    place = root / module.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_every_module_is_there_without_the_laboratory(installed: Path) -> None:
    done = run(installed, EVERY_MODULE.format(packages=WHEEL["packages"], folder=str(installed)))
    assert done.returncode == 0, done.stderr
    assert "deploy.app" in done.stdout and not any(name in done.stdout for name in ELSEWHERE)


@pytest.mark.slow
def test_the_installed_program_acts(installed: Path) -> None:
    done = run(installed, GLOVEBOX, "--profile", "small", "say", "open the driver's window")
    assert done.returncode == 0, done.stderr
    assert "window" in done.stdout


def test_the_installed_program_says_where_the_laboratory_is(installed: Path) -> None:
    done = run(installed, GLOVEBOX, "bench", "crash", "--json")
    assert done.returncode == EngineMissingError.exit_code
    assert json.loads(done.stdout)["error"]["code"] == EngineMissingError.code


@pytest.mark.parametrize("words", ["eval", "bench --help", "eval carmem --data x.jsonl"])
def test_a_person_is_told_in_one_line(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(ELSEWHERE)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "deploy.lab", None)
    root = importlib.import_module("deploy.cli.main")
    monkeypatch.setattr(root, "app", typer.Typer())
    laboratory.add_to(root.app)
    assert root.main(words.split()) == EngineMissingError.exit_code
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "in a checkout of the repository" in told
