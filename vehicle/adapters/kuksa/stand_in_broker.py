"""A databroker to test and measure against: ``kuksa.val.v2`` with its error codes, and ``Get``, ``Set``, ``Subscribe`` of v1.

Made on the package's own stubs, after what the databroker 0.4 to 0.7 does (its ``broker.rs``, ``permissions.rs`` and
``kuksa_val_v2/val.rs``), which is not always what its protocol file says:

- A batch is resolved, then checked request by request (permission, kind, value), then sent on one message for a signal, in the
  order of a hash, up to the first signal without a provider: what was sent before stays sent.
- An actuator has one provider; a second claim ends the stream with ALREADY_EXISTS, and so does a value that is published for a
  signal that a stream has claimed. In a stream nothing is published that was not claimed there.
- A published value outside of the leaf's type, range or list is INVALID_ARGUMENT.
- A token opens what its scopes say: ``read``, ``actuate``, ``provide`` and ``create``, each with a path or without; the others
  include reading. A ``*`` stands for one level.
- The values of a provider that is gone stay. v1 keeps targets.

It is no databroker: no JSON web tokens, no filters, no sampling, no lists of values. ``Faults`` make it misbehave.

Long because two versions of the protocol stand on one broker.
"""

from __future__ import annotations

import queue
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from kuksa.val.v1 import types_pb2 as types1
from kuksa.val.v1 import val_pb2 as messages1
from kuksa.val.v1 import val_pb2_grpc as service1
from kuksa.val.v2 import types_pb2 as types2
from kuksa.val.v2 import val_pb2 as messages2
from kuksa.val.v2 import val_pb2_grpc as service2

from vehicle.adapters.kuksa.leaves import ROOT, Leaf, value_in
from vehicle.adapters.kuksa.stand_in_tree import TREE
from vehicle.adapters.translation import Scalar

END = object()
Point = tuple[Scalar | None, float]


@dataclass(slots=True)
class Faults:
    """What is broken; change it at any time."""

    silent: threading.Event = field(default_factory=threading.Event)
    """While set, actuations are not answered."""
    frozen: threading.Event = field(default_factory=threading.Event)
    """While set, nothing is answered or reported: the whole program hangs."""
    late_s: float = 0.0
    """Actuations are carried out and answered so much later."""
    deny: grpc.StatusCode | None = None
    """What every actuation is answered."""


class Scopes:
    """What a token allows."""

    def __init__(self, said: str) -> None:
        """From the words of a token: ``read:Vehicle actuate:Vehicle.Cabin.Seat.*.*.Position``."""
        self._patterns = [
            (
                action,
                re.compile("Vehicle" + re.escape(path.removeprefix("Vehicle")).replace(r"\*", "[^.]+") + r"(\..*)?"),
            )
            for action, _, path in (scope.partition(":") for scope in said.split())
        ]

    def allows(self, action: str, path: str) -> bool:
        """Whether it may do this with a leaf; ``path`` is without the root. Who may do anything may read."""
        return any(
            action in (allowed, "read") and pattern.fullmatch(ROOT + path) for allowed, pattern in self._patterns
        )


EVERYTHING = Scopes("read actuate provide create")


