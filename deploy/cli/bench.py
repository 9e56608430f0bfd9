"""The commands that measure the program on this machine: bench crash, and what else `deploy.bench` holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deploy.cli.session import err, out, put_json, session_of
from schemas.errors import MemoryStoreError

app = typer.Typer(name="bench", help="Measure the program on this machine.", no_args_is_help=True)


@app.command()
def crash(
    context: typer.Context,
    times: Annotated[int, typer.Option("--times", metavar="N", min=1, help="How many processes are killed.")] = 100,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of what is written and killed.")] = 1,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="The disk to write on; the system's temporary one by default."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Kill a process that writes to a vault, again and again, and look whether anything was lost or is there by half."""
    session_of(context, as_json=as_json)
    from deploy.bench.crash import crash as kill

    console = err()
    outcome = kill(times, seed, folder, lambda done: console.print(f"{done} of {times}") if done % 100 == 0 else None)
    told = outcome.summary()
    if as_json:
        put_json(told)
    else:
        killed = ", ".join(f"{kind} {number}" for kind, number in told["killed"].items())
        cut = ", ".join(f"{how} {number}" for how, number in told["under_way"].items())
        out().print(
            f"{told['kills']} kills in {told['seconds']} s ({killed}); {told['acknowledged']} acknowledged writes."
        )
        out().print(f"Writes that were under way: {cut or 'none'}. Opening again: p95 {told['reopen_ms']['p95']} ms.")
        for failure in outcome.failures:
            out().print(failure)
        out().print("Nothing was lost, nothing was there by half." if not outcome.failures else "That should not be.")
    if outcome.failures:
        raise typer.Exit(MemoryStoreError.exit_code)
