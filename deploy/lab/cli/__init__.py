"""The commands of the laboratory: ``glovebox eval`` and ``glovebox bench``, each group by its name."""

from __future__ import annotations

import typer

from deploy.lab.cli import bench, dialogue, evaluate, hearing, keeping, knowing, orders, recall, talk, wake

GROUPS: dict[str, typer.Typer] = {"eval": evaluate.app, "bench": bench.app}

evaluate.app.command("wake")(wake.evaluate)
evaluate.app.command("commands")(orders.evaluate)
evaluate.app.command("recall")(recall.recall)
evaluate.app.command("gvd")(recall.gvd)
evaluate.app.command("hearing")(hearing.evaluate)
evaluate.app.command("dialogue")(dialogue.evaluate)
evaluate.app.command("talk")(talk.evaluate)
evaluate.app.command("memory")(keeping.evaluate)
evaluate.app.command("fortnight")(knowing.fortnight)
