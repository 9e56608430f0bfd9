"""What is in a vault, in the project's own values: preferences, open proposals, consent, waiting turns, the log of decisions.

The only module with SQL over these tables (those of the tiers are `memory.store.conversations`'s), and the write path:
nothing is inserted here without asking consent in the same transaction (`Store.add`, `Store.merge`, `Store.propose`,
`Store.note`), and the vault's triggers ask again beneath it. Decides nothing about what is worth keeping.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.vault.lifecycle import Vault, utc_text
from schemas.errors import ConsentError, StorageFullError, UnstorableTextError
from schemas.memory import Consent, Conversation, Decision, Outcome, Preference, Proposal, Status, Turn
from schemas.preferences import BY_DETAIL, CATEGORIES

_COLUMNS = "id, detail, value, conversation, confidence, uses, status, valid_from, valid_to, last_used"

_MARKS_KEY = "declined"
"""Key in ``meta`` of the key of the marks."""

_PROPOSAL = "id, detail, value, sentence, said_at, conversation, confidence, negated, expires_at, asked, asked_at"

TEXT_COLUMNS: tuple[tuple[str, str], ...] = (
    ("preferences", "value"), ("sentences", "text"), ("turns", "text"), ("proposals", "value"), ("proposals", "sentence"),
    ("episodes", "driver"), ("episodes", "assistant"), ("thoughts", "text"), ("summary_lines", "text"), ("profile", "value"),
    ("tags", "key"),
)  # fmt: skip
"""Every table and column that holds the driver's words."""


_SHOWN = "{1} NOT IN (SELECT memory FROM withheld WHERE kind = '{0}')"
"""Leaves out what is on its way out; of a table and its key as text."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that revealed a preference."""

    number: int
    preference: str
    text: str
    said_at: datetime
    conversation: str


