"""An export handed out: to a stick, and once over one interface of the machine, to who knows the address and nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.showing.handing import Handing, OneFile, interfaces, sticks
from schemas.errors import MemoryStoreError
from tests.vehicle_rigs import until

pytestmark = pytest.mark.socket  # the file is fetched over the loopback interface


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "ada.json").write_text('{"memory": "jazz"}', "utf-8")
    return folder


class Park:
    parked = True

    def __call__(self) -> bool:
        return self.parked


@pytest.fixture
def hands(exports: Path, tmp_path: Path) -> Iterator[Handing]:
    stick = tmp_path / "STICK"
    stick.mkdir()
    made = Handing(
        exports, Park(), find_sticks=lambda: {"STICK": stick}, find_networks=lambda: {"wlan0": "127.0.0.1"}, open_s=60
    )
    yield made
    made.withdraw()


def fetch(address: str, path: str | None = None, method: str = "GET") -> bytes:
    parts = urlsplit(address)
    assert parts.hostname is not None and parts.port is not None
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as asking:
        asking.sendall(f"{method} {parts.path if path is None else path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        said = b""
        while piece := asking.recv(4096):
            said += piece
    return said


def ends(server: OneFile) -> bool:
    until(lambda: server.over, "its end")
    return True


def refused(address: str) -> bool:
    try:
        assert b"jazz" not in fetch(address), "it is given once"
    except ConnectionError as error:
        return isinstance(error, ConnectionRefusedError)
    return False


def test_it_is_copied_to_the_stick(hands: Handing, tmp_path: Path) -> None:
    assert hands.sticks() == ("STICK",)
    hands.copy("ada.json", "STICK")
    assert [path.name for path in (tmp_path / "STICK").iterdir()] == ["ada.json"]
    assert (tmp_path / "STICK" / "ada.json").read_text("utf-8") == '{"memory": "jazz"}'
    with pytest.raises(MemoryStoreError, match="not there any more"):
        hands.copy("ada.json", "OTHER")


def test_a_stick_that_cannot_be_written_to_is_told_and_nothing_half_is_left(hands: Handing, tmp_path: Path) -> None:
    (tmp_path / "STICK").rmdir()
    with pytest.raises(MemoryStoreError, match="cannot be written"):
        hands.copy("ada.json", "STICK")


def test_it_is_given_once_to_who_knows_the_address_and_to_nobody_else(hands: Handing) -> None:
    offered = hands.offer("ada.json", "wlan0")
    assert offered.address.startswith("http://127.0.0.1:") and offered.cells.startswith("M") and offered.size >= 21
    for path, method in (("/", "GET"), ("/../ada.json", "GET"), ("/ada.json", "GET"), (None, "POST"), (None, "HEAD")):
        assert fetch(offered.address, path, method).startswith(b"HTTP/1.1 404")
    given = fetch(offered.address)
    assert given.startswith(b"HTTP/1.1 200") and given.endswith(b'{"memory": "jazz"}') and b"no-store" in given
    until(lambda: refused(offered.address), "its end")


def test_it_ends_with_its_time_and_when_it_is_withdrawn(exports: Path) -> None:
    assert ends(OneFile(exports / "ada.json", "127.0.0.1", Park(), 0.0))
    open_ = OneFile(exports / "ada.json", "127.0.0.1", Park(), 60.0)
    open_.close()
    assert ends(open_)


def test_it_ends_when_the_car_moves_and_when_what_it_holds_was_forgotten(exports: Path) -> None:
    park = Park()
    moving = OneFile(exports / "ada.json", "127.0.0.1", park, 60.0)
    park.parked = False
    assert ends(moving)
    gone = OneFile(exports / "ada.json", "127.0.0.1", Park(), 60.0)
    (exports / "ada.json").unlink()
    assert ends(gone)


def test_only_removable_media_that_can_be_written_to_are_sticks(tmp_path: Path) -> None:
    for disk, part, removable in (("sda", "sda1", "0"), ("sdb", "sdb1", "1"), ("sdc", "sdc1", "1")):
        (tmp_path / "devices" / disk / part).mkdir(parents=True)
        (tmp_path / "devices" / disk / "removable").write_text(f"{removable}\n", "ascii")
        (tmp_path / "block").mkdir(exist_ok=True)
        (tmp_path / "block" / part).symlink_to(tmp_path / "devices" / disk / part)
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda1 / ext4 rw,noatime 0 0\n/dev/sdb1 /media/pi/MY\\040STICK vfat rw 0 0\n"
        "/dev/sdc1 /media/pi/OLD vfat ro 0 0\nproc /proc proc rw 0 0\n",
        "utf-8",
    )
    assert sticks(mounts, tmp_path / "block") == {"MY STICK": Path("/media/pi/MY STICK")}


def test_the_loopback_interface_is_no_network_of_the_car() -> None:
    assert "lo" not in interfaces() and "127.0.0.1" not in interfaces().values()
