"""What the tests of the gated vehicle share: a simulated car with everything at hand, and slots for every action."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schemas.actions import (
    Action,
)
from schemas.clock import StreamClock
from schemas.events import ActionResult
from vehicle import organizer
from vehicle.adapters import VehicleAdapter
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.apart.inside import attend
from vehicle.apart.messages import Fitting
from vehicle.apart.outside import VehicleApart
from vehicle.organizer import Organizer
from vehicle.service import GatedVehicle

SLOTS: dict[str, list[dict[str, Any]]] = {
    "set_temperature": [{"celsius": 23.5}, {"celsius": 16, "zone": "passenger"}],
    "change_temperature": [{"change": "up"}, {"change": "down", "zone": "driver"}],
    "set_fan_speed": [{"level": 5}],
    "set_rear_fan": [{"level": 3}],
    "set_roof_tilt": [{"raised": True}],
    "set_guidance_volume": [{"percent": 45}],
    "change_fan_speed": [{"change": "down"}],
    "set_airflow": [{"direction": "face_and_feet"}],
    "set_seat_heating": [{"level": 3, "zone": "all"}],
    "set_seat_ventilation": [{"level": 2}],
    "set_steering_wheel_heating": [{"level": 1}],
    "move_seat": [{"direction": "back"}, {"direction": "up"}],
    "change_seat_heating": [{"change": "up"}, {"change": "up", "zone": "rear"}],
    "set_seat_massage": [{"level": 1}],
    "change_lumbar": [{"change": "up", "zone": "all"}],
    "change_steering_wheel_heating": [{"change": "up"}],
    "recline_seat": [{"direction": "back"}, {"direction": "forward"}],
    "recall_seat_position": [{"number": 2}],
    "change_window": [{"change": "open"}, {"change": "open", "by": 30, "window": "all"}],
    "change_sunroof": [{"change": "open"}],
    "set_display_brightness": [{"percent": 30}],
    "change_display_brightness": [{"change": "down"}],
    "set_display_mode": [{"mode": "night"}],
    "set_unit": [{"unit": "miles"}, {"unit": "fahrenheit"}],
    "play_playlist": [{"playlist": "road trip"}],
    "set_media_source": [{"source": "usb"}, {"source": "radio"}],
    "set_repeat": [{"mode": "track"}],
    "find_on_route": [{"kind": "charging_station"}],
    "list_places": [{"kind": "restaurant", "quality": "italian"}],
    "replace_stop": [{"destination": "the zoo"}],
    "change_destination": [{"destination": "home"}],
    "choose_route": [{"number": 2}],
    "set_guidance": [{"on": False}],
    "get_distance": [{"destination": "the beach"}],
    "set_charge_limit": [{"percent": 90}],
    "set_fuel_door": [{"open": True}],
    "set_drive_mode": [{"mode": "sport"}],
    "adjust_mirror": [{"direction": "down", "zone": "passenger"}, {"direction": "left"}],
    "set_charge_port": [{"open": True}],
    "set_charge_timer": [{"hour": 11, "half": "pm"}],
    "get_charging": [{}, {"percent": 80}],
    "set_timer": [{"minutes": 10, "label": "pasta"}],
    "set_reminder": [{"what": "call anna", "minutes": 20}, {"what": "bread", "hour": 5, "half": "pm"}],
    "get_contact": [{"person": "anna berg"}],
    "call_contact": [{"person": "my sister"}],
    "call_number": [{"digits": "112"}, {"digits": "0441234567"}],
    "send_email": [{"person": "tomas ilic", "message": "i am late"}],
    "set_window": [{"percent": 50}, {"window": "all", "percent": 100}],
    "set_sunroof": [{"percent": 30}],
    "set_sunshade": [{"percent": 100}],
    "set_trunk": [{"open": True}],
    "set_door_locks": [{"locked": False}],
    "set_mirrors": [{"folded": True}],
    "set_ambient_color": [{"color": "blue"}],
    "set_ambient_brightness": [{"percent": 80}],
    "change_ambient_brightness": [{"change": "up"}],
    "play_music": [{"genre": "jazz"}],
    "play_radio": [{"station": "radio one"}],
    "play_podcast": [{"show": "serial"}],
    "set_volume": [{"percent": 80}],
    "change_volume": [{"change": "down"}],
    "seek": [{"change": "forward", "seconds": 60}],
    "set_playback": [{"command": command} for command in ("play", "pause", "next", "previous", "restart")],
    "navigate_to": [{"destination": "the airport"}],
    "find_place": [{"kind": "charging_station", "quality": "fast"}],
    "add_stop": [{"destination": "work"}],
    "set_route_preference": [{"preference": "shortest"}],
}


BESIDE = {"set_timer", "set_reminder", "cancel_timer"}
"""What changes nothing in the vehicle."""


def instances(action: type[Action]) -> list[Action]:
    return [action.model_validate(slots) for slots in SLOTS.get(action.name, [usual(action)])]


def usual(action: type[Action]) -> dict[str, Any]:
    """Slots that must be filled: on, the last choice, the most."""
    fields = action.model_json_schema()["properties"]
    return {
        name: field["enum"][-1] if "enum" in field else field.get("maximum", True)
        for name, field in fields.items()
        if name == "on" or action.model_fields[name].is_required()
    }


DESK = Path(organizer.__file__).with_name("organizer.json")
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""A Friday."""

