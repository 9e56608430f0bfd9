"""What the encoder alone makes of a conversation: which turn reveals which category, how surely, and in which words.

Owns the weighing of turns against each other; knows nothing of consent, stores nothing. `memory.learn.extraction` decides what may
be used of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memory.learn.meaning import SURELY, Meaning
from models.text import contains, spoken, words
from schemas.kinds import OWN, Label
from schemas.memory import Conversation, Words
from schemas.ports import Encoder
from schemas.preferences import CATEGORIES

DETAILS = tuple(category.detail for category in CATEGORIES)
NONE, HINTED, STATED, ENDED = "none", "hinted", "stated", "ended"
"""The keys of `Encoder.strength`; the first is that of `Encoder.topics`, too, for a text that tells no preference."""
TINY = 1e-6
LOWEST = 1e-4
IMPLAUSIBLE = 0.5
"""What is left of the sureness where a value is no cuisine, diet, genre or colour that we know of, and no second opinion is had."""
CONSTANT = -5.58
WEIGHTS = (0.433, 0.196, 0.262, -0.167, -0.213, -0.041, 2.180, 1.551)
"""Of `Opinions.features`; fitted with an encoder nearly the one that ships, the constant set anew (docs/log.md, 2026-11-28)."""
LAST_WORDS = 45
"""Words of two turns together that are read, the last ones: as many as the encoder's 64 pieces hold."""
LEAST = 0.02
"""What a turn counts that reveals nothing: among such turns the category decides."""
HINT = 0.4
"""What a hint counts beside a statement."""
BESIDE_SHARE = 0.5
"""Share that another turn's first category needs."""
SECOND_SHARE = 0.3
"""Share that a turn's second category needs, beside so much of `ReadingSettings.beside_at`, and words of its own."""


class ReadingSettings(BaseModel):
    """How turns are weighed. Chosen on CarMem's development half, see docs/log.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: float = Field(default=0.45, ge=0.0, le=2.0)
    """Exponent of what the whole conversation is about, beside the turn,"""
    before: float = Field(default=0.4, ge=0.0, le=2.0)
    """and of what the turn is about together with the one before: "find a charger", "i prefer ..."."""
    prompt: float = Field(default=0.2, ge=0.0, le=2.0)
    """Exponent of what the assistant said just before is about,"""
    reply: float = Field(default=0.35, ge=0.0, le=2.0)
    """and of what it said just after: it tells the category, never the value and never that there is a preference."""
    second: float = Field(default=0.2, ge=0.0, le=2.0)
    """Exponent of what the second opinion takes the turn to be about (``Encoder.revealed``)."""
    agreement: float = Field(default=0.5, ge=0.0, le=1.0)
    """Exponent of how far a turn agrees with all that is around it, when turns are weighed against each other."""
    beside_at: float = Field(default=0.8, ge=0.0, le=1.0)
    """From this sureness on more than the likeliest preference of a conversation is taken: only what is stated."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What the assistant said next to a driver's turn; empty where it said nothing."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A turn that may reveal a preference of a category."""

    number: int
    """Of the driver's turn, from 0."""
    detail: str
    share: float
    """Probability of the category, given that the turn reveals a preference."""
    strength: Mapping[str, float]
    words: tuple[Words, ...]
    """The parts that carry the value; empty where none was found."""
    main: bool
    """The likeliest of its conversation."""

    def sure(self, hint: float) -> float:
        """How sure it is that this is a lasting preference of this category, 0..1; a hint counts less."""
        return self.share * min(1.0, self.strength[STATED] + self.strength[ENDED] + hint * self.strength[HINTED])

    @property
    def ended(self) -> bool:
        """Whether it says that the preference does not hold any more."""
        return self.strength[ENDED] > self.strength[STATED] + self.strength[HINTED]


def shares(encoder: Encoder, text: str) -> NDArray[np.float64]:
    """How the probability of all categories but ``none`` is shared among them, in the order of the tree."""
    topics = encoder.topics(text)
    found = np.array([topics[detail] for detail in DETAILS]) + TINY
    return found / found.sum()


