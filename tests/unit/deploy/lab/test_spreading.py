"""An evaluation that is shared out to other processes gives what it gives in one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import distributed
import pytest

from deploy.cli import main
from deploy.lab.hearing.away import together
from deploy.lab.hearing.parts import Results
from deploy.lab.spreading import Spread
from schemas.errors import ConfigError

pytestmark = [pytest.mark.socket, pytest.mark.filterwarnings("ignore::ResourceWarning")]
CASES = [
    ("one", "open the passenger window", {"state": {"window.passenger.position": 100}}),
    ("two", "turn the fan to five", {"state": {"climate.fan": 5}}),
    ("three", "turn the fan to five", {"state": {"climate.fan": 2}}),
]


def silent(what: str, at: int, of: int) -> None:
    del what, at, of


def done(number: int) -> tuple[int, int]:
    if number == 13:
        raise ConfigError("thirteen")
    return number * number, os.getpid()


def told(out: str) -> dict[str, Any]:
    found = json.loads(out)
    found["facts"].pop("spread to", None)
    return {name: value for name, value in found.items() if name not in ("seconds", "reply_ms")}


def test_what_is_seen_comes_back_in_the_order_of_the_cases_and_an_error_of_one_is_the_error_of_all() -> None:
    steps: list[tuple[int, int]] = []

    def noted(what: str, at: int, of: int) -> None:
        del what
        steps.append((at, of))

    seen = Spread(workers=2).each(done, range(6), "numbers", noted)
    assert [one for one, _ in seen] == [0, 1, 4, 9, 16, 25]
    assert os.getpid() not in {where for _, where in seen}
    assert steps[-1] == (6, 6)
    with pytest.raises(ConfigError, match="thirteen"):
        Spread(workers=2).each(done, [1, 13], "numbers", silent)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.lab.spreading.REACHED_S", 0.5)
    with pytest.raises(ConfigError, match="does not answer"):
        Spread(scheduler="127.0.0.1:1").each(done, [1], "numbers", silent)


def test_without_dask_the_option_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    arguments = ["eval", "dialogue", "--small", "--data", str(suite(tmp_path)), "--workers", "2"]
    assert main(arguments) != 0
    assert "glovebox[cluster]" in capsys.readouterr().err


def suite(folder: Path) -> Path:
    lines = [
        {"id": name, "group": "climate", "turns": [{"say": say, "right": [expected]}]} for name, say, expected in CASES
    ]
    path = folder / "suite.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


def test_the_same_command_tells_the_same_over_workers_and_over_a_scheduler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["eval", "dialogue", "--small", "--data", str(suite(tmp_path)), "--json"]
    assert main(arguments) == 0
    here = told(capsys.readouterr().out)
    assert main([*arguments, "--workers", "2", "--results", str(tmp_path / "seen.jsonl")]) == 0
    assert told(capsys.readouterr().out) == here
    assert len((tmp_path / "seen.jsonl").read_text().splitlines()) == len(CASES)
    cluster_of: Any = distributed.LocalCluster
    with cluster_of(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        assert main([*arguments, "--scheduler", cluster.scheduler_address]) == 0
    assert told(capsys.readouterr().out) == here


def test_parts_that_were_measured_apart_are_put_together() -> None:
    one, other = Results(unlocked=1), Results(unlocked=2)
    one.commands, other.idle = ["tried"], ["talked"]  # pyright: ignore[reportAttributeAccessIssue]
    found = together([one, other])
    assert (found.commands, found.idle, found.unlocked) == (["tried"], ["talked"], 3)
