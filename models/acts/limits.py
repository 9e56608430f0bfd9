"""The limits of what may stand in an answer: how many acts and words, which numbers, and what is too long to be read.

A slot of numbers holds what was said or follows from it ("a third" is 35 percent), and nothing else.
"""

from __future__ import annotations

import re

from models.numbers import numbers
from schemas.errors import GenerationError

MOST_ACTS = 5
"""Acts of an utterance: more than four in one breath is rare."""
MOST_WORDS = 24
"""Words of a slot: a message is the longest."""
MOST_STEPS = 96
"""Of an answer: a message as long as a slot may be and four more acts take fewer."""
LONGEST = 60
"""Words of an utterance that can be parsed; the longest of the training data have forty."""
LONGEST_WORD = 45
"""Letters of a word: the longest of English dictionaries has as many."""
MOST = 600
"""The largest number that a slot holds: seconds of a timer."""
LEVELS = frozenset({0, 1, 2, 3, 5, 100})
"""Numbers that words such as "off", "low", "high" and "fully" stand for."""
_SHARES = {
    "half": {30, 50}, "halfway": {50}, "quarter": {15, 25, 45}, "quarters": {45, 75}, "third": {35}, "thirds": {65}, "couple": {2},
    "dozen": {12}, "middle": {50}, "hour": {15, 30, 60, 90}, "hours": {15, 30},
}  # fmt: skip
"""Words that stand for numbers, as the training data writes them."""
_SIXTIES = frozenset("hour hours minute minutes".split())
"""What slots of minutes and of seconds count in sixties: "an hour and twenty", "back a minute"."""
_CLOCK = frozenset("to past till oclock am pm noon midday midnight tonight".split())


def meant(text: str) -> frozenset[int]:
    """The numbers that a slot may hold after these words: those that were said, and what clocks, hours and shares make of them.

    "Twenty to seven" is 6:40, "an hour and a half" 90 minutes, "a third" 35 percent.
    """
    said = {int(number) for number in numbers(text)}
    words = set(text.split())
    found = said.union(*(amounts for word, amounts in _SHARES.items() if word in words))
    if words & _SIXTIES:
        found |= {60 * amount + more for amount in said | {1} for more in {0, 15, 30} | said}
    if words & _CLOCK:
        found |= {amount - 1 for amount in said} | {60 - amount for amount in said} | {11, 12, 15, 30, 45}
    return frozenset(amount for amount in found if 0 <= amount <= MOST)


def near(context: str) -> frozenset[int]:
    """The numbers of a context's slots, and those a step away: "one more"."""
    found = {int(digits) for digits in re.findall(r"=(\d{1,3})\b", context)}
    return frozenset(found | {amount + step for amount in found for step in (-1, 1) if amount + step >= 0})


def require_readable(said: str) -> None:
    """An utterance that can be read in the time that a driver waits.

    Raises:
        schemas.errors.GenerationError: it is longer, or a word of it is.
    """
    words = said.split()
    if len(words) > LONGEST:
        raise GenerationError(f"an utterance of more than {LONGEST} words is not parsed")
    if max(map(len, words), default=0) > LONGEST_WORD:
        raise GenerationError(f"an utterance with a word of more than {LONGEST_WORD} letters is not parsed")
