"""The shape of the project: who imports whom, how long a module is, what it says about itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "models", "voice", "memory", "vehicle", "deploy")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LONGEST = 500
"""Lines; a longer module says why in the docstring that it opens with."""
ROOM = 12
"""Modules in a folder, beside its sub-folders and what it opens with."""
FORBIDDEN_NAMES = {"utils", "helpers", "manager", "common"}
ABOUT_THE_MAKING = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b|pragma: no cover")


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_imports_run_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def imported(module: Path, known: Collection[str]) -> set[str]:
    """The modules out of `known` that a module imports anywhere in it: for types alone or within a function, too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else str(node.module) for name in whole}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & set(known)


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES}
    try:
        TopologicalSorter({name: imported(path, paths) for name, path in paths.items()}).prepare()
    except CycleError as circle:
        pytest.fail(" is imported by ".join(circle.args[1]))


def test_the_contracts_cover_every_package() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert set(options["root_packages"]) == set(PACKAGES)
    kinds = [contract["type"] for contract in options["contracts"]]
    assert kinds == ["layers", "forbidden", "protected"]


WRITERS = ("offline.py", "piper_worker.py")
"""They read nothing: they tell other people's packages to stay off the network."""


def test_only_deploy_reads_the_environment() -> None:
    readers = [
        path
        for path in MODULES
        if path.parts[len(ROOT.parts)] != "deploy" and re.search(r"os\.(environ|getenv)", path.read_text("utf-8"))
    ]
    allowed = [path for path in readers if "training" in path.parts or path.name in WRITERS]
    assert names([path for path in readers if path not in allowed]) == []


def is_short_or_says_why(text: str) -> bool:
    if len(text.splitlines()) <= LONGEST:
        return True
    return re.search(r"\bLong because\b", ast.get_docstring(ast.parse(text)) or "") is not None


@pytest.mark.parametrize("module", MODULES, ids=names(MODULES))
def test_a_module_says_what_it_is_and_why_it_is_long(module: Path) -> None:
    text = module.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module begins with what it owns"
    assert is_short_or_says_why(text), "say why: “Long because ...”"
    assert module.stem not in FORBIDDEN_NAMES
    assert not ABOUT_THE_MAKING.search(text)


def test_a_test_module_says_why_it_is_long() -> None:
    assert names([path for path in TESTS if not is_short_or_says_why(path.read_text("utf-8"))]) == []


def test_a_folder_has_no_more_modules_than_one_can_overlook() -> None:
    rooms = Counter(path.parent for path in [*MODULES, *TESTS] if path.stem != "__init__")
    assert {str(room.relative_to(ROOT)): count for room, count in rooms.items() if count > ROOM} == {}


def test_only_the_vault_and_the_store_speak_sql() -> None:
    """Of what is remembered; a map file is an SQLite file, too, and is asked in one module."""
    sql = re.compile(r"""["'](SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA) """)
    speakers = [path for path in MODULES if sql.search(path.read_text("utf-8")) and "lab" not in path.parts]
    rooms = {
        str(path.parent.relative_to(ROOT)) for path in speakers if path != ROOT / "deploy" / "showing" / "atlas.py"
    }
    assert rooms == {"memory/store", "memory/vault"}


def test_every_package_is_in_the_wheel_and_at_the_top() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert tuple(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES
    assert set(PACKAGES).isdisjoint(sys.stdlib_module_names)


def test_the_constraints_hold_what_the_project_asks_for() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = {
        canonicalize_name(name): version
        for name, version in re.findall(
            r"^([\w.-]+)==(\S+)", (ROOT / "deploy" / "constraints.txt").read_text("utf-8"), re.MULTILINE
        )
    }
    extras = project["optional-dependencies"]
    wanted = [Requirement(one) for one in [*project["dependencies"], *extras["asr"], *extras["tts"], *extras["dev"]]]
    unfit = [str(one) for one in wanted if not one.specifier.contains(pins.get(canonicalize_name(one.name), "0"))]
    assert unfit == []
