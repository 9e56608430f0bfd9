"""The simulated car: its drives, its physics over time, and its faults."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError
from schemas.events import Motion, VehicleState
from vehicle.adapters.simulated import DRIVES, SimulatedVehicle
from vehicle.adapters.simulated.drives import drive_named
from vehicle.adapters.simulated.plant import RATES
from vehicle.gate import motion
from vehicle.signals import SIGNALS


@pytest.fixture
def clock() -> StreamClock:
    return StreamClock()


def read(car: SimulatedVehicle) -> VehicleState:
    return asyncio.run(car.read())


def write(car: SimulatedVehicle, **changes: Any) -> None:
    asyncio.run(car.write({name.replace("__", "."): value for name, value in changes.items()}))


# Drives ---------------------------------------------------------------------------------------------------------------


def test_every_drive_begins_in_p_or_pulls_away_from_standing() -> None:
    for drive in DRIVES.values():
        speed, gear = drive.at(0.0)
        assert speed == 0.0
        assert gear in ("P", "D")


def test_a_commute_goes_from_parked_to_parked_over_town_and_motorway(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock, profile="commute")
    seen: list[tuple[Motion, float]] = []
    for second in range(0, 600, 2):
        clock.advance_to(second)
        state = read(car)
        assert state.speed_kmh is not None
        assert state.age_s == 0.0
        seen.append((motion(state), state.speed_kmh))
    motions = [m for m, _ in seen]
    assert motions[0] is Motion.PARKED and motions[-1] is Motion.PARKED
    assert Motion.IDLING in motions
    speeds = [speed for _, speed in seen]
    assert max(speeds) > 120
    assert sum(25 <= speed <= 55 for speed in speeds) > 50
    assert all(abs(a - b) < 25 for a, b in itertools.pairwise(speeds))


def test_the_end_of_a_drive_lasts() -> None:
    assert drive_named("commute").at(1e7) == (0, "P")
    assert drive_named("town").at(1e7) == (49, "D")
    assert drive_named("parked").at(5.0) == (0.0, "P")


def test_town_is_wet() -> None:
    town = read(SimulatedVehicle(StreamClock(), profile="town"))
    assert (town.values["outside.rain"], town.values["outside.temperature"]) == (15.0, 9.0)


@pytest.mark.parametrize(
    ("name", "hint"), [("twon", "did you mean 'town'"), ("moon landing", "there are parked, town")]
)
def test_an_unknown_drive_is_named(clock: StreamClock, name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        SimulatedVehicle(clock, profile=name)


# The plant ------------------------------------------------------------------------------------------------------------


def test_it_starts_as_the_table_says(clock: StreamClock) -> None:
    state = read(SimulatedVehicle(clock))
    skipped = {"battery.range"}
    assert set(SIGNALS) - set(state.values) == {"fuel.level", "fuel.range"}
    for name, value in state.values.items():
        assert value == SIGNALS[name].initial or name in skipped
    assert state.values["battery.range"] == 256.0


@pytest.mark.parametrize("name", sorted(RATES))
def test_what_travels_takes_its_time_both_ways(clock: StreamClock, name: str) -> None:
    car = SimulatedVehicle(clock, initial={"sunroof.shade": 100, name: 20})
    far = 60
    for target, begin in ((far, 20), (20, far)):
        started = clock.now()
        write(car, **{name.replace(".", "__"): target})
        positions = [read(car).values[name]]
        needed = abs(target - begin) / RATES[name]
        while clock.now() < started + needed - 0.05:
            clock.advance_to(clock.now() + 0.1)
            positions.append(read(car).values[name])
        assert positions[0] == begin
        assert sorted(positions, reverse=target < begin) == positions
        assert positions[-2] != target
        clock.advance_to(started + needed + 0.1)
        assert read(car).values[name] == target


def test_the_roof_waits_for_its_shade(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    write(car, sunroof__position=100)
    clock.advance_to(20.0)
    assert read(car).values["sunroof.position"] == 0
    write(car, sunroof__shade=40)
    clock.advance_to(40.0)
    assert read(car).values["sunroof.position"] == 40
    write(car, sunroof__position=0)
    clock.advance_to(60.0)
    assert read(car).values["sunroof.position"] == 0


def test_a_motor_turns_round_in_the_middle(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    write(car, window__driver=100)
    clock.advance_to(2.0)
    assert read(car).values["window.driver"] == 50
    write(car, window__driver=0)
    clock.advance_to(3.0)
    assert read(car).values["window.driver"] == 25


def cabin_after(minutes: float, **values: Any) -> float:
    clock = StreamClock()
    car = SimulatedVehicle(clock, initial={name.replace("__", "."): value for name, value in values.items()})
    clock.advance_to(60.0 * minutes)
    return float(read(car).values["climate.cabin_temperature"])


def test_the_cabin_drifts_to_its_target() -> None:
    both = {"climate__driver__temperature": 25.0, "climate__passenger__temperature": 25.0}
    warm = [cabin_after(m, climate__fan=3, **both) for m in (0, 1, 5, 60)]
    assert warm == sorted(warm)
    assert warm[0] == 19.0
    assert warm[-1] == 25.0
    assert cabin_after(1, climate__fan=5, **both) > cabin_after(1, climate__fan=1, **both)


def test_zones_are_averaged() -> None:
    assert (
        cabin_after(120, climate__fan=5, climate__driver__temperature=20.0, climate__passenger__temperature=24.0)
        == 22.0
    )


def test_cooling_below_the_outside_needs_the_air_conditioning() -> None:
    hot: dict[str, Any] = {"outside__temperature": 35.0, "climate__cabin_temperature": 35.0, "climate__fan": 5}
    assert cabin_after(60, **hot) == 35.0
    assert cabin_after(60, **hot, climate__air_conditioning=True) == 21.0


def test_without_a_fan_the_cabin_goes_to_the_outside() -> None:
    assert cabin_after(600, climate__fan=0) == 12.0


def test_driving_empties_the_battery(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock, profile="motorway")
    before = read(car).values
    clock.advance_to(1800.0)
    after = read(car).values
    km = before["battery.range"] - after["battery.range"]
    assert 55 < km < 60  # half an hour at 112 km/h
    assert before["battery.charge"] - after["battery.charge"] == pytest.approx(km * 100 * 0.18 / 64, abs=0.2)
    clock.advance_to(10 * 3600.0)
    assert read(car).values["battery.charge"] == 0.0


def test_parked_nothing_is_used_and_nothing_comes_nearer(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    write(car, navigation__destination="Home", navigation__minutes=5)
    clock.advance_to(3600.0)
    values = read(car).values
    assert (values["battery.charge"], values["navigation.minutes"]) == (72.0, 5)


def test_the_way_gets_shorter_while_driving(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock, profile="town")
    write(car, navigation__destination="Home", navigation__minutes=5)
    clock.advance_to(130.0)
    assert read(car).values["navigation.minutes"] == 3
    clock.advance_to(1000.0)
    assert read(car).values["navigation.minutes"] == 0


def test_how_often_it_is_read_changes_nothing() -> None:
    often, seldom = StreamClock(), StreamClock()
    cars = [SimulatedVehicle(clock, profile="commute") for clock in (often, seldom)]
    for car in cars:
        write(car, window__driver=70, climate__fan=4)
    for third in range(1, 901):
        often.advance_to(third / 3.0)
        read(cars[0])
    seldom.advance_to(300.0)
    a, b = (read(car).values for car in cars)
    assert {name for name in a if a[name] != b[name]} <= {"battery.charge", "battery.range"}
    assert a["battery.range"] == pytest.approx(b["battery.range"], abs=0.3)


def test_its_place_goes_straight_towards_the_destination_and_stays_without_one(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock, profile="motorway")
    clock.advance_to(60.0)
    assert (read(car).values["position.latitude"], read(car).values["position.longitude"]) == (54.5, 3.5)
    write(car, navigation__destination="The Lighthouse", navigation__latitude=54.53, navigation__longitude=3.5)
    clock.advance_to(90.0)  # about a kilometre
    on_the_way = read(car).values
    assert 54.506 < on_the_way["position.latitude"] < 54.512 and on_the_way["position.longitude"] == 3.5
    clock.advance_to(900.0)
    assert read(car).values["position.latitude"] == 54.53  # there, and no further


# Faults ---------------------------------------------------------------------------------------------------------------


def test_a_stuck_motor_does_not_move_and_does_not_catch_up(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    write(car, window__driver=100)
    clock.advance_to(1.0)
    assert read(car).values["window.driver"] == 25
    car.faults.stuck.add("window.driver")
    clock.advance_to(2.0)
    write(car, window__driver=60)
    assert read(car).values["window.driver"] == 25
    car.faults.stuck.clear()
    clock.advance_to(20.0)
    assert read(car).values["window.driver"] == 25
    write(car, window__driver=60)
    clock.advance_to(30.0)
    assert read(car).values["window.driver"] == 60


def test_a_stuck_switch(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    car.faults.stuck.add("light.fog")
    write(car, light__fog=True, light__dome=True)
    values = read(car).values
    assert (values["light.fog"], values["light.dome"]) == (False, True)


def test_stale_driving_signals_age(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock, profile="town")
    clock.advance_to(4.0)
    before = read(car)
    car.faults.stale = True
    clock.advance_to(7.5)
    stale = read(car)
    assert (stale.speed_kmh, stale.age_s) == (before.speed_kmh, 3.5)
    car.faults.stale = False
    assert read(car).age_s == 0.0


def test_unknown_signals_are_not_reported(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    car.faults.unknown |= {"speed_kmh", "gear", "ignition_on", "outside.rain"}
    state = read(car)
    assert (state.speed_kmh, state.gear, state.ignition_on) == (None, None, None)
    assert "outside.rain" not in state.values
    assert motion(state) is Motion.MOVING


def test_a_lost_car_cannot_be_reached_until_it_is_back(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    car.faults.lost = True
    with pytest.raises(AdapterError, match="lost"):
        read(car)
    with pytest.raises(AdapterError, match="lost"):
        write(car, light__dome=True)
    car.faults.lost = False
    assert read(car).values["light.dome"] is False


@pytest.mark.parametrize("initial", [{"climate.fan": 9}, {"engine": 1}, {"doors.locked": "yes"}])
def test_it_does_not_start_with_nonsense(clock: StreamClock, initial: dict[str, Any]) -> None:
    with pytest.raises(AdapterError, match="cannot start with this"):
        SimulatedVehicle(clock, initial=initial)


def test_a_list_of_stops_is_kept_as_it_is(clock: StreamClock) -> None:
    car = SimulatedVehicle(clock)
    stops = ["Home", "Work"]
    write(car, navigation__stops=stops)
    stops.append("Elsewhere")
    assert read(car).values["navigation.stops"] == ("Home", "Work")


def test_ignition_off(clock: StreamClock) -> None:
    assert read(SimulatedVehicle(clock, ignition_on=False)).ignition_on is False
