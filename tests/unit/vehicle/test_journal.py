"""The gate's decisions on disk: added to, bounded, without words, and never in the way."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.actions import NavigateTo, SetTrunk, SetWindow
from schemas.clock import StreamClock
from schemas.events import VehicleState
from vehicle.gate import Gate
from vehicle.journal import Journal
from vehicle.signals import SIGNALS

PARKED = VehicleState(
    speed_kmh=0.0, gear="P", ignition_on=True, values={name: signal.initial for name, signal in SIGNALS.items()}
)
AT = datetime(2026, 11, 21, 8, 30, tzinfo=UTC)


def gate(journal: Journal) -> Gate:
    made = Gate(StreamClock(), sink=journal)
    made.arm(PARKED)
    return made


def test_every_decision_is_a_line_and_no_word_of_the_driver_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "decisions.jsonl"
    judge = gate(Journal(path, now=lambda: AT))
    judge.request(SetWindow(percent=50), PARKED)
    judge.request(NavigateTo(destination="my secret place"), PARKED)
    _, token = judge.request(SetTrunk(open=True), PARKED)
    judge.confirm(str(token), PARKED)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {
        "at": "2026-11-21T08:30:00.000+00:00",
        "occasion": "request",
        "action": "set_window",
        "slots": {"window": "driver", "percent": 50},
        "motion": "parked",
        "verdict": "allow",
        "rule": "set_window",
    }
    assert [(line["occasion"], line["rule"]) for line in lines[1:]] == [
        ("request", "navigate_to"),
        ("request", "trunk_open"),
        ("confirmed", "trunk_open"),
    ]
    assert "secret" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_adds_to_what_is_there_and_begins_anew_when_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text("before\n")
    gate(Journal(path)).request(SetWindow(percent=50), PARKED)
    assert path.read_text().startswith("before\n{")
    small = gate(Journal(path, limit_bytes=path.stat().st_size))
    small.request(SetWindow(percent=25), PARKED)
    assert len(path.read_text().splitlines()) == 1
    assert path.with_name("decisions.jsonl.1").read_text().startswith("before\n{")


def test_a_disk_that_fails_is_told_once_and_stops_no_gate(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    judge = gate(Journal(blocked / "decisions.jsonl"))
    with caplog.at_level(logging.WARNING, logger="glovebox.vehicle"):
        judge.request(SetWindow(percent=50), PARKED)
        judge.request(SetWindow(percent=25), PARKED)
    assert len(caplog.messages) == 1
    assert os.strerror(20) in caplog.messages[0]
    assert len(judge.log) == 2
    blocked.unlink()
    judge.request(SetWindow(percent=30), PARKED)
    assert len((blocked / "decisions.jsonl").read_text().splitlines()) == 1
