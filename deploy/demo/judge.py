"""Judges a finished drive against its script, and makes the table of latencies.

Reads the timeline and the summaries alone. Checks that *decide* are about the state of the vehicle and the vault; the
others are the figures that the project wants to reach, shown as measured whether they are reached or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from deploy.demo.script import TRIPS, Trip
from deploy.timeline import TimelineEntry
from schemas.memory import Outcome
from voice.dialogue.replies.cannot import CANNOT
from voice.dialogue.replies.responder import CHAT, NOT_UNDERSTOOD

P95_MS = {"fast": 400.0, "goes on": 950.0, "model": 950.0, "talk": 950.0}
"""Goals by path. A command that a longer one begins with waits .75 s for it, because people pause .7 s before they go on
(docs/adr/0021): it cannot be as quick as one that nothing continues, and shall be no slower than free speech."""
SMALL = {"recogniser": "pocketsphinx", "voice": "espeak"}
"""Engines of the smallest assistant, which nothing was fetched for."""
SMALL_MB, DEFAULT_MB = 400.0, 1200.0
ALWAYS_ON_SHARE = 0.05
WALL_S = 90.0
NOTHING_MADE = (NOT_UNDERSTOOD, CANNOT["knowledge"], CHAT)
"""What may be said to words that mean nothing; which of the three is a matter of a few hundredths, and of the processor."""
REPLY = "speech to reply"
"""From the true end of the driver's words, which only the cabin knows, to the first sound of the reply. It is longer than
``total``, which begins where the VAD heard the speech end: about 100 ms late in noise."""
_STAGES = ("endpoint", "recognise", "route", "act", "synthesise", "total", REPLY)
_PATHS = {"fast": "fast", "control": "fast", "memory": "fast", "reject": "talk", "model": "model"}
"""Route -> path: complete commands, requests that need the parser, and talk that asks for nothing; a command that was
waited for, because it might have gone on, has a path of its own."""


class Check(BaseModel):
    """One thing that must, or should, be so."""

    model_config = ConfigDict(frozen=True)

    ok: bool
    text: str
    decides: bool = True
    """Whether the exit code hangs on it."""


class Stage(BaseModel):
    """Latency of one stage on one path, in milliseconds."""

    model_config = ConfigDict(frozen=True)

    stage: str
    path: str
    turns: int
    p50: float
    p95: float
    worst: float


class Drive:
    """What is known of the two trips."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.entries: dict[int, list[TimelineEntry]] = {}
        self.summaries: dict[int, dict[str, Any]] = {}
        self.wall_s = 0.0
        self.checks: list[Check] = []
        self.stages: list[Stage] = []


def latency_table(entries: Mapping[int, Sequence[TimelineEntry]]) -> list[Stage]:
    """Stage by stage over all turns of both trips, each path apart."""
    collected: dict[tuple[str, str], list[float]] = {}
    endpoint = None
    for entry in (entry for trip in entries.values() for entry in trip if entry.kind in ("heard", "said")):
        if entry.kind == "heard":
            endpoint = entry.data.get("endpoint")
            continue
        path = _PATHS[entry.data["route"]]
        path = "goes on" if path == "fast" and endpoint == "middle" else path
        for stage, milliseconds in entry.data["latency_ms"].items():
            collected.setdefault((path, stage), []).append(milliseconds)
    table: list[Stage] = []
    for path in P95_MS:
        for stage in _STAGES:
            values = collected.get((path, stage))
            if values:
                p50, p95 = np.percentile(values, [50, 95])
                table.append(
                    Stage(stage=stage, path=path, turns=len(values), p50=p50, p95=p95, worst=max(values))
                )  # fmt: skip
    return table


def with_truth(entries: Sequence[TimelineEntry], spoken: Sequence[tuple[float, float, str]]) -> list[TimelineEntry]:
    """The entries, every reply with its latency from the true end of the line that it answers.

    Args:
        entries: of one trip.
        spoken: begin, end (seconds of the stream) and text of every line, as the cabin played them.
    """
    told: list[TimelineEntry] = []
    for entry in entries:
        ends = [end for _, end, _ in spoken if end <= entry.at_s]
        if entry.kind == "said" and ends:
            latency = {**entry.data["latency_ms"], REPLY: (entry.at_s - ends[-1]) * 1000.0}
            told.append(entry.model_copy(update={"data": {**entry.data, "latency_ms": latency}}))
        else:
            told.append(entry)
    return told


