"""``glovebox vehicle``: what it lists, reads, sets through the gate, watches, checks and draws."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from deploy.cli import main
from deploy.cli.vehicle import _Looks
from deploy.picture import WIDTH, lines, svg
from schemas.clock import StreamClock
from schemas.events import VehicleState
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS

Call = Callable[..., tuple[int, str, str]]
"""Arguments after ``glovebox vehicle``, and the drive -> exit code, output, complaints."""

INITIAL = {name: signal.initial for name, signal in SIGNALS.items()}


def tag(drawn: str) -> str:
    return ET.fromstring(drawn).tag  # noqa: S314 - our own drawing


@pytest.fixture
def glovebox(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str, profile: str = "parked") -> tuple[int, str, str]:
        code = main(["--home", str(tmp_path), "--set", f"vehicle.profile={profile}", "vehicle", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_it_lists_what_can_be_asked_for(glovebox: Call) -> None:
    code, said, _ = glovebox("list", "--json")
    told = json.loads(said)
    by_name = {entry["action"]: entry for entry in told["actions"]}
    assert code == 0
    assert by_name["set_window"]["tier"] == "pinch" and by_name["set_window"]["slots"] == ["window", "but", "percent"]
    assert told["missing"] == ["send_email"]
    code, said, _ = glovebox("list")
    assert "set_window (window, but, percent)" in said and "Not in this vehicle: send_email" in said


def test_it_reads_all_some_and_nothing_unknown(glovebox: Call) -> None:
    assert json.loads(glovebox("get", "--json")[1])["gear"] == "P"
    code, said, _ = glovebox("get", "window", "speed_kmh")
    assert code == 0
    assert said.splitlines()[-1] == "speed_kmh = 0.0 km/h" and "window.driver = 0 percent" in said
    code, _, complaint = glovebox("get", "engine")
    assert code == 51 and "tells no engine" in complaint


@pytest.mark.parametrize(
    ("arguments", "code", "status", "rule"),
    [
        (["window.driver", "50"], 0, "done", "set_window"),
        (["climate.driver.temperature", "22.5"], 0, "done", "set_temperature"),
        (["light.dome", "on"], 0, "done", "set_dome_light"),
        (["climate.airflow", "feet"], 0, "done", "set_airflow"),
        (["navigation.stops", "Home, Work"], 0, "done", "navigate_to"),
        (["trunk.position", "100"], 53, "needs_confirmation", "trunk_open"),
        (["trunk.position", "100", "--yes"], 0, "done", "trunk_open"),
    ],
)
def test_it_sets_by_the_rules_of_the_gate(
    glovebox: Call,
    arguments: list[str],
    code: int,
    status: str,
    rule: str,
) -> None:
    ended, said, _ = glovebox("set", *arguments, "--json")
    told = json.loads(said)
    assert (ended, told["status"], told["rule"]) == (code, status, rule)
    assert bool(told["moved"]) is (status == "done")


def test_it_says_why_not(glovebox: Call) -> None:
    assert glovebox("set", "trunk.position", "100")[2].strip() == "The trunk needs room to open. Say yes with --yes."
    code, _, complaint = glovebox("set", "seat.driver.memory", "2", profile="town")
    assert code in (50, 53)
    assert "seat" in complaint
    assert "It was so already." in glovebox("set", "light.dome", "off")[1]
    assert "window.driver: 0 -> " in glovebox("set", "window.driver", "50")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense", "1"], "no signal is called 'nonsense'"),
        (["climate.fan", "9"], "does not take 9"),
        (["climate.fan", "fast"], "does not take str"),
        (["battery.charge", "100"], "can only be read"),
        (["light.dome", "maybe"], "does not take str"),
    ],
)
def test_it_refuses_what_no_signal_takes(glovebox: Call, arguments: list[str], complaint: str) -> None:
    code, _, said = glovebox("set", *arguments)
    assert code == 51
    assert complaint in said


def test_it_watches_and_checks(glovebox: Call) -> None:
    code, said, _ = glovebox("watch", "window", "--looks", "2", "--every", "0.05", "--json")
    assert code == 0
    assert json.loads(said.splitlines()[0])["window.driver"] == 0
    assert glovebox("watch", "--looks", "1")[:2] == (0, "")
    told = json.loads(glovebox("check", "--json")[1])
    assert told["ok"] and told["findings"][-1]["verdict"] == "ok"
    assert "The vehicle can be used." in glovebox("check")[1]


def test_it_draws(glovebox: Call) -> None:
    assert "0 km/h   gear P   parked" in glovebox("view", "--looks", "1")[1]
    assert tag(glovebox("view", "--svg")[1]).endswith("svg")


# The picture ----------------------------------------------------------------------------------------------------------

BUSY = INITIAL | {
    "window.driver": 50,
    "door.rear_left": True,
    "light.high_beam": True,
    "light.ambient.on": True,
    "light.ambient.color": "blue",
    "media.source": "music",
    "media.title": "<So & What>" * 20,
    "media.playing": True,
    "navigation.destination": "Home",
    "navigation.stops": ("Post Office",),
    "charging.plugged": True,
    "charging.active": True,
    "seat.driver.heating": 3,
    "climate.auto": True,
}


@pytest.mark.parametrize("values", [INITIAL, BUSY, {}, {"window.driver": None, "seat.driver.heating": "hot"}])
def test_any_state_has_a_picture(values: dict[str, object]) -> None:
    state = VehicleState(speed_kmh=None if not values else 49.0, gear="D", values=values)
    assert all(len(line) <= WIDTH for line in lines(state))
    assert tag(svg(state)).endswith("svg")


def test_the_picture_tells_what_is_open_lit_and_unknown() -> None:
    text = "\n".join(lines(VehicleState(speed_kmh=49.0, gear="D", ignition_on=True, values=BUSY)))
    assert "49 km/h   gear D   moving   ignition on" in text
    assert "front [####    ]" in text
    assert "doors rear left" in text and "high_beam" in text and "ambient blue 50 %" in text
    assert "route to Home by Post Office" in text and "charging at 0 kW" in text
    unknown = "\n".join(lines(VehicleState()))
    assert "[   ?    ]" in unknown and "speed unknown" in unknown
    drawn = svg(VehicleState(values=BUSY))
    assert "#3e63dd" in drawn and "left front window 50 % open" in drawn and "rear_left door open" in drawn
    assert "stroke-dasharray" in svg(VehicleState())


def test_a_connection_that_is_lost_is_told_once_and_waited_out(capsys: pytest.CaptureFixture[str]) -> None:
    clock = StreamClock()
    car = SimulatedVehicle(clock)
    looks = _Looks(GatedVehicle(car, clock), 0.0)

    async def follow() -> None:
        await anext(looks)
        car.faults.fails_after = 0
        waiting = asyncio.ensure_future(anext(looks))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waiting.done()
        car.faults.fails_after, car.faults.lost = None, False
        assert (await waiting).gear == "P"

    asyncio.run(follow())
    told = capsys.readouterr().err
    assert told.count("waiting for it") == 1 and told.count("there again") == 1


def test_looks_at_a_lost_vehicle_are_counted_too() -> None:
    clock = StreamClock()
    car = SimulatedVehicle(clock)

    async def follow() -> list[VehicleState]:
        seen: list[VehicleState] = []
        async for state in _Looks(GatedVehicle(car, clock), 0.0, 3):
            seen.append(state)
            car.faults.fails_after = 0
        return seen

    assert len(asyncio.run(asyncio.wait_for(follow(), 10))) == 1
