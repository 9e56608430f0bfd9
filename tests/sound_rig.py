"""Sound servers of a test's own with a cabin in them: what the assistant hears and says, in real time, without a sound card.

PulseAudio runs as a child with its socket and its settings in a temporary folder, once for the microphone and once for the
loudspeaker, so that each can go away alone. A null sink stands for the air: what is played into it is what the microphone
hears; what the assistant plays is recorded likewise. ALSA's plug-in ``pulse`` brings both to PortAudio. Nothing of the
machine's own sound is touched. ``python -m tests.sound_rig`` tells what the live assistant costs while nobody speaks.
"""

from __future__ import annotations

import os
import pty
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from schemas.events import SAMPLE_RATE, Samples

PATIENCE_S = 300.0
"""Longest wait for something that takes seconds on a quiet machine: the tests also run beside everything else."""
SETTLED_S = 25.0
"""After the start sentences are made ahead, and the first seconds cost more."""
PLUGIN = "alsa-lib/libasound_module_pcm_pulse.so"

ECHO_PERCENT = 70
"""-9 dB: as loud as the driver, the wake word over a reply was lost in the few tries that were made (docs/log.md)."""


def lacks() -> str:
    """What this machine lacks for the rig; empty where it has all."""
    missing = [name for name in ("pulseaudio", "pactl", "paplay", "parec", "espeak-ng") if shutil.which(name) is None]
    if not list(Path("/usr/lib").glob(f"*/{PLUGIN}")):
        missing.append("libasound2-plugins")
    return f"live sound wants {', '.join(missing)}" if missing else ""


