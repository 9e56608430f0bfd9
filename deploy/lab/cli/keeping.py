"""``glovebox eval memory``: what memory keeps of a sentence. What it measures: `deploy.lab.keeping`."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import JsonOption, PageOption, deliver, progress


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="The suite of sentences, YAML.")],
    kept: Annotated[
        bool, typer.Option("--kept", help="The half that is held back: figures only, nothing is shown.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option("--only", metavar="ID", help="Only this. Repeatable.")] = None,
    small: Annotated[
        bool, typer.Option("--small", help="With the models of the profile small, whatever else is there.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Print what was not right to standard error.")] = False,
    every: Annotated[bool, typer.Option("--all", help="With --show: what was right, too.")] = False,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what memory keeps of a sentence: senses, conditions, facts; and what it must leave out."""
    from deploy.lab.dialogue.driving import Fleet
    from deploy.lab.keeping import figures, judging, running, suite

    session = session_of(context, as_json=as_json)
    if small:
        session.flags["profile"] = "small"
    config = session.config()
    entries = suite.read(data, kept=kept, only=only or ())
    played: list[running.Played] = []
    with tempfile.TemporaryDirectory(prefix="glovebox-memory-") as folder, progress() as tell:
        tell("loading models", 0, 0)
        with closing(Fleet(config, Path(folder))) as fleet:
            for one in running.run(fleet, entries, tell):
                played.append(one)
                if show and not kept and (every or one.judgement.verdict is not judging.Verdict.RIGHT):
                    err().print(Text(one.line()), soft_wrap=True)
    facts = {
        "profile": config.profile,
        "encoder": config.encoder.model,
        "small talk": fleet.talks_with,
        "suite": f"{data.name}, {'the half held back' if kept else 'the half that may be read'}",
    }
    deliver(figures.report(played, facts), as_json=as_json, page=page)
