"""The MQTT broker as an adapter: a client for each connection, ``write`` publishes. Owns the connection and its repair."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from schemas.errors import AdapterError, BetweenError, ConfigError
from schemas.events import VehicleState
from schemas.ports import Clock
from vehicle.adapters.findings import Finding
from vehicle.adapters.mqtt.announcements import Entity, Found, announced
from vehicle.adapters.mqtt.answers import Answers
from vehicle.adapters.mqtt.entities import Link, links, load_entities
from vehicle.adapters.mqtt.templates import taken
from vehicle.adapters.mqtt.wire import abrupt, linger, trusting
from vehicle.adapters.readings import Readings
from vehicle.signals import SIGNALS, check_changes

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
"""Pauses between attempts to connect begin short and double. Our choice."""

KEEPALIVE_S = 5
"""A connection that is silent for one and a half times as long is lost (MQTT 5, section 3.1.2.10). Our choice."""

CONNECT_S = 3.0
"""How long the broker may take to accept a connection, and to hand over what it kept. Our choice."""

NOBODY = 0x10
"""Reason code of an acknowledgement: no matching subscribers (MQTT 5, section 3.4.2.1)."""

NOT_AFTER = "not-after"
"""User property of a command: the time in seconds since 1970 from which on it must not be carried out any more."""

_log = logging.getLogger("glovebox.vehicle")


class MqttVehicle:
    """A vehicle behind an MQTT broker; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(
        self,
        clock: Clock,
        *,
        host: str = "127.0.0.1",
        port: int = 1883,
        username: str | None = None,
        password_file: Path | None = None,
        ca_file: Path | None = None,
        client_id: str = "glovebox",
        discovery_prefix: str = "homeassistant",
        mapping: str = "homeassistant",
        deadline_s: float = 0.8,
        start_s: float = 10.0,
        patient: bool = False,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Connect, learn which entities there are, and follow their states.

        Args:
            clock: the time in which values age.
            host: of the broker.
            port: of the broker.
            username: None for none.
            password_file: file with the password on its first line; read anew at every connection.
            ca_file: certificate of the authority that signed the broker's; None for no encryption.
            client_id: name of this client; its topics are under ``glovebox/<client_id>/``.
            discovery_prefix: where entities are announced.
            mapping: name or path; see ``vehicle.adapters.mapping``.
            deadline_s: how long the broker may take to acknowledge; below the patience of ``vehicle.service``, so that a command
                is over before its failure is told.
            start_s: how long to wait for the first connection.
            patient: without a connection within ``start_s`` go on trying; until then everything of the mapping is offered.
            wall: seconds since 1970, for the end of a command's validity.

        Raises:
            schemas.errors.ConfigError: mapping, password or certificate cannot be used.
            schemas.errors.AdapterError: no connection within ``start_s``, unless ``patient``.
        """
        self._clock, self._wall, self._host, self._port = clock, wall, host, port
        self._username, self._password_file, self._ca_file = username, password_file, ca_file
        self._client_id, self._prefix = client_id, discovery_prefix
        self.deadline_s = deadline_s
        """How long the broker may take to answer a command; may be changed at any time."""
        self._base = f"glovebox/{client_id}"
        self._mapping = load_entities(mapping)
        entries = {**self._mapping.driving, **self._mapping.signals}
        self._readings = Readings(clock, {name: one.max_age_s for name, one in entries.items() if one.max_age_s})
        self._credentials()
        self._announced: dict[str, Found] = {}
        """By topic of the announcement."""
        self._links: dict[str, Link] = {}
        self._by_topic: dict[str, tuple[str, ...]] = {}
        self._offered = frozenset(self._mapping.signals)
        self._places: frozenset[str] = frozenset()
        """Topics of availability."""
        self._online: dict[str, tuple[int, str]] = {}
        """Topic of availability -> when it was told last, as a count, and what."""
        self._told = 0
        self._findings: tuple[Finding, ...] = ()
        self._announcing = threading.Lock()
        self._announcements, self._resolved = 0, -1
        self._answers = Answers()
        self._client: Client | None = None
        self._trouble = "no connection yet"
        self._changed = threading.Condition()
        self._closed, self._ended = threading.Event(), threading.Event()
        self.sent = 0
        """Commands that the broker acknowledged."""
        self.raw: dict[str, bytes] = {}
        """Last payload by topic."""
        self._thread = threading.Thread(target=self._keep, name="mqtt", daemon=True)
        self._thread.start()
        if not self.connected(start_s) and not patient:
            self._shut()
            raise AdapterError(
                f"the MQTT broker at {host}:{port} cannot be used: {self._trouble}; check address, user and whether it runs"
            )

    def offers(self) -> frozenset[str]:
        """Signals whose entities are announced, as the mapping can use them; before the first connection all of it."""
        return self._offered

    async def read(self) -> VehicleState:
        """The states that were last reported; those of entities that are not available are unknown.

        Raises:
            schemas.errors.AdapterError: not connected, or closed.
        """
        self._reach()
        ends = frozenset(name for name, one in self._links.items() if one.entity.ends is not None)
        return self._readings.state(self.offers()).model_copy(update={"ends": ends})

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Publish commands; returns when the broker has acknowledged them and the vehicle listens.

        Raises:
            schemas.errors.AdapterError: as the contract says; also an entity that is not available.
            schemas.errors.BetweenError: a position of a cover that has none. Where it is on its way, "stay there" stops it.
        """
        client = self._reach()
        offers = self.offers()
        missing = sorted(name for name in changes if name not in offers)
        check_changes(changes)
        if missing:
            raise AdapterError(f"this vehicle has no {', '.join(missing)}")
        commands: dict[str, str] = {}
        by_entity: dict[str, str] = {}
        for name, value in changes.items():
            one = self._links[name]
            if not self._there(one.entity):
                raise AdapterError(f"the vehicle says that {one.entity.object_id} is not available")
            between = one.entity.ends is not None and value not in one.entity.ends[1]
            stays = between and one.entity.stop is not None and value == self._readings.value(name)
            if between and not stays:
                raise BetweenError(f"{one.entity.object_id} is a cover without positions: it has no {value} percent")
            payload = str(one.entity.stop) if stays else one.encoded(value)
            topic = str(one.entity.command_topic)
            commands[topic] = _both(commands[topic], payload) if topic in commands else payload
            by_entity[one.entity.object_id] = payload
        if len(commands) > 1 and self._mapping.batch_topic is not None:
            commands = {self._mapping.batch_topic: json.dumps(by_entity, ensure_ascii=False)}
        if commands:
            await self._send(client, commands)
        for name, value in changes.items():
            if not self._links[name].entity.state_topic:
                self._readings.put(name, value)

    async def close(self) -> None:
        """Say that we are gone and disconnect; closing twice is fine."""
        self._shut()

    def check(self) -> tuple[Finding, ...]:
        """The broker, the entities that are missing or otherwise, the states that make no sense."""
        where = f"MQTT broker at {self._host}:{self._port}"
        if self._client is None:
            return (Finding("fail", "connection", f"{where}: {self._trouble}"),)
        findings = [
            Finding("ok", "connection", f"{where}, {len(self._entities())} entities, mapping {self._mapping.name}")
        ]
        if self._ca_file is None and self._host not in ("127.0.0.1", "::1", "localhost"):
            findings.append(
                Finding("warn", "connection", "the connection leaves this machine without encryption; set ca_file")
            )
        if self._mapping.batch_topic is None:
            findings.append(Finding("warn", "batch", "the gateway has no topic for several commands at once"))
        for name, count in self._readings.nonsense.items():
            findings.append(Finding("warn", name, f"was reported {count} times with a value that makes no sense"))
        return (*findings, *self._findings)

    def connected(self, within_s: float) -> bool:
        """Whether states are followed, waiting for it at most that long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._client is not None, within_s)

    def _reach(self) -> Client:
        client = self._client
        if self._closed.is_set():
            raise AdapterError("the connection to the MQTT broker is closed; make a new one")
        if client is None:
            raise AdapterError(f"the MQTT broker at {self._host}:{self._port} cannot be used: {self._trouble}")
        return client

    async def _send(self, client: Client, commands: Mapping[str, str]) -> None:
        """An echo, then the commands and their acknowledgements, all within the deadline.

        Whoever gives up after a command was handed to the connection gives up the connection: what has not left this machine
        is never sent, and what the broker has not read it drops when the next connection takes over this client's name. Who is
        cancelled waits for the end of the command's validity, so that it is over when that is told.
        """
        properties = Properties(PacketTypes.PUBLISH)
        properties.MessageExpiryInterval = max(1, round(self.deadline_s))
        properties.UserProperty = (NOT_AFTER, f"{self._wall() + self.deadline_s:.3f}")
        mids: dict[str, int] = {}
        ends = time.monotonic() + self.deadline_s
        try:
            async with asyncio.timeout(self.deadline_s):
                await asyncio.wrap_future(self._echo(client))
                for topic, payload in commands.items():
                    info = client.publish(topic, payload, qos=1, retain=False, properties=properties)
                    mids[topic] = info.mid
                answers = {topic: await asyncio.wrap_future(self._answers.message(mid)) for topic, mid in mids.items()}
        except TimeoutError:
            self._end(client, "the MQTT broker did not answer in time")
            raise AdapterError("the MQTT broker did not answer in time; the connection is made anew") from None
        except asyncio.CancelledError:
            if mids:
                self._end(client, "a command was given up")
                await asyncio.sleep(ends - time.monotonic())
            raise
        except (ValueError, OSError, ConnectionError) as error:
            raise AdapterError(f"the command could not be sent: {error}") from None
        finally:
            for mid in mids.values():
                self._answers.forget(mid)
        refused = [topic for topic, answer in answers.items() if answer == NOBODY or answer >= 0x80]
        if refused:
            raise AdapterError(
                f"nothing in the vehicle takes commands on {', '.join(refused)}, or the broker forbids it"
            )
        self.sent += len(answers)

    def _echo(self, client: Client) -> Future[None]:
        """Comes true when the broker has sent back what we send it now, and with it everything that was before."""
        word, future = self._answers.word()
        client.publish(f"{self._base}/echo", word, qos=0)
        return future

    def _keep(self) -> None:
        """The thread: connect, follow, and again after a pause until closed."""
        pause = FIRST_PAUSE_S
        while not self._closed.is_set():
            self._ended.clear()
            client: Client | None = None
            try:
                client = self._connected_client()
                self._follow(client)
                pause = FIRST_PAUSE_S
                self._ended.wait()
            except (OSError, ssl.SSLError, AdapterError, ConfigError, ValueError) as error:
                self._lose(str(error))
            finally:
                if client is not None:
                    self._leave(client)
            if not self._closed.wait(pause):
                pause = min(2.0 * pause, LONGEST_PAUSE_S)

    def _connected_client(self) -> Client:
        """A new client, connected; nothing of an earlier one lives on in it."""
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        username, password = self._credentials()
        if username is not None:
            client.username_pw_set(username, password)
        if self._ca_file is not None:
            client.tls_set_context(trusting(self._ca_file))
        client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        answered = self._answers.connecting()

        def on_connect(_client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
            if not answered.done():
                answered.set_result(str(reason))

        client.on_connect = on_connect
        client.on_disconnect = lambda _c, _u, _f, reason, _p: self._end(
            client, f"the broker ended the connection: {reason}"
        )
        client.on_message = lambda _c, _u, message: self._take(client, message)
        client.on_publish = lambda _c, _u, mid, reason, _p: self._answers.acknowledged(
            mid, int(getattr(reason, "value", 0))
        )
        client.on_socket_open = abrupt
        client.connect_timeout = CONNECT_S
        client.connect(self._host, self._port, keepalive=KEEPALIVE_S, clean_start=True)
        client.loop_start()
        try:
            reason = answered.result(CONNECT_S)
        except TimeoutError:
            self._leave(client)
            raise AdapterError("the broker did not answer") from None
        if reason != "Success":
            self._leave(client)
            raise AdapterError(f"the broker refuses the connection: {reason}")
        return client

    def _follow(self, client: Client) -> None:
        """Subscribe to announcements, then to what they announce; returns when all retained states are in."""
        self._announced, self._online, self.raw = {}, {}, {}
        self._links, self._by_topic, self._places = {}, {}, frozenset()
        self._resolved = -1
        wanted = [f"{self._base}/echo", f"{self._prefix}/+/+/config", f"{self._prefix}/+/+/+/config"]
        client.subscribe([(topic, 0) for topic in wanted])
        try:
            self._echo(client).result(CONNECT_S)
            while not self._settled(client):
                self._resolve(client)
                self._echo(client).result(CONNECT_S)
        except TimeoutError:
            raise AdapterError(
                "the broker does not echo; may this client publish and subscribe under glovebox/?"
            ) from None
        client.publish(f"{self._base}/availability", "online", qos=1, retain=True)
        with self._changed:
            self._changed.notify_all()

    def _settled(self, client: Client) -> bool:
        """Whether everything that was announced so far is followed; from then on this is the connection.

        Raises:
            schemas.errors.AdapterError: there is nothing to follow.
        """
        with self._announcing:
            if self._resolved != self._announcements:
                return False
            offered = frozenset(self._links) & frozenset(SIGNALS)
            if not offered:
                raise AdapterError(f"the vehicle announces none of the entities of the mapping {self._mapping.name}")
            self._client, self._offered = client, offered
            return True

    def _resolve(self, client: Client) -> None:
        """Follow what the entities that are announced by now say."""
        known = set(self._by_topic) | self._places
        self._resolved = self._announcements
        self._links, self._findings = links(self._mapping, self._entities())
        by_topic: dict[str, list[str]] = {}
        for name, one in self._links.items():
            if one.entity.state_topic:
                by_topic.setdefault(one.entity.state_topic, []).append(name)
        self._by_topic = {topic: tuple(names) for topic, names in by_topic.items()}
        self._places = frozenset(where.topic for one in self._links.values() for where in one.entity.available)
        fresh = sorted((set(by_topic) | self._places) - known)
        if fresh:
            client.subscribe([(topic, 0) for topic in fresh])

    def _take(self, client: Client, message: MQTTMessage) -> None:
        """A message came."""
        topic, payload = message.topic, bytes(message.payload)
        if topic == f"{self._base}/echo":
            self._answers.echoed(payload.decode("ascii", "replace"))
            return
        news = announced(topic, payload, self._prefix, self._mapping.node)
        if news is not None:
            with self._announcing:
                self._announcements += 1
                self._announced[topic] = news
                if client is self._client:
                    self._resolve(client)
                    self._offered = frozenset(self._links) & frozenset(SIGNALS)
            return
        self.raw[topic] = payload
        if topic in self._places:
            self._told += 1
            self._online[topic] = self._told, payload.decode("utf-8", "replace")
            for name, one in self._links.items():
                if any(where.topic == topic for where in one.entity.available) and not self._there(one.entity):
                    self._readings.drop(name)
        for name in self._by_topic.get(topic, ()):
            there, value = self._links[name].decoded(payload)
            if there:
                self._readings.put(name, value, float("inf") if message.retain else 0.0)
            else:
                self._readings.drop(name)

    def _entities(self) -> dict[str, Entity | str]:
        """All that is announced; of two announcements of one object id the later one counts."""
        return {key: one for found in self._announced.values() for key, one in found.items()}

    def _there(self, entity: Entity) -> bool:
        """Whether an entity says that it is available."""
        payloads: dict[str, tuple[int, str]] = {}
        for where in entity.available:
            if where.topic in self._online:
                count, said = self._online[where.topic]
                payloads[where.topic] = count, said if where.template is None else taken(where.template, said) or ""
        return entity.there(payloads)

    def _credentials(self) -> tuple[str | None, str | None]:
        if self._password_file is None:
            return self._username, None
        try:
            password = self._password_file.read_text("utf-8").splitlines()[0]
        except (OSError, UnicodeDecodeError, IndexError) as error:
            raise ConfigError(f"the password {self._password_file} cannot be read: {type(error).__name__}") from None
        return self._username, password

    def _end(self, client: Client, trouble: str) -> None:
        """This connection is over, with everything on it that was not sent."""
        connection: Any = client.socket()
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if self._client in (None, client):
            self._lose(trouble)
            self._ended.set()

    def _lose(self, trouble: str) -> None:
        if self._client is not None and not self._closed.is_set():
            _log.warning("MQTT broker at %s:%d: %s", self._host, self._port, trouble)
        with self._changed:
            self._client, self._trouble = None, trouble
            self._changed.notify_all()
        self._readings.clear()
        self._answers.give_up(trouble)

    def _leave(self, client: Client) -> None:
        """Let a client go, with its socket and its thread."""
        client.on_disconnect = None
        if self._closed.is_set() and client.is_connected():
            farewell = client.publish(f"{self._base}/availability", "offline", qos=1, retain=True)
            with suppress(ValueError, RuntimeError):
                farewell.wait_for_publish(self.deadline_s)
            linger(client.socket(), abrupt=False)
        client.disconnect()
        client.loop_stop()

    def _shut(self) -> None:
        self._closed.set()
        self._ended.set()
        if self._client is None:
            self._answers.give_up("closed")
        if threading.current_thread() is not self._thread:
            self._thread.join(self.deadline_s + CONNECT_S)
        self._client = None


def _both(first: str, second: str) -> str:
    """Two commands to one topic as one: objects are laid over each other, else the later one counts."""
    try:
        one, other = json.loads(first), json.loads(second)
    except ValueError:
        return second
    return json.dumps({**one, **other}) if isinstance(one, dict) and isinstance(other, dict) else second  # pyright: ignore[reportUnknownArgumentType]
