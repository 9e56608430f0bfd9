"""What is remembered about one driver: the ``MemoryPort``.

Owns the order of things: what is noted, learnt, asked, recalled, forgotten, and under which lock. Learning reads and thinks without
the lock (a language model takes its time, and recall must not wait for it), then writes everything of a conversation in one
transaction; if consent or the store changed meanwhile, it thinks again with the lock held.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from memory import consent as switches
from memory.learn.english.canonical import Canon, fold
from memory.learn.explicit import Asked, Reader
from memory.learn.extraction import ExtractionSettings, Extractor, refusal
from memory.learn.maintenance import Maintainer, MaintenanceSettings, Ruling
from memory.learn.proposals import Draft, Proposals, ProposalSettings, Weighed
from memory.learn.screening import screening, sift
from memory.recall.preferences import RetrievalSettings
from memory.recall.search import HybridSearch, SearchTuning
from memory.reflect.keeping import Keeping
from memory.reflect.tiers import Tiers, TierTuning
from memory.rights import exports
from memory.rights.command import Commanded
from memory.rights.control import Control
from memory.store.conversations import Archive
from memory.store.preferences import LONGEST_SAID, Store, require_sayable, silent
from memory.store.reminders import Reminders
from memory.vault.lifecycle import Vault
from schemas.memory import (
    Candidate,
    Consent,
    Conversation,
    Decision,
    Found,
    Kind,
    Outcome,
    Period,
    Preference,
    Proposal,
    Recollection,
    Turn,
)
from schemas.ports import Encoder, StructuredModel
from schemas.preferences import BY_DETAIL, CATEGORIES

TALK = (Kind.EPISODE, Kind.SUMMARY, Kind.EVENT)
"""What is kept of conversations only if the driver asked for that."""


class MemorySettings(BaseModel):
    """All thresholds of memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    extraction: ExtractionSettings = ExtractionSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    recall: SearchTuning = SearchTuning()
    proposals: ProposalSettings = ProposalSettings()
    tiers: TierTuning = TierTuning()


