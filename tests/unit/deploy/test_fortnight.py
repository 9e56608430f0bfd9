"""The scripted fortnight with the small models: its end states hold, and each of them can fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.config import load_config
from deploy.lab.dialogue.driving import Fleet
from deploy.lab.knowing.fortnight import DAYS, DRIVES, USUALLY, Fortnight, Said, ended, play


def _silently(what: str, done: int, of: int) -> None:
    del what, done, of


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortnight]:
    folder: Path = tmp_path_factory.mktemp("fortnight")
    with closing(Fleet(load_config(flags={"profile": "small"}), folder)) as fleet:
        yield play(fleet, folder, _silently)


def test_every_end_state_holds(played: Fortnight) -> None:
    assert not [f"{check.name}: {check.seen}" for check in ended(played) if not check.holds]
    assert {drive.day for drive in DRIVES} == set(range(1, DAYS + 1)) and len(ended(played)) == 13


def test_an_end_state_that_is_another_is_told(played: Fortnight) -> None:
    late = Said(12, played.said[-1].at, "turn on the radio", f"{USUALLY} listen to jazz.")
    fails = [check.name for check in ended(replace(played, said=[*played.said, late], profile=())) if not check.holds]
    assert len(fails) == 4 and not [
        check for check in ended(Fortnight()) if check.holds and "one suggestion" in check.name
    ]
