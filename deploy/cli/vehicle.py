"""The commands about the vehicle: what it can do, its signals, setting one through the gate, and a live picture."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from deploy.cli.session import err, out, put_json, session_of
from schemas.errors import AdapterError, ConfirmationError, NotMovedError, PartlyDoneError, VehicleError

if TYPE_CHECKING:
    from schemas.events import ActionResult, VehicleState
    from vehicle.service import GatedVehicle

app = typer.Typer(name="vehicle", help="The vehicle behind its gate.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="[SIGNAL]...", help="Only these; or groups such as climate.")
]


LIVE_S = 1.5
"""How long the first look waits for a speed, which a vehicle reports at least once a second."""


def _open(context: typer.Context, *, as_json: bool) -> GatedVehicle:
    from deploy.behind import open_vehicle
    from schemas.clock import WallClock

    return open_vehicle(session_of(context, as_json=as_json).config(), WallClock())


async def _live(vehicle: GatedVehicle) -> VehicleState:
    """The state once the speed is known, or as it is after a while: what a broker kept is not live.

    Raises:
        schemas.errors.AdapterError: the vehicle cannot be reached.
    """
    ends = time.monotonic() + LIVE_S
    state = await vehicle.state()
    while state.speed_kmh is None and time.monotonic() < ends:
        await asyncio.sleep(0.05)
        state = await vehicle.state()
    return state


class _Looks:
    """Looks at a vehicle one after the other; a lost connection is told once and waited out."""

    def __init__(self, vehicle: GatedVehicle, every: float, most: int | None = None) -> None:
        self._vehicle, self._every, self._most, self._done, self._lost = vehicle, every, most, 0, False

    def __aiter__(self) -> _Looks:
        return self

    async def __anext__(self) -> VehicleState:
        """The next state, after a pause; the first at once, as soon as it is live. A look at a lost vehicle is one, too.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached at the first look.
        """
        if not self._done:
            state = await _live(self._vehicle)
            self._done = 1
            return state
        while self._most is None or self._done < self._most:
            self._done += 1
            await asyncio.sleep(self._every)
            try:
                state = await self._vehicle.state()
            except AdapterError as error:
                if not self._lost:
                    err().print(f"{error}; waiting for it")
                self._lost = True
            else:
                if self._lost:
                    err().print("The vehicle is there again.")
                self._lost = False
                return state
        raise StopAsyncIteration


def _told(state: VehicleState, names: list[str] | None) -> dict[str, Any]:
    """Signals and driving fields by name; only those asked for.

    Raises:
        schemas.errors.AdapterError: nothing has one of these names.
    """
    everything: dict[str, Any] = {
        "speed_kmh": state.speed_kmh,
        "gear": state.gear,
        "ignition_on": state.ignition_on,
        **dict(sorted(state.values.items())),
    }
    if not names:
        return everything
    found: dict[str, Any] = {}
    for name in names:
        mine = {key: value for key, value in everything.items() if key == name or key.startswith(f"{name}.")}
        if not mine:
            raise AdapterError(f"this vehicle tells no {name}; glovebox vehicle get lists what it tells")
        found |= mine
    return found


@app.command("list")
def list_(context: typer.Context, as_json: JsonOption = False) -> None:
    """List what this vehicle can be asked for, with slots, tiers and signals."""
    from schemas.actions import ACTIONS
    from vehicle.planning import PARTS, SIGNALS_OF
    from vehicle.policy import POLICY

    vehicle = _open(context, as_json=as_json)
    offers = vehicle.offers()
    asyncio.run(vehicle.close())
    told: list[dict[str, Any]] = [
        {
            "action": kind.name,
            "domain": kind.domain.value,
            "description": kind.description,
            "query": kind.query,
            "slots": list(kind.model_fields),
            "tier": POLICY[kind.name][-1].tier.name.lower(),
            "signals": list(SIGNALS_OF[kind.name]),
            "one_of": list(PARTS.get(kind.name, ())),
        }
        for kind in ACTIONS
        if kind.name in offers
    ]
    if as_json:
        put_json({"actions": told, "missing": sorted(set(SIGNALS_OF) - offers)})
        return
    console = out()
    for domain in dict.fromkeys(entry["domain"] for entry in told):
        console.print(Text(str(domain), style="bold"))
        for entry in (entry for entry in told if entry["domain"] == domain):
            slots = f" ({', '.join(entry['slots'])})" if entry["slots"] else ""
            console.print(f"  {entry['action']}{slots}: {entry['description']}")
    missing = sorted(set(SIGNALS_OF) - offers)
    if missing:
        console.print(f"Not in this vehicle: {', '.join(missing)}")


@app.command()
def get(context: typer.Context, signals: Names = None, as_json: JsonOption = False) -> None:
    """Read signals, all of them or the named ones."""
    vehicle = _open(context, as_json=as_json)

    async def read() -> VehicleState:
        try:
            return await _live(vehicle)
        finally:
            await vehicle.close()

    told = _told(asyncio.run(read()), signals)
    if as_json:
        put_json(told)
        return
    for name, value in told.items():
        out().print(f"{name} = {value}{_unit(name)}")


def _unit(name: str) -> str:
    from vehicle.signals import SIGNALS

    unit = SIGNALS[name].unit if name in SIGNALS else {"speed_kmh": "km/h"}.get(name, "")
    return f" {unit}" if unit else ""


@app.command("set")
def set_(
    context: typer.Context,
    signal: Annotated[str, typer.Argument(help="A signal's name, as glovebox vehicle get lists them.")],
    value: Annotated[str, typer.Argument(help="Its new value: a number, true or false, or one of its words.")],
    yes: Annotated[bool, typer.Option("--yes", help="Answer the gate's question with yes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Set a signal through the gate, by the rules of the action that this amounts to."""
    vehicle = _open(context, as_json=as_json)

    async def put() -> ActionResult:
        try:
            await _live(vehicle)
            result = await vehicle.put(signal, _parsed(signal, value))
            if result.token is not None and yes:
                result = await vehicle.confirm(result.token)
            return result
        finally:
            await vehicle.close()

    _end(asyncio.run(put()), as_json=as_json)


