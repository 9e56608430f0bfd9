"""Renders a drive as one self-contained page: sound, waveform, timeline, latency bars, what was learnt, how it ended.

Nothing from outside, no network: the sound is embedded as Ogg Vorbis, and the look of the screen with its font.
"""

from __future__ import annotations

import base64
import io
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from jinja2 import Environment, FileSystemLoader, select_autoescape

from deploy.demo.judge import REPLY, Drive
from deploy.demo.script import PAUSE_BETWEEN_TRIPS_S, TRIPS
from deploy.timeline import TimelineEntry
from memory.screen.render import look
from schemas.events import SAMPLE_RATE

WAVE_POINTS = 1400
"""Columns of the waveform."""
STAGE_COLOURS = {
    "endpoint": "#3b4a63",
    "recognise": "#4f8cff",
    "route": "#22c3a6",
    "act": "#ffd166",
    "synthesise": "#6ee7ff",
}


def render(drive: Drive, audio: np.ndarray[Any, Any]) -> str:
    """The page.

    Args:
        drive: entries, summaries, checks and stages of both trips.
        audio: the whole drive, shape (samples, 2), float, 16 kHz; left more of the cabin, right more of the assistant.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=select_autoescape(default=True), trim_blocks=True
    )
    seconds = len(audio) / SAMPLE_RATE
    trips = [_trip(number, drive, seconds) for number in sorted(drive.entries)]
    return environment.get_template("page.html.j2").render(
        look=look(),
        trips=trips,
        wave=_wave(audio),
        points=WAVE_POINTS,
        sound=_vorbis(audio),
        seconds=seconds,
        stages=drive.stages,
        colours=STAGE_COLOURS,
        bars=[bar for trip in trips for bar in trip["bars"]],
        longest=max([bar["total"] for trip in trips for bar in trip["bars"]], default=1.0),
        checks=drive.checks,
        passed=all(check.ok for check in drive.checks if check.decides),
        wall_s=drive.wall_s,
        engines=next(iter(drive.summaries.values()))["engines"],
        resident_mb=max(s["resident_mb"] for s in drive.summaries.values()),
        totals={stage.path: stage for stage in drive.stages if stage.stage == REPLY},
    )


def _trip(number: int, drive: Drive, seconds: float) -> dict[str, Any]:
    trip = next(trip for trip in TRIPS if trip.number == number)
    entries = drive.entries[number]
    offset = sum(drive.summaries[n]["audio_s"] + PAUSE_BETWEEN_TRIPS_S for n in drive.summaries if n < number)
    bars = [_bar(entry, number) for entry in entries if entry.kind == "said"]
    marks = [
        {"x": (offset + entry.at_s) / seconds * WAVE_POINTS, "kind": entry.kind, "text": entry.text}
        for entry in entries
        if entry.kind in ("wake", "said", "refused", "moved")
    ]
    return {
        "number": number,
        "title": trip.title,
        "turns": _turns(entries),
        "learned": [entry for entry in entries if entry.kind == "learned"],
        "bars": bars,
        "marks": marks,
        "start": offset / seconds * WAVE_POINTS,
        "offset": offset,
        "vault": drive.summaries[number]["vault"],
        "summary": drive.summaries[number],
    }


def _turns(entries: list[TimelineEntry]) -> list[dict[str, Any]]:
    """Entries grouped by utterance."""
    turns: list[dict[str, Any]] = []
    woke: TimelineEntry | None = None
    for entry in entries:
        if entry.kind == "wake":
            woke = entry
        elif entry.kind == "heard":
            turns.append({"wake": woke, "heard": entry, "facts": [], "said": None, "route": ""})
            woke = None
        elif turns and entry.kind == "said":
            turns[-1]["said"] = entry
        elif turns and entry.kind == "decided":
            turns[-1]["route"] = entry.data["route"]
            turns[-1]["facts"].append(entry)
        elif turns and entry.kind not in ("ended", "learned"):
            turns[-1]["facts"].append(entry)
    return turns


def _bar(entry: TimelineEntry, number: int) -> dict[str, Any]:
    latency = entry.data["latency_ms"]
    parts = [{"stage": s, "ms": latency[s], "colour": c} for s, c in STAGE_COLOURS.items() if latency.get(s, 0.0) > 0.5]
    return {
        "trip": number,
        "text": entry.text,
        "route": entry.data["route"],
        "parts": parts,
        "total": latency.get("total", 0.0),
    }


def _wave(audio: np.ndarray[Any, Any]) -> dict[str, str]:
    """Two SVG paths: the envelope of cabin and assistant, 0..100 high, mirrored round 50."""
    paths: dict[str, str] = {}
    assistant = audio[:, 1] - 0.6 * audio[:, 0]
    for name, channel in (("cabin", audio[:, 0]), ("assistant", assistant)):
        edges = np.linspace(0, len(channel), WAVE_POINTS + 1).astype(int)
        peaks = [float(np.sqrt(np.mean(channel[a:b] ** 2))) if b > a else 0.0 for a, b in itertools.pairwise(edges)]
        top = max(*peaks, 1e-6)
        heights = [46.0 * (peak / top) ** 0.8 for peak in peaks]
        upper = " ".join(f"L{x} {50 - h:.1f}" for x, h in enumerate(heights))
        lower = " ".join(f"L{x} {50 + h:.1f}" for x, h in reversed(list(enumerate(heights))))
        paths[name] = f"M0 50 {upper} {lower} Z"
    return paths


def _vorbis(audio: np.ndarray[Any, Any]) -> str:
    """The drive as Ogg Vorbis in base64. Written in pieces: libsndfile's encoder overflows its stack on long blocks."""
    buffer = io.BytesIO()
    mono = audio.mean(axis=1)
    with soundfile.SoundFile(buffer, "w", SAMPLE_RATE, 1, format="OGG", subtype="VORBIS") as file:
        for start in range(0, len(mono), SAMPLE_RATE):
            file.write(mono[start : start + SAMPLE_RATE])
    return base64.b64encode(buffer.getvalue()).decode("ascii")