class Store:
    """The tables of one vault."""

    def __init__(self, vault: Vault) -> None:
        """The tables of this vault; brings its copy of the category tree up to date."""
        self._vault = vault
        tree = sorted((c.detail, c.sub, c.main, int(c.sensitive)) for c in CATEGORIES)
        if vault.rows("SELECT detail, sub, main, sensitive FROM categories ORDER BY detail") != tree:
            with vault.transaction():
                vault.write("DELETE FROM categories")
                for row in tree:
                    vault.write("INSERT INTO categories VALUES (?, ?, ?, ?)", row)

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """`memory.vault.lifecycle.Vault.rows`: for questions across tables (`memory.rights.selection`, `memory.rights.erasure`)."""
        return self._vault.rows(sql, values)

    def write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """`memory.vault.lifecycle.Vault.write`: for deletions across tables (`memory.rights.erasure`)."""
        return self._vault.write(sql, values)

    def transaction(self) -> AbstractContextManager[None]:
        """`memory.vault.lifecycle.Vault.transaction`."""
        return self._vault.transaction()

    def wipe(self) -> None:
        """`memory.vault.lifecycle.Vault.wipe`."""
        self._vault.wipe()

    def wiped(self) -> bool:
        """`wipe`, or False when the disk is too full for it.

        What was deleted is gone from the tables all the same, and the next wipe takes it out of the write-ahead log.
        """
        try:
            self._vault.wipe()
        except StorageFullError:
            return False
        return True

    # Consent

    def consent(self) -> Consent:
        """What may be remembered."""
        private, paused = self._vault.rows("SELECT private_trip, paused_until FROM learning")[0]
        return Consent(
            opted_out=frozenset(key for (key,) in self._vault.rows("SELECT key FROM opted_out")),
            opted_in=frozenset(detail for (detail,) in self._vault.rows("SELECT detail FROM opted_in")),
            paused_until=datetime.fromisoformat(paused) if paused else None,
            private_trip=bool(private),
        )

    def set_consent(self, consent: Consent) -> None:
        """Replace what may be remembered."""
        paused = None if consent.paused_until is None else utc_text(consent.paused_until)
        with self.transaction():
            self._vault.write("DELETE FROM opted_out")
            self._vault.write("DELETE FROM opted_in")
            for key in sorted(consent.opted_out):
                self._vault.write("INSERT INTO opted_out VALUES (?)", (key,))
            for detail in sorted(consent.opted_in):
                self._vault.write("INSERT INTO opted_in VALUES (?)", (detail,))
            self._vault.write(
                "UPDATE learning SET private_trip = ?, paused_until = ?", (int(consent.private_trip), paused)
            )

    def _ask(self, detail: str, now: datetime) -> None:
        reason = self.consent().forbids(BY_DETAIL[detail], now)
        if reason is not None:
            raise ConsentError(f"a write to {detail} was refused, {reason}: ask Consent.forbids before writing")

    # Preferences

    def preferences(
        self, details: Sequence[str] | None = None, *, history: bool = False, ids: Collection[str] | None = None
    ) -> tuple[Preference, ...]:
        """Stored preferences that are not withheld, newest first.

        Args:
            details: only these detail keys; None for all.
            history: with superseded ones.
            ids: only these; None for all.
        """
        where, given = _SHOWN.format("preferences", "id"), list[Any]()
        if not history:
            where += " AND status = 'active'"
        for column, wanted in (("detail", details), ("id", ids)):
            if wanted is not None:
                where += f" AND {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
                given.append(json.dumps(sorted(wanted)))
        rows = self._vault.rows(
            f"SELECT {_COLUMNS} FROM preferences WHERE {where} ORDER BY valid_from DESC, rowid DESC",  # noqa: S608
            given,
        )
        said = self.sentences(None if details is None and ids is None else [row[0] for row in rows])
        return tuple(_preference(row, tuple(dict.fromkeys(s.text for s in said.get(row[0], ())))) for row in rows)

    def sentences(self, preferences: Collection[str] | None = None) -> dict[str, list[Sentence]]:
        """The sentences of these preferences (None: of all) that are not withheld, by preference, oldest first."""
        where, given = _SHOWN.format("sentences", "CAST(id AS TEXT)"), list[Any]()
        if preferences is not None:
            where += " AND preference IN (SELECT value FROM json_each(?))"
            given.append(json.dumps(sorted(preferences)))
        said: dict[str, list[Sentence]] = {}
        for number, preference, text, at, conversation in self._vault.rows(
            "SELECT id, preference, text, said_at, conversation FROM sentences "  # noqa: S608
            f"WHERE {where} ORDER BY said_at, id",
            given,
        ):
            said.setdefault(preference, []).append(
                Sentence(number, preference, text, datetime.fromisoformat(at), conversation)
            )
        return said

    def add(self, preference: Preference, now: datetime) -> None:
        """Store a preference with its sentences.

        Raises:
            ConsentError: consent forbids its category now.
        """
        with self.transaction():
            self._ask(preference.detail, now)
            self._vault.write(
                f"INSERT INTO preferences ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (
                    preference.id,
                    preference.detail,
                    preference.value,
                    preference.conversation,
                    preference.confidence,
                    preference.uses,
                    preference.status.value,
                    utc_text(preference.valid_from),
                    _optional(preference.valid_to),
                    _optional(preference.last_used),
                ),
            )
            for sentence in preference.sentences:
                self._sentence(preference.id, sentence, preference.valid_from, preference.conversation)

    def merge(self, preference: Preference, sentence: str, said_at: datetime, conversation: str, confidence: float,
              now: datetime) -> None:  # fmt: skip
        """Add a sentence to a preference that was said again; its confidence becomes the higher of the two.

        Raises:
            ConsentError: consent forbids its category now.
        """
        with self.transaction():
            self._ask(preference.detail, now)
            self._sentence(preference.id, sentence, said_at, conversation)
            self._vault.write(
                "UPDATE preferences SET confidence = max(confidence, ?) WHERE id = ?", (confidence, preference.id)
            )

    def _sentence(self, preference: str, text: str, said_at: datetime, conversation: str) -> None:
        self._vault.write(
            "INSERT OR IGNORE INTO sentences (preference, text, said_at, conversation) VALUES (?, ?, ?, ?)",
            (preference, text, utc_text(said_at), conversation),
        )

    def supersede(self, preference: str, at: datetime, by: str | None) -> None:
        """End an active preference's validity; it stays as history of the one that took its place, if one did."""
        self._vault.write(
            "UPDATE preferences SET status = 'superseded', valid_to = ?, superseded_by = ? "
            "WHERE id = ? AND status = 'active'",
            (utc_text(at), by, preference),
        )

    def used(self, ids: Sequence[str], at: datetime) -> None:
        """Count a use of each."""
        with self.transaction():
            for preference in ids:
                self._vault.write(
                    "UPDATE preferences SET uses = uses + 1, last_used = ? WHERE id = ?", (utc_text(at), preference)
                )

    def say(self, preference: str, sentence: str, said_at: datetime, conversation: str) -> None:
        """Add a sentence to a preference as it was said elsewhere; the vault's triggers ask consent."""
        with self.transaction():
            self._sentence(preference, sentence, said_at, conversation)

    def follow(self, old: str, new: str) -> None:
        """Note which preference took the place of a superseded one."""
        with self.transaction():
            self._vault.write(
                "UPDATE preferences SET superseded_by = ? WHERE id = ? AND status = 'superseded'", (new, old)
            )

    def successors(self) -> dict[str, str]:
        """Superseded preference -> the one that took its place, if one did."""
        return dict(self._vault.rows("SELECT id, superseded_by FROM preferences WHERE superseded_by IS NOT NULL"))

    def history_of(self, *preferences: str) -> tuple[str, ...]:
        """Ids of the preferences that these took the place of, and those took, and so on."""
        rows = self._vault.rows(
            "WITH RECURSIVE before (id) AS "
            "(SELECT id FROM preferences WHERE superseded_by IN (SELECT value FROM json_each(?)) "
            "UNION SELECT p.id FROM preferences p JOIN before b ON p.superseded_by = b.id) SELECT id FROM before",
            (json.dumps(preferences),),
        )
        return tuple(row[0] for row in rows)

    def erase(self, ids: Sequence[str]) -> None:
        """Delete preferences and their sentences."""
        with self.transaction():
            self._vault.write(
                "DELETE FROM preferences WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
            )

    def erase_sentences(self, numbers: Sequence[int]) -> None:
        """Delete single sentences; their preferences stay."""
        with self.transaction():
            self._vault.write(
                "DELETE FROM sentences WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(numbers)),)
            )

    def known(self, ids: Sequence[str]) -> bool:
        """Whether any of these preferences or proposals is stored."""
        return any(
            self._vault.rows(
                "SELECT id FROM preferences WHERE id = ? UNION SELECT id FROM proposals WHERE id = ?", (name, name)
            )
            for name in ids
        )

    def replace_sentence(self, old: str, new: str) -> None:
        """Replace a sentence wherever it is kept; with nothing, delete it."""
        with self.transaction():
            if new:
                self._vault.write("UPDATE OR REPLACE sentences SET text = ? WHERE text = ?", (new, old))
            else:
                self._vault.write("DELETE FROM sentences WHERE text = ?", (old,))

    # What waits for the driver's yes, and what was declined

    def proposals(self) -> tuple[Proposal, ...]:
        """All proposals that are not withheld, last heard first; expired ones too."""
        rows = self._vault.rows(
            f"SELECT {_PROPOSAL} FROM proposals WHERE {_SHOWN.format('proposals', 'id')} "  # noqa: S608
            "ORDER BY said_at DESC, rowid DESC"
        )
        return tuple(_proposal(row) for row in rows)

    def propose(self, proposal: Proposal, now: datetime) -> None:
        """Keep a proposal, in the place of the one with its id if there is one.

        Raises:
            ConsentError: consent forbids its category now.
        """
        with self.transaction():
            self._ask(proposal.detail, now)
            self._vault.write(
                f"INSERT OR REPLACE INTO proposals ({_PROPOSAL}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (
                    proposal.id,
                    proposal.detail,
                    proposal.value,
                    proposal.sentence,
                    utc_text(proposal.said_at),
                    proposal.conversation,
                    proposal.confidence,
                    int(proposal.negated),
                    utc_text(proposal.expires_at),
                    proposal.asked,
                    _optional(proposal.asked_at),
                ),
            )

    def asked(self, proposal: str, at: datetime) -> None:
        """Count that the driver was asked."""
        with self.transaction():
            self._vault.write(
                "UPDATE proposals SET asked = asked + 1, asked_at = ? WHERE id = ?", (utc_text(at), proposal)
            )

    def erase_proposals(self, ids: Sequence[str]) -> int:
        """Delete proposals; returns how many there were."""
        with self.transaction():
            return self._vault.write(
                "DELETE FROM proposals WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
            )

    def secret(self) -> bytes | None:
        """The key of the marks of what was declined, or None before the first."""
        rows = self._vault.rows("SELECT value FROM meta WHERE key = ?", (_MARKS_KEY,))
        return bytes.fromhex(rows[0][0]) if rows else None

    def declined(self) -> dict[str, datetime]:
        """Mark of everything declined -> until when it is not asked again."""
        return {mark: datetime.fromisoformat(until) for mark, until in self._vault.rows("SELECT * FROM declined")}

    def decline(self, mark: str, until: datetime, secret: bytes) -> None:
        """Keep a mark, and the key that it was made with."""
        with self.transaction():
            self._vault.write("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_MARKS_KEY, secret.hex()))
            self._vault.write("INSERT OR REPLACE INTO declined VALUES (?, ?)", (mark, utc_text(until)))

    def forget_declined(self, before: datetime | None = None) -> None:
        """Delete the marks that counted until then; without a time all, and their key."""
        with self.transaction():
            if before is None:
                self._vault.write("DELETE FROM declined")
                self._vault.write("DELETE FROM meta WHERE key = ?", (_MARKS_KEY,))
            else:
                self._vault.write("DELETE FROM declined WHERE until <= ?", (utc_text(before),))

    # What was said and not yet learnt from

    def note(self, turn: Turn, conversation: str, now: datetime) -> None:
        """Keep a turn until it was learnt from.

        Raises:
            ConsentError: learning is paused or this is a private trip.
        """
        with self.transaction():
            consent = self.consent()
            if silent(consent, now):
                raise ConsentError("a turn was to be kept while nothing may be: ask silent() before noting")
            self._vault.write(
                "INSERT INTO turns (conversation, text, at, confidence) VALUES (?, ?, ?, ?)",
                (conversation, turn.text, utc_text(turn.at), turn.confidence),
            )

    def waiting(self) -> tuple[Conversation, ...]:
        """The driver's turns that wait to be learnt from, by conversation, oldest first."""
        turns: dict[str, list[Turn]] = {}
        for conversation, text, at, confidence in self._vault.rows(
            "SELECT conversation, text, at, confidence FROM turns "  # noqa: S608
            f"WHERE {_SHOWN.format('turns', 'CAST(id AS TEXT)')} ORDER BY id"
        ):
            turn = Turn(speaker="driver", text=text, at=datetime.fromisoformat(at), confidence=confidence)
            turns.setdefault(conversation, []).append(turn)
        return tuple(Conversation(id=name, turns=tuple(said)) for name, said in turns.items())

    def turns(self) -> tuple[tuple[int, str], ...]:
        """Number and text of every waiting turn."""
        shown = _SHOWN.format("turns", "CAST(id AS TEXT)")
        return tuple(
            (number, text)
            for number, text in self._vault.rows(f"SELECT id, text FROM turns WHERE {shown} ORDER BY id")  # noqa: S608
        )

    def erase_turns(self, numbers: Sequence[int]) -> None:
        """Delete waiting turns by number."""
        with self.transaction():
            self._vault.write(
                "DELETE FROM turns WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(numbers)),)
            )

    def learnt(self, conversation: str) -> int:
        """Delete the waiting turns of a conversation; returns how many there were."""
        with self.transaction():
            return self._vault.write("DELETE FROM turns WHERE conversation = ?", (conversation,))

    # The log

    def log(self, decisions: Sequence[Decision], conversation: str, at: datetime) -> None:
        """Add decisions to the log: category, outcome and id, never content; of refused ones not even the category."""
        with self.transaction():
            for decision in decisions:
                detail = None if decision.outcome is Outcome.REFUSED else decision.detail
                self._vault.write(
                    "INSERT INTO decisions (at, conversation, outcome, detail, preference) VALUES (?, ?, ?, ?, ?)",
                    (utc_text(at), conversation, decision.outcome.value, detail, decision.preference),
                )

    def logged(self) -> list[dict[str, Any]]:
        """The log, oldest first."""
        names = ("at", "conversation", "outcome", "detail", "preference")
        rows = self._vault.rows(f"SELECT {', '.join(names)} FROM decisions ORDER BY id")  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in rows]

    def words(self) -> list[str]:
        """Every word of the driver that the vault holds, cell by cell: what an erasure is checked against."""
        cells: list[str] = []
        for table, column in TEXT_COLUMNS:
            cells += [cell for (cell,) in self._vault.rows(f"SELECT {column} FROM {table}")]  # noqa: S608
        return cells


