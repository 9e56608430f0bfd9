"""Talking to a databroker: ``kuksa.val.v2``, and ``kuksa.val.v1`` for old ones, behind one small shape.

Owns the messages, the token and what each error code means. Owns no thread and no value (``vehicle.adapters.kuksa.adapter``).
Facts about the interface are from the databroker's own protocol files and documentation (0.4 to 0.7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import grpc
from kuksa.val.v1 import types_pb2 as types1
from kuksa.val.v1 import val_pb2 as messages1
from kuksa.val.v1 import val_pb2_grpc as service1
from kuksa.val.v2 import types_pb2 as types2
from kuksa.val.v2 import val_pb2 as messages2
from kuksa.val.v2 import val_pb2_grpc as service2

from schemas.errors import AdapterError, ConfigError
from vehicle.adapters.kuksa.leaves import ROOT, Leaf, allowed_in, bounds, value_in
from vehicle.adapters.translation import Scalar

Update = Mapping[str, tuple[Scalar | None, float]]
"""Path without the root -> value and the time it was given (seconds since 1970; 0: not given)."""

BUFFER = 1000
"""Updates that the broker keeps for us: with its default of 0 it would drop all but the latest, changes of others included."""

RECONNECT_MS = 1000
"""Longest pause of the channel's own attempts: a car's broker is near, and comes back within seconds or not at all."""

KEEPALIVE_MS = 10_000
"""How often a silent connection is tried: the least that a databroker takes without complaint is not documented; our choice."""

_SAID = {
    grpc.StatusCode.NOT_FOUND: "the vehicle does not know {what}",
    grpc.StatusCode.PERMISSION_DENIED: "the token does not allow to actuate {what}; it needs the scope actuate:{what}",
    grpc.StatusCode.UNAUTHENTICATED: "the databroker wants a valid token; name a fresh one in token_file",
    grpc.StatusCode.UNAVAILABLE: "nothing in the vehicle provides {what} now",
    grpc.StatusCode.DATA_LOSS: "the databroker lost the connection to the provider of {what}",
    grpc.StatusCode.INVALID_ARGUMENT: "the vehicle does not take this value for {what}",
    grpc.StatusCode.DEADLINE_EXCEEDED: "the databroker did not answer in time about {what}",
    grpc.StatusCode.ALREADY_EXISTS: "another program holds {what}",
    grpc.StatusCode.UNIMPLEMENTED: "the databroker does not speak kuksa.val.v2",
}

SILENT = frozenset({grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})
"""Codes of a call that the broker did not answer, or not in time; any other code is an answer."""

PARTLY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS})
"""Codes with which a batch ends after a part of it was sent on."""

_LOCAL = frozenset({grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL})


class Call(Protocol):
    """A request under way; a ``grpc.Future``."""

    def add_done_callback(self, fn: Any) -> None:
        """Call with this when it is over."""
        ...

    def exception(self) -> Any:
        """What went wrong, or None."""
        ...

    def result(self) -> Any:
        """The answer."""
        ...

    def cancel(self) -> Any:
        """Give it up."""
        ...


class Broker(Protocol):
    """What the adapter needs of a databroker, whichever version."""

    version: str

    def leaves(self, deadline_s: float) -> dict[str, Leaf]:
        """What the vehicle has.

        Raises:
            schemas.errors.AdapterError: the broker is too old to say.
        """
        ...

    def value(self, path: str, deadline_s: float) -> Scalar | None:
        """One present value; None where it has none."""
        ...

    def subscribe(self, paths: Sequence[str]) -> Any:
        """Updates of these, beginning with the present values; iterable by ``updates``, and has ``cancel``."""
        ...

    def updates(self, stream: Any) -> Iterator[Update]:
        """The stream's messages."""
        ...

    def actuate(self, targets: Mapping[Leaf, Scalar], deadline_s: float) -> Call:
        """Ask for these targets, all or none."""
        ...

    def refused(self, answer: Any) -> str | None:
        """What an answer that is no error refuses; None if it accepts."""
        ...

    def echo(self, deadline_s: float) -> Call:
        """Ask for something that changes nothing and every broker answers at once."""
        ...


def channel_to(address: str, ca_file: Path | None, tls_name: str | None) -> grpc.Channel:
    """A channel to ``host:port`` or ``unix:PATH``; it connects when it is first used.

    Raises:
        schemas.errors.ConfigError: the certificate cannot be read.
    """
    options: list[tuple[str, Any]] = [
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", RECONNECT_MS),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", 2000),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.enable_http_proxy", 0),
    ]
    if ca_file is None:
        return grpc.insecure_channel(address, options)
    try:
        authority = ca_file.read_bytes()
    except OSError as error:
        raise ConfigError(f"the databroker's certificate {ca_file} cannot be read: {error.strerror}") from None
    if tls_name:
        options.append(("grpc.ssl_target_name_override", tls_name))
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(authority), options)


