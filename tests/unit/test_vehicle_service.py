"""The vehicle behind its gate: every action done, refused, asked or failed, and nothing done behind the gate's back."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.actions import (
    ACTIONS,
    Action,
    ChangeVolume,
    FindPlace,
    GetNavigation,
    GetRange,
    NavigateTo,
    PlayMusic,
    PlayRadio,
    SetDomeLight,
    SetHighBeam,
    SetSunroof,
    SetTemperature,
    SetTimer,
    SetTrunk,
    SetWindow,
    Undo,
    parse_action,
)
from schemas.errors import AdapterError, ConfirmationError
from schemas.events import ActionResult, ActionStatus, Moved, VehicleState, Verdict
from schemas.ports import VehiclePort
from vehicle import organizer
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.gate import Gate, rule
from vehicle.organizer import Organizer
from vehicle.policy import POLICY
from vehicle.service import DEADLINE_S, GatedVehicle
from vehicle.signals import SIGNALS
from voice.clock import StreamClock

SLOTS: dict[str, list[dict[str, Any]]] = {
    "set_temperature": [{"celsius": 23.5}, {"celsius": 16, "zone": "passenger"}],
    "change_temperature": [{"change": "up"}, {"change": "down", "zone": "driver"}],
    "set_fan_speed": [{"level": 5}],
    "change_fan_speed": [{"change": "down"}],
    "set_airflow": [{"direction": "face_and_feet"}],
    "set_seat_heating": [{"level": 3, "zone": "all"}],
    "set_seat_ventilation": [{"level": 2}],
    "set_steering_wheel_heating": [{"level": 1}],
    "move_seat": [{"direction": "back"}, {"direction": "up"}],
    "change_seat_heating": [{"change": "up"}, {"change": "up", "zone": "rear"}],
    "set_seat_massage": [{"level": 1}],
    "change_lumbar": [{"change": "up", "zone": "all"}],
    "change_steering_wheel_heating": [{"change": "up"}],
    "recline_seat": [{"direction": "back"}, {"direction": "forward"}],
    "recall_seat_position": [{"number": 2}],
    "change_window": [{"change": "open"}, {"change": "open", "by": 30, "window": "all"}],
    "change_sunroof": [{"change": "open"}],
    "set_display_brightness": [{"percent": 30}],
    "change_display_brightness": [{"change": "down"}],
    "set_display_mode": [{"mode": "night"}],
    "set_unit": [{"unit": "miles"}, {"unit": "fahrenheit"}],
    "play_playlist": [{"playlist": "road trip"}],
    "set_media_source": [{"source": "usb"}, {"source": "radio"}],
    "set_repeat": [{"mode": "track"}],
    "find_on_route": [{"kind": "charging_station"}],
    "list_places": [{"kind": "restaurant", "quality": "italian"}],
    "replace_stop": [{"destination": "the zoo"}],
    "change_destination": [{"destination": "home"}],
    "choose_route": [{"number": 2}],
    "set_guidance": [{"on": False}],
    "get_distance": [{"destination": "the beach"}],
    "set_charge_limit": [{"percent": 90}],
    "set_charge_port": [{"open": True}],
    "set_charge_timer": [{"hour": 11, "half": "pm"}],
    "get_charging": [{}, {"percent": 80}],
    "set_timer": [{"minutes": 10, "label": "pasta"}],
    "set_reminder": [{"what": "call anna", "minutes": 20}, {"what": "bread", "hour": 5, "half": "pm"}],
    "get_contact": [{"person": "anna berg"}],
    "call_contact": [{"person": "my sister"}],
    "send_email": [{"person": "tomas ilic", "message": "i am late"}],
    "set_window": [{"percent": 50}, {"window": "all", "percent": 100}],
    "set_sunroof": [{"percent": 30}],
    "set_sunshade": [{"percent": 100}],
    "set_trunk": [{"open": True}],
    "set_door_locks": [{"locked": False}],
    "set_mirrors": [{"folded": True}],
    "set_ambient_color": [{"color": "blue"}],
    "set_ambient_brightness": [{"percent": 80}],
    "change_ambient_brightness": [{"change": "down"}],
    "play_music": [{"genre": "jazz"}],
    "play_radio": [{"station": "radio one"}],
    "play_podcast": [{"show": "serial"}],
    "set_volume": [{"percent": 80}],
    "change_volume": [{"change": "down"}],
    "set_playback": [{"command": command} for command in ("play", "pause", "next", "previous")],
    "navigate_to": [{"destination": "the airport"}],
    "find_place": [{"kind": "charging_station", "quality": "fast"}],
    "add_stop": [{"destination": "work"}],
    "set_route_preference": [{"preference": "shortest"}],
}


BESIDE = {"set_timer", "set_reminder", "cancel_timer"}
"""What changes nothing in the vehicle."""


def instances(action: type[Action]) -> list[Action]:
    return [
        action.model_validate(s)
        for s in SLOTS.get(action.name, [{"on": True}] if "on" in action.model_fields else [{}])
    ]


DESK = Path(organizer.__file__).with_name("organizer.json")
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""A Friday."""

