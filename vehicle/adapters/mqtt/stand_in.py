"""The simulated car as a gateway that announces Home Assistant entities over MQTT: for tests and measurements."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from vehicle.adapters.far_car import FarCar
from vehicle.adapters.mqtt.adapter import NOT_AFTER
from vehicle.adapters.mqtt.announcements import Entity, announced
from vehicle.adapters.mqtt.entities import Link, links, load_entities
from vehicle.adapters.mqtt.wire import at_once, trusting
from vehicle.adapters.translation import DRIVING
from vehicle.signals import SIGNALS, Kind, Signal

NODE, BASE = "example_car", "example_car"
AVAILABILITY = f"{BASE}/availability"
BATCH = f"{BASE}/batch"


class MqttCar:
    """The gateway; it keeps its session, as gateways do, so that the broker may queue for it."""

    def __init__(
        self,
        car: FarCar,
        port: int,
        *,
        host: str = "127.0.0.1",
        username: str = "",
        password: str = "",
        ca_file: Path | None = None,
    ) -> None:
        """Connect, announce and report. ``port`` is the broker's."""
        self.car, self._address = car, (host, port)
        self.mapping = load_entities("homeassistant")
        self.received = 0
        """Commands so far."""
        self.retained = 0
        """Commands that had been kept by the broker."""
        self.late = 0
        """Commands that came after the end of their validity and were left undone."""
        self.published: dict[str, bytes] = {}
        self._user, self._ca_file = (username, password), ca_file
        self._ready = threading.Event()
        self.announcements = {
            f"homeassistant/{component(signal)}/{NODE}/{object_id}/config": announcement(signal, object_id)
            for object_id, signal in self._signals().items()
        }
        entities: dict[str, Entity | str] = {}
        for topic, said in self.announcements.items():
            entities |= announced(topic, json.dumps(said).encode(), "homeassistant", NODE) or {}
        self.links: dict[str, Link] = links(self.mapping, entities)[0]
        self._by_command = {one.entity.command_topic: one for one in self.links.values() if one.write is not None}
        self.connect()

    def connect(self) -> None:
        """Connect, or again after ``close``."""
        self._ready.clear()
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id="example-gateway",
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        if self._user[0]:
            client.username_pw_set(*self._user)
        if self._ca_file is not None:
            client.tls_set_context(trusting(self._ca_file))
        client.will_set(AVAILABILITY, "offline", qos=1, retain=True)
        client.on_connect, client.on_message, client.on_subscribe = (
            self._on_connect,
            self._on_message,
            self._on_subscribe,
        )
        client.on_socket_open = at_once
        self._client = client
        keep = Properties(PacketTypes.CONNECT)
        keep.SessionExpiryInterval = 3600
        client.connect(*self._address, keepalive=60, clean_start=False, properties=keep)
        client.loop_start()
        if not self._ready.wait(60.0):
            raise RuntimeError("the gateway could not connect")

    def publish(self) -> None:
        """Report what has changed, and the speed in any case."""
        values = self.car.values()
        for name, one in self.links.items():
            payload = self._state(one, values[name]) if name in values else b"unknown"
            if self.published.get(one.entity.state_topic) != payload or name == "speed_kmh":
                self.tell(one.entity.state_topic, payload)

    def tell(self, topic: str, payload: bytes, *, retain: bool = True) -> None:
        """Report one state, true or not."""
        self.published[topic] = payload
        self._client.publish(topic, payload, retain=retain)

    def flush(self) -> None:
        """Returns when the broker has everything that was reported."""
        self._client.publish(f"{BASE}/flush", b"", qos=1).wait_for_publish(60.0)

    def close(self) -> None:
        """Leave without a word: the broker gives the last will, and keeps the session."""
        sock = self._client.socket()
        if sock is not None:
            sock.close()
        self._client.disconnect()
        self._client.loop_stop()

    def _signals(self) -> Mapping[str, Signal]:
        entries = {**self.mapping.driving, **self.mapping.signals}
        return {
            self.mapping.entity_of(name, entry): SIGNALS.get(name) or DRIVING[name] for name, entry in entries.items()
        }

    def _on_connect(self, client: Client, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        for topic, said in self.announcements.items():
            client.publish(
                topic, json.dumps(said), retain=True
            )  # in order before the subscription: at least once is not needed
        client.publish(AVAILABILITY, "online", retain=True)
        self.published = {}
        self.publish()
        client.subscribe([(f"{BASE}/+/set", 1), (BATCH, 1)])

    def _on_subscribe(self, _client: Client, _data: Any, _mid: int, _reasons: Any, _properties: Any) -> None:
        self._ready.set()

    def _on_message(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        self.retained += message.retain
        payload = bytes(message.payload)
        if valid_until(message) < time.time():
            self.late += 1
        elif message.topic == BATCH:
            wanted: dict[str, str] = json.loads(payload)
            by_entity = {one.entity.object_id: one for one in self._by_command.values()}
            self.car.command({by_entity[key].name: self._value(by_entity[key], text) for key, text in wanted.items()})
        elif message.topic in self._by_command:
            one = self._by_command[message.topic]
            self.car.command({one.name: self._value(one, payload.decode())})
        self.received += 1

    def _value(self, one: Link, payload: str) -> Any:
        if one.read.signal.kind is Kind.TEXTS:
            return tuple(json.loads(payload))
        if one.read.signal.kind is Kind.NUMBER:
            value = float(payload)
            return int(value) if value == int(value) else value
        return one.write.decode(payload) if one.write is not None else None

    def _state(self, one: Link, value: Any) -> bytes:
        if one.read.signal.kind is Kind.TEXTS:
            return json.dumps(list(value)).encode()
        if one.read.signal.kind is Kind.TEXT:
            return json.dumps({"text": value}).encode()
        theirs = one.read.encode(value)
        return (f"{theirs:g}" if isinstance(theirs, float) and abs(theirs) < 1e5 else str(theirs)).encode()


def component(signal: Signal) -> str:
    """The component that announces a signal."""
    if not signal.writable:
        return "binary_sensor" if signal.kind is Kind.SWITCH else "sensor"
    if signal.name.startswith("window."):
        return "cover"
    if signal.name == "doors.locked":
        return "lock"
    return {Kind.NUMBER: "number", Kind.SWITCH: "switch", Kind.CHOICE: "select"}.get(signal.kind, "text")


def announcement(signal: Signal, object_id: str) -> dict[str, Any]:
    """What the gateway announces of a signal."""
    kind = component(signal)
    state, command = f"{BASE}/{object_id}/state", f"{BASE}/{object_id}/set"
    said: dict[str, Any] = {"unique_id": f"{NODE}_{object_id}", "availability_topic": AVAILABILITY}
    if kind == "cover":
        return {**said, "position_topic": state, "set_position_topic": command}
    said["state_topic"] = state
    if kind not in ("sensor", "binary_sensor"):
        said["command_topic"] = command
    if kind == "number":
        said |= {"min": signal.low, "max": signal.high}
    if kind in ("number", "sensor") and signal.unit not in ("", "level"):
        said["unit_of_measurement"] = signal.unit
    if signal.kind is Kind.TEXT:  # MQTT cannot keep an empty message: words come wrapped
        said["value_template"] = "{{ value_json.text }}"
    if kind == "select":
        said["options"] = list(signal.choices)
    return said


def valid_until(message: MQTTMessage) -> float:
    """The end of a command's validity in seconds since 1970; endless where it has none."""
    properties: Any = message.properties
    said = dict(getattr(properties, "UserProperty", ())).get(NOT_AFTER)
    return float("inf") if said is None else float(said)
