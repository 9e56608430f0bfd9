"""The kiosk with a real Chromium behind it: there before the assistant, brought to every start of it, nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.screen import ScreenServer
from memory.screen.sessions import Session
from tests.screen_rig import CHROMIUM, SHORT, Rig, absent, others_come_in
from tests.screens import parts_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


def noting(server: ScreenServer, entered: list[Session]) -> ScreenServer:
    """The server, which notes every browser that it lets in."""
    enter = server.screen.door.enter

    def noted(secret: str) -> Session | None:
        session = enter(secret)
        entered.extend(() if session is None else (session,))
        return session

    server.screen.door.enter = noted
    return server


def _program(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
    file.chmod(0o755)


@contextmanager
def kiosk(folder: Path, tmp_path: Path, *flags: str, cog: str = "") -> Generator[tuple[subprocess.Popen[bytes], Path]]:
    """The script, with a Chromium that needs no display, or a Cog of these lines; where its profile lies. It says into ``said``."""
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("bash", "sh", "python3", "dirname", "readlink", "sleep"):  # and no browser that the machine may have
        if not (programs / name).exists():
            (programs / name).symlink_to(f"/usr/bin/{name}")
    if cog:
        _program(programs / "cog", cog)
    elif CHROMIUM is None:
        absent("there is no Chromium here: install Debian's package chromium")
    sandbox, extra = "--no-sandbox" if os.geteuid() == 0 else "", " ".join(flags)
    if not cog:
        _program(programs / "chromium", f'PATH=/usr/bin:/bin exec {CHROMIUM} --headless {sandbox} {extra} "$@"')
    with tempfile.TemporaryDirectory(dir=SHORT) as temporary:  # Chromium puts a socket into it
        environment = {**os.environ, "PATH": str(programs), "TMPDIR": temporary}
        with (tmp_path / "said").open("ab") as said:
            running = subprocess.Popen(
                [str(START), str(folder)], env=environment, start_new_session=True, stdout=said, stderr=said
            )
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
        entered = list[Session]()
        with noting(ScreenServer(parts_of(rig.car, rig.drivers, folder), folder), entered) as first:
            until(lambda: watched(first), "the page of the first start is open")
            assert len(entered) == 1
        with noting(ScreenServer(parts_of(rig.car, rig.drivers, folder), folder), entered) as second:  # on another port
            until(lambda: watched(second), "the page of the second start is open")
            assert len(entered) == 2
            others_come_in(second)
            entered.clear()
            second.screen.parts.feed.changed()
            until(lambda: len(entered) == 1 and watched(second), "it came in again")
            running.terminate()
            assert running.wait(60) == 0
            assert not list(temporary.glob("glovebox-kiosk-*"))


SERVER = """
import sys, threading
from pathlib import Path
from deploy.screen import ScreenServer
from tests.screen_rig import Rig
from tests.screens import parts_of
folder, port = Path(sys.argv[1]), int(sys.argv[2])
rig = Rig(folder)
with ScreenServer(parts_of(rig.car, rig.drivers, folder), folder, port) as server:
    print(server.address, flush=True)
    threading.Event().wait()
"""
"""A program that serves the screen and knows no other end than being killed."""


@contextmanager
def served(folder: Path, port: int = 0) -> Generator[tuple[str, Callable[[], None]]]:
    """The screen in a process of its own: the address that opens it, and what kills it."""
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), str(port)], cwd=root, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip(), running.kill
        finally:
            running.kill()


def entered(folder: Path, address: str) -> bool:
    """Whether somebody came in by this address: then the next one stands in the file."""
    return (folder / "screen.url").read_text("utf-8").strip() != address


def port_of(address: str) -> int:
    return int(address.partition("127.0.0.1:")[2].partition("/")[0])


def test_it_comes_back_when_the_assistant_was_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with kiosk(folder, tmp_path):
        with served(folder) as (address, kill):
            until(lambda: entered(folder, address), "the page of the first start is open")
            kill()
        stale = (folder / "screen.url").read_text("utf-8")  # a killed assistant takes its address not along
        with served(folder) as (address, _):
            assert address != stale.strip()
            until(lambda: entered(folder, address), "the page of the second start is open")


@contextmanager
def looked_at(chromium: Browser, temporary: Path) -> Generator[Page]:
    """The page of the kiosk's own browser, as whoever sits before the panel sees it."""

    def doors() -> list[str]:
        return [file.read_text("utf-8") for file in temporary.glob("glovebox-kiosk-*/DevToolsActivePort")]

    until(lambda: any(doors()), "its browser is there")
    port = doors()[0].split()[0]
    running = chromium.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
    try:
        page = running.contexts[0].pages[0]
        page.set_default_timeout(PATIENCE_S * 1000)
        yield page
    finally:
        running.close()


