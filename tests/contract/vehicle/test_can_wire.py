"""What the CAN adapter puts on its bus, and what it makes of the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("can", reason="the extra [can] is not installed")

import can

from schemas.clock import StreamClock
from schemas.errors import AdapterError
from tests.vehicle_rigs import CanRig, write
from vehicle.adapters.can import CanVehicle
from vehicle.adapters.can.checksums import crc8

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface


@pytest.fixture
def bus() -> Iterator[CanRig]:
    rig = CanRig()
    yield rig
    rig.close()


def frames(rig: CanRig, wanted: int) -> list[bytes]:
    """What the car's side receives of one frame, taken off the bus."""
    found: list[bytes] = []
    while (message := rig.ecu.bus.recv(0.0)) is not None:
        found += [bytes(message.data)] if message.arbitration_id == wanted else []
    return found


def test_a_request_is_repeated_and_then_asks_for_nothing(bus: CanRig) -> None:
    assert crc8(b"123456789") == 0x4B, "check value of CRC-8 SAE J1850"
    write(bus, {"light.dome": True})
    for _ in range(8):
        bus.clock.advance_to(bus.clock.now() + 0.02)
        bus.bus.look()
    sent = frames(bus, 0x330)
    message = bus.ecu.network.database.get_message_by_name("LIGHT_CMD")
    decoded: list[Any] = [message.decode(data, decode_choices=False, scaling=False) for data in sent]
    assert [one["DomeReq"] for one in decoded] == [1, 1, 1, 3]
    assert {one["FogReq"] for one in decoded} == {3} and {one["Spare"] for one in decoded} == {0}
    counters = [one["Counter"] for one in decoded]
    assert [(after - before) % 16 for before, after in pairwise(counters)] == [1, 1, 1]
    assert all(data[7] == crc8(data[:7]) for data in sent)


def test_a_silent_adapter_sends_nothing_and_offers_what_is_read() -> None:
    clock, channel = StreamClock(), "silent"
    with can.Bus(interface="virtual", channel=channel) as other:
        car = CanVehicle(clock, interface="virtual", channel=channel, threaded=False)
        assert "battery.charge" in car.offers() and "light.dome" not in car.offers()
        with pytest.raises(AdapterError, match=r"vehicle\.can\.transmit is false"):
            asyncio.run(car.write({"light.dome": True}))
        clock.advance_to(3.0)
        car.look()
        assert other.recv(0.0) is None
        asyncio.run(car.close())


def test_too_many_requests_are_refused_not_queued(bus: CanRig) -> None:
    for number in range(20):
        write(bus, {"climate.fan": number % 6})
    with pytest.raises(AdapterError, match="more than 20 requests a second"):
        write(bus, {"climate.fan": 1})
    bus.clock.advance_to(bus.clock.now() + 1.0)
    write(bus, {"climate.fan": 2})


@pytest.mark.parametrize("damage", ["checksum", "counter", "short"])
def test_damaged_and_repeated_frames_are_not_believed(bus: CanRig, damage: str) -> None:
    network = bus.ecu.network
    frame = network.database.get_message_by_name("OPENING_STATUS")
    raw = {signal.name: 0 for signal in frame.signals} | {"WinDrv": 77, "Counter": (bus.ecu.counter + 1) % 16}
    data = bytearray(frame.encode(raw, scaling=False, strict=False))
    data[7] = crc8(bytes(data[:7]))
    if damage == "checksum":
        data[7] ^= 1
    elif damage == "counter":
        data[6] = (data[6] & 0x0F) | (bus.ecu.counter << 4)
        data[7] = crc8(bytes(data[:7]))
    bus.ecu.bus.send(
        can.Message(
            arbitration_id=frame.frame_id, is_extended_id=False, data=bytes(data[:4] if damage == "short" else data)
        )
    )
    assert asyncio.run(bus.car.read()).values["window.driver"] == 0
    assert any(finding.subject == "OPENING_STATUS" and finding.verdict == "warn" for finding in bus.car.check())


def test_nothing_is_sent_to_a_bus_that_is_asleep(bus: CanRig) -> None:
    """Its controller would keep the frame and send it when the bus wakes up."""
    bus.clock.advance_to(bus.clock.now() + 1.6)
    with pytest.raises(AdapterError, match="nothing is sent until it is awake"):
        write(bus, {"window.driver": 100})
    assert bus.ecu.bus.recv(0.0) is None
    bus.settle()
    write(bus, {"light.dome": True})
    bus.settle()
    assert bus.commands() == [{"light.dome": True}]


def test_a_request_is_not_repeated_by_a_program_that_was_held_up(bus: CanRig) -> None:
    write(bus, {"light.dome": True})
    bus.clock.advance_to(bus.clock.now() + 3.0)
    bus.bus.look()
    message = bus.ecu.network.database.get_message_by_name("LIGHT_CMD")
    decoded: list[Any] = [
        message.decode(data, decode_choices=False, scaling=False) for data in frames(bus, message.frame_id)
    ]
    assert [one["DomeReq"] for one in decoded] == [1, 3]


def test_bus_off_is_a_loss_and_a_silent_bus_an_error(bus: CanRig) -> None:
    bus.ecu.bus.send(can.Message(arbitration_id=0x40, is_error_frame=True, data=bytes(8)))
    with pytest.raises(AdapterError, match="bus off"):
        asyncio.run(bus.car.read())
    bus.restore()
    assert asyncio.run(bus.car.read()).speed_kmh == 0.0
    bus.clock.advance_to(bus.clock.now() + 6.0)
    with pytest.raises(AdapterError, match="nothing came"):
        asyncio.run(bus.car.read())
