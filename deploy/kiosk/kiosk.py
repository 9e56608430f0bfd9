"""The kiosk: a browser over the whole panel that always shows the assistant that runs now. Python's own library, nothing else.

Owns the browser's life. It is there before the assistant is, with a dark page; as soon as ``screen.url`` is in the data folder it
goes there. Every start of the assistant has another address: where that changes, or the page is none of the assistant's, the
browser is brought to the present one. A browser that ends is started again, and a Chromium that hangs. Chromium is led over a pipe
that no other program can reach (``--remote-debugging-pipe``); Cog, which has none and cannot be asked what it shows, is started
again with each address. No profile stays on disk.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

LOOK_S = 0.5
"""Between two looks at the address and the page."""
HANGS_S = 15.0
"""A browser that has not said a word for so long is started again. Our choice: a Pi that swaps is given ten seconds."""
ASTRAY = 6
"""Looks in a row at a page that is not the assistant's before it is brought there again: loading one takes one or two."""
AGAIN_S = 2.0
"""Before a browser that ended is started again."""
_UNHEARD = subprocess.DEVNULL
"""Where a browser prints: it writes addresses, and those of the screen hold the key."""
DARK = "data:text/html,<body style='background:%230b0e13'>"
LIVE = "document.body ? document.body.dataset.live || (document.readyState === 'complete' ? '' : 'loading') : 'loading'"
"""What a page of the assistant says of itself; empty for any other."""
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--kiosk", "--incognito", "--no-first-run", "--disable-sync", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-features=Translate", "--password-store=basic", "--disk-cache-dir=/dev/null",
    "--hide-crash-restore-bubble", "--remote-debugging-pipe",
)  # fmt: skip
COG_FLAGS = ("--webprocess-failure=exit", "--bg-color=#0b0e13ff")
"""Left alone, Cog shows a page of its own for good when the process that draws the page has crashed, and white before the first."""
UNIT = """[Unit]
Description=Glovebox on the panel
[Service]
ExecStart={wrap}{start} {folder}
Restart=always
RestartSec=2
[Install]
WantedBy=default.target
"""


def address_in(folder: Path) -> str:
    """The address that opens the screen next; empty where no assistant runs, or what stands there is no such address."""
    try:
        address = (folder / "screen.url").read_text("utf-8").strip()
    except OSError:
        return ""
    return address if address.startswith("http://127.0.0.1:") and "/enter?key=" in address else ""


def there(address: str) -> bool:
    """Whether anybody listens at it: a killed assistant leaves its address behind, and a browser has a page of its own for that."""
    try:
        socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), LOOK_S).close()
    except (OSError, ValueError):
        return False
    return True


def run_of(address: str) -> str:
    """What all addresses of one start of the assistant have in common: the port and the first part of the key."""
    return address.rpartition(".")[0]


class GoneError(Exception):
    """The browser has ended, or does not answer; says which, and holds no address."""


class Cog:
    """The browser of embedded panels: shows one address."""

    def __init__(self, program: str, profile: Path, address: str, extra: tuple[str, ...] = ()) -> None:
        """Started. Every user of the machine can read its arguments: the address is none of them. Whatever it keeps is there."""
        own = {f"XDG_{kind}_HOME": str(profile / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG")}
        self._process = subprocess.Popen(
            [program, *COG_FLAGS, *extra], env={**os.environ, **own, "COG_URL": address or DARK}, stdout=_UNHEARD, stderr=_UNHEARD
        )  # fmt: skip

    def keep(self, address: str, *, fresh: bool) -> bool:
        """Whether it shows this.

        Raises:
            GoneError: it has ended, or is to.
        """
        if fresh:
            raise GoneError("the assistant has another address than the browser")
        _alive(self._process)
        return bool(address)

    def close(self) -> None:
        """End it."""
        _end(self._process)


class Chromium:
    """Chromium with a pipe to lead it by."""

    def __init__(self, program: str, profile: Path, extra: tuple[str, ...] = ()) -> None:
        """Started on a dark page."""
        hears, self._writes = os.pipe()
        self._reads, says = os.pipe()
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (hears, says)]
        command = [program, *FLAGS, *extra, f"--user-data-dir={profile}", DARK]
        line = f'exec "$@" 3<&{high[0]} 4>&{high[1]}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", line, "kiosk", *command], pass_fds=high, stdout=_UNHEARD, stderr=_UNHEARD
        )
        for end in (hears, says, *high):
            os.close(end)
        self._buffer, self._count, self._page, self._astray = b"", 0, "", 0

    def keep(self, address: str, *, fresh: bool) -> bool:
        """Whether it shows the assistant's page; goes to this address where it is another's, or the page is astray.

        Raises:
            GoneError: it has ended, or does not answer.
        """
        _alive(self._process)
        live = self._ask("Runtime.evaluate", expression=LIVE, returnByValue=True)
        shown = str(live.get("result", {}).get("value", ""))
        self._astray = 0 if shown else self._astray + 1
        if fresh or (self._astray >= ASTRAY and address and there(address)):
            self._astray = 0
            self._ask("Page.navigate", url=address)
            return False
        return shown not in ("", "loading")

    def close(self) -> None:
        """End it."""
        _end(self._process)
        for end in (self._reads, self._writes):
            os.close(end)

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        if not self._page:
            targets = self._call("Target.getTargets", {}, "")["targetInfos"]
            pages = [one["targetId"] for one in targets if one["type"] == "page"]
            if not pages:
                return {}
            self._page = self._call("Target.attachToTarget", {"targetId": pages[0], "flatten": True}, "")["sessionId"]
        return self._call(method, params, self._page)

    def _call(self, method: str, params: dict[str, Any], session: str) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        try:
            os.write(self._writes, json.dumps(message).encode() + b"\0")
            answer = self._answer(self._count)
        except OSError as error:
            raise GoneError("the browser has closed its pipe") from error
        if "error" in answer:  # the page was replaced by another process's
            self._page = ""
            return {}
        return answer.get("result", {})

    def _answer(self, number: int) -> dict[str, Any]:
        until = time.monotonic() + HANGS_S
        while True:
            while b"\0" in self._buffer:
                one, _, self._buffer = self._buffer.partition(b"\0")
                told = json.loads(one)
                if told.get("method") == "Target.detachedFromTarget":
                    self._page = ""
                if told.get("id") == number:
                    return told
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._reads], [], [], left)[0]:
                raise GoneError(f"the browser did not answer for {HANGS_S:.0f} s")
            data = os.read(self._reads, 65536)
            if not data:
                raise GoneError("the browser has closed its pipe")
            self._buffer += data


