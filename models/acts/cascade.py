"""An utterance as acts by two parsers: the quick one alone where it is sure, else both.

The small network takes a twentieth of the language model's time, and where it is sure it is right as often. Elsewhere it is the
language model's second opinion: what both say is likelier, what only one says less likely. Where the language model fails, the
small network's answer stands.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.actions.acts import Parsed
from schemas.errors import GenerationError
from schemas.ports import ActParser

ALONE_AT = 0.5
"""Probability from which on the quick parser's answer stands: from .8 on, ten fewer of 1,147 turns were right (docs/log.md)."""

FULLER_AT = 0.45
"""Probability from which on the one with more acts counts, though it is less sure: what one of two leaves out was mostly said; the
driver is asked, since the other was surer. Chosen on the dialogues that may be read (docs/log.md)."""


class CascadeParser:
    """A `schemas.ports.ActParser` over two."""

    def __init__(self, quick: ActParser, thorough: ActParser) -> None:
        """A parser.

        Args:
            quick: is asked first.
            thorough: is asked where the first is not sure.
        """
        self._quick, self._thorough = quick, thorough

    def parse(self, text: str, context: str = "") -> Parsed:
        """See `schemas.ports.ActParser.parse`."""
        try:
            quick = self._quick.parse(text, context)
        except GenerationError:
            return self._thorough.parse(text, context)
        if quick.sure >= ALONE_AT:
            return quick
        try:
            thorough = self._thorough.parse(text, context)
        except GenerationError:
            return quick
        return combined(quick, thorough)

    def skim(self, text: str, context: str = "") -> Parsed:
        """See `schemas.ports.ActParser.skim`."""
        return self._quick.skim(text, context)


def combined(quick: Parsed, thorough: Parsed) -> Parsed:
    """What the surer one says, or the one that has all of the other's acts and more, if it is not quite unsure.

    It is as probable as the surer of two that agree; where they differ, less, the surer the other is.
    """
    if len(quick.acts) == len(thorough.acts) and all(act in thorough.acts for act in quick.acts):
        return replace(thorough, sure=max(quick.sure, thorough.sure), wishes=quick.wishes)
    said, other = (quick, thorough) if quick.sure > thorough.sure else (thorough, quick)
    if other.sure >= FULLER_AT and len(other.acts) > len(said.acts) and all(act in other.acts for act in said.acts):
        said, other = other, said
    right, wrong = said.sure * (1 - other.sure), other.sure * (1 - said.sure)
    sure = min(said.sure, right / (right + wrong) if right + wrong else 0.0)
    return replace(said, sure=sure, wishes=quick.wishes)
