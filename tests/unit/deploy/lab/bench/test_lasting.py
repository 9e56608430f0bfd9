"""Cuts of the power and a whole day, each run shortly with the real small models; and that what is lost is told."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.cli import app
from deploy.config import Config, load_config
from deploy.lab.lasting import cuts, program
from deploy.lab.lasting.cuts import cut
from deploy.lab.lasting.day import live
from deploy.lab.lasting.program import Life, Program, cut_program
from deploy.lab.report.blocks import silent
from schemas.errors import MemoryStoreError

pytestmark = pytest.mark.slow


@pytest.fixture
def small(tmp_path: Path) -> Config:
    return load_config(flags={"home": str(tmp_path), "profile": "small"}, environment={})


def test_what_was_acknowledged_outlives_every_cut(small: Config) -> None:
    found = cut(small, 5, 2, silent)
    assert found.kills == 5 and found.failures == [] and found.acknowledged > 0
    assert sum(found.under_way.values()) == 5


def test_a_fact_that_is_gone_is_a_failure(small: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = cuts.facts

    def without_the_first(folder: Path, key: Path, now: datetime) -> frozenset[str]:
        return frozenset(text for text in facts(folder, key, now) if "locker 0 " not in text)

    monkeypatch.setattr(cuts, "facts", without_the_first)
    found = cut(small, 1, 2, silent)
    assert len(found.failures) == 1 and "[0] were acknowledged and are gone" in found.failures[0]


def test_the_command_fails_where_something_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = cuts.Outcome(kills=1, failures=["cut 0: [3] were acknowledged and are gone"])

    def cut_once(*_: object) -> cuts.Outcome:
        return lost

    monkeypatch.setattr(cuts, "cut", cut_once)
    done = CliRunner().invoke(app, ["--profile", "small", "bench", "cuts", "--json"])
    assert done.exit_code == MemoryStoreError.exit_code and json.loads(done.stdout)["failures"]


@pytest.mark.socket  # the program's screen and the satellite that it hears with, on the loopback interface
def test_the_program_itself_is_started_spoken_to_and_killed(small: Config, tmp_path: Path) -> None:
    pytest.importorskip("wyoming")
    running = Program(small, tmp_path)
    for _ in range(2):  # the second finds what the first has left
        life = running.live(["turn on the seat heating", "close all windows"], random.Random(1))  # noqa: S311
        assert life.ready and life.said == 2 and life.processes >= 2  # the vehicle's process went with it
        assert life.replies[0]  # what a busy machine makes of the sound is measured elsewhere
    assert (tmp_path / "home" / "screen.url").is_file()
    assert program.facts(tmp_path / "home", tmp_path / "home" / "keys" / "driver.key", cuts.BEGAN) == frozenset()


def test_what_the_program_promised_and_does_not_have_is_a_failure(
    small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [{"box number one is red"}, {"box number one is red", "box three is green"}, {"box three is green"}]
    replies = [
        "“Okay, I'll keep that: box number one is red.”",
        "It is 8:00.",
        "Okay, I'll keep that: box five is blue.",
    ]
    lives = iter(Life(said=2, replies=[reply], processes=3) for reply in replies)

    def live(*_: object) -> Life:
        return next(lives)

    def facts(*_: object) -> frozenset[str]:
        return next(held)

    monkeypatch.setattr(Program, "live", live)
    held = iter(map(frozenset, kept))
    monkeypatch.setattr(program, "facts", facts)
    found = cut_program(small, 3, 1, silent)
    assert found.acknowledged == 2 and found.processes == 9 and found.under_way["kept"] == 1
    (lost,) = found.failures
    assert "box number one is red" in lost and "box five is blue" in lost and lost.startswith("cut 2")


def test_three_hours_go_by_without_an_error(small: Config) -> None:
    found = live(small, 3, 1, silent)
    assert found.errors == [] and found.turns == 90 and len(found.megabytes) == 3
    assert found.growth == pytest.approx(found.megabytes[2] / found.megabytes[1] - 1.0)
