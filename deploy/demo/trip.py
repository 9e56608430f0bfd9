"""One trip in a process of its own: reads its orders from standard input, tells what happens as JSON lines.

``python -m deploy.demo.trip`` with ``{"config": ..., "number": 1, "out": folder}`` on standard input. Every line of output is
what the assistant runs with, a timeline entry or, last, the summary. The process knows the script's sounds and nothing of what
they should lead to.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import soundfile

from deploy.app import assemble
from deploy.config import Config
from deploy.demo.cabin import Cabin, CabinSpeaker
from deploy.demo.drivers import drivers
from deploy.demo.script import TRIPS, Trip
from deploy.engines import NAMES
from deploy.machine.footprint import resident_mb
from deploy.timeline import TimelineEntry
from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE


def drive(config: Config, trip: Trip, out: Path) -> dict[str, Any]:
    """Play the trip through a new assistant; engines and entries go to standard output. Returns the summary."""

    def emit(entry: TimelineEntry) -> None:
        tell(entry=entry.model_dump(mode="json"))

    started = time.perf_counter()
    with assemble(config) as assistant:
        ready_s = time.perf_counter() - started
        engines = {NAMES[role].lower(): str(choice.rung) for role, choice in assistant.engines.items()}
        tell(engines=engines, lacks=list(assistant.lacks))
        speaker = CabinSpeaker()
        with drivers(config) as speak:
            lines = [(line, speak(line, config.wake.keyword)) for line in trip.lines]
        cabin = Cabin(lines, speaker, seed=trip.seed)
        played = time.perf_counter()
        load = assistant.play_back(cabin, speaker, emit)
        drive_s = time.perf_counter() - played
        learning = time.perf_counter()
        assistant.end_trip(emit)
        learn_s = time.perf_counter() - learning
        weighed = resident_mb()
        state = assistant.vehicle_state()
        held = [
            {"detail": p.detail, "title": p.category.title, "value": p.value, "id": p.id}
            for p in assistant.memory.preferences()
        ]
        summary = {
            "number": trip.number,
            "ready_s": ready_s,
            "drive_s": drive_s,
            "learn_s": learn_s,
            "audio_s": load.audio_s,
            "always_on_share": load.share(),
            "wake_cpu_ms_per_s": 1000.0 * load.wake_cpu_s / load.audio_s,
            "vad_cpu_ms_per_s": 1000.0 * load.vad_cpu_s / load.audio_s,
            "recognise_rtf": load.recognise_cpu_s / max(load.recognise_audio_s, 1e-9),
            "resident_mb": weighed,
            "engines": engines,
            "vehicle": state.values,
            "vault": held,
            "spoken": cabin.spoken,
        }
    soundfile.write(out / f"trip{trip.number}.wav", cabin.recording(), SAMPLE_RATE, subtype="PCM_16")
    return summary


def tell(**line: Any) -> None:
    """A line of JSON on standard output."""
    print(json.dumps(line), flush=True)


def main() -> int:
    """Read the orders, drive, print the summary; the exit code is that of the error, if any."""
    orders = json.load(sys.stdin)
    trip = next(trip for trip in TRIPS if trip.number == orders["number"])
    try:
        summary = drive(Config.model_validate(orders["config"]), trip, Path(orders["out"]))
    except GloveboxError as error:
        failure = {"code": error.code, "message": str(error), "exit_code": error.exit_code}
        tell(error=failure)
        return error.exit_code
    tell(summary=summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
