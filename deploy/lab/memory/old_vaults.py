"""Vaults as older versions of the program made them, with something in every table: what an upgrade is rehearsed on.

A version's steps are never changed (`memory.vault.migrations`), so a vault of that version can be built at any time. Add rows here
with every new step.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.vault.cipher import APPLICATION_ID, connect
from memory.vault.files import vault_path
from memory.vault.migrations import STEPS
from schemas.preferences import CATEGORIES

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
_AT = NOW.isoformat(timespec="microseconds")
_DETAIL = "favorite_genres"
_PREFERENCE = (
    "id, detail, value, conversation, confidence, uses, status, valid_from, valid_to, last_used, superseded_by"
)
_PROPOSAL = "id, detail, value, sentence, said_at, conversation, confidence, negated, expires_at, asked, asked_at"
"""The columns of the first versions."""

ROWS: dict[int, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    1: (
        ("INSERT INTO meta VALUES ('declined', ?)", ("ab" * 32,)),
        ("INSERT INTO opted_out VALUES ('news_and_podcasts')", ()),
        ("INSERT INTO opted_in VALUES ('conversations')", ()),
        (
            f"INSERT INTO preferences ({_PREFERENCE}) VALUES ('p1', ?, 'jazz', 'c', 0.9, 3, 'active', ?, NULL, ?, NULL)",  # noqa: S608 - columns of above
            (_DETAIL, _AT, _AT),
        ),
        (
            f"INSERT INTO preferences ({_PREFERENCE}) VALUES ('p0', ?, 'rock', 'c', 0.8, 0, 'superseded', ?, ?, NULL, 'p1')",  # noqa: S608 - columns of above
            (_DETAIL, _AT, _AT),
        ),
        ("INSERT INTO sentences VALUES (1, 'p1', 'i love jazz', ?, 'c')", (_AT,)),
        ("INSERT INTO sentences VALUES (2, 'p0', 'rock it is \N{GUITAR}', ?, 'c')", (_AT,)),
        ("INSERT INTO turns VALUES (1, 'd', 'and then we went home', ?, 1.0)", (_AT,)),
        ("INSERT INTO decisions VALUES (1, ?, 'c', 'append', ?, 'p1')", (_AT, _DETAIL)),
    ),
    2: (
        (
            f"INSERT INTO proposals ({_PROPOSAL}) VALUES ('q1', ?, 'ska', 'ska maybe', ?, 'c', 0.4, 0, ?, 0, NULL)",  # noqa: S608 - columns of above
            (_DETAIL, _AT, _AT),
        ),
        ("INSERT INTO declined VALUES ('mark', ?)", (_AT,)),
    ),
    3: (
        ("INSERT INTO trips VALUES ('t1', ?, NULL)", (_AT,)),
        ("INSERT INTO episodes (id, conversation, at, driver) VALUES ('e1', 'c', ?, 'i love jazz')", (_AT,)),
        ("INSERT INTO thoughts (id, kind, text, at) VALUES ('h1', 'thought', 'jazz in the evening', ?)", (_AT,)),
        ("INSERT INTO summaries VALUES ('s1', '2026-03-01')", ()),
        ("INSERT INTO summary_lines (summary, source, number, text) VALUES ('s1', 'e1', 0, 'music')", ()),
        (
            "INSERT INTO profile (id, aspect, key, value, confidence, since) VALUES ('f1', 'fact', 'k', 'v', 1, ?)",
            (_AT,),
        ),
        ("INSERT INTO sources VALUES ('h1', 'e1')", ()),
        ("INSERT INTO links VALUES ('e1', 'p1', 0)", ()),
        ("INSERT INTO tags VALUES ('evening', ?)", (_AT,)),
        ("INSERT INTO vectors (memory, vector) VALUES ('p1', x'003c0000')", ()),
        ("INSERT INTO queries VALUES (1, ?, x'003c0000')", (_AT,)),
    ),
    4: (
        ("INSERT INTO withheld VALUES ('w', 'preference', 'p0', ?)", (_AT,)),
        ("INSERT INTO used_for VALUES (1, 'p1', ?, 'play_music')", (_AT,)),
    ),
    5: (("INSERT INTO graphs VALUES ('preference', x'00', x'00')", ()),),
    6: (),  # it takes away
    7: (
        (
            "INSERT INTO facts (id, text, said_at, conversation) VALUES ('k1', 'the spare key is under the mat', ?, 'c')",
            (_AT,),
        ),
    ),
}
"""Version -> what stands in the tables that it added."""


def make_old_vault(folder: Path, driver: str, key: bytes, version: int) -> dict[str, list[tuple[Any, ...]]]:
    """A vault of this version; returns its rows by table."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = connect(vault_path(folder, driver), key, lambda: NOW)
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for step in range(1, version + 1):
            connection.executescript(f"BEGIN;\n{STEPS[step]}\nPRAGMA user_version = {step};\nCOMMIT;")
        rows = sorted((c.detail, c.sub, c.main, int(c.sensitive)) for c in CATEGORIES)
        connection.executemany("INSERT INTO categories VALUES (?, ?, ?, ?)", rows)
        for step in range(1, version + 1):
            for sql, values in ROWS.get(step, ()):
                connection.execute(sql, values)
        return content(connection)
    finally:
        connection.close()


def content(connection: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, by table."""
    names = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    return {name: sorted(map(tuple, connection.execute(f"SELECT * FROM {name}")), key=repr) for name in names}  # noqa: S608


def kept(old: dict[str, list[tuple[Any, ...]]], new: dict[str, list[tuple[Any, ...]]]) -> bool:
    """Whether every row of an older vault stands in the upgraded one; new columns come after the old ones.

    What was declined does not: step 6 takes it away with its key.
    """
    left = {table: [row for row in rows if row[0] != "declined"] for table, rows in old.items() if table != "declined"}
    return all(
        sorted((row[: len(rows[0])] for row in new.get(table, [])), key=repr) == rows
        for table, rows in left.items()
        if rows
    )