ON_THE_WAY: dict[str, Any] = {
    "navigation.destination": "Marrowby Airport",
    "navigation.stops": ("Post Office",),
    "navigation.minutes": 14,
    "charging.plugged": True,
}


class Car:
    """A gated simulated car with everything at hand."""

    def __init__(self, profile: str = "parked", *, at: float = 0.0, **options: Any) -> None:
        self.clock = StreamClock()
        self.adapter = SimulatedVehicle(self.clock, profile=profile, **options)
        self.organizer = Organizer.load(DESK, self.clock.now, lambda: NOON)
        self.vehicle = GatedVehicle(self.adapter, self.clock, organizer=self.organizer)
        self.clock.advance_to(at)

    def act(self, action: Action) -> ActionResult:
        return asyncio.run(self.vehicle.act(action))

    def confirm(self, result: ActionResult) -> ActionResult:
        return asyncio.run(self.vehicle.confirm(str(result.token)))

    def value(self, name: str) -> Any:
        return asyncio.run(self.vehicle.state()).values[name]

    def later(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now() + seconds)


def test_it_is_a_vehicle_port() -> None:
    port: VehiclePort = Car().vehicle
    assert port.offers() == set(POLICY) - {"send_email"}


@pytest.mark.parametrize(
    "action",
    [a for kind in ACTIONS if kind.name in POLICY and kind.name != "send_email" for a in instances(kind)],
    ids=lambda action: action.describe(),
)
def test_every_action_is_done_when_parked(action: Action) -> None:
    car = Car(initial=ON_THE_WAY)
    if action.name in ("undo", "cancel_timer"):
        car.act(SetDomeLight(on=True) if action.name == "undo" else SetTimer(minutes=5))
    result = car.act(action)
    if result.status is ActionStatus.NEEDS_CONFIRMATION:
        assert result.ruling.verdict is Verdict.CONFIRM
        assert not result.moved
        result = car.confirm(result)
    assert result.status is ActionStatus.DONE
    assert result.ruling.verdict is Verdict.ALLOW
    assert result.error is None and result.token is None
    for moved in result.moved:
        assert moved.before != moved.after
    if action.query:
        assert result.answer and not result.moved
    idle = {"set_playback(command=pause)", "set_low_beam(on=True)", "set_climate(on=True)", "stop_moving()",
            "add_charging_stops()"}  # fmt: skip
    idle |= {a.describe() for kind in ACTIONS if kind.name in BESIDE for a in instances(kind)}
    if not action.query and action.describe() not in idle:
        assert result.moved
    car.later(30.0)
    for moved in result.moved:
        assert car.value(moved.signal) == moved.target


def test_done_means_begun_and_tells_where_it_goes() -> None:
    car = Car()
    result = car.act(SetWindow(percent=50))
    (moved,) = result.moved
    assert (moved.signal, moved.before, moved.target) == ("window.driver", 0, 50)
    assert 0 < moved.after < 10
    assert 0 < car.clock.slept <= 0.2


def test_what_is_at_once_needs_no_waiting() -> None:
    car = Car()
    result = car.act(SetTemperature(celsius=23, zone="driver"))
    assert result.moved == (Moved(signal="climate.driver.temperature", before=21.0, after=23.0, target=23.0),)
    assert car.clock.slept == 0.0


