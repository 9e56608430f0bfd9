"""How warm and how fast the machine is, beside every round. Linux only (``/sys``); None for what it does not tell."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SYS, PROC = Path("/sys"), Path("/proc")


@dataclass(frozen=True, slots=True)
class Condition:
    """The machine at one moment."""

    celsius: float | None
    """The hottest of its sensors."""
    megahertz: float | None
    """Mean clock of its cores."""
    load: float
    """Runnable processes, the mean of a minute: more than its cores means that others were at work."""

    def told(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def condition(sys: Path = SYS, proc: Path = PROC) -> Condition:
    """Now."""
    warm = [_number(file) for file in sorted(sys.glob("class/thermal/thermal_zone*/temp"))]
    clocks = [_number(file) for file in sorted(sys.glob("devices/system/cpu/cpu*/cpufreq/scaling_cur_freq"))]
    found = [clock / 1000.0 for clock in clocks if clock] or _cpuinfo(proc, "cpu MHz")
    return Condition(
        celsius=max((degrees / 1000.0 for degrees in warm if degrees), default=None),
        megahertz=round(sum(found) / len(found), 1) if found else None,
        load=os.getloadavg()[0],
    )


def processor(proc: Path = PROC) -> str:
    """Its name and how many cores; runs on another are not compared."""
    for line in _lines(proc):
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Model"}:
            return f"{value.strip()}, {os.cpu_count()} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


def _cpuinfo(proc: Path, wanted: str) -> list[float]:
    return [float(value) for name, _, value in (line.partition(":") for line in _lines(proc)) if name.strip() == wanted]


def _lines(proc: Path) -> list[str]:
    try:
        return (proc / "cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return []


def _number(file: Path) -> float | None:
    try:
        return float(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
