"""The simulated car on a CAN bus, as the messages of a mapping: for tests and measurements.

It sends its status messages, and carries out a command when a signal begins to ask for something, not at every repetition.
"""

from __future__ import annotations

from typing import Any

import can

from vehicle.adapters.can.frames import Incoming, sealed
from vehicle.adapters.can.network import Network, Received, load_network, raw_of
from vehicle.adapters.far_car import FarCar


class CanCar:
    """The car's side of the bus."""

    def __init__(self, car: FarCar, bus: can.BusABC, network: Network | None = None) -> None:
        """On that bus, with the messages of that network; None for the example's."""
        self.car, self.bus = car, bus
        self.network = network or load_network("example_can", "example")
        self.counter = 0
        """What its messages are numbered with now, 0 to 15."""
        self._told: dict[int, dict[str, Any]] = {}
        self.silent = False
        """While set, it takes nothing from the bus."""
        self.frames = 0
        """Command frames so far that were whole."""
        self.asked: dict[str, dict[str, int]] = {}
        """Raw values that each frame asks for now."""
        self._by_id = {message.frame_id: (message, sent) for message, sent in self.network.sent.values()}
        self._guards = {
            frame: Incoming(message, Received(counter=sent.counter, checksum=sent.checksum))
            for frame, (message, sent) in self._by_id.items()
        }

    def serve(self, wait_s: float = 0.0) -> None:
        """Carry out what came; everything that came together is one command."""
        changes: dict[str, Any] = {}
        while not self.silent and (message := self.bus.recv(wait_s)) is not None:
            wait_s = 0.0
            changes |= self._changes(message)
        if changes:
            self.car.command(changes)

    def publish(self, *, everything: bool = True) -> None:
        """Send every status message once, or only what has changed and what drives."""
        values = self.car.values()
        self.counter = (self.counter + 1) % 16
        for frame, inputs in self.network.inputs.items():
            now = {one.name: values.get(one.name) for one in inputs}
            if not everything and self._told.get(frame) == now and "speed_kmh" not in now:
                continue
            self._told[frame] = now
            message = self.network.database.get_message_by_frame_id(frame)
            raw = {signal.name: 2**signal.length - 1 for signal in message.signals}
            for one in inputs:
                if one.name in values:
                    theirs = one.read.encode(values[one.name])
                    raw[one.signal] = raw_of(message.get_signal_by_name(one.signal), theirs)
            self.tell(frame, raw)

    def tell(self, frame: int, raw: dict[str, int]) -> None:
        """Send one message with these raw values, true or not, and the right counter and checksum."""
        message, rule = self.network.database.get_message_by_frame_id(frame), self.network.received.get(frame)
        if rule is not None and rule.counter is not None:
            raw[rule.counter] = self.counter
        data = message.encode(raw, scaling=False, strict=False)
        if rule is not None:
            data = sealed(message, rule.checksum, rule.counter, data)
        self.bus.send(can.Message(arbitration_id=frame, is_extended_id=message.is_extended_frame, data=data))

    def _changes(self, frame: can.Message) -> dict[str, Any]:
        """What a frame newly asks for."""
        if frame.arbitration_id not in self._by_id or not self._guards[frame.arbitration_id].accept(bytes(frame.data)):
            return {}
        self.frames += 1
        message, sent = self._by_id[frame.arbitration_id]
        raw: Any = message.decode(bytes(frame.data), decode_choices=False, scaling=False)
        asks = {name: int(raw[name]) for name, one in sent.signals.items() if int(raw[name]) != one.idle}
        before, self.asked[message.name] = self.asked.get(message.name, {}), asks
        changes: dict[str, Any] = {}
        for name, output in self.network.outputs.items():
            signal = output.signal
            if output.frame == message.name and signal.name in asks and before.get(signal.name) != asks[signal.name]:
                changes[name] = output.write.decode(signal.raw_to_scaled(asks[signal.name], decode_choices=False))
        return changes
