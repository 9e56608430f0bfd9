"""Reads DBC files as they are found in the world: leniently, with what was mended told.

A mapping needs of a DBC its messages, signals, multiplexing and float types. Public files are often broken elsewhere: comments
without an end, names of values for signals that there are not, extended ids without their mark, names that begin with a digit.
A file that cantools does not take is read again without what is not needed, ids and names are mended, and a line that still makes
no sense is left out. Whether what is *mapped* makes sense is checked strictly (``vehicle.adapters.can.network``).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cantools
import cantools.database
from cantools.database import Database, Signal

from schemas.errors import ConfigError

MOST_LEFT_OUT = 50
"""Lines that may make no sense: with more it is no DBC. Our choice."""

EXTENDED = 0x80000000
"""The mark of an extended id in a DBC."""

_NEEDED = ("VERSION", "BU_", "BO_", "SG_", "SG_MUL_VAL_", "SIG_VALTYPE_")
_MESSAGE = re.compile(r"^(BO_|SG_MUL_VAL_|SIG_VALTYPE_)(\s+)(\d+)(\s+)(\w+)")
_SIGNAL = re.compile(r"^(\s+SG_\s+)(\d\w*)")
_FRACTION = re.compile(r"(?<=[(,\[|])(-?)\.(?=\d)")
_WHERE = re.compile(r"line (\d+)")


def load_dbc(path: Path) -> tuple[Database, tuple[str, ...]]:
    """The messages of a DBC file, and what had to be mended.

    Raises:
        schemas.errors.ConfigError: it cannot be read, or is no DBC.
    """
    try:
        text = path.read_bytes().decode("cp1252", "replace")
    except OSError as error:
        raise ConfigError(f"the DBC file {path} cannot be read: {error.strerror}") from None
    if path.suffix.lower() != ".dbc":
        return _other(path), ()
    try:
        return _loaded(text), ()
    except (cantools.Error, ValueError, LookupError):
        pass
    lines, mended = _reduced(text)
    mended.insert(0, "read without comments and names of values")
    for _ in range(MOST_LEFT_OUT):
        try:
            database = _loaded("\n".join(lines))
        except (cantools.Error, ValueError, LookupError) as error:
            where = _WHERE.search(str(error))
            if where is None or not 0 < int(where[1]) <= len(lines):
                raise ConfigError(f"{path} is no usable DBC: {error}") from None
            number = int(where[1]) - 1
            mended.append(f"left out: {lines[number].strip()[:60]}")
            lines[number] = ""
        else:
            if not database.messages:
                raise ConfigError(f"{path} is no usable DBC: it has no message")
            return database, tuple(mended)
    raise ConfigError(f"{path} is no usable DBC: more than {MOST_LEFT_OUT} of its lines make no sense")


def bits(signal: Signal) -> list[int]:
    """Where the bits of a signal are in a frame, the least significant first: byte * 8 + bit."""
    if signal.byte_order == "little_endian":
        return list(range(signal.start, signal.start + signal.length))
    found, at = [signal.start], signal.start
    while len(found) < signal.length:
        at = at + 15 if at % 8 == 0 else at - 1
        found.append(at)
    return found[::-1]


def taken(signal: Signal, data: bytes) -> int:
    """The raw value of a signal in a frame, without a sign."""
    return sum((data[at // 8] >> at % 8 & 1) << place for place, at in enumerate(bits(signal)))


def put(signal: Signal, data: bytearray, raw: int) -> None:
    """Write the raw value of a signal into a frame."""
    for place, at in enumerate(bits(signal)):
        data[at // 8] = data[at // 8] & ~(1 << at % 8) | (raw >> place & 1) << at % 8


def _loaded(text: str) -> Database:
    database: Any = cantools.database.load_string(text, database_format="dbc", strict=False)
    return database


def _other(path: Path) -> Database:
    """A description of a bus in another format that cantools reads.

    Raises:
        schemas.errors.ConfigError: it does not read it, or it describes no bus.
    """
    try:
        loaded = cantools.database.load_file(path, strict=False)
    except (cantools.Error, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no usable DBC: {error}") from None
    if not isinstance(loaded, Database):
        raise ConfigError(f"{path} is a diagnostics database; a DBC is needed")
    return loaded


def _reduced(text: str) -> tuple[list[str], list[str]]:
    """The lines that are needed, with ids and names mended, and what was mended."""
    kept: list[str] = []
    mended: list[str] = []
    signals: set[tuple[str, str]] = set()
    message, dropped = "", False
    for raw in text.splitlines():
        line = raw.rstrip()
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word.rstrip(":") not in _NEEDED or (
            word != "SG_" and raw[0].isspace()
        ):  # the list of names after NS_ is indented
            continue
        line = _FRACTION.sub(r"\g<1>0.", line)
        found = _MESSAGE.match(line)
        if found is not None:
            frame = int(found[3])
            if word == "BO_":
                message, dropped = found[3], (frame & ~EXTENDED) > 0x1FFFFFFF
                if dropped:
                    mended.append(f"left out: {found[5]}, whose id is longer than an extended one")
                elif 0x7FF < frame < EXTENDED:
                    mended.append(f"{found[5]} has an extended id without its mark")
            if 0x7FF < frame < EXTENDED:
                frame |= EXTENDED
            name = f"_{found[5]}" if found[5][0].isdigit() else found[5]
            if name != found[5] and word == "BO_":
                mended.append(f"{found[5]} is called {name}")
            line = f"{found[1]}{found[2]}{frame}{found[4]}{name}{line[found.end() :]}"
            if word != "BO_" and ((found[3], name) not in signals or frame & 0x1FFFFFFF != frame & ~EXTENDED):
                continue
        elif word == "BO_":  # its signals must not become those of the message before
            dropped = True
            mended.append(f"left out: {line.strip()[:60]}")
        if word in ("BO_", "SG_") and dropped:
            continue
        if word == "SG_":
            if (digit := _SIGNAL.match(line)) is not None:
                mended.append(f"{digit[2]} is called _{digit[2]}")
                line = f"{digit[1]}_{line[digit.end(1) :]}"
            signals.add((message, line.split()[1]))
        kept.append(line)
    return kept, mended
