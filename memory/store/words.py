"""Where words stand: looking through every table that holds the driver's words, for a selector and for an erasure.

Owns the conditions on words, time and conversation, as SQL and as Python: SQL lets through whatever may meet them, Python decides.
What is chosen by them is `memory.rights.selection`'s matter, what becomes of it `memory.rights.erasure`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memory.store.preferences import Store
from memory.store.rows import AMONG, listed, shown, within
from models.text import contains, words
from schemas.memory import FACTS, Kind, Selector

TEXT_COLUMNS: tuple[tuple[str, str], ...] = (
    ("preferences", "value"), ("sentences", "text"), ("turns", "text"), ("proposals", "value"), ("proposals", "sentence"),
    ("episodes", "driver"), ("episodes", "assistant"), ("thoughts", "text"), ("summary_lines", "text"), ("profile", "value"),
    ("tags", "key"), ("facts", "text"), ("facts", "about"), ("facts", "until_words"),
    ("preferences", "(SELECT coalesce(group_concat(value ->> 'words', '; '), '') FROM json_each(conditions))"),
)  # fmt: skip
"""Every table and column, or part of a column, that holds the driver's words."""


class Table(NamedTuple):
    """A table of the tiers, which stand beside preferences."""

    name: str
    key: str
    texts: tuple[str, ...]
    """The columns that hold words."""
    at: str
    """When it was said or made; NULL where that is not told."""
    kind: str
    """`schemas.memory.Kind`, as SQL."""
    details: str = "details"
    """JSON list of the keys that it is about, as SQL."""


TIERS = (
    Table("episodes", "id", ("driver", "assistant"), "at", f"'{Kind.EPISODE}'"),
    Table("thoughts", "id", ("text",), "at", "kind"),
    Table("summary_lines", "source", ("text",), "NULL", f"'{Kind.SUMMARY}'"),
    Table("profile", "id", ("value",), "since", f"'{Kind.PROFILE}'"),
    Table("facts", "id", ("text", "about", "until_words"), "said_at", f"'{Kind.FACT}'", f"""'["{FACTS}"]'"""),
)


SAID = ("episodes", "facts")
"""Those that were said in a conversation; what was made of one goes with them."""


class Kept(NamedTuple):
    """A row of them."""

    table: str
    name: str
    """Its id; of a line of a summary its source."""
    texts: tuple[str, ...]
    details: tuple[str, ...]
    at: datetime | None
    kind: Kind


FEW = 24
"""Up to so many needles SQL looks for each; with more every text is read once and looked up word by word."""

_PIECE = re.compile(r"[a-z0-9]+")


class Needles:
    """Texts to look for in other texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Texts without words are looked for as they are."""
        self.texts = tuple(dict.fromkeys(t for t in texts if t))
        self._by_length: dict[int, set[tuple[str, ...]]] = {}
        self._plain: list[str] = []
        for text in self.texts:
            parts = words(text)
            if parts:
                self._by_length.setdefault(len(parts), set()).add(parts)
            else:
                self._plain.append(text)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.texts)

    def stand_in(self, text: str) -> bool:
        """Whether any of them stands in a text, as `holds` has it."""
        if any(needle in text for needle in self._plain):
            return True
        parts = words(text)
        return any(
            parts[at : at + length] in needles
            for length, needles in self._by_length.items()
            for at in range(len(parts) - length + 1)
        )

    def may_stand(self, columns: Sequence[str]) -> tuple[str, list[str]]:
        """SQL that is true wherever any of them may stand in one of these columns, and its values."""
        if len(self.texts) > FEW:
            return "1", []
        pairs = [_may_hold(column, needle) for needle in self.texts for column in columns]
        return f"({' OR '.join(sql for sql, _ in pairs) or '0'})", [value for _, own in pairs for value in own]


def holds(text: str, needle: str) -> bool:
    """Whether the words of a needle stand in a text; of a needle without words, its characters."""
    return contains(text, needle) if words(needle) else needle in text


def _may_hold(column: str, needle: str) -> tuple[str, list[str]]:
    """SQL that is true wherever `holds` is, and its values: by the needle's longest piece of plain letters.

    Texts with other than ASCII characters are always let through, since folding may bring out plain letters there.
    """
    pieces: Iterator[str] = iter(_PIECE.findall(needle.lower()) if words(needle) and needle.isascii() else ())
    longest = max(pieces, key=len, default="")
    if not longest:
        return "1", []
    return f"(instr(lower({column}), ?) OR length({column}) <> length(CAST({column} AS BLOB)))", [longest]


def spoken_in(conversation: str, name: str) -> bool:
    """Whether a conversation is the one of that name, or one of the trip of that name (``<trip>-<number>``)."""
    return conversation == name or re.fullmatch(rf"{re.escape(name)}-[0-9]+", conversation) is not None


_SPOKEN_IN = (
    "(conversation = ? OR (substr(conversation, 1, length(?) + 1) = ? || '-' "
    "AND substr(conversation, length(?) + 2) GLOB '[0-9]*' AND substr(conversation, length(?) + 2) NOT GLOB '*[^0-9]*'))"
)
"""`spoken_in` as SQL."""


