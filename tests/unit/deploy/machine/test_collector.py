"""No rounds of Python's collector while the assistant loads, and quick ones afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
LOADS = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from deploy.machine.collector import resting
rounds = []
gc.callbacks.append(lambda phase, about: rounds.append(phase))
with resting():
    loaded = [[] for _ in range(100_000)]
print(len(rounds), gc.get_freeze_count() >= 100_000, gc.isenabled())
circle = []
circle.append(circle)
del circle
print(gc.collect())
"""


def test_rounds_rest_while_it_loads_and_leave_out_what_is_there_then() -> None:
    """In a process of its own: what is frozen stays so."""
    ran = subprocess.run([sys.executable, "-c", LOADS, str(ROOT)], capture_output=True, text=True, check=True)
    first, second = ran.stdout.splitlines()
    assert first == "0 True True"
    assert int(second) >= 1, "what comes later is still found"
