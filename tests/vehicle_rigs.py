"""Each vehicle adapter with a simulated car at the other end of its wire, in one shape for the contract tests.

A rig's clock is the stream's; sleeping on it lets what is on the wire arrive, so that nothing depends on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from schemas.clock import StreamClock
from schemas.errors import AdapterError
from vehicle.adapters import VehicleAdapter
from vehicle.adapters.far_car import FarCar
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.signals import SIGNALS, Signal

PATIENCE_S = 60.0
"""Longest real time for something to arrive that is on its way, on however busy a machine."""

HANGS_S = 0.3
"""An adapter's deadline while the other end hangs. Otherwise it is ``PATIENCE_S``, so that a busy machine misses none."""

PLUGGED = {"charging.plugged": True}
"""Without a cable nothing charges."""

BORN = 1_700_000_000.0
"""Wall time at second 0 of a rig's clock."""

TICK_S = 1e-5
"""How much later each look at that wall time is than the one before."""


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
        self.initial = dict(initial or {})
        self.far = FarCar(self.clock, initial={**PLUGGED, **(initial or {})})
        self.car: VehicleAdapter = self.far.plant

    def takes(self, wanted: Signal, value: Any) -> bool:
        """Whether this vehicle can express the value."""
        return True

    def alike(self, name: str) -> frozenset[str]:
        """Signals that are the same value in this vehicle: one cannot be written without the others."""
        return frozenset()

    def settle(self) -> None:
        """Let everything that is on the wire arrive."""

    def advance(self, seconds: float) -> None:
        """Time passes, and what the car reports then has arrived."""
        self.settle()
        self.clock.advance_to(self.clock.now() + seconds)
        self.settle()

    one_by_one = False
    """Whether a write over several signals reaches the car as several commands, in any order."""

    def commands(self) -> list[dict[str, Any]]:
        """What has reached the car so far."""
        return self.far.log

    def hang(self) -> None:
        """The other end takes commands and does not answer."""

    def lose(self) -> None:
        """The connection breaks; returns when the adapter knows."""

    def restore(self) -> None:
        """The connection works again; returns when the adapter has it."""

    def start_anew(self, *, patient: bool = True) -> None:
        """The adapter ends, and another begins, whether or not the other end is there."""

    def back(self) -> None:
        """Returns when a connection that the adapter gave up by itself (a slow machine) stands again."""

    def lie(self) -> str:
        """The car reports a value that makes no sense; the name of its signal."""
        return ""

    def close(self) -> None:
        asyncio.run(self.car.close())


def write(rig: Rig, changes: Mapping[str, Any]) -> None:
    """Ask the adapter for these values."""
    asyncio.run(rig.car.write(changes))


