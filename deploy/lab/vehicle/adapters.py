"""How long each adapter takes until the vehicle's side has accepted, over the loopback interface or a virtual bus.

Owns the figures of the wire: wall time of ``write``, in a process that also plays the other end (the stand-ins of this folder),
and, for CAN, the time until the frame is on the bus. Other programs on the machine count. MQTT needs mosquitto.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from deploy.lab.report.statistics import TAILS, spread
from schemas.clock import WallClock
from vehicle.adapters import VehicleAdapter
from vehicle.adapters.far_car import FarCar

KUKSA_P95_MS, CAN_FRAME_MS = 15.0, 2.0
"""Targets of the project: an action accepted by a databroker on the same machine, and a frame out after ``write``."""

WARM_UP = 20


def writes(car: VehicleAdapter, count: int, *, pause_s: float = 0.0) -> list[float]:
    """Milliseconds of so many writes of one signal, after some that do not count."""

    async def timed() -> list[float]:
        took: list[float] = []
        for number in range(WARM_UP + count):
            began = time.perf_counter()
            await car.write({"climate.fan": number % 6})
            took.append((time.perf_counter() - began) * 1000.0)
            if pause_s:
                await asyncio.sleep(pause_s)
        return took[WARM_UP:]

    return asyncio.run(timed())


def kuksa(count: int) -> list[float]:
    """Writes through a databroker's stand-in to a provider."""
    from vehicle.adapters.kuksa import KuksaVehicle
    from vehicle.adapters.kuksa.stand_in_broker import Broker
    from vehicle.adapters.kuksa.stand_in_car import KuksaCar

    with ExitStack() as stack:
        broker = Broker()
        stack.callback(broker.stop)
        provider = KuksaCar(FarCar(WallClock()), broker.address)
        stack.callback(provider.close)
        car = KuksaVehicle(WallClock(), address=broker.address)
        stack.callback(lambda: asyncio.run(car.close()))
        return writes(car, count)


def can(count: int) -> list[float]:
    """From ``write`` until the frame has come out at another place of a virtual bus."""
    import can as python_can

    from vehicle.adapters.can import CanVehicle

    took: list[float] = []
    with ExitStack() as stack:
        other = stack.enter_context(python_can.Bus(interface="virtual", channel="bench"))
        car = CanVehicle(WallClock(), interface="virtual", channel="bench", transmit=True)
        stack.callback(lambda: asyncio.run(car.close()))

        async def timed() -> None:
            for number in range(WARM_UP + count):
                began = time.perf_counter()
                await car.write({"climate.fan": number % 6})
                while (frame := other.recv(1.0)) is not None and frame.arbitration_id != 0x300:
                    pass
                took.append((time.perf_counter() - began) * 1000.0)
                await asyncio.sleep(0.15)  # the list allows so many a second, and the repetitions are to be over
                while other.recv(0.0) is not None:
                    pass

        asyncio.run(timed())
    return took[WARM_UP:]


def mqtt(count: int) -> list[float]:
    """Writes through a mosquitto of our own to a gateway.

    Raises:
        FileNotFoundError: mosquitto is not installed.
    """
    from vehicle.adapters.mqtt import MqttVehicle
    from vehicle.adapters.mqtt.stand_in import MqttCar

    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        raise FileNotFoundError("mosquitto")
    port = 18_830 + os.getpid() % 1000
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        config = Path(folder) / "mosquitto.conf"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n")
        broker = subprocess.Popen([program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(broker.wait)
        stack.callback(broker.terminate)
        gateway = _patiently(lambda: MqttCar(FarCar(WallClock()), port))
        stack.callback(gateway.close)
        car = MqttVehicle(WallClock(), port=port)
        stack.callback(lambda: asyncio.run(car.close()))
        return writes(car, count)


def _patiently(connect: Callable[[], Any]) -> Any:
    """Until the broker listens."""
    for _ in range(100):
        try:
            return connect()
        except ConnectionError:
            time.sleep(0.05)
    return connect()


MEASURED: Mapping[str, tuple[str, Callable[[int], list[float]], int]] = {
    "kuksa": ("accepted_ms", kuksa, 10),
    "can": ("frame_out_ms", can, 100),
    "mqtt": ("accepted_ms", mqtt, 10),
}
"""Adapter -> the name of its figure, how it is measured, and how many times fewer than gate decisions."""


def measure(count: int) -> dict[str, Any]:
    """Figures of every adapter whose package and broker are here; of others, what is missing.

    Args:
        count: how many gate decisions are timed; adapters are timed that many times divided by what is in ``MEASURED``.
    """
    told: dict[str, Any] = {"targets": {"kuksa_p95_ms": KUKSA_P95_MS, "can_frame_out_ms": CAN_FRAME_MS}}
    for name, (figure, timed, fewer) in MEASURED.items():
        writes_timed = max(20, count // fewer)
        try:
            told[name] = {figure: spread(timed(writes_timed), 3, **TAILS), "count": writes_timed}
        except (ModuleNotFoundError, FileNotFoundError) as missing:
            told[name] = {"missing": getattr(missing, "name", None) or str(missing)}
    return told