def strength(encoder: Encoder, text: str) -> dict[str, float]:
    """How clearly a text reveals a preference: as the encoder sees the whole, or by the words marked as the driver's own."""
    seen = encoder.strength(text)
    marked = encoder.marks(text)
    own = max((part.share for part in marked.parts(OWN)), default=0.0)
    gone = max((part.share for part in marked.parts((Label.PAST,))), default=0.0)
    told = max(own, gone) * (1.0 - seen[NONE])
    if told <= seen[STATED] + seen[ENDED]:
        return seen
    left = (1.0 - told) / max(1.0 - seen[STATED] - seen[ENDED], TINY)
    ended = (
        gone if gone > own and own < SURELY else min(seen[ENDED], told)
    )  # "high was too much, so it's medium" states
    return {NONE: seen[NONE] * left, HINTED: seen[HINTED] * left, STATED: told - ended, ENDED: ended}


_LIGHTS = re.compile(r"ambient|dome|reading|get_lights")
_THINGS = {
    "seat_heating_preferences": (
        re.compile(r"\b(?:seat\w*|bum|backside|cushion\w*|toast\w*)\b"),
        re.compile(r"seat_heating"),
    ),
    "interior_lighting_brightness_preferences": (
        re.compile(r"\b(?:light\w*|lamps?|glow\w*|brightness|dash\w*)\b"),
        _LIGHTS,
    ),
    "interior_lighting_ambient_preferences": (
        re.compile(r"\b(?:light\w*|glow\w*|tones?|cool\w*|cold\w*|warm\w*|cosy|modes?|effects?)\b"),
        _LIGHTS,
    ),
}
"""What names a category's own thing in the car, and which actions are about it."""
_ANOTHER = re.compile(
    r"steering_wheel|mirror|display|beam|fog|window|roof|sunshade|trunk|door|ventilation|massage|lumbar"
)
"""Other things of the car that can be warm, bright or set to a level, by the names of their actions."""
ANOTHER_AT, ANOTHER_TIMES = 0.05, 3.0
"""Probability of such an action from which on the sentence is about that thing, and how much likelier than the category's own it
must be."""


def of_another_thing(encoder: Encoder, text: str, detail: str) -> bool:
    """Whether a sentence is about another thing of the car than its likeliest category: a warm steering wheel is no warm seat."""
    named, own = _THINGS.get(detail, (None, None))
    if named is None or own is None or named.search(text.lower()) is not None:
        return False
    asked = encoder.requests(text)
    others = sum(share for name, share in asked.items() if _ANOTHER.search(name) is not None)
    return others >= max(ANOTHER_AT, ANOTHER_TIMES * sum(share for name, share in asked.items() if own.search(name)))


def revealed(encoder: Encoder, detail: str, text: str) -> float | None:
    """The probability by the second opinion alone that a turn reveals a lasting preference of a category; None: it cannot tell."""
    found = encoder.revealed(_last(spoken(text)))
    return None if found is None else found.get(detail)


class Opinions(NamedTuple):
    """What speaks for it that a finding is a lasting preference of its category."""

    detail: str
    sure: float
    """Of the first opinion, the encoder's heads, 0..1."""
    share: float
    """The category's, in the first opinion."""
    hinted: float
    """Probability that it is only hinted at."""
    second: float | None
    """Of the second opinion, the branch that tells what a sentence tells of the driver; None: it cannot tell,"""
    nothing: float
    """and that nothing is revealed."""
    past: float
    """Share of the value's words that are marked as what once held,"""
    foreign: float
    """and that are supposed, asked, or somebody else's."""
    plausible: bool
    """Whether the value may be one of its category."""

    def features(self) -> tuple[float, ...]:
        """What the weights of `WEIGHTS` stand for."""
        return (
            _odds(self.sure), _odds(self.second or 0.0), _odds(self.share), _odds(self.nothing),
            _odds(self.past), _odds(self.foreign), self.hinted, float(self.plausible),
        )  # fmt: skip

    def odds(self) -> float:
        """Log odds; a second opinion must be had."""
        return CONSTANT + sum(weight * one for weight, one in zip(WEIGHTS, self.features(), strict=True))


def opinions(encoder: Encoder, finding: Finding, text: str, told: Meaning, *, plausible: bool) -> Opinions:
    """All opinions on a finding in its turn; ``told``: what the marks say of its value, ``plausible``: whether it may be one."""
    second = encoder.revealed(_last(spoken(text))) or {}
    return Opinions(
        finding.detail, min(1.0, finding.sure(HINT)), finding.share, finding.strength[HINTED],
        second.get(finding.detail), second.get(NONE, 0.0), told.past, told.foreign, plausible,
    )  # fmt: skip


