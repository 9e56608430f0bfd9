"""The commands of the laboratory: ``glovebox eval`` and ``glovebox bench``, each group by its name."""

from __future__ import annotations

import typer

from deploy.lab.cli import bench, evaluate, hearing, orders, recall, wake

GROUPS: dict[str, typer.Typer] = {"eval": evaluate.app, "bench": bench.app}

for _commands in (wake, orders, recall, hearing):
    _commands.add_to(evaluate.app)
