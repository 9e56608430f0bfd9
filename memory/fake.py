"""Fakes for tests and for composing without models; nothing here is encrypted, kept, or understood.

`FakeMemory` meets ``MemoryPort`` over a dictionary: it finds preferences by shared words and learns what its ``reads``
function says. `KeywordEncoder` and `KeywordModel` stand in for the two models that the real memory leans on: they know a few
words a category and nothing else. `DoubtingExtractor` is the real one with a doubt that a test can turn on.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from memory import consent as switches
from memory.extraction import Extraction, ExtractionSettings, Extractor
from memory.wording import contains, words
from schemas.errors import UnknownEntryError
from schemas.memory import (
    Candidate,
    Consent,
    Conversation,
    Decision,
    MaintenanceChoice,
    Outcome,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Status,
    Turn,
    Words,
)
from schemas.preferences import BY_DETAIL, CATEGORIES

KEYWORDS: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek", "food", "cuisine", "hungry"),
    "dietary_preference": ("vegetarian", "vegan", "halal", "gluten"),
    "preferred_temperature": ("degrees", "temperature"),
    "favorite_genres": ("jazz", "rock", "blues", "music"),
    "preferred_gas_station": ("shell", "esso", "petrol"),
    "preference_for_covered_parking": ("covered", "roof", "garage"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Words by which `KeywordEncoder` knows a category."""

REFUSING = frozenset(("no", "not", "don't", "never", "hate"))

VALUES: dict[str, tuple[str, ...]] = {
    "favourite_cuisine": ("italian", "thai", "greek"),
    "dietary_preference": ("vegetarian", "vegan", "halal"),
    "preferred_temperature": ("twenty one degrees", "twenty two degrees", "18 degrees"),
    "favorite_genres": ("jazz", "rock", "blues"),
    "preferred_gas_station": ("shell", "esso"),
    "preference_for_covered_parking": ("covered", "roof"),
    "avoidance_of_specific_road_types": ("highways", "tolls", "ferries"),
}
"""Values that `KeywordModel` finds."""


class KeywordEncoder:
    """A fake encoder: topics by keyword, vectors by hashed words; meets ``schemas.ports.Encoder``."""

    dimension = 256

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of word counts, shape (len(texts), 256)."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                vectors[row, zlib.crc32(word.encode()) % self.dimension] += 1.0
            vectors[row] /= max(float(np.linalg.norm(vectors[row])), 1e-6)
        return vectors

    def topics(self, text: str) -> dict[str, float]:
        """All that is not ``none`` is shared out by keywords found."""
        said = words(text)
        hits = {c.detail: sum(word in KEYWORDS.get(c.detail, ()) for word in said) for c in CATEGORIES}
        total = sum(hits.values())
        if not total:
            return {**dict.fromkeys(hits, 0.0), "none": 1.0}
        return {**{detail: 0.9 * count / total for detail, count in hits.items()}, "none": 0.1}

    def strength(self, text: str) -> dict[str, float]:
        """What is not ``none`` is stated; with a refusing word it may as well have ended, for the wording to tell."""
        nothing = self.topics(text)["none"]
        ended = (1.0 - nothing) / 2 if REFUSING & set(words(text)) else 0.0
        return {"none": nothing, "hinted": 0.0, "stated": 1.0 - nothing - ended, "ended": ended}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """Every one of `VALUES` that the text contains."""
        return tuple(Words(text=value, probability=0.9) for value in VALUES.get(detail, ()) if contains(text, value))

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """Cannot tell."""
        del text, detail
        return {}

    def requests(self, text: str) -> dict[str, float]:
        """Never a request."""
        del text
        return {"none": 1.0}


class KeywordModel:
    """A fake language model: finds `VALUES` in the turns; joins what it is asked to maintain unless told otherwise."""

    def __init__(self, choice: MaintenanceChoice | None = None) -> None:
        """Answers maintenance with this choice."""
        self.choice = choice or MaintenanceChoice(decision="append")
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        """Task, turns and facts of every call."""

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        """A slice filled with every known value of every offered category."""
        self.asked.append((task, tuple(turns), tuple(facts)))
        if task == "maintain":
            return self.choice
        schema = model.model_json_schema()
        offered = {name for part in schema.get("$defs", {}).values() for name in part.get("properties", {})}
        filled: dict[str, Any] = {}
        for detail, values in VALUES.items():
            category = BY_DETAIL[detail]
            found = [
                {"turn": number, "value": value}
                for number, turn in enumerate(turns)
                for value in values
                if contains(turn, value)
            ][: 3 if category.multi else 1]
            if detail in offered and found:
                filled.setdefault(category.main, {}).setdefault(category.sub, {})[detail] = found
        return model.model_validate(filled)