def test_asking_for_what_is_already_so_is_done_and_moves_nothing() -> None:
    result = Car().act(SetTemperature(celsius=21))
    assert (result.status, result.moved) == (ActionStatus.DONE, ())


def test_refused_while_driving() -> None:
    car = Car("town", at=30.0)
    result = car.act(SetTrunk(open=True))
    assert result.status is ActionStatus.DENIED
    assert result.ruling.reason == "I can only open the trunk when we're parked."
    car.later(30.0)
    assert car.value("trunk.position") == 0


def test_asked_in_the_rain_and_done_after_a_yes() -> None:
    car = Car("town", at=30.0)
    asked = car.act(SetSunroof(percent=100))
    assert asked.status is ActionStatus.NEEDS_CONFIRMATION
    assert asked.token
    done = car.confirm(asked)
    assert done.status is ActionStatus.DONE
    assert {moved.signal for moved in done.moved} == {"sunroof.position", "sunroof.shade"}
    car.later(10.0)
    assert car.value("sunroof.position") == 100


def test_a_yes_after_pulling_away_is_refused() -> None:
    car = Car("commute", at=19.0)
    asked = car.act(SetTrunk(open=True))
    assert asked.status is ActionStatus.NEEDS_CONFIRMATION
    car.later(7.0)
    assert car.confirm(asked).status is ActionStatus.DENIED
    car.later(30.0)
    assert car.value("trunk.position") == 0


def test_a_yes_that_comes_too_late() -> None:
    car = Car()
    asked = car.act(SetTrunk(open=True))
    car.later(14.1)
    with pytest.raises(ConfirmationError):
        car.confirm(asked)
    assert car.value("trunk.position") == 0


def test_the_time_for_an_answer_can_be_chosen() -> None:
    clock = StreamClock()
    vehicle = GatedVehicle(SimulatedVehicle(clock), clock, confirmation_s=15.0)
    asked = asyncio.run(vehicle.act(SetTrunk(open=True)))
    clock.advance_to(15.0)
    assert asyncio.run(vehicle.confirm(str(asked.token))).status is ActionStatus.DONE


def test_withdrawn_is_gone() -> None:
    car = Car()
    asked = car.act(SetTrunk(open=True))
    car.vehicle.withdraw(str(asked.token))
    car.vehicle.withdraw("never was")
    with pytest.raises(ConfirmationError):
        car.confirm(asked)


def test_too_often() -> None:
    car = Car()
    results = [car.act(ChangeVolume(change="up")).ruling.rule for _ in range(21)]
    assert results == ["change_volume"] * 20 + ["too_often"]


def test_what_the_car_does_not_have_is_denied_and_not_offered() -> None:
    car = Car(without=frozenset({"sunroof.position"}))
    assert "set_sunroof" not in car.vehicle.offers()
    result = car.act(SetSunroof(percent=50))
    assert (result.status, result.ruling.rule) == (ActionStatus.DENIED, "not_fitted")


class Growing(SimulatedVehicle):
    """A car that has a sunroof only while it says so."""

    roofed = False

    def offers(self) -> frozenset[str]:
        without = frozenset[str]() if self.roofed else {"sunroof.position", "sunroof.shade"}
        return super().offers() - without


def test_what_is_announced_later_can_be_done_and_what_is_gone_cannot() -> None:
    clock = StreamClock()
    adapter = Growing(clock)
    vehicle = GatedVehicle(adapter, clock)
    wish = SetSunroof(percent=0)
    for roofed, status in ((False, ActionStatus.DENIED), (True, ActionStatus.DONE), (False, ActionStatus.DENIED)):
        adapter.roofed = roofed
        result = asyncio.run(vehicle.act(wish))
        assert (result.status, "set_sunroof" in vehicle.offers()) == (status, roofed)
        assert (result.ruling.rule == "not_fitted") is not roofed


def test_what_is_not_in_the_library_is_denied() -> None:
    result = Car().act(PlayMusic(genre="klezmer"))
    assert (result.status, result.ruling.rule) == (ActionStatus.DENIED, "not_possible")
    assert "library" in result.ruling.reason


def test_a_place_that_is_not_known_leaves_the_route_alone() -> None:
    car = Car()
    car.act(NavigateTo(destination="home"))
    result = car.act(FindPlace(kind="restaurant", quality="klingon"))
    assert (result.status, result.answer, result.moved) == (ActionStatus.DONE, {}, ())
    assert car.act(GetNavigation()).answer["destination"] == "Home"


