"""A simulated car to reach from another process: behind a databroker's stand-in, a real broker, or a CAN bus.

    python -m vehicle.adapters.stand_in kuksa [PORT]          a databroker's stand-in with a car, on 127.0.0.1 (55555)
    python -m vehicle.adapters.stand_in broker [PORT]         the databroker's stand-in alone, for `GLOVEBOX_KUKSA`
    python -m vehicle.adapters.stand_in provider [HOST:PORT]  a car alone, for a databroker that runs
    python -m vehicle.adapters.stand_in mqtt [PORT]           a gateway with a car, at the MQTT broker on 127.0.0.1 (1883)
    python -m vehicle.adapters.stand_in can [CHANNEL]         a car of the example's DBC on a socketcan interface (vcan0)

Each says when it can be reached, and goes on until it is interrupted.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable

from schemas.clock import WallClock
from vehicle.adapters.far_car import FarCar

EVERY_S = 0.25
"""How often the car reports: a speed older than a second is unknown."""


def _car() -> FarCar:
    return FarCar(WallClock(), initial={"charging.plugged": True, "media.source": "radio", "display.mode": "day"})


def _kuksa(port: str = "55555") -> Callable[[], object]:
    from vehicle.adapters.kuksa.stand_in_broker import Broker

    return _provider(Broker(port=int(port)).address)


def _broker(port: str = "55555") -> Callable[[], object]:
    from vehicle.adapters.kuksa.stand_in_broker import Broker

    Broker(port=int(port))
    return lambda: None


def _provider(address: str = "127.0.0.1:55555") -> Callable[[], object]:
    from vehicle.adapters.kuksa.stand_in_car import KuksaCar

    provider = KuksaCar(_car(), address)
    return lambda: provider.publish(everything=False)


def _mqtt(port: str = "1883") -> Callable[[], object]:
    from vehicle.adapters.mqtt.stand_in import MqttCar

    return MqttCar(_car(), int(port)).publish


def _can(channel: str = "vcan0") -> Callable[[], object]:
    import can

    from vehicle.adapters.can.stand_in import CanCar

    car = _car()
    ecu = CanCar(car, can.Bus(interface="socketcan", channel=channel))
    lost = False

    def look() -> None:
        """One look; an interface that is full or went down is told once and opened again."""
        nonlocal ecu, lost
        try:
            if lost:
                ecu = CanCar(car, can.Bus(interface="socketcan", channel=channel))
            ecu.serve()
            ecu.publish()
        except (can.CanError, OSError) as error:
            if not lost:
                sys.stderr.write(f"{channel}: {error}; trying again\n")
                with contextlib.suppress(can.CanError, OSError):
                    ecu.bus.shutdown()
            lost = True
        else:
            lost = False

    return look


KINDS: dict[str, Callable[..., Callable[[], object]]] = {
    "kuksa": _kuksa,
    "broker": _broker,
    "provider": _provider,
    "mqtt": _mqtt,
    "can": _can,
}


def main() -> None:
    """Run the stand-in that the command line names."""
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    look = KINDS[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            look()
            threading.Event().wait(EVERY_S)


if __name__ == "__main__":
    main()
