"""What a selector stands for: which memories meet its conditions, and what derives from them.

Reads the tables of every kind of memory, writes nothing. What becomes of what was chosen is `memory.rights.erasure`'s matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memory.consent import categories
from memory.learn.english.canonical import fold, is_closed
from memory.store import reminders as notices
from memory.store.preferences import Sentence, Store
from memory.store.withheld import FOLLOWS
from memory.vault.lifecycle import utc_text
from models.text import contains, words
from schemas.errors import UnknownEntryError
from schemas.memory import Kind, Matches, Preference, Proposal, Selector, Waiting

About = Callable[[str], str | None]
"""The detail key that a text is most likely about, or None."""

ARCHIVE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("episodes", "id", ("driver", "assistant")),
    ("thoughts", "id", ("text",)),
    ("summary_lines", "source", ("text",)),
    ("profile", "id", ("value",)),
)
"""Tables of the tiers beside preferences: their key, and the columns that hold words."""

_TIME: dict[str, str] = {"episodes": "at", "thoughts": "at", "profile": "since"}
_PIECE = re.compile(r"[a-z0-9]+")


_Archived = dict[tuple[str, str], tuple[str, ...]]


@dataclass(slots=True)
class Chosen:
    """Memories by kind, each with its words."""

    preferences: dict[str, Preference] = field(default_factory=dict[str, Preference])
    """Those that go as a whole."""
    sentences: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """Number -> preference and text of single sentences, of preferences that stay."""
    turns: dict[int, str] = field(default_factory=dict[int, str])
    proposals: dict[str, Proposal] = field(default_factory=dict[str, Proposal])
    archive: _Archived = field(default_factory=dict[tuple[str, str], tuple[str, ...]])
    """Table and key -> words, of the tables in `ARCHIVE`; a line of a summary goes by its source."""
    following: _Archived = field(default_factory=dict[tuple[str, str], tuple[str, ...]])
    """What rests on them: it goes too, unless what stays bears it out (`memory.rights.provenance`)."""
    notices: dict[str, tuple[Waiting, ...]] = field(default_factory=dict[str, tuple[Waiting, ...]])
    """Where timers and reminders lie (`memory.store.reminders`) -> which."""
    details: set[str] = field(default_factory=set[str])
    """Detail keys of all of them."""
    times: list[datetime] = field(default_factory=list[datetime])
    """When they were said or made."""

    @property
    def named(self) -> list[tuple[str, str]]:
        """Table and key of all of it, as the table ``withheld`` names them."""
        return [
            *(("preferences", name) for name in self.preferences),
            *(("sentences", str(number)) for number in self.sentences),
            *(("turns", str(number)) for number in self.turns),
            *(("proposals", name) for name in self.proposals),
            *((notices.KIND, key) for key in self.notices),
            *self.archive,
            *((f"{table}{FOLLOWS}", name) for table, name in self.following),
        ]

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the preferences and of what is chosen of the tiers; lines of summaries have none of their own."""
        return frozenset(self.preferences) | {key for table, key in self.archive if table != "summary_lines"}

    def words(self) -> frozenset[str]:
        """Every sentence and text of theirs, whole."""
        texts = {s for p in self.preferences.values() for s in p.sentences} | {s for _, s in self.sentences.values()}
        texts |= {*self.turns.values(), *(p.sentence for p in self.proposals.values())}
        texts |= {one.label for waiting in self.notices.values() for one in waiting}
        for (table, _), own in self.archive.items():
            texts.update(own[:-1] if table == "thoughts" else own)  # the last of a thought's is its kind
        return frozenset(text for text in texts if text)

    def told(self) -> frozenset[str]:
        """The sentences that revealed what goes as a whole: they may stand nowhere afterwards."""
        whole = {s for p in self.preferences.values() for s in p.sentences}
        return frozenset(whole | {p.sentence for p in self.proposals.values()})

    def values(self) -> frozenset[str]:
        """The values that the driver's words would give away; of a closed category the value is an ordinary word."""
        told = (*self.preferences.values(), *self.proposals.values())
        return frozenset(p.value for p in told if not is_closed(p.detail))

    def counts(self) -> dict[Kind, int]:
        """How many of each kind."""
        kinds: dict[Kind, int] = {}
        if self.preferences:
            kinds[Kind.PREFERENCE] = len(self.preferences)
        for (table, _), own in {**self.archive, **self.following}.items():
            kind = Kind(own[-1]) if table == "thoughts" else _KINDS[table]
            kinds[kind] = kinds.get(kind, 0) + 1
        return kinds

    def matches(self) -> Matches:
        """As the port tells it."""
        told = sorted(self.preferences.values(), key=lambda p: p.valid_from, reverse=True)
        return Matches(
            preferences=tuple(told), kinds=self.counts(), sentences=len(self.sentences), turns=len(self.turns),
            proposals=len(self.proposals), timers=self.waiting("timer"), reminders=self.waiting("reminder"),
        )  # fmt: skip

    def waiting(self, kind: Literal["timer", "reminder"]) -> int:
        """How many timers or reminders."""
        return sum(one.kind == kind for waiting in self.notices.values() for one in waiting)


