"""The commands that reproduce published protocols: ``glovebox eval``. What they measure: docs/evaluation.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import JsonOption, LimitOption, PageOption, deliver, progress

if TYPE_CHECKING:
    from schemas.memory import Candidate

app = typer.Typer()


@app.command()
def carmem(
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="CarMem's conversations, JSON lines.")],
    ids: Annotated[
        Path | None, typer.Option("--ids", metavar="FILE", help="Conversations kept in maintenance and retrieval.")
    ] = None,
    limit: LimitOption = None,
    ablation: Annotated[
        bool, typer.Option("--ablation/--no-ablation", help="Also with every turn read by itself.")
    ] = True,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what is remembered of conversations, and what is not, by CarMem's protocol."""
    from deploy.lab.carmem.data import read, read_ids
    from deploy.lab.carmem.parts import parts_of
    from deploy.lab.carmem.protocol import Options, measure

    session = session_of(context, as_json=as_json)
    items = read(data, limit)
    options = Options(
        ids=read_ids(ids, items) if ids is not None else None,
        ablation=ablation,
        source=data.name,
    )
    parts = parts_of(session.config())
    with progress() as tell:
        report = measure(parts, items, options, tell)
    deliver(report, as_json=as_json, page=page)


@app.command()
def negatives(
    context: typer.Context,
    data: Annotated[
        list[Path], typer.Option("--data", metavar="FILE", help="KVRET's JSON or DailyDialog's text. Repeatable.")
    ],
    limit: LimitOption = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print the sentences that would be stored to standard error.")
    ] = False,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count what would be stored from dialogues in which there is nothing to store."""
    from deploy.lab.carmem.negatives import hidden, measure, read
    from deploy.lab.carmem.parts import parts_of

    session = session_of(context, as_json=as_json)
    files = [read(path, limit) for path in data]
    parts = parts_of(session.config())
    with progress() as tell:
        report = measure(parts, files, tell, _tell_sentence if show else hidden)
    deliver(report, as_json=as_json, page=page)


def _tell_sentence(file: str, number: int, candidate: Candidate) -> None:
    line = f"{file} {number}: {candidate.detail} = {candidate.value} ({candidate.confidence:.2f}): {candidate.sentence}"
    err().print(Text(line))
