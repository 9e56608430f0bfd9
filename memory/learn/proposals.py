"""Asking before remembering: what waits for the driver's yes, and what was declined.

Owns the rules over open proposals: what becomes one, which of two counts, how many there are, how long they stand, what a no
leaves behind. The vault's tables are `memory.store.preferences`'s, the lock and the order of things `memory.service`'s,
and how the driver is asked is none of memory's business.

An open proposal holds the driver's words and is erased like any of them. What was declined leaves an HMAC-SHA-256 of category
and value, nothing else, under a key that is made of the vault's and lies in no table: who has the tables cannot try values out.
With another key of the vault what was declined is not known again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field

from memory.learn.english.canonical import fold
from memory.learn.maintenance import Ruling
from memory.store.preferences import Store
from schemas.errors import StorageFullError, UnknownEntryError
from schemas.memory import Candidate, Decision, Outcome, Proposal

DECLINED_DAYS = 180
"""So long a no counts. Our choice."""


class ProposalSettings(BaseModel):
    """How long things wait, and how many. The numbers are our choice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ask: bool = True
    """False: what is not sure enough is let go without a word."""
    days: int = Field(default=14, ge=1, le=365)
    """After so many days without having been heard again a proposal is erased."""
    most: int = Field(default=20, ge=1)
    """Open at a time; the one heard longest ago makes room."""


Weighed = tuple[Candidate, Ruling]
"""A candidate, and what maintenance would do with it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What learning is going to do about unsure candidates."""

    decisions: tuple[Decision, ...] = ()
    proposals: tuple[Proposal, ...] = ()


class Proposals:
    """The open proposals of one vault. Not locked: the caller is."""

    def __init__(self, store: Store, settings: ProposalSettings, new_id: Callable[[], str]) -> None:
        """Rules over these tables; ``new_id`` makes the proposals' ids."""
        self._store, self._settings, self._new_id = store, settings, new_id

    def open(self, now: datetime) -> tuple[Proposal, ...]:
        """Those that have not expired, last heard first."""
        return tuple(p for p in self._store.proposals() if p.expires_at > now)

    def find(self, name: str, now: datetime) -> Proposal:
        """An open proposal.

        Raises:
            UnknownEntryError: none has that id.
        """
        for proposal in self.open(now):
            if proposal.id == name:
                return proposal
        raise UnknownEntryError(
            f"no open proposal has the id {name[:80]!r}: it was answered, has expired or was erased; list them"
        )

    def draft(self, unsure: Sequence[Weighed], sure: Sequence[Weighed], now: datetime) -> Draft:
        """What becomes of candidates that are not sure enough. Writes nothing.

        Args:
            unsure: of one conversation; none that repeats a stored preference.
            sure: what is stored from the same conversation: it outweighs a hint at the same.
            now: current time.
        """
        if not self._settings.ask:
            return Draft()
        standing = {_key(p): p for p in self.open(now)}
        known = {p.id for p in standing.values()}
        made: list[Proposal] = []
        decisions: list[Decision] = []
        for candidate, ruling in reversed(unsure):  # what was said later has the last word
            reason = self._against(candidate, ruling, sure, now)
            if reason is not None:
                decisions.append(_decision(Outcome.DROPPED, candidate, f"not remembered: {reason}"))
            elif not any(_rivals(candidate, later) for later in made):
                proposal = self._proposal(candidate, standing.get(_key(candidate)), now)
                made.append(proposal)
                why = "still waits for your yes" if proposal.id in known else "I am not sure, so I will ask"
                reason = f"{candidate.category.title.lower()}: {why}"
                decisions.append(_decision(Outcome.ASK, candidate, reason, proposal=proposal.id, shown=True))
        return Draft(tuple(reversed(decisions)), tuple(reversed(made)))

    def _proposal(self, candidate: Candidate, before: Proposal | None, now: datetime) -> Proposal:
        """A candidate as a proposal, in the place of the same one heard before."""
        return Proposal(
            id=before.id if before else self._new_id(),
            detail=candidate.detail,
            value=candidate.value,
            sentence=candidate.sentence,
            said_at=candidate.said_at,
            conversation=candidate.conversation,
            confidence=_together(candidate, before),
            negated=candidate.negated,
            expires_at=now + timedelta(days=self._settings.days),
            asked=before.asked if before else 0,
            asked_at=before.asked_at if before else None,
            sense=candidate.sense,
            conditions=candidate.conditions,
        )

    def _against(self, candidate: Candidate, ruling: Ruling, sure: Sequence[Weighed], now: datetime) -> str | None:
        """Why a candidate is not worth a question, or None."""
        if ruling.outcome is Outcome.DROPPED:
            return ruling.reason
        if any(_outweighs(told, candidate) for told in sure):
            return "you told me something surer about it"
        return "you had said no to it" if self._store.declines(_words(candidate), now) else None

    def write(self, draft: Draft, now: datetime) -> int:
        """Keep what was drafted, inside a transaction; returns how many went: rivals, an older form, those too many.

        Raises:
            ConsentError: consent forbids a category now.
        """
        gone = 0
        for proposal in draft.proposals:
            gone += self._store.erase("proposals", [p.id for p in self._store.proposals() if _rivals(p, proposal)])
            self._store.propose(proposal, now)
        heard = self.open(now)
        return gone + self._store.erase("proposals", [p.id for p in heard[self._settings.most :]])

    def settle(self, told: Sequence[Weighed]) -> int:
        """Delete proposals that what the driver has told for sure makes idle; returns how many."""
        return self._store.erase(
            "proposals", [p.id for p in self._store.proposals() if any(_outweighs(one, p) for one in told)]
        )

    def decline(self, proposal: Proposal, now: datetime) -> Decision:
        """Delete a proposal and do not ask about it again for a while."""
        until = now + timedelta(days=DECLINED_DAYS)
        with self._store.transaction():
            self._store.erase("proposals", [proposal.id])
            self._store.forget_declined(before=now)
            self._store.decline(_words(proposal), until)
        title = proposal.category.title.lower()
        reason = f"{title}: you said no, so I will not ask about it again for {DECLINED_DAYS} days"
        return _decision(Outcome.DECLINED, proposal, reason, proposal=proposal.id)

    def expire(self, now: datetime) -> None:
        """Delete what has expired. On a full disk it stays, unseen, until the next time."""
        gone = [p.id for p in self._store.proposals() if p.expires_at <= now]
        if gone:
            try:
                self._store.erase("proposals", gone)
            except StorageFullError:
                return
            self._store.wiped()


