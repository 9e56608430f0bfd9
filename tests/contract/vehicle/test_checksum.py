"""What every checksum of CAN frames promises (`vehicle.adapters.can.checksums`): ours, and each that another package adds
(docs/extending.md). Whether it is the maker's own arithmetic, only frames of the maker's cars can tell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("can", reason="the extra [can] is not installed")

from vehicle.adapters.can.checksums import CHECKSUMS, Frame, Sum
from vehicle.adapters.can.dbc import load_dbc
from vehicle.adapters.can.frames import Incoming, sealed
from vehicle.adapters.can.network import Checksum, Received

LENGTH = 8


@dataclass(frozen=True)
class Place:
    """Where a family's signal is in a frame of 8 bytes."""

    byte: int = 7
    bits: int = 8
    uncounted: tuple[int, ...] = ()
    """Bytes that it does not prove."""


PLACES = {
    "honda": Place(bits=4),
    "hyundai": Place(bits=4),
    "hyundai_6b": Place(6, uncounted=(7,)),
    "hyundai_canfd": Place(0, bits=16),
    "volkswagen_mqb": Place(0),
}
"""A family that is not here has the last byte, whole."""


@pytest.fixture(params=CHECKSUMS.names())
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def place(kind: str) -> Place:
    return PLACES.get(kind, Place())


def frames(kind: str) -> list[Frame]:
    """What a mapping may bring: any id, any constants or none, with a counter or without."""
    at, bits = place(kind).byte, place(kind).bits
    blank = bytearray(0xFF if number % 2 else 17 * number for number in range(LENGTH))
    for byte in range(at, at + (bits + 7) // 8):
        blank[byte] &= 0xF0 if bits == 4 else 0
    return [
        Frame(name, data, at, counter, constants)
        for name in (0, 0x2E4, 0x7FF, 0x800, 0x1FFF_FFFF)
        for data in (bytes(LENGTH), bytes(blank))
        for counter in (0, 1, 15, 255)
        for constants in ((), (0,), (0xFFFF,), tuple(range(3, 19)))
    ]


def test_it_is_a_whole_number_that_fits_its_signal(kind: str) -> None:
    family: Sum = CHECKSUMS.opener(kind)
    found = [family(frame) for frame in frames(kind)]
    assert {type(one) for one in found} == {int}
    assert min(found) >= 0 and max(found) < 1 << place(kind).bits


def test_it_hangs_on_nothing_but_the_frame(kind: str) -> None:
    family: Sum = CHECKSUMS.opener(kind)
    there = [family(frame) for frame in frames(kind)]
    back = [family(frame) for frame in reversed(frames(kind))]
    assert back[::-1] == there


@pytest.mark.parametrize("order", ["@1+", "@0+"])
@pytest.mark.parametrize("data", ["0000000000000000", "1122334455667788", "ffffffffffffffff"])
def test_what_is_sealed_is_accepted_and_each_flipped_bit_is_found(
    kind: str, order: str, data: str, tmp_path: Path
) -> None:
    at = place(kind)
    start = 8 * at.byte + (min(at.bits, 8) - 1 if order == "@0+" else 0)
    (tmp_path / "car.dbc").write_text(
        f'BU_: CAR\nBO_ 291 X: {LENGTH} CAR\n SG_ SUM : {start}|{at.bits}{order} (1,0) [0|0] "" CAR\n'
    )
    message = load_dbc(tmp_path / "car.dbc")[0].messages[0]
    checksum = Checksum.model_validate({"signal": "SUM", "kind": kind, "data_id": 7})
    whole = sealed(message, checksum, None, bytes.fromhex(data))
    incoming = Incoming(message, Received(checksum=checksum))
    assert incoming.accept(whole)
    counted = [bit for bit in range(8 * LENGTH) if bit // 8 not in at.uncounted]
    for bit in counted:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not incoming.accept(bytes(flipped)), f"bit {bit % 8} of byte {bit // 8}"
    assert incoming.rejected == len(counted)
