"""The commands about memory: list, proposals, forget, export, optout, optin.

They open the vault and the encoder; the language model only where accepting a proposal leaves something to decide. Owns how
preferences, proposals and consent are printed.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from deploy.cli.session import Session, out, put_json, session_of
from deploy.timeline import entry_of
from schemas.errors import MemoryStoreError, StorageFullError
from schemas.memory import Consent, Preference, Proposal, Receipt, Status
from schemas.ports import MemoryPort
from schemas.preferences import MAIN_TITLES, SUB_TITLES, Category

app = typer.Typer(
    name="memory", help="What is remembered about the driver: see it, delete it, forbid it.", no_args_is_help=True
)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="A main, sub or detail category, e.g. music.")]


@contextmanager
def opened(session: Session) -> Generator[MemoryPort]:
    """The driver's vault, closed again afterwards."""
    from deploy.app import open_memory

    memory = open_memory(session.config())
    try:
        yield memory
    finally:
        memory.close()


@app.command("list")
def list_(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="Only this category; all by default.")] = None,
    history: Annotated[bool, typer.Option("--history", help="With values that held once.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List what is remembered, and what may be."""
    with opened(session_of(context, as_json=as_json)) as memory:
        held, consent = memory.preferences(key, history=history), memory.consent()
    if as_json:
        preferences = [preference.model_dump(mode="json") for preference in held]
        put_json({"driver": memory.driver, "preferences": preferences, "consent": consent.model_dump(mode="json")})
        return
    console = out()
    if held:
        console.print(_table(held))
    else:
        console.print("Nothing is remembered" + (f" under {key}." if key else "."))
    console.print(_consent_line(consent))


@app.command()
def proposals(
    context: typer.Context,
    accept: Annotated[str | None, typer.Option(metavar="ID", help="Remember this one.")] = None,
    decline: Annotated[
        str | None, typer.Option(metavar="ID", help="Do not, and do not ask again for half a year.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what memory is not sure enough of to store it unasked, or answer one of them."""
    session = session_of(context, as_json=as_json)
    if accept is not None and decline is not None:
        raise typer.BadParameter("give one of --accept and --decline", param_hint="--accept")
    name = accept if accept is not None else decline
    with opened(session) as memory:
        decision = None if name is None else memory.answer(name, yes=accept is not None)
        held = memory.proposals()
    if as_json:
        told = None if decision is None else decision.model_dump(mode="json")
        put_json({"driver": memory.driver, "decision": told, "proposals": [p.model_dump(mode="json") for p in held]})
        return
    if decision is not None:
        out().print(Text(entry_of(0.0, decision).text))
    elif held:
        out().print(_proposals(held))
        out().print(Text("Answer with --accept ID or --decline ID; what is not answered is erased on its day.", "dim"))
    else:
        out().print("There is nothing to ask.")


@app.command()
def forget(
    context: typer.Context,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="The id of a preference or proposal, a category, or everything.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before everything is deleted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete a preference, a category or everything, history included."""
    session = session_of(context, as_json=as_json)
    if key == "everything" and not yes and not typer.confirm("Delete everything that is remembered?"):
        raise typer.Exit(1)
    with opened(session) as memory:
        receipt = memory.forget(key)
    if as_json:
        put_json(receipt.model_dump(mode="json"))
        return
    checked = " No byte of them is left in the vault's files." if receipt.verified else " It could not be verified."
    out().print(_deleted(receipt) + checked)


@app.command()
def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to write it; standard output by default.")
    ] = None,
) -> None:
    """Write everything that is remembered as JSON."""
    session = session_of(context)
    with opened(session) as memory:
        text = json.dumps(memory.export(), ensure_ascii=False, indent=2) + "\n"
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        kind = StorageFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else MemoryStoreError
        raise kind(f"the export could not be written to {file}: {error.strerror}; choose another place") from error
    out().print(f"Written to {file}, readable by you alone.")


@app.command()
def optout(context: typer.Context, key: KeyArgument, as_json: JsonOption = False) -> None:
    """Remember nothing more in a category; what is stored stays until it is forgotten, open proposals are erased."""
    with opened(session_of(context, as_json=as_json)) as memory:
        consent = memory.opt_out(key)
        held = len(memory.preferences(key))
    _tell_consent(consent, as_json=as_json)
    if held and not as_json:
        out().print(f"{held} from before are kept; `glovebox memory forget {key}` deletes them.")


@app.command()
def optin(context: typer.Context, key: KeyArgument, as_json: JsonOption = False) -> None:
    """Allow a category again, or a sensitive one for the first time."""
    with opened(session_of(context, as_json=as_json)) as memory:
        consent = memory.opt_in(key)
    _tell_consent(consent, as_json=as_json)


def _tell_consent(consent: Consent, *, as_json: bool) -> None:
    if as_json:
        put_json(consent.model_dump(mode="json"))
    else:
        out().print(_consent_line(consent))


def _consent_line(consent: Consent) -> Text:
    parts = [f"switched off: {', '.join(sorted(consent.opted_out)) or 'nothing'}"]
    if consent.opted_in:
        parts.append(f"sensitive and allowed: {', '.join(sorted(consent.opted_in))}")
    if consent.private_trip:
        parts.append("private trip: nothing is remembered")
    if consent.paused_until is not None:
        parts.append(f"learning is paused until {consent.paused_until:%Y-%m-%d %H:%M} UTC")
    return Text("; ".join(parts).capitalize() + ".", style="dim")


def _deleted(receipt: Receipt) -> str:
    counts = {
        "preference": len(receipt.erased),
        "proposal": receipt.proposals_erased,
        "waiting turn": receipt.turns_erased,
    }
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return f"Deleted {', '.join(parts) or 'nothing'}."


def _where(category: Category) -> str:
    return f"{SUB_TITLES.get(category.sub, MAIN_TITLES.get(category.main, ''))}: {category.title}"


def _proposals(held: tuple[Proposal, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("category", "value", "said", "until", "id"):
        table.add_column(name, no_wrap=name in ("until", "id"))
    for proposal in held:
        table.add_row(
            proposal.category.title,
            Text(f"no longer {proposal.value}" if proposal.negated else proposal.value, style="bold"),
            Text(f"“{proposal.sentence}”"),
            f"{proposal.expires_at:%Y-%m-%d}",
            proposal.id,
        )
    return table


def _table(held: tuple[Preference, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("category", "value", "sure", "used", "since", "id"):
        table.add_column(name, justify="right" if name in ("sure", "used") else "left", no_wrap=name == "id")
    for preference in held:
        since = f"{preference.valid_from:%Y-%m-%d}"
        ended = preference.status is Status.SUPERSEDED and preference.valid_to is not None
        table.add_row(
            _where(preference.category),
            Text(preference.value, style="bold"),
            f"{preference.confidence:.2f}",
            str(preference.uses),
            f"{since} until {preference.valid_to:%Y-%m-%d}" if ended else since,
            preference.id,
            style="dim" if ended else "",
        )
    return table