_KINDS = {"episodes": Kind.EPISODE, "summary_lines": Kind.SUMMARY, "profile": Kind.PROFILE}


def choose(store: Store, what: Selector, about: About) -> Chosen:
    """Everything that meets all conditions of a selector, with what derives from it.

    Raises:
        UnknownEntryError: nothing has that id, no such category, or the selector has no condition.
    """
    if what == Selector():
        raise UnknownEntryError("say what: an id, words, a category, a conversation, a time, or everything")
    details = frozenset(c.detail for c in categories(what.key)) if what.key is not None else None
    found = Chosen()
    _choose_preferences(store, what, details, found)
    for proposal in store.proposals():
        said = proposal.sentence, proposal.value
        if what.id in (None, proposal.id) and _within(details, (proposal.detail,)) and _meets(
            what, said, proposal.said_at, proposal.conversation
        ):  # fmt: skip
            found.proposals[proposal.id] = proposal
    if what.id is None:
        for number, conversation, text, at in store.read("SELECT id, conversation, text, at FROM turns"):
            if _meets(what, (text,), datetime.fromisoformat(at), conversation) and (
                details is None or about(text) in details
            ):
                found.turns[number] = text
    for table, _, texts in ARCHIVE:
        for row in _archived(store, table, what, details):
            _keep(found, table, row, texts)
    if what.id is not None and not found.named:
        raise UnknownEntryError(f"nothing that is remembered has the id {what.id[:80]!r}: list what is remembered")
    if what.everything:
        found.notices = {notices.KEY: notices.stored(store)} if notices.left(store, [notices.KEY]) else {}
    else:
        derive(store, found, about)
    return found


def chosen(store: Store, named: Iterable[tuple[str, str]]) -> Chosen:
    """The memories with these ids, as ``withheld`` names them, without what derives from them."""
    found = Chosen()
    kinds: dict[str, set[str]] = {}
    for kind, name in named:
        kinds.setdefault(kind, set()).add(name)
    if "preferences" in kinds:
        held = store.preferences(history=True, ids=kinds["preferences"])
        found.preferences = {p.id: p for p in held}
        found.times = [p.valid_from for p in held]
    for own in store.sentences().values() if "sentences" in kinds else ():
        found.sentences.update((s.number, (s.preference, s.text)) for s in own if str(s.number) in kinds["sentences"])
    found.proposals = {p.id: p for p in store.proposals() if p.id in kinds.get("proposals", ())}
    found.turns = {number: text for number, text in store.turns() if str(number) in kinds.get("turns", ())}
    found.notices = {key: notices.stored(store, key) for key in sorted(kinds.get(notices.KIND, ()))}
    for table, key, columns in ARCHIVE:
        names = sorted(kinds.get(table, ()))
        for row in _rows(store, table, f"{key} IN ({','.join('?' * len(names))})", names):
            _keep(found, table, row, columns)
    found.details |= {p.detail for p in (*found.preferences.values(), *found.proposals.values())}
    return found


def _choose_preferences(store: Store, what: Selector, details: frozenset[str] | None, found: Chosen) -> None:
    names: set[str] | None = None
    if what.id is not None:
        names = {what.id}
    if what.text is not None or what.period is not None or what.conversation is not None:
        named = _said(store, what)
        names = named if names is None else names & named
    wanted = None if details is None else sorted(details)
    held = {p.id: p for p in store.preferences(wanted, history=True, ids=names)}
    spoken = what.period is not None or what.conversation is not None
    said = store.sentences(held) if what.text is not None or spoken else {}
    for name, preference in held.items():
        own = said.get(name, [])
        met = [s for s in own if _meets(what, (s.text, preference.value), s.said_at, s.conversation)]
        alone = not own and _meets(what, (preference.value,), preference.valid_from, preference.conversation)
        plain = what.text is None and not spoken
        if plain or alone or (met and len(met) == len(own)):
            found.preferences[name] = preference
        else:
            found.sentences.update((s.number, (name, s.text)) for s in met)
            found.times += [s.said_at for s in met]
        if met or alone or plain:
            found.details.add(preference.detail)
    if what.text is not None:
        _leave_neighbours(what.text, held, said, found)
    if not spoken:
        before = set(store.history_of(*found.preferences)) - found.preferences.keys()
        if before:
            found.preferences.update((p.id, p) for p in store.preferences(history=True, ids=before))
    found.times += [p.valid_from for p in found.preferences.values()]