def _said(what: Selector, at: str) -> tuple[str, list[str]]:
    """SQL that is true of what was said in a selector's conversation and time, and its values."""
    during, given = within(what.period, at)
    if what.conversation is None:
        return f"1{during}", given
    return f"{_SPOKEN_IN}{during}", [what.conversation] * _SPOKEN_IN.count("?") + given


def turns_said(store: Store) -> list[tuple[int, str, str, datetime]]:
    """Every waiting turn, withheld or not: its number, its conversation, its text, and when it was said."""
    rows = store.read("SELECT id, conversation, text, at FROM turns")
    return [(number, talk, text, datetime.fromisoformat(at)) for number, talk, text, at in rows]


def profile_lines(store: Store) -> dict[str, tuple[str, str]]:
    """Id of a line of the profile -> what it tells of the driver, and that."""
    rows = store.read(f"SELECT id, key, value FROM profile WHERE {shown('profile')}")
    return {name: (key, value) for name, key, value in rows}


def preferences_said(store: Store, what: Selector) -> set[str]:
    """Ids of the preferences of which some sentence may meet the conditions, or the value the words."""
    spoken, given = _said(what, "said_at")
    if what.text is None:
        rest, also = _said(what, "valid_from")
    else:
        text, needle = _may_hold("text", what.text)
        spoken, given = f"{spoken} AND {text}", [*given, *needle]
        rest, also = _may_hold("value", what.text)
    rows = store.read(
        f"SELECT preference FROM sentences WHERE {spoken} UNION SELECT id FROM preferences WHERE {rest}",
        [*given, *also],
    )
    return {name for (name,) in rows}


def tiers_said(store: Store, what: Selector, details: Collection[str] | None) -> Iterator[Kept]:
    """What meets a selector's conditions beside preferences; what is made of a conversation goes with its episodes."""
    for table in TIERS:
        if (what.conversation is not None and table.name not in SAID) or (
            what.period is not None and table.at == "NULL"
        ):
            continue
        where, given = _said(what, table.at)
        if what.names is not None:
            where += f" AND {'summary' if table.name == 'summary_lines' else table.key} {AMONG}"
            given.append(listed(what.names))
        if details is not None:
            where += f" AND EXISTS (SELECT 1 FROM json_each({table.details}) d WHERE d.value {AMONG})"
            given.append(listed(details))
        if what.text is not None:
            may, needle = Needles([what.text]).may_stand(table.texts)
            where, given = f"{where} AND {may}", given + needle
        for one in _kept(store, table, where, given):
            if what.text is None or any(holds(text, what.text) for text in one.texts):
                yield one


def tiers_telling(store: Store, needles: Needles) -> Iterator[Kept]:
    """What of them any of these texts stands in."""
    for table in TIERS if needles else ():
        for one in _kept(store, table, *needles.may_stand(table.texts)):
            if any(needles.stand_in(text) for text in one.texts):
                yield one


def tiers_resting(store: Store, sources: Iterable[str]) -> Iterator[Kept]:
    """What of them was made of these."""
    given = [listed(sources)]
    for table in TIERS:
        if table.name in SAID:
            continue
        made = (
            table.key if table.name == "summary_lines" else f"{table.key} IN (SELECT memory FROM sources WHERE source"
        )
        yield from _kept(store, table, f"{made} {AMONG}{')' if made != table.key else ''}", given)


def tiers_named(store: Store, names: Mapping[str, Collection[str]]) -> Iterator[Kept]:
    """Those of these names, by table."""
    for table in TIERS:
        yield from _kept(store, table, f"{table.key} {AMONG}", [listed(names.get(table.name, ()))])


def _kept(store: Store, table: Table, where: str, given: Sequence[Any]) -> list[Kept]:
    rows = store.read(
        f"SELECT {table.key}, {table.at}, {table.kind}, {table.details}, {', '.join(table.texts)} "
        f"FROM {table.name} WHERE {shown(table.name)} AND {where}",
        given,
    )
    return [
        Kept(table.name, name, tuple(texts), tuple(json.loads(details)), at and datetime.fromisoformat(at), Kind(kind))
        for name, at, kind, details, *texts in rows
    ]


def sentences_telling(store: Store, needles: Needles) -> list[str]:
    """The sentences of preferences, withheld or not, that any of these texts may stand in."""
    where, given = needles.may_stand(["text"])
    rows = store.read(f"SELECT DISTINCT text FROM sentences WHERE {where}", given) if needles else []
    return [text for (text,) in rows]


def still_told(store: Store, sentences: Collection[str], values: Needles) -> bool:
    """Whether one of these sentences still stands anywhere, or a value outside of other values.

    What is withheld does not count: it has an erasure of its own to come, or the driver takes it back.
    """
    for table, column in TEXT_COLUMNS:
        among = not values or (column == "value" and table in ("preferences", "proposals"))
        where, given = ("0", list[str]()) if among else values.may_stand([column])
        rows = store.read(
            f"SELECT {column} FROM {table} WHERE ({where} OR {column} {AMONG}) AND {shown(table)}",
            [*given, listed(sentences)],
        )
        # Where values stand, somebody may have said nothing but the value.
        counted = frozenset(sentences).difference(values.texts if among else ())
        if any(text in counted or (not among and values.stand_in(text)) for (text,) in rows):
            return True
    return False
