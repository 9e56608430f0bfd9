"""Learning: what is noted, what of it is stored, and what the driver is asked first.

Owns the order: reading and deciding without `Session.lock`, then writing everything of a conversation in one transaction; if
consent or what is stored changed meanwhile, reading and deciding again with the lock held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from memory import consent as switches
from memory.driver.conversations import Conversations
from memory.driver.keeping import Keeping
from memory.driver.session import Session
from memory.driver.succession import among, in_place, outdone, perhaps_over, same_breath
from memory.learn.english.canonical import fold
from memory.learn.english.clauses import own_words
from memory.learn.english.secrets import NO_SECRETS, secret
from memory.learn.explicit import Asked, Reader
from memory.learn.extraction import refusal
from memory.learn.facts import asks, fact, is_close, of_others, tells_place
from memory.learn.lasting import lasts
from memory.learn.maintenance import Maintainer, Ruling
from memory.learn.proposals import Draft, Proposals, Weighed
from memory.learn.screening import screening, sift
from memory.learn.worth import not_worth
from memory.store.preferences import LONGEST_SAID, sayable, silent
from models.special import special_words
from models.text import spoken
from schemas.kinds import OWN, Label, Wish
from schemas.memory import Candidate, Consent, Conversation, Decision, Fact, Outcome, Preference, Proposal, Turn
from schemas.preferences import BY_DETAIL, CATEGORIES

TELLS_AT = 0.7
"""Share of its marks from which on words tell of the driver although they were carried out as an order. Our choice."""


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


_OF_OTHERS = re.compile(r"(?:my|our)\b", re.IGNORECASE)
"""How a clause begins that is a fact by itself, where those beside it may not be kept."""


class Learner:
    """What one driver says becomes what is remembered."""

    def __init__(
        self,
        session: Session,
        conversations: Conversations,
        *,
        keeping: Keeping,
        reader: Reader,
        maintainer: Maintainer,
        proposals: Proposals,
        zone: tzinfo,
    ) -> None:
        """Over this vault.

        Args:
            session: the open vault.
            conversations: what waits to be kept of them.
            keeping: keeps the facts that the driver asks to have kept.
            reader: reads what the driver asks to be remembered.
            maintainer: decides what becomes of what was read.
            proposals: what waits for the driver's yes.
            zone: where the driver is, for days.
        """
        self._session, self._conversations, self.keeping = session, conversations, keeping
        self._reader, self.maintainer, self._proposals, self._zone = reader, maintainer, proposals, zone
        self._refused: dict[str, list[Decision]] = {}
        """Conversation -> what was refused when it was said: kept in memory only, since the vault may not hold it."""

    def note(self, turn: Turn, conversation: str, *, teaches: bool = True) -> None:
        """Keep a turn until extraction has seen it; during a pause or a private trip it is dropped at once.

        Only what extraction will read is kept in the vault: the driver's turns that may tell something, without quotations, and
        none that belongs to a forbidden category; of one with a sentence that does, the others (`memory.learn.screening`).
        Exchanges wait in memory to become episodes, if conversations are kept at all.
        """
        turn = _sayable(turn)
        if turn.speaker != "driver":
            with self._session.lock:
                told = self._session.guard.forbidden(turn.text, self._session.store.consent())
                self._conversations.hot.answered(turn.model_copy(update={"text": " "}) if told else turn, conversation)
            return
        with self._session.lock:
            now, consent = self._session.now()
            self._conversations.hot.cut(conversation)
        if silent(consent, now) is not None:
            return
        sifted = sift(turn.text, screening(self._session.extractor, consent, now))
        found = sifted.screening
        if found.forbidden is not None and found.reason is not None:
            if teaches:
                self._refused.setdefault(conversation, []).append(refusal(found.forbidden, found.reason))
        else:
            with self._session.lock:
                current = self._session.store.consent()
                if cleared := self._session.guard.cleared(turn.text, current):
                    self._conversations.heard(turn.model_copy(update={"text": cleared}), conversation, current, now)
            if found.empty or not teaches:
                return
        with self._session.lock:
            now, current = self._session.now()
            if current != consent:  # changed while we looked
                sifted = sift(turn.text, screening(self._session.extractor, current, now))
            for text in sifted.kept if silent(current, now) is None else ():
                if cleared := self._session.guard.cleared(own_words(text), current):
                    self._session.store.note(turn.model_copy(update={"text": cleared}), conversation, now)

    def forget_refused(self) -> None:
        """Forget what was refused."""
        self._refused.clear()

    def forget_pending(self, conversation: str) -> int:
        """Erase what came of this conversation and is not stored: waiting turns and open proposals; how many that were."""
        with self._session.lock:
            self._refused.pop(conversation, None)
            told = [p.id for p in self._session.store.proposals() if p.conversation == conversation]
            with self._session.store.transaction():
                erased = self._session.store.learnt(conversation) + self._session.store.erase("proposals", told)
            erased += self._conversations.hot.forget(conversation)
            self._session.changed(forgotten=True)
            self._session.vault.wipe()
            return erased

    def learn(self, conversation: Conversation) -> tuple[Decision, ...]:
        """Extraction and maintenance over a finished conversation. All of a conversation is stored, or nothing of it."""
        turns = tuple(map(_sayable, conversation.turns))
        return self._learn(self._cleared(conversation.model_copy(update={"turns": turns})))

    def _cleared(self, conversation: Conversation) -> Conversation:
        """What of it may be written."""
        guard, consent = self._session.guard, self._session.store.consent()
        told = [turn.model_copy(update={"text": guard.cleared(turn.text, consent)}) for turn in conversation.turns]
        return conversation.model_copy(update={"turns": tuple(turn for turn in told if turn.text)})

    def _learn(self, conversation: Conversation, told: str = "") -> tuple[Decision, ...]:
        with self._session.thinking:
            plan = self._plan(conversation, told=told)
            with self._session.lock:
                if plan.revision != self._session.revision:
                    plan = self._plan(conversation, told=told)
                self._refused.pop(conversation.id, None)
                if not plan.silent:
                    self._carry_out(plan, conversation.id)
                    self._proposals.expire(self._session.clock())
            return plan.decisions

    def remember(self, sentence: str, key: str | None = None) -> tuple[Decision, ...]:
        """Store what the driver asks to be remembered. With the key of several categories the likeliest of them is taken."""
        sentence = sayable(sentence)
        guard, (now, consent) = self._session.guard, self._session.now()
        kinds = guard.forbidden(sentence, consent)
        sentence = guard.cleared(sentence, consent)
        if not sentence:
            return (
                refusal(
                    next(iter(BY_DETAIL)) if key is None else switches.categories(key)[0].detail, guard.refusal(kinds)
                ),
            )
        turn = Turn(speaker="driver", text=sentence, at=now)
        told = Conversation(id=f"told-{self._session.new_id()}", turns=(turn,))
        details = None if key is None else [c.detail for c in switches.categories(key)]
        with self._session.thinking:
            plan = self._plan(told, Asked(details))
            with self._session.lock:
                if plan.revision != self._session.revision:
                    plan = self._plan(told, Asked(details))
                if not plan.silent:
                    self._carry_out(plan, told.id)
            rest = (refusal(next(iter(BY_DETAIL)), guard.refusal(kinds)),) if kinds else ()
            left = [d for d in plan.decisions if d.outcome is not Outcome.DROPPED]
            if key is None and not kinds and all(_only_near(d, consent) for d in left):
                left = []
            if key is not None or plan.silent or left:
                return (*plan.decisions, *rest)
            if kinds and not _OF_OTHERS.match(sentence):  # "i am ..., keep that in mind when we look for restaurants"
                return rest
            made = fact(
                self._session.encoder, sentence, now, self._zone, name=self._session.new_id(), conversation=told.id
            )
            return (*(plan.decisions if made is None else (self.keeping.keep(made),)), *rest)

    def keeps(self, text: str) -> bool:
        """Whether a sentence asks to have something kept, or tells where the car stands now that was parked elsewhere."""
        marked, wishes = self._session.encoder.marks(text), self._session.encoder.wishes(spoken(text)) or {}
        return asks(marked, wishes.get(Wish.KEEP, 0.0)) or (
            tells_place(text) and any(one.parked for one in self.keeping.facts())
        )

    def lasts(self, text: str, sure: float) -> bool:
        """Whether a sentence that was taken for an order, as surely as this, rather tells what lasts, or gives up what is held."""
        if lasts(self._session.encoder, text, sure):
            return True
        (now, consent), held = self._session.now(), self._session.store.preferences()
        known = [p for p in held if consent.forbids(p.category, now) is None]
        return self.maintainer.successor(text, known) is not None

    def of_close(self, text: str) -> Fact | None:
        """What a sentence tells of a liking of somebody close to the driver, as a fact that may be kept; None for nothing.

        What they like to hear is small talk, and no reason to ask.
        """
        session = self._session
        about, said = of_others(session.encoder.marks(text))
        topics = {detail: share for detail, share in session.encoder.topics(text).items() if detail in BY_DETAIL}
        to_hear = BY_DETAIL[max(topics, key=topics.__getitem__)].main == "entertainment_and_media"
        if not said or to_hear or not is_close(session.encoder, about):
            return None
        (now, consent), name = session.now(), session.new_id()
        made = Fact(id=name, text=said, about=about, said_at=now, conversation=f"told-{name}")
        return None if self.keeping.refusal(made, consent, now) is not None else made

    def secret(self, text: str) -> bool:
        """Whether a sentence tells a PIN, a password or the like, which is never kept and never said."""
        return secret(self._session.encoder, text)

    def special(self, text: str) -> str:
        """Why a sentence may not be kept: it tells a secret, or its words tell of health, belief and the like; empty for nothing.

        What is found by the encoder alone is not named: it is often wrong, and a wrong one is odd to hear.
        """
        if self.secret(text):
            return NO_SECRETS
        guard, told = self._session.guard, special_words(text)
        kinds = guard.forbidden(text, self._session.store.consent()) & (told.surely | told.maybe)
        return guard.refusal(kinds) if kinds else ""

    def tells(self, text: str) -> bool:
        """Whether a sentence surely tells what the driver likes, needs, avoids or has given up, whatever it asks for beside.

        By the marks of its words; what is to hold is no more than a word for this once where nothing lasting is revealed.
        """
        marked, found = self._session.encoder.marks(text), self._session.encoder.revealed(spoken(text))
        if marked.parts({Label.PAST}, TELLS_AT):
            return True
        return bool(marked.parts(OWN, TELLS_AT)) and (found is None or found["none"] < 1.0 - TELLS_AT)

    def discloses(self, text: str) -> bool:
        """Whether a sentence tells of a special kind of data, whatever is allowed, or a secret such as a PIN."""
        return bool(self._session.guard.kinds(text)) or secret(self._session.encoder, text)

    def learn_pending(self, conversation: str | None = None, told: str = "") -> tuple[Decision, ...]:
        """Learn from every conversation noted, or from one, in which the driver surely tells something by this turn.

        While nothing may be remembered, what was said before waits.
        """
        with self._session.lock:
            if silent(self._session.store.consent(), self._session.clock()) is not None:
                return ()
            waiting = {c.id: c for c in self._session.store.waiting()}
            refused = {name: tuple(decisions) for name, decisions in self._refused.items()}
        decisions: list[Decision] = []
        for name in dict.fromkeys((*waiting, *refused)):
            if conversation not in (None, name):
                continue
            decisions += refused.get(name, ())
            noted = waiting.get(name, Conversation(id=name, turns=()))
            short = tuple(
                turn for turn in noted.turns if len(turn.text) <= LONGEST_SAID
            )  # a longer one is let go unread
            decisions += self._learn(noted.model_copy(update={"turns": short}), told)
        if conversation is None:
            self._conversations.settle()
        return tuple(decisions)

    def _plan(self, conversation: Conversation, asked: Asked | None = None, told: str = "") -> _Plan:
        with self._session.lock:
            revision, (now, consent) = self._session.revision, self._session.now()
            existing = {p.id: p for p in self._session.store.preferences()}
        if silent(consent, now) is not None:
            found = self._session.extractor.extract(conversation, consent, now)
            return _Plan(revision, found.decisions or _silenced(asked, consent, now), silent=True)
        found = (
            self._session.extractor.extract(conversation, consent, now, told=told)
            if asked is None
            else asked.read(self._reader, conversation, consent, now)
        )
        known = [p for p in existing.values() if consent.forbids(p.category, now) is None]
        found = in_place(conversation, found, known, self.maintainer, self._reader.canon)
        found = replace(
            found,
            candidates=tuple(among(candidate, known) for candidate in found.candidates),
            unsure=tuple(among(candidate, known) for candidate in found.unsure),
        )
        decisions, steps = list(found.decisions), list[_Step]()
        for candidate in found.candidates:
            if candidate.negated and outdone(candidate, found.candidates):
                continue  # decided together with what takes its place
            held = [p for p in existing.values() if p.detail == candidate.detail]
            step = self._step(candidate, held, found.candidates)
            steps.append(step)
            for ended in step.ruling.replaced:
                existing.pop(ended.id, None)
            if step.made is not None:
                existing = {step.made.id: step.made, **existing}
        certain = [(step.candidate, step.ruling) for step in steps]
        found = replace(
            found, unsure=(*found.unsure, *perhaps_over([(step.candidate, step.ruling) for step in steps], known))
        )
        unsure: list[Weighed] = []
        for candidate in found.unsure:
            if candidate.negated and outdone(candidate, found.unsure):
                continue
            ruling = self.maintainer.decide(candidate, [p for p in existing.values() if p.detail == candidate.detail])
            if ruling.outcome is Outcome.PASS:
                steps.append(_Step(candidate, ruling, None))
            else:
                unsure.append((candidate, ruling))
        draft = self._proposals.draft(unsure, certain, now)
        decisions += [*map(_decision, steps), *draft.decisions]
        return _Plan(revision, tuple(decisions), tuple(steps), draft)

    def _step(self, candidate: Candidate, held: Sequence[Preference], all_of: Sequence[Candidate]) -> _Step:
        outdone = {fold(c.value) for c in all_of if c.negated and same_breath(c, candidate)} - {fold(candidate.value)}
        ended = tuple(p for p in held if fold(p.value) in outdone) if not candidate.negated else ()
        ruling = self.maintainer.decide(candidate, held)
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
            id=self._session.new_id(),
            detail=candidate.detail,
            value=candidate.value,
            sentences=(candidate.sentence,),
            conversation=candidate.conversation,
            confidence=candidate.confidence,
            valid_from=candidate.said_at,
            sense=candidate.sense,
            conditions=candidate.conditions,
        )

    def _carry_out(self, plan: _Plan, conversation: str) -> None:
        now, store, proposals = self._session.clock(), self._session.store, self._proposals
        with store.transaction():
            erased = proposals.settle([(step.candidate, step.ruling) for step in plan.steps])
            if plan.answered is not None:
                erased += store.erase("proposals", [plan.answered.id])
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
            self._session.search.keep()
        self._session.changed()
        if erased:
            store.wiped()
        if plan.steps:
            self._session.search.refresh()

    # Asking

    def proposals(self) -> tuple[Proposal, ...]:
        """What memory is not sure enough of to store it unasked and has not expired, last heard first."""
        with self._session.lock:
            now = self._session.clock()
            self._proposals.expire(now)
            return self._proposals.open(now)

    def worth(self, proposal: Proposal, *, told: bool = False) -> bool:
        """Whether it is worth a driver's attention to ask about it aloud (`memory.learn.worth`)."""
        return not_worth(self._session.encoder, proposal, told=told) is None

    def asked(self, proposal: str) -> None:
        """Note that the driver was asked aloud about a proposal."""
        with self._session.lock:
            self._session.store.asked(proposal, self._session.clock())

    def answer(self, proposal: str, yes: bool) -> Decision:
        """The driver's answer. While nothing may be remembered a yes is refused and the proposal stays open; a no counts."""
        if not yes:
            return self._decline(proposal)
        with self._session.thinking:
            plan = self._accept(proposal)
            with self._session.lock:
                if plan.revision != self._session.revision:
                    plan = self._accept(proposal)
                if not plan.silent and plan.answered is not None:
                    self._carry_out(plan, plan.answered.conversation)
            return plan.decisions[0]

    def _accept(self, name: str) -> _Plan:
        with self._session.lock:
            revision, (now, consent) = self._session.revision, self._session.now()
            proposal = self._proposals.find(name, now)
            held = self._session.store.preferences([proposal.detail])
        reason = consent.forbids(proposal.category, now)
        if reason is not None:
            return _Plan(revision, (refusal(proposal.detail, reason),), silent=True)
        step = self._step(proposal.confirmed, held, [proposal.confirmed])
        decision = _decision(step).model_copy(update={"proposal": name})
        return _Plan(revision, (decision,), (step,), answered=proposal)

    def _decline(self, name: str) -> Decision:
        with self._session.lock:
            now = self._session.clock()
            proposal = self._proposals.find(name, now)
            with self._session.store.transaction():
                decision = self._proposals.decline(proposal, now)
                if silent(self._session.store.consent(), now) is None:
                    self._session.store.log([decision], proposal.conversation, now)
            self._session.changed(forgotten=True)
            self._session.store.wiped()
            return decision


