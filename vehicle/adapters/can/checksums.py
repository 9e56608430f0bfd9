"""Checksums and counters of frames: the families in use, and how a package adds one.

Owns the arithmetic of a frame's proof; knows no bus. A family is a function of `Frame` that gives the raw value that the checksum's
signal must have; another package adds one by an entry point of the group ``glovebox.checksums`` (docs/extending.md).

Sources: SAE J1850 (CRC-8, check value 0x4B for "123456789"); AUTOSAR end-to-end profile 2 (CRC-8 with the polynomial 0x2F, check
value 0xDF); the checksum functions of opendbc 0.3.1 (comma.ai, MIT) for Toyota, Honda, Volkswagen and Hyundai, which drive cars.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from schemas.registry import Registry, Row


@dataclass(frozen=True, slots=True)
class Frame:
    """What a checksum is made of."""

    id: int
    data: bytes
    """The frame's bytes, with the bits of the checksum's signal at 0."""
    at: int
    """The first byte that the checksum's signal touches."""
    counter: int
    """The counter's value; 0 where there is none."""
    data_ids: tuple[int, ...]
    """Constants of the message: none, one, or one for each value of the counter."""

    @property
    def data_id(self) -> int | None:
        """The constant for this frame."""
        return self.data_ids[self.counter % len(self.data_ids)] if self.data_ids else None

    @property
    def others(self) -> bytes:
        """The bytes without the one of the checksum, as families with a byte of their own count them."""
        return self.data[: self.at] + self.data[self.at + 1 :]


Sum = Callable[[Frame], int]

CHECKSUMS = Registry(
    "checksum",
    "glovebox.checksums",
    {name: Row(f"vehicle.adapters.can.checksums:{name}") for name in (
        "xor8", "sum8", "crc8_j1850", "toyota", "honda", "volkswagen_mqb", "volkswagen_pq", "hyundai", "hyundai_6b",
        "hyundai_canfd",
    )},
)  # fmt: skip
"""Each takes a `Frame` and gives the raw value of the checksum's signal."""


@cache
def family(kind: str) -> Sum:
    """The function of that name. Looked up once: every frame asks for it, and to look through what is installed takes milliseconds.

    Raises:
        schemas.errors.ConfigError: as `Registry.opener`.
    """
    return CHECKSUMS.opener(kind)


BYTES = frozenset({"xor8", "sum8", "crc8_j1850", "toyota", "volkswagen_mqb", "volkswagen_pq", "hyundai_6b"})
"""Those of ours whose signal is a whole byte."""


def _table(polynomial: int, bits: int) -> tuple[int, ...]:
    """What each byte comes to, most significant bit first."""
    top, mask = 1 << (bits - 1), (1 << bits) - 1
    found: list[int] = []
    for byte in range(256):
        value = byte << (bits - 8)
        for _ in range(8):
            value = ((value << 1) ^ polynomial if value & top else value << 1) & mask
        found.append(value)
    return tuple(found)


_J1850, _AUTOSAR, _XMODEM = _table(0x1D, 8), _table(0x2F, 8), _table(0x1021, 16)


def crc8(data: bytes, table: tuple[int, ...] = _J1850) -> int:
    """CRC-8 that begins at 0xFF and is inverted at its end: SAE J1850's with its table, AUTOSAR's with 0x2F's."""
    crc = 0xFF
    for byte in data:
        crc = table[crc ^ byte]
    return crc ^ 0xFF


def _prefixed(frame: Frame) -> bytes:
    """The constant's two bytes, low first, and the others (AUTOSAR end-to-end protection)."""
    return (b"" if frame.data_id is None else frame.data_id.to_bytes(2, "little")) + frame.others


def xor8(frame: Frame) -> int:
    """All other bytes, exclusive-or."""
    value = 0
    for byte in _prefixed(frame):
        value ^= byte
    return value


def sum8(frame: Frame) -> int:
    """The sum of all other bytes."""
    return sum(_prefixed(frame)) & 0xFF


def crc8_j1850(frame: Frame) -> int:
    """CRC-8 SAE J1850 of all other bytes."""
    return crc8(_prefixed(frame))


def toyota(frame: Frame) -> int:
    """The bytes of id and length, and all other bytes, summed up; the last byte carries it."""
    return (len(frame.data) + sum(frame.id.to_bytes(4, "big")) + sum(frame.others)) & 0xFF


def _nibbles(data: bytes) -> int:
    return sum((byte >> 4) + (byte & 0xF) for byte in data)


def honda(frame: Frame) -> int:
    """Four bits: what the nibbles of id and data lack to 8, and 3 more with an extended id."""
    extended = 3 if frame.id > 0x7FF else 0
    return (8 - _nibbles(frame.id.to_bytes(4, "big")) - _nibbles(frame.data) + extended) & 0xF


def volkswagen_mqb(frame: Frame) -> int:
    """AUTOSAR's CRC-8 of all bytes behind the first, then of the message's constant for this counter."""
    constant = b"" if frame.data_id is None else bytes([frame.data_id & 0xFF])
    return crc8(frame.others + constant, _AUTOSAR)


volkswagen_pq = xor8


def hyundai(frame: Frame) -> int:
    """Four bits: what the nibbles of the data lack to a multiple of 16."""
    return -_nibbles(frame.data) & 0xF


def hyundai_6b(frame: Frame) -> int:
    """The sum of the first six bytes (steering of cars without CAN FD)."""
    return sum(frame.data[:6]) & 0xFF


_HYUNDAI_ENDS = {8: 0x5F29, 16: 0x041D, 24: 0x819D, 32: 0x9F5B}


def hyundai_canfd(frame: Frame) -> int:
    """CRC-16 (0x1021, from 0) of all bytes behind the first two and of the id, low byte first, and a constant by length."""
    crc = 0
    for byte in frame.data[2:] + bytes([frame.id & 0xFF, frame.id >> 8 & 0xFF]):
        crc = (crc << 8 & 0xFFFF) ^ _XMODEM[(crc >> 8) ^ byte]
    return crc ^ _HYUNDAI_ENDS.get(len(frame.data), 0)
