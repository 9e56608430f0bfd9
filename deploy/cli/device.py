"""The commands about the device: doctor and config show."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.table import Table
from rich.text import Text

from deploy.cli.session import out, put_json, session_of
from deploy.settings import Config

config_app = typer.Typer(name="config", help="The configuration.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(doctor)
    app.add_typer(config_app)


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


@config_app.command("show")
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show every setting, its value, where it comes from and what it means."""
    loaded = session_of(context, as_json=as_json).load()
    values = _flat(loaded.config)
    if as_json:
        put_json({key: {"value": _plain(values[key]), "from": origin} for key, origin in loaded.origins.items()})
        return
    meanings = _meanings(Config)
    table = Table(box=None, pad_edge=False)
    for name in ("setting", "value", "from", "meaning"):
        table.add_column(name, overflow="fold")
    for key, origin in loaded.origins.items():
        default = origin.endswith("default.toml")
        source = "default" if default else origin
        value = Text(str(_plain(values[key]) if values[key] is not None else "–"), style="" if default else "bold")
        table.add_row(key, value, Text(source, style="dim"), Text(meanings.get(key, ""), style="dim"))
    out().print(table)


def _flat(model: BaseModel, prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        flat.update(_flat(value, f"{prefix}{name}.") if isinstance(value, BaseModel) else {f"{prefix}{name}": value})
    return flat


def _meanings(model: type[BaseModel], prefix: str = "") -> dict[str, str]:
    meanings: dict[str, str] = {}
    for name, info in model.model_fields.items():
        inner = info.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            meanings.update(_meanings(inner, f"{prefix}{name}."))
        else:
            meaning = (info.description or "").partition("\n\n")[0]  # what follows says where the number is from
            meanings[f"{prefix}{name}"] = " ".join(meaning.replace("``", "").split())
    return meanings


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
