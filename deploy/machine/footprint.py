"""What the assistant weighs: the resident memory of a process and of all that it started. Linux only (``/proc``)."""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc")


def resident_mb(root: int | None = None, proc: Path = PROC) -> float:
    """Megabytes (10^6 bytes) that a process and its descendants hold; pages that they share count once for each.

    Args:
        root: the process; None for this one.
        proc: the folder of processes.
    """
    children: dict[int, list[int]] = {}
    for folder in proc.iterdir():
        if folder.name.isdigit():
            children.setdefault(int(_status(folder).get("PPid", 0)), []).append(int(folder.name))
    total, open_ones = 0.0, [os.getpid() if root is None else root]
    while open_ones:
        one = open_ones.pop()
        open_ones += children.get(one, [])
        total += _status(proc / str(one)).get("VmRSS", 0.0)
    return total * 1024.0 / 1e6


def _status(folder: Path) -> dict[str, float]:
    """The numbers that are looked at; none where the process has ended meanwhile."""
    try:
        lines = (folder / "status").read_text("utf-8").splitlines()
    except OSError:
        return {}
    return {
        name: float(rest.split()[0])
        for name, _, rest in (line.partition(":") for line in lines)
        if name in {"PPid", "VmRSS"}
    }
