"""Plays the two trips, tells the drive, and judges how it ended.

Each trip runs in a new process (``deploy.demo.trip``) on the same vault, which lies in a temporary folder of the
demo's own: the driver's real vault is never touched. Exit code 0 only if the vehicle, the vault and the replies ended
as the script says.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deploy.config import Config
from deploy.demo.judge import REPLY, Drive, judge, latency_table, with_truth
from deploy.demo.page import render
from deploy.demo.script import PAUSE_BETWEEN_TRIPS_S, TRIPS, Trip
from deploy.timeline import TimelineEntry
from schemas.errors import DemoFailedError, GloveboxError
from schemas.events import SAMPLE_RATE

_STYLES = {
    "wake": "dim cyan",
    "heard": "bold white",
    "decided": "dim",
    "recalled": "magenta",
    "moved": "green",
    "refused": "red",
    "asked": "yellow",
    "proposed": "yellow",
    "fault": "bold red",
    "said": "bold cyan",
    "learned": "magenta",
    "ended": "dim",
    "error": "bold red",
}


def play(config: Config, out: Path, json_lines: bool) -> int:
    """Play the demo.

    Args:
        config: the configuration; its data folder is replaced by a temporary one.
        out: folder for drive.wav and drive.html.
        json_lines: True prints JSON lines instead of the timeline.

    Returns:
        0, or the exit code of ``DemoFailedError`` when the drive ended otherwise than it should.

    Raises:
        schemas.errors.GloveboxError: a trip failed with that error.
    """
    out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    drive = Drive()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="glovebox-demo-") as folder:
        own = _own_config(config, Path(folder))
        for trip in TRIPS:
            tell = _teller(console, trip, json_lines)
            if not json_lines:
                console.rule(f"[bold]{trip.title}[/] [dim]{len(trip.lines)} utterances, 15 dB SNR, a new process")
            for line in _run(own, trip, Path(folder)):
                if "entry" in line:
                    entry = TimelineEntry.model_validate(line["entry"])
                    drive.entries.setdefault(trip.number, []).append(entry)
                    tell(entry)
                elif "engines" in line:
                    _tell_engines(console, trip, line, json_lines)
                elif "summary" in line:
                    drive.summaries[trip.number] = line["summary"]
                elif "error" in line:
                    raise _failure(line["error"])
        drive.wall_s = time.perf_counter() - started
        audio = _join([Path(folder) / f"trip{trip.number}.wav" for trip in TRIPS])
    soundfile.write(out / "drive.wav", audio, SAMPLE_RATE, subtype="PCM_16")
    for number, summary in drive.summaries.items():
        drive.entries[number] = with_truth(drive.entries.get(number, []), summary["spoken"])
    drive.stages = latency_table(drive.entries)
    drive.checks = judge(drive.entries, drive.summaries, drive.stages, drive.wall_s)
    (out / "drive.html").write_text(render(drive, audio), encoding="utf-8")
    passed = all(check.ok for check in drive.checks if check.decides)
    if json_lines:
        _print_json(drive, passed)
    else:
        _print_tables(console, drive, out)
    if not passed:
        wrong = "; ".join(check.text for check in drive.checks if check.decides and not check.ok)
        told = Text.assemble(("The demo did not end as it should: ", "bold red"), wrong)
        Console(stderr=True, highlight=False, soft_wrap=True).print(told)
        return DemoFailedError.exit_code
    return 0


def _own_config(config: Config, folder: Path) -> Config:
    """The configuration with a vault of the demo's own, learning at the end of the trip, and no questions by the way."""
    data = config.data.model_copy(update={"folder": folder / "data", "key_file": folder / "vault.key"})
    key = config.memory.key.model_copy(update={"source": "file"})
    memory = config.memory.model_copy(update={"learn": "trip", "ask": False, "key": key})
    return config.model_copy(update={"data": data, "memory": memory})