class SimulatedRig(Rig):
    """The simulated adapter."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        super().__init__()
        log = self.far.log

        class Noting(SimulatedVehicle):
            async def write(self, changes: Mapping[str, Any]) -> None:
                await super().write(changes)
                log.append(dict(changes))

        self.car = self.plant = Noting(self.clock, without=without, initial=PLUGGED)

    def hang(self) -> None:
        self.plant.faults.hangs = True

    def restore(self) -> None:
        self.plant.faults.hangs = False


class KuksaRig(Rig):
    """The databroker's adapter, a stand-in broker, and the simulated car as a provider."""

    has_wire = True
    one_by_one = True

    def __init__(self, *, v2: bool = True, address: str | None = None) -> None:
        from vehicle.adapters.kuksa import KuksaVehicle
        from vehicle.adapters.kuksa.routes import load_vss, resolve
        from vehicle.adapters.kuksa.stand_in_broker import Broker
        from vehicle.adapters.kuksa.stand_in_car import KuksaCar
        from vehicle.adapters.kuksa.stand_in_tree import TREE

        super().__init__({"display.mode": "day", "media.source": "radio"})  # VSS: no automatic mode, no silence
        self._ticks = 0
        self.routes = resolve(load_vss("vss6"), TREE, "LEFT").by_name
        """As the adapter and the provider have them."""
        self.broker = Broker(wall=self.wall) if address is None else None
        self.address = address or (self.broker.address if self.broker else "")
        self.provide = lambda: KuksaCar(self.far, self.address, wall=self.wall)
        self.provider = self.provide()
        self.down = False
        given: dict[str, Any] = {"address": self.address, "deadline_s": PATIENCE_S, "start_s": PATIENCE_S}

        def made(**more: Any) -> KuksaVehicle:
            return KuksaVehicle(self.clock, wall=self.wall, **{**given, **more})

        self._make = made
        self.car = self.kuksa = self._make()
        self.clock.settle = self.settle
        self.settle()

    def wall(self) -> float:
        """Never the same twice, so that every report is known by its timestamp."""
        self._ticks += 1
        return BORN + self.clock.now() + self._ticks * TICK_S

    def takes(self, wanted: Signal, value: Any) -> bool:
        route = self.routes[wanted.name]
        try:
            return route.write is not None and isinstance(route.write.encode(value), bool | int | float | str)
        except AdapterError:
            return False

    def alike(self, name: str) -> frozenset[str]:
        leaves = set(self.routes[name].writes)
        return frozenset(other for other, route in self.routes.items() if leaves & set(route.writes))

    def settle(self) -> None:
        if not self.kuksa.connected(0.0):
            return
        broker = self.broker
        accepted = (lambda: len(broker.actuated)) if broker is not None else (lambda: self.kuksa.sent)
        until(lambda: self.provider.handled >= accepted(), "the provider")
        self.provider.publish(everything=False)
        last = self.provider.told_at
        until(lambda: abs(self.kuksa.given.get("Speed", 0.0) - last) < TICK_S / 4, "the car's values")

    def hang(self) -> None:
        assert self.broker is not None
        self.kuksa.deadline_s = HANGS_S
        self.broker.faults.silent.set()

    def freeze(self) -> None:
        """The whole broker hangs, not only what takes commands."""
        assert self.broker is not None
        self.kuksa.deadline_s = HANGS_S
        self.broker.faults.frozen.set()

    def lose(self) -> None:
        assert self.broker is not None
        self.down = True
        self.broker.stop()
        until(lambda: not self.kuksa.connected(0.0), "the loss")
        self.provider.close()

    def restore(self) -> None:
        assert self.broker is not None
        self.broker.faults.silent.clear()
        self.broker.faults.frozen.clear()
        self.kuksa.deadline_s = PATIENCE_S
        if self.down:
            self.down = False
            self.broker.restart()
            self.broker.actuated.clear()
            self.provider = self.provide()
        self.back()

    def start_anew(self, *, patient: bool = True) -> None:
        super().close()
        self.car = self.kuksa = self._make(patient=patient, start_s=0.01)

    def back(self) -> None:
        assert self.kuksa.connected(PATIENCE_S)
        self.settle()

    def lie(self) -> str:
        assert self.broker is not None
        self.broker.publish({"Cabin.Door.Row1.DriverSide.Window.Position": 130})  # a provider would be refused
        until(lambda: any(one.subject == "window.driver" for one in self.kuksa.check()), "the lie")
        return "window.driver"

    def close(self) -> None:
        super().close()
        self.provider.close()
        if self.broker is not None:
            self.broker.faults.silent.clear()
            self.broker.faults.frozen.clear()
            self.broker.stop()


class CanRig(Rig):
    """The CAN adapter on python-can's virtual bus, looked at by hand: no thread, no waiting."""

    has_wire = True

    def __init__(self) -> None:
        import can
        from can.interfaces.virtual import VirtualBus

        from vehicle.adapters.can import CanVehicle
        from vehicle.adapters.can.stand_in import CanCar

        super().__init__()
        self.broken = False
        self.full = False
        self.told_at = -1.0
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

        def made(**more: Any) -> CanVehicle:
            return CanVehicle(self.clock, transmit=True, threaded=False, open_bus=opened, **more)

        self._make = made
        self.car = self.bus = self._make()
        self.ecu = CanCar(self.far, can.Bus(interface="virtual", channel=self.channel))
        self.clock.settle = self.settle
        self.settle()

    def takes(self, wanted: Signal, value: Any) -> bool:
        try:
            self.ecu.network.outputs[wanted.name].write.encode(value)
        except AdapterError:
            return False
        return True

    def settle(self) -> None:
        self.bus.look()
        self.ecu.serve()
        while any(self.ecu.asked.values()) and not self.broken:  # repetitions, then the frame that asks for nothing
            self.clock.advance_to(self.clock.now() + 0.02)
            self.bus.look()
            self.ecu.serve()
        if not self.broken:
            everything = self.clock.now() - self.told_at > 0.5
            self.told_at = self.clock.now() if everything else self.told_at
            self.ecu.publish(everything=everything)
        self.bus.look()

    def hang(self) -> None:
        self.full = True

    def lose(self) -> None:
        self.broken = True
        self.ecu.asked.clear()
        self.bus.look()

    def restore(self) -> None:
        self.broken = self.full = False
        self.told_at = -1.0
        self.clock.advance_to(self.clock.now() + 0.2)
        self.bus.look()
        self.settle()

    def start_anew(self, *, patient: bool = True) -> None:
        super().close()
        self.car = self.bus = self._make(patient=patient)

    def lie(self) -> str:
        frame = self.ecu.network.database.get_message_by_name("OPENING_STATUS")
        raw = {signal.name: 0 for signal in frame.signals} | {"WinDrv": 130}
        self.ecu.counter = (self.ecu.counter + 1) % 16
        self.ecu.tell(frame.frame_id, raw)
        self.bus.look()
        return "window.driver"

    def close(self) -> None:
        super().close()
        self.ecu.bus.shutdown()


