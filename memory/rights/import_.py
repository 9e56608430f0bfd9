"""Reading an export in: into a new vault, or beside what is there.

Owns what of a file is believed. Consent is asked for every part, as for anything that is written: what it forbids here is left
out and named by category. The whole of what it allows is stored, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from memory import consent as switches
from memory.rights.export import (
    FORMAT_VERSION,
    Export,
    ExportedEntry,
    ExportedEpisode,
    ExportedFact,
    ExportedNotice,
    ExportedPreference,
    ExportedProposal,
    ExportedThought,
)
from memory.store import reminders as notices
from memory.store.conversations import Archive
from memory.store.facts import MOST_FACTS, fact_words
from memory.store.preferences import LONGEST_SAID, Store, silent
from memory.store.summaries import Line
from models.text import plain
from schemas.errors import ExportError, UnknownEntryError
from schemas.memory import (
    CONVERSATIONS,
    ENDLESS,
    FACTS,
    Condition,
    Consent,
    Decision,
    Episode,
    Fact,
    Kind,
    Preference,
    ProfileEntry,
    Proposal,
    Status,
    TakenIn,
    Terms,
    Thought,
    Turn,
    Waiting,
    usual,
)
from schemas.preferences import BY_DETAIL, SPECIAL_TITLES, WITH


def parse(exported: Mapping[str, Any]) -> Export:
    """An export of this version or an earlier one.

    Raises:
        ExportError: it is none, is damaged, or was written by a newer version.
    """
    if exported.get("format") != "glovebox-memory":
        raise ExportError("this is no export of a memory: give a file that `glovebox memory export` wrote")
    version = exported.get("version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise ExportError(
            f"the export has version {version} and this program reads up to {FORMAT_VERSION}: install a newer Glovebox"
        )
    try:
        whole = Export.model_validate(_plain(_brought_up(exported, version)))
    except (ValidationError, AttributeError, TypeError, KeyError, RecursionError) as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) if isinstance(error, ValidationError) else ""
        raise ExportError(f"the export is damaged at {plain(where)[:80] or 'its parts'}: export it again") from None
    unknown = {p.category for p in (*whole.preferences, *whole.proposals)} - {c.key for c in BY_DETAIL.values()}
    if unknown:
        raise ExportError(f"the export has the unknown category {min(unknown)[:80]!r}: install a newer Glovebox")
    _require_possible(whole)
    return whole


def _plain(part: Any) -> Any:
    """JSON values whose texts are `plain`."""
    if isinstance(part, str):
        return plain(part)
    if isinstance(part, Mapping):
        return {key: _plain(value) for key, value in part.items()}  # pyright: ignore[reportUnknownVariableType]
    return [_plain(value) for value in part] if isinstance(part, list | tuple) else part  # pyright: ignore[reportUnknownVariableType]


MOST = 1_000_000_000
"""A number of an export at most: nothing is used or asked so often, and no vault has room for one of 400 digits."""
YEARS = range(1900, 2200)
"""In which what is remembered was said, used or due: from any of them a lifetime can be counted on and back."""


def _values(part: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Every single value of a part of an export, and where it stands."""
    if isinstance(part, BaseModel):
        for name, value in part:
            yield from _values(value, f"{where}.{name}" if where else name)
    elif isinstance(part, tuple):
        for place, value in enumerate(part):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield from _values(value, f"{where}.{place}" if where else str(place))  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield where, part


def _require_possible(whole: Export) -> None:
    """Refuse numbers, times and halves of characters that no export can have, before anything is reckoned with them.

    Raises:
        ExportError: there is one.
    """
    for where, value in _values(whole):
        if isinstance(value, int) and abs(value) > MOST:
            raise ExportError(f"the export is damaged at {where[:80]}, the number there is too large: export it again")
        if isinstance(value, date) and value.year not in YEARS and value != ENDLESS:
            raise ExportError(f"the export is damaged at {where[:80]}, nobody lives then: export it again")
        if isinstance(value, str) and not _whole(value):
            raise ExportError(f"the export is damaged at {where[:80]}, half a character stands there: export it again")


