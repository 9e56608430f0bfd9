"""When the device ends: after the ignition has been off for a while, or at once when the voltage falls.

Owns the rule (`Power`, without I/O), what it reads (a file that another program of the car writes, a line of GPIO, or what the
assistant tells of the vehicle), and the assistant's side of that (`telling`). What ends the device is the service manager: it stops
the assistant first, which ends its trip. What is not known changes nothing: a program that crashed is no ignition that is off, and
a car that falls asleep after it said "off" says nothing more.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from schemas.errors import ConfigError

LOOK_S = 0.5
"""Between two looks; one starts a program where it is GPIO's. Our choice."""
FRESH_S = 10.0
"""Older than that, what the assistant told of the ignition counts as unknown."""
TOLD = Path("/run/glovebox/ignition")
"""Where the assistant tells it: the unit's ``RuntimeDirectory``."""
GPIO = re.compile(r"gpio:(?P<chip>[a-z0-9]+)/(?P<line>[0-9]+)(?P<low>:low)?")
_PATIENCE_S = 5.0

_log = logging.getLogger("glovebox.power")

Why = Literal["ignition", "voltage"]


@dataclass(slots=True)
class Power:
    """Whether it is time to end, of what is seen and when.

    Args:
        off_after_s: seconds that the ignition must have been seen off without a break; a start of the engine cuts it for less.
        low_after_s: the same of the voltage.
    """

    off_after_s: float
    low_after_s: float
    _off_since: float | None = None
    _low_since: float | None = None

    def see(self, now: float, ignition: bool | None, low: bool | None) -> Why | None:
        """Take what is seen.

        Args:
            now: seconds of a clock that only goes forward.
            ignition: on, off, or unknown.
            low: whether the voltage is low.

        Returns:
            Why it is time to end; None: it is not.
        """
        self._off_since = _since(self._off_since, now, None if ignition is None else not ignition)
        self._low_since = _since(self._low_since, now, low)
        if self._low_since is not None and now - self._low_since >= self.low_after_s:
            return "voltage"
        if self._off_since is not None and now - self._off_since >= self.off_after_s:
            return "ignition"
        return None


def _since(before: float | None, now: float, so: bool | None) -> float | None:
    """Since when it is so; what is not known leaves it."""
    if so is None:
        return before
    return (now if before is None else before) if so else None


class Switch(Protocol):
    """Something that is on, off, or not known."""

    def __call__(self) -> bool | None:
        """What it is now."""
        ...


def of_file(path: Path, fresh_s: float | None = None, now: Callable[[], float] = time.time) -> Switch:
    """A file whose first word is 1 or 0, ``on`` or ``off``; older than so many seconds it is not known."""

    def look() -> bool | None:
        try:
            with path.open("rb") as file:
                if fresh_s is not None and now() - os.fstat(file.fileno()).st_mtime > fresh_s:
                    return None
                word = file.read(16).split()[:1]
        except OSError:
            return None
        return {b"1": True, b"on": True, b"0": False, b"off": False}.get(word[0] if word else b"")

    return look


def of_gpio(source: str, program: str = "gpioget") -> Switch:
    """A line of GPIO by libgpiod's ``gpioget``: version 1 (Debian 12) or 2.

    Args:
        source: ``gpio:CHIP/LINE``; ``:low`` behind it where 0 is on.
        program: the command.

    Raises:
        schemas.errors.ConfigError: it is written otherwise, or gpioget is not installed.
    """
    named = GPIO.fullmatch(source)
    if named is None:
        raise ConfigError(f"{source!r} is no line of GPIO: write gpio:CHIP/LINE, such as gpio:gpiochip0/17")
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        raise ConfigError(f"{source} needs the command {program}: apt install gpiod") from None
    first = [program, named["chip"], named["line"]]
    command = first if "v1." in told.stdout else [program, "--numeric", "--chip", named["chip"], named["line"]]
    on = "0" if named["low"] else "1"

    def look() -> bool | None:
        try:
            found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            return None
        value = found.stdout.strip()
        return value == on if found.returncode == 0 and value in {"0", "1"} else None

    return look


def switch(source: str, told: Path = TOLD) -> Switch:
    """What a setting names: ``none``, ``vehicle``, ``file:PATH`` or ``gpio:CHIP/LINE``.

    Raises:
        schemas.errors.ConfigError: it names none of them, or gpioget is missing.
    """
    if source == "none":
        return lambda: None
    if source == "vehicle":
        return of_file(told, FRESH_S)
    if source.startswith("file:"):
        return of_file(Path(source.removeprefix("file:")))
    return of_gpio(source)


def watch(
    power: Power,
    ignition: Switch,
    low: Switch,
    end: Callable[[Why], None],
    *,
    wait: Callable[[float], object] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> None:
    """Look until it is time to end, and end once."""
    while (why := power.see(monotonic(), ignition(), low())) is None:
        wait(LOOK_S)
    end(why)


def end_system(why: Why) -> None:
    """Have the service manager end the system in order: systemctl(1), ``poweroff``.

    Raises:
        schemas.errors.ConfigError: there is no service manager that does it.
    """
    _log.warning("the device ends: %s", {"ignition": "the ignition is off", "voltage": "the voltage is low"}[why])
    try:
        subprocess.run(["systemctl", "poweroff"], check=True, timeout=60)  # noqa: S607 - of the system's own path
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"systemctl poweroff failed ({type(error).__name__}): is this run by the unit?") from error


@contextlib.contextmanager
def telling(ignition: Callable[[], bool | None], path: Path = TOLD, *, every_s: float = FRESH_S / 5) -> Generator[None]:
    """Tell `switch` of another process what the vehicle says of the ignition, while this lasts; what is unknown is not told.

    Args:
        ignition: asks the vehicle.
        path: the file; where its folder is not there, nothing is told.
        every_s: seconds between two looks.
    """
    if not path.parent.is_dir():
        yield
        return
    ended = threading.Event()

    def tell() -> None:
        while True:
            on = ignition()
            with contextlib.suppress(OSError):
                if on is None:
                    path.unlink(missing_ok=True)
                else:
                    new = path.with_suffix(".new")
                    new.write_text(f"{on:d}\n", "ascii")
                    new.chmod(0o644)
                    new.replace(path)
            if ended.wait(every_s):
                return

    thread = threading.Thread(target=tell, name="ignition", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
