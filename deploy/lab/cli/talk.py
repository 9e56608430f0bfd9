"""``glovebox eval talk``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import JsonOption, LimitOption, PageOption, deliver, progress
from schemas.errors import ModelMissingError


def evaluate(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Other cases, YAML; those of the laboratory without it."),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print every reply to standard error.")] = False,
    limit: LimitOption = None,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the false claims in generated replies to small talk."""
    from deploy.engines import Engines
    from deploy.lab.talk import judge, measure
    from models.acts.fitting import Fitting
    from models.catalog import Catalog
    from schemas.actions import BY_NAME

    session = session_of(context, as_json=as_json)
    config = session.config()
    groups = judge.read(data or judge.FILE)
    if limit is not None:
        groups = {name: cases[:limit] for name, cases in groups.items()}
    with progress() as tell:
        tell("loading models", 0, 0)
        engines = Engines(config, Catalog.load(config.data))
        encoder = engines.encoder()
        parser, talker = engines.parser(encoder), engines.talker()
        if talker is None:
            raise ModelMissingError("the model that answers small talk is not here: glovebox models get gemma-3-270m")
        replied = measure.run(groups, talker, parser, frozenset(BY_NAME), Fitting(encoder), tell)
    if show:
        for one in replied:
            err().print(Text(one.line()), soft_wrap=True)
    facts = {"profile": config.profile, "language model": str(engines.choices["talker"].rung)}
    deliver(measure.report(replied, facts), as_json=as_json, page=page)
