"""What every command shares: the chosen configuration, how to speak to a person or a program, how errors end.

Owns no command.
"""

from __future__ import annotations

import contextlib
import errno
import getpass
import json
import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from deploy import config as configuration
from deploy.config import NAME, unnamed
from models.text import escaped, seen
from schemas.errors import ConfigError, GloveboxError, PinError, StorageFullError

UNEXPECTED_EXIT = 1
STANDARD_OUTPUT = Path("-")
"""What stands for standard output in place of a file's name."""


@dataclass(slots=True)
class Session:
    """One call of the command line."""

    file: Path | None = None
    flags: dict[str, str] = field(default_factory=dict[str, str])
    debug: bool = False
    json: bool = False
    """Whether the command was asked for JSON: then errors are JSON, too."""
    pin_stdin: bool = False
    """Whether a PIN is read from standard input instead of being asked for at the terminal."""

    def load(self, *, new_driver: bool = False) -> configuration.Loaded:
        """The configuration with its origins.

        Args:
            new_driver: whether the driver may be one who does not exist yet.

        Raises:
            UnknownEntryError: a driver was named on the command line who does not exist; a typing error makes no vault.
        """
        loaded = configuration.load(self.file, flags=self.flags)
        if NAME in self.flags and not new_driver:
            from deploy.drivers.switching import require_known

            require_known(loaded.config, configuration.load(self.file, flags=unnamed(self.flags)).config)
        return loaded

    def config(self) -> configuration.Config:
        """The configuration.

        Raises:
            UnknownEntryError: as `load`.
        """
        return self.load().config

    def pin(self, what: str) -> str:
        """A PIN or recovery code: typed unseen at the terminal, or the first line of standard input.

        Raises:
            PinError: there is nobody to type it.
        """
        if self.pin_stdin:
            return sys.stdin.readline().strip()
        if self.json or not sys.stdin.isatty():
            raise PinError(f"{what} is asked for: call this at a terminal, or with --pin-stdin before the command")
        return getpass.getpass(f"{what}: ")


def session_of(
    context: typer.Context, *, as_json: bool = False, driver: str | None = None, home: Path | None = None
) -> Session:
    """The session of a command; notes whether it was asked for JSON, and whose memory where was named after it."""
    session = context.ensure_object(Session)
    session.json = as_json
    if driver is not None:
        session.flags[NAME] = driver
    if home is not None:
        session.flags["home"] = str(home)
    return session


UNBROKEN = 100_000
"""Columns of an output that is no terminal: rich would break lines, and with them paths, at 80 or at ``COLUMNS``. Our choice."""


_HALF = re.compile("[\ud800-\udfff]")
"""Half a character, as a name of a file that is no Unicode has it: no stream takes it."""


def shown(text: str) -> str:
    """A text as it is printed for people: whoever said or wrote it, it steers no terminal."""
    return _HALF.sub("\ufffd", seen(text))


class _Plain(Console):
    """A console that prints everything as `shown`."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text), segment.style)


def out() -> Console:
    """Standard output for people; made anew so that it follows a redirected stream.

    A terminal's lines are as wide as the terminal; in a pipe or a file no line is broken. Brackets are plain text unless ``markup``
    says otherwise: names and paths may have them.
    """
    return _Plain(highlight=False, markup=False, width=None if sys.stdout.isatty() else UNBROKEN)


def err() -> Console:
    """Standard error for people; lines are broken by the terminal alone."""
    return _Plain(stderr=True, highlight=False, markup=False, soft_wrap=True)


def put_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON value on a line of standard output, or on as many as it takes with ``indent``."""
    sys.stdout.write(escaped(json.dumps(value, ensure_ascii=False, indent=indent)) + "\n")
    sys.stdout.flush()


def written_to(file: Path | None) -> Path | None:
    """A file or folder that an option names, which cannot be standard output.

    Raises:
        typer.BadParameter: it is "-".
    """
    if file == STANDARD_OUTPUT:
        raise typer.BadParameter(
            "- is standard output, where something else is told: give the name of a file or folder"
        )
    return file


def require_yes(*, yes: bool, as_json: bool) -> None:
    """With JSON on standard output there is nobody to ask."""
    if as_json and not yes:
        raise typer.BadParameter("with --json nobody is asked: add --yes to go on", param_hint="--yes")


def parse_flags(settings: Sequence[str]) -> dict[str, str]:
    """``SECTION.KEY=VALUE`` as flags of the configuration.

    Raises:
        ConfigError: no ``=`` in it.
    """
    flags: dict[str, str] = {}
    for setting in settings:
        key, mark, value = setting.partition("=")
        if not mark or not key:
            raise ConfigError(f"the command line: --set {setting!r} is not SECTION.KEY=VALUE, as in talker.threads=4")
        flags[key.strip()] = value.strip()
    return flags


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def unwritten(error: OSError) -> GloveboxError | None:
    """What it means that something could not be written; None where it is something else that failed."""
    if error.errno in _FULL:
        return StorageFullError(
            f"not all could be written ({error.strerror}): free some space, or write to another place"
        )
    try:
        sys.stdout.flush()
    except OSError:
        return GloveboxError(f"standard output cannot be written ({error.strerror}): send it to another place")
    return None


def let_go() -> None:
    """Drop what standard output does not take, so that the end of the program does not try it again."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


def report(error: GloveboxError, session: Session, **about: str) -> int:
    """Tell an error; returns its exit code."""
    _tell({"code": error.code, "message": str(error), "exit_code": error.exit_code, **about}, session)
    if session.debug:
        traceback.print_exception(error)
    return error.exit_code


def report_unexpected(error: Exception, session: Session) -> int:
    """Tell a defect of ours without a traceback, which could show what was said; returns the exit code."""
    message = f"unexpected {type(error).__name__}; run the command again with --debug in front for the details"
    if session.debug:
        traceback.print_exception(error)
    _tell({"code": "unexpected", "message": message, "exit_code": UNEXPECTED_EXIT}, session)
    return UNEXPECTED_EXIT


def _tell(told: dict[str, Any], session: Session) -> None:
    """An error as JSON where that was asked for and can be written, else as a sentence on standard error."""
    if session.json:
        with contextlib.suppress(OSError):
            put_json({"error": told})
            return
    with contextlib.suppress(OSError):
        err().print(Text.assemble(("Error: ", "bold red"), str(told["message"])))