def _parsed(signal: str, value: str) -> Any:
    """The value as its signal has it; what cannot be read is left to the check of the signal.

    Raises:
        schemas.errors.AdapterError: no such signal.
    """
    from vehicle.signals import SIGNALS, Kind, check_changes

    if signal not in SIGNALS:
        check_changes({signal: value})
    match SIGNALS[signal].kind:
        case Kind.NUMBER:
            try:
                return int(value) if value.lstrip("-").isdecimal() else float(value)
            except ValueError:
                return value
        case Kind.SWITCH:
            return {"true": True, "on": True, "false": False, "off": False}.get(value.lower(), value)
        case Kind.TEXTS:
            return tuple(part.strip() for part in value.split(",") if part.strip())
        case _:
            return value


def _end(result: ActionResult, *, as_json: bool) -> None:
    """Tell a result; every one but "done" ends with the exit code of its kind."""
    from schemas.events import ActionStatus

    moved = [{"signal": m.signal, "before": m.before, "after": m.after, "target": m.target} for m in result.moved]
    if as_json:
        told = {
            "status": result.status.value,
            "rule": result.ruling.rule,
            "reason": result.ruling.reason,
            "moved": moved,
        }
        put_json(told | ({"error": result.error} if result.error else {}))
    elif result.status is ActionStatus.DONE:
        for entry in moved:
            out().print(f"{entry['signal']}: {entry['before']} -> {entry['after']} (to {entry['target']})")
        out().print("Done." if moved else "It was so already.")
    elif result.status is ActionStatus.NEEDS_CONFIRMATION:
        err().print(f"{result.ruling.reason} Say yes with --yes.")
    elif result.status is ActionStatus.DENIED:
        err().print(result.ruling.reason)
    else:
        err().print(f"The vehicle did not do it: {result.error}.")
    codes: Mapping[ActionStatus, int] = {
        ActionStatus.DONE: 0,
        ActionStatus.DENIED: VehicleError.exit_code,
        ActionStatus.NEEDS_CONFIRMATION: ConfirmationError.exit_code,
        ActionStatus.FAULT: next(
            (kind.exit_code for kind in (NotMovedError, PartlyDoneError) if result.error == kind.code),
            AdapterError.exit_code,
        ),
    }
    if codes[result.status]:
        raise typer.Exit(codes[result.status])


@app.command()
def watch(
    context: typer.Context,
    signals: Names = None,
    every: Annotated[float, typer.Option("--every", metavar="S", min=0.05, help="Seconds between looks.")] = 0.5,
    looks: Annotated[int | None, typer.Option("--looks", metavar="N", min=1, help="End after so many looks.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print what changes, until Ctrl-C."""
    vehicle = _open(context, as_json=as_json)

    async def follow() -> None:
        before: dict[str, Any] = {}
        count = 0
        try:
            async for state in _Looks(vehicle, every, looks):
                now = _told(state, signals)
                changed = {name: value for name, value in now.items() if before.get(name, ...) != value}
                if as_json and changed:
                    put_json(changed)
                elif count:
                    for name, value in changed.items():
                        out().print(f"{name} = {value}{_unit(name)}")
                before, count = now, count + 1
        finally:
            await vehicle.close()

    asyncio.run(follow())


@app.command()
def check(context: typer.Context, as_json: JsonOption = False) -> None:
    """Reach the vehicle and tell what was found: the connection, and signals that are missing or of another type."""
    from deploy.behind import fitting_of, reach_vehicle
    from schemas.clock import WallClock
    from vehicle.adapters import report

    config = session_of(context, as_json=as_json).config()
    adapter, _ = reach_vehicle(fitting_of(config), WallClock())
    findings = report(adapter)
    asyncio.run(adapter.close())
    failed = any(finding.verdict == "fail" for finding in findings)
    if as_json:
        told = [{"verdict": f.verdict, "subject": f.subject, "text": f.text} for f in findings]
        put_json({"adapter": config.vehicle.adapter, "ok": not failed, "findings": told})
    else:
        for finding in findings:
            out().print(f"{finding.verdict:<5}{finding.subject}: {finding.text}")
        out().print("The vehicle can be used." if not failed else "Something has to be mended.")
    if failed:
        raise typer.Exit(AdapterError.exit_code)


@app.command()
def view(
    context: typer.Context,
    every: Annotated[float, typer.Option("--every", metavar="S", min=0.05, help="Seconds between looks.")] = 0.25,
    looks: Annotated[int | None, typer.Option("--looks", metavar="N", min=1, help="End after so many looks.")] = None,
    svg: Annotated[bool, typer.Option("--svg", help="One picture as SVG on standard output.")] = False,
) -> None:
    """Show a live picture of the vehicle, until Ctrl-C."""
    from rich.live import Live
    from rich.panel import Panel

    from deploy.picture import WIDTH, lines
    from deploy.picture import svg as draw

    vehicle = _open(context, as_json=False)

    async def show() -> None:
        try:
            if svg:
                typer.echo(draw(await _live(vehicle)))
                return
            with Live(console=out(), auto_refresh=False) as live:
                async for state in _Looks(vehicle, every, looks):
                    text = Text("\n".join(lines(state)))
                    live.update(Panel(text, title="vehicle", width=WIDTH + 4), refresh=True)
        finally:
            await vehicle.close()

    asyncio.run(show())
