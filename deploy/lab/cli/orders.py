"""``glovebox eval commands``: how many spoken orders are understood. What it measures: `deploy.lab.orders.protocol`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, session_of
from deploy.lab.cli.options import ROAD, JsonOption, PageOption, SeedOption, deliver, progress, ratios
from models.catalog import Catalog

if TYPE_CHECKING:
    from deploy.engines import Rung
    from deploy.lab.orders.ears import Heard, Listener
    from deploy.lab.orders.protocol import Condition
    from deploy.lab.orders.recordings import Order
    from deploy.settings import Config
    from models.commands.templates import Templates

RATIOS = "20,10,5"
"""Decibels where only the noise is named."""


def evaluate(  # noqa: PLR0913 - typer makes options of parameters
    context: typer.Context,
    audio: Annotated[Path, typer.Option("--audio", metavar="DIR", help="Recordings (WAV, FLAC), one order each.")],
    labels: Annotated[Path, typer.Option("--labels", metavar="FILE", help="JSON: file name to slots and values.")],
    grammar: Annotated[Path, typer.Option("--grammar", metavar="FILE", help="The domain's sentence templates.")],
    snr: Annotated[
        str | None, typer.Option("--snr", metavar="DB,...", help="Also in noise: speech over it, in decibels.")
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option("--noise", metavar="FILE|road", help="Recorded noise, or synthetic road noise (the default)."),
    ] = None,
    seed: SeedOption = 1,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only N recordings, for a quick look.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print the orders that were not understood to standard error.")
    ] = False,
    page: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how many orders on real recordings are understood in full, with the grammar of any closed domain."""
    from deploy.engines import standing
    from deploy.lab.orders import protocol as commands
    from deploy.lab.orders import recordings as commands_orders
    from deploy.lab.wake import sounds as wake_sounds
    from models.commands.templates import load_templates

    session = session_of(context, as_json=as_json)
    config = session.config()
    choice = standing(config, Catalog.load(config.data), "asr")
    rung = choice.rung
    if line := choice.told():
        err().print(Text(line, style="yellow"))
    levels = ratios(snr if snr is not None else RATIOS if noise is not None else "")
    name = noise or ROAD
    templates = load_templates(grammar)
    sound = wake_sounds.noise(Path(name)) if levels and name != ROAD else None
    plan = commands.Plan(
        orders=commands_orders.read(audio, labels, limit),
        snrs=levels,
        noise=sound,
        noise_name=name if name == ROAD else Path(name).stem,
        grammar=grammar.name,
        recognizer=" ".join(filter(None, (rung.engine, rung.model))),
        seed=seed,
    )
    with tempfile.TemporaryDirectory() as folder, progress() as tell:
        listener = _listener(config, rung, templates, Path(folder))
        conditions = commands.measure(listener, plan, tell, _tell_order if show else None)
    deliver(commands.report(conditions, plan), as_json=as_json, page=page)


def _listener(config: Config, rung: Rung, templates: Templates, folder: Path) -> Listener:
    from deploy.lab.orders.ears import Listener, recognizer_for
    from models.commands.matcher import TemplateMatcher
    from schemas.ports import Recognizer
    from voice.asr import RECOGNIZERS, Hearing
    from voice.engines import opened
    from voice.vad.endpoint import Endpointer
    from voice.vad.silero import SileroVad

    catalog = Catalog.load(config.data)
    recognizer: Recognizer
    model = catalog.find(rung.model) if rung.model is not None else None
    if rung.engine == "whisper":
        matcher = TemplateMatcher(templates)
        hearing = Hearing(lambda: matcher, catalog.find, config.asr.threads, model)
        recognizer = opened(RECOGNIZERS, rung.engine, hearing)
    else:
        domain, threads = catalog.find("asr-domain"), config.asr.threads
        recognizer, matcher = recognizer_for(templates, folder, domain, model, threads=threads)
    return Listener(SileroVad(catalog.find(config.vad.model)), recognizer, matcher, Endpointer())


def _tell_order(condition: Condition, order: Order, heard: Heard) -> None:
    guessed: dict[str, str] = heard.guessed or {}
    differences = ", ".join(
        f"{name} {order.slots.get(name, '–')} -> {guessed.get(name, '–')}"
        for name in sorted(order.slots | guessed)
        if order.slots.get(name) != guessed.get(name)
    )
    what = "wrong" if heard.slots is not None else "rejected"
    err().print(
        Text(
            f"{condition.name} {order.name} {what} {heard.confidence:.2f}: {heard.guess or '(nothing)'} [{differences}]"
        )
    )
