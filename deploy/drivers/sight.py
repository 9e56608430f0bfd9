"""The keys that the car sees: a phone, a fob, an ignition profile; and who takes the wheel when it sees one.

A source says by its id which key is there (`Sight`); ``driver.keys`` says whose it is. A key opens the memory of a driver without a
PIN. Of one with a PIN it only says who is asked for it: a key can be lent, lost and copied. A key that is nobody's makes whoever
drives a guest. Nobody is changed while the car is not parked, and a key that goes changes nothing: who drives may have put it away.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import threading
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from schemas.errors import ConfigError, GloveboxError
from schemas.events import Motion
from schemas.ports import Drivers

if TYPE_CHECKING:
    from deploy.config import Config

LOOK_S = 0.5
"""Between two looks at the source: a driver has the door open for longer. Our choice."""
LONGEST = 200
"""Characters of a key's id."""

_log = logging.getLogger("glovebox.drivers")


class Sight(Protocol):
    """Says which key the car sees."""

    def seen(self) -> str | None:
        """The id of the key; empty: none is there; None: that is not known now."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class FileSight:
    """A file that another program of the car writes: the id of the key on its first line, or nothing."""

    def __init__(self, path: Path) -> None:
        """Of this file, which need not be there yet."""
        self._path, self._told = path, False

    def seen(self) -> str | None:
        """See `Sight`. A file that others may write says nothing: it would open memories to them."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            held = os.fstat(handle)
            if not stat.S_ISREG(held.st_mode) or held.st_mode & 0o022 or held.st_uid not in (0, os.geteuid()):
                if not self._told:
                    _log.warning("%s says nothing: only root or this user may be able to write it", self._path)
                self._told = True
                return None
            return key_id(os.read(handle, 4 * LONGEST))
        finally:
            os.close(handle)

    def close(self) -> None:
        """See `Sight`."""


class MqttSight:
    """A topic of the car's MQTT broker, whose retained message is the id of the key, or empty."""

    def __init__(
        self, *, host: str, port: int, topic: str, username: str | None = None, password_file: Path | None = None,
        ca_file: Path | None = None, client_id: str = "glovebox-keys",
    ) -> None:  # fmt: skip
        """Follow the topic from now on, and again whenever the connection was lost.

        Raises:
            schemas.errors.ConfigError: the package paho-mqtt is missing, or password or certificate cannot be used.
        """
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
        except ImportError:
            raise ConfigError("driver.sight.source = 'mqtt' needs pip install 'glovebox[mqtt]'") from None
        from vehicle.adapters.mqtt.wire import trusting

        self._key: str | None = None
        client = self._client = Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5
        )
        if username is not None:
            client.username_pw_set(username, None if password_file is None else _password(password_file))
        if ca_file is not None:
            client.tls_set_context(trusting(ca_file))

        def connected(_client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
            if not reason.is_failure:
                self._key = ""  # a retained message follows at once, if there is one
                client.subscribe(topic, qos=1)

        def told(_client: Any, _data: Any, message: Any) -> None:
            self._key = key_id(message.payload)

        def lost(*_: Any) -> None:
            self._key = None

        client.on_connect, client.on_message, client.on_disconnect = connected, told, lost
        client.reconnect_delay_set(1, 30)
        client.connect_async(host, port, keepalive=15)
        client.loop_start()

    def seen(self) -> str | None:
        """See `Sight`."""
        return self._key

    def close(self) -> None:
        """See `Sight`."""
        self._client.disconnect()
        self._client.loop_stop()


class KeyWatch:
    """Lets who owns a key that comes take the wheel."""

    def __init__(
        self, sight: Sight, owners: Mapping[str, str], drivers: Drivers, motion: Callable[[], Motion | None]
    ) -> None:
        """Nothing was seen yet.

        Args:
            sight: which key is there.
            owners: key -> driver.
            drivers: who may drive.
            motion: the driving state; None is unknown, which counts as moving.
        """
        self._sight, self._owners, self._drivers, self._motion = sight, owners, drivers, motion
        self._known = ""

    def look(self) -> None:
        """If another key has come and the car is parked: its owner drives, or is asked for the PIN; else a guest does."""
        key = self._sight.seen()
        if key is None or key == self._known:
            return
        if key == "":
            self._known = ""
            return
        if self._motion() is not Motion.PARKED:
            return
        self._known = key
        try:
            self._drivers.switch(self._owners.get(key))
        except GloveboxError as error:
            _log.warning("a key was seen, but nobody could take the wheel: %s", error)


@contextlib.contextmanager
def watching(config: Config, drivers: Drivers | None, motion: Callable[[], Motion | None]) -> Generator[None]:
    """Look for keys on a thread of its own, if that is configured.

    Raises:
        schemas.errors.ConfigError: the source cannot be used.
    """
    sight = None if drivers is None else sight_of(config)
    if sight is None or drivers is None:
        yield
        return
    watch, ended = KeyWatch(sight, config.driver.keys, drivers, motion), threading.Event()

    def looking() -> None:
        while not ended.wait(LOOK_S):
            watch.look()

    thread = threading.Thread(target=looking, name="keys of the car", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        sight.close()


def sight_of(config: Config) -> Sight | None:
    """The configured source; None where there is none.

    Raises:
        schemas.errors.ConfigError: it cannot be used.
    """
    settings = config.driver.sight
    if settings.source == "none":
        return None
    if settings.source == "file":
        if settings.file is None:
            raise ConfigError("driver.sight.source = 'file' needs driver.sight.file: name the file")
        return FileSight(settings.file)
    return MqttSight(**settings.model_dump(exclude={"source", "file"}))


def key_id(data: bytes) -> str:
    """A key's id as it was reported: the first line, without blanks at its ends."""
    line = data.decode("utf-8", "replace").partition("\n")[0].strip()
    return line if len(line) <= LONGEST and line.isprintable() else ""


def _password(file: Path) -> str:
    try:
        return file.read_text("utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"driver.sight.password_file: {file} cannot be read") from None