class MqttRig(Rig):
    """The MQTT adapter, a real mosquitto, and the simulated car as a gateway."""

    has_wire = True

    def __init__(self, *, batch: bool = True, extra: str = "", **settings: Any) -> None:
        from vehicle.adapters.mqtt import MqttVehicle
        from vehicle.adapters.mqtt.stand_in import MqttCar

        program = mosquitto()
        if program is None:
            pytest.skip("mosquitto is not installed (Debian package mosquitto)")
        super().__init__()
        self.port = free_port()
        self.folder = TemporaryDirectory()
        config = Path(self.folder.name) / "mosquitto.conf"
        config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\nuser root\n{extra}"
        )
        mapping = Path(self.folder.name) / "mapping.yaml"
        mapping.write_text("extends: homeassistant\n" + ("batch_topic: example_car/batch\n" if batch else ""))
        self._command = [program, "-c", str(config)]
        self._start()
        self.gateway = MqttCar(self.far, self.port)
        self.missed = 0
        self.settled = 0
        self.hung = False
        given: dict[str, Any] = {"port": self.port, "deadline_s": PATIENCE_S, "start_s": PATIENCE_S, **settings}
        given["mapping"] = str(mapping)

        def made(**more: Any) -> MqttVehicle:
            return MqttVehicle(self.clock, **{**given, **more})

        self._make = made
        self.car = self.mqtt = self._make()
        self.clock.settle = self.settle
        self.settle()

    def _start(self) -> None:
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: answers(self.port), "mosquitto")

    def takes(self, wanted: Signal, value: Any) -> bool:
        return True

    def settle(self) -> None:
        if self.hung or not self.mqtt.connected(0.0):
            return
        until(lambda: self.gateway.received >= self.mqtt.sent - self.missed, "the gateway")
        self.gateway.publish()
        self.settled += 1
        speed = self.gateway.links["speed_kmh"].entity.state_topic
        last = self.gateway.published[speed] + b" " * (1 + self.settled % 2)  # the same speed in other words
        self.gateway.tell(speed, last)
        self.gateway.flush()
        until(lambda: self.mqtt.raw.get(speed) == last, "the car's values")

    def hang(self) -> None:
        self.hung = True
        self.mqtt.deadline_s = HANGS_S
        self.process.send_signal(signal.SIGSTOP)

    def lose(self) -> None:
        self.process.kill()
        self.process.wait()
        until(lambda: not self.mqtt.connected(0.0), "the loss")
        self.gateway.close()

    def restore(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.hung = False
        self.mqtt.deadline_s = PATIENCE_S
        if self.process.poll() is not None:
            self.missed = self.mqtt.sent
            self.gateway.received = 0
            self._start()
            self.gateway.connect()
        assert self.mqtt.connected(PATIENCE_S)
        self.settle()

    def start_anew(self, *, patient: bool = True) -> None:
        super().close()
        self.car = self.mqtt = self._make(patient=patient, start_s=0.01)

    def back(self) -> None:
        assert self.mqtt.connected(PATIENCE_S)
        self.settle()

    def lie(self) -> str:
        self.gateway.tell("example_car/window_driver/state", b"130")
        until(lambda: self.mqtt.raw.get("example_car/window_driver/state") == b"130", "the lie")
        return "window.driver"

    def close(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        super().close()
        self.gateway.close()
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def mosquitto() -> str | None:
    """The broker's program: Debian puts it where a user's path does not look."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """A port on the loopback interface that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int) -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


RIGS: dict[str, Callable[[], Rig]] = {
    "simulated": SimulatedRig,
    "simulated without a roof": lambda: SimulatedRig(frozenset({"sunroof.position", "sunroof.shade"})),
    "kuksa": KuksaRig,
    "can": CanRig,
    "mqtt": MqttRig,
}
"""Every adapter's rig; the contract tests run on each."""

REAL = os.environ.get("GLOVEBOX_KUKSA")
if REAL is not None:
    RIGS["databroker"] = lambda: KuksaRig(address=REAL)

WIRED = ("can", "kuksa", "mqtt")
"""Those whose wire the tests can break."""


def writable(rig: Rig) -> list[Signal]:
    """Signals that this vehicle lets be written."""
    return [SIGNALS[name] for name in sorted(rig.car.offers()) if SIGNALS[name].writable]
