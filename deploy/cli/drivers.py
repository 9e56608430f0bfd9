"""The commands about the drivers themselves: who there is, a new one, a PIN, the owner, wiping the car.

Owns the questions; what a PIN opens is `memory.vault.pins`'s, who may wipe the car `deploy.drivers`'.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from deploy.cli.memory import HomeOption, opened
from deploy.cli.session import Session, err, out, put_json, require_yes, session_of
from schemas.errors import ConfigError, PinError

if TYPE_CHECKING:
    from deploy.config import Config
    from memory.vault.keys.pinned import PinnedKey

app = typer.Typer(
    name="drivers", help="Who drives: a new driver, a PIN, the owner of the car, wiping it.", no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The driver.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


def prove(session: Session, config: Config, driver: str, *, code: bool = False) -> PinnedKey | None:
    """Ask for a driver's PIN, where there is one; with ``code`` the owner's recovery code does, too, and gives no key.

    Raises:
        PinError: it is wrong.
    """
    from deploy.drivers.keys import pins_of
    from deploy.drivers.owner import CODE, Owner

    pins, owner = pins_of(config), Owner(config.data.folder)
    if not pins.has(driver):
        return pins.source(driver)
    instead = code and owner.has_code
    said = session.pin(f"PIN of {driver}{', or the recovery code' if instead else ''}")
    if instead and CODE.fullmatch(said):
        if not owner.is_code(said):
            raise PinError("that is not the recovery code of this car")
        return None
    return pins.require(driver, said, datetime.now(UTC))


@app.command("list")
def list_(context: typer.Context, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show who there is: those of the configuration, and whoever else has a vault."""
    from deploy.drivers.keys import pins_of
    from deploy.drivers.owner import Owner
    from deploy.drivers.switching import known

    config = session_of(context, as_json=as_json, home=home).config()
    pins, owner = pins_of(config), Owner(config.data.folder).name
    names = known(config)
    if as_json:
        put_json({"drivers": [{"name": name, "pin": pins.has(name), "owner": name == owner} for name in names]})
        return
    for name in names:
        marks = [mark for mark, there in (("PIN", pins.has(name)), ("owner", name == owner)) if there]
        out().print(f"{name} ({', '.join(marks)})" if marks else name)


@app.command()
def add(context: typer.Context, name: NameArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Make a new driver: an empty vault with a key of its own."""
    from deploy.drivers.switching import known

    session = session_of(context, as_json=as_json, home=home)
    before = session.config()
    session.flags["driver.name"] = name
    config = session.load(new_driver=True).config
    if config.driver.name in known(before):
        raise ConfigError(f"there is a driver {config.driver.name!r} already: `glovebox drivers list` shows all")
    from deploy.app import open_memory

    open_memory(config).close()
    if as_json:
        put_json({"driver": config.driver.name, "added": True})
        return
    out().print(f"{config.driver.name} has a memory now. To be let in in the car, add the name to driver.others.")


@app.command()
def pin(
    context: typer.Context,
    name: NameArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Take the PIN away.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set, change or take away a driver's PIN. Without it nobody opens that memory any more, and whoever forgets it loses it."""
    from deploy.drivers.keys import pins_of
    from memory.vault.pins import PIN

    session = session_of(context, as_json=as_json, driver=name, home=home)
    config = session.config()
    driver, pins = config.driver.name, pins_of(config)
    with opened(session, proven := []):
        if remove:
            pins.take_away(driver, proven[0])
        else:
            fresh = session.pin(f"New PIN of {driver}, 4 to 12 digits")
            if not PIN.fullmatch(fresh):
                raise PinError("a PIN is 4 to 12 digits: nothing was changed")
            if not session.pin_stdin and fresh != session.pin("Again"):
                raise PinError("the two differ: nothing was changed")
            pins.set(driver, fresh, proven[0])
    if as_json:
        put_json({"driver": driver, "pin": not remove})
    else:
        out().print(f"{driver} has no PIN any more." if remove else f"{driver} has a PIN now. It is kept nowhere.")


@app.command()
def owner(context: typer.Context, name: NameArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Appoint the owner of the car, who alone may wipe it where somebody has a PIN; prints a recovery code, once.

    Whoever owns it now proves that, by PIN or recovery code. Where nobody does, or the owner has no PIN, all PINs are asked for. A
    new owner with a PIN enters it, too.
    """
    from deploy.drivers.owner import Owner

    session = session_of(context, as_json=as_json, driver=name, home=home)
    config = session.config()
    held, driver = Owner(config.data.folder), config.driver.name
    asked = _prove_owner(session, config)
    if driver not in asked:
        prove(session, config, driver)
    code = held.appoint(driver)
    if as_json:
        put_json({"owner": driver, "recovery_code": code})
        return
    out().print(f"{driver} owns this car. The recovery code, told only now: {code}")
    err().print("It lets wipe the car, delete a driver and appoint another owner. It opens no memory. Write it down.")


@app.command()
def wipe(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Destroy the memories of all drivers with their keys, backups, exports and PINs. Nothing can bring them back.

    Asks for the owner's PIN or recovery code; without an owner for every PIN that there is.
    """
    from deploy.drivers.switching import wipe_all

    session = session_of(context, as_json=as_json, home=home)
    config = session.config()
    require_yes(yes=yes, as_json=as_json)
    _prove_owner(session, config)
    if not yes and not typer.confirm("Destroy the memories of all drivers, their keys and their backups?", err=True):
        raise typer.Exit(1)
    count = wipe_all(config)
    if as_json:
        put_json({"drivers": count, "wiped": True})
    else:
        out().print(f"The memories of {count} driver{'' if count == 1 else 's'} and their keys are destroyed.")


def _prove_owner(session: Session, config: Config) -> list[str]:
    """Ask for the owner's PIN or recovery code; for every PIN that there is where nobody owns the car, or the owner has none.

    Returns:
        The drivers whose PIN was entered.

    Raises:
        schemas.errors.PinError: one is missing or wrong.
    """
    from deploy.drivers.keys import pins_of
    from deploy.drivers.owner import Owner
    from deploy.drivers.switching import known

    pins, owner_ = pins_of(config), Owner(config.data.folder).name
    guarded = [name for name in known(config) if pins.has(name)]
    entered = list[str]()
    for name in [owner_] if owner_ is not None and owner_ in guarded else guarded:
        if prove(session, config, name, code=True) is None:  # the recovery code stands for all of them
            break
        entered.append(name)
    return entered
