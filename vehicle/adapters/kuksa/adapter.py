"""The databroker as an adapter: one thread keeps the subscription, ``write`` actuates. Owns the connection and its repair."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import grpc

from schemas.errors import AdapterError, ConfigError, PartlyDoneError
from schemas.events import VehicleState
from schemas.ports import Clock
from vehicle.adapters.findings import Finding
from vehicle.adapters.kuksa.broker import (
    PARTLY,
    SILENT,
    V1,
    V2,
    Broker,
    Call,
    Update,
    channel_to,
    credentials,
    in_words,
)
from vehicle.adapters.kuksa.leaves import Leaf
from vehicle.adapters.kuksa.routes import DRIVER_POSITION, Routes, combined, load_vss, resolve
from vehicle.adapters.readings import Readings
from vehicle.adapters.translation import Keep, Scalar
from vehicle.signals import check_changes

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
"""Pauses between attempts to connect begin short and double. Our choice."""

CONNECT_S = 3.0
"""How long the broker may take to list what the vehicle has: some thousand leaves. Our choice."""

SETTLE_S = 0.2
"""How long the broker may take to hear that a command was given up. Our choice: a hundred times an echo on a car's own network."""

PROVIDER_DEAD_S = 10.0
"""A provider that has told no speed for so long is dead, and nothing that it told holds any more: the broker keeps its last values
for ever. Our choice: ten of the reports that it has to make."""

SET_BACK_S = 10.0
"""A value that is older than the one that is known came late and is dropped, unless by so much that a clock was set back."""

_log = logging.getLogger("glovebox.vehicle")


