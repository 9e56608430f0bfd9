"""The configured key source of a driver's vault, and the PINs that may stand before it.

Owns which file or entry holds whose key, and how a passphrase is asked for. The sources themselves stand in `memory.vault.keys`.
"""

from __future__ import annotations

import getpass
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from deploy.config import Config
from memory.vault.files import file_stem, vault_path
from memory.vault.keys import KEY_SOURCES, KeySource, Lock
from memory.vault.keys.pinned import PinnedKey
from memory.vault.pins import KEYS, Pins
from schemas.errors import KeySourceError


def as_driver(config: Config, driver: str) -> Config:
    """The configuration with this driver at the wheel."""
    return config.model_copy(update={"driver": config.driver.model_copy(update={"name": driver})})


def pins_of(config: Config, to: Callable[[str], KeySource] | None = None) -> Pins:
    """The PINs of this data folder's drivers; ``to`` gives the source that a key is about to move to."""
    return Pins(config.data.folder, lambda driver: device_key(as_driver(config, driver)), to=to)


def key_source(config: Config) -> PinnedKey:
    """Where the key of the configured driver's vault comes from; of one with a PIN it gives none (`Pins.require` does)."""
    return pins_of(config).source(config.driver.name)


def device_key(config: Config, source: str | None = None) -> KeySource:
    """What this device has for the configured driver: the vault's key, or with a PIN the secret that it takes beside.

    Args:
        config: the whole configuration.
        source: another source than the configured one, for a change from one to another.

    Raises:
        ConfigError: the driver's name cannot be used.
        KeySourceError: the source cannot be had at all; most say so only when they are asked for the key.
    """
    settings, driver = config.memory.key, config.driver.name
    stem = file_stem(driver)
    return KEY_SOURCES.opener(source or settings.source)(
        Lock(
            driver=driver,
            vault=vault_path(config.data.folder, driver),
            stem=stem,
            wrapped=config.data.folder / KEYS / f"{stem}.wrapped",
            key_file=config.data.key_file,
            passphrase=lambda new: _passphrase(settings.passphrase_file, driver, new=new),
            credential=settings.credential if settings.credential.is_absolute() else None,
            sealed=settings.sealed,
        )
    )


def _passphrase(file: Path | None, driver: str, *, new: bool) -> str:
    if file is not None:
        return _first_line(file)
    if not sys.stdin.isatty():
        raise KeySourceError(
            "there is no terminal to type the passphrase at: name a file that holds it in memory.key.passphrase_file"
        )
    said = getpass.getpass(f"Passphrase of {driver}'s memory: ")
    if new and said != getpass.getpass("Again: "):
        raise KeySourceError("the two passphrases differ: nothing was made, try again")
    return said


def _first_line(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            if mode & 0o077:
                raise KeySourceError(
                    f"the passphrase file {file} has mode {mode:04o} and others may use it: chmod 600 it"
                )
            return stream.readline().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise KeySourceError(f"the passphrase file {file} cannot be read ({why})") from None