LONGEST_SAID = 4000
"""Characters of a turn at most: five minutes of speech; reading one takes half a second, and its square of longer ones."""


def require_sayable(text: str) -> None:
    """Refuse what nobody can have said, before it is read.

    Raises:
        UnstorableTextError: no valid Unicode, or too long.
    """
    if len(text) > LONGEST_SAID:
        raise UnstorableTextError(
            f"a sentence of {len(text):,} characters is too long, at most {LONGEST_SAID:,} are read: say it in parts"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UnstorableTextError(
            "a text holds half a character (a lone surrogate) and cannot be stored: send it as valid Unicode"
        )


def silent(consent: Consent, now: datetime) -> str | None:
    """Why nothing at all may be remembered now, or None."""
    if consent.private_trip:
        return "this is a private trip"
    if consent.paused_until is not None and now < consent.paused_until:
        return "learning is paused"
    return None


def _optional(moment: datetime | None) -> str | None:
    return None if moment is None else utc_text(moment)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _preference(row: tuple[Any, ...], sentences: tuple[str, ...]) -> Preference:
    name, detail, value, conversation, confidence, uses, status, valid_from, valid_to, last_used = row
    return Preference(
        id=name,
        detail=detail,
        value=value,
        sentences=sentences,
        conversation=conversation,
        confidence=confidence,
        uses=uses,
        status=Status(status),
        valid_from=datetime.fromisoformat(valid_from),
        valid_to=_moment(valid_to),
        last_used=_moment(last_used),
    )


def _proposal(row: tuple[Any, ...]) -> Proposal:
    name, detail, value, sentence, said_at, conversation, confidence, negated, expires_at, asked, asked_at = row
    return Proposal(
        id=name,
        detail=detail,
        value=value,
        sentence=sentence,
        said_at=datetime.fromisoformat(said_at),
        conversation=conversation,
        confidence=confidence,
        negated=bool(negated),
        expires_at=datetime.fromisoformat(expires_at),
        asked=asked,
        asked_at=_moment(asked_at),
    )
