"""What the assistant weighs: a process of its own that loads it, plays sound files, and looks at its whole process tree.

``python -m deploy.lab.hearing.resident`` with ``{"config": ..., "files": [...]}`` on standard input; one JSON object on
standard output. A process of its own, since the measuring one has the drivers' voices in its memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deploy.config import Config
from deploy.lab.hearing.rig import parked
from deploy.machine.footprint import resident_mb
from schemas.errors import EvaluationDataError
from schemas.events import Samples
from voice.audio.wavefile import read, write


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
            [sys.executable, "-m", "deploy.lab.hearing.resident"],
            input=json.dumps(orders),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise EvaluationDataError(f"resident memory could not be measured: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    """Load, play, print."""
    orders = json.load(sys.stdin)
    with parked(Config.model_validate(orders["config"])) as rig:
        ready = most = resident_mb()
        for file in orders["files"]:
            rig.play(read(Path(file)))
            most = max(most, resident_mb())
    sys.stdout.write(json.dumps({"ready_mb": round(ready, 1), "most_mb": round(most, 1)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
