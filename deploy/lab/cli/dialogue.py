"""``glovebox eval dialogue``: what the assistant does with what drivers say. What it measures: `deploy.lab.dialogue`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import JsonOption, PageOption, deliver, progress
from schemas.errors import ConfigError

ORGANIZER = "organizer.json"
"""Contacts, calendar and weather of a suite, beside its file."""


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="The suite of dialogues, JSON lines.")],
    results: Annotated[
        Path | None, typer.Option("--results", metavar="FILE", help="Write what was seen of every turn, JSON lines.")
    ] = None,
    group: Annotated[str | None, typer.Option("--group", metavar="NAME", help="Only the cases of this group.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID,...", help="Only these cases. Repeatable.")
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="With the models of the profile small, whatever else is there.")
    ] = False,
    show: Annotated[
        list[str] | None,
        typer.Option("--show", metavar="VERDICT,...", help="Print the turns with these verdicts to standard error."),
    ] = None,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what the whole assistant does with sentences that are typed to it: right, acceptable, wrong or harmful."""
    from deploy.lab.dialogue import driving, figures, suite
    from deploy.lab.dialogue.verdict import Verdict

    session = session_of(context, as_json=as_json)
    if small:
        session.flags["profile"] = "small"
    config = session.config()
    shown = _verdicts(show, [verdict.value for verdict in Verdict])
    cases = suite.read(data, group=group, only=_parted(only))
    organizer = data.parent / ORGANIZER
    played: list[driving.Played] = []
    with tempfile.TemporaryDirectory(prefix="glovebox-dialogue-") as folder, _opened(results) as file:
        with progress() as tell:
            tell("loading models", 0, 0)
            fleet = driving.Fleet(config, Path(folder), organizer if organizer.is_file() else driving.SAMPLE)
            began = time.perf_counter()
            for one in driving.run(fleet, cases, tell):
                played.append(one)
                if file is not None:
                    file.write(one.result.line() + "\n")
                    file.flush()
        seconds = time.perf_counter() - began
    for turn in figures.judged(played):
        if turn.judgement.verdict.value in shown:
            err().print(Text(turn.line()))
    facts = {
        "profile": config.profile,
        "encoder": config.encoder.model,
        "language model": fleet.language_model,
        "suite": data.name,
        "organizer": "the suite's" if organizer.is_file() else "built in",
    }
    deliver(figures.report(played, seconds, facts), as_json=as_json, page=page)


def _parted(options: Iterable[str] | None) -> list[str]:
    """Names with commas between them, in options that may be repeated."""
    return [part.strip() for option in options or () for part in option.split(",") if part.strip()]


def _verdicts(options: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """The verdicts that are to be shown.

    Raises:
        ConfigError: one that there is not.
    """
    named = _parted(options)
    strange = sorted(set(named) - set(known))
    if strange:
        raise ConfigError(f"--show: there is no verdict {', '.join(strange)}; known are {', '.join(known)}")
    return named


@contextmanager
def _opened(path: Path | None) -> Generator[IO[str] | None]:
    """The file of results, empty; None where none is wanted.

    Raises:
        ConfigError: it cannot be written.
    """
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--results {path} cannot be written: {error.strerror}; choose another file") from None
    with file:
        yield file
