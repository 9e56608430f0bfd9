"""A process without a network, by the kernel's own word: from `forbid` on, a socket other than AF_UNIX ends it with SIGSYS.

Linux's seccomp (seccomp(2), "filter mode"); it holds for every thread and every program that the process starts.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOCKET = {"x86_64": 41, "aarch64": 198}.get(platform.machine())
"""Number of the call socket(2), from the kernel's tables."""
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_UNIX = 1


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def forbid() -> None:
    """Take the network from this process for good."""
    steps = (
        (_LOAD, 0, 0, 0),  # the call's number
        (_EQUAL, 0, 3, SOCKET or 0),
        (_LOAD, 0, 0, 16),  # its first argument: the family
        (_EQUAL, 1, 0, _UNIX),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = _Program(len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel does not take the filter")


def command(*arguments: str) -> list[str]:
    """How Python is started with these arguments and without a network."""
    start = "import os, sys; from tests.no_sockets import forbid; forbid(); os.execv(sys.executable, sys.argv[1:])"
    return [sys.executable, "-c", start, sys.executable, *arguments]


def run(arguments: Sequence[str], *, unset: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, without a network, in the project's folder; ``unset`` are taken from its environment."""
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        command(*arguments), cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=500
    )
