"""From judged sentences to the report. Owns the goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from deploy.lab.keeping.judging import Verdict
from deploy.lab.keeping.running import Played
from deploy.lab.keeping.suite import KINDS
from deploy.lab.report.blocks import Goal, Report, Table
from deploy.lab.report.statistics import wilson

GOALS: Mapping[str, Goal] = {"right": Goal(0.9), "sense": Goal(0, least=False)}


def report(played: Sequence[Played], facts: Mapping[str, str]) -> Report:
    """The report of a run: shares right by kind, and what is wrong."""
    wrong = [one for one in Verdict if one is not Verdict.RIGHT]
    rows: list[tuple[Any, ...]] = []
    figures: dict[str, Any] = {"facts": dict(facts), "kinds": {}}
    for kind in ("all", *KINDS):
        own = [one for one in played if kind in ("all", one.entry.kind)]
        if not own:
            continue
        found = Counter(one.judgement.verdict for one in own)
        share = found[Verdict.RIGHT] / len(own)
        low, high = wilson(share, len(own))
        told = {str(verdict): found[verdict] for verdict in Verdict}
        figures["kinds"][kind] = {
            "right": share,
            "interval": [low, high],
            "n": len(own),
            **{f"n_{k}": v for k, v in told.items()},
        }
        rows.append((kind, len(own), share, f"{low:.2f} to {high:.2f}", *(told[one] for one in wrong)))
    figures["asked"] = sum(one.seen.asks for one in played)
    figures["goals"] = {name: str(goal) for name, goal in GOALS.items()}
    return Report(
        title="What memory keeps of a sentence",
        lead=f"{len(played)} sentences, each typed to the whole assistant in a car of its own; "
        f"it asked first {figures['asked']} times.",
        figures=figures,
        blocks=(
            Table(
                title="Right by kind",
                columns=("kind", "sentences", "right", "95 %", *map(str, wrong)),
                rows=tuple(rows),
                note=f"Goals: right {GOALS['right']}, wrong sense {GOALS['sense']}. Lost: not kept; extra: kept beside it; "
                "sense: with the opposite sense; never: what must not be kept. Intervals: Wilson's.",
            ),
        ),
        facts=tuple(facts.items()),
    )
