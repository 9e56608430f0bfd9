"""Which command was said, if any, and how likely it is: what both recognisers have, weighed.

Owns the evidence and its weights (a conditional logit: McFadden 1974). Every command that may have been said is weighed against
the others and against "none of them". Does not own what is heard (``voice.asr.together``) nor what is done about it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.events import Command


@dataclass(frozen=True, slots=True)
class Candidate:
    """A command that may have been said, and what speaks for it."""

    text: str
    command: Command
    followed: bool
    """The grammar follows it."""
    trusted: bool
    """The grammar follows it, and PocketSphinx's open model has about the same words."""
    whispered: bool
    """Whisper's own words are that command."""
    margin: float
    """Whisper's log probability of its words less that of Whisper's own; natural logarithm, of the whole text."""
    alike: float
    """Likeness of its words and Whisper's, 0..1 (insertions and deletions over the words of both)."""


@dataclass(frozen=True, slots=True)
class Words:
    """Whisper's own words, in so far as they speak against every command."""

    heard: float
    """Confidence in them, 0..1."""
    count: int
    command: bool
    """They are a command themselves."""


FEATURES = ("followed", "trusted", "whispered", "margin", "margin a word", "alike", "a candidate")
OTHERWISE = ("heard", "words", "heard of no command")
"""What the weights below belong to: of a candidate, and of none of them."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one Whisper."""

    candidate: tuple[float, ...]
    none: tuple[float, ...]


ADAPTED = Weights((1.91, -0.87, 1.39, 0.33, 0.99, 0.35, 0.98), (-1.11, -0.11, -0.05))
"""``python -m deploy.lab.recogniser.acceptance FOLDER --model WHISPER --adaptation FILE``: 200 utterances, quiet to 5
dB. Of the likeliest commands given under .3 / .3 to .5 / .5 to .7 / .7 to .9 / more, 0 of 67 / 1 of 3 / 3 of 4 / 5 of 6
/ 44 of 44 were right (cross-validated). Where both recognisers had the same command it was right in 73 of 73. Fitted on
an earlier state of the addition. With the one that ships .919 of 136 commands were right and none wrong (.927 of those at
10 dB); weights fitted anew gave .934 and .007 wrong."""
PLAIN = Weights((1.36, 1.09, -0.73, 0.12, 0.54, 1.79, 0.15), (-0.61, 1.20, 0.07))
"""The same without the adaptation: of those given under .1 / .1 to .3 / .3 to .5 / .5 to .7 / .7 to .9 / more, 2 of 65 / 4 of 14 /
10 of 20 / 10 of 15 / 13 of 17 / 29 of 32 were right; both had the same command in 32, all right."""


def features(candidate: Candidate) -> tuple[float, ...]:
    """The evidence of a candidate as numbers of about the same size, in the order of ``FEATURES``."""
    words = max(1, len(candidate.text.split()))
    return (
        float(candidate.followed), float(candidate.trusted), float(candidate.whispered),
        min(LEAD, max(-DEPTH, candidate.margin)), min(LEAD, max(-DEPTH, candidate.margin)) / words, candidate.alike, 1.0,
    )  # fmt: skip


LEAD, DEPTH = 5.0, 20.0
"""Beyond these a margin says nothing more."""


def otherwise(words: Words) -> tuple[float, ...]:
    """The same of "none of them", in the order of ``OTHERWISE``."""
    return words.heard, min(words.count, 8) / 8.0, 0.0 if words.command else words.heard


def probabilities(candidates: Sequence[Candidate], words: Words, weights: Weights) -> list[float]:
    """How likely each candidate is what was said, in their order; what is missing to 1 is "none of them"."""
    totals = [_sum(weights.none, otherwise(words)), *(_sum(weights.candidate, features(one)) for one in candidates)]
    most = max(totals)
    powers = [math.exp(total - most) for total in totals]
    return [power / sum(powers) for power in powers[1:]]


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))
