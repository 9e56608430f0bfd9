"""A map from a file of this device: MBTiles 1.3, an SQLite file of square pictures, which is read and never written.

Owns what is taken from it: pictures (PNG, JPEG, WebP) of a bounded size, the levels that it has, whose map it is. The file is
not ours: it is opened read-only, may answer a plain look-up and nothing else, stops after ``STEPS`` steps, and what it holds is
looked at before a browser gets it. Where the car is stays in the asking: nothing of it is kept or logged here.

The format: https://github.com/mapbox/mbtiles-spec/blob/master/1.3/spec.md; rows are counted from the south there, here not.
"""

from __future__ import annotations

import re
import sqlite3
import struct
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory.screen.assistant.ports import Picture
from schemas.errors import ConfigError

HEADER = b"SQLite format 3\0"
LONGEST = 512 * 1024
"""Bytes of a picture or a text of the file; a tile of 512 pixels has 20 to 200 kB."""
WIDEST = 1024
"""Pixels of a picture's side: four times the usual; a small file may hold a huge picture."""
DEEPEST = 22
"""The deepest level that is asked for; a building fills a tile there."""
STEPS = 200_000
"""Instructions of SQLite's machine for one look-up; with an index it needs fifty."""
CREDIT = 60
"""Characters of whose map it is."""
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}


class Atlas:
    """Meets ``memory.screen.assistant.ports.Atlas``; safe for use by several threads."""

    def __init__(self, file: Path) -> None:
        """Opened.

        Raises:
            schemas.errors.ConfigError: there is no such file, it is no map, or not one of pictures.
        """
        self._lock = threading.Lock()
        try:
            if not file.is_file():
                raise ConfigError(f"there is no map at {file}")
            with file.open("rb") as opened:
                if opened.read(len(HEADER)) != HEADER:
                    raise ConfigError(f"{file} is no map: an MBTiles file is wanted")
            where = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
            self._file = sqlite3.connect(where, uri=True, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"the map {file} cannot be read") from error
        try:
            self._bound()
            told = dict(self._rows("SELECT name, value FROM metadata LIMIT 64"))
            levels = self._rows("SELECT min(zoom_level), max(zoom_level) FROM tiles")
        except sqlite3.Error as error:
            self._file.close()
            raise ConfigError(f"{file} is no map that can be used: its tables are not those of MBTiles") from error
        low, high = levels[0] if levels else (None, None)
        if told.get("format") == "pbf" or not isinstance(low, int) or not isinstance(high, int):
            self._file.close()
            raise ConfigError(f"the map {file} has no pictures: one of PNG, JPEG or WebP is wanted, not of vectors")
        self.levels = max(0, low), min(DEEPEST, high)
        self.credit = _plain(told.get("attribution"))

    def _bound(self) -> None:
        """Let it do no more than look something up; what it brings along (views, triggers, functions) is not trusted."""
        made = self._file
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "cache_size=-2048"):
            made.execute(f"PRAGMA {pragma}")
        made.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        made.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        made.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 20)
        left = [0]

        def step() -> int:
            left[0] -= 1
            return left[0] < 0

        self._left = left
        made.set_progress_handler(step, 1000)
        made.set_authorizer(_allowed)

    def _rows(self, query: str, values: tuple[int, ...] = ()) -> list[Any]:
        with self._lock:
            self._left[0] = STEPS // 1000
            return self._file.execute(query, values).fetchall()

    def tile(self, level: int, column: int, row: int) -> Picture | None:
        """See ``memory.screen.assistant.ports.Atlas``."""
        wide = 1 << level if 0 <= level <= DEEPEST else 0
        if not (0 <= column < wide and 0 <= row < wide):
            return None
        query = "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ? LIMIT 1"
        try:
            found = self._rows(query, (level, column, wide - 1 - row))
        except sqlite3.Error:  # damaged, larger than may be, or no plain table
            return None
        data = found[0][0] if found else None
        return _picture(data) if isinstance(data, bytes) else None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._file.close()


def _allowed(action: int, _: str | None, name: str | None, *__: object) -> int:
    """Whether the file may have this done: reading, and the smallest and greatest of a column."""
    if action in _READS or (action == sqlite3.SQLITE_FUNCTION and name in ("min", "max")):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _picture(data: bytes) -> Picture | None:
    """A picture by its first bytes, whatever the file calls it; None for anything else and for what is too wide."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR" and len(data) >= 24:
        kind, size = "image/png", struct.unpack(">II", data[16:24])
    elif data[:3] == b"\xff\xd8\xff":
        kind, size = "image/jpeg", _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        kind, size = "image/webp", _webp(data)
    else:
        return None
    fits = size is not None and all(0 < side <= WIDEST for side in size)
    return Picture(data, kind) if fits else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """Height and width of a JPEG: in its first frame header (ITU T.81, B.2.2)."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        mark, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            return struct.unpack(">HH", data[at + 5 : at + 9])
        at += 2 + length
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    """Width and height of a WebP: lossy, lossless or extended (RFC 9649)."""
    form = data[12:16]
    if form == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if form == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None


class _Words(HTMLParser):
    """The words of a text with marks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _plain(said: object) -> str:
    """Whose map it is, without marks, in one line; empty where the file does not say."""
    if not isinstance(said, str):
        return ""
    reader = _Words()
    reader.feed(said[:2000])
    reader.close()
    line = re.sub(r"[\s\x00-\x1f\x7f]+", " ", " ".join(reader.words)).strip()
    return line if len(line) <= CREDIT else f"{line[: CREDIT - 1].rsplit(' ', 1)[0]}…"
