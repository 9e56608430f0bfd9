"""``glovebox bench``: the test that says slower, the machine's condition, the page; and one short run of everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from deploy.cli import app
from deploy.config import Config, load_config
from deploy.lab.report.blocks import Progress
from deploy.lab.report.page import render
from deploy.lab.stages import figures, running
from deploy.lab.stages.comparing import ALPHA, FEWEST, LEAST, compare
from deploy.lab.stages.machine import Condition, condition, processor
from deploy.lab.stages.running import TOTAL, WHOLE, Run, read
from schemas.errors import EvaluationDataError, SlowerError

STAGES = ("wake word", "recogniser", "parser")


def run(seed: int, *, slower: dict[str, float] | None = None, rounds: int = 10, noise: float = 0.05) -> dict[str, Any]:
    """Times of three stages with two inputs each, with noise that a round shares."""
    dice = np.random.default_rng(seed)
    shared = [dice.normal(1.0, noise) for _ in range(rounds)]
    return {
        stage: {
            name: [base * (slower or {}).get(stage, 1.0) * one * dice.normal(1.0, 0.01) for one in shared]
            for name, base in (("short", 10.0), ("long", 200.0))
        }
        for stage in STAGES
    }


def test_a_stage_that_is_a_quarter_slower_is_found_and_no_other() -> None:
    changes = compare(run(2, slower={"parser": 1.25}), run(1))
    assert [one.stage for one in changes if one.slower] == ["parser"]
    (parser,) = (one for one in changes if one.stage == "parser")
    assert 1.15 < parser.ratio < 1.35 and parser.p < ALPHA


def test_of_all_stages_and_peers_a_slower_one_is_found_with_the_fewest_rounds() -> None:
    new, old = run(2, rounds=FEWEST), run(1, rounds=FEWEST)
    for number in range(11):  # fourteen in all, as with every peer
        new[f"peer {number}"], old[f"peer {number}"] = run(100 + number)["parser"], run(200 + number)["parser"]
    new["commands"] = {name: [2.0 * one for one in times] for name, times in new.pop("wake word").items()}
    old["commands"] = old.pop("wake word")
    assert [one.stage for one in compare(new, old) if one.slower] == ["commands"]


def test_noise_alone_is_called_slower_less_often_than_promised() -> None:
    mistaken = sum(any(one.p < ALPHA for one in compare(run(seed), run(seed + 1_000))) for seed in range(100))
    assert mistaken <= 4  # one is expected; five or more have a chance of .004


def test_what_nobody_would_notice_fails_nothing_however_sure_it_is() -> None:
    changes = compare(run(2, slower={"parser": 1.03}, noise=0.001), run(1, noise=0.001))
    (parser,) = (one for one in changes if one.stage == "parser")
    assert parser.p < ALPHA and parser.ratio < LEAST and not parser.slower


def test_one_disturbed_round_is_no_change() -> None:
    disturbed = run(2, noise=0.01)
    for times in disturbed.values():
        for name in times:
            times[name][0] *= 30.0
    assert not any(one.slower for one in compare(disturbed, run(1, noise=0.01)))


def test_faster_is_not_slower_and_what_only_one_run_has_is_left_out() -> None:
    old = run(1)
    del old["wake word"], old["parser"]["long"]
    changes = compare(run(2, slower={"recogniser": 0.5}), old)
    assert [one.stage for one in changes] == ["recogniser", "parser"] and not any(one.slower for one in changes)
    assert compare(run(1, rounds=FEWEST - 1), run(2)) == ()


def test_the_machine_tells_what_it_has(tmp_path: Path) -> None:
    sys, proc = tmp_path / "sys", tmp_path / "proc"
    for number, value in enumerate(("41000", "67500", "what")):
        (zone := sys / f"class/thermal/thermal_zone{number}").mkdir(parents=True)
        (zone / "temp").write_text(value)
    for number, value in enumerate(("1500000", "2400000")):
        (core := sys / f"devices/system/cpu/cpu{number}/cpufreq").mkdir(parents=True)
        (core / "scaling_cur_freq").write_text(value)
    proc.mkdir()
    (proc / "cpuinfo").write_text("processor : 0\nmodel name : A Chip\ncpu MHz : 2000.5\n")
    now = condition(sys, proc)
    assert now.celsius == 67.5 and now.megahertz == 1950.0 and now.load >= 0.0
    assert condition(tmp_path / "none", proc).megahertz == 2000.5
    assert condition(tmp_path / "none", tmp_path / "none").celsius is None
    assert processor(proc).startswith("A Chip, ")


def made(times: dict[str, Any]) -> Run:
    told = Run({"processor": "a chip", "recogniser": "an ear"}, dict.fromkeys((*times, WHOLE), "a sentence"))
    told.times = {**times, WHOLE: {"lock the doors": [800.0, 900.0, 1000.0]}}
    told.falls = {"lock the doors": {"endpoint": [500.0] * 3, "<route>": [100.0] * 3, TOTAL: [800.0, 900.0, 1000.0]}}
    told.conditions = [Condition(51.0, 1800.0, 0.2), Condition(53.0, 1750.0, 0.4)]
    told.missing = {"openWakeWord": "is not installed"}
    return told


def test_the_page_has_the_waterfall_and_the_comparison() -> None:
    old, mine = run(1), made(run(2, slower={"parser": 2.0}))
    told = figures.report(mine, compare(mine.times, old), {"facts": {"processor": "a chip"}, "times_ms": old})
    page = render(told, "glovebox bench")
    assert page.count("<rect") == 2 and "&lt;route&gt;: 100.0 ms" in page and "600 ms" in page and "<route>" not in page
    assert "openWakeWord was not run: is not installed." in page and "slower" in page
    assert [one["slower"] for one in told.figures["compared"]] == [False, False, True]
    assert told.figures["stages_ms"][WHOLE]["p50"] == 900.0
    assert json.loads(json.dumps(told.figures)) == told.figures


def test_a_file_that_holds_no_run_is_refused(tmp_path: Path) -> None:
    for text in ("", "[]", '{"form": 0, "times_ms": {}}', '{"form": 1}'):
        (file := tmp_path / "old.json").write_text(text)
        with pytest.raises(EvaluationDataError):
            read(file)
    with pytest.raises(EvaluationDataError):
        read(tmp_path / "none.json")
    file.write_text(json.dumps(made(run(1, rounds=FEWEST)).told()))
    assert read(file)["form"] == 1
    with pytest.raises(EvaluationDataError, match=f"wants {FEWEST} rounds in both runs"):
        read(file, FEWEST - 1)


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (0.4, SlowerError.exit_code)])
def test_the_command_fails_if_a_stage_is_slower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, code: int
) -> None:
    old = made(run(1)).told()
    old["times_ms"]["parser"] = {name: [factor * one for one in times] for name, times in run(1)["parser"].items()}
    (file := tmp_path / "old.json").write_text(json.dumps(old))

    def measured(config: Config, rounds: int, tell: Progress, openwakeword: Path | None) -> Run:
        return made(run(2))

    monkeypatch.setattr(running, "measure", measured)
    done = CliRunner().invoke(app, ["bench", "--compare", str(file), "--json"])
    assert done.exit_code == code and ("Slower than before" in done.stderr) == bool(code)
    assert json.loads(done.stdout)["compared"]


def test_bench_alone_is_bench_stages_and_still_has_help() -> None:
    assert "stages" in CliRunner().invoke(app, ["bench", "--help"]).stdout
    assert "crash" in get_command(app).commands["bench"].list_commands(None)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.slow
def test_a_short_run_of_everything_measures_every_stage(tmp_path: Path) -> None:
    small = load_config(flags={"home": str(tmp_path), "profile": "small"}, environment={})
    told = running.measure(small, 1, lambda what, done, total: None)
    assert {"wake word", "voice activity", "recogniser", "commands", "parser", "encoder", "recall", "gate and vehicle",
            "voice", WHOLE} <= set(told.times)  # fmt: skip
    assert all(one > 0.0 for times in told.times.values() for rounds in times.values() for one in rounds)
    assert all(fell["endpoint"][0] > 0.0 and fell[TOTAL][0] >= fell["endpoint"][0] for fell in told.falls.values())
    assert len(told.conditions) == 5 and "plain retrieval" in told.peers
