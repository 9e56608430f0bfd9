"""docs/adding-an-adapter.md is followed in a copy of the program: the adapter is chosen, driven and kept to its contract."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.integration.recipes import copied, followed, run

DRIVE = """
import asyncio, sys
from pathlib import Path
from deploy.behind import fitted, fitting_of, reach_vehicle
from deploy.config import load_config
from schemas.actions import SetWindow
from schemas.clock import StreamClock
from schemas.errors import ConfigError
from schemas.events import ActionStatus

home = Path(sys.argv[1])
home.mkdir()


def fitting(lines):
    (home / "glovebox.toml").write_text(f'[data]\\nfolder = "{home}"\\n[vehicle]\\nadapter = "bench"\\n{lines}')
    return fitting_of(load_config(home / "glovebox.toml", environment={}))


bench = fitting('[vehicle.bench]\\nprofile = "parked"\\n')
parked = fitted(bench, StreamClock())
assert asyncio.run(parked.act(SetWindow(percent=30))).status is ActionStatus.DONE
assert asyncio.run(parked.state()).speed_kmh == 0.0
adapter, _ = reach_vehicle(bench, StreamClock())
assert [f.text for f in adapter.check()] == ["a car on the bench"]
try:
    fitted(fitting('[vehicle.bench]\\nprofil = "town"\\n'), StreamClock())
except ConfigError as error:
    assert "profil" in str(error)
else:
    raise AssertionError("a setting that there is not was taken")
"""
"""Chosen in a file, moved behind the gate; its settings are checked."""


@pytest.mark.timeout(300)
def test_who_follows_the_guide_has_a_new_adapter_in_five_files(tmp_path: Path) -> None:
    tree = copied(tmp_path / "tree")
    assert len(followed("adding-an-adapter.md", tree)) == 5
    run(tree, "-c", DRIVE, str(tmp_path / "home"))
    suites = "tests/contract/vehicle/test_vehicle_adapter.py", "tests/unit/deploy/test_config.py"
    told = run(tree, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *suites, "-k", "bench or config")
    assert len(re.findall(r"^PASSED .*\bbench\b", told, flags=re.MULTILINE)) > 20, told
