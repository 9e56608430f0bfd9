"""CarMem's whole protocol in one run: extraction, opt-out, ablation, maintenance, retrieval.

Owns the order of the passes and the JSON object. The parts of the protocol stand in ``extraction``,
``maintenance`` and ``retrieval``, the tables and plots in ``tables``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deploy.lab.carmem import extraction
from deploy.lab.carmem.data import Item
from deploy.lab.carmem.extraction import InSchema, OutOfSchema, Reading
from deploy.lab.carmem.maintenance import KINDS, LENIENT, Maintenance, end_to_end, protocol
from deploy.lab.carmem.parts import Parts
from deploy.lab.carmem.retrieval import CUTS, Retrieval, retrieval
from deploy.lab.carmem.tables import report
from deploy.lab.report.blocks import Interval, Progress, Report, silent
from deploy.lab.report.statistics import Ratio, calibration, percentile
from memory.learn.evidence import ReadingSettings
from schemas.errors import EvaluationDataError

VARIANTS: dict[str, dict[str, Any]] = {
    "both": {},
    "alone": {"reading": ReadingSettings(context=0.0, before=0.0, prompt=0.0, reply=0.0)},
}
"""The ablation: as it ships, and with every turn read by itself, whatever stands around it."""


@dataclass(frozen=True, slots=True)
class Options:
    """What of the protocol is run."""

    ids: frozenset[str] | None = None
    """Conversations that maintenance and retrieval are limited to; None for all."""
    ablation: bool = True
    source: str = ""
    """Name of the data, for the report."""


@dataclass(slots=True)
class _Figures:
    """The JSON object while it is made, with the intervals of its shares."""

    users: Sequence[str]
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    intervals: dict[str, Interval] = field(default_factory=dict[str, Interval])

    def put(self, key: str, value: Any) -> None:
        """Set a value under a dotted key."""
        *path, name = key.split(".")
        place = self.values
        for part in path:
            place = place.setdefault(part, {})
        place[name] = round(value, 4) if isinstance(value, float) else value

    def share(self, key: str, ratio: Ratio, users: Sequence[str] | None = None) -> None:
        """Set a share, and its interval over users; nothing where there are no items at all."""
        if not ratio.below:
            self.put(key, None)
            return
        self.put(key, ratio.value)
        low, high = ratio.interval(self.users if users is None else users)
        self.intervals[key] = round(low, 4), round(high, 4)


def measure(parts: Parts, items: Sequence[Item], options: Options | None = None, tell: Progress = silent) -> Report:
    """Run the protocol.

    Args:
        parts: encoder, thresholds.
        items: conversations of whole users.
        options: what is run.
        tell: progress.

    Raises:
        EvaluationDataError: there is no conversation at all.
    """
    if not items:
        raise EvaluationDataError("there is no conversation to measure; give a file that holds some to --data")
    options = options or Options()
    kept = [item for item in items if options.ids is None or item.id in options.ids]
    figures = _Figures([item.user for item in items])

    main = extraction.read_in_schema(parts, items, tell, what="in schema", timed=True)
    scores = extraction.in_schema(main)
    _put_in_schema(figures, "in_schema", scores)
    for name, ratio in extraction.attributes(parts, main).items():
        figures.put(f"in_schema.attribute.{name}", ratio.value)
    for name, ratio in extraction.asked(main).items():
        figures.put(f"in_schema.asked.{name}", ratio.value)
    for name, ratio in extraction.aloud(parts, main).items():
        figures.put(f"in_schema.aloud.{name}", ratio.value)
    for level, found in extraction.in_schema(extraction.unasked(main)).levels().items():
        figures.put(f"in_schema.unasked.{level}", found.f1.value)
    for level, found in extraction.answered(main).levels().items():
        figures.put(f"in_schema.answered.{level}", found.f1.value)
    for name, at in (("p50", 50.0), ("p95", 95.0)):
        figures.put(f"latency_ms.{name}", 1000.0 * percentile([r.seconds for r in main], at))
    reliability = calibration(extraction.confidences(main))
    figures.put("in_schema.reliability", [[round(c, 4), round(right, 4), n] for c, right, n in reliability])

    removed = extraction.read_out_of_schema(parts, items, tell, what="opted out")
    held = extraction.out_of_schema(removed)
    _put_out_of_schema(figures, held)
    figures.put("by_threshold", [_at_threshold(main, removed, threshold) for threshold in extraction.THRESHOLDS])

    if options.ablation:
        _put_ablation(figures, parts, items, tell)

    first = protocol(parts, kept, tell)
    _put_maintenance(figures, "maintenance", first)
    whole = end_to_end(parts, items, tell)
    _put_maintenance(figures, "maintenance_end_to_end", whole)

    limited = retrieval(parts, kept, tell, what="retrieval")
    _put_retrieval(figures, "retrieval", limited)
    _put_retrieval(figures, "retrieval_all", limited if len(kept) == len(items) else retrieval(
        parts, items, tell, what="retrieval, all"
    ))  # fmt: skip

    if options.ids is not None:
        pair = extraction.against(main, options.ids)
        figures.put("paired", {"both": pair.both, "ours_only": pair.ours_only, "theirs_only": pair.theirs_only,
                               "neither": pair.neither, "p": pair.p})  # fmt: skip
    figures.put("conversations", len(items))
    figures.put("kept", len(kept))
    figures.put("users", len(set(figures.users)))
    figures.values["intervals"] = {key: list(ends) for key, ends in figures.intervals.items()}
    return report(
        figures.values, reliability=reliability, confusion=confusion(main), parts=parts, source=options.source
    )


def confusion(readings: Sequence[Reading]) -> tuple[tuple[str, str, int], ...]:
    """What was found in the place of what, most frequent first: gold detail, found detail (or nothing), conversations."""
    wrong: dict[tuple[str, str], int] = {}
    for reading in readings:
        if reading.exact:
            continue
        gold = reading.item.gold.detail
        for other in {c.detail for c in reading.found} - {gold} or {"(nothing)"}:
            wrong[gold, other] = wrong.get((gold, other), 0) + 1
    ranked = sorted(wrong.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple((gold, other, count) for (gold, other), count in ranked)


def _put_in_schema(figures: _Figures, key: str, scores: InSchema) -> None:
    for level, found in scores.levels().items():
        figures.share(f"{key}.{level}.precision", found.precision)
        figures.share(f"{key}.{level}.recall", found.recall)
        figures.share(f"{key}.{level}.f1", found.f1)
        figures.put(f"{key}.{level}.counts", list(found.counts))
    figures.share(f"{key}.subset_accuracy", scores.detail.exact)


def _at_threshold(main: Sequence[Reading], removed: Sequence[Reading], threshold: float) -> dict[str, float]:
    """What another ``store_at`` would give, from what was asked about down to ``ask_at``."""
    scores = extraction.in_schema(extraction.stored_from(main, threshold)).levels()
    held = extraction.out_of_schema(extraction.stored_from(removed, threshold))
    shares = {**{level: found.f1.value for level, found in scores.items()}, "nothing_stored": held.nothing_stored.value}
    return {"store_at": threshold, **{name: round(value, 4) for name, value in shares.items()}}


def _put_out_of_schema(figures: _Figures, held: OutOfSchema) -> None:
    figures.share("out_of_schema.nothing_stored", held.nothing_stored)
    figures.share("out_of_schema.nothing_unasked", held.nothing_unasked)
    figures.share("out_of_schema.removed_stored", held.removed_stored)
    figures.share("out_of_schema.spill", held.spill)
    figures.put("out_of_schema.asked", held.asked.value)
    figures.put("out_of_schema.spill_to", {sub: round(part, 4) for sub, part in held.spill_to.items()})
    figures.put("out_of_schema.spill_within_main", held.same_main)
    figures.put("out_of_schema.spill_beyond_main", held.other_main)


def _put_ablation(figures: _Figures, parts: Parts, items: Sequence[Item], tell: Progress) -> None:
    for name, changes in VARIANTS.items():
        settings = parts.settings.extraction.model_copy(update=changes)
        inside = extraction.in_schema(
            extraction.read_in_schema(parts, items, tell, what=f"ablation, {name}", settings=settings)
        )
        outside = extraction.out_of_schema(
            extraction.read_out_of_schema(parts, items, tell, what=f"ablation, {name}, opted out", settings=settings)
        )
        for level, scores in inside.levels().items():
            figures.put(f"ablation.{name}.{level}", scores.f1.value)
        figures.put(f"ablation.{name}.nothing_stored", outside.nothing_stored.value)


def _put_maintenance(figures: _Figures, key: str, found: Maintenance) -> None:
    for kind in KINDS:
        for name, multi in (("multi", True), ("single", False)):
            figures.share(f"{key}.{kind}.{name}", found.accuracy(kind, multi=multi), found.users(kind, multi=multi))
            figures.put(f"{key}.counts.{kind}.{name}", found.counts(kind, multi=multi))
    figures.share(f"{key}.{LENIENT}.multi", found.lenient(), found.users("different", multi=True))
    figures.put(f"{key}.left_out", {"multi": found.left_out[True], "single": found.left_out[False]})


def _put_retrieval(figures: _Figures, key: str, found: Retrieval) -> None:
    for cut in CUTS:
        figures.share(f"{key}.hit_{cut}", found.hits[cut], found.users)
        figures.put(f"{key}.subcategory_share_{cut}", found.subcategory_share[cut].value)
    figures.put(f"{key}.chance", found.chances["n"].value)
    figures.put(f"{key}.chance_n1", found.chances["n1"].value)
    figures.put(f"{key}.chance_n2", found.chances["n2"].value)
    figures.share(f"{key}.recalled", found.recalled, found.users)
