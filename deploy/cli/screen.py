"""The command ``glovebox screen``: the driver's screen over the stored memory, without microphone.

The running assistant shows the same screen by itself (``glovebox run``): a vault has one writer.
"""

from __future__ import annotations

import threading
import webbrowser
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from deploy.cli.drive import DevOption
from deploy.cli.session import err, out, put_json, session_of

if TYPE_CHECKING:
    from deploy.config import Config, Loaded


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(screen)


def screen(
    context: typer.Context,
    driver: Annotated[str | None, typer.Option("--driver", metavar="NAME", help="Whose memory is shown.")] = None,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65_535, help="Port on 127.0.0.1; 0: any that is free.")
    ] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    dev: DevOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
) -> None:
    """Show what is remembered on a page of this machine, until Ctrl-C."""
    config = _at_rest(session_of(context, as_json=as_json, driver=driver).load())
    _show(config, port, open_, as_json, dev=dev)


def _at_rest(loaded: Loaded) -> Config:
    """Nobody drives a simulated car that only a screen looks at: it stands, unless a drive was chosen for it."""
    from deploy.config import DEFAULTS

    config = loaded.config
    if config.vehicle.adapter != "simulated" or loaded.origins.get("vehicle.profile") != str(DEFAULTS):
        return config
    return config.model_copy(update={"vehicle": config.vehicle.model_copy(update={"profile": "parked"})})


def _show(
    config: Config, port: int, open_: bool, as_json: bool, until: threading.Event | None = None, *, dev: bool = False
) -> None:
    from deploy import app
    from deploy.behind import open_vehicle
    from deploy.drivers.sight import watching
    from deploy.drivers.switching import ConfiguredDrivers
    from deploy.drivers.zone import zone
    from deploy.screen import OwnLoop, ScreenServer, car_of, motion_of, parts
    from deploy.showing.cabin import SeenCabin
    from schemas.clock import WallClock
    from schemas.seat import Seat

    seat = Seat(app.first_memory(config, app.open_memory), zone(config.memory.tiers.zone))
    drivers = ConfiguredDrivers(config, seat, app.open_memory)
    vehicle, loop = open_vehicle(config, WallClock()), OwnLoop()
    moving = motion_of(vehicle, lambda: loop.loop)
    given = parts(config, seat, drivers, moving, lambda: datetime.now(UTC),
                  car=car_of(vehicle, lambda: loop.loop) if dev else None,
                  cabin=SeenCabin(vehicle, lambda: loop.loop))  # fmt: skip
    try:
        with ScreenServer(given, config.data.folder, port) as server, watching(config, drivers, moving):
            if as_json:
                put_json({"address": server.address})
            else:
                out().print(server.address)
                err().print(
                    "Opens the screen once; the next address is in screen.url of the data folder. Ctrl-C ends it."
                )
            if open_:
                webbrowser.open(server.address)
            try:
                (until or threading.Event()).wait()
            except KeyboardInterrupt:
                return
    finally:
        loop.run(vehicle.close())
        loop.close()
        drivers.wait()
        seat.close()
