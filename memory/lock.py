"""One writer a vault: an advisory lock on a file beside it.

The kernel holds the lock, so a killed process leaves none behind; the file stays and is only the lock's name (removing it
would let two processes lock two files of one name).
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
        self._handle = -1
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise MemoryStoreError(
                f"the lock file {path} cannot be opened ({error.strerror}): make the folder writable"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            raise VaultBusyError(
                f"the vault of {path.name} is in use by process {holder}: end that process, or wait for it"
            ) from None
        self._handle = handle
        with contextlib.suppress(
            OSError
        ):  # a full disk must not keep a vault shut: the process id is only for messages
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode("ascii"), 0)

    def release(self) -> None:
        """Let others in; may be called again."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
