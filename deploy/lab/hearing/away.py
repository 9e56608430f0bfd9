"""Parts of the hearing's figures in other processes: each part has an assistant of its own anyway.

Owns what goes there and comes back, and putting it together. What is measured is `deploy.lab.hearing.parts`'s.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields

from deploy.config import Config
from deploy.lab.hearing import rig
from deploy.lab.hearing.parts import RUNS, Plan, Results
from deploy.lab.report.blocks import Progress
from deploy.lab.spreading import Spread


@dataclass(frozen=True, slots=True)
class _Part:
    results: Results
    engines: dict[str, str]
    shown: list[str]


def run(
    spread: Spread, config: Config, plan: Plan, chosen: Sequence[str], tell: Progress
) -> tuple[Results, dict[str, str], list[str]]:
    """Measure these parts, each somewhere; the results, the engines, and a line for each case that was not right.

    Args:
        spread: where to.
        config: the whole configuration.
        plan: whose sounds are made already, in a folder that is there under the same name.
        chosen: names of parts of ``RUNS``.
        tell: told how far it is.

    Raises:
        schemas.errors.GloveboxError: as of `deploy.lab.spreading.Spread.each`, and as the parts do.
    """
    one = functools.partial(_part, config.model_dump_json(), plan)
    parts = spread.each(one, list(chosen), "parts", tell)
    return (
        together([part.results for part in parts]),
        parts[-1].engines,
        [line for part in parts for line in part.shown],
    )


def together(each: Sequence[Results]) -> Results:
    """Results of different parts as those of one run."""
    found = Results()
    for results in each:
        for field in fields(Results):
            setattr(found, field.name, getattr(found, field.name) + getattr(results, field.name))
    return found


def _part(config: str, plan: Plan, name: str) -> _Part:
    results, shown = Results(), list[str]()
    with rig.parked(Config.model_validate_json(config)) as car:
        RUNS[name](car, plan, results, _silent, shown.append)
        return _Part(results, dict(car.engines), shown)


def _silent(what: str, done: int, total: int) -> None:
    del what, done, total
