"""What the KUKSA adapter sends to its databroker, and what it makes of the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest.importorskip("kuksa.val.v2", reason="the extra [kuksa] is not installed")

import grpc
from kuksa.val.v2 import types_pb2 as types2
from kuksa.val.v2 import val_pb2 as messages2
from kuksa.val.v2.val_pb2_grpc import VALStub

from schemas.actions import Action, SetWindow, StopMoving, Undo
from schemas.clock import StreamClock
from schemas.errors import AdapterError, ConfigError, PartlyDoneError
from schemas.events import ActionResult, ActionStatus
from tests.vehicle_rigs import HANGS_S, PATIENCE_S, KuksaRig, until, write
from vehicle.adapters.far_car import FarCar
from vehicle.adapters.kuksa import KuksaVehicle
from vehicle.adapters.kuksa.broker import V2, Call
from vehicle.adapters.kuksa.leaves import Leaf
from vehicle.adapters.kuksa.routes import load_vss, resolve
from vehicle.adapters.kuksa.stand_in_broker import Broker, Scopes
from vehicle.adapters.kuksa.stand_in_car import KuksaCar
from vehicle.adapters.kuksa.stand_in_tree import TREE
from vehicle.adapters.translation import Scalar
from vehicle.planning import actions_for
from vehicle.service import GatedVehicle
from vehicle.signals import SIGNALS
from voice.dialogue.replies.responder import report

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface


@pytest.fixture
def kuksa() -> Iterator[KuksaRig]:
    rig = KuksaRig()
    yield rig
    rig.close()


@pytest.mark.parametrize(
    ("changes", "raw"),
    [
        (
            {"climate.fan": 3},
            {"Cabin.HVAC.Station.Row1.Driver.FanSpeed": 60, "Cabin.HVAC.Station.Row1.Passenger.FanSpeed": 60},
        ),
        ({"seat.driver.ventilation": 2}, {"Cabin.Seat.Row1.DriverSide.HeatingCooling": -67}),
        ({"seat.driver.heating": 1, "seat.driver.ventilation": 0}, {"Cabin.Seat.Row1.DriverSide.HeatingCooling": 33}),
        ({"sunroof.shade": 100}, {"Cabin.Sunroof.Shade.Position": 0}),
        ({"sunroof.position": 100}, {"Cabin.Sunroof.Switch": "ONE_SHOT_OPEN"}),
        ({"window.rear_left": 30}, {"Cabin.Door.Row2.DriverSide.Window.Position": 30}),
        ({"charging.active": True}, {"Powertrain.TractionBattery.Charging.StartStopCharging": "START"}),
    ],
)
def test_targets_are_as_the_standard_says(kuksa: KuksaRig, changes: dict[str, Any], raw: dict[str, Any]) -> None:
    write(kuksa, changes)
    assert kuksa.broker is not None and len(kuksa.broker.actuated) == len(raw), "one message for a signal"
    assert {path: value for one in kuksa.broker.actuated for path, value in one.items()} == raw


def test_heating_off_leaves_a_cooling_seat_alone(kuksa: KuksaRig) -> None:
    write(kuksa, {"seat.driver.ventilation": 3})
    kuksa.settle()
    write(kuksa, {"seat.driver.heating": 0})
    kuksa.settle()
    assert len(kuksa.commands()) == 1
    with pytest.raises(AdapterError, match="exclude each other"):
        write(kuksa, {"seat.driver.heating": 1, "seat.driver.ventilation": 1})


def test_a_half_open_roof_is_refused_honestly(kuksa: KuksaRig) -> None:
    with pytest.raises(AdapterError, match=r"sunroof\.position: this vehicle takes 0, 100, not 30"):
        write(kuksa, {"sunroof.position": 30})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (grpc.StatusCode.UNAVAILABLE, "nothing in the vehicle provides Cabin.Light.IsDomeOn"),
        (grpc.StatusCode.PERMISSION_DENIED, "needs the scope actuate:Cabin.Light.IsDomeOn"),
        (grpc.StatusCode.UNAUTHENTICATED, "wants a valid token"),
        (grpc.StatusCode.NOT_FOUND, "does not know Cabin.Light.IsDomeOn"),
        (grpc.StatusCode.INVALID_ARGUMENT, "does not take this value"),
        (grpc.StatusCode.DATA_LOSS, "lost the connection to the provider"),
    ],
)
def test_error_codes_have_their_meaning(kuksa: KuksaRig, code: grpc.StatusCode, said: str) -> None:
    assert kuksa.broker is not None
    kuksa.broker.faults.deny = code
    with pytest.raises(AdapterError, match=said):
        write(kuksa, {"light.dome": True})
    assert kuksa.commands() == []


PANES = {f"window.{corner}": 50 for corner in ("driver", "passenger", "rear_left", "rear_right")}


def test_a_batch_goes_signal_by_signal_up_to_the_first_that_nobody_provides(kuksa: KuksaRig) -> None:
    assert kuksa.broker is not None
    kuksa.broker.providers.pop("Cabin.Door.Row2.DriverSide.Window.Position")
    with pytest.raises(PartlyDoneError, match=r"nothing in the vehicle provides .* a part of it may have been sent on"):
        write(kuksa, PANES)
    kuksa.settle()
    assert 0 < len(kuksa.commands()) < len(PANES)


def test_what_moved_of_a_batch_is_told_and_can_be_stopped(kuksa: KuksaRig) -> None:
    assert kuksa.broker is not None
    kuksa.broker.providers.pop("Cabin.Door.Row2.DriverSide.Window.Position")
    vehicle = GatedVehicle(kuksa.car, kuksa.clock, patience_s=PATIENCE_S)

    def act(action: Action) -> ActionResult:
        return asyncio.run(vehicle.act(action))

    result = act(SetWindow(window="all", percent=100))
    moved = {name for command in kuksa.commands() for name in command}
    assert (result.status, result.error) == (ActionStatus.FAULT, "partly_done")
    assert {one.signal for one in result.moved} == moved and 0 < len(moved) < 4
    assert report([result]).startswith("The car did only a part of that: ")
    assert vehicle.gate.armed and not vehicle.away, "the connection stands"
    assert set(act(StopMoving()).answer["stopped"]) == moved, "and nothing that would not be taken is asked to stop"
    undone = act(Undo())
    undone = asyncio.run(vehicle.confirm(undone.token)) if undone.token else undone
    assert undone.status is ActionStatus.DONE and {one.signal for one in undone.moved} == moved


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"window.driver": 50}, "needs the scope actuate:Cabin.Door.Row1.DriverSide.Window.Position"),
        ({"light.dome": True, "window.driver": 50}, "does not allow to actuate"),
    ],
)
def test_what_the_token_does_not_allow_is_refused_as_a_whole(changes: dict[str, Any], said: str) -> None:
    clock = StreamClock()
    broker = Broker(scopes={"ours": "read:Vehicle actuate:Vehicle.Cabin.Light", "car": "provide actuate"})
    bearer = (("authorization", "Bearer car"),)
    provider = KuksaCar(FarCar(clock), broker.address, metadata=bearer)
    with TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        token.write_text("ours")
        car = KuksaVehicle(clock, address=broker.address, token_file=token, start_s=PATIENCE_S, deadline_s=PATIENCE_S)
        try:
            with pytest.raises(AdapterError, match=said):
                asyncio.run(car.write(changes))
            assert broker.actuated == []
            asyncio.run(car.write({"light.dome": True}))
            assert broker.actuated == [{"Cabin.Light.IsDomeOn": True}]
        finally:
            asyncio.run(car.close())
            provider.close()
            broker.stop()


def test_a_token_that_may_not_read_is_told_so(tmp_path: Path) -> None:
    broker, token = Broker(scopes={"ours": "read:Vehicle.Cabin"}), tmp_path / "token"
    token.write_text("ours")
    with pytest.raises(AdapterError, match=r"does not allow to read .* needs the scope read:Vehicle"):
        KuksaVehicle(StreamClock(), address=broker.address, token_file=token, start_s=0.5)
    broker.stop()


@pytest.mark.parametrize(
    ("scope", "path", "allowed"),
    [
        ("actuate:Vehicle.Cabin.HVAC", "Cabin.HVAC.IsRecirculationActive", True),
        ("actuate:Vehicle.Cabin.HVAC", "Cabin.HVACX", False),
        ("actuate:Vehicle.Cabin.Seat.*.DriverSide.Position", "Cabin.Seat.Row1.DriverSide.Position", True),
        ("actuate:Vehicle.Cabin.Seat.*.Position", "Cabin.Seat.Row1.DriverSide.Position", False),
        ("actuate", "Speed", True),
        ("read:Vehicle", "Speed", False),
    ],
)
def test_scopes_are_by_path(scope: str, path: str, allowed: bool) -> None:
    assert Scopes(scope).allows("actuate", path) is allowed
    assert Scopes(scope).allows("read", path) is (allowed or scope.startswith("read"))


def stream(broker: Broker, *wanted: Any) -> list[str]:
    """What a provider is answered; a status where it was refused."""
    said: list[str] = []
    with grpc.insecure_channel(broker.address) as channel:
        try:
            for answer in VALStub(channel).OpenProviderStream(iter(wanted)):
                said.append(str(answer.WhichOneof("action")))  # noqa: PERF401 - what came before an error counts
        except grpc.RpcError as error:
            said.append(error.code().name)  # type: ignore[attr-defined]
    return said


def publishing(number: int, value: int) -> Any:
    point = types2.Datapoint(value=types2.Value(uint32=value))
    return messages2.OpenProviderStreamRequest(
        publish_values_request=messages2.PublishValuesRequest(request_id=1, data_points={number: point})
    )


def test_an_actuator_has_one_provider(kuksa: KuksaRig) -> None:
    assert kuksa.broker is not None
    claim = messages2.ProvideActuationRequest(
        actuator_identifiers=[types2.SignalID(path="Vehicle.Cabin.Light.IsDomeOn")]
    )
    claims = messages2.OpenProviderStreamRequest(provide_actuation_request=claim)
    assert stream(kuksa.broker, claims) == ["ALREADY_EXISTS"]
    write(kuksa, {"light.dome": True})
    kuksa.settle()
    assert kuksa.commands() == [{"light.dome": True}], "the first one keeps it"


def test_a_stream_publishes_what_it_claimed_within_its_range_and_what_it_said_stays() -> None:
    broker = Broker()
    path = "Cabin.Door.Row1.DriverSide.Window.Position"
    number = list(TREE).index(path)
    claim = messages2.OpenProviderStreamRequest(
        provide_signal_request=messages2.ProvideSignalRequest(
            signals_sample_intervals={number: types2.SampleInterval(interval_ms=0)}
        )
    )
    assert stream(broker, publishing(number, 40)) == ["ABORTED"], "nothing was claimed"
    assert broker.values == {}
    assert stream(broker, claim, publishing(number, 130)) == ["provide_signal_response", "INVALID_ARGUMENT"]
    assert stream(broker, claim, publishing(number, 40)) == ["provide_signal_response"]
    assert broker.values[path][0] == 40
    assert broker.publishers == {}
    broker.stop()


def test_the_values_of_a_provider_that_died_do_not_hold_for_ever(kuksa: KuksaRig) -> None:
    write(kuksa, {"window.driver": 40})
    kuksa.advance(5.0)
    kuksa.provider.close()
    now = kuksa.clock.now()
    kuksa.clock.advance_to(now + 2.0)
    state = asyncio.run(kuksa.car.read())
    assert (state.speed_kmh, state.values["window.driver"], state.gear) == (None, 40, "P")
    kuksa.clock.advance_to(now + 10.1)
    state = asyncio.run(kuksa.car.read())
    assert (state.values, state.gear, state.ignition_on) == ({}, None, None)
    assert kuksa.broker is not None and kuksa.broker.values, "the broker keeps them"
    kuksa.provider = kuksa.provide()
    until(lambda: asyncio.run(kuksa.car.read()).values.get("window.driver") == 40, "the new provider's values")


def test_a_broker_whose_leaves_have_no_paths_is_too_old_and_told_so() -> None:
    broker = Broker(version="0.5.0")
    with pytest.raises(AdapterError, match=r"databroker 0\.5\.0 lists leaves without their paths; use 0\.6 or newer"):
        KuksaVehicle(StreamClock(), address=broker.address, start_s=0.5)
    broker.stop()


def test_the_windows_lock_is_not_the_doors(kuksa: KuksaRig) -> None:
    assert "doors.child_lock" not in kuksa.car.offers()
    assert kuksa.broker is not None and not asyncio.run(kuksa.car.read()).values["windows.locked"]
    kuksa.broker.publish({"Cabin.IsWindowChildLockEngaged": True})
    until(lambda: bool(asyncio.run(kuksa.car.read()).values["windows.locked"]), "the windows' lock")


def test_no_command_leaves_for_a_broker_that_does_not_answer_an_echo(kuksa: KuksaRig) -> None:
    assert kuksa.broker is not None
    kuksa.freeze()
    with pytest.raises(AdapterError, match="did not answer in time"):
        write(kuksa, {"window.driver": 100})
    with pytest.raises(AdapterError, match="no databroker"):
        asyncio.run(kuksa.car.read())  # not known to be there: unknown
    kuksa.restore()
    assert kuksa.broker.asked == 0
    write(kuksa, {"light.dome": True})
    kuksa.settle()
    assert kuksa.commands() == [{"light.dome": True}]


def test_a_command_that_was_not_answered_is_taken_back_with_its_connection(
    kuksa: KuksaRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker stops between the echo and the command."""
    assert kuksa.broker is not None
    actuate = V2.actuate

    def stalled(broker: V2, targets: Mapping[Leaf, Scalar], deadline_s: float) -> Call:
        kuksa.freeze()
        return actuate(broker, targets, HANGS_S)

    with monkeypatch.context() as patched:
        patched.setattr(V2, "actuate", stalled)
        with pytest.raises(AdapterError, match="did not answer in time"):
            write(kuksa, {"window.driver": 100})
    assert not kuksa.kuksa.connected(0.0)
    kuksa.restore()
    write(kuksa, {"light.dome": True})
    kuksa.settle()
    assert kuksa.commands() == [{"light.dome": True}]


