"""Microphone and loudspeaker that come back: a thread that looks after them.

Owns: when a device is tried again, and when PortAudio may look for devices anew, which costs every open device a break.
Does not own what a device does meanwhile: the microphone delivers silence, the loudspeaker lets time pass.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from schemas.errors import AudioError
from voice.audio.devices.portaudio import Part, SoundCard

_LOG = logging.getLogger(__name__)

LOOK_S = 0.5
"""Between two looks at devices that work: costs next to nothing, and a loss is seen at once where PortAudio tells it."""
RETRY_S = 2.0
"""Between two tries. With the second that finding a hang takes, a device that is back is open within 3.5 s (wanted: 5)."""
CUT_S = 60.0
"""Between two searches for a loudspeaker that cost the working microphone a break (17 ms and up), though nothing was plugged
in. A loudspeaker that says nothing is closed for a moment without anybody noticing."""
START_S = 3.0
"""Longest that `start` waits for the first try."""


class Line(Protocol):
    """A device that is looked after."""

    part: Part

    def open(self) -> None:
        """Open it; nothing if it is open.

        Raises:
            schemas.errors.AudioError: It cannot be had.
        """
        ...

    def check(self) -> bool:
        """Whether it is open and works; one that was lost or hangs is released."""
        ...

    def busy(self) -> bool:
        """Whether a break would be noticed now: a reply never gets one, the microphone only where it may bring something."""
        ...

    def release(self) -> None:
        """Close it for a while; it is not lost."""
        ...


class Caretaker:
    """Opens microphone and loudspeaker, and opens them again whenever they were lost."""

    def __init__(
        self,
        card: SoundCard,
        lines: Sequence[Line],
        *,
        now: Callable[[], float] = time.monotonic,
        landscape: Callable[[], object] | None = None,
    ) -> None:
        """Nothing is opened before `start` or `look`.

        Args:
            card: What they are opened through.
            lines: Microphone and loudspeaker.
            now: Seconds.
            landscape: Something that differs once a device was plugged in or a sound server started.
        """
        self._card, self._lines, self._now = card, tuple(lines), now
        self._landscape = landscape or sound_landscape
        self._seen = self._landscape()
        self._retry_at = self._cut_at = float("-inf")
        self._ended = threading.Event()
        self._tried = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sound", daemon=True)

    def start(self) -> None:
        """Begin to look after them; returns when each has been tried once, at most `START_S` later.

        Raises:
            schemas.errors.EngineMissingError: PortAudio is not installed: no waiting helps.
        """
        _ = self._card.backend
        self._thread.start()
        self._tried.wait(START_S)

    def stop(self) -> None:
        """Look no more; does not wait for a sound system that hangs."""
        self._ended.set()

    def look(self) -> None:
        """One look: what is lost is tried again if it is time."""
        lost = [line for line in self._lines if not line.check()]
        now = self._now()
        if not lost or now < self._retry_at:
            return
        self._retry_at = now + RETRY_S
        lost = [line for line in lost if not _opens(line)]
        busy = {line.part for line in self._lines if line.busy()}
        if not lost or "loudspeaker" in busy:
            return
        seen = self._landscape()
        if busy and seen == self._seen and now < self._cut_at:
            return
        self._seen, self._cut_at = seen, now + CUT_S
        for line in self._lines:
            line.release()
        if self._card.rescan():
            for line in self._lines:
                _opens(line)

    def _watch(self) -> None:
        while not self._ended.is_set():
            try:
                self.look()
            except Exception:  # noqa: BLE001 - a defect here must not leave the car deaf: the next look may succeed
                _LOG.exception("looking after the sound devices failed")
            self._tried.set()
            self._ended.wait(LOOK_S)


def sound_landscape(root: Path = Path("/")) -> object:
    """What tells that something was plugged in or a sound server started: the kernel's cards, the servers' sockets."""
    try:
        cards = (root / "proc/asound/cards").read_bytes()
    except OSError:
        cards = b""
    runtime = root / f"run/user/{os.getuid()}"
    sockets = (runtime / "pulse/native", runtime / "pipewire-0", root / "run/pulse/native")
    return cards, *(_made(path) for path in sockets)


def _made(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _opens(line: Line) -> bool:
    try:
        line.open()
    except AudioError:
        return False
    return True
