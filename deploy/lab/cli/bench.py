"""The commands that measure the program on this machine: ``glovebox bench``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from deploy.cli.session import err, out, put_json, session_of
from deploy.lab.cli.options import OpenWakeWordOption, PageOption, deliver, progress
from schemas.errors import MemoryStoreError, SlowerError, VehicleError

app = typer.Typer()


@app.command()
def stages(
    context: typer.Context,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=1, help="How often everything is done.")] = 10,
    compare: Annotated[
        Path | None,
        typer.Option("--compare", metavar="OLD.json", help="What `--json` told earlier; a stage that is slower fails."),
    ] = None,
    openwakeword: OpenWakeWordOption = None,
    page: PageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Time every stage and the whole turn on fixed sentences, and compare with an earlier run; without a name this is what runs."""
    config = session_of(context, as_json=as_json).config()
    from deploy.lab.stages import comparing, figures, running

    old = running.read(compare, rounds) if compare is not None else None
    with progress() as tell:
        run = running.measure(config, rounds, tell, openwakeword)
    changes = comparing.compare(run.times, old["times_ms"]) if old is not None else ()
    deliver(figures.report(run, changes, old), as_json=as_json, page=page)
    slower = [one.stage for one in changes if one.slower]
    if old is not None and old.get("facts", {}).get("processor") != run.facts["processor"]:
        err().print(f"The earlier run was on another machine: {old.get('facts', {}).get('processor')}.")
    if slower:
        busy = f" (others were at work: load {run.load:.1f} on {os.cpu_count()} cores)" if run.load > 1.5 else ""
        err().print(f"Slower than before, beyond noise{busy}: {', '.join(slower)}.")
        raise typer.Exit(SlowerError.exit_code)


