"""`eval wake`: misses at each ratio of speech to noise against false accepts an hour, and the share of a core it takes.

Positives hold the wake word once each; each is played in noise at the ratio asked for (active level of the word over the
noise's RMS, whole band), two seconds before it and one after, as a stream of its own. Negatives are played after each other as
one stream, each clip in noise at the same ratio to its own active level. A miss is a clip whose score does not reach the
threshold from 0.25 s before to 0.6 s after the word's end; false accepts are counted with the engine's refractory period.
Hours are those of the negative clips alone, at each ratio the same ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deploy.lab.report.blocks import Plot, Progress, Report, Series, Table, silent
from deploy.lab.report.statistics import wilson
from deploy.lab.wake.ears import CHUNK, Ear, PocketSphinxEar
from models import acoustics
from models.runtime.keyword import Scores
from models.training.wake import listening
from models.training.wake.corpus import Clip, Spoken
from models.training.wake.listening import RATE, Floats, Pool

GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999)
"""Thresholds of every curve; beside them stand those just above the highest wrong scores, where the curve has its steps."""
STEPS = 16
"""Highest wrong scores at each ratio that become thresholds."""
GOAL_PER_HOUR = 1.0
"""False accepts an hour at which engines are compared: the project's own limit."""
_COST_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played."""

    keyword: str
    positives: Sequence[Spoken]
    negatives: Sequence[Clip]
    snrs: Sequence[float]
    noise: Floats | None
    """None for synthetic road noise at 30 to 130 km/h."""
    noise_name: str
    draws: int = 2
    """How often each positive is played at each ratio, each time in other noise."""
    seed: int = 1
    road_minutes: float = 4.0
    """How much road noise is made to cut from."""
    known: Sequence[Spoken] = ()
    """Recordings trained on, if they are at hand: the positives are then told apart by their distance from them."""

    @property
    def hours(self) -> float:
        """Length of the negatives, pauses not counted."""
        return sum(clip.size for clip in self.negatives) / RATE / 3600.0


@dataclass(frozen=True, slots=True)
class Point:
    """One threshold at one ratio."""

    snr: float
    threshold: float
    miss: float
    false_accepts: int
    fa_per_hour: float

    def json(self, *, shipped: bool) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "snr": self.snr, "threshold": self.threshold, "miss": round(self.miss, 5),
            "false_accepts": self.false_accepts, "fa_per_hour": round(self.fa_per_hour, 4), "shipped": shipped,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """What one engine scored at one ratio."""

    best: Floats
    """Best score around each keyword's end, each positive `draws` times in a row."""
    stream: Scores
    """Over all negatives."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One engine over all ratios."""

    name: str
    shipped: float | None
    heard: dict[float, Heard]
    hours: float
    cpu_share: float

    def point(self, snr: float, threshold: float) -> Point:
        """Misses and false accepts at a threshold."""
        heard = self.heard[snr]
        count = listening.accepts(heard.stream, threshold)
        return Point(snr, threshold, listening.misses(heard.best, threshold), count, count / self.hours)

    def thresholds(self) -> list[float]:
        """The grid, the steps of the curve and the shipped threshold, rising."""
        every = {round(level, 6) for heard in self.heard.values() for level in _steps(heard.stream)}
        every.update(GRID)
        if self.shipped is not None:
            every.add(self.shipped)
        return sorted(every)

    def points(self, snr: float) -> list[Point]:
        """The curve at one ratio, thresholds rising."""
        return [self.point(snr, threshold) for threshold in self.thresholds()]

    def at_goal(self, snr: float) -> Point:
        """The lowest threshold with at most `GOAL_PER_HOUR` false accepts an hour; the highest one where none is."""
        points = self.points(snr)
        return next((point for point in points if point.fa_per_hour <= GOAL_PER_HOUR), points[-1])


def measure(ears: Sequence[Ear], plan: Plan, progress: Progress = silent) -> list[Curve]:
    """Play everything to every engine; each hears the same mixtures."""
    noise = plan.noise
    if noise is None:
        progress("making road noise", 0, 0)
        noise = listening.road(plan.road_minutes, np.random.default_rng(plan.seed))
    return [_curve(ear, plan, noise, progress) for ear in ears]