def judge(
    entries: Mapping[int, Sequence[TimelineEntry]],
    summaries: Mapping[int, Mapping[str, Any]],
    stages: Sequence[Stage],
    wall_s: float,
) -> list[Check]:
    """All checks of the drive, those that decide first."""
    checks = [check for trip in TRIPS for check in _trip(trip, entries.get(trip.number, ()), summaries[trip.number])]
    return checks + _figures(stages, summaries, wall_s)


def _trip(trip: Trip, entries: Sequence[TimelineEntry], summary: Mapping[str, Any]) -> list[Check]:
    name = f"trip {trip.number}"
    checks: list[Check] = []
    values = summary["vehicle"]
    wrong = {
        signal: values.get(signal) for signal, value in trip.vehicle.items() if not _same(values.get(signal), value)
    }
    expected = ", ".join(f"{signal} {value}" for signal, value in trip.vehicle.items())
    found = "" if not wrong else f"; found {', '.join(f'{signal} {_shown(value)}' for signal, value in wrong.items())}"
    checks.append(Check(ok=not wrong, text=f"{name}: vehicle ended at {expected}{found}"))
    held = sorted((p["detail"], p["value"].lower()) for p in summary["vault"])
    vault = sorted(trip.vault.items())
    shown, found = (", ".join(f"{detail} {value}" for detail, value in values) for values in (vault, held))
    found = "" if held == vault else f"; found {found or 'nothing'}"
    checks.append(Check(ok=held == vault, text=f"{name}: vault holds {shown}{found}"))
    kinds = Counter(entry.kind for entry in entries)
    for kind, least in trip.statuses.items():
        checks.append(Check(ok=kinds[kind] >= least, text=f"{name}: {kinds[kind]} × {kind} (at least {least})"))
    rejects = sum(e.kind == "said" and any(text in e.text for text in NOTHING_MADE) for e in entries)
    wanted = "" if rejects == trip.rejects else f" (should be {trip.rejects})"
    checks.append(
        Check(ok=rejects == trip.rejects, text=f"{name}: {rejects} that meant nothing, and answered so{wanted}")
    )
    outcomes = Counter(entry.data["outcome"] for entry in entries if entry.kind == "learned")
    if trip.decisions:
        told = ", ".join(f"{count} × {outcome}" for outcome, count in sorted(outcomes.items()))
        # A sentence misheard in noise may be looked at and dropped, or refused like what it was taken for; nothing is stored of it.
        counted = {outcome: count for outcome, count in outcomes.items() if outcome != Outcome.DROPPED}
        fewest = trip.decisions.get(Outcome.REFUSED, 0)
        refused = counted.get(Outcome.REFUSED, 0) >= fewest
        stored = {**counted, Outcome.REFUSED: fewest} == {**trip.decisions, Outcome.REFUSED: fewest}
        checks.append(Check(ok=refused and stored, text=f"{name}: learning gave {told}"))
    if trip.used:
        used = {str(e.data["value"]).lower() for e in entries if e.kind == "recalled"}
        said = " ".join(e.text.lower() for e in entries if e.kind == "said")
        named = all(value in used and value in said for value in trip.used)
        checks.append(Check(ok=named, text=f"{name}: replies used and named {', '.join(trip.used)}"))
    return checks


def _shown(value: Any) -> str:
    return "nothing" if value in ("", None) else str(value)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(found, int | float):
        return abs(found - wanted) < 0.26
    return bool(found == wanted)


def _figures(stages: Sequence[Stage], summaries: Mapping[int, Mapping[str, Any]], wall_s: float) -> list[Check]:
    totals = {stage.path: stage for stage in stages if stage.stage == REPLY}
    checks: list[Check] = []
    for path, limit in P95_MS.items():
        if path in totals:
            p95 = totals[path].p95
            text = f"{path} path: end of speech to first reply audio p95 {p95:.0f} ms (goal under {limit:.0f})"
            checks.append(Check(ok=p95 < limit, text=text, decides=False))
    resident = max(s["resident_mb"] for s in summaries.values())
    share = max(s["always_on_share"] for s in summaries.values())
    small = all(summary["engines"].items() >= SMALL.items() for summary in summaries.values())
    most = SMALL_MB if small else DEFAULT_MB
    checks += [
        Check(ok=resident < most, text=f"resident memory of all processes {resident:.0f} MB (goal under {most:.0f})",
              decides=False),
        Check(ok=share < ALWAYS_ON_SHARE, text=f"wake word and VAD: {share:.1%} of a core (goal under {ALWAYS_ON_SHARE:.0%})",
              decides=False),
        Check(ok=wall_s < WALL_S, text=f"the whole demo took {wall_s:.1f} s (goal under {WALL_S:.0f})", decides=False),
    ]  # fmt: skip
    return checks