def weighed(told: Opinions) -> float:
    """How sure it is that a finding is a lasting preference of its category, once all that was asked is weighed, 0..1.

    Logistic, fitted on CarMem's development half, KVRET and DailyDialog (``python -m deploy.lab.carmem.weighing``). Without a
    second opinion the first is left.
    """
    if told.second is None:
        return told.sure if told.plausible else told.sure * IMPLAUSIBLE
    return float(1.0 / (1.0 + np.exp(-told.odds())))


def _odds(share: float) -> float:
    """The log odds of a share, within bounds."""
    held = min(max(share, LOWEST), 1.0 - LOWEST)
    return float(np.log(held / (1.0 - held)))


def _shared(encoder: Encoder, text: str) -> NDArray[np.float64] | None:
    """How the second opinion shares a turn among the categories, in the order of the tree; None where it cannot tell."""
    told = encoder.revealed(_last(spoken(text)))
    if told is None:
        return None
    found = np.array([told.get(detail, 0.0) for detail in DETAILS]) + TINY
    return found / found.sum()


def beside_of(conversation: Conversation) -> list[Beside]:
    """What the assistant said next to every turn of the driver's."""
    said = ["", *("" if turn.speaker == "driver" else turn.text for turn in conversation.turns), ""]
    return [
        Beside(before=said[place], after=said[place + 2])
        for place, turn in enumerate(conversation.turns)
        if turn.speaker == "driver"
    ]


def read(
    encoder: Encoder,
    turns: Sequence[str],
    settings: ReadingSettings,
    passed_over: Collection[tuple[int, str]] = (),
    beside: Sequence[Beside] = (),
) -> list[Finding]:
    """What the turns reveal, the likeliest first; the other findings are of other categories.

    Args:
        encoder: the built-in one or another.
        turns: the driver's turns that may be read.
        settings: weights.
        passed_over: (turn, detail key) of what turned out to be no finding: the next best takes its place.
        beside: what the assistant said next to every turn, or nothing: helps to tell the category of what is revealed.
    """
    if not turns:
        return []
    around = shares(encoder, _last(" ".join(turns))) ** settings.context
    strengths = [strength(encoder, text) for text in turns]
    weights = np.array([shares(encoder, text) * around for text in turns])
    weights *= np.array([shares(encoder, text) for text in _with_the_one_before(turns)]) ** settings.before
    for row, text in enumerate(turns):
        if settings.second and (told := _shared(encoder, text)) is not None:
            weights[row] *= told**settings.second
    for row, said in enumerate(beside):
        for text, exponent in ((said.before, settings.prompt), (said.after, settings.reply)):
            if words(text) and exponent:
                weights[row] *= shares(encoder, _last(text)) ** exponent
    for row, detail in passed_over:
        weights[row, DETAILS.index(detail)] = TINY**3
    agreeing = weights.sum(axis=1, keepdims=True)
    table = weights / agreeing
    lasting = np.array([s[STATED] + s[ENDED] + HINT * s[HINTED] for s in strengths])
    weights = table * agreeing**settings.agreement * (lasting[:, None] + LEAST)
    number, column = (int(i) for i in np.unravel_index(int(weights.argmax()), weights.shape))

    def finding(row: int, place: int, main: bool) -> Finding:
        detail = DETAILS[place]
        return Finding(row, detail, float(table[row, place]), strengths[row], encoder.words(turns[row], detail), main)

    found = [finding(number, column, True)]
    for row in range(len(turns)):
        first, second = (int(place) for place in np.argsort(-table[row])[:2])
        for place, least, at in (
            (first, BESIDE_SHARE, settings.beside_at),
            (second, SECOND_SHARE, settings.beside_at * SECOND_SHARE),
        ):
            if (row, place) == (number, column) or table[row, place] < least:
                continue
            other = finding(row, place, False)
            if other.sure(0.0) >= at and (place == first or _own(other, found)):
                found.append(other)
    return found


def _with_the_one_before(turns: Sequence[str]) -> list[str]:
    """Every turn together with the one before it, as much of the two as the encoder reads."""
    pairs = [f"{before} {turn}" for before, turn in zip(["", *turns], turns, strict=False)]
    return [_last(pair) for pair in pairs]


def _last(text: str) -> str:
    return " ".join(text.split()[-LAST_WORDS:])


def _own(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether a finding has words that no other finding of its turn has."""
    taken = [part.text for other in others if other.number == finding.number for part in other.words[:1]]
    return bool(finding.words) and not any(
        contains(text, finding.words[0].text) or contains(finding.words[0].text, text) for text in taken
    )
