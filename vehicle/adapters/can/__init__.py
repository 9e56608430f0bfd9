"""A vehicle on a CAN bus: messages described by a DBC file, signals named by a mapping. Needs the extra ``can``.

The bus is python-can's (``socketcan`` in a car, ``virtual`` in tests), the DBC is read by cantools. What may be sent is a
closed list in the mapping: message, signals, ranges, and how often; it is sent only if ``transmit`` is set. Without it the
adapter is silent, and offers only what is read.

- A request goes out at once, is repeated a few times with its counter and checksum, and then its frame asks for nothing.
- Counters and checksums of what is received are checked; a message that stops coming makes its values unknown.
- Nothing waits for the bus. Nothing is sent to one that is silent, and nothing is repeated half a second later.
  When it is lost (bus off, the interface gone, silence), requests that are being repeated are
  dropped, and the first frame after recovery asks for nothing.
- Frames cannot be sent together: of a write over several messages, should one fail, those before it are withdrawn at once.

``example.dbc`` and ``example_can.yaml`` describe a car that does not exist.

- The DBC is read leniently, with what was mended told, and checked strictly where it is mapped. Of a multiplexed message each frame
  tells what it holds; one that is sent has its multiplexer under ``fixed``. Checksums are families that a package can add to.

Not done: J1939 and ISO-TP, waking a sleeping bus.
"""

from vehicle.adapters.can.adapter import CanVehicle

__all__ = ["CanVehicle"]