@dataclass(frozen=True, slots=True)
class _Step:
    """A candidate, what becomes of it, and the preference that is made of it, if one is."""

    candidate: Candidate
    ruling: Ruling
    made: Preference | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What learning from a conversation, or from an answer, is going to write."""

    revision: int
    decisions: tuple[Decision, ...]
    steps: tuple[_Step, ...] = ()
    draft: Draft = field(default_factory=Draft)
    answered: Proposal | None = None
    silent: bool = False


class DriverMemory(Keeping, Commanded):
    """One driver's memory over an open vault. Safe for use by several threads."""

    def __init__(
        self,
        driver: str,
        vault: Vault,
        *,
        encoder: Encoder,
        model: StructuredModel,
        clock: Callable[[], datetime],
        settings: MemorySettings | None = None,
        zone: tzinfo = UTC,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        """Memory of a driver; reads what is stored and prepares it for recall.

        Args:
            driver: the driver's name.
            vault: the driver's open vault; closed by `close`.
            encoder: for recall, and as the check on the language model.
            model: fills the extraction and maintenance schemas.
            clock: aware current time.
            settings: thresholds.
            zone: where the driver is, for days and times of day.
            new_id: makes the ids of preferences and proposals.
        """
        settings = settings or MemorySettings()
        self.driver = driver
        self._vault, self._clock, self._new_id, self._encoder = vault, clock, new_id, encoder
        self._store = Store(vault)
        self._extractor = Extractor(encoder, model, settings.extraction)
        self._maintainer = Maintainer(encoder, model, settings.maintenance)
        self._search = HybridSearch(vault, encoder, settings.recall, settings.retrieval)
        self._archive = Archive(vault, self._store)
        canon = Canon(encoder, nearest_at=settings.extraction.nearest_at)
        self._reader = Reader(self._extractor, encoder, model, canon)
        self._control = Control(
            vault,
            self._store,
            self._archive,
            self._search,
            about=self._about,
            canon=canon,
            new_id=new_id,
            erase_copies=lambda: vault.erase_backups() + exports.erase(vault.path.parent, driver),
        )
        self._tiers = Tiers(
            self._store, self._archive, encoder, self._extractor, settings=settings.tiers, zone=zone, new_id=new_id
        )
        self._control.carry_out_all(clock())
        self._search.refresh()
        self._proposals = Proposals(self._store, settings.proposals, new_id)
        self._proposals.expire(clock())
        self._refused: dict[str, list[Decision]] = {}
        """Conversation -> what was refused when it was said: kept in memory only, since the vault may not hold it."""
        self._revision = 0
        self._lock = threading.RLock()
        self.reminders = Reminders(self._store, self._lock)
        self._learning = threading.Lock()

    # Recall

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        """See ``MemoryPort``. What lies in a category that is switched off is kept until forgotten, but not recalled."""
        with self._lock:
            now = self._clock()
            always = self._store.consent().model_copy(update={"private_trip": False, "paused_until": None})
            hidden = frozenset(c.detail for c in CATEGORIES if always.forbids(c, now) is not None)
            found = self._search.preferences(query, details=details, hidden=hidden, limit=limit, now=now)
            self._tiers.asked(query, self._store.consent(), now)
            held = {p.id: p for p in self._store.preferences(ids=[name for name, _ in found])} if found else {}
            return tuple(Recollection(preference=held[name], score=score) for name, score in found if name in held)

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[Kind] = (),
        tags: Sequence[str] = (),
        period: Period | None = None,
        details: Sequence[str] = (),
        limit: int = 5,
    ) -> tuple[Found, ...]:
        """See ``MemoryPort``. What lies in a category that is switched off, or is talk while that is, is not found."""
        with self._lock:
            now = self._clock()
            always = self._store.consent().model_copy(update={"private_trip": False, "paused_until": None})
            hidden = frozenset(c.detail for c in CATEGORIES if always.forbids(c, now) is not None)
            able = [kind for kind in kinds or Kind if always.conversations or kind not in TALK]
            if not able:
                return ()
            found = self._search.search(
                query, kinds=able, tags=tags, period=period, details=details, hidden=hidden, limit=limit, now=now
            )
            self._tiers.asked(query, self._store.consent(), now)
            return found

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """See ``MemoryPort``. A use is not noted while nothing may be remembered."""
        with self._lock:
            now, consent = self._clock(), self._store.consent()
            others = [r for r in recalled if isinstance(r, Found) and r.kind is not Kind.PREFERENCE]
            if others and silent(consent, now) is None:
                self._search.used(others, now)
            told = [
                (r.id, r.details[0]) if isinstance(r, Found) else (r.preference.id, r.preference.detail)
                for r in recalled if not isinstance(r, Found) or r.kind is Kind.PREFERENCE
            ]  # fmt: skip
            ids = [name for name, detail in told if consent.forbids(BY_DETAIL[detail], now) is None]
            held = self._store.preferences(ids=ids) if ids and silent(consent, now) is None else ()
            if held:
                with self._store.transaction():
                    self._store.used([p.id for p in held], now)
                    if action is not None:
                        self._control.uses.note([p.id for p in held], action, now)

    # Learning

    def note(self, turn: Turn, conversation: str) -> None:
        """See ``MemoryPort``.

        Only what extraction will read is kept in the vault: the driver's turns that may tell something, and none that belongs
        to a forbidden category; of one with a sentence that does, the others (`memory.learn.screening`). Exchanges wait
        in memory to become episodes, if conversations are kept at all.
        """
        require_sayable(turn.text)
        if turn.speaker != "driver":
            with self._lock:
                self._tiers.hot.answered(turn, conversation)
            return
        with self._lock:
            now, consent = self._clock(), self._store.consent()
            self._tiers.hot.cut(conversation)
        if silent(consent, now) is not None:
            return
        sifted = sift(turn.text, screening(self._extractor, consent, now))
        found = sifted.screening
        if found.forbidden is not None and found.reason is not None:
            self._refused.setdefault(conversation, []).append(refusal(found.forbidden, found.reason))
        else:
            with self._lock:
                self._tiers.heard(turn, conversation, self._store.consent(), now)
            if found.empty:
                return
        with self._lock:
            now, current = self._clock(), self._store.consent()
            if current != consent:  # changed while we looked
                sifted = sift(turn.text, screening(self._extractor, current, now))
            for text in sifted.kept if silent(current, now) is None else ():
                self._store.note(turn.model_copy(update={"text": text}), conversation, now)

    def forget_pending(self, conversation: str) -> int:
        """See ``MemoryPort``."""
        with self._lock:
            self._refused.pop(conversation, None)
            told = [p.id for p in self._store.proposals() if p.conversation == conversation]
            with self._store.transaction():
                erased = self._store.learnt(conversation) + self._store.erase_proposals(told)
            erased += self._tiers.hot.forget(conversation)
            self._revision += 1
            self._vault.wipe()
            return erased

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """See ``MemoryPort``. All of a conversation is stored, or nothing of it."""
        for turn in conversation.turns:
            require_sayable(turn.text)
        return self._learn(conversation)

    def _learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        with self._learning:
            plan = self._plan(conversation)
            with self._lock:
                if plan.revision != self._revision:
                    plan = self._plan(conversation)
                self._refused.pop(conversation.id, None)
                if not plan.silent:
                    self._carry_out(plan, conversation.id)
                    self._proposals.expire(self._clock())
            return plan.decisions

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """See ``MemoryPort``. With the key of several categories the likeliest of them is taken."""
        require_sayable(sentence)
        now = self._clock()
        turn = Turn(speaker="driver", text=sentence, at=now)
        told = Conversation(id=f"told-{self._new_id()}", turns=(turn,))
        details = None if key is None else [c.detail for c in switches.categories(key)]
        with self._learning:
            plan = self._plan(told, Asked(details))
            with self._lock:
                if plan.revision != self._revision:
                    plan = self._plan(told, Asked(details))
                if not plan.silent:
                    self._carry_out(plan, told.id)
            return plan.decisions

    def learn_pending(self) -> tuple[Decision, ...]:
        """See ``MemoryPort``. While nothing may be remembered, what was said before waits."""
        with self._lock:
            if silent(self._store.consent(), self._clock()) is not None:
                return ()
            waiting = {c.id: c for c in self._store.waiting()}
            refused = {name: tuple(decisions) for name, decisions in self._refused.items()}
        decisions: list[Decision] = []
        for name in dict.fromkeys((*waiting, *refused)):
            decisions += refused.get(name, ())
            told = waiting.get(name, Conversation(id=name, turns=()))
            short = tuple(
                turn for turn in told.turns if len(turn.text) <= LONGEST_SAID
            )  # a longer one is let go unread
            decisions += self._learn(told.model_copy(update={"turns": short}))
        self.settle()
        return tuple(decisions)

    def _plan(self, conversation: Conversation, asked: Asked | None = None) -> _Plan:
        with self._lock:
            revision, now, consent = self._revision, self._clock(), self._store.consent()
            existing = {p.id: p for p in self._store.preferences()}
        if silent(consent, now) is not None:
            found = self._extractor.extract(conversation, consent, now)
            return _Plan(revision, found.decisions or _silenced(asked, consent, now), silent=True)
        found = self._extractor.extract(conversation, consent, now) if asked is None else asked.read(
            self._reader, conversation, consent, now)  # fmt: skip
        decisions, steps = list(found.decisions), list[_Step]()
        for candidate in found.candidates:
            if candidate.negated and _outdone(candidate, found.candidates):
                continue  # decided together with what takes its place
            held = [p for p in existing.values() if p.detail == candidate.detail]
            step = self._step(candidate, held, found.candidates)
            steps.append(step)
            for ended in step.ruling.replaced:
                existing.pop(ended.id, None)
            if step.made is not None:
                existing = {step.made.id: step.made, **existing}
        told = [(step.candidate, step.ruling) for step in steps]
        unsure: list[Weighed] = []
        for candidate in found.unsure:
            if candidate.negated and _outdone(candidate, found.unsure):
                continue
            ruling = self._maintainer.decide(candidate, [p for p in existing.values() if p.detail == candidate.detail])
            if ruling.outcome is Outcome.PASS:
                steps.append(_Step(candidate, ruling, None))
            else:
                unsure.append((candidate, ruling))
        draft = self._proposals.draft(unsure, told, now)
        decisions += [*map(_decision, steps), *draft.decisions]
        return _Plan(revision, tuple(decisions), tuple(steps), draft)

    def _step(self, candidate: Candidate, held: Sequence[Preference], all_of: Sequence[Candidate]) -> _Step:
        outdone = {fold(c.value) for c in all_of if c.negated and _same_breath(c, candidate)} - {fold(candidate.value)}
        ended = tuple(p for p in held if fold(p.value) in outdone) if not candidate.negated else ()
        ruling = self._maintainer.decide(candidate, held)
        if ended:
            everything = tuple(dict.fromkeys((*ruling.replaced, *ended)))
            values = " and ".join(p.value for p in everything)
            reason = f"{candidate.value} takes the place of {values}"
            ruling = replace(ruling, outcome=Outcome.UPDATE, replaced=everything, reason=reason)
        stores = ruling.equal is None and (
            ruling.outcome is Outcome.APPEND or (ruling.outcome is Outcome.UPDATE and ruling.store)
        )
        made = self._made(candidate) if stores else None
        return _Step(candidate, ruling, made)

    def _made(self, candidate: Candidate) -> Preference:
        return Preference(
            id=self._new_id(),
            detail=candidate.detail,
            value=candidate.value,
            sentences=(candidate.sentence,),
            conversation=candidate.conversation,
            confidence=candidate.confidence,
            valid_from=candidate.said_at,
        )

    def _carry_out(self, plan: _Plan, conversation: str) -> None:
        now, store, proposals = self._clock(), self._store, self._proposals
        with store.transaction():
            erased = proposals.settle([(step.candidate, step.ruling) for step in plan.steps])
            if plan.answered is not None:
                erased += store.erase_proposals([plan.answered.id])
            for step in plan.steps:
                candidate, ruling = step.candidate, step.ruling
                if step.made is not None:
                    store.add(step.made, now)
                if ruling.equal is not None:
                    store.merge(
                        ruling.equal, candidate.sentence, candidate.said_at, conversation, candidate.confidence, now
                    )
                successor = step.made.id if step.made else ruling.equal.id if ruling.equal else None
                for ended in ruling.replaced:
                    store.supersede(ended.id, candidate.said_at, successor)
            erased += proposals.write(plan.draft, now)
            store.log(plan.decisions, conversation, now)
            erased += store.learnt(conversation) if plan.answered is None else 0
            self._search.keep()
        self._revision += 1
        if erased:
            store.wiped()
        if plan.steps:
            self._search.refresh()

    # Asking

    def proposals(self) -> tuple[Proposal, ...]:
        """See ``MemoryPort``."""
        with self._lock:
            now = self._clock()
            self._proposals.expire(now)
            return self._proposals.open(now)

    def asked(self, proposal: str) -> None:
        """See ``MemoryPort``."""
        with self._lock:
            self._store.asked(proposal, self._clock())

    def answer(self, proposal: str, yes: bool) -> Decision:
        """See ``MemoryPort``. While nothing may be remembered a yes is refused and the proposal stays open; a no counts."""
        if not yes:
            return self._decline(proposal)
        with self._learning:
            plan = self._accept(proposal)
            with self._lock:
                if plan.revision != self._revision:
                    plan = self._accept(proposal)
                if not plan.silent and plan.answered is not None:
                    self._carry_out(plan, plan.answered.conversation)
            return plan.decisions[0]

    def _accept(self, name: str) -> _Plan:
        with self._lock:
            revision, now, consent = self._revision, self._clock(), self._store.consent()
            proposal = self._proposals.find(name, now)
            held = self._store.preferences([proposal.detail])
        reason = consent.forbids(proposal.category, now)
        if reason is not None:
            return _Plan(revision, (refusal(proposal.detail, reason),), silent=True)
        step = self._step(proposal.confirmed, held, [proposal.confirmed])
        decision = _decision(step).model_copy(update={"proposal": name})
        return _Plan(revision, (decision,), (step,), answered=proposal)

    def _decline(self, name: str) -> Decision:
        with self._lock:
            now = self._clock()
            proposal = self._proposals.find(name, now)
            with self._store.transaction():
                decision = self._proposals.decline(proposal, now)
                if silent(self._store.consent(), now) is None:
                    self._store.log([decision], proposal.conversation, now)
            self._revision += 1
            self._store.wiped()
            return decision


def _silenced(asked: Asked | None, consent: Consent, now: datetime) -> tuple[Decision, ...]:
    """What to say to a wish to remember while nothing may be: a decision even where no category was found."""
    reason = silent(consent, now)
    if asked is None or reason is None:
        return ()
    return (refusal((asked.details or [CATEGORIES[0].detail])[0], reason),)


def _same_breath(one: Candidate, other: Candidate) -> bool:
    return one.detail == other.detail and one.sentence == other.sentence


def _outdone(candidate: Candidate, all_of: Sequence[Candidate]) -> bool:
    """Whether the same sentence puts something else in the place of what it negates."""
    return any(not other.negated and _same_breath(candidate, other) for other in all_of)


def _decision(step: _Step) -> Decision:
    candidate, ruling = step.candidate, step.ruling
    kept = step.made or ruling.equal
    title = BY_DETAIL[candidate.detail].title.lower()
    return Decision(
        outcome=ruling.outcome,
        detail=candidate.detail,
        reason=f"{title}: {ruling.reason}",
        value=candidate.value,
        preference=kept.id if kept is not None else None,
        replaced=tuple(p.value for p in ruling.replaced),
    )
