"""The acts of a sentence that is no complete command, by the parser: the plan for them, and how likely it is that they are meant.

Owns when the parser is asked again: of the sentence without its reasons, of its parts, of other words that fit the sound. What the
acts come to is ``voice.dialogue.acts.acting``'s.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from models.text import spoken
from schemas.actions import BY_NAME
from schemas.actions.acts import Act, Parsed
from schemas.errors import GenerationError
from schemas.events import CommandKind, Hypothesis, Route, Transcript
from schemas.ports import ActParser, CommandMatcher, VehiclePort
from voice.dialogue import errands
from voice.dialogue.acts import planning
from voice.dialogue.acts.accounted import contrary, left_over, takes_back, unspoken
from voice.dialogue.acts.seen import unconditional
from voice.dialogue.acts.sentence import joined
from voice.dialogue.coordinator import Plan

SURE_AT = 0.75
"""Probability of an utterance's acts from which on they are carried out without a question. Of 400 sentences that were written
before the first training, 12 % lay below, .61 of them right; of the others .94 (docs/log.md)."""
HEARD_AT = 0.7
"""Probability that what was heard means what is made of it, beside other words that fit the sound, from which on a driver who tells
something is believed. What is asked for is as likely as it is likely to be meant and heard: of 111 requests at 10 dB, 12 of them
heard as something else, five of those and seven of the others were under .7 where four texts were followed; in quiet one of 47
(docs/log.md)."""
OFFERED_AT = 0.5
"""Probability from which on words name a deed of the car whose reason is asked for: nothing is done. Our choice."""


def _same(parser: ActParser, text: str, context: str, others: Sequence[Hypothesis]) -> float:
    """Probability of the words that mean the same."""
    try:
        acts = parser.parse(text, context).acts
    except GenerationError:
        return 1.0
    total = 1.0
    for other in others:
        try:
            if parser.parse(other.text, context).acts == acts:
                continue
        except GenerationError:  # it means nothing
            pass
        total -= math.exp(other.log_score)
    return total


class Parsing:
    """Has utterances parsed."""

    def __init__(self, parser: ActParser, matcher: CommandMatcher, vehicle: VehiclePort) -> None:
        """By this parser; of the vehicle only what it offers is asked."""
        self._parser, self._matcher, self._vehicle = parser, matcher, vehicle
        self._parsed: tuple[tuple[str, str], Parsed] | None = None
        """The last utterance that was parsed, with its context, and what it means: a pause and the end ask for the same."""
        self._sounded: tuple[tuple[str, str, tuple[Hypothesis, ...]], float] | None = None
        """The same of what else it may have been, and the probability that it means the same."""

    async def plan(self, transcript: Transcript, context: str) -> Plan:
        """The plan for what is no complete command, by the parser.

        Args:
            transcript: the utterance.
            context: what the parser is told (``voice.dialogue.acts.sentence.context``).
        """
        written = errands.undated(transcript.text)
        key = spoken(written), context
        if not any("a" <= letter <= "z" for letter in key[0]):
            return Plan(Route.REJECT, "nothing that the parser could read")
        if self._parsed is None or self._parsed[0] != key:
            try:
                self._parsed = key, await self._meaning(written, context)
            except GenerationError as error:
                return Plan(Route.REJECT, f"the parser gave nothing usable: {error}")
        parsed = self._parsed[1]
        heard = await self._heard(key, transcript.others)
        if heard < HEARD_AT and any(act.name == "tell" for act in parsed.acts):
            return Plan(Route.REJECT, f"other words sound like these and mean something else ({heard:.2f})")
        planned = planning.plan(replace(parsed, sure=parsed.sure * heard), *key)
        return planning.for_help(planned, key[0]) if "call_number" in self._vehicle.offers() else planned

    async def _heard(self, key: tuple[str, str], others: tuple[Hypothesis, ...]) -> float:
        """Probability that the words, or others that may have been said, mean what is made of them."""
        if not others:
            return 1.0
        if self._sounded is None or self._sounded[0] != (*key, others):
            self._sounded = (*key, others), await asyncio.to_thread(_same, self._parser, *key, others)
        return self._sounded[1]

    async def _meaning(self, written: str, context: str) -> Parsed:
        """What a sentence means, looked at in its parts where the whole is doubtful or has not all of theirs.

        Raises:
            schemas.errors.GenerationError: the parser gave nothing usable.
        """
        text, pieces = unconditional(spoken(written)), joined.parts(written)
        whole = planning.timed(spoken(written), await self._parse(text, context), context)
        if len((bare := joined.without_reasons(written)).split()) > 1 and bare != text:
            whole = await self._wish(bare, context, whole)
        if context and whole.sure < SURE_AT and joined.of_a_place(whole):
            whole = joined.own_place(whole, await self._parse(text, ""))
        whole = await joined.looked_again(text, whole, context, self._parse)
        if len(pieces) < 2 or takes_back(text) or joined.called_off(text):
            return whole
        found = await self._parts(pieces, context)
        if found is None:
            return whole
        lost = joined.lost(whole, pieces, await self._standing(pieces, found, context))
        doubtful = whole.sure < SURE_AT or left_over(text, whole.acts) is not None or unspoken(text, whole.acts)
        if not (doubtful or lost or contrary(whole.acts) or joined.turned_round(whole, found)):
            return whole
        return joined.better(text, whole, pieces, found)

    async def _parse(self, text: str, context: str) -> Parsed:
        return joined.where_it_is(text, await asyncio.to_thread(self._parser.parse, text, context), context)

    async def _wish(self, bare: str, context: str, whole: Parsed) -> Parsed:
        """What a wish with its reasons means, where it means something surely without them: "cancel that, he's rung me already"."""
        command = self._matcher.match(bare)
        if command is not None and (command.kind, command.name) == (CommandKind.CONTROL, "no"):
            return Parsed((Act("cancel"),), 1.0)
        if whole.sure >= SURE_AT:
            return whole
        try:
            wish = await self._parse(bare, context)
        except GenerationError:
            return whole
        return wish if wish.sure >= joined.SURE_PART else whole

    async def _parts(self, pieces: Sequence[str], context: str) -> list[Parsed] | None:
        """The parts of a sentence, each read by itself, and told of the one before where it points there or that is surer.

        None where one cannot be read.
        """
        found, told = list[Parsed](), context
        for piece in pieces:
            command = self._matcher.match(piece)
            if command is not None and command.kind is CommandKind.ACTION and command.name in self._vehicle.offers():
                found.append(Parsed((Act(command.name, command.slots),), 1.0))
                continue
            told = joined.did(found[-1].acts, told) if found else told
            try:
                points = bool(told) and joined.POINTS.search(piece) is not None
                part = await self._parse(piece, told if points else "")
                if told and not points and part.sure < joined.SURE_PART:
                    part = max(part, await self._parse(piece, told), key=lambda one: one.sure)
                found.append(part)
            except GenerationError:
                return None
        return found

    async def _standing(self, pieces: Sequence[str], found: Sequence[Parsed], context: str) -> list[Parsed]:
        """Readings of the parts; one is not sure where the part means something else after what was done before the sentence.

        "Forward a touch" is the music's by itself, and the backrest's once that was moved.
        """
        told = list[Parsed]()
        for piece, part in zip(pieces, found, strict=True):
            leans = bool(context) and part.sure >= joined.SURE_PART and self._matcher.match(piece) is None
            try:
                leans = leans and (await self._parse(piece, context)).acts != part.acts
            except GenerationError:
                leans = True
            told.append(replace(part, sure=0.0) if leans else part)
        return told

    def is_request(self, text: str) -> bool:
        """Whether words surely ask for something that the car does."""
        try:
            parsed = self._parser.parse(spoken(text), "")
        except GenerationError:
            return False
        return parsed.sure >= SURE_AT and all(act.is_action for act in parsed.acts)

    def done_by(self, words: str) -> Act | None:
        """The act of the car that words in their spoken form name; None where they surely name none."""
        command = self._matcher.match(words)
        if command is not None and command.kind is CommandKind.ACTION:
            return Act(command.name, command.slots)
        try:
            parsed = self._parser.parse(words, "")
        except GenerationError:
            return None
        named = [act for act in parsed.acts if act.is_action and not BY_NAME[act.name].query]
        return named[0] if named and parsed.sure >= OFFERED_AT else None
