"""What the assistant weighs: a process of its own that loads it, plays sound files, and looks at its whole process tree.

``python -m deploy.evaluation.hearing.resident`` with ``{"config": ..., "files": [...]}`` on standard input; one JSON object on
standard output. A process of its own, since the measuring one has the drivers' voices in its memory. Linux only (`/proc`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deploy.config import Config
from deploy.evaluation.hearing.rig import parked
from schemas.errors import EvaluationDataError
from schemas.events import Samples
from voice.audio.wavefile import read, write

PROC = Path("/proc")


def measure(config: Config, streams: Sequence[Samples]) -> dict[str, float]:
    """Megabytes (10^6) of resident memory: once ready, and the most after any of the streams was played.

    Raises:
        EvaluationDataError: the process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.wav" for number in range(len(streams))]
        for file, stream in zip(files, streams, strict=True):
            write(file, stream)
        orders = {"config": config.model_dump(mode="json"), "files": [str(file) for file in files]}
        done = subprocess.run(
            [sys.executable, "-m", "deploy.evaluation.hearing.resident"],
            input=json.dumps(orders),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise EvaluationDataError(f"resident memory could not be measured: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout.splitlines()[-1])


def tree_mb(root: int, proc: Path = PROC) -> float:
    """Resident megabytes of a process and all that it started; pages that they share count once for each."""
    children: dict[int, list[int]] = {}
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                status = (folder / "status").read_text("utf-8")
            except OSError:  # it is gone
                continue
            parent = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:")), 0)
            children.setdefault(parent, []).append(int(folder.name))
    total, open_ones = 0.0, [root]
    while open_ones:
        one = open_ones.pop()
        open_ones += children.get(one, [])
        total += _resident_kb(proc / str(one))
    return total * 1024.0 / 1e6


def _resident_kb(folder: Path) -> float:
    try:
        lines = (folder / "status").read_text("utf-8").splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0.0)


def main() -> int:
    """Load, play, print."""
    orders = json.load(sys.stdin)
    with parked(Config.model_validate(orders["config"])) as rig:
        ready = most = tree_mb(os.getpid())
        for file in orders["files"]:
            rig.play(read(Path(file)))
            most = max(most, tree_mb(os.getpid()))
    sys.stdout.write(json.dumps({"ready_mb": round(ready, 1), "most_mb": round(most, 1)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
