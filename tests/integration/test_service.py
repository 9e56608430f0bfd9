"""The shipped systemd unit: the program starts under it, tells the watchdog that its loop runs, and is fenced as the page says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.lab.lasting import start
from deploy.machine.notify import ServiceManager
from tests.integration import service_rig
from tests.integration.service_rig import ROOT, UNIT, settings

STARTS_S = 180
"""As the unit gives it."""


@pytest.fixture
def manager() -> Iterator[socket.socket]:
    """What the service tells."""
    with start.manager() as (heard, _):
        yield heard


def test_its_exposure_is_at_most_1_5() -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here: install Debian's package systemd")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", str(UNIT)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert told.returncode == 0, told.stdout[-500:]
    found = re.search(r"exposure level for glovebox.service: ([0-9.]+)", told.stdout)
    assert found is not None and float(found[1]) <= 1.5


def test_it_is_started_again_without_end_and_watched() -> None:
    told = settings()
    assert (
        told["Restart"] == ["always"] and told["StartLimitIntervalSec"] == ["0"] and float(told["RestartSec"][0]) >= 1
    )
    assert told["Type"] == ["notify"] and 5 <= float(told["WatchdogSec"][0]) <= 60
    assert told["StandardOutput"] == ["null"] and told["LimitCORE"] == ["0"] and told["MemorySwapMax"] == ["0"]
    assert any(value.startswith("glovebox.key:") for value in told["LoadCredentialEncrypted"])


@pytest.mark.socket
def test_the_assistant_runs_under_its_restrictions(tmp_path: Path, manager: socket.socket) -> None:
    if service_rig.lacks():
        pytest.skip(service_rig.lacks())
    home, printed = tmp_path / "own", tmp_path / "printed"
    environment = {
        **os.environ, "GLOVEBOX_HOME": str(home), "GLOVEBOX_PROFILE": "small", "PYTHONPATH": str(ROOT),
        "NOTIFY_SOCKET": str(manager.getsockname()), "WATCHDOG_USEC": "2000000",
    }  # fmt: skip
    glovebox = [sys.executable, "-c", "from deploy.cli import main; raise SystemExit(main())", "run"]
    command = [sys.executable, "-m", "tests.integration.service_rig", str(UNIT), *glovebox]
    manager.settimeout(STARTS_S)
    with (
        printed.open("w") as out,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT) as running,
    ):
        try:
            assert manager.recv(200) == b"READY=1\nWATCHDOG=1", printed.read_text()
            for _ in range(3):
                assert manager.recv(200) == b"WATCHDOG=1"
            address = (home / "screen.url").read_text().strip()
            port = int(address.partition("127.0.0.1:")[2].partition("/")[0])
            with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
                line.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
                assert line.recv(20).startswith(b"HTTP/1.1 401")
            held = Path(f"/proc/{running.pid}/status").read_text()
            assert re.search(r"^CapEff:\t0+$", held, re.MULTILINE) and re.search(r"^Seccomp:\t2$", held, re.MULTILINE)
            limits = Path(f"/proc/{running.pid}/limits").read_text()
            assert re.search(r"^Max core file size +0 +0", limits, re.MULTILINE)
            running.send_signal(signal.SIGTERM)
            while (told := manager.recv(200)) == b"WATCHDOG=1":
                pass
            assert told == b"STOPPING=1" and running.wait(60) == 0
        finally:
            running.kill()
    assert "enter?key=" not in printed.read_text()
    assert (home / "driver.vault").stat().st_mode & 0o777 == 0o600


@pytest.mark.socket
def test_a_beat_is_told_four_times_in_the_managers_time(manager: socket.socket) -> None:
    now = [0.0]
    given = {"NOTIFY_SOCKET": str(manager.getsockname()), "WATCHDOG_USEC": "4000000"}
    alive = ServiceManager(given, lambda: now[0])
    for _ in range(125):  # four seconds of frames
        alive.beat()
        now[0] += 0.032
    manager.setblocking(False)
    told: list[bytes] = []
    while True:
        try:
            told.append(manager.recv(100))
        except BlockingIOError:
            break
    assert told == [b"READY=1\nWATCHDOG=1", b"WATCHDOG=1", b"WATCHDOG=1", b"WATCHDOG=1"]


@pytest.mark.socket
@pytest.mark.parametrize("given", [{}, {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "x"}])
def test_without_a_manager_nothing_is_told_and_nothing_fails(given: dict[str, str]) -> None:
    alive = ServiceManager(given)
    alive.beat()
    alive.ending()


def test_another_process_of_the_same_user_cannot_look_in() -> None:
    watch = (
        "import ctypes; from deploy.cli import main; main(['--version']);"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)); print(open('/proc/self/limits').read()); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", watch], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as hidden:
        assert hidden.stdout is not None and hidden.stdin is not None
        assert hidden.stdout.readline().startswith("glovebox")
        assert hidden.stdout.readline() == "0\n"  # PR_GET_DUMPABLE; who tests as root owns the files below in any case
        limits = ""
        until = time.monotonic() + 30
        while "Max core" not in limits and time.monotonic() < until:
            limits += hidden.stdout.readline()
        assert re.search(r"Max core file size +0 +0", limits)
        owner = Path(f"/proc/{hidden.pid}/mem").stat().st_uid
        assert owner == 0  # not the user's: prctl(2), PR_SET_DUMPABLE
        hidden.stdin.write("\n")
