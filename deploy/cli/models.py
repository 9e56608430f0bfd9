"""The commands about models: list, verify, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from deploy.cli.session import out, put_json, report, session_of
from models.catalog import Catalog, Model
from schemas.errors import GloveboxError, ModelError

app = typer.Typer(
    name="models", help="The models: what there is, whether it is whole, bringing one in.", no_args_is_help=True
)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


@app.command("list")
def list_(context: typer.Context, as_json: JsonOption = False) -> None:
    """List every model by role, and which of them this configuration uses."""
    session = session_of(context, as_json=as_json)
    config = session.config()
    catalog = Catalog.load(config.data.folder)
    chosen = {config.wake.model, config.vad.model, config.encoder.model, config.llm.model}
    chosen |= {name for name in (config.asr.model, config.tts.model) if name is not None}
    if config.asr.engine == "pocketsphinx":
        chosen |= {"asr-pocketsphinx", "asr-domain"}
    rows = [_row(catalog, model, used=model.id in chosen) for model in catalog.models]
    if as_json:
        put_json({"models": rows})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("role", "model", "state", "MB", "licence", "devices"):
        table.add_column(name, justify="right" if name == "MB" else "left")
    for row in rows:
        state = "used" if row["used"] and row["present"] else ("present" if row["present"] else "not here")
        style = "bold green" if state == "used" else ("" if row["present"] else "dim")
        megabytes = f"{row['bytes'] / 1e6:.1f}" if row["bytes"] else ""
        devices = ", ".join(row["devices"])
        table.add_row(row["role"], row["id"], state, megabytes, row["licence"], devices, style=style)
    out().print(table)


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
    catalog = Catalog.load(session.config().data.folder)
    wanted = [catalog.model(one) for one in ids] if ids else [m for m in catalog.models if _expected(catalog, m)]
    code = 0
    for model in wanted:
        try:
            size = catalog.verify(model)
        except ModelError as error:
            told = report(error, session, model=model.id)
            code = code or told
            continue
        if as_json:
            put_json({"model": model.id, "ok": True, "bytes": size})
        else:
            whole = f"whole ({size / 1e6:.1f} MB)" if size else "installed with its package"
            out().print(Text("✓ ", style="green").append(f"{model.id}: {whole}", style=""))
    raise typer.Exit(code)


@app.command("import")
def import_(
    context: typer.Context,
    model: Annotated[str, typer.Argument(metavar="ID", help="A model of the catalogue, e.g. whisper-base-en.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where its files lie, e.g. on a USB stick.")],
    as_json: JsonOption = False,
) -> None:
    """Take a model over from a folder and take its digests down."""
    session = session_of(context, as_json=as_json)
    catalog = Catalog.load(session.config().data.folder)
    taken = catalog.import_model(model, folder)
    row = _row(catalog, taken, used=False)
    if as_json:
        put_json(row)
    else:
        out().print(f"Imported {taken.id}: {row['bytes'] / 1e6:.1f} MB in {catalog.folder(taken)}.")


def _expected(catalog: Catalog, model: Model) -> bool:
    return model.source != "import" or catalog.folder(model).is_dir()


def _row(catalog: Catalog, model: Model, *, used: bool) -> dict[str, Any]:
    present = catalog.present(model)
    try:
        size = sum(file.bytes for file in catalog.files(model))
    except GloveboxError:
        size = 0
    facts = model.model_dump(mode="json", include={"id", "role", "source", "licence", "origin", "devices"})
    return {**facts, "present": present, "used": used, "bytes": size}
