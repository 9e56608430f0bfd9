"""``glovebox eval recall`` and ``eval gvd``: whether memory finds what answers a question, and nothing where nothing does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy.cli.session import session_of
from deploy.lab.cli.options import JsonOption, PageOption, deliver, progress

AblationOption = Annotated[bool, typer.Option("--ablation/--no-ablation", help="Also with each part left out.")]


def recall(
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="LoCoMo's dialogues, JSON.")],
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N dialogues, for a quick look.")
    ] = None,
    ablation: AblationOption = True,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure whether memory finds the turns that answer a question, beside plain retrieval."""
    from deploy.lab.carmem.parts import parts_of
    from deploy.lab.recall.data import read_locomo
    from deploy.lab.recall.locomo import measure

    session = session_of(context, as_json=as_json)
    histories = read_locomo(data, limit)
    parts = parts_of(session.config())
    with progress() as tell:
        report = measure(parts, histories, tell, ablation=ablation, source=data.name)
    deliver(report, as_json=as_json, page=page)


def gvd(
    context: typer.Context,
    memory: Annotated[Path, typer.Option("--memory", metavar="FILE", help="GVD's memories, JSON.")],
    questions: Annotated[Path, typer.Option("--questions", metavar="FILE", help="Its questions, JSON lines.")],
    evidence: Annotated[Path, typer.Option("--evidence", metavar="FILE", help="Labels of evidence, JSON.")],
    ablation: AblationOption = True,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure recall of labelled exchanges, questions that name a time, and silence where nothing is known."""
    from deploy.lab.carmem.parts import parts_of
    from deploy.lab.recall.data import read_gvd
    from deploy.lab.recall.gvd import measure

    session = session_of(context, as_json=as_json)
    histories = read_gvd(memory, questions, evidence)
    parts = parts_of(session.config())
    with progress() as tell:
        report = measure(parts, histories, tell, ablation=ablation, source=memory.name)
    deliver(report, as_json=as_json, page=page)
