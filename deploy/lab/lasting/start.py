"""``glovebox bench start``: from the start of the service to its "ready", by the clock and by the processors' time.

Starts ``glovebox run`` as the service manager does, again and again, with a memory of its own and a simulated car, and waits until
it says READY=1: then the voice loop goes round, so that the wake word and a command are heard and done. There need be no sound
card: the assistant waits for one. The first start may have to compute what the others find kept (``models.computed``).
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.config import Config
from deploy.lab.report.blocks import Progress
from schemas.errors import EngineMissingError

LONGEST_S = 180.0
"""As ``TimeoutStartSec`` in ``deploy/systemd/glovebox.service``."""
ENDING_S = 30.0
_MAIN = "import sys; from deploy.cli import main; sys.exit(main())"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Starts:
    """What the starts took, seconds each."""

    clock: list[float] = field(default_factory=list[float])
    own: list[float] = field(default_factory=list[float])
    """Processor time of the assistant's own process."""
    all: list[float] = field(default_factory=list[float])
    """The same with the processes that it has started."""
    load: float = 0.0
    """Of the machine when the first began."""

    def told(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "starts": len(self.clock),
            "ready_s": [round(one, 2) for one in self.clock],
            "median_s": round(statistics.median(self.clock), 2),
            "processor_own_s": round(statistics.median(self.own), 2),
            "processor_all_s": round(statistics.median(self.all), 2),
            "load": round(self.load, 1),
        }


def start(config: Config, times: int, tell: Progress) -> Starts:
    """Start it so many times, one after the other.

    Args:
        config: whose profile and models are used.
        times: how often.
        tell: hears how far it is.

    Raises:
        schemas.errors.EngineMissingError: it ended before it was ready, or was not ready within ``LONGEST_S``.
    """
    found = Starts(load=os.getloadavg()[0])
    with tempfile.TemporaryDirectory(prefix="glovebox-start-") as place:
        for number in range(times):
            tell("starts", number, times)
            clock, own, all_ = _once(config, Path(place))
            found.clock.append(clock)
            found.own.append(own)
            found.all.append(all_)
    return found


def command(config: Config, home: Path, address: Path, *settings: str) -> tuple[list[str], dict[str, str]]:
    """The service's command and environment: with the profile and models of a configuration, a home of its own, a simulated car.

    Args:
        config: whose profile and models are used.
        home: its home; the vault's key is a file beside the vault.
        address: where it says that it is ready.
        settings: more of them, ``name=value``.
    """
    chosen = ("memory.key.source=file", "vehicle.adapter=simulated", *settings)
    words = [word for one in chosen for word in ("--set", one)]
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    """As the service manager's: what Python compiled is there from the second start on."""
    environment = {
        **given, "NOTIFY_SOCKET": str(address), "GLOVEBOX_DATA__MODELS": str(config.data.models.absolute()),
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }  # fmt: skip
    return [
        sys.executable, "-c", _MAIN, "--profile", config.profile, "--home", str(home), *words, "run",
    ], environment  # fmt: skip


def _once(config: Config, place: Path) -> tuple[float, float, float]:
    with manager() as (line, address):
        run, environment = command(config, place / "home", address)
        line.settimeout(0.25)
        began = time.monotonic()
        with subprocess.Popen(
            run, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=place
        ) as process:
            try:
                while not ready(line):
                    if process.poll() is not None or time.monotonic() - began > LONGEST_S:
                        process.kill()
                        last = (process.stderr.read() if process.stderr is not None else b"").decode(errors="replace")
                        raise EngineMissingError(f"the assistant did not become ready: {last.strip()[-300:]}")
                clock = time.monotonic() - began
                tree = family(process.pid)
                return clock, tree[process.pid], sum(tree.values())
            finally:
                process.terminate()
                try:
                    process.wait(ENDING_S)
                except subprocess.TimeoutExpired:
                    process.kill()


@contextmanager
def manager() -> Generator[tuple[socket.socket, Path]]:
    """A socket that hears what the service tells, and its address: in /tmp, since an address has at most 107 letters."""
    with (
        tempfile.TemporaryDirectory(prefix="glovebox-", dir="/tmp") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line,
    ):
        address = Path(folder) / "notify"
        line.bind(str(address))
        yield line, address


def ready(line: socket.socket) -> bool:
    """Whether it says that it is ready, waited for as long as the socket waits."""
    try:
        return b"READY=1" in line.recv(4096)
    except (TimeoutError, BlockingIOError):
        return False


def family(first: int) -> dict[int, float]:
    """Processor seconds of a process and of all that came of it and live (proc_pid_stat(5), fields 4, 14 and 15)."""
    seconds, parent = dict[int, float](), dict[int, int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parent[number] = int(fields[1])
        seconds[number] = (int(fields[11]) + int(fields[12])) / _TICKS
    ours = {first}
    while more := {one for one, of in parent.items() if of in ours} - ours:
        ours |= more
    return {one: seconds[one] for one in ours}
