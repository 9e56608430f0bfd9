"""What the commands of ``glovebox eval`` share: their options, progress on standard error, and how a report is told.

Owns no command: those stand in ``deploy.lab.cli.evaluate`` and ``evaluate_*``.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table as Printed
from rich.text import Text

from deploy.cli.session import err, out, put_json, written_to
from deploy.lab.report.blocks import Progress, Report, Table, shown
from deploy.lab.report.page import render
from schemas.errors import ConfigError

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")]
PageOption = Annotated[
    Path | None,
    typer.Option("--page", metavar="FILE", callback=written_to, help="Write tables and plots to this HTML file, too."),
]

LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N, for a quick look.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of everything drawn.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, help="Share the cases out to N processes on this computer.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="HOST:PORT", help="Share them out to the workers of this Dask scheduler."),
]
OpenWakeWordOption = Annotated[
    Path | None,
    typer.Option(
        "--openwakeword", metavar="FILE", exists=True, dir_okay=False, help="An ONNX model of yours for openWakeWord."
    ),
]
ROAD = "road"


def ratios(text: str) -> tuple[float, ...]:
    """``20,10,5`` as numbers, each once; none for nothing.

    Raises:
        ConfigError: something else.
    """
    try:
        values = tuple(dict.fromkeys(float(part) for part in text.split(",") if part.strip()))
    except ValueError:
        raise ConfigError(f"--snr {text!r} is not a list of decibels such as 20,10,5") from None
    if not all(-20.0 <= value <= 60.0 for value in values):
        raise ConfigError(f"--snr {text!r} has a ratio outside -20..60 dB; give some such as 20,10,5")
    return values


@contextmanager
def progress() -> Generator[Progress]:
    """Progress on standard error: bars on a terminal, else a line when a step begins."""
    console = err()
    if not console.is_terminal:
        told: set[str] = set()

        def tell(what: str, done: int, total: int) -> None:
            del done
            if what not in told:
                told.add(what)
                console.print(f"{what}: {total}" if total else what)

        yield tell
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total or None)
            bars.update(tasks[what], completed=done, total=total or None)

        yield advance


def deliver(report: Report, *, as_json: bool, page: Path | None) -> None:
    """Tell a report: one JSON object or tables on standard output, and the page where one was asked for.

    Raises:
        ConfigError: the page cannot be written.
    """
    if page is not None:
        command = shlex.join(["glovebox", *sys.argv[1:]])
        try:
            page.write_text(render(report, command), "utf-8")
        except OSError as error:
            raise ConfigError(f"the page {page} cannot be written: {error.strerror}; choose another --page") from None
    if as_json:
        put_json(report.figures)
        return
    console = out()
    console.print(Text(report.title, style="bold"))
    console.print(Text(report.lead, style="dim"))
    for block in report.blocks:
        if isinstance(block, Table):
            console.print()
            console.print(_printed(block))
            if block.note:
                console.print(Text(block.note, style="dim"))
    if page is not None:
        console.print(f"\nPlots: {page}")


def _printed(table: Table) -> Printed:
    printed = Printed(title=table.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, column in enumerate(table.columns):
        printed.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in table.rows:
        printed.add_row(*(Text(shown(cell)) for cell in row))
    return printed
