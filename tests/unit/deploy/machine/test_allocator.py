"""Memory that loading frees goes back to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.machine.allocator import give_back, loading

MB = 1_000_000
ROOT = Path(__file__).parents[4]


def resident() -> float:
    """Megabytes of this process."""
    line = next(line for line in Path("/proc/self/status").read_text("utf-8").splitlines() if line.startswith("VmRSS"))
    return float(line.split()[1]) * 1024 / MB


LOADS = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from tests.unit.deploy.machine.test_allocator import MB, resident
from deploy.machine.allocator import loading
np.ones(8 * MB, np.int8)  # from here on glibc, left alone, keeps blocks of that size
with loading():
    before = resident()
    passing = [np.ones(2 * MB, np.int8) for _ in range(50)]
    kept = [np.ones(2 * MB, np.int8)]
    print(resident() - before)
    del passing
    print(resident() - before)
"""


HOLES = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.unit.deploy.machine.test_allocator import resident
from deploy.machine.allocator import give_back
pages = [bytes(9000) for _ in range(10_000)]
before = resident()
kept = pages[::10]
del pages
print(before - resident())
give_back()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's switches")
def test_small_holes_go_back_when_they_are_given_back() -> None:
    ran = subprocess.run([sys.executable, "-c", HOLES, str(ROOT)], capture_output=True, text=True, check=True)
    alone, given = map(float, ran.stdout.split())
    assert alone < 20 and given > 25


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's switches")
def test_what_loading_took_for_a_moment_goes_back_though_something_stays_behind_it() -> None:
    """In a process of its own: one that has freed hundreds of megabytes before takes them first."""
    ran = subprocess.run([sys.executable, "-c", LOADS, str(ROOT)], capture_output=True, text=True, check=True)
    loaded, after = map(float, ran.stdout.split())
    assert loaded > 90 and after < 20


def test_a_system_without_the_switches_loads_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(_: object) -> object:
        return object()

    monkeypatch.setattr("deploy.machine.allocator.ctypes.CDLL", without)
    done: list[str] = []
    with loading():
        done.append("loaded")
    give_back()
    assert done == ["loaded"]


RESTS = """
import gc, sys, weakref
sys.path.insert(0, sys.argv[1])
from deploy.machine.allocator import give_back, resting
class Circle: pass
def gone():
    circle = Circle()
    circle.own, seen = circle, weakref.ref(circle)
    del circle
    give_back()
    return seen() is None
gc.disable()
print(gone())
rounds = []
gc.callbacks.append(lambda phase, about: rounds.append(phase))
with resting():
    loaded = [[] for _ in range(100_000)]
print(len(rounds), gc.get_freeze_count() >= 100_000, gc.isenabled())
print(gone())
"""


def test_rounds_rest_while_it_loads_and_leave_out_what_is_there_then() -> None:
    """In a process of its own: what is frozen stays so."""
    ran = subprocess.run([sys.executable, "-c", RESTS, str(ROOT)], capture_output=True, text=True, check=True)
    before, loading_, after = ran.stdout.splitlines()
    assert before == "False", "no round where all that was loaded would be looked at"
    assert loading_ == "0 True True"
    assert after == "True", "what comes later is found, and given back"
