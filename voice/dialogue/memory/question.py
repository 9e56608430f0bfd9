"""The question of memory, as in "By the way, shall I remember that you like jazz?".

Owns when it is asked, in which words, and what counts as an answer. What the driver tells outright is asked about at once, in the
reply to it; so is, once and as the trip's question, what somebody close to them likes or needs. What only shows through is asked
about at the end of a reply that finished something, at most so often a trip, never in the conversation that it came from. Neither
is asked while consent forbids its category or anything else waits for a yes. A yes or a no in the follow-up window answers it;
whatever else is said leaves it open and is handled as what it is. What an answer does is memory's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from models.text import words
from schemas.errors import GloveboxError, UnknownEntryError
from schemas.events import ActionStatus, Command, Reply, Route
from schemas.memory import Decision, Fact, Outcome, Proposal
from schemas.seat import Seat
from voice.dialogue.memory import kept
from voice.dialogue.memory.likes import as_written, because
from voice.dialogue.open.things import Remembering
from voice.dialogue.replies.turned import turned

REPEATED = 0.7
"""How sure memory has to be before a plain order counts as a habit. Our choice: what is this sure on one day is stored without a
question (``memory.learn.extraction``), so this takes the same order on several days.
"""
PER_TRIP = 1
"""Questions a trip: the driver came to drive."""

_STORE = r"(?:remember|keep|note|store|save)"
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|okay|ok|all right|alright|of course|absolutely|definitely|certainly|exactly|correct|"
    r"by all means|go ahead|why not|good idea|i do|(?:i would|i'd) (?:like|love) that|"
    r"(?:that would|that will|that'd) be (?:nice|great|good|fine|lovely|kind|helpful|wonderful|perfect)|"
    rf"(?:please )?(?:do )?{_STORE} (?:that|it|this)|(?:please )?do (?:that|it|so)|please do|please)\b"
)
_NO = re.compile(
    r"(?:no|nope|nah|never mind|not now|not really|rather not|better not|not necessary|"
    r"(?:i would|i'd) rather (?:not|you didn't|you did not)|(?:please )?(?:don't|do not)(?: bother)?|"
    r"(?:that's |that is |it's |it is )?not (?:needed|necessary)|(?:there's |there is )?no need|"
    r"you (?:don't have to|do not have to|needn't|need not)|that won't be necessary|forget (?:it|that)|leave it|i don't)\b"
)
"""How answers begin, in lower-case words."""

_BARE = frozenset(("no", "nope", "nah"))

_REST = frozenset(
    "please thanks thank you do so that it this to for me i my i'm am and really now then fine can may thing that's right".split()
)
_STORING = frozenset("remember keep note store save in mind".split())
_REFUSING = frozenset("no not don't doesn't never bother need necessary want any more anymore longer".split())
"""Words that an answer may go on with, beside those of the question."""


def question(proposal: Proposal, begin: str = "By the way, shall") -> str:
    """What to ask."""
    likes = as_written(because(proposal), proposal.value, (proposal.sentence,))
    return f"{begin} I {'no longer assume' if proposal.negated else 'remember'} that {likes}?"


def keeping(fact: Fact) -> str:
    """What to ask about somebody else's liking."""
    said = turned(fact.text)
    own = fact.text.split()[0].lower() in ("my", "our")
    return f"Shall I keep that: {said[:1].lower() if own else said[:1]}{said[1:]}?"


def answer(text: str, of: Proposal | Fact) -> bool | None:
    """Yes, no, or neither: the whole text must be an answer to this question and nothing else.

    Args:
        text: what was said.
        of: what was asked about; its words may be repeated ("yes i like jazz"), but not against the answer ("no i like jazz").
    """
    said = " ".join(words(text))
    if isinstance(of, Fact):
        asked, negated = frozenset(words(of.text)), False
    else:
        asked, negated = frozenset(words(because(of))), of.negated
        asked |= {"like", "love"} if of.sense.wanted else {"dislike", "hate"}
    refused = _NO.match(said)
    begin = refused or _YES.match(said)
    if begin is None:
        return None
    rest = set(said[begin.end() :].split())
    if not rest <= _REST | _STORING | _REFUSING | asked:
        return None
    refusing = bool(rest & _REFUSING)
    repeats = bool(set(said.split()) & ((asked - _REST) | _STORING))
    if refused is None:
        return True if refusing == (negated and repeats) else None
    bare = begin.group() in _BARE
    if repeats and (refusing == negated if bare else negated):
        return None
    return False