SHOWN = "() => document.querySelector('.clock') !== null && document.querySelector('.lost') === null"
HIDDEN = """() => { const e = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  return e !== null && (e.closest('.lost') !== null || !document.querySelector('.clock')); }"""


def test_whichever_side_is_killed_the_kiosk_comes_back_and_shows_nothing_of_before(
    chromium: Browser, tmp_path: Path
) -> None:
    """Looked at in its own browser: there before the assistant, the assistant killed and started at another port, the browser
    killed, the kiosk itself killed. Whenever the assistant is gone the page is covered."""
    folder = tmp_path / "data"
    folder.mkdir()
    with (
        kiosk(folder, tmp_path, "--remote-debugging-port=0") as (running, temporary),
        looked_at(chromium, temporary) as page,
    ):
        assert page.url.startswith("data:")  # nobody is there yet
        with served(folder) as (first, kill):
            page.wait_for_function(SHOWN)
            assert page.url.startswith(first.partition("/enter")[0])
            kill()
            page.wait_for_function(HIDDEN)
        with served(folder) as (second, _):
            page.wait_for_url(f"{second.partition('/enter')[0]}/")
            page.wait_for_function(SHOWN)
            children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text("utf-8").split()
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            before = (folder / "screen.url").read_text("utf-8")
            until(lambda: (folder / "screen.url").read_text("utf-8") != before, "another browser was let in")
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            with (
                kiosk(folder, tmp_path, "--remote-debugging-port=0") as (_, fresh),
                looked_at(chromium, fresh) as again,
            ):
                again.wait_for_function(SHOWN)
                assert again.url.startswith(second.partition("/enter")[0])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("same", [True, False], ids=["same-port", "other-port"])