def _whole(text: str) -> bool:
    """Whether it is valid Unicode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _short(whole: Export) -> tuple[Export, dict[str, str]]:
    """Without the parts that hold a text longer than anything that is said, which is never read; and what these were."""
    kept: dict[str, tuple[BaseModel, ...]] = {}
    refused: dict[str, str] = {}
    for name, parts in whole:
        if not isinstance(parts, tuple):
            continue
        long = {i for i, one in enumerate(parts) if _longest(one) > LONGEST_SAID}
        if long:
            kept[name] = tuple(one for i, one in enumerate(parts) if i not in long)
            reason = f"a text of more than {LONGEST_SAID:,} characters is not read in"
            refused |= {_called(name, parts[i]): reason for i in sorted(long)}
    return (whole.model_copy(update=kept) if kept else whole), refused


def _longest(part: object) -> int:
    """Characters of the longest text in a part of an export."""
    return max((len(value) for _, value in _values(part) if isinstance(value, str)), default=0)


def _called(name: str, part: object) -> str:
    """What a refused part is called by: its category, else the list that it stood in."""
    return part.category.rsplit(".", 1)[-1] if isinstance(part, ExportedPreference | ExportedProposal) else name


def _brought_up(exported: Mapping[str, Any], version: Any) -> Mapping[str, Any]:
    """An export in the shape of today's version."""
    if version == 1:
        exported, version = _of_version_1(exported), 2
    if version == 2:
        exported, version = {**exported, "terms": None, "notices": []}, 3
    return _of_version_3(exported) if version == 3 else exported


def _of_version_3(exported: Mapping[str, Any]) -> dict[str, Any]:
    """Then every value was meant as it stood, a road type as one to be avoided."""

    def told(old: Mapping[str, Any]) -> dict[str, Any]:
        return {**old, "sense": usual(str(old["category"]).rsplit(".", 1)[-1]), "conditions": []}

    parts = {name: [told(old) for old in exported[name]] for name in ("preferences", "proposals")}
    return {**exported, **parts, "facts": [], "version": FORMAT_VERSION}


def _of_version_1(exported: Mapping[str, Any]) -> dict[str, Any]:
    preferences = [
        {
            **old,
            "superseded_by": None,
            "used_for": [],
            "sentences": [
                {"text": text, "said_at": old["valid_from"], "conversation": old["conversation"]}
                for text in old["sentences"]
            ],
        }
        for old in exported["preferences"]
    ]
    tiers: dict[str, Any] = {name: [] for name in ("trips", "episodes", "thoughts", "summaries", "profile")}
    return {**exported, "preferences": preferences, **tiers}


def take_in(
    exported: Mapping[str, Any], store: Store, archive: Archive, now: datetime, check: Check, *, allow: bool
) -> TakenIn:
    """Store what an export holds, as far as consent allows now.

    Args:
        exported: JSON values.
        store: the preferences' tables.
        archive: the tiers' tables.
        now: current time.
        check: what of a text may be written.
        allow: take over what the driver had allowed there, sensitive categories and the keeping of conversations included.

    Raises:
        ExportError: it is no export that this program can read.
    """
    whole, long = _short(parse(exported))
    with store.transaction():
        consent = store.consent()
        try:
            for key in whole.consent.opted_in if allow else ():
                consent = switches.opt_in(consent, key)
            for key in whole.consent.opted_out:
                consent = switches.opt_out(consent, key)
        except UnknownEntryError as error:
            raise ExportError(
                "the export switches a category off or on that is unknown: install a newer Glovebox"
            ) from error
        store.set_consent(consent)
        taken = _Taking(store, archive, now, consent, check).all(whole)
        store.set_consent(
            consent.model_copy(
                update={
                    "paused_until": consent.paused_until or whole.consent.paused_until,
                    "private_trip": consent.private_trip or whole.consent.private_trip,
                }
            )
        )
    return taken.model_copy(update={"refused": {**long, **taken.refused}})


class Check(Protocol):
    """What of a text may be written: `memory.learn.guard.Guard`, and what consent says of its topics."""

    def forbidden(self, text: str, consent: Consent) -> frozenset[str]:
        """The special kinds that it tells of and that are off."""
        ...

    def forbidden_line(self, key: str, value: str, consent: Consent) -> frozenset[str]:
        """The special kinds that a line of the profile tells and that are off."""
        ...

    def cleared(self, text: str, consent: Consent) -> str:
        """What of it tells nothing special."""
        ...

    def pieces(self, text: str, consent: Consent, now: datetime) -> tuple[str, ...]:
        """What of a sentence that waits to be learnt from may wait on."""
        ...