def credentials(token_file: Path | None) -> tuple[tuple[str, str], ...]:
    """The metadata that carry the token.

    Raises:
        schemas.errors.ConfigError: the token cannot be read.
    """
    if token_file is None:
        return ()
    try:
        token = token_file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the token {token_file} cannot be read: {type(error).__name__}") from None
    if not token or any(letter.isspace() for letter in token):
        raise ConfigError(f"the token {token_file} is not one line")
    return (("authorization", f"Bearer {token}"),)


def in_words(error: grpc.RpcError, what: str, *, connected: bool = True) -> str:
    """What a gRPC error means here.

    Args:
        error: as it was raised.
        what: paths that were asked about.
        connected: whether the connection stands, so that "unavailable" is about the vehicle and not about the broker.
    """
    code = error.code() if hasattr(error, "code") else None  # pyright: ignore[reportAttributeAccessIssue]
    if code in _LOCAL or code is None or (code is grpc.StatusCode.UNAVAILABLE and not connected):
        return "the databroker cannot be reached"
    if code is grpc.StatusCode.PERMISSION_DENIED and not connected:
        return f"the token does not allow to read {what}; it needs the scope read:Vehicle"
    return _SAID.get(code, f"the databroker answered {code.name}").format(what=what)


class V2:
    """A databroker by ``kuksa.val.v2``: targets go to a provider or nowhere."""

    version = "kuksa.val.v2"

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> None:
        """Over a channel, with a token."""
        self._stub, self._metadata = service2.VALStub(channel), metadata

    def leaves(self, deadline_s: float) -> dict[str, Leaf]:
        """What the vehicle has."""
        request = messages2.ListMetadataRequest(root="Vehicle")
        answer = self._stub.ListMetadata(request, timeout=deadline_s, metadata=self._metadata)
        if answer.metadata and not any(one.path for one in answer.metadata):
            raise AdapterError(
                f"the databroker{self._version(deadline_s)} lists leaves without their paths; use 0.6 or newer"
            )
        return {leaf.path: leaf for leaf in map(_leaf2, answer.metadata)}

    def _version(self, deadline_s: float) -> str:
        """What the broker says of itself, with a space before it."""
        told = self._stub.GetServerInfo(messages2.GetServerInfoRequest(), timeout=deadline_s, metadata=self._metadata)
        return f" {told.version}" if told.version else ""

    def value(self, path: str, deadline_s: float) -> Scalar | None:
        """One present value; None where it has none."""
        request = messages2.GetValueRequest(signal_id=types2.SignalID(path=ROOT + path))
        answer = self._stub.GetValue(request, timeout=deadline_s, metadata=self._metadata)
        return value_in(answer.data_point.value, "typed_value")

    def subscribe(self, paths: Sequence[str]) -> Any:
        """A stream of updates."""
        request = messages2.SubscribeRequest(signal_paths=[ROOT + path for path in paths], buffer_size=BUFFER)
        return self._stub.Subscribe(request, metadata=self._metadata)

    def updates(self, stream: Any) -> Iterator[Update]:
        """The stream's messages."""
        for message in stream:
            yield {
                path.removeprefix(ROOT): (value_in(point.value, "typed_value"), _seconds(point))
                for path, point in message.entries.items()
            }

    def actuate(self, targets: Mapping[Leaf, Scalar], deadline_s: float) -> Call:
        """``Actuate`` for one, ``BatchActuate`` for several.

        The broker checks all of a batch first (path, permission, value) and then sends it on signal by signal, in no order; it
        stops at the first without a provider (databroker 0.4 to 0.7, ``Broker.batch_actuate``), whatever its protocol file says.
        """
        requests = [
            messages2.ActuateRequest(
                signal_id=types2.SignalID(path=ROOT + leaf.path), value=leaf.filled(types2.Value(), value)
            )
            for leaf, value in targets.items()
        ]
        if len(requests) == 1:
            return self._stub.Actuate.future(requests[0], timeout=deadline_s, metadata=self._metadata)
        batch = messages2.BatchActuateRequest(actuate_requests=requests)
        return self._stub.BatchActuate.future(batch, timeout=deadline_s, metadata=self._metadata)

    def refused(self, answer: Any) -> str | None:
        """Nothing: v2 refuses by errors."""
        del answer

    def echo(self, deadline_s: float) -> Call:
        """``GetServerInfo``."""
        request = messages2.GetServerInfoRequest()
        return self._stub.GetServerInfo.future(request, timeout=deadline_s, metadata=self._metadata)