class Broker:
    """A databroker on the loopback interface."""

    def __init__(
        self,
        tree: Mapping[str, Leaf] = TREE,
        *,
        port: int = 0,
        token: str | None = None,
        scopes: Mapping[str, str] | None = None,
        v2: bool = True,
        version: str = "0.6.0",
        wall: Callable[[], float] = time.time,
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        """Start it.

        Args:
            tree: its leaves.
            port: 0 for any that is free.
            token: the one token that opens everything; None to take everybody.
            scopes: tokens, and what each may do: ``actuate:Vehicle.Cabin.HVAC read``.
            v2: whether it speaks v2.
            version: what it says of itself; before 0.6 its lists of leaves lack the paths.
            wall: seconds since 1970, for timestamps.
            credentials: for TLS.
        """
        self.tree, self.wall, self._v2, self.version = dict(tree), wall, v2, version
        self.scopes: dict[str, Scopes] = {key: Scopes(said) for key, said in (scopes or {}).items()}
        if token is not None:
            self.scopes[token] = Scopes("read actuate provide create")
        self.faults = Faults()
        self.values: dict[str, Point] = {}
        self.targets: dict[str, Scalar] = {}
        """What v1 keeps."""
        self.actuated: list[dict[str, Scalar]] = []
        """Messages that were sent on to a provider, or targets kept by v1."""
        self.asked = 0
        """Requests to actuate that came, whatever became of them."""
        self.providers: dict[str, queue.Queue[Any]] = {}
        """Actuator -> the stream that carries out."""
        self.publishers: dict[str, queue.Queue[Any]] = {}
        """Signal -> the stream that claimed to publish it."""
        self._subscribers: dict[queue.Queue[Any], frozenset[str]] = {}
        self._lock = threading.RLock()
        self._credentials = credentials
        self.port = port
        self._start()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"localhost:{self.port}" if self._credentials else f"127.0.0.1:{self.port}"

    def publish(self, values: Mapping[str, Scalar | None], *, at: float | None = None) -> None:
        """New present values, to all who subscribed.

        Args:
            values: by path without the root.
            at: their timestamp; None for now, 0 for none.
        """
        given = self.wall() if at is None else at
        with self._lock:
            points: dict[str, Point] = {path: (value, given) for path, value in values.items() if path in self.tree}
            self.values.update(points)
            for inbox, paths in self._subscribers.items():
                wanted = {path: point for path, point in points.items() if path in paths}
                if wanted:
                    inbox.put(wanted)

    def forward(self, batch: Mapping[str, Scalar], may: Scopes) -> grpc.StatusCode | None:
        """Check a batch and send it on signal by signal; the error code of the first that errs."""
        with self._lock:
            if not batch.keys() <= self.tree.keys():
                return grpc.StatusCode.NOT_FOUND
            for path, value in batch.items():
                if not may.allows("actuate", path):
                    return grpc.StatusCode.PERMISSION_DENIED
                if not self.tree[path].actuator or not self.tree[path].takes(value):
                    return grpc.StatusCode.INVALID_ARGUMENT
            for path in sorted(batch, key=lambda path: zlib.crc32(path.encode())):
                if path not in self.providers:
                    return grpc.StatusCode.UNAVAILABLE
                self.actuated.append({path: batch[path]})
                self.providers[path].put({path: batch[path]})
        return None

    def claim(self, paths: Sequence[str], inbox: queue.Queue[Any], may: Scopes) -> grpc.StatusCode | None:
        """A stream wants to carry out what is asked of these actuators; the error code if it may not."""
        with self._lock:
            if not self.tree.keys() >= set(paths):
                return grpc.StatusCode.NOT_FOUND
            if not all(may.allows("actuate", path) for path in paths):
                return grpc.StatusCode.PERMISSION_DENIED
            if not self.providers.keys().isdisjoint(paths):
                return grpc.StatusCode.ALREADY_EXISTS
            self.providers.update(dict.fromkeys(paths, inbox))
        return None

    def claim_signals(self, paths: Sequence[str], inbox: queue.Queue[Any], may: Scopes) -> grpc.StatusCode | None:
        """A stream wants to publish these signals; the error code if it may not."""
        with self._lock:
            if not all(may.allows("provide", path) for path in paths):
                return grpc.StatusCode.PERMISSION_DENIED
            if any(self.publishers.get(path, inbox) is not inbox for path in paths):
                return grpc.StatusCode.ALREADY_EXISTS
            self.publishers.update(dict.fromkeys(paths, inbox))
        return None

    def release(self, inbox: queue.Queue[Any]) -> None:
        """A stream is over: what it claimed is free, what it published stays."""
        with self._lock:
            self.providers = {path: owner for path, owner in self.providers.items() if owner is not inbox}
            self.publishers = {path: owner for path, owner in self.publishers.items() if owner is not inbox}

    def provide(
        self, points: Mapping[str, types2.Datapoint], may: Scopes, inbox: queue.Queue[Any] | None = None
    ) -> grpc.StatusCode | None:
        """Publish values for a provider, all or none; the error code if it may not.

        Args:
            points: by path without the root.
            may: what its token allows.
            inbox: the stream over which they came; None for a call of its own.
        """
        values: dict[str, tuple[Scalar | None, float | None]] = {}
        for path, point in points.items():
            value = value_in(point.value, "typed_value")
            if path not in self.tree:
                return grpc.StatusCode.NOT_FOUND
            if not may.allows("provide", path):
                return grpc.StatusCode.PERMISSION_DENIED
            if inbox is not None and self.publishers.get(path) is not inbox:
                return grpc.StatusCode.ABORTED
            if inbox is None and path in self.publishers:
                return grpc.StatusCode.ALREADY_EXISTS
            if value is not None and not self.tree[path].takes(value):
                return grpc.StatusCode.INVALID_ARGUMENT
            stamped = point.HasField("timestamp")
            values[path] = value, point.timestamp.seconds + point.timestamp.nanos * 1e-9 if stamped else None
        for path, (value, at) in values.items():
            self.publish({path: value}, at=at)
        return None

    def stop(self) -> None:
        """End it: everything in flight fails."""
        with self._lock:
            inboxes = [*self._subscribers, *self.providers.values(), *self.publishers.values()]
            self._subscribers, self.providers, self.publishers = {}, {}, {}
        for inbox in inboxes:
            inbox.put(END)
        self._server.stop(0).wait()

    def restart(self) -> None:
        """Start it again on the same port; it remembers no value and no provider."""
        self.values, self.targets = {}, {}
        self._start()

    def following(self, paths: frozenset[str]) -> Iterator[dict[str, Point]]:
        """Present values, then every change."""
        inbox: queue.Queue[Any] = queue.Queue()
        with self._lock:
            inbox.put({path: self.values.get(path, (None, 0.0)) for path in paths})
            self._subscribers[inbox] = paths
        try:
            while (update := inbox.get()) is not END:
                self.thaw()
                yield update
        finally:
            with self._lock:
                self._subscribers.pop(inbox, None)

    def _start(self) -> None:
        options = [("grpc.so_reuseport", 0)]
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=12), options=options)
        if self._v2:
            service2.add_VALServicer_to_server(_Service2(self), self._server)
        service1.add_VALServicer_to_server(_Service1(self), self._server)
        where = f"127.0.0.1:{self.port}"
        for _ in range(50):
            try:
                bound = self._server.add_secure_port(where, self._credentials) if self._credentials else None
                self.port = bound or self._server.add_insecure_port(where)
                break
            except RuntimeError:  # the old socket is not gone yet
                time.sleep(0.02)
        self._server.start()

    def admit(self, context: Any) -> Scopes:
        """What the caller may do; a call without a token that is known is aborted."""
        self.thaw()
        if not self.scopes:
            return EVERYTHING
        given = str(dict(context.invocation_metadata()).get("authorization", "")).removeprefix("Bearer ")
        if given not in self.scopes:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "no valid token")
        return self.scopes[given]

    def thaw(self) -> None:
        """Returns when the program does not hang."""
        while self.faults.frozen.is_set():
            time.sleep(0.005)

    def wanted(self, context: Any) -> bool:
        """Be as slow as the faults say; whether somebody still waits then: what was given up or is too late is dropped."""
        while self.faults.silent.is_set() or self.faults.frozen.is_set():
            time.sleep(0.005)
        if self.faults.late_s:
            time.sleep(self.faults.late_s)
        left = context.time_remaining()
        return context.is_active() and (left is None or left > 0.0)


