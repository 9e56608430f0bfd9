"""The program's memory, kept from others: keys and what was said are in it.

No core dump is written, and no other process of the same user may look in (ptrace, /proc/PID/mem); root may. What may be swapped
out is the unit's to say (``MemorySwapMax=0``). SQLCipher's ``cipher_memory_security`` stays off, and nothing is locked (ADR 44).
"""

from __future__ import annotations

import ctypes
import resource

_SET_DUMPABLE = 4
"""PR_SET_DUMPABLE of prctl(2)."""


def hide() -> None:
    """For good; programs that this one starts are ordinary ones, but write no core dump either."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
