"""A process under the restrictions of the shipped systemd unit, as far as they can be had without systemd as the first process.

Applied are the filter of system calls and of address families (by libseccomp, with systemd's own lists of calls), the limits, the
umask, and that there are no rights at all. Not applied is what takes mounts and control groups: the read-only system, the hidden
processes and devices, the private users. `python -m tests.integration.service_rig UNIT COMMAND...` becomes the command.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import resource
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "systemd" / "glovebox.service"
_ALLOW, _EQUAL = 0x7FFF0000, 4
_ERRNO = 0x00050000
_CAP_BSET_DROP, _NO_NEW_PRIVS, _LAST_CAP = 24, 38, 63


class _Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def lacks() -> str:
    """What is missing for it here; empty where all is there."""
    if ctypes.util.find_library("seccomp") is None:
        return "there is no libseccomp here"
    return (
        "" if shutil.which("systemd-analyze") else "there is no systemd-analyze here: install Debian's package systemd"
    )


def settings(unit: Path = UNIT) -> dict[str, list[str]]:
    """Every setting of a unit with its values in order."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text("utf-8").splitlines():
        name, mark, value = line.partition("=")
        if mark and not name.startswith(("#", "[")):
            found.setdefault(name, []).append(value)
    return found


def calls(filters: list[str]) -> frozenset[str]:
    """The system calls that a unit's filters leave over."""
    allowed: set[str] = set()
    for one in filters:
        named = {call for name in one.lstrip("~").split() for call in _calls_of(name)}
        allowed = allowed - named if one.startswith("~") else allowed | named
    return frozenset(allowed)


def _calls_of(name: str) -> Iterator[str]:
    if not name.startswith("@"):
        yield name
        return
    told = subprocess.run(
        ["systemd-analyze", "syscall-filter", name],  # noqa: S607
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for line in told.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            yield from _calls_of(word)


def confine(unit: Path) -> None:
    """Put this process and all that it starts under a unit's restrictions, for good."""
    told = settings(unit)
    families = [getattr(socket, name) for name in " ".join(told["RestrictAddressFamilies"]).split()]
    allowed = calls(told["SystemCallFilter"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(int(told["UMask"][-1], 8))
    assert told["CapabilityBoundingSet"] == [""]
    libc = ctypes.CDLL(None, use_errno=True)
    for right in range(_LAST_CAP):
        libc.prctl(_CAP_BSET_DROP, right, 0, 0, 0)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    library.seccomp_init.restype = ctypes.c_void_p
    made = ctypes.c_void_p(library.seccomp_init(_ERRNO | errno.EPERM))
    for call in allowed - {"socket"}:
        number = library.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            library.seccomp_rule_add_array(made, _ALLOW, number, 0, None)
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in families:
        compare = _Compare(0, _EQUAL, family, 0)
        library.seccomp_rule_add_array(made, _ALLOW, number, 1, ctypes.byref(compare))
    if library.seccomp_load(made) != 0:
        raise OSError("the kernel does not take the filter")


if __name__ == "__main__":
    confine(Path(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606
