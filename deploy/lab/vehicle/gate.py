"""How long the gate takes to decide, and an action to be done, on this machine; and random wishes under faults.

Owns the measurements of the vehicle half. The car is the simulated one and its clock does not wait, so an action's time is
what the program itself takes: reading, judging, planning, writing and looking again. Times are of the core: nothing in
them waits, and other programs on the machine do not count.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from random import Random
from typing import Any

from deploy.lab.report.statistics import TAILS, spread
from deploy.lab.vehicle import adapters as vehicle_adapters
from deploy.lab.vehicle import process as vehicle_process
from deploy.lab.vehicle.wishes import random_action, run
from schemas.actions import Action
from schemas.clock import StreamClock
from schemas.events import ActionStatus, VehicleState
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.gate import Gate
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS

GATE_P99_US, ACTION_P99_MS = 50.0, 5.0
"""Targets of the project: a decision, and a simulated action from wish to result."""


def _states() -> list[VehicleState]:
    initial = {name: signal.initial for name, signal in SIGNALS.items()}
    busy = initial | {"climate.defrost_front": True, "window.driver": 50, "outside.rain": 20, "light.fog": True}
    return [
        VehicleState(speed_kmh=speed, gear=gear, ignition_on=True, age_s=age, values=values)
        for (speed, gear), age, values in itertools.product(
            ((0.0, "P"), (0.0, "D"), (50.0, "D"), (100.0, "D"), (None, None)), (0.0, 3.0), (initial, busy, {})
        )
    ]


def decisions(count: int, seed: int = 1) -> dict[str, float]:
    """Microseconds of a core that ``Gate.request`` takes, for any action in any of thirty states."""
    dice, clock = Random(seed), StreamClock()
    gate, states = Gate(clock), _states()
    gate.arm(states[0])
    cases = [(random_action(dice), dice.choice(states)) for _ in range(min(count, 5_000))]
    took: list[float] = []
    for action, state in itertools.islice(itertools.cycle(cases), count):
        clock.advance_to(clock.now() + 0.5)
        began = time.thread_time_ns()
        gate.request(action, state)
        took.append((time.thread_time_ns() - began) / 1_000.0)
    return spread(took, 3, **TAILS)


def actions(count: int, seed: int = 1) -> tuple[dict[str, float], dict[str, int]]:
    """Milliseconds of a core from wish to result on the simulated car, and how the wishes ended."""
    dice = Random(seed)
    wishes = [random_action(dice) for _ in range(count)]
    return asyncio.run(_acted(wishes))


async def _acted(wishes: Sequence[Action]) -> tuple[dict[str, float], dict[str, int]]:
    clock = StreamClock()
    vehicle = GatedVehicle(SimulatedVehicle(clock, initial={"charging.plugged": True}), clock)
    await vehicle.state()
    took: list[float] = []
    ended: dict[str, int] = {}
    for wish in wishes:
        clock.advance_to(clock.now() + 1.0)
        began = time.thread_time()
        result = await vehicle.act(wish)
        if result.status is ActionStatus.NEEDS_CONFIRMATION:
            result = await vehicle.confirm(str(result.token))
        took.append((time.thread_time() - began) * 1000.0)
        ended[result.status.value] = ended.get(result.status.value, 0) + 1
    return spread(took, 3, **TAILS), ended


def measure(count: int, sequences: int, seed: int, *, adapters: bool = False, process: int = 0) -> dict[str, Any]:
    """All of it, as JSON values; ``violations`` lists what should never happen.

    ``adapters`` adds those that have a wire, ``process`` that many calls to a vehicle in a process of its own.
    """
    gate = decisions(count, seed)
    acted, ended = actions(max(1, count // 10), seed)
    began = time.perf_counter()
    tally = run(sequences, seed=seed) if sequences else None
    told: dict[str, Any] = {
        "gate_us": gate,
        "action_ms": acted,
        "ended": ended,
        "targets": {"gate_p99_us": GATE_P99_US, "action_p99_ms": ACTION_P99_MS},
    }
    if adapters:
        told["adapters"] = vehicle_adapters.measure(count)
    if process:
        told["process"] = vehicle_process.measure(process)
    if tally is not None:
        told["sequences"] = {
            "count": tally.sequences,
            "wishes": tally.wishes,
            "writes": tally.writes,
            "ended": tally.statuses,
            "longest_s": round(tally.longest_s, 2),
            "seconds": round(time.perf_counter() - began, 1),
            "violations": tally.violations,
        }
    return told
