"""The command line's root: options that go before every command, and how a call ends.

Owns exit codes. The commands stand in the modules beside this one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from deploy import __version__
from deploy.cli import device, drive, drivers, forgetting, laboratory, memory, models, screen, vault, vehicle
from deploy.cli.session import Session, let_go, parse_flags, put_json, report, report_unexpected, unwritten
from deploy.machine import unseen
from schemas.errors import GloveboxError

WRONG_USAGE = 2
INTERRUPTED = 130

app = typer.Typer(
    name="glovebox",
    help="An in-car voice assistant that runs wholly inside the car.",
    epilog="Exit codes: 0 done, 2 wrong usage, 10 to 71 by the kind of error (docs/cli.md), 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
drive.add_to(app)
memory.add_to(app)
forgetting.add_to(memory.app)
app.add_typer(memory.app)
app.add_typer(drivers.app)
app.add_typer(vault.app)
app.add_typer(models.app)
app.add_typer(vehicle.app)
laboratory.add_to(app)
screen.add_to(app)
device.add_to(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"glovebox {__version__}")
        raise typer.Exit


@app.callback()
def options(  # noqa: PLR0913 - typer makes an option of each
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Configuration file instead of the device's own.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting, e.g. talker.threads=4. Repeatable."),
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", help="Settings of a kind of device: default, small, pi5 or jetson.")
    ] = None,
    driver: Annotated[str | None, typer.Option("--driver", help="Whose memory is used.")] = None,
    home: Annotated[
        Path | None,
        typer.Option("--home", metavar="DIR", help="Folder of everything personal; or in GLOVEBOX_HOME."),
    ] = None,
    pin_stdin: Annotated[
        bool, typer.Option("--pin-stdin", help="Read a PIN that is asked for from standard input, a line each.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; they may hold words that were said.")
    ] = False,
    version: Annotated[  # noqa: ARG001 - the callback answers it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """An in-car voice assistant that runs wholly inside the car."""
    session = context.ensure_object(Session)
    session.file, session.debug, session.pin_stdin = config, debug, pin_stdin
    session.flags = parse_flags(set_ or [])
    if profile is not None:
        session.flags["profile"] = profile
    if driver is not None:
        session.flags["driver.name"] = driver
    if home is not None:
        session.flags["home"] = str(home)


def _for_a_program(arguments: list[str], session: Session) -> int:
    """Run a call that asks for JSON: wrong usage is one object on standard output, too, as every other error is."""
    session.json = True
    try:
        code = app(arguments, obj=session, prog_name="glovebox", standalone_mode=False)
    except TyperException as error:  # the only public base of what is raised for wrong usage
        told = error.format_message() if hasattr(error, "format_message") else str(error)
        put_json({"error": {"code": "usage", "message": told, "exit_code": WRONG_USAGE}})
        return WRONG_USAGE
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: None for the process's own.

    Returns:
        The exit code: 0, 2 for wrong usage, an error's own, 130 when interrupted.
    """
    unseen.hide()
    session = Session()
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if "--json" in given:
            return _for_a_program(given, session)
        app(given, obj=session, prog_name="glovebox")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except GloveboxError as error:
        return report(error, session)
    except OSError as error:
        meant = unwritten(error)
        return report_unexpected(error, session) if meant is None else report(meant, session)
    except Exception as error:  # noqa: BLE001 - the last place where a defect of ours can end as a sentence
        return report_unexpected(error, session)
    finally:
        let_go()
    return 0
