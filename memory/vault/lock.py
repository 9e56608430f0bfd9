"""One writer a vault: an advisory lock on a file beside it.

The kernel holds the lock, so a killed process leaves none behind; the file stays and is only the lock's name. It goes with its
driver alone (`VaultLock.remove`): who locked a file that has gone meanwhile tries again, so that two never lock two files of
one name.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from schemas.errors import MemoryStoreError, VaultBusyError


class VaultLock:
    """An exclusive lock, held from construction to `release`."""

    def __init__(self, path: Path) -> None:
        """Take the lock.

        Raises:
            VaultBusyError: somebody else holds it; the message names the process.
            MemoryStoreError: the lock file cannot be made.
        """
        self._path = path
        self._handle = -1
        while self._handle < 0:
            self._handle = _locked(path)
        with contextlib.suppress(OSError):  # a full disk must not keep a vault shut: the id is only for messages
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"{os.getpid()}\n".encode("ascii"), 0)

    def release(self) -> None:
        """Let others in; may be called again."""
        if self._handle >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, 0)  # nobody is told a process that no longer holds it
            os.close(self._handle)
            self._handle = -1

    def remove(self) -> None:
        """Remove the file, still holding the lock: when nothing is left that it would guard."""
        self._path.unlink(missing_ok=True)


def _locked(path: Path) -> int:
    """A handle that holds the lock; -1 when the file was removed between opening and locking it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise MemoryStoreError(
            f"the lock file {path} cannot be opened ({error.strerror}): make the folder writable"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        told = _in_use(path, handle)
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise VaultBusyError(told) from None
        raise MemoryStoreError(f"the lock file {path} cannot be locked ({error.strerror})") from error
    if os.fstat(handle).st_nlink == 0:
        os.close(handle)
        return -1
    return handle


def _in_use(path: Path, handle: int) -> str:
    holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    if holder == str(os.getpid()):
        return f"the vault of {path.name} is open already in this process ({holder}): close it first"
    return (
        f"the vault of {path.name} is in use by process {holder or 'unknown'}, most likely the running assistant: "
        "ask it, end it, or wait for it"
    )