def _only_near(decision: Decision, consent: Consent) -> bool:
    """Whether something was refused for a topic that waits to be allowed, and nobody switched off.

    Where the guard finds nothing special in the words they are a fact: "I take my tea with two sugars" is no diet.
    """
    category = BY_DETAIL.get(decision.detail)
    return (
        decision.outcome is Outcome.REFUSED
        and category is not None
        and category.sensitive
        and consent.opted_out.isdisjoint(category.path)
    )


def _silenced(asked: Asked | None, consent: Consent, now: datetime) -> tuple[Decision, ...]:
    """What to say to a wish to remember while nothing may be: a decision even where no category was found."""
    reason = silent(consent, now)
    if asked is None or reason is None:
        return ()
    return (refusal((asked.details or [CATEGORIES[0].detail])[0], reason),)


def _sayable(turn: Turn) -> Turn:
    return turn.model_copy(update={"text": sayable(turn.text)})


def _decision(step: _Step) -> Decision:
    candidate, ruling = step.candidate, step.ruling
    kept = step.made or ruling.equal
    title = BY_DETAIL[candidate.detail].title.lower()
    return Decision(
        outcome=ruling.outcome,
        detail=candidate.detail,
        reason=f"{title}: {ruling.reason}",
        value=candidate.value,
        sense=candidate.sense,
        preference=kept.id if kept is not None else None,
        replaced=tuple(p.value for p in ruling.replaced),
    )
