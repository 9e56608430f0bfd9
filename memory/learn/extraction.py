"""From a finished conversation to candidates for preferences: read, call, verify, weigh the wording.

The encoder says which turn reveals which category, how surely (`memory.learn.evidence`) and in which words. What it finds is put
into a call with the categories that may be remembered (`memory.learn.calling`), and the candidates are read from that. Owns what
of a finding is believed, and how sure is sure enough: to store, or to ask first. Stores nothing and decides nothing about what
is stored already: that is `memory.learn.maintenance`. Consent comes first: a turn of a forbidden category has no place in the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from memory.learn.calling import called
from memory.learn.english.canonical import (
    Canon,
    is_closed,
    known,
    polarity,
    refuses_another_level,
    said_by_refusing,
    turned_down,
)
from memory.learn.english.clauses import Statement, apart, statements
from memory.learn.english.kinds import KINDS, LISTED, plausible, split
from memory.learn.english.negation import ABOUT_MEMORY, Polarity, applies, clause, fond, negated, series
from memory.learn.english.secrets import NO_SECRETS, secret
from memory.learn.evidence import (
    ENDED,
    HINTED,
    IMPLAUSIBLE,
    NONE,
    STATED,
    Beside,
    Finding,
    ReadingSettings,
    beside_of,
    of_another_thing,
    opinions,
    read,
    weighed,
)
from memory.learn.meaning import (
    DOUBT,
    FOREIGN_AT,
    ROADS,
    Holds,
    Meaning,
    Over,
    agreed,
    elsewhen,
    holding,
    idle,
    in_its_statement,
    named,
    not_own,
    outright,
    stated,
    unconditioned,
)
from memory.store.preferences import silent
from models.text import contains, normal, words
from schemas.kinds import OWN, Label
from schemas.memory import Candidate, Consent, Conversation, Decision, Outcome, Turn
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

REFUSING = re.compile(r"(?:no|non|not|without|never)\b")
"""How words begin that name a kind of thing in order to refuse it: "no jazz", "non-vegan"."""
_REFUSAL = re.compile(r"n't\b|\b(?:not?|never|avoid\w*|skip|cannot|without|nothing|nobody|few|hard|impossible)\b")
UNTOLD = "I could not tell which"

TOLD_AT = 0.4
"""From this sureness of the recogniser on a refusal is told: below it nobody knows what was talked about."""
ENDS_AT = 0.75
"""From this sureness on what is taken back or disliked goes unasked: more than to store, since it ends what is stored."""
MARKED_AT = 0.8
"""From this share of its marks on a thing that is surely told goes unasked with less sureness,"""
ENDS_MARKED_AT = 0.95
"""and what ends something, told in passing."""
ENDED_AT = 0.6
"""From this probability on the encoder alone may say that a preference has ended."""
AGREED_AT = 0.1
"""From this probability on the encoder agrees with a wording that ends one: below it the driver is asked before anything ends."""
MAYBE_AT = 0.3
"""and from this one on what is marked as wanted, but not surely, and worded as refused, has ended."""
ENDED_FLOOR = 0.01
"""Below this probability such a wording counts for nothing."""
WORDS_AT = 0.3
"""Words that carry a value with less probability are taken only where there are no others."""
NONE_AT = 0.85
"""A turn with at least this probability of telling nothing is not read. At .85 .88 of CarMem's conversations
(development half, first built-in encoder) have a turn that is read, and .23 of KVRET's turns are."""
FORBIDDEN_AT = 0.1
"""A turn whose best category is forbidden is dropped from this probability on; below it, it is no category's."""
FORBIDDEN_MASS = 0.3
"""A turn is dropped, too, when forbidden categories hold this share of what is not ``none``: it must not spill.
CarMem's development half, first built-in encoder: with a conversation's own sub category switched off, something could
still be stored from .24 of the conversations (.26 with half); of 471 turns that tell an ordinary preference 2 are refused
as sensitive, of 29 that tell a sensitive one 25."""
SWITCHED_OFF_MASS = 0.015
"""The same share for what the driver has switched off, and not merely never asked for: rather lost than kept as its neighbour.
Of 410 sentences, ten of each category, 3 give less to their own; with one other category off a sentence is lost in 4 of 100
cases (docs/log.md, 2026-11-24)."""