def _leave_neighbours(
    text: str, held: Mapping[str, Preference], said: Mapping[str, Sequence[Sentence]], found: Chosen
) -> None:
    """What was only told in the same breath as a value that is meant stays: the value is taken out of its sentences."""
    meant = {name for name in found.preferences if holds(held[name].value, text)}
    told = {s.text for name in meant for s in said.get(name, ())}
    for name in found.preferences.keys() - meant:
        own = said.get(name, ())
        if own and all(s.text in told for s in own):
            del found.preferences[name]
    found.sentences = {
        number: (name, sentence)
        for number, (name, sentence) in found.sentences.items()
        if sentence not in told or holds(held[name].value, text)
    }


def _said(store: Store, what: Selector) -> set[str]:
    """Ids of the preferences of which some sentence may meet the conditions, or the value the words."""
    conditions, given = ["1"], list[Any]()
    if what.conversation is not None:
        conditions.append(_SPOKEN_IN)
        given += [what.conversation] * _SPOKEN_IN.count("?")
    if what.period is not None:
        for moment, sign in ((what.period.since, ">="), (what.period.until, "<")):
            if moment is not None:
                conditions.append(f"{{time}} {sign} ?")
                given.append(utc_text(moment))
    where = " AND ".join(conditions)
    spoken, told = where.format(time="said_at"), where.format(time="valid_from")
    if what.text is None:
        found = {n for (n,) in store.read(f"SELECT DISTINCT preference FROM sentences WHERE {spoken}", given)}  # noqa: S608
        return found | {n for (n,) in store.read(f"SELECT id FROM preferences WHERE {told}", given)}  # noqa: S608
    text, needle = may_hold("text", what.text)
    value, _ = may_hold("value", what.text)
    rows = store.read(f"SELECT preference FROM sentences WHERE {spoken} AND {text}", [*given, *needle])  # noqa: S608
    rows += store.read(f"SELECT id FROM preferences WHERE {value}", needle)  # noqa: S608
    return {name for (name,) in rows}


def _archived(store: Store, table: str, what: Selector, details: frozenset[str] | None) -> list[tuple[Any, ...]]:
    """Rows of a table of the archive that meet the conditions."""
    key = next(k for t, k, _ in ARCHIVE if t == table)
    columns = next(c for t, _, c in ARCHIVE if t == table)
    if what.conversation is not None and table != "episodes":
        return []  # what is made of a conversation goes with its episodes
    if what.period is not None and table == "summary_lines":
        return []
    conditions, given = ["1"], list[Any]()
    if what.id is not None:
        conditions.append(f"{key if table != 'summary_lines' else 'summary'} = ?")
        given.append(what.id)
    if details is not None:
        conditions.append(
            "EXISTS (SELECT 1 FROM json_each(details) d WHERE d.value IN (SELECT value FROM json_each(?)))"
        )
        given.append(json.dumps(sorted(details)))
    if what.conversation is not None:
        conditions.append(_SPOKEN_IN)
        given += [what.conversation] * _SPOKEN_IN.count("?")
    if what.period is not None:
        for moment, sign in ((what.period.since, ">="), (what.period.until, "<")):
            if moment is not None:
                conditions.append(f"{_TIME[table]} {sign} ?")
                given.append(utc_text(moment))
    if what.text is not None:
        pairs = [may_hold(column, what.text) for column in columns]
        conditions.append(f"({' OR '.join(sql for sql, _ in pairs)})")
        given += [needle for _, own in pairs for needle in own]
    rows = _rows(store, table, " AND ".join(conditions), given)
    if what.text is None:
        return rows
    return [row for row in rows if any(holds(text, what.text) for text in row[1 : 1 + len(columns)])]