class DoubtingExtractor(Extractor):
    """A fake measure of sureness: unsure of every turn that was heard with less than half confidence, sure of the others."""

    def __init__(self) -> None:
        """Reads with the keyword fakes."""
        super().__init__(KeywordEncoder(), KeywordModel(), ExtractionSettings(store_at=0.0, ask_at=0.0))

    def extract(self, conversation: Conversation, consent: Consent, now: datetime) -> Extraction:
        """What the real one finds, parted anew."""
        found = super().extract(conversation, consent, now)
        faint = {turn.text for turn in conversation.driver_turns() if turn.confidence < 0.5}
        everything = (*found.candidates, *found.unsure)
        return replace(
            found,
            candidates=tuple(c for c in everything if c.sentence not in faint),
            unsure=tuple(c for c in everything if c.sentence in faint),
        )


class FakeMemory:
    """A fake memory in a dictionary; meets ``MemoryPort``. Values are equal when they are spelled the same."""

    def __init__(
        self,
        driver: str,
        *,
        clock: Callable[[], datetime],
        reads: Callable[[Conversation], Sequence[Candidate]] | None = None,
        store_at: float = 0.7,
    ) -> None:
        """Empty memory of a driver that learns what ``reads`` finds in a conversation, and asks first below ``store_at``."""
        self.driver = driver
        self._clock, self._reads, self._store_at = clock, reads, store_at
        self._consent = Consent()
        self._held: dict[str, Preference] = {}
        self._turns: dict[str, list[Turn]] = {}
        self._open: dict[str, Proposal] = {}
        self._declined: set[tuple[str, str]] = set()
        self._proposed = 0

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

    def used(self, recalled: Sequence[Recollection]) -> None:
        """Count."""
        for recollection in recalled:
            held = self._held.get(recollection.preference.id)
            if held is not None and not self._silent():
                update = {"uses": held.uses + 1, "last_used": self._clock()}
                self._held[held.id] = held.model_copy(update=update)

    def note(self, turn: Turn, conversation: str) -> None:
        """Keep a driver's turn."""
        if turn.speaker == "driver" and not self._silent():
            self._turns.setdefault(conversation, []).append(turn)

    def forget_pending(self, conversation: str) -> int:
        """Drop the conversation's turns and proposals."""
        told = self._drop(lambda p: p.conversation == conversation)
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

    def forget(self, key: str) -> Receipt:
        """Drop by id, category or all."""
        details: set[str] = set()
        named = [p for name, p in self._open.items() if key in ("everything", name)]
        if key == "everything":
            gone = list(self._held)
            self._declined.clear()
        elif key in self._held:
            gone = [key]
        elif named:
            gone = []
        else:
            try:
                gone = [p.id for p in self.preferences(key, history=True)]
                details = {c.detail for c in switches.categories(key)}
            except UnknownEntryError as error:
                raise UnknownEntryError(f"nothing is remembered under {key[:80]!r}") from error
        erased = [*(self._held.pop(name) for name in gone), *named]
        dropped = [p for p in self._open.values() if p in named or p.detail in details
                   or any(contains(p.sentence, e.value) for e in erased)]  # fmt: skip
        self._drop(lambda p: p in dropped)
        held = sum(len(turns) for turns in self._turns.values())
        self._turns = {
            name: [t for t in turns if key != "everything" and not any(contains(t.text, p.value) for p in erased)]
            for name, turns in self._turns.items()
        }
        left = sum(len(turns) for turns in self._turns.values())
        return Receipt(
            erased=tuple(gone),
            categories=tuple(sorted({p.category.key for p in (*erased, *dropped)})),
            at=self._clock(),
            turns_erased=held - left,
            proposals_erased=len(dropped),
            verified=True,
        )

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