class Air:
    """One sound server with one null sink: what is played there can be recorded there. A context manager."""

    def __init__(self, folder: Path, name: str, rate: int, *, server: Air | None = None) -> None:
        """Nothing runs yet; the folder's path must be short enough for a socket (108 bytes).

        ``server``: whose server it shares; then only the sink is its own.
        """
        self._folder, self.name, self._rate, self._host = folder, name, rate, server
        self.socket = f"unix:{folder / name}" if server is None else server.socket
        self._environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "PULSE_RUNTIME_PATH": str(folder),
            "PULSE_SERVER": self.socket,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        }
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server with its sink; returns when it answers."""
        if self._host is not None:
            self.load("module-null-sink", f"sink_name={self.name}", f"rate={self._rate}")
            return
        self._server = subprocess.Popen(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error",
                "--high-priority=no", "--realtime=no",
                "-L", f"module-native-protocol-unix auth-anonymous=1 socket={self._folder / self.name}",
                "-L", f"module-null-sink sink_name={self.name} rate={self._rate}",
            ],
            env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_for(lambda: self._order("info").returncode == 0, f"the sound server of {self.name}")

    def stop(self) -> None:
        """End it: to the assistant the device is gone."""
        if self._server is not None:
            self._server.terminate()
            self._server.wait(PATIENCE_S)
        self._server = None

    def load(self, module: str, *arguments: str) -> None:
        """Load a module of PulseAudio into its server."""
        done = self._order("load-module", module, *arguments)
        assert done.returncode == 0, done.stderr

    def quieten(self, percent: int) -> None:
        """Turn it down to so much, on PulseAudio's cubic scale."""
        done = self._order("set-sink-volume", self.name, f"{percent}%")
        assert done.returncode == 0, done.stderr

    def suspend(self, suspended: bool) -> None:
        """Let the device hang, or go on: it stays open and delivers nothing."""
        done = self._order("suspend-sink", self.name, str(int(suspended)))
        assert done.returncode == 0, done.stderr

    def play(self, path: Path) -> None:
        """Play a file there; returns when it has sounded."""
        subprocess.run(["paplay", f"--device={self.name}", path], env=self._environment, check=True, timeout=PATIENCE_S)

    def record(self, path: Path) -> subprocess.Popen[bytes]:
        """Record what sounds there from now on, raw, until the process is ended."""
        command = ["parec", f"--device={self.name}.monitor", f"--rate={SAMPLE_RATE}", "--channels=1", "--format=s16le",
                   "--latency-msec=50"]  # fmt: skip
        with path.open("wb") as file:
            return subprocess.Popen(command, env=self._environment, stdout=file)

    def _order(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pactl", *words], env=self._environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )


class Cabin:
    """The air in front of the microphone and behind the loudspeaker, each with a server of its own. A context manager."""

    def __init__(self, folder: Path, *, echo_ms: int | None = None) -> None:
        """Nothing runs yet.

        Args:
            folder: with a short path.
            echo_ms: The microphone hears the loudspeaker so much later, less loud than the driver; both share one server then.
        """
        self._folder, self._echo_ms = folder, echo_ms
        (folder / "home").mkdir()
        self.air, self.speaker = Air(folder, "air", 44_100), Air(folder, "speaker", 48_000)
        if echo_ms is not None:
            self.speaker = Air(folder, "speaker", 48_000, server=self.air)
        devices = {"microphone": (self.air, "air.monitor"), "loudspeaker": (self.speaker, "speaker")}
        lines = [
            f'pcm.{name} {{ type pulse server "{air.socket}" device "{device}" }}'
            for name, (air, device) in devices.items()
        ]
        # A device that cannot be opened is among them: PortAudio 19.6 ends the program where all names can (an assertion).
        alsa = ["pcm_type.pulse { }", "ctl_type.pulse { }", "pcm.!default { type hw card 31 }", *lines, ""]
        (folder / "asound.conf").write_text("\n".join(alsa), encoding="utf-8")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GLOVEBOX_")},
            "HOME": str(folder / "home"),
            "XDG_CONFIG_HOME": str(folder / "home"),
            "XDG_DATA_HOME": str(folder / "home"),
            "ALSA_CONFIG_PATH": str(folder / "asound.conf"),
        }
        self._recorder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start both."""
        self.air.start()
        self.speaker.start()
        if self._echo_ms is not None:
            self.air.load("module-loopback", "source=speaker.monitor", "sink=air", f"latency_msec={self._echo_ms}")
            self.speaker.quieten(ECHO_PERCENT)
        return self

    def __exit__(self, *_: object) -> None:
        """End both, and the recording."""
        if self._recorder is not None:
            self._recorder.kill()
            self._recorder.wait(PATIENCE_S)
        self.air.stop()
        self.speaker.stop()

    def say(self, text: str) -> None:
        """Say it in the cabin; returns when it has been said."""
        path = self._folder / "say.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(path), text], check=True, timeout=PATIENCE_S)
        self.air.play(path)

    def record(self) -> None:
        """Record what the assistant says from now on."""
        self._recorder = self.speaker.record(self._folder / "said.raw")

    def recorded(self) -> Samples:
        """What it has said since `record`."""
        data = (self._folder / "said.raw").read_bytes()
        return np.frombuffer(data[: len(data) // 2 * 2], np.int16)


class LiveAssistant:
    """`glovebox run` as a child, line by line. A context manager: leaving it ends it as Ctrl-C does."""

    def __init__(self, environment: dict[str, str], *flags: str) -> None:
        """Start it; it listens once `expect("Listening")` has returned."""
        wanted = {**environment, "TERM": "dumb", "COLUMNS": "400", "LINES": "50", "OMP_NUM_THREADS": "1"}
        devices = ("audio.input_device=microphone", "audio.output_device=loudspeaker")
        settings = [part for flag in (*devices, *flags) for part in ("--set", flag)]
        self._terminal, inside = pty.openpty()  # what was heard is shown to a person only
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from deploy.cli import main; main()", *settings, "run"],
            env=wanted, stdin=subprocess.DEVNULL, stdout=inside, stderr=inside, cwd=Path(__file__).parents[1],
        )  # fmt: skip
        os.close(inside)
        self.lines: list[str] = []
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        """The assistant."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, at the latest by force."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)

    def expect(self, words: str, seconds: float = PATIENCE_S) -> str:
        """The next line with these words.

        Raises:
            AssertionError: It did not come in time, or the assistant ended; with all its lines so far.
        """
        line = self.heard(words, seconds)
        if line is None:
            raise AssertionError(f"no line with {words!r} within {seconds:g} s; the lines:\n" + "\n".join(self.lines))
        return line

    def heard(self, words: str, seconds: float) -> str | None:
        """The next line with these words, or None in time or at the end."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            try:
                line = self._queue.get(timeout=left)
            except queue.Empty:
                return None
            if line is None:
                return None
            if words in line:
                return line
        return None

    def stop(self) -> int:
        """End it as systemd does; its exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)

    def processor_s(self) -> dict[str, float]:
        """Seconds of processor time so far, of each thread."""
        spent: dict[str, float] = {}
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            name, _, rest = (task / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")
            fields = rest.split()
            ticks = int(fields[11]) + int(fields[12])
            spent[f"{task.name} {name.partition('(')[2]}"] = ticks / os.sysconf("SC_CLK_TCK")
        return spent

    def _read(self) -> None:
        with os.fdopen(self._terminal, encoding="utf-8", errors="replace") as terminal, suppress(OSError):
            for line in terminal:  # the end of a terminal is an error
                self.lines.append(line.rstrip())
                self._queue.put(line.rstrip())
        self._queue.put(None)


def wait_for(fact: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    ends = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > ends:
            raise AssertionError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.05)


def idle(seconds: float, *flags: str) -> None:
    """Print what share of a core the live assistant takes while nobody speaks, in all and by thread."""
    with (
        tempfile.TemporaryDirectory(prefix="gb", dir="/tmp") as folder,
        Cabin(Path(folder)) as cabin,
        LiveAssistant(cabin.environment, *flags) as assistant,
    ):
        assistant.expect("Listening")
        time.sleep(SETTLED_S)
        before, began = assistant.processor_s(), time.monotonic()
        time.sleep(seconds)
        after, took = assistant.processor_s(), time.monotonic() - began
    shares = {name: (spent - before.get(name, 0.0)) / took for name, spent in after.items()}
    lines = [f"{share:.1%} {name}" for name, share in sorted(shares.items(), key=lambda one: -one[1]) if share >= 0.001]
    sys.stdout.write("\n  ".join([f"{sum(shares.values()):.1%} of a core over {took:.0f} s", *lines]) + "\n")


if __name__ == "__main__":
    idle(60.0, *sys.argv[1:])
