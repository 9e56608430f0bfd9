"""An adapter that hangs, drops, comes late, reorders, lies or breaks down: a result in time, nothing old, and recovery."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from deploy.lab.vehicle import wishes
from deploy.lab.vehicle.gate import actions, decisions, measure
from deploy.lab.vehicle.wishes import LIMIT_S, Watched, random_action, run
from schemas.actions import Action, GetRange, SetDomeLight, SetTrunk, SetWindow, Undo
from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfirmationError
from schemas.events import ActionResult, ActionStatus, Motion, VehicleState, Verdict
from tests import gated_car
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.gate import motion
from vehicle.policy import POLICY
from vehicle.service import UNKNOWN_AGE_S, GatedVehicle

PATIENCE_S = 0.02
LIGHT = SetDomeLight(on=True)


class Car:
    """A gated simulated car whose calls may take 20 ms."""

    def __init__(self, **options: Any) -> None:
        self.clock = StreamClock()
        self.adapter = SimulatedVehicle(self.clock, **options)
        self.gated = GatedVehicle(self.adapter, self.clock, patience_s=PATIENCE_S)
        self.vehicle = gated_car.Car.reached(self.gated)
        self.faults = self.adapter.faults

    def act(self, action: Action) -> ActionResult:
        return asyncio.run(self.vehicle.act(action))

    def healed(self) -> ActionResult:
        self.adapter.faults = type(self.faults)()
        return self.act(LIGHT)


def lost(result: ActionResult) -> bool:
    return (result.status, result.error) == (ActionStatus.FAULT, "adapter")


def test_a_hanging_adapter_is_a_fault_and_recovers() -> None:
    car = Car()
    assert car.act(GetRange()).status is ActionStatus.DONE
    car.faults.hangs = True
    for action in (LIGHT, SetWindow(percent=50), GetRange()):
        assert lost(car.act(action))
    known = car.gated.known()
    assert known is not None and known.age_s >= UNKNOWN_AGE_S and motion(known) is Motion.MOVING
    assert car.healed().status is ActionStatus.DONE
    assert asyncio.run(car.adapter.read()).values["window.driver"] == 0


def test_a_write_that_hangs_is_not_carried_out_later() -> None:
    car = Car()

    async def hanging(changes: Mapping[str, Any]) -> None:
        del changes
        await asyncio.Event().wait()

    car.adapter.write = hanging
    assert lost(car.act(LIGHT))
    del car.adapter.write
    car.clock.advance_to(100.0)
    assert asyncio.run(car.vehicle.state()).values["light.dome"] is False


def test_no_command_is_given_while_an_earlier_one_is_held() -> None:
    car, held, written = Car(), asyncio.Event(), list[str]()
    write = car.adapter.write

    async def stubborn(changes: Mapping[str, Any]) -> None:
        try:
            await held.wait()
        except asyncio.CancelledError:
            await held.wait()
        written.extend(changes)

    async def wishes() -> None:
        car.adapter.write = stubborn
        assert lost(await car.vehicle.act(SetWindow(percent=100)))
        car.adapter.write = write
        assert lost(await car.vehicle.act(LIGHT)) and written == []
        held.set()
        assert (await car.vehicle.act(LIGHT)).status is ActionStatus.DONE
        assert written == ["window.driver"], "its own adapter's fault; but before the new one, not after it"

    asyncio.run(wishes())


@pytest.mark.parametrize("late_s", [0.9, 3.0])
def test_what_would_be_written_too_late_is_not_written(late_s: float) -> None:
    car = Car()
    car.faults.late_s = late_s
    with pytest.raises(AdapterError, match="took too long"):
        asyncio.run(car.adapter.write({"light.dome": True}))
    car.faults.late_s = 0.0
    assert asyncio.run(car.adapter.read()).values["light.dome"] is False


@pytest.mark.parametrize(("late_s", "fine"), [(0.01, True), (0.5, False)])
def test_what_comes_too_late_is_not_used(late_s: float, fine: bool) -> None:
    car = Car()
    car.faults.late_s = late_s
    result = car.act(GetRange())
    assert (result.status is ActionStatus.DONE) is fine
    assert fine or lost(result)
    assert car.healed().status is ActionStatus.DONE


def test_a_stubborn_adapter_that_will_not_be_cancelled_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()
    read = car.adapter.read

    async def stubborn() -> VehicleState:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("no") from None
        return await read()

    car.adapter.read = stubborn

    async def both() -> ActionResult:
        result = await car.vehicle.act(LIGHT)
        await asyncio.sleep(0)
        return result

    assert lost(asyncio.run(both()))
    assert "did not answer a read in 0.02 s" in caplog.text


def test_an_adapter_that_cancels_itself_is_a_fault() -> None:
    car = Car()

    async def gone() -> VehicleState:
        raise asyncio.CancelledError

    car.adapter.read = gone
    assert lost(car.act(LIGHT))


def test_dropped_writes_are_not_called_done() -> None:
    car = Car()
    car.faults.drops = True
    result = car.act(LIGHT)
    assert (result.status, result.error) == (ActionStatus.FAULT, "not_moved")
    assert car.healed().status is ActionStatus.DONE


def test_a_bus_that_breaks_down_in_the_middle_drops_every_question() -> None:
    car = Car()
    asked = car.act(SetTrunk(open=True))
    car.faults.fails_after = 2  # the reading and the write; then it is gone
    assert lost(car.act(SetWindow(percent=50)))
    assert not car.gated.gate.armed
    assert car.healed().status is ActionStatus.DONE
    with pytest.raises(ConfirmationError):
        asyncio.run(car.vehicle.confirm(str(asked.token)))
    assert car.act(Undo()).answer == {"undone": "set_dome_light"}  # the window, of before the loss, is not restored
    assert car.act(Undo()).ruling.rule == "nothing_to_undo"


@pytest.mark.parametrize("lie", [math.nan, -1, 101, "open", True, None])
def test_impossible_values_are_unknown(lie: Any, caplog: pytest.LogCaptureFixture) -> None:
    car = Car()
    car.faults.lies["window.driver"] = lie
    state = asyncio.run(car.vehicle.state())
    assert "window.driver" not in state.values
    assert "impossible values of window.driver" in caplog.text


def test_a_lie_about_the_present_value_is_not_called_done() -> None:
    car = Car()
    car.faults.lies["window.driver"] = 0
    assert car.act(SetWindow(percent=50)).error == "not_moved"


@pytest.mark.parametrize("speed", [math.nan, -3.0, math.inf])
def test_a_speed_that_cannot_be_counts_as_moving(speed: float) -> None:
    car = Car()
    car.faults.lies["speed_kmh"] = speed
    assert car.act(SetTrunk(open=True)).ruling.verdict is Verdict.DENY


def test_readings_out_of_order_count_as_old(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()
    asyncio.run(car.vehicle.state())
    car.clock.advance_to(0.5)
    newest = asyncio.run(car.adapter.read())
    asyncio.run(car.vehicle.state())
    car.clock.advance_to(0.6)

    async def older() -> VehicleState:
        return newest.model_copy(update={"age_s": 0.3})

    car.adapter.read = older
    assert motion(asyncio.run(car.vehicle.state())) is Motion.MOVING
    assert "out of order" in caplog.text


def test_what_is_known_ages() -> None:
    car = Car()
    assert car.gated.known() is None
    asyncio.run(car.vehicle.state())
    car.clock.advance_to(3.0)
    known = car.gated.known()
    assert known is not None and known.age_s == 3.0


def test_cancelling_a_wish_cancels_the_call() -> None:
    car = Car()
    car.faults.hangs = True

    async def impatient() -> None:
        await asyncio.wait_for(car.vehicle.act(LIGHT), 0.005)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert car.healed().status is ActionStatus.DONE


def test_closing_a_hanging_adapter_ends(caplog: pytest.LogCaptureFixture) -> None:
    car = Car()

    async def hanging() -> None:
        await asyncio.Event().wait()

    car.adapter.close = hanging
    asyncio.run(car.vehicle.close())
    assert "did not answer a close" in caplog.text


# Random wishes --------------------------------------------------------------------------------------------------------


def test_random_wishes_under_faults(caplog: pytest.LogCaptureFixture) -> None:
    """150 sequences here; the full run of 10,000 stands in docs/log.md."""
    caplog.set_level(logging.CRITICAL, logger="glovebox.vehicle")
    tally = run(150, seed=10)
    assert tally.violations == []
    assert tally.sequences == 150 and tally.wishes == 600
    assert set(tally.statuses) == {"done", "denied", "fault", "needs_confirmation"}
    assert tally.writes > 100
    assert tally.longest_s <= LIMIT_S


@pytest.mark.parametrize(
    ("how", "complaint"),
    [("behind the gate", "against the policy"), ("unseen", "written unseen"), ("unasked", "nobody waited")],
)
def test_the_checks_would_notice(how: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def opens(car: SimulatedVehicle) -> None:
        """Open its trunk, where nothing is wrong with it: then it waits for nothing."""
        if car.faults == type(car.faults)():
            with suppress(StopIteration):
                car.write({"trunk.position": 100}).send(None)

    class Restless(StreamClock):
        """A clock on which the car opens its trunk by itself."""

        car: SimulatedVehicle | None = None

        def advance_to(self, seconds: float) -> None:
            super().advance_to(seconds)
            if how == "unasked" and self.car is not None:
                opens(self.car)

    class Broken(GatedVehicle):
        """A vehicle that opens its trunk before it has looked, or though the gate has said no."""

        def __init__(self, adapter: Watched, clock: Restless, **more: Any) -> None:
            super().__init__(adapter, clock, **more)
            self.car = clock.car = adapter

        async def act(self, action: Action) -> ActionResult:
            if how == "unseen":
                opens(self.car)
            result = await super().act(action)
            if how == "behind the gate" and result.status is ActionStatus.DENIED:
                opens(self.car)
            return result

    monkeypatch.setattr(wishes, "StreamClock", Restless)
    monkeypatch.setattr(wishes, "GatedVehicle", Broken)
    assert any(complaint in violation for violation in run(20).violations)


def test_any_action_with_any_slots_is_drawn() -> None:
    dice = Random(5)  # noqa: S311 - repeatable, not secret
    drawn = [random_action(dice) for _ in range(6000)]
    assert {action.name for action in drawn} == set(POLICY)
    assert {action.slots().get("window") for action in drawn if action.name == "set_window"} >= {"driver", "all"}


def test_the_measurements_measure() -> None:
    gate = decisions(300)
    assert 0.0 < gate["p50"] <= gate["p99"] <= gate["max"]
    acted, ended = actions(40)
    assert acted["p50"] > 0.0 and sum(ended.values()) == 40
    told = measure(200, 2, seed=1)
    assert told["sequences"]["violations"] == [] and told["sequences"]["count"] == 2
    assert "sequences" not in measure(200, 0, seed=1)


def test_an_adapters_own_error_keeps_its_words() -> None:
    car = Car()
    car.faults.lost = True
    with pytest.raises(AdapterError, match="connection to the simulated car is lost"):
        asyncio.run(car.vehicle.state())
