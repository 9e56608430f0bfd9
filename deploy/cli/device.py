"""The commands about the device: doctor, audit, power, wyoming serve and config show."""

from __future__ import annotations

import asyncio
import functools
import operator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo
from rich.table import Table
from rich.text import Text

from deploy import __version__
from deploy.cli.session import err, out, put_json, session_of
from deploy.config import leaves
from models.catalog import Catalog
from schemas.errors import ConfigError, EngineMissingError

wyoming_app = typer.Typer(name="wyoming", help="The Wyoming protocol.", no_args_is_help=True)
wyoming_app.callback()(lambda: None)
config_app = typer.Typer(name="config", help="The configuration.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(doctor)
    app.command()(audit)
    app.command()(power)
    app.add_typer(config_app)
    app.add_typer(wyoming_app)


def doctor(context: typer.Context, as_json: JsonOption = False) -> None:
    """Look at this machine: what is there, what is missing, what to do about it."""
    from deploy.machine.doctor import examine

    session = session_of(context, as_json=as_json)
    findings = examine(session.file, session.flags)
    failed = any(finding.verdict == "fail" for finding in findings)
    if as_json:
        put_json({"ok": not failed, "findings": [finding.model_dump(mode="json") for finding in findings]})
        raise typer.Exit(int(failed))
    console = out()
    for finding in findings:
        mark, style = MARKS[finding.verdict]
        console.print(Text(f"{mark} ", style=style).append(f"{finding.name:<16} {finding.text}", style=""))
        if finding.advice:
            console.print(Text(f"  {'':<16} {finding.advice}", style="dim"))
    raise typer.Exit(int(failed))


def audit(
    context: typer.Context,
    advisories: Annotated[
        Path | None,
        typer.Option("--advisories", metavar="PATH", help="Records of OSV for PyPI: a JSON file, or a folder."),
    ] = None,
    bill: Annotated[
        bool,
        typer.Option("--bill", help="Print a bill of materials (CycloneDX, JSON) instead: all that may be installed."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare the packages that are installed with the pinned ones, and with weaknesses that are known from a local file."""
    from deploy.machine import packages

    session = session_of(context, as_json=as_json)
    chosen = packages.pins()
    if bill:
        models = Catalog.load(session.config().data).models
        put_json(packages.bill(__version__, datetime.now(UTC), chosen, models))
        return
    held = packages.installed()
    others = sorted(
        (pin.name, pin.version, held[pin.name]) for pin in chosen if held.get(pin.name, pin.version) != pin.version
    )
    known = packages.weaknesses(held, packages.read_records(advisories)) if advisories is not None else ()
    if as_json:
        put_json({
            "ok": not others and not known,
            "installed": held,
            "other_versions": [{"name": name, "pinned": pinned, "installed": is_} for name, pinned, is_ in others],
            "weaknesses": [asdict(one) for one in known],
        })  # fmt: skip
        raise typer.Exit(int(bool(others or known)))
    console = out()
    for name, pinned, is_ in others:
        console.print(Text(f"! {name} {is_} is installed, {pinned} is pinned: run ./deploy/up again", "yellow"))
    for one in known:
        mended = f"mended in {one.mended_in}" if one.mended_in else "no version without it is known"
        console.print(Text(f"✗ {one.name} {one.version}: {one.advisory}, {mended}. {one.summary}", "red"))
    if not others and not known:
        told = "no weakness of them is known there" if advisories is not None else "no file of advisories was given"
        console.print(f"{len(held)} packages are installed, none in another version than the pinned one; {told}.")
    raise typer.Exit(int(bool(others or known)))


def power(context: typer.Context) -> None:
    """Watch ignition and voltage, and end the device in order when it is time; for the unit glovebox-power."""
    from deploy.machine.power import Power, end_system, switch, watch

    settings = session_of(context).config().power
    ignition, low = switch(settings.ignition), switch(settings.low_voltage)
    if settings.ignition == settings.low_voltage == "none":
        raise ConfigError("there is nothing to watch: set power.ignition or power.low_voltage")
    watch(Power(settings.off_after_s, settings.low_after_s), ignition, low, end_system)


@wyoming_app.command()
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65_535, help="The port; 0: any.")] = 10_300,
) -> None:
    """Transcribe, find the wake word and speak for other programs, until Ctrl-C. There is no password: see docs/security.md."""
    config = session_of(context).config()
    try:
        from deploy.machine.utterances import Ears
        from deploy.machine.wyoming import Services, start
    except ImportError:
        raise EngineMissingError("this needs the package wyoming: pip install 'glovebox[wyoming]'") from None
    from deploy.behind import fitted, fitting_of
    from deploy.car import commands_of
    from deploy.engines import Engines
    from models.catalog import Catalog
    from schemas.clock import StreamClock
    from voice.vad.silero import SileroVad

    simulated = config.vehicle.model_copy(update={"adapter": "simulated"})  # for what there is to say; nothing is moved
    vehicle = fitted(fitting_of(config.model_copy(update={"vehicle": simulated}), patient=False), StreamClock())
    catalog = Catalog.load(config.data)
    engines = Engines(config, catalog)
    matcher = commands_of(vehicle, config.data.computed)

    async def serving() -> None:
        recognizer = engines.recognizer(lambda: matcher)
        wake = functools.partial(engines.wake_word, recognizer)
        wake()  # so that what is missing is told now
        vad = functools.partial(SileroVad, catalog.find(config.vad.model))
        services = Services(Ears(recognizer, vad), engines.synthesizer(), wake, config.wake.keyword)
        try:
            server = await start(services, host, port)
        except OSError as error:
            raise ConfigError(f"{host}:{port} cannot be listened at: {error.strerror}") from error
        async with server:
            at = server.sockets[0].getsockname()
            err().print(f"Serving at tcp://{at[0]}:{at[1]}. Ctrl-C ends it.")
            await server.serve_forever()

    try:
        asyncio.run(serving())
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        asyncio.run(vehicle.close())


@config_app.command("show")
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show every setting, its value, where it comes from and what it means."""
    loaded = session_of(context, as_json=as_json).load()
    values = {key: operator.attrgetter(key)(loaded.config) for key in loaded.origins}
    if as_json:
        put_json({key: {"value": _plain(values[key]), "from": origin} for key, origin in loaded.origins.items()})
        return
    meanings = {key: _meaning(info) for key, info in leaves()}
    table = Table(box=None, pad_edge=False)
    for name in ("setting", "value", "from", "meaning"):
        table.add_column(name, overflow="fold")
    for key, origin in loaded.origins.items():
        default = origin.endswith("default.toml")
        source = "default" if default else origin
        value = Text(str(_plain(values[key]) if values[key] is not None else "–"), style="" if default else "bold")
        table.add_row(key, value, Text(source, style="dim"), Text(meanings[key], style="dim"))
    out().print(table)


def _meaning(info: FieldInfo) -> str:
    """What a setting means; where its number is from comes after an empty line, and stays out."""
    return " ".join((info.description or "").partition("\n\n")[0].replace("``", "").split())


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