def test_a_browser_of_ones_own_says_how_to_go_on_when_the_assistant_was_killed(
    chromium: Browser, tmp_path: Path, same: bool, language: str
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    page = chromium.new_context(viewport={"width": 800, "height": 480}).new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    with served(folder) as (address, kill):
        base = address.partition("/enter")[0]
        page.context.add_cookies([{"name": "language", "value": language, "url": base}])
        page.clock.install()
        page.goto(address)
        page.goto(f"{base}/memory")
        page.wait_for_selector(".list")
        kill()
        page.wait_for_selector(".lost")
        covered = "document.elementFromPoint(400, 240).closest('.lost') !== null"
        assert page.evaluate(covered) and "screen.url" not in page.locator(".lost").inner_text()
    with served(folder, port_of(address) if same else 0) as (again, _):
        if same:
            page.wait_for_selector(".lost", state="detached")
            page.wait_for_selector("h1")
        else:
            page.clock.fast_forward(25_000)
            page.wait_for_selector(".lost p")
            assert page.evaluate(covered)
        shown = page.locator("body").inner_text()
        assert "screen.url" in shown and (not same or "jazz" not in shown)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert page.evaluate(
            "(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(document.querySelector('.lost') || document.body)"
        )
        page.goto(again)
        page.wait_for_selector(".clock")
    page.context.close()


def test_a_browser_that_ends_is_started_again(rig: Rig, tmp_path: Path) -> None:
    with kiosk(rig.folder, tmp_path) as (running, _):
        until(lambda: watched(rig.server), "the page is open")
        secret = rig.server.screen.door.secret
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text("utf-8").split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        until(lambda: rig.server.screen.door.secret != secret, "another browser was let in, for which it is spent")
        running.terminate()
        assert running.wait(60) == 0


def test_cog_is_started_again_with_every_new_address(tmp_path: Path) -> None:
    """The browser of embedded panels, where there is no Chromium; here a program that notes what it is to show. The address, which
    holds the key, is neither said nor among the arguments, which every user of the machine can read."""
    folder, shown = tmp_path / "data", tmp_path / "shown"
    folder.mkdir()
    notes = f'echo "$COG_URL" >> {shown}\necho "$COG_URL"; echo "$COG_URL" >&2\necho "$@" > {tmp_path}/arguments\nexec sleep 600'
    (folder / "screen.url").write_text("http://127.0.0.1:9/enter?key=old.one\n", "utf-8")  # of one that was killed
    with kiosk(folder, tmp_path, cog=notes) as (running, _):
        until(
            lambda: shown.is_file() and shown.read_text("utf-8").startswith("data:text/html"),
            "it is there before the assistant is",
        )
        with served(folder) as (first, kill):
            until(lambda: shown.read_text("utf-8").splitlines()[-1] == first, "it shows the first start")
            kill()
        with served(folder) as (second, _):
            until(lambda: shown.read_text("utf-8").splitlines()[-1] == second, "it shows the second start")
            assert shown.read_text("utf-8").splitlines()[1:] == [first, second]
        running.terminate()
        assert running.wait(60) == 0
    said = (tmp_path / "said").read_text("utf-8")
    assert said.splitlines() == ["kiosk: the assistant has another address than the browser; it is started again"] * 2
    assert "127.0.0.1" not in (tmp_path / "arguments").read_text("utf-8")


COG = shutil.which("cog")


def _drawing(running: subprocess.Popen[bytes]) -> list[int]:
    """The processes of a kiosk's Cog that draw pages."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            told = status.read_text("utf-8")
            inside, _, rest = told.partition("(")[2].rpartition(")")
            if inside == "WPEWebProcess" and int(rest.split()[3]) == running.pid:  # the session that the kiosk leads
                found.append(int(status.parent.name))
    return found


@pytest.mark.skipif(COG is None, reason="there is no Cog here: Debian's package cog is not part of the set-up")
def test_whichever_side_is_killed_cog_comes_back_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """The real one, without a display: there before the assistant, the assistant killed and started at another port, what draws the
    page killed. Nothing of it is written outside the kiosk's own folder, which goes with it."""
    folder, home = tmp_path / "data", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    cog = f'HOME={home} exec {COG} --platform=headless "$@"'
    with kiosk(folder, tmp_path, cog=cog) as (running, temporary):
        until(lambda: len(_drawing(running)) > 0, "it is there before the assistant is")
        with served(folder) as (first, kill):
            until(lambda: entered(folder, first), "the page of the first start is open")
            kill()
        with served(folder) as (second, _):
            until(lambda: entered(folder, second), "the page of the second start is open")
            before = (folder / "screen.url").read_text("utf-8")
            for process in _drawing(running):
                os.kill(process, signal.SIGKILL)
            until(lambda: (folder / "screen.url").read_text("utf-8") != before, "it came in again")
        running.terminate()
        assert running.wait(60) == 0
        assert not list(temporary.glob("glovebox-kiosk-*"))
    assert [one for one in home.rglob("*") if one.is_file()] == []


@pytest.mark.parametrize("bare", [False, True], ids=["with-a-display", "bare"])
def test_installing_is_one_command(tmp_path: Path, bare: bool) -> None:
    """Where there is no display of its own and ``cage`` is installed, that is put around it."""
    for name in ("bash", "sh", "python3", "dirname", "readlink"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    _program(tmp_path / "systemctl", 'echo "$@" > "$HOME/asked"')
    _program(tmp_path / "cage", "exit 1")
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), **({} if bare else {"WAYLAND_DISPLAY": "wayland-0"})}
    subprocess.run([str(START), "--install", str(tmp_path / "data")], env=environment, check=True, timeout=120)
    unit = (tmp_path / ".config" / "systemd" / "user" / "glovebox-kiosk.service").read_text("utf-8")
    around = f"{tmp_path}/cage -- " if bare else ""
    assert f"ExecStart={around}{START} {tmp_path}/data\n" in unit and "Restart=always" in unit
    assert (tmp_path / "asked").read_text("utf-8") == "--user enable --now glovebox-kiosk.service\n"