class ExtractionSettings(BaseModel):
    """Thresholds of extraction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reading: ReadingSettings = ReadingSettings()
    store_at: float = Field(default=0.7, ge=0.0, le=1.0)
    """From this sureness on a preference is stored,"""
    told_at: float = Field(default=0.4, ge=0.0, le=1.0)
    """from this on where the dialogue is sure that the driver tells something lasting,"""
    ask_at: float = Field(default=0.03, ge=0.0, le=1.0)
    """and from this on the driver is asked first."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a conversation gave: candidates for maintenance, and decisions on what got no further."""

    candidates: tuple[Candidate, ...] = ()
    unsure: tuple[Candidate, ...] = ()
    """Not sure enough to be stored without asking."""
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Screening:
    """What the encoder and consent say about one turn."""

    topics: Mapping[str, float] = field(default_factory=dict[str, float])
    forbidden: str | None = None
    """Detail key of the forbidden category that the turn belongs to."""
    reason: str | None = None
    """Why it is forbidden."""
    empty: bool = False
    """True: the turn tells no preference."""
    about_memory: bool = False
    """True: it is an order to memory."""


NOT_OWN = "that is not said of you, or not as it is now"
ANOTHER_THING = "that is about another thing of the car, which I keep nothing about"


@dataclass(frozen=True, slots=True)
class _Read:
    """A conversation while it is read."""

    conversation: str
    turns: Sequence[Turn]
    beside: Sequence[Beside]
    screened: Sequence[Screening]
    consent: Consent
    now: datetime
    allowed: frozenset[str]
    """Detail keys of the categories that consent forbids now are not in it."""
    told: str
    """The turn by which the driver surely tells something."""


_Found = tuple[int, Finding, list[Candidate | Decision] | None]
"""The number of a turn, what it reveals, and what comes of it: None where it is forbidden."""