def _run(config: Config, trip: Trip, folder: Path) -> Iterator[dict[str, Any]]:
    """Run a trip in a new process; its output lines as they come."""
    vehicle = config.vehicle.model_copy(update={"profile": trip.profile})
    orders = config.model_copy(update={"vehicle": vehicle}).model_dump(mode="json")
    told = False
    with subprocess.Popen(
        [sys.executable, "-m", "deploy.demo.trip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
        json.dump({"config": orders, "number": trip.number, "out": str(folder)}, process.stdin)
        process.stdin.close()
        for line in process.stdout:
            told = told or '"summary"' in line or '"error"' in line
            yield json.loads(line)
    if process.returncode != 0 and not told:
        raise DemoFailedError(f"trip {trip.number} ended with exit code {process.returncode} before its summary")


def _failure(error: dict[str, Any]) -> GloveboxError:
    """The error of a trip's process as the same class here."""
    kinds: list[type[GloveboxError]] = [GloveboxError]
    for kind in kinds:
        if kind.code == error["code"]:
            return kind(error["message"])
        kinds.extend(kind.__subclasses__())
    return GloveboxError(error["message"])


def _join(paths: list[Path]) -> np.ndarray[Any, Any]:
    parts: list[np.ndarray[Any, Any]] = []
    for path in paths:
        samples, _ = soundfile.read(path, dtype="float32", always_2d=True)
        parts += [samples, np.zeros((int(PAUSE_BETWEEN_TRIPS_S * SAMPLE_RATE), 2), np.float32)]
    return np.concatenate(parts[:-1])


def _teller(console: Console, trip: Trip, json_lines: bool) -> Callable[[TimelineEntry], None]:
    def tell(entry: TimelineEntry) -> None:
        if json_lines:
            print(json.dumps({"trip": trip.number, **entry.model_dump(mode="json")}), flush=True)
        elif entry.kind != "ended":
            style = _STYLES.get(entry.kind, "white")
            minutes, seconds = divmod(entry.at_s, 60.0)
            clock = f"{int(minutes)}:{seconds:04.1f}"
            console.print(f"[dim]{clock:>6}[/]  [{style}]{entry.kind:<9}[/] ", end="")
            console.print(entry.text, style=style, markup=False, soft_wrap=not console.is_terminal)

    return tell


def _tell_engines(console: Console, trip: Trip, line: dict[str, Any], json_lines: bool) -> None:
    """What the assistant runs with, and what would be better and is not there."""
    if json_lines:
        print(json.dumps({"trip": trip.number, **line}), flush=True)
        return
    console.print(Text(", ".join(f"{role}: {name}" for role, name in line["engines"].items()), style="bold"))
    for lack in line["lacks"]:
        console.print(Text(lack, style="yellow"), soft_wrap=not console.is_terminal)


def _print_json(drive: Drive, passed: bool) -> None:
    for stage in drive.stages:
        print(json.dumps({"latency": stage.model_dump(mode="json")}))
    for summary in drive.summaries.values():
        print(json.dumps({"summary": summary}))
    for check in drive.checks:
        print(json.dumps({"check": check.model_dump(mode="json")}))
    print(json.dumps({"passed": passed, "wall_s": drive.wall_s}), flush=True)


def _print_tables(console: Console, drive: Drive, out: Path) -> None:
    console.rule("[bold]Latency")
    table = Table(box=None, pad_edge=False)
    for name in ("stage", "path", "turns", "p50 ms", "p95 ms", "worst ms"):
        table.add_column(name, justify="left" if name in ("stage", "path") else "right")
    for stage in drive.stages:
        style = "bold" if stage.stage == REPLY else ""
        numbers = (str(stage.turns), f"{stage.p50:.0f}", f"{stage.p95:.0f}", f"{stage.worst:.0f}")
        table.add_row(stage.stage, stage.path, *numbers, style=style)
    console.print(table)
    console.rule("[bold]How it ended")
    for check in drive.checks:
        mark = ("✓ ", "green") if check.ok else (("✗ ", "red") if check.decides else ("! ", "yellow"))
        console.print(Text.assemble(mark, check.text), soft_wrap=not console.is_terminal)
    listen, see = (str(out / "drive.wav"), "cyan"), (str(out / "drive.html"), "cyan")
    console.print(Text.assemble("\nListen: ", listen, "   See: ", see), soft_wrap=True)
