"""What every vehicle adapter must do. A new adapter joins by a line in ``CARS``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from schemas.errors import AdapterError, ConfigError
from schemas.events import VehicleState
from vehicle.adapters import ADAPTERS, VehicleAdapter, open_adapter
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.signals import SIGNALS, Kind, Signal, fits
from voice.clock import StreamClock

SETTLE_S = 30.0
"""Time within which anything that was asked for must be there."""

CARS: dict[str, Callable[[StreamClock], VehicleAdapter]] = {
    "simulated": SimulatedVehicle,
    "simulated without a roof": lambda clock: SimulatedVehicle(
        clock, without=frozenset({"sunroof.position", "sunroof.shade"})
    ),
    "opened by name": lambda clock: open_adapter("simulated", clock=clock, profile="parked"),
}


@pytest.fixture
def clock() -> StreamClock:
    return StreamClock()


@pytest.fixture(params=sorted(CARS))
def car(request: pytest.FixtureRequest, clock: StreamClock) -> VehicleAdapter:
    return CARS[request.param](clock)


def read(car: VehicleAdapter) -> VehicleState:
    return asyncio.run(car.read())


def write(car: VehicleAdapter, changes: Mapping[str, Any]) -> None:
    asyncio.run(car.write(changes))


def another(signal: Signal, value: Any) -> Any:
    """A value that the signal takes and does not have."""
    match signal.kind:
        case Kind.NUMBER:
            return signal.low if value != signal.low else signal.high
        case Kind.SWITCH:
            return not value
        case Kind.CHOICE:
            return next(choice for choice in signal.choices if choice != value)
        case Kind.TEXT:
            return "Somewhere"
        case Kind.TEXTS:
            return ("Somewhere", "Elsewhere")


def test_it_offers_signals_of_the_table(car: VehicleAdapter) -> None:
    assert car.offers()
    assert car.offers() <= set(SIGNALS)
    assert isinstance(car.offers(), frozenset)


def test_it_reads_everything_that_it_offers(car: VehicleAdapter) -> None:
    state = read(car)
    assert set(state.values) == car.offers()
    for name, value in state.values.items():
        assert fits(SIGNALS[name], value), name


def test_a_reading_is_fresh_and_knows_the_drive(car: VehicleAdapter) -> None:
    state = read(car)
    assert 0.0 <= state.age_s <= 1.0
    assert state.speed_kmh is not None
    assert state.gear in ("P", "R", "N", "D")
    assert state.ignition_on is not None


@pytest.mark.parametrize("name", sorted(name for name, signal in SIGNALS.items() if signal.writable))
def test_what_is_written_is_reached(car: VehicleAdapter, clock: StreamClock, name: str) -> None:
    if name not in car.offers():
        with pytest.raises(AdapterError):
            write(car, {name: SIGNALS[name].initial})
        return
    before = read(car).values
    target = another(SIGNALS[name], before[name])
    together = {"sunroof.shade": 100} if name == "sunroof.position" else {}
    write(car, {name: target, **together})
    clock.advance_to(clock.now() + SETTLE_S)
    after = read(car).values
    assert after[name] == target or after[name] == list(target)
    others = {n for n in after if after[n] != before[n]} - {name, *together}
    assert all(not SIGNALS[n].writable for n in others)


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
def test_a_bad_change_is_refused_and_nothing_of_it_is_done(
    car: VehicleAdapter, clock: StreamClock, changes: dict[str, Any]
) -> None:
    before = read(car).values
    with pytest.raises(AdapterError):
        write(car, {"light.dome": True, **changes})
    clock.advance_to(clock.now() + 1.0)
    after = read(car).values
    assert {name for name in after if SIGNALS[name].writable and after[name] != before[name]} == set()


def test_writing_nothing_is_fine(car: VehicleAdapter) -> None:
    write(car, {})


def test_a_reading_does_not_change_later(car: VehicleAdapter) -> None:
    before = read(car)
    copy = dict(before.values)
    write(car, {"light.dome": True, "climate.fan": 4})
    assert before.values == copy


def test_a_closed_car_answers_with_an_error(car: VehicleAdapter) -> None:
    asyncio.run(car.close())
    asyncio.run(car.close())
    with pytest.raises(AdapterError):
        read(car)
    with pytest.raises(AdapterError):
        write(car, {"light.dome": True})


def test_the_table_of_adapters_holds_what_it_says() -> None:
    for name in ADAPTERS:
        assert hasattr(open_adapter(name, clock=StreamClock(), profile="parked"), "offers")


@pytest.mark.parametrize(("name", "hint"), [("simulate", "did you mean 'simulated'"), ("xyz", "there are simulated")])
def test_an_unknown_adapter_is_named(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        open_adapter(name, clock=StreamClock(), profile="parked")