@app.command()
def vehicle(
    context: typer.Context,
    count: Annotated[int, typer.Option("--count", metavar="N", min=100, help="How many decisions are timed.")] = 20_000,
    sequences: Annotated[
        int, typer.Option("--sequences", metavar="N", min=0, help="How many random sequences with faults are tried.")
    ] = 200,
    adapters: Annotated[
        bool, typer.Option("--adapters", help="Also time the adapters, over loopback and a virtual bus.")
    ] = False,
    process: Annotated[
        int,
        typer.Option(
            "--process", metavar="N", min=0, help="Also time N calls of each kind to a vehicle in its own process."
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the wishes, drives and faults.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Time the gate and the simulated car, and try random wishes under injected faults."""
    session_of(context, as_json=as_json)
    import logging

    from deploy.lab.vehicle.gate import measure

    logging.getLogger("glovebox.vehicle").setLevel(logging.CRITICAL)  # the faults are wanted
    told = measure(count, sequences, seed, adapters=adapters, process=process)
    tried = told.get("sequences", {})
    if as_json:
        put_json(told)
    else:
        gate, acted = told["gate_us"], told["action_ms"]
        out().print(
            f"Gate: p50 {gate['p50']} us, p99 {gate['p99']} us. Action: p50 {acted['p50']} ms, p99 {acted['p99']} ms."
        )
        for adapter, figures in {**told.get("adapters", {}), **told.get("process", {})}.items():
            for figure, times in figures.items():
                if figure.endswith("_ms") and isinstance(times, dict):
                    what = figure.removesuffix("_ms").replace("_", " ")
                    out().print(
                        f"{adapter}, {what}: p50 {times['p50']} ms, p95 {times['p95']} ms, p99 {times['p99']} ms."
                    )
                elif figure == "figures":
                    out().print(f"{adapter}: {times}.")
                elif figure == "missing":
                    out().print(f"{adapter}: not measured, {times} is not installed.")
        if tried:
            out().print(
                f"{tried['count']} sequences, {tried['wishes']} wishes, {tried['writes']} writes, {tried['ended']}."
            )
            out().print("Nothing happened that should not." if not tried["violations"] else "That should not be:")
        for violation in tried.get("violations", ()):
            out().print(violation)
    if tried.get("violations"):
        raise typer.Exit(VehicleError.exit_code)


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
    from deploy.lab.memory.crash import crash as kill

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
        if outcome.interrupted:
            out().print(f"Interrupted: {times - told['kills']} were not killed any more.")
    if outcome.failures:
        raise typer.Exit(MemoryStoreError.exit_code)
    if outcome.interrupted:
        raise typer.Exit(130)


@app.command()
def cuts(
    context: typer.Context,
    times: Annotated[int, typer.Option("--times", metavar="N", min=1, help="How often the power is cut.")] = 100,
    program: Annotated[
        bool,
        typer.Option("--program", help="Start `glovebox run` itself each time, and speak to it; 20 to 30 s a cut."),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of what is said and when it is cut.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Kill the whole assistant while it is told things, again and again, and look whether anything it said it keeps is lost."""
    config = session_of(context, as_json=as_json).config()
    with progress() as tell:
        if program:
            from deploy.lab.lasting.program import cut_program as cut  # its satellite wants the package wyoming
        else:
            from deploy.lab.lasting.cuts import cut
        told = cut(config, times, seed, tell).told()
    if as_json:
        put_json(told)
    else:
        way = ", ".join(f"{what} {number}" for what, number in told["under_way"].items())
        out().print(
            f"{told['kills']} cuts in {told['seconds']} s; {told['acknowledged']} acknowledged. Under way: {way}."
        )
        for failure in told["failures"]:
            out().print(failure)
    if told["failures"]:
        raise typer.Exit(MemoryStoreError.exit_code)


@app.command()
def day(
    context: typer.Context,
    hours: Annotated[int, typer.Option("--hours", metavar="N", min=3, help="Hours by a clock of its own.")] = 24,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of what is said.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Drive for a day by a clock of its own, typing every two minutes; count errors and weigh the process after each hour."""
    config = session_of(context, as_json=as_json).config()
    from deploy.lab.lasting.day import live

    with progress() as tell:
        told = live(config, hours, seed, tell).told()
    if as_json:
        put_json(told)
    else:
        first, last = told["resident_mb"][1], told["resident_mb"][-1]
        out().print(
            f"{told['hours']} hours, {told['turns']} turns, {len(told['errors'])} errors; {first} to {last} MB."
        )
        for error in told["errors"]:
            out().print(error)
    if told["errors"]:
        raise typer.Exit(1)


@app.command()
def start(
    context: typer.Context,
    times: Annotated[int, typer.Option("--times", metavar="N", min=1, help="How often it is started.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Start the service, as the service manager does, and time it until it is ready to hear."""
    config = session_of(context, as_json=as_json).config()
    from deploy.lab.lasting.start import start as started

    with progress() as tell:
        told = started(config, times, tell).told()
    if as_json:
        put_json(told)
    else:
        each = ", ".join(f"{one:.1f}" for one in told["ready_s"])
        out().print(
            f"Ready after {each} s (median {told['median_s']}); processor {told['processor_own_s']} s of its own, "
            f"{told['processor_all_s']} s with its other processes; load {told['load']}."
        )


@app.command("memory")
def remembering(
    context: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Small stores: whether it works, not how fast it is.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the memories.")] = 1,
    page: PageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Time recall, opening, writing and forgetting from 100 memories to 100,000, beside other ways to search."""
    session_of(context, as_json=as_json)
    from deploy.lab.memory.sizes import measure

    with progress() as tell:
        report = measure(tell, quick=quick, seed=seed)
    deliver(report, as_json=as_json, page=page)


@app.command()
def pruning(
    context: typer.Context,
    lives: Annotated[int, typer.Option("--lives", metavar="N", min=1, help="Made lives of each kind.")] = 5,
    days: Annotated[int, typer.Option("--days", metavar="N", min=10, help="Days of a life.")] = 120,
    page: PageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Compare what a bounded memory can still answer, by the rule that it forgets by when it is full."""
    config = session_of(context, as_json=as_json).config()
    from deploy.lab.memory.pruning import measure
    from models.catalog import Catalog
    from models.runtime.onnx_encoder import OnnxEncoder

    encoder = OnnxEncoder(Catalog.load(config.data).find(config.encoder.model), threads=config.encoder.threads)
    with progress() as tell:
        report = measure(encoder, tell, lives=lives, days=days)
    deliver(report, as_json=as_json, page=page)


@app.command()
def screen(
    context: typer.Context,
    size: Annotated[int, typer.Option("--size", metavar="N", min=100, help="Memories in the vault.")] = 10_000,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=2, help="How often everything is asked.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the memories.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Time the pages and actions of the driver's screen over a vault with many memories, and weigh them."""
    config = session_of(context, as_json=as_json).config()
    from deploy.lab.memory.screen import measure

    with progress() as tell:
        told = measure(config, tell, size=size, rounds=rounds, seed=seed)
    if as_json:
        put_json(told)
        return
    action, weight, live = told["action_ms"], told["page_bytes"], told["live_ms"]
    out().print(
        f"First page {told['first_page_ms']} ms; pages and actions p50 {action['p50']}, p95 {action['p95']} ms."
    )
    for name, times in told["by_action_ms"].items():
        out().print(f"  {name}: p50 {times['p50']}, p95 {times['p95']} ms")
    out().print(
        f"Page with everything {weight['together']:,} bytes. An event is on the page after {live['p95']} ms (p95)."
    )
