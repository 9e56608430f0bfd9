"""Chromium, once for each file of tests, and a screen for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.screen_rig import CHROMIUM, SHORT, Rig, absent

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")  # not longer: while Playwright runs, no other test can have an event loop
def chromium() -> Iterator[Browser]:
    if find_spec("playwright") is None:
        absent("the package playwright is not installed")
    if CHROMIUM is None:
        absent("there is no Chromium here: install Debian's package chromium")
    from playwright.sync_api import sync_playwright

    # Chromium's own sandbox needs rights that a container's root does not have.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with pytest.MonkeyPatch.context() as patched, sync_playwright() as running:
        patched.setenv("TMPDIR", SHORT)
        browser = running.chromium.launch(executable_path=CHROMIUM, args=arguments, env=dict(os.environ))
        yield browser
        browser.close()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    with made.server:
        yield made