class Extractor:
    """Reads conversations."""

    def __init__(self, encoder: Encoder, settings: ExtractionSettings | None = None) -> None:
        """Reads with this encoder.

        Args:
            encoder: says what a turn is about, and which of its words carry a value.
            settings: thresholds.
        """
        self.settings = settings or ExtractionSettings()
        self._encoder = encoder
        self._canon = Canon(encoder)

    def screen(self, text: str, consent: Consent, now: datetime) -> Screening:
        """Whether a turn may be read at all; also asked before a turn is kept."""
        if not words(text):
            return Screening(empty=True)
        marked = self._encoder.marks(text)
        if secret(self._encoder, text, marked):
            return Screening({}, "preferred_payment_method", NO_SECRETS)
        topics = self._encoder.topics(text)
        telling = {detail: p for detail, p in topics.items() if detail != NONE}
        best = max(telling, key=telling.__getitem__)
        reasons = {d: r for d in telling if (r := consent.forbids(BY_DETAIL[d], now)) is not None}
        if reasons:
            # A text that tells nothing for sure is skipped anyway; a text that may tell something is dropped when the
            # something is forbidden, even if only its likeliest reading is.
            whole = max(sum(telling.values()), 1e-9)
            sure = 1.0 - topics.get(NONE, 0.0) >= FORBIDDEN_AT
            if best in reasons and telling[best] >= FORBIDDEN_AT:
                return Screening(topics, best, reasons[best])
            off = {d for d in reasons if not consent.opted_out.isdisjoint(BY_DETAIL[d].path)}
            for those, least in ((set(reasons), FORBIDDEN_MASS), (off, SWITCHED_OFF_MASS)):
                if sure and those and sum(telling[d] for d in those) / whole >= least:
                    worst = max(those, key=telling.__getitem__)
                    return Screening(topics, worst, reasons[worst])
        order = applies(ABOUT_MEMORY, normal(text), "") is not None
        told = bool(marked.parts(OWN | {Label.PAST}))
        empty = (topics.get(NONE, 0.0) >= NONE_AT and not told) or order
        return Screening(topics, empty=empty, about_memory=order)

    def extract(
        self, conversation: Conversation, consent: Consent, now: datetime, *, least: float | None = None, told: str = ""
    ) -> Extraction:
        """Candidates of a conversation, and what was refused or dropped on the way.

        Args:
            conversation: what was said; only the driver's turns are read. What the assistant said next to one helps to tell its
                category.
            consent: what may be remembered.
            now: current time, for consent.
            least: how sure each statement of a sentence has to be for it to be taken apart; None: as sure as what is stored.
            told: the turn by which the driver surely tells something.
        """
        turns = conversation.driver_turns()
        screened = [self.screen(turn.text, consent, now) for turn in turns]
        allowed = frozenset(d for d, category in BY_DETAIL.items() if consent.forbids(category, now) is None)
        whole = _Read(conversation.id, turns, beside_of(conversation), screened, consent, now, allowed, told)
        decisions = [
            refusal(s.forbidden, s.reason)
            for s, turn in zip(screened, turns, strict=True)
            if s.forbidden and s.reason and turn.confidence >= TOLD_AT
        ]
        if silent(consent, now) is not None:
            return Extraction(decisions=tuple(decisions))
        usual = self.settings.told_at if told else self.settings.store_at
        found = sorted(self._read(whole, decisions, usual if least is None else least), key=lambda pair: pair[0])
        sure, unsure = [], []
        for number, candidate in found:  # what was said later has the last word
            certain = candidate.confidence / max(turns[number].confidence, 1e-6)  # how it was heard is another question
            enough = self.settings.told_at if turns[number].text == told else self.settings.store_at
            if certain >= enough and not candidate.doubted:
                sure.append(candidate)
            elif certain >= self.settings.ask_at:
                unsure.append(candidate)
            else:
                decisions.append(_dropped(candidate.detail, "I was not sure that this is a lasting preference"))
        return Extraction(
            candidates=tuple(_distinct(sure)), unsure=tuple(_distinct(unsure)), decisions=tuple(decisions)
        )

    def _read(self, whole: _Read, decisions: list[Decision], least: float) -> list[tuple[int, Candidate]]:
        """What the turns reveal, each candidate with the number of its turn."""
        numbers = [
            n
            for n, (turn, screening) in enumerate(zip(whole.turns, whole.screened, strict=True))
            if words(turn.text) and not screening.about_memory
        ]
        several = {n: parts for n in numbers if (parts := self._several(n, whole, least))}
        found = [(n, part) for n, parts in several.items() for part in parts]
        silent_on = False
        for number, finding, results in self._findings(numbers, whole):
            if results is not None and number in several:
                continue
            reason = whole.consent.forbids(BY_DETAIL[finding.detail], whole.now)
            silent_on = silent_on or (finding.main and results is None)
            if results is None:
                heard = whole.turns[number].confidence >= TOLD_AT
                if reason is not None and heard and whole.screened[number].forbidden is None:  # else refused already
                    decisions.append(refusal(finding.detail, reason))
                continue
            for result in results:
                if isinstance(result, Decision):
                    decisions.append(result)
                else:
                    found.append((number, result))
        if silent_on:  # a talk about what is switched off is no occasion for questions
            found = [(n, c) for n, c in found if c.confidence >= self.settings.store_at * whole.turns[n].confidence]
        return found

    def _several(self, number: int, whole: _Read, least: float) -> list[Candidate]:
        """What the statements of a turn say, read one by one; nothing where it makes one only, or they are not sure."""
        turn = whole.turns[number]
        if whole.screened[number].forbidden is not None:
            return []
        marked = tuple(map(Statement, stated(self._encoder.marks(turn.text)) if turn.text == whole.told else ()))
        ways = ((marked, Beside(after=turn.text)), (statements(turn.text), Beside()))
        return next(
            (found for told, beside in ways if told and (found := self._parts(turn, told, beside, whole, least))), []
        )

    def _parts(
        self, turn: Turn, told: Sequence[Statement], beside: Beside, whole: _Read, least: float
    ) -> list[Candidate]:
        """What these statements of a turn say; nothing where one of them says nothing."""
        turns = [turn.model_copy(update={"text": one.text}) for one in told]
        screened = [self.screen(one.text, whole.consent, whole.now) for one in told]
        alone = replace(whole, turns=turns, screened=screened, beside=[beside] * len(turns))
        found: list[list[Candidate]] = []
        for place, one in enumerate(told):
            finding = read(self._encoder, [one.text], self.settings.reading, beside=[beside])[0]
            if screened[place].forbidden is not None or finding.detail not in whole.allowed:
                return []
            found.append([r for r in self._told(place, finding, alone) if isinstance(r, Candidate)])
            same = place > 0 and bool(found[-2]) and found[-2][0].detail == finding.detail
            if place > 0 and not (same and finding.detail in LISTED) and not apart(told[place - 1], one, alike=same):
                return []
        if not all(found):
            return []
        every = [c for own in found for c in own]
        best, weakest = (which(max(c.confidence for c in own) for own in found) for which in (max, min))
        sure = least * turn.confidence
        one_list = {c.detail for c in every} <= LISTED and len({c.detail for c in every}) == 1
        if any(one.thing for one in told):  # a list hangs together
            if weakest < (sure * IMPLAUSIBLE if one_list else sure):
                return []
            every = [c.model_copy(update={"confidence": best if one_list else c.confidence}) for c in every]
        every = [c for c in every if best >= sure and c.confidence >= sure * IMPLAUSIBLE]
        return [c.model_copy(update={"sentence": turn.text}) for c in every]

    def _findings(self, numbers: Sequence[int], whole: _Read) -> list[_Found]:
        """What these turns reveal, with what comes of it: None where it is forbidden.

        A likeliest finding gives way to the next best, once: where its value cannot be told ("keep it pleasant in here"), and where
        all opinions together are surer of the next ("i like coldplay" names no genre).
        """
        found = self._reading(numbers, whole, [])
        if not found or (results := found[0][2]) is None:
            return found
        number, passed_over = found[0][0], [(numbers.index(found[0][0]), found[0][1].detail)]
        if not any(map(_told_or_refused, results)):
            return self._reading(numbers, whole, passed_over)
        if any(not self._may_be_else(one) for one in results):
            return found
        other = self._reading(numbers, whole, passed_over)
        of_turn = other[0][2] or () if other and other[0][0] == number else ()
        things = (one for one in of_turn if isinstance(one, Candidate) and not is_closed(one.detail))
        sure = max((one.confidence for one in things), default=0.0)  # a closed category's value is hardly ever named
        return other if sure >= self.settings.told_at else found

    def _may_be_else(self, result: Candidate | Decision) -> bool:
        """Whether a result is so unsure that it may be of another category: no end, and nothing that its own category knows."""
        if isinstance(result, Decision) or result.negated or result.confidence >= self.settings.told_at:
            return False
        return not (result.detail in KINDS and plausible(result.detail, result.value))

    def _reading(self, numbers: Sequence[int], whole: _Read, passed_over: Sequence[tuple[int, str]]) -> list[_Found]:
        """What these turns reveal but for what is passed over, the likeliest first."""
        texts, beside = [whole.turns[n].text for n in numbers], [whole.beside[n] for n in numbers]
        found: list[_Found] = []
        for finding in read(self._encoder, texts, self.settings.reading, passed_over, beside):
            number = numbers[finding.number]
            forbidden = finding.detail not in whole.allowed or whole.screened[number].forbidden is not None
            found.append((number, finding, None if forbidden else list(self._told(number, finding, whole))))
        return found

    def _told(self, number: int, finding: Finding, whole: _Read) -> Iterator[Candidate | Decision]:
        """What a finding says, in candidates: several where it names several values of a multi category."""
        turn, detail, category = whole.turns[number], finding.detail, BY_DETAIL[finding.detail]
        if of_another_thing(self._encoder, turn.text, detail):
            yield _dropped(detail, ANOTHER_THING)
            return
        marked = self._encoder.marks(turn.text)
        bare = unconditioned(marked, turn.text) if is_closed(detail) else turn.text
        parts = [part.text for part in finding.words if part.probability >= WORDS_AT]
        if not is_closed(detail):
            parts = [part for part in parts if not idle(marked, detail, part)] or parts
        parts = named(marked, parts) if polarity(detail, "") is Polarity.PLAIN else parts
        parts = holding(marked, parts) if finding.strength[ENDED] < MAYBE_AT else parts
        said = series(turn.text, parts) if category.multi else parts[:1]
        said += [] if is_closed(detail) else elsewhen(marked, said, parts)
        said = said or [part.text for part in finding.words[:1]] or ([turn.text] if is_closed(detail) else [])
        texts = [one.text for one in whole.turns]  # each by itself: a single category may hold another at another time
        said = [value for part in said for value in called(detail, number, [part], whole.allowed, texts)]
        if not said:
            yield _dropped(detail, f"{UNTOLD} {category.title.lower()} you meant")
        for part in (part for words_ in said for part in split(detail, words_)):
            value = self._canon.canonical(detail, part if contains(bare, part) or bare == turn.text else bare, bare)
            new = value is not None and not is_closed(detail) and not known(detail, value)
            if value is None or (new and idle(marked, detail, part)):
                yield _dropped(detail, f"{UNTOLD} {category.title.lower()} you meant")
                continue
            told = in_its_statement(
                self._encoder, turn.text, detail, part, value, surely=contains(whole.told, turn.text)
            )
            if not told.sense.wanted and fond(clause(turn.text, part)):
                told = replace(told, doubt=0.5)  # "can't get enough of ghost stories" is easily marked as disliked
            if told.holds is not Holds.UNTOLD and polarity(detail, part) is Polarity.PLAIN:
                over = self._marked(told, turn.text, part)
            else:
                told, over = self._worded(finding, told, value, turn.text, part)
            ended = over is not Over.NO
            tale = is_closed(detail) and not ended and finding.strength[ENDED] < MAYBE_AT
            if not_own(told, finding.strength[NONE], tale=tale):
                yield _dropped(detail, NOT_OWN)
                continue
            if ended and polarity(detail, part) is Polarity.ANSWER:
                value, ended = "no", False  # what is turned down is answered with no
            sure, doubted = self._sure(finding, value, over, told, turn.text)
            yield Candidate(
                detail=detail,
                value=value,
                sentence=turn.text,
                said_at=turn.at,
                conversation=whole.conversation,
                confidence=sure * turn.confidence,
                doubted=doubted,
                negated=ended,
                sense=told.sense,
                conditions=told.conditions,
            )

    def _marked(self, told: Meaning, text: str, part: str) -> Over:
        """Whether a thing that is marked is over: as it is marked; as it is worded, where it is marked as wanted and not surely."""
        if told.holds is Holds.ENDED:
            return Over.YES
        unsure = told.holds is Holds.YES and told.sense.wanted and told.share < ENDS_MARKED_AT
        if not unsure or fond(text) or negated(text, part, Polarity.PLAIN) is None:
            return Over.NO
        seen = self._encoder.strength(text)
        if seen[ENDED] >= MAYBE_AT:
            return Over.YES
        return Over.PERHAPS if seen[HINTED] > seen[STATED] else Over.NO  # "a charger without a cafe"

    def _worded(self, finding: Finding, told: Meaning, value: str, text: str, part: str) -> tuple[Meaning, Over]:
        """What a value's words and the encoder say together of whether it holds, where the marks alone do not tell."""
        detail = finding.detail
        over = self._over(finding, value, text, part)
        ended = told.holds is Holds.ENDED and not is_closed(detail)
        if detail == ROADS and ended and _REFUSAL.search(normal(text)) is not None:
            told, ended = replace(told, holds=Holds.UNTOLD), False  # "i never take tolls" is no end of avoiding them
        if ended or (told.holds is Holds.YES and not told.sense.wanted):
            if detail != ROADS:
                worded = negated(text, part, polarity(detail, part)) is not None and not fond(text)
                told = agreed(told, detail, value, worded=worded, praised=fond(text))
            if told.holds is not Holds.UNTOLD and not (detail == ROADS and over is Over.YES):
                over = Over.YES if ended else Over.NO
        return told, over

    def _sure(self, finding: Finding, value: str, over: Over, told: Meaning, text: str) -> tuple[float, bool]:
        """How sure a finding with this value is, however it was heard, and whether it is to be asked about, however sure."""
        may_be = plausible(finding.detail, value)
        every = opinions(self._encoder, finding, text, told, plausible=may_be)
        if over is Over.YES or (told.holds is Holds.YES and not told.sense.wanted):
            share = 1.0 if told.holds is Holds.UNTOLD else told.share
            sure = every.sure * share * (1.0 if may_be else IMPLAUSIBLE)  # the weights were fitted to what is wanted
        else:
            sure = weighed(every)
            if finding.detail in KINDS and may_be and sure >= self.settings.ask_at and outright(text, value):
                sure = max(sure, self.settings.told_at)  # "i like bossa nova"
        foreign = told.holds in (Holds.UNREAL, Holds.OTHERS) and told.share >= FOREIGN_AT
        against = foreign or (over is Over.NO and told.doubt > DOUBT and not is_closed(finding.detail))
        ends = over is Over.YES or not told.sense.wanted
        marked = told.holds is Holds.UNTOLD or told.share >= ENDS_MARKED_AT
        doubted = over is Over.PERHAPS or against or (ends and over is Over.NO and every.nothing >= NONE_AT)
        if doubted or (ends and (sure < ENDS_AT or not marked)):
            sure = min(sure, 0.99 * self.settings.store_at)
        surely = told.holds in (Holds.YES, Holds.ENDED) and told.share >= MARKED_AT
        return sure, doubted or (sure < self.settings.store_at and not surely and not is_closed(finding.detail))

    def _over(self, finding: Finding, value: str, text: str, said: str) -> Over:
        """Whether the text says that the value does not hold; only what wording and encoder both say ends it unasked."""
        kind, probability = polarity(finding.detail, said), finding.strength[ENDED]
        if kind is Polarity.AVOIDED:
            return Over.NO if negated(text, said, kind) is None else Over.YES
        named = kind is Polarity.PLAIN and finding.detail in KINDS and plausible(finding.detail, said)
        if not turned_down(finding.detail, value, text, said) and not (named and REFUSING.match(normal(said))):
            says = refuses_another_level(finding.detail, value, text) or said_by_refusing(finding.detail, value, text)
            if kind is Polarity.ANSWER or says:
                return Over.NO
            if probability < ENDED_FLOOR or negated(text, said, kind) is None:
                return Over.YES if probability >= ENDED_AT and not fond(text) else Over.NO
        return Over.YES if probability >= AGREED_AT else Over.PERHAPS


def refusal(detail: str, reason: str) -> Decision:
    """The decision on what consent forbids: says why, never what."""
    return Decision(outcome=Outcome.REFUSED, detail=detail, reason=f"not remembered: {reason}")


def _told_or_refused(result: Candidate | Decision) -> bool:
    """Whether a finding came to anything but that its value could not be told."""
    return isinstance(result, Candidate) or UNTOLD not in result.reason


def _dropped(detail: str, reason: str) -> Decision:
    return Decision(outcome=Outcome.DROPPED, detail=detail, reason=f"not remembered: {reason}")


def _distinct(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Each once: a value may be named twice in one sentence."""
    seen: set[tuple[str, str, str]] = set()
    for candidate in candidates:
        if (key := (candidate.detail, candidate.value, candidate.sentence)) not in seen:
            seen.add(key)
            yield candidate
