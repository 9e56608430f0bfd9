"""An export handed out: copied to a USB stick, or once over the car's own network, to whoever scans the address from the panel.

Owns the server for that: it listens on one interface that was chosen, gives this one file to the first who knows the address, and
ends with that, after ``OPEN_S``, when the car is not surely parked any more, or when the file is gone. Whatever else is asked of it
is not found. What goes over the air is as open as that network is; the page says so.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import secrets
import shutil
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from memory.screen.parts import Offered
from schemas.errors import MemoryStoreError, StorageFullError

OPEN_S = 180.0
"""How long a file waits to be fetched: for a telephone to be taken out, join the network and look at the panel. Our choice."""
SAYS_S = 3.0
"""How long somebody who connects may take to say what they want."""
LONGEST = 2048
"""Bytes of a request that are read."""
_SIOCGIFADDR = 0x8915
_PRIVATE = [ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")]


def interfaces() -> Mapping[str, str]:
    """The interfaces of this machine with an address of a private network, and that address; Linux only."""
    found: dict[str, str] = {}
    if sys.platform != "linux":
        return found
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for name in sorted(
            path.name for path in Path("/sys/class/net").glob("*")
        ):  # asking the kernel needs AF_NETLINK
            with suppress(OSError):
                told = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                address = socket.inet_ntoa(told[20:24])
                if any(ipaddress.ip_address(address) in net for net in _PRIVATE):
                    found[name] = address
    return found


def sticks(mounts: Path = Path("/proc/self/mounts"), blocks: Path = Path("/sys/class/block")) -> Mapping[str, Path]:
    """Removable media that are mounted and can be written to, by the name of their folder."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        for line in mounts.read_text("utf-8").splitlines():
            device, folder, _, options = [*line.split(), "", "", "", ""][:4]
            disk = (blocks / Path(device).name).resolve()
            if not device.startswith("/dev/") or "rw" not in options.split(","):
                continue
            flags = [one / "removable" for one in (disk, disk.parent)]  # a partition lies in its disk's folder
            if any(flag.is_file() and flag.read_text("ascii").strip() == "1" for flag in flags):
                place = Path(folder.replace("\\040", " "))
                found[place.name] = place
    return found


class Handing:
    """Meets ``memory.screen.parts.Hands``."""

    def __init__(
        self,
        exports: Path,
        parked: Callable[[], bool],
        *,
        find_sticks: Callable[[], Mapping[str, Path]] = sticks,
        find_networks: Callable[[], Mapping[str, str]] = interfaces,
        open_s: float = OPEN_S,
    ) -> None:
        """Of the folder with the exports; ``parked`` tells whether the car surely is."""
        self._exports, self._parked, self._open_s = exports, parked, open_s
        self._find_sticks, self._find_networks = find_sticks, find_networks
        self._server: OneFile | None = None

    def sticks(self) -> tuple[str, ...]:
        """See ``Hands``."""
        return tuple(self._find_sticks())

    def networks(self) -> tuple[str, ...]:
        """See ``Hands``."""
        return tuple(self._find_networks())

    def copy(self, name: str, stick: str) -> None:
        """See ``Hands``."""
        folder = self._find_sticks().get(stick)
        if folder is None:
            raise MemoryStoreError("that stick is not there any more")
        part = folder / f".{name}.part"
        try:
            with (self._exports / name).open("rb") as source, part.open("wb") as copy:
                shutil.copyfileobj(source, copy)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(folder / name)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            kind = StorageFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else MemoryStoreError
            raise kind(f"the stick cannot be written to: {error.strerror}") from error

    def offer(self, name: str, network: str) -> Offered:
        """See ``Hands``."""
        address = self._find_networks().get(network)
        if address is None:
            raise MemoryStoreError("that network is not there any more")
        self.withdraw()
        try:
            self._server = OneFile(self._exports / name, address, self._parked, self._open_s)
        except OSError as error:
            raise MemoryStoreError(f"nothing can be offered on that network: {error.strerror}") from error
        import segno

        rows = segno.make(self._server.address, error="m", micro=False).matrix
        cells = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, on in enumerate(row) if on)
        return Offered(self._server.address, cells, len(rows), round(self._open_s))

    def withdraw(self) -> None:
        """See ``Hands``."""
        if self._server is not None:
            self._server.close()
            self._server = None


class OneFile:
    """A server for one file, once."""

    def __init__(self, path: Path, host: str, parked: Callable[[], bool], open_s: float) -> None:
        """Listening.

        Raises:
            OSError: not on this address.
        """
        self._path, self._parked, self._until = path, parked, time.monotonic() + open_s
        self._word = secrets.token_urlsafe(16)
        self._socket = socket.create_server((host, 0), backlog=4)
        self._socket.settimeout(0.25)
        self.address = f"http://{host}:{self._socket.getsockname()[1]}/{self._word}"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="handing", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it listens no more."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Listen no more, within a quarter of a second; nobody waits for it."""
        self._over.set()

    def _serve(self) -> None:
        with self._socket:
            while not self._over.is_set() and time.monotonic() < self._until and self._allowed():
                try:
                    caller, _ = self._socket.accept()
                except TimeoutError:
                    continue
                except OSError:
                    return
                with caller, suppress(OSError):
                    caller.settimeout(SAYS_S)
                    if self._answered(caller):
                        return

    def _allowed(self) -> bool:
        return self._path.is_file() and self._parked()

    def _answered(self, caller: socket.socket) -> bool:
        """Whether the file was given."""
        said = b""
        until = time.monotonic() + SAYS_S
        while b"\r\n\r\n" not in said and len(said) < LONGEST and time.monotonic() < until:
            piece = caller.recv(LONGEST)
            if not piece:
                break
            said += piece
        wanted = said.partition(b"\r\n")[0].split(b" ")
        right = f"/{self._word}".encode()
        asked = len(wanted) == 3 and wanted[0] == b"GET" and secrets.compare_digest(wanted[1], right)
        if not asked or self._over.is_set() or not self._allowed():
            caller.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return False
        data = self._path.read_bytes()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
            f'Content-Disposition: attachment; filename="{self._path.name}"\r\n'
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
        caller.sendall(head.encode("ascii", "replace") + data)
        return True