def test_a_late_older_report_is_dropped(kuksa: KuksaRig) -> None:
    path = "Cabin.Door.Row1.DriverSide.Window.Position"
    kuksa.provider.tell(path, 40)
    kuksa.provider.tell(path, 20, at=kuksa.wall() - 5.0)
    kuksa.settle()
    assert asyncio.run(kuksa.car.read()).values["window.driver"] == 40


def test_the_drivers_side_and_missing_leaves_are_the_vehicles_own() -> None:
    clock = StreamClock()
    tree = {path: leaf for path, leaf in TREE.items() if "Sunroof" not in path}
    tree["Cabin.Light.IsDomeOn"] = replace(tree["Cabin.Light.IsDomeOn"], actuator=False)
    tree["Body.Lights.Fog.Front.IsOn"] = replace(tree["Body.Lights.Fog.Front.IsOn"], datatype=11)
    broker = Broker(tree)
    provider = KuksaCar(FarCar(clock), broker.address, tree=tree, driver_position="RIGHT")
    car = KuksaVehicle(clock, address=broker.address, start_s=PATIENCE_S)
    try:
        asyncio.run(car.write({"window.rear_left": 30}))
        assert broker.actuated == [{"Cabin.Door.Row2.PassengerSide.Window.Position": 30}]
        assert not {"sunroof.position", "sunroof.shade", "light.dome", "light.fog"} & car.offers()
        found = {finding.subject: finding for finding in car.check()}
        assert "the vehicle has no Cabin.Sunroof.Position" in found["sunroof.position"].text
        assert "can only be read" in found["light.dome"].text
        assert found["light.fog"].verdict == "fail" and "float" in found["light.fog"].text
    finally:
        asyncio.run(car.close())
        provider.close()
        broker.stop()