class _Taking:
    """One export on its way in."""

    def __init__(self, store: Store, archive: Archive, now: datetime, consent: Consent, check: Check) -> None:
        self._check = check
        self._store, self._archive, self._now = store, archive, now
        self._consent = consent
        self._kinds: dict[Kind, int] = {}
        self._known = 0
        self._refused: dict[str, str] = {}
        self._timers = self._reminders = 0

    def all(self, whole: Export) -> TakenIn:
        reason = silent(self._consent, self._now)
        if reason is not None:
            details = {p.category.rsplit(".", 1)[-1] for p in (*whole.preferences, *whole.proposals)}
            details |= {FACTS} if whole.facts else set[str]()
            return TakenIn(refused=dict.fromkeys(sorted(details), reason))
        self._preferences(whole.preferences)
        self._proposals(whole.proposals)
        waiting = {(t.text, t.at) for c in self._store.waiting() for t in c.turns}
        for turn in whole.waiting:
            said = Turn(speaker="driver", text=turn.text, at=turn.at, confidence=turn.confidence)
            texts = self._check.pieces(turn.text, self._consent, self._now)
            if (turn.text, turn.at) in waiting:
                continue
            for text in texts:
                self._store.note(said.model_copy(update={"text": text}), turn.conversation, self._now)
                waiting.add((text, turn.at))
        if self._consent.conversations:
            self._conversations(whole)
        elif whole.episodes or whole.summaries or whole.trips:
            self._refused[CONVERSATIONS] = "conversations are not kept unless you ask for it"
        self._each(Kind.PROFILE, whole.profile, self._entry)
        self._facts(whole.facts)
        if whole.terms is not None and self._store.terms() is None:
            self._store.set_terms(Terms(**whole.terms.model_dump(exclude={"basis"})))
        self._notices(whole.notices)
        if not self._store.logged():
            for one in whole.decisions:
                decision = Decision(outcome=one.outcome, detail=one.detail or "", reason="", preference=one.preference)
                self._store.log([decision], one.conversation, one.at)
        return TakenIn(
            kinds=self._kinds, known=self._known, timers=self._timers, reminders=self._reminders, refused=self._refused
        )

    def _facts(self, exported: Iterable[ExportedFact]) -> None:
        """Those that still matter, as far as there is room: the newest first."""
        held, facts = {(f.about, f.text, f.until) for f in self._store.facts.all()}, self._store.facts
        told = sorted(exported, key=lambda one: one.said_at, reverse=True)
        reason = self._consent.forbids_facts(self._now)
        for one in told if reason is None else ():
            over = one.until is not None and one.until <= self._now
            text = fact_words(one.about, one.text, one.until_words)
            if over or not self._free(text):
                continue
            if self._archive.kinds([one.id]) or (one.about, one.text, one.until) in held:
                self._known += 1
            elif facts.count() >= MOST_FACTS:
                self._refused[FACTS] = f"there is room for {MOST_FACTS}: forget some, then read them in again"
            else:
                facts.add(Fact(**one.model_dump(exclude={"basis"})), self._now)
                self._count(Kind.FACT)
        if reason is not None and told:
            self._refused[FACTS] = reason

    def _notices(self, exported: Iterable[ExportedNotice]) -> None:
        """Those that are still to come; of words that may not be written only the time, as of what is set by voice."""
        held, fresh = frozenset(notices.stored(self._store)), set[Waiting]()
        for one in frozenset(Waiting(kind=one.kind, label=one.label, at=one.due_at) for one in exported):
            if one in held:
                self._known += 1
            elif one.at > self._now:
                fresh.add(one if self._free(one.label) else notices.bare(one))
        self._known += len(fresh & held)
        fresh -= held
        self._timers = sum(one.kind == "timer" for one in fresh)
        self._reminders = len(fresh) - self._timers
        if fresh:
            notices.keep(self._store, notices.in_order((held - set(map(notices.bare, fresh))) | fresh))

    def _allowed(self, details: Iterable[str]) -> bool:
        allowed = True
        for detail in details:
            reason = (
                "unknown category" if detail not in BY_DETAIL else self._consent.forbids(BY_DETAIL[detail], self._now)
            )
            if reason is not None:
                self._refused[detail] = reason
                allowed = False
        return allowed

    def _free(self, text: str, detail: str = "") -> bool:
        """Whether a text tells nothing special that the driver has not asked for."""
        return self._let_in(self._check.forbidden(text, self._consent) - WITH.get(detail, frozenset()))

    def _free_part(self, one: ExportedEpisode | ExportedThought | ExportedEntry) -> bool:
        match one:
            case ExportedEpisode():
                return all(map(self._free, (one.driver, one.assistant)))
            case ExportedThought():
                return self._free(one.text)
            case ExportedEntry():
                return self._let_in(self._check.forbidden_line(one.key, one.value, self._consent))

    def _let_in(self, kinds: frozenset[str]) -> bool:
        self._refused |= {
            kind: f"it tells of {SPECIAL_TITLES[kind]}, which is off until you ask for it" for kind in kinds
        }
        return not kinds

    def _count(self, kind: Kind) -> None:
        self._kinds[kind] = self._kinds.get(kind, 0) + 1

    def _preferences(self, exported: Iterable[ExportedPreference]) -> None:
        replaced: list[ExportedPreference] = []
        held = {(p.detail, p.value, p.sense, p.conditions) for p in self._store.preferences()}
        for one in reversed(tuple(exported)):  # newest first there: so the order of those of the same moment stays
            detail = one.category.rsplit(".", 1)[-1]
            if not self._allowed([detail]) or not self._free(one.value, detail):
                continue
            active = one.status is Status.ACTIVE
            made = Preference(
                id=one.id, detail=detail, value=one.value, sentences=(), conversation=one.conversation,
                confidence=one.confidence, uses=one.uses, status=one.status, valid_from=one.valid_from,
                valid_to=one.valid_to, last_used=one.last_used, sense=one.sense, conditions=self._conditions(one.conditions),
            )  # fmt: skip
            mark = (detail, made.value, made.sense, made.conditions)
            single = active and not BY_DETAIL[detail].multi and not made.conditions and any(
                d == detail and not conditions for d, _, _, conditions in held
            )  # fmt: skip
            if self._store.known(one.id) or (active and mark in held) or single:
                self._known += 1
                continue
            self._store.add(made, self._now)
            for sentence in one.sentences:
                text = self._check.cleared(sentence.text, self._consent)
                if not text:
                    continue
                self._store.say(one.id, text, sentence.said_at, sentence.conversation)
            for use in reversed(one.used_for):
                self._store.used_for(one.id, use.action, use.at)
            if active:
                held.add(mark)
            replaced.append(one)
            self._count(Kind.PREFERENCE)
        for one in replaced:
            if one.superseded_by is not None and self._store.known(one.superseded_by):
                self._store.follow(one.id, one.superseded_by)

    def _proposals(self, exported: Iterable[ExportedProposal]) -> None:
        for one in reversed(tuple(exported)):
            detail = one.category.rsplit(".", 1)[-1]
            free = self._free(one.value, detail) and self._free(one.sentence, detail)
            if self._allowed([detail]) and free and not self._store.known(one.id):
                kept = one.model_dump(exclude={"basis", "category", "conditions"})
                conditions = self._conditions(one.conditions)
                self._store.propose(Proposal(detail=detail, conditions=conditions, **kept), self._now)

    def _conditions(self, exported: Iterable[Condition]) -> tuple[Condition, ...]:
        """Without the words of those that tell something special."""
        return tuple(
            one.model_copy(update={"words": ""}) if self._check.forbidden(one.words, self._consent) else one
            for one in exported
        )

    def _conversations(self, whole: Export) -> None:
        for trip in whole.trips:
            self._archive.begin_trip(trip.id, trip.began_at, self._now)
            if trip.ended_at is not None:
                self._archive.end_trip(trip.id, trip.ended_at)
        self._each(Kind.EPISODE, whole.episodes, self._episode)
        self._archive.reflected([e.id for e in whole.episodes])
        self._each(Kind.THOUGHT, whole.thoughts, self._thought)
        held = {s.day for s in self._archive.summaries()}
        for one in whole.summaries:
            if one.day in held:
                self._known += 1
                continue
            lines = [
                Line(x.source, x.text, x.details, x.tags)
                for x in one.lines
                if self._allowed(x.details) and self._free(x.text)
            ]
            if lines:
                self._archive.summarise(one.id, one.day, lines, self._now)
                self._count(Kind.SUMMARY)

    def _each(self, kind: Kind, parts: Iterable[Any], write: Callable[[Any], None]) -> None:
        profile = {e.key for e in self._archive.profile()}
        for one in parts:
            if not self._allowed(one.details) or not self._free_part(one):
                continue
            if self._archive.kinds([one.id]) or (kind is Kind.PROFILE and one.key in profile):
                self._known += 1
                continue
            write(one)
            self._count(Kind(one.kind) if kind is Kind.THOUGHT else kind)

    def _episode(self, one: ExportedEpisode) -> None:
        self._archive.keep(Episode(**one.model_dump(exclude={"basis"})), self._now)

    def _thought(self, one: ExportedThought) -> None:
        self._archive.think(
            Thought.model_validate({**one.model_dump(exclude={"basis"}), "kind": Kind(one.kind)}), self._now
        )

    def _entry(self, one: ExportedEntry) -> None:
        entry = ProfileEntry(**one.model_dump(exclude={"basis"}), edited=one.basis == "provided")
        self._archive.put_entry(entry, self._now)
