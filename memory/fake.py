"""A fake memory, for tests and for composing without models; nothing here is encrypted, kept, or understood.

`FakeMemory` meets ``MemoryPort`` over a dictionary: it finds preferences by shared words and learns what its ``reads``
function says. The fakes of the models that the real memory leans on stand in `memory.fake_reading`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from memory import consent as switches
from memory.fake_keeping import FakeKeeping
from memory.fake_reading import KEYWORDS, VALUES, DoubtingExtractor, KeywordEncoder, KeywordModel
from memory.guest import NoReminders
from memory.learn.english.vocabulary import CLOSED
from memory.rights.selection import spoken_in
from models.text import contains, letters, words
from schemas.errors import ConsentError, ExportError, UnknownEntryError
from schemas.memory import (
    Candidate,
    Consent,
    Conversation,
    Decision,
    Explanation,
    Found,
    Kind,
    Listing,
    Matches,
    Outcome,
    Period,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Selector,
    Status,
    TakenIn,
    Turn,
    Withheld,
)
from schemas.preferences import BY_DETAIL, CATEGORIES

__all__ = ["KEYWORDS", "VALUES", "DoubtingExtractor", "FakeMemory", "KeywordEncoder", "KeywordModel"]

UNDO = timedelta(seconds=10)
"""How long what was withheld can be taken back, as in the real one."""


class FakeMemory(FakeKeeping):
    """A fake memory in a dictionary; meets ``MemoryPort``. Values are equal when they are spelled the same."""

    def __init__(
        self,
        driver: str,
        *,
        clock: Callable[[], datetime],
        reads: Callable[[Conversation], Sequence[Candidate]] | None = None,
        store_at: float = 0.75,
    ) -> None:
        """Empty memory of a driver that learns what ``reads`` finds in a conversation, and asks first below ``store_at``."""
        super().__init__()
        self.driver, self.reminders = driver, NoReminders()
        self._clock, self._reads, self._store_at = clock, reads, store_at
        self._consent = Consent()
        self._held: dict[str, Preference] = {}
        self._turns: dict[str, list[Turn]] = {}
        self._open: dict[str, Proposal] = {}
        self._declined: set[tuple[str, str]] = set()
        self._proposed = 0
        self._uses: dict[str, list[tuple[datetime, str]]] = {}
        self._aside: dict[str, tuple[datetime, list[Preference], list[Proposal], dict[str, list[Turn]]]] = {}

    def recall(self, query: str, *, details: Sequence[str] = (), limit: int = 3) -> tuple[Recollection, ...]:
        """Preferences that share a word with the query, or that lie in the details."""
        always = self._consent.model_copy(update={"private_trip": False, "paused_until": None})
        found: list[Recollection] = []
        for preference in self.preferences():
            known = {*words(preference.value), *KEYWORDS.get(preference.detail, ())}
            shared = bool(known & set(words(query)))
            wanted = preference.detail in details if details else shared
            if wanted and always.forbids(preference.category, self._clock()) is None:
                found.append(Recollection(preference=preference, score=0.9 if shared else 0.5))
        return tuple(sorted(found, key=lambda r: -r.score)[:limit])

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
        """What `recall` finds, said in the period; nothing else is held, and nothing has tags."""
        if tags or (kinds and Kind.PREFERENCE not in kinds):
            return ()
        return tuple(
            Found(
                kind=Kind.PREFERENCE,
                id=one.preference.id,
                text=one.preference.value,
                at=one.preference.valid_from,
                details=(one.preference.detail,),
                score=one.score,
            )
            for one in self.recall(query, details=details, limit=limit)
            if period is None or period.holds(one.preference.valid_from)
        )

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """Count."""
        for recollection in recalled:
            named = recollection.id if isinstance(recollection, Found) else recollection.preference.id
            held = self._held.get(named)
            if held is not None and not self._silent():
                update = {"uses": held.uses + 1, "last_used": self._clock()}
                self._held[held.id] = held.model_copy(update=update)
                if action is not None:
                    self._uses.setdefault(held.id, []).append((self._clock(), action))

    def note(self, turn: Turn, conversation: str) -> None:
        """Keep a driver's turn, and the exchange if conversations are kept."""
        self._hear(turn, conversation)
        if turn.speaker == "driver" and not self._silent():
            self._turns.setdefault(conversation, []).append(turn)

    def forget_pending(self, conversation: str) -> int:
        """Drop the conversation's turns and proposals."""
        told = self._drop(lambda p: p.conversation == conversation)
        self._waiting = [e for e in self._waiting if e.conversation != conversation]
        return len(self._turns.pop(conversation, ())) + told

    def _drop(self, which: Callable[[Proposal], bool]) -> int:
        before = len(self._open)
        self._open = {name: p for name, p in self._open.items() if not which(p)}
        return before - len(self._open)

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """Decide on what was read by spelling and by the category's kind."""
        decisions = tuple(self._decide(candidate) for candidate in (self._reads(conversation) if self._reads else ()))
        if not self._silent():
            self._turns.pop(conversation.id, None)
        return decisions

    def _decide(self, candidate: Candidate) -> Decision:
        forbidden = self._consent.forbids(candidate.category, self._clock())
        if forbidden is not None:
            return Decision(outcome=Outcome.REFUSED, detail=candidate.detail, reason=forbidden)
        active = [p for p in self._held.values() if p.detail == candidate.detail and p.status is Status.ACTIVE]
        equal = next((p for p in active if p.value == candidate.value), None)
        if candidate.confidence < self._store_at and (equal is not None) == candidate.negated:
            return self._propose(candidate)
        self._drop(lambda p: p.detail == candidate.detail and p.value == candidate.value)
        if candidate.negated:
            if equal is None:
                return Decision(outcome=Outcome.DROPPED, detail=candidate.detail, reason="it was not remembered")
            return self._write(candidate, Outcome.UPDATE, [equal], store=False)
        if equal is not None:
            sentences = tuple(dict.fromkeys((*equal.sentences, candidate.sentence)))
            self._held[equal.id] = equal.model_copy(update={"sentences": sentences})
            return Decision(outcome=Outcome.PASS, detail=candidate.detail, reason="known", value=equal.value,
                            preference=equal.id)  # fmt: skip
        if active and not candidate.category.multi:
            return self._write(candidate, Outcome.UPDATE, active)
        return self._write(candidate, Outcome.APPEND, [])

    def _propose(self, candidate: Candidate) -> Decision:
        if (candidate.detail, candidate.value) in self._declined:
            return Decision(outcome=Outcome.DROPPED, detail=candidate.detail, reason="declined before")
        same = [p for p in self._open.values() if (p.detail, p.value) == (candidate.detail, candidate.value)]
        self._proposed += not same
        name = same[0].id if same else f"proposal-{self._proposed}"
        before = self._open.pop(name, None)
        self._open[name] = Proposal(
            id=name,
            expires_at=self._clock() + timedelta(days=14),
            asked=before.asked if before else 0,
            asked_at=before.asked_at if before else None,
            **candidate.model_dump(),
        )  # fmt: skip
        return Decision(outcome=Outcome.ASK, detail=candidate.detail, reason="unsure", value=candidate.value,
                        proposal=name)  # fmt: skip

    def proposals(self) -> tuple[Proposal, ...]:
        """What was proposed and not answered, newest first."""
        return tuple(p for p in reversed(self._open.values()) if p.expires_at > self._clock())

    def asked(self, proposal: str) -> None:
        """Count."""
        held = self._open.get(proposal)
        if held is not None:
            self._open[proposal] = held.model_copy(update={"asked": held.asked + 1, "asked_at": self._clock()})

    def answer(self, proposal: str, yes: bool) -> Decision:
        """Store it, or keep in mind that it was declined."""
        held = next((p for p in self.proposals() if p.id == proposal), None)
        if held is None:
            raise UnknownEntryError(f"no proposal {proposal[:80]!r}")
        if not yes:
            del self._open[proposal]
            self._declined.add((held.detail, held.value))
            return Decision(outcome=Outcome.DECLINED, detail=held.detail, reason="you said no", proposal=proposal)
        decision = self._decide(held.confirmed)
        if decision.outcome is not Outcome.REFUSED:
            self._open.pop(proposal, None)
        return decision.model_copy(update={"proposal": proposal})

    def _write(
        self, candidate: Candidate, outcome: Outcome, ended: Sequence[Preference], *, store: bool = True
    ) -> Decision:
        for old in ended:
            update = {"status": Status.SUPERSEDED, "valid_to": candidate.said_at}
            self._held[old.id] = old.model_copy(update=update)
        name = f"fake-{len(self._held)}"
        if store:
            self._held[name] = Preference(
                id=name,
                detail=candidate.detail,
                value=candidate.value,
                sentences=(candidate.sentence,),
                conversation=candidate.conversation,
                confidence=candidate.confidence,
                valid_from=candidate.said_at,
            )
        return Decision(
            outcome=outcome,
            detail=candidate.detail,
            reason="as said",
            value=candidate.value,
            preference=name if store else None,
            replaced=tuple(p.value for p in ended),
        )

    def learn_pending(self) -> tuple[Decision, ...]:
        """Learn from what was noted."""
        if self._silent():
            return ()
        waiting = [Conversation(id=name, turns=tuple(turns)) for name, turns in self._turns.items()]
        return tuple(decision for conversation in waiting for decision in self.learn(conversation))

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """What is held, newest first."""
        details = {c.detail for c in (CATEGORIES if key is None else switches.categories(key))}
        held = [p for p in reversed(self._held.values()) if p.detail in details]
        return tuple(p for p in held if history or p.status is Status.ACTIVE)

    def browse(
        self, key: str | None = None, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """A slice of what is held."""
        held = sorted(self.preferences(key), key=lambda p: p.valid_from, reverse=True)
        held = [p for p in held if (period is None or period.holds(p.valid_from))
                and any(letters(text) in letters(told) for told in (p.value, *p.sentences))]  # fmt: skip
        return Listing(total=len(held), preferences=tuple(held[offset : offset + limit]))

    def tally(self) -> dict[str, int]:
        """Counted."""
        return dict(Counter(p.detail for p in self.preferences()))

    def forget(self, key: str) -> Receipt:
        """By id, category or all."""
        if key == "everything":
            return self.forget_where(Selector(everything=True))
        if key in self._held or key in self._open:
            return self.forget_where(Selector(id=key))
        try:
            switches.categories(key)
        except UnknownEntryError as error:
            raise UnknownEntryError(f"nothing is remembered under {key[:80]!r}") from error
        return self.forget_where(Selector(key=key))

    def _choose(self, what: Selector) -> tuple[list[Preference], list[Proposal], dict[str, list[Turn]]]:
        """Whole preferences, proposals and waiting turns; the fake knows no single sentences."""
        if what == Selector():
            raise UnknownEntryError("say what")
        details = {c.detail for c in (CATEGORIES if what.key is None else switches.categories(what.key))}

        def meets(detail: str | None, texts: Sequence[str], at: datetime, conversation: str) -> bool:
            return (
                (detail is None or detail in details)
                and (what.text is None or any(contains(text, what.text) for text in texts))
                and (what.period is None or what.period.holds(at))
                and (what.conversation is None or spoken_in(conversation, what.conversation))
            )

        held = [p for p in self._held.values() if what.id in (None, p.id)
                and meets(p.detail, (p.value, *p.sentences), p.valid_from, p.conversation)]  # fmt: skip
        asked = [p for p in self._open.values() if what.id in (None, p.id)
                 and meets(p.detail, (p.value, p.sentence), p.said_at, p.conversation)]  # fmt: skip
        if what.id is not None and not held and not asked:
            raise UnknownEntryError(f"nothing has the id {what.id[:80]!r}")
        told = [*held, *asked]
        asked += [p for p in self._open.values() if p not in asked and any(contains(p.sentence, t.value) for t in told)]
        plain = what.id is None and what.key is None
        turns = {
            name: [t for t in said if (plain and meets(None, (t.text,), t.at, name))
                   or any(contains(t.text, p.value) for p in told)]
            for name, said in self._turns.items()
        }  # fmt: skip
        return held, asked, {name: said for name, said in turns.items() if said}

    def matching(self, what: Selector) -> Matches:
        """As chosen."""
        if what == Selector():
            return Matches()
        try:
            held, asked, turns = self._choose(what)
        except UnknownEntryError:
            if what.id is None:
                raise
            return Matches()
        return Matches(
            preferences=tuple(reversed(held)), kinds={Kind.PREFERENCE: len(held)} if held else {}, proposals=len(asked),
            turns=sum(map(len, turns.values())),
        )  # fmt: skip

    def forget_where(self, what: Selector) -> Receipt:
        """Drop what is chosen."""
        held, asked, turns = self._choose(what)
        if what.everything:
            self._declined.clear()
            self._aside.clear()
            FakeKeeping.__init__(self)
        self._take(held, asked, turns)
        told = (*held, *asked)
        times = [*(p.valid_from for p in held), *(p.said_at for p in asked)]
        return Receipt(
            erased=tuple(p.id for p in held),
            categories=tuple(sorted({p.category.key for p in told})),
            at=self._clock(),
            turns_erased=sum(map(len, turns.values())),
            proposals_erased=len(asked),
            kinds={Kind.PREFERENCE: len(held)} if held else {},
            period=Period(since=min(times), until=max(times) + timedelta(microseconds=1)) if times else None,
            verified=True,
        )

    def _take(self, held: Sequence[Preference], asked: Sequence[Proposal], turns: Mapping[str, Sequence[Turn]]) -> None:
        for preference in held:
            del self._held[preference.id]
        self._drop(lambda p: p in asked)
        self._turns = {n: [t for t in said if t not in turns.get(n, ())] for n, said in self._turns.items()}

    def withhold(self, what: Selector) -> Withheld:
        """Put it aside."""
        matches, (held, asked, turns) = self.matching(what), self._choose(what)
        if matches.empty:
            raise UnknownEntryError("nothing meets those conditions")
        self._take(held, asked, turns)
        token, until = f"withheld-{len(self._aside)}", self._clock() + UNDO
        self._aside[token] = (until, held, asked, turns)
        return Withheld(token=token, until=until, matches=matches)

    def restore(self, token: str) -> None:
        """Put it back."""
        if token not in self._aside or self._clock() > self._aside[token][0]:
            raise UnknownEntryError("nothing is withheld under that token, or it is too late")
        _, held, asked, turns = self._aside.pop(token)
        self._held.update((p.id, p) for p in held)
        self._open.update((p.id, p) for p in asked)
        for name, said in turns.items():
            self._turns[name] = [*self._turns.get(name, []), *said]

    def carry_out(self, token: str) -> Receipt:
        """Let it go."""
        if token not in self._aside:
            raise UnknownEntryError("nothing is withheld under that token")
        _, held, asked, turns = self._aside.pop(token)
        return Receipt(
            erased=tuple(p.id for p in held),
            categories=tuple(sorted({p.category.key for p in (*held, *asked)})),
            at=self._clock(),
            turns_erased=sum(map(len, turns.values())),
            proposals_erased=len(asked),
            kinds={Kind.PREFERENCE: len(held)} if held else {},
            verified=True,
        )

    def explain(self, name: str) -> Explanation:
        """From what is held."""
        if name not in self._held:
            raise UnknownEntryError(f"no preference {name[:80]!r}")
        preference = self._held[name]
        same = (p for p in reversed(self._held.values()) if p.detail == preference.detail and p.id != name)
        return Explanation(
            preference=preference,
            because=tuple((preference.valid_from, sentence) for sentence in preference.sentences),
            used_for=tuple(reversed(self._uses.get(name, []))),
            history=tuple(p for p in same if p.valid_to == preference.valid_from),
        )

    def correct(self, name: str, value: str) -> Preference:
        """Supersede."""
        old = self._held.get(name)
        if old is None or old.status is not Status.ACTIVE:
            raise UnknownEntryError(f"no active preference {name[:80]!r}")
        now = self._clock()
        if self._consent.forbids(old.category, now) is not None:
            raise ConsentError("forbidden")
        if not words(value) or (old.detail in CLOSED and value not in CLOSED[old.detail].examples):
            raise UnknownEntryError(f"{old.detail} cannot be that")
        self._held[name] = old.model_copy(update={"status": Status.SUPERSEDED, "valid_to": now})
        fresh = Preference(id=f"fake-{len(self._held)}", detail=old.detail, value=value.lower(), sentences=(),
                           conversation="correction", confidence=1.0, valid_from=now)  # fmt: skip
        self._held[fresh.id] = fresh
        return fresh

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """What is read, surely; with a category the last word where nothing is read."""
        now = self._clock()
        turn = Turn(speaker="driver", text=sentence, at=now)
        told = Conversation(id=f"told-{len(self._held)}", turns=(turn,))
        found = [c.model_copy(update={"confidence": 1.0}) for c in (self._reads(told) if self._reads else ())]
        if key is not None:
            details = [c.detail for c in switches.categories(key)]
            found = [c for c in found if c.detail in details]
            if not found and words(sentence):
                found = [Candidate(detail=details[0], value=words(sentence)[-1], sentence=sentence, said_at=now,
                                   conversation=told.id, confidence=1.0)]  # fmt: skip
        return tuple(map(self._decide, found))

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """Its own exports."""
        if exported.get("format") != "glovebox-memory":
            raise ExportError("no export of a memory")
        theirs = Consent.model_validate(exported["consent"])
        for name in theirs.opted_in if allow else ():
            self.opt_in(name)
        for name in theirs.opted_out:
            self.opt_out(name)
        refused: dict[str, str] = {}
        added = known = 0
        for one in map(Preference.model_validate, reversed(exported["preferences"])):
            reason = self._consent.forbids(BY_DETAIL[one.detail], self._clock())
            if reason is not None:
                refused[one.detail] = reason
            elif one.id in self._held:
                known += 1
            else:
                self._held[one.id] = one
                added += 1
        return TakenIn(kinds={Kind.PREFERENCE: added} if added else {}, known=known, refused=refused)

    def consent(self) -> Consent:
        """As set."""
        return self._consent

    def opt_out(self, key: str) -> Consent:
        """Set; proposals that are forbidden now are dropped."""
        self._consent = switches.opt_out(self._consent, key)
        always = self._consent.model_copy(update={"private_trip": False, "paused_until": None})
        self._drop(lambda p: always.forbids(p.category, self._clock()) is not None)
        return self._consent

    def opt_in(self, key: str) -> Consent:
        """Set."""
        self._consent = switches.opt_in(self._consent, key)
        return self._consent

    def set_private_trip(self, private: bool) -> Consent:
        """Set."""
        self._consent = switches.private_trip(self._consent, private)
        return self._consent

    def pause(self, until: datetime | None) -> Consent:
        """Set."""
        self._consent = switches.pause(self._consent, until)
        return self._consent

    def export(self) -> dict[str, Any]:
        """Preferences and consent as JSON values."""
        return {
            "format": "glovebox-memory",
            "driver": self.driver,
            "preferences": [p.model_dump(mode="json") for p in self.preferences(history=True)],
            "proposals": [p.model_dump(mode="json") for p in self.proposals()],
            "consent": self._consent.model_dump(mode="json"),
        }

    def close(self) -> None:
        """Nothing to release."""

    def _silent(self) -> bool:
        now, consent = self._clock(), self._consent
        return consent.private_trip or (consent.paused_until is not None and now < consent.paused_until)
