"""From a run to the report: a table of stages, the waterfall of each sentence, temperature and clock, what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deploy.lab.report.blocks import Bar, Block, Cell, Plot, Report, Series, Table, Waterfall
from deploy.lab.report.statistics import percentile, spread
from deploy.lab.stages.comparing import Change
from deploy.lab.stages.running import TOTAL, Run, Times


def report(run: Run, changes: Sequence[Change] = (), old: Mapping[str, Any] | None = None) -> Report:
    """The report; the earlier run's figures stand beside ours where there is one."""
    told = run.told() | {"stages_ms": {name: _spread(times) for name, times in run.times.items()}}
    blocks: list[Block] = [_stages(run)]
    if old is not None:
        told["compared"] = [
            {"stage": one.stage, "ratio": round(one.ratio, 4), "p": round(one.p, 5), "slower": one.slower}
            for one in changes
        ]
        blocks.append(_changes(changes, old))
    blocks += [_waterfall(run), _conditions(run)]
    return Report(
        title="Every stage of a turn",
        lead="Each stage alone and the whole turn, on fixed sentences in one synthetic voice: their time, not their skill.",
        figures=told,
        blocks=tuple(blocks),
        facts=tuple(run.facts.items()),
    )


def _spread(times: Times) -> dict[str, float]:
    return spread([one for rounds in times.values() for one in rounds], 3)


def _stages(run: Run) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, times in run.times.items():
        told = _spread(times)
        beside = f"{name} (peer of {run.peers[name]})" if name in run.peers else name
        rows.append((beside, told["p50"], told["p95"], run.units[name]))
    note = " ".join(f"{name} was not run: {why}." for name, why in run.missing.items())
    return Table("Stages", ("stage", "p50 ms", "p95 ms", "of"), tuple(rows), note)


def _changes(changes: Sequence[Change], old: Mapping[str, Any]) -> Table:
    facts = old.get("facts", {})
    return Table(
        "Beside the earlier run",
        ("stage", "new / old", "p", ""),
        tuple((one.stage, one.ratio, one.p, "slower" if one.slower else "") for one in changes),
        f"The earlier run: {', '.join(f'{name} {value}' for name, value in facts.items())}. p is corrected for their number.",
    )


def _waterfall(run: Run) -> Waterfall:
    rows: list[tuple[str, tuple[Bar, ...]]] = []
    for text, fell in run.falls.items():
        bars: list[Bar] = []
        at = 0.0
        for part, took in fell.items():
            if part != TOTAL:
                bars.append(Bar(part, at, at + (middle := percentile(took, 50.0))))
                at += middle
        rows.append((text, tuple(bars)))
    return Waterfall(
        "The whole turn",
        tuple(rows),
        note="Medians, from the end of speech to the reply's first sound. What is worked out in the pause stands in the pause. "
        "The end is what the driver waits.",
    )


def _conditions(run: Run) -> Plot:
    told = [one.told() for one in run.conditions]
    series = tuple(
        Series(name, points)
        for name, key in (("°C", "celsius"), ("MHz / 100", "megahertz"), ("load × 10", "load"))
        if (
            points := tuple(
                (float(at), float(one[key]) * _SCALE[key]) for at, one in enumerate(told) if one[key] is not None
            )
        )
    )
    silent = [name for name, key in (("temperature", "celsius"), ("clock", "megahertz")) if told[0][key] is None]
    note = f"This machine does not tell its {' and '.join(silent)}." if silent else ""
    return Plot("The machine meanwhile", "round", "value", series, note=note)


_SCALE = {"celsius": 1.0, "megahertz": 0.01, "load": 10.0}
"""So that all three can be read on one axis."""
