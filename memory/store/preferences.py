"""What is in a vault, in the project's own values: preferences, open proposals, consent, waiting turns, the log of decisions.

The write path: nothing is inserted here without asking consent in the same transaction (`Store.add`, `Store.merge`,
`Store.propose`, `Store.note`), and the vault's triggers ask again beneath it. The tables of the tiers are
`memory.store.conversations`'s. Decides nothing about what is worth keeping.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from memory.store.facts import Facts
from memory.store.rows import AMONG, cell, insert, listed, read, shown
from memory.vault.lifecycle import Vault, utc_text
from models.text import plain
from schemas.errors import ConsentError, StorageFullError, UnstorableTextError
from schemas.memory import Condition, Consent, Conversation, Decision, Outcome, Preference, Proposal, Terms, Turn
from schemas.preferences import BY_DETAIL, CATEGORIES

_PREFERENCE = (
    "id", "detail", "value", "conversation", "confidence", "uses", "status", "valid_from", "valid_to", "last_used",
    "sense", "conditions",
)  # fmt: skip
_PROPOSAL = (
    "id", "detail", "value", "sentence", "said_at", "conversation", "confidence", "negated", "expires_at", "asked", "asked_at",
    "sense", "conditions",
)  # fmt: skip

_MARKS_SALT = "marks"
"""Key in ``meta`` of the salt of the marks."""
_SALT_BYTES = 32

_TERMS_KEY = "terms"
"""Key in ``meta`` of how long the driver wants conversations kept."""

USES_KEPT = 20
"""Uses of a preference that are kept: enough to say why, not a record of drives."""

Use = tuple[datetime, str]
"""When a preference was used, and for which action: its name, no slots."""


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
        self.facts = Facts(vault, self.consent)
        tree = sorted((c.detail, c.sub, c.main, int(c.sensitive)) for c in CATEGORIES)
        if vault.rows("SELECT detail, sub, main, sensitive FROM categories ORDER BY detail") != tree:
            with vault.transaction():
                vault.write("DELETE FROM categories")
                for row in tree:
                    vault.write("INSERT INTO categories VALUES (?, ?, ?, ?)", row)

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """`memory.vault.lifecycle.Vault.rows`, for the other modules of this package."""
        return self._vault.rows(sql, values)

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

    def erase(
        self, table: Literal["preferences", "sentences", "turns", "proposals", "trips"], keys: Iterable[str | int]
    ) -> int:
        """Delete rows by their ids, a preference with its sentences and uses; returns how many rows there were."""
        with self.transaction():
            return self._vault.write(f"DELETE FROM {table} WHERE id {AMONG}", (listed(keys),))

    def empty(self, *tables: str) -> None:
        """Delete all rows of these tables, in the caller's transaction."""
        for table in tables:
            self._vault.write(f"DELETE FROM {table}")

    def holds(self, table: str, keys: Iterable[str | int], key: str = "id") -> bool:
        """Whether any of these rows is stored, withheld or not."""
        found = self._vault.rows(f"SELECT 1 FROM {table} WHERE {key} {AMONG} LIMIT 1", (listed(keys),))
        return bool(found)

    def known(self, name: str) -> bool:
        """Whether a preference or a proposal of this id is stored."""
        return self.holds("preferences", [name]) or self.holds("proposals", [name])

    def meta(self, key: str) -> str | None:
        """A single thing that the vault holds beside its tables."""
        rows = self._vault.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def set_meta(self, key: str, value: str | None) -> None:
        """Hold it; with None no more."""
        with self.transaction():
            if value is None:
                self._vault.write("DELETE FROM meta WHERE key = ?", (key,))
            else:
                self._vault.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # Consent, and how long conversations are kept

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

    def terms(self) -> Terms | None:
        """How long the driver wants conversations kept; None where nothing was chosen, or where it cannot be read."""
        held = self.meta(_TERMS_KEY)
        try:
            return None if held is None else Terms.model_validate_json(held)
        except ValidationError:
            return None

    def set_terms(self, terms: Terms) -> None:
        """Keep what the driver chose."""
        self.set_meta(_TERMS_KEY, terms.model_dump_json())

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
        where, given = shown("preferences"), list[str]()
        if not history:
            where += " AND status = 'active'"
        for column, wanted in (("detail", details), ("id", ids)):
            if wanted is not None:
                where += f" AND {column} {AMONG}"
                given.append(listed(wanted))
        rows = self._vault.rows(
            f"SELECT {', '.join(_PREFERENCE)} FROM preferences WHERE {where} ORDER BY valid_from DESC, rowid DESC",
            given,
        )
        said = self.sentences(None if details is None and ids is None else [row[0] for row in rows])
        return tuple(
            read(Preference, _PREFERENCE, row, sentences=tuple(dict.fromkeys(s.text for s in said.get(row[0], ()))))
            for row in rows
        )

    def sentences(self, preferences: Collection[str] | None = None) -> dict[str, list[Sentence]]:
        """The sentences of these preferences (None: of all) that are not withheld, by preference, oldest first."""
        where, given = shown("sentences"), list[str]()
        if preferences is not None:
            where += f" AND preference {AMONG}"
            given.append(listed(preferences))
        said: dict[str, list[Sentence]] = {}
        for number, preference, text, at, conversation in self._vault.rows(
            f"SELECT id, preference, text, said_at, conversation FROM sentences WHERE {where} ORDER BY said_at, id",
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
            insert(self._vault, "preferences", _PREFERENCE, preference)
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

    def revive(self, preferences: Collection[str]) -> None:
        """Let preferences hold again that something took the place of."""
        self._vault.write(
            f"UPDATE preferences SET status = 'active', valid_to = NULL, superseded_by = NULL WHERE id {AMONG}",
            (listed(preferences),),
        )

    def used(self, ids: Iterable[str], at: datetime) -> None:
        """Count a use of each of these preferences, episodes, thoughts and facts."""
        with self.transaction():
            for name in ids:
                for table in ("preferences", "episodes", "thoughts", "facts"):
                    self._vault.write(
                        f"UPDATE {table} SET uses = uses + 1, last_used = ? WHERE id = ?",
                        (utc_text(at), name),
                    )

    def used_for(self, preference: str, action: str, at: datetime) -> None:
        """Note the action that a preference was used for; the last `USES_KEPT` are kept.

        Raises:
            ConsentError: consent forbids its category now.
        """
        with self.transaction():
            self._vault.write(
                "INSERT INTO used_for (preference, at, action) VALUES (?, ?, ?)", (preference, utc_text(at), action)
            )
            self._vault.write(
                "DELETE FROM used_for WHERE preference = ?1 AND id NOT IN "
                "(SELECT id FROM used_for WHERE preference = ?1 ORDER BY id DESC LIMIT ?2)",
                (preference, USES_KEPT),
            )

    def uses(self, preferences: Iterable[str]) -> dict[str, tuple[Use, ...]]:
        """What these preferences were used for, latest first."""
        found: dict[str, tuple[Use, ...]] = {}
        query = f"SELECT preference, at, action FROM used_for WHERE preference {AMONG} ORDER BY id DESC"
        for name, at, action in self._vault.rows(query, (listed(preferences),)):
            found[name] = (*found.get(name, ()), (datetime.fromisoformat(at), action))
        return found

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
            f"WITH RECURSIVE before (id) AS (SELECT id FROM preferences WHERE superseded_by {AMONG} "
            "UNION SELECT p.id FROM preferences p JOIN before b ON p.superseded_by = b.id) SELECT id FROM before",
            (listed(preferences),),
        )
        return tuple(row[0] for row in rows)

    def replace_sentence(self, old: str, new: str) -> None:
        """Replace a sentence wherever it is kept; with nothing, delete it."""
        with self.transaction():
            if new:
                self._vault.write("UPDATE OR REPLACE sentences SET text = ? WHERE text = ?", (new, old))
            else:
                self._vault.write("DELETE FROM sentences WHERE text = ?", (old,))

    def hush_conditions(self, tells: Callable[[str], bool]) -> None:
        """Take the words of conditions away where they tell something; what they mean stays."""
        for name, conditions in self._vault.rows("SELECT id, conditions FROM preferences WHERE conditions <> '[]'"):
            held = [Condition.model_validate(one) for one in json.loads(conditions)]
            left = [one.model_copy(update={"words": ""}) if tells(one.words) else one for one in held]
            if left != held:
                with self.transaction():
                    self._vault.write("UPDATE preferences SET conditions = ? WHERE id = ?", (cell(tuple(left)), name))

    # What waits for the driver's yes, and what was declined

    def proposals(self) -> tuple[Proposal, ...]:
        """All proposals that are not withheld, last heard first; expired ones too."""
        rows = self._vault.rows(
            f"SELECT {', '.join(_PROPOSAL)} FROM proposals WHERE {shown('proposals')} ORDER BY said_at DESC, rowid DESC"
        )
        return tuple(read(Proposal, _PROPOSAL, row) for row in rows)

    def propose(self, proposal: Proposal, now: datetime) -> None:
        """Keep a proposal, in the place of the one with its id if there is one.

        Raises:
            ConsentError: consent forbids its category now.
        """
        with self.transaction():
            self._ask(proposal.detail, now)
            insert(self._vault, "proposals", _PROPOSAL, proposal, how="INSERT OR REPLACE")

    def asked(self, proposal: str, at: datetime) -> None:
        """Count that the driver was asked."""
        with self.transaction():
            self._vault.write(
                "UPDATE proposals SET asked = asked + 1, asked_at = ? WHERE id = ?", (utc_text(at), proposal)
            )

    def declined(self) -> dict[str, datetime]:
        """Mark of everything declined -> until when it is not asked again."""
        return {mark: datetime.fromisoformat(until) for mark, until in self._vault.rows("SELECT * FROM declined")}

    def declines(self, what: str, now: datetime) -> bool:
        """Whether the driver has said no to this, in its words for us, and does not want to hear of it yet."""
        salt = self.meta(_MARKS_SALT)
        until = None if salt is None else self.declined().get(self._mark(salt, what))
        return until is not None and until > now

    def decline(self, what: str, until: datetime) -> None:
        """Keep in mind until then that the driver said no to this: a hash whose key is nowhere in the vault's tables."""
        with self.transaction():
            salt = self.meta(_MARKS_SALT)
            if salt is None:
                salt = secrets.token_hex(_SALT_BYTES)
                self.set_meta(_MARKS_SALT, salt)
            self._vault.write(
                "INSERT OR REPLACE INTO declined VALUES (?, ?)", (self._mark(salt, what), utc_text(until))
            )

    def _mark(self, salt: str, what: str) -> str:
        return hmac.digest(hmac.digest(self._vault.secret, salt.encode(), "sha256"), what.encode(), "sha256").hex()

    def forget_declined(self, before: datetime | None = None) -> None:
        """Delete the marks that counted until then; without a time all, and their salt."""
        with self.transaction():
            if before is None:
                self.empty("declined")
                self.set_meta(_MARKS_SALT, None)
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
            f"SELECT conversation, text, at, confidence FROM turns WHERE {shown('turns')} ORDER BY id"
        ):
            turn = Turn(speaker="driver", text=text, at=datetime.fromisoformat(at), confidence=confidence)
            turns.setdefault(conversation, []).append(turn)
        return tuple(Conversation(id=name, turns=tuple(said)) for name, said in turns.items())

    def turns(self) -> tuple[tuple[int, str], ...]:
        """Number and text of every waiting turn."""
        rows = self._vault.rows(f"SELECT id, text FROM turns WHERE {shown('turns')} ORDER BY id")
        return tuple((number, text) for number, text in rows)

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
        rows = self._vault.rows(f"SELECT {', '.join(names)} FROM decisions ORDER BY id")
        return [dict(zip(names, row, strict=True)) for row in rows]


LONGEST_SAID = 4000
"""Characters of a turn at most: five minutes of speech; reading one takes half a second, and its square of longer ones."""


def sayable(text: str) -> str:
    """A text as it may be read and stored, without control characters; what nobody can have said is refused.

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
    return plain(text)


def silent(consent: Consent, now: datetime) -> str | None:
    """Why nothing at all may be remembered now, or None."""
    return consent.silent(now)
