"""What it costs that the vehicle has a process of its own: calls in place and over the line, start-up, memory, and a new start.

Owns these measurements. The car is the simulated one on a motorway, by the wall's clock; a pause between the calls keeps the gate's
limits from being what is measured. Times are the wall's: two processes and their threads are what is asked about.
"""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from deploy.behind import fitted, started
from deploy.lab.report.statistics import TAILS, spread
from schemas.actions import Action, ChangeVolume, SetDomeLight, SetFanSpeed, SetSeatHeating, SetTemperature
from schemas.clock import WallClock
from vehicle.apart.messages import Fitting
from vehicle.apart.outside import VehicleApart
from vehicle.service import GatedVehicle

FITTING = Fitting(adapter="simulated", options={"profile": "motorway"}, confirmation_s=14.0)
COMFORT: tuple[Action, ...] = (
    *(SetTemperature(celsius=celsius) for celsius in (20.0, 22.0)),
    *(SetFanSpeed(level=level) for level in (2, 4)),
    *(SetSeatHeating(level=level) for level in (1, 2)),
    *(ChangeVolume(change=change) for change in ("up", "down")),
)
"""Done at once, each different from the last."""
APART_S = 0.12
"""Between actions: each stays below 20 in 10 s (``vehicle.policy.RATE_LIMITS``)."""
MOVES_S = 5.0
"""By then the drive moves, so that there is something to ask about."""
ASKED_APART_S = 2.2
"""Between questions: below 10 in 10 s, lights on and off."""


async def _timed(call: Callable[[], Awaitable[Any]]) -> float:
    began = time.perf_counter()
    await call()
    return (time.perf_counter() - began) * 1000.0


async def _calls(vehicle: GatedVehicle | VehicleApart, count: int) -> dict[str, Any]:
    await asyncio.sleep(MOVES_S)
    took: dict[str, list[float]] = {"state_ms": [], "foresee_ms": [], "act_ms": [], "confirm_ms": []}
    for action in itertools.islice(itertools.cycle(COMFORT), count):
        took["state_ms"].append(await _timed(vehicle.state))
        took["foresee_ms"].append(await _timed(lambda wish=action: vehicle.foresee(wish)))
        took["act_ms"].append(await _timed(lambda wish=action: vehicle.act(wish)))
        await asyncio.sleep(APART_S)
    for _ in range(max(1, count // 10)):
        token = str((await vehicle.act(SetDomeLight(on=True))).token)
        took["confirm_ms"].append(await _timed(lambda token=token: vehicle.confirm(token)))
        await vehicle.act(SetDomeLight(on=False))
        await asyncio.sleep(ASKED_APART_S)
    return {name: spread(times, 3, **TAILS) for name, times in took.items()}


def measure(count: int) -> dict[str, dict[str, Any]]:
    """Milliseconds of ``count`` calls each way; seconds of start-up and of a new start after a kill; megabytes.

    Raises:
        schemas.errors.AdapterError: the process does not start.
    """
    here = asyncio.run(_calls(fitted(FITTING, WallClock()), count))
    began = time.perf_counter()
    processes: list[subprocess.Popen[bytes]] = []

    def start() -> Any:
        line, process = started()
        processes.append(process)
        return line, process

    vehicle = VehicleApart(FITTING, start)
    vehicle.ready()
    ready_s = time.perf_counter() - began
    told = asyncio.run(_calls(vehicle, count))
    memory = _megabytes(processes[-1].pid)
    began = time.perf_counter()
    processes[-1].kill()
    while len(processes) < 2 or vehicle.away:
        time.sleep(0.01)
    again_s = time.perf_counter() - began
    asyncio.run(vehicle.close())
    figures = {"ready_s": round(ready_s, 2), "again_s": round(again_s, 2), "megabytes": memory}
    return {"in place": here, "own process": {**told, "figures": figures}}


def _megabytes(pid: int) -> dict[str, float]:
    """Memory of a process: all that it has, and, for root alone to see, what no other process shares."""
    told = dict[str, float]()
    for name, kind in (("smaps_rollup", "Private_Dirty"), ("status", "VmRSS")):
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/{name}").read_text("utf-8").splitlines()
            told[kind] = next(round(int(line.split()[1]) / 1024.0, 1) for line in lines if line.startswith(f"{kind}:"))
    return told