def _key(thing: Candidate | Proposal) -> tuple[str, str, bool]:
    return thing.detail, fold(thing.value), thing.negated


def _together(candidate: Candidate, before: Proposal | None) -> float:
    """How sure two hints are together, taken as independent; one conversation counts once, and so does one day."""
    if before is None:
        return candidate.confidence
    if before.conversation == candidate.conversation or before.said_at.date() == candidate.said_at.date():
        return max(before.confidence, candidate.confidence)
    return 1.0 - (1.0 - before.confidence) * (1.0 - candidate.confidence)


def _words(thing: Candidate | Proposal) -> str:
    """What a no to it is remembered by."""
    detail, value, negated = _key(thing)
    return f"{detail}\0{value}\0{negated:d}"


def _outweighs(told: Weighed, other: Candidate | Proposal) -> bool:
    """Whether something told for sure leaves no question about another candidate or proposal."""
    candidate, ruling = told
    if candidate.detail != other.detail:
        return False
    if not candidate.category.multi and not candidate.negated:
        return True
    values = {fold(candidate.value)} | ({fold(ruling.equal.value)} if ruling.equal is not None else set[str]())
    return fold(other.value) in values


def _rivals(one: Candidate | Proposal, other: Proposal) -> bool:
    """Whether it makes no sense to ask about both."""
    return one.detail == other.detail and (not one.category.multi or fold(one.value) == fold(other.value))


def _decision(
    outcome: Outcome, about: Candidate | Proposal, reason: str, *, proposal: str | None = None, shown: bool = False
) -> Decision:
    value = about.value if shown else None
    return Decision(outcome=outcome, detail=about.detail, reason=reason, value=value, proposal=proposal)
