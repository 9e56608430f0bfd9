"""What every vehicle adapter must do. A new adapter joins by a line in ``RIGS`` (``tests/vehicle_rigs.py``)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from schemas.actions import SetWindow
from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError
from schemas.events import ActionStatus, VehicleState
from tests.vehicle_rigs import HANGS_S, PATIENCE_S, RIGS, WIRED, Rig, writable
from vehicle.adapters import ADAPTERS, open_adapter, report
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS, Kind, Signal, fits

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface

SETTLE_S = 15.0
"""Time within which anything that was asked for must be there."""


MOVES_ALONG: Mapping[str, frozenset[str]] = {
    "seat.driver.memory": frozenset({"seat.driver.position", "seat.driver.height", "seat.driver.recline"}),
    "climate.auto": frozenset({"climate.fan"}),
    "sunroof.position": frozenset({"sunroof.shade"}),
}
"""What a signal changes besides itself in the simulated car."""

RUNS = "media.position"
"""Runs on by itself while something plays, and begins anew with another title."""


@pytest.fixture(params=sorted(RIGS))
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = RIGS[request.param]()
    yield made
    made.close()


@pytest.fixture(params=sorted(WIRED))
def wired(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = RIGS[request.param]()
    yield made
    made.close()


def read(rig: Rig) -> VehicleState:
    return asyncio.run(rig.car.read())


def write(rig: Rig, changes: Mapping[str, Any]) -> None:
    asyncio.run(rig.car.write(changes))


def another(rig: Rig, signal: Signal, value: Any) -> Any:
    """A value that the signal takes, the vehicle can express, and it does not have."""
    candidates: tuple[Any, ...] = {
        Kind.NUMBER: (signal.low, signal.high),
        Kind.SWITCH: (True, False),
        Kind.CHOICE: signal.choices,
        Kind.TEXT: ("Somewhere",),
        Kind.TEXTS: (("Somewhere", "Elsewhere"),),
    }[signal.kind]
    return next((one for one in candidates if one != value and rig.takes(signal, one)), None)


def test_it_offers_signals_of_the_table(rig: Rig) -> None:
    assert rig.car.offers()
    assert rig.car.offers() <= set(SIGNALS)
    assert isinstance(rig.car.offers(), frozenset)


def test_it_reads_everything_that_it_offers(rig: Rig) -> None:
    state = read(rig)
    assert set(state.values) == rig.car.offers()
    for name, value in state.values.items():
        assert fits(SIGNALS[name], value), name
    there = rig.far.values()
    if rig.has_wire:
        assert {name: value for name, value in state.values.items() if there[name] != value} == {}


def test_a_reading_is_fresh_and_knows_the_drive(rig: Rig) -> None:
    state = read(rig)
    assert 0.0 <= state.age_s <= 1.0
    assert state.speed_kmh == 0.0
    assert state.gear == "P"
    assert state.ignition_on is True


def test_what_is_written_is_reached(rig: Rig) -> None:
    signals = writable(rig)
    assert signals
    for signal in signals:
        name = signal.name
        before = read(rig).values
        target = another(rig, signal, before[name])
        assert target is not None, name
        together = {"sunroof.shade": 100} if name == "sunroof.position" else {}
        write(rig, {name: target, **together})
        rig.advance(SETTLE_S)
        after = read(rig).values
        assert after[name] == target or after[name] == list(target), name
        others = {n for n in after if after[n] != before[n]} - {name, RUNS, *MOVES_ALONG.get(name, ())}
        assert all(not SIGNALS[n].writable for n in others), name
        write(rig, {name: before[name]})
        rig.advance(SETTLE_S)
        assert read(rig).values[name] == before[name], name


def test_what_it_does_not_offer_is_refused(rig: Rig) -> None:
    for name in sorted(set(SIGNALS) - rig.car.offers()):
        with pytest.raises(AdapterError):
            write(rig, {name: SIGNALS[name].initial})
    assert rig.commands() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"no.such.signal": 1},
        {"battery.charge": 50},
        {"climate.fan": 6},
        {"climate.fan": math.nan},
        {"climate.fan": math.inf},
        {"climate.fan": "2"},
        {"doors.locked": "no"},
        {"climate.airflow": "sideways"},
    ],
)
def test_a_bad_change_is_refused_and_nothing_of_it_is_done(rig: Rig, changes: dict[str, Any]) -> None:
    before = read(rig).values
    with pytest.raises(AdapterError):
        write(rig, {"light.dome": True, **changes})
    rig.advance(1.0)
    after = read(rig).values
    assert {name for name in after if SIGNALS[name].writable and after[name] != before[name]} == set()
    assert rig.commands() == []


def test_several_changes_arrive_as_one(wired: Rig) -> None:
    changes = {"window.driver": 40, "window.passenger": 40, "light.dome": True}
    write(wired, changes)
    wired.settle()
    if wired.one_by_one:
        assert sorted(name for command in wired.commands() for name in command) == sorted(changes)
        assert {name: value for command in wired.commands() for name, value in command.items()} == changes
    else:
        assert wired.commands() == [changes]


def test_writing_nothing_is_fine(rig: Rig) -> None:
    write(rig, {})


def test_a_reading_does_not_change_later(rig: Rig) -> None:
    before = read(rig)
    copy = dict(before.values)
    write(rig, {"light.dome": True, "climate.fan": 4})
    rig.settle()
    assert before.values == copy


def test_it_says_what_it_found(rig: Rig) -> None:
    findings = report(rig.car)
    assert [finding.verdict for finding in findings if finding.subject == "connection"] == ["ok"]
    told = {finding.subject for finding in findings}
    assert set(SIGNALS) - rig.car.offers() <= told
    assert all(finding.text for finding in findings)


def test_a_closed_car_answers_with_an_error(rig: Rig) -> None:
    asyncio.run(rig.car.close())
    asyncio.run(rig.car.close())
    with pytest.raises(AdapterError):
        read(rig)
    with pytest.raises(AdapterError):
        write(rig, {"light.dome": True})
    assert rig.commands() == []


def test_it_works_from_one_event_loop_after_another(rig: Rig) -> None:
    for on in (True, False, True):
        write(rig, {"light.dome": on})
        rig.settle()
        assert read(rig).values["light.dome"] is on


# Faults of the wire.


def test_a_hanging_vehicle_is_an_error_in_time(wired: Rig) -> None:
    wired.hang()
    begun = time.monotonic()
    with pytest.raises(AdapterError):
        write(wired, {"light.dome": True})
    assert time.monotonic() - begun < PATIENCE_S / 4, "its own deadline is 0.3 s"


async def given_up(rig: Rig, changes: Mapping[str, Any], within_s: float) -> None:
    """Ask for what does not succeed in time."""
    with pytest.raises((AdapterError, TimeoutError)):
        await asyncio.wait_for(rig.car.write(changes), within_s)


@pytest.mark.parametrize("within_s", [0.0, 0.02, 4 * HANGS_S])
def test_after_a_hang_nothing_late_arrives_and_the_newest_command_wins(rig: Rig, within_s: float) -> None:
    """Cancelled before it begins, under way, and out of its own time (the simulated car has none: its hang is endless)."""
    rig.hang()
    asyncio.run(given_up(rig, {"window.driver": 100}, within_s))
    asyncio.run(given_up(rig, {"window.driver": 60}, within_s))
    rig.restore()
    rig.advance(SETTLE_S)
    assert rig.commands() == []
    write(rig, {"window.driver": 30})
    rig.advance(SETTLE_S)
    assert rig.commands() == [{"window.driver": 30}]
    assert read(rig).values["window.driver"] == 30


def test_behind_the_gate_a_wish_that_timed_out_never_happens(rig: Rig) -> None:
    vehicle = GatedVehicle(rig.car, rig.clock, patience_s=4 * HANGS_S)
    patient = GatedVehicle(rig.car, rig.clock, gate=vehicle.gate, patience_s=PATIENCE_S)

    async def hung() -> None:
        result = await vehicle.act(SetWindow(percent=100))
        assert (result.status, result.error) == (ActionStatus.FAULT, "adapter")
        assert not vehicle.gate.armed
        await asyncio.to_thread(rig.restore)
        await asyncio.to_thread(rig.advance, SETTLE_S)
        assert rig.commands() == []

    async def served() -> None:
        assert (await patient.act(SetWindow(percent=30))).status is ActionStatus.DONE

    rig.hang()
    asyncio.run(hung())
    asyncio.run(served())
    rig.advance(SETTLE_S)
    assert rig.commands() == [{"window.driver": 30}]


def test_a_lost_vehicle_is_an_error_at_once(wired: Rig) -> None:
    wired.lose()
    begun = time.monotonic()
    with pytest.raises(AdapterError):
        read(wired)
    with pytest.raises(AdapterError):
        write(wired, {"window.driver": 100})
    assert time.monotonic() - begun < PATIENCE_S / 4, "nobody waits for a connection"
    assert [finding.verdict for finding in wired.car.check() if finding.subject == "connection"] == ["fail"]


def test_it_recovers_and_what_was_asked_for_meanwhile_never_happens(wired: Rig) -> None:
    write(wired, {"climate.fan": 3})
    wired.settle()
    wired.lose()
    for _ in range(3):
        with pytest.raises(AdapterError):
            write(wired, {"window.driver": 100})
    wired.restore()
    write(wired, {"light.dome": True})
    wired.settle()
    assert [command for command in wired.commands() if "window.driver" in command] == []
    state = read(wired)
    assert state.values["window.driver"] == 0
    assert state.values["light.dome"] is True
    assert state.values["climate.fan"] == 3


def test_what_was_done_before_a_loss_is_not_done_again_after_it(wired: Rig) -> None:
    write(wired, {"window.driver": 100})
    wired.advance(SETTLE_S)
    write(wired, {"window.driver": 0})
    wired.advance(SETTLE_S)
    before = len(wired.commands())
    wired.lose()
    wired.restore()
    wired.advance(SETTLE_S)
    assert len(wired.commands()) == before
    assert read(wired).values["window.driver"] == 0


def test_a_loss_in_the_middle_of_a_write_is_an_error(wired: Rig) -> None:
    wired.hang()

    async def interrupted() -> None:
        writing = asyncio.ensure_future(wired.car.write({"light.dome": True}))
        await asyncio.sleep(0)
        await asyncio.to_thread(wired.lose)
        with pytest.raises(AdapterError):
            await writing

    asyncio.run(interrupted())
    wired.restore()
    write(wired, {"climate.fan": 2})


def test_it_starts_without_the_vehicle_and_reaches_it_when_it_comes(wired: Rig) -> None:
    there = wired.car.offers()
    wired.lose()
    wired.start_anew()
    assert there <= wired.car.offers(), "what is asked for is understood, and its failure told"
    with pytest.raises(AdapterError):
        read(wired)
    changes: list[bool] = []
    vehicle = GatedVehicle(wired.car, wired.clock, patience_s=PATIENCE_S)
    vehicle.watch(lambda: changes.append(vehicle.away))
    for _ in range(2):
        result = asyncio.run(vehicle.act(SetWindow(percent=100)))
        assert (result.status, result.error, result.ruling.rule) == (ActionStatus.FAULT, "adapter", "silent")
    assert not vehicle.gate.armed and vehicle.known() is None
    assert [finding.verdict for finding in wired.car.check() if finding.subject == "connection"] == ["fail"]
    wired.restore()
    assert wired.commands() == []
    assert asyncio.run(vehicle.act(SetWindow(percent=30))).status is ActionStatus.DONE
    assert changes == [True, False]
    assert wired.car.offers() == there
    wired.settle()
    assert wired.commands() == [{"window.driver": 30}]


def test_an_impatient_adapter_does_not_start_without_the_vehicle(wired: Rig) -> None:
    wired.lose()
    with pytest.raises(AdapterError):
        wired.start_anew(patient=False)


def test_old_speed_is_unknown(wired: Rig) -> None:
    wired.clock.advance_to(wired.clock.now() + 1.5)
    state = read(wired)
    assert state.speed_kmh is None
    wired.settle()
    assert read(wired).speed_kmh == 0.0


def test_a_value_that_makes_no_sense_is_unknown(wired: Rig) -> None:
    name = wired.lie()
    assert name not in read(wired).values
    assert any(finding.subject == name and finding.verdict == "warn" for finding in wired.car.check())


def test_a_cancelled_write_leaves_the_adapter_working(wired: Rig) -> None:
    wired.hang()

    async def impatient() -> None:
        with pytest.raises((TimeoutError, AdapterError)):  # a bus without room says so sooner
            await asyncio.wait_for(wired.car.write({"light.dome": True}), 0.02)

    asyncio.run(impatient())
    wired.restore()
    write(wired, {"climate.fan": 2})
    wired.settle()
    assert read(wired).values["climate.fan"] == 2


# The table of adapters.


def test_the_table_of_adapters_holds_what_it_says() -> None:
    for name in ADAPTERS.rows:
        assert callable(ADAPTERS.opener(name).offers)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "hint"), [("simulate", "did you mean 'simulated'"), ("xyz", "there are ")])
def test_an_unknown_adapter_is_named(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        open_adapter(name, clock=StreamClock(), profile="parked")


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name="paho")

    monkeypatch.setattr("schemas.registry.import_module", absent)
    with pytest.raises(ConfigError, match=r"needs paho.*\[simulated\]"):
        open_adapter("simulated", clock=StreamClock(), profile="parked")
