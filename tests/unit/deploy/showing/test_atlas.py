"""A map file: what is taken from it, and that a broken, huge or foreign one is refused or does no harm."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from deploy.showing.atlas import CREDIT, LONGEST, WIDEST, Atlas, _picture
from memory.screen.assistant.ports import Picture
from schemas.errors import ConfigError
from tests.screen.map.making import mbtiles, png

ALL = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 3, 1)]


def test_pictures_levels_and_whose_it_is(tmp_path: Path) -> None:
    atlas = Atlas(mbtiles(tmp_path / "m.mbtiles", ALL))
    assert atlas.levels == (0, 2) and atlas.credit == "© Marrowby Survey"
    assert isinstance(atlas.tile(2, 3, 1), Picture)
    assert atlas.tile(2, 3, 2) is None  # rows are counted from the north
    for level, column, row in ((-1, 0, 0), (1, 2, 0), (1, 0, -1), (40, 0, 0), (2, 0, 0)):
        assert atlas.tile(level, column, row) is None
    atlas.close()


def test_the_file_stays_as_it_is_and_nothing_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, connect = list[sqlite3.Connection](), sqlite3.connect

    def noted(*told: Any, **more: Any) -> sqlite3.Connection:
        opened.append(connect(*told, **more))
        return opened[-1]

    file = mbtiles(tmp_path / "m.mbtiles", ALL)
    file.chmod(0o444)
    before = file.read_bytes()
    monkeypatch.setattr(sqlite3, "connect", noted)
    atlas = Atlas(file)
    atlas.tile(0, 0, 0)
    (own,) = opened
    with pytest.raises(sqlite3.Error):
        own.execute("DELETE FROM tiles")
    atlas.close()
    assert file.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["m.mbtiles"]


@pytest.mark.parametrize("content", [b"", b"SQLite", b"SQLite format 3\0" + b"\xff" * 4096, b"\x89PNG" * 100])
def test_a_file_that_is_no_map_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.mbtiles"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match="no map") as refused:
        Atlas(file)
    assert "\n" not in str(refused.value)


def test_no_file_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "none", tmp_path, tmp_path / "pipe"):
        with pytest.raises(ConfigError, match="there is no map"):
            Atlas(file)


def test_another_database_vectors_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE things (name TEXT)")
    other.close()
    mbtiles(tmp_path / "vectors", ALL, format="pbf")
    mbtiles(tmp_path / "empty", [])
    for name, told in (("other", "tables"), ("vectors", "vectors"), ("empty", "no pictures")):
        with pytest.raises(ConfigError, match=told):
            Atlas(tmp_path / name)


def test_a_damaged_file_has_no_pictures_and_raises_nothing(tmp_path: Path) -> None:
    file = mbtiles(tmp_path / "m.mbtiles", ALL)
    atlas = Atlas(file)
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    assert all(atlas.tile(*one) is None for one in ALL)
    atlas.close()


@pytest.mark.parametrize(
    "data",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"GIF89a" + b"\0" * 40,
        b"<!doctype html><script>1</script>",
        b"",
        png(8, width=WIDEST + 1),
        b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\xff" * 6,
        b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff" + b"\0" * 20,
        b"\xff\xd8\xff",
    ],
)
def test_what_is_no_picture_or_too_wide_is_not_shown(tmp_path: Path, data: bytes) -> None:
    atlas = Atlas(mbtiles(tmp_path / "m.mbtiles", ALL, data))
    assert atlas.tile(0, 0, 0) is None
    atlas.close()


def test_a_picture_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    atlas = Atlas(mbtiles(tmp_path / "m.mbtiles", ALL, png(8) + b"\0" * LONGEST))
    assert atlas.tile(0, 0, 0) is None
    atlas.close()


def viewed(folder: Path, select: str) -> Path:
    """A map whose tiles are a view: MBTiles has them so, or as a table."""
    file = mbtiles(folder / "m.mbtiles", ALL)
    with sqlite3.connect(file) as made:
        made.execute("ALTER TABLE tiles RENAME TO real")
        made.execute(f"CREATE VIEW tiles AS {select}")
    made.close()
    return file


def test_a_view_that_never_ends_is_stopped(tmp_path: Path) -> None:
    """The tables of MBTiles may be views; one that counts for ever costs no more than its share of steps."""
    file = viewed(
        tmp_path,
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) "
        "SELECT 0 AS zoom_level, i AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n",
    )
    began = time.process_time()
    with pytest.raises(ConfigError):
        Atlas(file)
    assert time.process_time() - began < 2.0


def test_a_view_that_calls_functions_is_refused(tmp_path: Path) -> None:
    file = viewed(
        tmp_path,
        "SELECT zoom_level, tile_column, tile_row, CAST(zeroblob(1000000) AS BLOB) || load_extension('x') AS tile_data FROM real",
    )
    with pytest.raises(ConfigError):
        Atlas(file)


def test_a_view_over_plain_tables_is_a_map(tmp_path: Path) -> None:
    """As MBTiles with each picture once have it."""
    atlas = Atlas(viewed(tmp_path, "SELECT r.* FROM real AS r JOIN real AS o ON o.rowid = r.rowid"))
    assert atlas.levels == (0, 2) and atlas.tile(0, 0, 0) is not None
    atlas.close()


def test_whose_map_it_is_is_words_alone_and_short(tmp_path: Path) -> None:
    told = "<script>x</script><b>Ada &amp; others</b>\n\n" + "and many more " * 20
    atlas = Atlas(mbtiles(tmp_path / "m.mbtiles", ALL, attribution=told))
    assert "<" not in atlas.credit and "\n" not in atlas.credit and len(atlas.credit) <= CREDIT
    assert "Ada & others" in atlas.credit
    atlas.close()


def test_the_usual_pictures_are_known_by_their_first_bytes() -> None:
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x01\x00\x01\x00" + b"\0" * 20
    lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x00\x01\x00\x01" + b"\0" * 9
    lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\xff\xc0\x3f\x00" + b"\0" * 9
    extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\0\0\xff\0\0" + b"\0" * 9
    kinds = [one.kind if (one := _picture(data)) else "" for data in (png(8), jpeg, lossy, lossless, extended)]
    assert kinds == ["image/png", "image/jpeg", *["image/webp"] * 3]