ON_THE_WAY: dict[str, Any] = {
    "navigation.destination": "Marrowby Airport",
    "navigation.stops": ("Post Office",),
    "navigation.minutes": 14,
    "charging.plugged": True,
    "media.source": "podcast",
    "media.position": 90,
    "phone.number": "+49 30 5550999",
}


class Car:
    """A gated simulated car with everything at hand."""

    def __init__(self, profile: str = "parked", *, at: float = 0.0, **options: Any) -> None:
        self.clock = StreamClock()
        self.adapter = SimulatedVehicle(self.clock, profile=profile, **options)
        self.organizer = Organizer.load(DESK, self.clock.now, lambda: NOON)
        self.gated = GatedVehicle(self.adapter, self.clock, organizer=self.organizer)
        self.vehicle = self.reached(self.gated)
        self.clock.advance_to(at)

    @staticmethod
    def reached(vehicle: GatedVehicle) -> Any:
        """The vehicle as the test reaches it: in place, where it does not say otherwise."""
        return vehicle

    def act(self, action: Action) -> ActionResult:
        return asyncio.run(self.vehicle.act(action))

    def confirm(self, result: ActionResult) -> ActionResult:
        return asyncio.run(self.vehicle.confirm(str(result.token)))

    def value(self, name: str) -> Any:
        return asyncio.run(self.vehicle.state()).values[name]

    def later(self, seconds: float) -> None:
        self.clock.advance_to(self.clock.now() + seconds)


FITTING = Fitting(adapter="simulated", options={}, confirmation_s=14.0)


class Beside:
    """The vehicle's own process as a thread of this one: the same two ends, with the test's clock and car at hand."""

    def __init__(self, opens: Callable[[], GatedVehicle]) -> None:
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.killed = False
        self._opens = opens
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        def opener(_: Fitting, wrap: Callable[[VehicleAdapter], VehicleAdapter]) -> GatedVehicle:
            vehicle = self._opens()
            vehicle._adapter = wrap(vehicle._adapter)
            return vehicle

        attend(self.theirs, opener, leave=lambda: None)

    def kill(self) -> None:
        self.killed = True
        with suppress(OSError):
            self.theirs.shutdown(socket.SHUT_RDWR)

    def wait(self, timeout: float | None = None) -> int:
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise subprocess.TimeoutExpired("beside", timeout or 0.0)
        return 0


@contextmanager
def beside(vehicle: GatedVehicle) -> Generator[VehicleApart]:
    """This vehicle as it is reached in a process of its own."""

    def start() -> tuple[socket.socket, Beside]:
        process = Beside(lambda: vehicle)
        return process.ours, process

    apart = VehicleApart(FITTING, start)
    apart.ready()
    try:
        yield apart
    finally:
        asyncio.run(apart.close())
