"""Maps for tests: MBTiles files made of plain squares."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SIDE = 256
CREDIT = '<a href="https://example.org/copyright">&copy; Marrowby Survey</a>'


@cache
def png(side: int = SIDE, shade: int = 0, width: int | None = None) -> bytes:
    """A picture with an edge and two streets; ``width`` is what its header claims."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def colour(x: int, y: int) -> bytes:
        if min(x, y) < 1:
            return bytes((200, 205, 210))
        street = abs(x - 90) < 6 or abs(y - 150) < 9 or abs(x - y) < 3
        return bytes((255, 255, 255)) if street else bytes((232 - shade, 236, 226 - shade))

    rows = b"".join(b"\0" + b"".join(colour(x, y) for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", width or side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def mbtiles(file: Path, tiles: Iterable[tuple[int, int, int]], data: bytes | None = None, **told: str) -> Path:
    """A file with these tiles (level, column, row from the north), all of them this picture."""
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        made.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
        made.execute("CREATE UNIQUE INDEX at ON tiles (zoom_level, tile_column, tile_row)")
        made.executemany("INSERT INTO metadata VALUES (?, ?)", {"format": "png", "attribution": CREDIT, **told}.items())
        for level, column, row in tiles:
            picture = png(shade=(column + row) % 2 * 12) if data is None else data
            made.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (level, column, (1 << level) - 1 - row, picture))
    made.close()
    return file


def around(latitude: float, longitude: float, levels: Iterable[int], reach: int = 2) -> list[tuple[int, int, int]]:
    """The tiles around a place."""
    import math

    found: list[tuple[int, int, int]] = []
    for level in levels:
        size = 1 << level
        column = int((longitude + 180.0) / 360.0 * size)
        row = int((1.0 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2.0 * size)
        steps = range(-reach, reach + 1)
        found += [
            (level, column + x, row + y) for y in steps for x in steps if 0 <= column + x < size and 0 <= row + y < size
        ]
    return sorted(set(found))
