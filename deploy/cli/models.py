"""The commands about models: list, get, verify, import, remove, why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from deploy.cli.session import Session, err, out, put_json, report, session_of
from deploy.config import Config
from deploy.engines import LAST, NAMES, PARSER, ROLES, Choice, Engines, standing, wanted
from deploy.machine.trial import tried
from models.catalog import Catalog, Model
from models.catalog.fetching import Fetcher, NotFetchedError, Step
from schemas.errors import GloveboxError, ModelError, ModelMissingError

app = typer.Typer(
    name="models",
    help="The models: what there is, getting one, whether it is whole, which are used and why.",
    no_args_is_help=True,
)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


@app.command("list")
def list_(context: typer.Context, as_json: JsonOption = False) -> None:
    """List every model by role, and which of them this configuration uses."""
    config, catalog = _loaded(session_of(context, as_json=as_json))
    used = _used(config, catalog)
    rows = [_row(catalog, model, used=model.id in used) for model in catalog.models]
    if as_json:
        put_json({"models": rows})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("role", "model", "state", "MB", "licence"):
        table.add_column(name, justify="right" if name == "MB" else "left", no_wrap=name != "licence", overflow="fold")
    for row in rows:
        style = "bold green" if row["state"].startswith("used") else ("" if row["present"] else "dim")
        megabytes = f"{row['bytes'] / 1e6:.1f}" if row["bytes"] else ""
        table.add_row(row["role"], row["id"], row["state"], megabytes, row["licence"], style=style)
    out().print(table)


@app.command()
def get(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Models; by default those that this configuration would like."),
    ] = None,
    folders: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="DIR", help="A folder or stick to look into first. Repeatable."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch models, check every byte and put them where they are used; what is there already is not fetched."""
    session = session_of(context, as_json=as_json)
    config, catalog = _loaded(session)
    models = [catalog.model(one) for one in ids] if ids else wanted(config, catalog)
    fetcher = Fetcher(catalog)
    failed: list[NotFetchedError] = []
    for model in models:
        try:
            _get(fetcher, model, folders or (), as_json=as_json)
        except NotFetchedError as error:
            failed.append(error)
    if not as_json and not failed and models:
        total = sum(model.bytes for model in models) / 1e6
        are = "1 model is" if len(models) == 1 else f"{len(models)} models are"
        err().print(f"{are} here, {total:.0f} MB in {config.data.models}.")
    if failed:
        raise typer.Exit(report(_together(failed), session))


def _together(failed: Sequence[NotFetchedError]) -> ModelMissingError:
    """Models that could not be fetched as one sentence; where all have the same reasons, those once."""
    if len({error.reasons for error in failed}) > 1:
        return ModelMissingError("; ".join(str(error) for error in failed))
    *others, last = (error.model for error in failed)
    names = f"{', '.join(others)} and {last}" if others else last
    return ModelMissingError(f"{names} could not be fetched: {'; '.join(failed[0].reasons)}")


def _get(fetcher: Fetcher, model: Model, folders: Sequence[Path], *, as_json: bool) -> None:
    """Fetch one model with a bar, and say what it was and under which licence."""
    console = err()
    about = f"{model.called} ({NAMES.get(model.role, model.role).lower()}, {model.bytes / 1e6:.1f} MB, {model.licence})"
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=24), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    begun: dict[str, int] = {}
    with Progress(*columns, console=console, transient=True, disable=as_json or not console.is_terminal) as bar:
        task = bar.add_task(model.called, total=model.bytes)

        def tell(step: Step) -> None:
            first = begun.setdefault(step.way, step.done)
            if step.done > first >= 0 and not as_json:
                console.print(Text(f"fetching {about} from {step.way}"))
                begun[step.way] = -1
            bar.update(task, completed=step.done)

        def waiting() -> None:
            console.print("Another process works on the models; waiting for it.")

        came = fetcher.get(model, tell, sticks=folders, waiting=waiting)
    if as_json:
        put_json({"model": model.id, "fetched": bool(came), "way": came or None, "bytes": model.bytes})
    elif came:
        console.print(Text("✓ ", style="green").append(f"{model.called}: every byte is as the catalogue has it", ""))