def test_the_token_goes_along_and_is_read_again(tmp_path: Path) -> None:
    clock, token = StreamClock(), tmp_path / "token"
    token.write_text("old\n", "ascii")
    broker = Broker(token="fresh")
    with pytest.raises(AdapterError, match="wants a valid token"):
        KuksaVehicle(clock, address=broker.address, token_file=token, start_s=0.3)
    token.write_text("fresh\n", "ascii")
    car = KuksaVehicle(clock, address=broker.address, token_file=token, start_s=PATIENCE_S)
    asyncio.run(car.close())
    broker.stop()
    with pytest.raises(ConfigError, match="cannot be read"):
        KuksaVehicle(clock, address=broker.address, token_file=tmp_path / "absent")


def test_v1_is_used_only_if_it_is_allowed() -> None:
    clock, broker = StreamClock(), Broker(v2=False)
    with pytest.raises(AdapterError, match=r"keeps a target .* set allow_v1"):
        KuksaVehicle(clock, address=broker.address, start_s=0.5)
    broker.publish({"Speed": 12.0, "Cabin.Light.IsDomeOn": False})
    car = KuksaVehicle(clock, address=broker.address, start_s=PATIENCE_S, allow_v1=True)
    asyncio.run(car.write({"light.dome": True}))
    assert broker.actuated == [{"Cabin.Light.IsDomeOn": True}]
    broker.publish({"Cabin.Light.IsDomeOn": True, "Speed": 13.0})
    until(lambda: asyncio.run(car.read()).values.get("light.dome") is True, "the light")
    assert asyncio.run(car.read()).speed_kmh == 13.0
    assert any("v1" in finding.text and finding.verdict == "warn" for finding in car.check())
    asyncio.run(car.close())
    broker.stop()


def test_what_the_standard_lacks_takes_no_action_that_can_do_without() -> None:
    """VSS has no mute and no titles: the volume and the source can be set all the same."""
    signals = resolve(load_vss("vss6"), TREE, "LEFT").offers & frozenset(SIGNALS)
    assert not signals & {"media.muted", "media.title", "media.playing", "climate.on", "climate.auto"}
    having = actions_for(signals)
    assert {"set_volume", "change_volume", "set_media_source", "set_temperature", "set_defrost", "set_window",
            "navigate_to"} <= having  # fmt: skip
    assert not having & {"set_mute", "play_music", "get_playing", "set_climate"}
