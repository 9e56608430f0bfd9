"""The vehicle behind its gate: every action done, refused or asked, and nothing done behind the gate's back."""

from __future__ import annotations

import asyncio

import pytest

from schemas.actions import (
    ACTIONS,
    Action,
    CallNumber,
    ChangeVolume,
    FindPlace,
    GetNavigation,
    GetWarnings,
    NavigateTo,
    PlayMusic,
    SetDomeLight,
    SetSunroof,
    SetTemperature,
    SetTimer,
    SetTrunk,
    SetWindow,
    StopMoving,
    parse_action,
)
from schemas.clock import StreamClock
from schemas.errors import ConfirmationError
from schemas.events import ActionStatus, Moved, Verdict
from schemas.ports import VehiclePort
from tests.gated_car import BESIDE, ON_THE_WAY, Car, instances
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.organizer import Contact, Organizer
from vehicle.policy import LISTED_MOVING, POLICY
from vehicle.service import GatedVehicle
from voice.dialogue.replies.responder import report


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
        runs_s = 30 if moved.signal == "media.position" and car.value("media.playing") else 0
        assert car.value(moved.signal) == (moved.target + runs_s if runs_s else moved.target)


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
    car = Car()
    result = car.act(SetTemperature(celsius=21))
    assert (result.status, result.moved, result.already) == (ActionStatus.DONE, (), True)
    assert car.act(SetTemperature(celsius=22)).already is False
    assert car.act(StopMoving()).already is False


def test_nobody_is_asked_about_what_is_so_already() -> None:
    car, close = Car("town", at=30.0), SetWindow(window="rear", percent=0)
    result = car.act(close)
    assert (result.status, result.already, result.token) == (ActionStatus.DONE, True, None)
    car.act(SetWindow(window="rear", percent=50))
    car.later(10.0)
    assert car.act(close).status is ActionStatus.NEEDS_CONFIRMATION


def test_what_would_not_move_is_no_reason_to_ask() -> None:
    car, close = Car("town", at=30.0), SetWindow(window="all", percent=0)
    car.act(SetWindow(window="driver", percent=50))
    car.later(10.0)
    foreseen = asyncio.run(car.vehicle.foresee(close))
    result = car.act(close)
    assert (result.status, result.action) == (ActionStatus.DONE, SetWindow(window="driver", percent=0))
    assert foreseen is not None and (foreseen.status, foreseen.action) == (result.status, result.action)
    car.later(10.0)
    assert (car.value("window.driver"), car.value("window.passenger")) == (0, 0)
    car.act(SetWindow(window="rear_left", percent=50))
    car.later(10.0)
    asked = car.act(close)
    assert (asked.status, asked.action) == (
        ActionStatus.NEEDS_CONFIRMATION,
        SetWindow(window="rear_left", percent=0),
    )


def test_lists_are_cut_while_moving() -> None:
    """What is left out is counted, and told when the car stands."""
    car = Car(
        "town",
        at=30.0,
        initial={"battery.charge": 5.0, "washer.low": True, "tire.front_left": 150, "tire.rear_left": 150},
    )
    told = car.act(GetWarnings())
    assert (len(told.answer["warnings"]), told.answer["left_out"]) == (LISTED_MOVING, 1)
    assert report([told]).endswith("; 1 more when we stand.")
    parked = Car(initial={"battery.charge": 5.0, "washer.low": True, "tire.front_left": 150, "tire.rear_left": 150})
    told = parked.act(GetWarnings())
    assert len(told.answer["warnings"]) == LISTED_MOVING + 1 and "left_out" not in told.answer


def test_an_emergency_call_needs_no_yes_and_any_other_does() -> None:
    car = Car("town", at=30.0)
    assert car.act(CallNumber(digits="one one two")).status is ActionStatus.DONE
    assert car.value("phone.number") == "112"
    asked = car.act(CallNumber(digits="oh four double one"))
    assert (asked.status, asked.action) == (ActionStatus.NEEDS_CONFIRMATION, CallNumber(digits="0411"))


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


@pytest.mark.parametrize("profile", ["parked", "motorway"])
@pytest.mark.parametrize("name", ["call_contact", "get_contact"])
def test_who_may_be_meant_is_told_where_several_have_the_name(profile: str, name: str) -> None:
    clock = StreamClock()
    contacts = [Contact(name="Anna Berg", phone="+49 30 1"), Contact(name="Anna Tal", phone="+49 30 2")]
    organizer = Organizer(clock.now, contacts=contacts)
    vehicle = GatedVehicle(SimulatedVehicle(clock, profile=profile), clock, organizer=organizer)
    for act in (vehicle.act, vehicle.foresee):
        result = asyncio.run(act(parse_action(name, {"person": "anna"})))
        assert result is not None and result.status is ActionStatus.DENIED
        assert result.answer == {"contacts": ["Anna Berg", "Anna Tal"]}