class V1:
    """A databroker by ``kuksa.val.v1``. It *keeps* a target and gives it to whoever asks later: see ``allow_v1``."""

    version = "kuksa.val.v1"

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> None:
        """Over a channel, with a token."""
        self._stub, self._metadata = service1.VALStub(channel), metadata

    def leaves(self, deadline_s: float) -> dict[str, Leaf]:
        """What the vehicle has."""
        fields = [types1.FIELD_METADATA]
        entry = messages1.EntryRequest(path="Vehicle.**", view=types1.VIEW_METADATA, fields=fields)
        answer = self._get(entry, deadline_s)
        return {leaf.path: leaf for leaf in map(_leaf1, answer.entries)}

    def value(self, path: str, deadline_s: float) -> Scalar | None:
        """One present value; None where it has none."""
        entry = messages1.EntryRequest(path=ROOT + path, view=types1.VIEW_CURRENT_VALUE, fields=[types1.FIELD_VALUE])
        answer = self._get(entry, deadline_s)
        return value_in(answer.entries[0].value, "value") if answer.entries else None

    def subscribe(self, paths: Sequence[str]) -> Any:
        """A stream of updates."""
        view, fields = types1.VIEW_CURRENT_VALUE, [types1.FIELD_VALUE]
        entries = [messages1.SubscribeEntry(path=ROOT + path, view=view, fields=fields) for path in paths]
        return self._stub.Subscribe(messages1.SubscribeRequest(entries=entries), metadata=self._metadata)

    def updates(self, stream: Any) -> Iterator[Update]:
        """The stream's messages."""
        for message in stream:
            entries = [update.entry for update in message.updates]
            yield {
                entry.path.removeprefix(ROOT): (value_in(entry.value, "value"), _seconds(entry.value))
                for entry in entries
            }

    def actuate(self, targets: Mapping[Leaf, Scalar], deadline_s: float) -> Call:
        """``Set`` of all targets in one request."""
        updates = [
            messages1.EntryUpdate(
                entry=types1.DataEntry(path=ROOT + leaf.path, actuator_target=leaf.filled(types1.Datapoint(), value)),
                fields=[types1.FIELD_ACTUATOR_TARGET],
            )
            for leaf, value in targets.items()
        ]
        return self._stub.Set.future(messages1.SetRequest(updates=updates), timeout=deadline_s, metadata=self._metadata)

    def refused(self, answer: Any) -> str | None:
        """The reasons in an answer to ``Set``."""
        errors = [f"{one.path.removeprefix(ROOT)} ({one.error.reason or one.error.code})" for one in answer.errors]
        if not errors and answer.HasField("error") and answer.error.code not in (0, 200):
            errors = [answer.error.reason or str(answer.error.code)]
        return f"the databroker refused {', '.join(errors)}" if errors else None

    def echo(self, deadline_s: float) -> Call:
        """``GetServerInfo``."""
        request = messages1.GetServerInfoRequest()
        return self._stub.GetServerInfo.future(request, timeout=deadline_s, metadata=self._metadata)

    def _get(self, entry: messages1.EntryRequest, deadline_s: float) -> messages1.GetResponse:
        request = messages1.GetRequest(entries=[entry])
        answer = self._stub.Get(request, timeout=deadline_s, metadata=self._metadata)
        if not answer.entries and answer.HasField("error") and answer.error.code not in (0, 200, 404):
            raise AdapterError(f"the databroker answered {answer.error.code} {answer.error.reason}")
        return answer


def _seconds(point: Any) -> float:
    return point.timestamp.seconds + point.timestamp.nanos * 1e-9 if point.HasField("timestamp") else 0.0


def _leaf2(metadata: types2.Metadata) -> Leaf:
    low, high = bounds(value_in(metadata.min, "typed_value"), value_in(metadata.max, "typed_value"))
    actuator = metadata.entry_type == types2.ENTRY_TYPE_ACTUATOR
    path = metadata.path.removeprefix(ROOT)
    return Leaf(path, metadata.data_type, actuator, metadata.unit, low, high, allowed_in(metadata.allowed_values))


def _leaf1(entry: types1.DataEntry) -> Leaf:
    metadata = entry.metadata
    actuator = metadata.entry_type == types1.ENTRY_TYPE_ACTUATOR
    low: Any = None
    high: Any = None
    allowed: tuple[Scalar, ...] = ()
    kind = metadata.value_restriction.WhichOneof("type")
    if kind is not None:
        limits = getattr(metadata.value_restriction, kind)
        allowed = tuple(limits.allowed_values)
        if kind != "string":
            low = limits.min if limits.HasField("min") else None
            high = limits.max if limits.HasField("max") else None
    return Leaf(entry.path.removeprefix(ROOT), metadata.data_type, actuator, metadata.unit, *bounds(low, high), allowed)
