"""What the MQTT adapter sends to its broker, and what it makes of the answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("paho.mqtt", reason="the extra [mqtt] is not installed")

from paho.mqtt.client import Client

from schemas.errors import AdapterError
from tests.vehicle_rigs import HANGS_S, PATIENCE_S, MqttRig, until, write

pytestmark = pytest.mark.socket  # brokers of their own on the loopback interface


def test_without_a_batch_topic_commands_go_one_by_one() -> None:
    rig = MqttRig(batch=False)
    try:
        write(rig, {"window.driver": 40, "light.dome": True})
        rig.settle()
        assert rig.commands() == [{"window.driver": 40}, {"light.dome": True}]
        assert rig.gateway.retained == 0
    finally:
        rig.close()


def test_commands_expire_and_wait_for_nobody() -> None:
    rig = MqttRig()
    try:
        rig.gateway.close()
        until(lambda: asyncio.run(rig.car.read()).values == {}, "the gateway's last will")
        assert asyncio.run(rig.car.read()).speed_kmh is None
        with pytest.raises(AdapterError, match="is not available"):
            write(rig, {"window.driver": 100})
        rig.gateway.connect()
        rig.settle()
        until(lambda: rig.mqtt.offers() <= set(asyncio.run(rig.car.read()).values), "the states")
        assert rig.commands() == []
    finally:
        rig.close()


def test_a_topic_that_nobody_listens_to_is_an_error() -> None:
    rig = MqttRig(batch=False)
    try:
        topic = next(one for one in rig.gateway.announcements if one.endswith("/light_dome/config"))
        elsewhere = {**rig.gateway.announcements[topic], "command_topic": "example_car/light_dome/elsewhere"}
        rig.gateway.tell(topic, json.dumps(elsewhere).encode())
        rig.settle()
        with pytest.raises(AdapterError, match="nothing in the vehicle takes commands"):
            write(rig, {"light.dome": True})
    finally:
        rig.close()


def test_entities_come_and_go_and_a_loss_takes_none_away() -> None:
    rig = MqttRig()
    try:
        topic = next(one for one in rig.gateway.announcements if one.endswith("/light_dome/config"))
        rig.gateway.tell(topic, b"")
        until(lambda: "light.dome" not in rig.car.offers(), "the entity's end")
        rig.gateway.tell(topic, json.dumps(rig.gateway.announcements[topic]).encode())
        until(lambda: "light.dome" in rig.car.offers(), "the entity")
        there = rig.car.offers()
        rig.lose()
        assert rig.car.offers() == there
    finally:
        rig.close()


def test_a_switch_that_tells_no_state_is_taken_to_be_as_it_was_told() -> None:
    rig = MqttRig()
    try:
        topic = next(one for one in rig.gateway.announcements if one.endswith("/light_dome/config"))
        said = {key: value for key, value in rig.gateway.announcements[topic].items() if key != "state_topic"}
        rig.gateway.tell(topic, json.dumps(said).encode())
        rig.settle()
        write(rig, {"light.dome": True})
        rig.settle()
        assert rig.commands() == [{"light.dome": True}]
        assert asyncio.run(rig.car.read()).values["light.dome"] is True
        found = {one.subject: one.text for one in rig.car.check()}
        assert "tells no state" in found["light.dome"]
    finally:
        rig.close()


def test_a_device_of_several_components_is_followed_and_taken_back() -> None:
    rig = MqttRig()
    try:
        topic = next(one for one in rig.gateway.announcements if one.endswith("/light_dome/config"))
        rig.gateway.tell(topic, b"")
        until(lambda: "light.dome" not in rig.car.offers(), "the entity's end")
        own = {"p": "switch", **rig.gateway.announcements[topic]}
        device = {"dev": {"ids": ["car"]}, "o": {"name": "gateway"}, "cmps": {"light_dome": own}}
        rig.gateway.tell("homeassistant/device/example_car/config", json.dumps(device).encode())
        until(lambda: "light.dome" in rig.car.offers(), "the component")
        rig.settle()
        write(rig, {"light.dome": True})
        rig.settle()
        assert rig.commands() == [{"light.dome": True}]
        rig.gateway.tell("homeassistant/device/example_car/config", b"")
        until(lambda: "light.dome" not in rig.car.offers(), "the device's end")
    finally:
        rig.close()


def stalled_after_the_echo(rig: MqttRig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker stops between the echo and the command: it takes the command into its socket and answers nothing."""
    publish = Client.publish

    def stalled(client: Client, topic: str, *told: Any, **more: Any) -> Any:
        if topic.endswith(("/set", "/batch")):
            rig.hang()
        return publish(client, topic, *told, **more)

    monkeypatch.setattr(Client, "publish", stalled)


@pytest.mark.parametrize("how", ["out of time", "given up"])
def test_a_command_that_was_not_acknowledged_is_never_carried_out(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    rig = MqttRig()
    try:
        rig.mqtt.deadline_s = HANGS_S
        with monkeypatch.context() as patched:
            stalled_after_the_echo(rig, patched)
            with pytest.raises((AdapterError, TimeoutError)):
                asyncio.run(
                    asyncio.wait_for(
                        rig.car.write({"window.driver": 100}), PATIENCE_S if how == "out of time" else HANGS_S / 3
                    )
                )
        until(lambda: not rig.mqtt.connected(0.0), "the end of the connection")
        rig.restore()
        assert rig.commands() == []
        write(rig, {"light.dome": True})
        rig.settle()
        assert rig.commands() == [{"light.dome": True}]
    finally:
        rig.close()
