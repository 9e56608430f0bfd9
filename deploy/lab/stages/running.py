"""A run: all stages in rounds, then whole turns in rounds; what a file of it holds.

Rounds, and not one stage after another: whatever slows the machine for a while slows all stages of that while, and a comparison
draws whole rounds (`deploy.lab.stages.comparing`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from deploy import __version__
from deploy.config import Config
from deploy.lab.report.blocks import Progress
from deploy.lab.stages import parts
from deploy.lab.stages.comparing import FEWEST
from deploy.lab.stages.machine import Condition, condition, processor
from schemas.errors import EvaluationDataError

FORM = 1
"""Of the file; another is not compared."""
WARM = 1
"""Rounds before those that count: pages come in, caches fill."""
TOTAL = "total"

Times = dict[str, list[float]]
"""Milliseconds by input, one a round."""


@dataclass(slots=True)
class Run:
    """What was measured."""

    facts: dict[str, str]
    units: dict[str, str] = field(default_factory=dict[str, str])
    """By stage."""
    peers: dict[str, str] = field(default_factory=dict[str, str])
    """Peer -> the stage beside which it stands."""
    missing: dict[str, str] = field(default_factory=dict[str, str])
    times: dict[str, Times] = field(default_factory=dict[str, Times])
    """By stage; the whole turn is one."""
    falls: dict[str, dict[str, list[float]]] = field(default_factory=dict[str, dict[str, list[float]]])
    """Sentence -> part of the turn -> milliseconds, one a round, in their order."""
    conditions: list[Condition] = field(default_factory=list[Condition])
    """Before the first round and after each."""

    @property
    def load(self) -> float:
        """The middle of the rounds' loads."""
        return median(one.load for one in self.conditions)

    def told(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "form": FORM, "facts": self.facts, "units": self.units, "peers": self.peers, "missing": self.missing,
            "times_ms": self.times, "turns_ms": self.falls, "conditions": [one.told() for one in self.conditions],
        }  # fmt: skip


WHOLE = "whole turn"


def measure(config: Config, rounds: int, tell: Progress, openwakeword: Path | None = None) -> Run:
    """Measure.

    Args:
        config: the whole configuration.
        rounds: how often everything is done.
        tell: hears what is being done.
        openwakeword: a model for that peer; left out, its own of the wake word.

    Raises:
        schemas.errors.GloveboxError: a part cannot be had.
        EvaluationDataError: a whole turn was not heard.
    """
    run = Run({"version": __version__, "profile": config.profile, "processor": processor()})
    run.conditions.append(condition())
    with parts.stages(config, openwakeword) as opened:
        run.facts |= opened.engines
        run.missing |= opened.missing
        run.units = {stage.name: stage.unit for stage in opened.stages}
        run.peers = {stage.name: stage.peer_of for stage in opened.stages if stage.peer_of}
        for number in range(-WARM, rounds):
            tell("stages", max(0, number), rounds)
            for stage in opened.stages:
                for name, does in stage.does.items():
                    took = does()
                    if number >= 0:
                        run.times.setdefault(stage.name, {}).setdefault(name, []).append(round(took, 4))
            run.conditions.append(condition())
    run.units[WHOLE] = "from the end of speech to the first sound of the reply, the pause waited for included"
    with parts.turns(config) as turns:
        for number in range(-WARM, rounds):
            tell("whole turns", max(0, number), rounds)
            for name, play in turns.items():
                fell = play()
                if TOTAL not in fell:
                    raise EvaluationDataError(
                        f"the turn {name!r} got no reply; `glovebox eval hearing --show` tells more"
                    )
                if number >= 0:
                    run.times.setdefault(WHOLE, {}).setdefault(name, []).append(round(fell[TOTAL], 3))
                    for part, took in fell.items():
                        run.falls.setdefault(name, {}).setdefault(part, []).append(round(took, 3))
            run.conditions.append(condition())
    tell("whole turns", rounds, rounds)
    return run


def read(file: Path, rounds: int = FEWEST) -> Mapping[str, Any]:
    """An earlier run.

    Args:
        file: what ``--json`` told.
        rounds: of the run that it is to be compared with.

    Raises:
        EvaluationDataError: the file cannot be read, or is none, or the one run or the other is too short for a comparison.
    """
    try:
        found: Any = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationDataError(f"{file} cannot be read as an earlier run: {error}") from None
    if not isinstance(found, dict) or found.get("form") != FORM or not isinstance(found.get("times_ms"), dict):
        raise EvaluationDataError(f"{file} holds no run of `glovebox bench --json` of this version")
    held = max((len(times) for stage in found["times_ms"].values() for times in stage.values()), default=0)
    if min(held, rounds) < FEWEST:
        raise EvaluationDataError(
            f"a comparison wants {FEWEST} rounds in both runs; {file} has {held}, and {rounds} were asked for"
        )
    return found
