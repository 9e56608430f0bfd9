"""The commands about the drivers: a typing error makes no vault, and a PIN is asked for by whatever opens or destroys one."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deploy.app
from deploy.cli import main
from tests.unit.deploy.cli.test_memory import open_memory

Run = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(deploy.app, "open_memory", open_memory)
    monkeypatch.setenv("GLOVEBOX_DRIVER__NAME", "ada")
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with ``--json``; the lines of ``typed`` are what is typed where a PIN is asked for."""

    def running(*arguments: str, typed: str = "", code: int = 0) -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        asked = ["--pin-stdin"] if typed else []
        assert main(["--home", str(home), *asked, *arguments, "--json"]) == code
        (line,) = capsys.readouterr().out.splitlines()
        return json.loads(line)

    return running


def vaults(home: Path) -> set[str]:
    return {path.stem for path in home.glob("*.vault")}


def test_a_name_that_nobody_has_makes_no_vault(run: Run, home: Path) -> None:
    run("memory", "list")
    commands = (
        ("memory", "list"), ("vault", "check"), ("memory", "wipe", "--yes"), ("remember", "i love jazz"), ("screen",),
    )  # fmt: skip
    for arguments in commands:
        error = run(*arguments, "--driver", "adda", code=46)["error"]
        assert "no driver is called 'adda'" in error["message"] and "ada" in error["message"]
        assert "glovebox drivers add adda" in error["message"]
    for arguments in (("memory", "list"), ("config", "show")):
        assert run("--set", "driver.name=adda", *arguments, code=46)["error"]["code"] == "unknown_entry"
    assert vaults(home) == {"ada"}
    assert run("drivers", "add", "grace") == {"driver": "grace", "added": True}
    assert run("drivers", "add", "grace", code=10)["error"]["code"] == "config"
    assert run("memory", "list", "--driver", "grace")["preferences"] == [] and vaults(home) == {"ada", "grace"}
    assert [one["name"] for one in run("drivers", "list")["drivers"]] == ["ada", "grace"]


def test_a_pin_stands_before_every_command_that_opens_or_destroys(run: Run, home: Path) -> None:
    run("remember", "i love jazz", "--category", "favorite_genres")
    run("drivers", "pin", "ada", typed="12\n", code=49)
    assert run("drivers", "pin", "ada", typed="2468\n") == {"driver": "ada", "pin": True}
    commands = (
        ("memory", "list"),
        ("memory", "export"),
        ("memory", "forget", "--all", "--yes"),
        ("memory", "wipe", "--yes"),
        ("vault", "check"),
        ("vault", "rotate"),
        ("drivers", "pin", "ada", "--remove"),
        ("drivers", "owner", "ada"),
        ("drivers", "wipe", "--yes"),
    )
    for arguments in commands:
        assert run(*arguments, code=49)["error"]["code"] == "pin", arguments
    for _ in range(3):
        run("memory", "wipe", "--yes", typed="1111\n", code=49)
    assert "seconds" in run("memory", "list", typed="2468\n", code=49)["error"]["message"]
    held = json.loads((home / "ada.pin").read_text())
    (home / "ada.pin").write_text(json.dumps(held | {"until": "2020-01-01T00:00:00+00:00"}))
    (jazz,) = run("memory", "list", typed="2468\n")["preferences"]
    assert jazz["value"] == "jazz"
    assert run("vault", "rotate", typed="2468\n")["rotated"]
    run("vault", "rotate", "--to", "passphrase", code=49)
    run("drivers", "pin", "ada", typed="2468\n1357\n")
    run("drivers", "pin", "ada", "--remove", typed="1357\n")
    assert [one["value"] for one in run("memory", "list")["preferences"]] == ["jazz"]


def test_the_owner_wipes_by_pin_or_by_the_code_that_was_told_once(run: Run, home: Path) -> None:
    run("drivers", "add", "grace")
    run("memory", "list")
    run("drivers", "pin", "grace", typed="1357\n")
    run("drivers", "owner", "ada", code=49)  # nobody owns it yet: all PINs are asked for
    run("drivers", "owner", "ada", typed="2222\n", code=49)
    assert not (home / "owner.json").exists()
    code = run("drivers", "owner", "ada", typed="1357\n")["recovery_code"]
    assert len(code.replace("-", "")) == 24 and code not in (home / "owner.json").read_text()
    run("drivers", "owner", "ada", code=49)  # an owner without a PIN is anybody
    run("drivers", "pin", "ada", typed="2468\n")
    run("drivers", "owner", "grace", typed="1357\n", code=49)  # the owner proves it first
    assert {one["name"]: (one["pin"], one["owner"]) for one in run("drivers", "list")["drivers"]} == {
        "ada": (True, True),
        "grace": (True, False),
    }
    assert run("memory", "wipe", "--driver", "grace", "--yes", typed=f"{code}\n")["verified"]
    assert vaults(home) == {"ada"}
    assert run("drivers", "wipe", "--yes", typed="0000-0000-0000-0000-0000-0000\n", code=49)
    assert run("drivers", "wipe", "--yes", typed=f"{code}\n") == {"drivers": 1, "wiped": True}
    assert vaults(home) == set() and not (home / "owner.json").exists()
