"""Loose ways to have something forgotten, by strangers (forgetting_loose, _sixth to _fourteenth): figures.

Each told, wished away and answered in the whole world of forgetting.yaml, with the models that Glovebox carries. Nobody has read
the halves that are named unread, nor the seventh and the tenth to twelfth, so what fails here is counted and not shown. What
failed of the thirteenth and the fourteenth has been read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.test_forgetting import ASKS, TELLING, Drive, Heard, carried, stands
from vehicle.service import GatedVehicle

__all__ = ["carried"]
WHICH = "Which shall I forget"
UNREAD = ("forgetting_seventh", "forgetting_tenth", "forgetting_eleventh", "forgetting_twelfth")
READ = ("forgetting_thirteenth", "forgetting_fourteenth")
"""Files that are one half only."""


@dataclass
class Counts:
    """What became of the wishes and of the near misses."""

    gone: int = 0
    alone: int = 0
    """Gone, and nothing else of the world with it."""
    asked: int = 0
    """Near misses that were asked about."""


@pytest.fixture(scope="module")
def counted(carried: Heard, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counts]:
    """Name of the file and half -> counts."""
    found, matcher = dict[str, Counts](), None
    for name in (
        "forgetting_loose",
        "forgetting_sixth",
        "forgetting_seventh",
        "forgetting_eighth",
        "forgetting_ninth",
        "forgetting_tenth",
        "forgetting_eleventh",
        "forgetting_twelfth",
        "forgetting_thirteenth",
        "forgetting_fourteenth",
    ):
        lines = (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()
        for number, case in enumerate(map(json.loads, lines)):
            half = "unread" if name in UNREAD or (number % 2 and name not in READ) else "read"
            counts = found.setdefault(f"{name} {half}", Counts())
            drive = Drive(tmp_path_factory.mktemp("drive"), carried, matcher, 0)
            assert isinstance(drive.car.vehicle, GatedVehicle)
            matcher = drive.car.matcher
            drive.say(case["tell"])
            before = drive.told()
            reply = drive.say(case["say"])
            asks = WHICH in reply or ASKS.search(reply) is not None
            if "keep" in case:
                counts.asked += asks
            else:
                if asks:
                    drive.say(case["about"] if WHICH in reply else "yes")
                drive.end()
                after = drive.told()
                gone = not stands(case["about"], after)
                lost = [one for one, *_ in TELLING.values() if stands(one, before) and not stands(one, after)]
                named = f"{case['about']} {case['tell']} {case['say']}"
                counts.gone += gone
                counts.alone += gone and stands(case["about"], before) and all(one in named for one in lost)
            drive.car.leave()
    return found


@pytest.mark.parametrize(
    ("name", "gone", "alone", "asked"),
    [
        ("forgetting_loose read", 37, 29, 2), ("forgetting_loose unread", 29, 26, 1),
        ("forgetting_sixth read", 29, 23, 3), ("forgetting_sixth unread", 29, 24, 1),
        ("forgetting_seventh unread", 62, 56, 6),
        ("forgetting_eighth read", 28, 16, 2), ("forgetting_eighth unread", 25, 14, 2),
        ("forgetting_ninth read", 27, 23, 2), ("forgetting_ninth unread", 25, 20, 1),
        ("forgetting_tenth unread", 59, 53, 0), ("forgetting_eleventh unread", 62, 54, 3),
        ("forgetting_twelfth unread", 60, 52, 2),
        ("forgetting_thirteenth read", 63, 54, 2), ("forgetting_fourteenth read", 58, 53, 1),
    ],
)  # fmt: skip
def test_as_many_are_understood_as_was_measured(
    name: str, gone: int, alone: int, asked: int, counted: dict[str, Counts]
) -> None:
    counts = counted[name]
    assert counts.gone >= gone and counts.alone >= alone and counts.asked <= asked, counts
