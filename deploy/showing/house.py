"""The assistant as a device of Home Assistant: its state, who drives, the last request, and what can be asked of it by hand.

Owns the announcement (one message for the device with all its components, as Home Assistant documents it), the states and the
commands that come back. What is told leaves this machine to the configured broker and nowhere else, and only what the settings
allow: names and words are off until they are switched on, and on a private trip and for a guest neither is told. From there a
private trip can be begun and not ended: only whoever drives widens what may be kept.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import ConfigError
from schemas.events import Asking, Phase, TurnRecord, WakeDetection
from schemas.ports import Onlooker, Touch
from schemas.seat import Seat
from voice.account import Observer

if TYPE_CHECKING:
    from deploy.settings import AnnounceSettings

LONGEST = 255
"""Characters of a state: Home Assistant takes no longer one (core, ``MAX_LENGTH_STATE_STATE``)."""

GUEST = "guest"


def discovery(client_id: str, base: str, *, names: bool, words: bool, version: str) -> dict[str, Any]:
    """The announcement.

    Args:
        client_id: of this assistant; its ids begin with it.
        base: the topic under which its states and commands are.
        names: whether it tells who drives.
        words: whether it tells the last request.
        version: of the program.
    """
    components: dict[str, dict[str, Any]] = {
        "state": {
            "p": "sensor", "name": "State", "device_class": "enum", "options": [phase.value for phase in Phase],
            "state_topic": f"{base}/state", "icon": "mdi:microphone-message",
        },
        "private_trip": {
            "p": "switch", "name": "Private trip", "state_topic": f"{base}/private_trip",
            "command_topic": f"{base}/private_trip/set", "icon": "mdi:incognito",
        },
        "push_to_talk": {
            "p": "button", "name": "Push to talk", "command_topic": f"{base}/push_to_talk/set", "icon": "mdi:microphone",
        },
    }  # fmt: skip
    if names:
        components["driver"] = {
            "p": "sensor", "name": "Driver", "state_topic": f"{base}/driver", "icon": "mdi:steering",
        }  # fmt: skip
    if words:
        components["last_request"] = {
            "p": "sensor", "name": "Last request", "state_topic": f"{base}/last_request", "icon": "mdi:comment-text",
        }  # fmt: skip
    return {
        "device": {"identifiers": [client_id], "name": "Glovebox", "manufacturer": "Glovebox", "sw_version": version},
        "origin": {"name": "Glovebox", "sw_version": version},
        "availability_topic": f"{base}/availability",
        "components": {key: {**one, "unique_id": f"{client_id}_{key}"} for key, one in components.items()},
    }


class House:
    """Tells a broker what the assistant does, and takes what is asked of it there; meets ``schemas.ports.Onlooker``."""

    def __init__(self, settings: AnnounceSettings, seat: Seat, touch: Touch, version: str) -> None:
        """Connect in the background, and again whenever the connection was lost.

        Args:
            settings: of the broker, and what may be told.
            seat: who drives.
            touch: what is done by hand.
            version: of the program.

        Raises:
            schemas.errors.ConfigError: the package paho-mqtt is missing, or password or certificate cannot be used.
        """
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
        except ImportError:
            raise ConfigError("announce.to = 'homeassistant' needs pip install 'glovebox[mqtt]'") from None
        from vehicle.adapters.mqtt.wire import trusting

        self._settings, self._seat, self._touch = settings, seat, touch
        self._base = f"glovebox/{settings.client_id}"
        self._topic = f"{settings.discovery_prefix}/device/{settings.client_id}/config"
        self._said = discovery(
            settings.client_id, self._base, names=settings.names, words=settings.requests, version=version
        )
        self._lock = threading.Lock()
        self._states: dict[str, str] = {"state": Phase.IDLE.value}
        client = self._client = Client(
            CallbackAPIVersion.VERSION2, client_id=f"{settings.client_id}-house", protocol=MQTTProtocolVersion.MQTTv5
        )
        if settings.username is not None:
            client.username_pw_set(settings.username, _password(settings.password_file))
        if settings.ca_file is not None:
            client.tls_set_context(trusting(settings.ca_file))
        client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        client.on_connect, client.on_message = self._connected, self._asked
        client.reconnect_delay_set(1, 30)
        seat.follow(self._seated)
        seat.observe(lambda _: self._seated())
        self._seated()
        client.connect_async(settings.host, settings.port, keepalive=15)
        client.loop_start()

    def stands(self, phase: Phase, asking: Asking | None, era: int) -> None:
        """See ``Onlooker``."""
        del asking, era
        self._tell("state", phase.value)

    def sounds(self, level: float) -> None:
        """See ``Onlooker``: nobody is told how loud it is."""

    def hears(self, words: str, era: int) -> None:
        """See ``Onlooker``: words that may change are nobody's."""

    def requested(self, words: str) -> None:
        """This was asked for; told if the settings and whoever drives allow it."""
        if self._settings.requests and words and not self._private:
            self._tell("last_request", words[:LONGEST])

    def close(self) -> None:
        """Say that the assistant is gone, and leave."""
        self._client.publish(f"{self._base}/availability", "offline", qos=1, retain=True)
        with contextlib.suppress(ValueError, RuntimeError):
            self._tell("last_request", "").wait_for_publish(1.0)
        self._client.disconnect()
        self._client.loop_stop()

    @property
    def _private(self) -> bool:
        return self._seat.memory.consent().private_trip

    def _seated(self) -> None:
        """Somebody else drives, or decided otherwise about what may be kept: the words of before are nobody's any more."""
        private = self._private
        self._tell("private_trip", "ON" if private else "OFF")
        if self._settings.names:
            self._tell("driver", GUEST if private else self._seat.memory.driver or GUEST)
        self._tell("last_request", "")

    def _tell(self, name: str, state: str) -> Any:
        with self._lock:
            self._states[name] = state
        return self._client.publish(f"{self._base}/{name}", state, qos=1, retain=True)

    def _connected(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            return
        client.subscribe([(f"{self._base}/push_to_talk/set", 0), (f"{self._base}/private_trip/set", 0)])
        client.publish(self._topic, json.dumps(self._said), qos=1, retain=True)
        with self._lock:
            states = dict(self._states)
        for name, state in states.items():
            client.publish(f"{self._base}/{name}", state, qos=1, retain=True)
        client.publish(f"{self._base}/availability", "online", qos=1, retain=True)

    def _asked(self, _client: Any, _data: Any, message: Any) -> None:
        if message.retain:
            return  # an old wish is nobody's
        if message.topic == f"{self._base}/push_to_talk/set":
            self._touch.press()
        elif bytes(message.payload) == b"ON":
            self._seat.memory.set_private_trip(True)
            self._seated()
        else:
            self._seated()  # a private trip is ended by whoever drives: the switch goes back


class Overheard:
    """Tells the house what was asked for, and another observer all; meets ``voice.account.Observer``."""

    def __init__(self, observer: Observer, house: House) -> None:
        """Between the loop and that observer."""
        self._observer, self._house = observer, house

    def woke(self, at: float, detection: WakeDetection) -> None:
        """See ``Observer``."""
        self._observer.woke(at, detection)

    def finished(self, record: TurnRecord) -> None:
        """See ``Observer``."""
        if record.reply is not None and record.reply.text and record.transcript is not None:
            self._house.requested(record.transcript.text)
        self._observer.finished(record)

    def ended(self, at: float, conversation: str) -> None:
        """See ``Observer``."""
        self._observer.ended(at, conversation)


class Several:
    """Several who look on; meets ``schemas.ports.Onlooker``."""

    def __init__(self, *others: Onlooker) -> None:
        """These, in this order."""
        self._others = others

    def stands(self, phase: Phase, asking: Asking | None, era: int) -> None:
        """See ``Onlooker``."""
        for one in self._others:
            one.stands(phase, asking, era)

    def sounds(self, level: float) -> None:
        """See ``Onlooker``."""
        for one in self._others:
            one.sounds(level)

    def hears(self, words: str, era: int) -> None:
        """See ``Onlooker``."""
        for one in self._others:
            one.hears(words, era)


@contextlib.contextmanager
def announcing(
    settings: AnnounceSettings, seat: Seat, touch: Touch, given: Callable[[House], None], version: str
) -> Generator[None]:
    """Announce the assistant while this goes on, if that is configured.

    Raises:
        schemas.errors.ConfigError: the broker's settings cannot be used.
    """
    if settings.to == "none":
        yield
        return
    house = House(settings, seat, touch, version)
    given(house)
    try:
        yield
    finally:
        house.close()


def _password(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text("utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"announce.password_file: {file} cannot be read") from None
