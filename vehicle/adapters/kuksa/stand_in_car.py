"""The simulated car as the provider behind a databroker, by ``OpenProviderStream``.

It claims the actuators, carries out what comes, and publishes its values. Works with the stand-in broker and with a real one.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from kuksa.val.v2 import types_pb2 as types2
from kuksa.val.v2 import val_pb2 as messages2
from kuksa.val.v2 import val_pb2_grpc as service2

from schemas.errors import AdapterError
from vehicle.adapters.far_car import FarCar
from vehicle.adapters.kuksa.broker import channel_to
from vehicle.adapters.kuksa.leaves import ROOT, Leaf, value_in
from vehicle.adapters.kuksa.routes import DRIVER_POSITION, load_vss, resolve
from vehicle.adapters.kuksa.stand_in_tree import TREE
from vehicle.adapters.translation import Scalar


class KuksaCar:
    """A provider of everything in the tree that the mapping names."""

    def __init__(  # noqa: PLR0913 - the adapter's own, and the car's
        self,
        car: FarCar,
        address: str,
        *,
        tree: Mapping[str, Leaf] = TREE,
        driver_position: str = "LEFT",
        wall: Callable[[], float] = time.time,
        metadata: tuple[tuple[str, str], ...] = (),
        within_s: float = 60.0,
        ca_file: Path | None = None,
        tls_name: str | None = None,
    ) -> None:
        """Connect, claim and publish.

        Raises:
            RuntimeError: the broker does not take the claims in time.
        """
        self.car, self._tree, self._wall, self._position = car, tree, wall, driver_position
        self._routes = resolve(load_vss("vss6"), tree, driver_position).by_name
        self._channel = channel_to(address, ca_file, tls_name)
        self._outbox: queue.Queue[Any] = queue.Queue()
        self._ready = threading.Event()
        self.handled = 0
        """Batches carried out."""
        self.published: dict[str, Scalar] = {}
        self.told_at = 0.0
        """Timestamp of the last report."""
        stub = service2.VALStub(self._channel)
        claims = sorted({leaf.path for route in self._routes.values() for leaf in route.writes})
        wanted = [types2.SignalID(path=ROOT + path) for path in claims]
        self._outbox.put(
            messages2.OpenProviderStreamRequest(
                provide_actuation_request=messages2.ProvideActuationRequest(actuator_identifiers=wanted)
            )
        )
        self._stub, self._metadata = stub, metadata
        self._stream = stub.OpenProviderStream(iter(self._outbox.get, None), metadata=metadata)
        threading.Thread(target=self._serve, name="kuksa car", daemon=True).start()
        if not self._ready.wait(within_s):
            raise RuntimeError(f"the databroker at {address} did not take the provider's claims")
        self.publish()

    def publish(self, *, everything: bool = True) -> None:
        """The car's values as they are now; the speed comes last, whether it changed or not."""
        values = self.raw_values()
        for path, value in values.items():
            if (everything or self.published.get(path) != value) and path != "Speed":
                self.tell(path, value)
        for path in self.published.keys() - values.keys() - {"Speed"}:
            self.tell(path, None)
        self.tell("Speed", values.get("Speed"))
        self.published = values

    def tell(self, path: str, value: Scalar | None, *, at: float | None = None) -> None:
        """Publish one value, true or not; None: it is not known."""
        leaf = self._tree[path]
        typed = types2.Value()
        if value is not None:
            setattr(typed, leaf.field or "", value)
        moment = self._wall() if at is None else at
        self.told_at = moment
        stamp = Timestamp(seconds=int(moment), nanos=int((moment - int(moment)) * 1e9))
        point = types2.Datapoint(value=typed, timestamp=stamp)
        request = messages2.PublishValueRequest(signal_id=types2.SignalID(path=ROOT + path), data_point=point)
        self._stub.PublishValue(request, timeout=60.0, metadata=self._metadata)

    def raw_values(self) -> dict[str, Scalar]:
        """The car's values as the tree has them."""
        raw: dict[str, Scalar] = {DRIVER_POSITION: self._position}
        for name, value in self.car.values().items():
            route = self._routes.get(name)
            if route is None:
                continue
            for leaf in route.reads:
                shared = route.read.form.half is not None
                try:
                    theirs = route.read.encode(value)
                except AdapterError:  # the tree has no word for it
                    continue
                if not shared or theirs != 0 or leaf.path not in raw:
                    raw[leaf.path] = int(theirs) if leaf.whole and not isinstance(theirs, str) else theirs
        return raw

    def close(self) -> None:
        """Give everything up."""
        self._outbox.put(None)
        self._stream.cancel()
        self._channel.close()

    def _serve(self) -> None:
        try:
            for message in self._stream:
                kind = message.WhichOneof("action")
                if kind == "provide_actuation_response":
                    self._ready.set()
                elif kind == "batch_actuate_stream_request":
                    self.car.command(dict(self._changes(message.batch_actuate_stream_request.actuate_requests)))
                    self.handled += 1
        except grpc.RpcError:
            return

    def _changes(self, requests: Any) -> Iterator[tuple[str, Any]]:
        for one in requests:
            path, value = one.signal_id.path.removeprefix(ROOT), value_in(one.value, "typed_value")
            for name, route in self._routes.items():
                if route.write is None or all(leaf.path != path for leaf in route.writes):
                    continue
                ours = route.write.decode(value)
                if ours is not None:  # a word for another of two signals that one switch moves
                    yield name, ours