def report(curves: Sequence[Curve], plan: Plan, absent: dict[str, str]) -> Report:
    """Figures, tables and the plot; the first curve is ours.

    Args:
        curves: what `measure` returned.
        plan: what was played.
        absent: peers that could not be run, and why.
    """
    ours, peers = curves[0], curves[1:]
    blocks = [_shipped_table(ours, plan), _goal_table(curves, plan), *_distance_table(ours, plan), _plot(curves, plan)]
    absences = "; ".join(f"{name} {why}" for name, why in absent.items())
    return Report(
        title=f"Wake word “{plan.keyword}”",
        lead=(
            f"{len(plan.positives)} recordings of the word and {plan.hours:.2f} h of speech without it, "
            f"in {plan.noise_name} noise."
        ),
        figures=_figures(ours, peers, plan, absent),
        blocks=tuple(blocks),
        facts=(
            ("threshold", f"{ours.shipped} (in the model's file)"),
            ("CPU", ", ".join(f"{curve.name} {curve.cpu_share:.2%} of a core" for curve in curves)),
            ("draws", f"{plan.draws} noises a recording, seed {plan.seed}"),
            *((("peers not run", absences),) if absent else ()),
        ),
    )


def _curve(ear: Ear, plan: Plan, noise: Floats, progress: Progress) -> Curve:
    heard: dict[float, Heard] = {}
    for snr in plan.snrs:
        rng = np.random.default_rng([plan.seed, round(1000 * snr) & 0xFFFF])
        pool = Pool(noise, rng)
        best: list[float] = []
        what = f"{ear.name}, {snr:g} dB: recordings of the word"
        for done, item in enumerate(plan.positives):
            progress(what, done, len(plan.positives))
            for _ in range(plan.draws):
                ear.reset()
                scores = ear.listen(listening.embedded(item, pool, snr, rng))
                near, _ = listening.near_end(item, scores.positions)
                best.append(float(scores.values[near].max(initial=0.0)))
        progress(what, len(plan.positives), len(plan.positives))
        heard[snr] = Heard(np.asarray(best, np.float32), _negatives(ear, plan, pool, snr, rng, progress))
    progress(f"{ear.name}: cost", 0, 1)
    share = _cpu_share(ear)
    progress(f"{ear.name}: cost", 1, 1)
    return Curve(ear.name, ear.threshold, heard, plan.hours, share)


def _negatives(ear: Ear, plan: Plan, pool: Pool, snr: float, rng: np.random.Generator, progress: Progress) -> Scores:
    what = f"{ear.name}, {snr:g} dB: other speech"
    parts: list[Scores] = []
    ear.reset()
    for done, clip in enumerate(plan.negatives):
        progress(what, done, len(plan.negatives))
        speech = np.pad(clip.astype(np.float32) / np.float32(32768.0), (0, listening.PAUSE))
        level = acoustics.active_level(speech)
        quiet = level <= 0.0
        parts.append(ear.listen(listening.under(speech, level, None if quiet else pool, snr, rng)))
    progress(what, len(plan.negatives), len(plan.negatives))
    values = np.concatenate([part.values for part in parts]) if parts else np.zeros(0, np.float32)
    positions = np.concatenate([part.positions for part in parts]) if parts else np.zeros(0, np.int64)
    return Scores(values, positions)


def _cpu_share(ear: Ear) -> float:
    """CPU seconds of this process for a second of sound, in the microphone's chunks."""
    rng = np.random.default_rng(1)
    noise = (acoustics.road_noise(_COST_SECONDS, rng) * 32767.0).astype(np.int16)
    ear.reset()
    started = time.process_time()
    for start in range(0, noise.size - CHUNK + 1, CHUNK):
        ear.live(noise[start : start + CHUNK])
    spent = time.process_time() - started
    if isinstance(ear, PocketSphinxEar):
        ear.close()
    return spent / _COST_SECONDS


def _steps(stream: Scores) -> list[float]:
    """Thresholds just above each of the highest scores of a stream that are farther apart than the refractory period."""
    values, positions = stream.values, stream.positions
    order = np.argsort(-values, kind="stable")
    found: list[float] = []
    taken: list[int] = []
    for index in order[: 200 * STEPS].tolist():
        if all(abs(int(positions[index]) - place) > listening.REFRACTORY * RATE for place in taken):
            taken.append(int(positions[index]))
            found.append((math.floor(float(values[index]) * 1e6) + 2.0) / 1e6)  # 32-bit scores are as fine
        if len(found) == STEPS:
            break
    return found


def _figures(ours: Curve, peers: Sequence[Curve], plan: Plan, absent: dict[str, str]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "keyword": plan.keyword,
        "positives": len(plan.positives),
        "hours_negative": round(plan.hours, 4),
        "noise": plan.noise_name,
        "shipped_threshold": ours.shipped,
        **_of(ours, plan),
    }
    if plan.known:
        figures["by_distance"] = {
            name: {"recordings": count, "miss": {f"{snr:g}": share for snr, share in missed.items()}}
            for name, count, missed in _by_distance(ours, plan)
        }
    if peers or absent:
        figures["peers"] = {curve.name: _of(curve, plan) for curve in peers}
        figures["peers_absent"] = absent
    return figures