class KuksaVehicle:
    """A vehicle behind a databroker; meets ``vehicle.adapters.VehicleAdapter``."""

    def __init__(
        self,
        clock: Clock,
        *,
        address: str = "127.0.0.1:55555",
        token_file: Path | None = None,
        ca_file: Path | None = None,
        tls_name: str | None = None,
        mapping: str = "vss6",
        deadline_s: float = 0.7,
        start_s: float = 10.0,
        allow_v1: bool = False,
        patient: bool = False,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Connect, learn what the vehicle has, and follow its values.

        Args:
            clock: the time in which values age.
            address: ``host:port``, or ``unix:`` and the path of a socket.
            token_file: a JSON web token; read anew at every connection.
            ca_file: certificate of the authority that signed the broker's; None for no encryption.
            tls_name: name in the broker's certificate where it differs from the address.
            mapping: name or path; see ``vehicle.adapters.mapping``.
            deadline_s: how long the broker may take to answer a command; with ``SETTLE_S`` below the patience of
                ``vehicle.service``, so that a command is over before its failure is told.
            start_s: how long to wait for the first connection.
            allow_v1: whether a broker that only speaks v1 may be used, which keeps targets.
            patient: without a connection within ``start_s`` go on trying; until then everything of the mapping is offered.
            wall: seconds since 1970, for the age of the first values.

        Raises:
            schemas.errors.ConfigError: the mapping, the token or the certificate cannot be used.
            schemas.errors.AdapterError: no connection within ``start_s``, unless ``patient``.
        """
        self._clock, self._wall = clock, wall
        self._address, self._token_file, self._ca_file, self._tls_name = address, token_file, ca_file, tls_name
        self._allow_v1 = allow_v1
        self.deadline_s = deadline_s
        """How long the broker may take to answer a command; may be changed at any time."""
        self._mapping = load_vss(mapping)
        entries = {**self._mapping.driving, **self._mapping.signals}
        limits = {name: one.max_age_s for name, one in entries.items() if one.max_age_s}
        self._readings = Readings(clock, limits, alive_s=PROVIDER_DEAD_S)
        credentials(token_file)
        self._raw: dict[str, Scalar] = {}
        self.given: dict[str, float] = {}
        """Timestamp of the last report of each leaf, seconds since 1970."""
        self._routes = Routes()
        self._expected = frozenset(self._mapping.signals)
        self._broker: Broker | None = None
        self._over: Broker | None = None
        """The broker whose connection was given up last."""
        self._stream: Any = None
        self._trouble = "no connection yet"
        self._closed = threading.Event()
        self._changed = threading.Condition()
        self.updates = 0
        """Messages of subscriptions so far."""
        self.sent = 0
        """Requests that the broker has accepted."""
        self._thread = threading.Thread(target=self._keep, name="kuksa", daemon=True)
        self._thread.start()
        if not self.connected(start_s) and not patient:
            self._shut()
            raise AdapterError(f"no databroker at {address}: {self._trouble}; check address, token and whether it runs")

    def offers(self) -> frozenset[str]:
        """Signals whose leaves the vehicle has, as the mapping can use them; before the first connection all of it."""
        return self._routes.offers or self._expected

    async def read(self) -> VehicleState:
        """The values that the broker last reported.

        Raises:
            schemas.errors.AdapterError: not connected, or closed.
        """
        self._reach()
        return self._readings.state(self._routes.offers)

    async def write(self, changes: Mapping[str, Any]) -> None:
        """Actuate; returns when the broker has handed the targets to their providers.

        Raises:
            schemas.errors.AdapterError: as the contract says, and with the meaning of the broker's error code.
            schemas.errors.PartlyDoneError: one of several has no provider; others may have been sent on.
        """
        broker = self._reach()
        missing = sorted(name for name in changes if name not in self._routes.offers)
        check_changes(changes)
        if missing:
            raise AdapterError(f"this vehicle has no {', '.join(missing)}")
        targets = self._targets(changes)
        if not targets:
            return
        what = ", ".join(sorted(leaf.path for leaf in targets))
        try:
            answer = await self._asked(broker, targets)
        except grpc.RpcError as error:
            connected = self._broker is broker
            said = in_words(error, what, connected=connected)
            if connected and len(targets) > 1 and error.code() in PARTLY:  # pyright: ignore[reportAttributeAccessIssue]
                raise PartlyDoneError(f"{said}; a part of it may have been sent on") from None
            raise AdapterError(said) from None
        except (
            ValueError
        ):  # gRPC's answer where the channel has been closed meanwhile: nothing can be sent on it any more
            raise AdapterError(f"the connection to the databroker was lost before {what} was set") from None
        refused = broker.refused(answer)
        if refused:
            raise AdapterError(refused)
        self.sent += 1

    async def _asked(self, broker: Broker, targets: Mapping[Leaf, Scalar]) -> Any:
        """An echo, then the command and its answer, all within the deadline.

        Within a connection the broker takes everything in its order (HTTP/2, RFC 9113 section 5.1). The first echo shows that it is
        awake now and has heard of every command that was given up before; the last one that it has heard so of this one. If that
        stays away, the connection is given up with everything on it.

        Raises:
            grpc.RpcError: the broker did not answer, or refused.
            ValueError: the channel is closed.
        """
        ends = time.monotonic() + self.deadline_s
        try:
            await _answered(broker.echo(self.deadline_s))
        except grpc.RpcError as error:
            if error.code() in SILENT:  # pyright: ignore[reportAttributeAccessIssue]
                self._end(broker, "the databroker did not answer an echo")
                raise
        try:
            return await _answered(broker.actuate(targets, max(0.001, ends - time.monotonic())))
        except (grpc.RpcError, asyncio.CancelledError) as error:
            code = error.code() if isinstance(error, grpc.RpcError) else None  # pyright: ignore[reportAttributeAccessIssue]
            if code in (None, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
                await self._settle(broker)
            raise

    async def _settle(self, broker: Broker) -> None:
        """Returns when the broker has heard that the last command was given up, or the connection is given up, too."""
        try:
            await _answered(broker.echo(SETTLE_S))
        except grpc.RpcError as error:
            if error.code() in SILENT:  # pyright: ignore[reportAttributeAccessIssue]
                self._end(broker, "the databroker did not answer in time")
        except ValueError:  # the channel has been closed meanwhile, and with it everything on it has ended
            return
        except asyncio.CancelledError:
            self._end(broker, "a command was given up")
            raise

    async def close(self) -> None:
        """End the subscription; closing twice is fine."""
        self._shut()

    def check(self) -> tuple[Finding, ...]:
        """The broker, the leaves that are missing or otherwise, the values that make no sense."""
        broker = self._broker
        if broker is None:
            return (Finding("fail", "connection", f"databroker at {self._address}: {self._trouble}"),)
        findings = [
            Finding(
                "ok", "connection", f"databroker at {self._address} by {broker.version}, mapping {self._mapping.name}"
            )
        ]
        if self._ca_file is None and not self._address.startswith(("127.", "localhost:", "unix:", "[::1]")):
            findings.append(
                Finding("warn", "connection", "the connection leaves this machine without encryption; set ca_file")
            )
        if broker.version == V1.version:
            findings.append(
                Finding("warn", "connection", "by v1 the broker keeps a target for a provider that comes later")
            )
        for name, count in self._readings.nonsense.items():
            findings.append(Finding("warn", name, f"was reported {count} times with a value that makes no sense"))
        return (*findings, *self._routes.findings)

    def connected(self, within_s: float) -> bool:
        """Whether the values are followed, waiting for it at most that long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._broker is not None, within_s)

    def _reach(self) -> Broker:
        broker = self._broker
        if self._closed.is_set():
            raise AdapterError("the connection to the databroker is closed; make a new one")
        if broker is None:
            raise AdapterError(f"no databroker at {self._address}: {self._trouble}")
        return broker

    def _targets(self, changes: Mapping[str, Any]) -> dict[Leaf, Scalar]:
        """What to write to which leaf."""
        wanted: dict[Leaf, dict[str, Scalar]] = {}
        for name, value in changes.items():
            route = self._routes.by_name[name]
            for leaf in route.writes:
                theirs = route.encoded(value, self._raw.get(leaf.path))
                if not isinstance(theirs, Keep):
                    wanted.setdefault(leaf, {})[name] = theirs
        return {leaf: combined(values) for leaf, values in wanted.items()}

    def _keep(self) -> None:
        """The thread: connect, follow, and again after a pause until closed."""
        pause = FIRST_PAUSE_S
        while not self._closed.is_set():
            before = self.updates
            try:
                self._follow()
                self._lose("the databroker ended the subscription")
            except grpc.RpcError as error:
                self._lose(in_words(error, "the mapping's paths", connected=False))
            except (AdapterError, ConfigError) as error:
                self._lose(str(error))
            pause = FIRST_PAUSE_S if self.updates > before else min(2.0 * pause, LONGEST_PAUSE_S)
            self._closed.wait(pause)

    def _follow(self) -> None:
        """One connection, from its beginning to its end."""
        with channel_to(self._address, self._ca_file, self._tls_name) as channel:
            metadata = credentials(self._token_file)
            broker: Broker = V2(channel, metadata)
            try:
                leaves = broker.leaves(CONNECT_S)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:  # pyright: ignore[reportAttributeAccessIssue]
                    raise
                if not self._allow_v1:
                    said = "the databroker only speaks kuksa.val.v1, which keeps a target and may carry it out later"
                    raise AdapterError(f"{said}; use databroker 0.6 or newer, or set allow_v1") from None
                broker = V1(channel, metadata)
                leaves = broker.leaves(CONNECT_S)
            routes = resolve(self._mapping, leaves, self._driver_position(broker, leaves))
            if not routes.offers:
                raise AdapterError(f"the vehicle has none of the signals of the mapping {self._mapping.name}")
            names = routes.names_of()
            self._stream = broker.subscribe(sorted(names))
            if self._closed.is_set():
                return
            self._raw, self.given = {}, {}
            try:
                for number, update in enumerate(broker.updates(self._stream)):
                    self._take(update, routes, names, first=number == 0)
                    with self._changed:
                        if self._over is broker:
                            return
                        self.updates += 1
                        self._routes, self._broker = routes, broker
                        self._changed.notify_all()
            finally:
                self._stream.cancel()

    def _driver_position(self, broker: Broker, leaves: Mapping[str, Leaf]) -> str:
        if DRIVER_POSITION not in leaves:
            return self._mapping.driver_position
        position = broker.value(DRIVER_POSITION, CONNECT_S)
        return position if position in ("LEFT", "RIGHT") else self._mapping.driver_position  # pyright: ignore[reportReturnType]

    def _take(self, update: Update, routes: Routes, names: Mapping[str, tuple[str, ...]], *, first: bool) -> None:
        """Put an update into the readings."""
        touched: dict[str, float] = {}
        for path, (value, given) in update.items():
            if path not in names:
                continue
            known = self.given.get(path, 0.0)
            if given and known and known - SET_BACK_S < given < known:
                continue
            self.given[path] = given
            if value is None:
                self._raw.pop(path, None)
            else:
                self._raw[path] = value
            age = (max(0.0, self._wall() - given) if given else float("inf")) if first else 0.0
            for name in names[path]:
                touched[name] = max(age, touched.get(name, 0.0))
        for name, age in touched.items():
            route = routes.by_name[name]
            if route.reads[0].path in self._raw:
                self._readings.put(name, route.decoded(self._raw), age)
            else:
                self._readings.drop(name)

    def _end(self, broker: Broker, trouble: str) -> None:
        """This connection is over; a new one is made."""
        with self._changed:
            if self._broker is not broker:
                return
            self._over = broker
        self._lose(trouble)
        self._stream.cancel()

    def _lose(self, trouble: str) -> None:
        if self._broker is not None and not self._closed.is_set():
            _log.warning("databroker at %s: %s", self._address, trouble)
        with self._changed:
            self._broker, self._trouble = None, trouble
            self._changed.notify_all()
        self._readings.clear()

    def _shut(self) -> None:
        self._closed.set()
        stream = self._stream
        if stream is not None:
            stream.cancel()
        if threading.current_thread() is not self._thread:
            self._thread.join(CONNECT_S + 1.0)


async def _answered(call: Call) -> Any:
    """The answer to a call, without blocking the loop; giving up waiting gives up the call.

    Raises:
        grpc.RpcError: the call failed.
    """
    loop = asyncio.get_running_loop()
    over = asyncio.Event()

    def tell(_: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
            loop.call_soon_threadsafe(over.set)

    call.add_done_callback(tell)
    try:
        await over.wait()
    except asyncio.CancelledError:
        call.cancel()
        raise
    try:
        error = call.exception()
    except grpc.FutureCancelledError:  # the connection was given up
        error = call
    if error is not None:
        raise error  # pyright: ignore[reportGeneralTypeIssues] - a call of gRPC is its own error
    return call.result()