@app.command()
def verify(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Models; all that are here by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check every byte of the models against the catalogue."""
    session = session_of(context, as_json=as_json)
    _, catalog = _loaded(session)
    models = [catalog.model(one) for one in ids] if ids else [m for m in catalog.models if _expected(catalog, m)]
    code = 0
    for model in models:
        try:
            size = catalog.verify(model)
        except ModelError as error:
            told = report(error, session, model=model.id)
            code = code or told
            continue
        makers = catalog.from_makers(model)
        if as_json:
            put_json({"model": model.id, "ok": True, "bytes": size, "makers": makers})
        else:
            whole = f"whole ({size / 1e6:.1f} MB)" if size else "installed with its package"
            note = "" if makers else "; as it was imported: the catalogue has no digests for it, or others"
            out().print(Text("✓ ", style="green").append(f"{model.id}: {whole}{note}", style=""))
    raise typer.Exit(code)


@app.command("import")
def import_(
    context: typer.Context,
    model: Annotated[str, typer.Argument(metavar="ID", help="A model of the catalogue, e.g. whisper-base-en.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where its files lie, e.g. on a USB stick.")],
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Take it even if its digests are not the catalogue's.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take a model over from a folder, if it has the catalogue's digests; if there are none, if it can be loaded."""
    _, catalog = _loaded(session_of(context, as_json=as_json))
    loaded: list[bool] = []

    def trial(model: Model, path: Path) -> None:
        loaded.append(tried(model, path))

    makers = catalog.import_model(model, folder, unverified=unverified, trial=trial)
    taken = catalog.model(model)
    row = _row(catalog, taken, used=False)
    if as_json:
        put_json(row)
        return
    if makers:
        note = "Every byte is as the catalogue has it."
    else:
        known = "other digests" if taken.files else "no digests"
        could = "It can be loaded" if loaded == [True] else "Whether it can be loaded was not tried: no engine is here"
        note = f"The catalogue has {known} for it, so where it comes from is not known. {could}."
    out().print(f"Imported {taken.id}: {row['bytes'] / 1e6:.1f} MB in {catalog.folder(taken)}. {note}")


@app.command()
def remove(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Models that were fetched or imported.")],
    as_json: JsonOption = False,
) -> None:
    """Remove models from this device; what comes with Glovebox stays."""
    _, catalog = _loaded(session_of(context, as_json=as_json))
    for one in ids:
        size = catalog.remove(one)
        if as_json:
            put_json({"model": one, "removed": True, "bytes": size})
        else:
            out().print(f"Removed {one}: {size / 1e6:.1f} MB.")


@app.command()
def why(context: typer.Context, as_json: JsonOption = False) -> None:
    """Say for recogniser, voice and small talk what is used, what would be better and why it is not; loads them all."""
    from models.commands.matcher import TemplateMatcher
    from models.commands.templates import load_templates

    config, catalog = _loaded(session_of(context, as_json=as_json))
    engines = Engines(config, catalog)
    engines.recognizer(lambda: TemplateMatcher(load_templates()))
    engines.synthesizer()
    engines.talker()
    choices = [engines.choices[role] for role in ROLES]
    if as_json:
        put_json({"roles": [_choice(choice) for choice in choices], "catalogue": catalog.trouble or None})
        return
    console = out()
    for choice in choices:
        what = f"{choice.rung.engine}, {choice.rung.model}" if choice.rung.model else choice.rung.engine
        console.print(Text(f"{NAMES[choice.role]}: ", "bold").append(what, "bold green"), soft_wrap=True)
        for rung, reason in choice.missed:
            console.print(Text(f"  {rung} would be better: {reason}", "yellow"), soft_wrap=True)
        if choice.without:
            console.print(Text(f"  {choice.without}", "yellow"), soft_wrap=True)
        if not choice.missed:
            last = str(choice.rung) == LAST[choice.role]
            console.print(Text("  as configured" + (", and what comes with Glovebox" if last else ""), "dim"))
    if catalog.trouble:
        console.print(Text(catalog.trouble, "yellow"))


def _choice(choice: Choice) -> dict[str, Any]:
    missed = [{"engine": rung.engine, "model": rung.model, "why": reason} for rung, reason in choice.missed]
    return {
        "role": choice.role,
        "engine": choice.rung.engine,
        "model": choice.rung.model,
        "missed": missed,
        "without": choice.without,
    }


def _loaded(session: Session) -> tuple[Config, Catalog]:
    config = session.config()
    return config, Catalog.load(config.data)


def _used(config: Config, catalog: Catalog) -> set[str]:
    rungs = [standing(config, catalog, role).rung for role in ROLES]
    used = {
        config.wake.model,
        config.vad.model,
        config.encoder.model,
        PARSER,
        *(rung.model for rung in rungs if rung.model),
    }
    if rungs[0].engine in ("pocketsphinx", "together"):
        used |= {"asr-pocketsphinx", "asr-domain"}
    return used


def _expected(catalog: Catalog, model: Model) -> bool:
    return model.source != "weights" or catalog.folder(model).is_dir()


def _row(catalog: Catalog, model: Model, *, used: bool) -> dict[str, Any]:
    present = catalog.present(model)
    try:
        size = sum(file.bytes for file in catalog.files(model))
    except GloveboxError:
        size = model.bytes
    state = ("used" if used else "present") if present else ("can be fetched" if model.ways else "not here")
    if present and not catalog.from_makers(model):
        state += ", unchecked"
    facts = model.model_dump(mode="json", include={"id", "role", "source", "licence", "origin"})
    return {
        **facts,
        "present": present,
        "used": used,
        "state": state,
        "makers": catalog.from_makers(model),
        "bytes": size,
    }