def _rows(store: Store, table: str, where: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Key, words, details, and time or kind where the table has one."""
    key, columns = next((k, c) for t, k, c in ARCHIVE if t == table)
    extra = {"thoughts": ", at, kind", "summary_lines": ", NULL", "profile": ", since", "episodes": ", at"}[table]
    return store.read(
        f"SELECT {key}, {', '.join(columns)}, (SELECT group_concat(d.value) FROM json_each(details) d){extra} "  # noqa: S608
        f"FROM {table} WHERE {where} AND {key} NOT IN (SELECT memory FROM withheld WHERE rtrim(kind, '{FOLLOWS}') = '{table}')",
        given,
    )


def _keep(found: Chosen, table: str, row: Sequence[Any], columns: Sequence[str], into: _Archived | None = None) -> None:
    name, texts, rest = row[0], row[1 : 1 + len(columns)], row[1 + len(columns) :]
    (found.archive if into is None else into)[table, name] = (*texts, rest[2]) if table == "thoughts" else tuple(texts)
    found.details.update((rest[0] or "").split(",") if rest[0] else ())
    if rest[1] is not None:
        found.times.append(datetime.fromisoformat(rest[1]))


def derive(store: Store, found: Chosen, about: About) -> None:
    """Add what tells the same in other places, and what was made of it, and what was made of that."""
    told = [(p.detail, p.value, p.sentences) for p in found.preferences.values()]
    told += [(p.detail, p.value, (p.sentence,)) for p in found.proposals.values()]
    sentences = {s for _, _, own in told for s in own}
    closed = {detail for detail, _, _ in told if is_closed(detail)}
    for proposal in store.proposals():
        same = any(d == proposal.detail and (is_closed(d) or fold(v) == fold(proposal.value)) for d, v, _ in told)
        if same or proposal.sentence in sentences or _tells(proposal.sentence, found, closed, about):
            found.proposals.setdefault(proposal.id, proposal)
    if told:
        for number, text in store.turns():
            if text in sentences or _tells(text, found, closed, about):
                found.turns[number] = text
    needles = Needles([*found.values(), *sentences, *(text for _, text in found.sentences.values())])
    for table, _, columns in ARCHIVE if needles else ():
        for row in _rows(store, table, *needles.may_stand(columns)):
            if any(needles.stand_in(text) for text in row[1 : 1 + len(columns)]):
                _keep(found, table, row, columns)
    fresh = found.ids
    while fresh:
        before = found.ids | {key for table, key in found.following if table != "summary_lines"}
        for table, key, columns in ARCHIVE[1:]:
            named = "SELECT value FROM json_each(?)"
            where = f"{key} IN ({named})"
            if table != "summary_lines":
                where = f"{key} IN (SELECT memory FROM sources WHERE source IN ({named}))"  # noqa: S608
            for row in _rows(store, table, where, [json.dumps(sorted(fresh))]):
                if (table, row[0]) not in found.archive:
                    _keep(found, table, row, columns, found.following)
        fresh = {key for table, key in found.following if table != "summary_lines"} - before


def _tells(text: str, found: Chosen, closed: set[str], about: About) -> bool:
    return any(holds(text, value) for value in found.values()) or (bool(closed) and about(text) in closed)


def _within(details: frozenset[str] | None, own: Iterable[str]) -> bool:
    return details is None or any(detail in details for detail in own)


def _meets(what: Selector, texts: Iterable[str], at: datetime, conversation: str) -> bool:
    """Whether what was said then and there meets the conditions on words, time and conversation."""
    if what.text is not None and not any(holds(text, what.text) for text in texts):
        return False
    if what.period is not None and not what.period.holds(at):
        return False
    return what.conversation is None or spoken_in(conversation, what.conversation)


_SPOKEN_IN = (
    "(conversation = ? OR (substr(conversation, 1, length(?) + 1) = ? || '-' "
    "AND substr(conversation, length(?) + 2) GLOB '[0-9]*' AND substr(conversation, length(?) + 2) NOT GLOB '*[^0-9]*'))"
)
"""`spoken_in` as SQL; the name is bound."""


def spoken_in(conversation: str, name: str) -> bool:
    """Whether a conversation is the one of that name, or one of the trip of that name (``<trip>-<number>``)."""
    return conversation == name or re.fullmatch(rf"{re.escape(name)}-[0-9]+", conversation) is not None


FEW = 24
"""Up to so many needles SQL looks for each; with more every text is read once and looked up word by word."""


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
        pairs = [may_hold(column, needle) for needle in self.texts for column in columns]
        return f"({' OR '.join(sql for sql, _ in pairs) or '0'})", [value for _, own in pairs for value in own]


def holds(text: str, needle: str) -> bool:
    """Whether the words of a needle stand in a text; of a needle without words, its characters."""
    return contains(text, needle) if words(needle) else needle in text


def may_hold(column: str, needle: str) -> tuple[str, list[str]]:
    """SQL that is true wherever `holds` is, and its values: by the needle's longest piece of plain letters.

    Texts with other than ASCII characters are always let through, since folding may bring out plain letters there.
    """
    pieces: Iterator[str] = iter(_PIECE.findall(needle.lower()) if words(needle) and needle.isascii() else ())
    longest = max(pieces, key=len, default="")
    if not longest:
        return "1", []
    return f"(instr(lower({column}), ?) OR length({column}) <> length(CAST({column} AS BLOB)))", [longest]
