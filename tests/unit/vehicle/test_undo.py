"""The vehicle behind its gate: taking back, stopping on the way, setting a signal."""

from __future__ import annotations

import asyncio

import pytest

from schemas.actions import (
    GetRange,
    SetDomeLight,
    SetSunroof,
    SetTemperature,
    SetTimer,
    SetWindow,
    Undo,
    parse_action,
)
from schemas.errors import AdapterError, ConfirmationError
from schemas.events import ActionStatus
from tests.gated_car import Car
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.planning import Planner
from vehicle.service import ROUTE_LOOK_S
from vehicle.signals import SIGNALS


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
    assert (asked.status, asked.ruling.rule) == (ActionStatus.NEEDS_CONFIRMATION, "window_closing_on_others")
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


def test_what_was_cancelled_is_not_taken_back_once_all_is_forgotten() -> None:
    car = Car()
    car.act(parse_action("set_reminder", {"what": "collect the ring", "minutes": 20}))
    car.act(parse_action("cancel_timer", {"kind": "reminder"}))
    car.organizer.restore(())
    assert car.act(Undo()).ruling.rule == "nothing_to_undo"
    assert car.organizer.waiting() == ()


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
    assert car.gated.gate.armed


def test_a_place_in_what_plays_is_gone_back_to_also_when_it_has_run_there_by_itself() -> None:
    car = Car()
    car.act(parse_action("play_podcast", {"show": "radiolab"}))
    car.later(100.0)
    assert car.act(parse_action("seek", {"change": "back"})).status is ActionStatus.DONE
    assert car.value("media.position") == 70
    car.later(30.0)
    assert car.act(Undo()).answer == {"undone": "seek"}
    assert car.value("media.position") == 100


def test_a_car_whose_place_in_what_plays_cannot_be_set_does_not_offer_to_go_forward() -> None:
    assert "seek" in Car().vehicle.offers()
    assert (
        "seek"
        not in Planner(Places.load(), MediaLibrary.load(), signals=frozenset(SIGNALS) - {"media.position"}).offers()
    )


def test_a_reminder_for_the_arrival_is_told_when_the_route_has_arrived() -> None:
    car = Car()
    car.act(parse_action("navigate_to", {"destination": "home"}))
    assert car.act(parse_action("set_reminder", {"what": "milk", "event": "arrival"})).answer["arrival"] is True

    async def later(minutes: int, destination: str) -> tuple[str, ...]:
        await car.vehicle.put("navigation.destination", destination)
        await car.vehicle.put("navigation.minutes", minutes)
        car.later(ROUTE_LOOK_S)
        before = car.vehicle.due()
        await asyncio.sleep(0.05)
        return before + car.vehicle.due()

    assert asyncio.run(later(30, "Home")) == ()
    assert asyncio.run(later(2, "Home")) == ()
    assert asyncio.run(later(0, "")) == ("Reminder: milk.",)
