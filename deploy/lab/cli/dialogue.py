"""``glovebox eval dialogue``: what the assistant does with what drivers say. What it measures: `deploy.lab.dialogue`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of, written_to
from deploy.lab.cli.hearing import folder_of
from deploy.lab.cli.options import JsonOption, PageOption, SchedulerOption, SeedOption, WorkersOption, deliver, progress
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from deploy.config import Config
    from deploy.lab.dialogue.speaking import Speakers

ORGANIZER = "organizer.json"
"""Contacts, calendar and weather of a suite, beside its file."""


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="The suite of dialogues, JSON lines.")],
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", metavar="FILE", callback=written_to, help="Write what was seen of every turn, JSON lines."
        ),
    ] = None,
    group: Annotated[str | None, typer.Option("--group", metavar="NAME", help="Only the cases of this group.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID,...", help="Only these cases. Repeatable.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only N of the cases, spread over all.")
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="With the models of the profile small, whatever else is there.")
    ] = False,
    show: Annotated[
        list[str] | None,
        typer.Option("--show", metavar="VERDICT,...", help="Print the turns with these verdicts to standard error."),
    ] = None,
    voices: Annotated[
        bool,
        typer.Option(
            "--voices", help="Have the cases spoken, too, by voices that nothing was trained on: in quiet and at 10 dB."
        ),
    ] = False,
    sounds: Annotated[
        Path | None,
        typer.Option("--sounds", metavar="DIR", help="Where the sound of --voices is kept; else it is made anew."),
    ] = None,
    seed: SeedOption = 1,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what the whole assistant does with what drivers type or say to it: right, acceptable, wrong or harmful."""
    from deploy.lab.dialogue import away, driving, figures, suite
    from deploy.lab.dialogue.verdict import Verdict
    from deploy.lab.spreading import Spread

    session = session_of(context, as_json=as_json)
    if small:
        session.flags["profile"] = "small"
    config = session.config()
    shown = _verdicts(show, [verdict.value for verdict in Verdict])
    cases = suite.spread(suite.read(data, group=group, only=_parted(only)), limit)
    organizer = data.parent / ORGANIZER
    ways: dict[str, list[driving.Played]] = {}
    with tempfile.TemporaryDirectory(prefix="glovebox-dialogue-") as folder, progress() as tell:
        speakers = _speakers(config, sounds or Path(folder) / "sounds", seed) if voices else {}
        (Path(folder) / "cars").mkdir()
        tell("loading models", 0, 0)
        place = organizer if organizer.is_file() else driving.SAMPLE
        spread = Spread(workers, scheduler)
        cars = Path(folder) / "cars"
        with closing(away.AwayFleet(spread, config, place) if spread else driving.Fleet(config, cars, place)) as fleet:
            began = time.perf_counter()
            for way in (figures.TYPED, *speakers):
                played = ways[way] = []
                with _opened(_results(results, way)) as file:
                    for one in fleet.run(cases, tell, speakers.get(way)):
                        played.append(one)
                        if file is not None:
                            file.write(one.result.line() + "\n")
                            file.flush()
            seconds = time.perf_counter() - began
    for way, played in ways.items():
        for turn in figures.judged(played):
            if turn.judgement.verdict.value in shown:
                err().print(Text(f"{way}: {turn.line()}" if speakers else turn.line()))
    facts = {
        "profile": config.profile,
        "encoder": config.encoder.model,
        "small talk": fleet.talks_with,
        **({"spread to": scheduler or f"{workers} processes"} if spread else {}),
        "suite": data.name,
        "organizer": "the suite's" if organizer.is_file() else "built in",
    }
    if speakers:
        drivers = dict.fromkeys(one.result.voice for played in ways.values() for one in played if one.result.voice)
        facts |= {"recogniser": fleet.heard_with, "drivers": ", ".join(drivers), "seed": str(seed)}
        deliver(figures.beside(ways, seconds, facts), as_json=as_json, page=page)
    else:
        deliver(figures.report(ways[figures.TYPED], seconds, facts), as_json=as_json, page=page)


def _speakers(config: Config, sounds: Path, seed: int) -> dict[str, Speakers]:
    """Who speaks, by the name of the way.

    Raises:
        ConfigError: no voice that nothing was trained on can speak here, or the folder cannot be made.
    """
    from deploy.lab.dialogue.speaking import Speakers
    from deploy.lab.hearing.parts import NOISES
    from deploy.lab.hearing.voices import UNSEEN, find, joe
    from models.catalog import Catalog

    found, missing = find(UNSEEN, folder_of(sounds), joe(Catalog.load(config.data)))
    why = "; ".join(f"{one.name}: {one.why}" for one in missing)
    if not found:
        raise ConfigError(f"--voices: none of them can speak here: {why}")
    if why:
        err().print(Text(f"without {why}"))
    return {"quiet" if snr is None else f"{snr:g} dB": Speakers(found, snr, seed) for snr in NOISES}


def _results(path: Path | None, way: str) -> Path | None:
    """The file of a way's results: the one that was named for what is typed, beside it what is spoken."""
    from deploy.lab.dialogue.figures import TYPED

    if path is None or way == TYPED:
        return path
    return path.with_name(f"{path.stem}-{way.replace(' ', '')}{path.suffix}")


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