class ByTheWay:
    """What memory may ask on this trip."""

    def __init__(
        self,
        seat: Seat,
        clock: Callable[[], datetime],
        per_trip: int = PER_TRIP,
        plain: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """None asked yet.

        Args:
            seat: who drives, and in which units they are spoken to.
            clock: aware current time.
            per_trip: how many may be asked.
            plain: whether a sentence is a plain order to the car: one alone is no reason to ask.
        """
        self._seat, self._clock, self._left, self._plain = seat, clock, per_trip, plain
        self._asks = per_trip > 0
        self._kept: set[str] = set()
        """What it was asked about whether to keep it."""

    def due(self, reply: Reply, command: Command | None, conversation: str) -> Remembering | None:
        """The question that is to end this reply, if one is due and this is the moment.

        A memory that fails is no reason to lose the reply.

        Args:
            reply: to what was asked for, with nothing waiting for an answer.
            command: what the utterance parsed as, if it did.
            conversation: id of the running conversation.
        """
        if self._left <= 0 or not finished(reply, command):
            return None
        try:
            asked = self._asked(lambda p: p.conversation != conversation and self._worth(p), "By the way, shall")
        except GloveboxError:
            return None
        self._left -= asked is not None
        return asked

    def about(self, decisions: Sequence[Decision]) -> Remembering | None:
        """The question about what the driver has just told and memory is not sure of; None where it is not worth one.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        told = {decision.proposal for decision in decisions if decision.outcome is Outcome.ASK}
        return self._asked(lambda p: p.id in told, "Shall", told=True) if told and self._asks else None

    def of_close(self, said: str) -> Remembering | None:
        """The question whether to keep what somebody close to the driver likes, told by the way; None where none is due.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        fact = self._seat.memory.of_close(said) if self._left > 0 else None
        if fact is None or fact.text.lower() in self._kept:
            return None
        self._left -= 1
        self._kept.add(fact.text.lower())
        return Remembering(keeping(fact), "Because you told me that about somebody close to you.", fact)

    def of_change(self, fact: Fact) -> Remembering:
        """The question whether a fact that is kept shall read so from now on."""
        said = turned(fact.text)
        return Remembering(f"Shall I change that to: {said}?", "Because you told me something else before.", fact)

    def _asked(self, may: Callable[[Proposal], bool], begin: str, *, told: bool = False) -> Remembering | None:
        """The question about the surest proposal that may be asked about now; of equally sure ones about the last heard."""
        proposals = [p for p in self._seat.memory.proposals() if p.due and may(p)]
        if not proposals:
            return None
        consent, now = self._seat.memory.consent(), self._clock()
        allowed = [p for p in proposals if consent.forbids(p.category, now) is None]
        allowed.sort(key=lambda proposal: -proposal.confidence)  # stable: the last heard comes first
        proposal = next((p for p in allowed if self._seat.memory.worth(p, told=told)), None)
        if proposal is None:
            return None
        self._seat.memory.asked(proposal.id)
        said = f"Because you said: {proposal.sentence.rstrip('.')}."
        return Remembering(self._seat.units.liking(question(proposal, begin)), said, proposal)

    def _worth(self, proposal: Proposal) -> bool:
        """Whether it is more than one order that was carried out; memory counts what is heard again on another day.

        What it takes beside that `MemoryPort.worth` knows.
        """
        return proposal.confidence >= REPEATED or not self._plain(proposal.sentence)

    def settle(self, of: Proposal | Fact, yes: bool) -> Reply:
        """Hand the answer to memory.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        reason = f"answer to the question of memory: {'yes' if yes else 'no'}"
        if isinstance(of, Fact):
            return self._settled(of, reason, yes=yes)
        try:
            decision = self._seat.memory.answer(of.id, yes)
        except UnknownEntryError as error:
            return Reply(text=_GONE, route=Route.MEMORY, reason=f"{reason}; {error}")
        return Reply(text=_settled(decision, of), route=Route.MEMORY, reason=reason, decision=decision)

    def _settled(self, fact: Fact, reason: str, *, yes: bool) -> Reply:
        memory = self._seat.memory
        changes = kept.fact(memory, fact.id) is not None
        if changes and yes:
            fact = memory.correct_fact(fact.id, fact.text)
        if changes or not yes:
            said = f"Okay, I've changed that: {kept.words(fact)}." if yes else _LEFT if changes else _NOT_KEPT
            return Reply(text=said, route=Route.MEMORY, reason=reason)
        decision = memory.keep(fact)
        told = kept.decided(self._seat.memory, [decision])
        said = told[0] if told is not None else f"I won't keep that: {decision.reason}."
        return Reply(text=said, route=Route.MEMORY, reason=reason, decision=decision)


def read(text: str, command: Command | None, of: Proposal | Fact) -> bool | None:
    """Whether what was said answers the question: yes, no, or not at all."""
    if command is None:
        return answer(text, of)
    return {"yes": True, "no": False, "forget_last": False}.get(command.name)


_LEFT = "Okay, I'll leave it as it was."
_NOT_KEPT = "Okay, I won't keep that."
_GONE = "That question is not open any more."


def finished(reply: Reply, command: Command | None) -> bool:
    """Whether the reply ends something, so that a question about something else does not confuse."""
    if reply.pending is not None or reply.ends_conversation or not reply.text:
        return False
    if reply.route is Route.MEMORY:
        return command is not None and command.name == "remember_what"
    if reply.route not in (Route.FAST, Route.MODEL):
        return False
    return bool(reply.results) and all(result.status is ActionStatus.DONE for result in reply.results)


def _settled(decision: Decision, proposal: Proposal) -> str:
    if decision.outcome is Outcome.DECLINED:
        return "Okay, then it stays as it is." if proposal.negated else "Okay, I won't remember that."
    if decision.outcome is Outcome.REFUSED:
        return f"I won't keep that: {decision.reason.removeprefix('not remembered: ')}."
    if decision.outcome is Outcome.DROPPED:
        return "Okay, I had not remembered that."
    return "Okay, I won't assume that any more." if proposal.negated else "Okay, I'll remember that."
