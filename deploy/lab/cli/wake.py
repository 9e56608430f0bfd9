"""``glovebox eval wake``: how well the wake word is heard. What it measures: `deploy.lab.wake.protocol`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deploy.cli.session import session_of
from deploy.lab.cli.options import (
    ROAD,
    JsonOption,
    OpenWakeWordOption,
    PageOption,
    SeedOption,
    deliver,
    progress,
    ratios,
)
from models.catalog import Catalog
from schemas.errors import ConfigError, EvaluationDataError

if TYPE_CHECKING:
    from models.training.wake.corpus import Clip


class Part(StrEnum):
    """A part of the training's fixed split by file name."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    positives: Annotated[
        Path,
        typer.Option("--positives", metavar="DIR", help="Recordings (WAV, FLAC) that hold the wake word once each."),
    ],
    negatives: Annotated[
        list[Path],
        typer.Option("--negatives", metavar="DIR...", help="Speech without it; one folder or several, repeatable."),
    ],
    more: Annotated[list[Path] | None, typer.Argument(metavar="[DIR]...", help="Further folders of negatives.")] = None,
    snr: Annotated[str, typer.Option("--snr", metavar="DB,...", help="Speech over noise, in decibels.")] = "20,10,5",
    noise: Annotated[
        str, typer.Option("--noise", metavar="FILE|road", help="Recorded noise, or synthetic road noise.")
    ] = ROAD,
    keyword: Annotated[
        str | None, typer.Option("--keyword", help="The wake word; the configured one by default.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="A keyword network instead of the built-in one.")
    ] = None,
    part: Annotated[
        Part | None,
        typer.Option("--part", help="Only this part of the training's split; for the recordings it was trained with."),
    ] = None,
    draws: Annotated[int, typer.Option("--draws", min=1, help="Noises that each recording is played in.")] = 2,
    seed: SeedOption = 1,
    peers: Annotated[
        bool, typer.Option("--peers", help="Let PocketSphinx and openWakeWord listen, too, where they can.")
    ] = False,
    openwakeword: OpenWakeWordOption = None,
    as_json: JsonOption = False,
    page: PageOption = None,
) -> None:
    """Measure a wake word: misses at each noise level against false accepts an hour, and its share of a core."""
    from deploy.lab.wake import ears as wake_ears
    from deploy.lab.wake import protocol as wake
    from deploy.lab.wake import sounds as wake_sounds

    session = session_of(context, as_json=as_json)
    config = session.config()
    word = keyword or config.wake.keyword
    path = model or Catalog.load(config.data).find(_reference(word, config.wake.keyword, config.wake.model))
    ours = wake_ears.OurEar(path)
    if ours.keyword != word:
        raise ConfigError(
            f"--model {path} is a network for {ours.keyword!r}, not {word!r}; say --keyword {ours.keyword}"
        )
    with progress() as tell:
        split = part.value if part else None
        paths = wake_sounds.files(positives, split)
        heard = wake_sounds.positives(paths, lambda done, total: tell("reading recordings of the word", done, total))
        others: list[Clip] = []
        found = [file for folder in (*negatives, *(more or ())) for file in wake_sounds.files(folder, split)]
        for done, file in enumerate(found):
            tell("reading other speech", done, len(found))
            others.append(wake_sounds.read(file))
        known = wake_sounds.known(positives) if part in {Part.DEV, Part.TEST} else []
        plan = wake.Plan(
            keyword=word,
            positives=heard,
            negatives=others,
            snrs=ratios(snr),
            noise=None if noise == ROAD else wake_sounds.noise(Path(noise)),
            noise_name=noise if noise == ROAD else Path(noise).stem,
            draws=draws,
            seed=seed,
            known=known,
        )
        if plan.hours <= 0.0:
            raise EvaluationDataError("the negatives hold no sound; give folders of speech without the wake word")
        rivals, absent = wake_ears.peers(word, openwakeword) if peers else ([], {})
        curves = wake.measure([ours, *rivals], plan, tell)
    deliver(wake.report(curves, plan, absent), as_json=as_json, page=page)


def _reference(word: str, configured: str, model: str) -> str:
    """The catalogue's id of a word's network."""
    return model if word == configured else f"wake-{word.replace(' ', '-')}"