def test_the_answer_of_a_found_place() -> None:
    answer = Car().act(FindPlace(kind="restaurant", quality="italian")).answer
    assert answer == {"name": "Trattoria Limoncella", "minutes": 2, "reason": "italian; nearest of 2"}


# Faults ---------------------------------------------------------------------------------------------------------------


def test_a_stuck_window_is_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()
    car.adapter.faults.stuck.add("window.rear_left")
    with caplog.at_level(logging.WARNING, logger="glovebox.vehicle"):
        result = car.act(SetWindow(window="all", percent=50))
    assert (result.status, result.error) == (ActionStatus.FAULT, "not_moved")
    assert DEADLINE_S <= car.clock.slept < DEADLINE_S + 0.3
    assert caplog.messages == ["set_window: window.rear_left did not move in 2 s"]


def test_a_stuck_switch_is_a_fault() -> None:
    car = Car()
    car.adapter.faults.stuck.add("light.dome")
    assert car.act(SetDomeLight(on=True)).error == "not_moved"


def test_what_moves_the_wrong_way_has_not_moved() -> None:
    car = Car(initial={"window.driver": 50})

    async def wrong_way(changes: Mapping[str, Any]) -> None:
        await SimulatedVehicle.write(car.adapter, dict.fromkeys(changes, 0))

    car.adapter.write = wrong_way
    assert car.act(SetWindow(percent=80)).error == "not_moved"


