"""The commands about the vault itself: check, rotate, restore. They need its key, and nobody else may have it open.

Owns no rule: `memory.vault.lifecycle` does the work, `deploy.drivers.keys` finds the key.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deploy.cli.session import Session, out, put_json, require_yes, session_of

if TYPE_CHECKING:
    from deploy.config import Config
    from memory.vault.keys import KeySource

app = typer.Typer(
    name="vault", help="The encrypted file of a driver's memory: check it, change its key.", no_args_is_help=True
)

JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
DriverOption = Annotated[str | None, typer.Option("--driver", metavar="NAME", help="Whose vault.")]


def _session(context: typer.Context, driver: str | None, *, as_json: bool) -> Session:
    session = session_of(context, as_json=as_json)
    if driver is not None:
        session.flags["driver.name"] = driver
    return session


def _keys(session: Session, config: Config, to: KeySource | None = None) -> KeySource:
    """Where the vault's key comes from; where there is a PIN it is asked for. ``to``: the source that it is about to move to."""
    from deploy.drivers.keys import pins_of

    name, pins = config.driver.name, pins_of(config, None if to is None else lambda _: to)
    pin = session.pin(f"PIN of {name}") if pins.has(name) else None
    return pins.require(name, pin, datetime.now(UTC))


@app.command()
def check(context: typer.Context, driver: DriverOption = None, as_json: JsonOption = False) -> None:
    """Read and verify every page of the vault, and list its backups. Changes nothing."""
    from memory.vault.lifecycle import backups, vault_path
    from memory.vault.lifecycle import check as check_vault
    from memory.vault.migrations import VERSION

    session = _session(context, driver, as_json=as_json)
    config = session.config()
    folder, name = config.data.folder, config.driver.name
    version = check_vault(folder, name, _keys(session, config))
    path, held = vault_path(folder, name), backups(folder, name)
    told: dict[str, Any] = {
        "driver": name,
        "path": str(path),
        "bytes": path.stat().st_size,
        "version": version,
        "newest_version": VERSION,
        "key_source": config.memory.key.source,
        "backups": [
            {"path": str(one.path), "version": one.version, "at": one.at.isoformat(), "bytes": one.bytes}
            for one in held
        ],
    }
    if as_json:
        put_json(told)
        return
    later = "" if version == VERSION else f", brought to {VERSION} when it is next opened"
    out().print(
        f"{path} is whole: version {version}{later}, {told['bytes'] / 1e6:.1f} MB, key from {told['key_source']}."
    )
    for one in held:
        out().print(f"Backup from before version {one.version} was left, of {one.at:%Y-%m-%d %H:%M} UTC: {one.path}")


@app.command()
def rotate(
    context: typer.Context,
    driver: DriverOption = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="SOURCE", help="Take the new key from another source than the configured one."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Encrypt the vault anew with a new random key and destroy the old one, with which goes whatever old copies still hold."""
    from deploy.drivers.keys import device_key
    from memory.vault.keys import KEY_SOURCES
    from memory.vault.lifecycle import rotate as rotate_vault

    if to is not None and to not in KEY_SOURCES.names():
        raise typer.BadParameter(f"there are {', '.join(KEY_SOURCES.names())}", param_hint="--to")
    session = _session(context, driver, as_json=as_json)
    config = session.config()
    present = config.memory.key.source
    moved = device_key(config, to) if to is not None and to != present else None
    rotate_vault(config.data.folder, config.driver.name, _keys(session, config, moved), to=moved)
    if as_json:
        put_json({"driver": config.driver.name, "rotated": True, "key_source": to or present})
        return
    out().print(f"The memory of {config.driver.name} has a new key; the old one is destroyed.")
    if moved is not None:
        out().print(f'Now write source = "{to}" under [memory.key] in the configuration: {present} no longer opens it.')


@app.command()
def restore(
    context: typer.Context,
    version: Annotated[int, typer.Option("--version", metavar="N", help="The version of the backup: see vault check.")],
    driver: DriverOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put a backup from before an upgrade in the vault's place; what was remembered since is lost."""
    from memory.vault.lifecycle import restore as restore_vault

    require_yes(yes=yes, as_json=as_json)
    session = _session(context, driver, as_json=as_json)
    config = session.config()
    if not yes and not typer.confirm("What was remembered since then will be lost. Go on?"):
        raise typer.Exit(1)
    restore_vault(config.data.folder, config.driver.name, _keys(session, config), version)
    if as_json:
        put_json({"driver": config.driver.name, "restored": version})
    else:
        out().print(f"The memory of {config.driver.name} is as it was before version {version} was left.")
