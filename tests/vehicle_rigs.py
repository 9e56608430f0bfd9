"""Each vehicle adapter with a simulated car at the other end of its wire, in one shape for the contract tests.

A rig's clock is the stream's; sleeping on it lets what is on the wire arrive, so that nothing depends on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Callable, Mapping
from typing import Any

from deploy.bench.far_car import FarCar
from schemas.errors import AdapterError
from vehicle.adapters import VehicleAdapter
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.signals import SIGNALS, Signal
from voice.clock import StreamClock

PATIENCE_S = 10.0
"""Longest real time for something to arrive that is on its way."""

PLUGGED = {"charging.plugged": True}
"""Without a cable nothing charges."""

BORN = 1_700_000_000.0
"""Wall time at second 0 of a rig's clock."""


def until(fact: Callable[[], bool], what: str) -> None:
    """Wait for something that another thread is about to make true."""
    ends = time.monotonic() + PATIENCE_S
    while not fact():
        if time.monotonic() > ends:
            raise AssertionError(f"waited {PATIENCE_S:g} s in vain for {what}")
        time.sleep(0.0005)


class SettlingClock(StreamClock):
    """A stream's clock on which sleeping lets the wire settle."""

    def __init__(self) -> None:
        super().__init__()
        self.settle: Callable[[], None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await asyncio.to_thread(self.settle)


class Rig:
    """The simulated adapter, and what the others share."""

    has_wire = False
    """Whether there is a connection that can be lost, hang and come back."""

    def __init__(self, initial: Mapping[str, Any] | None = None) -> None:
        self.clock = SettlingClock()
        self.far = FarCar(self.clock, initial={**PLUGGED, **(initial or {})})
        self.car: VehicleAdapter = self.far.plant

    def takes(self, signal: Signal, value: Any) -> bool:
        """Whether this vehicle can express the value."""
        return True

    def settle(self) -> None:
        """Let everything that is on the wire arrive."""

    def advance(self, seconds: float) -> None:
        """Time passes, and what the car reports then has arrived."""
        self.settle()
        self.clock.advance_to(self.clock.now() + seconds)
        self.settle()

    def commands(self) -> list[dict[str, Any]]:
        """What has reached the car so far."""
        return self.far.log

    def hang(self) -> None:
        """The other end takes commands and does not answer."""

    def lose(self) -> None:
        """The connection breaks; returns when the adapter knows."""

    def restore(self) -> None:
        """The connection works again; returns when the adapter has it."""

    def lie(self) -> str:
        """The car reports a value that makes no sense; the name of its signal."""
        return ""

    def close(self) -> None:
        asyncio.run(self.car.close())


class SimulatedRig(Rig):
    """The simulated adapter."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.car = SimulatedVehicle(self.clock, without=without, initial=PLUGGED)


class KuksaRig(Rig):
    """The databroker's adapter, a stand-in broker, and the simulated car as a provider."""

    has_wire = True

    def __init__(self, *, v2: bool = True, address: str | None = None) -> None:
        from deploy.bench.kuksa_broker import Broker
        from deploy.bench.kuksa_car import KuksaCar
        from vehicle.adapters.kuksa import KuksaVehicle

        super().__init__(
            {"display.mode": "day", "media.source": "radio"}
        )  # VSS knows no automatic mode, and no silence
        self.broker = Broker(wall=self.wall) if address is None else None
        self.address = address or (self.broker.address if self.broker else "")
        self._provide = lambda: KuksaCar(self.far, self.address, wall=self.wall)
        self.provider = self._provide()
        self.car = self.kuksa = KuksaVehicle(
            self.clock, address=self.address, deadline_s=0.3, wall=self.wall, start_s=5.0
        )
        self.clock.settle = self.settle
        self.settle()

    def wall(self) -> float:
        return BORN + self.clock.now()

    def takes(self, signal: Signal, value: Any) -> bool:
        route = self.kuksa._routes.by_name[signal.name]
        try:
            return route.write is not None and isinstance(route.write.encode(value), bool | int | float | str)
        except AdapterError:
            return False

    def settle(self) -> None:
        if not self.kuksa.connected(0.0):
            return
        broker = self.broker
        if broker is not None:
            until(lambda: self.provider.handled >= len(broker.actuated), "the provider")
        self.provider.publish(everything=False)
        wanted = {path: as_sent(path, value) for path, value in self.provider.published.items()}
        until(lambda: all(self.seen(path) == value for path, value in wanted.items()), "the car's values")

    def seen(self, path: str) -> Any:
        names = self.kuksa._routes.names_of()
        return self.kuksa._raw.get(path) if path in names else as_sent(path, self.provider.published[path])

    def hang(self) -> None:
        assert self.broker is not None
        self.broker.faults.silent.set()

    def lose(self) -> None:
        assert self.broker is not None
        self.broker.stop()
        until(lambda: not self.kuksa.connected(0.0), "the loss")
        self.provider.close()

    def restore(self) -> None:
        assert self.broker is not None
        self.broker.faults.silent.clear()
        if not self.kuksa.connected(0.0):
            self.broker.restart()
            self.broker.actuated.clear()
            self.provider = self._provide()
            assert self.kuksa.connected(PATIENCE_S)
        self.settle()

    def lie(self) -> str:
        self.provider.tell("Cabin.Door.Row1.DriverSide.Window.Position", 130)
        until(lambda: self.kuksa._raw.get("Cabin.Door.Row1.DriverSide.Window.Position") == 130, "the lie")
        return "window.driver"

    def close(self) -> None:
        super().close()
        self.provider.close()
        if self.broker is not None:
            self.broker.faults.silent.clear()
            self.broker.stop()


class CanRig(Rig):
    """The CAN adapter on python-can's virtual bus, looked at by hand: no thread, no waiting."""

    has_wire = True

    def __init__(self) -> None:
        import can
        from can.interfaces.virtual import VirtualBus

        from deploy.bench.can_car import CanCar
        from vehicle.adapters.can import CanVehicle

        super().__init__()
        self.broken = False
        self.full = False
        self.channel = f"rig {id(self)}"
        rig = self

        class Breakable(VirtualBus):
            def send(self, msg: can.Message, timeout: float | None = None) -> None:
                if rig.broken or rig.full:
                    raise can.CanOperationError("no room in the buffer" if rig.full else "bus off")
                super().send(msg, timeout)

            def recv(self, timeout: float | None = None) -> can.Message | None:
                if rig.broken:
                    raise can.CanOperationError("bus off")
                return super().recv(timeout)

        def opened() -> can.BusABC:
            if self.broken:
                raise AdapterError("the interface is gone")
            return Breakable(channel=self.channel)

        self.car = self.bus = CanVehicle(self.clock, transmit=True, threaded=False, open_bus=opened)
        self.ecu = CanCar(self.far, can.Bus(interface="virtual", channel=self.channel), self.bus._network)
        self.clock.settle = self.settle
        self.settle()

    def takes(self, signal: Signal, value: Any) -> bool:
        try:
            self.bus._network.outputs[signal.name].write.encode(value)
        except AdapterError:
            return False
        return True

    def settle(self) -> None:
        for _ in range(4):  # a request, its repetitions, and the frame that asks for nothing
            self.bus.look()
            self.ecu.serve()
            self.clock.advance_to(self.clock.now() + 0.02)
        if not self.broken:
            self.ecu.publish()
        self.bus.look()

    def hang(self) -> None:
        self.full = True

    def lose(self) -> None:
        self.broken = True
        self.bus.look()

    def restore(self) -> None:
        self.broken = self.full = False
        self.clock.advance_to(self.clock.now() + 0.2)
        self.bus.look()
        self.settle()

    def lie(self) -> str:
        frame = self.ecu.network.database.get_message_by_name("OPENING_STATUS")
        raw = {signal.name: 0 for signal in frame.signals} | {"WinDrv": 130}
        self.ecu._counter += 1
        self.ecu.tell(frame.frame_id, raw)
        self.bus.look()
        return "window.driver"

    def close(self) -> None:
        super().close()
        self.ecu.bus.shutdown()


def as_sent(path: str, value: Any) -> Any:
    """The value after its way through the wire: 32-bit floats lose digits."""
    from deploy.bench.kuksa_tree import TREE

    if TREE[path].field == "float":
        return struct.unpack("f", struct.pack("f", value))[0]
    return value


RIGS: Mapping[str, Callable[[], Rig]] = {
    "simulated": SimulatedRig,
    "simulated without a roof": lambda: SimulatedRig(frozenset({"sunroof.position", "sunroof.shade"})),
    "kuksa": KuksaRig,
    "can": CanRig,
}
"""Every adapter's rig; the contract tests run on each."""

WIRED = tuple(name for name in RIGS if not name.startswith("simulated"))


def writable(rig: Rig) -> list[Signal]:
    """Signals that this vehicle lets be written."""
    return [SIGNALS[name] for name in sorted(rig.car.offers()) if SIGNALS[name].writable]
