"""The kiosk with a real Chromium behind it: there before the assistant, brought to every start of it, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.screen import ScreenServer
from tests.screen_rig import CHROMIUM, SHORT, Rig, absent
from tests.screens import parts_of

START = Path(__file__).parents[2] / "deploy" / "kiosk" / "start"
PATIENCE_S = 90.0

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py


def until(fact: Callable[[], bool], what: str) -> None:
    """Wait for something that another program does."""
    for _ in range(int(PATIENCE_S / 0.05)):
        if fact():
            return
        threading.Event().wait(0.05)
    pytest.fail(f"not in {PATIENCE_S:g} s: {what}")


def watched(server: ScreenServer) -> bool:
    """Whether a page of this server is open, with its channel."""
    return len(server.screen.parts.feed.watchers) > 0


@contextmanager
def kiosk(folder: Path, tmp_path: Path) -> Generator[tuple[subprocess.Popen[bytes], Path]]:
    """The script, with a Chromium that needs no display; and the folder in which its profile lies."""
    if CHROMIUM is None:
        absent("there is no Chromium here: install Debian's package chromium")
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    shown = programs / "chromium"
    sandbox = "--no-sandbox" if os.geteuid() == 0 else ""
    shown.write_text(f'#!/bin/sh\nexec {CHROMIUM} --headless {sandbox} "$@"\n', "utf-8")
    shown.chmod(0o755)
    with tempfile.TemporaryDirectory(dir=SHORT) as temporary:  # Chromium puts a socket into it
        environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": temporary}
        running = subprocess.Popen([str(START), str(folder)], env=environment, start_new_session=True)
        try:
            yield running, Path(temporary)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def test_it_is_there_before_the_assistant_and_finds_every_start_of_it(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with kiosk(folder, tmp_path) as (running, temporary):
        until(lambda: any(temporary.glob("glovebox-kiosk-*/*")), "the browser is there before the assistant is")
        with ScreenServer(parts_of(rig.car, rig.drivers, folder), folder) as first:
            until(lambda: watched(first), "the page of the first start is open")
            assert len(first.screen.door._sessions) == 1
        with ScreenServer(parts_of(rig.car, rig.drivers, folder), folder) as second:  # on another port
            until(lambda: watched(second), "the page of the second start is open")
            assert len(second.screen.door._sessions) == 1
            second.screen.door._sessions.clear()  # as when eight other browsers were let in since
            second.screen.parts.feed.changed()
            until(lambda: len(second.screen.door._sessions) == 1 and watched(second), "it came in again")
            running.terminate()
            assert running.wait(60) == 0
            assert not list(temporary.glob("glovebox-kiosk-*"))


def test_a_browser_that_ends_is_started_again(rig: Rig, tmp_path: Path) -> None:
    with kiosk(rig.folder, tmp_path) as (running, _):
        until(lambda: watched(rig.server), "the page is open")
        entered = set(rig.server.screen.door._sessions)
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text("utf-8").split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        until(lambda: bool(set(rig.server.screen.door._sessions) - entered), "another browser was let in")
        running.terminate()
        assert running.wait(60) == 0


def test_installing_is_one_command(tmp_path: Path) -> None:
    systemctl = tmp_path / "systemctl"
    systemctl.write_text('#!/bin/sh\necho "$@" > "$HOME/asked"\n', "utf-8")
    systemctl.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run([str(START), "--install", str(tmp_path / "data")], env=environment, check=True, timeout=120)
    unit = (tmp_path / ".config" / "systemd" / "user" / "glovebox-kiosk.service").read_text("utf-8")
    assert f"ExecStart={START} {tmp_path}/data" in unit and "Restart=always" in unit
    assert (tmp_path / "asked").read_text("utf-8") == "--user enable --now glovebox-kiosk.service\n"
