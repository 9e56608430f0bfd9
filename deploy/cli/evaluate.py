"""The commands that reproduce published protocols: ``glovebox eval``. What they measure: docs/evaluation.md."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="eval",
    help="Reproduce published protocols with the models of this configuration, or others.",
    no_args_is_help=True,
)