def _of(curve: Curve, plan: Plan) -> dict[str, Any]:
    points = [point for snr in plan.snrs for point in curve.points(snr)]
    goal = {
        f"{snr:g}": curve.at_goal(snr).json(shipped=curve.at_goal(snr).threshold == curve.shipped) for snr in plan.snrs
    }
    return {
        "points": [point.json(shipped=point.threshold == curve.shipped) for point in points],
        "at_one_per_hour": goal,
        "cpu_share": round(curve.cpu_share, 5),
    }


def _shipped_table(ours: Curve, plan: Plan) -> Table:
    rows: list[tuple[str | float | int | None, ...]] = []
    for snr in plan.snrs:
        point = ours.point(snr, ours.shipped if ours.shipped is not None else 0.5)
        low, high = wilson(point.miss, len(plan.positives))
        rows.append((
            f"{snr:g} dB", f"{point.miss:.1%}", f"{low:.1%} to {high:.1%}", point.false_accepts, f"{point.fa_per_hour:.2f}",
        ))  # fmt: skip
    return Table(
        f"At the shipped threshold, {ours.shipped}",
        ("noise", "missed", "95 % interval", "false accepts", "an hour"),
        tuple(rows),
        f"{len(plan.positives)} recordings, each played {plan.draws} times; the interval takes a recording as one draw.",
    )


def _goal_table(curves: Sequence[Curve], plan: Plan) -> Table:
    rows: list[tuple[str | float | int | None, ...]] = []
    for curve in curves:
        for snr in plan.snrs:
            point = curve.at_goal(snr)
            rows.append((
                curve.name, f"{snr:g} dB", f"{point.miss:.1%}", f"{point.fa_per_hour:.2f}", f"{point.threshold:.4g}",
                f"{curve.cpu_share:.2%}",
            ))  # fmt: skip
    return Table(
        f"At no more than {GOAL_PER_HOUR:g} false accept an hour",
        ("engine", "noise", "missed", "an hour", "threshold", "of a core"),
        tuple(rows),
        "The threshold is chosen on these very recordings, for each engine and noise: for comparing engines, not a promise.",
    )


def _by_distance(ours: Curve, plan: Plan) -> list[tuple[str, int, dict[float, float]]]:
    """Name, number of recordings, misses at the shipped threshold by ratio: copies of known takes, then thirds of the rest."""
    items, known = list(plan.positives), list(plan.known)
    far = listening.distances(items, known)
    group: NDArray[np.int64] = np.zeros(len(items), np.int64)
    fresh = np.flatnonzero(far >= listening.COPY)
    if fresh.size:
        group[fresh] = 1 + listening.thirds([items[index] for index in fresh], known)
    threshold = ours.shipped if ours.shipped is not None else 0.5
    rows: list[tuple[str, int, dict[float, float]]] = []
    for number, name in enumerate(("copies of takes trained on", *listening.THIRDS)):
        which = np.repeat(group == number, plan.draws)
        if which.any():
            missed = {snr: listening.misses(heard.best[which], threshold) for snr, heard in ours.heard.items()}
            rows.append((name, int((group == number).sum()), missed))
    return rows


def _distance_table(ours: Curve, plan: Plan) -> list[Table]:
    if not plan.known:
        return []
    rows = tuple(
        (name, count, *(f"{missed[snr]:.1%}" for snr in plan.snrs)) for name, count, missed in _by_distance(ours, plan)
    )
    columns = ("distance from the recordings trained on", "recordings", *(f"missed at {snr:g} dB" for snr in plan.snrs))
    note = "By mean and spread of the word's cepstra, nearest recording trained on; at the shipped threshold."
    return [Table("New speakers", columns, rows, note)]


def _plot(curves: Sequence[Curve], plan: Plan) -> Plot:
    series: list[Series] = []
    for curve in curves:
        for snr in plan.snrs:
            points = sorted(
                {(point.fa_per_hour, point.miss) for point in curve.points(snr)}, key=lambda one: (one[0], -one[1])
            )
            series.append(Series(f"{curve.name}, {snr:g} dB", tuple(points), "steps", dashed=curve is not curves[0]))
    if curves[0].shipped is not None:
        marks = [curves[0].point(snr, curves[0].shipped) for snr in plan.snrs]
        series.append(Series("shipped threshold", tuple((one.fa_per_hour, one.miss) for one in marks), "points"))
    return Plot(
        title="Misses against false accepts",
        x_label="false accepts an hour",
        y_label="share missed",
        series=tuple(series),
        y_range=(0.0, min(1.0, max(0.1, *(y for one in series[:3] for x, y in one.points if x <= 20 * GOAL_PER_HOUR)))),
        x_range=(0.0, 20.0 * GOAL_PER_HOUR),
    )