def _alive(process: subprocess.Popen[bytes]) -> None:
    """Raises ``GoneError`` with its status where it has ended."""
    if process.poll() is not None:
        raise GoneError(f"the browser has ended with status {process.returncode}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def browser(profile: Path, address: str) -> Cog | Chromium:
    """The browser that is there, started: Chromium before Cog, as it can be asked what it shows."""
    extra = tuple(os.environ.get("GLOVEBOX_KIOSK_FLAGS", "").split())
    chromium, cog = next(filter(None, map(shutil.which, CHROMIUMS)), None), shutil.which("cog")
    if chromium is not None:
        return Chromium(chromium, profile, extra)
    if cog is None:
        sys.exit("kiosk: there is neither Chromium nor Cog here: apt-get install chromium")
    return Cog(cog, profile, address, extra)


def show(folder: Path) -> None:
    """Go on showing the screen of whatever assistant keeps its data there."""
    profile = Path(tempfile.mkdtemp(prefix="glovebox-kiosk-"))
    try:
        while True:
            shown, address = "", address_in(folder)
            address = address if there(address) else ""
            running = browser(profile, address)
            if isinstance(running, Cog):
                shown = run_of(address)
            try:
                while True:
                    address = address_in(folder)
                    fresh = bool(address) and run_of(address) != shown and there(address)
                    shown = run_of(address) if fresh else shown
                    running.keep(address, fresh=fresh)
                    time.sleep(LOOK_S)
            except GoneError as error:
                sys.stderr.write(f"kiosk: {error}; it is started again\n")
                sys.stderr.flush()
                time.sleep(AGAIN_S)
            finally:
                running.close()
    finally:
        _clear(profile)


def _clear(profile: Path) -> None:
    """Remove it; a browser's helpers write for a moment after the browser itself has ended."""
    until = time.monotonic() + HANGS_S
    while profile.exists() and time.monotonic() < until:
        shutil.rmtree(profile, ignore_errors=True)
        time.sleep(0.05)


def install(folder: Path) -> None:
    """A unit of the user's service manager that starts the kiosk with the panel, and again whenever it ends."""
    cage = shutil.which("cage")
    bare = not (os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))
    wrap = f"{cage} -- " if cage is not None and bare else ""
    unit = Path.home() / ".config" / "systemd" / "user" / "glovebox-kiosk.service"
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text(UNIT.format(wrap=wrap, start=Path(__file__).with_name("start"), folder=folder), "utf-8")
    subprocess.run(["systemctl", "--user", "enable", "--now", unit.name], check=True)  # noqa: S607 - wherever it is
    sys.stdout.write(f"{unit} is enabled\n")


def main(arguments: list[str]) -> None:
    """``[--install] [DATA FOLDER]``."""
    given = [one for one in arguments if one != "--install"]
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    folder = Path(given[0]).resolve() if given else home / "glovebox"

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        sys.exit(0)

    signal.signal(signal.SIGTERM, stop)
    if "--install" in arguments:
        install(folder)
    else:
        show(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