def test_a_lost_car_is_a_fault_and_silences_the_gate(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()
    asked = car.act(SetTrunk(open=True))
    car.adapter.faults.lost = True
    for action in (SetDomeLight(on=True), GetRange()):
        result = car.act(action)
        assert (result.status, result.error, result.ruling.rule) == (ActionStatus.FAULT, "adapter", "silent")
    assert not car.vehicle.gate.armed
    assert "connection to the simulated car is lost" in caplog.text
    with pytest.raises(AdapterError):
        car.value("light.dome")
    with pytest.raises(ConfirmationError):
        car.confirm(asked)
    car.adapter.faults.lost = False
    with pytest.raises(ConfirmationError):
        car.confirm(asked)
    assert car.act(SetDomeLight(on=True)).status is ActionStatus.DONE


def test_losing_the_car_at_the_yes_is_a_fault() -> None:
    car = Car()
    asked = car.act(SetTrunk(open=True))
    car.adapter.faults.lost = True
    assert car.confirm(asked).error == "adapter"


@pytest.mark.parametrize("error", [AdapterError("gone"), ConnectionResetError("reset"), TimeoutError("late")])
@pytest.mark.parametrize("when", ["write", "watch"])
def test_losing_the_car_in_the_middle(error: Exception, when: str) -> None:
    car = Car()
    reads = 0
    read: Callable[[], Any] = car.adapter.read

    async def failing_write(changes: Mapping[str, Any]) -> None:
        raise error

    async def failing_read() -> VehicleState:
        nonlocal reads
        reads += 1
        if reads > 1:
            raise error
        return await read()

    if when == "write":
        car.adapter.write = failing_write
    else:
        car.adapter.read = failing_read
    result = car.act(SetWindow(percent=50))
    assert (result.status, result.error) == (ActionStatus.FAULT, "adapter")
    assert not car.vehicle.gate.armed


def test_an_adapters_defect_is_a_fault_with_its_traceback_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()

    async def broken() -> VehicleState:
        raise ZeroDivisionError

    car.adapter.read = broken
    assert car.act(GetRange()).error == "adapter"
    assert "ZeroDivisionError" in caplog.text and "Traceback" in caplog.text


def test_stale_speed_refuses_what_parking_would_allow() -> None:
    car = Car()
    car.adapter.faults.stale = True
    car.later(1.5)
    assert car.act(SetTrunk(open=True)).status is ActionStatus.DENIED


def test_a_car_that_is_never_live_is_never_moved() -> None:
    car = Car()
    car.adapter.faults.unknown |= {"speed_kmh", "gear", "ignition_on"}
    result = car.act(SetDomeLight(on=False))
    assert (result.status, result.ruling.rule) == (ActionStatus.DENIED, "silent")


def test_a_signal_that_is_not_reported_is_a_fault() -> None:
    car = Car()
    car.adapter.faults.unknown.add("media.volume")
    assert car.act(ChangeVolume(change="up")).error == "adapter"
    assert car.vehicle.gate.armed


def test_closing_silences_and_releases() -> None:
    car = Car()
    asyncio.run(car.vehicle.close())
    assert car.act(GetRange()).error == "adapter"


# Sequences ------------------------------------------------------------------------------------------------------------


class Watched(SimulatedVehicle):
    """A simulated car that notes what is written to it."""

    def __init__(self, clock: StreamClock, profile: str) -> None:
        super().__init__(clock, profile=profile)
        self.writes: list[Mapping[str, Any]] = []

    async def write(self, changes: Mapping[str, Any]) -> None:
        self.writes.append(changes)
        await super().write(changes)


@pytest.mark.parametrize("seed", range(4))
def test_random_drives_with_faults_never_get_past_the_policy(seed: int) -> None:
    """500 actions each: a write happens only for a wish that the pure rule allows (or asks about, after a yes)."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    clock = StreamClock()
    car = Watched(clock, ("commute", "motorway", "town", "parked")[seed])
    gate = Gate(clock)
    vehicle = GatedVehicle(car, clock, gate=gate)
    wishes = [a for kind in ACTIONS if kind.name in POLICY for a in instances(kind)]
    wishes += [SetWindow(window="all", percent=0), SetSunroof(percent=0), SetTrunk(open=False), SetHighBeam(on=False)]
    faults: list[Callable[[], None]] = [
        lambda: setattr(car.faults, "lost", dice.random() < 0.5),
        lambda: setattr(car.faults, "stale", dice.random() < 0.5),
        lambda: car.faults.unknown.update(
            dice.sample(["speed_kmh", "gear", "ignition_on", "window.driver", "light.fog"], 2)
        ),
        car.faults.unknown.clear,
        lambda: car.faults.stuck.update(dice.sample(sorted(SIGNALS), 3)),
        car.faults.stuck.clear,
    ]

    async def drive() -> dict[ActionStatus, int]:
        statuses = dict.fromkeys(ActionStatus, 0)
        for _ in range(500):
            if dice.random() < 0.1:
                dice.choice(faults)()
            clock.advance_to(clock.now() + dice.random() * 2.0)
            wish = dice.choice(wishes)
            car.writes.clear()
            state = None if car.faults.lost else await car.read()
            result = await vehicle.act(wish)
            if car.writes:
                assert state is not None
                assert rule(wish, state).verdict is Verdict.ALLOW
            if result.token is not None:
                assert not car.writes
                clock.advance_to(clock.now() + dice.choice((0.5, 9.0)))
                state = None if car.faults.lost else await car.read()
                try:
                    result = await vehicle.confirm(result.token)
                except ConfirmationError:
                    assert not car.writes
                if car.writes:
                    assert state is not None
                    assert rule(wish, state).verdict is not Verdict.DENY
            statuses[result.status] += 1
        return statuses

    statuses = asyncio.run(drive())
    assert all(statuses[status] > 0 for status in (ActionStatus.DONE, ActionStatus.DENIED, ActionStatus.FAULT))


def test_actions_at_the_same_time_are_done_one_after_another() -> None:
    car = Car()

    async def both() -> tuple[ActionResult, ...]:
        return await asyncio.gather(
            car.vehicle.act(SetWindow(percent=50)), car.vehicle.act(SetSunroof(percent=50)), car.vehicle.act(GetRange())
        )

    assert [result.status for result in asyncio.run(both())] == [ActionStatus.DONE] * 3


def test_a_station_that_plays_is_in_the_state() -> None:
    car = Car()
    car.act(PlayRadio(station="jazz fm"))
    assert (car.value("media.source"), car.value("media.title"), car.value("media.playing")) == (
        "radio",
        "Jazz FM",
        True,
    )


def test_slots_of_every_action_parse() -> None:
    for name, slots in SLOTS.items():
        for chosen in slots:
            assert parse_action(name, chosen).name == name


# Taking back, stopping, setting -----------------------------------------------------------------------------------------


def test_undo_restores_what_was_and_goes_further_back() -> None:
    car = Car()
    car.act(SetTemperature(celsius=23))
    car.act(SetDomeLight(on=True))
    first = car.act(Undo())
    assert (first.status, first.answer) == (ActionStatus.DONE, {"undone": "set_dome_light"})
    assert car.value("light.dome") is False
    assert car.act(Undo()).answer == {"undone": "set_temperature"}
    assert car.value("climate.passenger.temperature") == 21.0
    nothing = car.act(Undo())
    assert (nothing.status, nothing.ruling.rule) == (ActionStatus.DENIED, "nothing_to_undo")


def test_undo_is_judged_by_what_it_would_do() -> None:
    car = Car()
    car.act(SetWindow(window="rear_left", percent=50))
    car.later(5.0)
    asked = car.act(Undo())
    assert (asked.status, asked.ruling.rule) == (ActionStatus.NEEDS_CONFIRMATION, "window_rear_closing")
    assert car.confirm(asked).status is ActionStatus.DONE
    car.later(5.0)
    assert car.value("window.rear_left") == 0
    assert car.act(Undo()).ruling.rule == "nothing_to_undo"


def test_undo_is_refused_where_going_back_is() -> None:
    car = Car("commute", at=0.0)
    car.act(parse_action("move_seat", {"direction": "back"}))
    car.later(30.0)
    refused = car.act(Undo())
    assert (refused.status, refused.ruling.rule) == (ActionStatus.DENIED, "move_seat")


def test_undoing_the_roof_leaves_the_shade() -> None:
    car = Car()
    car.act(SetSunroof(percent=50))
    car.later(10.0)
    car.confirm(car.act(Undo()))
    car.later(10.0)
    assert (car.value("sunroof.position"), car.value("sunroof.shade")) == (0, 50)


def test_questions_do_not_count_and_old_actions_are_not_taken_back() -> None:
    car = Car()
    car.act(SetDomeLight(on=True))
    car.act(GetRange())
    car.act(SetTimer(minutes=5, label="tea"))
    assert car.act(Undo()).answer == {"undone": "set_timer"}
    car.later(301.0)
    assert car.vehicle.due() == ()
    assert car.act(Undo()).ruling.rule == "nothing_to_undo"


def test_timers_are_told_when_they_are_due() -> None:
    car = Car()
    car.act(SetTimer(minutes=1, label="tea"))
    car.later(61.0)
    assert car.vehicle.due() == ("Your tea timer is over.",)


def test_stopping_a_window_on_its_way() -> None:
    car = Car()
    car.act(SetWindow(percent=100))
    car.later(1.0)
    stopped = car.act(parse_action("stop_moving", {}))
    assert stopped.answer == {"stopped": ["window.driver"]}
    where = car.value("window.driver")
    car.later(10.0)
    assert 0 < where < 100 and car.value("window.driver") == where


def test_setting_a_signal_is_judged_as_its_action() -> None:
    car = Car()
    done = asyncio.run(car.vehicle.put("window.driver", 37))
    assert (done.status, done.ruling.rule, done.moved[0].target) == (ActionStatus.DONE, "set_window", 37)
    asked = asyncio.run(car.vehicle.put("trunk.position", 60))
    assert asked.ruling.rule == "trunk_open"
    assert car.confirm(asked).moved[0].target == 60
    withdrawn = asyncio.run(car.vehicle.put("light.high_beam", True))
    car.vehicle.withdraw(str(withdrawn.token))
    with pytest.raises(ConfirmationError):
        car.confirm(withdrawn)
    for signal, value in (("battery.charge", 5), ("climate.fan", 9), ("nonsense", 1), ("fuel.level", 1)):
        with pytest.raises(AdapterError):
            asyncio.run(car.vehicle.put(signal, value))
    bare = Car(without=frozenset({"light.dome"}))
    with pytest.raises(AdapterError, match=r"this vehicle has no light\.dome"):
        asyncio.run(bare.vehicle.put("light.dome", True))


def test_an_effect_that_fails_is_a_fault() -> None:
    car = Car()
    for _ in range(20):
        car.organizer.start(car.organizer.timer(60.0))
    assert car.act(SetTimer(minutes=1)).error == "adapter"
    assert car.vehicle.gate.armed
