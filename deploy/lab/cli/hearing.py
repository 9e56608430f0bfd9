"""``glovebox eval hearing``: every figure of what is heard, in one run. What it measures: `deploy.lab.hearing`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import JsonOption, PageOption, SchedulerOption, SeedOption, WorkersOption, deliver, progress
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from deploy.lab.hearing.parts import Plan
    from deploy.lab.hearing.voices import Voice

WAKE_WORD = "computer"
"""Lines of talk that hold it are left out."""
POLITE = frozenset({"please", "now"})
"""What may follow any command and changes nothing."""


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    sounds: Annotated[
        Path,
        typer.Option("--sounds", metavar="DIR", help="Where the drivers' sound is kept; made where it is missing."),
    ],
    talk: Annotated[
        list[Path] | None,
        typer.Option(
            "--talk", metavar="FILE", help="KVRET's JSON or DailyDialog's text, for other people's talk. Repeatable."
        ),
    ] = None,
    recordings: Annotated[
        Path | None, typer.Option("--recordings", metavar="DIR", help="Recordings of the wake word, for one breath.")
    ] = None,
    only: Annotated[str | None, typer.Option("--only", metavar="PART,...", help="Only these parts.")] = None,
    voices: Annotated[
        str | None, typer.Option("--voices", metavar="NAME,...", help="Only these voices: pico, joe, slt, espeak.")
    ] = None,
    piper: Annotated[
        Path | None,
        typer.Option("--piper", metavar="FILE", help="Piper's .onnx file for joe; the catalogue's by default."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Only N cases a part and voice, N minutes of talk."),
    ] = None,
    seed: SeedOption = 1,
    show: Annotated[
        bool, typer.Option("--show", help="Print what became of every case that was not right to standard error.")
    ] = False,
    workers: WorkersOption = 1,
    scheduler: SchedulerOption = None,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the whole way from sound to the vehicle with voices that nothing was trained on, and how long it takes."""
    from deploy.lab.hearing import away, figures, parts, resident, rig
    from deploy.lab.hearing import voices as drivers
    from deploy.lab.spreading import Spread
    from models.catalog import Catalog

    spread = Spread(workers, scheduler)
    session = session_of(context, as_json=as_json)
    config = session.config()
    chosen = _named(only, parts.PARTS, "--only")
    names = _named(voices, (*drivers.UNSEEN, drivers.CONTROL), "--voices")
    found, missing = drivers.find(names, folder_of(sounds), piper or drivers.joe(Catalog.load(config.data)))
    plan = _plan(found, talk or [], recordings, seed, limit)
    skipped = {part: why for part, why in parts.lacking(plan).items() if part in chosen}
    chosen = [part for part in chosen if part not in skipped]
    results, weight, engines = parts.Results(), dict[str, float](), dict[str, str]()
    with progress() as tell:
        parts.sounds_of(plan, chosen, tell)
        run = [part for part in chosen if part in parts.RUNS]
        if spread and run:
            results, engines, lines = away.run(spread, config, plan, run, tell)
            for line in lines if show else ():
                _tell_case(line)
        else:
            for part in run:
                with rig.parked(config) as car:
                    engines = car.engines
                    parts.RUNS[part](car, plan, results, tell, _tell_case if show else _quietly)
        if "resident" in chosen:
            tell("resident memory", 0, 1)
            weight = resident.measure(config, parts.weighed(plan))
    facts = {
        "profile": config.profile,
        **engines,
        "wake word": config.wake.model,
        "drivers": ", ".join(voice.name for voice in found),
        "seed": str(seed),
        "limit": "none" if limit is None else str(limit),
    }
    deliver(figures.report(results, facts, missing, skipped, weight), as_json=as_json, page=page)


def _plan(found: Sequence[Voice], talk: Sequence[Path], recordings: Path | None, seed: int, limit: int | None) -> Plan:
    from deploy.lab.carmem import negatives
    from deploy.lab.hearing.parts import Plan
    from deploy.lab.hearing.voices import CONTROL
    from deploy.lab.wake import sounds as wake_sounds

    lines = [turn.text for path in talk for one in negatives.read(path).conversations for turn in one.turns]
    return Plan(
        voices=[voice for voice in found if voice.name != CONTROL],
        control=next((voice for voice in found if voice.name == CONTROL), None),
        lines=[line for line in lines if WAKE_WORD not in line.lower()],
        recordings=wake_sounds.positives(wake_sounds.files(recordings), max) if recordings else [],
        goes_on=_goes_on(),
        seed=seed,
        limit=limit,
    )


def _goes_on() -> Callable[[str], bool]:
    """Whether the templates have a longer sentence with the same beginning, politeness apart."""
    from models.commands.matcher import TemplateMatcher

    graph = TemplateMatcher().graph

    def goes_on(text: str) -> bool:
        state = 0
        for word in text.split():
            following = graph.arcs[state].get(word)
            if following is None:
                return False
            state = following
        return not POLITE.issuperset(graph.arcs[state])

    return goes_on


def _named(text: str | None, known: Sequence[str], option: str) -> list[str]:
    """The names of a list with commas, in the order of the known ones; all for none.

    Raises:
        ConfigError: a name that is not known.
    """
    if text is None:
        return list(known)
    names = {name.strip() for name in text.split(",") if name.strip()}
    strange = sorted(names - set(known))
    if strange or not names:
        raise ConfigError(
            f"{option} {text!r}: there is no {', '.join(strange) or 'name in it'}; known are {', '.join(known)}"
        )
    return [name for name in known if name in names]


def folder_of(path: Path) -> Path:
    """The folder, made where it is missing.

    Raises:
        ConfigError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--sounds {path} cannot be made: {error.strerror}; choose another folder") from None
    return path


def _tell_case(text: str) -> None:
    err().print(Text(text))


def _quietly(text: str) -> None:
    del text