class _Service2(service2.VALServicer):
    """``kuksa.val.v2``."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def ListMetadata(self, request: Any, context: Any) -> Any:  # noqa: N802 - named by the protocol
        self._broker.admit(context)
        found = [_metadata2(leaf) for path, leaf in self._broker.tree.items() if (ROOT + path).startswith(request.root)]
        if self._broker.version.startswith(("0.4", "0.5")):
            for one in found:
                one.ClearField("path")
        if not found:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such path")
        return messages2.ListMetadataResponse(metadata=found)

    def GetValue(self, request: Any, context: Any) -> Any:  # noqa: N802
        may = self._broker.admit(context)
        path = request.signal_id.path.removeprefix(ROOT)
        if path not in self._broker.tree:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such path")
        if not may.allows("read", path):
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "may not be read")
        return messages2.GetValueResponse(data_point=self._point(path, self._broker.values.get(path, (None, 0.0))))

    def Subscribe(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        may = self._broker.admit(context)
        paths = frozenset(path.removeprefix(ROOT) for path in request.signal_paths)
        if not paths <= set(self._broker.tree):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such path")
        if not all(may.allows("read", path) for path in paths):
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "may not be read")
        for update in self._broker.following(paths):
            if not context.is_active():
                return
            entries = {ROOT + path: self._point(path, point) for path, point in update.items()}
            yield messages2.SubscribeResponse(entries=entries)

    def Actuate(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._batch([request], context)
        return messages2.ActuateResponse()

    def BatchActuate(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._batch(request.actuate_requests, context)
        return messages2.BatchActuateResponse()

    def PublishValue(self, request: Any, context: Any) -> Any:  # noqa: N802
        may = self._broker.admit(context)
        code = self._broker.provide({request.signal_id.path.removeprefix(ROOT): request.data_point}, may)
        if code is not None:
            context.abort(code, "not published")
        return messages2.PublishValueResponse()

    def OpenProviderStream(self, request_iterator: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        broker = self._broker
        may = broker.admit(context)
        inbox: queue.Queue[Any] = queue.Queue()
        paths = list(broker.tree)

        def listen() -> None:
            try:
                for message in request_iterator:
                    kind = message.WhichOneof("action")
                    if kind == "provide_actuation_request":
                        wanted = [
                            one.path.removeprefix(ROOT)
                            for one in message.provide_actuation_request.actuator_identifiers
                        ]
                        inbox.put(broker.claim(wanted, inbox, may))
                    elif kind == "provide_signal_request":
                        numbers = message.provide_signal_request.signals_sample_intervals
                        code = broker.claim_signals([paths[number] for number in numbers], inbox, may)
                        inbox.put(messages2.ProvideSignalResponse() if code is None else code)
                    elif kind == "publish_values_request":
                        points = message.publish_values_request.data_points
                        code = broker.provide({paths[number]: points[number] for number in points}, may, inbox)
                        if code is not None:
                            inbox.put(code)
            except grpc.RpcError:
                pass
            inbox.put(END)

        threading.Thread(target=listen, daemon=True).start()
        try:
            while (batch := inbox.get()) is not END:
                if batch is None:
                    yield messages2.OpenProviderStreamResponse(
                        provide_actuation_response=messages2.ProvideActuationResponse()
                    )
                    continue
                if isinstance(batch, grpc.StatusCode):
                    context.abort(batch, "refused")
                    return
                if isinstance(batch, messages2.ProvideSignalResponse):
                    yield messages2.OpenProviderStreamResponse(provide_signal_response=batch)
                    continue
                requests = [_actuate(broker.tree[path], value) for path, value in batch.items()]
                stream = messages2.BatchActuateStreamRequest(actuate_requests=requests)
                yield messages2.OpenProviderStreamResponse(batch_actuate_stream_request=stream)
        finally:
            broker.release(inbox)

    def GetServerInfo(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        self._broker.thaw()
        return messages2.GetServerInfoResponse(name="stand-in", version=self._broker.version)

    def _batch(self, requests: Any, context: Any) -> None:
        broker = self._broker
        broker.asked += 1
        may = broker.admit(context)
        if not broker.wanted(context):
            return
        if broker.faults.deny is not None:
            context.abort(broker.faults.deny, "as told")
        batch = {one.signal_id.path.removeprefix(ROOT): value_in(one.value, "typed_value") for one in requests}
        code = broker.forward({path: value for path, value in batch.items() if value is not None}, may)
        if code is not None:
            context.abort(code, "refused")

    def _point(self, path: str, point: Point) -> types2.Datapoint:
        value, at = point
        typed = types2.Value() if value is None else _typed(self._broker.tree[path], types2.Value(), value)
        return types2.Datapoint(value=typed, timestamp=_timestamp(at))


class _Service1(service1.VALServicer):
    """``kuksa.val.v1``: enough to be an old databroker."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def Get(self, request: Any, context: Any) -> Any:  # noqa: N802 - named by the protocol
        self._broker.admit(context)
        wanted = request.entries[0]
        if wanted.view == types1.VIEW_METADATA:
            return messages1.GetResponse(entries=[_metadata1(leaf) for leaf in self._broker.tree.values()])
        path = wanted.path.removeprefix(ROOT)
        if path not in self._broker.tree:
            return messages1.GetResponse(error=types1.Error(code=404, reason="not_found"))
        return messages1.GetResponse(entries=[self._entry(path, self._broker.values.get(path, (None, 0.0)))])

    def Set(self, request: Any, context: Any) -> Any:  # noqa: N802
        broker = self._broker
        broker.asked += 1
        broker.admit(context)
        if not broker.wanted(context):
            return messages1.SetResponse()
        batch: dict[str, Scalar] = {}
        for update in request.updates:
            path = update.entry.path.removeprefix(ROOT)
            leaf, value = broker.tree.get(path), value_in(update.entry.actuator_target, "value")
            if leaf is None or value is None or not leaf.actuator or not leaf.takes(value):
                error = types1.DataEntryError(path=ROOT + path, error=types1.Error(code=400, reason="invalid"))
                return messages1.SetResponse(errors=[error])
            batch[path] = value
        broker.targets.update(batch)
        broker.actuated.append(batch)
        for path, value in batch.items():
            if path in broker.providers:
                broker.providers[path].put({path: value})
        return messages1.SetResponse()

    def GetServerInfo(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        self._broker.thaw()
        return messages1.GetServerInfoResponse(name="stand-in", version="0")

    def Subscribe(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        self._broker.admit(context)
        for update in self._broker.following(frozenset(one.path.removeprefix(ROOT) for one in request.entries)):
            if not context.is_active():
                return
            updates = [messages1.EntryUpdate(entry=self._entry(path, point)) for path, point in update.items()]
            yield messages1.SubscribeResponse(updates=updates)

    def _entry(self, path: str, point: Point) -> types1.DataEntry:
        value, at = point
        if value is None:
            return types1.DataEntry(path=ROOT + path)
        datapoint = _typed(self._broker.tree[path], types1.Datapoint(timestamp=_timestamp(at)), value)
        return types1.DataEntry(path=ROOT + path, value=datapoint)


def _typed(leaf: Leaf, message: Any, value: Scalar) -> Any:
    """The value in its field, in range or not: a lie must be tellable."""
    setattr(message, leaf.field or "", value)
    return message


def _actuate(leaf: Leaf, value: Scalar) -> messages2.ActuateRequest:
    return messages2.ActuateRequest(
        signal_id=types2.SignalID(path=ROOT + leaf.path), value=_typed(leaf, types2.Value(), value)
    )


def _timestamp(at: float) -> Timestamp | None:
    return Timestamp(seconds=int(at), nanos=int((at - int(at)) * 1e9)) if at else None


def _metadata2(leaf: Leaf) -> types2.Metadata:
    kind = types2.ENTRY_TYPE_ACTUATOR if leaf.actuator else types2.ENTRY_TYPE_SENSOR
    metadata = types2.Metadata(path=ROOT + leaf.path, data_type=leaf.datatype, entry_type=kind, unit=leaf.unit)  # pyright: ignore[reportArgumentType]
    for name, bound in (("min", leaf.low), ("max", leaf.high)):
        if abs(bound) != float("inf"):
            _typed(leaf, getattr(metadata, name), int(bound) if leaf.whole else bound)
    if leaf.allowed:
        metadata.allowed_values.string_array.values.extend(str(one) for one in leaf.allowed)
    return metadata


def _metadata1(leaf: Leaf) -> types1.DataEntry:
    kind = types1.ENTRY_TYPE_ACTUATOR if leaf.actuator else types1.ENTRY_TYPE_SENSOR
    metadata = types1.Metadata(data_type=leaf.datatype, entry_type=kind, unit=leaf.unit)  # pyright: ignore[reportArgumentType]
    if leaf.allowed:
        metadata.value_restriction.string.allowed_values.extend(str(one) for one in leaf.allowed)
    group = {"int32": "signed", "uint32": "unsigned", "float": "floating_point"}.get(leaf.field or "", "")
    for name, bound in (("min", leaf.low), ("max", leaf.high)):
        if group and abs(bound) != float("inf"):
            setattr(getattr(metadata.value_restriction, group), name, int(bound) if leaf.whole else bound)
    return types1.DataEntry(path=ROOT + leaf.path, metadata=metadata)
