"""The vehicle's process as the assistant starts it: what is in it, what it ends with, and that nothing moves after a kill."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from deploy import app, behind
from deploy.behind import fitting_of, start_apart
from deploy.car import Car
from deploy.config import Config, load_config
from models.commands.matcher import TemplateMatcher
from models.runtime.fake_encoder import KeywordEncoder
from schemas.actions import SetTemperature
from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError, GloveboxError
from schemas.events import ActionStatus
from schemas.offline import SWITCHES
from tests.architecture.test_no_network import ENGINES
from tests.architecture.test_packages import ROOT
from tests.dialogues import StubParser
from tests.vehicle_rigs import until
from vehicle.apart import messages as m
from vehicle.apart.outside import VehicleApart
from vehicle.service import GatedVehicle

pytestmark = [pytest.mark.skipif(not behind.APART, reason="only Linux has it"), pytest.mark.timeout(180)]

WARM = SetTemperature(celsius=24)
TOLD = """
import sys; sys.path.insert(0, sys.argv[1])
import ctypes, json, os
from deploy import behind
from vehicle.service import GatedVehicle
close = GatedVehicle.close
async def tell(vehicle):
    files = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")]
    told = {"modules": sorted(sys.modules), "environment": dict(os.environ), "files": files,
            "dumpable": ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)}
    with open(%r, "w") as file:
        json.dump(told, file)
    await close(vehicle)
GatedVehicle.close = tell
behind.main(int(sys.argv[2]))
"""
"""The process's own program, which tells what it is when it lets go of the vehicle."""


Processes = list[subprocess.Popen[bytes]]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    """The vehicle's processes that were started, in their order."""
    found, started = Processes(), behind.started

    def noted() -> tuple[Any, subprocess.Popen[bytes]]:
        line, process = started()
        found.append(process)
        return line, process

    monkeypatch.setattr(behind, "started", noted)
    return found


@pytest.fixture
def apart(processes: Processes) -> Generator[VehicleApart]:
    assert processes == []
    vehicle = start_apart(load_config(environment={}))
    assert vehicle is not None
    vehicle.ready()
    yield vehicle
    asyncio.run(vehicle.close())


def lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_holds_the_vehicle_and_nothing_that_understands_or_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behind, "_MAIN", TOLD % str(tmp_path / "told.json"))
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/glovebox")
    monkeypatch.setenv("GLOVEBOX_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    secret = tmp_path / "vault.db"
    with secret.open("w"):
        vehicle = start_apart(load_config(environment={}))
        assert vehicle is not None
        vehicle.ready()
        assert asyncio.run(vehicle.act(WARM)).status is ActionStatus.DONE
        asyncio.run(vehicle.close())
    told: dict[str, Any] = json.loads((tmp_path / "told.json").read_text("utf-8"))
    tops = {name.partition(".")[0] for name in told["modules"]}
    assert tops & {"schemas", "vehicle", "models", "deploy"} == {"schemas", "vehicle", "models", "deploy"}
    assert tops.isdisjoint(
        {"memory", "voice", "uvicorn", "starlette", "sounddevice", "sqlcipher3", "tokenizers", *ENGINES}
    )
    of_models = {name for name in told["modules"] if name.startswith("models.")}
    assert of_models == {"models.numbers"}
    of_deploy = {name for name in told["modules"] if name.startswith("deploy.")}
    assert of_deploy == {"deploy.behind", "deploy.machine", "deploy.machine.unseen"}
    assert told["environment"].pop("LC_CTYPE", None) in {None, "C.UTF-8"}  # Python's own, in an empty locale
    assert set(told["environment"]) <= {*behind.HANDED_ON, *SWITCHES} and told["environment"]["TZ"] == "Europe/Berlin"
    assert told["dumpable"] == 0
    assert not [one for one in told["files"] if str(tmp_path) in one]


def test_it_ends_with_its_assistant_and_with_nothing_else(tmp_path: Path) -> None:
    program = (
        "import time; from deploy import behind; from deploy.config import load_config\n"
        "found = behind.started(); behind.started = lambda: found\n"
        "v = behind.start_apart(load_config(environment={})); v.ready(); print(found[1].pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as assistant:
        assert assistant.stdout is not None
        vehicle = int(assistant.stdout.readline())
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(vehicle, ignored)
        time.sleep(0.2)
        assert lives(vehicle)
        assistant.kill()
        assistant.wait()
    until(lambda: not lives(vehicle), "its end")


def serves(vehicle: VehicleApart) -> bool:
    try:
        asyncio.run(vehicle.state())
    except AdapterError:
        return False
    return not vehicle.away


def test_it_is_started_again_and_the_assistant_goes_on(apart: VehicleApart, processes: Processes) -> None:
    assert asyncio.run(apart.act(SetTemperature(celsius=25))).status is ActionStatus.DONE
    os.kill(processes[0].pid, signal.SIGKILL)
    until(lambda: apart.away, "the end")
    assert asyncio.run(apart.act(WARM)).status is ActionStatus.FAULT
    until(lambda: serves(apart), "the next one")
    assert len(processes) == 2
    assert asyncio.run(apart.act(WARM)).status is ActionStatus.DONE


def test_one_that_is_stopped_is_ended(
    apart: VehicleApart, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vehicle.apart import outside

    monkeypatch.setattr(outside, "ANSWER_S", 0.3)
    before = processes[0].pid
    os.kill(before, signal.SIGSTOP)
    assert asyncio.run(apart.act(WARM)).status is ActionStatus.FAULT
    until(lambda: not lives(before), "its end")


def configured(tmp_path: Path, lines: str) -> Config:
    path = tmp_path / "glovebox.toml"
    path.write_text(f'[data]\nfolder = "{tmp_path}"\n[vehicle]\n{lines}', "utf-8")
    return load_config(path, environment={})


@contextmanager
def car(config: Config, stream: StreamClock | None = None, **more: Any) -> Generator[Car]:
    """A car with this configuration's vehicle."""
    made = app.open_car(config, KeywordEncoder(), stream, TemplateMatcher(), parser=StubParser(), **more)
    try:
        yield made
    finally:
        made.leave()


def test_a_secret_is_read_there_and_never_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("paho.mqtt", reason="the extra [mqtt] is not installed")
    (tmp_path / "password").write_text("correct horse\n", "utf-8")
    lines = f'adapter = "mqtt"\n[vehicle.mqtt]\nusername = "glovebox"\npassword_file = "{tmp_path / "password"}"\n'
    assert b"horse" not in m.packed(m.Begin(fitting=fitting_of(configured(tmp_path, lines))))

    def opened(*_: object, **__: object) -> Any:
        raise AssertionError("the adapter was opened in the assistant's process")

    monkeypatch.setattr(behind, "open_adapter", opened)
    (tmp_path / "password").unlink()
    with pytest.raises(GloveboxError, match="password"), car(configured(tmp_path, lines)):
        pass


def test_what_cannot_be_opened_there_is_told_here(tmp_path: Path) -> None:
    (tmp_path / "organizer.json").write_text("{", "utf-8")
    config = configured(tmp_path, f'organizer = "{tmp_path / "organizer.json"}"\n')
    with pytest.raises(ConfigError, match=r"organizer\.json"), car(config):
        pass


def test_the_live_assistant_has_it_and_a_drive_that_is_played_has_not(tmp_path: Path) -> None:
    config = configured(tmp_path, "")
    with car(config) as live:
        assert isinstance(live.vehicle, VehicleApart)
    here: tuple[tuple[Config, StreamClock | None, dict[str, Any]], ...] = (
        (config, StreamClock(), {}),
        (config, None, {"initial": {"charging.plugged": True}}),
        (configured(tmp_path, "own_process = false\n"), None, {}),
    )
    for settings, stream, more in here:
        with car(settings, stream, **more) as played:
            assert isinstance(played.vehicle, GatedVehicle)


ROUNDS = """
import asyncio, os, random, signal, socket, sys, time
from schemas.clock import WallClock
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.apart import messages as m
from vehicle.apart.inside import attend
from vehicle.service import GatedVehicle

class Noting(SimulatedVehicle):
    async def read(self):
        await asyncio.sleep(0.001)
        return await super().read()
    async def write(self, changes):
        os.write(notes, f"{time.monotonic()}\\n".encode())
        await super().write(changes)

def vehicle(fitting, wrap):
    clock = WallClock()
    return GatedVehicle(wrap(Noting(clock, profile="parked")), clock)

def wish(line):
    line.send(m.packed(m.Begin(fitting=m.Fitting(adapter="simulated", options={}, confirmation_s=14.0))))
    number = 0
    while True:
        number += 1
        line.send(m.packed(m.Wish(kind="act", id=number, name="set_temperature", slots={"celsius": 20.0 + number % 8})))
        while getattr(m.told(line.recv(m.MOST_BYTES)), "id", 0) < number - 3:
            pass

dice, late, written = random.Random(7), 0, 0
for round in range(40):
    notes = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    held = os.fork()
    if not held:
        ours.close()
        attend(theirs, vehicle)
        os._exit(0)
    theirs.close()
    assistant = os.fork()
    if not assistant:
        wish(ours)
    ours.close()
    time.sleep(0.03 + 0.12 * dice.random())
    os.kill(assistant, signal.SIGKILL)
    os.waitpid(assistant, 0)
    killed = time.monotonic()
    assert os.waitpid(held, 0)[1] == 0
    times = [float(line) for line in os.pread(notes, 10**6, 0).decode().split()]
    written += len(times)
    late += sum(at > killed for at in times)
    os.close(notes)
print(written, late)
"""
"""An assistant that wishes without end is killed at any moment; the vehicle's process notes when it writes."""


def test_nothing_moves_after_the_assistant_was_killed_at_any_moment(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS, str(tmp_path / "notes")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    written, late = map(int, done.stdout.split())
    assert written > 40 and late == 0


def test_a_call_can_be_answered_within_two_milliseconds(apart: VehicleApart) -> None:
    """19 of 20 calls are, in the quickest of three series: what else the machine does is no part of it."""

    async def p95(call: Callable[[int], Awaitable[object]], count: int) -> float:
        took: list[float] = []
        for number in range(count):
            began = time.perf_counter()
            await call(number)
            took.append(time.perf_counter() - began)
        return statistics.quantiles(took, n=20)[-1]

    async def all_() -> dict[str, float]:
        warmer = [SetTemperature(celsius=celsius) for celsius in (20.0, 22.0)]
        return {
            "state": min([await p95(lambda _: apart.state(), 150) for _ in range(3)]),
            "foresee": min([await p95(lambda number: apart.foresee(warmer[number % 2]), 150) for _ in range(3)]),
        }

    took = asyncio.run(all_())
    assert max(took.values()) < 0.002, took
