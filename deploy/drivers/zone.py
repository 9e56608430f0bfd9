"""Where the driver is: the time zone by which days and hours of the day are counted."""

from __future__ import annotations

import os
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schemas.errors import ConfigError

LOCAL = "local"
SYSTEM = Path("/etc/localtime")
"""Where systemd keeps the device's zone (localtime(5))."""


def zone(name: str, *, system: Path = SYSTEM) -> tzinfo:
    """A zone by its name in the IANA data base, or the device's own for `LOCAL`; one that knows when its clocks change.

    Raises:
        ConfigError: there is no zone of that name here.
    """
    wanted = os.environ.get("TZ", LOCAL).removeprefix(":") if name == LOCAL else name
    if wanted == LOCAL:
        return _from_file(system)
    try:
        return ZoneInfo(wanted)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        if name == LOCAL:
            return _from_file(system)  # TZ may hold rules in place of a name
        raise ConfigError(
            f"memory.tiers.zone: there is no time zone {name[:60]!r} on this device: use a name such as Europe/Berlin, "
            f"or {LOCAL!r}"
        ) from None


def _from_file(system: Path) -> tzinfo:
    try:
        with system.open("rb") as file:
            return ZoneInfo.from_file(file, key=LOCAL)
    except (OSError, ValueError):
        return UTC
