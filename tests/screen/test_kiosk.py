"""The kiosk's script, with Debian's Chromium behind it: it waits for the address, opens it once and leaves no profile behind."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.screen_rig import CHROMIUM, SHORT, Rig, absent

START = Path(__file__).parents[2] / "deploy" / "kiosk" / "start"

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py


def test_the_kiosk_opens_the_screen_and_leaves_nothing_behind(rig: Rig, tmp_path: Path) -> None:
    if CHROMIUM is None:
        absent("there is no Chromium here: install Debian's package chromium")
    programs = tmp_path / "bin"
    programs.mkdir()
    shown = programs / "chromium"  # what the script asks for, without a display: it takes a picture and ends
    sandbox = "--no-sandbox" if os.geteuid() == 0 else ""
    picture = tmp_path / "screen.png"
    shown.write_text(f'#!/bin/sh\nexec {CHROMIUM} --headless {sandbox} --screenshot={picture} "$@"\n', "utf-8")
    shown.chmod(0o755)
    address = (tmp_path / "screen.url").read_text("utf-8")
    with tempfile.TemporaryDirectory(dir=SHORT) as temporary:  # Chromium puts a socket into it
        environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": temporary}
        done = subprocess.run(
            [str(START), str(tmp_path)], env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        left = list(Path(temporary).glob("tmp.*"))
    assert done.returncode == 0 and picture.stat().st_size > 1000, done.stderr[-500:]
    assert len(rig.server.screen.door._sessions) == 1
    assert (tmp_path / "screen.url").read_text("utf-8") != address  # it was used, and works no more
    assert left == []
