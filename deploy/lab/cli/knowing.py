"""``glovebox eval fortnight``: fourteen days of drives with one driver. What it plays and checks: `deploy.lab.knowing`."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from deploy.cli.session import err, out, put_json, session_of
from deploy.lab.cli.options import JsonOption, progress


def fortnight(
    context: typer.Context,
    small: Annotated[
        bool, typer.Option("--small", help="With the models of the profile small, whatever else is there.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Print all that was said to standard error.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Drive for fourteen days with one driver and check what is known, suggested and silent at their end."""
    from deploy.lab.dialogue.driving import Fleet
    from deploy.lab.knowing import fortnight as days

    session = session_of(context, as_json=as_json)
    if small:
        session.flags["profile"] = "small"
    with tempfile.TemporaryDirectory(prefix="glovebox-fortnight-") as folder, progress() as tell:
        tell("loading models", 0, 0)
        with closing(Fleet(session.config(), Path(folder))) as fleet:
            found = days.play(fleet, Path(folder), tell)
    checks = days.ended(found)
    if show:
        for one in found.said:
            err().print(Text(f"{one.at:%a %d %b %H:%M}  {one.text} -> {one.reply}"), soft_wrap=True)
    if as_json:
        put_json({"checks": [{"name": c.name, "holds": c.holds, "seen": c.seen} for c in checks]})
    else:
        for check in checks:
            seen = "" if check.holds else f": {check.seen}"
            out().print(Text(f"{'holds' if check.holds else 'FAILS'}  {check.name}{seen}"), soft_wrap=True)
    if not all(check.holds for check in checks):
        raise typer.Exit(1)
